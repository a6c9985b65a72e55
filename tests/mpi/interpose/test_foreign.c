/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles of the real library, as its Fortran and its own layers bring them: the info functions answer for them too,
 * and what they do is done to the real info. And the integers of handles; those of ours are in mpi.bad_handles.
 */
#include "interpose/interpose.h"

static void info_functions_reach_the_real_info(void)
{
    MPI_Info real = make_real("a", "1"), copy = MPI_INFO_NULL;
    char value[16] = "";
    int flag = 0;
    CHECK(!is_ours(real));
    CHECK_MPI(MPI_Info_set(real, "b", "twenty"), MPI_SUCCESS);
    CHECK_MPI(PMPI_Info_get(real, "b", 15, value, &flag), MPI_SUCCESS);
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

static void get_string_of_a_real_info(void)
{
    static const struct {
        int size;
        const char *value;
    } gets[] = {{0, "untouched"}, {16, "hello"}, {5, "hell"}, {3, "he"}, {1, ""}};
    /* What the library's own does with less room is its own affair. */
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
        length = -1;
        CHECK_MPI(MPI_Info_get_string(real, "a", &length, value, &flag), MPI_ERR_ARG);
        CHECK_TEXT(value, "untouched");
    }
    free_info(real);
}

static void integers(void)
{
    MPI_Info real = make_real("a", "1"), info = make_empty();
    int nkeys = -1;
    CHECK(MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_NULL)) == MPI_INFO_NULL);
    CHECK(MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_ENV)) == MPI_INFO_ENV);
    CHECK(MPI_Info_c2f(MPI_INFO_NULL) == PMPI_Info_c2f(MPI_INFO_NULL));
    CHECK(MPI_Info_c2f(MPI_INFO_ENV) == PMPI_Info_c2f(MPI_INFO_ENV));
    CHECK(MPI_Info_c2f(real) == PMPI_Info_c2f(real));
    CHECK(MPI_Info_f2c(MPI_Info_c2f(real)) == real);
    CHECK_MPI(MPI_Info_get_nkeys(MPI_Info_f2c(MPI_Info_c2f(flavour_handle(8))), &nkeys), MPI_ERR_INFO);
    if (IS_OPENMPI) {
        CHECK_MPI(MPI_Info_get_nkeys(MPI_Info_f2c(1 << 30), &nkeys), MPI_ERR_INFO);
        CHECK(MPI_Info_c2f(info) < 0);
        CHECK((void *)(uintptr_t)PMPI_Info_f2c(MPI_Info_c2f(info)) == NULL); /* ours never reach the library */
    }
    free_info(info);
    free_info(real);
}

int main(void)
{
    static test_function *const tests[] = {
        info_functions_reach_the_real_info,
        get_string_of_a_real_info,
        integers,
    };
    INTERPOSE_RUN(tests);
}
