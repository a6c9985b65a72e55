/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spawn: runs a function, or this program again, in a process of its own.
 */
#pragma once

#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"

extern char **environ;

/* Waits for a child, which must end with status 0. */
static inline void spawn_wait(pid_t child, const char *who)
{
    int status = 0;
    pid_t got;
    do {
        got = waitpid(child, &status, 0);
    } while (got < 0 && errno == EINTR);
    CHECKF(got == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s ended with %#x", who, (unsigned)status);
}

/* Runs the body in a child, which then exits. */
static inline void spawn_child(void (*body)(void))
{
    fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        body();
        exit(0);
    }
    spawn_wait(child, "child");
}

/* Runs the program with these arguments, the command first; it must end with status 0. Stores its output (at most size
 * - 1 bytes) in `output`. */
static inline void spawn_again(char *const *argv, char *output, size_t size)
{
    posix_spawn_file_actions_t actions;
    size_t used = 0;
    ssize_t got;
    int ends[2];
    pid_t child;
    CHECK(pipe(ends) == 0);
    CHECK(posix_spawn_file_actions_init(&actions) == 0);
    CHECK(posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) == 0);
    CHECK(posix_spawn_file_actions_addclose(&actions, ends[0]) == 0);
    CHECK(posix_spawn_file_actions_addclose(&actions, ends[1]) == 0);
    CHECK(posix_spawn(&child, "/proc/self/exe", &actions, NULL, argv, environ) == 0);
    CHECK(posix_spawn_file_actions_destroy(&actions) == 0);
    CHECK(close(ends[1]) == 0);
    while ((got = read(ends[0], output + used, size - 1 - used)) > 0 || (got < 0 && errno == EINTR))
        used += got > 0 ? (size_t)got : 0;
    output[used] = '\0';
    CHECK(close(ends[0]) == 0);
    spawn_wait(child, argv[1] ? argv[1] : argv[0]);
}

/* The same with one argument. */
static inline void spawn_self(const char *argument, char *output, size_t size)
{
    char self[] = "/proc/self/exe";
    char *argv[] = {self, (char *)(size_t)argument, NULL};
    spawn_again(argv, output, size);
}
