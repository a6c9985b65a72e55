/* SPDX-License-Identifier: BSD-3-Clause */
/* page: writes text that is wrapped at the width of a terminal. */
#pragma once

#include <stdio.h>

enum { RCUINFO__PAGE_LEAST = 30 /* columns of a text at the end of a line */ };

struct rcuinfo__page {
    FILE *file;
    size_t width;
    size_t indent; /* of the lines after the first one */
    size_t at;     /* the column */
};

/* The columns of a terminal; of anything else, 80. */
size_t rcuinfo__page_width(int descriptor);

/* Writes texts up to NULL; a line break may replace blanks. Control characters become question marks. */
void rcuinfo__page_put(struct rcuinfo__page *page, const char *const texts[]);
#define RCUINFO__PAGE_PUT(page, ...) rcuinfo__page_put(page, (const char *const[]){__VA_ARGS__, NULL})

/* Writes up to a column, and at least two blanks; or a line break, if little room is left after these. */
void rcuinfo__page_put_up_to(struct rcuinfo__page *page, size_t column);

/* Ends the line. */
void rcuinfo__page_end(struct rcuinfo__page *page);

/* The number of columns of a text of that length: of its characters, in UTF-8. */
size_t rcuinfo__page_columns(const char *text, size_t length);
