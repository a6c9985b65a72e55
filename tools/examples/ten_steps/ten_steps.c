/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Info objects in ten steps. The other programs in this folder do the same in C++ and Fortran, and print the same. No
 * MPI library is needed: the standard-ABI library contains the info calls alone.
 *
 * Build: cc ten_steps.c $(pkg-config --cflags --libs rcuinfo-mpi)
 */
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

/* The standard-ABI library has no error handlers: every call returns an error code. */
static void check(int code)
{
    if (code != MPI_SUCCESS) {
        fprintf(stderr, "error of class %d\n", code); /* codes are classes here, listed in mpi.h */
        exit(1);
    }
}

static int count(MPI_Info info)
{
    int nkeys;
    check(MPI_Info_get_nkeys(info, &nkeys));
    return nkeys;
}

int main(void)
{
    MPI_Info info, dup;
    char key[MPI_MAX_INFO_KEY], value[MPI_MAX_INFO_VAL], old[MPI_MAX_INFO_VAL];
    int length, flag, gone;

    check(MPI_Info_create(&info));
    printf("1 create: %d keys\n", count(info));

    check(MPI_Info_set(info, "host", "node01"));
    check(MPI_Info_set(info, "soft", "1:8:2"));
    check(MPI_Info_set(info, "wdir", "/tmp"));
    printf("2 set: %d keys\n", count(info));

    /* Setting an existing key replaces its value; the key keeps its position. */
    check(MPI_Info_set(info, "wdir", "/scratch"));
    check(MPI_Info_get(info, "wdir", MPI_MAX_INFO_VAL - 1, value, &flag));
    printf("3 override: wdir is %s\n", flag ? value : "absent");

    printf("4 nkeys: %d\n", count(info));

    printf("5 nthkey:");
    for (int n = 0; n < count(info); n++) {
        check(MPI_Info_get_nthkey(info, n, key));
        printf(" %s", key);
    }
    printf("\n");

    /* The length does not include the NUL, so the buffer needs one more byte. */
    check(MPI_Info_get_valuelen(info, "soft", &length, &flag));
    printf("6 valuelen: soft %d\n", flag ? length : -1);

    /* A missing key is not an error: flag becomes 0, and value is unchanged. */
    check(MPI_Info_get(info, "host", MPI_MAX_INFO_VAL - 1, value, &flag));
    printf("7 get: host %s\n", flag ? value : "absent");

    check(MPI_Info_dup(info, &dup));
    printf("8 dup: %d keys\n", count(dup));

    /* Changes to one of the two do not affect the other. */
    check(MPI_Info_delete(info, "soft"));
    check(MPI_Info_get(info, "soft", MPI_MAX_INFO_VAL - 1, value, &gone));
    check(MPI_Info_get(dup, "soft", MPI_MAX_INFO_VAL - 1, old, &flag));
    printf("9 delete: %d keys, soft is %s; the dup has %s\n", count(info), gone ? value : "gone",
           flag ? old : "nothing");

    check(MPI_Info_free(&info));
    check(MPI_Info_free(&dup));
    printf("10 free: %s\n",
           info == MPI_INFO_NULL && dup == MPI_INFO_NULL ? "both handles are null" : "a handle is left");
    return 0;
}
