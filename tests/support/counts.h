/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counts: how much a test has looked at ("histories checked: 110000"), for the summary of tools/check. It names a
 * folder in the environment variable RCUINFO_COUNTS; a test leaves a file there, and tools/check adds up the numbers of
 * all files by their text. Callers owe: a test name that no other test uses, made of letters, digits, '.', '_' and '-'.
 */
#ifndef TESTS_SUPPORT_COUNTS_H
#define TESTS_SUPPORT_COUNTS_H

#include <stdio.h>
#include <stdlib.h>

/* Writes "what: n" to $RCUINFO_COUNTS/<test>.txt, in place of what it held. Without the variable nothing is done. A
 * number that cannot be written would be missing from the summary unseen, so that ends the test. */
static inline void counts_report(const char *test, const char *what, unsigned long n)
{
    const char *folder = getenv("RCUINFO_COUNTS");
    char name[4096];
    if (!folder || !*folder)
        return;
    int length = snprintf(name, sizeof name, "%s/%s.txt", folder, test);
    FILE *file = length > 0 && (size_t)length < sizeof name ? fopen(name, "w") : NULL;
    int written = file ? fprintf(file, "%s: %lu\n", what, n) : -1;
    if (!file || fclose(file) != 0 || written < 0) {
        fprintf(stderr, "cannot write %s/%s.txt\n", folder, test);
        exit(1);
    }
}

#endif
