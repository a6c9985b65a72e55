/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Target file: loads any bytes as a hint file, and compares the result with a naive parser. An info that can be saved
 * loads back unchanged; one that cannot writes nothing. The rules loader must read a valid hint file as rules for all
 * objects with the same pairs, and may accept other files only if load fails at a line with a bracket.
 */
#include <rcuinfo/rcuinfo.h>

#include "fuzz/parts.h"
#include "keys/rules.h"
#include "support/model.h"
#include "support/objects.h"

enum { REPEAT = 0x02, MOST = 1 << 18 };

/* Makes the bytes of the file. Inputs are short, so REPEAT, a byte and a number n stand for 8 n times that byte. */
static char *expand(struct fuzz_input *in, size_t *size)
{
    char *bytes = malloc(MOST);
    CHECK(bytes);
    *size = 0;
    while (in->left > 0 && *size < MOST - 8 * 256) {
        uint8_t c = fuzz_byte(in);
        size_t times = 1;
        if (c == REPEAT) {
            c = fuzz_byte(in);
            times = 8 * (size_t)fuzz_byte(in);
        }
        memset(bytes + *size, c, times);
        *size += times;
    }
    return bytes;
}

/* The faults of a line: the offset of each kind of fault, or NONE. */
#define NONE SIZE_MAX
struct wrong {
    size_t line;    /* 0: no fault */
    size_t bracket; /* at the beginning of the line; then the other three are not determined */
    size_t zero;
    size_t key;
    size_t value;
};

/* Reads one line without its line end. Returns false if it is invalid. */
static bool read_line(const char *text, size_t length, struct model *model, struct wrong *wrong)
{
    struct part line = strip((struct part){text, 0, length}), key = {text, line.begin, 0};
    if (!line.length || text[line.begin] == '#')
        return true;
    wrong->bracket = text[line.begin] == '[' ? line.begin : NONE;
    if (wrong->bracket != NONE)
        return false;
    while (key.length < line.length && !blank(text[key.begin + key.length]))
        key.length++;
    struct part value = strip((struct part){text, key.begin + key.length, line.length - key.length});
    const char *zero = memchr(text + key.begin, 0, line.length);
    wrong->zero = zero ? (size_t)(zero - text) : NONE;
    wrong->key = key.length > 255 ? key.begin : NONE;
    wrong->value = value.length > 1023 ? value.begin : NONE;
    if (zero || key.length > 255 || value.length > 1023)
        return false;
    char *key_text = strndup(text + key.begin, key.length), *value_text = strndup(text + value.begin, value.length);
    CHECK(key_text && value_text);
    CHECK_OK(model_set(model, key_text, value_text));
    free(key_text);
    free(value_text);
    return true;
}

/* Reads up to the first invalid line. */
static struct wrong read_all(const char *bytes, size_t size, struct model *model)
{
    const char *end = bytes + size;
    struct wrong wrong = {.bracket = NONE};
    for (wrong.line = 1; bytes < end; wrong.line++) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t length = (size_t)((newline ? newline : end) - bytes);
        if (newline && length && newline[-1] == '\r')
            length--;
        if (!read_line(bytes, length, model, &wrong))
            return wrong;
        bytes = newline ? newline + 1 : end;
    }
    wrong.line = 0;
    return wrong;
}

/* Checks that the line has this fault. If it begins with a bracket, any fault at or after the bracket will do. */
static void check_fault(const rcuinfo_fault_t *fault, const struct wrong *wrong)
{
    CHECK(fault->what && fault->line == wrong->line && fault->offset != NONE);
    if (wrong->bracket != NONE) {
        CHECKF(fault->offset >= wrong->bracket, "%s at %zu, before the bracket", fault->what, fault->offset);
        return;
    }
    size_t there = strstr(fault->what, "NUL") ? wrong->zero : strstr(fault->what, "key") ? wrong->key : wrong->value;
    CHECKF(fault->offset == there, "%s at %zu, not %zu", fault->what, fault->offset, there);
}

static bool can_be_saved(const struct model *model)
{
    for (size_t i = 0; i < model->count; i++) {
        const char *value = model->pairs[i].value;
        if (*value && value[strlen(value) - 1] == '\r')
            return false;
    }
    return true; /* every other pair comes from a line, so it can be written as one */
}

static rcuinfo_status_t load(const char *bytes, size_t size, rcuinfo_t *info, rcuinfo_fault_t *fault)
{
    FILE *file = fmemopen((void *)(uintptr_t)bytes, size, "r");
    CHECK(file);
    rcuinfo_status_t status = rcuinfo_load(file, info, fault);
    (void)fclose(file);
    return status;
}

static void check_same(rcuinfo_t info, struct model *model)
{
    CHECK_OK(rcuinfo_object_version(info, &model->version)); /* versions are not compared */
    CHECK(model_differs_from_object(model, info) == 0);
}

static void check_save(rcuinfo_t info, struct model *model)
{
    char *text = NULL;
    size_t size = 0;
    rcuinfo_t back;
    FILE *file = open_memstream(&text, &size);
    CHECK(file);
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    rcuinfo_status_t status = rcuinfo_save(snapshot, file, NULL);
    rcuinfo_snapshot_close(snapshot);
    (void)fclose(file);
    if (can_be_saved(model)) {
        CHECK(status == RCUINFO_SUCCESS);
        CHECK_OK(load(text, size, &back, NULL));
        check_same(back, model);
        CHECK_OK(rcuinfo_free(&back));
    } else {
        CHECK(status == RCUINFO_ERR_FORMAT && size == 0);
    }
    free(text);
}

/* Returns the number of rules for an object. Checks that each applies to it, is valid, and that they are in order. */
static size_t check_applying(const struct rcuinfo__rule *rules, rcuinfo_hint_object_t object, const char *name)
{
    const struct rcuinfo__rule *rule = NULL;
    size_t count = 0, line = 0;
    for (; (rule = rcuinfo__rules_next(rules, rule, object, name)); count++) {
        CHECK(rule->line > line && *rule->key && strlen(rule->key) <= 255 && strlen(rule->value) <= 1023);
        CHECK(rule->object == RCUINFO__OBJECT_ANY || rule->object == object);
        CHECK(!*rule->pattern || (name && rule->object == object));
        line = rule->line;
    }
    return count;
}

static void check_rules(const char *bytes, size_t size, rcuinfo_status_t loaded, const struct model *model,
                        const struct wrong *wrong)
{
    rcuinfo_fault_t fault = {.what = NULL};
    struct rcuinfo__rule *rules;
    FILE *file = fmemopen((void *)(uintptr_t)bytes, size, "r");
    CHECK(file);
    rcuinfo_status_t status = rcuinfo__rules_load(file, &rules, &fault);
    (void)fclose(file);
    if (status == RCUINFO_SUCCESS) {
        CHECK(loaded == RCUINFO_SUCCESS || wrong->bracket != NONE);
        size_t count = check_applying(rules, RCUINFO__OBJECT_ANY, NULL);
        CHECK(loaded != RCUINFO_SUCCESS || count == model->count);
        CHECK(check_applying(rules, RCUINFO_OBJECT_FILE, "a.h5") >= count);
        CHECK(check_applying(rules, RCUINFO_OBJECT_WINDOW, NULL) >= count);
    } else {
        CHECK(status == RCUINFO_ERR_FORMAT && !rules && loaded == RCUINFO_ERR_FORMAT);
        CHECK(fault.what && fault.line >= wrong->line); /* load stops there too, or at an earlier bracket */
        CHECK(fault.line == wrong->line || wrong->bracket != NONE);
    }
    rcuinfo__rules_free(rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t input_size)
{
    struct fuzz_input in = {data, input_size};
    rcuinfo_fault_t fault = {.what = NULL};
    struct model model = {0};
    rcuinfo_t info = 77;
    size_t size;
    char *bytes = expand(&in, &size);
    struct wrong wrong = read_all(bytes, size, &model);
    rcuinfo_status_t status = load(bytes, size, &info, &fault);
    if (wrong.line) {
        CHECK(status == RCUINFO_ERR_FORMAT && info == RCUINFO_NULL);
        check_fault(&fault, &wrong);
    } else {
        CHECK(status == RCUINFO_SUCCESS && !fault.what);
        check_same(info, &model);
        check_save(info, &model);
        CHECK_OK(rcuinfo_free(&info));
    }
    check_rules(bytes, size, status, &model, &wrong);
    CHECK(rcuinfo_store_drain() == 0);
    model_clear(&model);
    free(bytes);
    return 0;
}
