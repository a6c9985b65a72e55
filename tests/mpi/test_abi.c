/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is particular to the standard ABI: the values of its constants, the integers of its handles, the reserved
 * values, and the PMPI names.
 */
#include <limits.h>

#include "support/phases.h"

_Static_assert(MPI_SUCCESS == 0 && MPI_ERR_ARG == 13 && MPI_ERR_OTHER == 16 && MPI_ERR_INTERN == 17, "ABI");
_Static_assert(MPI_ERR_INFO_KEY == 31 && MPI_ERR_INFO_NOKEY == 32 && MPI_ERR_INFO_VALUE == 33, "ABI");
_Static_assert(MPI_ERR_INFO == 34 && MPI_ERR_NO_MEM == 39, "ABI");
_Static_assert(MPI_MAX_INFO_KEY == 256 && MPI_MAX_INFO_VAL == 1024, "ABI");
_Static_assert(sizeof(MPI_Info) == sizeof(struct MPI_ABI_Info *), "ABI");

static void predefined_handles(void)
{
    CHECK_EQUAL((uintptr_t)MPI_INFO_NULL, 0x130);
    CHECK_EQUAL((uintptr_t)MPI_INFO_ENV, 0x131);
    CHECK_EQUAL(MPI_Info_toint(MPI_INFO_NULL), 0x130);
    CHECK_EQUAL(MPI_Info_toint(MPI_INFO_ENV), 0x131);
    CHECK(MPI_Info_fromint(0x130) == MPI_INFO_NULL);
    CHECK(MPI_Info_fromint(0x131) == MPI_INFO_ENV);
}

/* Handles never lie in 0..4095, where no integer and no pointer of ours may be. */
static void integers_of_handles(void)
{
    enum { OBJECTS = 3000 };
    static MPI_Info infos[OBJECTS];
    for (int i = 0; i < OBJECTS; i++) {
        int integer, nkeys = -1;
        CHECK_MPI(MPI_Info_create(&infos[i]), MPI_SUCCESS);
        CHECK((uintptr_t)infos[i] > 4095);
        CHECK_EQUAL((uintptr_t)infos[i] >> (8 * sizeof infos[i] - 1), 1); /* no user address has the top bit */
        integer = MPI_Info_toint(infos[i]);
        CHECK(integer < 0 || integer > 4095);
        CHECK(MPI_Info_fromint(integer) == infos[i]);
        CHECK_MPI(MPI_Info_get_nkeys(MPI_Info_fromint(integer), &nkeys), MPI_SUCCESS);
        CHECK_EQUAL(nkeys, 0);
        CHECK_MPI(MPI_Info_get_nkeys(MPI_Info_fromint(integer | INT_MIN), &nkeys), MPI_ERR_INFO); /* not our mark */
    }
    for (int i = 0; i < OBJECTS; i++) {
        int integer = MPI_Info_toint(infos[i]), nkeys = -1;
        CHECK_MPI(MPI_Info_free(&infos[i]), MPI_SUCCESS);
        CHECK(infos[i] == MPI_INFO_NULL);
        CHECK_MPI(MPI_Info_get_nkeys(MPI_Info_fromint(integer), &nkeys), MPI_ERR_INFO);
        CHECK_EQUAL(nkeys, -1);
    }
}

static void integers_that_were_never_given(void)
{
    static const int integers[] = {0, 1, -1, 2, 0x12f, 0x132, 4095, 4096, 1 << 20, INT_MAX, INT_MIN, INT_MIN + 1};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        int nkeys = -1;
        MPI_Info info = MPI_Info_fromint(integers[i]);
        CHECK_MPI(MPI_Info_get_nkeys(info, &nkeys), MPI_ERR_INFO);
        CHECK_MPI(MPI_Info_set(info, "a", "1"), MPI_ERR_INFO);
        CHECK_MPI(MPI_Info_free(&info), MPI_ERR_INFO);
        CHECK_EQUAL(nkeys, -1);
    }
}

typedef void function_t(void);

/* Each function by both names. The compiler is not to know what they are: it would take two names for two functions. */
#define NAMES(name)                                                                                                    \
    {                                                                                                                  \
        (function_t *)MPI_Info_##name, (function_t *)PMPI_Info_##name                                                  \
    }
static function_t *volatile names[][2] = {
    NAMES(create),       NAMES(create_env), NAMES(set),       NAMES(delete),     NAMES(get),
    NAMES(get_valuelen), NAMES(get_string), NAMES(get_nkeys), NAMES(get_nthkey), NAMES(dup),
    NAMES(free),         NAMES(toint),      NAMES(fromint),
};

static void profiling_names(void)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK(names[i][0] == names[i][1]);
}

int main(void)
{
    static test_function *const tests[] = {
        predefined_handles,
        integers_of_handles,
        integers_that_were_never_given,
        profiling_names,
    };
    RUN_TESTS("the standard ABI", tests);
    return 0;
}
