/* SPDX-License-Identifier: BSD-3-Clause */
/* limits: how long keys and values may be, and how wide handles are, in each layer. */
#ifndef RCUINFO_CORE_LIMITS_H
#define RCUINFO_CORE_LIMITS_H

#include <stdint.h>

#include <rcuinfo/info.h>

/*
 * The limits of a flavour. Sizes include the NUL: a key has at most key - 1 bytes, a value at most value - 1. Only the
 * low generation_bits bits of a handle's generation are compared, so that a layer can pass the payload of its narrow
 * handles (core/layer.h) instead of a native handle.
 */
struct rcuinfo__limits {
    uint16_t key;
    uint16_t value;
    uint32_t generation_bits;
};

#define RCUINFO__INDEX_BITS    20
#define RCUINFO__NATIVE_BITS   (64 - RCUINFO__INDEX_BITS)
#define RCUINFO__NATIVE_LIMITS ((struct rcuinfo__limits){RCUINFO_MAX_KEY, RCUINFO_MAX_VALUE, RCUINFO__NATIVE_BITS})

#endif
