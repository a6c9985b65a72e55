/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pairs that are passed to the real library, by the value of RCUINFO_HINTS_FILTERED when the process was started.
 * "yes": the keys of the standard and of that library, in their order; else all. The store's info keeps all its pairs.
 * interpose.given tests that returned infos are not filtered.
 *
 * usage: test_filter VALUE         the value of RCUINFO_HINTS_FILTERED
 */
#include <rcuinfo/hints.h>

#include "interpose/calls.h"
#include "interpose/interpose.h"
#include "tuning/keys.h"

#define LIBRARY (IS_OPENMPI ? RCUINFO__OPENMPI : RCUINFO__MPICH)

enum { MOST = 128 };

#if defined(OPEN_MPI) && !defined(RCUINFO__HAS_MPI_Session_init)
#define KEEPS_UNKNOWN 1
#else
#define KEEPS_UNKNOWN 0
#endif

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

static void each_hint_goes_down(void)
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
static void similar_keys_are_filtered(void)
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
static void filtering_keeps_the_order(void)
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

/* Real infos come from others and are not filtered. */
static void a_real_info_passes_unchanged(void)
{
    MPI_Info real = make_real("mine", "m");
    hand_down(calls, real, "mine=m;", 0);
    CHECK(came_down.infos[0] == real);
    CHECK_MPI(PMPI_Info_free(&real), MPI_SUCCESS);
}

/* With the real library: hints have an effect. Only Open MPI without sessions keeps keys that it does not know. */
static void the_real_library_does_what_a_hint_says(void)
{
    MPI_Info info = make_info({"mine", "m"}, {"mpi_assert_no_any_source", "true"}), given = MPI_INFO_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    int length, flag = 7;
    spy.stubs = false;
    CHECK_MPI(MPI_Comm_dup_with_info(MPI_COMM_SELF, info, &comm), MPI_SUCCESS);
    CHECK_MPI(MPI_Comm_get_info(comm, &given), MPI_SUCCESS);
    check_value(given, "mpi_assert_no_any_source", "true");
    CHECK_MPI(MPI_Info_get_valuelen(given, "mine", &length, &flag), MPI_SUCCESS);
    CHECK_EQUAL(flag, KEEPS_UNKNOWN && !filtered);
    free_info(given);
    free_info(info);
    CHECK_MPI(MPI_Comm_free(&comm), MPI_SUCCESS);
    spy.stubs = true;
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

/* The value at load counts, whatever it is set to later. */
int main(int argc, char **argv)
{
    static test_function *const tests[] = {
        each_hint_goes_down,
        similar_keys_are_filtered,
        filtering_keeps_the_order,
        a_real_info_passes_unchanged,
        the_real_library_does_what_a_hint_says,
    };
    CHECK(argc == 2);
    filtered = strcmp(argv[1], "yes") == 0;
    collect_keys();
    CHECK(setenv("RCUINFO_HINTS_FILTERED", filtered ? "no" : "yes", 1) == 0);
    INTERPOSE_RUN_STUBBED(tests);
}
