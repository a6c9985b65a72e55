/* SPDX-License-Identifier: BSD-3-Clause */
/* rules: see rules.h. A rule, its strings and a copy of the pattern of its section are one allocation. */
#include "keys/rules.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "core/memory/alloc.h"
#include "pack/file.h"

/* A file that is being read. */
struct reading {
    struct rcuinfo__rule **end;   /* of the list of rules */
    rcuinfo_hint_object_t object; /* of the current section */
    char pattern[RCUINFO_MAX_VALUE];
};

rcuinfo_status_t rcuinfo__rules_section(const char *line, const struct rcuinfo__line *parts,
                                        rcuinfo_hint_object_t *object, rcuinfo_fault_t *fault)
{
    *object = rcuinfo__keys_object(line + parts->key);
    if (*object > RCUINFO_OBJECT_SPLIT_TYPE) /* no call takes hints for the objects after it */
        return rcuinfo__line_bad(
            fault, "no such section: window, communicator, file, session, spawn, port, alloc_mem, split_type",
            parts->key);

    bool has_names =
        *object == RCUINFO_OBJECT_FILE || *object == RCUINFO_OBJECT_PORT || *object == RCUINFO_OBJECT_SPAWN;
    if (parts->value_length > 0 && !has_names)
        return rcuinfo__line_bad(fault, "this kind of object takes no pattern (only file, port and spawn do)",
                                 parts->value);
    return RCUINFO_SUCCESS;
}

/* Copies a text to *to, and moves *to past it. */
static const char *copy_text(char **to, const char *text)
{
    char *copied = *to;
    size_t size = strlen(text) + 1;
    memcpy(copied, text, size);
    *to += size;
    return copied;
}

/* rcuinfo__file_line_t of rcuinfo__rules_load */
static rcuinfo_status_t read_line(void *context, const char *line, const struct rcuinfo__line *parts,
                                  rcuinfo_fault_t *fault)
{
    struct reading *reading = context;
    if (parts->is == RCUINFO__LINE_SECTION) {
        memcpy(reading->pattern, line + parts->value, parts->value_length + 1); /* including its NUL */
        return rcuinfo__rules_section(line, parts, &reading->object, fault);
    }

    /* + 3 for the NULs. */
    size_t texts = parts->key_length + parts->value_length + strlen(reading->pattern) + 3;
    struct rcuinfo__rule *rule = rcuinfo__alloc(sizeof *rule + texts);
    if (!rule)
        return RCUINFO_ERR_NO_MEM;

    bool imposed = parts->is == RCUINFO__LINE_IMPOSED;
    char *text = (char *)(rule + 1);
    *rule = (struct rcuinfo__rule){.object = reading->object, .line = fault->line, .imposed = imposed};
    rule->key = copy_text(&text, line + parts->key);
    rule->value = copy_text(&text, line + parts->value);
    rule->pattern = copy_text(&text, reading->pattern);

    *reading->end = rule;
    reading->end = &rule->next;
    return RCUINFO_SUCCESS;
}

rcuinfo_status_t rcuinfo__rules_load(FILE *file, struct rcuinfo__rule **rules, rcuinfo_fault_t *fault)
{
    struct reading reading = {.end = rules, .object = RCUINFO__OBJECT_ANY};
    *rules = NULL;
    rcuinfo_status_t status = rcuinfo__file_read(file, read_line, &reading, fault);
    if (status != RCUINFO_SUCCESS) {
        rcuinfo__rules_free(*rules);
        *rules = NULL;
    }
    return status;
}

/* The bytes up to the next separator of a list. */
static size_t to_separator(const char *list)
{
    return strcspn(list, ":,");
}

/* Whether a part of a list is "KEY=VALUE". */
static bool is_pair(const char *list)
{
    size_t key = strcspn(list, "=:,");
    return key > 0 && list[key] == '=';
}

/* Whether a pattern with its pairs begins here, after a comma, which may also be in a value: "n1:2,n2:4". */
static bool is_pattern(const char *list)
{
    size_t length = to_separator(list);
    return length > 0 && list[length] == ':' && is_pair(list + length + 1);
}

/* Writes a list such as "*.h5:cb_nodes=4:cb_buffer_size=1048576,*.nc:..." as a hint file. */
static void write_inline(const char *list, FILE *file)
{
    while (*list) {
        size_t length = to_separator(list);
        fprintf(file, "[file %.*s]", (int)length, list);
        list += length;

        while (*list && !(*list == ',' && is_pattern(list + 1)) && list[strspn(list, ",")]) {
            char separator = *list++;
            length = to_separator(list);
            size_t key = strcspn(list, "=");
            if (separator == ':' && is_pair(list))
                fprintf(file, "\n%.*s %.*s", (int)key, list, (int)(length - key - 1), list + key + 1);
            else /* the rest of the value before, such as "*:1"; after a pattern, an error */
                fprintf(file, "%c%.*s", separator, (int)length, list);
            list += length;
        }
        fputc('\n', file);
        list += strspn(list, ",");
    }
}

FILE *rcuinfo__rules_open(const char *name, bool *is_inline)
{
    FILE *file = fopen(name, "re");
    *is_inline = false;
    /* The text of a list may be too long for a name, or have a file in the place of a folder. */
    if (file || (errno != ENOENT && errno != ENAMETOOLONG && errno != ENOTDIR) || !strchr(name, ':') ||
        !strchr(name, '='))
        return file;
    *is_inline = true;

    /* Each part of the list becomes at most 8 bytes longer. */
    file = fmemopen(NULL, 8 * strlen(name) + 16, "w+");
    if (file) {
        write_inline(name, file);
        rewind(file);
    }
    return file;
}

void rcuinfo__rules_free(struct rcuinfo__rule *rules)
{
    while (rules) {
        struct rcuinfo__rule *rule = rules;
        rules = rule->next;
        rcuinfo__alloc_free(rule);
    }
}

uint64_t rcuinfo__rules_digest(const struct rcuinfo__rule *rules)
{
    uint64_t digest = 0;

    for (const struct rcuinfo__rule *rule = rules; rule; rule = rule->next) {
        const char *const texts[] = {rule->key, rule->value, rule->pattern};
        for (size_t n = 0; n < sizeof texts / sizeof *texts; n++)
            /* Each hash is the seed of the next, so the order matters. */
            digest = XXH3_64bits_withSeed(texts[n], strlen(texts[n]), digest);

        uint64_t rest = (uint64_t)rule->object << 1 | rule->imposed;
        digest = XXH3_64bits_withSeed(&rest, sizeof rest, digest);
    }
    return digest;
}

const char *rcuinfo__rules_file(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon && colon - name > 1 && !memchr(name, '/', (size_t)(colon - name)) ? colon + 1 : name;
}

/* Whether a rule is for an object of that name. */
static bool applies(const struct rcuinfo__rule *rule, rcuinfo_hint_object_t object, const char *name)
{
    if (rule->object != RCUINFO__OBJECT_ANY && rule->object != object)
        return false;

    if (!*rule->pattern)
        return true;
    if (!name)
        return false;
    const char *file = object == RCUINFO_OBJECT_FILE ? rcuinfo__rules_file(name) : name, *slash = strrchr(file, '/');
    return fnmatch(rule->pattern, name, 0) == 0 || fnmatch(rule->pattern, file, 0) == 0 ||
           (slash && fnmatch(rule->pattern, slash + 1, 0) == 0); /* a pattern with a slash matches nothing here */
}

/* The more specific of two rules wins. 0: for all objects; 1: for one kind; 2: with a pattern. */
static int weight(const struct rcuinfo__rule *rule)
{
    return (rule->object != RCUINFO__OBJECT_ANY) + (*rule->pattern != '\0');
}

/* Whether another rule for the same key wins over this one. */
static bool is_overridden(const struct rcuinfo__rule *rules, const struct rcuinfo__rule *rule,
                          rcuinfo_hint_object_t object, const char *name)
{
    bool is_later = false;

    for (const struct rcuinfo__rule *other = rules; other; other = other->next) {

        /* Of equally specific rules the later one wins. */
        bool wins = weight(other) > weight(rule) || (is_later && weight(other) == weight(rule));
        if (wins && strcmp(other->key, rule->key) == 0 && applies(other, object, name))
            return true;
        is_later |= other == rule;
    }
    return false;
}

const struct rcuinfo__rule *rcuinfo__rules_next(const struct rcuinfo__rule *rules, const struct rcuinfo__rule *rule,
                                                rcuinfo_hint_object_t object, const char *name)
{
    rule = rule ? rule->next : rules;
    while (rule && (!applies(rule, object, name) || is_overridden(rules, rule, object, name)))
        rule = rule->next;
    return rule;
}
