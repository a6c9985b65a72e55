/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arguments that each call accepts and rejects under the flavour's limits, and the error codes; a rejected call
 * changes and writes nothing. The exact bytes that the reading calls write: each output buffer has just the documented
 * size. NULL pointers, one at a time. Handles that were never issued, that are stale, or that look like those of
 * another flavour; a value that the real library could have issued is skipped while an interposer would pass it to that
 * library. Handles that one thread frees while others use them. core.differential tests the pairs of objects.
 */
#include <limits.h>

#include "stress/random.h"
#include "support/contents.h"
#include "support/guard.h"
#include "support/phases.h"
#include "support/scale.h"
#include "support/threads.h"

static const char TEXT[] = "value of 20 bytes...";
enum { LENGTH = sizeof TEXT - 1 };

static MPI_Info make_sample(void)
{
    return make_info({"first", "1"}, {"text", TEXT}, {"empty", ""}, {"last", "9"});
}

/* Every call returns keys whole (trap 3: some get_nthkey cut them), and get_nthkey writes nothing after the NUL. A key
 * without its last byte is a different key. */
TEST(keys_up_to_the_limit)
{
    const size_t sizes[] = {1, 2, 31, KEY_LIMIT - 2, KEY_LIMIT - 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *key = make_text(sizes[i], 'k', 'z'), *read = guard_new(sizes[i] + 1), value[6] = "";
        MPI_Info info = make_info({"before", "1"}, {key, "value"}), copy = MPI_INFO_NULL;
        int flag = 7, size = 6;
        CHECK_CONTENTS(info, {"before", "1"}, {key, "value"});
        CHECK_MPI(MPI_Info_get_nthkey(info, 1, read), MPI_SUCCESS);
        CHECK_TEXT(read, key);
        CHECK(guard_intact(read, sizes[i] + 1, sizes[i] + 1));
        CHECK_MPI(MPI_Info_get_string(info, key, &size, value, &flag), MPI_SUCCESS);
        CHECK(flag == 1 && size == 6 && strcmp(value, "value") == 0);
        CHECK_MPI(MPI_Info_dup(info, &copy), MPI_SUCCESS);
        CHECK_MPI(MPI_Info_delete(info, key), MPI_SUCCESS);
        CHECK_CONTENTS(info, {"before", "1"});
        CHECK_CONTENTS(copy, {"before", "1"}, {key, "value"});
        key[sizes[i] - 1] = '\0';
        if (*key)
            CHECK_MPI(MPI_Info_delete(copy, key), MPI_ERR_INFO_NOKEY);
        free_info(info);
        free_info(copy);
        guard_free(read);
        free(key);
    }
}

TEST(values_up_to_the_limit)
{
    const size_t sizes[] = {0, 1, 127, 128, 129, VALUE_LIMIT - 2, VALUE_LIMIT - 1};
    MPI_Info info = make_info({"before", "1"}, {"key", "old"}, {"after", "2"});
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *value = make_text(sizes[i], 'v', 'z');
        CHECK_MPI(MPI_Info_set(info, "key", value), MPI_SUCCESS);
        CHECK_CONTENTS(info, {"before", "1"}, {"key", value}, {"after", "2"});
        free(value);
    }
    free_info(info);
}

/* Every call rejects an empty key, and keys and values that are NULL or too long, and has no effect then. */
TEST(invalid_keys_and_values_are_refused)
{
    const size_t limits[] = {KEY_LIMIT, KEY_LIMIT + 1, 1 << 20, VALUE_LIMIT, VALUE_LIMIT + 1, 1 << 20};
    MPI_Info info = make_info({"a", "1"}, {"b", "2"});
    for (size_t i = 0; i < 8; i++) {
        char *text = i < 6 ? make_text(limits[i], 'k', 'k') : i == 6 ? make_text(0, 'k', 'k') : NULL;
        char value[8] = "before";
        int flag = 77, number = 7;
        if (i < 3 || i >= 6) {
            CHECK_MPI(MPI_Info_set(info, text, "value"), MPI_ERR_INFO_KEY);
            CHECK_MPI(MPI_Info_delete(info, text), MPI_ERR_INFO_KEY);
            CHECK_MPI(MPI_Info_get(info, text, 7, value, &flag), MPI_ERR_INFO_KEY);
            CHECK_MPI(MPI_Info_get_valuelen(info, text, &number, &flag), MPI_ERR_INFO_KEY);
            CHECK_MPI(MPI_Info_get_string(info, text, &number, value, &flag), MPI_ERR_INFO_KEY);
        }
        if ((i >= 3 && i < 6) || !text) {
            CHECK_MPI(MPI_Info_set(info, "a", text), MPI_ERR_INFO_VALUE);
            CHECK_MPI(MPI_Info_set(info, "new", text), MPI_ERR_INFO_VALUE);
        }
        CHECK_TEXT(value, "before");
        CHECK(flag == 77 && number == 7);
        CHECK_CONTENTS(info, {"a", "1"}, {"b", "2"});
        free(text);
    }
    free_info(info);
}

/* get and get_string write the value, cut to the room, and a NUL, and never pad, however large the stated buffer. A cut
 * value is no error, and without room the value is an empty string. (Trap 10: some libraries do not set the flag then.)
 * The size of get_string includes the NUL; it returns the size needed, and at size 0 writes no value. */
TEST(reads_cut_and_never_pad)
{
    static const int rooms[] = {0, 1, LENGTH - 1, LENGTH, LENGTH + 1, INT_MAX - 1, INT_MAX};
    MPI_Info info = make_sample();
    for (size_t n = 0; n < 4 * sizeof rooms / sizeof *rooms; n++) {
        const char *key = n & 1 ? "text" : "empty";
        int length = n & 1 ? LENGTH : 0, room = rooms[n / 4], flag = 77, size = room < INT_MAX ? room + 1 : room;
        size_t copied = (size_t)(room < length ? room : length),
               bytes = room < length + 2 ? (size_t)room + 1 : copied + 1;
        char *value = guard_new(bytes), *none = guard_new(0);
        if (n & 2)
            CHECK_MPI(MPI_Info_get(info, key, room, value, &flag), MPI_SUCCESS);
        else
            CHECK_MPI(MPI_Info_get_string(info, key, &size, value, &flag), MPI_SUCCESS);
        CHECK(flag == 1 && (n & 2 || size == length + 1));
        CHECK(memcmp(value, TEXT, copied) == 0 && value[copied] == '\0');
        CHECK(guard_intact(value, bytes, copied + 1));
        size = 0;
        flag = 77;
        CHECK_MPI(MPI_Info_get_string(info, key, &size, n & 2 ? none : NULL, &flag), MPI_SUCCESS);
        CHECK(flag == 1 && size == length + 1 && guard_intact(none, 0, 0));
        size = 0;
        CHECK_MPI(MPI_Info_get_string(info, "absent", &size, n & 2 ? none : NULL, &flag), MPI_SUCCESS);
        CHECK(flag == 0 && size == 0 && guard_intact(none, 0, 0));
        guard_free(value);
        guard_free(none);
    }
    free_info(info);
}

TEST(negative_lengths)
{
    static const char *const keys[] = {"text", "empty", "absent"};
    static const int lengths[] = {-1, -2, -1024, INT_MIN + 1, INT_MIN};
    MPI_Info info = make_sample();
    for (size_t i = 0; i < 15; i++) {
        const char *key = keys[i % 3];
        char *value = guard_new(1);
        int flag = 77, size = lengths[i / 3];
        CHECK_MPI(MPI_Info_get(info, key, size, value, &flag), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get_string(info, key, &size, value, &flag), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get_string(info, key, &size, NULL, &flag), MPI_ERR_ARG);
        CHECK(flag == 77 && size == lengths[i / 3] && guard_intact(value, 1, 0));
        guard_free(value);
    }
    free_info(info);
}

/* Negative and too large numbers; and, as keys are deleted from the end, the first number that is too large. */
TEST(get_nthkey_out_of_range)
{
    static const char *const keys[] = {"first", "text", "empty", "last"};
    const int bad[] = {-1, -2, INT_MIN, 4, 5, 1 << 20, INT_MAX};
    MPI_Info info = make_sample();
    char *key = guard_new(KEY_LIMIT);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_MPI(MPI_Info_get_nthkey(info, bad[i], key), MPI_ERR_ARG);
    for (int n = 3; n >= 0; n--) {
        CHECK_MPI(MPI_Info_delete(info, keys[n]), MPI_SUCCESS);
        CHECK_MPI(MPI_Info_get_nthkey(info, n, key), MPI_ERR_ARG);
    }
    CHECK(guard_intact(key, KEY_LIMIT, 0));
    guard_free(key);
    free_info(info);
}

enum { RANDOM_HANDLES = SCALED(TEST_REAL_MPI ? 10000 : 100000), RACES = SCALED(20000) };

static MPI_Info live; /* the only object besides MPI_INFO_ENV's that exists before and after each test */
static char *output;  /* of KEY_LIMIT bytes; no call may write to it */

#define CHECK_ERR_INFO(bits, call)                                                                                     \
    do {                                                                                                               \
        int code = (int)(call);                                                                                        \
        CHECKF(code == MPI_ERR_INFO, "the handle %#llx returned %d", (unsigned long long)(bits), code);                \
    } while (0)

/* Whether a handle names the object behind MPI_INFO_ENV, which may be read, when MPI_Init has been called. */
static int names_env(MPI_Info info)
{
#if TEST_REAL_MPI
    return phase_now != PHASE_BEFORE_INIT && rcuinfo_from_mpi(info) == rcuinfo_from_mpi(MPI_INFO_ENV);
#else
    (void)info;
    return 0;
#endif
}

/* Every call returns MPI_ERR_INFO and writes no output, except that dup stores MPI_INFO_NULL. */
static void check_names_nothing(MPI_Info info)
{
    MPI_Info again = info, copy = live;
    uint64_t bits = flavour_bits(info);
    int flag = 77, number = 5;
    CHECK_ERR_INFO(bits, MPI_Info_get_nkeys(info, &number));
    CHECK_ERR_INFO(bits, MPI_Info_get_nthkey(info, 0, output));
    CHECK_ERR_INFO(bits, MPI_Info_get(info, "a", 4, output, &flag));
    CHECK_ERR_INFO(bits, MPI_Info_get_valuelen(info, "a", &number, &flag));
    CHECK_ERR_INFO(bits, MPI_Info_get_string(info, "a", &number, output, &flag));
    CHECK_ERR_INFO(bits, MPI_Info_set(info, "a", "2"));
    CHECK_ERR_INFO(bits, MPI_Info_delete(info, "a"));
    CHECK_ERR_INFO(bits, MPI_Info_dup(info, &copy));
    CHECK_ERR_INFO(bits, MPI_Info_free(&again));
    CHECKF(flag == 77 && number == 5 && copy == MPI_INFO_NULL && again == info,
           "with the handle %#llx an output was written", (unsigned long long)bits);
}

static void check_no_handle(uint64_t wanted)
{
    MPI_Info info = flavour_handle(wanted);
    uint64_t bits = flavour_bits(info);
    if (info != live && info != MPI_INFO_ENV && !names_env(info) &&
        !(phase_real_is_asked() && flavour_may_be_real(bits)))
        check_names_nothing(info);
}

static void small_values(void)
{
    check_names_nothing(MPI_INFO_NULL);
    for (uint64_t bits = 0; bits < 5000; bits++)
        check_no_handle(bits);
}

/* Random values, and random contents in the form that the store's handles have in each flavour. */
static void random_values(void)
{
    static const uint64_t edges[] = {0x130,     0x131,      0x1c000000, 0x5c000001,       UINT32_MAX,
                                     INT32_MAX, UINT64_MAX, INT64_MAX,  UINT64_C(1) << 63};
    struct random random = {20240607};
    for (int i = 0; i < RANDOM_HANDLES; i++) {
        uint64_t value = random_next(&random);
        check_no_handle(value);
        if (i % 4)
            continue;
        check_no_handle(0x1c000000u | (value & 0x3ffffff));        /* MPICH: kind invalid, type info */
        check_no_handle(UINT64_C(1) << 63 | (value & 0x7fffffff)); /* pointers with the top bit set */
        check_no_handle(UINT64_C(1) << 63 | value);
        check_no_handle(value & 0xfffff);          /* an index without a generation */
        check_no_handle((value & 0xff) << 20 | 3); /* a small index and a small generation */
    }
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        check_no_handle(edges[i]);
}

/* A live handle with one or two bits changed names nothing: the only other object is MPI_INFO_ENV's. */
static void neighbours_of_a_live_handle(void)
{
    uint64_t bits = flavour_bits(live);
    for (unsigned i = 0; i < 8 * sizeof live; i++) {
        check_no_handle(bits ^ UINT64_C(1) << i);
        for (unsigned j = 0; j < i; j++)
            check_no_handle(bits ^ UINT64_C(1) << i ^ UINT64_C(1) << j);
    }
    for (uint64_t i = 1; i < 1000; i++) {
        check_no_handle(bits + i);
        check_no_handle(bits - i);
    }
}

/* A stale handle never names a later object. (Trap 4: some MPI libraries report success and 1023 keys.) */
static void freed_handles(void)
{
    enum { FREED = 1000 };
    MPI_Info infos[FREED];
    for (int i = 0; i < FREED; i++)
        CHECK_MPI(i % 2 ? MPI_Info_dup(live, &infos[i]) : MPI_Info_create(&infos[i]), MPI_SUCCESS);
    for (int i = 0; i < FREED; i++) {
        MPI_Info info = infos[i];
        free_info(info);
    }
    for (int i = 0; i < FREED; i++)
        check_names_nothing(infos[i]);
}

static void null_outputs(void)
{
    static const char *const keys[] = {"a", "absent"};
    const MPI_Info objects[] = {live, MPI_INFO_ENV};
    for (size_t i = 0; i < 4; i++) {
        MPI_Info object = objects[i / 2];
        const char *key = keys[i % 2];
        char *value = guard_new(4);
        int flag = 77, number = 3;
        CHECK_MPI(MPI_Info_get(object, key, 3, NULL, &flag), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get(object, key, 0, NULL, &flag), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get(object, key, 3, value, NULL), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get_valuelen(object, key, NULL, &flag), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get_valuelen(object, key, &number, NULL), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get_string(object, key, NULL, value, &flag), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get_string(object, key, &number, NULL, &flag), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get_string(object, key, &number, value, NULL), MPI_ERR_ARG);
        CHECK(flag == 77 && number == 3 && guard_intact(value, 4, 0));
        number = 0;
        CHECK_MPI(MPI_Info_get_string(object, key, &number, NULL, NULL), MPI_ERR_ARG);
        CHECK_EQUAL(number, 0);
        CHECK_MPI(MPI_Info_get_nkeys(object, NULL), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get_nthkey(object, 0, NULL), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get_nthkey(object, 70, NULL), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_dup(object, NULL), MPI_ERR_ARG);
        guard_free(value);
    }
    CHECK_MPI(MPI_Info_create(NULL), MPI_ERR_ARG);
    CHECK_MPI(MPI_Info_free(NULL), MPI_ERR_ARG);
}

static _Atomic(MPI_Info) current;
static atomic_bool finished;

/* Thread 0 frees objects while the others read them. A read returns the whole value or an error (trap 9). */
static void free_and_read(unsigned thread, void *unused)
{
    (void)unused;
    for (int i = 0; thread == 0 && i < RACES; i++) {
        MPI_Info old = atomic_load(&current);
        atomic_store(&current, make_info({"key", "old content"}));
        free_info(old);
    }
    if (thread == 0)
        atomic_store(&finished, true);
    while (!atomic_load(&finished)) {
        MPI_Info object = atomic_load(&current), copy = MPI_INFO_NULL;
        for (int i = 0; i < 4; i++) {
            char value[16] = "#";
            int flag = 1, code = (int)MPI_Info_get(object, "key", 15, value, &flag);
            CHECKF(code == MPI_SUCCESS || code == MPI_ERR_INFO, "code %d", code);
            CHECKF(strcmp(value, code == MPI_SUCCESS ? "old content" : "#") == 0, "code %d, \"%s\"", code, value);
            CHECK(flag == 1);
        }
        if (MPI_Info_dup(object, &copy) == MPI_SUCCESS)
            free_info(copy);
        else
            CHECK(copy == MPI_INFO_NULL);
    }
}

TEST(free_races_with_reads)
{
    atomic_store(&finished, false);
    atomic_store(&current, make_info({"key", "old content"}));
    team_run(3, free_and_read, NULL);
    free_info(atomic_load(&current));
}

static void (*const tests_of_live[])(void) = {
    small_values, random_values, neighbours_of_a_live_handle, freed_handles, null_outputs,
};

TEST(with_a_live_object)
{
    live = make_info({"a", "1"});
    output = guard_new(KEY_LIMIT);
    for (size_t i = 0; i < sizeof tests_of_live / sizeof *tests_of_live; i++) {
        tests_of_live[i]();
        CHECK_CONTENTS(live, {"a", "1"});
        CHECK(guard_intact(output, KEY_LIMIT, 0));
    }
    free_info(live);
    guard_free(output);
}

PHASES_MAIN
