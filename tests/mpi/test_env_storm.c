/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * create_env and MPI_INFO_ENV while other threads change the environment, the working directory and main's argv
 * (storm.h): 64 threads, child processes and their children get the same pairs as main got before the storm. With a
 * real MPI library also during and after MPI_Init_thread and MPI_Finalize. Without a launcher these pairs are the known
 * facts about the process.
 */
#include <sys/utsname.h>

#include "support/describe.h"
#include "support/spawn.h"
#include "support/storm.h"

enum {
    THREADS = 64,
    FEW = 4, /* beside MPI_Init_thread or a fork, which must get processor time */
    ROUNDS = TEST_SANITIZED ? 12 : 150,
    FORKS = TEST_SANITIZED ? 5 : 20,
    LONG = 10000,
    MANY = 300,
};

static char long_argument[LONG + 1], *many[MANY];
static char solver[] = "./solver", option[] = "-n", twelve[] = "12", input[] = "an input file", empty[] = "";
static char *usual[] = {solver, option, twelve, input}, *with_long[] = {solver, long_argument, option};
static char *odd[] = {empty, empty, input};

static struct {
    int argc;
    char **argv;
    char wanted[DESCRIBE_MAX];
} calls[] = {{0, NULL, ""},  {4, usual, ""}, {3, with_long, ""}, {MANY, many, ""},
             {1, usual, ""}, {3, odd, ""},   {0, usual, ""}};
enum { CALLS = sizeof calls / sizeof *calls };

static char wanted_env[DESCRIBE_MAX]; /* the pairs of MPI_INFO_ENV */
static atomic_bool may_end;
static atomic_uint running; /* the number of threads that have compared once */

static void compare(unsigned i)
{
    char text[DESCRIBE_MAX];
    describe_new(calls[i % CALLS].argc, calls[i % CALLS].argv, text);
    describe_same(text, calls[i % CALLS].wanted, "create_env");
    describe(MPI_INFO_ENV, text);
    describe_same(text, wanted_env, "MPI_INFO_ENV");
}

static void *compare_on(void *index)
{
    for (unsigned round = 0; round < ROUNDS || !atomic_load(&may_end); round++) {
        gate_enter();
        compare((unsigned)(size_t)index + round);
        gate_leave();
        if (round == 0)
            atomic_fetch_add(&running, 1);
        if (round >= ROUNDS)
            sched_yield(); /* to the main thread */
    }
    return NULL;
}

static char **main_argv;
static int main_argc;

/* Runs `action`, unless it is NULL, during a storm while n threads compare. Returns its result, or 0. */
static int in_the_storm(enum storm_kind kind, size_t n, int (*action)(void))
{
    pthread_t threads[THREADS];
    storm_begin(kind, main_argc, main_argv);
    atomic_store(&may_end, false);
    atomic_store(&running, 0);
    for (size_t i = 0; i < n; i++)
        CHECK(pthread_create(&threads[i], NULL, compare_on, (void *)i) == 0);
    /* Under the sanitizers, a fork while another thread is starting would make the child process hang. */
    TEAM_UNTIL(atomic_load(&running) >= n);
    int result = action ? action() : 0;
    storm_wait(3);
    atomic_store(&may_end, true);
    for (size_t i = 0; i < n; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    storm_end();
    return result;
}

static void compare_all(void)
{
    for (unsigned i = 0; i < CALLS; i++)
        compare(i);
}

static _Noreturn void live_on(void)
{
    compare_all();
    pid_t grandchild = fork();
    CHECK(grandchild >= 0);
    compare_all();
    if (grandchild != 0)
        spawn_wait(grandchild, "grandchild");
    _exit(0);
}

static int fork_on(void)
{
    for (int i = 0; i < FORKS; i++) {
        pid_t child = gate_fork();
        CHECK(child >= 0);
        if (child == 0)
            live_on();
        spawn_wait(child, "child");
    }
    return 0;
}

#if TEST_REAL_MPI
static int initialize(void)
{
    int provided = 0;
    return MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
}
#endif

/* Checks the keys, their order, and each value against its source. (Trap 5: empty with some MPI libraries.) */
static void check_facts(const char *pairs, char **argv)
{
    enum { MOST = MPI_MAX_INFO_VAL - 1 };
    char host[256] = "", directory[STORM_PATH], text[DESCRIBE_MAX];
    struct utsname system;
    CHECK(gethostname(host, sizeof host - 1) == 0 && uname(&system) == 0 && getcwd(directory, sizeof directory));
    (void)snprintf(text, sizeof text, "command=%.*s\nargv=%s %s\nmaxprocs=1\nsoft=1\nhost=%s\narch=%s\nwdir=%.*s\n",
                   MOST, argv[0], argv[1], argv[2], host, system.machine, MOST, directory);
    describe_same(pairs, text, "create_env");
}

int main(int argc, char **argv)
{
    CHECKF(argc == 3, "expected two arguments, which the storm changes");
    main_argc = argc;
    main_argv = argv;
    memset(long_argument, 'l', LONG);
    for (int i = 0; i < MANY; i++)
        many[i] = i % 3 ? option : input;
    for (unsigned i = 0; i < CALLS; i++)
        describe_new(calls[i].argc, calls[i].argv, calls[i].wanted);
    describe(MPI_INFO_ENV, wanted_env);
    if (!getenv("OMPI_COMM_WORLD_SIZE") && !getenv("TEST_EMULATED")) /* no launcher, and /proc shows no emulator */
        check_facts(wanted_env, argv);
    CHECK(strcmp(wanted_env, calls[0].wanted) == 0 && strcmp(calls[0].wanted, calls[CALLS - 1].wanted) == 0);
    CHECK_MPI(in_the_storm(STORM_WILD, THREADS, NULL), 0);
    CHECK_MPI(in_the_storm(STORM_WILD, FEW, fork_on), 0);
#if TEST_REAL_MPI
    CHECK_MPI(in_the_storm(STORM_GENTLE, FEW, initialize), MPI_SUCCESS);
    CHECK_MPI(in_the_storm(STORM_WILD, THREADS, NULL), 0);
    CHECK_MPI(in_the_storm(STORM_GENTLE, FEW, MPI_Finalize), MPI_SUCCESS);
    CHECK_MPI(in_the_storm(STORM_WILD, THREADS, NULL), 0);
    CHECK_MPI(in_the_storm(STORM_WILD, FEW, fork_on), 0);
#endif
    compare_all();
    return 0;
}
