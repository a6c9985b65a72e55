/* SPDX-License-Identifier: BSD-3-Clause */
/* calls: what the models do that no public function does. */
#pragma once

#include <rcuinfo/info.h>

#ifdef __cplusplus
extern "C" {
#else
#include <stdbool.h>
#endif

struct rcuinfo__entry;
struct rcuinfo__block;

/* Begins an execution with that many arenas. */
void model_begin(unsigned arenas);

/* The thread-local variables of the library. */
void model_thread(void ***locals);

/* Makes the caller a new thread; `joins`: with a record. */
void model_new_thread(bool joins);

/* What happens when the calling thread exits. */
void model_exit(void);

/* The version of a build with one key. rcuinfo__object_make makes it an object. */
const struct rcuinfo__entry *model_build(const char *key, const char *value);

/* The first byte of the directory at load. */
char model_directory(void);

/* Reclaims in the arena of the calling thread, as if that was full; `lists`: 1 for a part of it. */
void model_reclaim(int lists);

/* A scan for an arena without anything in it. */
void model_scan(void);

/* Whether everything that is retired can be reclaimed. */
bool model_reclaim_all(void);

/* Gives an arena a reference on the object's block. */
void model_stock(rcuinfo_t info, unsigned arena);

/* The block of an object, and its lock. */
const struct rcuinfo__block *model_block_of(rcuinfo_t info);
const void *model_lock_of(rcuinfo_t info);

/* The block of a version, and how many blocks have ended in that memory. Relacy does not notice these calls. */
const struct rcuinfo__block *model_block(const struct rcuinfo__entry *version);
unsigned model_age(const struct rcuinfo__block *block);

#ifdef __cplusplus
}
#endif
