/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random calls of 1, 3 and 16 threads on the library as it is shipped, each on objects of its own, compared with the
 * naive model call by call; all threads share the arenas, slots and limits. Some allocations fail, in any thread. The
 * handles of the last thousand objects that a thread freed always give RCUINFO_ERR_INFO, whatever objects the others
 * have by then.
 *
 * usage: test_sequences [seed]
 */
#include <stdbool.h>

#include <rcuinfo/rcuinfo.h>

#include "support/counts.h"
#include "support/faults.h"
#include "support/left.h"
#include "support/model.h"
#include "support/objects.h"
#include "stress/random.h"
#include "support/scale.h"
#include "support/threads.h"
#include "stress/workload.h"

enum { OBJECTS = 4, KEPT = 3, STALE = 1000, MOST_CHANGES = 8, KEYS = 40, CALLS = SCALED(600000), FULL = 10 };

struct mine {
    struct random random;
    struct modelled objects[OBJECTS];
    struct kept kept[KEPT];
    rcuinfo_t stale[STALE];
    unsigned long freed;
};

static unsigned long calls_each;
static uint64_t seed;
static bool faults;

static void end_object(struct mine *m, struct modelled *o)
{
    if (o->info == RCUINFO_NULL)
        return;
    modelled_check(o);
    m->stale[m->freed++ % STALE] = o->info;
    modelled_free(o);
}

/* Without memory, creates or dups again. */
static void begin_object(struct modelled *o, const struct modelled *from)
{
    rcuinfo_status_t status;
    int met;
    do {
        met = faults_met();
        status = from ? rcuinfo_dup(from->info, &o->info) : rcuinfo_create(&o->info);
    } while (status == RCUINFO_ERR_NO_MEM && o->info == RCUINFO_NULL && faults_met() > met);
    CHECK_OK(status);
    model_copy(&o->model, from ? &from->model : &(struct model){0});
}

static void check_stale(struct mine *m)
{
    rcuinfo_t info = m->stale[random_below(&m->random, STALE)], copy = info;
    char value[RCUINFO_MAX_VALUE] = "#";
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_view_t view;
    int found = 7;
    CHECK_STATUS(rcuinfo_get(info, "k1", 8, value, &found), RCUINFO_ERR_INFO);
    CHECK(found == 7 && value[0] == '#');
    CHECK_STATUS(rcuinfo_set(info, "k1", "stale"), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_delete(info, "k1"), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_get_nkeys(info, &found), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_view_begin(info, &view), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_free(&copy), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_dup(info, &copy), RCUINFO_ERR_INFO);
}

static void make_update(struct mine *m, struct modelled *o)
{
    static _Thread_local char keys[MOST_CHANGES][RCUINFO_MAX_KEY], values[MOST_CHANGES][RCUINFO_MAX_VALUE];
    rcuinfo_change_t changes[MOST_CHANGES];
    size_t n = random_below(&m->random, MOST_CHANGES + 1);
    for (size_t i = 0; i < n; i++) {
        workload_key(keys[i], random_below(&m->random, KEYS));
        workload_value(values[i], &m->random);
        changes[i] = (rcuinfo_change_t){keys[i], random_below(&m->random, 4) ? values[i] : NULL};
    }
    (void)modelled_update(o, changes, n);
}

static void swap(struct mine *m, struct modelled *o, const char *key, const char *value)
{
    size_t at = model_find(&o->model, key);
    char expected[RCUINFO_MAX_VALUE];
    bool right = at < o->model.count && random_below(&m->random, 4);
    if (right)
        strcpy(expected, o->model.pairs[at].value);
    (void)modelled_compare_and_set(o, key, right ? expected : NULL, random_below(&m->random, 4) ? value : NULL);
}

static void get(const struct modelled *o, const char *key)
{
    size_t at = model_find(&o->model, key);
    CHECK_VALUE(o->info, key, at < o->model.count ? o->model.pairs[at].value : NULL);
}

static void make_call(struct mine *m)
{
    struct modelled *o = &m->objects[random_below(&m->random, OBJECTS)];
    struct modelled *other = &m->objects[random_below(&m->random, OBJECTS)];
    struct kept *kept = &m->kept[random_below(&m->random, KEPT)];
    char key[RCUINFO_MAX_KEY], value[RCUINFO_MAX_VALUE];
    unsigned call = random_below(&m->random, 100);
    workload_key(key, random_below(&m->random, KEYS));
    workload_value(value, &m->random);
    if (faults && random_below(&m->random, 64) == 0)
        faults_fail_at(1 + (int)random_below(&m->random, 3));
    if (o->info == RCUINFO_NULL)
        begin_object(o, NULL);
    else if (call < 30)
        (void)modelled_set(o, key, value);
    else if (call < 40)
        (void)modelled_delete(o, key);
    else if (call < 45)
        make_update(m, o);
    else if (call < 52)
        swap(m, o, key, value);
    else if (call < 75)
        get(o, key);
    else if (call < 78)
        kept_open(kept, o);
    else if (call < 80)
        kept_close(kept);
    else if (call < 83)
        modelled_check(o);
    else if (call < 92)
        end_object(m, o);
    else if (other != o) {
        end_object(m, other);
        begin_object(other, o);
    }
    if (m->freed >= STALE && random_below(&m->random, 16) == 0)
        check_stale(m);
}

static void body(unsigned index, void *argument)
{
    struct mine *m = &((struct mine *)argument)[index];
    *m = (struct mine){.random = {seed * 64 + index}};
    for (unsigned long i = 0; i < calls_each; i++)
        make_call(m);
    for (unsigned i = 0; i < OBJECTS; i++)
        end_object(m, &m->objects[i]);
    for (unsigned i = 0; i < KEPT; i++)
        kept_close(&m->kept[i]);
}

int main(int argc, char **argv)
{
    static const unsigned threads[] = {1, 3, 16};
    static struct mine all[16];
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    for (unsigned i = 0; i < 6; i++) {
        calls_each = CALLS / threads[i / 2] * (getenv("TEST_FULL") ? FULL : 1);
        faults = i % 2;
        printf("seed %llu: %u threads%s\n", (unsigned long long)seed, threads[i / 2], faults ? ", with faults" : "");
        (void)fflush(stdout);
        team_run(threads[i / 2], body, all);
        faults_fail_at(0);
        left_nothing();
        CHECK_EQUAL(left_stats().retired, 0);
    }
    CHECK(faults_met() > 100);
    counts_report("promise.sequences", "calls compared with the model", 6UL * CALLS);
    return 0;
}
