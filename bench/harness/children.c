/* SPDX-License-Identifier: BSD-3-Clause */
/* children: see children.h. */
#include "children.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct child children[CHILDREN] = {
    [CHILD_NATIVE] = {.name = "rcuinfo, native", .program = BENCH_NATIVE_CALLS, .interposed = true},
    [CHILD_FRAGILE] = {.name = "MPICH", .program = BENCH_MPI_CALLS_MPICH, .fragile = true},
    [CHILD_MPICH] = {.name = "MPICH", .program = BENCH_MPI_CALLS_MPICH},
    [CHILD_MPICH_STORE] = {"rcuinfo on MPICH", BENCH_MPI_CALLS_MPICH, BENCH_RCUINFO, .interposed = true},
    [CHILD_OPENMPI] = {.name = "Open MPI", .program = BENCH_MPI_CALLS_OPENMPI},
    [CHILD_OPENMPI_STORE] = {"rcuinfo on Open MPI", BENCH_MPI_CALLS_OPENMPI, BENCH_RCUINFO, .interposed = true},
};

/* Runs in the child process: executes the program, which inherits only its own socket. */
static _Noreturn void become(const struct child *child, int socket)
{
    char text[16];
    snprintf(text, sizeof text, "%d", socket);
    fcntl(socket, F_SETFD, 0);
    if (child->fragile && (setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}) || !freopen("/dev/null", "w", stderr)))
        bench_die("cannot prepare to run %s: %s", child->program, strerror(errno));
    if (child->runner)
        execl(child->runner, child->runner, "run", child->program, text, (char *)NULL);
    else
        execl(child->program, child->program, text, (char *)NULL);
    bench_die("cannot run %s: %s", child->runner ? child->runner : child->program, strerror(errno));
}

/* Waits for a child to end; returns its wait status. */
static int child_end(const struct child *child)
{
    int status = 0;
    close(child->socket);
    waitpid(child->pid, &status, 0);
    return status;
}

static _Noreturn void child_ended(const struct child *child)
{
    bench_die("%s: its process ended (wait status %#x)", child->name, (unsigned)child_end(child));
}

/* Starts a child and waits for its hello. Ends this program if the child wrongly has or lacks the store. */
static void child_start(struct child *child)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) || (child->pid = fork()) < 0)
        bench_die("cannot start a process: %s", strerror(errno));
    if (child->pid == 0)
        become(child, ends[1]);
    close(ends[1]);
    child->socket = ends[0];
    if (recv(child->socket, &child->hello, sizeof child->hello, 0) != (ssize_t)sizeof child->hello)
        child_ended(child);
    if ((child->hello.interposed != 0) != child->interposed)
        bench_die("%s: the process %s the store", child->name, child->interposed ? "lacks" : "has");
}

void children_start(struct report *report, size_t first)
{
    report_enter(report, "mpi", '{');
    for (struct child *child = children + first; child < children + CHILDREN; child++) {
        if (child->program)
            child_start(child);
        if (!child->program || child->interposed || child->fragile)
            continue;
        printf("# %-9s %s\n", child->name, child->hello.version);
        report_text(report, child->name, child->hello.version);
    }
    report_leave(report);
}

void children_stop(void)
{
    for (struct child *child = children; child < children + CHILDREN; child++) {
        int status = child->pid ? child_end(child) : 0;
        if (status)
            bench_die("%s: its process ended (wait status %#x)", child->name, (unsigned)status);
    }
}

/* Returns NULL and the result, or how a plain library failed. */
static const char *child_order(struct child *child, const struct mpi_order *order, struct mpi_result *result)
{
    struct pollfd readable = {.fd = child->socket, .events = POLLIN};
    int limit = child->fragile ? (int)(order->nanoseconds / 1000000 * 4 + 2000) : -1;
    bool sent = send(child->socket, order, sizeof *order, MSG_NOSIGNAL) == (ssize_t)sizeof *order;
    bool hangs = sent && poll(&readable, 1, limit) == 0;

    if (!hangs && sent && recv(child->socket, result, sizeof *result, 0) == (ssize_t)sizeof *result)
        return NULL;
    if (hangs)
        kill(child->pid, SIGKILL);
    int status = child_end(child);
    if (child->interposed || (!child->fragile && !WIFSIGNALED(status))) /* that a plain library crashes is a result */
        bench_die("%s: its process ended (wait status %#x)", child->name, (unsigned)status);
    child_start(child);
    return hangs ? "hangs" : WIFSIGNALED(status) ? "crashes" : "wrong values";
}

void side_measure(void *sides, size_t index, unsigned round)
{
    struct side *side = (struct side *)sides + index;
    struct mpi_result result;
    if (!side->failed)
        side->failed = child_order(side->child, &side->order, &result);
    for (size_t v = 0; v < MPI_WORK_VALUES && !side->failed; v++)
        side->value[v][round] = result.value[v];
}
