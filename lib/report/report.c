/* SPDX-License-Identifier: BSD-3-Clause */
/* report: adds lines to a report, packs reports for another process and merges them. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory/alloc.h"
#include "core/text.h"
#include "report/lines.h"

enum {
    BUCKETS = RCUINFO__REPORT_BUCKETS,
    FIELDS = RCUINFO__REPORT_FIELDS,
    NUMBER = 24 /* bytes of a number in decimal, with the NUL */
};

const char *const rcuinfo__report_names[FIELDS] = {
    [RCUINFO__REPORT_KEY] = "key",           [RCUINFO__REPORT_GIVEN] = "given",
    [RCUINFO__REPORT_IN_USE] = "in_use",     [RCUINFO__REPORT_OBJECT] = "object",
    [RCUINFO__REPORT_NAME] = "name",         [RCUINFO__REPORT_IDENTITY] = "identity",
    [RCUINFO__REPORT_GROUP] = "group",       [RCUINFO__REPORT_FUNCTION] = "function",
    [RCUINFO__REPORT_PLACE] = "place",       [RCUINFO__REPORT_SOURCE] = "source",
    [RCUINFO__REPORT_SECTION] = "section",   [RCUINFO__REPORT_NOTE] = "note",
    [RCUINFO__REPORT_EVIDENCE] = "evidence", [RCUINFO__REPORT_COMPONENT] = "component",
};

const char *const rcuinfo__report_verdicts[RCUINFO__REPORT_VERDICTS] = {
    [RCUINFO__REPORT_DIFFERS] = "differs between processes",
    [RCUINFO__REPORT_NO_RETURN] = "the call did not return",
    [RCUINFO__REPORT_FAILED] = "the call failed",
    [RCUINFO__REPORT_BAD_VALUE] = "bad value",
    [RCUINFO__REPORT_UNKNOWN] = "unknown key",
    [RCUINFO__REPORT_LEFT] = "not passed on",
    [RCUINFO__REPORT_NOT_USED] = "not used",
    [RCUINFO__REPORT_CHANGED] = "changed",
    [RCUINFO__REPORT_NEVER_APPLIED] = "never applied",
    [RCUINFO__REPORT_NOT_KNOWN] = "not known",
    [RCUINFO__REPORT_READ] = "read",
    [RCUINFO__REPORT_IN_EFFECT] = "in effect",
    [RCUINFO__REPORT_DEFAULT] = "default",
    [RCUINFO__REPORT_LOOK_UP] = "looked up",
};

enum rcuinfo__report_verdict rcuinfo__report_find_verdict(const char *text)
{
    int verdict = 0;
    while (verdict < RCUINFO__REPORT_VERDICTS && !rcuinfo__report_same_text(rcuinfo__report_verdicts[verdict], text))
        verdict++;
    return (enum rcuinfo__report_verdict)verdict;
}

char *rcuinfo__report_format(const char *form, ...)
{
    va_list arguments, again;
    va_start(arguments, form);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, form, arguments);
    va_end(arguments);

    char *text = length >= 0 ? rcuinfo__alloc((size_t)length + 1) : NULL;
    if (text)
        vsnprintf(text, (size_t)length + 1, form, again);
    va_end(again);
    return text;
}

struct rcuinfo__report *rcuinfo__report_create(size_t most)
{
    struct rcuinfo__report *report = rcuinfo__alloc(sizeof *report);
    if (!report)
        return NULL;

    memset(report, 0, sizeof *report);
    report->end = &report->first;
    report->most = most;
    return report;
}

static void free_line(struct rcuinfo__report_line *line)
{
    rcuinfo__spans_free(line->on);
    for (int field = 0; field < FIELDS; field++)
        rcuinfo__alloc_free(line->changed[field]);
    rcuinfo__alloc_free(line);
}

void rcuinfo__report_free(struct rcuinfo__report *report)
{
    if (!report)
        return;

    for (struct rcuinfo__report_line *line = report->first; line;) {
        struct rcuinfo__report_line *next = line->next;
        free_line(line);
        line = next;
    }
    for (int n = 0; n < RCUINFO__REPORT_ABOUT; n++)
        rcuinfo__alloc_free(report->about[n]);
    rcuinfo__alloc_free(report);
}

/* The bucket of a line. */
static struct rcuinfo__report_line **bucket_of(struct rcuinfo__report *report, enum rcuinfo__report_verdict verdict,
                                               const char *const fields[FIELDS])
{
    uint64_t hash = verdict;
    for (int field = 0; field < FIELDS; field++) {
        if (fields[field])
            hash = XXH3_64bits_withSeed(fields[field], strlen(fields[field]), hash);
    }
    return &report->buckets[hash % BUCKETS];
}

static struct rcuinfo__report_line *find_line(struct rcuinfo__report *report, enum rcuinfo__report_verdict verdict,
                                              const char *const fields[FIELDS])
{
    struct rcuinfo__report_line *line = *bucket_of(report, verdict, fields);

    for (; line; line = line->same_bucket) {
        int field = 0;
        while (field < FIELDS && rcuinfo__report_same_text(line->fields[field], fields[field]))
            field++;
        if (field == FIELDS && line->verdict == verdict)
            break;
    }
    return line;
}

/* Allocates a line with copies of its fields. */
static struct rcuinfo__report_line *new_line(const char *const fields[FIELDS])
{
    size_t size = sizeof(struct rcuinfo__report_line);
    for (int field = 0; field < FIELDS; field++)
        size += fields[field] ? strlen(fields[field]) + 1 : 0;

    struct rcuinfo__report_line *line = rcuinfo__alloc(size);
    if (!line)
        return NULL;

    memset(line, 0, sizeof *line);
    char *text = line->text;

    for (int field = 0; field < FIELDS; field++) {
        if (fields[field]) {
            size_t length = strlen(fields[field]) + 1;
            line->fields[field] = memcpy(text, fields[field], length);
            text += length;
        }
    }
    return line;
}

struct rcuinfo__report_line *rcuinfo__report_add(struct rcuinfo__report *report, enum rcuinfo__report_verdict verdict,
                                                 const char *const fields[FIELDS], const char *on, uint64_t count)
{
    bool is_whole = verdict < RCUINFO__REPORT_VERDICTS && fields[RCUINFO__REPORT_KEY] && fields[RCUINFO__REPORT_GIVEN];
    const char *nameless[FIELDS];
    size_t most = report->most;
    struct rcuinfo__report_line *line = find_line(report, verdict, fields), *made = NULL;

    if (verdict == RCUINFO__REPORT_DEFAULT && report->n >= most / 2 && !line)
        return NULL;

    if (report->n >= most && !line) {
        /* The report is full: drop the names of the objects, so that lines become equal. There is some room left for
         * such lines. */
        memcpy(nameless, fields, sizeof nameless);
        nameless[RCUINFO__REPORT_NAME] = nameless[RCUINFO__REPORT_IDENTITY] = nameless[RCUINFO__REPORT_GROUP] = NULL;
        fields = nameless;
        most += most / 4;
        line = find_line(report, verdict, fields);
    }

    /* A new line is allocated first, and added only if its processes are. */
    if (!line && is_whole && report->n < most)
        line = made = new_line(fields);

    if (!line || !rcuinfo__spans_add_list(&line->on, on)) {
        report->lost += count;
        if (made)
            free_line(made);
        return NULL;
    }

    line->count += count;

    /* Link a new line only now, when nothing can fail any more. */
    if (made) {
        struct rcuinfo__report_line **bucket = bucket_of(report, verdict, fields);
        made->verdict = verdict;
        made->at = report->n;
        made->same_bucket = *bucket;
        *bucket = made;
        *report->end = made;
        report->end = &made->next;
        report->n++;
    }
    return line;
}

void rcuinfo__report_unite(struct rcuinfo__report *report)
{
    struct rcuinfo__report_line **link = &report->first;
    memset(report->buckets, 0, sizeof report->buckets);
    while (*link) {
        struct rcuinfo__report_line *line = *link, *same = find_line(report, line->verdict, line->fields);
        bool is_united = same != NULL;
        for (const struct rcuinfo__span *span = line->on; span && is_united; span = span->next)
            is_united = rcuinfo__spans_add(&same->on, span->first, span->last);
        if (is_united) {
            same->count += line->count;
            *link = line->next;
            free_line(line);
            report->n--;
        } else {
            struct rcuinfo__report_line **bucket = bucket_of(report, line->verdict, line->fields);
            line->same_bucket = *bucket;
            *bucket = line;
            link = &line->next;
        }
    }
    report->end = link;
}

void rcuinfo__report_describe(struct rcuinfo__report *report, const char *const about[RCUINFO__REPORT_ABOUT])
{
    for (int n = 0; n < RCUINFO__REPORT_ABOUT; n++) {
        rcuinfo__alloc_free(report->about[n]);
        report->about[n] = about[n] ? rcuinfo__report_format("%s", about[n]) : NULL;
    }
}

void rcuinfo__report_compare_rules(struct rcuinfo__report *report, uint64_t rules, bool differ)
{
    report->rules_differ |= differ || rules != report->rules;
}

void rcuinfo__report_cut(struct rcuinfo__report *report)
{
    report->is_cut = true;
}

void rcuinfo__report_lose(struct rcuinfo__report *report, uint64_t lost)
{
    report->lost += lost;
}

bool rcuinfo__report_used(const struct rcuinfo__report *report, const char *source)
{
    const struct rcuinfo__report_line *line = report->first;
    while (line && (line->verdict == RCUINFO__REPORT_NEVER_APPLIED ||
                    !rcuinfo__report_same_text(line->fields[RCUINFO__REPORT_SOURCE], source)))
        line = line->next;
    return line != NULL;
}

bool rcuinfo__report_is_empty(const struct rcuinfo__report *report)
{
    const struct rcuinfo__report_line *line = report->first;
    while (line && (line->verdict == RCUINFO__REPORT_DEFAULT || line->verdict == RCUINFO__REPORT_LOOK_UP))
        line = line->next;
    return !line && report->lost == 0;
}

int rcuinfo__report_compare(const struct rcuinfo__report_line *a, const struct rcuinfo__report_line *b, int fields)
{
    int difference = (int)a->verdict - (int)b->verdict;
    for (int field = 0; field < fields && difference == 0; field++)
        difference = strcmp(a->fields[field] ? a->fields[field] : "", b->fields[field] ? b->fields[field] : "");
    return difference;
}

struct rcuinfo__report_line **rcuinfo__report_lines(const struct rcuinfo__report *report, bool with_defaults, size_t *n)
{
    /* + 1, so that an empty report does not look like lack of memory. */
    struct rcuinfo__report_line **lines = rcuinfo__alloc((report->n + 1) * sizeof *lines);
    *n = 0;
    if (!lines)
        return NULL;

    for (struct rcuinfo__report_line *line = report->first; line; line = line->next) {
        /* Of the rules that were not used here, those that another process used are not shown. */
        bool is_hidden = line->verdict == RCUINFO__REPORT_LOOK_UP ||
                         (line->verdict == RCUINFO__REPORT_DEFAULT && !with_defaults) ||
                         (line->verdict == RCUINFO__REPORT_NEVER_APPLIED &&
                          rcuinfo__report_used(report, line->fields[RCUINFO__REPORT_SOURCE]));
        if (!is_hidden)
            lines[(*n)++] = line;
    }
    return lines;
}

void rcuinfo__report_replace(struct rcuinfo__report_line *line, enum rcuinfo__report_field field, char *text)
{
    rcuinfo__alloc_free(line->changed[field]);
    line->fields[field] = line->changed[field] = text;
}

void rcuinfo__report_sign(struct rcuinfo__report *report, long process, uint64_t rules)
{
    report->rules = rules;
    for (struct rcuinfo__report_line *line = report->first; line; line = line->next)
        line->on->first = line->on->last = process;
}

/*
 * A packed report is a sequence of texts, each of them with its NUL: the number of lost lines, the digest of the rules,
 * "1" if not all processes have read the same rules, else "0"; then for each line its verdict, its fields, "+text" or
 * "-" for NULL, its processes, and its count. An upper limit of its size:
 */
static size_t packed_size(const struct rcuinfo__report *report)
{
    size_t size = 2 * NUMBER + 2;

    for (const struct rcuinfo__report_line *line = report->first; line; line = line->next) {
        for (int field = 0; field < FIELDS; field++)
            size += 2 + (line->fields[field] ? strlen(line->fields[field]) : 0);
        size += rcuinfo__spans_print(line->on, NULL, 0) + 2 + 2 * (size_t)NUMBER;
    }
    return size;
}

void *rcuinfo__report_pack(const struct rcuinfo__report *report, size_t *size)
{
    size_t room = packed_size(report);
    char *bytes = rcuinfo__alloc(room);
    if (!bytes)
        return NULL;

    char *at = bytes + snprintf(bytes, NUMBER, "%" PRIu64, report->lost) + 1;
    at += snprintf(at, NUMBER, "%" PRIu64, report->rules) + 1;
    at = stpcpy(at, report->rules_differ ? "1" : "0") + 1;

    for (const struct rcuinfo__report_line *line = report->first; line; line = line->next) {
        at += snprintf(at, NUMBER, "%d", (int)line->verdict) + 1;
        for (int field = 0; field < FIELDS; field++) {
            const char *text = line->fields[field];
            *at++ = text ? '+' : '-';
            at = stpcpy(at, text ? text : "") + 1;
        }

        /* The room is an upper limit, so none of these is cut. */
        size_t length = rcuinfo__spans_print(line->on, at, room - (size_t)(at - bytes));
        at += length + 1;
        at += snprintf(at, NUMBER, "%" PRIu64, line->count) + 1;
    }
    *size = (size_t)(at - bytes);
    return bytes;
}

/* The next text of a packed report, or NULL at the end. */
static const char *next_text(const char **at, const char *end)
{
    const char *text = *at;
    const char *nul = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;
    *at = nul ? nul + 1 : end;
    return nul ? text : NULL;
}

void rcuinfo__report_merge(struct rcuinfo__report *report, const void *bytes, size_t size)
{
    const char *at = bytes, *end = at + size;
    const char *lost = next_text(&at, end), *rules = next_text(&at, end), *differ = next_text(&at, end);

    /* The bytes come from another process, so they may be damaged. */
    if (!differ)
        return;

    report->lost += strtoull(lost, NULL, 10);
    rcuinfo__report_compare_rules(report, strtoull(rules, NULL, 10), *differ == '1');

    /* A line that is cut short adds nothing. */
    while (at < end) {
        const char *fields[FIELDS];
        const char *verdict = next_text(&at, end);
        for (int field = 0; field < FIELDS; field++) {
            const char *text = next_text(&at, end);
            fields[field] = text && *text == '+' ? text + 1 : NULL;
        }

        const char *on = next_text(&at, end), *count = next_text(&at, end);
        if (count)
            (void)rcuinfo__report_add(report, (enum rcuinfo__report_verdict)strtoul(verdict, NULL, 10), fields, on,
                                      strtoull(count, NULL, 10));
    }
}
