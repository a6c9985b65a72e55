/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The libraries that a program is linked with. The dynamic linker finds them, as it does at a start of the program, and
 * lists them instead of starting it: what ldd does, without ldd's shell, which takes longer than the rest of
 * `rcuinfo run`.
 */
#include "command.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whether the dynamic linker starts this program, which then names it. It crashes on one that is linked statically. */
static bool has_interpreter(const char *path)
{
    static const unsigned char magic[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, __ELF_NATIVE_CLASS / 32};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ElfW(Ehdr) header;
    ElfW(Phdr) segment;
    bool found = false;

    if (file < 0)
        return false;
    if (pread(file, &header, sizeof header, 0) == (ssize_t)sizeof header &&
        memcmp(header.e_ident, magic, sizeof magic) == 0) {
        for (size_t n = 0; n < header.e_phnum && !found; n++)
            found =
                pread(file, &segment, sizeof segment, (off_t)(header.e_phoff + n * sizeof segment)) == sizeof segment &&
                segment.p_type == PT_INTERP;
    }
    close(file);
    return found;
}

/*
 * In the new process: our own dynamic linker lists. Its complaints go nowhere, and what is preloaded is not linked. On
 * a damaged program it may crash, which leaves no core file.
 */
static _Noreturn void list(const char *linker, const char *program, int output)
{
    const struct rlimit no_core = {0, 0};

    (void)setrlimit(RLIMIT_CORE, &no_core);
    if (dup2(output, STDOUT_FILENO) >= 0 && fcntl(STDOUT_FILENO, F_SETFD, 0) == 0 &&
        dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO) >= 0 && unsetenv("LD_PRELOAD") == 0 &&
        setenv("LD_TRACE_LOADED_OBJECTS", "1", 1) == 0)
        execl(linker, "ld.so", program, (char *)NULL);
    _exit(1);
}

void links_all(const char *path, links_see_t *see, void *argument)
{
    char program[PATH_MAX]; /* without symbolic links, as $ORIGIN has it */
    Dl_info linker;
    char *line = NULL;
    size_t size = 0;
    int ends[2];

    if (!has_interpreter(path) || realpath(path, program) == NULL || dladdr((void *)getauxval(AT_BASE), &linker) == 0 ||
        pipe2(ends, O_CLOEXEC) != 0)
        return;
    pid_t child = fork();
    if (child == 0)
        list(linker.dli_fname, program, ends[1]);
    close(ends[1]);
    FILE *listing = fdopen(ends[0], "r");
    while (listing != NULL && getline(&line, &size, listing) > 0) {
        char *name = line + strspn(line, " \t");
        char *slash;

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
