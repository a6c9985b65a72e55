/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hints_given: gives valid and invalid hints to objects of every kind that accepts hints, and prints one line per hint,
 * with these fields separated by tabs: the line of the call in this file, the function, the kind of object, its name,
 * the key, the value given, and the value in use: "?" if MPI has no function that returns it, "-" if the key is absent.
 * If the call fails, the kind of object is "failed", and its name "-", and the last field is the class of the error.
 * An ordinary MPI program that knows nothing of rcuinfo.
 *
 * usage: hints_given DIRECTORY [PROGRAM ARGUMENT...]: creates files there; then spawns PROGRAM to run this again
 *        hints_given --each FILE: gives each hint of FILE ("OBJECT KEY VALUE") to a new object, and prints nothing
 *        hints_given --end finalize|twice|exit|abort|kill|fork|full|session: gives one hint, then finalizes MPI, gives
 *            it again, exits without that, aborts, kills itself, forks a child that exits, or gives too many; or uses
 *            only a session.
 */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_NAME = 512, CELLS = 16 };

/* A program may contain the library through which Fortran calls MPI. */
__attribute__((visibility("default"))) void mpi_init_(int *code);
void mpi_init_(int *code)
{
    *code = MPI_Init(NULL, NULL);
}

static int rank, size;

static void must(int code, const char *what)
{
    if (code == MPI_SUCCESS)
        return;
    fprintf(stderr, "%s: error %d\n", what, code);
    MPI_Abort(MPI_COMM_WORLD, 2);
    abort();
}

/* The hints of the next call: keys and values in turn up to a NULL, and the info that has them. */
static const char *const *pairs;
static MPI_Info hints;

static void make(const char *const *given)
{
    must(MPI_Info_create(&hints), "MPI_Info_create");
    for (pairs = given; *given; given += 2) {
        int code = MPI_Info_set(hints, given[0], given[1]);
        must(*given[1] ? code : MPI_SUCCESS, "MPI_Info_set"); /* Open MPI before 6 refuses empty values */
    }
}
#define HINTS(...) make((const char *const[]){__VA_ARGS__, NULL})

/* The last call. */
static struct {
    int line;
    const char *function;
} last;

/* Records a call. Prints the hints of one that has failed, where these are significant, and frees them: there is no
 * object to ask for them. */
static int tried(int line, const char *function, int code)
{
    int class = code;
    last.line = line;
    last.function = function;
    if (code == MPI_SUCCESS)
        return code;
    must(MPI_Error_class(code, &class), "MPI_Error_class");
    for (const char *const *pair = pairs; *pair && (rank == 0 || strcmp(function, "MPI_Comm_spawn") != 0); pair += 2)
        printf("%d\t%s\tfailed\t-\t%s\t%s\t%d\n", line, function, pair[0], pair[1], class);
    must(MPI_Info_free(&hints), "MPI_Info_free");
    return code;
}

/* Make a call, which must stand on one line; with GIVE it must succeed. */
#define TRY(call, ...)  tried(__LINE__, #call, call(__VA_ARGS__))
#define GIVE(call, ...) must(TRY(call, __VA_ARGS__), #call)

/* Prints the hints of the last call and their values in `used`, the object's info, which is MPI_INFO_NULL if the object
 * has no function that returns one. Frees both infos. */
static void tell(const char *object, const char *name, MPI_Info used)
{
    for (const char *const *pair = pairs; *pair; pair += 2) {
        char value[MPI_MAX_INFO_VAL + 1] = "?";
        int found = 1;
        if (used != MPI_INFO_NULL)
            must(MPI_Info_get(used, *pair, MPI_MAX_INFO_VAL, value, &found), "MPI_Info_get");
        printf("%d\t%s\t%s\t%s\t%s\t%s\t%s\n", last.line, last.function, object, name, pair[0], pair[1],
               found ? value : "-");
    }
    if (used != MPI_INFO_NULL)
        must(MPI_Info_free(&used), "MPI_Info_free");
    must(MPI_Info_free(&hints), "MPI_Info_free");
}

static void tell_of_file(const char *name, MPI_File file)
{
    MPI_Info used;
    must(MPI_File_get_info(file, &used), "MPI_File_get_info");
    tell("file", name, used);
}

static void tell_of_window(MPI_Win window)
{
    MPI_Info used;
    char name[MPI_MAX_OBJECT_NAME + 1] = "";
    must(MPI_Win_get_info(window, &used), "MPI_Win_get_info");
    must(MPI_Win_get_name(window, name, &(int){0}), "MPI_Win_get_name");
    tell("window", name, used);
}

/* A communicator without a name has a number and, if it is not of all processes, its first rank and its size. */
static void tell_of_comm(const char *object, MPI_Comm comm)
{
    MPI_Info used;
    int first = rank, members;
    char name[MPI_MAX_OBJECT_NAME + 1] = "";
    must(MPI_Comm_get_info(comm, &used), "MPI_Comm_get_info");
    must(MPI_Comm_get_name(comm, name, &(int){0}), "MPI_Comm_get_name");
    must(MPI_Comm_size(comm, &members), "MPI_Comm_size");
    must(MPI_Bcast(&first, 1, MPI_INT, 0, comm), "MPI_Bcast");
    if (!*name && members < size)
        (void)snprintf(name, sizeof name, "#@%d+%d", first, members);
    tell(object, name, used);
}

static void use_files(const char *directory)
{
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    char name[MOST_NAME];
    MPI_File file;
    HINTS("cb_nodes", "1", "cb_buffer_size", "1048576", "acess_style", "random", "no_locks", "true", "romio_ds_write",
          "enable", "collective_buffering", "maybe");
    (void)snprintf(name, sizeof name, "%s/given.data", directory);
    GIVE(MPI_File_open, MPI_COMM_WORLD, name, mode, hints, &file);
    tell_of_file(name, file);

    HINTS("cb_nodes", "100000", "access_style", "read_once,sequential");
    GIVE(MPI_File_set_info, file, hints);
    tell_of_file(name, file);

    HINTS("cb_buffer_size", "2097152", "comment", "");
    GIVE(MPI_File_set_view, file, 0, MPI_BYTE, MPI_BYTE, "native", hints);
    tell_of_file(name, file);
    must(MPI_File_close(&file), "MPI_File_close");

    if (rank == 0) {
        HINTS("access_style", "random");
        GIVE(MPI_File_delete, name, hints);
        tell("file", name, MPI_INFO_NULL);
    }

    /* Open three files at one source line, with the same hints. */
    for (int n = 0; n < 3; n++) {
        (void)snprintf(name, sizeof name, "%s/series_%d.data", directory, n);
        HINTS("access_style", "random");
        GIVE(MPI_File_open, MPI_COMM_WORLD, name, mode | MPI_MODE_DELETE_ON_CLOSE, hints, &file);
        tell_of_file(name, file);
        must(MPI_File_close(&file), "MPI_File_close");
    }
}

/* Gives a hint that must be the same on all processes, with another value on the last one. The call fails if the
 * library detects that. */
static void use_odd_file(const char *directory)
{
    char name[MOST_NAME];
    MPI_File file;
    HINTS("cb_nodes", rank > 0 && rank == size - 1 ? "3" : "2");
    (void)snprintf(name, sizeof name, "%s/odd.data", directory);
    if (TRY(MPI_File_open, MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file) == MPI_SUCCESS) {
        tell_of_file(name, file);
        must(MPI_File_close(&file), "MPI_File_close");
    }
}

static void use_windows(void)
{
    static int cells[CELLS];
    int *base;
    MPI_Win window;
    HINTS("no_locks", "true", "alloc_shm", "true", "same_size", "true", "no_lock", "true");
    GIVE(MPI_Win_allocate, sizeof cells, sizeof *cells, hints, MPI_COMM_WORLD, &base, &window);
    tell_of_window(window);
    HINTS("no_locks", "false", "accumulate_ordering", "rar,waw");
    GIVE(MPI_Win_set_info, window, hints);
    tell_of_window(window);
    must(MPI_Win_free(&window), "MPI_Win_free");

    HINTS("accumulate_ordering", "none", "accumulate_ops", "same_op", "same_disp_unit",
          rank > 0 && rank == size - 1 ? "false" : "true");
    /* In a single process of Open MPI 4.1 the call fails. */
    if (TRY(MPI_Win_create, cells, sizeof cells, sizeof *cells, hints, MPI_COMM_WORLD, &window) == MPI_SUCCESS) {
        tell_of_window(window);
        must(MPI_Win_free(&window), "MPI_Win_free");
    }
}

static void use_communicators(void)
{
    MPI_Comm comm, shared, graph;
    int from = (rank + size - 1) % size, to = (rank + 1) % size, weight = 1;
    HINTS("mpi_assert_no_any_tag", "true", "mpi_assert_no_any_tags", "true");
    GIVE(MPI_Comm_dup_with_info, MPI_COMM_WORLD, hints, &comm);
    tell_of_comm("communicator", comm);
    must(MPI_Comm_set_name(comm, "steps"), "MPI_Comm_set_name");
    HINTS("mpi_assert_exact_length", "yes", "cb_nodes", "2");
    GIVE(MPI_Comm_set_info, comm, hints);
    tell_of_comm("communicator", comm);

    HINTS("mpi_hw_resource_type", "hwloc://NUMANode", "mpi_assert_no_any_source", "true");
    GIVE(MPI_Comm_split_type, comm, MPI_COMM_TYPE_SHARED, 0, hints, &shared);
    tell_of_comm("split_type", shared);

    HINTS("mpi_assert_allow_overtaking", "true");
    GIVE(MPI_Dist_graph_create_adjacent, comm, 1, &from, &weight, 1, &to, &weight, hints, 0, &graph);
    tell_of_comm("communicator", graph);
    must(MPI_Comm_free(&graph), "MPI_Comm_free");
    must(MPI_Comm_free(&shared), "MPI_Comm_free");
    must(MPI_Comm_free(&comm), "MPI_Comm_free");
}

/* Without a name, the two differ by their ranks. */
static void use_halves(void)
{
    MPI_Comm half;
    must(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half), "MPI_Comm_split");
    HINTS("mpi_assert_no_any_tag", "true");
    GIVE(MPI_Comm_set_info, half, hints);
    tell_of_comm("communicator", half);
    must(MPI_Comm_free(&half), "MPI_Comm_free");
}

static void use_memory(void)
{
    void *memory;
    HINTS("mpi_minimum_memory_alignment", "64", "alloc_shared_noncontig", "true");
    GIVE(MPI_Alloc_mem, 4096, hints, &memory);
    tell("alloc_mem", "-", MPI_INFO_NULL);
    must(MPI_Free_mem(memory), "MPI_Free_mem");
}

static void use_port(void)
{
    char port[MPI_MAX_PORT_NAME];
    HINTS("ip_port", "http");
    if (TRY(MPI_Open_port, hints, port) == MPI_SUCCESS) { /* fails over UCX */
        tell("port", "-", MPI_INFO_NULL);
        must(MPI_Close_port(port), "MPI_Close_port");
    }
}

static void use_session(void)
{
#if MPI_VERSION >= 4
    MPI_Session session;
    MPI_Info used;
    HINTS("thread_level", "MPI_THREAD_MULTIPLE", "mpi_size", "4");
    GIVE(MPI_Session_init, hints, MPI_ERRORS_RETURN, &session);
    must(MPI_Session_get_info(session, &used), "MPI_Session_get_info");
    tell("session", "", used);
    must(MPI_Session_finalize(&session), "MPI_Session_finalize");
#else
    puts("no sessions");
#endif
}

/* MPI_Comm_spawn uses only the root's hints. */
static void spawn(char *words[])
{
    MPI_Comm child;
    HINTS("soft", "1", "hsot", "nowhere");
    if (TRY(MPI_Comm_spawn, *words, words + 1, 1, hints, 0, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE))
        return;
    if (rank == 0)
        tell("spawn", *words, MPI_INFO_NULL);
    else
        must(MPI_Info_free(&hints), "MPI_Info_free");
    must(MPI_Barrier(child), "MPI_Barrier");
    must(MPI_Comm_disconnect(&child), "MPI_Comm_disconnect");
}

static void allocate(const char *alignment)
{
    void *memory;
    HINTS("mpi_minimum_memory_alignment", alignment);
    must(MPI_Alloc_mem(4096, hints, &memory), "MPI_Alloc_mem");
    must(MPI_Free_mem(memory), "MPI_Free_mem");
    must(MPI_Info_free(&hints), "MPI_Info_free");
}

/* The spawned process, a job of its own, gives one hint. It prints nothing: its output would mix with its parents'. */
static void be_child(MPI_Comm parent)
{
    allocate("128");
    must(MPI_Barrier(parent), "MPI_Barrier");
    must(MPI_Comm_disconnect(&parent), "MPI_Comm_disconnect");
}

/* Gives more hints than a report has room for, and then one more at the same place again and again. */
static void give_too_many(void)
{
    char key[32];
    MPI_Info hints;
    must(MPI_Info_create(&hints), "MPI_Info_create");
    for (int n = 0; n < 1400; n++) {
        (void)snprintf(key, sizeof key, "unknown_%d", n);
        must(MPI_Info_set(hints, key, "1"), "MPI_Info_set");
    }
    must(MPI_Comm_set_info(MPI_COMM_WORLD, hints), "MPI_Comm_set_info");
    must(MPI_Info_free(&hints), "MPI_Info_free");
    for (int n = 0; n < 40; n++)
        allocate("32");
}

static void end_by(const char *way)
{
    int status;
    allocate("64");
    if (strcmp(way, "twice") == 0)
        allocate("64");
    if (strcmp(way, "full") == 0)
        give_too_many();
    if (strcmp(way, "fork") == 0) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0)
            exit(3);
        if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3)
            must(MPI_ERR_OTHER, "fork");
    }
    must(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    if (strcmp(way, "exit") == 0)
        exit(7);
    if (strcmp(way, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(way, "abort") == 0 && rank == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    while (strcmp(way, "abort") == 0)
        pause(); /* until MPI_Abort of rank 0 ends this process */
}

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define GUIDED MPI_COMM_TYPE_HW_GUIDED
#else
#define GUIDED MPI_COMM_TYPE_SHARED
#endif

/* Gives a hint to a new object of a kind; "view": to a file that was opened without hints. It may be refused. */
static void give(const char *object, int number, MPI_Info info)
{
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    int is_view = strcmp(object, "view") == 0;
    char name[MOST_NAME];
    void *memory;
    MPI_File file;
    MPI_Win window;
    MPI_Comm comm;
    (void)snprintf(name, sizeof name, "each.%d.data", number);
    if (is_view || strcmp(object, "file") == 0) {
        if (MPI_File_open(MPI_COMM_WORLD, name, mode, is_view ? MPI_INFO_NULL : info, &file) != MPI_SUCCESS)
            return;
        if (is_view)
            MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", info);
        MPI_File_close(&file);
    } else if (strcmp(object, "window") == 0) {
        if (MPI_Win_allocate(CELLS, 1, info, MPI_COMM_WORLD, &memory, &window) == MPI_SUCCESS)
            MPI_Win_free(&window);
    } else if (strcmp(object, "communicator") == 0) {
        if (MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm) == MPI_SUCCESS)
            MPI_Comm_free(&comm);
    } else if (strcmp(object, "split_type") == 0) {
        if (MPI_Comm_split_type(MPI_COMM_WORLD, GUIDED, 0, info, &comm) == MPI_SUCCESS && comm != MPI_COMM_NULL)
            MPI_Comm_free(&comm);
#if MPI_VERSION >= 4 && !defined(OPEN_MPI)
    } else if (strcmp(object, "session") == 0) {
        MPI_Session session;
        if (MPI_Session_init(info, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS)
            MPI_Session_finalize(&session);
#endif
    } else if (strcmp(object, "alloc_mem") == 0 && MPI_Alloc_mem(CELLS, info, &memory) == MPI_SUCCESS) {
        MPI_Free_mem(memory);
    }
}

static void give_each(const char *path)
{
    char object[MOST_NAME], key[MOST_NAME], value[MOST_NAME];
    FILE *file = fopen(path, "r");
    must(file ? MPI_SUCCESS : MPI_ERR_OTHER, path);
    for (int number = 0; fscanf(file, "%511s %511s %511s", object, key, value) == 3; number++) {
        must(MPI_Info_create(&hints), "MPI_Info_create");
        if (MPI_Info_set(hints, key, value) == MPI_SUCCESS) /* Open MPI 4 has shorter keys */
            give(object, number, hints);
        must(MPI_Info_free(&hints), "MPI_Info_free");
    }
    (void)fclose(file);
}

int main(int argc, char *argv[])
{
    MPI_Comm parent;
    if (argc == 3 && strcmp(argv[2], "session") == 0) {
        use_session();
        return 0;
    }
    must(MPI_Init(&argc, &argv), "MPI_Init");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        be_child(parent);
    } else if (argc == 3 && strcmp(argv[1], "--end") == 0) {
        end_by(argv[2]);
    } else if (argc == 3 && strcmp(argv[1], "--each") == 0) {
        give_each(argv[2]);
    } else if (argc > 1) {
        use_files(argv[1]);
        use_odd_file(argv[1]);
        use_windows();
        use_communicators();
        use_halves();
        use_memory();
        use_port();
        use_session();
        if (argc > 2)
            spawn(argv + 2);
    }
    MPI_Finalize();
    int state;
    if (pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state) != 0 || state != PTHREAD_CANCEL_ENABLE) {
        fprintf(stderr, "the thread cannot be cancelled any more\n");
        return 3;
    }
    return argc > 1 ? 0 : 2;
}
