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
#include <unistd.h>

#include "core/alloc.h"
#include "core/order.h"

/* [P8] field: made by whoever comes first, never taken back */
static _Atomic(struct rcuinfo__start *) captured;

/* Whether what failed may succeed at another time. */
static bool is_passing(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/* The whole of a file whose size the kernel does not tell, with a NUL behind it; empty, and *known false, when it
 * cannot be read. NULL: no memory, or no descriptor, this time. */
static char *read_all(const char *path, size_t *bytes, bool *known)
{
    size_t room = 16384;
    ssize_t got = 0;
    *bytes = 0;
    *known = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && is_passing(errno))
        return NULL;
    char *text = rcuinfo__alloc(room);
    while (text && fd >= 0 && ((got = read(fd, text + *bytes, room - *bytes - 1)) > 0 || (got < 0 && errno == EINTR))) {
        *bytes += got > 0 ? (size_t)got : 0;
        if (*bytes < room - 1)
            continue;
        char *larger = rcuinfo__alloc(2 * room);
        if (larger)
            memcpy(larger, text, *bytes);
        rcuinfo__alloc_free(text);
        text = larger;
        room *= 2;
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

static void release(struct rcuinfo__start *start)
{
    rcuinfo__alloc_free((char *)(size_t)start->environment);
    rcuinfo__alloc_free((char *)(size_t)start->arguments);
    rcuinfo__alloc_free((char *)(size_t)start->directory);
    rcuinfo__alloc_free((struct utsname *)(size_t)start->system);
    rcuinfo__alloc_free(start);
}

static struct rcuinfo__start *capture(void)
{
    struct rcuinfo__start *start = rcuinfo__alloc(sizeof *start);
    if (!start)
        return NULL;
    /* Of this thread: /proc/self is the first one, which may have ended, and with it what can be read there. */
    bool known;
    start->arguments = read_all("/proc/thread-self/cmdline", &start->arguments_bytes, &known);
    start->environment = read_all("/proc/thread-self/environ", &start->environment_bytes, &known);
    start->environment_known = known;
    char *directory = rcuinfo__alloc(PATH_MAX);
    struct utsname *system = rcuinfo__alloc(sizeof *system);
    start->directory = directory;
    start->system = system;
    if (!start->environment || !start->arguments || !directory || !system) {
        release(start);
        return NULL;
    }
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
    struct rcuinfo__start *mine = capture();
    /* [P8] publish */
    if (mine &&
        !atomic_compare_exchange_strong_explicit(&captured, &start, mine, RCUINFO__START_PUBLISH, RCUINFO__START_LOAD))
        release(mine);
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
    const struct rcuinfo__start *start = rcuinfo__start();
    return start ? rcuinfo__start_find(start, name) : NULL;
}
