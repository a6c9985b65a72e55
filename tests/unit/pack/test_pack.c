/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pack and unpack. The bytes are spelled out here, so that the format cannot change. Tests any alignment, the outputs
 * of the calls, the fault and offset for each kind of damage, and that nothing after the bytes is read, no object
 * leaks, and no more memory is requested than the bytes justify. For unpack and load: the resulting objects, and a
 * failure of each allocation in turn. White box: linked with the objects of the library, whose allocator can be made to
 * fail.
 */
#include "pack/packed.h"
#include "stress/workload.h"
#include "support/counts.h"
#include "support/guard.h"
#include "support/inside.h"
#include "support/left.h"
#include "support/model.h"
#include "support/nomem.h"
#include "support/objects.h"
#include "support/test.h"

#define V64 "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"

/* A packed info in version 1 of the format, written by another program from the description in lib/pack/pack.c: host =
 * node 1, striping_factor = (empty), \x80\xff = \n \t#, a = a value of 256 bytes, whose NUL is that of the literal.
 * Never change it: such bytes exist outside. */
static const unsigned char golden[] = "RCUI\1\0\0\0"
                                      "\xdd\x82\xe1\xa7\x66\x30\x2e\xba"
                                      "\x54\1\0\0\0\0\0\0"
                                      "\4\0\0\0"
                                      "\4\0\6\0host\0node 1\0"
                                      "\17\0\0\0striping_factor\0\0"
                                      "\2\0\4\0\x80\xff\0\n \t#\0"
                                      "\1\0\0\1a\0" V64 V64 V64 V64;

static const rcuinfo_change_t golden_pairs[] = {
    {"host", "node 1"}, {"striping_factor", ""}, {"\x80\xff", "\n \t#"}, {"a", V64 V64 V64 V64}};

/* The version of a snapshot is packed, whatever is written meanwhile, and after the object is freed. */
TEST(format_is_the_one_written_down)
{
    char buffer[sizeof golden + 16];
    struct modelled info;
    modelled_create(&info);
    CHECK_OK(modelled_update(&info, golden_pairs, 4));
    const rcuinfo_snapshot_t *snapshot = object_open(info.info);
    CHECK_OK(rcuinfo_delete(info.info, "host"));
    object_free(info.info);
    CHECK_EQUAL(rcuinfo_pack_size(snapshot), sizeof golden);
    for (size_t shift = 0; shift < 16; shift++) {
        CHECK_OK(rcuinfo_pack(snapshot, buffer + shift, sizeof buffer - shift));
        CHECK(memcmp(buffer + shift, golden, sizeof golden) == 0);
        CHECK_OK(rcuinfo_unpack(buffer + shift, sizeof golden, &info.info, NULL));
        CHECK_EQUAL(model_differs_from_object(&info.model, info.info), 0);
        object_free(info.info);
    }
    rcuinfo_snapshot_close(snapshot);
    model_clear(&info.model);
}

TEST(arguments)
{
    rcuinfo_t out = 77, info = object_empty();
    rcuinfo_fault_t fault = {.what = "untouched"};
    char *buffer = guard_new(sizeof golden + 1);
    CHECK_OK(rcuinfo_update(info, golden_pairs, 4, NULL));
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    CHECK_EQUAL(rcuinfo_pack_size(NULL), 0);
    CHECK_STATUS(rcuinfo_pack(NULL, buffer, sizeof golden), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_pack(snapshot, NULL, sizeof golden), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_pack(snapshot, buffer, sizeof golden - 1), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_pack(snapshot, buffer, 0), RCUINFO_ERR_ARG);
    CHECK(guard_intact(buffer, sizeof golden + 1, 0));
    CHECK_OK(rcuinfo_pack(snapshot, buffer, sizeof golden + 1));
    CHECK(guard_intact(buffer, sizeof golden + 1, sizeof golden));
    CHECK_STATUS(rcuinfo_unpack(NULL, sizeof golden, &out, &fault), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_unpack(buffer, sizeof golden, NULL, &fault), RCUINFO_ERR_ARG);
    CHECK_EQUAL(out, 77);
    CHECK_TEXT(fault.what, "untouched");
    CHECK_STATUS(rcuinfo_unpack(buffer, sizeof golden + 1, &out, NULL), RCUINFO_ERR_FORMAT);
    CHECK_EQUAL(out, RCUINFO_NULL);
    rcuinfo_snapshot_close(snapshot);
    guard_free(buffer);
    object_free(info);
}

/* An unpacked or loaded object is like any other. Creating it does not count as sets: the program has called none. */
TEST(result_is_an_object)
{
    static char text[] = "key value\nhost here\n";
    rcuinfo_t info[2];
    FILE *file = fmemopen(text, sizeof text - 1, "r");
    CHECK(file);
    rcuinfo_stats_t before = left_stats();
    CHECK_OK(rcuinfo_unpack(golden, sizeof golden, &info[0], NULL));
    CHECK_OK(rcuinfo_load(file, &info[1], NULL));
    CHECK_EQUAL(left_live(), before.live + 2);
    CHECK_EQUAL(left_stats().sets, before.sets);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(rcuinfo_set(info[i], "host", "other"));
        CHECK_VALUE(info[i], "host", "other");
        object_free(info[i]);
    }
    CHECK_EQUAL(left_stats().sets, before.sets + 2); /* counted, because of RCUINFO_STATS */
    (void)fclose(file);
}

/* Damaged bytes, which end where the memory ends. */
static void check_fault(const void *bytes, size_t size, const char *what, size_t offset)
{
    rcuinfo_fault_t fault = {.what = NULL, .line = 1, .offset = SIZE_MAX};
    rcuinfo_t info = 77;
    uint64_t live = left_live();
    char *copy = guard_page_copy(bytes, size);
    asked_bytes = 0;
    CHECK_STATUS(rcuinfo_unpack(copy, size, &info, &fault), RCUINFO_ERR_FORMAT);
    CHECK(asked_bytes <= ASKED_MOST(size));
    guard_page_free(copy, size);
    CHECK_EQUAL(info, RCUINFO_NULL);
    CHECK_EQUAL(left_live(), live);
    CHECKF(strcmp(fault.what, what) == 0 && fault.line == 0 && fault.offset == offset, "%s at %zu, not %s at %zu",
           fault.what, fault.offset, what, offset);
}

static const char few[] = "the header has more pairs than the bytes can hold",
                  cut[] = "the bytes end before the last pair does", twice[] = "a duplicate key",
                  other_size[] = "the size in the header is not the number of bytes";

#define BYTES(text) (text), sizeof(text) - 1

/* The bytes after a header that gives a number of pairs, and the offset of the fault from the first pair. */
static const struct {
    const char *bytes;
    size_t size;
    uint32_t pairs;
    const char *what;
    int offset;
} bad_pairs[] = {
    {BYTES("\1\0\1\0k\0v\0"), 2, few, PACKED_PAIRS - PACKED_HEADER},
    {BYTES("\1\0\1\0k\0v\0"), 0xffff0001, few, PACKED_PAIRS - PACKED_HEADER},
    {BYTES(""), 1, few, PACKED_PAIRS - PACKED_HEADER},
    {BYTES("\1\0\1\0k\0v\0"), 0, "bytes follow the last pair", 0},
    {BYTES("\1\0\1\0k\0v\0\0"), 1, "bytes follow the last pair", 8},
    {BYTES("\0\0\1\0\0vv\0"), 1, "a key is empty", 0},
    {BYTES("\1\0\1\0k\0v\0\0\0\1\0\0\0v\0"), 2, "a key is empty", 8},
    {BYTES("\0\1\0\0k\0v\0"), 1, "a key is longer than 255 bytes", 0},
    {BYTES("\1\x80\1\0k\0v\0"), 1, "a key is longer than 255 bytes", 0},
    {BYTES("\1\0\0\4k\0v\0"), 1, "a value is longer than 1,023 bytes", 2},
    {BYTES("\1\0\1\x80k\0v\0"), 1, "a value is longer than 1,023 bytes", 2},
    {BYTES("\1\0\2\0k\0v\0"), 1, cut, 0},
    {BYTES("\1\0\7\0k\0vvvvvvv\0\1\0\0"), 2, cut, 14},
    {BYTES("\1\0\6\0k\0vvvvvv\0\1\0\0\0k"), 2, cut, 13},
    {BYTES("\3\0\1\0k\0k\0v\0"), 1, "a NUL byte in a key", 5},
    {BYTES("\1\0\3\0k\0\0vv\0"), 1, "a NUL byte in a value", 6},
    {BYTES("\1\0\1\0kkv\0"), 1, "no NUL byte after a key", 5},
    {BYTES("\1\0\1\0k\0vv"), 1, "no NUL byte after a value", 7},
    {BYTES("\1\0\1\0k\0v\0\1\0\1\0k\0w\0"), 2, twice, 8},
    {BYTES("\1\0\0\0a\0\0\1\0\0\0b\0\0\1\0\0\0c\0\0\1\0\0\0b\0\0\1\0\0\0d\0\0\1\0\0\0a\0\0"), 6, twice, 21},
};

/* Bytes of a header without pairs, changed one after the other. Those that are checked first are changed last. */
static const struct {
    size_t at;
    char to;
    const char *what;
    size_t offset;
} bad_headers[] = {
    {PACKED_SUM, 'x', "the checksum is wrong: the bytes are damaged", 8},
    {PACKED_TOTAL, 1, other_size, PACKED_TOTAL},
    {7, 1, "the two bytes after the version are not 0", 6},
    /* An unknown version is reported first, whatever else is wrong. */
    {5, 1, "the format has a version that this release does not know", 4},
    {3, 'i', "the bytes do not begin with RCUI: not a packed info", 0},
};

TEST(each_fault_has_its_sentence_and_place)
{
    char bytes[PACKED_HEADER + 64];
    for (size_t n = 0; n < sizeof bad_pairs / sizeof *bad_pairs; n++) {
        size_t size = PACKED_HEADER + bad_pairs[n].size;
        memcpy(bytes + PACKED_HEADER, bad_pairs[n].bytes, bad_pairs[n].size);
        packed_head(bytes, size, bad_pairs[n].pairs);
        check_fault(bytes, size, bad_pairs[n].what, (size_t)(PACKED_HEADER + bad_pairs[n].offset));
    }
    packed_head(bytes, PACKED_HEADER, 0);
    for (size_t n = 0; n < sizeof bad_headers / sizeof *bad_headers; n++) {
        bytes[bad_headers[n].at] = bad_headers[n].to;
        check_fault(bytes, PACKED_HEADER, bad_headers[n].what, bad_headers[n].offset);
    }
}

/* Too short by any number of bytes, too long, or with one byte changed. */
TEST(any_damage_is_noticed)
{
    char bytes[sizeof golden + 1] = "";
    memcpy(bytes, golden, sizeof golden);
    for (size_t size = 0; size <= sizeof bytes; size++) {
        if (size < PACKED_HEADER)
            check_fault(bytes, size, "the bytes end before the header does", size);
        else if (size != sizeof golden)
            check_fault(bytes, size, other_size, PACKED_TOTAL);
    }
    for (size_t at = 0; at < sizeof golden; at++) {
        for (int bit = 1; bit < 256; bit *= 2) {
            rcuinfo_t info = 77;
            bytes[at] = (char)(bytes[at] ^ bit);
            CHECK_STATUS(rcuinfo_unpack(bytes, sizeof golden, &info, NULL), RCUINFO_ERR_FORMAT);
            CHECK_EQUAL(info, RCUINFO_NULL);
            bytes[at] = (char)(bytes[at] ^ bit);
        }
    }
}

/* The most pairs for a number of bytes, with different keys or the same key: the most memory that bytes can request. */
TEST(memory_is_bounded_by_the_bytes)
{
    enum { MOST = 65025 }; /* keys of two bytes */
    static char bytes[PACKED_HEADER + 8 * MOST];
    for (uint32_t n = 2; n <= MOST; n *= 4) {
        size_t size = PACKED_HEADER + 8 * (size_t)n;
        rcuinfo_t info;
        for (uint32_t i = 0; i < n; i++)
            memcpy(bytes + PACKED_HEADER + 8 * (size_t)i, "\2\0\0\0kk\0\0", 8);
        packed_head(bytes, size, n);
        check_fault(bytes, size, twice, PACKED_HEADER + 8);
        for (uint32_t i = 0; i < n; i++) {
            bytes[PACKED_HEADER + 8 * (size_t)i + 4] = (char)(1 + i % 255);
            bytes[PACKED_HEADER + 8 * (size_t)i + 5] = (char)(1 + i / 255);
        }
        packed_head(bytes, size, n);
        asked_bytes = 0;
        CHECK_OK(rcuinfo_unpack(bytes, size, &info, NULL));
        CHECK(asked_bytes > size); /* the requests are counted */
        CHECK(asked_bytes <= ASKED_MOST(size));
        object_free(info);
    }
}

/* Packs or saves an object. Neither allocates. The caller frees the bytes. */
static char *bytes_of(rcuinfo_t info, size_t *size, bool is_file)
{
    char *bytes = NULL;
    FILE *file = is_file ? open_memstream(&bytes, size) : NULL;
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    faults_fail_at(1);
    if (file) {
        CHECK_OK(rcuinfo_save(snapshot, file, NULL));
        (void)fclose(file);
    } else {
        *size = rcuinfo_pack_size(snapshot);
        bytes = malloc(*size);
        CHECK(bytes);
        CHECK_OK(rcuinfo_pack(snapshot, bytes, *size));
    }
    faults_fail_at(0);
    rcuinfo_snapshot_close(snapshot);
    return bytes;
}

/* Unpacks bytes that end where the memory ends, or loads them. */
static rcuinfo_status_t read_back(char *bytes, size_t size, bool is_file, rcuinfo_t *info, rcuinfo_fault_t *fault)
{
    rcuinfo_status_t status;
    if (is_file) {
        FILE *file = fmemopen(bytes, size, "r");
        CHECK(file);
        NOMEM(status = rcuinfo_load(file, info, fault));
        (void)fclose(file);
    } else {
        char *copy = guard_page_copy(bytes, size);
        NOMEM(status = rcuinfo_unpack(copy, size, info, fault));
        guard_page_free(copy, size);
    }
    return status;
}

/* Objects of any size are restored. Before that, each allocation fails in turn, with memory in the pools and without:
 * the call returns the error, creates no object and keeps no memory, and the next call works. */
static void comes_back(bool is_file)
{
    enum { LARGE = 2000, EACH = 200 /* of more pairs, not every size */ };
    struct random random = {7};
    for (unsigned pairs = 0; pairs <= LARGE; pairs += pairs < EACH ? 1 + pairs / 16 : LARGE / 2) {
        struct modelled info;
        size_t size;
        modelled_create(&info);
        for (unsigned i = 0; i < pairs; i++) {
            char key[RCUINFO_MAX_KEY], value[RCUINFO_MAX_VALUE];
            workload_key(key, i);
            workload_value(value, &random);
            CHECK_OK(modelled_set(&info, key, value));
        }
        char *bytes = bytes_of(info.info, &size, is_file);
        uint64_t live = left_live();
        for (int pooled = 0; pooled < 2; pooled++) {
            for (nomem_start(); nomem_next();) {
                rcuinfo_fault_t fault = {.what = "untouched"};
                rcuinfo_t back = 77;
                if (!pooled)
                    CHECK(rcuinfo_store_drain() == 0);
                rcuinfo_status_t status = read_back(bytes, size, is_file, &back, &fault);
                CHECK_STATUS(status, nomem.met ? RCUINFO_ERR_NO_MEM : RCUINFO_SUCCESS);
                CHECK_TEXT(fault.what, "untouched");
                CHECK_EQUAL(left_live(), live + !nomem.met);
                if (nomem.met) {
                    CHECK(back == RCUINFO_NULL);
                    continue;
                }
                info.model.version = object_version(back); /* 1 after unpack, one per batch after load */
                CHECK(is_file || info.model.version == (pairs > 0));
                CHECK_EQUAL(model_differs_from_object(&info.model, back), 0);
                object_free(back);
            }
            /* The reader's memory, which is not from a pool, and the block if the object is not empty. */
            CHECK(nomem.count >= is_file + (!pooled && pairs));
        }
        free(bytes);
        modelled_free(&info);
    }
}

TEST(objects_come_back)
{
    comes_back(false);
    comes_back(true);
}

int main(void)
{
    test_run(NULL);
    left_nothing();
    CHECK_EQUAL(kept_bytes(), 0);
    counts_report("pack.pack", "allocation points failed", (unsigned long)faults_met());
    return 0;
}
