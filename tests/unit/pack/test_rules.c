/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of rules, and lists in their place: the meaning of their lines, faults and their places, the rules that apply
 * to a call and their order, read errors, and out of memory. White box: linked with the objects of the library, whose
 * allocator can be made to fail. AddressSanitizer detects leaks.
 */
#include <errno.h>
#include <limits.h>
#include <stdint.h>

#include "keys/rules.h"
#include "support/nomem.h"
#include "support/test.h"

static rcuinfo_status_t load(const char *text, size_t size, struct rcuinfo__rule **rules, rcuinfo_fault_t *fault)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");
    CHECK(file);
    *rules = (struct rcuinfo__rule *)-1;
    errno = 1234;
    rcuinfo_status_t status = rcuinfo__rules_load(file, rules, fault);
    CHECK_EQUAL(errno, 1234);
    (void)fclose(file);
    return status;
}

static struct rcuinfo__rule *loaded(const char *text, size_t size)
{
    struct rcuinfo__rule *rules;
    rcuinfo_fault_t fault = {.what = "no fault"};
    CHECKF(load(text, size, &rules, &fault) == RCUINFO_SUCCESS, "%s, at %zu of line %zu of \"%s\"", fault.what,
           fault.offset, fault.line, text);
    return rules;
}

/* Checks the rules that apply to a call, each as "LINE:KEY=VALUE;", with a `!` before an imposed key. Frees them. */
static void check_applied(struct rcuinfo__rule *rules, rcuinfo_hint_object_t object, const char *name,
                          const char *expected, const char *text)
{
    char found[4096] = "";
    const struct rcuinfo__rule *rule = NULL;
    while ((rule = rcuinfo__rules_next(rules, rule, object, name))) {
        size_t used = strlen(found);
        (void)snprintf(found + used, sizeof found - used, "%zu:%s%s=%s;", rule->line, rule->imposed ? "!" : "",
                       rule->key, rule->value);
    }
    rcuinfo__rules_free(rules);
    CHECKF(strcmp(found, expected) == 0, "\"%s\", not \"%s\", of \"%s\"", found, expected, text);
}

static void check_rules(const char *text, size_t size, rcuinfo_hint_object_t object, const char *name,
                        const char *expected)
{
    check_applied(loaded(text, size), object, name, expected, text);
}

#define CHECK_RULES(text, object, name, expected)                                                                      \
    check_rules(text, sizeof(text) - 1, RCUINFO_OBJECT_##object, name, expected)

static void check_fault(const char *text, size_t size, const char *what, size_t line, size_t offset)
{
    rcuinfo_fault_t fault = {.what = NULL};
    struct rcuinfo__rule *rules;
    CHECK_STATUS(load(text, size, &rules, &fault), RCUINFO_ERR_FORMAT);
    CHECK(!rules);
    CHECKF(strcmp(fault.what, what) == 0 && fault.line == line && fault.offset == offset,
           "\"%s\" at %zu of line %zu of \"%s\"", fault.what, fault.offset, fault.line, text);
}

#define CHECK_FAULT(text, what, line, offset) check_fault(text, sizeof(text) - 1, what, line, offset)

static const char nul[] = "a NUL byte", key_long[] = "a key of more than 255 bytes",
                  value_long[] = "a value of more than 1023 bytes", no_end[] = "a section that does not end with ]",
                  no_name[] = "a section without a name", no_pair[] = "no pair after [impose]",
                  no_section[] =
                      "no such section: window, communicator, file, session, spawn, port, alloc_mem, split_type",
                  no_pattern[] = "this kind of object takes no pattern (only file, port and spawn do)";

TEST(lines)
{
    CHECK_RULES("\n# [file]\n \t\r\n", FILE, "f", "");
    CHECK_RULES("a\nb \n[impose] c\n", WINDOW, NULL, "1:a=;2:b=;3:!c=;");
    CHECK_RULES("key value # no comment [file]", WINDOW, NULL, "1:key=value # no comment [file];");
    CHECK_RULES("a 1\r\n[file]\r\nb 2\r\n [impose]\tc 3 \r\n", FILE, NULL, "1:a=1;3:b=2;4:!c=3;");
    CHECK_RULES("]a 1\na[ [b]\n", PORT, NULL, "1:]a=1;2:a[=[b];");
    CHECK_RULES("[impose]a 1", FILE, NULL, "1:!a=1;");
    CHECK_RULES(" [impose] \t a \t 1  2 \nb 2", FILE, NULL, "1:!a=1  2;2:b=2;");
    CHECK_RULES("[impose] ] [", FILE, NULL, "1:!]=[;");
    CHECK_RULES("[impose] [file] x", FILE, NULL, "1:![file]=x;");
    CHECK_RULES("[file]\n[impose] a 1\n[window]\n[impose] a 2", FILE, NULL, "2:!a=1;");
}

TEST(sections)
{
    CHECK_RULES(" \t[ \tfile\t ]\t \na 1", FILE, NULL, "2:a=1;");
    CHECK_RULES("a 1\n[window]\nb 2\n[file]\nc 3\n[window]\nd 4\n", WINDOW, NULL, "1:a=1;3:b=2;7:d=4;");
    CHECK_RULES("a 1\n[window]\nb 2\n[file]\nc 3\n[window]\nd 4\n", COUNT, NULL, "1:a=1;");
}

/* Each kind of object whose calls take hints has a section. Sections of objects with names may have a pattern. */
TEST(sections_of_objects)
{
    for (int n = 0; n < RCUINFO_OBJECT_COUNT; n++) {
        const rcuinfo_hint_object_t object = (rcuinfo_hint_object_t)n;
        const bool is_named = n == RCUINFO_OBJECT_FILE || n == RCUINFO_OBJECT_PORT || n == RCUINFO_OBJECT_SPAWN;
        const char *name = rcuinfo_hint_object_name(object);
        char text[64];
        (void)snprintf(text, sizeof text, "[%s]\nk v\n", name);
        if (n > RCUINFO_OBJECT_SPLIT_TYPE) {
            check_fault(text, strlen(text), no_section, 1, 1);
            continue;
        }
        for (int other = 0; other < RCUINFO_OBJECT_COUNT; other++)
            check_rules(text, strlen(text), (rcuinfo_hint_object_t)other, NULL, other == n ? "2:k=v;" : "");
        (void)snprintf(text, sizeof text, "[%s ?]\nk v\n", name);
        if (is_named)
            check_rules(text, strlen(text), object, "x", "2:k=v;");
        else
            check_fault(text, strlen(text), no_pattern, 1, strlen(name) + 2);
    }
}

TEST(patterns)
{
    CHECK_RULES("[file *.h5]\na 1", FILE, ".h5", "2:a=1;");
    CHECK_RULES("[file *.h5]\na 1", FILE, "/a folder/.b/x.h5", "2:a=1;");
    CHECK_RULES("[file *.h5]\na 1", FILE, "x.H5", "");
    CHECK_RULES("[file *]\na 1", FILE, "", "2:a=1;");
    CHECK_RULES("[ file  \t two  words ]\na 1", FILE, "two  words", "2:a=1;");
    CHECK_RULES("[file [ab]]\na 1", FILE, "b", "2:a=1;");
    CHECK_RULES("[file []]]\na 1", FILE, "]", "2:a=1;");
    CHECK_RULES("[file [ab] ]\na 1", FILE, "a", "2:a=1;");
    CHECK_RULES("[file \\*]\na 1", FILE, "*", "2:a=1;");
    CHECK_RULES("[file \\*]\na 1", FILE, "x", "");
    CHECK_RULES("[spawn ?]\na 1\n[port ?]\nb 2", PORT, "x", "4:b=2;");
    /* A pattern without a slash may match what follows the last one. */
    CHECK_RULES("[file out.h5]\na 1", FILE, "/a/b/out.h5", "2:a=1;");
    CHECK_RULES("[file out.h5]\na 1", FILE, "/a/out.h5/b", "");
    CHECK_RULES("[file b/out.h5]\na 1", FILE, "/a/b/out.h5", "");
    CHECK_RULES("[file ?*]\na 1", FILE, "/a/", "2:a=1;");
    /* An object without a name matches no pattern, and a pattern ends with its section. */
    CHECK_RULES("[file *]\na 1\n[file]\nb 2", FILE, NULL, "4:b=2;");
    CHECK_RULES("[file x]\na 1\n[file y]\nb 2\n[file]\nc 3", FILE, "y", "4:b=2;6:c=3;");
}

static void check_list(const char *list, const char *name, const char *expected)
{
    struct rcuinfo__rule *rules;
    rcuinfo_fault_t fault;
    bool is_inline;
    FILE *file = rcuinfo__rules_open(list, &is_inline);
    CHECK(file && is_inline);
    CHECK_STATUS(rcuinfo__rules_load(file, &rules, &fault), RCUINFO_SUCCESS);
    CHECK(fclose(file) == 0);
    check_applied(rules, RCUINFO_OBJECT_FILE, name, expected, list);
}

/* A list in place of a file. */
TEST(lists)
{
    static const char *const files[] = {"nowhere", "nowhere:", "no=where", "/nowhere/a", ""};
    check_list("*.h5:cb_nodes=4", "a.h5", "2:cb_nodes=4;");
    check_list("*.h5:cb_nodes=4", "a.nc", "");
    check_list("*.h5:a=1:b=2,*.nc:c=3", "x.h5", "2:a=1;3:b=2;");
    check_list("*.h5:a=1:b=2,*.nc:c=3", "x.nc", "5:c=3;");
    check_list("*:a=b=c:d,e:f=", "e", "2:a=b=c:d;4:f=;");
    check_list("a:b=1,,", "a", "2:b=1;");
    check_list("a:b=1:=2", "a", "2:b=1:=2;");
    check_list("*:cb_config_list=n1:2,n2:4", "x", "2:cb_config_list=n1:2,n2:4;");
    check_list("*:cb_config_list=n1:2,n2:4:b=1,y:c=3,z", "y", "2:cb_config_list=n1:2,n2:4;3:b=1;5:c=3,z;");
    check_list("*.h5:access_style=read_once,sequential,*.nc:c=3", "x.h5", "2:access_style=read_once,sequential;");
    check_list("/dev/null/x:a=1", "/dev/null/x", "2:a=1;"); /* in a folder that is none */
    char longer[PATH_MAX + NAME_MAX] = "x:b=2";             /* than a name, then than a path */
    for (size_t length = strlen(longer); length < PATH_MAX; length = strlen(longer)) {
        (void)snprintf(longer + length, sizeof longer - length, ",y:a=%0*d", NAME_MAX - 16, 1);
        check_list(longer, "x", "2:b=2;");
    }

    bool is_list;
    struct rcuinfo__rule *rules = NULL;
    rcuinfo_fault_t fault;
    FILE *file = rcuinfo__rules_open("a:b,c:d=1", &is_list); /* no value */
    CHECK(file && is_list);
    CHECK_STATUS(rcuinfo__rules_load(file, &rules, &fault), RCUINFO_ERR_FORMAT);
    CHECK(fclose(file) == 0);
    for (size_t n = 0; n < sizeof files / sizeof *files; n++) {
        bool is_inline = true;
        CHECK(!rcuinfo__rules_open(files[n], &is_inline));
        CHECK(!is_inline);
    }
}

/* Rules with a pattern take precedence over rules without, those of an object over those of all, later over earlier. */
TEST(precedence)
{
    CHECK_RULES("a 1\na 2\na 3\n", FILE, "x", "3:a=3;");
    CHECK_RULES("[file]\na 1\n[window]\na 2\n[file]\na 3\n", FILE, "x", "6:a=3;");
    CHECK_RULES("[file *]\na 1\n[file x]\na 2\n", FILE, "x", "4:a=2;");
    CHECK_RULES("[file x]\na 1\n[file *]\na 2\n", FILE, "x", "4:a=2;");
    CHECK_RULES("[file x]\na 1\n[file]\na 2\n", FILE, "x", "2:a=1;");
    CHECK_RULES("[file x]\na 1\n[file]\na 2\n", FILE, "y", "4:a=2;");
    CHECK_RULES("a 1\n[file]\na 2\n[file x]\na 3\n", FILE, "x", "5:a=3;");
    CHECK_RULES("a 1\n[file]\na 2\n[file x]\na 3\n", FILE, "y", "3:a=2;");
    CHECK_RULES("a 1\n[file]\na 2\n[file x]\na 3\n", WINDOW, NULL, "1:a=1;");
    /* An imposed rule takes no precedence. */
    CHECK_RULES("[impose] a 1\na 2\n", FILE, "x", "2:a=2;");
    CHECK_RULES("a 1\n[impose] a 2\n", FILE, "x", "2:!a=2;");
    CHECK_RULES("[file x]\na 1\n[file]\n[impose] a 2\n", FILE, "x", "2:a=1;");
    CHECK_RULES("[file x]\n[impose] a 1\n[file]\na 2\n", FILE, "x", "2:!a=1;");
}

TEST(order)
{
    CHECK_RULES("c 1\nb 2\na 3\nc 4\nd 5\nb 6\n", FILE, NULL, "3:a=3;4:c=4;5:d=5;6:b=6;");
    CHECK_RULES("[file x]\nb 1\n[file]\na 2\nb 3\n[window]\nc 4\n[file *]\nd 5\n", FILE, "x", "2:b=1;4:a=2;9:d=5;");
    /* Whole keys are compared, with case. */
    CHECK_RULES("key 1\nkey2 2\nKey 3\nke 4\n", FILE, NULL, "1:key=1;2:key2=2;3:Key=3;4:ke=4;");
}

TEST(faults)
{
    CHECK_FAULT("[", no_end, 1, 1);
    CHECK_FAULT("\t[file *.h5  \r\n", no_end, 1, 11);
    CHECK_FAULT("[file] # x\n", no_end, 1, 10);
    CHECK_FAULT("[ impose ] a 1\n", no_end, 1, 14);
    CHECK_FAULT("\n \t[ \t ]\n", no_name, 2, 2);
    CHECK_FAULT("[impose]", no_pair, 1, 8);
    CHECK_FAULT("a 1\nb 2\n  [impose]  \t\r\n", no_pair, 3, 10);
    CHECK_FAULT(" [ File ]\n", no_section, 1, 3);
    CHECK_FAULT("[files]\n", no_section, 1, 1);
    CHECK_FAULT("[file]]\n", no_section, 1, 1);
    CHECK_FAULT("[file*.h5]\n", no_section, 1, 1);
    CHECK_FAULT("[ alloc_mem  * ]\n", no_pattern, 1, 13);
    CHECK_FAULT("[\0file]\n", nul, 1, 1);
    CHECK_FAULT("[file a]\0\n", nul, 1, 8);
    CHECK_FAULT("[file a]\n\n [impose] k\0\n", nul, 3, 11);
    /* The first fault counts, whatever comes before it. */
    CHECK_FAULT("a 1\n[door]\n[file\n", no_section, 2, 1);
    CHECK_FAULT("[file]\n[impose] a 1\n[]\n", no_name, 3, 0);
}

/* The start of a line, a key, a value, and the end, with many blanks around each; the fault, and its place: in the key,
 * in the value, or after it. NULL: no fault. */
static const struct {
    const char *open;
    int key, value;
    const char *close, *what;
    enum { KEY, VALUE, END } where;
} long_lines[] = {
    {"[impose]", 255, 1023, "", NULL, END},
    {"[impose]", 256, 1, "", key_long, KEY},
    {"[impose]", 20000, 20000, "", key_long, KEY},
    {"[impose]", 255, 1024, "", value_long, VALUE},
    {"[impose]", 1, 20000, "", value_long, VALUE},
    {"[port", 0, 1023, "]", NULL, END},
    {"[", 255, 1023, "]", no_section, KEY},
    {"[", 255, 1023, "", no_end, END},
    {"[", 256, 1, "]", key_long, KEY},
    {"[", 20000, 20000, "]", key_long, KEY},
    {"[", 4, 1024, "]", value_long, VALUE},
    {"[", 4, 20000, "]", value_long, VALUE},
    {"[", 4, 20000, "", value_long, VALUE},
};

/* With any number of blanks, a text that is not too long is kept whole. Else the fault is at its beginning. */
static void check_long(size_t n, int blanks)
{
    const char *open = long_lines[n].open, *close = long_lines[n].close;
    const int key = 2 * blanks + (int)strlen(open), value = key + long_lines[n].key + blanks;
    const int places[] = {[KEY] = key, [VALUE] = value, [END] = value + long_lines[n].value};
    char k[20001] = "", v[20001] = "", *text, *imposed;
    memset(k, 'k', (size_t)long_lines[n].key);
    memset(v, 'v', (size_t)long_lines[n].value);
    CHECK(asprintf(&text, "%*s%s%*s%s%*s%s%*s%s%*s\na 1", blanks, "", open, blanks, "", k, blanks, "", v, blanks, "",
                   close, blanks, "") > 0);
    CHECK(asprintf(&imposed, "1:!%s=%s;2:a=1;", k, v) > 0);
    if (long_lines[n].what) {
        check_fault(text, strlen(text), long_lines[n].what, 1, (size_t)places[long_lines[n].where]);
    } else if (*close) {
        check_rules(text, strlen(text), RCUINFO_OBJECT_PORT, v, "2:a=1;");
        check_rules(text, strlen(text), RCUINFO_OBJECT_PORT, v + 1, "");
    } else {
        check_rules(text, strlen(text), RCUINFO_OBJECT_FILE, NULL, imposed);
    }
    free(text);
    free(imposed);
}

TEST(lines_are_long)
{
    static const int many[] = {1, 2, 1022, 1023, 1024, 1025, 2048, 9000};
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        for (size_t n = 0; n < sizeof long_lines / sizeof *long_lines; n++)
            check_long(n, many[i]);
    }
}

static uint64_t digest_of(const char *text)
{
    struct rcuinfo__rule *rules = loaded(text, strlen(text));
    uint64_t digest = rcuinfo__rules_digest(rules);
    rcuinfo__rules_free(rules);
    return digest;
}

/* Different rules, or rules in another order, have different digests. Only the rules count. */
TEST(digests)
{
    static const char *const texts[] = {
        "a 1\nb 2\n",          "b 2\na 1\n",         "a 1\nb 3\n",           "c 1\nb 2\n",
        "a 1\n[impose] b 2\n", "a 1\n[file]\nb 2\n", "a 1\n[file x]\nb 2\n",
    };
    enum { TEXTS = sizeof texts / sizeof *texts };

    for (size_t i = 0; i < TEXTS; i++) {
        for (size_t j = 0; j < i; j++)
            CHECKF(digest_of(texts[i]) != digest_of(texts[j]), "\"%s\" and \"%s\"", texts[i], texts[j]);
    }
    CHECK(digest_of("# c\n a  1\n\nb 2") == digest_of(texts[0]));
    CHECK(rcuinfo__rules_digest(NULL) == 0);
}

TEST(reading_fails)
{
    rcuinfo_fault_t fault = {.what = "untouched"};
    struct rcuinfo__rule *rules = (struct rcuinfo__rule *)-1;
    FILE *folder = fopen("/", "r");
    CHECK(folder);
    CHECK_STATUS(rcuinfo__rules_load(folder, &rules, &fault), RCUINFO_ERR_IO);
    CHECK_EQUAL(errno, EISDIR);
    CHECK(!rules);
    CHECK_TEXT(fault.what, "untouched");
    (void)fclose(folder);
}

/* Each allocation fails in turn: that of the reader, and those of the two rules. */
TEST(without_memory)
{
    static const char text[] = "a 1\n[file x]\n[impose] b 2\n";
    rcuinfo_fault_t fault = {.what = "untouched"};
    struct rcuinfo__rule *rules;
    NOMEM_EACH(3, load(text, sizeof text - 1, &rules, &fault), CHECK(!rules));
    CHECK_EQUAL(nomem.count, 3);
    CHECK(rules);
    rcuinfo__rules_free(rules);
    CHECK_TEXT(fault.what, "untouched");
    rcuinfo__rules_free(NULL);
}

TEST_MAIN()
