/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * differences: prints, for the MPI library that it runs on, the behaviour of info objects on which MPI libraries
 * differ. An ordinary MPI program that knows nothing of rcuinfo: run it alone, and through `rcuinfo run`. Each question
 * runs in a child process, since some answers are a crash. Exit status: the number of answers other than "ok".
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mpi.h>

#ifdef __OPTIMIZE__
#define ROUNDS 3000000 /* of calls on infos only */
#else
#define ROUNDS 300000 /* a debug build of the library checks each step */
#endif
#define CALLS   20000 /* rounds of calls that create objects */
#define LONGEST 60    /* seconds for a question; an MPI library that corrupts its own lists may loop forever */
#define NOT_SO  42    /* exit status; an MPI library that aborts the process uses other values */

static MPI_Info info;

static bool before_init(void)
{
    return MPI_Info_create(&info) == MPI_SUCCESS;
}

static void start(void)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Info_create(&info);
}

static bool env_is_filled(void)
{
    int nkeys = 0;
    MPI_Info_get_nkeys(MPI_INFO_ENV, &nkeys);
    return nkeys > 0;
}

static bool empty_value(void)
{
    return MPI_Info_set(info, "key", "") == MPI_SUCCESS;
}

static bool truncating_get(void)
{
    char value[4] = "";
    int flag = 0;
    MPI_Info_set(info, "key", "abcdef");
    return MPI_Info_get(info, "key", 3, value, &flag) == MPI_SUCCESS && flag && strcmp(value, "abc") == 0;
}

static bool freed_handle(void)
{
    MPI_Info stale = info;
    int nkeys, class;
    MPI_Info_free(&info);
    MPI_Error_class(MPI_Info_get_nkeys(stale, &nkeys), &class);
    return class == MPI_ERR_INFO;
}

static bool longest_key(void)
{
    char key[MPI_MAX_INFO_KEY + 1];
    char back[MPI_MAX_INFO_KEY + 1] = "";
    memset(key, 'k', MPI_MAX_INFO_KEY);
    key[MPI_MAX_INFO_KEY] = '\0';
    bool taken = MPI_Info_set(info, key, "value") == MPI_SUCCESS;
    if (taken)
        MPI_Info_get_nthkey(info, 0, back);
    return !taken || strcmp(key, back) == 0;
}

static bool hint_stays(void)
{
    char value[64] = "";
    int flag = 0;
    void *base;
    MPI_Win window;
    MPI_Comm comm;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm) != MPI_SUCCESS)
        return false;
    MPI_Info_set(info, "which_accumulate_ops", "sum,max,cswap");
    MPI_Win_allocate(64, 1, info, comm, &base, &window);
    MPI_Info_get(info, "which_accumulate_ops", 63, value, &flag);
    MPI_Win_free(&window);
    MPI_Comm_free(&comm);
    return strcmp(value, "sum,max,cswap") == 0;
}

static _Thread_local const char *own = "key"; /* the prefix of the keys that this thread changes */

/* Adds a key, and in every other round deletes it again. */
static void change(int round)
{
    char key[16];
    snprintf(key, sizeof key, "%s%d", own, round % 8);
    MPI_Info_set(info, key, "value");
    if (round % 2)
        MPI_Info_delete(info, key);
}

static void set_value(int round)
{
    MPI_Info_set(info, "key", round % 2 ? "odd" : "an even longer value");
}

static int wrong_values;

static void read_value(int round)
{
    char value[64] = "";
    int flag = 0;
    MPI_Info_get(info, "key", 63, value, &flag);
    wrong_values += strcmp(value, "odd") != 0 && strcmp(value, "an even longer value") != 0;
}

static void dup_with_it(int round)
{
    MPI_Comm comm;
    MPI_Comm_dup_with_info(MPI_COMM_SELF, info, &comm);
    MPI_Comm_free(&comm);
}

static void set_it(int round)
{
    MPI_Comm_set_info(MPI_COMM_WORLD, info);
}

static void *make_own(void *unused)
{
    for (int i = 0; i < CALLS; i++) {
        MPI_Info own;
        MPI_Info_create(&own);
        MPI_Info_set(own, "key", "value");
        MPI_Info_free(&own);
    }
    return unused;
}

static bool first_infos(void)
{
    pthread_t threads[8];
    for (int i = 0; i < 8; i++) {
        if (pthread_create(&threads[i], NULL, make_own, NULL) != 0)
            return false;
    }
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    return true;
}

/* New in MPI-4.0; Open MPI 4.1 does not have it. */
int MPI_Info_create_env(int argc, char *argv[], MPI_Info *made) __attribute__((weak));

static bool create_env_is_filled(void)
{
    char program[] = "program", *arguments[] = {program, NULL};
    int nkeys = 0;
    if (!MPI_Info_create_env || MPI_Info_create_env(1, arguments, &info) != MPI_SUCCESS)
        return false;
    MPI_Info_get_nkeys(info, &nkeys);
    return nkeys > 0;
}

static const struct question {
    const char *title;
    bool (*is_so)(void);
    bool before; /* asked without MPI_Init */
    /* Without is_so, a race: one thread calls `use` for `rounds` rounds, while another repeats `other`. */
    void (*other)(int round), (*use)(int round);
    int rounds;
} questions[] = {
    {"MPI_Info_create before MPI_Init", before_init, true},
    {"MPI_INFO_ENV has keys", env_is_filled},
    {"MPI_Info_set takes the value \"\"", empty_value},
    {"MPI_Info_get cuts a value that is too long", truncating_get},
    {"a freed handle gives MPI_ERR_INFO", freed_handle},
    {"a key that MPI_Info_set takes comes back whole", longest_key},
    {"MPI_Win_allocate leaves the caller's info as it was", hint_stays},
    {"one thread sets and one reads the same info", .other = set_value, .use = read_value, .rounds = ROUNDS},
    {"two threads change the same info", .other = change, .use = change, .rounds = ROUNDS},
    {"one changes the info that the other dups a communicator with", .other = change, .use = dup_with_it,
     .rounds = CALLS},
    {"one changes the info that the other sets on a communicator", .other = change, .use = set_it, .rounds = CALLS},
    {"eight threads make their first infos before MPI_Init", first_infos, true},
    {"MPI_Info_create_env before MPI_Init has keys", create_env_is_filled, true},
    {"MPI_INFO_ENV before MPI_Init has keys", env_is_filled, true},
};

#define QUESTIONS (sizeof questions / sizeof questions[0])

static atomic_bool is_done;

static void *do_other(void *argument)
{
    const struct question *question = argument;
    own = "other";
    for (int i = 0; !atomic_load(&is_done); i = (i + 1) % 8)
        question->other(i);
    return NULL;
}

static bool race(const struct question *question)
{
    pthread_t thread;
    question->other(1);
    if (pthread_create(&thread, NULL, do_other, (void *)question) != 0)
        return false;
    for (int i = 0; i < question->rounds; i++)
        question->use(i);
    atomic_store(&is_done, true);
    pthread_join(thread, NULL);
    return wrong_values == 0;
}

/* Answers one question in this child process, and returns its exit status. Exit frees what the question leaves. */
static int ask(const struct question *question)
{
    alarm(LONGEST);
    if (!question->before)
        start();
    bool so = question->is_so ? question->is_so() : race(question);
    if (!question->before)
        MPI_Finalize();
    return so ? 0 : NOT_SO;
}

int main(void)
{
    int wrong = 0;
    for (const struct question *question = questions; question < questions + QUESTIONS; question++) {
        const char *how = "ok";
        int status = 0;
        pid_t process = fork();
        if (process == 0)
            return ask(question);
        if (process < 0 || waitpid(process, &status, 0) != process)
            return (int)QUESTIONS;
        if (WIFSIGNALED(status))
            how = WTERMSIG(status) == SIGALRM ? "hangs" : "crashes";
        else if (WEXITSTATUS(status) == NOT_SO)
            how = "not so";
        else if (WEXITSTATUS(status) != 0)
            how = "aborts";
        printf("%-8s %s\n", how, question->title);
        fflush(stdout);
        wrong += status != 0;
    }
    return wrong;
}
