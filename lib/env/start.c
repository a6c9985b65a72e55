/* SPDX-License-Identifier: BSD-3-Clause */
/* start: see start.h. */
#include "env/start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "core/memory/alloc.h"
#include "core/order.h"

/* [P8] field: written once, by the first thread that needs it, and never freed */
static _Atomic(struct rcuinfo__start *) captured;

/* Whether a system call that failed with this error may succeed later. */
static bool is_temporary(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/* Reads a whole file of /proc, whose size the kernel does not tell, and appends a NUL. A file that cannot be read gives
 * an empty text and *known false. Returns NULL when there is no memory, or no file descriptor. */
static char *read_file(const char *path, size_t *bytes, bool *known)
{
    size_t room = 16384;
    ssize_t got = 0;
    *bytes = 0;
    *known = false;

    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && is_temporary(errno))
        return NULL;

    /* A read may give less than there is, so only one that gives nothing is the end. */
    char *text = rcuinfo__alloc(room);
    while (text && fd >= 0 && ((got = read(fd, text + *bytes, room - *bytes - 1)) > 0 || (got < 0 && errno == EINTR))) {
        *bytes += got > 0 ? (size_t)got : 0;
        if (*bytes < room - 1) /* one byte stays for the NUL */
            continue;

        char *larger = rcuinfo__alloc(2 * room);
        if (larger)
            memcpy(larger, text, *bytes);
        rcuinfo__alloc_free(text);
        text = larger;
        room *= 2;
    }

    if (text && got < 0 && is_temporary(errno)) {
        rcuinfo__alloc_free(text);
        text = NULL;
    }

    *known = fd >= 0 && got == 0;
    if (fd >= 0)
        close(fd);
    if (!*known)
        *bytes = 0;
    if (text)
        text[*bytes] = '\0';
    return text;
}

/* Frees memory that readers know as const. */
static void free_const(const void *memory)
{
    rcuinfo__alloc_free((void *)(uintptr_t)memory);
}

static void free_start(struct rcuinfo__start *start)
{
    free_const(start->environment);
    free_const(start->arguments);
    free_const(start->directory);
    free_const(start->system);
    rcuinfo__alloc_free(start);
}

/* Asks the kernel. NULL: see rcuinfo__start. */
static struct rcuinfo__start *read_start(void)
{
    struct rcuinfo__start *start = rcuinfo__alloc(sizeof *start);
    if (!start)
        return NULL;

    /* /proc/self is that of the first thread: after pthread_exit in main, nothing can be read there. */
    bool known;
    start->arguments = read_file("/proc/thread-self/cmdline", &start->arguments_bytes, &known);
    start->environment = read_file("/proc/thread-self/environ", &start->environment_bytes, &known);
    start->environment_known = known;

    char *directory = rcuinfo__alloc(PATH_MAX);
    struct utsname *system = rcuinfo__alloc(sizeof *system);
    start->directory = directory;
    start->system = system;
    if (!start->environment || !start->arguments || !directory || !system) {
        free_start(start);
        return NULL;
    }

    /* These may be unknown, which is no reason to fail. */
    if (!getcwd(directory, PATH_MAX)) {
        rcuinfo__alloc_free(directory);
        start->directory = NULL;
    }
    if (uname(system) != 0) {
        rcuinfo__alloc_free(system);
        start->system = NULL;
    }
    return start;
}

const struct rcuinfo__start *rcuinfo__start(void)
{
    struct rcuinfo__start *start = atomic_load_explicit(&captured, RCUINFO__START_LOAD); /* [P8] acquire */
    if (start)
        return start;

    int saved_errno = errno;
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state); /* open and read are cancellation points */
    struct rcuinfo__start *mine = read_start();

    /* [P8] publish. A thread that comes second uses what the first has read. */
    if (mine &&
        !atomic_compare_exchange_strong_explicit(&captured, &start, mine, RCUINFO__START_PUBLISH, RCUINFO__START_LOAD))
        free_start(mine);
    else
        start = mine;

    pthread_setcancelstate(state, NULL);
    errno = saved_errno;
    return start;
}

const char *rcuinfo__start_find(const struct rcuinfo__start *start, const char *name)
{
    size_t length = strlen(name);
    const char *end = start->environment + start->environment_bytes;

    for (const char *at = start->environment; at < end; at += strlen(at) + 1) {
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return at + length + 1;
    }
    return NULL;
}

const char *rcuinfo__start_variable(const char *name)
{
    if (getauxval(AT_SECURE))
        return NULL;
    const struct rcuinfo__start *start = rcuinfo__start();
    return start ? rcuinfo__start_find(start, name) : NULL;
}
