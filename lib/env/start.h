/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * start: environment, command line, directory and system of the process at the time when it was loaded.
 *
 * They are read from the kernel once, at load or at the first call, whichever comes first, and are immutable
 * afterwards. So no setenv, chdir or change of argv races with a reader.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/utsname.h>
#include <rcuinfo/info.h>

struct rcuinfo__start {
    size_t environment_bytes; /* "NAME=value\0" each */
    size_t arguments_bytes;   /* "argument\0" each */
    const char *environment;
    const char *arguments;
    bool environment_known; /* whether it could be read. (A command line is never empty, so it needs no such flag.) */
    const char *directory;  /* NULL: not known */
    const struct utsname *system; /* NULL: not known */
};

/* Returns NULL when there is no memory, or no file descriptor; a later call tries again. Leaves errno and the
 * cancellation state alone. */
RCUINFO_API const struct rcuinfo__start *rcuinfo__start(void);

/* The value of an environment variable in the environment of `start`, or NULL. */
const char *rcuinfo__start_find(const struct rcuinfo__start *start, const char *name);

/* The same in that of this process, for variables that tell it what to do: NULL if it has privileges that its caller
 * lacks (set-user-ID, capabilities). */
RCUINFO_API const char *rcuinfo__start_variable(const char *name);
