/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A number in an info that several threads count up by compare-and-set: a key gets its new value only where it still
 * has the one that the new value was made from.
 *
 * Build: cc -pthread counter.c $(pkg-config --cflags --libs rcuinfo)
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <rcuinfo/rcuinfo.h>

enum { THREADS = 4, ROUNDS = 500 };

static rcuinfo_t info;

static void check(rcuinfo_status_t status)
{
    if (status != RCUINFO_SUCCESS) {
        fprintf(stderr, "%s\n", rcuinfo_status_string(status));
        exit(1);
    }
}

static void count_up(void)
{
    int swapped = 0;
    while (!swapped) {
        char old[RCUINFO_MAX_VALUE], new[16];
        int flag;
        check(rcuinfo_get(info, "count", RCUINFO_MAX_VALUE - 1, old, &flag));
        snprintf(new, sizeof new, "%d", atoi(old) + 1);
        check(rcuinfo_compare_and_set(info, "count", old, new, &swapped)); /* 0: another one was faster */
    }
}

static void *work(void *unused)
{
    for (int round = 0; round < ROUNDS; round++)
        count_up();
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    char value[RCUINFO_MAX_VALUE];
    int flag;

    check(rcuinfo_create(&info));
    check(rcuinfo_set(info, "count", "0"));
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            return 1;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check(rcuinfo_get(info, "count", RCUINFO_MAX_VALUE - 1, value, &flag));
    printf("count: %s\n", value);
    check(rcuinfo_free(&info));
    return 0;
}
