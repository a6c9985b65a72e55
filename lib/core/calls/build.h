/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * build: builds a version out of pairs, without an object. Only one thread knows the version until it is finished, so
 * this takes no lock and needs no handle. Other layers begin a build, set, count and drop; core/calls/layer.h makes an
 * object of one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/memory/block.h"
#include "core/limits.h"

struct rcuinfo__edit;

/*
 * Builds a version out of pairs: call rcuinfo__build_begin, then rcuinfo__build_set for each pair, and at last
 * rcuinfo__build_object or _finish, or rcuinfo__build_drop to discard the build.
 *
 * _begin  pairs, text: the expected number of pairs, and of bytes of their keys and values with the NULs, so that the
 *         build is allocated only once; 0 if not known
 * _set    as rcuinfo__set, but not counted as a set; setting a key again overrides its value in place
 * _count  the number of pairs so far
 *
 * Threads: one thread at a time uses a build. No lock is held between the calls.
 */
struct rcuinfo__build {
    struct rcuinfo__writing writing; /* without a block: nothing is allocated yet */
    size_t pairs;                    /* expected, and their bytes */
    size_t text;
};
RCUINFO_API void rcuinfo__build_begin(struct rcuinfo__build *build, size_t pairs, size_t text);
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__build_set(struct rcuinfo__build *build, const char *key, const char *value,
                                                    struct rcuinfo__limits limits);
RCUINFO_API size_t rcuinfo__build_count(const struct rcuinfo__build *build);
RCUINFO_API void rcuinfo__build_drop(struct rcuinfo__build *build);

/* Initializes an edit: checks and measures key and value (NULL: delete the key), and hashes the key. Returns SUCCESS;
 * ERR_KEY; ERR_VALUE. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__build_edit(struct rcuinfo__edit *edit, const char *key, const char *value,
                                                     struct rcuinfo__limits limits);

/* Begins a build with the pairs of a version, and with room for `pairs` more pairs with `text` bytes. Returns SUCCESS;
 * ERR_NO_MEM. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__build_from(struct rcuinfo__build *build, const struct rcuinfo__entry *from,
                                                     size_t pairs, size_t text);

/* Ends the build and returns the version, with that number and one reference; without pairs, the empty version. */
const struct rcuinfo__entry *rcuinfo__build_finish(struct rcuinfo__build *build, uint64_t version);
