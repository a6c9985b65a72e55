/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * load: what the lines of a hint file say, what is wrong with one and where, and how long a line and a file may be.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"

static FILE *file_of(const char *text, size_t size)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    rewind(file);
    return file;
}

static rcuinfo_status_t load(const char *text, size_t size, rcuinfo_t *info, rcuinfo_fault_t *fault)
{
    FILE *file = file_of(text, size);
    errno = 1234;
    rcuinfo_status_t status = rcuinfo_load(file, info, fault);
    assert_int_equal(errno, 1234);
    (void)fclose(file);
    return status;
}

struct pair {
    const char *key;
    const char *value;
};

static void check_loads(const char *text, size_t size, const struct pair *pairs, size_t n, int line)
{
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_fault_t fault = {.what = "untouched"};
    rcuinfo_t info;
    rcuinfo_pair_t pair;
    int wrong = load(text, size, &info, &fault) != RCUINFO_SUCCESS;
    if (wrong || strcmp(fault.what, "untouched") != 0)
        fail_msg("line %d: %s, at %zu of line %zu", line, fault.what, fault.offset, fault.line);
    assert_int_equal(rcuinfo_snapshot_open(info, &snapshot), RCUINFO_SUCCESS);
    if (rcuinfo_snapshot_count(snapshot) != n)
        fail_msg("line %d: %zu pairs, not %zu", line, rcuinfo_snapshot_count(snapshot), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(rcuinfo_snapshot_nth(snapshot, i, &pair), RCUINFO_SUCCESS);
        if (strcmp(pair.key, pairs[i].key) != 0 || strcmp(pair.value, pairs[i].value) != 0)
            fail_msg("line %d: pair %zu is \"%s\" \"%s\"", line, i, pair.key, pair.value);
    }
    rcuinfo_snapshot_close(snapshot);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
}

#define PAIRS(...) ((const struct pair[]){__VA_ARGS__})
#define assert_loads(text, ...)                                                                                        \
    check_loads(text, sizeof(text) - 1, PAIRS(__VA_ARGS__), sizeof(PAIRS(__VA_ARGS__)) / sizeof(struct pair), __LINE__)
#define assert_nothing(text) check_loads(text, sizeof(text) - 1, NULL, 0, __LINE__)

static void lines(void **state)
{
    (void)state;
    assert_nothing("");
    assert_nothing("\n\n  \n\t\r\n \t \n\r\n");
    assert_nothing("# a comment\n  # another\n#\n\t#x");
    assert_loads("cb_nodes 4\nstriping_unit   1048576\n", {"cb_nodes", "4"}, {"striping_unit", "1048576"});
    assert_loads("key value", {"key", "value"});
    assert_loads("key", {"key", ""});
    assert_loads("key\n", {"key", ""});
    assert_loads("key   \t\n", {"key", ""});
    assert_loads("\t key \t value \t\n", {"key", "value"});
    assert_loads("key a  b\tc\n", {"key", "a  b\tc"});
    assert_loads("key value # no comment\n", {"key", "value # no comment"});
    assert_loads("key # \n", {"key", "#"});
    assert_loads("a#b c\n", {"a#b", "c"});
    assert_loads("=\"\\ '\n", {"=\"\\", "'"});
    assert_loads("\x01\x7f\xff \x80\v\f\n", {"\x01\x7f\xff", "\x80\v\f"});
}

static void carriage_returns(void **state)
{
    (void)state;
    assert_loads("key value\r\nother\r\n", {"key", "value"}, {"other", ""});
    assert_loads("key value \r\n", {"key", "value"});
    /* Elsewhere than before a newline they are bytes like any. */
    assert_loads("key value\r", {"key", "value\r"});
    assert_loads("key value\r\r\n", {"key", "value\r"});
    assert_loads("key value\r \n", {"key", "value\r"});
    assert_loads("a\rb \rc\rd\n", {"a\rb", "\rc\rd"});
}

static void overrides_keep_their_place(void **state)
{
    (void)state;
    assert_loads("a 1\nb 2\na 3\nc\nb 4\n", {"a", "3"}, {"b", "4"}, {"c", ""});
}

static rcuinfo_fault_t fault_of(const char *text, size_t size)
{
    rcuinfo_fault_t fault = {.what = NULL};
    rcuinfo_stats_t before, after;
    rcuinfo_t info = 77;
    rcuinfo_store_stats(&before);
    assert_int_equal(load(text, size, &info, &fault), RCUINFO_ERR_FORMAT);
    rcuinfo_store_stats(&after);
    assert_int_equal(info, RCUINFO_NULL);
    assert_int_equal(after.live, before.live);
    info = 77;
    assert_int_equal(load(text, size, &info, NULL), RCUINFO_ERR_FORMAT);
    assert_int_equal(info, RCUINFO_NULL);
    return fault;
}

#define assert_fault(text, size, sentence, at_line, at)                                                                \
    do {                                                                                                               \
        rcuinfo_fault_t got = fault_of(text, size);                                                                    \
        assert_string_equal(got.what, sentence);                                                                       \
        assert_int_equal(got.line, at_line);                                                                           \
        assert_int_equal(got.offset, at);                                                                              \
    } while (0)

static const char nul[] = "a NUL byte", key_long[] = "a key of more than 255 bytes",
                  value_long[] = "a value of more than 1023 bytes";

static void nuls(void **state)
{
    (void)state;
    assert_fault("a b\n\nk\0y v\n", 10, nul, 3, 1);
    assert_fault("key v\0\n", 7, nul, 1, 5);
    assert_fault("\0\n", 2, nul, 1, 0);
    assert_fault("# c\nk v\n  \t k v\0", 16, nul, 3, 7);
    assert_fault("ok 1\r\n \0", 8, nul, 2, 1);
}

/* Sections and imposed pairs are of files of rules. A line that is bad as one is said to be that. */
static void brackets(void **state)
{
    static const char bracket[] = "a section or an imposed pair: only for rcuinfo run --hints, not for an info";
    (void)state;
    assert_fault("[file]\n", 7, bracket, 1, 0);
    assert_fault("a 1\n\n \t[file *.h5]\r\n", 20, bracket, 3, 2);
    assert_fault("[door]", 6, bracket, 1, 0);
    assert_fault("[impose] a 1\n", 13, bracket, 1, 0);
    assert_fault("  [impose]a\n", 12, bracket, 1, 2);
    assert_fault("[a 1\n", 5, "a section that does not end with ]", 1, 4);
    assert_fault("[]\n", 3, "a section without a name", 1, 0);
    assert_fault(" [impose] \n", 11, "no pair behind [impose]", 1, 9);
    assert_fault("[file \0]\n", 9, nul, 1, 6);
    assert_loads("a[ [b]\n][ [\n", {"a[", "[b]"}, {"][", "["});
}

/* A line put together: blanks, a key, blanks, a value, blanks and an end. */
struct line {
    size_t before;
    size_t key;
    size_t between;
    size_t value;
    size_t behind;
    const char *end;
};

static char *line_make(const struct line *l, size_t *size)
{
    *size = l->before + l->key + l->between + l->value + l->behind + strlen(l->end);
    char *text = malloc(*size + 1), *at = text;
    assert_non_null(text);
    memset(at, ' ', l->before);
    memset(at += l->before, 'k', l->key);
    memset(at += l->key, '\t', l->between);
    memset(at += l->between, 'v', l->value);
    memset(at += l->value, ' ', l->behind);
    memcpy(at + l->behind, l->end, strlen(l->end) + 1);
    return text;
}

static const size_t many[] = {0, 1, 1022, 1023, 1024, 1025, 2047, 5000, 20000};
enum { MANY = sizeof many / sizeof many[0] };

/* Lines of any length are read, as long as key and value are not too long; and else it is said where they begin. */
static void long_lines(void **state)
{
    static const char *const ends[] = {"", "\n", "\r\n"};
    char key[RCUINFO_MAX_KEY], value[RCUINFO_MAX_VALUE];
    (void)state;
    memset(key, 'k', sizeof key);
    memset(value, 'v', sizeof value);
    key[sizeof key - 1] = value[sizeof value - 1] = '\0';
    for (size_t i = 0; i < MANY * MANY * MANY; i += TEST_SCALE) {
        struct line l = {many[i % MANY], 255, many[i / MANY % MANY], 1023, many[i / MANY / MANY], ends[i % 3]};
        size_t size;
        if (!l.between)
            l.value = 0;
        char *text = line_make(&l, &size);
        check_loads(text, size, &(struct pair){key, l.value ? value : ""}, 1, __LINE__);
        free(text);
        l.value = 1024 + i % 2 * 5000;
        text = line_make(&l, &size);
        if (l.between)
            assert_fault(text, size, value_long, 1, l.before + l.key + l.between);
        else
            assert_fault(text, size, key_long, 1, l.before);
        free(text);
        l.key = 256 + i % 2 * 10000;
        text = line_make(&l, &size);
        assert_fault(text, size, key_long, 1, l.before);
        free(text);
    }
}

/* Blanks inside of a value count, all of them; and a NUL behind many is where it is. */
static void blanks_inside(void **state)
{
    static char text[400000];
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        size_t size = (size_t)snprintf(text, sizeof text, "%*skey%*sa%*sb%*s\n", (int)many[i], "", 3, "", (int)many[i],
                                       "", (int)many[i], "");
        if (many[i] + 2 < RCUINFO_MAX_VALUE) {
            rcuinfo_t info;
            int length, flag;
            assert_int_equal(load(text, size, &info, NULL), RCUINFO_SUCCESS);
            assert_int_equal(rcuinfo_get_valuelen(info, "key", &length, &flag), RCUINFO_SUCCESS);
            assert_int_equal(length, many[i] + 2);
            assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
        } else {
            assert_fault(text, size, value_long, 1, many[i] + 6);
        }
        size = (size_t)snprintf(text, sizeof text, "x y\n%*skey%*sa?\n", (int)many[i], "", (int)many[i] + 1, "");
        size_t at = 2 * many[i] + 5;
        text[4 + at] = '\0';
        assert_fault(text, size, nul, 2, at);
    }
}

static void long_comments(void **state)
{
    size_t size = 200000;
    char *text = malloc(size);
    (void)state;
    assert_non_null(text);
    memset(text, 'c', size);
    memcpy(text, "a 1\n", 4);
    memset(text + 4, ' ', 9000);
    text[9000] = '#';
    memcpy(text + size - 4, "\nb 2", 4);
    check_loads(text, size, PAIRS({"a", "1"}, {"b", "2"}), 2, __LINE__);
    free(text);
}

/* As many pairs as make the object large, in several batches; some again, so that they are overridden. */
static void many_pairs(void **state)
{
    enum { KEYS = SCALED(20000) };
    char key[32], value[32];
    FILE *file = tmpfile();
    rcuinfo_t info;
    int nkeys, flag;
    (void)state;
    assert_non_null(file);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < KEYS; i += 1 + round)
            assert_true(fprintf(file, "key%d %d value\n", i, i + round) > 0);
    }
    rewind(file);
    assert_int_equal(rcuinfo_load(file, &info, NULL), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_get_nkeys(info, &nkeys), RCUINFO_SUCCESS);
    assert_int_equal(nkeys, KEYS);
    for (int i = 0; i < KEYS; i++) {
        char expected[32];
        (void)snprintf(expected, sizeof expected, "key%d", i);
        assert_int_equal(rcuinfo_get_nthkey(info, i, key), RCUINFO_SUCCESS);
        assert_string_equal(key, expected);
        (void)snprintf(expected, sizeof expected, "%d value", i + (i % 2 == 0));
        assert_int_equal(rcuinfo_get(info, key, 31, value, &flag), RCUINFO_SUCCESS);
        assert_string_equal(value, expected);
    }
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    (void)fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(carriage_returns),
        cmocka_unit_test(overrides_keep_their_place),
        cmocka_unit_test(nuls),
        cmocka_unit_test(brackets),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(blanks_inside),
        cmocka_unit_test(long_comments),
        cmocka_unit_test(many_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
