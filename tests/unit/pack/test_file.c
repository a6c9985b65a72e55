/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * load and save with files that fail, or keep them waiting, and with arguments that are none.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <rcuinfo/rcuinfo.h>

static void arguments(void **state)
{
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_t info = RCUINFO_NULL, out = 77;
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(file);
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_load(NULL, &out, NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_load(file, NULL, NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_save(NULL, file, NULL), RCUINFO_ERR_ARG);
    assert_int_equal(rcuinfo_save(snapshot, NULL, NULL), RCUINFO_ERR_ARG);
    assert_int_equal(out, 77);
    rcuinfo_snapshot_close(snapshot);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    (void)fclose(file);
}

/* A read that fails: at once, and after some lines. */
struct failing {
    int reads; /* that do not fail */
    int error;
};

static ssize_t read_then_fail(void *cookie, char *buffer, size_t size)
{
    struct failing *failing = cookie;
    if (--failing->reads < 0) {
        errno = failing->error;
        return -1;
    }
    memset(buffer, 'k', size);
    for (size_t i = 3; i < size; i += 4)
        buffer[i] = '\n';
    return (ssize_t)size;
}

static void reading_fails(void **state)
{
    rcuinfo_fault_t fault = {.what = "untouched"};
    rcuinfo_stats_t before, after;
    rcuinfo_t info = 77;
    FILE *folder = fopen("/", "r");
    (void)state;
    assert_non_null(folder);
    rcuinfo_store_stats(&before);
    errno = 0;
    assert_int_equal(rcuinfo_load(folder, &info, &fault), RCUINFO_ERR_IO);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(info, RCUINFO_NULL);
    (void)fclose(folder);
    for (int i = 0; i < 6; i++) {
        struct failing failing = {.reads = i / 2, .error = i % 2 ? EREMOTEIO : 0};
        FILE *file = fopencookie(&failing, "r", (cookie_io_functions_t){.read = read_then_fail});
        assert_non_null(file);
        info = 77;
        errno = 1234;
        assert_int_equal(rcuinfo_load(file, &info, &fault), RCUINFO_ERR_IO);
        assert_int_equal(errno, failing.error); /* which need not be one */
        assert_int_equal(info, RCUINFO_NULL);
        (void)fclose(file);
    }
    rcuinfo_store_stats(&after);
    assert_int_equal(after.live, before.live);
    assert_string_equal(fault.what, "untouched");
}

/* An error that the file had before, and that its owner has not cleared, is none of load's. */
static void earlier_errors_do_not_count(void **state)
{
    FILE *file = fopen("/dev/null", "r");
    rcuinfo_t info;
    (void)state;
    assert_non_null(file);
    assert_int_equal(fputc('x', file), EOF);
    assert_true(ferror(file));
    assert_int_equal(rcuinfo_load(file, &info, NULL), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    (void)fclose(file);
}

/* An object of `pairs` pairs, opened. */
static const rcuinfo_snapshot_t *opened(int pairs)
{
    const rcuinfo_snapshot_t *snapshot;
    char key[32];
    rcuinfo_t info;
    assert_int_equal(rcuinfo_create(&info), RCUINFO_SUCCESS);
    for (int i = 0; i < pairs; i++) {
        (void)snprintf(key, sizeof key, "key%d", i);
        assert_int_equal(rcuinfo_set(info, key, "some value or other"), RCUINFO_SUCCESS);
    }
    assert_int_equal(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    return snapshot;
}

/* Writing fails when the buffer is flushed at the end, and before, when it is full. */
static void writing_fails(void **state)
{
    static const int sizes[] = {1, 1000};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const rcuinfo_snapshot_t *snapshot = opened(sizes[i]);
        FILE *file = fopen("/dev/full", "w");
        size_t failed = 77;
        assert_non_null(file);
        errno = 0;
        assert_int_equal(rcuinfo_save(snapshot, file, &failed), RCUINFO_ERR_IO);
        assert_int_equal(errno, ENOSPC);
        assert_int_equal(failed, 77);
        (void)fclose(file);
        file = fopen("/dev/null", "r");
        assert_non_null(file);
        errno = 0;
        assert_int_equal(rcuinfo_save(snapshot, file, &failed), RCUINFO_ERR_IO);
        assert_int_equal(errno, EBADF);
        (void)fclose(file);
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

static void cancelled_while_it_waits(void **state)
{
    struct waiting waiting = {.status = RCUINFO_ERR_IO, .state = -1};
    pthread_t thread;
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    waiting.file = fdopen(ends[0], "r");
    assert_non_null(waiting.file);
    assert_int_equal(write(ends[1], "key value\n", 10), 10);
    assert_int_equal(pthread_create(&thread, NULL, wait_in_load, &waiting), 0);
    /* Once it has the file locked it is inside of the call, and ends no sooner than the pipe does. */
    while (ftrylockfile(waiting.file) == 0) {
        funlockfile(waiting.file);
        (void)sched_yield();
    }
    assert_int_equal(pthread_cancel(thread), 0);
    assert_int_equal(close(ends[1]), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(waiting.status, RCUINFO_SUCCESS);
    assert_int_equal(waiting.state, PTHREAD_CANCEL_ENABLE);
    assert_int_equal(waiting.error, 1234);
    assert_int_equal(ftrylockfile(waiting.file), 0);
    funlockfile(waiting.file);
    (void)fclose(waiting.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments),
        cmocka_unit_test(reading_fails),
        cmocka_unit_test(earlier_errors_do_not_count),
        cmocka_unit_test(writing_fails),
        cmocka_unit_test(cancelled_while_it_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
