/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The libraries that a program is linked with, and what they define. The dynamic linker is run so that it lists the
 * program's libraries instead of starting it. ldd does the same, but in a shell script, which takes longer than the
 * rest of `rcuinfo run`.
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
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* A file in memory. */
struct image {
    const char *bytes;
    size_t size;
};

/* `count` items of a size at an offset; NULL if they are not all in the file, or not aligned. */
static const void *items_at(const struct image *image, ElfW(Off) offset, size_t count, size_t size)
{
    bool inside = offset <= image->size && count <= (image->size - offset) / size;
    return inside && offset % sizeof(ElfW(Word)) == 0 ? image->bytes + offset : NULL;
}

/* Whether a table of symbols has a definition of that name. */
static bool has_symbol(const struct image *image, const ElfW(Shdr) * table, const ElfW(Shdr) * texts, const char *name)
{
    size_t length = strlen(name) + 1, count = table->sh_size / sizeof(ElfW(Sym));
    const ElfW(Sym) *symbols = items_at(image, table->sh_offset, count, sizeof *symbols);
    bool found = false;

    for (size_t n = 0; symbols != NULL && n < count && !found; n++) {
        ElfW(Off) at = texts->sh_offset + symbols[n].st_name;
        bool inside = at >= texts->sh_offset && at <= image->size && length <= image->size - at;
        found = symbols[n].st_shndx != SHN_UNDEF && inside && memcmp(image->bytes + at, name, length) == 0;
    }
    return found;
}

static bool image_defines(const struct image *image, const char *name)
{
    static const unsigned char magic[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, __ELF_NATIVE_CLASS / 32};
    const ElfW(Ehdr) *header = items_at(image, 0, 1, sizeof *header);
    const ElfW(Shdr) *sections = NULL;

    if (header != NULL && memcmp(header->e_ident, magic, sizeof magic) == 0 && header->e_shentsize == sizeof *sections)
        sections = items_at(image, header->e_shoff, header->e_shnum, sizeof *sections);
    for (size_t n = 0; sections != NULL && n < header->e_shnum; n++) {
        if (sections[n].sh_type == SHT_DYNSYM && sections[n].sh_link < header->e_shnum &&
            has_symbol(image, &sections[n], &sections[sections[n].sh_link], name))
            return true;
    }
    return false;
}

/* The name of the dynamic linker that a program asks for; "": none, so it is linked statically; NULL: it is damaged. */
static const char *interpreter_of(const struct image *image, const ElfW(Ehdr) * header)
{
    const ElfW(Phdr) *segments = items_at(image, header->e_phoff, header->e_phnum, sizeof *segments);

    for (size_t n = 0; segments != NULL && n < header->e_phnum; n++) {
        ElfW(Off) at = segments[n].p_offset;
        if (segments[n].p_type == PT_INTERP)
            return at < image->size && memchr(image->bytes + at, '\0', image->size - at) != NULL ? image->bytes + at
                                                                                                 : NULL;
    }
    return segments != NULL ? "" : NULL;
}

/* Whether a file without a dynamic linker is a program, and not the dynamic linker, which can also be called. */
static bool is_static_pie(const struct image *image, const ElfW(Ehdr) * header)
{
    const ElfW(Phdr) *segments = items_at(image, header->e_phoff, header->e_phnum, sizeof *segments);

    for (size_t n = 0; segments != NULL && n < header->e_phnum; n++) {
        size_t count = segments[n].p_filesz / sizeof(ElfW(Dyn));
        const ElfW(Dyn) *entries = items_at(image, segments[n].p_offset, count, sizeof *entries);

        for (size_t i = 0; segments[n].p_type == PT_DYNAMIC && entries != NULL && i < count; i++) {
            if (entries[i].d_tag == DT_FLAGS_1 && (entries[i].d_un.d_val & DF_1_PIE) != 0)
                return true;
        }
    }
    return false;
}

static const char *obstacle_in(const struct image *image)
{
    const ElfW(Ehdr) *own = (const void *)getauxval(AT_SYSINFO_EHDR), *header = items_at(image, 0, 1, sizeof *header);

    if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return NULL; /* e.g. a script */
    if (header->e_ident[EI_CLASS] != __ELF_NATIVE_CLASS / 32 || (own != NULL && header->e_machine != own->e_machine))
        return "is a program for another machine";
    if (header->e_type == ET_EXEC || header->e_type == ET_DYN) {
        const char *interpreter = interpreter_of(image, header);
        if (interpreter != NULL && *interpreter == '\0' && (header->e_type == ET_EXEC || is_static_pie(image, header)))
            return "is linked statically";
        if (interpreter != NULL && strstr(interpreter, "ld-musl") != NULL)
            return "uses musl, another C library";
    }
    return NULL;
}

/* Calls a function with a file in memory. The result is NULL if there is no such file. */
static const char *with_image(const char *path, const char *see(const struct image *image, const char *name),
                              const char *name, struct stat *status)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    const char *found = NULL;

    if (file >= 0 && fstat(file, status) == 0 && status->st_size > 0) {
        struct image image = {.size = (size_t)status->st_size};
        void *memory = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, file, 0);

        if (memory != MAP_FAILED) {
            image.bytes = memory;
            found = see(&image, name);
            munmap(memory, image.size);
        }
    }
    if (file >= 0)
        close(file);
    return found;
}

static const char *see_obstacle(const struct image *image, const char *name)
{
    (void)name;
    return obstacle_in(image);
}

static const char *see_symbol(const struct image *image, const char *name)
{
    return image_defines(image, name) ? name : NULL;
}

const char *links_obstacle(const char *path)
{
    struct stat status = {.st_mode = 0};
    const char *obstacle = with_image(path, see_obstacle, NULL, &status);
    bool changes_user = (status.st_mode & S_ISUID && status.st_uid != getuid()) ||
                        (status.st_mode & S_ISGID && status.st_gid != getgid());

    if (obstacle == NULL && changes_user)
        return "is a set-user-ID or set-group-ID program";
    if (obstacle == NULL && geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
        return "has file capabilities";
    return obstacle;
}

bool links_defines(const char *path, const char *name)
{
    struct stat status;
    return with_image(path, see_symbol, name, &status) != NULL;
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

void links_visit(const char *path, links_see_t *see, void *argument)
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
        char *name = line + strspn(line, " \t"), *arrow = strstr(name, " => "),
             *file = arrow != NULL ? arrow + 4 : name, *end = strrchr(file, '(');

        /* "NAME => FILE (ADDRESS)", or "FILE (ADDRESS)" for a library that is named by its path */
        if (*file != '/' || end == NULL)
            continue;
        while (end > file && end[-1] == ' ')
            end--;
        *end = '\0';
        see(file, argument);
    }
    free(line);
    if (listing != NULL)
        fclose(listing);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
}
