/* SPDX-License-Identifier: BSD-3-Clause */
/* memstream: see memstream.h. Not by open_memstream, which does not take its memory from core/memory/alloc.h. */
#include "keys/memstream.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory/alloc.h"

/* Called with what the file has collected. */
static ssize_t add(void *cookie, const char *bytes, size_t size)
{
    struct rcuinfo__memstream *text = cookie;
    if (size > text->room - text->size) {
        size_t room = 2 * (text->size + size);
        char *larger = rcuinfo__alloc(room);
        if (!larger)
            return 0; /* an error of the file */
        if (text->bytes)
            memcpy(larger, text->bytes, text->size);
        rcuinfo__alloc_free(text->bytes);
        text->bytes = larger;
        text->room = room;
    }
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    return (ssize_t)size;
}

bool rcuinfo__memstream_begin(struct rcuinfo__memstream *text)
{
    *text = (struct rcuinfo__memstream){.bytes = NULL};
    text->file = fopencookie(text, "w", (cookie_io_functions_t){.write = add});
    return text->file != NULL;
}

bool rcuinfo__memstream_end(struct rcuinfo__memstream *text)
{
    bool is_whole = text->file && !ferror(text->file);
    return text->file && fclose(text->file) == 0 && is_whole;
}
