/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * storm: three threads that repeatedly change the state that a process was started with: one its environment (including
 * the variables of launchers), one its directory, one main's argv, both the strings in place and the pointers. All of
 * it is restored at the end. One storm at a time. Meanwhile no other code may call getenv, or rely on the directory.
 */
#pragma once

#include <stdbool.h>
#include <unistd.h>

#include "support/gate.h"
#include "support/scale.h"
#include "support/threads.h"

enum storm_kind {
    STORM_WILD,   /* names come and go, so that glibc moves the environment */
    STORM_GENTLE, /* only values change: pointers are exchanged, so getenv (e.g. in MPI_Init) always finds some value */
};

enum { STORM_THREADS = 3, STORM_NAMES = 200, STORM_ARGUMENTS = 16, STORM_PATH = 4096 };

static const char *const storm_names[] = {
    /* An MPI library that no launcher has started ignores the first STORM_HARMLESS. */
    "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", "OMPI_MCA_initial_wdir", "OMPI_COMMAND", "OMPI_ARGV", "PWD",
    "HOSTNAME",
    /* The others have an effect on it. */
    "OMPI_UNIVERSE_SIZE", "OMPI_MCA_orte_default_hostfile", "PMIX_HOSTNAME", "PMIX_NAMESPACE", "PMIX_RANK", "PMI_RANK",
    "PMI_PORT", "MPIR_CVAR_CH3_INTERFACE_HOSTNAME", "PMI_HOSTNAME", "SLURM_STEP_NUM_TASKS", "SLURM_NPROCS",
    "SLURM_SUBMIT_DIR", "SLURMD_NODENAME", "SLURM_HOSTFILE", "OMPI_MPI_THREAD_LEVEL", "MPIR_CVAR_DEFAULT_THREAD_LEVEL"};
enum { STORM_HARMLESS = 8, STORM_ALL = sizeof storm_names / sizeof *storm_names };

/* A string: its address when the storm began, and its content. */
struct storm_text {
    char *at;
    char *copy;
};

static struct {
    pthread_t threads[STORM_THREADS];
    enum storm_kind kind;
    atomic_bool stop;
    atomic_ulong rounds[STORM_THREADS];
    struct storm_text variables[STORM_ALL]; /* NULL: not set */
    struct storm_text arguments[STORM_ARGUMENTS];
    char directory[STORM_PATH];
    int argc;
    char **argv;
} storm;

static inline void storm_overwrite(char *text, char with)
{
    memset(text, with, strlen(text));
}

/* Gives every variable a new value, then removes some, also new ones, and overwrites the initial ones in place. */
static inline void storm_environment(unsigned long round)
{
    static char own[2][32] = {"PMI_SIZE=71", "SLURM_NTASKS=72"};
    int names = storm.kind == STORM_WILD ? STORM_ALL : STORM_HARMLESS;
    for (int i = 0; i < names; i++) {
        char value[16];
        (void)snprintf(value, sizeof value, "%lu", 70 + round % 20);
        CHECK(setenv(storm_names[i], value, 1) == 0);
        if (storm.variables[i].at)
            storm_overwrite(storm.variables[i].at, (char)('5' + round % 5));
    }
    if (storm.kind == STORM_GENTLE)
        return;
    CHECK(putenv(own[round % 2]) == 0);
    for (int i = 0; i < STORM_NAMES; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "RCUINFO_TEST_STORM_%d", i);
        CHECK((round % 2 ? unsetenv(name) : setenv(name, "new", 1)) == 0);
    }
    CHECK(unsetenv(storm_names[round % STORM_ALL]) == 0);
}

static inline void storm_chdir(unsigned long round)
{
    static const char *const directories[] = {"/", "/usr", "/tmp"};
    CHECK(chdir(directories[round % 3]) == 0);
}

static inline void storm_argv(unsigned long round)
{
    static char other[] = "another argument";
    /* MPI_Init of MPICH calls hwloc, which reads the program's name. */
    for (int i = storm.kind == STORM_GENTLE; i < storm.argc; i++) {
        storm_overwrite(storm.arguments[i].at, (char)('a' + round % 26));
        storm.argv[i] = round % 2 ? other : storm.arguments[i].at;
    }
}

static inline void *storm_main(void *index)
{
    static void (*const bodies[])(unsigned long) = {storm_environment, storm_chdir, storm_argv};
    size_t which = (size_t)index;
    for (unsigned long round = 0; !atomic_load(&storm.stop); round++) {
        gate_enter();
        bodies[which](round);
        gate_leave();
        atomic_fetch_add(&storm.rounds[which], 1);
        sched_yield(); /* on two cores the other threads would hardly run */
    }
    return NULL;
}

/* Waits until each thread of the storm has changed everything n times more. */
static inline void storm_wait(unsigned long n)
{
    for (int i = 0; i < STORM_THREADS; i++) {
        unsigned long before = atomic_load(&storm.rounds[i]);
        TEAM_UNTIL(atomic_load(&storm.rounds[i]) >= before + n);
    }
}

static inline struct storm_text storm_keep(char *text)
{
    struct storm_text kept = {text, text ? strdup(text) : NULL};
    CHECK(!text == !kept.copy);
    return kept;
}

static inline char *storm_put_back(struct storm_text kept)
{
    memcpy(kept.at, kept.copy, strlen(kept.copy));
    free(kept.copy);
    return kept.at;
}

static inline void storm_remember(int argc, char **argv)
{
    CHECK(getcwd(storm.directory, sizeof storm.directory) != NULL && argc <= STORM_ARGUMENTS);
    for (int i = 0; i < STORM_ALL; i++)
        storm.variables[i] = storm_keep(getenv(storm_names[i]));
    storm.argc = argc;
    storm.argv = argv;
    for (int i = 0; i < argc; i++)
        storm.arguments[i] = storm_keep(argv[i]);
}

static inline void storm_restore(void)
{
    for (int i = 0; i < STORM_ALL; i++) {
        if (storm.variables[i].at) /* the same string, not a copy */
            CHECK(putenv(storm_put_back(storm.variables[i]) - strlen(storm_names[i]) - 1) == 0);
        else
            CHECK(unsetenv(storm_names[i]) == 0);
    }
    for (int i = 0; i < storm.argc; i++)
        storm.argv[i] = storm_put_back(storm.arguments[i]);
    CHECK(chdir(storm.directory) == 0);
}

/* Starts a storm, with the argc and argv of main. Returns when all its threads are running. */
static inline void storm_begin(enum storm_kind kind, int argc, char **argv)
{
    storm_remember(argc, argv);
    storm.kind = kind;
    for (int i = 0; kind == STORM_GENTLE && i < STORM_HARMLESS; i++)
        CHECK(setenv(storm_names[i], "1", 1) == 0);
    atomic_store(&storm.stop, false);
    for (size_t i = 0; i < STORM_THREADS; i++)
        CHECK(pthread_create(&storm.threads[i], NULL, storm_main, (void *)i) == 0);
    storm_wait(2);
}

static inline void storm_end(void)
{
    atomic_store(&storm.stop, true);
    for (int i = 0; i < STORM_THREADS; i++)
        CHECK(pthread_join(storm.threads[i], NULL) == 0);
    storm_restore();
}
