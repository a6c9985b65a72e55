/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counts: the amount of work that a test has done ("histories checked: 110000"), for the summary of tools/check. That
 * sets RCUINFO_COUNTS to a folder; each test writes a file there, and tools/check adds up the numbers by their text.
 * The caller must use a unique test name, of letters, digits, '.', '_' and '-'.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>

/* Writes "what: n" to $RCUINFO_COUNTS/<test>.txt, replacing the file. Does nothing without the variable. Ends the test
 * if it cannot write, as the number would be missing from the summary. */
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
