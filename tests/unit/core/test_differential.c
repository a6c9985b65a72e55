/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random calls of the native interface, as support/driver.h says. Objects grow to some hundred keys and shrink
 * to few; now and then a call is a thorough one, or one without memory.
 *
 * usage: test_differential [seed [calls]]
 */
#include "support/driver.h"
#include "support/random.h"
#include "support/scale.h"

enum { BYTES = 4096, PHASE = 20000 };

static struct random rng;
static unsigned long call_number;

/* How often each call is made, of a hundred thousand, while objects grow, and while they shrink. */
static const struct {
    enum driver_call call;
    unsigned weights[2];
} calls[] = {
    {DRIVER_SET, {31500, 10000}}, {DRIVER_DELETE_NTH, {2700, 24500}}, {DRIVER_DELETE, {5000, 5000}},
    {DRIVER_GROW, {500, 20}},     {DRIVER_UPDATE, {4000, 4000}},      {DRIVER_COMPARE_AND_SET, {7000, 7000}},
    {DRIVER_GET, {29000, 29180}}, {DRIVER_NTHKEY, {18000, 18000}},    {DRIVER_OPEN, {1000, 1000}},
    {DRIVER_CLOSE, {500, 500}},   {DRIVER_STALE, {100, 100}},         {DRIVER_DUP, {600, 600}},
    {DRIVER_FREE, {50, 50}},      {DRIVER_CREATE, {40, 40}},          {DRIVER_DRAIN, {10, 10}},
};

static enum driver_call choose(void)
{
    unsigned left = random_below(&rng, 100000), phase = call_number / PHASE % 2;
    size_t i = 0;
    while (left >= calls[i].weights[phase])
        left -= calls[i++].weights[phase];
    return calls[i].call;
}

int main(int argc, char **argv)
{
    unsigned long seed = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    unsigned long wanted = argc > 2 ? strtoul(argv[2], NULL, 10) : SCALED(300000);
    static uint64_t words[BYTES / sizeof(uint64_t)];
    uint8_t bytes[BYTES];
    rng.state = seed;
    printf("seed %lu\n", seed);
    (void)fflush(stdout);
    for (call_number = 0; call_number < wanted; call_number++) {
        for (size_t i = 0; i < BYTES / sizeof *words; i++)
            words[i] = random_next(&rng);
        memcpy(bytes, words, sizeof bytes);
        bytes[0] = (uint8_t)(choose() * DRIVER_OBJECTS + random_below(&rng, DRIVER_OBJECTS));
        int fail_at = random_below(&rng, 4) == 0 ? 1 + (int)random_below(&rng, 2) : 0;
        driver_call(&(struct fuzz_input){bytes, BYTES}, random_below(&rng, 16) == 0, fail_at);
    }
    driver_end();
    return 0;
}
