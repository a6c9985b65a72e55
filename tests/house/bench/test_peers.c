/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every peer of the bench keeps what it is told, also where its table grows and where a value changes its length: what
 * is compared must do the same work. And threads, one after the other and at once, may use one object of most.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "peers.h"

#define KEYS 300

static void key_of(unsigned i, char *key)
{
    sprintf(key, "key_%u", i);
}

/* Values of all lengths from 0 to 1,000, another one in each round. */
static void value_of(unsigned i, unsigned round, char *value)
{
    size_t length = (i * 37 + round * 411) % 1001;
    memset(value, 'a' + (int)((i + round) % 26), length);
    value[length] = '\0';
}

static void check_all(const struct peer *peer, rcuinfo_t object, unsigned round)
{
    char key[32], wanted[RCUINFO_MAX_VALUE], value[RCUINFO_MAX_VALUE];
    int flag;
    for (unsigned i = 0; i < KEYS; i++) {
        key_of(i, key);
        value_of(i, round, wanted);
        assert_int_equal(peer->get(object, key, RCUINFO_MAX_VALUE - 1, value, &flag), RCUINFO_SUCCESS);
        assert_int_equal(flag, 1);
        assert_string_equal(value, wanted);
        assert_int_equal(peer->get(object, key, 3, value, &flag), RCUINFO_SUCCESS);
        assert_int_equal(strlen(value), strlen(wanted) < 3 ? strlen(wanted) : 3);
    }
    assert_int_equal(peer->get(object, "absent", 3, value, &flag), RCUINFO_SUCCESS);
    assert_int_equal(flag, 0);
}

static void peer_keeps(void **state)
{
    const struct peer *peer = *state;
    char key[32], value[RCUINFO_MAX_VALUE];
    rcuinfo_t object;
    int flag;
    assert_int_equal(peer->create(&object), RCUINFO_SUCCESS);
    assert_int_equal(peer->get(object, "", 3, value, &flag), RCUINFO_ERR_KEY);
    assert_int_equal(peer->set(object, "", "value"), RCUINFO_ERR_KEY);
    assert_int_equal(peer->set(object, "key", NULL), RCUINFO_ERR_VALUE);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < KEYS; i++) {
            key_of(i, key);
            value_of(i, round, value);
            assert_int_equal(peer->set(object, key, value), RCUINFO_SUCCESS);
        }
        check_all(peer, object, round);
    }
    assert_int_equal(peer->free(&object), RCUINFO_SUCCESS);
    assert_int_equal(object, RCUINFO_NULL);
}

static void peer_updates(void **state)
{
    const struct peer *peer = *state;
    static char keys[KEYS][32], values[KEYS][RCUINFO_MAX_VALUE];
    rcuinfo_change_t changes[KEYS];
    rcuinfo_t object;
    size_t failed = 0;
    if (!peer->update)
        return;
    assert_int_equal(peer->create(&object), RCUINFO_SUCCESS);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < KEYS; i++) {
            key_of(i, keys[i]);
            value_of(i, round, values[i]);
            changes[i] = (rcuinfo_change_t){.key = keys[i], .value = values[i]};
        }
        assert_int_equal(peer->update(object, changes, KEYS, NULL), RCUINFO_SUCCESS);
        check_all(peer, object, round);
    }
    changes[7].key = "";
    assert_int_equal(peer->update(object, changes, KEYS, &failed), RCUINFO_ERR_KEY);
    assert_int_equal(failed, 7);
    assert_int_equal(peer->free(&object), RCUINFO_SUCCESS);
}

#define SHARED_KEYS 20

struct share {
    const struct peer *peer;
    rcuinfo_t object;
};

/* Thread 0 sets values of other lengths, so that the table moves time and again; the others see whole values. */
static void share_body(void *context, unsigned index)
{
    const struct share *share = context;
    char key[32], value[RCUINFO_MAX_VALUE] = "";
    for (unsigned i = 0; i < 4000; i++) {
        rcuinfo_status_t status;
        int flag = 0;
        key_of((i + index) % SHARED_KEYS, key);
        if (index == 0) {
            value_of(i, i / SHARED_KEYS, value);
            status = share->peer->set(share->object, key, value);
        } else {
            status = share->peer->get(share->object, key, RCUINFO_MAX_VALUE - 1, value, &flag);
        }
        if (status != RCUINFO_SUCCESS || (flag && strspn(value, (char[]){value[0], '\0'}) != strlen(value)))
            bench_die("%s: \"%s\", value \"%s\"", share->peer->name, rcuinfo_status_string(status), value);
    }
}

/* Threads that come after one another have the records of those before them. */
static void peer_is_shared(void **state)
{
    struct share share = {.peer = *state};
    if (!share.peer->shared)
        return;
    assert_int_equal(share.peer->create(&share.object), RCUINFO_SUCCESS);
    for (unsigned round = 0; round < 3; round++)
        bench_threads(3, share_body, NULL, &share);
    assert_int_equal(share.peer->free(&share.object), RCUINFO_SUCCESS);
}

int main(void)
{
    struct peer_list peers = peers_all();
    int failed = 0;
    for (size_t p = 0; p < peers.n; p++) {
        void *peer = (void *)(uintptr_t)peers.at[p];
        const struct CMUnitTest tests[] = {{"keeps", peer_keeps, NULL, NULL, peer},
                                           {"updates", peer_updates, NULL, NULL, peer},
                                           {"is_shared", peer_is_shared, NULL, NULL, peer}};
        failed += cmocka_run_group_tests_name(peers.at[p]->name, tests, NULL, NULL);
    }
    return failed;
}
