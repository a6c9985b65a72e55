/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rules: the hint file RCUINFO_HINTS that the process was started with. Its pairs are added to the infos that the
 * program passes to the real library. `rcuinfo run --hints` checks the file before it starts the program; if the
 * variable was set by other means, errors are reported here.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "env/start.h"
#include "mpi/interpose/interpose.h"

/* Written at load. */
static struct rcuinfo__rules *rules;
static const char *name;

const struct rcuinfo__rules *rcuinfo__interpose_all_rules(void)
{
    return rules;
}

const char *rcuinfo__interpose_rules_file(void)
{
    return name;
}

const struct rcuinfo__rules *rcuinfo__interpose_rules(const struct rcuinfo__interpose_loan *loan)
{
    if (__builtin_expect(rules == NULL, 1) || !loan->function)
        return NULL;

    /* The second test is slow, so it comes last. */
    bool apply = rcuinfo__rules_next(rules, NULL, loan->object, loan->name) != NULL;
    return apply && !rcuinfo__interpose_is_of_library(loan->caller) ? rules : NULL;
}

__attribute__((constructor)) static void load_rules(void)
{
    name = rcuinfo__start_variable("RCUINFO_HINTS");
    rcuinfo_fault_t fault;
    if (!name || !*name)
        return;

    int left_errno = errno;
    bool is_inline;
    FILE *file = rcuinfo__rules_open(name, &is_inline);
    if (is_inline)
        name = "RCUINFO_HINTS";
    rcuinfo_status_t status = file ? rcuinfo__rules_load(file, &rules, &fault) : RCUINFO_ERR_IO;

    if (status == RCUINFO_ERR_FORMAT)
        fprintf(stderr, "rcuinfo: %s:%zu:%zu: %s; this file is ignored\n", name, fault.line, fault.offset + 1,
                fault.what);
    else if (status != RCUINFO_SUCCESS)
        fprintf(stderr, "rcuinfo: %s: %s; this file is ignored\n", name,
                /* NOLINTNEXTLINE(concurrency-mt-unsafe): glibc has a text for each thread */
                status == RCUINFO_ERR_IO ? strerror(errno) : rcuinfo_status_string(status));

    if (file)
        (void)fclose(file);
    errno = left_errno;
}
