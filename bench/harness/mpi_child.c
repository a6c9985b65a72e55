/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_child: see mpi_child.h. */
#include "mpi_child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

static const struct {
    const char *name;
    const char *interposed;
    const char *program; /* NULL: this MPI was not there when we were built */
} FLAVOURS[MPI_FLAVOURS] = {
    [MPI_FLAVOUR_MPICH] = {"MPICH", "rcuinfo on MPICH", BENCH_MPI_CALLS_MPICH},
    [MPI_FLAVOUR_OPENMPI] = {"Open MPI", "rcuinfo on Open MPI", BENCH_MPI_CALLS_OPENMPI},
};

bool mpi_child_exists(enum mpi_flavour flavour)
{
    return FLAVOURS[flavour].program != NULL;
}

/* In the new process. Of the sockets it keeps the one that it is told of. */
static _Noreturn void become(const char *program, bool interposed, int socket)
{
    char text[16];
    snprintf(text, sizeof text, "%d", socket);
    fcntl(socket, F_SETFD, 0);
    if (interposed)
        execl(BENCH_MPI_RCUINFO, BENCH_MPI_RCUINFO, "run", program, text, (char *)NULL);
    else
        execl(program, program, text, (char *)NULL);
    bench_die("cannot run %s: %s", interposed ? BENCH_MPI_RCUINFO : program, strerror(errno));
}

/* Says how a child ended that should not have ended, and ends this program. */
static _Noreturn void child_ended(const struct mpi_child *child)
{
    int status = 0;
    waitpid(child->pid, &status, 0);
    if (WIFSIGNALED(status))
        bench_die("%s: its process was killed by signal %d (%s)", child->name, WTERMSIG(status),
                  strsignal(WTERMSIG(status)));
    bench_die("%s: its process ended with status %d", child->name, WEXITSTATUS(status));
}

struct mpi_child mpi_child_start(enum mpi_flavour flavour, bool interposed)
{
    struct mpi_child child = {.name = interposed ? FLAVOURS[flavour].interposed : FLAVOURS[flavour].name};
    struct mpi_hello hello;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) || (child.pid = fork()) < 0)
        bench_die("cannot start a process: %s", strerror(errno));
    if (child.pid == 0)
        become(FLAVOURS[flavour].program, interposed, ends[1]);
    close(ends[1]);
    child.socket = ends[0];
    if (recv(child.socket, &hello, sizeof hello, 0) != (ssize_t)sizeof hello)
        child_ended(&child);
    if ((hello.interposed != 0) != interposed)
        bench_die("%s: the store is %s its process", child.name, interposed ? "not in" : "in");
    memcpy(child.version, hello.version, sizeof child.version);
    return child;
}

struct mpi_result mpi_child_ask(const struct mpi_child *child, const struct mpi_order *order)
{
    struct mpi_result result;
    if (send(child->socket, order, sizeof *order, MSG_NOSIGNAL) != (ssize_t)sizeof *order ||
        recv(child->socket, &result, sizeof result, 0) != (ssize_t)sizeof result)
        child_ended(child);
    return result;
}

void mpi_child_stop(struct mpi_child *child)
{
    int status = 0;
    close(child->socket);
    if (waitpid(child->pid, &status, 0) != child->pid || status != 0)
        bench_die("%s: its process did not end well", child->name);
}
