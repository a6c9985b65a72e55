/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * histogram: counts of durations in buckets that are linear within each power of two. So percentiles have a relative
 * error of at most 1/32, from nanoseconds to minutes, in constant memory. One thread writes a histogram; histograms are
 * merged when their threads have ended.
 */
#pragma once

#include <math.h>
#include <stdint.h>

#define HISTOGRAM_STEP_BITS 5 /* 32 buckets for each power of two */
#define HISTOGRAM_TOP_BITS  40
#define HISTOGRAM_BUCKETS   ((HISTOGRAM_TOP_BITS - HISTOGRAM_STEP_BITS + 1) << HISTOGRAM_STEP_BITS)

struct histogram {
    uint64_t samples;
    uint64_t max;
    uint32_t buckets[HISTOGRAM_BUCKETS];
};

/* The bucket of a number of nanoseconds; numbers from 2^40 on share the last one. */
static inline unsigned histogram_bucket(uint64_t ns)
{
    if (ns >> HISTOGRAM_STEP_BITS == 0)
        return (unsigned)ns;
    unsigned shift = 63 - (unsigned)__builtin_clzll(ns) - HISTOGRAM_STEP_BITS;
    if (shift >= HISTOGRAM_TOP_BITS - HISTOGRAM_STEP_BITS)
        return HISTOGRAM_BUCKETS - 1;
    return (shift << HISTOGRAM_STEP_BITS) + (unsigned)(ns >> shift);
}

static inline void histogram_add(struct histogram *histogram, uint64_t ns)
{
    histogram->samples++;
    if (ns > histogram->max)
        histogram->max = ns;
    histogram->buckets[histogram_bucket(ns)]++;
}

/* Adds the counts of one histogram to another. */
static inline void histogram_merge(struct histogram *to, const struct histogram *from)
{
    to->samples += from->samples;
    if (from->max > to->max)
        to->max = from->max;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        to->buckets[i] += from->buckets[i];
}

/* The largest number of nanoseconds in the bucket. */
static inline uint64_t histogram_upper_end(unsigned bucket)
{
    unsigned row = bucket >> HISTOGRAM_STEP_BITS;
    unsigned shift = row ? row - 1 : 0;
    uint64_t first = bucket - (shift << HISTOGRAM_STEP_BITS);
    return ((first + 1) << shift) - 1;
}

/* The nanoseconds that `share` (0 to 1) of the samples do not exceed: the upper end of a bucket, or the maximum. */
static inline uint64_t histogram_percentile(const struct histogram *histogram, double share)
{
    uint64_t wanted = (uint64_t)ceil((double)histogram->samples * share), seen = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += histogram->buckets[i];
        if (seen >= wanted && seen)
            return histogram_upper_end(i) < histogram->max ? histogram_upper_end(i) : histogram->max;
    }
    return histogram->max;
}
