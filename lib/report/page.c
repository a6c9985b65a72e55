/* SPDX-License-Identifier: BSD-3-Clause */
/* page: see page.h. */
#include "report/page.h"

#include <string.h>
#include <sys/ioctl.h>

#include "core/text.h"

size_t rcuinfo__page_width(int descriptor)
{
    enum { USUAL = 80, LEAST = 40 };
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= LEAST ? size.ws_col : USUAL;
}

size_t rcuinfo__page_columns(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t n = 0; n < length; n++)
        columns += ((unsigned char)text[n] & 0xc0) != 0x80;
    return columns;
}

static void new_line(struct rcuinfo__page *page)
{
    fprintf(page->file, "\n%*s", (int)page->indent, "");
    page->at = page->indent;
}

static void put_text(struct rcuinfo__page *page, const char *text)
{
    while (*text) {
        size_t blanks = strspn(text, " "), length = strcspn(text + blanks, " ");
        size_t columns = rcuinfo__page_columns(text + blanks, length);

        if (blanks > 0 && page->at + blanks + columns > page->width && page->at > page->indent)
            new_line(page);
        else
            page->at += (size_t)fprintf(page->file, "%*s", (int)blanks, "");

        text += blanks;
        page->at += columns;
        for (const char *end = text + length; text < end;) {
            size_t control = rcuinfo__text_control(text); /* e.g. of an escape sequence */
            fputc(control ? '?' : *text, page->file);
            text += control ? control : 1;
        }
    }
}

void rcuinfo__page_put(struct rcuinfo__page *page, const char *const texts[])
{
    for (; *texts; texts++)
        put_text(page, *texts);
}

void rcuinfo__page_end(struct rcuinfo__page *page)
{
    fputc('\n', page->file);
    page->at = 0;
}

void rcuinfo__page_put_up_to(struct rcuinfo__page *page, size_t column)
{
    size_t blanks = page->at + 2 > column ? 2 : column - page->at;
    if (page->at + 2 > column && page->at + RCUINFO__PAGE_LEAST > page->width) {
        new_line(page);
        return;
    }
    fprintf(page->file, "%*s", (int)blanks, "");
    page->at += blanks;
}
