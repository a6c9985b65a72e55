/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pairs that are passed to the real library, by the value of RCUINFO_HINTS_FILTERED when the process was started.
 * "yes": the keys of the standard and of that library, in their order; else all. The store's info keeps all its pairs.
 *
 * given: infos that the real library returns become objects of the store, with its pairs in its order, not filtered;
 * its own infos are freed. Also handles of the real library, as its Fortran interface and its own layers use them: the
 * info functions accept them, and change the real info. And integers of handles; the tests of Fortran have those of
 * ours.
 *
 * usage: test_pairs VALUE|given         the value of RCUINFO_HINTS_FILTERED
 */
#include <rcuinfo/hints.h>

#include "interpose/calls.h"
#include "interpose/interpose.h"
#include "keys/keys.h"

#define LIBRARY (IS_OPENMPI ? RCUINFO__OPENMPI : RCUINFO__MPICH)

enum { MOST = 128 };

/* The keys of the standard, each once, and those of the library. */
enum { STANDARD, OF_LIBRARY, LISTS };
static struct {
    const char *keys[MOST];
    size_t count;
    size_t at_least; /* number of keys that can be set: not those longer than Open MPI's limit */
} lists[LISTS] = {{.at_least = 45}, {.at_least = 35}};

static bool filtered;
static char expected[CAME_TEXT];

/* A search that needs no order. */
static bool is_in(int list, const char *key)
{
    for (size_t n = 0; n < lists[list].count; n++) {
        if (strcmp(lists[list].keys[n], key) == 0)
            return true;
    }
    return false;
}

/* Sets the key, unless it is too long. */
static size_t add_pair(MPI_Info info, const char *key)
{
    size_t used = strlen(expected);
    if (strlen(key) >= MPI_MAX_INFO_KEY)
        return 0;
    CHECK_MPI(MPI_Info_set(info, key, "v"), MPI_SUCCESS);
    CHECK(snprintf(expected + used, CAME_TEXT - used, "%s=v;", key) < (int)(CAME_TEXT - used));
    return 1;
}

static void hand_down(const struct call *call, MPI_Info info, const char *wanted, size_t wanted_out)
{
    uint64_t left_out = left_stats().left_out;
    CHECK_MPI(call->make(false, info), MPI_SUCCESS);
    CHECK_TEXT(came_down.function, call->name);
    CHECK_TEXT(came_down.pairs[0], wanted);
    CHECK(came_down.infos[0] != MPI_INFO_NULL);
    CHECK_EQUAL(left_stats().left_out - left_out, wanted_out);
    spy_forget();
}

TEST_OF(each_hint_goes_down, "filter")
{
    for (int list = 0; list < LISTS; list++) {
        size_t set = 0;
        MPI_Info info = make_empty();
        expected[0] = '\0';
        for (size_t n = lists[list].count; n-- > 0;)
            set += add_pair(info, lists[list].keys[n]);
        CHECK(set >= lists[list].at_least);
        hand_down(calls, info, expected, 0);
        free_info(info);
    }
}

/* A key with one byte more or less than a hint, or different case, is not a hint. */
TEST_OF(similar_keys_are_filtered, "filter")
{
    for (size_t n = 0; n < 3 * LISTS * (size_t)MOST; n++) {
        size_t list = n / 3 % LISTS, at = n / 3 / LISTS;
        char key[RCUINFO_MAX_KEY] = "";
        if (at >= lists[list].count)
            continue;
        int length = snprintf(key, sizeof key, "%s_", lists[list].keys[at]);
        if (n % 3 > 0)
            key[length - (int)(n % 3)] = '\0';
        if (n % 3 == 1)
            key[0] ^= 'a' ^ 'A';
        if (is_in(STANDARD, key) || is_in(OF_LIBRARY, key)) /* such as "host", from "hosts" */
            continue;
        MPI_Info info = make_empty();
        expected[0] = '\0';
        size_t set = add_pair(info, key);
        hand_down(calls, info, filtered ? "" : expected, filtered ? set : 0);
        free_info(info);
    }
}

/* A hint of one library is not a hint of the other. */
TEST_OF(filtering_keeps_the_order, "filter")
{
    const char *of_this = IS_OPENMPI ? "map_by" : "sender_vci", *of_other = IS_OPENMPI ? "sender_vci" : "map_by";
    const struct pair pairs[] = {{"z", "26"},       {"wdir", "w"},   {"mine", "m"}, {of_this, "1"},
                                 {"cb_nodes", "2"}, {of_other, "3"}, {"a", "1"},    {"access_style", "random"}};
    MPI_Info info = contents_make(pairs, 8);
    snprintf(expected, sizeof expected,
             filtered ? "wdir=w;%s=1;cb_nodes=2;access_style=random;"
                      : "z=26;wdir=w;mine=m;%s=1;cb_nodes=2;%s=3;a=1;access_style=random;",
             of_this, of_other);
    for (const struct call *call = calls; call < calls + calls_count; call++)
        hand_down(call, info, expected, filtered ? 4 : 0);
    contents_check(info, pairs, 8, __FILE__, __LINE__);
    free_info(info);
}

static void collect_keys(void)
{
    size_t rows = 0;
    for (int object = 0; object < RCUINFO_OBJECT_COUNT; object++) {
        const rcuinfo_hint_t *table = rcuinfo_hint_standard((rcuinfo_hint_object_t)object, &rows);
        for (size_t row = 0; row < rows; row++) {
            if (!is_in(STANDARD, table[row].key))
                lists[STANDARD].keys[lists[STANDARD].count++] = table[row].key;
        }
    }
    const struct rcuinfo__key *keys = rcuinfo__keys(&rows);
    for (size_t n = 0; n < rows; n++) {
        bool is_known = is_in(STANDARD, keys[n].hint.key) || is_in(OF_LIBRARY, keys[n].hint.key);
        if (keys[n].owner == LIBRARY && !is_known)
            lists[OF_LIBRARY].keys[lists[OF_LIBRARY].count++] = keys[n].hint.key;
    }
}

/* Compares our info with the pairs that the library returns for the same call. */
static void check_same(MPI_Info ours, MPI_Info real)
{
    static char keys[MOST][MPI_MAX_INFO_KEY + 1], values[MOST][MPI_MAX_INFO_VAL + 1];
    struct pair pairs[MOST];
    int nkeys = -1, flag = 0;
    CHECK(is_ours(ours));
    CHECK_MPI(NATIVE(PMPI_Info_get_nkeys)(real, &nkeys), MPI_SUCCESS);
    CHECK(nkeys >= 0 && nkeys <= MOST);
    for (int n = 0; n < nkeys; n++) {
        CHECK_MPI(NATIVE(PMPI_Info_get_nthkey)(real, n, keys[n]), MPI_SUCCESS);
        CHECK_MPI(NATIVE(PMPI_Info_get)(real, keys[n], MPI_MAX_INFO_VAL, values[n], &flag), MPI_SUCCESS);
        pairs[n] = (struct pair){keys[n], values[n]};
    }
    contents_check(ours, pairs, (size_t)nkeys, __FILE__, __LINE__);
}

static void check_can_be_changed(MPI_Info info)
{
    CHECK_MPI(MPI_Info_set(info, "rcuinfo_test", "1"), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_delete(info, "rcuinfo_test"), MPI_SUCCESS);
    free_info(info);
}

/* The real library may call functions that take or return an info itself. */
TEST_OF(calls_within_a_call_take_nothing_in, "given")
{
    MPI_File file = MPI_FILE_NULL;
    uint64_t live = left_live();
    CHECK_MPI(NATIVE(PMPI_File_open)(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_SUCCESS);
    CHECK_EQUAL(left_live(), live);
    CHECK_MPI(MPI_File_close(&file), MPI_SUCCESS);
}

/* Our info has the pairs that the library returns, also more and longer ones than any library has; for MPI_INFO_NULL it
 * is empty. If the library has written nothing, nothing is written: MPICH 5 returns success after a user's handler was
 * called for an error. */
TEST_OF(each_function_gives_one_of_ours, "given")
{
    enum { MANY = 300 };
    static char keys[MANY][8];
    static struct pair pairs[MANY];
    static const char *given[2 * MANY];
    const int counts[] = {-2, -1, 0, 1, 2, MANY};
    const MPI_Info untouched = flavour_handle(0x12345678);
    char *longest = make_text(MPI_MAX_INFO_VAL - 1, 'v', 'V');
    int real_infos = atomic_load(&spy.real_infos);
    for (int n = 0; n < MANY; n++) {
        snprintf(keys[n], sizeof keys[n], "key%d", n);
        given[2 * n] = pairs[n].key = keys[n];
        given[2 * n + 1] = pairs[n].value = n % 3 ? "short" : longest;
    }
    spy.stubs = true;
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
        int count = counts[n];
        spy_give(given, count);
        for (const struct gift *gift = gifts; gift < gifts + gifts_count; gift++) {
            MPI_Info info = untouched;
            uint64_t conversions = count_conversions();
            CHECK_MPI(gift->make(false, &info), MPI_SUCCESS);
            CHECK_TEXT(came_down.function, gift->name);
            CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
            CHECK((info == untouched) == (count == -2));
            CHECK((info == MPI_INFO_NULL) == (count == -1 && gift->leaves_null));
            CHECK_EQUAL(count_conversions() - conversions, is_ours(info));
            if (is_ours(info)) {
                contents_check(info, pairs, count > 0 ? (size_t)count : 0, __FILE__, __LINE__);
                check_can_be_changed(info);
            } else {
                CHECK(count == -2 || info == MPI_INFO_NULL);
            }
        }
    }
    spy_give(NULL, 0);
    spy.stubs = false;
    free(longest);
}

/* A value of the library's that was cut is left out. */
TEST_OF(cut_values_are_left_out, "given")
{
    const char *given[] = {"a", "1"};
    uint64_t left_out = left_stats().left_out;
    MPI_Info info = MPI_INFO_NULL;
    int nkeys = -1;
    spy.stubs = spy.longer = true;
    spy_give(given, 1);
    CHECK_MPI(gifts[0].make(false, &info), MPI_SUCCESS);
    spy_give(NULL, 0);
    spy.stubs = spy.longer = false;
    CHECK_MPI(MPI_Info_get_nkeys(info, &nkeys), MPI_SUCCESS);
    CHECK_EQUAL(nkeys, 0);
    CHECK_EQUAL(left_stats().left_out, left_out + 1);
    free_info(info);
}

TEST_OF(what_the_library_says_is_its_own, "given")
{
    uint64_t live = left_live();
    int succeeded = 0;
    CHECK_MPI(class_of(MPI_Comm_get_info(MPI_COMM_NULL, &(MPI_Info){MPI_INFO_NULL})), MPI_ERR_COMM);
    CHECK_EQUAL(class_of(MPI_Comm_get_info(MPI_COMM_WORLD, NULL)),
                class_of(NATIVE(PMPI_Comm_get_info)(MPI_COMM_WORLD, NULL)));
    for (const struct gift *gift = gifts; gift < gifts + gifts_count; gift++) {
        MPI_Info info = MPI_INFO_NULL, real = MPI_INFO_NULL;
        int code = class_of(gift->make(false, &info)), wanted = class_of(gift->make(true, &real));
        CHECKF(code == wanted, "%s gives %d and should give %d", gift->name, code, wanted);
        if (code == MPI_SUCCESS) {
            check_same(info, real);
            free_info(info);
            CHECK_MPI(NATIVE(PMPI_Info_free)(&real), MPI_SUCCESS);
            succeeded++;
        }
        CHECK_EQUAL(left_live(), live);
    }
    CHECK(succeeded >= 3); /* for communicators, windows and files */
}

TEST_OF(info_functions_reach_the_real_info, "given")
{
    MPI_Info real = make_real("a", "1"), copy = MPI_INFO_NULL;
    char value[16] = "";
    int flag = 0;
    CHECK(!is_ours(real));
    CHECK_MPI(MPI_Info_set(real, "b", "twenty"), MPI_SUCCESS);
    CHECK_MPI(NATIVE(PMPI_Info_get)(real, "b", 15, value, &flag), MPI_SUCCESS);
    CHECK(flag);
    CHECK_TEXT(value, "twenty");
    CHECK_CONTENTS(real, {"a", "1"}, {"b", "twenty"});
    CHECK_MPI(MPI_Info_dup(real, &copy), MPI_SUCCESS);
    CHECK(!is_ours(copy));
    CHECK_MPI(MPI_Info_delete(real, "a"), MPI_SUCCESS);
    CHECK_CONTENTS(real, {"b", "twenty"});
    CHECK_CONTENTS(copy, {"a", "1"}, {"b", "twenty"});
    free_info(copy);
    free_info(real);
}

TEST_OF(get_string_of_a_real_info, "given")
{
    static const struct {
        int size;
        const char *value;
    } gets[] = {{0, "untouched"}, {16, "hello"}, {5, "hell"}, {3, "he"}, {1, ""}};
    /* With less room, the library's own function may behave differently. */
    size_t rows = GET_STRING_IS_OURS ? sizeof gets / sizeof *gets : 2;
    MPI_Info real = make_real("a", "hello");
    int flag, length;
    for (size_t n = 0; n < rows; n++) {
        char value[16] = "untouched";
        flag = -1;
        length = gets[n].size;
        CHECK_MPI(MPI_Info_get_string(real, "a", &length, value, &flag), MPI_SUCCESS);
        CHECK_TEXT(value, gets[n].value);
        CHECK(length == 6 && flag == 1);
    }
    if (GET_STRING_IS_OURS) {
        char value[16] = "untouched";
        length = 9;
        CHECK_MPI(MPI_Info_get_string(real, "b", &length, value, &flag), MPI_SUCCESS);
        CHECK(length == 9 && flag == 0);
    }
    free_info(real);
}

/* Functions of MPI-4: apps.errors has those that all libraries have. */
TEST_OF(get_string_and_create_env_call_the_handler, "given")
{
    MPI_Info real = make_real("a", "1"), made = MPI_INFO_NULL;
    char value[16] = "untouched";
    int length = 8, flag = 7;
    count_errors(MPI_ERR_ARG);
    CHECK_MPI(MPI_Info_get_string(MPI_INFO_ENV, "a", &length, NULL, &flag), MPI_ERR_ARG);
    CHECK_MPI(MPI_Info_create_env(-1, NULL, &made), MPI_ERR_ARG);
    CHECK_EQUAL(handled, 2);
    handled_class = MPI_ERR_INFO;
    CHECK_MPI(MPI_Info_set(MPI_INFO_ENV, "a", "1"), MPI_ERR_INFO);
    CHECK_MPI(MPI_Info_get(make_stale(), "a", 15, value, &flag), MPI_ERR_INFO);
    CHECK_EQUAL(handled, 4);
    handled_class = MPI_ERR_ARG;
    if (GET_STRING_IS_OURS) {
        length = -1;
        CHECK_MPI(MPI_Info_get_string(real, "a", &length, value, &flag), MPI_ERR_ARG);
        CHECK_EQUAL(handled, 5);
        handled_class = MPI_ERR_INFO_KEY;
        CHECK_EQUAL(class_of(MPI_Info_get_string(real, "", &(int){8}, value, &flag)), MPI_ERR_INFO_KEY);
        CHECK_EQUAL(handled, 6);
    }
    CHECK_TEXT(value, "untouched");
    CHECK(flag == 7 && made == MPI_INFO_NULL);
    flavour_set_errhandler(MPI_ERRORS_RETURN);
    CHECK_MPI(NATIVE(PMPI_Info_free)(&real), MPI_SUCCESS);
}

#if defined(MPI_Info_c2f) /* macros in MPICH 4.0 */
#define NATIVE_C2F PMPI_Info_c2f
#define NATIVE_F2C PMPI_Info_f2c
#else
#define NATIVE_C2F NATIVE(PMPI_Info_c2f)
#define NATIVE_F2C NATIVE(PMPI_Info_f2c)
#endif

TEST_OF(integers, "given")
{
    MPI_Info real = make_real("a", "1"), info = make_empty();
    int nkeys = -1;
    CHECK(MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_NULL)) == MPI_INFO_NULL);
    CHECK(MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_ENV)) == MPI_INFO_ENV);
    CHECK(MPI_Info_c2f(MPI_INFO_NULL) == NATIVE_C2F(MPI_INFO_NULL));
    CHECK(MPI_Info_c2f(MPI_INFO_ENV) == NATIVE_C2F(MPI_INFO_ENV));
    CHECK(MPI_Info_c2f(real) == NATIVE_C2F(real));
    CHECK(MPI_Info_f2c(MPI_Info_c2f(real)) == real);
    CHECK_MPI(MPI_Info_get_nkeys(MPI_Info_f2c(MPI_Info_c2f(flavour_handle(8))), &nkeys), MPI_ERR_INFO);
    if (IS_OPENMPI) {
        CHECK_MPI(MPI_Info_get_nkeys(MPI_Info_f2c(1 << 30), &nkeys), MPI_ERR_INFO);
        CHECK(MPI_Info_c2f(info) < 0);
        CHECK((void *)(uintptr_t)NATIVE_F2C(MPI_Info_c2f(info)) == NULL); /* our handles never reach the library */
    }
    free_info(info);
    free_info(real);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    bool is_given = strcmp(argv[1], "given") == 0;
    filtered = strcmp(argv[1], "yes") == 0;
    collect_keys();
    CHECK(setenv("RCUINFO_HINTS_FILTERED", filtered ? "no" : "yes", 1) == 0); /* too late: the value at load counts */
    return interpose_run(is_given ? "given" : "filter", !is_given);
}
