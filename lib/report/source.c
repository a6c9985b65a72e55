/* SPDX-License-Identifier: BSD-3-Clause */
/* source: see source.h. libdw is loaded only for a report, and without making its symbols global. */
#include "report/source.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory/alloc.h"
#include "report/lines.h"

#if __has_include(<elfutils/libdwfl.h>)
#include <elfutils/libdwfl.h>
#define HAS_LIBDW 1
#else
#define HAS_LIBDW 0
#endif

#if HAS_LIBDW
#define FUNCTIONS(X)                                                                                                   \
    X(dwarf_getsrc_die)                                                                                                \
    X(dwarf_haspc)                                                                                                     \
    X(dwarf_lineno)                                                                                                    \
    X(dwarf_linesrc)                                                                                                   \
    X(dwfl_begin)                                                                                                      \
    X(dwfl_end)                                                                                                        \
    X(dwfl_module_addrdie)                                                                                             \
    X(dwfl_module_getelf)                                                                                              \
    X(dwfl_module_nextcu)                                                                                              \
    X(dwfl_offline_section_address)                                                                                    \
    X(dwfl_report_end)                                                                                                 \
    X(dwfl_report_offline)
#else
#define FUNCTIONS(X)
#endif

#define MEMBER(name) __typeof__(&name) name;
struct libdw {
    void *handle; /* NULL: not available */
    FUNCTIONS(MEMBER)
};

static void open_libdw(struct libdw *libdw)
{
    libdw->handle = HAS_LIBDW ? dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL) : NULL;
#define FIND(name)                                                                                                     \
    void *found_##name = libdw->handle ? dlsym(libdw->handle, #name) : NULL;                                           \
    memcpy(&libdw->name, &found_##name, sizeof found_##name);                                                          \
    libdw->handle = found_##name ? libdw->handle : NULL;
    FUNCTIONS(FIND)
    (void)dlerror(); /* this error is none of the program's */
}

#if HAS_LIBDW

/* A callback of libdw: do not search for separate debug information, in particular not on debuginfod servers. */
static int find_no_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                             const char *link, GElf_Word checksum, char **found)
{
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)checksum, (void)found;
    return -1;
}

/* Finds the source line of an address in the module. */
static Dwarf_Line *line_of(const struct libdw *libdw, Dwfl_Module *module, Dwarf_Addr address)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = libdw->dwfl_module_addrdie(module, address, &bias);

    /* That needs .debug_aranges, which clang does not write: without it, ask each compilation unit. */
    if (!unit) {
        do
            unit = libdw->dwfl_module_nextcu(module, unit, &bias);
        while (unit && libdw->dwarf_haspc(unit, address - bias) != 1);
    }
    return unit ? libdw->dwarf_getsrc_die(unit, address - bias) : NULL;
}

/* The "FILE:LINE" of an address, to be freed; NULL: not found. */
static char *find_line(const struct libdw *libdw, const char *file, uintptr_t offset)
{
    struct stat status;
    if (!libdw->handle || stat(file, &status) != 0 || !S_ISREG(status.st_mode)) /* e.g. a pipe, which would block */
        return NULL;

    const Dwfl_Callbacks callbacks = {.find_debuginfo = find_no_debuginfo,
                                      .section_address = libdw->dwfl_offline_section_address};
    Dwfl *dwfl = libdw->dwfl_begin(&callbacks);
    Dwfl_Module *module = dwfl ? libdw->dwfl_report_offline(dwfl, file, file, -1) : NULL;
    char *found = NULL;

    if (module && libdw->dwfl_report_end(dwfl, NULL, NULL) == 0) {
        GElf_Addr bias = 0;
        int number = 0;

        /* libdw assigns an address range to the file, which starts at the bias. */
        (void)libdw->dwfl_module_getelf(module, &bias);
        Dwarf_Line *line = line_of(libdw, module, bias + offset);
        const char *source = line ? libdw->dwarf_linesrc(line, NULL, NULL) : NULL;
        if (source && libdw->dwarf_lineno(line, &number) == 0) {
            const char *slash = strrchr(source, '/');
            found = rcuinfo__report_format("%s:%d", slash ? slash + 1 : source, number);
        }
    }

    if (dwfl)
        libdw->dwfl_end(dwfl);
    return found;
}

#else

/* Without libdw's header. */
static char *find_line(const struct libdw *libdw, const char *file, uintptr_t offset)
{
    (void)libdw, (void)file, (void)offset;
    return NULL;
}

#endif

/* The source line of a place, to be freed; NULL: none is found, or no memory. That of a script is one already. */
static char *line_at(const struct libdw *libdw, const char *place)
{
    const char *plus = strrchr(place, '+'), *slash = strrchr(place, '/');
    if (!plus || strncmp(plus, "+0x", 3) != 0 || strchr(plus, ':'))
        return rcuinfo__report_format("%s", slash ? slash + 1 : place);
    char *file = rcuinfo__report_format("%.*s", (int)(plus - place), place);
    char *line = file ? find_line(libdw, file, (uintptr_t)strtoull(plus + 1, NULL, 16)) : NULL;
    rcuinfo__alloc_free(file);
    return line;
}

/* What is shown for a place, to be freed; NULL: no memory. */
static char *resolve(const struct libdw *libdw, const char *place)
{
    const char *end = strchrnul(place, '\n');
    char *first = rcuinfo__report_format("%.*s", (int)(end - place), place);
    char *line = first ? line_at(libdw, first) : NULL, *above = *end ? line_at(libdw, end + 1) : NULL;
    const char *slash = first ? strrchr(first, '/') : NULL;
    char *shown = first ? rcuinfo__report_format("%s%s%s",
                                                 line    ? line
                                                 : slash ? slash + 1
                                                         : first,
                                                 above ? " from " : "", above ? above : "")
                        : NULL;
    rcuinfo__alloc_free(first);
    rcuinfo__alloc_free(line);
    rcuinfo__alloc_free(above);
    return shown;
}

void rcuinfo__source_show(struct rcuinfo__report *report)
{
    struct libdw libdw;
    const char *shown = NULL;
    char *last = NULL; /* lines of the same call follow each other */
    open_libdw(&libdw);

    for (struct rcuinfo__report_line *line = report->first; line; line = line->next) {
        const char *place = line->fields[RCUINFO__REPORT_PLACE];
        if (!place)
            continue;
        bool is_same = last && shown && strcmp(last, place) == 0;
        char *text = is_same ? rcuinfo__report_format("%s", shown) : resolve(&libdw, place);
        if (!is_same) {
            rcuinfo__alloc_free(last);
            last = rcuinfo__report_format("%s", place);
        }
        if (text)
            rcuinfo__report_replace(line, RCUINFO__REPORT_PLACE, text);
        shown = text;
    }

    rcuinfo__alloc_free(last);
    rcuinfo__report_unite(report); /* lines whose places are shown alike */
    if (libdw.handle)
        (void)dlclose(libdw.handle);
}
