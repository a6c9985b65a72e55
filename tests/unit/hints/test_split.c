/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views: the recognized pairs and the rest, each in the order of the info; objects of their own;
 * and both or none where memory is short. White box: linked with the objects of the library, whose allocator can be
 * told to fail.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/counts.h"
#include "support/nomem.h"

/* Keys "even_0", "odd_1", "even_2", ...: those of the schema are every third even one. */
enum { LARGE = 3000, MEDIUM = 900 };

static char keys[LARGE][16];
static rcuinfo_schema_t *schema;

static int is_recognized(int i)
{
    return i % 6 == 0;
}

static void make_schema(void)
{
    static rcuinfo_hint_t rows[LARGE];
    size_t n = 0;
    for (int i = 0; i < LARGE; i++) {
        (void)snprintf(keys[i], sizeof *keys, "%s_%d", i % 2 ? "odd" : "even", i);
        if (is_recognized(i))
            rows[n++] = (rcuinfo_hint_t){.key = keys[i], .type = RCUINFO_HINT_BOOL};
    }
    CHECK_OK(rcuinfo_schema_create(NULL, rows, n, &schema, NULL));
}

/* The first n keys; the value is the key's number, which is of no recognized key's type. */
static rcuinfo_t make_info(int n)
{
    static rcuinfo_change_t changes[LARGE];
    static char values[LARGE][16];
    rcuinfo_t info;
    for (int i = 0; i < n; i++) {
        (void)snprintf(values[i], sizeof *values, "%d", i);
        changes[i] = (rcuinfo_change_t){.key = keys[i], .value = values[i]};
    }
    CHECK_OK(rcuinfo_create(&info));
    CHECK_OK(rcuinfo_update(info, changes, (size_t)n, NULL));
    return info;
}

/* The object must have the pairs of the first n that are recognized, or that are not, and is freed. */
static void check_view(rcuinfo_t view, int n, int recognized)
{
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_pair_t pair;
    char value[16];
    size_t at = 0;
    CHECK_OK(rcuinfo_snapshot_open(view, &snapshot));
    for (int i = 0; i < n; i++) {
        if (is_recognized(i) != recognized)
            continue;
        (void)snprintf(value, sizeof value, "%d", i);
        CHECK_OK(rcuinfo_snapshot_nth(snapshot, at++, &pair));
        CHECK_TEXT(pair.key, keys[i]);
        CHECK_TEXT(pair.value, value);
    }
    CHECK_EQUAL(rcuinfo_snapshot_count(snapshot), at);
    rcuinfo_snapshot_close(snapshot);
    CHECK_OK(rcuinfo_set(view, "another", "key"));
    CHECK_OK(rcuinfo_free(&view));
}

static rcuinfo_stats_t stats(void)
{
    rcuinfo_stats_t now;
    rcuinfo_store_stats(&now);
    return now;
}

static void check_split(int n)
{
    rcuinfo_t info = make_info(n), recognized, rest;
    int nkeys = 0;
    uint64_t live = stats().live, sets = stats().sets;
    CHECK(sets > 0 || n == 0); /* the test runs with counting on */
    CHECK_OK(rcuinfo_schema_split(schema, info, &recognized, &rest));
    CHECK_EQUAL(stats().live, live + 2);
    CHECK_EQUAL(stats().sets, sets);
    check_view(recognized, n, 1);
    check_view(rest, n, 0);
    CHECK_OK(rcuinfo_schema_split(schema, info, &recognized, NULL));
    check_view(recognized, n, 1);
    CHECK_OK(rcuinfo_schema_split(schema, info, NULL, &rest));
    check_view(rest, n, 0);
    CHECK_EQUAL(stats().live, live);
    CHECK_OK(rcuinfo_get_nkeys(info, &nkeys));
    CHECK_EQUAL(nkeys, n);
    CHECK_OK(rcuinfo_free(&info));
}

static void every_size(void)
{
    for (int n = 0; n < 70; n++)
        check_split(n);
    check_split(LARGE);
}

/* Nothing of the info is recognized, or everything is. */
static void one_sided(void)
{
    rcuinfo_schema_t *none = NULL;
    rcuinfo_t info, recognized, rest;
    CHECK_OK(rcuinfo_schema_create(NULL, NULL, 0, &none, NULL));
    CHECK_OK(rcuinfo_create(&info));
    CHECK_OK(rcuinfo_set(info, keys[0], "v"));
    for (int all = 0; all <= 1; all++) {
        int known = -1, other = -1;
        CHECK_OK(rcuinfo_schema_split(all ? schema : none, info, &recognized, &rest));
        CHECK_OK(rcuinfo_get_nkeys(recognized, &known));
        CHECK_OK(rcuinfo_get_nkeys(rest, &other));
        CHECK(known == all && other == !all);
        CHECK_OK(rcuinfo_free(&recognized));
        CHECK_OK(rcuinfo_free(&rest));
    }
    CHECK_OK(rcuinfo_free(&info));
    rcuinfo_schema_free(&none);
}

static void arguments(void)
{
    rcuinfo_t info = make_info(3), stale = info, recognized = 77, rest = 77;
    CHECK_STATUS(rcuinfo_schema_split(NULL, info, &recognized, &rest), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_schema_split(schema, info, NULL, NULL), RCUINFO_ERR_ARG);
    CHECK(recognized == 77 && rest == 77);
    CHECK_OK(rcuinfo_free(&info));
    CHECK_STATUS(rcuinfo_schema_split(schema, stale, &recognized, &rest), RCUINFO_ERR_INFO);
    CHECK(recognized == RCUINFO_NULL && rest == RCUINFO_NULL);
    rest = 77;
    CHECK_STATUS(rcuinfo_schema_split(schema, RCUINFO_NULL, NULL, &rest), RCUINFO_ERR_INFO);
    CHECK(rest == RCUINFO_NULL);
}

/* Each allocation fails in turn: both views come, or none. A block for each view that is not empty, and a larger one
 * whenever it is full. */
static void no_memory(void)
{
    for (int pairs = 0; pairs <= MEDIUM; pairs += 1 + pairs / 8) {
        rcuinfo_t info = make_info(pairs);
        for (nomem_start(); nomem_next();) {
            rcuinfo_t recognized = 77, rest = 77;
            rcuinfo_status_t status;
            CHECK(rcuinfo_store_drain() == 0);
            uint64_t live = stats().live;
            if (NOMEM(status = rcuinfo_schema_split(schema, info, &recognized, &rest))) {
                CHECK_STATUS(status, RCUINFO_ERR_NO_MEM);
                CHECK(recognized == RCUINFO_NULL && rest == RCUINFO_NULL);
                CHECK_EQUAL(stats().live, live);
            } else {
                CHECK_OK(status);
                check_view(recognized, pairs, 1);
                check_view(rest, pairs, 0);
            }
        }
        CHECK(nomem.count >= (pairs > 0) + (pairs > 1));
        CHECK_OK(rcuinfo_free(&info));
    }
    CHECK(nomem.count > 10);
    CHECK(rcuinfo_store_drain() == 0);
}

int main(void)
{
    make_schema();
    every_size();
    one_sided();
    arguments();
    no_memory();
    rcuinfo_schema_free(&schema);
    counts_report("hints.split", "allocation points failed", (unsigned long)faults_met());
    return 0;
}
