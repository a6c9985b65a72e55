/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * create_env and MPI_INFO_ENV where few may be called: in constructors of the first priority, in destructors of all
 * kinds, in children of forks (in the middle of a storm: mpi.env_storm), before MPI_Init and after MPI_Finalize. For
 * each place a process of its own, in which nobody asks before; what it prints is what a process that asks in main
 * prints.
 *
 * usage: test_env_places ARGUMENT...     any arguments; the place stands in the environment
 */
#include <pthread.h>

#include "support/describe.h"
#include "support/spawn.h"
#include "support/storm.h"

#define VARIABLE "RCUINFO_TEST_PLACE"

enum where {
    IN_CONSTRUCTOR,
    IN_THREAD_OF_CONSTRUCTOR,
    IN_MAIN,
    IN_THREAD,
    IN_END_OF_THREAD,
    IN_END_OF_MAIN_THREAD,
    IN_CHILD,
    IN_GRANDCHILD,
    AFTER_STORM,
    AT_EXIT,
    IN_DESTRUCTOR,
};

/* What MPI has been through before the place is reached. */
enum mpi { MPI_NONE, MPI_RUNS, MPI_OVER };

static const struct place {
    const char *name;
    enum where where;
    enum mpi mpi;
} places[] = {
    {"main", IN_MAIN, MPI_NONE},
    {"constructor", IN_CONSTRUCTOR, MPI_NONE},
    {"thread of constructor", IN_THREAD_OF_CONSTRUCTOR, MPI_NONE},
    {"thread", IN_THREAD, MPI_NONE},
    {"end of thread", IN_END_OF_THREAD, MPI_NONE},
    {"end of main thread", IN_END_OF_MAIN_THREAD, MPI_NONE},
    {"child", IN_CHILD, MPI_NONE},
    {"grandchild", IN_GRANDCHILD, MPI_NONE},
    {"after storm", AFTER_STORM, MPI_NONE},
    {"atexit", AT_EXIT, MPI_NONE},
    {"destructor", IN_DESTRUCTOR, MPI_NONE},
#if TEST_REAL_MPI
    {"main, initialized", IN_MAIN, MPI_RUNS},
    {"thread, initialized", IN_THREAD, MPI_RUNS},
    {"main, finalized", IN_MAIN, MPI_OVER},
    {"end of thread, finalized", IN_END_OF_THREAD, MPI_OVER},
    {"end of main thread, finalized", IN_END_OF_MAIN_THREAD, MPI_OVER},
    {"child, finalized", IN_CHILD, MPI_OVER},
    {"after storm, finalized", AFTER_STORM, MPI_OVER},
    {"atexit, finalized", AT_EXIT, MPI_OVER},
    {"destructor, finalized", IN_DESTRUCTOR, MPI_OVER},
#endif
};
enum { PLACES = sizeof places / sizeof *places, OUTPUT = 3 * DESCRIBE_MAX };

static const struct place *here; /* of this process; NULL: it starts the others */
static pthread_key_t specific;

/* The first calls of this process. */
static void ask(void)
{
    static char solver[] = "./solver", option[] = "-n";
    char *arguments[] = {solver, option}, own[DESCRIBE_MAX], given[DESCRIBE_MAX], env[DESCRIBE_MAX];
    describe_new(0, NULL, own);
    describe_new(2, arguments, given);
    describe(MPI_INFO_ENV, env);
    CHECK(dprintf(STDOUT_FILENO, "%s%s%s", own, given, env) > 0);
}

static bool is(enum where where)
{
    return here && here->where == where;
}

static void ask_if(enum where where)
{
    if (is(where))
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
    const char *name = getenv(VARIABLE);
    for (int i = 0; name && i < PLACES; i++) {
        if (strcmp(places[i].name, name) == 0)
            here = &places[i];
    }
    CHECK(pthread_key_create(&specific, end_of_thread) == 0);
    ask_if(IN_CONSTRUCTOR);
    if (is(IN_THREAD_OF_CONSTRUCTOR))
        run_thread(IN_THREAD_OF_CONSTRUCTOR);
}

__attribute__((destructor(101))) static void end(void)
{
    ask_if(IN_DESTRUCTOR);
}

/* The child asks, or a child of it. */
static void run_child(bool asks)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child != 0) {
        spawn_wait(child, here->name);
        return;
    }
    if (asks) {
        ask();
        _exit(0);
    }
    child = fork();
    CHECK(child >= 0);
    if (child != 0)
        spawn_wait(child, "grandchild");
    else
        ask();
    _exit(0);
}

static void go_through_mpi(void)
{
#if TEST_REAL_MPI
    int provided = 0;
    if (here->mpi >= MPI_RUNS)
        CHECK_MPI(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    if (here->mpi == MPI_OVER)
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
    if (is(IN_CHILD) || is(IN_GRANDCHILD))
        run_child(is(IN_CHILD));
    if (is(AFTER_STORM)) {
        storm_once(argc, argv);
        ask();
    }
#if TEST_REAL_MPI
    if (here->mpi == MPI_RUNS)
        CHECK_MPI(MPI_Finalize(), MPI_SUCCESS);
#endif
    if (is(IN_END_OF_MAIN_THREAD)) {
        CHECK(pthread_setspecific(specific, &end_of_main) == 0);
        pthread_exit(NULL); /* the last thread: its data goes, and the process exits */
    }
}

/* What a process that asks there prints. */
static void visit(const struct place *place, char *const *argv, char output[OUTPUT])
{
    CHECK(setenv(VARIABLE, place->name, 1) == 0);
    spawn_again(argv, output, OUTPUT);
}

int main(int argc, char **argv)
{
    static char wanted[OUTPUT], output[OUTPUT];
    CHECK(argc > 1);
    if (here) {
        live(argc, argv);
        return 0;
    }
    visit(&places[0], argv, wanted);
    CHECK(strlen(wanted) > 100);
    for (int i = 1; i < PLACES; i++) {
        /* ThreadSanitizer has a thread of its own, which never ends. */
        if (TEST_THREAD_SANITIZER && places[i].where == IN_END_OF_MAIN_THREAD)
            continue;
        visit(&places[i], argv, output);
        describe_same(output, wanted, places[i].name);
    }
    printf("%d places\n", PLACES);
    return 0;
}
