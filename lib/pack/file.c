/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * file: hint files, read and written. How a line looks is known to line.h alone: what is to be written is taken apart
 * by it as well, before the first byte is, so what it would not read back as it was is never written.
 *
 * A line may have any number of blanks, and any comment, but memory has a bound: of each run of blanks no more is kept
 * than makes a value too long, and of a line no more than can have a pair, or what is wrong with it. The object is made
 * when all pairs are there.
 *
 * Invariant: on return the file is unlocked, the thread's cancellation state as it was, and errno too but on ERR_IO.
 * The file is never locked while an object is written to, which may wait for a grace period, and so for a reader that
 * wants the file.
 */
#include <rcuinfo/pack.h>

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "core/alloc.h"
#include "core/layer.h"
#include "core/object.h"
#include "pack/file.h"

/* Blanks kept of a run: inside of a value they make it too long. */
#define RUN RCUINFO_MAX_VALUE
/* Bytes kept of a line: the longest section, which has such runs before, in and behind its brackets and its words, and
 * the line's end; no pair has more, imposed or not. So where more is left out than blanks and comment, the key or the
 * value that is kept is too long. */
#define KEPT (5 * RUN + (RCUINFO_MAX_KEY - 1) + (RCUINFO_MAX_VALUE - 1) + 2 + 2)

/* What a call leaves as it found it: it is not cancelled where it waits for a file. */
struct manners {
    int cancel_state;
    int left_errno; /* that of the beginning, unless the file fails */
};

static struct manners manners_begin(void)
{
    struct manners manners = {.left_errno = errno};
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &manners.cancel_state);
    return manners;
}

static void manners_end(const struct manners *manners)
{
    pthread_setcancelstate(manners->cancel_state, NULL);
    errno = manners->left_errno;
}

/* Blanks that were left out of a line: how many, and how much is kept of what is before them. */
struct cut {
    size_t at;
    size_t blanks;
};

struct reader {
    FILE *file;
    struct manners manners;
    bool failed; /* reading has */

    size_t kept; /* of the line */
    size_t run;  /* blanks at its end */
    size_t cuts_n;
    struct cut cuts[KEPT / RUN + 1];
    char line[KEPT + 1];
};

static void keep(struct reader *reader, char c)
{
    reader->run = rcuinfo__text_blank(c) ? reader->run + 1 : 0;
    if (reader->kept == KEPT)
        return;
    if (reader->run <= RUN) {
        reader->line[reader->kept++] = c;
        return;
    }
    if (reader->run == RUN + 1)
        reader->cuts[reader->cuts_n++] = (struct cut){.at = reader->kept};
    reader->cuts[reader->cuts_n - 1].blanks++;
}

/* Reads a line with its newline; false at the end of the file, and when reading fails. */
static bool read_line(struct reader *reader)
{
    int c = 0;
    reader->kept = reader->run = reader->cuts_n = 0;
    flockfile(reader->file);
    while (c != '\n' && (c = getc_unlocked(reader->file)) != EOF)
        keep(reader, (char)c);
    if (c == EOF && !feof(reader->file)) {
        reader->failed = true;
        reader->manners.left_errno = errno;
    }
    funlockfile(reader->file);
    return reader->kept > 0 && !reader->failed;
}

/* Where a byte of the line that was kept is in the file's line. */
static size_t offset_in_file(const struct reader *reader, size_t at)
{
    size_t offset = at;
    for (size_t i = 0; i < reader->cuts_n && reader->cuts[i].at <= at; i++)
        offset += reader->cuts[i].blanks;
    return offset;
}

/* Gives one line that says something to `each`. */
static rcuinfo_status_t read_one(struct reader *reader, rcuinfo__file_line_t *each, void *context,
                                 rcuinfo_fault_t *fault)
{
    struct rcuinfo__line parts;
    enum rcuinfo__line_is is = rcuinfo__line_parse(reader->line, reader->kept, &parts, fault);
    rcuinfo_status_t status = RCUINFO_ERR_FORMAT;
    if (is == RCUINFO__LINE_NOTHING)
        return RCUINFO_SUCCESS;
    if (is != RCUINFO__LINE_BAD) {
        reader->line[parts.key + parts.key_length] = '\0'; /* a blank or a bracket stood there, or the line's end */
        reader->line[parts.value + parts.value_length] = '\0';
        status = each(context, is, reader->line, &parts, fault);
    }
    if (status == RCUINFO_ERR_FORMAT)
        fault->offset = offset_in_file(reader, fault->offset);
    return status;
}

rcuinfo_status_t rcuinfo__file_read(FILE *file, rcuinfo__file_line_t *each, void *context, rcuinfo_fault_t *fault)
{
    struct reader *reader = rcuinfo__alloc(sizeof *reader);
    if (!reader)
        return RCUINFO_ERR_NO_MEM;
    reader->file = file;
    reader->failed = false;
    reader->manners = manners_begin();
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    for (fault->line = 1; read_line(reader); fault->line++) {
        status = read_one(reader, each, context, fault);
        if (status != RCUINFO_SUCCESS)
            break;
    }
    if (reader->failed)
        status = RCUINFO_ERR_IO;
    manners_end(&reader->manners);
    rcuinfo__alloc_free(reader);
    return status;
}

static rcuinfo_status_t add_pair(void *context, enum rcuinfo__line_is is, const char *line,
                                 const struct rcuinfo__line *parts, rcuinfo_fault_t *fault)
{
    if (is == RCUINFO__LINE_PAIR)
        return rcuinfo__build_set(context, line + parts->key, line + parts->value, RCUINFO__NATIVE_LIMITS);
    fault->what = "a section or an imposed pair: for rcuinfo run --hints, not for an info";
    fault->offset = strspn(line, " \t");
    return RCUINFO_ERR_FORMAT;
}

rcuinfo_status_t rcuinfo_load(FILE *file, rcuinfo_t *info, rcuinfo_fault_t *fault)
{
    struct rcuinfo__build build;
    rcuinfo_fault_t found;
    if (!file || !info)
        return RCUINFO_ERR_ARG;
    *info = RCUINFO_NULL;
    rcuinfo__build_begin(&build, 0, 0);
    rcuinfo_status_t status = rcuinfo__file_read(file, add_pair, &build, &found);
    if (status == RCUINFO_SUCCESS)
        return rcuinfo__build_object(&build, info);
    rcuinfo__build_drop(&build);
    if (fault && status == RCUINFO_ERR_FORMAT)
        *fault = found;
    return status;
}

/* Bytes of the longest line that is written. */
#define LINE (RCUINFO_MAX_KEY - 1 + 1 + RCUINFO_MAX_VALUE - 1 + 1)

/* Makes the line of a pair; returns its length, or 0 when the pair would not come back. */
static size_t make_line(const struct rcuinfo__entry *version, uint32_t n, char line[LINE])
{
    rcuinfo_pair_t pair = rcuinfo__log_pair(rcuinfo__log_nth(version, n));
    struct rcuinfo__line back;
    rcuinfo_fault_t fault;
    size_t length = pair.key_length + 1 + pair.value_length;
    memcpy(line, pair.key, pair.key_length);
    line[pair.key_length] = ' ';
    memcpy(line + pair.key_length + 1, pair.value, pair.value_length);
    if (memchr(line, '\n', length))
        return 0;
    line[length++] = '\n';
    if (rcuinfo__line_parse(line, length, &back, &fault) != RCUINFO__LINE_PAIR || back.key != 0 ||
        back.key_length != pair.key_length || back.value_length != pair.value_length)
        return 0;
    return length;
}

/* The number of the first pair that no line can have, or that of all pairs. */
static uint32_t first_unwritable(const struct rcuinfo__entry *version)
{
    char line[LINE];
    uint32_t n = 0;
    while (n < version->pairs && make_line(version, n, line))
        n++;
    return n;
}

static bool write_lines(const struct rcuinfo__entry *version, FILE *file)
{
    char line[LINE];
    for (uint32_t n = 0; n < version->pairs; n++) {
        size_t length = make_line(version, n, line);
        if (fwrite(line, 1, length, file) != length)
            return false;
    }
    return fflush(file) == 0;
}

rcuinfo_status_t rcuinfo_save(const rcuinfo_snapshot_t *snapshot, FILE *file, size_t *failed)
{
    if (!snapshot || !file)
        return RCUINFO_ERR_ARG;
    const struct rcuinfo__entry *version = rcuinfo__object_opened(snapshot);
    uint32_t bad = first_unwritable(version);
    if (bad < version->pairs) {
        if (failed)
            *failed = bad;
        return RCUINFO_ERR_FORMAT;
    }
    struct manners manners = manners_begin();
    flockfile(file);
    bool written = write_lines(version, file);
    if (!written)
        manners.left_errno = errno;
    funlockfile(file);
    manners_end(&manners);
    return written ? RCUINFO_SUCCESS : RCUINFO_ERR_IO;
}
