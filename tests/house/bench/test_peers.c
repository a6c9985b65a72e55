/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every peer of the bench keeps what it is told, also where its table grows and where a value changes its length: what
 * is compared must do the same work. And threads, one after the other and at once, may use one object of most.
 */
#include "harness.h"
#include "peers.h"
#include "support/check.h"

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
        CHECK_OK(peer->get(object, key, RCUINFO_MAX_VALUE - 1, value, &flag));
        CHECK_EQUAL(flag, 1);
        CHECK_TEXT(value, wanted);
        CHECK_OK(peer->get(object, key, 3, value, &flag));
        CHECK_EQUAL(strlen(value), strlen(wanted) < 3 ? strlen(wanted) : 3);
    }
    CHECK_OK(peer->get(object, "absent", 3, value, &flag));
    CHECK_EQUAL(flag, 0);
}

/* By set, or by updates of all keys at once. */
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
            key_of(i, keys[i]);
            value_of(i, round, values[i]);
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
static void peer_is_shared(const struct peer *peer)
{
    struct share share = {.peer = peer};
    if (!peer->shared)
        return;
    CHECK_OK(share.peer->create(&share.object));
    for (unsigned round = 0; round < 3; round++)
        bench_threads(3, share_body, NULL, &share);
    CHECK_OK(share.peer->free(&share.object));
}

int main(void)
{
    struct peer_list peers = peers_all();
    for (size_t p = 0; p < peers.n; p++) {
        printf("%s\n", peers.at[p]->name);
        peer_keeps(peers.at[p], false);
        if (peers.at[p]->update)
            peer_keeps(peers.at[p], true);
        peer_is_shared(peers.at[p]);
    }
    return 0;
}
