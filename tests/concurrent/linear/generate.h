/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * generate: small random programs for a few threads, as histories without results and stamps.
 *
 * The operations of one thread stand in their order. Those of thread LINEAR_THREADS read at last what is left of all
 * objects, so that a change that was lost shows.
 */
#ifndef TOOLS_LINEAR_GENERATE_H
#define TOOLS_LINEAR_GENERATE_H

#include "linear/history.h"
#include "support/random.h"

/* A program for `threads` threads (2 to LINEAR_THREADS), by the generator's state alone. */
void linear_generate(struct linear_history *history, struct random *random, unsigned threads);

#endif
