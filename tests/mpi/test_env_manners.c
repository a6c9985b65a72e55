/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * create_env and reading MPI_INFO_ENV leave the caller's thread and process as they were: errno, on success and on
 * every error (mpi.nomem has those of memory); the cancel state and type, and no pending cancel acts inside; no
 * descriptor stays open. The first test makes the first call of the process. For the first call before the library is
 * loaded completely see core.start.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "support/contents.h"
#include "support/phases.h"
#include "support/describe.h"

static char command[] = "command", argument[] = "an argument";
static char *arguments[] = {command, argument, NULL};

/* Whether the call gives a code, keeps errno, and leaves nothing behind. */
#define CHECK_KEEPS_ERRNO(call, code)                                                                                  \
    do {                                                                                                               \
        errno = 1234;                                                                                                  \
        int keeps_code = (int)(call);                                                                                  \
        CHECK_EQUAL(errno, 1234);                                                                                      \
        CHECK_EQUAL(keeps_code, code);                                                                                 \
    } while (0)

static int read_env(void)
{
    int nkeys = 0, code = (int)MPI_Info_get_nkeys(MPI_INFO_ENV, &nkeys);
    CHECK(code != MPI_SUCCESS || nkeys > 0);
    return code;
}

static void errno_is_kept(void)
{
    MPI_Info info = MPI_INFO_NULL;
    for (int i = 0; i < 3; i++) {
        CHECK_KEEPS_ERRNO(MPI_Info_create_env(0, NULL, &info), MPI_SUCCESS);
        free_info(info);
        CHECK_KEEPS_ERRNO(MPI_Info_create_env(2, arguments, &info), MPI_SUCCESS);
        free_info(info);
        CHECK_KEEPS_ERRNO(read_env(), MPI_SUCCESS);
    }
    CHECK_KEEPS_ERRNO(MPI_Info_create_env(-1, arguments, &info), MPI_ERR_ARG);
    CHECK_KEEPS_ERRNO(MPI_Info_create_env(1, NULL, &info), MPI_ERR_ARG);
    CHECK_KEEPS_ERRNO(MPI_Info_create_env(3, arguments, &info), MPI_ERR_ARG);
    CHECK_KEEPS_ERRNO(MPI_Info_create_env(2, arguments, NULL), MPI_ERR_ARG);
}

static void keep_cancel_state(int wanted_state, int wanted_type)
{
    char text[DESCRIBE_MAX];
    int state = -1, type = -1;
    CHECK_EQUAL(pthread_setcanceltype(wanted_type, NULL), 0);
    CHECK_EQUAL(pthread_setcancelstate(wanted_state, NULL), 0);
    describe_new(0, NULL, text);
    describe_new(2, arguments, text);
    (void)read_env();
    CHECK_MPI(MPI_Info_create_env(-1, NULL, NULL), MPI_ERR_ARG);
    CHECK_EQUAL(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state), 0);
    CHECK_EQUAL(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type), 0);
    CHECK_EQUAL(state, wanted_state);
    CHECK_EQUAL(type, wanted_type);
}

static void cancel_state_is_kept(void)
{
    keep_cancel_state(PTHREAD_CANCEL_ENABLE, PTHREAD_CANCEL_DEFERRED);
    keep_cancel_state(PTHREAD_CANCEL_DISABLE, PTHREAD_CANCEL_DEFERRED);
    keep_cancel_state(PTHREAD_CANCEL_ENABLE, PTHREAD_CANCEL_ASYNCHRONOUS);
    keep_cancel_state(PTHREAD_CANCEL_DISABLE, PTHREAD_CANCEL_ASYNCHRONOUS);
}

/* Not inlined: AddressSanitizer leaves the redzones of a frame that a cancel ends. */
__attribute__((noinline)) static void call_all(void)
{
    char text[DESCRIBE_MAX];
    describe_new(0, NULL, text);
    describe_new(2, arguments, text);
    CHECK_MPI(MPI_Info_create_env(-1, NULL, NULL), MPI_ERR_ARG);
    describe(MPI_INFO_ENV, text);
}

/* A thread that is cancelled already, and whose very first calls these are. */
static void *call_cancelled(void *called)
{
    CHECK(pthread_cancel(pthread_self()) == 0);
    call_all();
    *(bool *)called = true;
    pthread_testcancel();
    *(bool *)called = false;
    return NULL;
}

static void pending_cancel_does_not_act(void)
{
    pthread_t thread;
    void *result = NULL;
    bool called = false;
    CHECK_EQUAL(pthread_create(&thread, NULL, call_cancelled, &called), 0);
    CHECK_EQUAL(pthread_join(thread, &result), 0);
    CHECK(called);
    CHECK(result == PTHREAD_CANCELED);
}

static int count_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    int count = 0;
    CHECK(directory);
    while (readdir(directory))
        count++;
    CHECK_EQUAL(closedir(directory), 0);
    return count;
}

static void no_descriptor_is_left(void)
{
    char text[DESCRIBE_MAX];
    int before = count_descriptors();
    for (int i = 0; i < 10; i++) {
        describe_new(0, NULL, text);
        describe(MPI_INFO_ENV, text);
    }
    CHECK_EQUAL(count_descriptors(), before);
}

static test_function *const tests[] = {
    errno_is_kept,
    cancel_state_is_kept,
    pending_cancel_does_not_act,
    no_descriptor_is_left,
};

PHASES_MAIN(tests)
