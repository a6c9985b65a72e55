/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of the standard: each makes a schema, which checks every row and default; and each row says where it comes
 * from. What the rows are stands in tests/house/tools/golden/hints_list.txt, as `rcuinfo hints list` prints them.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/check.h"

static void check_origin(const rcuinfo_hint_t *row)
{
    static const char *const versions[] = {"2.0", "3.0", "3.1", "4.0", "4.1"};
    size_t known = 0;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        known += strcmp(row->since, versions[i]) == 0;
    CHECK_INT(known, 1);
    int chapter = 0, part = 0, used = 0;
    CHECK(sscanf(row->section, "MPI-4.1, %d.%d%n", &chapter, &part, &used) == 2);
    CHECK(chapter >= 7 && chapter <= 14 && part >= 1);
    CHECK(strspn(row->section + used, ".0123456789") == strlen(row->section + used));
}

/* A row twice in a table would make the schema smaller. */
static void tables_are_schemas(void)
{
    for (int object = 0; object < RCUINFO_HINT_OBJECTS; object++) {
        rcuinfo_schema_t *schema = NULL;
        size_t n = 0, failed = 0;
        const rcuinfo_hint_t *rows = rcuinfo_hint_standard((rcuinfo_hint_object_t)object, &n);
        CHECK(rows && n > 0);
        CHECKF(rcuinfo_schema_create(NULL, rows, n, &schema, &failed) == RCUINFO_SUCCESS, "row %s of %s is none",
               rows[failed].key, rcuinfo_hint_object_name((rcuinfo_hint_object_t)object));
        CHECK_INT(rcuinfo_schema_count(schema), n);
        for (size_t row = 0; row < n; row++)
            check_origin(rcuinfo_schema_row(schema, row));
        rcuinfo_schema_free(&schema);
    }
}

static void names_and_arguments(void)
{
    static const char *const names[RCUINFO_HINT_OBJECTS] = {"window", "communicator", "file",      "session",
                                                            "spawn",  "port",         "alloc_mem", "split_type",
                                                            "init",   "process_set",  "env"};
    size_t n = 77;
    for (int object = 0; object < RCUINFO_HINT_OBJECTS; object++)
        CHECK_STRING(rcuinfo_hint_object_name((rcuinfo_hint_object_t)object), names[object]);
    CHECK(!rcuinfo_hint_object_name(RCUINFO_HINT_OBJECTS));
    CHECK(!rcuinfo_hint_object_name((rcuinfo_hint_object_t)-1));
    CHECK(!rcuinfo_hint_standard(RCUINFO_HINT_OBJECTS, &n));
    CHECK(!rcuinfo_hint_standard((rcuinfo_hint_object_t)-1, &n));
    CHECK(!rcuinfo_hint_standard(RCUINFO_HINT_WINDOW, NULL));
    CHECK_INT(n, 77);
}

int main(void)
{
    tables_are_schemas();
    names_and_arguments();
    return 0;
}
