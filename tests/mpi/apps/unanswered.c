/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unanswered: gives hints to calls that return an error, or do not return, or that MPI has returned itself. An ordinary
 * MPI program that knows nothing of rcuinfo.
 *
 * usage: unanswered small finalize|exit: gives a hint when files may have few bytes only
 *        unanswered fails: opens a file in a folder that is not there, with a hint and without, and prints the classes
 *        unanswered passes FILE: opens it with what MPI_File_get_info has returned, and prints how many pairs these are
 *        unanswered cancelled|forks: a thread is cancelled in a call with a hint; a child of a fork looks a hint up
 * while another thread gives some unanswered reuses FILE: closes its standard error, which FILE then is, and gives a
 * hint unanswered hangs|exits FILE: a thread of process 0 duplicates a communicator, which process 1 does not. When
 *            FILE has the text "did not return", the job is aborted, or process 0 calls exit().
 */
#define _GNU_SOURCE

#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static MPI_Info make(const char *key, const char *value)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    return info;
}

static int open_none(MPI_Info info)
{
    MPI_File file;
    int class = -1, code = MPI_File_open(MPI_COMM_WORLD, "/nowhere/none.data", MPI_MODE_RDWR, info, &file);
    MPI_Error_class(code, &class);
    return class;
}

static void pass_on(const char *name)
{
    MPI_File file;
    MPI_Info used;
    int nkeys;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_get_info(file, &used);
    MPI_File_close(&file);
    MPI_Info_get_nkeys(used, &nkeys);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, used, &file);
    MPI_File_close(&file);
    MPI_Info_free(&used);
    printf("%d\n", nkeys);
}

static void take_memory(void)
{
    MPI_Info info = make("mpi_minimum_memory_alignment", "64");
    void *memory;
    MPI_Alloc_mem(64, info, &memory);
    MPI_Free_mem(memory);
    MPI_Info_free(&info);
}

static void *take_memory_cancelled(void *unused)
{
    pthread_cancel(pthread_self());
    take_memory();
    pthread_testcancel();
    return unused;
}

static atomic_bool stops;

static void *take_much_memory(void *unused)
{
    while (!stops)
        take_memory();
    return unused;
}

/* In each child, a hint of PnetCDF's is looked up for the first time: the report notes that. */
static bool fork_beside(void)
{
    enum { FORKS = 100, LIMIT_S = 10 };
    MPI_Info info = make("key", "value");
    char value[8];
    int flag, status = 0;
    for (int n = 0; n < FORKS && status == 0; n++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(LIMIT_S);
            MPI_Info_get(info, "nc_header_align_size", 7, value, &flag);
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child)
            status = 1;
    }
    MPI_Info_free(&info);
    return status == 0;
}

/* Returns what the program prints. */
static const char *run_thread(bool forks)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, forks ? take_much_memory : take_memory_cancelled, NULL) != 0)
        return "no thread";
    bool is_good = !forks || fork_beside();
    stops = true;
    pthread_join(thread, NULL);
    take_memory();
    return is_good ? "good" : "a child has failed";
}

static void *duplicate(void *unused)
{
    MPI_Info info = make("mpi_assert_no_any_tag", "true");
    MPI_Comm made;
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &made);
    fputs("the call has returned\n", stderr);
    return unused;
}

/* Waits until a file has a text: the call that is under test does not return, so only the file tells. Without it, the
 * job is aborted after 40 s, and the test fails. */
static void wait_for(const char *name, const char *text)
{
    enum { TRIES = 40000, TRY_US = 1000, SIZE = 1 << 16 };
    static char bytes[SIZE + 1];
    for (int n = 0; n < TRIES; n++, usleep(TRY_US)) {
        FILE *file = fopen(name, "r");
        size_t size = file ? fread(bytes, 1, SIZE, file) : 0;
        bytes[size] = '\0';
        if (file)
            fclose(file);
        if (strstr(bytes, text))
            return;
    }
    fprintf(stderr, "%s has no '%s'\n", name, text);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char *argv[])
{
    int rank, provided;
    pthread_t thread;
    if (argc < 2 || MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided) || provided < MPI_THREAD_MULTIPLE)
        return 2;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(argv[1], "fails") == 0) {
        MPI_Info info = make("cb_nodes", "3");
        printf("%d", open_none(info));
        printf(" %d\n", open_none(MPI_INFO_NULL));
        MPI_Info_free(&info);
        return MPI_Finalize();
    }

    if (strcmp(argv[1], "cancelled") == 0 || strcmp(argv[1], "forks") == 0) {
        alarm(60);
        puts(run_thread(*argv[1] == 'f'));
        return MPI_Finalize();
    }
    if (argc < 3)
        return 2;

    if (strcmp(argv[1], "passes") == 0) {
        pass_on(argv[2]);
        return MPI_Finalize();
    }

    if (strcmp(argv[1], "reuses") == 0) {
        close(STDERR_FILENO);
        if (open(argv[2], O_WRONLY | O_CREAT, 0666) != STDERR_FILENO)
            return 2;
        take_memory();
        return MPI_Finalize();
    }

    if (strcmp(argv[1], "small") == 0) {
        const struct rlimit limit = {150, 150};
        setrlimit(RLIMIT_FSIZE, &limit);
        take_memory();
        if (strcmp(argv[2], "exit") == 0)
            exit(7);
        return MPI_Finalize();
    }

    int exits = strcmp(argv[1], "exits") == 0;
    if (rank == 0 && pthread_create(&thread, NULL, duplicate, NULL) != 0)
        return 2;
    wait_for(argv[2], exits && rank > 0 ? "complete" : "did not return");
    if (exits)
        exit(3);
    if (rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    for (;;)
        pause(); /* until the job is aborted */
}
