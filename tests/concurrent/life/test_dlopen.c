/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A running program loads the library with dlopen while another thread changes the environment: create_env and
 * MPI_INFO_ENV must report the environment with which the process was started. The program may close the library again
 * while threads that have used it live on, are using it, or end afterwards: the library and its objects stay in memory.
 * So each round is a process of its own. In every other one the first thread, whose thread id is the process id, ends
 * before the library is loaded.
 *
 * usage: test_dlopen PATH-OF-LIBRARY ARGUMENT
 */
#include <dlfcn.h>

#include "support/flavour.h"
#include "support/spawn.h"
#include "support/storm.h"

#define ROUND "RCUINFO_TEST_ROUND"
#define SIZE  "OMPI_COMM_WORLD_SIZE" /* storm sets it to 70 and more */
enum { ROUNDS = TEST_SANITIZED ? 8 : 30, CALLS = 50, THREADS = 3 };

static atomic_bool may_end;
static atomic_ulong changes;
static atomic_uint users;
static char *size, **arguments; /* with which this process was started */

/* Finds the functions by their names in the library. Natively the names here are macros for these. */
#define FUNCTIONS(X)  X(MPI_Info_create_env) X(MPI_Info_dup) X(MPI_Info_set) X(MPI_Info_get) X(MPI_Info_free)
#define DECLARE(name) static __typeof__(&name) p_##name;
#define TEXT_OF(name) #name
#define FIND(name)                                                                                                     \
    *(void **)(void *)&p_##name = dlsym(library, TEXT_OF(name));                                                       \
    CHECKF(p_##name != NULL, "%s", dlerror());
FUNCTIONS(DECLARE)

static MPI_Info info_env;

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

static void check_info(MPI_Info info)
{
    char joined[MPI_MAX_INFO_VAL];
    (void)snprintf(joined, sizeof joined, "%.*s %s", (int)sizeof joined / 2, arguments[1], arguments[2]);
    check_value(info, "command", arguments[0]);
    check_value(info, "argv", joined);
    check_value(info, "maxprocs", size);
    check_value(info, "soft", size);
}

/* Uses the library until after it was closed. */
static void *use(void *unused)
{
    MPI_Info info, copy;
    for (unsigned i = 0; i < CALLS || !atomic_load(&may_end); i++) {
        CHECK(p_MPI_Info_create_env(0, NULL, &info) == MPI_SUCCESS);
        check_info(info);
        CHECK(p_MPI_Info_set(info, "host", "another") == MPI_SUCCESS);
        CHECK(p_MPI_Info_dup(info, &copy) == MPI_SUCCESS);
        check_value(copy, "host", "another");
        CHECK(p_MPI_Info_free(&info) == MPI_SUCCESS);
        CHECK(p_MPI_Info_free(&copy) == MPI_SUCCESS);
        check_info(info_env);
        if (i == CALLS / 2)
            atomic_fetch_add(&users, 1);
    }
    return unused;
}

static void find_functions(void *library)
{
    FUNCTIONS(FIND)
#ifdef TEST_FLAVOUR_native
    rcuinfo_t (*find)(void);
    *(void **)(void *)&find = dlsym(library, "rcuinfo_env");
    CHECKF(find != NULL, "%s", dlerror());
    info_env = find();
#else
    info_env = MPI_INFO_ENV;
#endif
}

static void load(void)
{
    pthread_t threads[THREADS + 1];
    CHECK(size = strdup(getenv(SIZE)));
    CHECK(pthread_create(&threads[0], NULL, change_environment, NULL) == 0);
    TEAM_UNTIL(atomic_load(&changes) >= 2);
    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    CHECKF(library != NULL, "%s", dlerror());
    find_functions(library);
    for (int i = 1; i <= THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, use, NULL) == 0);
    TEAM_UNTIL(atomic_load(&users) >= THREADS);
    CHECK(dlclose(library) == 0);
    check_info(info_env);
    atomic_store(&may_end, true);
    for (int i = 0; i <= THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    free(size);
}

static void *load_alone(void *unused)
{
    (void)unused;
    team_outlive_first();
    load();
    exit(0);
}

int main(int argc, char **argv)
{
    char text[32];
    pthread_t thread;
    CHECK(argc == 3);
    arguments = argv;
    if (getenv(ROUND)) {
        if (strcmp(getenv(ROUND), "whole") == 0) {
            load();
            return 0;
        }
        CHECK(pthread_create(&thread, NULL, load_alone, NULL) == 0);
        pthread_exit(NULL);
    }
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(setenv(ROUND, i % 2 ? "without its first thread" : "whole", 1) == 0);
        (void)snprintf(text, sizeof text, "%d", i + 2);
        CHECK(setenv(SIZE, text, 1) == 0);
        spawn_again(argv, text, sizeof text);
    }
    return 0;
}
