/* SPDX-License-Identifier: BSD-3-Clause */
/* The histogram against sorted samples: every percentile to 1/32, the maximum exactly. */
#include <math.h>

#include "histogram.h"
#include "support/check.h"

#define SAMPLES 20000

static struct histogram histogram, other;
static uint64_t samples[SAMPLES];

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void percentiles(void)
{
    static const double SHARES[] = {0, 0.01, 0.5, 0.9, 0.99, 0.999, 0.9999, 1};
    uint64_t word = 1;
    for (size_t i = 0; i < SAMPLES; i++) {
        word = word * 6364136223846793005 + 1442695040888963407;
        samples[i] = word >> (24 + (word >> 8) % 40); /* of every magnitude below 2^40 */
        histogram_add(i % 2 ? &histogram : &other, samples[i]);
    }
    histogram_merge(&histogram, &other);
    qsort(samples, SAMPLES, sizeof *samples, compare);
    CHECK_EQUAL(histogram.samples, SAMPLES);
    CHECK_EQUAL(histogram.max, samples[SAMPLES - 1]);
    for (size_t i = 0; i < sizeof SHARES / sizeof SHARES[0]; i++) {
        size_t rank = (size_t)ceil(SAMPLES * SHARES[i]);
        uint64_t exact = samples[rank ? rank - 1 : 0], found = histogram_percentile(&histogram, SHARES[i]);
        CHECK(found >= exact && found <= exact + exact / 32);
    }
}

/* A bucket begins where the one before ended, and what is too long for all of them falls into the last. */
static void buckets(void)
{
    CHECK_EQUAL(histogram_bucket(0), 0);
    for (unsigned bit = 1; bit < HISTOGRAM_TOP_BITS; bit++) {
        uint64_t power = UINT64_C(1) << bit;
        CHECK_EQUAL(histogram_bucket(power), histogram_bucket(power - 1) + 1);
    }
    CHECK_EQUAL(histogram_bucket((UINT64_C(1) << HISTOGRAM_TOP_BITS) - 1), HISTOGRAM_BUCKETS - 1);
    CHECK_EQUAL(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

int main(void)
{
    percentiles();
    buckets();
    return 0;
}
