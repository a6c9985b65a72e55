/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What RCUINFO_HINTS_FILTERED, with which the process was started, lets through to the real library: with "yes" the
 * keys of the standard and of that library, in their order, and else all. The info of the store keeps all its pairs,
 * and what the real library gives out is not filtered.
 *
 * usage: test_filter yes|no        whether the test is to find pairs filtered
 */
#include <stdlib.h>

#include <rcuinfo/hints.h>

#include "interpose/calls.h"
#include "interpose/interpose.h"
#include "hints/library.h"

#if defined(OPEN_MPI)
#define LIBRARY RCUINFO__OPENMPI
#else
#define LIBRARY RCUINFO__MPICH
#endif

enum { TEXT = 8192, MOST = 128 };

/* The keys of the standard, each once, and those of the library. */
enum { STANDARD, OF_LIBRARY, LISTS };
static struct {
    const char *keys[MOST];
    size_t count;
    size_t at_least; /* so many of them can be set: what Open MPI's limit on keys excludes cannot */
} lists[LISTS] = {{.at_least = 45}, {.at_least = 35}};

static bool filtered;
static char expected[TEXT];

/* By a search of its own, which needs no order. */
static bool is_in(int list, const char *key)
{
    for (size_t n = 0; n < lists[list].count; n++) {
        if (strcmp(lists[list].keys[n], key) == 0)
            return true;
    }
    return false;
}

static void add_pair(MPI_Info info, const char *key)
{
    size_t used = strlen(expected);
    CHECK_MPI(MPI_Info_set(info, key, "v"), MPI_SUCCESS);
    CHECK(snprintf(expected + used, TEXT - used, "%s=v;", key) < (int)(TEXT - used));
}

static void hand_down(MPI_Info info)
{
    spy_forget();
    CHECK_MPI(MPI_Comm_set_info(MPI_COMM_SELF, info), MPI_SUCCESS);
    CHECK_TEXT(came_down.function, "MPI_Comm_set_info");
    CHECK(came_down.infos[0] != MPI_INFO_NULL);
    CHECK(came_down.infos[0] != info);
}

static void each_hint_goes_down(void)
{
    for (int list = 0; list < LISTS; list++) {
        size_t set = 0;
        uint64_t left_out = count_left_out();
        MPI_Info info = make_empty();
        expected[0] = '\0';
        for (size_t n = lists[list].count; n-- > 0;) {
            if (strlen(lists[list].keys[n]) < MPI_MAX_INFO_KEY) {
                add_pair(info, lists[list].keys[n]);
                set++;
            }
        }
        CHECK(set >= lists[list].at_least);
        hand_down(info);
        CHECK_TEXT(came_down.pairs[0], expected);
        CHECK_EQUAL(count_left_out(), left_out);
        free_info(info);
    }
}

/* No key of the library needs to be in its list, if it is the standard's. */
static void the_lists_are_apart(void)
{
    for (size_t n = 0; n < lists[OF_LIBRARY].count; n++) {
        CHECK(n == 0 || strcmp(lists[OF_LIBRARY].keys[n - 1], lists[OF_LIBRARY].keys[n]) < 0);
        CHECK(!is_in(STANDARD, lists[OF_LIBRARY].keys[n]));
    }
}

/* A key that has one byte more or less than a hint, or another case, is none. */
static void what_resembles_a_hint_is_none(const char *hint)
{
    size_t length = strlen(hint);
    if (length + 1 >= MPI_MAX_INFO_KEY)
        return;
    MPI_Info info = make_empty();
    char key[MPI_MAX_INFO_KEY] = "";
    expected[0] = '\0';
    memcpy(key, hint, length);
    key[0] ^= 'a' ^ 'A';
    add_pair(info, key);
    key[0] ^= 'a' ^ 'A';
    key[length] = '_';
    add_pair(info, key);
    key[length - 1] = '\0';
    bool is_other = is_in(STANDARD, key) || is_in(OF_LIBRARY, key); /* as "host", of "hosts" */
    if (!is_other)
        add_pair(info, key);
    uint64_t left_out = count_left_out();
    hand_down(info);
    CHECK_TEXT(came_down.pairs[0], filtered ? "" : expected);
    CHECK_EQUAL(count_left_out() - left_out, filtered ? 3 - is_other : 0);
    free_info(info);
}

static void what_resembles_one(void)
{
    for (int list = 0; list < LISTS; list++) {
        for (size_t n = 0; n < lists[list].count; n++)
            what_resembles_a_hint_is_none(lists[list].keys[n]);
    }
}

/* The hints of one library are not the other's. */
static void every_function_and_order(void)
{
    const char *of_this = IS_OPENMPI ? "map_by" : "sender_vci", *of_other = IS_OPENMPI ? "sender_vci" : "map_by";
    MPI_Info info = make_info({"z", "26"}, {"wdir", "w"}, {"mine", "m"}, {of_this, "1"}, {"cb_nodes", "2"},
                              {of_other, "3"}, {"a", "1"}, {"access_style", "random"});
    int real_infos = atomic_load(&spy.real_infos);
    snprintf(expected, TEXT,
             filtered ? "wdir=w;%s=1;cb_nodes=2;access_style=random;"
                      : "z=26;wdir=w;mine=m;%s=1;cb_nodes=2;%s=3;a=1;access_style=random;",
             of_this, of_other);
    for (const struct call *call = calls; call < calls + calls_count; call++) {
        uint64_t left_out = count_left_out(), conversions = count_conversions();
        CHECK_MPI(call->make(false, info), MPI_SUCCESS);
        CHECK_TEXT(came_down.function, call->name);
        CHECK_TEXT(came_down.pairs[0], expected);
        CHECK_EQUAL(count_left_out() - left_out, filtered ? 4 : 0);
        CHECK_EQUAL(count_conversions() - conversions, 1);
        CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
    }
    CHECK_CONTENTS(info, {"z", "26"}, {"wdir", "w"}, {"mine", "m"}, {of_this, "1"}, {"cb_nodes", "2"}, {of_other, "3"},
                   {"a", "1"}, {"access_style", "random"});
    free_info(info);
}

static void what_is_given_out_is_whole(void)
{
    static const char *const given[] = {"mine", "m", "cb_nodes", "2", "a", "1"};
    spy_give(given, 3);
    for (const struct gift *gift = gifts; gift < gifts + gifts_count; gift++) {
        MPI_Info info = MPI_INFO_NULL;
        uint64_t left_out = count_left_out();
        CHECK_MPI(gift->make(false, &info), MPI_SUCCESS);
        CHECK_CONTENTS(info, {"mine", "m"}, {"cb_nodes", "2"}, {"a", "1"});
        CHECK_EQUAL(count_left_out(), left_out);
        free_info(info);
    }
    spy_give(NULL, 0);
}

/* A real info comes from elsewhere, and is not ours to filter. */
static void a_real_info_passes_unchanged(void)
{
    MPI_Info real = make_real("mine", "m");
    CHECK_MPI(MPI_Comm_set_info(MPI_COMM_SELF, real), MPI_SUCCESS);
    CHECK(came_down.infos[0] == real);
    CHECK_TEXT(came_down.pairs[0], "mine=m;");
    CHECK_MPI(PMPI_Info_free(&real), MPI_SUCCESS);
}

/* Keys that they do not know only Open MPI keeps, and not since version 5, which has sessions. */
#if defined(OPEN_MPI) && !defined(RCUINFO__HAS_MPI_Session_init)
#define KEEPS_UNKNOWN 1
#else
#define KEEPS_UNKNOWN 0
#endif

/* To the end: what a hint asks for is done. */
static void the_real_library_does_what_a_hint_says(void)
{
    MPI_Info info = make_info({"mine", "m"}, {"mpi_assert_no_any_source", "true"}), given = MPI_INFO_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    char value[16] = "";
    int flag = 0;
    spy.stubs = false;
    CHECK_MPI(MPI_Comm_dup_with_info(MPI_COMM_SELF, info, &comm), MPI_SUCCESS);
    CHECK_MPI(MPI_Comm_get_info(comm, &given), MPI_SUCCESS);
    check_value(given, "mpi_assert_no_any_source", "true");
    CHECK_MPI(MPI_Info_get(given, "mine", 15, value, &flag), MPI_SUCCESS);
    CHECK_EQUAL(flag, KEEPS_UNKNOWN && !filtered);
    CHECK_CONTENTS(info, {"mine", "m"}, {"mpi_assert_no_any_source", "true"});
    free_info(given);
    free_info(info);
    CHECK_MPI(MPI_Comm_free(&comm), MPI_SUCCESS);
    spy.stubs = true;
}

static void collect_keys(void)
{
    size_t rows = 0;
    for (int object = 0; object < RCUINFO_HINT_OBJECTS; object++) {
        const rcuinfo_hint_t *table = rcuinfo_hint_standard((rcuinfo_hint_object_t)object, &rows);
        for (size_t row = 0; row < rows; row++) {
            if (!is_in(STANDARD, table[row].key))
                lists[STANDARD].keys[lists[STANDARD].count++] = table[row].key;
        }
    }
    const struct rcuinfo__hint_key *keys = rcuinfo__hint_library(LIBRARY, &rows);
    for (size_t n = 0; n < rows; n++)
        lists[OF_LIBRARY].keys[lists[OF_LIBRARY].count++] = keys[n].key;
}

/* What it was when the library was loaded counts, whatever becomes of it. */
int main(int argc, char **argv)
{
    static test_function *const tests[] = {
        the_lists_are_apart,
        each_hint_goes_down,
        what_resembles_one,
        every_function_and_order,
        what_is_given_out_is_whole,
        a_real_info_passes_unchanged,
        the_real_library_does_what_a_hint_says,
    };
    if (argc != 2)
        return 2;
    filtered = strcmp(argv[1], "yes") == 0;
    collect_keys();
    if (setenv("RCUINFO_HINTS_FILTERED", filtered ? "no" : "yes", 1) != 0)
        return 2;
    INTERPOSE_RUN_STUBBED(tests);
}
