/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random: a small generator (splitmix64) whose sequence depends only on the seed, so that a failure can be reproduced.
 */
#pragma once

#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_next(struct random *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A number in 0..n-1. */
static inline unsigned random_below(struct random *r, unsigned n)
{
    return (unsigned)((random_next(r) >> 32) % n);
}
