/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The old and the new view around every operation: before each change a snapshot is opened, after it the snapshot still
 * shows the old version bit for bit, down to its pointers, and a new one shows the new version. A few snapshots stay
 * open for long.
 *
 * usage: test_views [seed]
 */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/model.h"
#include "support/scale.h"
#include "support/workload.h"

enum { ALPHABET = 90, KEPT = 64 };

struct view {
    const rcuinfo_snapshot_t *snapshot;
    struct model model;
    char *bytes; /* copy of all keys and values as they lay in memory when the view was opened */
    size_t size;
};

static struct random rng;
static unsigned long seed = 1, round_number;

#define AGREE(condition) CHECKF(condition, "seed %lu, round %lu", seed, round_number)

static void collect(const rcuinfo_snapshot_t *snapshot, char **bytes, size_t *size)
{
    rcuinfo_pair_t pair;
    size_t at = 0;
    *size = 0;
    for (size_t i = 0; i < rcuinfo_snapshot_count(snapshot); i++) {
        AGREE(rcuinfo_snapshot_nth(snapshot, i, &pair) == RCUINFO_SUCCESS);
        *size += sizeof pair + pair.key_length + pair.value_length + 2;
    }
    *bytes = malloc(*size + 1);
    AGREE(*bytes != NULL);
    for (size_t i = 0; i < rcuinfo_snapshot_count(snapshot); i++) {
        AGREE(rcuinfo_snapshot_nth(snapshot, i, &pair) == RCUINFO_SUCCESS);
        memcpy(*bytes + at, &pair, sizeof pair);
        at += sizeof pair;
        memcpy(*bytes + at, pair.key, pair.key_length + 1);
        at += pair.key_length + 1;
        memcpy(*bytes + at, pair.value, pair.value_length + 1);
        at += pair.value_length + 1;
    }
}

static void view_open(struct view *v, rcuinfo_t info, const struct model *model)
{
    AGREE(rcuinfo_snapshot_open(info, &v->snapshot) == RCUINFO_SUCCESS);
    model_copy(&v->model, model);
    AGREE(!model_differs_from_snapshot(&v->model, v->snapshot));
    collect(v->snapshot, &v->bytes, &v->size);
}

static void view_check(const struct view *v)
{
    char *bytes;
    size_t size;
    AGREE(!model_differs_from_snapshot(&v->model, v->snapshot));
    collect(v->snapshot, &bytes, &size);
    AGREE(size == v->size && memcmp(bytes, v->bytes, size) == 0);
    free(bytes);
}

static void view_close(struct view *v)
{
    view_check(v);
    rcuinfo_snapshot_close(v->snapshot);
    v->snapshot = NULL;
    model_clear(&v->model);
    free(v->bytes);
}

static void change(rcuinfo_t info, struct model *model, unsigned growth)
{
    char key[RCUINFO_MAX_KEY], other[RCUINFO_MAX_KEY], value[RCUINFO_MAX_VALUE];
    unsigned choice = random_below(&rng, 100);
    workload_key(key, random_below(&rng, ALPHABET));
    workload_key(other, random_below(&rng, ALPHABET));
    workload_value(value, &rng);
    if (choice < growth) {
        AGREE(rcuinfo_set(info, key, value) == model_set(model, key, value));
    } else if (choice < 90) {
        rcuinfo_status_t wanted = model_delete(model, key);
        AGREE(rcuinfo_delete(info, key) == wanted);
    } else if (choice < 95) {
        const rcuinfo_change_t changes[] = {{key, value}, {other, "x"}, {key, NULL}, {other, value}};
        size_t failed;
        rcuinfo_status_t wanted = model_update(model, changes, 4, &failed);
        AGREE(rcuinfo_update(info, changes, 4, NULL) == wanted);
    } else {
        int swapped, wanted_swapped;
        rcuinfo_status_t wanted = model_compare_and_set(model, key, NULL, value, &wanted_swapped);
        AGREE(rcuinfo_compare_and_set(info, key, NULL, value, &swapped) == wanted && swapped == wanted_swapped);
    }
}

int main(int argc, char **argv)
{
    static struct view kept[KEPT];
    unsigned long rounds = SCALED(20000);
    struct model model;
    rcuinfo_t info;
    if (argc > 1)
        seed = strtoul(argv[1], NULL, 10);
    rng.state = seed;
    CHECK_OK(rcuinfo_create(&info));
    model_init(&model);
    for (round_number = 0; round_number < rounds; round_number++) {
        struct view before, after;
        struct view *slot = &kept[random_below(&rng, KEPT)];
        view_open(&before, info, &model);
        change(info, &model, round_number / 400 % 3 == 2 ? 20 : 70);
        view_check(&before);
        view_open(&after, info, &model);
        view_close(&before);
        if (random_below(&rng, 8) == 0) {
            if (slot->snapshot)
                view_close(slot);
            view_open(slot, info, &model);
        }
        if (random_below(&rng, 500) == 0) {
            /* The object goes, its views stay; a dup of it goes on. */
            rcuinfo_t copy;
            CHECK_OK(rcuinfo_dup(info, &copy));
            CHECK_OK(rcuinfo_free(&info));
            info = copy;
            (void)rcuinfo_store_drain();
        }
        view_close(&after);
    }
    CHECK_OK(rcuinfo_free(&info));
    CHECK(rcuinfo_store_drain() == 0);
    for (size_t i = 0; i < KEPT; i++) {
        if (kept[i].snapshot)
            view_close(&kept[i]);
    }
    model_clear(&model);
    printf("seed %lu: %lu rounds\n", seed, rounds);
    return 0;
}
