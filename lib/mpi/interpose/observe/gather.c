/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather: merges the reports of all processes when the program finalizes MPI; rank 0 of MPI_COMM_WORLD then shows the
 * result. A process that ends without MPI_Finalize shows its own report.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/memory/alloc.h"
#include "core/quiet.h"
#include "env/start.h"
#include "mpi/interpose/observe/ask.h"
#include "mpi/interpose/real.h"
#include "mpi/interpose/observe/journal.h"
#include "mpi/interpose/observe/place.h"
#include "report/judge.h"
#include "report/table.h"
#include "mpi/interpose/observe/record.h"
#include "report/page.h"
#include "report/source.h"

enum { MOST_SHOWN = 40, TAG = 1 };

static int report_to = -1; /* a duplicate of the standard error; written at load */
static bool shows_all;     /* however many rows the table has; written at load */
static bool is_spawned;    /* this job was spawned by another one, which may also show a report */

/* Prints the table to the standard error, in large writes, so that it is not mixed with the output of others. */
static void print_table(const struct rcuinfo__report *taken, long processes)
{
    static char buffer[1 << 16];
    struct rcuinfo__quiet quiet;

    int descriptor = rcuinfo__quiet_duplicate(report_to); /* which fclose closes */
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;

    if (file) {
        (void)setvbuf(file, buffer, _IOFBF, sizeof buffer);
        rcuinfo__quiet_begin(&quiet);
        (void)rcuinfo__table_print(taken, processes, shows_all ? 0 : MOST_SHOWN, rcuinfo__page_width(descriptor), file);
        (void)fclose(file);
        rcuinfo__quiet_end(&quiet);
    } else if (descriptor >= 0) {
        (void)close(descriptor);
    }
}

/* Says what the report is of, and where the calls are, and judges it. Without memory it lacks what cannot be found. */
static void finish(struct rcuinfo__report *taken, long processes)
{
    const char *about[RCUINFO__REPORT_ABOUT];
    rcuinfo__ask_about(about);
    rcuinfo__report_describe(taken, about);
    rcuinfo__source_show(taken);
    (void)rcuinfo__judge(taken, processes);
}

/* Adds a line for each rule that no call took. */
static void add_unused(struct rcuinfo__report *taken)
{
    const struct rcuinfo__rule *rule = rcuinfo__lend_rules;
    char text[RCUINFO__LEND_SOURCE];

    for (; rule; rule = rule->next) {
        const char *source = rcuinfo__lend_source(rule, "", text);
        const char *fields[RCUINFO__REPORT_FIELDS] = {
            [RCUINFO__REPORT_KEY] = rule->key,
            [RCUINFO__REPORT_GIVEN] = rule->value,
            [RCUINFO__REPORT_OBJECT] = rcuinfo_hint_object_name(rule->object),
            [RCUINFO__REPORT_NAME] = *rule->pattern ? rule->pattern : NULL,
            [RCUINFO__REPORT_SOURCE] = source,
        };
        bool is_of_parent = is_spawned && rule->object == RCUINFO_OBJECT_SPAWN; /* which may have applied it */
        if (!is_of_parent && !rcuinfo__report_used(taken, source))
            (void)rcuinfo__report_add(taken, RCUINFO__REPORT_NEVER_APPLIED, fields, "0", 1);
    }
}

/* Receives a report and merges it. The size is sent first, and the receiver answers with the room that it has. */
static void receive_report(struct rcuinfo__report *taken, int from, MPI_Comm comm)
{
    int size = 0;
    if (RCUINFO__NEXT(PMPI_Recv)(&size, sizeof size, MPI_BYTE, from, TAG, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return;

    char *bytes = size > 0 ? rcuinfo__alloc((size_t)size) : NULL;

    int room = bytes ? size : 0; /* 0: no memory, so the sender must not send */
    (void)RCUINFO__NEXT(PMPI_Send)(&room, sizeof room, MPI_BYTE, from, TAG, comm);

    /* Also receive a report that cannot be merged, as the sender would wait otherwise. */
    if (room > 0 &&
        RCUINFO__NEXT(PMPI_Recv)(bytes, room, MPI_BYTE, from, TAG, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS && taken)
        rcuinfo__report_merge(taken, bytes, (size_t)room);
    else if (taken)
        rcuinfo__report_lose(taken, 1);
    rcuinfo__alloc_free(bytes);
}

/* The other side of receive_report. */
static void send_report(const struct rcuinfo__report *taken, int to, MPI_Comm comm)
{
    size_t length = 0;
    void *bytes = taken ? rcuinfo__report_pack(taken, &length) : NULL;

    /* Without memory, or with more than an int can count, send nothing. */
    int size = bytes && length <= INT_MAX ? (int)length : 0, room = 0;

    (void)RCUINFO__NEXT(PMPI_Send)(&size, sizeof size, MPI_BYTE, to, TAG, comm);
    (void)RCUINFO__NEXT(PMPI_Recv)(&room, sizeof room, MPI_BYTE, to, TAG, comm, MPI_STATUS_IGNORE);

    if (room > 0)
        (void)RCUINFO__NEXT(PMPI_Send)(bytes, size, MPI_BYTE, to, TAG, comm);
    rcuinfo__alloc_free(bytes);
}

/* Creates a communicator of the processes with the same color, without the attributes of the program, and with an error
 * handler that returns. */
static MPI_Comm create_comm(int color)
{
    MPI_Comm comm = MPI_COMM_NULL;
    if (RCUINFO__NEXT(PMPI_Comm_split)(MPI_COMM_WORLD, color, 0, &comm) != MPI_SUCCESS || comm == MPI_COMM_NULL)
        return MPI_COMM_NULL;
    (void)RCUINFO__NEXT(PMPI_Comm_set_errhandler)(comm, rcuinfo__real_errors_return());
    return comm;
}

/* Says that a process waits, if that takes long: a part of the job may have been started without the option. */
enum { LONG_WAIT = 10 }; /* seconds */
struct wait {
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t mutex;
    pthread_cond_t over;
    bool is_over;
    int rank;
};

static void *watch_wait(void *argument)
{
    struct wait *wait = argument;
    struct timespec end;
    int code = 0;
    (void)clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += LONG_WAIT;
    pthread_mutex_lock(&wait->mutex);
    while (!wait->is_over && code == 0)
        code = pthread_cond_timedwait(&wait->over, &wait->mutex, &end);
    if (!wait->is_over)
        rcuinfo__quiet_say(
            "rcuinfo: process %d waits in MPI_Init for all processes of MPI_COMM_WORLD: start all of them with "
            "--hints-report, or none\n",
            wait->rank);
    pthread_mutex_unlock(&wait->mutex);
    return NULL;
}

/* Some processes of any large part of the job watch. */
static void wait_begin(struct wait *wait)
{
    enum { ALL_WATCH = 16 };
    *wait = (struct wait){.mutex = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER};
    (void)RCUINFO__NEXT(PMPI_Comm_rank)(MPI_COMM_WORLD, &wait->rank);
    if (wait->rank >= ALL_WATCH && (wait->rank & (wait->rank - 1)) != 0)
        return;

    /* The program's signals are for its own threads. */
    sigset_t signals, before;
    (void)sigfillset(&signals);
    (void)pthread_sigmask(SIG_SETMASK, &signals, &before);
    wait->has_thread = pthread_create(&wait->thread, NULL, watch_wait, wait) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void wait_end(struct wait *wait)
{
    if (!wait->has_thread)
        return;
    pthread_mutex_lock(&wait->mutex);
    wait->is_over = true;
    pthread_cond_signal(&wait->over);
    pthread_mutex_unlock(&wait->mutex);
    (void)pthread_join(wait->thread, NULL);
}

/* Compares the rules of all processes now, since hints that must be the same and are not may make a call hang. */
static void compare_rules(void)
{
    int rank = 0, size = 0, same = 0;
    struct wait wait;
    wait_begin(&wait);
    MPI_Comm comm = create_comm((int)(rcuinfo__rules_digest(rcuinfo__lend_rules) % INT_MAX));
    wait_end(&wait);
    if (comm == MPI_COMM_NULL)
        return;

    (void)RCUINFO__NEXT(PMPI_Comm_rank)(MPI_COMM_WORLD, &rank);
    (void)RCUINFO__NEXT(PMPI_Comm_size)(MPI_COMM_WORLD, &size);
    (void)RCUINFO__NEXT(PMPI_Comm_size)(comm, &same);
    if (rank == 0 && same < size)
        rcuinfo__quiet_say("%s",
                           "rcuinfo: the processes have read different hint files: hints that must be the same may "
                           "differ, and calls may hang\n");
    (void)RCUINFO__NEXT(PMPI_Comm_free)(&comm);
}

static void start_world(void)
{
    MPI_Comm parent = MPI_COMM_NULL;
    int size = 0, parents = 0;
    if (RCUINFO__NEXT(PMPI_Comm_get_parent)(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL) {
        is_spawned = true;
        rcuinfo__journal_use_pid();
        (void)RCUINFO__NEXT(PMPI_Comm_remote_size)(parent, &parents);
    }
    (void)RCUINFO__NEXT(PMPI_Comm_size)(MPI_COMM_WORLD, &size);
    rcuinfo__ask_set_job(size, parents);
    rcuinfo__record_world();
    compare_rules();
}

static void merge_reports(void)
{
    int rank = 0, size = 0, step = 1;
    bool is_written = false;
    MPI_Comm comm = rcuinfo__real_in_world() ? create_comm(0) : MPI_COMM_NULL;
    if (comm == MPI_COMM_NULL)
        return;

    struct rcuinfo__report *taken = rcuinfo__record_take(true);
    (void)RCUINFO__NEXT(PMPI_Comm_rank)(comm, &rank);
    (void)RCUINFO__NEXT(PMPI_Comm_size)(comm, &size);
    if (taken) {
        rcuinfo__journal_complete(taken); /* which stays if FILE cannot be written */
        add_unused(taken);
        rcuinfo__report_sign(taken, rank, rcuinfo__rules_digest(rcuinfo__lend_rules));
    }

    /* A binomial tree, as in collective/merge.c. */
    for (; step < size && !(rank & step); step *= 2) {
        if (rank + step < size)
            receive_report(taken, rank + step, comm);
    }
    if (rank != 0) {
        send_report(taken, rank - step, comm);
        (void)RCUINFO__NEXT(PMPI_Recv)(&is_written, sizeof is_written, MPI_BYTE, rank - step, TAG, comm,
                                       MPI_STATUS_IGNORE);
    } else if (taken) {
        /* The job that has spawned this one may also write FILE, and print a table if there is one. */
        finish(taken, size);
        const char *file = rcuinfo__journal_file();
        is_written = !*file || rcuinfo__journal_replace(is_spawned ? rcuinfo__journal_name() : file, taken, size);
        if (!is_spawned || !*file)
            print_table(taken, size);
    }

    /* Down the tree: without a complete report the journals are all that there is. */
    while ((step /= 2) > 0) {
        if (rank + step < size)
            (void)RCUINFO__NEXT(PMPI_Send)(&is_written, sizeof is_written, MPI_BYTE, rank + step, TAG, comm);
    }

    /* The journal of process 0 of a spawned job has been overwritten by the report. */
    if (is_written && !(rank == 0 && is_spawned))
        rcuinfo__journal_end();

    (void)RCUINFO__NEXT(PMPI_Comm_free)(&comm);
    rcuinfo__report_free(taken);
}

/* When the process ends without MPI_Finalize: its table or, with a file, what its journal lacks. */
__attribute__((destructor)) static void leave_report(void)
{
    /* Do not wait: a signal handler may have interrupted the thread that is recording. */
    struct rcuinfo__report *taken = rcuinfo__journal_is_ours() ? rcuinfo__record_take(false) : NULL;
    if (!taken)
        return;

    rcuinfo__report_sign(taken, rcuinfo__journal_number(), rcuinfo__rules_digest(rcuinfo__lend_rules));
    if (*rcuinfo__journal_file()) {
        rcuinfo__journal_complete(taken);
    } else if (!rcuinfo__report_is_empty(taken)) {
        add_unused(taken);
        finish(taken, 1);
        print_table(taken, 1);
    }
    rcuinfo__report_free(taken);
}

/* This may be a signal handler, and the heap may be corrupt: leaves the journal as it is. */
static void leave_report_at_abort(void)
{
    if (!*rcuinfo__journal_file())
        leave_report();
}

__attribute__((constructor)) static void begin_reporting(void)
{
    static const struct rcuinfo__lend_observer observer = {
        .lent = rcuinfo__record_lent,
        .returned = rcuinfo__record_returned,
        .answered = rcuinfo__lookups_note_answer,
        .initialized = start_world,
        .finalizing = merge_reports,
        .aborting = leave_report_at_abort,
    };
    const char *wanted = rcuinfo__start_variable("RCUINFO_HINTS_REPORT");
    if (!wanted)
        return;

    /* The program starts with the errno that it would have without us. */
    int left_errno = errno;
    report_to = rcuinfo__quiet_duplicate(STDERR_FILENO);
    rcuinfo__place_begin();
    shows_all = strcmp(wanted, "all") == 0;
    rcuinfo__journal_begin(shows_all ? "" : wanted);
    if (rcuinfo__record_begin(shows_all))
        atomic_store_explicit(&rcuinfo__lend_observer, &observer, RCUINFO__RELAXED);
    errno = left_errno;
}
