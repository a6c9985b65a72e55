/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shared: the objects behind rcuinfo_env and each MPI_INFO_ENV, and the thread level that was asked for, which says
 * which of them counts.
 *
 * Invariant: the level only rises, and an object is read-only from before it is published to the end of the process: so
 * what a thread has read it reads again, or with more keys.
 */
#include <rcuinfo/env.h>

#include <string.h>

#include "core/order.h"
#include "env/describe.h"

/* [P10] field: carries the `more` of the shared objects */
static _Atomic int asked;

static struct rcuinfo__env_shared native;

_Static_assert(RCUINFO__ENV_FIRST_WORLD + RCUINFO__ENV_LEVELS == RCUINFO__ENV_SHARED, "an object for each level");

int rcuinfo__env_level(void)
{
    return atomic_load_explicit(&asked, RCUINFO__LEVEL_CONSUME); /* [P10] consume */
}

static rcuinfo_status_t make(const struct rcuinfo__env_shared *shared, int level, struct rcuinfo__limits limits,
                             rcuinfo_t *info)
{
    struct rcuinfo__question question = {.start = rcuinfo__start(), .level = level};
    if (!question.start)
        return RCUINFO_ERR_NO_MEM;
    if (level >= RCUINFO__ENV_FIRST_WORLD)
        question.more = atomic_load_explicit(&shared->more, RCUINFO__COUNT);
    rcuinfo_status_t status = rcuinfo__env_answer(&question, limits, info, NULL);
    return status == RCUINFO_SUCCESS ? rcuinfo__freeze(info) : status;
}

/* The object of a level, which is made if need be; RCUINFO_NULL without memory. */
static rcuinfo_t shared_of(struct rcuinfo__env_shared *shared, int level, struct rcuinfo__limits limits)
{
    _Atomic rcuinfo_t *place = &shared->made[level];
    rcuinfo_t info = atomic_load_explicit(place, RCUINFO__SHARED_CONSUME); /* [P9] consume */
    rcuinfo_t mine;
    if (info || make(shared, level, limits, &mine) != RCUINFO_SUCCESS)
        return info;
    /* [P9] publish */
    if (atomic_compare_exchange_strong_explicit(place, &info, mine, RCUINFO__SHARED_PUBLISH, RCUINFO__SHARED_CONSUME))
        return mine;
    rcuinfo__discard(mine);
    return info;
}

rcuinfo_t rcuinfo__env_made(const struct rcuinfo__env_shared *shared)
{
    rcuinfo_t info = RCUINFO_NULL;
    for (int level = rcuinfo__env_level(); level >= 0 && !info; level--)
        info = atomic_load_explicit(&shared->made[level], RCUINFO__SHARED_CONSUME); /* [P9] consume */
    return info;
}

rcuinfo_t rcuinfo__env_shared(struct rcuinfo__env_shared *shared, struct rcuinfo__limits limits)
{
    rcuinfo_t info = shared_of(shared, rcuinfo__env_level(), limits);
    return info ? info : rcuinfo__env_made(shared);
}

void rcuinfo__env_ask(struct rcuinfo__env_shared *shared, struct rcuinfo__limits limits, bool by_world,
                      const char *level)
{
    int name = 0;
    while (name < RCUINFO__ENV_LEVELS && strcmp(rcuinfo__env_levels[name], level) != 0)
        name++;
    if (name == RCUINFO__ENV_LEVELS)
        return;
    int mine = (by_world ? RCUINFO__ENV_FIRST_WORLD : RCUINFO__ENV_FIRST_SESSION) + name;
    int now = rcuinfo__env_level();
    if (now < mine)
        (void)shared_of(shared, mine, limits);
    /* [P10] publish */
    while (now < mine &&
           !atomic_compare_exchange_weak_explicit(&asked, &now, mine, RCUINFO__LEVEL_PUBLISH, RCUINFO__COUNT))
        continue;
}

rcuinfo_t rcuinfo_env(void)
{
    return rcuinfo__env_shared(&native, RCUINFO__NATIVE_LIMITS);
}
