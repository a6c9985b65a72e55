/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pack and unpack: what goes in comes out, in its order, from any alignment; the bytes are those that are written down
 * here, so that the format cannot drift; and where the calls write what.
 */
#include "support/check.h"
#include "support/guard.h"
#include "support/left.h"
#include "support/model.h"
#include "support/objects.h"
#include "support/random.h"

/* host = node 1, striping_factor = (nothing), \x80\xff = \n \t#, a = a value of 256 bytes: packed once, and for ever.
 */
static const unsigned char golden[] = {
#include "golden_v1.inc"
};

static char long_value[257];
static const rcuinfo_change_t golden_pairs[] = {
    {"host", "node 1"}, {"striping_factor", ""}, {"\x80\xff", "\n \t#"}, {"a", long_value}};

static rcuinfo_t golden_info(void)
{
    rcuinfo_t info = object_empty();
    CHECK_OK(rcuinfo_update(info, golden_pairs, 4, NULL));
    return info;
}

/* The packed bytes of an object, in a buffer of just their size. */
static char *pack(rcuinfo_t info, size_t *size)
{
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    *size = rcuinfo_pack_size(snapshot);
    char *bytes = guard_new(*size);
    CHECK_OK(rcuinfo_pack(snapshot, *size, bytes));
    CHECK(guard_intact(bytes, *size, *size));
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
    CHECK_OK(rcuinfo_unpack(copy, size, &info, &fault));
    guard_page_free(copy, size);
    CHECK_TEXT(fault.what, "untouched");
    CHECK_EQUAL(model_differs_from_object(model, info), 0);
    char *again = pack(info, &again_size);
    CHECK_EQUAL(again_size, size);
    CHECK(memcmp(again, bytes, size) == 0);
    guard_free(again);
    CHECK_OK(rcuinfo_free(&info));
}

static void format_is_the_one_written_down(void)
{
    struct modelled info;
    size_t size;
    modelled_create(&info);
    CHECK_OK(modelled_update(&info, golden_pairs, 4));
    char *bytes = pack(info.info, &size);
    CHECK_EQUAL(size, sizeof golden);
    CHECK(memcmp(bytes, golden, size) == 0);
    comes_back((const char *)golden, sizeof golden, &info.model);
    guard_free(bytes);
    modelled_free(&info);
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

static void random_infos_come_back(void)
{
    static const unsigned sizes[] = {0, 1, 2, 5, 31, 33, 60, 100, 300, 1500};
    char key[RCUINFO_MAX_KEY], value[RCUINFO_MAX_VALUE];
    struct random random = {7};
    for (size_t round = 0; round < 10 * sizeof sizes / sizeof sizes[0]; round++) {
        unsigned count = sizes[round / 10];
        struct modelled info;
        size_t size;
        modelled_create(&info);
        for (unsigned i = 0; i < count; i++) {
            random_text(&random, key, 1, RCUINFO_MAX_KEY - 1);
            random_text(&random, value, 0, RCUINFO_MAX_VALUE - 1);
            CHECK_OK(modelled_set(&info, key, value));
        }
        char *bytes = pack(info.info, &size);
        comes_back(bytes, size, &info.model);
        guard_free(bytes);
        modelled_free(&info);
    }
}

/* A snapshot keeps its version: that is what is packed, whatever is written meanwhile, and after the object is gone. */
static void packs_the_version_that_was_opened(void)
{
    rcuinfo_t info = golden_info();
    char bytes[sizeof golden];
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    CHECK_OK(rcuinfo_delete(info, "host"));
    CHECK_OK(rcuinfo_free(&info));
    CHECK_EQUAL(rcuinfo_pack_size(snapshot), sizeof golden);
    CHECK_OK(rcuinfo_pack(snapshot, sizeof bytes, bytes));
    CHECK(memcmp(bytes, golden, sizeof golden) == 0);
    rcuinfo_snapshot_close(snapshot);
}

static void any_alignment(void)
{
    rcuinfo_t info = golden_info();
    char buffer[sizeof golden + 16];
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    for (size_t shift = 0; shift < 16; shift++) {
        rcuinfo_t back;
        CHECK_OK(rcuinfo_pack(snapshot, sizeof buffer - shift, buffer + shift));
        CHECK(memcmp(buffer + shift, golden, sizeof golden) == 0);
        CHECK_OK(rcuinfo_unpack(buffer + shift, sizeof golden, &back, NULL));
        CHECK_OK(rcuinfo_free(&back));
    }
    rcuinfo_snapshot_close(snapshot);
    CHECK_OK(rcuinfo_free(&info));
}

static void arguments(void)
{
    rcuinfo_t info = golden_info(), out = 77;
    rcuinfo_fault_t fault = {.what = "untouched"};
    char *buffer = guard_new(sizeof golden + 1);
    CHECK_EQUAL(rcuinfo_pack_size(NULL), 0);
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    CHECK_STATUS(rcuinfo_pack(NULL, sizeof golden, buffer), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_pack(snapshot, sizeof golden, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_pack(snapshot, sizeof golden - 1, buffer), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_pack(snapshot, 0, buffer), RCUINFO_ERR_ARG);
    CHECK(guard_intact(buffer, sizeof golden + 1, 0));
    CHECK_OK(rcuinfo_pack(snapshot, sizeof golden + 1, buffer));
    CHECK(guard_intact(buffer, sizeof golden + 1, sizeof golden));
    CHECK_STATUS(rcuinfo_unpack(NULL, sizeof golden, &out, &fault), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_unpack(buffer, sizeof golden, NULL, &fault), RCUINFO_ERR_ARG);
    CHECK_EQUAL(out, 77);
    CHECK_TEXT(fault.what, "untouched");
    CHECK_STATUS(rcuinfo_unpack(buffer, sizeof golden + 1, &out, NULL), RCUINFO_ERR_FORMAT);
    CHECK_EQUAL(out, RCUINFO_NULL);
    rcuinfo_snapshot_close(snapshot);
    guard_free(buffer);
    CHECK_OK(rcuinfo_free(&info));
}

/* What is unpacked, or loaded, is an object like any other. Making it counts as no set: the program has made none. */
static void result_is_an_object(void)
{
    static char text[] = "key value\nhost here\n";
    rcuinfo_t info[2];
    FILE *file = fmemopen(text, sizeof text - 1, "r");
    CHECK(file);
    rcuinfo_stats_t before = left_stats();
    CHECK_OK(rcuinfo_unpack(golden, sizeof golden, &info[0], NULL));
    CHECK_OK(rcuinfo_load(file, &info[1], NULL));
    rcuinfo_stats_t after = left_stats();
    CHECK_EQUAL(after.live, before.live + 2);
    CHECK_EQUAL(after.sets, before.sets);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(rcuinfo_set(info[i], "host", "other"));
        CHECK_VALUE(info[i], "host", "other");
        CHECK_OK(rcuinfo_free(&info[i]));
    }
    rcuinfo_store_stats(&after);
    CHECK_EQUAL(after.sets, before.sets + 2); /* with RCUINFO_STATS they are counted */
    (void)fclose(file);
}

int main(void)
{
    memset(long_value, 'v', sizeof long_value - 1);
    format_is_the_one_written_down();
    random_infos_come_back();
    packs_the_version_that_was_opened();
    any_alignment();
    arguments();
    result_is_an_object();
    return 0;
}
