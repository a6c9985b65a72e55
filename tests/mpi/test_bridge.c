/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rcuinfo_from_mpi and rcuinfo_to_mpi: the MPI and the native interface share one store. Built for the flavours with
 * MPI names. For the standard ABI also: the values of its constants, the integers of its handles, the reserved values,
 * and the PMPI names.
 */
#include <dlfcn.h>
#include <limits.h>

#include <rcuinfo/rcuinfo.h>

#include "support/contents.h"
#include "support/phases.h"

TEST(both_handles_name_one_object)
{
    MPI_Info info = make_info({"a", "1"});
    rcuinfo_t native = rcuinfo_from_mpi(info);
    char value[8] = "";
    int flag = 0;
    CHECK(native != RCUINFO_NULL);
    CHECK(rcuinfo_to_mpi(native) == info);
    CHECK_OK(rcuinfo_set(native, "b", "2"));
    CHECK_CONTENTS(info, {"a", "1"}, {"b", "2"});
    CHECK_MPI(MPI_Info_set(info, "a", "3"), MPI_SUCCESS);
    CHECK_OK(rcuinfo_get(native, "a", 7, value, &flag));
    CHECK(flag == 1 && strcmp(value, "3") == 0);
    free_info(info);
    CHECK_STATUS(rcuinfo_set(native, "b", "2"), RCUINFO_ERR_INFO);
    CHECK(rcuinfo_to_mpi(native) == MPI_INFO_NULL);
    CHECK(rcuinfo_from_mpi(info) == RCUINFO_NULL);

    CHECK_OK(rcuinfo_create(&native));
    info = rcuinfo_to_mpi(native);
    CHECK(info != MPI_INFO_NULL);
    CHECK(rcuinfo_from_mpi(info) == native);
    CHECK_OK(rcuinfo_free(&native));
    CHECK_MPI(MPI_Info_free(&info), MPI_ERR_INFO);
}

TEST(invalid_handles_convert_to_null)
{
    CHECK(rcuinfo_from_mpi(MPI_INFO_NULL) == RCUINFO_NULL);
    CHECK(rcuinfo_to_mpi(RCUINFO_NULL) == MPI_INFO_NULL);
    CHECK(rcuinfo_to_mpi(1) == MPI_INFO_NULL);
    CHECK(rcuinfo_to_mpi(UINT64_MAX) == MPI_INFO_NULL);
}

/* MPI_INFO_ENV names the same object in all phases, read-only through both interfaces. rcuinfo_env() is another one. */
TEST(env_of_each_phase)
{
    static rcuinfo_t first;
    rcuinfo_t now = rcuinfo_from_mpi(MPI_INFO_ENV);
    MPI_Info other = rcuinfo_to_mpi(rcuinfo_env());
    int before = 0, after = 0;
    if (!first)
        first = now;
    CHECK(now == first && now != RCUINFO_NULL);
    CHECK(rcuinfo_to_mpi(now) == MPI_INFO_ENV);
    CHECK_STATUS(rcuinfo_set(now, "a", "1"), RCUINFO_ERR_INFO);
    CHECK_OK(rcuinfo_get_nkeys(now, &before));
    CHECK_MPI(MPI_Info_get_nkeys(MPI_INFO_ENV, &after), MPI_SUCCESS);
    CHECK_EQUAL(before, after);
    CHECK(other != MPI_INFO_ENV && rcuinfo_from_mpi(other) == rcuinfo_env());
    CHECK_MPI(MPI_Info_set(other, "a", "1"), MPI_ERR_INFO);
}

/* The native interface accepts keys and values that may be longer than this flavour's constants allow. */
TEST(longer_than_the_flavour_allows)
{
    char *key = make_text(RCUINFO_MAX_KEY - 1, 'k', 'k'), *value = make_text(RCUINFO_MAX_VALUE - 1, 'v', 'V');
    char out[RCUINFO_MAX_VALUE] = "";
    MPI_Info info = make_info({"a", "1"});
    rcuinfo_t native = rcuinfo_from_mpi(info);
    int flag = 0, number = -1;
    CHECK_OK(rcuinfo_set(native, key, "long key"));
    CHECK_OK(rcuinfo_set(native, "long value", value));
    CHECK_MPI(MPI_Info_get_nkeys(info, &number), MPI_SUCCESS);
    CHECK_EQUAL(number, 3);
    if (KEY_LIMIT < RCUINFO_MAX_KEY) {
        strcpy(out, "untouched");
        CHECK_MPI(MPI_Info_get_nthkey(info, 1, out), MPI_ERR_INFO_KEY);
        CHECK_TEXT(out, "untouched");
        CHECK_MPI(MPI_Info_get(info, key, 8, out, &flag), MPI_ERR_INFO_KEY);
    } else {
        CHECK_MPI(MPI_Info_get_nthkey(info, 1, out), MPI_SUCCESS);
        CHECK_TEXT(out, key);
    }
    CHECK_MPI(MPI_Info_get_valuelen(info, "long value", &number, &flag), MPI_SUCCESS);
    CHECK(flag == 1 && number == RCUINFO_MAX_VALUE - 1);
    CHECK_MPI(MPI_Info_get(info, "long value", RCUINFO_MAX_VALUE - 1, out, &flag), MPI_SUCCESS);
    CHECK(flag == 1 && strcmp(out, value) == 0);
    CHECK_MPI(MPI_Info_get(info, "long value", MPI_MAX_INFO_VAL - 1, out, &flag), MPI_SUCCESS);
    CHECK(flag == 1 && strlen(out) == VALUE_LIMIT - 1);
    free_info(info);
    free(key);
    free(value);
}

#if defined(TEST_FLAVOUR_abi)

_Static_assert(MPI_SUCCESS == 0 && MPI_ERR_ARG == 13 && MPI_ERR_OTHER == 16 && MPI_ERR_INTERN == 17, "ABI");
_Static_assert(MPI_ERR_INFO_KEY == 31 && MPI_ERR_INFO_NOKEY == 32 && MPI_ERR_INFO_VALUE == 33, "ABI");
_Static_assert(MPI_ERR_INFO == 34 && MPI_ERR_NO_MEM == 39, "ABI");
_Static_assert(MPI_MAX_INFO_KEY == 256 && MPI_MAX_INFO_VAL == 1024, "ABI");
_Static_assert(sizeof(MPI_Info) == sizeof(struct MPI_ABI_Info *), "ABI");

TEST(predefined_handles)
{
    CHECK_EQUAL((uintptr_t)MPI_INFO_NULL, 0x130);
    CHECK_EQUAL((uintptr_t)MPI_INFO_ENV, 0x131);
    CHECK_EQUAL(MPI_Info_toint(MPI_INFO_NULL), 0x130);
    CHECK_EQUAL(MPI_Info_toint(MPI_INFO_ENV), 0x131);
    CHECK(MPI_Info_fromint(0x130) == MPI_INFO_NULL);
    CHECK(MPI_Info_fromint(0x131) == MPI_INFO_ENV);
}

/* The ABI reserves 0..4095: no handle of ours may lie there, neither as a pointer nor as an integer. */
TEST(integers_of_handles)
{
    enum { OBJECTS = 3000 };
    static MPI_Info infos[OBJECTS];
    for (int i = 0; i < OBJECTS; i++) {
        int integer, nkeys = -1;
        CHECK_MPI(MPI_Info_create(&infos[i]), MPI_SUCCESS);
        CHECK((uintptr_t)infos[i] > 4095);
        CHECK_EQUAL((uintptr_t)infos[i] >> (8 * sizeof infos[i] - 1), 1); /* no user address has the top bit set */
        integer = MPI_Info_toint(infos[i]);
        CHECK(integer < 0 || integer > 4095);
        CHECK(MPI_Info_fromint(integer) == infos[i]);
        CHECK_MPI(MPI_Info_get_nkeys(MPI_Info_fromint(integer), &nkeys), MPI_SUCCESS);
        CHECK_EQUAL(nkeys, 0);
        CHECK_MPI(MPI_Info_get_nkeys(MPI_Info_fromint(integer | INT_MIN), &nkeys), MPI_ERR_INFO); /* never ours */
    }
    for (int i = 0; i < OBJECTS; i++) {
        int integer = MPI_Info_toint(infos[i]), nkeys = -1;
        CHECK_MPI(MPI_Info_free(&infos[i]), MPI_SUCCESS);
        CHECK_MPI(MPI_Info_get_nkeys(MPI_Info_fromint(integer), &nkeys), MPI_ERR_INFO);
    }
}

TEST(integers_that_were_never_given)
{
    static const int integers[] = {0, 1, -1, 2, 0x12f, 0x132, 4095, 4096, 1 << 20, INT_MAX, INT_MIN, INT_MIN + 1};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        int nkeys = -1;
        CHECK_MPI(MPI_Info_get_nkeys(MPI_Info_fromint(integers[i]), &nkeys), MPI_ERR_INFO);
    }
    CHECK_EQUAL(MPI_Info_toint((MPI_Info)(uintptr_t)4096), 0); /* the address of another library's handle */
    CHECK_EQUAL(MPI_Info_toint((MPI_Info)(UINTPTR_MAX >> 1)), 0);
}

/* The PMPI name of a function. Does not compile unless the header declares it with the type of the MPI name. */
#define SECOND(name) _Generic(PMPI_Info_##name, __typeof__(&MPI_Info_##name) : "PMPI_Info_" #name)

TEST(profiling_names)
{
    static const char *const names[] = {SECOND(create),     SECOND(create_env),   SECOND(set),        SECOND(delete),
                                        SECOND(get),        SECOND(get_valuelen), SECOND(get_string), SECOND(get_nkeys),
                                        SECOND(get_nthkey), SECOND(dup),          SECOND(free),       SECOND(toint),
                                        SECOND(fromint)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *function = dlsym(RTLD_DEFAULT, names[i]);
        CHECKF(function && function == dlsym(RTLD_DEFAULT, names[i] + 1), "%s", names[i]);
    }
}

#endif

PHASES_MAIN
