/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One call sees one version, whatever the buffer's size: the prefix that a cut get gives is that of one value, the size
 * that get_string says is that of the value it has cut, and both lengths of a pair in a snapshot fit. Long and short
 * values take turns.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"
#include "support/threads.h"

enum { READERS = 3, WRITES = SCALED(900000), READS = SCALED(1000000) };

/* Every value is one letter repeated; the letter tells the length. */
static const int lengths[] = {0, 1, 7, 8, 33, 127, 128, 129, 500, 1023};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static rcuinfo_t info;
static atomic_uint met; /* a bit for each length that some reader met */

static void write_on(void)
{
    char value[RCUINFO_MAX_VALUE];
    for (unsigned long i = 0; i < WRITES; i++) {
        unsigned which = (unsigned)(i * 7 % LENGTHS);
        memset(value, 'a' + (int)which, sizeof value);
        value[lengths[which]] = '\0';
        CHECK_OK(rcuinfo_set(info, "key", value));
    }
}

/* The text must be `shown` bytes of the value that has `length` bytes. */
static void check_text(const char *text, size_t shown, size_t length)
{
    for (unsigned which = 0; which < LENGTHS; which++) {
        if (lengths[which] != (int)length)
            continue;
        CHECKF(strlen(text) == shown, "%zu bytes of %zu: \"%s\"", shown, length, text);
        for (size_t i = 0; i < shown; i++)
            CHECKF(text[i] == 'a' + (int)which, "mixed: \"%s\"", text);
        atomic_fetch_or_explicit(&met, 1u << which, memory_order_relaxed);
        return;
    }
    CHECKF(0, "no value has %zu bytes", length);
}

static void read_on(void)
{
    for (unsigned long i = 0; i < READS; i++) {
        char text[RCUINFO_MAX_VALUE];
        int flag = 0, valuelen = (int)(i * 31 % RCUINFO_MAX_VALUE), size = valuelen + 1;
        size_t length;
        CHECK_OK(rcuinfo_get_string(info, "key", &size, text, &flag));
        CHECK(flag == 1 && size >= 1);
        length = (size_t)size - 1;
        check_text(text, length < (size_t)valuelen ? length : (size_t)valuelen, length);
        CHECK_OK(rcuinfo_get(info, "key", valuelen, text, &flag));
        CHECK(flag == 1);
        length = strlen(text);
        CHECK(length <= (size_t)valuelen);
        if (length > 0) {
            size_t whole = (size_t)lengths[text[0] - 'a'];
            check_text(text, whole < (size_t)valuelen ? whole : (size_t)valuelen, whole);
        }
        CHECK_OK(rcuinfo_get_valuelen(info, "key", &size, &flag));
        CHECK(flag == 1 && size >= 0 && size < RCUINFO_MAX_VALUE);
    }
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index == 0)
        write_on();
    else
        read_on();
}

int main(void)
{
    CHECK_OK(rcuinfo_create(&info));
    CHECK_OK(rcuinfo_set(info, "key", ""));
    team_run(1 + READERS, body, NULL);
    CHECKF(__builtin_popcount(atomic_load(&met)) > 1, "readers met one value only");
    CHECK_OK(rcuinfo_free(&info));
    return 0;
}
