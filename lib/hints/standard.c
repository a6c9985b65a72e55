/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * standard: the keys that MPI-4.1 reserves, one table for each kind of object. A key of several kinds has a row in each
 * of their tables. Sections are those of the MPI-4.1 document; `since` is the version that reserved the key for that
 * kind of object.
 *
 * Where the standard is silent, the tables follow these rules:
 *  - FIXED. The standard names no hint that cannot be changed: "some info items cannot easily be changed once the
 *    window has been created" is advice. Whether a hint can be changed is up to the implementation, which decides it by
 *    its accept function. FIXED marks the hints for which a later change would be meaningless: those about the
 *    arguments of the creating call (same_size, same_disp_unit), its memory layout (alloc_shared_noncontig,
 *    mpi_minimum_memory_alignment) or the creation of a file (file_perm, striping_*: "only useful" or "relevant only"
 *    there); accumulate_ordering, which applies "when specified to any window creation function"; and all hints of a
 *    session, as there is no MPI_SESSION_SET_INFO. In contrast, no_locks, accumulate_ops, the granularity and the
 *    assertions of communicators are about later calls, so they can be set later.
 *  - SAME. The hints that the standard marks so, or that it requires of all processes. These include same_size and
 *    same_disp_unit, where "all MPI processes have provided this info key with the same value".
 *  - Ranges. Sizes, counts and IP ports are at least 1. An alignment is not checked to be a power of two.
 *    striping_factor and striping_unit may be any integer, since -1 and 0 have a meaning on Lustre.
 *  - Lists. An empty list is a list, and allowed.
 *  - Defaults. A row has one only if the standard gives it. The exception is thread_level, whose default the standard
 *    leaves to the implementation. Some have no threads, so the row has the lowest level.
 */
#include <rcuinfo/hints.h>

#include <limits.h>

#define TEXT               .type = RCUINFO_TYPE_STRING
#define BOOLEAN            .type = RCUINFO_TYPE_BOOL, .initial = "false"
#define INTEGER            .type = RCUINFO_TYPE_INT
#define INTEGER_FROM(from) .type = RCUINFO_TYPE_INT, .least = (from), .most = INT64_MAX
#define WORD(words)        .type = RCUINFO_TYPE_CHOICE, .allowed = (words)
#define MARKED(flag)       .flags = (flag)

#define SAME     RCUINFO_FLAG_SAME
#define FIXED    RCUINFO_FLAG_FIXED
#define GET_ONLY RCUINFO_FLAG_GET_ONLY
#define LIST     RCUINFO_FLAG_LIST
#define ANY_CASE RCUINFO_FLAG_ANY_CASE

#define FROM(version, number) .since = (version), .section = "MPI-4.1, " number

#define THREAD_LEVELS  "MPI_THREAD_SINGLE,MPI_THREAD_FUNNELED,MPI_THREAD_SERIALIZED,MPI_THREAD_MULTIPLE"
#define ERROR_HANDLERS "mpi_errors_are_fatal,mpi_errors_abort,mpi_errors_return"

/* Keys that several kinds of objects have. */
#define KINDS(key_, flag)    .key = (key_), .type = RCUINFO_TYPE_KIND, .flags = LIST | (flag)
#define ALLOC_KINDS(flag)    KINDS("mpi_memory_alloc_kinds", flag), .initial = "mpi,system", FROM("4.1", "11.4.3")
#define ASSERT_KINDS(number) KINDS("mpi_assert_memory_alloc_kinds", 0), FROM("4.1", number)
#define ALIGNMENT(flag, number)                                                                                        \
    .key = "mpi_minimum_memory_alignment", INTEGER_FROM(1), MARKED(flag), FROM("4.0", number)
#define ERRHANDLER(flag, number)                                                                                       \
    .key = "mpi_initial_errhandler", WORD(ERROR_HANDLERS), MARKED(ANY_CASE | (flag)),                                  \
    .initial = "mpi_errors_are_fatal", FROM("4.0", number)
#define SOFT(flag, version, number)                                                                                    \
    .key = "soft", .type = RCUINFO_TYPE_RANGE, MARKED(LIST | (flag)), FROM(version, number)

static const rcuinfo_hint_t window[] = {
    {.key = "no_locks", BOOLEAN, FROM("2.0", "12.2.1")},
    {.key = "same_size", BOOLEAN, MARKED(SAME | FIXED), FROM("3.0", "12.2.1")},
    {.key = "same_disp_unit", BOOLEAN, MARKED(SAME | FIXED), FROM("3.1", "12.2.1")},
    {.key = "alloc_shared_noncontig", BOOLEAN, MARKED(FIXED), FROM("3.0", "12.2.3")},
    {.key = "accumulate_ordering",
     WORD("rar,raw,war,waw"),
     MARKED(LIST | FIXED),
     .alone = "none",
     .initial = "rar,raw,war,waw",
     FROM("3.0", "12.7.2")},
    {.key = "accumulate_ops", WORD("same_op,same_op_no_op"), .initial = "same_op_no_op", FROM("3.0", "12.2.1")},
    {.key = "mpi_accumulate_granularity", INTEGER_FROM(0), MARKED(SAME), .initial = "0", FROM("4.1", "12.2.1")},
    {ALIGNMENT(FIXED, "12.2.2")},
    {ALLOC_KINDS(GET_ONLY)},
    {ASSERT_KINDS("12.2.1")},
};

static const rcuinfo_hint_t communicator[] = {
    {.key = "mpi_assert_no_any_tag", BOOLEAN, FROM("4.0", "7.4.4")},
    {.key = "mpi_assert_no_any_source", BOOLEAN, FROM("4.0", "7.4.4")},
    {.key = "mpi_assert_exact_length", BOOLEAN, FROM("4.0", "7.4.4")},
    {.key = "mpi_assert_allow_overtaking", BOOLEAN, FROM("4.0", "7.4.4")},
    {.key = "mpi_assert_strict_persistent_collective_ordering", BOOLEAN, MARKED(SAME), FROM("4.1", "7.4.4")},
    {ALLOC_KINDS(GET_ONLY)},
    {ASSERT_KINDS("7.4.4")},
};

static const rcuinfo_hint_t file[] = {
    {.key = "access_style",
     WORD("read_once,write_once,read_mostly,write_mostly,sequential,reverse_sequential,random"),
     MARKED(LIST),
     FROM("2.0", "14.2.8")},
    {.key = "collective_buffering", .type = RCUINFO_TYPE_BOOL, MARKED(SAME), FROM("2.0", "14.2.8")},
    {.key = "cb_block_size", INTEGER_FROM(1), MARKED(SAME), FROM("2.0", "14.2.8")},
    {.key = "cb_buffer_size", INTEGER_FROM(1), MARKED(SAME), FROM("2.0", "14.2.8")},
    {.key = "cb_nodes", INTEGER_FROM(1), MARKED(SAME), FROM("2.0", "14.2.8")},
    {.key = "chunked", INTEGER_FROM(1), MARKED(LIST | SAME), FROM("2.0", "14.2.8")},
    {.key = "chunked_item", INTEGER_FROM(1), MARKED(LIST | SAME), FROM("2.0", "14.2.8")},
    {.key = "chunked_size", INTEGER_FROM(1), MARKED(LIST | SAME), FROM("2.0", "14.2.8")},
    {.key = "filename", TEXT, MARKED(GET_ONLY), FROM("2.0", "14.2.8")},
    {.key = "file_perm", TEXT, MARKED(SAME | FIXED), FROM("2.0", "14.2.8")},
    {.key = "io_node_list", TEXT, MARKED(LIST | SAME), FROM("2.0", "14.2.8")},
    {.key = "nb_proc", INTEGER_FROM(1), MARKED(SAME), FROM("2.0", "14.2.8")},
    {.key = "num_io_nodes", INTEGER_FROM(1), MARKED(SAME), FROM("2.0", "14.2.8")},
    {.key = "striping_factor", INTEGER, MARKED(SAME | FIXED), FROM("2.0", "14.2.8")},
    {.key = "striping_unit", INTEGER, MARKED(SAME | FIXED), FROM("2.0", "14.2.8")},
    {ALLOC_KINDS(GET_ONLY)},
    {ASSERT_KINDS("14.2.8")},
};

static const rcuinfo_hint_t session[] = {
    {.key = "thread_level", WORD(THREAD_LEVELS), MARKED(FIXED), .initial = "MPI_THREAD_SINGLE", FROM("4.0", "11.3.1")},
    {ALLOC_KINDS(FIXED)},
    {ERRHANDLER(FIXED, "11.8.4")},
};

static const rcuinfo_hint_t spawn[] = {
    {.key = "host", TEXT, FROM("2.0", "11.8.4")},
    {.key = "arch", TEXT, FROM("2.0", "11.8.4")},
    {.key = "wdir", TEXT, FROM("2.0", "11.8.4")},
    {.key = "path", TEXT, FROM("2.0", "11.8.4")},
    {.key = "file", TEXT, FROM("2.0", "11.8.4")},
    {SOFT(0, "2.0", "11.8.4")},
    {.key = "appnum", .type = RCUINFO_TYPE_INT, .least = 0, .most = INT_MAX, FROM("2.0", "11.10.3")},
    {ERRHANDLER(0, "11.8.4")},
    {ALLOC_KINDS(0)},
};

static const rcuinfo_hint_t port[] = {
    {.key = "ip_port", .type = RCUINFO_TYPE_INT, .least = 1, .most = 65535, FROM("2.0", "11.9.5")},
    {.key = "ip_address", TEXT, FROM("2.0", "11.9.5")},
};

static const rcuinfo_hint_t alloc_mem[] = {
    {ALIGNMENT(0, "9.2")},
};

static const rcuinfo_hint_t split_type[] = {
    {.key = "mpi_hw_resource_type", TEXT, MARKED(SAME), FROM("4.0", "7.4.2")},
    {.key = "mpi_pset_name", TEXT, FROM("4.1", "7.4.2")},
};

static const rcuinfo_hint_t init[] = {
    {ERRHANDLER(0, "11.5")},
    {ALLOC_KINDS(0)},
};

static const rcuinfo_hint_t process_set[] = {
    {.key = "mpi_size", INTEGER_FROM(1), MARKED(GET_ONLY), FROM("4.0", "11.3.3")},
};

static const rcuinfo_hint_t env[] = {
    {.key = "command", TEXT, MARKED(GET_ONLY), FROM("3.0", "11.2.1")},
    {.key = "argv", TEXT, MARKED(GET_ONLY), FROM("3.0", "11.2.1")},
    {.key = "maxprocs", INTEGER_FROM(1), MARKED(GET_ONLY), FROM("3.0", "11.2.1")},
    {.key = "mpi_initial_errhandler", WORD(ERROR_HANDLERS), MARKED(ANY_CASE | GET_ONLY), FROM("4.0", "11.2.1")},
    {KINDS("mpi_memory_alloc_kinds", GET_ONLY), FROM("4.1", "11.2.1")},
    {SOFT(GET_ONLY, "3.0", "11.2.1")},
    {.key = "host", TEXT, MARKED(GET_ONLY), FROM("3.0", "11.2.1")},
    {.key = "arch", TEXT, MARKED(GET_ONLY), FROM("3.0", "11.2.1")},
    {.key = "wdir", TEXT, MARKED(GET_ONLY), FROM("3.0", "11.2.1")},
    {.key = "file", TEXT, MARKED(GET_ONLY), FROM("3.0", "11.2.1")},
    {.key = "thread_level", WORD(THREAD_LEVELS), MARKED(GET_ONLY), FROM("3.0", "11.2.1")},
};

#define TABLE(rows) #rows, (rows), sizeof(rows) / sizeof *(rows)

static const struct {
    const char *name;
    const rcuinfo_hint_t *rows;
    size_t n;
} tables[RCUINFO_OBJECT_COUNT] = {
    [RCUINFO_OBJECT_WINDOW] = {TABLE(window)},
    [RCUINFO_OBJECT_COMMUNICATOR] = {TABLE(communicator)},
    [RCUINFO_OBJECT_FILE] = {TABLE(file)},
    [RCUINFO_OBJECT_SESSION] = {TABLE(session)},
    [RCUINFO_OBJECT_SPAWN] = {TABLE(spawn)},
    [RCUINFO_OBJECT_PORT] = {TABLE(port)},
    [RCUINFO_OBJECT_ALLOC_MEM] = {TABLE(alloc_mem)},
    [RCUINFO_OBJECT_SPLIT_TYPE] = {TABLE(split_type)},
    [RCUINFO_OBJECT_INIT] = {TABLE(init)},
    [RCUINFO_OBJECT_PROCESS_SET] = {TABLE(process_set)},
    [RCUINFO_OBJECT_ENV] = {TABLE(env)},
};

const rcuinfo_hint_t *rcuinfo_hint_standard(rcuinfo_hint_object_t object, size_t *n)
{
    if (!n || (unsigned)object >= RCUINFO_OBJECT_COUNT)
        return NULL;
    *n = tables[object].n;
    return tables[object].rows;
}

const char *rcuinfo_hint_object_name(rcuinfo_hint_object_t object)
{
    return (unsigned)object < RCUINFO_OBJECT_COUNT ? tables[object].name : NULL;
}
