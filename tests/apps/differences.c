/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where MPI libraries differ on info objects, as a table for the library that this is run on. An ordinary MPI program
 * that knows nothing of rcuinfo: run it plain, and through `rcuinfo run`. Each question is put in a process of its own,
 * since some answers are a crash. Exit status: the number of answers that are not those of the standard.
 */
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mpi.h>

#define ROUNDS 300000
#define NOT_SO 42 /* exit status; an MPI library that ends a process on its own takes others */

extern char **environ;

static MPI_Info info;

static bool before_init(void)
{
    int code = MPI_Info_create(&info);
    return code == MPI_SUCCESS;
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
    int code = MPI_Info_get(info, "key", 3, value, &flag);
    return code == MPI_SUCCESS && flag && strcmp(value, "abc") == 0;
}

static bool freed_handle(void)
{
    MPI_Info stale = info;
    int nkeys;
    MPI_Info_free(&info);
    int code = MPI_Info_get_nkeys(stale, &nkeys);
    int class = MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
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
    MPI_Info_set(info, "which_accumulate_ops", "sum,max,cswap");
    MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &base, &window);
    MPI_Info_get(info, "which_accumulate_ops", 63, value, &flag);
    MPI_Win_free(&window);
    return strcmp(value, "sum,max,cswap") == 0;
}

static void *set_rounds(void *unused)
{
    for (int i = 0; i < ROUNDS; i++)
        MPI_Info_set(info, "key", i % 2 ? "odd" : "an even longer value");
    return unused;
}

static bool one_sets_one_reads(void)
{
    pthread_t thread;
    char value[64];
    int flag;
    int wrong = 0;
    MPI_Info_set(info, "key", "odd");
    if (pthread_create(&thread, NULL, set_rounds, NULL) != 0)
        return false;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Info_get(info, "key", 63, value, &flag);
        wrong += strcmp(value, "odd") != 0 && strcmp(value, "an even longer value") != 0;
    }
    pthread_join(thread, NULL);
    return wrong == 0;
}

static const struct {
    const char *title;
    bool (*is_so)(void);
} questions[] = {
    {"MPI_Info_create before MPI_Init", before_init},
    {"MPI_INFO_ENV has keys", env_is_filled},
    {"MPI_Info_set takes the value \"\"", empty_value},
    {"MPI_Info_get cuts a value that is too long", truncating_get},
    {"a freed handle gives MPI_ERR_INFO", freed_handle},
    {"a key that MPI_Info_set takes comes back whole", longest_key},
    {"MPI_Win_allocate leaves the caller's info as it was", hint_stays},
    {"one thread sets and one reads the same info", one_sets_one_reads},
};

#define QUESTIONS ((int)(sizeof questions / sizeof questions[0]))

/* One question in this process. What it leaves behind ends with it. */
static int ask(int question)
{
    bool initialized = questions[question].is_so != before_init;
    if (initialized)
        start();
    bool so = questions[question].is_so();
    if (initialized)
        MPI_Finalize();
    return so ? 0 : NOT_SO;
}

/* One question in another process, whose death is an answer too. */
static bool is_so_apart(char *program, int question)
{
    char number[2] = {(char)('0' + question), '\0'};
    char *arguments[] = {program, number, NULL};
    const char *how = "ok";
    pid_t process;
    int status = 0;
    if (posix_spawn(&process, "/proc/self/exe", NULL, NULL, arguments, environ) != 0)
        return false;
    waitpid(process, &status, 0);
    if (WIFSIGNALED(status))
        how = "crashes";
    else if (WEXITSTATUS(status) == NOT_SO)
        how = "not so";
    else if (WEXITSTATUS(status) != 0)
        how = "aborts";
    printf("%-8s %s\n", how, questions[question].title);
    fflush(stdout);
    return status == 0;
}

int main(int argc, char **argv)
{
    int wrong = 0;
    if (argc > 1 && argv[1][0] >= '0' && argv[1][0] < '0' + QUESTIONS)
        return ask(argv[1][0] - '0');
    for (int question = 0; question < QUESTIONS; question++)
        wrong += !is_so_apart(argv[0], question);
    return wrong;
}
