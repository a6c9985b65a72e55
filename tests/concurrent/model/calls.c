/* SPDX-License-Identifier: BSD-3-Clause */
/* calls: what the models do that no public function does: see calls.h. */
#include "core/memory/reclaim.c"

#include "core/calls/build.h"
#include "core/calls/object.h"
#include "env/start.h"

#include "calls.h"

_Atomic uint32_t rcuinfo__lock_free;

static void (*at_exit)(void *record);

int model_key_create(pthread_key_t *key, void (*destructor)(void *));
int model_setspecific(pthread_key_t key, const void *value);

int model_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    *key = 0;
    at_exit = destructor;
    return 0;
}

int model_setspecific(pthread_key_t key, const void *value)
{
    (void)key;
    (void)value;
    return 0;
}

void model_begin(unsigned arenas)
{
    void model_reader_start(void);
    rcuinfo__arena_count = arenas;
    rcuinfo__log_seed = 1;
    model_reader_start();
}

void model_thread(void ***locals)
{
    locals[0] = (void **)&rcuinfo__reader_self;
    locals[1] = (void **)&rcuinfo__arena_mine;
    locals[2] = (void **)&rcuinfo__arena_inside;
    locals[3] = (void **)&rcuinfo__reader_unsettled;
}

void model_new_thread(bool joins)
{
    rcuinfo__reader_self = &rcuinfo__reader_none;
    rcuinfo__arena_mine = NULL;
    rcuinfo__arena_inside = NULL;
    rcuinfo__reader_unsettled = 0;
    if (joins)
        (void)rcuinfo__arena_of_thread();
}

void model_exit(void)
{
    at_exit(rcuinfo__reader_self);
}

const struct rcuinfo__entry *model_build(const char *key, const char *value)
{
    struct rcuinfo__build build;
    rcuinfo__build_begin(&build, 0, 0);
    model_check(rcuinfo__build_set(&build, key, value, RCUINFO__NATIVE_LIMITS) == RCUINFO_SUCCESS);
    return rcuinfo__build_finish(&build, 1);
}

char model_directory(void)
{
    const struct rcuinfo__start *start = rcuinfo__start();
    return start ? *start->directory : 0;
}

static void retire_all(struct rcuinfo__block *left)
{
    for (struct rcuinfo__block *block; (block = rcuinfo__arena_pop_block(&left));)
        retire(NULL, block);
}

void model_reclaim(int lists)
{
    struct rcuinfo__arena *arena = rcuinfo__arena_of_thread();
    for (int list = 0; list < lists; list++) {
        struct rcuinfo__block *left = NULL;
        look(rcuinfo__arena_lock(arena), &left);
        retire_all(left);
    }
}

void model_scan(void)
{
    struct rcuinfo__found found;
    struct rcuinfo__block *left;
    (void)rcuinfo__scan_look(rcuinfo__scan_next(), false, &found, &left);
    retire_all(left);
}

bool model_reclaim_all(void)
{
    bool left = true;
    for (int looks = 0; left && looks < 8; looks++) {
        flush_all(false, false);
        left = rcuinfo__reclaim_waiting() > 0;
        for (struct rcuinfo__reader *one = rcuinfo__reader_first(); one; one = rcuinfo__reader_next(one))
            left |= one->promised;
    }
    return !left;
}

const struct rcuinfo__block *model_block_of(rcuinfo_t info)
{
    return rcuinfo__block_of(rcuinfo__handle_load(rcuinfo__handle_slot(info)));
}

const void *model_lock_of(rcuinfo_t info)
{
    return &rcuinfo__handle_slot(info)->lock;
}

void model_stock(rcuinfo_t info, unsigned arena)
{
    struct rcuinfo__block *block = rcuinfo__block_of(rcuinfo__handle_load(rcuinfo__handle_slot(info)));
    model_check(rcuinfo__block_take(block, 1));
    rcuinfo__arenas[arena].stock_block = block;
    rcuinfo__arenas[arena].stock = 1;
}

/*
 * What the checks of the models look at, not the library. The functions without instrumentation are not steps of an
 * execution: as steps they would be schedules to try, and as accesses, races of the check with the library, or an
 * acquire that hides one of the library's. No access of the library goes through them: machine.h sees all of those.
 */

/* In front of the memory of a block, where rcuinfo__alloc leaves room: how many blocks have ended there. */
__attribute__((no_sanitize_thread)) static uint32_t *age_of(const struct rcuinfo__block *block)
{
    return (uint32_t *)rcuinfo__block_memory((struct rcuinfo__block *)(uintptr_t)block) - 1;
}

__attribute__((no_sanitize_thread)) static void count_end(const struct rcuinfo__block *block)
{
    ++*age_of(block);
}

/* A free block is written to, so that a thread that still reads it is noticed. */
void model_block_ends(struct rcuinfo__block *block)
{
    count_end(block);
    memset(block + 1, 0, block->capacity * sizeof(struct rcuinfo__entry));
}

__attribute__((no_sanitize_thread)) const struct rcuinfo__block *model_block(const struct rcuinfo__entry *version)
{
    return rcuinfo__block_of(version);
}

__attribute__((no_sanitize_thread)) unsigned model_age(const struct rcuinfo__block *block)
{
    return *age_of(block);
}

__attribute__((no_sanitize_thread)) bool model_is_promised(const struct rcuinfo__reader *reader)
{
    return reader->promised;
}
