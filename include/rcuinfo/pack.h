/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file pack.h
 * Serialization of infos: to packed bytes, and to the text of a hint file.
 *
 * Packed bytes are the same on every machine: a header with the version of the format, the number of pairs, the size
 * and a checksum (XXH3, 64 bits, of all bytes after it), then the pairs in their order. lib/pack/pack.c documents the
 * format byte by byte. The checksum detects damage, not forgery; rcuinfo_unpack checks everything else as well.
 *
 * A hint file has one pair per line, like those that ROMIO reads: the key, blanks (spaces and tabs), and the value up
 * to the end of the line, without trailing blanks. Empty lines, and lines that have a `#` after leading blanks, are
 * ignored. A line with only a key sets it to "". If a key occurs again, the later value replaces the earlier one in
 * its place. Lines end with a newline, or with a carriage return and a newline; the last line may end with the file.
 * Lines whose first character after leading blanks is a `[` are for `rcuinfo run --hints` only, which reads the same
 * files: such a line says which objects the following pairs are for, or that a pair is imposed (rcuinfo(1)).
 *
 * An object that is created here starts with a version number of its own (rcuinfo_object_version), and filling it is
 * not counted as sets (rcuinfo_store_stats).
 *
 * @code{.c}
 * #include <stdio.h>
 * #include <rcuinfo/pack.h>
 *
 * int main(void)
 * {
 *     rcuinfo_t info, copy;
 *     const rcuinfo_snapshot_t *snapshot;
 *     unsigned char bytes[256];
 *
 *     if (rcuinfo_create(&info) || rcuinfo_set(info, "cb_nodes", "4") ||
 *         rcuinfo_snapshot_open(info, &snapshot))
 *         return 1;
 *
 *     // The bytes can be sent to another process, or machine.
 *     if (rcuinfo_pack(snapshot, bytes, sizeof bytes) ||
 *         rcuinfo_unpack(bytes, rcuinfo_pack_size(snapshot), &copy, NULL))
 *         return 1;
 *     rcuinfo_snapshot_close(snapshot);
 *
 *     // A hint file: one line for each pair.
 *     // prints: cb_nodes 4
 *     if (rcuinfo_snapshot_open(copy, &snapshot) ||
 *         rcuinfo_save(snapshot, stdout, NULL))
 *         return 1;
 *     rcuinfo_snapshot_close(snapshot);
 *     return rcuinfo_free(&copy) || rcuinfo_free(&info);
 * }
 * @endcode
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

/** The number of bytes that rcuinfo_pack writes; 0 for NULL. Threads: wait-free. */
RCUINFO_API size_t rcuinfo_pack_size(const rcuinfo_snapshot_t *snapshot);

/**
 * Packs a snapshot.
 * @param snapshot an open snapshot
 * @param[out] buffer exactly rcuinfo_pack_size(snapshot) bytes are written; need not be aligned
 * @param size size of buffer, at least rcuinfo_pack_size(snapshot)
 * @return SUCCESS; ERR_ARG: a pointer is NULL, or the buffer is too small
 * Threads: wait-free.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_pack(const rcuinfo_snapshot_t *snapshot, void *buffer, size_t size);

/**
 * Creates an object from packed bytes, with the same pairs in the same order. It is safe on arbitrary bytes: it never
 * reads past their end, and allocates no more than a small multiple of size.
 * @param packed size bytes; need not be aligned
 * @param size exactly what rcuinfo_pack wrote
 * @param[out] info RCUINFO_NULL on ERR_FORMAT and ERR_NO_MEM
 * @param[out] fault may be NULL; written on ERR_FORMAT: what is wrong, and at which byte
 * @return SUCCESS; ERR_ARG: packed or info is NULL; ERR_FORMAT; ERR_NO_MEM
 * Threads: as rcuinfo_create and rcuinfo_set. packed must not change during the call.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_unpack(const void *packed, size_t size, rcuinfo_t *info,
                                                rcuinfo_fault_t *fault);

/**
 * Reads a hint file to its end and creates an object from it.
 * @param file open for reading
 * @param[out] info RCUINFO_NULL on ERR_FORMAT, ERR_IO and ERR_NO_MEM
 * @param[out] fault may be NULL; written on ERR_FORMAT: the line and what is wrong with it, i.e. a key or a value that
 * is too long, a NUL, or a leading `[`
 * @return SUCCESS; ERR_ARG: file or info is NULL; ERR_FORMAT; ERR_IO: reading failed; ERR_NO_MEM
 * Threads: as rcuinfo_create and rcuinfo_set; may block on file, and cannot be cancelled meanwhile.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_load(FILE *file, rcuinfo_t *info, rcuinfo_fault_t *fault);

/**
 * Writes a snapshot as a hint file from which rcuinfo_load gets exactly the same pairs. If that is impossible, nothing
 * is written.
 * @param snapshot an open snapshot
 * @param file open for writing; flushed on success
 * @param[out] failed may be NULL; on ERR_FORMAT the number of the first pair that a hint file cannot express: a key
 * that contains a blank or a newline, or starts with a `#` or `[`; a value that contains a newline, has a leading or
 * trailing blank, or ends with a carriage return
 * @return SUCCESS; ERR_ARG: snapshot or file is NULL; ERR_FORMAT; ERR_IO: writing failed
 * Threads: wait-free, except that it may block on file, and cannot be cancelled meanwhile.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_save(const rcuinfo_snapshot_t *snapshot, FILE *file, size_t *failed);

#ifdef __cplusplus
}
#endif

#endif
