/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * load: what the lines of a hint file say, what is wrong with one and where, and how long a line and a file may be.
 */
#include <rcuinfo/rcuinfo.h>

#include "pack/files.h"
#include "support/scale.h"

static rcuinfo_status_t load(const char *text, size_t size, rcuinfo_t *info, rcuinfo_fault_t *fault)
{
    FILE *file = files_of(text, size);
    errno = 1234;
    rcuinfo_status_t status = rcuinfo_load(file, info, fault);
    CHECK_EQUAL(errno, 1234);
    (void)fclose(file);
    return status;
}

static void check_loads(const char *text, size_t size, const rcuinfo_change_t *pairs, size_t n)
{
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_fault_t fault = {.what = "untouched"};
    rcuinfo_t info;
    rcuinfo_pair_t pair;
    CHECKF(load(text, size, &info, &fault) == RCUINFO_SUCCESS && strcmp(fault.what, "untouched") == 0,
           "%s, at %zu of line %zu of \"%s\"", fault.what, fault.offset, fault.line, text);
    CHECK_OK(rcuinfo_snapshot_open(info, &snapshot));
    CHECKF(rcuinfo_snapshot_count(snapshot) == n, "%zu pairs in \"%s\"", rcuinfo_snapshot_count(snapshot), text);
    for (size_t i = 0; i < n; i++) {
        CHECK_OK(rcuinfo_snapshot_nth(snapshot, i, &pair));
        CHECKF(strcmp(pair.key, pairs[i].key) == 0 && strcmp(pair.value, pairs[i].value) == 0,
               "pair %zu of \"%s\" is \"%s\" \"%s\"", i, text, pair.key, pair.value);
    }
    rcuinfo_snapshot_close(snapshot);
    CHECK_OK(rcuinfo_free(&info));
}

#define PAIRS(...) ((const rcuinfo_change_t[]){__VA_ARGS__})
#define CHECK_LOADS(text, ...)                                                                                         \
    check_loads(text, sizeof(text) - 1, PAIRS(__VA_ARGS__), sizeof(PAIRS(__VA_ARGS__)) / sizeof(rcuinfo_change_t))
#define CHECK_NOTHING(text) check_loads(text, sizeof(text) - 1, NULL, 0)

static void lines(void)
{
    CHECK_NOTHING("");
    CHECK_NOTHING("\n\n  \n\t\r\n \t \n\r\n");
    CHECK_NOTHING("# a comment\n  # another\n#\n\t#x");
    CHECK_LOADS("cb_nodes 4\nstriping_unit   1048576\n", {"cb_nodes", "4"}, {"striping_unit", "1048576"});
    CHECK_LOADS("key value", {"key", "value"});
    CHECK_LOADS("key", {"key", ""});
    CHECK_LOADS("key\n", {"key", ""});
    CHECK_LOADS("key   \t\n", {"key", ""});
    CHECK_LOADS("\t key \t value \t\n", {"key", "value"});
    CHECK_LOADS("key a  b\tc\n", {"key", "a  b\tc"});
    CHECK_LOADS("key value # no comment\n", {"key", "value # no comment"});
    CHECK_LOADS("key # \n", {"key", "#"});
    CHECK_LOADS("a#b c\n", {"a#b", "c"});
    CHECK_LOADS("=\"\\ '\n", {"=\"\\", "'"});
    CHECK_LOADS("\x01\x7f\xff \x80\v\f\n", {"\x01\x7f\xff", "\x80\v\f"});
}

static void carriage_returns(void)
{
    CHECK_LOADS("key value\r\nother\r\n", {"key", "value"}, {"other", ""});
    CHECK_LOADS("key value \r\n", {"key", "value"});
    /* Elsewhere than before a newline they are bytes like any. */
    CHECK_LOADS("key value\r", {"key", "value\r"});
    CHECK_LOADS("key value\r\r\n", {"key", "value\r"});
    CHECK_LOADS("key value\r \n", {"key", "value\r"});
    CHECK_LOADS("a\rb \rc\rd\n", {"a\rb", "\rc\rd"});
}

static void overrides_keep_their_place(void)
{
    CHECK_LOADS("a 1\nb 2\na 3\nc\nb 4\n", {"a", "3"}, {"b", "4"}, {"c", ""});
}

static rcuinfo_fault_t fault_of(const char *text, size_t size)
{
    rcuinfo_fault_t fault = {.what = NULL};
    rcuinfo_stats_t before, after;
    rcuinfo_t info = 77;
    rcuinfo_store_stats(&before);
    CHECK_STATUS(load(text, size, &info, &fault), RCUINFO_ERR_FORMAT);
    rcuinfo_store_stats(&after);
    CHECK_EQUAL(info, RCUINFO_NULL);
    CHECK_EQUAL(after.live, before.live);
    info = 77;
    CHECK_STATUS(load(text, size, &info, NULL), RCUINFO_ERR_FORMAT);
    CHECK_EQUAL(info, RCUINFO_NULL);
    return fault;
}

#define CHECK_FAULT(text, size, sentence, at_line, at)                                                                 \
    do {                                                                                                               \
        rcuinfo_fault_t got = fault_of(text, size);                                                                    \
        CHECK_TEXT(got.what, sentence);                                                                                \
        CHECK_EQUAL(got.line, at_line);                                                                                \
        CHECK_EQUAL(got.offset, at);                                                                                   \
    } while (0)

static const char nul[] = "a NUL byte", key_long[] = "a key of more than 255 bytes",
                  value_long[] = "a value of more than 1023 bytes";

static void nuls(void)
{
    CHECK_FAULT("a b\n\nk\0y v\n", 10, nul, 3, 1);
    CHECK_FAULT("key v\0\n", 7, nul, 1, 5);
    CHECK_FAULT("\0\n", 2, nul, 1, 0);
    CHECK_FAULT("# c\nk v\n  \t k v\0", 16, nul, 3, 7);
    CHECK_FAULT("ok 1\r\n \0", 8, nul, 2, 1);
}

/* Sections and imposed pairs are of files of rules. A line that is bad as one is said to be that. */
static void brackets(void)
{
    static const char bracket[] = "a section or an imposed pair: only for rcuinfo run --hints, not for an info";
    CHECK_FAULT("[file]\n", 7, bracket, 1, 0);
    CHECK_FAULT("a 1\n\n \t[file *.h5]\r\n", 20, bracket, 3, 2);
    CHECK_FAULT("[door]", 6, bracket, 1, 0);
    CHECK_FAULT("[impose] a 1\n", 13, bracket, 1, 0);
    CHECK_FAULT("  [impose]a\n", 12, bracket, 1, 2);
    CHECK_FAULT("[a 1\n", 5, "a section that does not end with ]", 1, 4);
    CHECK_FAULT("[]\n", 3, "a section without a name", 1, 0);
    CHECK_FAULT(" [impose] \n", 11, "no pair behind [impose]", 1, 9);
    CHECK_FAULT("[file \0]\n", 9, nul, 1, 6);
    CHECK_LOADS("a[ [b]\n][ [\n", {"a[", "[b]"}, {"][", "["});
}

static const size_t many[] = {0, 1, 1022, 1023, 1024, 1025, 2047, 5000, 20000};
enum { MANY = sizeof many / sizeof many[0] };

/* Lines of any length are read, as long as key and value are not too long; and else it is said where they begin. */
static void long_lines(void)
{
    static const char *const ends[] = {"", "\n", "\r\n"};
    char key[RCUINFO_MAX_KEY], value[RCUINFO_MAX_VALUE];
    (void)strcpy(key, files_run('k', sizeof key - 1));
    (void)strcpy(value, files_run('v', sizeof value - 1));
    for (size_t i = 0; i < MANY * MANY * MANY; i += TEST_SCALE) {
        size_t before = many[i % MANY], between = many[i / MANY % MANY], behind = many[i / MANY / MANY];
        size_t keys[] = {255, 255, 256 + i % 2 * 10000};
        size_t values[] = {between ? 1023 : 0, 1024 + i % 2 * 5000, 1024 + i % 2 * 5000};
        for (int n = 0; n < 3; n++) {
            char *text;
            int size = asprintf(&text, "%*s%s%s%s%*s%s", (int)before, "", files_run('k', keys[n]),
                                files_run('\t', between), files_run('v', values[n]), (int)behind, "", ends[i % 3]);
            CHECK(size > 0);
            if (n == 0)
                check_loads(text, (size_t)size, &(rcuinfo_change_t){key, between ? value : ""}, 1);
            else if (n == 1 && between)
                CHECK_FAULT(text, (size_t)size, value_long, 1, before + keys[n] + between);
            else
                CHECK_FAULT(text, (size_t)size, key_long, 1, before);
            free(text);
        }
    }
}

/* Blanks inside of a value count, all of them; and a NUL behind many is where it is. */
static void blanks_inside(void)
{
    static char text[400000];
    for (size_t i = 0; i < MANY; i++) {
        size_t size = (size_t)snprintf(text, sizeof text, "%*skey%*sa%*sb%*s\n", (int)many[i], "", 3, "", (int)many[i],
                                       "", (int)many[i], "");
        if (many[i] + 2 < RCUINFO_MAX_VALUE) {
            rcuinfo_t info;
            int length, flag;
            CHECK_OK(load(text, size, &info, NULL));
            CHECK_OK(rcuinfo_get_valuelen(info, "key", &length, &flag));
            CHECK_EQUAL(length, many[i] + 2);
            CHECK_OK(rcuinfo_free(&info));
        } else {
            CHECK_FAULT(text, size, value_long, 1, many[i] + 6);
        }
        size = (size_t)snprintf(text, sizeof text, "x y\n%*skey%*sa?\n", (int)many[i], "", (int)many[i] + 1, "");
        size_t at = 2 * many[i] + 5;
        text[4 + at] = '\0';
        CHECK_FAULT(text, size, nul, 2, at);
    }
}

static void long_comments(void)
{
    size_t size = 200000;
    char *text = malloc(size);
    CHECK(text);
    memset(text, 'c', size);
    memcpy(text, "a 1\n", 4);
    memset(text + 4, ' ', 9000);
    text[9000] = '#';
    memcpy(text + size - 4, "\nb 2", 4);
    check_loads(text, size, PAIRS({"a", "1"}, {"b", "2"}), 2);
    free(text);
}

/* As many pairs as make the object large, in several batches; some again, so that they are overridden. */
static void many_pairs(void)
{
    enum { KEYS = SCALED(20000) };
    char key[32], value[32];
    FILE *file = tmpfile();
    rcuinfo_t info;
    int nkeys, flag;
    CHECK(file);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < KEYS; i += 1 + round)
            CHECK(fprintf(file, "key%d %d value\n", i, i + round) > 0);
    }
    rewind(file);
    CHECK_OK(rcuinfo_load(file, &info, NULL));
    CHECK_OK(rcuinfo_get_nkeys(info, &nkeys));
    CHECK_EQUAL(nkeys, KEYS);
    for (int i = 0; i < KEYS; i++) {
        char expected[32];
        (void)snprintf(expected, sizeof expected, "key%d", i);
        CHECK_OK(rcuinfo_get_nthkey(info, i, key));
        CHECK_TEXT(key, expected);
        (void)snprintf(expected, sizeof expected, "%d value", i + (i % 2 == 0));
        CHECK_OK(rcuinfo_get(info, key, 31, value, &flag));
        CHECK_TEXT(value, expected);
    }
    CHECK_OK(rcuinfo_free(&info));
    (void)fclose(file);
}

int main(void)
{
    lines();
    carriage_returns();
    overrides_keep_their_place();
    nuls();
    brackets();
    long_lines();
    blanks_inside();
    long_comments();
    many_pairs();
    return 0;
}
