/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Target hint: checks any value against any row, of the standard or made up, and compares with a naive implementation:
 * whether the value is valid, its number, and the offset of the fault. Made-up rows may be invalid; whether a schema
 * accepts them is compared, too.
 */
#include <rcuinfo/rcuinfo.h>

#include "fuzz/parts.h"

enum { MOST_PARTS = LONGEST + 1 };

/* Splits a part at each separator. Returns the number of parts, at least 1. */
static size_t cut(struct part part, char separator, struct part parts[MOST_PARTS])
{
    size_t n = 0;
    parts[n] = (struct part){part.text, part.begin, 0};
    for (size_t at = part.begin; at < part.begin + part.length; at++) {
        if (part.text[at] == separator)
            parts[++n] = (struct part){part.text, at + 1, 0};
        else
            parts[n].length++;
    }
    return n + 1;
}

/* The index of a word in a list of words separated by commas, or -1. */
static int find_word(struct part part, const char *words, bool any_case)
{
    struct part all[MOST_PARTS];
    size_t n = cut((struct part){words, 0, strlen(words)}, ',', all);
    for (size_t i = 0; i < n; i++) {
        if (is(part, words + all[i].begin, all[i].length, any_case))
            return (int)i;
    }
    return -1;
}

static long judge_range(struct part part)
{
    struct part parts[MOST_PARTS];
    int64_t numbers[3] = {0, 0, 1};
    size_t n = cut(part, ':', parts);
    for (size_t i = 0; i < n; i++) {
        long wrong = i < 3 ? judge_integer(parts[i], &numbers[i]) : (long)parts[i].begin - 1;
        if (wrong != GOOD)
            return wrong;
    }
    if (n > 1 && numbers[2] == 0)
        return (long)parts[2].begin;
    bool up = numbers[1] > numbers[0], down = numbers[1] < numbers[0];
    return n > 1 && ((up && numbers[2] < 0) || (down && numbers[2] > 0)) ? (long)parts[1].begin : GOOD;
}

static long judge_kind(struct part part)
{
    struct part parts[MOST_PARTS];
    size_t n = cut(part, ':', parts);
    for (size_t i = 0; i < n; i++) {
        if (parts[i].length == 0)
            return (long)parts[i].begin;
    }
    return GOOD;
}

static long judge_element(const rcuinfo_hint_t *hint, struct part part, int64_t *number)
{
    long wrong = GOOD;
    if (hint->type == RCUINFO_TYPE_RANGE || hint->type == RCUINFO_TYPE_KIND) {
        for (size_t at = part.begin; at < part.begin + part.length; at++) {
            if (blank(part.text[at]))
                return (long)at;
        }
    }
    switch (hint->type) {
    case RCUINFO_TYPE_STRING:
        return GOOD;
    case RCUINFO_TYPE_BOOL:
        return judge_bool(part, number);
    case RCUINFO_TYPE_INT:
        wrong = judge_integer(part, number);
        if (wrong == GOOD && (hint->least || hint->most) && (*number < hint->least || *number > hint->most))
            wrong = (long)part.begin;
        return wrong;
    case RCUINFO_TYPE_CHOICE:
        *number = find_word(part, hint->allowed, hint->flags & RCUINFO_FLAG_ANY_CASE);
        return *number >= 0 ? GOOD : (long)part.begin;
    case RCUINFO_TYPE_RANGE:
        return judge_range(part);
    case RCUINFO_TYPE_KIND:
        return judge_kind(part);
    }
    CHECKF(0, "type %d", (int)hint->type);
    return GOOD;
}

/* Returns GOOD, or the offset of the fault. *has_number: whether the type has a number; also set for invalid values. */
static long judge(const rcuinfo_hint_t *hint, const char *value, int64_t *number, bool *has_number)
{
    struct part all = strip((struct part){value, 0, strlen(value)}), parts[MOST_PARTS];
    bool list = hint->flags & RCUINFO_FLAG_LIST, any_case = hint->flags & RCUINFO_FLAG_ANY_CASE;
    int64_t sum = 0, one = 0;
    *has_number = hint->type == RCUINFO_TYPE_CHOICE ||
                  (!list && (hint->type == RCUINFO_TYPE_BOOL || hint->type == RCUINFO_TYPE_INT));
    if (!list)
        return judge_element(hint, all, number);
    bool nothing = all.length == 0 || (hint->alone && is(all, hint->alone, strlen(hint->alone), any_case));
    size_t n = nothing ? 0 : cut((struct part){value, 0, strlen(value)}, ',', parts);
    for (size_t i = 0; i < n; i++) {
        long wrong = judge_element(hint, strip(parts[i]), &one);
        if (wrong != GOOD)
            return wrong;
        if (hint->type == RCUINFO_TYPE_CHOICE && !(sum >> one & 1))
            sum += INT64_C(1) << one;
    }
    *number = sum;
    return GOOD;
}

static bool good_word(struct part part)
{
    return part.length > 0 && strip(part).length == part.length;
}

/* Whether a row is valid, apart from its default. */
static bool judge_row(const rcuinfo_hint_t *hint)
{
    struct part parts[MOST_PARTS];
    bool choice = hint->type == RCUINFO_TYPE_CHOICE;
    if (hint->flags >= 32 || hint->type > RCUINFO_TYPE_KIND || hint->least > hint->most)
        return false;
    if (!choice && (hint->flags & RCUINFO_FLAG_ANY_CASE || hint->alone))
        return false;
    if (!choice)
        return true;
    size_t n = hint->allowed ? cut((struct part){hint->allowed, 0, strlen(hint->allowed)}, ',', parts) : 0;
    for (size_t i = 0; i < n; i++) {
        if (!good_word(parts[i]))
            return false;
    }
    if (n < 1 || n > 63 || !hint->alone)
        return n >= 1 && n <= 63;
    struct part alone = {hint->alone, 0, strlen(hint->alone)};
    return hint->flags & RCUINFO_FLAG_LIST && good_word(alone) && !strchr(hint->alone, ',') &&
           find_word(alone, hint->allowed, hint->flags & RCUINFO_FLAG_ANY_CASE) < 0;
}

static void check_value(const rcuinfo_hint_t *hint, const char *value)
{
    bool has_number = false;
    int64_t number = 77, wanted = 77;
    rcuinfo_fault_t fault = {0};
    rcuinfo_status_t status = rcuinfo_hint_check(hint, value, &number, &fault);
    if (strlen(value) >= RCUINFO_MAX_VALUE) {
        CHECK(status == RCUINFO_ERR_VALUE && number == 77 && !fault.what);
        return;
    }
    long wrong = judge(hint, value, &wanted, &has_number);
    CHECKF(status == (wrong == GOOD ? RCUINFO_SUCCESS : RCUINFO_ERR_TYPE), "\"%s\": %d, %ld", value, (int)status,
           wrong);
    CHECK_STATUS(rcuinfo_hint_check(hint, value, NULL, NULL), status);
    CHECK(number == (wrong == GOOD && has_number ? wanted : 77));
    CHECK(!fault.what == (wrong == GOOD));
    CHECKF(wrong == GOOD || fault.offset == (size_t)wrong, "\"%s\": byte %zu, not %ld", value, fault.offset, wrong);
    CHECK(fault.line == 0);
}

/* Takes a text of the input, or makes one of words and separators that occur in values. */
static char *take_text(struct fuzz_input *in)
{
    static const char *const words[] = {",",    ":",      " ",     "\t",
                                        "-",    "+",      "0",     "1",
                                        "true", "false",  "rar",   "raw",
                                        "none", "war",    "waw",   "9223372036854775807",
                                        "12",   "mpi",    "x",     "NONE",
                                        "Raw",  "system", "cuda",  ",,",
                                        "::",   ", ",     "a,b,c", "9223372036854775808",
                                        "-1",   "100",    "b,c",   "A",
                                        "\xc4", "\xe4"};
    size_t n = fuzz_size(in, 2);
    if (n & 1)
        return fuzz_text(in, n % LONGEST);
    char *text = calloc(LONGEST + 1, 1);
    CHECK(text);
    for (size_t used = 0, length; (n /= 2) % 64; used += length) {
        const char *word = words[fuzz_byte(in) % (sizeof words / sizeof *words)];
        length = strlen(word);
        if (used + length > LONGEST)
            break;
        memcpy(text + used, word, length);
    }
    return text;
}

static int64_t take_limit(struct fuzz_input *in)
{
    int64_t limit = (int64_t)fuzz_number(in, 8);
    return limit >> (fuzz_byte(in) % 64);
}

/* Takes a row of the input. The caller frees its texts. */
static rcuinfo_hint_t take_row(struct fuzz_input *in, char *texts[3])
{
    uint8_t given = fuzz_byte(in);
    rcuinfo_hint_t row = {.key = "key"};
    for (unsigned i = 0; i < 3; i++)
        texts[i] = given >> i & 1 ? take_text(in) : NULL;
    row.type = (rcuinfo_hint_type_t)(fuzz_byte(in) % 7);
    row.flags = fuzz_byte(in) % 36;
    row.allowed = texts[0];
    row.alone = texts[1];
    row.initial = texts[2];
    if (given & 8) {
        row.least = take_limit(in);
        row.most = take_limit(in);
    }
    return row;
}

/* The status that creating a schema of the row must return. */
static rcuinfo_status_t wanted_status(const rcuinfo_hint_t *row)
{
    bool has_number;
    int64_t number;
    if (!judge_row(row))
        return RCUINFO_ERR_TYPE;
    if (row->initial &&
        (strlen(row->initial) >= RCUINFO_MAX_VALUE || judge(row, row->initial, &number, &has_number) != GOOD))
        return RCUINFO_ERR_VALUE;
    return RCUINFO_SUCCESS;
}

static void check_made_up(struct fuzz_input *in)
{
    char *texts[3], *value;
    rcuinfo_hint_t row = take_row(in, texts);
    rcuinfo_schema_t *schema = NULL;
    size_t failed = 77, at = 77;
    rcuinfo_status_t wanted = wanted_status(&row);
    CHECK_STATUS(rcuinfo_schema_create(NULL, &row, 1, &schema, &failed), wanted);
    CHECK((wanted == RCUINFO_SUCCESS) == !!schema && failed == (schema ? 77 : 0));
    while (schema && in->left) {
        CHECK_OK(rcuinfo_schema_find(schema, "key", &at));
        value = take_text(in);
        check_value(rcuinfo_schema_row(schema, at), value);
        free(value);
    }
    rcuinfo_schema_free(&schema);
    for (unsigned i = 0; i < 3; i++)
        free(texts[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    if (fuzz_byte(&in) & 1) {
        check_made_up(&in);
        return 0;
    }
    while (in.left) {
        size_t n = 0;
        rcuinfo_hint_object_t object = (rcuinfo_hint_object_t)(fuzz_byte(&in) % RCUINFO_OBJECT_COUNT);
        const rcuinfo_hint_t *rows = rcuinfo_hint_standard(object, &n);
        const rcuinfo_hint_t *row = &rows[fuzz_byte(&in) % n];
        char *value = take_text(&in);
        check_value(row, value);
        free(value);
    }
    return 0;
}
