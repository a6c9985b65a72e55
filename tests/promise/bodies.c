/* SPDX-License-Identifier: BSD-3-Clause */
#include "promise/bodies.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include <rcuinfo/rcuinfo.h>

#include "promise/inside_malloc.h"
#include "support/gate.h"
#include "support/left.h"
#include "support/objects.h"
#include "stress/random.h"
#include "support/resident.h"
#include "support/spawn.h"
#include "support/threads.h"

enum { HINTS = 8, PACKED = 256 << 10, MOST_TIMES = 24, MOST_CHILDREN = 64, BETWEEN_LOOKS = 64, ROUND_BYTES = 64 };

struct worker {
    unsigned index, forks;
    struct random random;
    unsigned long round;
    size_t work, quota; /* bytes: written or copied so far, and after which the loop ends */
    rcuinfo_t own, copies[BODY_KEPT];
    const rcuinfo_snapshot_t *snapshots[BODY_KEPT];
    rcuinfo_view_t views[2];
    rcuinfo_hint_set_t *hints;
    char *packed;
    pthread_t thread;
    bool runs; /* `thread` is valid; with the lock `alive` */
};

static const struct body *body;
static bool copying; /* sets copy the pairs of the object */
static bool handler_may_view;
static struct worker workers[BODY_THREADS];
static _Atomic(rcuinfo_t) shared, handed[BODY_HANDED];
static rcuinfo_schema_t *schema;
static rcuinfo_hint_set_t *common;
static char keys[BODY_KEYS][8];

static atomic_uint running, handler_forks;
static _Atomic size_t most_waiting; /* seen by threads */
static pid_t children[MOST_CHILDREN];
static atomic_uint children_count;
static pthread_mutex_t alive = PTHREAD_MUTEX_INITIALIZER; /* no thread ends while a signal is sent */
static volatile bool is_child;                            /* this process was forked by a loop */
static _Thread_local struct worker *volatile self;        /* once its thread has read */
static _Thread_local volatile bool in_stdio;              /* in fopen or fclose, with a lock that fork takes */

/* The steps. Only a shared object may have been freed meanwhile. */

static bool good_or(const struct body_step *s, rcuinfo_status_t other, rcuinfo_status_t status)
{
    CHECKF(status == RCUINFO_SUCCESS || status == other || (status == RCUINFO_ERR_INFO && s->whose == BODY_SHARED),
           "%s", rcuinfo_status_string(status));
    return status == RCUINFO_SUCCESS;
}

static bool good(const struct body_step *s, rcuinfo_status_t status)
{
    return good_or(s, RCUINFO_SUCCESS, status);
}

static const char *some_key(struct worker *w, const struct body_step *s)
{
    return keys[random_below(&w->random, s->keys)];
}

static const char *some_value(struct worker *w, const struct body_step *s)
{
    unsigned length = s->length - (s->exact ? 0 : random_below(&w->random, s->length));
    w->work += (copying ? s->keys : 1) * (size_t)(ROUND_BYTES + length);
    return object_long + RCUINFO_MAX_VALUE - 1 - length;
}

static void take_set(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    for (unsigned i = 0; i < s->times; i++)
        (void)good(s, rcuinfo_set(*info, some_key(w, s), some_value(w, s)));
}

static void take_delete(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    (void)good_or(s, RCUINFO_ERR_NOKEY, rcuinfo_delete(*info, some_key(w, s)));
    w->work += ROUND_BYTES;
}

static void take_update(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    rcuinfo_change_t changes[MOST_TIMES];
    for (unsigned i = 0; i < s->times; i++)
        changes[i] = (rcuinfo_change_t){some_key(w, s), some_value(w, s)};
    (void)good(s, rcuinfo_update(*info, changes, s->times, NULL));
}

static void take_swap(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    char value[RCUINFO_MAX_VALUE];
    const char *key = some_key(w, s);
    int found = 0, swapped;
    if (good(s, rcuinfo_get(*info, key, sizeof value - 1, value, &found)))
        (void)good(s, rcuinfo_compare_and_set(*info, key, found ? value : NULL, some_value(w, s), &swapped));
}

static void take_read(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    char value[RCUINFO_MAX_VALUE];
    int number, found, size = sizeof value;
    uint64_t version;
    const char *key = some_key(w, s);
    (void)good(s, rcuinfo_get(*info, key, sizeof value - 1, value, &found));
    (void)good(s, rcuinfo_get_valuelen(*info, key, &number, &found));
    (void)good(s, rcuinfo_get_string(*info, key, &size, value, &found));
    (void)good(s, rcuinfo_object_version(*info, &version));
    if (good(s, rcuinfo_get_nkeys(*info, &number)))
        (void)good_or(s, RCUINFO_ERR_ARG, rcuinfo_get_nthkey(*info, number - 1, value));
    w->work += ROUND_BYTES;
}

/* Frees what was made, or keeps it in place of an earlier one. */
static void give_back(struct worker *w, const struct body_step *s, rcuinfo_t made, bool keep)
{
    w->work += ROUND_BYTES;
    if (s->more)
        CHECK_OK(rcuinfo_set(made, some_key(w, s), some_value(w, s)));
    if (keep) {
        rcuinfo_t *place = &w->copies[w->round % BODY_KEPT], old = *place;
        *place = made;
        made = old;
    }
    if (made != RCUINFO_NULL)
        object_free(made);
}

static void take_dup(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    rcuinfo_t copy;
    for (unsigned i = 0; i < s->times; i++) {
        if (good(s, rcuinfo_dup(*info, &copy)))
            give_back(w, s, copy, s->call == BODY_DUP_KEPT);
    }
}

static void take_renew(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    rcuinfo_t made = object_empty();
    rcuinfo_view_t view = {0};
    for (unsigned i = 0; i < s->times; i++)
        CHECK_OK(rcuinfo_set(made, some_key(w, s), some_value(w, s)));
    w->work += ROUND_BYTES;
    if (s->more)
        (void)good_or(s, RCUINFO_ERR_INFO, rcuinfo_view_begin(atomic_load(&shared), &view));
    object_free(s->whose == BODY_SHARED ? atomic_exchange(&shared, made) : *info);
    rcuinfo_view_end(&view);
    *info = made;
}

static void take_snapshot(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    const rcuinfo_snapshot_t *opened[MOST_TIMES] = {NULL};
    rcuinfo_pair_t pair;
    for (unsigned i = 0; i < s->times; i++)
        (void)good(s, rcuinfo_snapshot_open(*info, &opened[i]));
    if (s->more)
        take_renew(w, s, info);
    for (unsigned i = 0; i < s->times; i++) {
        CHECK(rcuinfo_snapshot_count(opened[i]) == 0 || rcuinfo_snapshot_nth(opened[i], 0, &pair) == RCUINFO_SUCCESS);
        rcuinfo_snapshot_close(opened[i]);
    }
    w->work += s->times * (size_t)ROUND_BYTES;
}

static void take_snapshot_kept(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    const rcuinfo_snapshot_t **place = &w->snapshots[w->round % BODY_KEPT];
    rcuinfo_snapshot_close(*place);
    (void)good(s, rcuinfo_snapshot_open(*info, place));
    w->work += ROUND_BYTES;
}

static void take_view(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    rcuinfo_view_t views[BODY_VIEWS] = {0};
    const unsigned n = s->times < BODY_VIEWS ? s->times : BODY_VIEWS;
    for (unsigned i = 0; i < n; i++)
        (void)good(s, rcuinfo_view_begin(*info, &views[i]));
    (s->more ? take_dup : take_read)(w, s, info);
    for (unsigned i = 0; i < n; i++)
        rcuinfo_view_end(&views[i]);
}

static void take_view_kept(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    rcuinfo_view_t *place = &w->views[w->round % 2];
    rcuinfo_view_end(place);
    (void)good(s, rcuinfo_view_begin(*info, place));
    w->work += ROUND_BYTES;
}

static void take_pack(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_t copy;
    if (!good(s, rcuinfo_snapshot_open(*info, &snapshot)))
        return;
    size_t size = rcuinfo_pack_size(snapshot);
    CHECK_OK(rcuinfo_pack(snapshot, w->packed, PACKED));
    rcuinfo_snapshot_close(snapshot);
    CHECK_OK(rcuinfo_unpack(w->packed, size, &copy, NULL));
    w->work += size;
    give_back(w, s, copy, s->more);
}

static void take_save(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_t copy;
    if (!good(s, rcuinfo_snapshot_open(*info, &snapshot)))
        return;
    in_stdio = true;
    FILE *file = fmemopen(w->packed, PACKED, "w+");
    in_stdio = false;
    CHECK(file);
    CHECK_OK(rcuinfo_save(snapshot, file, NULL));
    rcuinfo_snapshot_close(snapshot);
    w->work += (size_t)ftell(file) + ROUND_BYTES * 16;
    rewind(file);
    CHECK_OK(rcuinfo_load(file, &copy, NULL));
    in_stdio = true;
    CHECK(fclose(file) == 0);
    in_stdio = false;
    give_back(w, s, copy, false);
}

static void take_env(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    rcuinfo_t made;
    (void)info;
    CHECK_OK(rcuinfo_env_create(0, NULL, &made));
    w->work += ROUND_BYTES * 16;
    give_back(w, s, made, s->more);
}

/* By the first thread only: what each of several drains waits for would be memory that the bounds do not count. */
static void take_drain(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    (void)s, (void)info;
    if (w->index == 0 && w->round % 256 == 0)
        (void)rcuinfo_store_drain();
    w->work += ROUND_BYTES;
}

static void take_split(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    rcuinfo_t known, others;
    if (!good(s, rcuinfo_schema_split(schema, *info, &known, &others)))
        return;
    w->work += s->keys * (size_t)(ROUND_BYTES + s->length / 2);
    give_back(w, s, known, s->more);
    object_free(others);
}

static rcuinfo_hint_set_t *hints_of(const struct worker *w, const struct body_step *s)
{
    return s->whose == BODY_OWN ? w->hints : common;
}

static void take_merge(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    (void)good(s, rcuinfo_hint_set_merge(hints_of(w, s), *info));
    if (s->more)
        CHECK_OK(rcuinfo_hint_set_impose(hints_of(w, s), some_key(w, s), some_value(w, s)));
    w->work += (s->keys < HINTS ? s->keys : HINTS) * (size_t)(ROUND_BYTES + s->length / 2);
}

static void take_hints(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    char value[RCUINFO_MAX_VALUE];
    size_t length;
    rcuinfo_t made;
    (void)info;
    CHECK_OK(rcuinfo_hint_set_read_string(hints_of(w, s), 0, value, sizeof value, &length));
    CHECK_OK(rcuinfo_hint_set_get_info(hints_of(w, s), &made));
    give_back(w, s, made, s->times > 2);
}

static void take_new_hints(struct worker *w, const struct body_step *s, rcuinfo_t *info)
{
    rcuinfo_hint_set_t *made;
    w->work += HINTS * (size_t)(ROUND_BYTES + s->length / 2);
    if (!good(s, rcuinfo_hint_set_create(schema, *info, NULL, NULL, &made)))
        return;
    rcuinfo_hint_set_free(&w->hints);
    w->hints = made;
}

static const struct {
    const char *name;
    void (*take)(struct worker *w, const struct body_step *s, rcuinfo_t *info);
    unsigned weight;
} calls[BODY_CALLS] = {
    [BODY_SET] = {"set", take_set, 10},
    [BODY_DELETE] = {"delete", take_delete, 2},
    [BODY_UPDATE] = {"update", take_update, 2},
    [BODY_SWAP] = {"compare and set", take_swap, 1},
    [BODY_READ] = {"read", take_read, 4},
    [BODY_DUP] = {"dup and free", take_dup, 5},
    [BODY_DUP_KEPT] = {"keep a dup", take_dup, 2},
    [BODY_RENEW] = {"renew", take_renew, 3},
    [BODY_SNAPSHOT] = {"snapshot", take_snapshot, 4},
    [BODY_SNAPSHOT_KEPT] = {"keep a snapshot", take_snapshot_kept, 2},
    [BODY_VIEW] = {"view", take_view, 4},
    [BODY_VIEW_KEPT] = {"keep a view", take_view_kept, 2},
    [BODY_PACK] = {"pack", take_pack, 1},
    [BODY_SAVE] = {"save", take_save, 1},
    [BODY_ENV] = {"env", take_env, 1},
    [BODY_DRAIN] = {"drain", take_drain, 1},
    [BODY_SPLIT] = {"split", take_split, 1},
    [BODY_MERGE] = {"merge", take_merge, 2},
    [BODY_HINTS] = {"hints", take_hints, 1},
    [BODY_NEW_HINTS] = {"new hints", take_new_hints, 1},
};

/* Takes an object for a step, and gives it back or to another thread. */
static void take_step(struct worker *w, const struct body_step *s)
{
    rcuinfo_t info = s->whose == BODY_OWN      ? w->own
                     : s->whose == BODY_SHARED ? atomic_load(&shared)
                                               : atomic_exchange(&handed[random_below(&w->random, BODY_HANDED)], 0);
    if (info == RCUINFO_NULL)
        info = object_empty();
    calls[s->call].take(w, s, &info);
    if (s->whose == BODY_OWN)
        w->own = info;
    if (s->whose == BODY_HANDED_ON)
        info = atomic_exchange(&handed[random_below(&w->random, BODY_HANDED)], info);
    if (s->whose == BODY_HANDED_ON && info != RCUINFO_NULL)
        object_free(info);
}

/* What a body is made of. */

static bool has(const struct body *b, enum body_call first, enum body_call last)
{
    for (unsigned i = 0; i < b->threads; i++) {
        for (unsigned n = 0; n < b->loops[i].count; n++) {
            if (b->loops[i].steps[n].call >= first && b->loops[i].steps[n].call <= last)
                return true;
        }
    }
    return false;
}

/* Handlers that fork must not interrupt liburcu, and a drain waits for views that are held. */
static bool fits(const struct body *b, enum body_call call)
{
    if (call == BODY_DRAIN)
        return b->held == 0 && !(TEST_SANITIZED && b->forks > 0); /* nor behind a gate */
    return call < BODY_SPLIT || b->signals != BODY_FORKS;
}

static struct body_step make_step(const struct body *b, struct random *r)
{
    unsigned all = 0, call = 0, left;
    for (unsigned i = 0; i < BODY_CALLS; i++)
        all += fits(b, (enum body_call)i) ? calls[i].weight : 0;
    left = random_below(r, all);
    for (; !fits(b, (enum body_call)call) || left >= calls[call].weight; call++)
        left -= fits(b, (enum body_call)call) ? calls[call].weight : 0;
    struct body_step step = {.call = (enum body_call)call, .whose = (enum body_whose)random_below(r, 3)};
    step.times = 1 + random_below(r, random_below(r, 4) == 0 ? MOST_TIMES : BODY_VIEWS);
    step.keys = 1 + random_below(r, 1U << random_below(r, 7));
    step.length = 1 + random_below(r, random_below(r, 2) ? 64 : RCUINFO_MAX_VALUE - 1);
    step.exact = random_below(r, 2);
    step.more = random_below(r, 3) == 0;
    return step;
}

/* In one body of two the loops are like those of most programs: a set, and one to three other calls on the same object.
 */
static void make_loop(struct body *b, unsigned thread, bool simple, struct random *r)
{
    b->loops[thread].count = simple ? 2 + random_below(r, 3) : 1 + random_below(r, BODY_STEPS);
    for (unsigned n = 0; n < b->loops[thread].count; n++) {
        struct body_step *s = &b->loops[thread].steps[n];
        *s = make_step(b, r);
        if (!simple)
            continue;
        s->call = n == 0 ? BODY_SET : s->call < BODY_PACK ? s->call : BODY_DUP;
        s->whose = BODY_OWN;
        s->times = 1 + s->times % 2;
        s->keys = 1 + s->keys % 4;
    }
}

void body_make(struct body *b, uint64_t seed, bool forks)
{
    static const unsigned threads[] = {1, 3, BODY_THREADS};
    struct random r = {seed};
    *b = (struct body){.seed = seed, .threads = threads[seed % 3]};
    b->forks = forks ? 1 + random_below(&r, 6) : 0;
    b->held = random_below(&r, 4) == 0 ? 1 + random_below(&r, BODY_VIEWS) : 0;
    b->rounds = random_below(&r, 4) == 0 && !(TEST_SANITIZED && forks) ? 500 + random_below(&r, 5000) : 0;
    if (random_below(&r, 3) == 0)
        b->signals = forks && !TEST_SANITIZED ? BODY_FORKS : BODY_READS;
    bool simple = random_below(&r, 2);
    for (unsigned i = 0; i < b->threads; i++)
        make_loop(b, i, simple, &r);
}

void body_print(const struct body *b, FILE *file)
{
    static const char *const whose[] = {"own", "shared", "handed on"};
    static const char *const signals[] = {"no signals", "signals that read", "signals that fork"};
    fprintf(file, "seed %llu: %u threads, %u views held, a new thread after %u rounds, %u forks, %s\n",
            (unsigned long long)b->seed, b->threads, b->held, b->rounds, b->forks, signals[b->signals]);
    for (unsigned i = 0; i < b->threads; i++) {
        fprintf(file, "  thread %u:", i);
        for (unsigned n = 0; n < b->loops[i].count; n++) {
            const struct body_step *s = &b->loops[i].steps[n];
            fprintf(file, "%s %s (%s, %u times, %u keys, %s%u bytes%s)", n ? "," : "", calls[s->call].name,
                    whose[s->whose], s->times, s->keys, s->exact ? "" : "up to ", s->length,
                    s->more ? ", and more" : "");
        }
        fprintf(file, "\n");
    }
}

struct bounds_needs body_needs(const struct body *b)
{
    unsigned keys_most = 0, length = 0;
    for (unsigned i = 0; i < b->threads; i++) {
        for (unsigned n = 0; n < b->loops[i].count; n++) {
            const struct body_step *s = &b->loops[i].steps[n];
            keys_most = s->keys > keys_most ? s->keys : keys_most;
            length = s->length > length ? s->length : length;
        }
    }
    bool views = has(b, BODY_RENEW, BODY_VIEW_KEPT), env = has(b, BODY_ENV, BODY_ENV);
    return (struct bounds_needs){
        .threads = b->threads,
        .sections = b->threads * (1 + (views ? 2U : 0) + (b->signals ? 2U : 0)) + b->held,
        .live = b->threads * (1 + 2 * BODY_KEPT + MOST_TIMES + 2) + BODY_HANDED + 2,
        .block = bounds_block(keys_most + HINTS + (env ? 9 : 0), env ? RCUINFO_MAX_VALUE : length),
        .hints = has(b, BODY_SPLIT, BODY_NEW_HINTS),
        .drains = has(b, BODY_DRAIN, BODY_DRAIN),
    };
}

/* The run. */

static void look(void)
{
    size_t waiting = left_stats().retired, most = atomic_load(&most_waiting);
    while (waiting > most && !atomic_compare_exchange_weak(&most_waiting, &most, waiting))
        continue;
}

static void do_round(struct worker *w)
{
    if (!is_child)
        gate_enter();
    for (unsigned n = 0; n < body->loops[w->index].count; n++)
        take_step(w, &body->loops[w->index].steps[n]);
    if (++w->round % BETWEEN_LOOKS == 0)
        look();
    if (!is_child)
        gate_leave();
}

static void end_views(struct worker *w)
{
    for (int i = 0; i < 2; i++)
        rcuinfo_view_end(&w->views[i]);
}

static void end_worker(struct worker *w)
{
    for (int i = 0; i < BODY_KEPT; i++) {
        rcuinfo_snapshot_close(w->snapshots[i]);
        if (w->copies[i] != RCUINFO_NULL)
            object_free(w->copies[i]);
    }
    object_free(w->own);
    rcuinfo_hint_set_free(&w->hints);
    free(w->packed);
}

/* The child of a fork has the objects of all threads, but only one thread. */
static _Noreturn void live_on(struct worker *w)
{
    const size_t end = w->work + w->quota / 8;
    while (w->work < end)
        do_round(w);
    struct bounds_needs needs = body_needs(body);
    CHECK_RANGE(atomic_load(&most_waiting), 0, bounds_waiting(&needs));
    end_views(w);
    end_worker(w);
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
    CHECK_EQUAL(left_stats().retired, 0);
    _exit(0);
}

static void add_child(pid_t child)
{
    CHECK(child >= 0);
    if (child == 0)
        is_child = true;
    else
        children[atomic_fetch_add(&children_count, 1) % MOST_CHILDREN] = child;
}

static void on_signal(int signal)
{
    struct worker *w = self;
    int saved = errno, number;
    rcuinfo_view_t view;
    (void)signal;
    if (!w || is_child)
        return;
    if (body->signals == BODY_FORKS) {
        unsigned left = atomic_load(&handler_forks);
        bool may_fork = !inside_malloc() && !in_stdio; /* else it would wait for its own thread */
        if (left > 0 && may_fork && atomic_compare_exchange_strong(&handler_forks, &left, left - 1))
            add_child(fork());
    } else {
        rcuinfo_status_t status = rcuinfo_get_nkeys(atomic_load(&shared), &number);
        CHECK(status == RCUINFO_SUCCESS || status == RCUINFO_ERR_INFO);
        if (handler_may_view && rcuinfo_view_begin(atomic_load(&shared), &view) == RCUINFO_SUCCESS)
            rcuinfo_view_end(&view);
    }
    errno = saved;
}

/* Sends signals to one thread after the other, as long as they run: some ten thousand a second, so that the threads do
 * more than handle them. No result depends on the pause, only how often a call is interrupted. */
static void send_signals(void)
{
    struct timespec pause = {0, 100000};
    for (unsigned i = 0; atomic_load(&running) > 0; i++) {
        struct worker *w = &workers[i % body->threads];
        CHECK(pthread_mutex_lock(&alive) == 0);
        CHECK(!w->runs || pthread_kill(w->thread, SIGUSR1) == 0);
        CHECK(pthread_mutex_unlock(&alive) == 0);
        (void)nanosleep(&pause, NULL);
    }
}

/* Whether signals come to this thread from now on. */
static void show(struct worker *w, bool runs)
{
    CHECK(pthread_mutex_lock(&alive) == 0);
    w->thread = pthread_self();
    w->runs = runs;
    CHECK(pthread_mutex_unlock(&alive) == 0);
    self = runs ? w : NULL;
}

static void *run_rounds(void *argument)
{
    struct worker *w = argument;
    unsigned long first = w->round;
    if (first == 0)
        w->own = object_empty(); /* which this thread owns */
    (void)object_count(w->own);  /* later reads, also in a handler, need no memory */
    show(w, true);
    while (w->work < w->quota && (body->rounds == 0 || w->round < first + body->rounds)) {
        do_round(w);
        if (is_child)
            live_on(w);
        if (w->forks > 0 && body->signals != BODY_FORKS && w->work >= w->quota / (w->forks + 1)) {
            w->forks--;
            add_child(gate_fork());
            if (is_child)
                live_on(w);
        }
    }
    end_views(w);
    show(w, false);
    return NULL;
}

static void run_worker(unsigned index, void *unused)
{
    (void)unused;
    if (index == body->threads) {
        send_signals();
        return;
    }
    struct worker *w = &workers[index];
    while (w->work < w->quota) {
        pthread_t thread;
        if (body->rounds == 0) {
            (void)run_rounds(w);
        } else {
            CHECK(pthread_create(&thread, NULL, run_rounds, w) == 0);
            CHECK(pthread_join(thread, NULL) == 0);
        }
    }
    atomic_fetch_sub(&running, 1);
}

static void begin(void)
{
    struct random r = {body->seed};
    rcuinfo_hint_t rows[HINTS];
    for (unsigned i = 0; i < BODY_KEYS; i++)
        (void)snprintf(keys[i], sizeof keys[i], "key%u", i);
    for (unsigned i = 0; i < HINTS; i++)
        rows[i] = (rcuinfo_hint_t){.key = keys[i], .type = RCUINFO_TYPE_STRING, .initial = "v"};
    CHECK_OK(rcuinfo_schema_create(NULL, rows, HINTS, &schema, NULL));
    CHECK_OK(rcuinfo_hint_set_create(schema, RCUINFO_NULL, NULL, NULL, &common));
    atomic_store(&shared, object_empty());
    copying = has(body, BODY_DUP, BODY_DUP_KEPT);
    handler_may_view = !has(body, BODY_RENEW, BODY_VIEW_KEPT);
    for (unsigned i = 0; i < body->threads; i++) {
        struct worker *w = &workers[i];
        *w = (struct worker){.index = i, .random = {random_next(&r)}};
        w->quota = BODY_BYTES / body->threads;
        CHECK(w->packed = malloc(PACKED));
        CHECK_OK(rcuinfo_hint_set_create(schema, RCUINFO_NULL, NULL, NULL, &w->hints));
    }
    for (unsigned i = 0; i < body->forks; i++)
        workers[random_below(&r, body->threads)].forks++;
    atomic_store(&handler_forks, body->forks);
    atomic_store(&running, body->threads);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
}

static void end(void)
{
    for (unsigned i = 0; i < body->threads; i++)
        end_worker(&workers[i]);
    object_free(atomic_load(&shared));
    for (unsigned i = 0; i < BODY_HANDED; i++) {
        if (atomic_load(&handed[i]) != RCUINFO_NULL)
            object_free(atomic_load(&handed[i]));
    }
    rcuinfo_hint_set_free(&common);
    rcuinfo_schema_free(&schema);
    left_nothing();
    CHECK_EQUAL(left_stats().retired, 0);
}

void body_run(const struct body *b, struct body_peaks *peaks)
{
    rcuinfo_view_t held[BODY_VIEWS];
    size_t before = resident_bytes();
    body = b;
    begin();
    for (unsigned i = 0; i < body->held; i++)
        CHECK_OK(rcuinfo_view_begin(atomic_load(&shared), &held[i]));
    team_run(body->threads + (body->signals != BODY_NO_SIGNALS), run_worker, NULL);
    for (unsigned i = 0; i < body->held; i++)
        rcuinfo_view_end(&held[i]);
    for (unsigned i = 0; i < atomic_load(&children_count); i++)
        spawn_wait(children[i], "a child of a loop");
    peaks->waiting = left_stats().peak_retired;
    if (peaks->waiting < atomic_load(&most_waiting))
        peaks->waiting = atomic_load(&most_waiting);
    peaks->growth = resident_peak() - before;
    end();
}
