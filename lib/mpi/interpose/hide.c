/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hide: lets programs see the functions that their MPI library has, and no others. Programs ask by a weak reference
 * whether a function exists. The names of an interposer are those of all versions, so a reference to one that the
 * library lacks is set back to NULL, where the dynamic linker has bound it to ours: in what is loaded at start before
 * main, and in what is loaded later when the program looks a symbol up, as of a plugin (dlsym.c).
 *
 * The info functions are an exception: the program has those that an older library lacks, as ours need no library.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/order.h"
#include "env/start.h"
#include "mpi/interpose/names.h"

#if __ELF_NATIVE_CLASS == 64
#define SYMBOL_OF(info) ELF64_R_SYM(info)
#define TYPE_OF(info)   ELF64_R_TYPE(info)
#define BIND_OF(info)   ELF64_ST_BIND(info)
#else
#define SYMBOL_OF(info) ELF32_R_SYM(info)
#define TYPE_OF(info)   ELF32_R_TYPE(info)
#define BIND_OF(info)   ELF32_ST_BIND(info)
#endif

/* The types of relocation that store an address. */
#if defined(__x86_64__)
#define IS_ADDRESS(type) ((type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_64)
#elif defined(__i386__)
#define IS_ADDRESS(type) ((type) == R_386_GLOB_DAT || (type) == R_386_32)
#elif defined(__aarch64__)
#define IS_ADDRESS(type) ((type) == R_AARCH64_GLOB_DAT || (type) == R_AARCH64_ABS64)
#elif defined(__s390x__)
#define IS_ADDRESS(type) ((type) == R_390_GLOB_DAT || (type) == R_390_64)
#else
#define IS_ADDRESS(type) ((void)(type), false) /* nothing is hidden */
#endif

static int compare(const void *name, const void *number)
{
    return strcmp(name, rcuinfo__names[*(const unsigned short *)number]);
}

/* The numbers of names that a program does not see, in alphabetical order of the names; written once. One list for when
 * the MPI library is loaded, and one for before that: without a library behind it, none of ours is there, either. */
enum { NAMES_MOST = 1024 };
struct list {
    size_t count;
    unsigned short numbers[NAMES_MOST];
};

static int compare_numbers(const void *a, const void *b)
{
    return strcmp(rcuinfo__names[*(const unsigned short *)a], rcuinfo__names[*(const unsigned short *)b]);
}

/* A thread that makes a list may wait for one that is in dlopen, so none may wait for it: each makes its own, until one
 * of them is there for all. */
static const struct list *current_list(struct list *own)
{
    enum { NONE, BEGUN, READY };
    static struct list lists[2];
    static _Atomic int states[2];
    bool has_library = rcuinfo__next_is_loaded();
    int state = atomic_load_explicit(&states[has_library], memory_order_acquire);
    if (state == READY)
        return &lists[has_library];

    /* Nothing is hidden before a library is loaded that `rcuinfo run --mpi` has named. */
    bool is_empty = !has_library && rcuinfo__start_variable("RCUINFO_MPI_LIBRARY");
    own->count = 0;
    for (size_t n = 0; n < rcuinfo__names_count && n < NAMES_MOST && !is_empty; n++) {
        struct rcuinfo__next_symbol next = {.name = rcuinfo__names[n]};
        if (!(has_library && rcuinfo__names_always[n]) && !rcuinfo__next(&next))
            own->numbers[own->count++] = (unsigned short)n;
    }
    qsort(own->numbers, own->count, sizeof *own->numbers, compare_numbers);

    if (state == NONE && atomic_compare_exchange_strong_explicit(&states[has_library], &state, BEGUN, RCUINFO__RELAXED,
                                                                 RCUINFO__RELAXED)) {
        lists[has_library] = *own;
        atomic_store_explicit(&states[has_library], READY, memory_order_release);
    }
    return own;
}

static bool is_listed(const struct list *list, const char *name)
{
    return bsearch(name, list->numbers, list->count, sizeof *list->numbers, compare) != NULL;
}

/* This thread is here: what it looks up may pass through our dlsym, which calls rcuinfo__next_hide. */
static _Thread_local bool is_busy;

bool rcuinfo__next_lacks(const char *name)
{
    struct list own;
    is_busy = true;
    bool lacks = is_listed(current_list(&own), name);
    is_busy = false;
    return lacks;
}

/* What the dynamic section of an object says. */
struct dynamic {
    const ElfW(Sym) * symbols;
    const char *texts;
    const uint32_t *hash; /* DT_GNU_HASH */
    uintptr_t rela, rel;
    size_t rela_size, rel_size;
};

/* An address in a dynamic section, which some machines' dynamic linkers relocate, and others do not. */
static uintptr_t address_of(const struct dl_phdr_info *object, ElfW(Addr) value)
{
    return value < object->dlpi_addr ? object->dlpi_addr + value : value;
}

static bool read_dynamic(const struct dl_phdr_info *object, struct dynamic *dynamic)
{
    const ElfW(Dyn) *entry = NULL;
    for (int n = 0; n < object->dlpi_phnum; n++) {
        if (object->dlpi_phdr[n].p_type == PT_DYNAMIC)
            entry = (const void *)(object->dlpi_addr + object->dlpi_phdr[n].p_vaddr);
    }
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        uintptr_t address = address_of(object, entry->d_un.d_ptr);
        if (entry->d_tag == DT_SYMTAB)
            dynamic->symbols = (const void *)address;
        else if (entry->d_tag == DT_STRTAB)
            dynamic->texts = (const void *)address;
        else if (entry->d_tag == DT_GNU_HASH)
            dynamic->hash = (const void *)address;
        else if (entry->d_tag == DT_RELA)
            dynamic->rela = address;
        else if (entry->d_tag == DT_RELASZ)
            dynamic->rela_size = entry->d_un.d_val;
        else if (entry->d_tag == DT_REL)
            dynamic->rel = address;
        else if (entry->d_tag == DT_RELSZ)
            dynamic->rel_size = entry->d_un.d_val;
    }
    return dynamic->symbols && dynamic->texts;
}

/* Whether an object defines a symbol, by its hash table: the number of buckets, the first symbol that is in one, the
 * number of words of a filter, and its shift; the filter; for each bucket its first symbol; for each symbol its hash,
 * whose lowest bit says that it is the last one of its bucket. */
static bool defines(const struct dynamic *dynamic, const char *name)
{
    const uint32_t *table = dynamic->hash;
    uint32_t hash = 5381;
    if (!table || !table[0])
        return false;
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        hash = 33 * hash + *c;

    const uint32_t *buckets = (const void *)((const ElfW(Addr) *)(const void *)(table + 4) + table[2]);
    const uint32_t *hashes = buckets + table[0];
    uint32_t n = buckets[hash % table[0]], of_symbol = 0;
    for (; n >= table[1] && !(of_symbol & 1); n++) {
        const ElfW(Sym) *symbol = &dynamic->symbols[n];
        of_symbol = hashes[n - table[1]];
        if ((of_symbol | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
            strcmp(dynamic->texts + symbol->st_name, name) == 0)
            return true;
    }
    return false;
}

struct definitions {
    uintptr_t base; /* of the object */
    const char *const *names;
    bool is_found;
};

static int see_definitions(struct dl_phdr_info *object, size_t size, void *argument)
{
    struct definitions *search = argument;
    struct dynamic dynamic = {.symbols = NULL};
    (void)size;
    if (object->dlpi_addr != search->base)
        return 0;
    for (const char *const *name = search->names; read_dynamic(object, &dynamic) && *name && !search->is_found; name++)
        search->is_found = defines(&dynamic, *name);
    return 1;
}

bool rcuinfo__module_defines(const struct rcuinfo__module *module, const char *const *names)
{
    struct definitions search = {.base = module->base, .names = names};
    (void)rcuinfo__next_iterate(see_definitions, &search);
    return search.is_found;
}

/* Stores NULL, also in memory that the dynamic linker has made read-only after relocation. */
static void clear(const struct dl_phdr_info *object, uintptr_t *place)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)place & ~(page - 1);
    bool was_read_only = false;
    for (int n = 0; n < object->dlpi_phnum; n++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[n];
        uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        was_read_only |= segment->p_type == PT_GNU_RELRO && (uintptr_t)place >= start &&
                         (uintptr_t)place < ((start + segment->p_memsz) & ~(page - 1));
    }
    if (was_read_only && mprotect((void *)first, page, PROT_READ | PROT_WRITE) != 0)
        return;
    *place = 0;
    if (was_read_only)
        (void)mprotect((void *)first, page, PROT_READ);
}

/* What is hidden, this library, and how many objects had been loaded when no thread was in dlopen. */
struct look {
    const struct list *list;
    struct rcuinfo__module here;
    unsigned long long count;
};

static void see_relocation(const struct dl_phdr_info *object, const struct dynamic *dynamic, ElfW(Addr) offset,
                           uintptr_t info, const struct look *look)
{
    const ElfW(Sym) *symbol = &dynamic->symbols[SYMBOL_OF(info)];
    const char *name = dynamic->texts + symbol->st_name;
    uintptr_t *place = (void *)(object->dlpi_addr + offset);
    if (IS_ADDRESS(TYPE_OF(info)) && SYMBOL_OF(info) != 0 && symbol->st_shndx == SHN_UNDEF &&
        BIND_OF(symbol->st_info) == STB_WEAK && *place >= look->here.first && *place < look->here.end &&
        is_listed(look->list, name))
        clear(object, place);
}

/* A callback of dl_iterate_phdr, which must not look symbols up: another thread may hold that lock in dlopen. Such a
 * thread may also not have relocated what it has loaded: then nothing is hidden now. */
static int see_object(struct dl_phdr_info *object, size_t size, void *argument)
{
    struct dynamic dynamic = {.symbols = NULL};
    const struct look *look = argument;
    (void)size;
    if (object->dlpi_adds != look->count)
        return 1;
    if (!read_dynamic(object, &dynamic))
        return 0;
    for (size_t at = 0; dynamic.rela && at < dynamic.rela_size; at += sizeof(ElfW(Rela))) {
        const ElfW(Rela) *one = (const void *)(dynamic.rela + at);
        see_relocation(object, &dynamic, one->r_offset, one->r_info, look);
    }
    for (size_t at = 0; dynamic.rel && at < dynamic.rel_size; at += sizeof(ElfW(Rel))) {
        const ElfW(Rel) *one = (const void *)(dynamic.rel + at);
        see_relocation(object, &dynamic, one->r_offset, one->r_info, look);
    }
    return 0;
}

/* How many objects the dynamic linker has loaded so far. */
static int see_count(struct dl_phdr_info *object, size_t size, void *count)
{
    (void)size;
    *(unsigned long long *)count = object->dlpi_adds;
    return 1;
}

void rcuinfo__next_hide(void)
{
    static _Atomic unsigned long long seen;
    struct look look;
    struct list own;
    look.count = 0;
    int left_errno = errno;
    if (is_busy)
        return;
    is_busy = true;
    (void)rcuinfo__next_iterate(see_count, &look.count);
    if (look.count != atomic_load_explicit(&seen, RCUINFO__RELAXED)) {
        /* Waits for a thread that is in dlopen. */
        void *program = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
        if (program)
            (void)dlclose(program);
        look.list = current_list(&own);
        if (rcuinfo__module_of(rcuinfo__names, &look.here) && rcuinfo__next_iterate(see_object, &look) == 0)
            atomic_store_explicit(&seen, look.count, RCUINFO__RELAXED);
    }
    is_busy = false;
    errno = left_errno;
}

__attribute__((constructor)) static void hide_at_start(void)
{
    rcuinfo__next_hide();
}
