/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first use of create_env and MPI_INFO_ENV in unusual places: constructors of the first priority, destructors of
 * all kinds, children of fork (mpi.env_storm forks during a storm), before MPI_Init and after MPI_Finalize. Each place
 * has a process of its own, which must print the same pairs as a process that calls them in main. Without a launcher
 * these are the known facts about the process.
 *
 * usage: test_env_places ARGUMENT ARGUMENT     with any arguments; an environment variable selects the place
 */
#include <pthread.h>
#include <sys/utsname.h>

#include "support/describe.h"
#include "support/spawn.h"
#include "support/storm.h"

#define VARIABLE "RCUINFO_TEST_PLACE"

enum where {
    IN_MAIN,
    IN_THREAD,
    IN_CONSTRUCTOR,
    IN_THREAD_OF_CONSTRUCTOR,
    IN_END_OF_THREAD,
    IN_END_OF_MAIN_THREAD,
    IN_CHILD,
    IN_GRANDCHILD,
    AFTER_STORM,
    AT_EXIT,
    IN_DESTRUCTOR,
    PLACES,
};

/* The state of MPI when the place is reached. */
enum mpi { MPI_NONE, MPI_RUNS, MPI_OVER };

enum { OUTPUT = 3 * DESCRIBE_MAX };

/* The place of this process. PLACES: this process starts the others. */
static enum where here = PLACES;
static enum mpi mpi;
static pthread_key_t specific;

/* Makes the first calls of this process, and prints the pairs. */
static void ask(void)
{
    static char solver[] = "./solver", option[] = "-n";
    char *arguments[] = {solver, option}, own[DESCRIBE_MAX], given[DESCRIBE_MAX], env[DESCRIBE_MAX];
    describe_new(0, NULL, own);
    describe_new(2, arguments, given);
    describe(MPI_INFO_ENV, env);
    CHECK(dprintf(STDOUT_FILENO, "%s%s%s", own, given, env) > 0);
}

static void ask_if(enum where where)
{
    if (here == where)
        ask();
}

static void end_of_thread(void *place)
{
    ask_if(*(const enum where *)place);
}

static void *thread(void *place)
{
    static const enum where end = IN_END_OF_THREAD;
    ask_if(*(const enum where *)place);
    CHECK(pthread_setspecific(specific, &end) == 0);
    return NULL;
}

static void run_thread(enum where where)
{
    pthread_t id;
    CHECK(pthread_create(&id, NULL, thread, &where) == 0);
    CHECK(pthread_join(id, NULL) == 0);
}

static void at_exit(void)
{
    ask_if(AT_EXIT);
}

__attribute__((constructor(101))) static void begin(void)
{
    const char *place = getenv(VARIABLE);
    if (place) {
        here = (enum where)(atoi(place) % PLACES);
        mpi = (enum mpi)(atoi(place) / PLACES);
    }
    CHECK(pthread_key_create(&specific, end_of_thread) == 0);
    ask_if(IN_CONSTRUCTOR);
    if (here == IN_THREAD_OF_CONSTRUCTOR)
        run_thread(IN_THREAD_OF_CONSTRUCTOR);
}

__attribute__((destructor(101))) static void end(void)
{
    ask_if(IN_DESTRUCTOR);
}

/* Forks. The child process makes the calls, or with 2 generations its own child. */
static void run_child(int generations)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child != 0) {
        spawn_wait(child, "child");
        return;
    }
    if (generations > 1)
        run_child(generations - 1);
    else
        ask();
    _exit(0);
}

static void go_through_mpi(void)
{
#if TEST_REAL_MPI
    int provided = 0;
    if (mpi >= MPI_RUNS)
        CHECK_MPI(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    if (mpi == MPI_OVER)
        CHECK_MPI(MPI_Finalize(), MPI_SUCCESS);
#endif
}

static void live(int argc, char **argv)
{
    static const enum where end_of_main = IN_END_OF_MAIN_THREAD;
    CHECK(atexit(at_exit) == 0);
    go_through_mpi();
    ask_if(IN_MAIN);
    run_thread(IN_THREAD);
    if (here == IN_CHILD || here == IN_GRANDCHILD)
        run_child(here == IN_CHILD ? 1 : 2);
    if (here == AFTER_STORM) {
        storm_once(argc, argv);
        ask();
    }
#if TEST_REAL_MPI
    if (mpi == MPI_RUNS)
        CHECK_MPI(MPI_Finalize(), MPI_SUCCESS);
#endif
    if (here == IN_END_OF_MAIN_THREAD) {
        CHECK(pthread_setspecific(specific, &end_of_main) == 0);
        pthread_exit(NULL); /* ends the last thread: its key destructors run, then the process exits */
    }
}

/* Checks the keys, their order, and each value against its source. (Trap 5: empty with some MPI libraries.) */
static void check_wanted(const char *wanted, char **argv)
{
    enum { MOST = MPI_MAX_INFO_VAL - 1 };
    char host[256] = "", directory[STORM_PATH], rest[DESCRIBE_MAX / 2], own[DESCRIBE_MAX], text[OUTPUT];
    struct utsname system;
    CHECK(gethostname(host, sizeof host - 1) == 0 && uname(&system) == 0 && getcwd(directory, sizeof directory));
    (void)snprintf(rest, sizeof rest, "maxprocs=1\nsoft=1\nhost=%s\narch=%s\nwdir=%.*s\n", host, system.machine, MOST,
                   directory);
    (void)snprintf(own, sizeof own, "command=%.*s\nargv=%s %s\n%s", MOST, argv[0], argv[1], argv[2], rest);
    (void)snprintf(text, sizeof text, "%scommand=./solver\nargv=-n\n%s%s", own, rest, own);
    describe_same(wanted, text, "the output");
}

int main(int argc, char **argv)
{
    static char wanted[OUTPUT], output[OUTPUT], place[16];
    CHECK(argc == 3);
    if (here != PLACES) {
        live(argc, argv);
        return 0;
    }
    for (int i = 0; i < PLACES * (TEST_REAL_MPI ? MPI_OVER + 1 : 1); i++) {
        /* ThreadSanitizer has a thread that never ends. While MPI runs, only main and another thread ask. */
        if ((TEST_THREAD_SANITIZER && i % PLACES == IN_END_OF_MAIN_THREAD) ||
            (i / PLACES == MPI_RUNS && i % PLACES > IN_THREAD))
            continue;
        (void)snprintf(place, sizeof place, "%d", i);
        CHECK(setenv(VARIABLE, place, 1) == 0);
        spawn_again(argv, i == 0 ? wanted : output, OUTPUT);
        if (i > 0)
            describe_same(output, wanted, place);
    }
    if (!getenv("OMPI_COMM_WORLD_SIZE")) /* no launcher */
        check_wanted(wanted, argv);
    return 0;
}
