/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * load: faults in lines that only files of rules may have (fuzz.file compares arbitrary bytes with a naive reader).
 * save: load reads back exactly what was written, and an object that it could not read back is not written. Both with
 * files that fail or block, and with invalid arguments.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "support/left.h"
#include "support/model.h"
#include "support/objects.h"
#include "support/test.h"

static rcuinfo_status_t load(const char *text, size_t size, rcuinfo_t *info, rcuinfo_fault_t *fault)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");
    CHECK(file);
    errno = 1234;
    rcuinfo_status_t status = rcuinfo_load(file, info, fault);
    CHECK_EQUAL(errno, 1234);
    (void)fclose(file);
    return status;
}

static void check_loads(const char *text, size_t size, const rcuinfo_change_t *pairs, size_t n)
{
    rcuinfo_fault_t fault = {.what = "untouched"};
    struct model model = {0};
    size_t failed;
    rcuinfo_t info;
    CHECKF(load(text, size, &info, &fault) == RCUINFO_SUCCESS && strcmp(fault.what, "untouched") == 0,
           "%s, at %zu of line %zu of \"%s\"", fault.what, fault.offset, fault.line, text);
    CHECK_OK(model_update(&model, pairs, n, &failed));
    model.version = object_version(info);
    CHECKF(model_differs_from_object(&model, info) == 0, "of \"%s\"", text);
    model_clear(&model);
    object_free(info);
}

static void check_fault(const char *text, size_t size, const char *what, size_t line, size_t offset)
{
    rcuinfo_fault_t fault = {.what = NULL};
    rcuinfo_t info = 77;
    CHECK_STATUS(load(text, size, &info, NULL), RCUINFO_ERR_FORMAT);
    CHECK_STATUS(load(text, size, &info, &fault), RCUINFO_ERR_FORMAT);
    CHECK_EQUAL(info, RCUINFO_NULL);
    CHECKF(strcmp(fault.what, what) == 0 && fault.line == line && fault.offset == offset,
           "\"%s\" at %zu of line %zu of \"%s\"", fault.what, fault.offset, fault.line, text);
}

#define CHECK_FAULT(text, what, line, offset) check_fault(text, sizeof(text) - 1, what, line, offset)

/* Only files of rules have sections and imposed pairs. A line that is invalid as one of these gets that fault. */
TEST(faults)
{
    static const char bracket[] = "a section or an imposed pair: only for rcuinfo run --hints, not for an info";
    CHECK_FAULT("a 1\n\n \t[file *.h5]\r\n", bracket, 3, 2);
    CHECK_FAULT("  [impose]a\n", bracket, 1, 2);
    CHECK_FAULT("[a 1\n", "a section that does not end with ]", 1, 4);
}

/* As many long runs of blanks as are kept of a line; the offset counts all their bytes. */
TEST(runs_of_blanks)
{
    enum { RUNS = 6, RUN = 2000 };
    static char text[3 + RUNS * (RUN + 1)];
    memset(text, ' ', sizeof text);
    memcpy(text, "key", 3);
    for (int n = 1; n <= RUNS; n++)
        text[2 + n * (RUN + 1)] = 'x';
    check_fault(text, sizeof text, "a value of more than 1023 bytes", 1, 3 + RUN);
}

/* Returns whether a hint file can contain a pair, according to the header. */
static bool can_be_saved(const char *key, const char *value)
{
    size_t length = strlen(value);
    if (strpbrk(key, " \t\n") || strchr("#[", key[0]) || strchr(value, '\n'))
        return false;
    return !length || (!strchr(" \t", value[0]) && !strchr(" \t\r", value[length - 1]));
}

/* Every key and every value of up to three bytes, from the bytes with a meaning and one without, after a pair that can
 * be saved. load reads the pairs back, or nothing was written. */
TEST(saved_pairs_are_loaded_unchanged)
{
    static const char bytes[] = "x \t\n\r#[]";
    for (unsigned i = 1; i < 2 * 9 * 9 * 9; i++) {
        char key[8] = "", value[8] = "", written[32] = "";
        char *text = i % 2 ? key : value;
        size_t failed = 77;
        for (unsigned n = i / 2, at = 0; n; n /= 9) {
            if (n % 9 < 8)
                text[at++] = bytes[n % 9];
        }
        if (!key[0])
            (void)strcpy(key, "\r");
        bool can = can_be_saved(key, value);
        FILE *file = fmemopen(written, sizeof written, "w");
        CHECK(file);
        rcuinfo_t info = OBJECT("first", "", key, value);
        const rcuinfo_snapshot_t *snapshot = object_open(info);
        errno = 1234;
        CHECK_STATUS(rcuinfo_save(snapshot, file, &failed), can ? RCUINFO_SUCCESS : RCUINFO_ERR_FORMAT);
        CHECK_EQUAL(errno, 1234);
        CHECK_EQUAL(failed, can ? 77 : 1);
        if (can)
            check_loads(written, (size_t)ftell(file), (const rcuinfo_change_t[]){{"first", ""}, {key, value}}, 2);
        else
            CHECK_STATUS(rcuinfo_save(snapshot, file, NULL), RCUINFO_ERR_FORMAT);
        CHECK(can == (ftell(file) > 0));
        rcuinfo_snapshot_close(snapshot);
        object_free(info);
        (void)fclose(file);
    }
}

TEST(format_of_what_is_saved)
{
    char text[64] = "";
    FILE *file = tmpfile();
    CHECK(file);
    rcuinfo_t info = OBJECT("cb_nodes", "4", "empty", "", "path", "/a b/#c");
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    CHECK_OK(rcuinfo_save(snapshot, file, NULL));
    CHECK_EQUAL(pread(fileno(file), text, sizeof text - 1, 0), 31); /* save has flushed it */
    CHECK_TEXT(text, "cb_nodes 4\nempty \npath /a b/#c\n");
    rcuinfo_snapshot_close(snapshot);
    object_free(info);
    (void)fclose(file);
}

TEST(arguments)
{
    rcuinfo_t out = 77, info = object_empty();
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    CHECK_STATUS(rcuinfo_load(NULL, &out, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_load(stdin, NULL, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_save(NULL, stdout, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_save(snapshot, NULL, NULL), RCUINFO_ERR_ARG);
    CHECK_EQUAL(out, 77);
    rcuinfo_snapshot_close(snapshot);
    object_free(info);
}

struct failing {
    int reads; /* number of reads that succeed */
    int error; /* errno of the read that fails; 0: not set */
};

/* Returns lines, and then fails. */
static ssize_t read_until(void *cookie, char *buffer, size_t size)
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

/* A read error at once, from a folder or a file, or after some lines. */
TEST(reading_fails)
{
    rcuinfo_fault_t fault = {.what = "untouched"};
    uint64_t live = left_live();
    for (int i = -1; i < 6; i++) {
        struct failing failing = {.reads = i / 2, .error = i % 2 ? EREMOTEIO : 0};
        const cookie_io_functions_t failing_file = {.read = read_until};
        FILE *file = i < 0 ? fopen("/", "r") : fopencookie(&failing, "r", failing_file);
        rcuinfo_t info = 77;
        CHECK(file);
        errno = 1234;
        CHECK_STATUS(rcuinfo_load(file, &info, &fault), RCUINFO_ERR_IO);
        CHECK_EQUAL(errno, i < 0 ? EISDIR : failing.error); /* which may be 0 */
        CHECK(info == RCUINFO_NULL);
        (void)fclose(file);
    }
    CHECK_EQUAL(left_live(), live);
    CHECK_TEXT(fault.what, "untouched");
}

/* load ignores an older error of the file that its owner has not cleared. */
TEST(earlier_errors_do_not_count)
{
    FILE *file = fopen("/dev/null", "r");
    rcuinfo_t info;
    CHECK(file);
    CHECK_EQUAL(fputc('x', file), EOF);
    CHECK(ferror(file));
    CHECK_OK(rcuinfo_load(file, &info, NULL));
    object_free(info);
    (void)fclose(file);
}

/* A write error when the buffer is flushed at the end, or before, when it is full. */
TEST(writing_fails)
{
    rcuinfo_t info = OBJECT("key", "value");
    for (int n = 0; n < 4; n++) {
        FILE *file = n % 2 ? fopen("/dev/full", "w") : fopen("/dev/null", "r");
        const rcuinfo_snapshot_t *snapshot = object_open(info);
        size_t failed = 77;
        CHECK(file);
        errno = 0;
        CHECK_STATUS(rcuinfo_save(snapshot, file, &failed), RCUINFO_ERR_IO);
        CHECK_EQUAL(errno, n % 2 ? ENOSPC : EBADF);
        CHECK_EQUAL(failed, 77);
        (void)fclose(file);
        rcuinfo_snapshot_close(snapshot);
        object_fill(info, "key", 1000, "some value or other");
    }
    object_free(info);
}

/* A thread that is cancelled while load waits for a pipe completes the call, and no lock stays locked. */
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

TEST(cancelled_while_it_waits)
{
    struct waiting waiting = {.status = RCUINFO_ERR_IO, .state = -1};
    pthread_t thread;
    int ends[2];
    CHECK_EQUAL(pipe(ends), 0);
    waiting.file = fdopen(ends[0], "r");
    CHECK(waiting.file);
    CHECK_EQUAL(write(ends[1], "key value\n", 10), 10);
    CHECK_EQUAL(pthread_create(&thread, NULL, wait_in_load, &waiting), 0);
    /* Once the file is locked, the thread is in the call, which lasts until the pipe is closed. */
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

TEST_MAIN(left_nothing())
