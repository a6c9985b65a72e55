/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report: see report.h. Lines are found by a hash of their fields, and each is one allocation with its texts; where
 * processes saw it, is a list of spans in ascending order.
 */
#include "hints/report.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "hints/library.h"

enum { BUCKETS = 256, FIELDS = RCUINFO__REPORT_FIELDS, NUMBER = 24 /* bytes of one in decimal */ };

struct span {
    long first;
    long last;
    struct span *next;
};

struct line {
    const char *fields[FIELDS];
    struct span *on;
    uint64_t count;
    struct line *next; /* in the order of their coming */
    struct line *same_bucket;
    void *changed[FIELDS]; /* memory of fields that were replaced */
    char text[];
};

struct rcuinfo__report {
    struct line *first;
    struct line **end;
    struct line *buckets[BUCKETS];
    size_t n;
    size_t most;
    uint64_t lost; /* additions */
    uint64_t rules;
    bool rules_differ;
};

const char *rcuinfo__report_name(enum rcuinfo__report_field field)
{
    static const char *const names[FIELDS] = {
        [RCUINFO__REPORT_VERDICT] = "verdict", [RCUINFO__REPORT_KEY] = "key",
        [RCUINFO__REPORT_GIVEN] = "given",     [RCUINFO__REPORT_IN_USE] = "in_use",
        [RCUINFO__REPORT_OBJECT] = "object",   [RCUINFO__REPORT_NAME] = "name",
        [RCUINFO__REPORT_GROUP] = "group",     [RCUINFO__REPORT_FUNCTION] = "function",
        [RCUINFO__REPORT_PLACE] = "place",     [RCUINFO__REPORT_SOURCE] = "source",
        [RCUINFO__REPORT_SECTION] = "section", [RCUINFO__REPORT_NOTE] = "note",
    };
    return names[field];
}

const char *rcuinfo__report_verdict(enum rcuinfo__report_verdict verdict)
{
    static const char *const verdicts[RCUINFO__REPORT_VERDICTS] = {
        [RCUINFO__REPORT_DIFFERS] = "differs between processes",
        [RCUINFO__REPORT_BAD_VALUE] = "bad value",
        [RCUINFO__REPORT_UNKNOWN] = "unknown key",
        [RCUINFO__REPORT_LEFT] = "not handed down",
        [RCUINFO__REPORT_IGNORED] = "ignored",
        [RCUINFO__REPORT_CHANGED] = "changed",
        [RCUINFO__REPORT_CANNOT_KNOW] = "cannot be known",
        [RCUINFO__REPORT_TAKEN] = "taken",
    };
    return verdicts[verdict];
}

struct rcuinfo__report *rcuinfo__report_create(size_t most)
{
    struct rcuinfo__report *report = rcuinfo__alloc(sizeof *report);
    if (!report)
        return NULL;
    *report = (struct rcuinfo__report){.most = most};
    report->end = &report->first;
    return report;
}

static void free_spans(struct span *list)
{
    while (list) {
        struct span *next = list->next;
        rcuinfo__alloc_free(list);
        list = next;
    }
}

static void free_line(struct line *line)
{
    free_spans(line->on);
    for (int field = 0; field < FIELDS; field++)
        rcuinfo__alloc_free(line->changed[field]);
    rcuinfo__alloc_free(line);
}

void rcuinfo__report_free(struct rcuinfo__report *report)
{
    if (!report)
        return;
    for (struct line *line = report->first; line;) {
        struct line *next = line->next;
        free_line(line);
        line = next;
    }
    rcuinfo__alloc_free(report);
}

/* Adds the processes first to last to a list. */
static bool add_span(struct span **list, long first, long last)
{
    struct span **at = list;
    while (*at && (*at)->last < first - 1)
        at = &(*at)->next;
    if (!*at || (*at)->first > last + 1) {
        struct span *made = rcuinfo__alloc(sizeof *made);
        if (!made)
            return false;
        *made = (struct span){first, last, *at};
        *at = made;
        return true;
    }
    struct span *span = *at; /* it meets the new one, and so may those behind it */
    span->first = first < span->first ? first : span->first;
    span->last = last > span->last ? last : span->last;
    while (span->next && span->next->first <= span->last + 1) {
        struct span *met = span->next;
        span->last = met->last > span->last ? met->last : span->last;
        span->next = met->next;
        rcuinfo__alloc_free(met);
    }
    return true;
}

/* The next span of a list, with what is behind it in *on; false: it is none. */
static bool read_span(const char **on, struct span *span)
{
    char *end;
    span->first = span->last = strtol(*on, &end, 10);
    bool is_one = end != *on;
    if (is_one && *end == '-') {
        *on = end + 1;
        span->last = strtol(*on, &end, 10);
        is_one = end != *on;
    }
    is_one = is_one && span->first >= 0 && span->last >= span->first && span->last < INT_MAX && (!*end || *end == ',');
    *on = *end ? end + 1 : end;
    return is_one;
}

/* Adds all of a list; what is none adds nothing. */
static bool add_list(struct span **list, const char *on)
{
    struct span span;
    const char *at = on;
    do {
        if (!read_span(&at, &span))
            return false;
    } while (*at);
    do {
        if (!read_span(&on, &span) || !add_span(list, span.first, span.last))
            return false;
    } while (*on);
    return true;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static unsigned bucket_of(const char *const fields[FIELDS])
{
    unsigned hash = 5381;
    for (int field = 0; field < FIELDS; field++) {
        for (const char *c = fields[field] ? fields[field] : ""; *c; c++)
            hash = hash * 33 + (unsigned char)*c;
    }
    return hash % BUCKETS;
}

static struct line *find_line(struct line *bucket, const char *const fields[FIELDS])
{
    struct line *line = bucket;
    for (; line; line = line->same_bucket) {
        int field = 0;
        while (field < FIELDS && same_text(line->fields[field], fields[field]))
            field++;
        if (field == FIELDS)
            break;
    }
    return line;
}

static struct line *make_line(const char *const fields[FIELDS])
{
    size_t size = sizeof(struct line);
    for (int field = 0; field < FIELDS; field++)
        size += fields[field] ? strlen(fields[field]) + 1 : 0;
    struct line *line = rcuinfo__alloc(size);
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

bool rcuinfo__report_add(struct rcuinfo__report *report, const char *const fields[FIELDS], const char *on,
                         uint64_t count)
{
    bool is_whole = fields[RCUINFO__REPORT_VERDICT] && fields[RCUINFO__REPORT_KEY] && fields[RCUINFO__REPORT_GIVEN];
    const char *nameless[FIELDS];
    size_t most = report->most;
    if (report->n >= most && !find_line(report->buckets[bucket_of(fields)], fields)) {
        /* All objects that come from now on are one; there is some room left for such lines. */
        memcpy(nameless, fields, sizeof nameless);
        nameless[RCUINFO__REPORT_NAME] = nameless[RCUINFO__REPORT_GROUP] = NULL;
        fields = nameless;
        most += most / 4;
    }
    struct line **bucket = &report->buckets[bucket_of(fields)];
    struct line *line = find_line(*bucket, fields);
    struct line *made = line || !is_whole || report->n >= most ? NULL : make_line(fields);
    if (made)
        line = made;
    if (!line || !add_list(&line->on, on)) {
        report->lost += count;
        if (made)
            free_line(made);
        return false;
    }
    line->count += count;
    if (made) {
        made->same_bucket = *bucket;
        *bucket = made;
        *report->end = made;
        report->end = &made->next;
        report->n++;
    }
    return true;
}

void rcuinfo__report_compare_rules(struct rcuinfo__report *report, uint64_t rules)
{
    report->rules_differ |= rules != report->rules;
}

void rcuinfo__report_lose(struct rcuinfo__report *report, uint64_t lost)
{
    report->lost += lost;
}

bool rcuinfo__report_is_empty(const struct rcuinfo__report *report)
{
    return report->n == 0 && report->lost == 0;
}

void rcuinfo__report_change(struct rcuinfo__report *report, enum rcuinfo__report_field field,
                            char *(*change)(void *context, const char *text), void *context)
{
    for (struct line *line = report->first; line; line = line->next) {
        char *text = line->fields[field] ? change(context, line->fields[field]) : NULL;
        if (text)
            line->fields[field] = line->changed[field] = text;
    }
}

void rcuinfo__report_sign(struct rcuinfo__report *report, long process, uint64_t rules)
{
    report->rules = rules;
    for (struct line *line = report->first; line; line = line->next)
        line->on->first = line->on->last = process;
}

/* The list as text, at most so many bytes of it with the NUL; returns how long it is, as snprintf. */
static size_t print_list(const struct span *list, char *text, size_t size)
{
    size_t length = 0;
    for (const struct span *span = list; span; span = span->next) {
        char one[2 * NUMBER];
        int n = span->first == span->last ? snprintf(one, sizeof one, "%ld", span->first)
                                          : snprintf(one, sizeof one, "%ld-%ld", span->first, span->last);
        if (length + (size_t)n + (span->next != NULL) < size)
            snprintf(text + length, size - length, "%s%s", one, span->next ? "," : "");
        length += (size_t)n + (span->next != NULL);
    }
    return length;
}

/* Packed: of each line its fields, each "+text" or "-", its processes and its count; in front what is lost, and the
 * digest of the rules. Each with a NUL behind it. */
static size_t packed_size(const struct rcuinfo__report *report)
{
    size_t size = 2 * NUMBER;
    for (const struct line *line = report->first; line; line = line->next) {
        for (int field = 0; field < FIELDS; field++)
            size += 2 + (line->fields[field] ? strlen(line->fields[field]) : 0);
        size += print_list(line->on, NULL, 0) + 2 + NUMBER;
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
    for (const struct line *line = report->first; line; line = line->next) {
        for (int field = 0; field < FIELDS; field++) {
            const char *text = line->fields[field];
            *at++ = text ? '+' : '-';
            at = stpcpy(at, text ? text : "") + 1;
        }
        size_t length = print_list(line->on, at, room - (size_t)(at - bytes));
        at += length + 1;
        at += snprintf(at, NUMBER, "%" PRIu64, line->count) + 1;
    }
    *size = (size_t)(at - bytes);
    return bytes;
}

/* The next text of a package, NULL behind its end. */
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
    const char *lost = next_text(&at, end), *rules = next_text(&at, end);
    if (!rules)
        return;
    report->lost += strtoull(lost, NULL, 10);
    rcuinfo__report_compare_rules(report, strtoull(rules, NULL, 10));
    while (at < end) {
        const char *fields[FIELDS];
        for (int field = 0; field < FIELDS; field++) {
            const char *text = next_text(&at, end);
            fields[field] = text && *text == '+' ? text + 1 : NULL;
        }
        const char *on = next_text(&at, end), *count = next_text(&at, end);
        if (count)
            (void)rcuinfo__report_add(report, fields, on, strtoull(count, NULL, 10));
    }
}

/* The object by its name in the report. */
static rcuinfo_hint_object_t object_of(const char *name)
{
    int object = 0;
    while (object < RCUINFO_HINT_OBJECTS && !same_text(rcuinfo_hint_object_name((rcuinfo_hint_object_t)object), name))
        object++;
    return (rcuinfo_hint_object_t)object;
}

/* Whether two lines tell of one hint of one object, whatever its value is. */
static bool same_hint(const struct line *a, const struct line *b)
{
    static const enum rcuinfo__report_field fields[] = {RCUINFO__REPORT_KEY,   RCUINFO__REPORT_OBJECT,
                                                        RCUINFO__REPORT_NAME,  RCUINFO__REPORT_GROUP,
                                                        RCUINFO__REPORT_PLACE, RCUINFO__REPORT_FUNCTION};
    for (size_t n = 0; n < sizeof fields / sizeof *fields; n++) {
        if (!same_text(a->fields[fields[n]], b->fields[fields[n]]))
            return false;
    }
    return true;
}

static uint64_t length_of(const struct span *list)
{
    uint64_t n = 0;
    for (const struct span *span = list; span; span = span->next)
        n += (uint64_t)(span->last - span->first) + 1;
    return n;
}

/* Whether no process is in both. */
static bool are_apart(const struct span *a, const struct span *b)
{
    while (a && b && (a->last < b->first || b->last < a->first)) {
        if (a->last < b->first)
            a = a->next;
        else
            b = b->next;
    }
    return !a || !b;
}

/* The line of the value that most processes have given, where others have given another; NULL: none have. A process may
 * change its mind: what one has given at two times is no difference between processes. */
static const struct line *majority_of(const struct rcuinfo__report *report, const struct line *line)
{
    const char *left = rcuinfo__report_verdict(RCUINFO__REPORT_LEFT);
    const struct line *most = line;
    bool differs = false;
    for (const struct line *other = report->first; other; other = other->next) {
        if (same_text(line->fields[RCUINFO__REPORT_GIVEN], other->fields[RCUINFO__REPORT_GIVEN]) ||
            !same_hint(line, other) || !are_apart(line->on, other->on) ||
            same_text(other->fields[RCUINFO__REPORT_VERDICT], left))
            continue;
        differs = true;
        if (length_of(other->on) > length_of(most->on))
            most = other;
    }
    return differs ? most : NULL;
}

/* Says in a line of a minority what most have. */
static void note_majority(struct line *line, const struct line *most)
{
    char on[64];
    if (print_list(most->on, on, sizeof on) >= sizeof on)
        strcpy(on, "most");
    size_t size = strlen(most->fields[RCUINFO__REPORT_GIVEN]) + sizeof on + sizeof "'' on ";
    char *note = rcuinfo__alloc(size);
    if (!note)
        return;
    snprintf(note, size, "'%s' on %s", most->fields[RCUINFO__REPORT_GIVEN], on);
    rcuinfo__alloc_free(line->changed[RCUINFO__REPORT_NOTE]);
    line->fields[RCUINFO__REPORT_NOTE] = line->changed[RCUINFO__REPORT_NOTE] = note;
}

/* How many processes have given the hint, with whatever value; UINT64_MAX: nobody can say. */
static uint64_t givers_of(const struct rcuinfo__report *report, const struct line *line)
{
    struct span *on = NULL;
    bool is_known = report->lost == 0;
    for (const struct line *other = report->first; other; other = other->next) {
        for (const struct span *span = other->on; span && same_hint(line, other); span = span->next)
            is_known = add_span(&on, span->first, span->last) && is_known;
    }
    uint64_t givers = is_known ? length_of(on) : UINT64_MAX;
    free_spans(on);
    return givers;
}

/* Processes of a group; 0: not known. */
static uint64_t size_of(const char *group)
{
    const char *plus = strchr(group, '+');
    return plus ? strtoull(plus + 1, NULL, 10) : 0;
}

static void note(struct line *line, const char *format, uint64_t a, uint64_t b)
{
    char *text = rcuinfo__alloc(strlen(format) + 2 * NUMBER);
    if (!text)
        return;
    sprintf(text, format, a, b);
    rcuinfo__alloc_free(line->changed[RCUINFO__REPORT_NOTE]);
    line->fields[RCUINFO__REPORT_NOTE] = line->changed[RCUINFO__REPORT_NOTE] = text;
}

/* Finds what the standard wants to be the same on all processes of an object, and is not: another value, or none.
 * `processes` are here; of an object that has more, nobody knows what the others have given. */
static void judge(struct rcuinfo__report *report, long processes)
{
    for (struct line *line = report->first; line; line = line->next) {
        const rcuinfo_hint_t *row =
            rcuinfo__hint_row(object_of(line->fields[RCUINFO__REPORT_OBJECT]), line->fields[RCUINFO__REPORT_KEY]);
        bool is_same = row && (row->flags & RCUINFO_HINT_SAME) && line->fields[RCUINFO__REPORT_GROUP] &&
                       !same_text(line->fields[RCUINFO__REPORT_VERDICT], rcuinfo__report_verdict(RCUINFO__REPORT_LEFT));
        const struct line *most = is_same ? majority_of(report, line) : NULL;
        if (most)
            line->fields[RCUINFO__REPORT_VERDICT] = rcuinfo__report_verdict(RCUINFO__REPORT_DIFFERS);
        if (most && most != line)
            note_majority(line, most);
        uint64_t size = is_same && !most ? size_of(line->fields[RCUINFO__REPORT_GROUP]) : 0;
        uint64_t givers = size > 1 && size <= (uint64_t)processes ? givers_of(report, line) : UINT64_MAX;
        if (givers < size) {
            line->fields[RCUINFO__REPORT_VERDICT] = rcuinfo__report_verdict(RCUINFO__REPORT_DIFFERS);
            note(line, "given by %" PRIu64 " of its %" PRIu64 " processes", givers, size);
        }
    }
}

static int order_of(const struct line *line)
{
    int verdict = 0;
    while (verdict < RCUINFO__REPORT_VERDICTS &&
           !same_text(line->fields[RCUINFO__REPORT_VERDICT],
                      rcuinfo__report_verdict((enum rcuinfo__report_verdict)verdict)))
        verdict++;
    return verdict;
}

/* What belongs together, and in what order. Names come last: lines that differ in these alone are shown as one. */
static const enum rcuinfo__report_field sorted_by[] = {
    RCUINFO__REPORT_OBJECT,   RCUINFO__REPORT_KEY,   RCUINFO__REPORT_GIVEN,  RCUINFO__REPORT_IN_USE,
    RCUINFO__REPORT_FUNCTION, RCUINFO__REPORT_PLACE, RCUINFO__REPORT_SOURCE, RCUINFO__REPORT_SECTION,
    RCUINFO__REPORT_NOTE,     RCUINFO__REPORT_NAME,  RCUINFO__REPORT_GROUP,
};
enum { SORTED = sizeof sorted_by / sizeof *sorted_by, SHOWN = SORTED - 2 };

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int compare_up_to(const struct line *a, const struct line *b, int fields)
{
    int difference = order_of(a) - order_of(b);
    for (int n = 0; n < fields && difference == 0; n++)
        difference = compare_texts(a->fields[sorted_by[n]], b->fields[sorted_by[n]]);
    return difference;
}

static int compare_lines(const void *a, const void *b)
{
    return compare_up_to(*(struct line *const *)a, *(struct line *const *)b, SORTED);
}

/* All lines in their order; NULL: no memory. */
static struct line **sorted(const struct rcuinfo__report *report)
{
    struct line **lines = rcuinfo__alloc((report->n + 1) * sizeof *lines);
    size_t n = 0;
    if (!lines)
        return NULL;
    for (struct line *line = report->first; line; line = line->next)
        lines[n++] = line;
    qsort(lines, n, sizeof *lines, compare_lines);
    return lines;
}

enum { VERDICT, KEY, VALUE, ON, OBJECT, COLUMNS, COLUMN = 48 /* bytes of a column at most */ };

/* A line of the table: lines that are the same but for the object's name. */
struct row {
    char columns[COLUMNS][COLUMN];
    const struct line *line;
    uint64_t count;
    uint64_t processes;
};

/* Text for a column: what cannot be shown becomes a question mark, what is too long ends with dots. */
static void fill(char column[COLUMN], const char *text)
{
    size_t n = 0;
    for (; text[n] && n < COLUMN - 1; n++)
        column[n] = (unsigned char)text[n] < ' ' || text[n] == 127 ? '?' : text[n];
    column[n] = '\0';
    if (text[n])
        memcpy(column + COLUMN - 4, "...", 4);
}

static void fill_value(char column[COLUMN], const struct line *line)
{
    const char *given = line->fields[RCUINFO__REPORT_GIVEN], *in_use = line->fields[RCUINFO__REPORT_IN_USE];
    char text[4 * COLUMN];
    if (!in_use || same_text(given, in_use))
        snprintf(text, sizeof text, "%s", given ? given : "");
    else
        snprintf(text, sizeof text, "%.*s -> %s", 2 * COLUMN, given ? given : "", in_use);
    fill(column, text);
}

static void fill_object(char column[COLUMN], const struct line *line, size_t names)
{
    const char *object = line->fields[RCUINFO__REPORT_OBJECT], *name = line->fields[RCUINFO__REPORT_NAME];
    char text[4 * COLUMN], more[NUMBER + 16] = "";
    if (names > 1)
        snprintf(more, sizeof more, " and %zu more", names - 1);
    int room = COLUMN - 1 - (int)strlen(more) - (int)strlen(object ? object : "") - 1;
    room = room < 3 ? 3 : room; /* of the dots */
    size_t length = name ? strlen(name) : 0;
    bool is_cut = (int)length > room; /* of a path the end tells more */
    snprintf(text, sizeof text, "%s%s%s%s%s", object ? object : "", name ? " " : "", is_cut ? "..." : "",
             name ? name + (is_cut ? (int)length - room + 3 : 0) : "", more);
    fill(column, text);
}

/* Makes a row of the lines that begin with lines[0]; returns how many they are. */
static size_t make_row(struct line *const *lines, size_t n, long processes, struct row *row)
{
    struct span *on = NULL;
    size_t names = 0, used = 0;
    char text[4 * COLUMN];
    bool is_known = true;
    row->line = lines[0];
    row->count = 0;
    for (; used < n && compare_up_to(lines[0], lines[used], SHOWN) == 0; used++) {
        names += used == 0 ||
                 !same_text(lines[used - 1]->fields[RCUINFO__REPORT_NAME], lines[used]->fields[RCUINFO__REPORT_NAME]);
        row->count += lines[used]->count;
        for (const struct span *span = lines[used]->on; span; span = span->next)
            is_known &= add_span(&on, span->first, span->last);
    }
    row->processes = is_known ? length_of(on) : row->count;
    if (!is_known)
        strcpy(text, "?"); /* no memory */
    else if (!on->next && on->first == 0 && on->last == processes - 1)
        strcpy(text, "all");
    else
        (void)print_list(on, text, sizeof text);
    fill(row->columns[VERDICT], lines[0]->fields[RCUINFO__REPORT_VERDICT]);
    fill(row->columns[KEY], lines[0]->fields[RCUINFO__REPORT_KEY]);
    fill_value(row->columns[VALUE], lines[0]);
    fill(row->columns[ON], text);
    fill_object(row->columns[OBJECT], lines[0], names);
    free_spans(on);
    return used;
}

/* Text behind the columns: of any length, else as there. */
static void print_text(const char *before, const char *text, const char *behind, FILE *file)
{
    fputs(before, file);
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' || *text == 127 ? '?' : *text, file);
    fputs(behind, file);
}

static void print_row(const struct row *row, const int widths[COLUMNS], FILE *file)
{
    const char *const *fields = row->line->fields;
    for (int column = 0; column < COLUMNS; column++)
        fprintf(file, "%-*s  ", widths[column], row->columns[column]);
    if (fields[RCUINFO__REPORT_FUNCTION])
        print_text("", fields[RCUINFO__REPORT_FUNCTION], "", file);
    if (fields[RCUINFO__REPORT_PLACE])
        print_text(" at ", fields[RCUINFO__REPORT_PLACE], "", file);
    if (row->count > row->processes && row->count % row->processes == 0)
        fprintf(file, ", %" PRIu64 " times%s", row->count / row->processes, row->processes > 1 ? " each" : "");
    else if (row->count > row->processes)
        fprintf(file, ", %" PRIu64 " times in all", row->count);
    if (fields[RCUINFO__REPORT_SOURCE])
        print_text(", from ", fields[RCUINFO__REPORT_SOURCE], "", file);
    if (fields[RCUINFO__REPORT_SECTION])
        print_text(" (", fields[RCUINFO__REPORT_SECTION], ")", file);
    if (fields[RCUINFO__REPORT_NOTE])
        print_text("; ", fields[RCUINFO__REPORT_NOTE], "", file);
    fputc('\n', file);
}

void rcuinfo__report_print(struct rcuinfo__report *report, long processes, size_t most, FILE *file)
{
    static const char *const titles[COLUMNS] = {"verdict", "key", "value", "processes", "object"};
    int widths[COLUMNS];
    struct row row;
    judge(report, processes);
    struct line **lines = sorted(report);
    if (!lines)
        return;
    for (int column = 0; column < COLUMNS; column++)
        widths[column] = (int)strlen(titles[column]);
    size_t rows = 0;
    for (size_t n = 0; n < report->n; rows++) {
        n += make_row(lines + n, report->n - n, processes, &row);
        for (int column = 0; column < COLUMNS; column++) {
            int width = (int)strlen(row.columns[column]);
            widths[column] = width > widths[column] ? width : widths[column];
        }
    }
    if (rows == 0 && report->lost == 0) {
        fprintf(file, "rcuinfo: no hints were given by %ld process%s\n", processes, processes == 1 ? "" : "es");
        rcuinfo__alloc_free(lines);
        return;
    }
    fprintf(file, "rcuinfo: hints of %ld process%s\n", processes, processes == 1 ? "" : "es");
    for (int column = 0; column < COLUMNS; column++)
        fprintf(file, "%-*s  ", widths[column], titles[column]);
    fputs("call\n", file);
    size_t shown = most > 0 && rows > most ? most : rows;
    for (size_t n = 0, done = 0; done < shown; done++) {
        n += make_row(lines + n, report->n - n, processes, &row);
        print_row(&row, widths, file);
    }
    if (shown < rows)
        fprintf(file, "... and %zu more\n", rows - shown);
    if (report->rules_differ)
        fputs("The processes have read different hint files.\n", file);
    if (report->lost > 0)
        fprintf(file, "... and %" PRIu64 " that there was no room for\n", report->lost);
    rcuinfo__alloc_free(lines);
}

/* The bytes of the character of UTF-8 at `text`; 0: it is none. */
static int character_length(const unsigned char *text)
{
    int length = *text < 0x80                    ? 1
                 : *text >= 0xc2 && *text < 0xe0 ? 2
                 : (*text & 0xf0) == 0xe0        ? 3
                 : *text >= 0xf0 && *text < 0xf5 ? 4
                                                 : 0;
    for (int n = 1; n < length; n++) {
        if ((text[n] & 0xc0) != 0x80)
            return 0;
    }
    bool is_none = length > 2 && ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
                                  (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f));
    return is_none ? 0 : length;
}

/* A library that is loaded into every process brings no JSON library along, which might meet the program's own. */
static void write_string(const char *text, FILE *file)
{
    const unsigned char *at = (const unsigned char *)text;
    fputc('"', file);
    while (*at) {
        int length = character_length(at);
        if (length == 0)
            fputs("\\ufffd", file);
        else if (*at < ' ' || *at == 127)
            fprintf(file, "\\u%04x", *at);
        else if (*at == '"' || *at == '\\')
            fprintf(file, "\\%c", *at);
        else
            fwrite(at, 1, (size_t)length, file);
        at += length > 0 ? length : 1;
    }
    fputc('"', file);
}

void rcuinfo__report_write_json(struct rcuinfo__report *report, long processes, FILE *file)
{
    judge(report, processes);
    struct line **lines = sorted(report);
    if (!lines)
        return;
    fprintf(file, "{\"processes\": %ld, \"lost\": %" PRIu64 ", \"rules\": \"%" PRIu64 "\", \"hints\": [", processes,
            report->lost, report->rules);
    for (size_t n = 0; n < report->n; n++) {
        fprintf(file, "%s\n{", n ? "," : "");
        for (int field = 0; field < FIELDS; field++) {
            const char *text = lines[n]->fields[field];
            fprintf(file, "\"%s\": ", rcuinfo__report_name((enum rcuinfo__report_field)field));
            if (text)
                write_string(text, file);
            else
                fputs("null", file);
            fputs(", ", file);
        }
        fputs("\"on\": \"", file);
        for (const struct span *span = lines[n]->on; span; span = span->next) {
            fprintf(file, "%ld", span->first);
            if (span->last > span->first)
                fprintf(file, "-%ld", span->last);
            if (span->next)
                fputc(',', file);
        }
        fprintf(file, "\", \"count\": %" PRIu64 "}", lines[n]->count);
    }
    fputs("\n]}\n", file);
    rcuinfo__alloc_free(lines);
}
