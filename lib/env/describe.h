/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * describe: a description of the process, asked for by whoever needs one: create_env (env.c), and the shared objects
 * (shared.c), which know the thread level and what an MPI library says.
 */
#ifndef RCUINFO_ENV_DESCRIBE_H
#define RCUINFO_ENV_DESCRIBE_H

#include "core/layer.h"
#include "core/start.h"

/* A thread level that was asked for: 0 none; FIRST_SESSION and up, the highest of the sessions; FIRST_WORLD and up,
 * that of the World Model, which counts before any session. */
#define RCUINFO__ENV_LEVELS        4
#define RCUINFO__ENV_FIRST_SESSION 1
#define RCUINFO__ENV_FIRST_WORLD   (RCUINFO__ENV_FIRST_SESSION + RCUINFO__ENV_LEVELS)
extern const char *const rcuinfo__env_levels[RCUINFO__ENV_LEVELS];

/* What the description is made of. */
struct rcuinfo__question {
    const struct rcuinfo__start *start;
    int argc;
    char **argv; /* valid */
    int level;
    const struct rcuinfo__env_more *more; /* NULL: none */
};

/* Makes the object, and, unless `sources` is NULL, the one of the sources; on ERR_NO_MEM *info is RCUINFO_NULL. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__env_answer(const struct rcuinfo__question *question,
                                                     struct rcuinfo__limits limits, rcuinfo_t *info,
                                                     rcuinfo_t *sources);

/* The level that counts now. */
int rcuinfo__env_level(void);

#endif
