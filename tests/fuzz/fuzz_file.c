/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Target file: any bytes are loaded as a hint file, and compared with a naive reading of the format: the same pairs, or
 * the same fault in the same place. What can be saved is saved and loads back the same; what cannot leaves no byte.
 * Inputs are short, so an input may say that a byte stands there many times.
 */
#include <rcuinfo/rcuinfo.h>

#include "fuzz/fuzz.h"
#include "support/model.h"

enum { REPEAT = 0x02, MOST = 1 << 18 };

/* The bytes of the file: those of the input, but REPEAT, a byte and a number are that byte so many times eight. */
static char *expand(struct fuzz_input *in, size_t *size)
{
    char *bytes = malloc(MOST);
    CHECK(bytes);
    *size = 0;
    while (fuzz_left(in) > 0 && *size < MOST - 8 * 256) {
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

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

/* What is wrong with a line: how far from its beginning each kind of fault is, or NONE. */
#define NONE SIZE_MAX
struct wrong {
    size_t line; /* 0: nothing is */
    size_t zero;
    size_t key;
    size_t value;
};

/* Reads one line, [from, to) without its newline; `ended`: it had one. False when it is bad. */
static bool read_line(const char *from, const char *to, bool ended, struct model *model, struct wrong *wrong)
{
    const char *start = from;
    if (ended && to > from && to[-1] == '\r')
        to--;
    while (to > from && blank(to[-1]))
        to--;
    while (from < to && blank(*from))
        from++;
    if (from == to || *from == '#')
        return true;
    const char *key = from;
    while (from < to && !blank(*from))
        from++;
    size_t key_length = (size_t)(from - key);
    while (from < to && blank(*from))
        from++;
    size_t value_length = (size_t)(to - from);
    const char *zero = memchr(key, 0, (size_t)(to - key));
    wrong->zero = zero ? (size_t)(zero - start) : NONE;
    wrong->key = key_length > 255 ? (size_t)(key - start) : NONE;
    wrong->value = value_length > 1023 ? (size_t)(from - start) : NONE;
    if (zero || key_length > 255 || value_length > 1023)
        return false;
    char *key_text = strndup(key, key_length), *value_text = strndup(from, value_length);
    CHECK(key_text && value_text);
    CHECK_OK(model_set(model, key_text, value_text));
    free(key_text);
    free(value_text);
    return true;
}

/* Reads up to the first line that is bad. */
static struct wrong read_all(const char *bytes, size_t size, struct model *model)
{
    const char *end = bytes + size;
    struct wrong wrong;
    for (wrong.line = 1; bytes < end; wrong.line++) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        if (!read_line(bytes, newline ? newline : end, newline, model, &wrong))
            return wrong;
        bytes = newline ? newline + 1 : end;
    }
    wrong.line = 0;
    return wrong;
}

/* The fault is one that the line has, though it may have others too. */
static void check_fault(const rcuinfo_fault_t *fault, const struct wrong *wrong)
{
    CHECK(fault->what && fault->line == wrong->line && fault->offset != NONE);
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
    return true; /* a line had it: only a carriage return at the end of a file has no line of its own */
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
    CHECK_OK(rcuinfo_version(info, &model->version)); /* which says nothing */
    CHECK(model_differs_from_object(model, info) == 0);
}

static void check_save(rcuinfo_t info, struct model *model)
{
    const rcuinfo_snapshot_t *snapshot;
    char *text = NULL;
    size_t size = 0;
    rcuinfo_t back;
    FILE *file = open_memstream(&text, &size);
    CHECK(file);
    CHECK_OK(rcuinfo_snapshot_open(info, &snapshot));
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t input_size)
{
    struct fuzz_input in = {data, input_size};
    rcuinfo_fault_t fault = {.what = NULL};
    struct model model;
    rcuinfo_t info = 77;
    size_t size;
    char *bytes = expand(&in, &size);
    model_init(&model);
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
    CHECK(rcuinfo_store_drain() == 0);
    model_clear(&model);
    free(bytes);
    return 0;
}
