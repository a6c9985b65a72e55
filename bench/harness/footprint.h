/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * footprint: bytes that objects of one shape take, and dups of them.
 *
 * Slots are grown beforehand, and counted by themselves, since they come many at a time; the rest is the difference
 * that as many objects make as fit into a given amount of memory, after a drain.
 */
#ifndef BENCH_FOOTPRINT_H
#define BENCH_FOOTPRINT_H

struct shape {
    unsigned keys;
    unsigned value_bytes;
    unsigned mebibytes; /* about so much is filled with objects, and then with dups that are set */
};

struct footprint {
    double objects; /* how many were measured */
    double strings; /* of all keys and values of one object, without their NULs */
    double slot;    /* bytes of malloc's that one takes, its overhead included */
    double object;  /* the slot included, here and below; each key was set once */
    double hot;     /* the same objects after each of their keys was overridden many times */
    double dup;
    double dup_set; /* a dup in which one value was set */
};

/* For heap_child: context is a struct shape, result a struct footprint. */
void footprint_measure(const void *context, void *result);

#endif
