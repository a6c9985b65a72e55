/* SPDX-License-Identifier: BSD-3-Clause */
/* limits: how long keys and values may be, and how wide handles are, in each flavour and natively. */
#pragma once

#include <stdint.h>

#include <rcuinfo/info.h>

/* Sizes include the NUL: a key has at most key - 1 bytes, a value at most value - 1. */
struct rcuinfo__limits {
    uint16_t key;
    uint16_t value;
};

/* What depends on the family of MPI libraries. A narrow handle has INDEX_BITS + generation_bits bits; how many of these
 * are of the generation, which alone are compared, says rcuinfo__limits_bits. */
struct rcuinfo__flavour {
    struct rcuinfo__limits limits;
    uint32_t generation_bits;
};

#define RCUINFO__INDEX_BITS    20
#define RCUINFO__NEAR_BITS     15 /* bits of the index of a near slot */
#define RCUINFO__NEAR          (1U << RCUINFO__NEAR_BITS)
#define RCUINFO__NATIVE_BITS   (64 - RCUINFO__INDEX_BITS)
#define RCUINFO__NATIVE_LIMITS ((struct rcuinfo__limits){RCUINFO_MAX_KEY, RCUINFO_MAX_VALUE})
#define RCUINFO__NATIVE        ((struct rcuinfo__flavour){RCUINFO__NATIVE_LIMITS, RCUINFO__NATIVE_BITS})

/* Bits of the generation in the narrow handles of a slot: one bit says whether it is near. */
static inline unsigned rcuinfo__limits_bits(uint32_t index, unsigned generation_bits)
{
    return generation_bits - 1 + (index < RCUINFO__NEAR ? RCUINFO__INDEX_BITS - RCUINFO__NEAR_BITS : 0);
}
