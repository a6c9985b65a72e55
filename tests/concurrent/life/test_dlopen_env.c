/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library loaded by a running program, while another thread of it changes the environment: what create_env and
 * MPI_INFO_ENV say is the environment that the process was started with. A loaded library stays, so each round is a
 * process of its own; every other one ends its first thread before, whose number is the process's.
 *
 * usage: test_dlopen_env PATH-OF-LIBRARY ARGUMENT
 */
#include <dlfcn.h>
#include <stdbool.h>

#include "support/flavour.h"
#include "support/spawn.h"
#include "support/storm.h"

#define ROUND "RCUINFO_TEST_ROUND"
#define SIZE  "OMPI_COMM_WORLD_SIZE" /* storm sets it to 70 and more */
enum { ROUNDS = TEST_SANITIZED ? 8 : 30, CALLS = 50 };

static atomic_bool may_end;
static atomic_ulong changes;

/* By their names in the library, which are macros natively. */
#define FUNCTIONS(X)  X(MPI_Info_create_env) X(MPI_Info_get) X(MPI_Info_free)
#define DECLARE(name) static __typeof__(&name) p_##name;
#define TEXT_OF(name) #name
#define FIND(name)                                                                                                     \
    *(void **)(void *)&p_##name = dlsym(library, TEXT_OF(name));                                                       \
    CHECKF(p_##name != NULL, "%s", dlerror());
FUNCTIONS(DECLARE)

static void *change_environment(void *unused)
{
    for (unsigned long round = 0; !atomic_load(&may_end); round++) {
        storm_environment(round);
        atomic_fetch_add(&changes, 1);
    }
    return unused;
}

static void check_value(MPI_Info info, const char *key, const char *wanted)
{
    char value[MPI_MAX_INFO_VAL] = "";
    int flag = 0;
    CHECK(p_MPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, value, &flag) == MPI_SUCCESS);
    CHECKF(flag == 1 && strcmp(value, wanted) == 0, "%s is \"%s\" and should be \"%s\"", key, value, wanted);
}

static void check_info(MPI_Info info, const char *size, char **argv)
{
    char joined[MPI_MAX_INFO_VAL];
    (void)snprintf(joined, sizeof joined, "%.*s %s", (int)sizeof joined / 2, argv[1], argv[2]);
    check_value(info, "command", argv[0]);
    check_value(info, "argv", joined);
    check_value(info, "maxprocs", size);
    check_value(info, "soft", size);
}

static MPI_Info find_info_env(void *library)
{
#ifdef TEST_FLAVOUR_NATIVE
    rcuinfo_t (*find)(void);
    *(void **)(void *)&find = dlsym(library, "rcuinfo_env");
    CHECKF(find != NULL, "%s", dlerror());
    return find();
#else
    (void)library;
    return MPI_INFO_ENV;
#endif
}

static void load(char **argv)
{
    char *size = strdup(getenv(SIZE));
    pthread_t thread;
    MPI_Info info;
    unsigned spins = 0;
    CHECK(size && pthread_create(&thread, NULL, change_environment, NULL) == 0);
    while (atomic_load(&changes) < 2)
        team_relax(&spins);
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    CHECKF(library != NULL, "%s", dlerror());
    FUNCTIONS(FIND)
    for (int i = 0; i < CALLS; i++) {
        CHECK(p_MPI_Info_create_env(0, NULL, &info) == MPI_SUCCESS);
        check_info(info, size, argv);
        CHECK(p_MPI_Info_free(&info) == MPI_SUCCESS);
        check_info(find_info_env(library), size, argv);
    }
    atomic_store(&may_end, true);
    CHECK(pthread_join(thread, NULL) == 0);
    free(size);
}

static void *load_alone(void *argv)
{
    team_outlive_first();
    load(argv);
    exit(0);
}

int main(int argc, char **argv)
{
    char text[32];
    pthread_t thread;
    CHECK(argc == 3);
    if (getenv(ROUND)) {
        if (strcmp(getenv(ROUND), "whole") == 0) {
            load(argv);
            return 0;
        }
        CHECK(pthread_create(&thread, NULL, load_alone, argv) == 0);
        pthread_exit(NULL);
    }
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(setenv(ROUND, i % 2 ? "without its first thread" : "whole", 1) == 0);
        (void)snprintf(text, sizeof text, "%d", i + 2);
        CHECK(setenv(SIZE, text, 1) == 0);
        spawn_again(argv, text, sizeof text);
    }
    printf("%d processes\n", ROUNDS);
    return 0;
}
