/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random calls of the native interface (support/driver.h). Objects grow to some hundred keys and shrink to a few. Some
 * calls are thorough, and in some an allocation fails. With seed 1, these are preceded by every short sequence of calls
 * on an object and its dup, which share a block until one of them is copied.
 *
 * usage: test_differential [seed]
 */
#include "stress/random.h"
#include "support/driver.h"
#include "support/scale.h"

enum { BYTES = 4096, PHASE = 20000 };

static struct random rng;
static unsigned long call_number;

/* How often each call is made, out of 100,000: while objects grow, and while they shrink. */
static const struct {
    enum driver_call call;
    unsigned weights[2];
} calls[] = {
    {DRIVER_SET, {31500, 10000}}, {DRIVER_DELETE_NTH, {2700, 24500}}, {DRIVER_DELETE, {5000, 5000}},
    {DRIVER_GROW, {500, 20}},     {DRIVER_UPDATE, {4000, 4000}},      {DRIVER_COMPARE_AND_SET, {7000, 7000}},
    {DRIVER_GET, {29100, 29280}}, {DRIVER_NTHKEY, {18000, 18000}},    {DRIVER_OPEN, {1000, 1000}},
    {DRIVER_CLOSE, {500, 500}},   {DRIVER_DUP, {600, 600}},           {DRIVER_FREE, {50, 50}},
    {DRIVER_CREATE, {40, 40}},    {DRIVER_DRAIN, {10, 10}},
};

static enum driver_call choose(void)
{
    unsigned left = random_below(&rng, 100000), phase = call_number / PHASE % 2;
    size_t i = 0;
    while (left >= calls[i].weights[phase])
        left -= calls[i++].weights[phase];
    return calls[i].call;
}

/* Calls on object 0 or 1. take_step numbers the first value, byte 4 of a set and byte 6 of an update, so that each set
 * writes a different one. In an update, a multiple of 4 in byte 4 would delete. */
#define CALL(call, object) (DRIVER_OBJECTS * DRIVER_##call + (object))
enum { STEPS = 12, STEP_BYTES = 12, DUP_FIRST = 0, SET_FIRST = 1 };
static const struct {
    uint8_t bytes[STEP_BYTES];
    int fail_at;
} steps[STEPS] = {
    [DUP_FIRST] = {{CALL(DUP, 0), 1}, 0},
    [SET_FIRST] = {{CALL(SET, 0), 0, 0}, 0},
    {{CALL(DUP, 1), 0}, 0},
    {{CALL(SET, 1), 0, 1}, 0},
    {{CALL(DELETE, 0), 0, 0}, 0},
    {{CALL(SET, 1), 0, 1}, 1},
    {{CALL(DELETE, 0), 0, 0}, 1},
    {{CALL(OPEN, 0), 0}, 0},
    {{CALL(UPDATE, 1), 2, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0}, 0},
    {{CALL(UPDATE, 1), 2, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0}, 1},
    {{CALL(UPDATE, 1), 2, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0}, 2},
    {{CALL(UPDATE, 0), 2, 0, 1, 1, 0, 0, 0, 2, 0}, 0}, /* the second change deletes a missing key */
};

static void take_step(unsigned step, unsigned number)
{
    uint8_t bytes[STEP_BYTES];
    memcpy(bytes, steps[step].bytes, sizeof bytes);
    bytes[4] = bytes[6] = (uint8_t)(1 + 4 * number);
    driver_call(&(struct fuzz_input){bytes, sizeof bytes}, true, steps[step].fail_at);
}

/* All sequences of `length` steps, on an object with `sets` sets: the room left in its block decides what is copied. */
static void every_sequence(unsigned length, unsigned sets)
{
    unsigned long sequences = 1;
    for (unsigned i = 0; i < length; i++)
        sequences *= STEPS;
    for (unsigned long sequence = 0; sequence < sequences; sequence++) {
        driver_call(&(struct fuzz_input){(uint8_t[]){CALL(CREATE, 0)}, 1}, true, 0);
        for (unsigned i = 0; i < sets; i++)
            take_step(SET_FIRST, 10 + i);
        take_step(DUP_FIRST, 0);
        for (unsigned long i = 0, rest = sequence; i < length; i++, rest /= STEPS)
            take_step((unsigned)(rest % STEPS), (unsigned)i);
        driver_end();
    }
}

int main(int argc, char **argv)
{
    unsigned long seed = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    static uint64_t words[BYTES / sizeof(uint64_t)];
    uint8_t bytes[BYTES];
    rng.state = seed;
    printf("seed %lu\n", seed);
    (void)fflush(stdout);
    for (unsigned sets = 1; seed == 1 && sets <= 6; sets++)
        every_sequence(TEST_SCALE > 1 ? 3 : sets == 1 && getenv("TEST_FULL") ? 5 : 4, sets);

    for (call_number = 0; call_number < SCALED(300000); call_number++) {
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
