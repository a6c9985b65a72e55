/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of rules: what their lines say, what is wrong with one and where, which rules count for a call and in which
 * order; files that fail, and memory that does. White box: linked with the objects of the library, whose allocator can
 * be told to fail, and whose blocks are counted.
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

#include "core/alloc.h"
#include "pack/rules.h"

/* Blocks of malloc that are in use, of those that this program has asked for itself. */
static long blocks;

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void __real_free(void *memory);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t bytes)
{
    void *memory = __real_malloc(bytes);
    blocks += memory != NULL;
    return memory;
}

void __wrap_free(void *memory)
{
    blocks -= memory != NULL;
    __real_free(memory);
}

static rcuinfo_status_t load(const char *text, size_t size, struct rcuinfo__rules **rules, rcuinfo_fault_t *fault)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    rewind(file);
    *rules = (struct rcuinfo__rules *)-1;
    errno = 1234;
    rcuinfo_status_t status = rcuinfo__rules_load(file, rules, fault);
    assert_int_equal(errno, 1234);
    (void)fclose(file);
    return status;
}

static struct rcuinfo__rules *loaded(const char *text, size_t size, int line)
{
    struct rcuinfo__rules *rules;
    rcuinfo_fault_t fault = {.what = "no fault"};
    if (load(text, size, &rules, &fault) != RCUINFO_SUCCESS)
        fail_msg("line %d: %s, at %zu of line %zu", line, fault.what, fault.offset, fault.line);
    assert_non_null(rules);
    return rules;
}

/* The rules that count for a call, as "LINE:KEY=VALUE;" each, with a `!` in front of a key that is imposed. */
static void check_rules(const char *text, size_t size, rcuinfo_hint_object_t object, const char *name,
                        const char *expected, int line)
{
    char found[4096] = "";
    long before = blocks;
    struct rcuinfo__rules *rules = loaded(text, size, line);
    const struct rcuinfo__rule *rule = NULL;
    while ((rule = rcuinfo__rules_next(rules, rule, object, name))) {
        size_t used = strlen(found);
        (void)snprintf(found + used, sizeof found - used, "%zu:%s%s=%s;", rule->line, rule->imposed ? "!" : "",
                       rule->key, rule->value);
    }
    rcuinfo__rules_free(rules);
    if (strcmp(found, expected) != 0)
        fail_msg("line %d: \"%s\", not \"%s\"", line, found, expected);
    assert_int_equal(blocks, before);
}

#define assert_rules(text, object, name, expected)                                                                     \
    check_rules(text, sizeof(text) - 1, RCUINFO_HINT_##object, name, expected, __LINE__)

static void lines(void **state)
{
    (void)state;
    assert_rules("", FILE, "f", "");
    assert_rules("\n# [file]\n \t\r\n", FILE, "f", "");
    assert_rules("a 1\n\n b\t2  \n", FILE, "f", "1:a=1;3:b=2;");
    assert_rules("a\nb \n[impose] c\n", WINDOW, NULL, "1:a=;2:b=;3:!c=;");
    assert_rules("key value # no comment [file]", WINDOW, NULL, "1:key=value # no comment [file];");
    assert_rules("a 1\r\n[file]\r\nb 2\r\n [impose]\tc 3 \r\n", FILE, NULL, "1:a=1;3:b=2;4:!c=3;");
    assert_rules("]a 1\na[ [b]\n", PORT, NULL, "1:]a=1;2:a[=[b];");
}

static void sections(void **state)
{
    (void)state;
    assert_rules("[file]\na 1", FILE, "f", "2:a=1;");
    assert_rules(" \t[ \tfile\t ]\t \na 1", FILE, NULL, "2:a=1;");
    assert_rules("[file]", FILE, NULL, "");
    assert_rules("a 1\n[window]\nb 2\n[file]\nc 3\n[window]\nd 4\n", WINDOW, NULL, "1:a=1;3:b=2;7:d=4;");
    assert_rules("a 1\n[window]\nb 2\n[file]\nc 3\n[window]\nd 4\n", FILE, NULL, "1:a=1;5:c=3;");
    assert_rules("a 1\n[window]\nb 2\n[file]\nc 3\n[window]\nd 4\n", OBJECTS, NULL, "1:a=1;");
    assert_rules("[window]\nw 1\n[communicator]\nc 2\n[file]\nf 3\n[session]\ns 4\n", SESSION, NULL, "8:s=4;");
    assert_rules("[spawn]\nsp 1\n[port]\np 2\n[alloc_mem]\na 3\n[split_type]\nsplit 4\n", SPAWN, "x", "2:sp=1;");
    assert_rules("[spawn]\nsp 1\n[port]\np 2\n[alloc_mem]\na 3\n[split_type]\nsplit 4\n", PORT, "x", "4:p=2;");
    assert_rules("[spawn]\nsp 1\n[port]\np 2\n[alloc_mem]\na 3\n[split_type]\ns 4\n", ALLOC_MEM, NULL, "6:a=3;");
    assert_rules("[spawn]\nsp 1\n[port]\np 2\n[alloc_mem]\na 3\n[split_type]\ns 4\n", SPLIT_TYPE, NULL, "8:s=4;");
    assert_rules("[communicator]\nc 1\n", COMMUNICATOR, NULL, "2:c=1;");
}

static void patterns(void **state)
{
    (void)state;
    assert_rules("[file *.h5]\na 1", FILE, "x.h5", "2:a=1;");
    assert_rules("[file *.h5]\na 1", FILE, "/a folder/.b/x.h5", "2:a=1;");
    assert_rules("[file *.h5]\na 1", FILE, "x.h5~", "");
    assert_rules("[file *.h5]\na 1", FILE, "", "");
    assert_rules("[file *]\na 1", FILE, "", "2:a=1;");
    assert_rules("[ file  \t two  words ]\na 1", FILE, "two  words", "2:a=1;");
    assert_rules("[file a[0-9].h5]\na 1", FILE, "a7.h5", "2:a=1;");
    assert_rules("[file a[0-9].h5]\na 1", FILE, "a[0-9].h5", "");
    assert_rules("[file [ab]]\na 1", FILE, "b", "2:a=1;");
    assert_rules("[file []]]\na 1", FILE, "]", "2:a=1;");
    assert_rules("[file [ab] ]\na 1", FILE, "a", "2:a=1;");
    assert_rules("[file \\*]\na 1", FILE, "*", "2:a=1;");
    assert_rules("[file \\*]\na 1", FILE, "x", "");
    assert_rules("[spawn ?]\na 1\n[port ?]\nb 2", SPAWN, "x", "2:a=1;");
    assert_rules("[spawn ?]\na 1\n[port ?]\nb 2", PORT, "x", "4:b=2;");
    /* Who has no name has none that matches, and a pattern ends with its section. */
    assert_rules("[file *]\na 1\n[file]\nb 2", FILE, NULL, "4:b=2;");
    assert_rules("[file x]\na 1\n[file y]\nb 2\n[file]\nc 3", FILE, "y", "4:b=2;6:c=3;");
}

/* A pattern goes before none, an object before all, and what is later before what is earlier. */
static void precedence(void **state)
{
    (void)state;
    assert_rules("a 1\na 2\na 3\n", FILE, "x", "3:a=3;");
    assert_rules("[file]\na 1\n[window]\na 2\n[file]\na 3\n", FILE, "x", "6:a=3;");
    assert_rules("[file *]\na 1\n[file x]\na 2\n", FILE, "x", "4:a=2;");
    assert_rules("[file x]\na 1\n[file *]\na 2\n", FILE, "x", "4:a=2;");
    assert_rules("[file x]\na 1\n[file]\na 2\n", FILE, "x", "2:a=1;");
    assert_rules("[file x]\na 1\n[file]\na 2\n", FILE, "y", "4:a=2;");
    assert_rules("[file x]\na 1\n[file]\na 2\n", FILE, NULL, "4:a=2;");
    assert_rules("a 1\n[file]\na 2\n[file x]\na 3\n", FILE, "x", "5:a=3;");
    assert_rules("a 1\n[file]\na 2\n[file x]\na 3\n", FILE, "y", "3:a=2;");
    assert_rules("a 1\n[file]\na 2\n[file x]\na 3\n", WINDOW, NULL, "1:a=1;");
    assert_rules("a 1\n[file]\na 2\n", OBJECTS, NULL, "1:a=1;");
    /* That it is imposed makes a rule go before none. */
    assert_rules("[impose] a 1\na 2\n", FILE, "x", "2:a=2;");
    assert_rules("a 1\n[impose] a 2\n", FILE, "x", "2:!a=2;");
    assert_rules("[impose] a 1\n[file]\na 2\n", FILE, "x", "3:a=2;");
    assert_rules("[file x]\na 1\n[file]\n[impose] a 2\n", FILE, "x", "2:a=1;");
    assert_rules("[file x]\n[impose] a 1\n[file]\na 2\n", FILE, "x", "2:!a=1;");
}

static void order(void **state)
{
    (void)state;
    assert_rules("c 1\nb 2\na 3\nc 4\nd 5\nb 6\n", FILE, NULL, "3:a=3;4:c=4;5:d=5;6:b=6;");
    assert_rules("[file x]\nb 1\n[file]\na 2\nb 3\n[window]\nc 4\n[file *]\nd 5\n", FILE, "x", "2:b=1;4:a=2;9:d=5;");
    /* Keys are compared whole, and case counts. */
    assert_rules("key 1\nkey2 2\nKey 3\nke 4\n", FILE, NULL, "1:key=1;2:key2=2;3:Key=3;4:ke=4;");
}

static void imposed(void **state)
{
    (void)state;
    assert_rules("[impose] a 1", FILE, NULL, "1:!a=1;");
    assert_rules("[impose]a 1", FILE, NULL, "1:!a=1;");
    assert_rules(" [impose] \t a \t 1  2 \nb 2", FILE, NULL, "1:!a=1  2;2:b=2;");
    assert_rules("[impose] ] [", FILE, NULL, "1:!]=[;");
    assert_rules("[impose] [file] x", FILE, NULL, "1:![file]=x;");
    assert_rules("[file]\n[impose] a 1\n[window]\n[impose] a 2", FILE, NULL, "2:!a=1;");
}

static rcuinfo_fault_t fault_of(const char *text, size_t size)
{
    rcuinfo_fault_t fault = {.what = NULL};
    struct rcuinfo__rules *rules;
    long before = blocks;
    assert_int_equal(load(text, size, &rules, &fault), RCUINFO_ERR_FORMAT);
    assert_null(rules);
    assert_int_equal(blocks, before);
    return fault;
}

static void check_fault(const char *text, size_t size, const char *what, size_t line, size_t offset, int at)
{
    rcuinfo_fault_t got = fault_of(text, size);
    if (strcmp(got.what, what) != 0 || got.line != line || got.offset != offset)
        fail_msg("line %d: \"%s\" at %zu of line %zu", at, got.what, got.offset, got.line);
}

#define assert_fault(text, what, line, offset) check_fault(text, sizeof(text) - 1, what, line, offset, __LINE__)

static const char nul[] = "a NUL byte", key_long[] = "a key of more than 255 bytes",
                  value_long[] = "a value of more than 1023 bytes", no_end[] = "a section that does not end with ]",
                  no_name[] = "a section without a name", no_pair[] = "no pair behind [impose]",
                  no_section[] =
                      "no such section: window, communicator, file, session, spawn, port, alloc_mem, split_type",
                  no_pattern[] = "a pattern, but only files, ports and spawns have names";

static void faults(void **state)
{
    (void)state;
    assert_fault("[", no_end, 1, 1);
    assert_fault("a 1\n[file\n", no_end, 2, 5);
    assert_fault("\t[file *.h5  \r\n", no_end, 1, 11);
    assert_fault("[file] x\n", no_end, 1, 8);
    assert_fault("[file] # x\n", no_end, 1, 10);
    assert_fault("[impose\n", no_end, 1, 7);
    assert_fault("[ impose ] a 1\n", no_end, 1, 14);
    assert_fault("[]\n", no_name, 1, 0);
    assert_fault("\n \t[ \t ]\n", no_name, 2, 2);
    assert_fault("[impose]", no_pair, 1, 8);
    assert_fault("a 1\nb 2\n  [impose]  \t\r\n", no_pair, 3, 10);
    assert_fault("[ impose ]\n", no_section, 1, 2);
    assert_fault("[door]\n", no_section, 1, 1);
    assert_fault(" [ File ]\n", no_section, 1, 3);
    assert_fault("[fil]\n", no_section, 1, 1);
    assert_fault("[files]\n", no_section, 1, 1);
    assert_fault("[file]]\n", no_section, 1, 1);
    assert_fault("[[file]]\n", no_section, 1, 1);
    assert_fault("[file*.h5]\n", no_section, 1, 1);
    assert_fault("[door x]\n", no_section, 1, 1);
    /* Objects that no call takes hints for. */
    assert_fault("[init]\n", no_section, 1, 1);
    assert_fault("[process_set]\n", no_section, 1, 1);
    assert_fault("[env]\n", no_section, 1, 1);
    assert_fault("[window *]\n", no_pattern, 1, 8);
    assert_fault("[communicator *]\n", no_pattern, 1, 14);
    assert_fault("[session *]\n", no_pattern, 1, 9);
    assert_fault("[ alloc_mem  * ]\n", no_pattern, 1, 13);
    assert_fault("a 1\n[split_type *]\n", no_pattern, 2, 12);
    /* The first one counts, and what is before it counts for nothing. */
    assert_fault("a 1\n[door]\n[file\n", no_section, 2, 1);
    assert_fault("[file]\n[impose] a 1\n[]\n", no_name, 3, 0);
}

static void nuls(void **state)
{
    (void)state;
    assert_fault("k\0 v\n", nul, 1, 1);
    assert_fault("[fi\0le]\n", nul, 1, 3);
    assert_fault("[\0file]\n", nul, 1, 1);
    assert_fault("[file \0]\n", nul, 1, 6);
    assert_fault("[file a\0b]\n", nul, 1, 7);
    assert_fault("[file a]\0\n", nul, 1, 8);
    assert_fault("[file a]\n\n [impose] k\0\n", nul, 3, 11);
    assert_fault("[impose] k v\0\n", nul, 1, 12);
    assert_fault("[impose]\0k v\n", nul, 1, 8);
    assert_fault("[\0impose] k v\n", nul, 1, 1);
}

/* A line put together: what opens it, a word, what follows that, and what closes it, with blanks around each. */
struct parts {
    const char *open;
    size_t key;
    size_t value;
    const char *close;
    size_t blanks;
};

static char *put_blanks(char *to, size_t blanks)
{
    memset(to, ' ', blanks);
    return to + blanks;
}

static char *make_line(const struct parts *p, size_t *size)
{
    char *text = malloc(5 * p->blanks + p->key + p->value + 20), *at = text;
    assert_non_null(text);
    at = put_blanks(at, p->blanks);
    at = stpcpy(at, p->open);
    at = put_blanks(at, p->blanks);
    memset(at, 'k', p->key);
    at = put_blanks(at + p->key, p->blanks);
    memset(at, 'v', p->value);
    at = put_blanks(at + p->value, p->blanks);
    at = stpcpy(at, p->close);
    at = put_blanks(at, p->blanks);
    *at++ = '\n';
    *size = (size_t)(at - text);
    return text;
}

static void check_long(const struct parts *p, const char *what, size_t offset)
{
    size_t size;
    char *text = make_line(p, &size);
    check_fault(text, size, what, 1, offset, __LINE__);
    free(text);
}

static const size_t many[] = {1, 2, 1022, 1023, 1024, 1025, 2048, 9000};
enum { MANY = sizeof many / sizeof many[0] };

/* However many blanks there are, what is not too long is kept whole, and else it is said where it begins. */
static void long_imposed(void **state)
{
    (void)state;
    for (int i = 0; i < MANY; i++) {
        size_t size, begin = 2 * many[i] + 8;
        char *text = make_line(&(struct parts){"[impose]", 255, 1023, "", many[i]}, &size);
        struct rcuinfo__rules *rules = loaded(text, size, __LINE__);
        const struct rcuinfo__rule *rule = rcuinfo__rules_next(rules, NULL, RCUINFO_HINT_FILE, NULL);
        assert_non_null(rule);
        assert_true(rule->imposed);
        assert_int_equal(strlen(rule->key), 255);
        assert_int_equal(strlen(rule->value), 1023);
        assert_int_equal(rule->value[1022], 'v');
        assert_int_equal(*rule->pattern, '\0');
        rcuinfo__rules_free(rules);
        free(text);
        check_long(&(struct parts){"[impose]", 256, 1, "", many[i]}, key_long, begin);
        check_long(&(struct parts){"[impose]", 20000, 20000, "", many[i]}, key_long, begin);
        check_long(&(struct parts){"[impose]", 255, 1024, "", many[i]}, value_long, begin + 255 + many[i]);
        check_long(&(struct parts){"[impose]", 1, 20000, "", many[i]}, value_long, begin + 1 + many[i]);
    }
}

static void long_sections(void **state)
{
    char pattern[1024];
    (void)state;
    memset(pattern, 'v', sizeof pattern);
    pattern[sizeof pattern - 1] = '\0';
    for (int i = 0; i < MANY; i++) {
        size_t blanks = many[i], begin = 2 * blanks + 1, size = 0;
        char *text = malloc(5 * blanks + sizeof pattern + 20);
        assert_non_null(text);
        size = (size_t)sprintf(text, "%*s[%*sport%*s%s%*s]%*s\na 1", (int)blanks, "", (int)blanks, "", (int)blanks, "",
                               pattern, (int)blanks, "", (int)blanks, "");
        check_rules(text, size, RCUINFO_HINT_PORT, pattern, "2:a=1;", __LINE__);
        check_rules(text, size, RCUINFO_HINT_PORT, pattern + 1, "", __LINE__);
        free(text);
        check_long(&(struct parts){"[", 255, 1023, "]", blanks}, no_section, begin);
        check_long(&(struct parts){"[", 255, 1023, "", blanks}, no_end, begin + 255 + blanks + 1023);
        check_long(&(struct parts){"[", 256, 1, "]", blanks}, key_long, begin);
        check_long(&(struct parts){"[", 20000, 20000, "]", blanks}, key_long, begin);
        check_long(&(struct parts){"[", 4, 1024, "]", blanks}, value_long, begin + 4 + blanks);
        check_long(&(struct parts){"[", 4, 20000, "]", blanks}, value_long, begin + 4 + blanks);
        check_long(&(struct parts){"[", 4, 20000, "", blanks}, value_long, begin + 4 + blanks);
    }
}

/* Without a file of its own: lint asks for one section. */
static void one_section(void **state)
{
    const struct rcuinfo__line parts = {1, 4, 6, 1};
    rcuinfo_hint_object_t object = RCUINFO_HINT_ENV;
    rcuinfo_fault_t fault = {.what = "untouched"};
    (void)state;
    assert_int_equal(rcuinfo__rules_section("[file\0x", &parts, &object, &fault), RCUINFO_SUCCESS);
    assert_int_equal(object, RCUINFO_HINT_FILE);
    assert_string_equal(fault.what, "untouched");
    assert_int_equal(rcuinfo__rules_section("[fire\0x", &parts, &object, &fault), RCUINFO_ERR_FORMAT);
    assert_int_equal(object, RCUINFO_HINT_OBJECTS);
    assert_string_equal(fault.what, no_section);
}

static ssize_t read_then_fail(void *cookie, char *buffer, size_t size)
{
    int *reads = cookie;
    if (--*reads < 0) {
        errno = EREMOTEIO;
        return -1;
    }
    memset(buffer, 'k', size);
    for (size_t i = 3; i < size; i += 4)
        buffer[i] = '\n';
    return (ssize_t)size;
}

static void reading_fails(void **state)
{
    struct rcuinfo__rules *rules = (struct rcuinfo__rules *)-1;
    rcuinfo_fault_t fault = {.what = "untouched"};
    FILE *folder = fopen("/", "r");
    (void)state;
    assert_non_null(folder);
    long before = blocks;
    assert_int_equal(rcuinfo__rules_load(folder, &rules, &fault), RCUINFO_ERR_IO);
    assert_int_equal(errno, EISDIR);
    assert_null(rules);
    assert_int_equal(blocks, before);
    (void)fclose(folder);
    for (int i = 0; i < 3; i++) {
        int reads = i;
        FILE *file = fopencookie(&reads, "r", (cookie_io_functions_t){.read = read_then_fail});
        assert_non_null(file);
        rules = (struct rcuinfo__rules *)-1;
        before = blocks;
        errno = 0;
        assert_int_equal(rcuinfo__rules_load(file, &rules, &fault), RCUINFO_ERR_IO);
        assert_int_equal(errno, EREMOTEIO);
        assert_null(rules);
        assert_int_equal(blocks, before);
        (void)fclose(file);
    }
    assert_string_equal(fault.what, "untouched");
}

/* Each allocation fails once: that of the rules, that of the reader, and those of both rules. */
static void without_memory(void **state)
{
    static const char text[] = "a 1\n[file x]\n[impose] b 2\n";
    struct rcuinfo__rules *rules;
    rcuinfo_fault_t fault = {.what = "untouched"};
    int k = 0, failed = 1;
    (void)state;
    while (failed) {
        int before = rcuinfo__alloc_faults();
        long blocks_before = blocks;
        rcuinfo__alloc_fail_at(++k);
        rcuinfo_status_t status = load(text, sizeof text - 1, &rules, &fault);
        rcuinfo__alloc_fail_at(0);
        failed = rcuinfo__alloc_faults() > before;
        assert_int_equal(status, failed ? RCUINFO_ERR_NO_MEM : RCUINFO_SUCCESS);
        if (failed)
            assert_null(rules);
        rcuinfo__rules_free(rules);
        assert_int_equal(blocks, blocks_before);
    }
    assert_int_equal(k - 1, 4);
    assert_string_equal(fault.what, "untouched");
    rcuinfo__rules_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),          cmocka_unit_test(sections),    cmocka_unit_test(patterns),
        cmocka_unit_test(precedence),     cmocka_unit_test(order),       cmocka_unit_test(imposed),
        cmocka_unit_test(faults),         cmocka_unit_test(nuls),        cmocka_unit_test(long_imposed),
        cmocka_unit_test(long_sections),  cmocka_unit_test(one_section), cmocka_unit_test(reading_fails),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
