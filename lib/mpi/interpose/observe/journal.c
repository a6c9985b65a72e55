/* SPDX-License-Identifier: BSD-3-Clause */
/* journal: see journal.h. */
#include "mpi/interpose/observe/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory/alloc.h"
#include "core/order.h"
#include "core/quiet.h"
#include "env/start.h"
#include "mpi/interpose/lend.h"
#include "report/export.h"
#include "report/lines.h"
#include "mpi/interpose/observe/ask.h"
#include "keys/memstream.h"

static const char *file_name = ""; /* written at load */
static _Atomic bool uses_pid; /* its number is the process id: the job was spawned, or another process has FILE.RANK */
static int journal = -1;      /* its descriptor; -1: nothing was written yet, or it cannot be */
static struct stat identity;  /* what that was when it was opened: the program may close and use any descriptor */
static int job_size;          /* as written; 0: not known yet */
static char name[PATH_MAX];   /* its name, which stays the same once it is opened */
static off_t end;             /* where the lines of the calls that have not returned begin */
static off_t written;         /* where these ended when they were longest */
static char *calls;           /* these lines */
static size_t calls_length;
static _Atomic bool is_failed; /* what follows a line that was cut cannot be read */
static pid_t process;          /* that started it */

void rcuinfo__journal_begin(const char *file)
{
    file_name = file;
    process = getpid();
}

const char *rcuinfo__journal_file(void)
{
    return file_name;
}

bool rcuinfo__journal_is_ours(void)
{
    return process == getpid();
}

bool rcuinfo__journal_is_wanted(void)
{
    return *file_name && !atomic_load_explicit(&is_failed, RCUINFO__RELAXED) && rcuinfo__journal_is_ours();
}

void rcuinfo__journal_use_pid(void)
{
    atomic_store_explicit(&uses_pid, true, RCUINFO__RELAXED);
}

long rcuinfo__journal_number(void)
{
    static const char *const variables[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                            "PMI_RANK"}; /* PMIx, Open MPI, Hydra */
    static long number;                                  /* stays the same while the file is open, as its name does */
    if (journal >= 0)
        return number;

    const char *rank = NULL;
    for (size_t n = 0; n < sizeof variables / sizeof *variables && !rank; n++) {
        const char *text = rcuinfo__start_variable(variables[n]);
        rank = text && *text >= '0' && *text <= '9' ? text : NULL;
    }
    bool has_rank = rank && !atomic_load_explicit(&uses_pid, RCUINFO__RELAXED);
    return number = has_rank ? strtol(rank, NULL, 10) : (long)getpid();
}

const char *rcuinfo__journal_name(void)
{
    if (journal < 0)
        snprintf(name, sizeof name, "%s.%ld", file_name, rcuinfo__journal_number());
    return name;
}

/* Says that a file cannot be written, and why: errno. */
static void complain(const char *file)
{
    /* glibc has a text for each thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    rcuinfo__quiet_say("rcuinfo: cannot write '%s': %s\n", file, errno == ELOOP ? "a symbolic link" : strerror(errno));
}

/* Gives the journal up: errno says why. */
static void fail(void)
{
    atomic_store_explicit(&is_failed, true, RCUINFO__RELAXED);
    complain(name);
}

/* Opens a file and empties it. EAGAIN: another process has it. Where there are no locks, none does. The children of a
 * fork do not inherit this kind of lock: one that runs on for days does not keep the file from the next job. */
static int open_alone(const char *file)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int low = open(file, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    int opened = low < 0 ? -1 : rcuinfo__quiet_duplicate(low);
    if (low >= 0)
        (void)close(low); /* first: with any descriptor of the file, its lock goes */
    bool is_taken = opened >= 0 && fcntl(opened, F_SETLK, &lock) != 0 && errno == EAGAIN;
    if (opened >= 0 && !is_taken && ftruncate(opened, 0) == 0)
        return opened;
    if (opened >= 0) {
        int error = errno;
        (void)close(opened);
        errno = error;
    }
    return -1;
}

/* Writes all bytes at an offset. */
static bool write_all(int file, const char *bytes, size_t size, off_t offset)
{
    while (size > 0) {
        ssize_t done = pwrite(file, bytes, size, offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        bytes += done;
        size -= (size_t)done;
        offset += done;
    }
    return true;
}

bool rcuinfo__journal_open(void)
{
    if (!rcuinfo__journal_is_wanted())
        return false;
    if (journal >= 0)
        return true;
    journal = open_alone(rcuinfo__journal_name());
    if (journal < 0 && errno == EAGAIN) { /* before MPI_Init, a spawned process seems to be one of its parent's job */
        rcuinfo__journal_use_pid();
        journal = open_alone(rcuinfo__journal_name());
    }
    if (journal < 0 || fstat(journal, &identity) != 0)
        fail();
    return journal >= 0;
}

/* Whether the descriptor is still the journal's; false: errno is EBADF. */
static bool is_still_open(void)
{
    struct stat now;
    if (fstat(journal, &now) == 0 && now.st_dev == identity.st_dev && now.st_ino == identity.st_ino)
        return true;
    errno = EBADF;
    return false;
}

/* Writes a text after the lines that stay, and after it the calls that have not returned. */
static void commit(struct rcuinfo__memstream *text)
{
    (void)fflush(text->file);
    size_t stays = text->size;
    (void)fwrite(calls ? calls : "", 1, calls_length, text->file);
    off_t blanks = written - end - (off_t)stays - (off_t)calls_length;
    if (blanks > 0)
        (void)fprintf(text->file, "%*s\n", (int)blanks - 1, "");

    struct rcuinfo__quiet quiet;
    rcuinfo__quiet_begin(&quiet);
    bool has_memory = rcuinfo__memstream_end(text);
    errno = has_memory ? errno : ENOMEM;
    bool is_written = has_memory && is_still_open() && write_all(journal, text->bytes, text->size, end);
    rcuinfo__quiet_end(&quiet);
    if (!is_written)
        fail();
    written = end + (off_t)text->size > written ? end + (off_t)text->size : written;
    end += (off_t)stays;
    rcuinfo__alloc_free(text->bytes);
}

/* Begins a text that is to be committed, with what the report is of if it is the first. */
static bool begin_lines(struct rcuinfo__memstream *text)
{
    if (!rcuinfo__journal_open())
        return false;
    if (!rcuinfo__memstream_begin(text)) {
        errno = ENOMEM;
        fail();
        return false;
    }
    if (written > 0)
        return true;
    const char *about[RCUINFO__REPORT_ABOUT];
    rcuinfo__ask_about(about);
    job_size = rcuinfo__ask_job_size();
    fputc('{', text->file);
    rcuinfo__export_about(about, text->file);
    fprintf(text->file, "\"journal\": %ld, \"size\": %d, \"rules\": \"%" PRIu64 "\"}\n", rcuinfo__journal_number(),
            job_size, rcuinfo__rules_digest(rcuinfo__lend_rules));
    return true;
}

void rcuinfo__journal_add(const struct rcuinfo__report_line *line)
{
    struct rcuinfo__memstream text;
    if (line->count > 1 || !begin_lines(&text))
        return;
    rcuinfo__export_line(line, rcuinfo__journal_number(), line->count, text.file);
    fputc('\n', text.file);
    commit(&text);
}

void rcuinfo__journal_set_calls(const char *lines, size_t length)
{
    struct rcuinfo__memstream text;
    if ((length == 0 && calls_length == 0 && written > 0) || !begin_lines(&text))
        return;
    rcuinfo__alloc_free(calls);
    calls = length > 0 ? rcuinfo__alloc(length) : NULL;
    calls_length = calls ? length : 0;
    if (calls)
        memcpy(calls, lines, length);
    commit(&text);
}

void rcuinfo__journal_set_size(void)
{
    struct rcuinfo__memstream text;
    if (journal < 0 || job_size > 0 || !begin_lines(&text))
        return;
    job_size = rcuinfo__ask_job_size();
    fprintf(text.file, "{\"size\": %d}\n", job_size);
    commit(&text);
}

void rcuinfo__journal_complete(const struct rcuinfo__report *report)
{
    struct rcuinfo__memstream text;
    if (journal < 0 || !begin_lines(&text))
        return;
    for (const struct rcuinfo__report_line *line = report->first; line; line = line->next) {
        if (line->count > 1) {
            rcuinfo__export_line(line, rcuinfo__journal_number(), line->count - 1, text.file);
            fputc('\n', text.file);
        }
    }
    fprintf(text.file, "{\"complete\": true, \"lost\": %" PRIu64 "}\n", report->lost);
    calls_length = 0; /* which are lines of the report now */
    commit(&text);
}

/* Writes a file, or replaces it, so that it is never cut short. false: errno says why it is not there. */
static bool replace(const char *file, const char *bytes, size_t size)
{
    char beside[PATH_MAX + 32];
    struct stat status;
    struct rcuinfo__quiet quiet;

    /* What is not a file of its own, such as a pipe, cannot be replaced. */
    bool is_file = lstat(file, &status) != 0 || S_ISREG(status.st_mode);
    int opened = -1;
    rcuinfo__quiet_begin(&quiet);
    errno = EEXIST;
    for (long n = getpid(); is_file && opened < 0 && errno == EEXIST;
         n++) { /* another job may be writing the same file */
        (void)snprintf(beside, sizeof beside, "%s.new.%ld", file, n);
        opened = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    if (!is_file)
        opened = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool is_written = opened >= 0;
    while (is_written && size > 0) { /* not by pwrite: it may be a pipe */
        ssize_t done = write(opened, bytes, size);
        is_written = done >= 0 || errno == EINTR;
        bytes += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    int error = errno;
    if (opened >= 0 && close(opened) != 0 && is_written) {
        is_written = false;
        error = errno;
    }
    if (is_written && is_file && rename(beside, file) != 0) {
        is_written = false;
        error = errno;
    }
    if (!is_written && opened >= 0 && is_file)
        (void)unlink(beside);
    rcuinfo__quiet_end(&quiet);
    errno = error;
    return is_written;
}

bool rcuinfo__journal_replace(const char *file, const struct rcuinfo__report *report, long processes)
{
    struct rcuinfo__memstream text;
    bool is_made = rcuinfo__memstream_begin(&text) && rcuinfo__export_json(report, processes, text.file);
    is_made = rcuinfo__memstream_end(&text) && is_made;
    errno = is_made ? errno : ENOMEM;
    bool is_written = is_made && replace(file, text.bytes, text.size);
    if (!is_written)
        complain(file);
    rcuinfo__alloc_free(text.bytes);
    return is_written;
}

void rcuinfo__journal_end(void)
{
    if (journal < 0 || !rcuinfo__journal_is_ours())
        return;
    (void)unlink(name); /* while it is ours alone */
    if (is_still_open())
        (void)close(journal);
    journal = -1;
    atomic_store_explicit(&is_failed, true, RCUINFO__RELAXED); /* nothing is added any more */
}
