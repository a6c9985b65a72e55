/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What create, dup and free do: objects that are independent of each other. What names none is in mpi.bad_handles.
 */
#include "support/contents.h"
#include "support/phases.h"

static void create_gives_new_empty_objects(void)
{
    MPI_Info first = make_empty(), second = make_empty();
    CHECK(first != MPI_INFO_NULL && second != MPI_INFO_NULL && first != second);
    CHECK_MPI(MPI_Info_set(first, "key", "value"), MPI_SUCCESS);
    CHECK_CONTENTS(first, {"key", "value"});
    CHECK_EMPTY(second);
    free_info(first);
    CHECK_EMPTY(second);
    free_info(second);
}

static void dup_is_independent_both_ways(void)
{
    MPI_Info info = make_info({"a", "1"}, {"b", "2"}, {"c", "3"}), copy = MPI_INFO_NULL, third = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_dup(info, &copy), MPI_SUCCESS);
    CHECK(copy != info && copy != MPI_INFO_NULL);
    CHECK_CONTENTS(copy, {"a", "1"}, {"b", "2"}, {"c", "3"});
    /* Both override the same key of what they share. */
    CHECK_MPI(MPI_Info_set(info, "b", "of info"), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_set(copy, "b", "of copy"), MPI_SUCCESS);
    CHECK_CONTENTS(info, {"a", "1"}, {"b", "of info"}, {"c", "3"});
    CHECK_CONTENTS(copy, {"a", "1"}, {"b", "of copy"}, {"c", "3"});
    CHECK_MPI(MPI_Info_dup(copy, &third), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_delete(copy, "a"), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_set(info, "d", "4"), MPI_SUCCESS);
    CHECK_CONTENTS(info, {"a", "1"}, {"b", "of info"}, {"c", "3"}, {"d", "4"});
    CHECK_CONTENTS(copy, {"b", "of copy"}, {"c", "3"});
    CHECK_CONTENTS(third, {"a", "1"}, {"b", "of copy"}, {"c", "3"});
    free_info(info);
    free_info(copy);
    CHECK_CONTENTS(third, {"a", "1"}, {"b", "of copy"}, {"c", "3"});
    free_info(third);
}

static void dup_of_an_empty_object(void)
{
    MPI_Info info = make_empty(), copy = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_dup(info, &copy), MPI_SUCCESS);
    CHECK(copy != info);
    CHECK_EMPTY(copy);
    CHECK_MPI(MPI_Info_set(copy, "a", "1"), MPI_SUCCESS);
    CHECK_EMPTY(info);
    CHECK_CONTENTS(copy, {"a", "1"});
    free_info(info);
    free_info(copy);
}

/* Values large enough to be shared between versions outlive whichever object goes first. */
static void dup_shares_large_values_safely(void)
{
    char *large = make_text(VALUE_LIMIT - 1, 'l', 'L'), *other = make_text(VALUE_LIMIT - 1, 'o', 'O');
    MPI_Info info = make_info({"small", "1"}, {"large", large}, {"more", large}), copies[8];
    for (size_t i = 0; i < 8; i++) {
        CHECK_MPI(MPI_Info_dup(i ? copies[i - 1] : info, &copies[i]), MPI_SUCCESS);
        if (i % 2)
            CHECK_MPI(MPI_Info_set(copies[i], "large", other), MPI_SUCCESS);
    }
    free_info(info);
    for (size_t i = 0; i < 8; i++) {
        CHECK_CONTENTS(copies[i], {"small", "1"}, {"large", i ? other : large}, {"more", large});
        free_info(copies[i]);
    }
    free(large);
    free(other);
}

static void free_sets_the_handle_to_null(void)
{
    MPI_Info info = make_info({"a", "1"}), stale = info;
    CHECK_MPI(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK(info == MPI_INFO_NULL);
    CHECK_MPI(MPI_Info_free(&info), MPI_ERR_INFO);
    CHECK(info == MPI_INFO_NULL);
    info = stale;
    CHECK_MPI(MPI_Info_free(&info), MPI_ERR_INFO);
    CHECK(info == stale);
}

static void many_objects_at_once(void)
{
    enum { OBJECTS = 3000 };
    MPI_Info *infos = calloc(OBJECTS, sizeof *infos);
    char value[16];
    for (int i = 0; i < OBJECTS; i++) {
        if (i % 3 == 2)
            CHECK_MPI(MPI_Info_dup(infos[i - 1], &infos[i]), MPI_SUCCESS);
        else
            infos[i] = make_info({"a", "1"}, {"b", "2"});
        snprintf(value, sizeof value, "%d", i);
        CHECK_MPI(MPI_Info_set(infos[i], "b", value), MPI_SUCCESS);
    }
    for (int i = 0; i < OBJECTS; i += 2)
        free_info(infos[i]);
    for (int i = 1; i < OBJECTS; i += 2) {
        snprintf(value, sizeof value, "%d", i);
        CHECK_CONTENTS(infos[i], {"a", "1"}, {"b", value});
        free_info(infos[i]);
    }
    free(infos);
}

static test_function *const tests[] = {
    create_gives_new_empty_objects, dup_is_independent_both_ways, dup_of_an_empty_object,
    dup_shares_large_values_safely, free_sets_the_handle_to_null, many_objects_at_once,
};

PHASES_MAIN(tests)
