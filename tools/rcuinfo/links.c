/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The libraries that a program is linked with. The dynamic linker finds them, as it does at a start of the program, and
 * lists them instead of starting it: what ldd does, without ldd's shell, which takes longer than the rest of `rcuinfo
 * run`.
 */
#include "command.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the new process: our own dynamic linker lists. Its complaints go nowhere, and what is preloaded is not linked. */
static _Noreturn void list(const char *linker, const char *program, int output)
{
    if (dup2(output, STDOUT_FILENO) >= 0 && dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO) >= 0 &&
        unsetenv("LD_PRELOAD") == 0 && setenv("LD_TRACE_LOADED_OBJECTS", "1", 1) == 0)
        execl(linker, "ld.so", program, (char *)NULL);
    _exit(1);
}

void links_list(const char *path, links_see_t *see, void *argument)
{
    char program[PATH_MAX]; /* without symbolic links, as $ORIGIN has it */
    Dl_info linker;
    FILE *listing;
    char *line = NULL;
    size_t size = 0;
    int ends[2];
    pid_t child;

    if (realpath(path, program) == NULL || dladdr((void *)getauxval(AT_BASE), &linker) == 0 ||
        pipe2(ends, O_CLOEXEC) != 0)
        return;
    child = fork();
    if (child == 0)
        list(linker.dli_fname, program, ends[1]);
    close(ends[1]);
    listing = fdopen(ends[0], "r");
    while (listing != NULL && getline(&line, &size, listing) > 0) {
        char *name = line + strspn(line, " \t");
        const char *slash;

        name[strcspn(name, " \t\n")] = '\0';
        slash = strrchr(name, '/'); /* a library may be named by its path */
        see(slash != NULL ? slash + 1 : name, argument);
    }
    free(line);
    if (listing != NULL)
        fclose(listing);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
}
