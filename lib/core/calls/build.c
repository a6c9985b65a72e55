/* SPDX-License-Identifier: BSD-3-Clause */
/* build: see build.h. */
#include "core/calls/build.h"

#include <sys/auxv.h>

#include "core/log/log.h"
#include "core/memory/arena.h"

/* Derives the seed of all hashes from the 16 random bytes that the kernel gives each program. libc takes its stack
 * also guard from them, so we do not use them directly. Threads that get here at once all compute the same seed. */
static void set_hash_seed(void)
{
    const char *random = (const char *)getauxval(AT_RANDOM); /* NOLINT(performance-no-int-to-ptr) */
    uint64_t seed = random ? rcuinfo__text_checksum(random, 16) : 0;
    atomic_store_explicit(&rcuinfo__log_seed, seed | 1, RCUINFO__RELAXED); /* 0 would mean: not set yet */
}

rcuinfo_status_t rcuinfo__build_edit(struct rcuinfo__edit *edit, const char *key, const char *value,
                                     struct rcuinfo__limits limits)
{
    edit->key = key;
    edit->value = value;
    edit->key_length = rcuinfo__text_key(key, limits.key);
    if (!edit->key_length)
        return RCUINFO_ERR_KEY;

    edit->value_length = value ? rcuinfo__text_value(value, limits.value) : 0;
    if (edit->value_length == RCUINFO__TEXT_BAD)
        return RCUINFO_ERR_VALUE;

    if (__builtin_expect(!atomic_load_explicit(&rcuinfo__log_seed, RCUINFO__RELAXED), 0))
        set_hash_seed();
    edit->hash = rcuinfo__log_hash(key, edit->key_length);
    edit->earlier = NULL;
    return RCUINFO_SUCCESS;
}

void rcuinfo__build_begin(struct rcuinfo__build *build, size_t pairs, size_t text)
{
    *build = (struct rcuinfo__build){.pairs = pairs, .text = text};
}

/* Copies the pairs of `from` into a new block of that shape, which replaces the build's block. */
static rcuinfo_status_t move_to_block(struct rcuinfo__build *build, const struct rcuinfo__entry *from,
                                      const struct rcuinfo__shape *shape)
{
    struct rcuinfo__block *old = build->writing.block;
    struct rcuinfo__block *block = rcuinfo__arena_alloc(shape);
    if (!block)
        return RCUINFO_ERR_NO_MEM;

    rcuinfo__log_copy(&build->writing, block, from);
    if (old)
        rcuinfo__arena_free(old);
    return RCUINFO_SUCCESS;
}

rcuinfo_status_t rcuinfo__build_from(struct rcuinfo__build *build, const struct rcuinfo__entry *from, size_t pairs,
                                     size_t text)
{
    *build = (struct rcuinfo__build){0};
    return move_to_block(
        build, from, &(struct rcuinfo__shape){.entries = from->pairs + pairs, .text = rcuinfo__log_text(from) + text});
}

/* Moves to a block with room for one more edit, and for what was announced to rcuinfo__build_begin. */
static rcuinfo_status_t grow_build(struct rcuinfo__build *build, const struct rcuinfo__edit *edit)
{
    const struct rcuinfo__entry *last = build->writing.last ? build->writing.last : RCUINFO__EMPTY;

    /* As for an object that was set once per pair, so that a large build grows by half each time. */
    struct rcuinfo__shape shape = rcuinfo__log_shape(last, &build->writing.end, edit, 1, last->pairs);
    if (shape.entries < build->pairs)
        shape.entries = build->pairs;
    if (shape.text < build->text)
        shape.text = build->text;
    return move_to_block(build, last, &shape);
}

rcuinfo_status_t rcuinfo__build_set(struct rcuinfo__build *build, const char *key, const char *value,
                                    struct rcuinfo__limits limits)
{
    struct rcuinfo__writing *writing = &build->writing;
    struct rcuinfo__edit edit;
    if (!value)
        return RCUINFO_ERR_VALUE;
    rcuinfo_status_t status = rcuinfo__build_edit(&edit, key, value, limits);

    /* When the block is full, try again in a larger one. */
    while (status == RCUINFO_SUCCESS &&
           (!writing->block || !rcuinfo__log_write(writing, &edit, rcuinfo__log_written(writing, &edit))))
        status = grow_build(build, &edit);
    return status;
}

size_t rcuinfo__build_count(const struct rcuinfo__build *build)
{
    return build->writing.last ? build->writing.last->pairs : 0;
}

const struct rcuinfo__entry *rcuinfo__build_finish(struct rcuinfo__build *build, uint64_t version)
{
    const struct rcuinfo__entry *last = RCUINFO__EMPTY;
    if (build->writing.last)
        last = rcuinfo__log_finish(&build->writing, version);
    else
        rcuinfo__build_drop(build);
    *build = (struct rcuinfo__build){0};
    return last;
}

void rcuinfo__build_drop(struct rcuinfo__build *build)
{
    if (build->writing.block)
        rcuinfo__arena_free(build->writing.block);
    *build = (struct rcuinfo__build){0};
}
