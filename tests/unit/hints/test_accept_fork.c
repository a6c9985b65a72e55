/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hint set of two numbers that are always set together, to the same number. If accept forks, with the set's lock,
 * both processes return from it, and can read and set hints. hints.histories tests what threads read while others set,
 * concurrent.no_syscall that readers do not wait, and concurrent.fork_append a fork beside a thread that sets hints.
 */
#include <unistd.h>

#include <rcuinfo/rcuinfo.h>

#include "support/objects.h"
#include "support/spawn.h"

enum { FIRST, SECOND, ROWS };

static const rcuinfo_hint_t rows[ROWS] = {{.key = "first", .type = RCUINFO_TYPE_INT, .initial = "0"},
                                          {.key = "second", .type = RCUINFO_TYPE_INT, .initial = "0"}};

static rcuinfo_schema_t *schema;
static rcuinfo_hint_set_t *both;

static void make(rcuinfo_hint_accept_t *accept)
{
    CHECK_OK(rcuinfo_hint_set_create(schema, RCUINFO_NULL, accept, NULL, &both));
}

/* Sets both hints to `number`, by an info that has `row` first. */
static void set(long number, long row)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%ld", number);
    rcuinfo_t info = OBJECT(rows[row].key, text, rows[!row].key, text);
    CHECK_OK(rcuinfo_hint_set_merge(both, info));
    object_free(info);
}

static long read_number(size_t row)
{
    int64_t number = -1;
    CHECK_OK(rcuinfo_hint_set_read(both, row, &number));
    return (long)number;
}

/* Checks that every way of reading returns `number`. No other thread may change the set meanwhile. */
static void check(long number)
{
    char text[32];
    size_t length;
    rcuinfo_t info;
    CHECK_OK(rcuinfo_hint_set_get_info(both, &info));
    CHECK(object_count(info) == ROWS);
    for (size_t row = 0; row < ROWS; row++) {
        int64_t got = -1;
        CHECK_OK(rcuinfo_get_int64(info, rows[row].key, &got, NULL));
        CHECK_OK(rcuinfo_hint_set_read_string(both, row, text, sizeof text, &length));
        CHECK(got == number && read_number(row) == number && strtol(text, NULL, 10) == number);
    }
    object_free(info);
}

static void end(void)
{
    rcuinfo_hint_set_free(&both);
    CHECK(!both);
    CHECK(rcuinfo_store_drain() == 0);
}

/* What a child does: it uses the set, frees it and creates another one. */
static _Noreturn void live_on(void)
{
    long number = read_number(FIRST);
    check(number);
    for (int i = 1; i <= 20; i++) {
        set(number + i, FIRST);
        check(number + i);
    }
    rcuinfo_hint_set_free(&both);
    make(NULL);
    set(7, FIRST);
    check(7);
    end();
    _exit(0);
}

static pid_t forked;

static int fork_in_accept(void *context, size_t row, const char *value, int64_t number, int creating)
{
    (void)context, (void)value, (void)creating;
    if (row == 0 && number == 1) {
        forked = fork();
        CHECK(forked >= 0);
    }
    return 1;
}

/* Both processes return from accept, and from the set. */
int main(void)
{
    CHECK_OK(rcuinfo_schema_create(NULL, rows, ROWS, &schema, NULL));
    make(fork_in_accept);
    set(1, FIRST);
    check(1);
    if (forked == 0)
        live_on();
    spawn_wait(forked, "child of accept");
    set(2, FIRST);
    check(2);
    end();
    rcuinfo_schema_free(&schema);
    return 0;
}
