/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The libraries that a program is linked with. Those that it names itself are read from its dynamic section. To get the
 * rest, the dynamic linker is run so that it lists the program's libraries instead of starting it. ldd does the same,
 * but in a shell script, which takes longer than the rest of `rcuinfo run`.
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

#define MOST_SEGMENTS 64 /* linkers emit about 13 */
#define NAME_SIZE     256

/* Reads at an offset of a file. Returns false if it could not read all of the data. */
static bool read_at(int file, void *data, size_t size, ElfW(Off) offset)
{
    return pread(file, data, size, (off_t)offset) == (ssize_t)size;
}

/* Reads the program headers. Returns their number, or 0 if no dynamic linker can start the file here. */
static size_t read_segments(int file, ElfW(Phdr) segments[MOST_SEGMENTS])
{
    static const unsigned char magic[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, __ELF_NATIVE_CLASS / 32};
    ElfW(Ehdr) header;

    if (!read_at(file, &header, sizeof header, 0) || memcmp(header.e_ident, magic, sizeof magic) != 0 ||
        header.e_phentsize != sizeof *segments || header.e_phnum > MOST_SEGMENTS ||
        !read_at(file, segments, header.e_phnum * sizeof *segments, header.e_phoff))
        return 0;

    for (size_t n = 0; n < header.e_phnum; n++) {
        if (segments[n].p_type == PT_INTERP)
            return header.e_phnum;
    }
    return 0;
}

/* The file offset of an address in the program; 0, which is never that of a name, if it is not in the file. */
static ElfW(Off) offset_of(ElfW(Addr) address, const ElfW(Phdr) * segments, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        if (segments[n].p_type == PT_LOAD && address - segments[n].p_vaddr < segments[n].p_filesz)
            return segments[n].p_offset + (address - segments[n].p_vaddr);
    }
    return 0;
}

/* Reads the n-th entry of the dynamic section. Returns false past the last entry. */
static bool read_entry(int file, const ElfW(Phdr) * dynamic, size_t n, ElfW(Dyn) * entry)
{
    return n < dynamic->p_filesz / sizeof *entry &&
           read_at(file, entry, sizeof *entry, dynamic->p_offset + n * sizeof *entry) && entry->d_tag != DT_NULL;
}

/* A library may be named by its path. */
static void see_name(const char *name, links_see_t *see, void *argument)
{
    const char *slash = strrchr(name, '/');

    see(slash != NULL ? slash + 1 : name, argument);
}

bool links_direct(const char *path, links_see_t *see, void *argument)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ElfW(Phdr) segments[MOST_SEGMENTS];
    size_t count = file >= 0 ? read_segments(file, segments) : 0;

    for (size_t segment = 0; segment < count; segment++) {
        ElfW(Off) names = 0;
        ElfW(Dyn) entry;

        if (segments[segment].p_type != PT_DYNAMIC)
            continue;
        for (size_t n = 0; read_entry(file, &segments[segment], n, &entry); n++) {
            if (entry.d_tag == DT_STRTAB)
                names = offset_of(entry.d_un.d_ptr, segments, count);
        }
        for (size_t n = 0; read_entry(file, &segments[segment], n, &entry); n++) {
            char name[NAME_SIZE] = ""; /* bytes that follow the name in the file are read too, after its NUL */

            if (entry.d_tag == DT_NEEDED && pread(file, name, sizeof name - 1, (off_t)(names + entry.d_un.d_val)) > 0)
                see_name(name, see, argument);
        }
    }
    if (file >= 0)
        close(file);
    return count > 0;
}

/*
 * Runs in the child process: executes this process's dynamic linker to list the libraries, without its error messages
 * and without preloaded libraries. It may crash on a damaged program, but leaves no core file.
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
    char program[PATH_MAX]; /* without symbolic links, as the linker needs it to expand $ORIGIN */
    Dl_info linker;
    char *line = NULL;
    size_t size = 0;
    int ends[2];

    if (realpath(path, program) == NULL || dladdr((void *)getauxval(AT_BASE), &linker) == 0 ||
        pipe2(ends, O_CLOEXEC) != 0)
        return;
    pid_t child = fork();
    if (child == 0)
        list(linker.dli_fname, program, ends[1]);
    close(ends[1]);
    FILE *listing = fdopen(ends[0], "r");
    while (listing != NULL && getline(&line, &size, listing) > 0) {
        char *name = line + strspn(line, " \t");

        name[strcspn(name, " \t\n")] = '\0';
        see_name(name, see, argument);
    }
    free(line);
    if (listing != NULL)
        fclose(listing);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
}
