/* SPDX-License-Identifier: BSD-3-Clause */
/* env: what the MPI layers, tools and tests need of env.c beyond the public header. */
#ifndef RCUINFO_ENV_ENV_H
#define RCUINFO_ENV_ENV_H

#include <rcuinfo/update.h>

#include "core/layer.h"

/* rcuinfo_create_env with a flavour's limits. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__env_create(int argc, char *argv[], struct rcuinfo__limits limits,
                                                     rcuinfo_t *info);

/*
 * The same for a process that was started so, with arguments that are known to be valid. `sources`: NULL, or where to
 * put another object, of the same keys in the same order, whose values name the source of each. For tests, which start
 * many processes, and for tools.
 */
struct rcuinfo__start;
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__env_describe(const struct rcuinfo__start *start, int argc, char *argv[],
                                                       struct rcuinfo__limits limits, rcuinfo_t *info,
                                                       rcuinfo_t *sources);

/*
 * The read-only objects that describe this process, each of its own slot: that of rcuinfo_env, and one for each
 * flavour, whose limits its values are cut to. rcuinfo__env_shared: the handle, the same one in every call; the object
 * is made by who comes first. RCUINFO_NULL: there was no memory for it this time. Wait-free once it is made.
 */
enum rcuinfo__env { RCUINFO__ENV_NATIVE = 1, RCUINFO__ENV_ABI, RCUINFO__ENV_MPICH, RCUINFO__ENV_OPENMPI };
RCUINFO_API rcuinfo_t rcuinfo__env_shared(enum rcuinfo__env which, struct rcuinfo__limits limits);

/* Adds what another library knows of the process, as one version behind what the object has: of the pairs, which are
 * the callee's to write to, those whose keys no rcuinfo_create_env ever gives. Without memory none is added. */
RCUINFO_API void rcuinfo__env_add(enum rcuinfo__env which, struct rcuinfo__limits limits, rcuinfo_change_t *pairs,
                                  size_t n);

#endif
