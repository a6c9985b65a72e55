/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The libraries that a program is linked with. Those that it names itself are read from its dynamic section. The others
 * the dynamic linker finds, as it does at a start of the program, and lists them instead of starting it: what ldd does,
 * without ldd's shell, which takes longer than the rest of `rcuinfo run`.
 */
#include "links.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_PARTS 64 /* program headers; the linkers make some 13 */
#define NAME_SIZE  256

/* A library may be named by its path. */
static void see_name(const char *name, links_see_t *see, void *argument)
{
    const char *slash = strrchr(name, '/');

    see(slash != NULL ? slash + 1 : name, argument);
}

/* Reads at an offset of a file. Returns whether all of it was there. */
static int read_at(int file, void *data, size_t size, ElfW(Off) offset)
{
    return pread(file, data, size, (off_t)offset) == (ssize_t)size;
}

/* Reads the program headers. Returns how many there are; 0 for what no dynamic linker starts here. */
static size_t read_parts(int file, ElfW(Phdr) parts[MOST_PARTS])
{
    static const unsigned char magic[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, __ELF_NATIVE_CLASS / 32};
    ElfW(Ehdr) header;

    if (!read_at(file, &header, sizeof header, 0) || memcmp(header.e_ident, magic, sizeof magic) != 0 ||
        header.e_phentsize != sizeof *parts || header.e_phnum > MOST_PARTS ||
        !read_at(file, parts, header.e_phnum * sizeof *parts, header.e_phoff))
        return 0;
    for (size_t n = 0; n < header.e_phnum; n++) {
        if (parts[n].p_type == PT_INTERP)
            return header.e_phnum;
    }
    return 0;
}

/* Where in the file an address of the program comes from; 0, where no name is, for none. */
static ElfW(Off) place_of(ElfW(Addr) address, const ElfW(Phdr) * parts, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        if (parts[n].p_type == PT_LOAD && address - parts[n].p_vaddr < parts[n].p_filesz)
            return parts[n].p_offset + (address - parts[n].p_vaddr);
    }
    return 0;
}

/* Reads the n-th entry of the dynamic section. Returns 0 past the last one. */
static int read_entry(int file, const ElfW(Phdr) * section, size_t n, ElfW(Dyn) * entry)
{
    return n < section->p_filesz / sizeof *entry &&
           read_at(file, entry, sizeof *entry, section->p_offset + n * sizeof *entry) && entry->d_tag != DT_NULL;
}

int links_direct(const char *path, links_see_t *see, void *argument)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ElfW(Phdr) parts[MOST_PARTS];
    size_t count = file >= 0 ? read_parts(file, parts) : 0;

    for (size_t part = 0; part < count; part++) {
        ElfW(Off) names = 0;
        ElfW(Dyn) entry;

        if (parts[part].p_type != PT_DYNAMIC)
            continue;
        for (size_t n = 0; read_entry(file, &parts[part], n, &entry); n++) {
            if (entry.d_tag == DT_STRTAB)
                names = place_of(entry.d_un.d_ptr, parts, count);
        }
        for (size_t n = 0; read_entry(file, &parts[part], n, &entry); n++) {
            char name[NAME_SIZE] = "";

            /* What follows the name, if it is not the file's last, comes along, after the NUL byte. */
            if (entry.d_tag == DT_NEEDED && pread(file, name, sizeof name - 1, (off_t)(names + entry.d_un.d_val)) > 0)
                see_name(name, see, argument);
        }
    }
    if (file >= 0)
        close(file);
    return count > 0;
}

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

void links_all(const char *path, links_see_t *see, void *argument)
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

        name[strcspn(name, " \t\n")] = '\0';
        see_name(name, see, argument);
    }
    free(line);
    fclose(listing);
}
