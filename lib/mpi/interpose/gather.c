/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather: the reports of all processes made one, when the program finalizes MPI, and shown by process 0 of the world;
 * or, of a process that ends otherwise, written by itself.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "env/start.h"
#include "mpi/interpose/place.h"
#include "mpi/interpose/report.h"

enum { MOST_SHOWN = 40, TAG = 1, BUFFER = 1 << 16 };

/* Written when we are loaded, but is_spawned. */
static bool is_wanted;
static const char *file_name; /* "": none */
static pid_t process;         /* no child shows what its parent has recorded */
static bool is_spawned;       /* another job has started this one, and may show its own */

/* On the standard error, in large pieces: others write there, too. */
static void print_table(struct rcuinfo__report *taken, long processes)
{
    int descriptor = dup(STDERR_FILENO);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    char *buffer = file ? rcuinfo__alloc(BUFFER) : NULL;
    if (buffer)
        (void)setvbuf(file, buffer, _IOFBF, BUFFER);
    if (file) {
        rcuinfo__report_print(taken, processes, MOST_SHOWN, file);
        (void)fclose(file);
    } else if (descriptor >= 0) {
        (void)close(descriptor);
    }
    rcuinfo__alloc_free(buffer);
}

/* Shows it, and writes FILE, or FILE.NUMBER where there may be others. */
static void show(struct rcuinfo__report *taken, long processes, long number)
{
    char name[PATH_MAX];
    bool is_whole = number < 0;
    snprintf(name, sizeof name, is_whole ? "%s" : "%s.%ld", file_name, number);
    if (*file_name) {
        FILE *file = fopen(name, "we");
        if (file)
            rcuinfo__report_write_json(taken, processes, file);
        if (!file || fclose(file) != 0)
            fprintf(stderr, "rcuinfo: cannot write '%s': %s\n", name, strerror(errno));
    }
    if (is_whole || !*file_name)
        print_table(taken, processes);
}

/* What another process has recorded, by the real library's own messages. */
static void receive(struct rcuinfo__report *taken, int from, MPI_Comm comm)
{
    int size = 0;
    if (PMPI_Recv(&size, sizeof size, MPI_BYTE, from, TAG, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return;
    char *bytes = size > 0 ? rcuinfo__alloc((size_t)size) : NULL;
    int room = bytes ? size : 0; /* the sender asks for it before it sends */
    (void)PMPI_Send(&room, sizeof room, MPI_BYTE, from, TAG, comm);
    if (room > 0 && PMPI_Recv(bytes, room, MPI_BYTE, from, TAG, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS && taken)
        rcuinfo__report_merge(taken, bytes, (size_t)room);
    else if (taken)
        rcuinfo__report_lose(taken, 1);
    rcuinfo__alloc_free(bytes);
}

static void send(const struct rcuinfo__report *taken, int to, MPI_Comm comm)
{
    size_t length = 0;
    void *bytes = taken ? rcuinfo__report_pack(taken, &length) : NULL;
    int size = bytes && length <= INT_MAX ? (int)length : 0, room = 0;
    (void)PMPI_Send(&size, sizeof size, MPI_BYTE, to, TAG, comm);
    (void)PMPI_Recv(&room, sizeof room, MPI_BYTE, to, TAG, comm, MPI_STATUS_IGNORE);
    if (room > 0)
        (void)PMPI_Send(bytes, size, MPI_BYTE, to, TAG, comm);
    rcuinfo__alloc_free(bytes);
}

/* A communicator of its own, with no attributes of the program's, and no error handler that ends it. */
static MPI_Comm make_comm(void)
{
    MPI_Comm comm = MPI_COMM_NULL;
    if (PMPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm) != MPI_SUCCESS || comm == MPI_COMM_NULL)
        return MPI_COMM_NULL;
    (void)PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

void rcuinfo__interpose_in_use(void)
{
    MPI_Comm parent = MPI_COMM_NULL;
    if (is_wanted && PMPI_Comm_get_parent(&parent) == MPI_SUCCESS)
        is_spawned = parent != MPI_COMM_NULL;
}

void rcuinfo__interpose_finalizing(void)
{
    int rank = 0, size = 0, step = 1;
    if (!is_wanted || !rcuinfo__interpose_in_world())
        return;
    MPI_Comm comm = make_comm();
    if (comm == MPI_COMM_NULL)
        return;
    struct rcuinfo__report *taken = rcuinfo__interpose_take_report(true);
    (void)PMPI_Comm_rank(comm, &rank);
    (void)PMPI_Comm_size(comm, &size);
    if (taken)
        rcuinfo__report_sign(taken, rank, rcuinfo__interpose_rules_digest());
    for (; step < size && !(rank & step); step *= 2) {
        if (rank + step < size)
            receive(taken, rank + step, comm);
    }
    if (rank != 0)
        send(taken, rank - step, comm);
    if (rank == 0 && taken) {
        rcuinfo__interpose_show_places(taken);
        show(taken, size, is_spawned ? (long)getpid() : -1);
    }
    (void)PMPI_Comm_free(&comm);
    rcuinfo__report_free(taken);
}

/* The number of this process among those that its launcher has started; its process id where that does not say. */
static long own_number(void)
{
    static const char *const variables[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    for (size_t n = 0; n < sizeof variables / sizeof *variables; n++) {
        const char *text = rcuinfo__start_variable(variables[n]);
        if (text && *text >= '0' && *text <= '9')
            return strtol(text, NULL, 10);
    }
    return (long)getpid();
}

void rcuinfo__interpose_leave_report(bool at_exit)
{
    /* It may be the handler of a signal that came while something was recorded: then nothing is taken. */
    struct rcuinfo__report *taken = process == getpid() ? rcuinfo__interpose_take_report(false) : NULL;
    if (!taken)
        return;
    if (!rcuinfo__report_is_empty(taken)) {
        long number = own_number();
        rcuinfo__report_sign(taken, number, rcuinfo__interpose_rules_digest());
        if (at_exit) /* else it may be a signal's handler, and the memory in disorder */
            rcuinfo__interpose_show_places(taken);
        show(taken, 1, number);
    }
    rcuinfo__report_free(taken);
}

__attribute__((constructor)) static void begin(void)
{
    const char *wanted = rcuinfo__start_variable("RCUINFO_HINTS_REPORT");
    if (!wanted)
        return;
    is_wanted = true;
    int left_errno = errno;
    process = getpid();
    file_name = wanted;
    rcuinfo__interpose_begin_report();
    errno = left_errno;
}

__attribute__((destructor)) static void end(void)
{
    rcuinfo__interpose_leave_report(true);
}
