/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * storm: the workload of the canaries. Two threads set, two read, dup, walk and free one object, for a bounded number
 * of rounds. On the sound store it ends in silence with 0; on each broken one ThreadSanitizer must say so.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcuinfo/rcuinfo.h>

#define THREADS 4
#define ROUNDS  60000
#define KEYS    4

static rcuinfo_t shared;

static void need(rcuinfo_status_t status)
{
    if (status != RCUINFO_SUCCESS) {
        fprintf(stderr, "storm: %s\n", rcuinfo_status_string(status));
        exit(1);
    }
}

static void *write_rounds(void *unused)
{
    char key[16];
    char value[64];
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        snprintf(key, sizeof key, "key%d", i % KEYS);
        snprintf(value, sizeof value, "%0*d", 8 + i % 50, i);
        need(rcuinfo_set(shared, key, value));
    }
    return NULL;
}

static void *read_rounds(void *unused)
{
    char key[RCUINFO_MAX_KEY];
    char value[RCUINFO_MAX_VALUE];
    int flag;
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        snprintf(key, sizeof key, "key%d", i % KEYS);
        need(rcuinfo_get(shared, key, RCUINFO_MAX_VALUE - 1, value, &flag));
        if (i % 16 == 0) {
            rcuinfo_t copy;
            need(rcuinfo_dup(shared, &copy));
            need(rcuinfo_get_nthkey(copy, i % KEYS, key));
            need(rcuinfo_set(copy, key, "mine"));
            need(rcuinfo_free(&copy));
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    char key[16];
    need(rcuinfo_create(&shared));
    for (int i = 0; i < KEYS; i++) {
        snprintf(key, sizeof key, "key%d", i);
        need(rcuinfo_set(shared, key, "first"));
    }
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, i % 2 ? read_rounds : write_rounds, NULL) != 0)
            abort();
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    puts("storm: ended");
    return 0;
}
