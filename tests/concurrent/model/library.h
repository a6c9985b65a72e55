/* SPDX-License-Identifier: BSD-3-Clause */
/* library: included before each source of the library. Variables are const for the compiler, which then does not report
 * that they are read. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ORDER(name, order) extern const int order_##name;
#define VARIANT(name)      extern const bool broken_##name;
#include "faults.h"
#undef ORDER
#undef VARIANT

/* What machine.h and the models have in place of the C library. */
#define memcpy              model_memcpy
#define memset              model_memset
#define syscall             model_syscall
#define pthread_key_create  model_key_create
#define pthread_setspecific model_setspecific
#define open                model_open
#define read                model_read
#define close               model_close
#define getcwd              model_getcwd
#define uname               model_uname

extern const uint64_t model_capacity; /* entries of a block */
extern const bool model_places;       /* its finder consists of places */
extern const bool model_stocks;       /* arenas keep references from the first time on */
extern const bool model_owners;       /* threads own what they create */

void model_check(bool condition);
void model_settle(void);

struct rcuinfo__block;
struct rcuinfo__entry;
struct rcuinfo__reader;
bool model_is_promised(const struct rcuinfo__reader *reader); /* noticed by nobody */
void model_block_ends(struct rcuinfo__block *block);
void model_published(const struct rcuinfo__entry *before, const struct rcuinfo__entry *version);
