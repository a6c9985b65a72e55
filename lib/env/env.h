/* SPDX-License-Identifier: BSD-3-Clause */
/* env: the part of env.c that the MPI layers, the tools and the tests use beyond the public header. */
#pragma once

#include <rcuinfo/update.h>

#include "core/calls/layer.h"

/* Same as rcuinfo_env_create, with a flavour's limits. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__env_create(int argc, char *argv[], struct rcuinfo__limits limits,
                                                     rcuinfo_t *info);

/*
 * Same for a process that was started as `start` says, with valid arguments. If `sources` is not NULL, it receives a
 * second object with the same keys in the same order, whose values name the source of each. For tools, and for tests,
 * which describe processes of many kinds.
 */
struct rcuinfo__start;
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__env_describe(const struct rcuinfo__start *start, int argc, char *argv[],
                                                       struct rcuinfo__limits limits, rcuinfo_t *info,
                                                       rcuinfo_t *sources);

/*
 * The read-only objects that describe this process: that of rcuinfo_env, and one for each flavour, whose values are cut
 * to the flavour's limits. The value of the enumeration is the slot of the object. rcuinfo__env_shared creates the
 * object at the first call and returns its handle, the same in every call; RCUINFO_NULL if there is no memory for it.
 * Wait-free once the object exists.
 */
enum rcuinfo__env { RCUINFO__ENV_NATIVE = 1, RCUINFO__ENV_ABI, RCUINFO__ENV_MPICH, RCUINFO__ENV_OPENMPI };
RCUINFO_API rcuinfo_t rcuinfo__env_shared(enum rcuinfo__env which, struct rcuinfo__limits limits);

/* Adds pairs of the real MPI library to the object, in one version, except those whose keys rcuinfo_env_create may
 * give. Reorders `pairs`. Without memory nothing is added. */
RCUINFO_API void rcuinfo__env_learn(enum rcuinfo__env which, struct rcuinfo__limits limits, rcuinfo_change_t *pairs,
                                    size_t n);
