/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * file: reads and writes hint files. Only line.h knows the syntax of a line: before the first byte is written, each
 * line is parsed as if it were being read, so a line that would be read back as another pair is never written.
 *
 * Blanks and comments can make a line arbitrarily long, but memory is limited. So of a run of blanks only as many are
 * kept as make a value too long, and of each line only as many bytes as the longest valid line can have. An object is
 * created only when all pairs have been read.
 *
 * Invariant: on return the file is unlocked, and the cancellation state is restored. The file is never locked while an
 * object is being written, since that may wait for a grace period and so for a reader, which in turn may be waiting for
 * the file.
 */
#include <rcuinfo/pack.h>

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "core/memory/alloc.h"
#include "core/calls/layer.h"
#include "core/calls/object.h"
#include "pack/file.h"

/* Of a run of blanks, up to this many are kept. A value that contains as many is too long. */
#define RUN RCUINFO_MAX_VALUE
/* Of a line, up to this many bytes are kept: as many as the longest section has with a run at each of the five places
 * that may have blanks, its brackets, and the end of the line. No pair needs more. So if anything but blanks and a
 * comment is left out, the part that is kept has a key or a value that is too long. */
#define KEPT (5 * RUN + (RCUINFO_MAX_KEY - 1) + (RCUINFO_MAX_VALUE - 1) + 2 + 2)

struct reader {
    FILE *file;
    bool failed; /* reading has failed */
    size_t kept; /* bytes in `line` */
    char line[KEPT + 1];
    size_t offsets[KEPT + 1]; /* of these bytes, and of their end, in the line of the file */
};

/* Reads a line with its newline. Returns false at the end of the file, or if reading fails. */
static bool read_line(struct reader *reader)
{
    int c = 0;
    size_t run = 0, length = 0; /* the blanks at the end of what was read of the line, and all its bytes */
    reader->kept = 0;

    /* One lock per line, as getc would take one per byte. */
    flockfile(reader->file);
    for (; c != '\n' && (c = getc_unlocked(reader->file)) != EOF; length++) { /* NOLINT(concurrency-mt-unsafe) */
        run = rcuinfo__text_blank((char)c) ? run + 1 : 0;
        if (run <= RUN && reader->kept < KEPT) {
            reader->offsets[reader->kept] = length;
            reader->line[reader->kept++] = (char)c;
        }
    }
    reader->offsets[reader->kept] = length;

    reader->failed = c == EOF && !feof(reader->file);
    funlockfile(reader->file);
    return reader->kept > 0 && !reader->failed;
}

/* Parses the line and passes it to `each`, unless it is blank or a comment. */
static rcuinfo_status_t parse_one(struct reader *reader, rcuinfo__file_line_t *each, void *context,
                                  rcuinfo_fault_t *fault)
{
    struct rcuinfo__line parts;
    rcuinfo_status_t status = rcuinfo__line_parse(reader->line, reader->kept, &parts, fault);

    if (status == RCUINFO_SUCCESS && parts.is != RCUINFO__LINE_NOTHING) {
        reader->line[parts.key + parts.key_length] = '\0'; /* over a blank, a bracket or the line's end */
        reader->line[parts.value + parts.value_length] = '\0';
        status = each(context, reader->line, &parts, fault);
    }

    if (status == RCUINFO_ERR_FORMAT)
        fault->offset = reader->offsets[fault->offset];
    return status;
}

rcuinfo_status_t rcuinfo__file_read(FILE *file, rcuinfo__file_line_t *each, void *context, rcuinfo_fault_t *fault)
{
    int cancel_state;
    struct reader *reader = rcuinfo__alloc(sizeof *reader);
    if (!reader)
        return RCUINFO_ERR_NO_MEM;

    reader->file = file;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state); /* the call may wait for the file */

    rcuinfo_status_t status = RCUINFO_SUCCESS;
    for (fault->line = 1; read_line(reader); fault->line++) {
        status = parse_one(reader, each, context, fault);
        if (status != RCUINFO_SUCCESS)
            break;
    }

    /* Also if the part that was read was valid. */
    if (reader->failed)
        status = RCUINFO_ERR_IO;
    pthread_setcancelstate(cancel_state, NULL);
    rcuinfo__alloc_free(reader);
    return status;
}

/* rcuinfo__file_line_t of rcuinfo_load */
static rcuinfo_status_t add_pair(void *context, const char *line, const struct rcuinfo__line *parts,
                                 rcuinfo_fault_t *fault)
{
    if (parts->is != RCUINFO__LINE_PAIR)
        return rcuinfo__line_bad(fault, "a section or an imposed pair: only for rcuinfo run --hints, not for an info",
                                 strspn(line, " \t"));
    return rcuinfo__build_set(context, line + parts->key, line + parts->value, RCUINFO__NATIVE_LIMITS);
}

rcuinfo_status_t rcuinfo_load(FILE *file, rcuinfo_t *info, rcuinfo_fault_t *fault)
{
    struct rcuinfo__build build;
    rcuinfo_fault_t found = {0};
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

/* The longest line that is written: KEY, a blank, VALUE, a newline. */
#define LINE (RCUINFO_MAX_KEY - 1 + 1 + RCUINFO_MAX_VALUE - 1 + 1)

/* Formats the line of pair n. Returns its length, or 0 if the line would not be read back as the same pair. */
static size_t format_line(const struct rcuinfo__entry *version, uint32_t n, char line[LINE])
{
    rcuinfo_pair_t pair = rcuinfo__log_pair(rcuinfo__log_nth(version, n));
    struct rcuinfo__line back;
    rcuinfo_fault_t fault;
    size_t length = pair.key_length + 1 + pair.value_length;

    memcpy(line, pair.key, pair.key_length);
    line[pair.key_length] = ' ';
    memcpy(line + pair.key_length + 1, pair.value, pair.value_length);

    /* A newline in the pair would end the line too early. */
    if (memchr(line, '\n', length))
        return 0;
    line[length++] = '\n';

    /* E.g. a blank at the end of a value would be lost. */
    if (rcuinfo__line_parse(line, length, &back, &fault) != RCUINFO_SUCCESS || back.is != RCUINFO__LINE_PAIR ||
        back.key != 0 || back.key_length != pair.key_length || back.value_length != pair.value_length)
        return 0;
    return length;
}

rcuinfo_status_t rcuinfo_save(const rcuinfo_snapshot_t *snapshot, FILE *file, size_t *failed)
{
    char line[LINE];
    bool written = true;
    int cancel_state;
    if (!snapshot || !file)
        return RCUINFO_ERR_ARG;

    /* Check all pairs before the first byte is written. */
    const struct rcuinfo__entry *version = rcuinfo__object_opened(snapshot);
    for (uint32_t n = 0; n < version->pairs; n++) {
        if (format_line(version, n, line) == 0) {
            if (failed)
                *failed = n;
            return RCUINFO_ERR_FORMAT;
        }
    }

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    flockfile(file);
    for (uint32_t n = 0; n < version->pairs && written; n++) {
        size_t length = format_line(version, n, line);
        written = fwrite(line, 1, length, file) == length;
    }
    written = written && fflush(file) == 0;
    funlockfile(file); /* like what follows, it does not change errno */
    pthread_setcancelstate(cancel_state, NULL);
    return written ? RCUINFO_SUCCESS : RCUINFO_ERR_IO;
}
