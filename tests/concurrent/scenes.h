/* SPDX-License-Identifier: BSD-3-Clause */
/* scenes: what the scenes of concurrent.* have in common (see test_scenes.c). */
#ifndef TESTS_CONCURRENT_SCENES_H
#define TESTS_CONCURRENT_SCENES_H

#include <stdbool.h>

#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"
#include "support/threads.h"

/* The scenes write multiples of WRITES. */
enum { KEYS = 12, WRITES = SCALED(200000) };

extern _Atomic rcuinfo_t scene_object; /* the newest, where objects are replaced */
extern atomic_uint scene_writers;      /* that are not done: readers go on as long as there are some */
extern atomic_ulong scene_made, scene_freed;
extern char scene_keys[KEYS][8];

/* A new object without keys becomes scene_object. */
void start_empty(void);

/* Of scene_large.c. */
void start_large(void);
void write_large(unsigned index);
void end_large(void);

/* Of scene_versions.c. Readers return how often they met what the scene is about. */
void start_versions(void);
void write_versions(unsigned index);
unsigned long read_versions(unsigned index);
unsigned long read_dups(unsigned index);
void replace_seldom(unsigned index);
unsigned long read_held(unsigned index);
void end_held(void);
void replace_often(unsigned index);
unsigned long use_and_free(unsigned index);
void end_free(void);

#endif
