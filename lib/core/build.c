/* SPDX-License-Identifier: BSD-3-Clause */
/* build: see build.h. */
#include "core/build.h"

#include <sys/auxv.h>

#include "core/recycle.h"

/* The kernel gives each program 16 random bytes, others of which guard the stack: what is shown here is a hash of them.
 * All threads find the same ones, so it does not matter who comes first. */
static void find_seed(void)
{
    const char *random = (const char *)getauxval(AT_RANDOM); /* NOLINT(performance-no-int-to-ptr) */
    uint64_t seed = random ? rcuinfo__text_checksum(random, 16) : 0;
    atomic_store_explicit(&rcuinfo__log_seed, seed | 1, RCUINFO__COUNT);
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

    if (__builtin_expect(!atomic_load_explicit(&rcuinfo__log_seed, RCUINFO__COUNT), 0))
        find_seed();
    edit->hash = rcuinfo__log_hash(key, edit->key_length);
    return RCUINFO_SUCCESS;
}

void rcuinfo__build_begin(struct rcuinfo__build *build, size_t pairs, size_t text)
{
    *build = (struct rcuinfo__build){.pairs = pairs, .text = text};
}

/* What core/log.h knows of the build. */
static struct rcuinfo__writing writing_of(const struct rcuinfo__build *build)
{
    return (struct rcuinfo__writing){
        .block = build->block, .last = build->last, .end = {build->text_end, build->live_text}};
}

static void keep(struct rcuinfo__build *build, const struct rcuinfo__writing *writing)
{
    build->last = writing->last;
    build->text_end = writing->end.text;
    build->live_text = writing->end.live;
}

/* A block of that shape takes the place of the one there is, with the pairs of `from`. */
static rcuinfo_status_t build_in(struct rcuinfo__build *build, const struct rcuinfo__entry *from,
                                 const struct rcuinfo__shape *shape)
{
    struct rcuinfo__block *block = rcuinfo__recycle_alloc(shape);
    struct rcuinfo__writing writing;
    if (!block)
        return RCUINFO_ERR_NO_MEM;
    rcuinfo__log_copy(&writing, block, from);
    if (build->block)
        rcuinfo__recycle_free(build->block);
    build->block = block;
    keep(build, &writing);
    return RCUINFO_SUCCESS;
}

rcuinfo_status_t rcuinfo__build_from(struct rcuinfo__build *build, const struct rcuinfo__entry *from, size_t pairs,
                                     size_t text)
{
    *build = (struct rcuinfo__build){0};
    return build_in(build, from,
                    &(struct rcuinfo__shape){.entries = from->pairs + pairs, .text = rcuinfo__log_text(from) + text});
}

/* Makes room for an edit more. */
static rcuinfo_status_t grow(struct rcuinfo__build *build, const struct rcuinfo__edit *edit)
{
    const struct rcuinfo__entry *last = build->last ? build->last : RCUINFO__EMPTY;
    struct rcuinfo__end end = {build->text_end, build->live_text};
    struct rcuinfo__shape shape = rcuinfo__log_shape(last, &end, edit, 1, last->pairs);
    if (shape.entries < build->pairs)
        shape.entries = build->pairs;
    if (shape.text < build->text)
        shape.text = build->text;
    return build_in(build, last, &shape);
}

rcuinfo_status_t rcuinfo__build_set(struct rcuinfo__build *build, const char *key, const char *value,
                                    struct rcuinfo__limits limits)
{
    struct rcuinfo__edit edit;
    if (!value)
        return RCUINFO_ERR_VALUE;
    rcuinfo_status_t status = rcuinfo__build_edit(&edit, key, value, limits);
    if (status == RCUINFO_SUCCESS && !build->block)
        status = grow(build, &edit);
    while (status == RCUINFO_SUCCESS) {
        struct rcuinfo__writing writing = writing_of(build);
        if (rcuinfo__log_write(&writing, &edit, rcuinfo__log_written(&writing, &edit)) == RCUINFO__WROTE) {
            keep(build, &writing);
            break;
        }
        status = grow(build, &edit);
    }
    return status;
}

size_t rcuinfo__build_count(const struct rcuinfo__build *build)
{
    return build->last ? build->last->pairs : 0;
}

const struct rcuinfo__entry *rcuinfo__build_finish(struct rcuinfo__build *build, uint64_t version)
{
    struct rcuinfo__writing writing = writing_of(build);
    const struct rcuinfo__entry *last = RCUINFO__EMPTY;
    if (build->last)
        last = rcuinfo__log_finish(&writing, version);
    else
        rcuinfo__build_drop(build);
    *build = (struct rcuinfo__build){0};
    return last;
}

void rcuinfo__build_drop(struct rcuinfo__build *build)
{
    if (build->block)
        rcuinfo__recycle_free(build->block);
    *build = (struct rcuinfo__build){0};
}
