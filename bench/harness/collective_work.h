/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * collective_work: what bench_collective and the MPI program that it starts, bench_collective_calls, say to each other.
 *
 * The program's arguments are rounds, milliseconds and the numbers of keys. Its rank 0 prints one line for each call,
 * number of keys and round, in that order of loops, by COLLECTIVE_LINE: packed bytes of the info, calls of MPI that the
 * busiest process makes for one call, and microseconds of the call and of what is beside it.
 */
#ifndef BENCH_COLLECTIVE_WORK_H
#define BENCH_COLLECTIVE_WORK_H

enum collective_call { COLLECTIVE_BCAST, COLLECTIVE_AGREE, COLLECTIVE_ODD, COLLECTIVE_UNION, COLLECTIVE_CALLS };

#define COLLECTIVE_LINE   "%u %u %lf %lf\n"
#define COLLECTIVE_FIELDS 4

#endif
