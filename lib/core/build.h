/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * build: versions that are made of pairs, without an object. Nobody but the maker knows such a version, so it takes no
 * lock and needs no handle. struct rcuinfo__build and what the MPI layers call stand in core/layer.h.
 */
#ifndef RCUINFO_CORE_BUILD_H
#define RCUINFO_CORE_BUILD_H

#include "core/layer.h"
#include "core/log.h"

/* Measures key and value (NULL: the edit is a delete), and hashes the key. Returns SUCCESS; ERR_KEY; ERR_VALUE. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__build_edit(struct rcuinfo__edit *edit, const char *key, const char *value,
                                                     struct rcuinfo__limits limits);

/* Begins with all pairs of a version, with room for `pairs` more that have so many bytes of text. SUCCESS; ERR_NO_MEM.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__build_from(struct rcuinfo__build *build, const struct rcuinfo__entry *from,
                                                     size_t pairs, size_t text);

/* The version, with that number, held once; the empty one if there are no pairs. The build has begun anew. */
const struct rcuinfo__entry *rcuinfo__build_finish(struct rcuinfo__build *build, uint64_t version);

#endif
