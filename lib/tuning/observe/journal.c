/* SPDX-License-Identifier: BSD-3-Clause */
/* journal: see journal.h. */
#include "tuning/observe/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/order.h"
#include "env/start.h"
#include "mpi/interpose/interpose.h"
#include "tuning/lines.h"
#include "tuning/observe/ask.h"

static const char *file_name = ""; /* written at load */
static _Atomic bool is_spawned;
static FILE *journal;       /* NULL: nothing was written yet, or it cannot be */
static char name[PATH_MAX]; /* its name, which stays the same once it is opened */
static bool is_failed;
static pid_t process; /* that opened it: a child after fork must not write into it */

void rcuinfo__journal_begin(const char *file)
{
    file_name = file;
    process = getpid();
}

void rcuinfo__journal_use_pid(void)
{
    atomic_store_explicit(&is_spawned, true, RCUINFO__RELAXED);
}

long rcuinfo__journal_number(void)
{
    static const char *const variables[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"};

    /* PMIx, mpirun of Open MPI, Hydra. */
    bool has_rank = !atomic_load_explicit(&is_spawned, RCUINFO__RELAXED);
    for (size_t n = 0; n < sizeof variables / sizeof *variables && has_rank; n++) {
        const char *text = rcuinfo__start_variable(variables[n]);
        if (text && *text >= '0' && *text <= '9')
            return strtol(text, NULL, 10);
    }
    return (long)getpid();
}

const char *rcuinfo__journal_name(void)
{
    if (!journal)
        snprintf(name, sizeof name, "%s.%ld", file_name, rcuinfo__journal_number());
    return name;
}

void rcuinfo__journal_complain(const char *file)
{
    fprintf(stderr, "rcuinfo: cannot write '%s': %s\n", file,
            strerror(errno)); /* NOLINT(concurrency-mt-unsafe): glibc has a text for each thread */
}

/* Opens a file and empties it. EAGAIN: another process has it. Where there are no locks, none does. The children of a
 * fork do not inherit this kind of lock: one that runs on for days does not keep the file from the next job. */
static FILE *open_alone(const char *file)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    FILE *opened = fopen(file, "ae");
    bool is_taken = opened && fcntl(fileno(opened), F_SETLK, &lock) != 0 && errno == EAGAIN;
    if (opened && !is_taken && ftruncate(fileno(opened), 0) == 0)
        return opened;
    if (opened) {
        int error = errno;
        (void)fclose(opened);
        errno = error;
    }
    return NULL;
}

/* Opens the journal, for this process alone, and writes what is the same for all lines. */
static bool open_journal(void)
{
    journal = open_alone(rcuinfo__journal_name());
    if (!journal && errno == EAGAIN) { /* before MPI_Init, a spawned process seems to be one of its parent's job */
        rcuinfo__journal_use_pid();
        journal = open_alone(rcuinfo__journal_name());
    }
    if (!journal) {
        is_failed = true;
        rcuinfo__journal_complain(name);
        return false;
    }
    const char *about[RCUINFO__REPORT_ABOUT];
    rcuinfo__observe_ask_about(about);
    fputc('{', journal);
    rcuinfo__report_write_about(about, journal);
    fprintf(journal, "\"journal\": %ld, \"rules\": \"%" PRIu64 "\"}\n", rcuinfo__journal_number(),
            rcuinfo__rules_digest(rcuinfo__interpose_rules));
    return true;
}

void rcuinfo__journal_add(const struct rcuinfo__report_line *line)
{
    if (!*file_name || is_failed || line->count > 1 || process != getpid() || (!journal && !open_journal()))
        return;
    rcuinfo__report_write_line(line, rcuinfo__journal_number(), journal);
    fputc('\n', journal);
    if (fflush(journal) == 0)
        return;
    is_failed = true; /* what follows a line that was cut cannot be read */
    rcuinfo__journal_complain(name);
}

void rcuinfo__journal_end(void)
{
    if (!journal || process != getpid())
        return;
    (void)unlink(name); /* while it is ours alone */
    (void)fclose(journal);
    journal = NULL;
    is_failed = true; /* nothing is added any more */
}
