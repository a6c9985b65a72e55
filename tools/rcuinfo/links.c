/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The libraries that a program is linked with. The dynamic linker finds them, as it does at a start of the program, and
 * lists them instead of starting it: what ldd does, without ldd's shell, which takes longer than the rest of `rcuinfo
 * run`.
 */
#include "links.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Our environment but for LD_PRELOAD, for what that names is not linked; and what tells the linker to list. */
static char **make_environment(void)
{
    static char list[] = "LD_TRACE_LOADED_OBJECTS=1";
    char **copy;
    size_t count = 0;

    while (environ[count] != NULL)
        count++;
    copy = calloc(count + 2, sizeof *copy);
    if (copy == NULL)
        return NULL;
    count = 0;
    copy[count++] = list;
    for (char **variable = environ; *variable != NULL; variable++) {
        if (strncmp(*variable, "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0)
            copy[count++] = *variable;
    }
    return copy;
}

/*
 * Has our own dynamic linker list into a file; its complaints go nowhere. The program by its path without symbolic
 * links, as $ORIGIN has it.
 */
static void list(const char *path, int file)
{
    char program[PATH_MAX];
    Dl_info linker;
    posix_spawn_file_actions_t actions;
    char **environment = make_environment();
    pid_t child;

    if (environment != NULL && realpath(path, program) != NULL && dladdr((void *)getauxval(AT_BASE), &linker) != 0 &&
        posix_spawn_file_actions_init(&actions) == 0) {
        if (posix_spawn_file_actions_adddup2(&actions, file, STDOUT_FILENO) == 0 &&
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
            posix_spawn(&child, linker.dli_fname, &actions, NULL, (char *[]){"ld.so", program, NULL}, environment) ==
                0) {
            while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
                continue;
        }
        posix_spawn_file_actions_destroy(&actions);
    }
    free(environment);
}

void links_list(const char *path, links_see_t *see, void *argument)
{
    int file = memfd_create("links", MFD_CLOEXEC);
    FILE *listing = file >= 0 ? fdopen(file, "r") : NULL;
    char *line = NULL;
    size_t size = 0;

    if (listing == NULL) {
        if (file >= 0)
            close(file);
        return;
    }
    list(path, file);
    rewind(listing);
    while (getline(&line, &size, listing) > 0) {
        char *name = line + strspn(line, " \t");
        const char *slash;

        name[strcspn(name, " \t\n")] = '\0';
        slash = strrchr(name, '/'); /* a library may be named by its path */
        see(slash != NULL ? slash + 1 : name, argument);
    }
    free(line);
    fclose(listing);
}
