/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file pack.h
 * Infos outside of the process: as packed bytes, and as the text of a hint file.
 *
 * Packed bytes are the same on every machine: a header with version, number of pairs, length and a checksum (XXH3, 64
 * bits, of all that follows it), then the pairs in their order. lib/pack/pack.c has the format byte by byte. The
 * checksum finds damage, not intent: what is unpacked is checked in every other way too.
 *
 * A hint file has one pair in a line, as ROMIO reads them: the key, blanks (spaces and tabs), the value up to the end
 * of the line without the blanks there. An empty line, and one whose first character is a `#`, after blanks, says
 * nothing. A line with a key only gives it the value "". A key that comes again overrides the one from before, in its
 * place. Lines end with a newline or with a carriage return and a newline, the last one may end with the file. A line
 * whose first character is a `[`, after blanks, is none of an info: such lines say to `rcuinfo run --hints`, which
 * reads the same files, whose pairs the others are (rcuinfo(1)).
 *
 * An object that is made here begins with a version number of its own (rcuinfo_version), and counts as no set
 * (rcuinfo_store_stats).
 */
#ifndef RCUINFO_PACK_H
#define RCUINFO_PACK_H

#include <stddef.h>
#include <stdio.h>
#include <rcuinfo/info.h>
#include <rcuinfo/snapshot.h>
#include <rcuinfo/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes that rcuinfo_pack writes; 0 for NULL. Threads: wait-free. */
RCUINFO_API size_t rcuinfo_pack_size(const rcuinfo_snapshot_t *snapshot);

/**
 * Packs a snapshot.
 * @param snapshot an open one
 * @param size bytes in buffer, rcuinfo_pack_size(snapshot) or more
 * @param[out] buffer just rcuinfo_pack_size(snapshot) bytes are written; of any alignment
 * @return SUCCESS; ERR_ARG: a pointer is NULL, or the buffer too small
 * Threads: wait-free.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_pack(const rcuinfo_snapshot_t *snapshot, void *buffer, size_t size);

/**
 * Makes a new object of packed bytes, with the same pairs in the same order. Any bytes may be given: nothing behind
 * them is read, and what is allocated is no more than a small multiple of size.
 * @param packed size bytes, of any alignment
 * @param size of what rcuinfo_pack wrote, exactly
 * @param[out] info RCUINFO_NULL on ERR_FORMAT and ERR_NO_MEM
 * @param[out] fault may be NULL; written on ERR_FORMAT: what is wrong with the bytes, and at which
 * @return SUCCESS; ERR_ARG: packed or info is NULL; ERR_FORMAT; ERR_NO_MEM
 * Threads: as rcuinfo_create and rcuinfo_set. packed must not change during the call.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_unpack(const void *packed, size_t size, rcuinfo_t *info,
                                                rcuinfo_fault_t *fault);

/**
 * Reads a hint file to its end and makes a new object of it.
 * @param file open for reading
 * @param[out] info RCUINFO_NULL on ERR_FORMAT, ERR_IO and ERR_NO_MEM
 * @param[out] fault may be NULL; written on ERR_FORMAT: the line, and what is wrong: a key or a value that is too long,
 * a NUL, a `[` in front
 * @return SUCCESS; ERR_ARG: file or info is NULL; ERR_FORMAT; ERR_IO: reading failed; ERR_NO_MEM
 * Threads: as rcuinfo_create and rcuinfo_set; blocks as file does.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_load(FILE *file, rcuinfo_t *info, rcuinfo_fault_t *fault);

/**
 * Writes a snapshot as a hint file that rcuinfo_load reads back just as it was. Nothing is written when that cannot be.
 * @param snapshot an open one
 * @param file open for writing; flushed on success
 * @param[out] failed may be NULL; on ERR_FORMAT the number of the first pair that no line can have: a key with a blank
 * or a newline in it or a `#` or `[` in front, a value with a newline in it, a blank at an end or a carriage return as
 * its last byte
 * @return SUCCESS; ERR_ARG: snapshot or file is NULL; ERR_FORMAT; ERR_IO: writing failed
 * Threads: wait-free but for what file does.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_save(const rcuinfo_snapshot_t *snapshot, FILE *file, size_t *failed);

#ifdef __cplusplus
}
#endif

#endif
