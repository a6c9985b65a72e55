/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * build: builds a version out of pairs, without an object. Only one thread knows the version until it is finished, so
 * this takes no lock. The rest of the interface is in core/layer.h, because the MPI layers use it.
 */
#ifndef RCUINFO_CORE_BUILD_H
#define RCUINFO_CORE_BUILD_H

#include "core/layer.h"
#include "core/log.h"

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

#endif
