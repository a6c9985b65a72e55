/* SPDX-License-Identifier: BSD-3-Clause */
/* memstream: a text of any length that is written as a file is. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct rcuinfo__memstream {
    char *bytes; /* of rcuinfo__alloc; NULL: none yet */
    size_t size, room;
    FILE *file;
};

/* Opens text->file, which writes at the end of the text. Returns false if there is no memory. */
bool rcuinfo__memstream_begin(struct rcuinfo__memstream *text);

/* Closes the file. Returns whether the text is whole; without memory it is not. Then free text->bytes. */
bool rcuinfo__memstream_end(struct rcuinfo__memstream *text);
