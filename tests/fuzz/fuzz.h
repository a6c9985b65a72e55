/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz: decodes the bytes of an input for the targets in this folder. Beyond its end an input reads as zeros, so every
 * input is valid; a target stops when nothing is left.
 *
 * A target defines LLVMFuzzerTestOneInput, and leaves no object, snapshot or memory behind. A failed CHECK ends the
 * process; libFuzzer and replay.c both treat that as a finding.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "support/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz_input {
    const uint8_t *at;
    size_t left;
};

static inline uint8_t fuzz_byte(struct fuzz_input *in)
{
    if (!in->left)
        return 0;
    in->left--;
    return *in->at++;
}

/* The next n bytes, at most 8, as a little-endian number. */
static inline uint64_t fuzz_number(struct fuzz_input *in, unsigned n)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < n; i++)
        number |= (uint64_t)fuzz_byte(in) << (8 * i);
    return number;
}

/* Like fuzz_number, for at most 4 bytes. */
static inline size_t fuzz_size(struct fuzz_input *in, unsigned n)
{
    return (size_t)fuzz_number(in, n);
}

/* The next n bytes, or as many as are left, on the heap: AddressSanitizer detects overflows. The caller frees them. */
static inline char *fuzz_bytes(struct fuzz_input *in, size_t n, size_t *got)
{
    *got = n < in->left ? n : in->left;
    char *bytes = calloc(*got + !*got, 1);
    CHECK(bytes);
    memcpy(bytes, in->at, *got);
    in->at += *got;
    in->left -= *got;
    return bytes;
}

/* The next n bytes up to the first NUL, as a NUL-terminated text on the heap. The caller frees it. */
static inline char *fuzz_text(struct fuzz_input *in, size_t n)
{
    size_t got;
    char *bytes = fuzz_bytes(in, n, &got), *text = strndup(bytes, got);
    CHECK(text);
    free(bytes);
    return text;
}
