/* SPDX-License-Identifier: BSD-3-Clause */
/* heap: see memory.h. */
#include "memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

/* There when the program was built with a sanitizer, which has a malloc of its own. */
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

size_t heap_in_use(void)
{
    if (__sanitizer_get_current_allocated_bytes)
        return __sanitizer_get_current_allocated_bytes();
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

void heap_child(void (*body)(const void *context, void *result), const void *context, void *result, size_t bytes)
{
    int status = 0;
    void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        bench_die("no memory for %zu bytes", bytes);
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        bench_die("cannot fork: %s", strerror(errno));
    if (child == 0) {
        body(context, shared);
        _Exit(0);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        bench_die("a process that measured has failed (wait status %d)", status);
    memcpy(result, shared, bytes);
    munmap(shared, bytes);
}
