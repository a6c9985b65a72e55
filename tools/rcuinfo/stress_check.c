/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the threads of `rcuinfo stress` check, and how a violation is reported. Each check ends the process when it
 * fails: after a violation nothing that the store says means anything.
 */
#include "stress.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "core/text.h"
#include "support/selfcheck.h"

_Thread_local struct stress_worker *stress_self;

void stress_violation(const char *format, ...)
{
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    static _Thread_local bool reporting; /* what the report quotes may have crashed it: the crash is reported then */
    const struct stress_options *o = &stress.options;
    const struct stress_worker *self = stress_self;
    char text[4096];
    va_list arguments;

    while (!reporting && atomic_flag_test_and_set(&reported)) /* another thread reports, and ends the process */
        pause();
    reporting = true;
    va_start(arguments, format);
    int used = vsnprintf(text, 2000, format, arguments);
    va_end(arguments);
    if (used > 1999)
        used = 1999;
    if (self != NULL)
        used += snprintf(text + used, 1000,
                         "\nrcuinfo: stress: seen by thread %u in operation %llu: %s on place %u, turn %llu, handle "
                         "%#llx",
                         self->index, (unsigned long long)atomic_load(&self->operation), stress_kinds[self->kind].name,
                         self->place, (unsigned long long)self->turn, (unsigned long long)self->info);
    (void)snprintf(text + used, 1000,
                   "\nrcuinfo: stress: to repeat: rcuinfo stress --seconds %u --threads %u --objects %u --keys %u "
                   "--seed %llu%s%s\nrcuinfo: stress: one seed gives each thread the same operations; how the "
                   "threads meet differs from run to run\n",
                   o->seconds, o->threads, o->objects, o->keys, (unsigned long long)o->seed,
                   o->mix != NULL ? " --mix " : "", o->mix != NULL ? o->mix : "");
    fflush(stdout);
    fprintf(stderr, "\nrcuinfo: stress: violation: %s", text);
    _exit(COMMAND_FAILED);
}

static void crashed(int signal)
{
    stress_violation("a call crashed: %s", strsignal(signal));
}

void stress_catch_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction action;

        /* A sanitizer has its own report, which says more. */
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
            action.sa_handler = crashed;
            (void)sigaction(signals[i], &action, NULL);
        }
    }
}

bool stress_met(rcuinfo_status_t status, const char *call)
{
    struct stress_worker *self = stress_self;

    if (status == RCUINFO_SUCCESS)
        return true;
    if (status != RCUINFO_ERR_INFO)
        stress_violation("an unexpected status: %s gives \"%s\"", call, rcuinfo_status_string(status));
    if (atomic_load(&stress.places[self->place].turn) == self->turn)
        stress_violation("a live object is denied: %s gives \"%s\"", call, rcuinfo_status_string(status));
    atomic_fetch_add_explicit(&self->on_gone, 1, memory_order_relaxed);
    return false;
}

struct stress_last stress_whole(const char *value, size_t length, uint64_t object, unsigned key)
{
    struct stress_last last;
    uint64_t found;

    if (strnlen(value, RCUINFO_MAX_VALUE) != length || !selfcheck_verify_for(value, &found, &last.writer, &last.number))
        stress_violation("a torn value: %zu bytes of key %u: \"%.*s\"", length, key, RCUINFO_MAX_VALUE, value);
    if (found != object)
        stress_violation("another object's data: that of object %llx for object %llx: \"%s\"",
                         (unsigned long long)found, (unsigned long long)object, value);
    if (last.writer / STRESS_THREADS_MAX != key)
        stress_violation("another key's value: that of key %u for key %u: \"%s\"", last.writer / STRESS_THREADS_MAX,
                         key, value);
    last.writer %= STRESS_THREADS_MAX;
    return last;
}

/* What this thread saw last of the object at work: nothing yet, where it saw another object in this place. */
static struct stress_last *seen_of(struct stress_worker *self, struct stress_seen **seen)
{
    struct stress_last *last = &self->last[(size_t)self->place * stress.all_keys];

    *seen = &self->seen[self->place];
    if ((*seen)->turn != self->turn) {
        **seen = (struct stress_seen){.turn = self->turn};
        memset(last, 0, stress.all_keys * sizeof *last);
    }
    return last;
}

struct stress_last stress_not_older(const char *value, size_t length, unsigned key)
{
    struct stress_worker *self = stress_self;
    struct stress_last now = stress_whole(value, length, stress_object(self->place, self->turn), key);
    struct stress_seen *seen;
    struct stress_last *last = &seen_of(self, &seen)[key];

    /* The counter's numbers rise whoever writes; elsewhere those of one writer do. */
    if ((now.writer == last->writer || key == stress_counter_key()) && now.number < last->number)
        stress_violation("an older version after a newer one: number %lu of key %u after %lu", now.number, key,
                         last->number);
    *last = now;
    return now;
}

void stress_note_version(uint64_t version, bool newer)
{
    struct stress_seen *seen;

    (void)seen_of(stress_self, &seen);
    if (version < seen->version + newer)
        stress_violation("an older version after a newer one: version %llu after %llu%s", (unsigned long long)version,
                         (unsigned long long)seen->version, newer ? " and a change of its own" : "");
    seen->version = version;
}

void stress_note_own(unsigned key, unsigned long number)
{
    struct stress_seen *seen;

    seen_of(stress_self, &seen)[key] = (struct stress_last){.number = number, .writer = stress_self->index};
}

static unsigned key_by_name(const char *name)
{
    for (unsigned key = 0; key < stress.all_keys; key++) {
        if (strcmp(stress.key_names[key], name) == 0)
            return key;
    }
    stress_violation("a key that nobody has set: \"%.*s\"", RCUINFO_MAX_KEY, name);
}

void stress_one_version(const rcuinfo_snapshot_t *snapshot, uint64_t object)
{
    struct stress_last group = {0, 0};
    unsigned in_group = 0;
    size_t count = rcuinfo_snapshot_count(snapshot);

    for (size_t n = 0; n < count; n++) {
        rcuinfo_pair_t pair, found;
        unsigned key;

        if (rcuinfo_snapshot_nth(snapshot, n, &pair) != RCUINFO_SUCCESS)
            stress_violation("a torn snapshot: no pair %zu of %zu", n, count);
        key = key_by_name(pair.key);
        struct stress_last last = stress_whole(pair.value, pair.value_length, object, key);
        if (rcuinfo_snapshot_find(snapshot, pair.key, &found) != RCUINFO_SUCCESS || found.value != pair.value)
            stress_violation("a torn snapshot: key %u is listed with another value than it is found with", key);
        if (key < stress.options.keys || key == stress_counter_key())
            continue;
        if (in_group++ > 0 && (last.number != group.number || last.writer != group.writer))
            stress_violation("two versions in one: number %lu of thread %u beside %lu of thread %u", last.number,
                             last.writer, group.number, group.writer);
        group = last;
    }
    if (in_group != STRESS_GROUP)
        stress_violation("half an update: %u of %d keys", in_group, STRESS_GROUP);
}

static uint64_t add_pair(uint64_t sum, const rcuinfo_pair_t *pair)
{
    sum = XXH3_64bits_withSeed(pair->key, pair->key_length + 1, sum);
    return XXH3_64bits_withSeed(pair->value, pair->value_length + 1, sum);
}

struct stress_old stress_listen(const rcuinfo_snapshot_t *snapshot, uint64_t object)
{
    struct stress_old now = {.snapshot = snapshot, .object = object};
    rcuinfo_pair_t pair;
    size_t found = 0;

    now.version = rcuinfo_snapshot_version(snapshot);
    now.count = rcuinfo_snapshot_count(snapshot);
    for (size_t n = 0; n < now.count && rcuinfo_snapshot_nth(snapshot, n, &pair) == RCUINFO_SUCCESS; n++)
        now.listed = add_pair(now.listed, &pair);
    for (unsigned key = 0; key < stress.all_keys; key++) {
        if (rcuinfo_snapshot_find(snapshot, stress.key_names[key], &pair) != RCUINFO_SUCCESS)
            continue;
        now.found = add_pair(now.found, &pair);
        found++;
    }
    if (found != now.count)
        stress_violation("a torn snapshot: %zu keys are listed, %zu are found", now.count, found);
    return now;
}

void stress_check_old(const struct stress_old *old)
{
    if (old->snapshot == NULL)
        return;
    struct stress_old now = stress_listen(old->snapshot, old->object);
    if (now.version != old->version || now.count != old->count || now.listed != old->listed || now.found != old->found)
        stress_violation("a snapshot has changed: version %llu of object %llx, %zu keys, is version %llu, %zu keys%s%s",
                         (unsigned long long)old->version, (unsigned long long)old->object, old->count,
                         (unsigned long long)now.version, now.count,
                         now.listed != old->listed ? ", and lists something else" : "",
                         now.found != old->found ? ", and finds something else" : "");
}

void stress_close_old(struct stress_old *old)
{
    if (old->snapshot == NULL)
        return;
    stress_check_old(old);
    stress_one_version(old->snapshot, old->object);
    rcuinfo_snapshot_close(old->snapshot);
    old->snapshot = NULL;
}

void stress_gone(rcuinfo_t info)
{
    const char *key = stress.key_names[stress_counter_key()];
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_t copy = info;
    uint64_t version;
    char value[RCUINFO_MAX_VALUE];
    int number;

    if (rcuinfo_get(info, key, RCUINFO_MAX_VALUE - 1, value, &number) != RCUINFO_ERR_INFO ||
        rcuinfo_get_nkeys(info, &number) != RCUINFO_ERR_INFO ||
        rcuinfo_current_version(info, &version) != RCUINFO_ERR_INFO ||
        rcuinfo_snapshot_open(info, &snapshot) != RCUINFO_ERR_INFO || rcuinfo_dup(info, &copy) != RCUINFO_ERR_INFO ||
        rcuinfo_set(info, key, "x") != RCUINFO_ERR_INFO || rcuinfo_delete(info, key) != RCUINFO_ERR_INFO ||
        rcuinfo_free(&info) != RCUINFO_ERR_INFO)
        stress_violation("a freed handle answers: %#llx", (unsigned long long)info);
}
