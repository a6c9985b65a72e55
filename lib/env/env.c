/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * env: the construction of MPI_INFO_ENV. Each key has one writer in a table, in the order of the keys; a writer that
 * does not know leaves its key out. Nothing here keeps state but the one shared object.
 */
#include <rcuinfo/env.h>
#include <rcuinfo/update.h>

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/alloc.h"
#include "core/layer.h"
#include "core/order.h"
#include "core/start.h"

/* What the writers read. */
struct source {
    const struct rcuinfo__start *start;
    const struct utsname *system; /* NULL: not known */
    int argc;
    char **argv;
};

/* A value under construction: at most limit - 1 bytes, the rest is cut. */
struct value {
    char *text;
    size_t limit;
    size_t length;
};

static void add(struct value *value, const char *text)
{
    size_t length = strnlen(text, value->limit - 1 - value->length);
    memcpy(value->text + value->length, text, length);
    value->length += length;
    value->text[value->length] = '\0';
}

static bool write_command(const struct source *source, struct value *value)
{
    if (source->argc > 0)
        add(value, source->argv[0]);
    else if (source->start->arguments_bytes)
        add(value, source->start->arguments);
    else
        return false;
    return true;
}

/* Arguments are joined by one blank each, blanks inside them as they are. */
static bool write_argv(const struct source *source, struct value *value)
{
    for (int i = 1; i < source->argc && value->length + 1 < value->limit; i++) {
        add(value, i > 1 ? " " : "");
        add(value, source->argv[i]);
    }
    if (source->argc > 0)
        return source->argc > 1;
    const char *end = source->start->arguments + source->start->arguments_bytes;
    const char *first = source->start->arguments + strlen(source->start->arguments) + 1;
    for (const char *at = first; at < end && value->length + 1 < value->limit; at += strlen(at) + 1) {
        add(value, at > first ? " " : "");
        add(value, at);
    }
    return first < end;
}

static bool is_number(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits < 10 && !text[digits];
}

/* Processes of the job, as the launcher says; without one, this process is all there is. */
static bool write_size(const struct source *source, struct value *value)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *size = rcuinfo__start_find(source->start, variables[i]);
        if (size && is_number(size)) {
            add(value, size);
            return true;
        }
    }
    add(value, "1");
    return true;
}

static bool write_host(const struct source *source, struct value *value)
{
    if (source->system)
        add(value, source->system->nodename);
    return source->system;
}

static bool write_arch(const struct source *source, struct value *value)
{
    if (source->system)
        add(value, source->system->machine);
    return source->system;
}

static bool write_wdir(const struct source *source, struct value *value)
{
    if (source->start->directory)
        add(value, source->start->directory);
    return source->start->directory;
}

static const struct {
    const char *key;
    bool (*write)(const struct source *source, struct value *value);
} keys[] = {
    {"command", write_command}, {"argv", write_argv}, {"maxprocs", write_size}, {"soft", write_size},
    {"host", write_host},       {"arch", write_arch}, {"wdir", write_wdir},
};

#define KEYS (sizeof keys / sizeof *keys)

static rcuinfo_status_t fill(rcuinfo_t info, const struct source *source, struct rcuinfo__limits limits)
{
    rcuinfo_change_t changes[KEYS];
    size_t n = 0;
    char *texts = rcuinfo__alloc(KEYS * limits.value);
    if (!texts)
        return RCUINFO_ERR_NO_MEM;
    for (size_t i = 0; i < KEYS; i++) {
        struct value value = {.text = texts + i * limits.value, .limit = limits.value};
        value.text[0] = '\0';
        if (keys[i].write(source, &value))
            changes[n++] = (rcuinfo_change_t){.key = keys[i].key, .value = value.text};
    }
    rcuinfo_status_t status = rcuinfo_update(info, changes, n, NULL);
    rcuinfo__alloc_free(texts);
    return status;
}

static bool arguments_valid(int argc, char *argv[])
{
    if (argc < 0 || (argc > 0 && !argv))
        return false;
    for (int i = 0; i < argc; i++) {
        if (!argv[i])
            return false;
    }
    return true;
}

rcuinfo_status_t rcuinfo__env_describe(const struct rcuinfo__start *start, int argc, char *argv[],
                                       struct rcuinfo__limits limits, rcuinfo_t *info)
{
    int saved_errno = errno;
    struct utsname system;
    struct source source = {.start = start, .argc = argc, .argv = argv};
    source.system = uname(&system) == 0 ? &system : NULL;
    errno = saved_errno;
    rcuinfo_status_t status = rcuinfo_create(info);
    if (status != RCUINFO_SUCCESS)
        return status;
    status = fill(*info, &source, limits);
    if (status != RCUINFO_SUCCESS) {
        rcuinfo__discard(*info);
        *info = RCUINFO_NULL;
    }
    return status;
}

rcuinfo_status_t rcuinfo__env_create(int argc, char *argv[], struct rcuinfo__limits limits, rcuinfo_t *info)
{
    if (!info || !arguments_valid(argc, argv))
        return RCUINFO_ERR_ARG;
    *info = RCUINFO_NULL;
    const struct rcuinfo__start *start = rcuinfo__start();
    return start ? rcuinfo__env_describe(start, argc, argv, limits, info) : RCUINFO_ERR_NO_MEM;
}

rcuinfo_status_t rcuinfo_create_env(int argc, char *argv[], rcuinfo_t *info)
{
    return rcuinfo__env_create(argc, argv, RCUINFO__NATIVE_LIMITS, info);
}

rcuinfo_t rcuinfo__env_shared(_Atomic rcuinfo_t *shared, struct rcuinfo__limits limits)
{
    rcuinfo_t info = atomic_load_explicit(shared, RCUINFO__SHARED_CONSUME); /* [P9] consume */
    rcuinfo_t mine;
    if (info || rcuinfo__env_create(0, NULL, limits, &mine) != RCUINFO_SUCCESS)
        return info;
    if (rcuinfo__freeze(&mine) != RCUINFO_SUCCESS)
        return RCUINFO_NULL;
    /* [P9] publish */
    if (atomic_compare_exchange_strong_explicit(shared, &info, mine, RCUINFO__SHARED_PUBLISH, RCUINFO__SHARED_CONSUME))
        return mine;
    rcuinfo__discard(mine);
    return info;
}

rcuinfo_t rcuinfo_env(void)
{
    /* [P9] field: made by whoever comes first, never freed */
    static _Atomic rcuinfo_t shared;
    return rcuinfo__env_shared(&shared, RCUINFO__NATIVE_LIMITS);
}
