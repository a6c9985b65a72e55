/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * load and save with files that fail, or keep them waiting, and with arguments that are none.
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <rcuinfo/rcuinfo.h>

#include "pack/files.h"

#include "support/left.h"
#include "support/objects.h"

static void arguments(void)
{
    rcuinfo_t out = 77;
    FILE *file = tmpfile();
    CHECK(file);
    rcuinfo_t info = object_empty();
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    CHECK_STATUS(rcuinfo_load(NULL, &out, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_load(file, NULL, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_save(NULL, file, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_save(snapshot, NULL, NULL), RCUINFO_ERR_ARG);
    CHECK_EQUAL(out, 77);
    rcuinfo_snapshot_close(snapshot);
    CHECK_OK(rcuinfo_free(&info));
    (void)fclose(file);
}

/* A folder cannot be read; a file, at once or after some lines. */
static void reading_fails(void)
{
    rcuinfo_fault_t fault = {.what = "untouched"};
    rcuinfo_stats_t before = left_stats();
    for (int i = -1; i < 6; i++) {
        struct files_failing failing = {.reads = i / 2, .error = i % 2 ? EREMOTEIO : 0};
        FILE *file = i < 0 ? fopen("/", "r") : files_that_fail(&failing);
        rcuinfo_t info = 77;
        CHECK(file);
        errno = 1234;
        CHECK_STATUS(rcuinfo_load(file, &info, &fault), RCUINFO_ERR_IO);
        CHECK_EQUAL(errno, i < 0 ? EISDIR : failing.error); /* which need not be one */
        CHECK(info == RCUINFO_NULL);
        (void)fclose(file);
    }
    rcuinfo_stats_t after = left_stats();
    CHECK_EQUAL(after.live, before.live);
    CHECK_TEXT(fault.what, "untouched");
}

/* An error that the file had before, and that its owner has not cleared, is none of load's. */
static void earlier_errors_do_not_count(void)
{
    FILE *file = fopen("/dev/null", "r");
    rcuinfo_t info;
    CHECK(file);
    CHECK_EQUAL(fputc('x', file), EOF);
    CHECK(ferror(file));
    CHECK_OK(rcuinfo_load(file, &info, NULL));
    CHECK_OK(rcuinfo_free(&info));
    (void)fclose(file);
}

/* An object of `pairs` pairs, opened. */
static const rcuinfo_snapshot_t *opened(int pairs)
{
    char key[32];
    rcuinfo_t info = object_empty();
    for (int i = 0; i < pairs; i++) {
        (void)snprintf(key, sizeof key, "key%d", i);
        CHECK_OK(rcuinfo_set(info, key, "some value or other"));
    }
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    CHECK_OK(rcuinfo_free(&info));
    return snapshot;
}

/* Writing fails when the buffer is flushed at the end, and before, when it is full. */
static void writing_fails(void)
{
    static const int sizes[] = {1, 1000};
    for (size_t i = 0; i < 2; i++) {
        const rcuinfo_snapshot_t *snapshot = opened(sizes[i]);
        size_t failed = 77;
        for (int full = 0; full < 2; full++) {
            FILE *file = full ? fopen("/dev/full", "w") : fopen("/dev/null", "r");
            CHECK(file);
            errno = 0;
            CHECK_STATUS(rcuinfo_save(snapshot, file, &failed), RCUINFO_ERR_IO);
            CHECK_EQUAL(errno, full ? ENOSPC : EBADF);
            CHECK_EQUAL(failed, 77);
            (void)fclose(file);
        }
        rcuinfo_snapshot_close(snapshot);
    }
}

/* Who is cancelled while load waits for a pipe gets to the end of the call, and nothing is left locked. */
struct waiting {
    FILE *file;
    rcuinfo_status_t status;
    int state;
    int error;
};

static void *wait_in_load(void *argument)
{
    struct waiting *waiting = argument;
    rcuinfo_t info;
    errno = 1234;
    waiting->status = rcuinfo_load(waiting->file, &info, NULL);
    waiting->error = errno;
    if (waiting->status == RCUINFO_SUCCESS)
        waiting->status = rcuinfo_free(&info);
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &waiting->state);
    return NULL;
}

static void cancelled_while_it_waits(void)
{
    struct waiting waiting = {.status = RCUINFO_ERR_IO, .state = -1};
    pthread_t thread;
    int ends[2];
    CHECK_EQUAL(pipe(ends), 0);
    waiting.file = fdopen(ends[0], "r");
    CHECK(waiting.file);
    CHECK_EQUAL(write(ends[1], "key value\n", 10), 10);
    CHECK_EQUAL(pthread_create(&thread, NULL, wait_in_load, &waiting), 0);
    /* Once it has the file locked it is inside of the call, and ends no sooner than the pipe does. */
    while (ftrylockfile(waiting.file) == 0) {
        funlockfile(waiting.file);
        (void)sched_yield();
    }
    CHECK_EQUAL(pthread_cancel(thread), 0);
    CHECK_EQUAL(close(ends[1]), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    CHECK_OK(waiting.status);
    CHECK_EQUAL(waiting.state, PTHREAD_CANCEL_ENABLE);
    CHECK_EQUAL(waiting.error, 1234);
    CHECK_EQUAL(ftrylockfile(waiting.file), 0);
    funlockfile(waiting.file);
    (void)fclose(waiting.file);
}

int main(void)
{
    arguments();
    reading_fails();
    earlier_errors_do_not_count();
    writing_fails();
    cancelled_while_it_waits();
    return 0;
}
