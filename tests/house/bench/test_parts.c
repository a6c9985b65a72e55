/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of the bench programs. Every peer stores its pairs, also when its table grows and when a value changes its
 * length, because the peers that are compared must do the same work. Threads may use one object of most peers, in turn
 * and concurrently. The histogram returns every percentile of sorted samples to 1/32, and the exact maximum.
 */
#include <math.h>

#include "harness.h"
#include "histogram.h"
#include "peers.h"
#include "stress/random.h"
#include "support/check.h"

#define KEYS 300

/* Writes a value of 0 to 1,000 bytes. The length differs from round to round. */
static void make_pair(unsigned i, unsigned round, char *key, char *value)
{
    size_t length = (i * 37 + round * 411) % 1001;
    sprintf(key, "key_%u", i);
    memset(value, 'a' + (int)((i + round) % 26), length);
    value[length] = '\0';
}

static void check_all(const struct peer *peer, rcuinfo_t object, unsigned round)
{
    char key[32], wanted[RCUINFO_MAX_VALUE], value[RCUINFO_MAX_VALUE];
    int flag;
    for (unsigned i = 0; i < KEYS; i++) {
        make_pair(i, round, key, wanted);
        CHECK_OK(peer->get(object, key, RCUINFO_MAX_VALUE - 1, value, &flag));
        CHECK_EQUAL(flag, 1);
        CHECK_TEXT(value, wanted);
        CHECK_OK(peer->get(object, key, 3, value, &flag));
        CHECK_EQUAL(strlen(value), strlen(wanted) < 3 ? strlen(wanted) : 3);
    }
    CHECK_OK(peer->get(object, "absent", 3, value, &flag));
    CHECK_EQUAL(flag, 0);
}

/* Sets all keys, one by one or in one update. */
static void peer_keeps(const struct peer *peer, bool updates)
{
    static char keys[KEYS][32], values[KEYS][RCUINFO_MAX_VALUE];
    rcuinfo_change_t changes[KEYS];
    rcuinfo_t object;
    size_t failed = 0;
    int flag;
    CHECK_OK(peer->create(&object));
    CHECK_STATUS(peer->get(object, "", 3, values[0], &flag), RCUINFO_ERR_KEY);
    CHECK_STATUS(peer->set(object, "", "value"), RCUINFO_ERR_KEY);
    CHECK_STATUS(peer->set(object, "key", NULL), RCUINFO_ERR_VALUE);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < KEYS; i++) {
            make_pair(i, round, keys[i], values[i]);
            changes[i] = (rcuinfo_change_t){.key = keys[i], .value = values[i]};
            if (!updates)
                CHECK_OK(peer->set(object, keys[i], values[i]));
        }
        if (updates)
            CHECK_OK(peer->update(object, changes, KEYS, NULL));
        check_all(peer, object, round);
    }
    if (updates) {
        changes[7].key = "";
        CHECK_STATUS(peer->update(object, changes, KEYS, &failed), RCUINFO_ERR_KEY);
        CHECK_EQUAL(failed, 7);
    }
    CHECK_OK(peer->free(&object));
    CHECK_EQUAL(object, RCUINFO_NULL);
}

struct share {
    const struct peer *peer;
    rcuinfo_t object;
};

/* Thread 0 sets values of changing lengths, so that the table is often moved. The other threads read whole values. */
static void share_body(void *context, unsigned index)
{
    const struct share *share = context;
    char key[32], value[RCUINFO_MAX_VALUE];
    for (unsigned i = 0; i < 4000; i++) {
        int flag = 0;
        make_pair(i % 20, i / 20, key, value);
        if (index == 0)
            CHECK_OK(share->peer->set(share->object, key, value));
        else
            CHECK_OK(share->peer->get(share->object, key, RCUINFO_MAX_VALUE - 1, value, &flag));
        CHECKF(!flag || strspn(value, (char[]){value[0], '\0'}) == strlen(value), "\"%s\"", value);
    }
}

/* Threads that run one after the other reuse the records of earlier threads. */
static void peer_is_shared(const struct peer *peer)
{
    struct share share = {.peer = peer};
    CHECK_OK(peer->create(&share.object));
    for (unsigned round = 0; round < 3; round++)
        bench_threads(3, share_body, NULL, &share);
    CHECK_OK(peer->free(&share.object));
}

#define SAMPLES 20000

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void percentiles(void)
{
    static const double SHARES[] = {0, 0.01, 0.5, 0.9, 0.99, 0.999, 0.9999, 1};
    static struct histogram histogram, other;
    static uint64_t samples[SAMPLES];
    struct random random = {1};
    for (size_t i = 0; i < SAMPLES; i++) {
        samples[i] = random_next(&random) >> (24 + i % 40); /* all magnitudes below 2^40 */
        histogram_add(i % 2 ? &histogram : &other, samples[i]);
    }
    histogram_merge(&histogram, &other);
    qsort(samples, SAMPLES, sizeof *samples, compare);
    CHECK_EQUAL(histogram.samples, SAMPLES);
    CHECK_EQUAL(histogram_percentile(&histogram, 1), samples[SAMPLES - 1]);
    for (size_t i = 0; i < sizeof SHARES / sizeof SHARES[0]; i++) {
        size_t rank = (size_t)ceil(SAMPLES * SHARES[i]);
        uint64_t exact = samples[rank ? rank - 1 : 0];
        CHECK_RANGE(histogram_percentile(&histogram, SHARES[i]), exact, exact + exact / 32);
    }
    CHECK_EQUAL(histogram_bucket(UINT64_C(1) << HISTOGRAM_TOP_BITS), HISTOGRAM_BUCKETS - 1); /* no upper limit */
}

int main(void)
{
    struct peer_list peers = peers_all(false);
    for (size_t p = 0; p < peers.n; p++) {
        printf("%s\n", peers.at[p]->name);
        peer_keeps(peers.at[p], false);
        if (peers.at[p]->update)
            peer_keeps(peers.at[p], true);
        if (peers.at[p]->shared)
            peer_is_shared(peers.at[p]);
    }
    percentiles();
    return 0;
}
