/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads through MPI's names, before MPI_Init, between, and after MPI_Finalize: what crashes or gives garbage in large
 * implementations. One reader and one writer on one object (trap 1), get_nthkey(0) racing with the delete of the only
 * key (trap 7), lengths beside contents (trap 8), free racing with get (trap 9). Values are self-checking where the
 * flavour's limit has room for them.
 */
#include "support/contents.h"
#include "support/phases.h"
#include "support/scale.h"
#include "support/threads.h"

enum { ROUNDS = SCALED(60000) };

static MPI_Info info;
static _Atomic(MPI_Info) current;
static atomic_int finished;

/* Values are one letter repeated; the letter tells the length. */
static int length_of(char letter)
{
    return (letter - 'a') * 9 + 1;
}

static void write_values(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        char value[26 * 9 + 1], letter = (char)('a' + i % 26);
        memset(value, letter, (size_t)length_of(letter));
        value[length_of(letter)] = '\0';
        CHECK_MPI(MPI_Info_set(info, "key", value), MPI_SUCCESS);
        CHECK_MPI(MPI_Info_set(info, "only", "x"), MPI_SUCCESS);
        CHECK_MPI(MPI_Info_delete(info, "only"), MPI_SUCCESS);
    }
    atomic_store(&finished, 1);
}

static void check_letters(const char *value)
{
    size_t length = strlen(value);
    CHECKF(length == (size_t)length_of(value[0]), "\"%s\"", value);
    for (size_t i = 0; i < length; i++)
        CHECKF(value[i] == value[0], "\"%s\"", value);
}

static void read_values(void)
{
    while (!atomic_load(&finished)) {
        char value[MPI_MAX_INFO_VAL], key[MPI_MAX_INFO_KEY] = "#";
        int flag = 0, size = MPI_MAX_INFO_VAL, code;
        CHECK_MPI(MPI_Info_get(info, "key", MPI_MAX_INFO_VAL - 1, value, &flag), MPI_SUCCESS);
        CHECK(flag == 1);
        check_letters(value);
        CHECK_MPI(MPI_Info_get_string(info, "key", &size, value, &flag), MPI_SUCCESS);
        CHECK(flag == 1 && size == (int)strlen(value) + 1);
        check_letters(value);
        CHECK_MPI(MPI_Info_get_valuelen(info, "key", &size, &flag), MPI_SUCCESS);
        CHECK(flag == 1 && size % 9 == 1);
        code = (int)MPI_Info_get_nthkey(info, 1, key);
        CHECKF(code == MPI_SUCCESS || code == MPI_ERR_ARG, "code %d", code);
        CHECKF(strcmp(key, code == MPI_SUCCESS ? "only" : "#") == 0, "code %d, key \"%s\"", code, key);
        CHECK_MPI(MPI_Info_get_nkeys(info, &size), MPI_SUCCESS);
        CHECK(size == 1 || size == 2);
    }
}

static void reader_and_writer(unsigned index, void *argument)
{
    (void)argument;
    if (index == 0)
        write_values();
    else
        read_values();
}

static void one_object(void)
{
    atomic_store(&finished, 0);
    info = make_info({"key", "a"});
    team_run(3, reader_and_writer, NULL);
    free_info(info);
}

static void free_and_get(unsigned index, void *argument)
{
    (void)argument;
    if (index == 0) {
        for (int i = 0; i < ROUNDS / 3; i++) {
            MPI_Info old = atomic_load(&current);
            atomic_store(&current, make_info({"key", "old content"}));
            free_info(old);
        }
        atomic_store(&finished, 1);
        return;
    }
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

static void free_races_with_get(void)
{
    atomic_store(&finished, 0);
    atomic_store(&current, make_info({"key", "old content"}));
    team_run(3, free_and_get, NULL);
    free_info(atomic_load(&current));
}

static test_function *const tests[] = {
    one_object,
    free_races_with_get,
};

PHASES_MAIN(tests)
