/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pack and unpack: what goes in comes out, in its order, from any alignment; the bytes are those that are written down
 * here, so that the format cannot drift; and where the calls write what.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "support/guard.h"
#include "support/model.h"
#include "support/random.h"

/* host = node 1, striping_factor = (nothing), \x80\xff = \n \t#, a = a value of 256 bytes: packed once, and for ever.
 */
static const unsigned char golden[] = {
#include "golden_v1.inc"
};

static char long_value[257];

static rcuinfo_t golden_info(void)
{
    const rcuinfo_change_t pairs[] = {
        {"host", "node 1"}, {"striping_factor", ""}, {"\x80\xff", "\n \t#"}, {"a", long_value}};
    rcuinfo_t info;
    memset(long_value, 'v', sizeof long_value - 1);
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_update(info, pairs, 4, NULL), RCUINFO_SUCCESS);
    return info;
}

/* The packed bytes of an object, in a buffer of just their size. */
static char *pack(rcuinfo_t info, size_t *size)
{
    const rcuinfo_snapshot_t *snapshot;
    assert_int_equal(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_SUCCESS);
    *size = rcuinfo_pack_size(snapshot);
    char *bytes = guard_new(*size);
    assert_int_equal(rcuinfo_pack(snapshot, bytes, *size), RCUINFO_SUCCESS);
    assert_true(guard_intact(bytes, *size, *size));
    rcuinfo_snapshot_close(snapshot);
    return bytes;
}

/* Unpacks from where the memory ends, and packs again. What is unpacked is of version 1, or 0 when it is empty. */
static void comes_back(const char *bytes, size_t size, struct model *model)
{
    model->version = model->count > 0;
    char *copy = guard_page_copy(bytes, size);
    rcuinfo_fault_t fault = {.what = "untouched"};
    size_t again_size;
    rcuinfo_t info = RCUINFO_NULL;
    assert_int_equal(rcuinfo_unpack(copy, size, &info, &fault), RCUINFO_SUCCESS);
    guard_page_free(copy, size);
    assert_string_equal(fault.what, "untouched");
    assert_int_equal(model_differs_from_object(model, info), 0);
    char *again = pack(info, &again_size);
    assert_int_equal(again_size, size);
    assert_memory_equal(again, bytes, size);
    guard_free(again);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

static void format_is_the_one_written_down(void **state)
{
    rcuinfo_t info = golden_info();
    struct model model;
    size_t size;
    char *bytes = pack(info, &size);
    (void)state;
    assert_int_equal(size, sizeof golden);
    assert_memory_equal(bytes, golden, size);
    model_init(&model);
    assert_int_equal(model_set(&model, "host", "node 1"), RCUINFO_SUCCESS);
    assert_int_equal(model_set(&model, "striping_factor", ""), RCUINFO_SUCCESS);
    assert_int_equal(model_set(&model, "\x80\xff", "\n \t#"), RCUINFO_SUCCESS);
    assert_int_equal(model_set(&model, "a", long_value), RCUINFO_SUCCESS);
    comes_back((const char *)golden, sizeof golden, &model);
    model_clear(&model);
    guard_free(bytes);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

/* A key or a value of a length at a limit now and then, of any bytes but 0. */
static void random_text(struct random *r, char *text, unsigned least, unsigned most)
{
    unsigned length = least + random_below(r, random_below(r, 8) ? 12 : most - least + 1);
    if (!random_below(r, 32))
        length = random_below(r, 2) ? least : most;
    for (unsigned i = 0; i < length; i++)
        text[i] = (char)(1 + random_below(r, random_below(r, 2) ? 255 : 4));
    text[length] = '\0';
}

static void random_infos_come_back(void **state)
{
    static const unsigned sizes[] = {0, 1, 2, 5, 31, 33, 60, 100, 300, 1500};
    char key[RCUINFO_MAX_KEY], value[RCUINFO_MAX_VALUE];
    struct random random = {7};
    (void)state;
    for (size_t round = 0; round < 10 * sizeof sizes / sizeof sizes[0]; round++) {
        unsigned count = sizes[round / 10];
        rcuinfo_t info;
        struct model model;
        size_t size;
        model_init(&model);
        assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
        for (unsigned i = 0; i < count; i++) {
            random_text(&random, key, 1, RCUINFO_MAX_KEY - 1);
            random_text(&random, value, 0, RCUINFO_MAX_VALUE - 1);
            assert_int_equal(rcuinfo_set(info, key, value), RCUINFO_SUCCESS);
            assert_int_equal(model_set(&model, key, value), RCUINFO_SUCCESS);
        }
        char *bytes = pack(info, &size);
        comes_back(bytes, size, &model);
        guard_free(bytes);
        model_clear(&model);
        assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    }
}

/* A snapshot keeps its version: that is what is packed, whatever is written meanwhile, and after the object is gone. */
static void packs_the_version_that_was_opened(void **state)
{
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_t info = golden_info();
    char bytes[sizeof golden];
    (void)state;
    assert_int_equal(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_delete(info, "host"), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_pack_size(snapshot), sizeof golden);
    assert_int_equal(rcuinfo_pack(snapshot, bytes, sizeof bytes), RCUINFO_SUCCESS);
    assert_memory_equal(bytes, golden, sizeof golden);
    rcuinfo_snapshot_close(snapshot);
}

static void any_alignment(void **state)
{
    rcuinfo_t info = golden_info();
    const rcuinfo_snapshot_t *snapshot;
    char buffer[sizeof golden + 16];
    (void)state;
    assert_int_equal(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_SUCCESS);
    for (size_t shift = 0; shift < 16; shift++) {
        rcuinfo_t back;
        assert_int_equal(rcuinfo_pack(snapshot, buffer + shift, sizeof buffer - shift), RCUINFO_SUCCESS);
        assert_memory_equal(buffer + shift, golden, sizeof golden);
        assert_int_equal(rcuinfo_unpack(buffer + shift, sizeof golden, &back, NULL), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_free(&back), RCUINFO_SUCCESS);
    }
    rcuinfo_snapshot_close(snapshot);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

static void arguments(void **state)
{
    rcuinfo_t info = golden_info(), out = 77;
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_fault_t fault = {.what = "untouched"};
    char *buffer = guard_new(sizeof golden + 1);
    (void)state;
    assert_int_equal(rcuinfo_pack_size(NULL), 0);
    assert_int_equal(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_pack(NULL, buffer, sizeof golden), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_pack(snapshot, NULL, sizeof golden), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_pack(snapshot, buffer, sizeof golden - 1), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_pack(snapshot, buffer, 0), RCUINFO_ERR_ARG);
    assert_true(guard_intact(buffer, sizeof golden + 1, 0));
    assert_int_equal(rcuinfo_pack(snapshot, buffer, sizeof golden + 1), RCUINFO_SUCCESS);
    assert_true(guard_intact(buffer, sizeof golden + 1, sizeof golden));
    assert_int_equal(rcuinfo_unpack(NULL, sizeof golden, &out, &fault), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_unpack(buffer, sizeof golden, NULL, &fault), RCUINFO_ERR_ARG);
    assert_int_equal(out, 77);
    assert_string_equal(fault.what, "untouched");
    assert_int_equal(rcuinfo_unpack(buffer, sizeof golden + 1, &out, NULL), RCUINFO_ERR_FORMAT);
    assert_int_equal(out, RCUINFO_NULL);
    rcuinfo_snapshot_close(snapshot);
    guard_free(buffer);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

/* What is unpacked, or loaded, is an object like any other. Making it counts as no set: the program has made none. */
static void result_is_an_object(void **state)
{
    static char text[] = "key value\nhost here\n";
    rcuinfo_stats_t before, after;
    rcuinfo_t info[2];
    FILE *file = fmemopen(text, sizeof text - 1, "r");
    (void)state;
    assert_non_null(file);
    rcuinfo_store_stats(&before);
    assert_int_equal(rcuinfo_unpack(golden, sizeof golden, &info[0], NULL), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_load(file, &info[1], NULL), RCUINFO_SUCCESS);
    rcuinfo_store_stats(&after);
    assert_int_equal(after.live, before.live + 2);
    assert_int_equal(after.sets, before.sets);
    for (int i = 0; i < 2; i++) {
        int flag = 0;
        char value[16];
        assert_int_equal(rcuinfo_set(info[i], "host", "other"), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_get(info[i], "host", 15, value, &flag), RCUINFO_SUCCESS);
        assert_string_equal(value, "other");
        assert_int_equal(rcuinfo_free(&info[i]), RCUINFO_SUCCESS);
    }
    rcuinfo_store_stats(&after);
    assert_int_equal(after.sets, before.sets + 2); /* with RCUINFO_STATS they are counted */
    (void)fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(format_is_the_one_written_down),
        cmocka_unit_test(random_infos_come_back),
        cmocka_unit_test(packs_the_version_that_was_opened),
        cmocka_unit_test(any_alignment),
        cmocka_unit_test(arguments),
        cmocka_unit_test(result_is_an_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
