/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Building an object from pairs before it is published: any number of pairs, any number of growth steps, repeated keys,
 * copies of another version, abandoned builds, and a failure of each allocation in turn. White box: uses the interface
 * for the layers above the core, and the library's allocator.
 */
#include "core/build.h"
#include "core/object.h"
#include "core/reclaim.h"
#include "support/inside.h"
#include "support/left.h"
#include "support/model.h"
#include "support/nomem.h"
#include "support/random.h"
#include "support/test.h"
#include "support/workload.h"

static struct random rng = {1};

static rcuinfo_status_t set(struct rcuinfo__build *build, const char *key, const char *value)
{
    return rcuinfo__build_set(build, key, value, RCUINFO__NATIVE_LIMITS);
}

static unsigned failed; /* sets that ran out of memory at first */

/* Sets key number `key` to a random value in the build and in the model. A set that runs out of memory has no effect
 * and can be repeated. */
static void set_one(struct rcuinfo__build *build, struct model *model, unsigned key)
{
    char text[RCUINFO_MAX_KEY], value[RCUINFO_MAX_VALUE];
    rcuinfo_status_t status;
    workload_key(text, key);
    workload_value(value, &rng);
    rcuinfo__reclaim_trim(); /* with empty pools, growing the build must allocate */
    if (NOMEM_AT(1, status = set(build, text, value))) {
        CHECK_STATUS(status, RCUINFO_ERR_NO_MEM);
        CHECK_EQUAL(rcuinfo__build_count(build), model->count);
        status = set(build, text, value);
        failed++;
    }
    CHECK_OK(status);
    CHECK_OK(model_set(model, text, value));
    CHECK_EQUAL(rcuinfo__build_count(build), model->count);
}

/* Ends the build. The object must have the model's pairs, be at version 1 (0 if empty), and work like any other. */
static void check_object(struct rcuinfo__build *build, struct model *model)
{
    struct modelled m = {.model = *model};
    struct kept kept = {0};
    m.model.version = model->count > 0;
    CHECK_OK(rcuinfo__build_object(build, &m.info));
    check_log(m.info);
    kept_open(&kept, &m);
    CHECK_OK(modelled_set(&m, "another", "key"));
    modelled_check(&m);
    kept_close(&kept);
    modelled_free(&m);
}

/* Builds an object with `sets` sets of at most `keys` keys, and announces `known` pairs. A repeated key keeps its
 * position and gets the new value, whatever its length. */
static void build_of(unsigned sets, unsigned keys, unsigned known)
{
    struct rcuinfo__build build;
    struct model model;
    model_init(&model);
    rcuinfo__build_begin(&build, known, 0);
    for (unsigned i = 0; i < sets; i++)
        set_one(&build, &model, sets > keys ? random_below(&rng, keys) : i);
    check_object(&build, &model);
}

TEST(pairs_of_any_number)
{
    for (unsigned n = 0; n < 4000; n += 1 + n / 8) {
        failed = 0;
        build_of(n, n, 0);
        CHECK_RANGE(failed, n / 300, 50); /* it grows by about half each time */
        build_of(n, n, n);
    }
    for (unsigned keys = 1; keys < 300; keys += 1 + keys / 2)
        build_of(10 * keys, keys, keys);
}

/* If the expected pairs and bytes are right, a build allocates only one block. */
TEST(exact_expectations_allocate_one_block)
{
    for (size_t n = 1; n < 3000; n += 1 + n / 4) {
        struct rcuinfo__build build;
        rcuinfo_t info;
        char key[16];
        CHECK_EQUAL(rcuinfo_store_drain(), 0);
        nomem_arm(2);
        rcuinfo__build_begin(&build, n, n * sizeof "key1234\0value");
        for (size_t i = 0; i < n; i++) {
            (void)snprintf(key, sizeof key, "key%04zu", i);
            CHECK_OK(set(&build, key, "value"));
        }
        CHECK_OK(rcuinfo__build_object(&build, &info));
        CHECK(!nomem_disarm());
        CHECK_OK(rcuinfo_free(&info));
    }
}

/* An invalid pair is refused and changes nothing; the build can go on. */
TEST(invalid_pairs_are_refused)
{
    const struct rcuinfo__limits narrow = {8, 4, RCUINFO__NATIVE_BITS};
    struct rcuinfo__build build;
    struct model model;
    model_init(&model);
    rcuinfo__build_begin(&build, 0, 0);
    for (int round = 0; round < 2; round++) {
        CHECK_STATUS(set(&build, NULL, "x"), RCUINFO_ERR_KEY);
        CHECK_STATUS(set(&build, "", "x"), RCUINFO_ERR_KEY);
        CHECK_STATUS(set(&build, "a", NULL), RCUINFO_ERR_VALUE);
        CHECK_STATUS(rcuinfo__build_set(&build, "12345678", "x", narrow), RCUINFO_ERR_KEY);
        CHECK_STATUS(rcuinfo__build_set(&build, "a", "1234", narrow), RCUINFO_ERR_VALUE);
        CHECK_EQUAL(rcuinfo__build_count(&build), model.count);
        CHECK_OK(rcuinfo__build_set(&build, "1234567", "123", narrow));
        CHECK_OK(model_set(&model, "1234567", "123"));
    }
    check_object(&build, &model);
}

/* Copies a version with deleted pairs and with values that were longer before. The version itself does not change. */
TEST(out_of_another_version)
{
    for (unsigned n = 1; n < 200; n += 1 + n / 3) {
        struct rcuinfo__build build;
        struct modelled m;
        struct model more;
        struct kept kept = {0};
        char key[RCUINFO_MAX_KEY];
        rcuinfo_status_t status;
        modelled_create(&m);
        for (unsigned i = 0; i < 3 * n; i++) {
            workload_key(key, i % n);
            (void)(i % 4 ? modelled_set(&m, key, i < n ? "longer" : "") : modelled_delete(&m, key));
        }
        kept_open(&kept, &m);
        const struct rcuinfo__entry *from = rcuinfo__object_opened(kept.snapshot);
        rcuinfo__reclaim_trim();
        CHECK(NOMEM_AT(1, status = rcuinfo__build_from(&build, from, n % 2, 0)) && status == RCUINFO_ERR_NO_MEM);
        CHECK_OK(rcuinfo__build_from(&build, from, n % 2, 0));
        model_copy(&more, &m.model);
        for (unsigned i = 0; i < n; i++)
            set_one(&build, &more, n / 2 + i);

        const struct rcuinfo__entry *made = rcuinfo__build_finish(&build, 5);
        CHECK_EQUAL(rcuinfo__log_version(made), 5);
        CHECK_EQUAL(made->pairs, more.count);
        rcuinfo__object_release(made);
        model_clear(&more);

        CHECK_OK(rcuinfo__build_from(&build, from, 0, 0));
        CHECK_OK(set(&build, "another", "key"));
        rcuinfo__build_drop(&build);
        CHECK_EQUAL(rcuinfo__build_count(&build), 0);

        CHECK_OK(rcuinfo__build_from(&build, from, 0, 0));
        model_copy(&more, &m.model);
        check_object(&build, &more);
        kept_close(&kept);
        modelled_free(&m);
    }
    left_nothing();
}

TEST_MAIN()
