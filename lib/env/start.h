/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * start: the environment, the command line, the directory and the system with which the process was loaded.
 *
 * They are asked of the kernel, once, when the library is loaded or first asked, whichever comes first: so no setenv,
 * chdir or change of argv races with a reader here. Immutable afterwards.
 */
#ifndef RCUINFO_ENV_START_H
#define RCUINFO_ENV_START_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/utsname.h>
#include <rcuinfo/info.h>

struct rcuinfo__start {
    size_t environment_bytes; /* "NAME=value\0" each */
    size_t arguments_bytes;   /* "argument\0" each */
    const char *environment;
    const char *arguments;
    bool environment_known;       /* whether it could be read; of a command line, every process has one */
    const char *directory;        /* NULL: not known */
    const struct utsname *system; /* NULL: not known */
};

/* NULL: no memory this time, or no descriptor for reading. errno and the cancellation state are left alone. */
RCUINFO_API const struct rcuinfo__start *rcuinfo__start(void);

/* The value of an environment variable, or NULL; the second in the environment of this process. */
const char *rcuinfo__start_find(const struct rcuinfo__start *start, const char *name);
RCUINFO_API const char *rcuinfo__start_variable(const char *name);

#endif
