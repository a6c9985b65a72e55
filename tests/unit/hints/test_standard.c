/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of the standard: each makes a schema, which checks every row and default; each row says where it comes
 * from; and for each there is a sample here, of values that the standard allows and that it does not, so that no row
 * is missing, and none too many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <rcuinfo/rcuinfo.h>

enum { ANY = -1, NO_NUMBER = -77, SAME = RCUINFO_HINT_SAME, FIXED = RCUINFO_HINT_FIXED, GET = RCUINFO_HINT_GET_ONLY };

/* A row: its default; a good value and what number that is; a bad one and its first wrong byte (ANY: all are good);
 * who may set it when, and whether it is the same everywhere. */
static const struct sample {
    rcuinfo_hint_object_t object;
    const char *key;
    const char *initial;
    const char *good;
    int number;
    const char *bad;
    int offset;
    unsigned marks;
} samples[] = {
    {RCUINFO_HINT_WINDOW, "no_locks", "false", "true", 1, "yes", 0, 0},
    {RCUINFO_HINT_WINDOW, "same_size", "false", "true", 1, "1", 0, SAME | FIXED},
    {RCUINFO_HINT_WINDOW, "same_disp_unit", "false", "true", 1, "TRUE", 0, SAME | FIXED},
    {RCUINFO_HINT_WINDOW, "alloc_shared_noncontig", "false", "true", 1, "", 0, FIXED},
    {RCUINFO_HINT_WINDOW, "accumulate_ordering", "rar,raw,war,waw", "none", 0, "rar,none", 4, FIXED},
    {RCUINFO_HINT_WINDOW, "accumulate_ops", "same_op_no_op", "same_op", 0, "same_op,same_op_no_op", 0, 0},
    {RCUINFO_HINT_WINDOW, "mpi_accumulate_granularity", "0", "8", 8, " -1", 1, SAME},
    {RCUINFO_HINT_WINDOW, "mpi_minimum_memory_alignment", NULL, "64", 64, "0", 0, FIXED},
    {RCUINFO_HINT_WINDOW, "mpi_memory_alloc_kinds", "mpi,system", "", NO_NUMBER, "mpi:", 4, GET},
    {RCUINFO_HINT_WINDOW, "mpi_assert_memory_alloc_kinds", NULL, "system,cuda:device", NO_NUMBER, "cuda,,x", 5, 0},
    {RCUINFO_HINT_COMMUNICATOR, "mpi_assert_no_any_tag", "false", "true", 1, "2", 0, 0},
    {RCUINFO_HINT_COMMUNICATOR, "mpi_assert_no_any_source", "false", "true", 1, "2", 0, 0},
    {RCUINFO_HINT_COMMUNICATOR, "mpi_assert_exact_length", "false", "true", 1, "2", 0, 0},
    {RCUINFO_HINT_COMMUNICATOR, "mpi_assert_allow_overtaking", "false", "true", 1, "2", 0, 0},
    {RCUINFO_HINT_COMMUNICATOR, "mpi_assert_strict_persistent_collective_ordering", "false", "true", 1, "2", 0, SAME},
    {RCUINFO_HINT_COMMUNICATOR, "mpi_memory_alloc_kinds", "mpi,system", "mpi", NO_NUMBER, ":x", 0, GET},
    {RCUINFO_HINT_COMMUNICATOR, "mpi_assert_memory_alloc_kinds", NULL, "mpi", NO_NUMBER, ":x", 0, 0},
    {RCUINFO_HINT_FILE, "access_style", NULL, "write_once,random", 66, "read_once,write", 10, 0},
    {RCUINFO_HINT_FILE, "collective_buffering", NULL, "false", 0, "enable", 0, SAME},
    {RCUINFO_HINT_FILE, "cb_block_size", NULL, "1048576", 1048576, "0", 0, SAME},
    {RCUINFO_HINT_FILE, "cb_buffer_size", NULL, "16777216", 16777216, "16M", 2, SAME},
    {RCUINFO_HINT_FILE, "cb_nodes", NULL, "4", 4, "0", 0, SAME},
    {RCUINFO_HINT_FILE, "chunked", NULL, "100, 200", NO_NUMBER, "100,0", 4, SAME},
    {RCUINFO_HINT_FILE, "chunked_item", NULL, "8", NO_NUMBER, "8,", 2, SAME},
    {RCUINFO_HINT_FILE, "chunked_size", NULL, "10,20", NO_NUMBER, "10x20", 2, SAME},
    {RCUINFO_HINT_FILE, "filename", NULL, "a,b", NO_NUMBER, "", ANY, GET},
    {RCUINFO_HINT_FILE, "file_perm", NULL, "0644", NO_NUMBER, "", ANY, SAME | FIXED},
    {RCUINFO_HINT_FILE, "io_node_list", NULL, "a,b", NO_NUMBER, "", ANY, SAME},
    {RCUINFO_HINT_FILE, "nb_proc", NULL, "1", 1, "0", 0, SAME},
    {RCUINFO_HINT_FILE, "num_io_nodes", NULL, "1", 1, "0", 0, SAME},
    {RCUINFO_HINT_FILE, "striping_factor", NULL, "-1", -1, "all", 0, SAME | FIXED},
    {RCUINFO_HINT_FILE, "striping_unit", NULL, "0", 0, "64k", 2, SAME | FIXED},
    {RCUINFO_HINT_FILE, "mpi_memory_alloc_kinds", "mpi,system", "mpi", NO_NUMBER, ":x", 0, GET},
    {RCUINFO_HINT_FILE, "mpi_assert_memory_alloc_kinds", NULL, "mpi", NO_NUMBER, ":x", 0, 0},
    {RCUINFO_HINT_SESSION, "thread_level", "MPI_THREAD_SINGLE", "MPI_THREAD_MULTIPLE", 3, "multiple", 0, FIXED},
    {RCUINFO_HINT_SESSION, "mpi_memory_alloc_kinds", "mpi,system", "mpi", NO_NUMBER, ":x", 0, FIXED},
    {RCUINFO_HINT_SESSION, "mpi_initial_errhandler", "mpi_errors_are_fatal", "MPI_ERRORS_RETURN", 2, "x", 0, FIXED},
    {RCUINFO_HINT_SPAWN, "host", NULL, "node1", NO_NUMBER, "", ANY, 0},
    {RCUINFO_HINT_SPAWN, "arch", NULL, "x86_64", NO_NUMBER, "", ANY, 0},
    {RCUINFO_HINT_SPAWN, "wdir", NULL, "/", NO_NUMBER, "", ANY, 0},
    {RCUINFO_HINT_SPAWN, "path", NULL, "/bin:/usr/bin", NO_NUMBER, "", ANY, 0},
    {RCUINFO_HINT_SPAWN, "file", NULL, "x", NO_NUMBER, "", ANY, 0},
    {RCUINFO_HINT_SPAWN, "soft", NULL, "1:8:2,16", NO_NUMBER, "8:1", 2, 0},
    {RCUINFO_HINT_SPAWN, "appnum", NULL, "0", 0, "-1", 0, 0},
    {RCUINFO_HINT_SPAWN, "mpi_initial_errhandler", "mpi_errors_are_fatal", "mpi_errors_abort", 1, "x", 0, 0},
    {RCUINFO_HINT_SPAWN, "mpi_memory_alloc_kinds", "mpi,system", "mpi", NO_NUMBER, ":x", 0, 0},
    {RCUINFO_HINT_PORT, "ip_port", NULL, "65535", 65535, "65536", 0, 0},
    {RCUINFO_HINT_PORT, "ip_address", NULL, "127.0.0.1", NO_NUMBER, "", ANY, 0},
    {RCUINFO_HINT_ALLOC_MEM, "mpi_minimum_memory_alignment", NULL, "4096", 4096, "4k", 1, 0},
    {RCUINFO_HINT_SPLIT_TYPE, "mpi_hw_resource_type", NULL, "mpi_shared_memory", NO_NUMBER, "", ANY, 0},
    {RCUINFO_HINT_SPLIT_TYPE, "mpi_pset_name", NULL, "mpi://WORLD", NO_NUMBER, "", ANY, 0},
    {RCUINFO_HINT_INIT, "mpi_initial_errhandler", "mpi_errors_are_fatal", "Mpi_Errors_Return", 2, "x", 0, 0},
    {RCUINFO_HINT_INIT, "mpi_memory_alloc_kinds", "mpi,system", "mpi", NO_NUMBER, ":x", 0, 0},
    {RCUINFO_HINT_PROCESS_SET, "mpi_size", NULL, "1", 1, "0", 0, GET},
    {RCUINFO_HINT_ENV, "command", NULL, "./a.out", NO_NUMBER, "", ANY, GET},
    {RCUINFO_HINT_ENV, "argv", NULL, "-v x", NO_NUMBER, "", ANY, GET},
    {RCUINFO_HINT_ENV, "maxprocs", NULL, "4", 4, "0", 0, GET},
    {RCUINFO_HINT_ENV, "mpi_initial_errhandler", NULL, "mpi_errors_abort", 1, "x", 0, GET},
    {RCUINFO_HINT_ENV, "mpi_memory_alloc_kinds", NULL, "mpi", NO_NUMBER, ":x", 0, GET},
    {RCUINFO_HINT_ENV, "soft", NULL, "4", NO_NUMBER, "4:", 2, GET},
    {RCUINFO_HINT_ENV, "host", NULL, "node1", NO_NUMBER, "", ANY, GET},
    {RCUINFO_HINT_ENV, "arch", NULL, "x86_64", NO_NUMBER, "", ANY, GET},
    {RCUINFO_HINT_ENV, "wdir", NULL, "/", NO_NUMBER, "", ANY, GET},
    {RCUINFO_HINT_ENV, "file", NULL, "x", NO_NUMBER, "", ANY, GET},
    {RCUINFO_HINT_ENV, "thread_level", NULL, "MPI_THREAD_SINGLE", 0, "0", 0, GET},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static rcuinfo_schema_t *schema_of(rcuinfo_hint_object_t object, size_t *n)
{
    rcuinfo_schema_t *schema = NULL;
    size_t failed = 0;
    const rcuinfo_hint_t *rows = rcuinfo_hint_standard(object, n);
    assert_non_null(rows);
    if (rcuinfo_schema_create(NULL, rows, *n, &schema, &failed) != RCUINFO_SUCCESS)
        fail_msg("row %s of %s is none", rows[failed].key, rcuinfo_hint_object_name(object));
    return schema;
}

static void check_origin(const rcuinfo_hint_t *row)
{
    static const char *const versions[] = {"2.0", "3.0", "3.1", "4.0", "4.1"};
    size_t known = 0;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        known += strcmp(row->since, versions[i]) == 0;
    assert_int_equal(known, 1);
    int chapter = 0, part = 0, used = 0;
    assert_true(sscanf(row->section, "MPI-4.1, %d.%d%n", &chapter, &part, &used) == 2);
    assert_true(chapter >= 7 && chapter <= 14 && part >= 1);
    assert_true(strspn(row->section + used, ".0123456789") == strlen(row->section + used));
}

/* A row twice in a table would make the schema smaller. */
static void tables_are_schemas(void **state)
{
    size_t n, all = 0;
    (void)state;
    for (int object = 0; object < RCUINFO_HINT_OBJECTS; object++) {
        rcuinfo_schema_t *schema = schema_of((rcuinfo_hint_object_t)object, &n);
        assert_int_equal(rcuinfo_schema_count(schema), n);
        for (size_t row = 0; row < n; row++)
            check_origin(rcuinfo_schema_row(schema, row));
        rcuinfo_schema_free(&schema);
        all += n;
    }
    assert_int_equal(all, SAMPLES);
}

static void check_sample(const struct sample *sample, const rcuinfo_hint_t *row)
{
    int64_t number = NO_NUMBER;
    rcuinfo_fault_t fault = {NULL, 0, 0};
    assert_int_equal(row->flags & (SAME | FIXED | GET), sample->marks);
    assert_int_equal(!row->initial, !sample->initial);
    if (row->initial)
        assert_string_equal(row->initial, sample->initial);
    assert_int_equal(rcuinfo_hint_check(row, sample->good, &number, &fault), RCUINFO_SUCCESS);
    assert_int_equal(number, sample->number);
    if (sample->offset == ANY) {
        assert_int_equal(row->type, RCUINFO_HINT_STRING);
        return;
    }
    assert_int_equal(rcuinfo_hint_check(row, sample->bad, &number, &fault), RCUINFO_ERR_TYPE);
    assert_int_equal(fault.offset, sample->offset);
}

static void each_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        size_t n, row;
        rcuinfo_schema_t *schema = schema_of(samples[i].object, &n);
        print_message("%s %s\n", rcuinfo_hint_object_name(samples[i].object), samples[i].key);
        assert_int_equal(rcuinfo_schema_find(schema, samples[i].key, &row), RCUINFO_SUCCESS);
        check_sample(&samples[i], rcuinfo_schema_row(schema, row));
        rcuinfo_schema_free(&schema);
    }
}

static void names_and_arguments(void **state)
{
    static const char *const names[RCUINFO_HINT_OBJECTS] = {"window", "communicator", "file",      "session",
                                                            "spawn",  "port",         "alloc_mem", "split_type",
                                                            "init",   "process_set",  "env"};
    size_t n = 77;
    (void)state;
    for (int object = 0; object < RCUINFO_HINT_OBJECTS; object++)
        assert_string_equal(rcuinfo_hint_object_name((rcuinfo_hint_object_t)object), names[object]);
    assert_null(rcuinfo_hint_object_name(RCUINFO_HINT_OBJECTS));
    assert_null(rcuinfo_hint_object_name((rcuinfo_hint_object_t)-1));
    assert_null(rcuinfo_hint_standard(RCUINFO_HINT_OBJECTS, &n));
    assert_null(rcuinfo_hint_standard((rcuinfo_hint_object_t)-1, &n));
    assert_null(rcuinfo_hint_standard(RCUINFO_HINT_WINDOW, NULL));
    assert_int_equal(n, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_schemas),
        cmocka_unit_test(each_row),
        cmocka_unit_test(names_and_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
