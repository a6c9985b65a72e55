/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The verdict on a hint, by what is known about it; and the table of the keys of libraries: its rows are valid, and the
 * one that counts is found.
 */
#include <limits.h>

#include "support/check.h"
#include "support/test.h"
#include "report/verdict.h"

#define MPICH_4                   .mpi = {RCUINFO__MPICH, 40002}
#define OPENMPI_4                 .mpi = {RCUINFO__OPENMPI, 40104}
#define INTEL                     .mpi = {RCUINFO__INTEL, 20211900}
#define FILE_(part, name, value)  .object = RCUINFO_OBJECT_FILE, .component = (part), .key = (name), .given = (value)
#define WINDOW(part, name, value) .object = RCUINFO_OBJECT_WINDOW, .component = (part), .key = (name), .given = (value)
#define SEEN                      .is_watched = true, .was_looked_up = true
#define CASE(verdict, evidence, note, ...)                                                                             \
    {                                                                                                                  \
        {__VA_ARGS__}, RCUINFO__REPORT_##verdict, evidence, note                                                       \
    }

TEST(verdicts)
{
    static const struct {
        struct rcuinfo__facts facts;
        enum rcuinfo__report_verdict verdict;
        const char *evidence, *note;
    } cases[] = {
        /* The library is seen to look the key up, and to set a value. */
        CASE(IN_EFFECT, "set", "", MPICH_4, FILE_("romio-ufs", "cb_nodes", "4"), SEEN, .set = "4"),
        CASE(CHANGED, "set", "", MPICH_4, FILE_("romio-ufs", "cb_nodes", "4"), SEEN, .set = "1"),
        CASE(IN_EFFECT, "set", "", MPICH_4, FILE_("romio-ufs", "cb_nodes", "04"), SEEN, .set = "4"),
        CASE(READ, "look-up", "", MPICH_4, FILE_("romio-ufs", "cb_nodes", "4"), SEEN),
        CASE(IN_EFFECT, "get_info", "", MPICH_4, FILE_("romio-ufs", "cb_nodes", "4"), SEEN, .returned = "4"),
        /* It is seen not to, whatever it returns. */
        CASE(NOT_USED, "look-up", "", MPICH_4, FILE_("romio-ufs", "access_style", "random"), .is_watched = true),
        CASE(NOT_USED, "look-up", "only stored", OPENMPI_4, FILE_("romio-ufs", "access_style", "random"),
             .is_watched = true, .returned = "random"),
        CASE(CHANGED, "get_info", "", MPICH_4, FILE_("romio-ufs", "cb_nodes", "4"), .is_watched = true,
             .is_change = true, .returned = "1"),
        /* A key that no table has is known if the library looks it up. */
        CASE(READ, "look-up", "", MPICH_4, FILE_("romio-ufs", "romio_new", "4"), SEEN),
        CASE(UNKNOWN, "table", "", MPICH_4, FILE_("romio-ufs", "romio_new", "4"), .is_watched = true),
        /* Look-ups cannot be seen: the table says. */
        CASE(READ, "table", "", OPENMPI_4, FILE_("ompio", "cb_nodes", "4"), .returned = "4"),
        CASE(READ, "table", "this version does the opposite: true switches it off", OPENMPI_4,
             FILE_("ompio", "collective_buffering", "true"), .returned = "true"),
        CASE(READ, "table", "", .mpi = {RCUINFO__OPENMPI, 50010}, FILE_("ompio", "collective_buffering", "true")),
        CASE(NOT_USED, "table", "only stored", OPENMPI_4, FILE_("ompio", "romio_cb_write", "disable"),
             .returned = "disable"),
        CASE(NOT_USED, "table", "", OPENMPI_4, FILE_("ompio", "cb_buffer_size", "4"), .is_change = true),
        CASE(NOT_USED, "table", "no effect on ext4", OPENMPI_4, FILE_("ompio-ext4", "striping_factor", "4"),
             .system = "ext4", .returned = "4"),
        CASE(READ, "table", "", .mpi = {RCUINFO__OPENMPI, 40106}, FILE_("ompio-lustre", "striping_factor", "4"),
             .system = "lustre"),
        /* It is read and returned, and nothing uses it. */
        CASE(NOT_USED, "table", "only stored", MPICH_4, WINDOW("ch4-ucx", "no_locks", "true"), .returned = "true"),
        CASE(IN_EFFECT, "get_info", "", MPICH_4, WINDOW("ch4-ofi", "accumulate_ordering", "war,rar"),
             .returned = "rar,war"),
        CASE(CHANGED, "get_info", "", MPICH_4, WINDOW("ch4-ofi", "accumulate_ordering", "war"), .returned = "rar"),
        CASE(IN_EFFECT, "get_info", "", .mpi = {RCUINFO__MPICH, 50002}, .object = RCUINFO_OBJECT_SESSION,
             .key = "mpi_memory_alloc_kinds", .given = "system, mpi", .returned = "mpi,system"),
        /* The component is not known. */
        CASE(NOT_KNOWN, "table", "osc-rdma reads it", OPENMPI_4, WINDOW(NULL, "no_locks", "true"), .returned = "true"),
        CASE(NOT_KNOWN, "table", "ompio reads it", OPENMPI_4, FILE_(NULL, "cb_nodes", "2"), .returned = "2"),
        CASE(NOT_KNOWN, "table", "coll-han reads it", OPENMPI_4, .object = RCUINFO_OBJECT_COMMUNICATOR,
             .component = "pml-ob1", .key = "ompi_comm_coll_han_topo_level", .given = "INTER_NODE"),
        CASE(NOT_USED, "table", "", .mpi = {RCUINFO__OPENMPI, 50000}, .object = RCUINFO_OBJECT_COMMUNICATOR,
             .key = "mpi_assert_allow_overtaking", .given = "true"), /* whatever reads it */
        /* Nothing is known of this version. */
        CASE(NOT_KNOWN, "table", "", .mpi = {RCUINFO__MPICH, 30402}, WINDOW(NULL, "no_locks", "true"),
             .returned = "true"),
        CASE(NOT_KNOWN, "table", "", .mpi = {0, 0}, WINDOW(NULL, "no_locks", "true")),
        CASE(NOT_KNOWN, "table", "did you mean 'no_locks'?", .mpi = {0, 0}, WINDOW(NULL, "no_lock", "true")),
        /* Values. */
        CASE(BAD_VALUE, "table", "an integer has decimal digits only; romio reads it as 1", MPICH_4,
             FILE_("romio-ufs", "ind_wr_buffer_size", "1M"), SEEN, .set = "1M"),
        CASE(BAD_VALUE, "standard", "an integer has decimal digits only; romio reads it as 4", MPICH_4,
             FILE_("romio-ufs", "cb_buffer_size", "4M"), SEEN),
        CASE(BAD_VALUE, "table", "above the largest allowed value", MPICH_4,
             FILE_("romio-ufs", "ind_wr_buffer_size", "4294967296"), SEEN), /* no int */
        CASE(NOT_USED, "table", "only stored", OPENMPI_4, FILE_("ompio", "ind_wr_buffer_size", "1M"), .returned = "1M"),
        CASE(BAD_VALUE, "standard", "an integer has decimal digits only", OPENMPI_4,
             FILE_("ompio", "cb_block_size", "4k")),
        /* What it was seen to set is more than the table knows of words; of a number it may be the text alone. */
        CASE(IN_EFFECT, "set", "", MPICH_4, FILE_("romio-ufs", "romio_ds_write", "DISABLE"), SEEN, .set = "DISABLE"),
        CASE(BAD_VALUE, "table", "not one of the allowed words: enable, disable, automatic, requested", MPICH_4,
             FILE_("romio-ufs", "romio_ds_write", "Disable"), SEEN, .returned = "automatic"),
        CASE(IN_EFFECT, "get_info", "", .mpi = {RCUINFO__MPICH, 50002}, .object = RCUINFO_OBJECT_SESSION,
             .component = "ch4-ofi", .key = "strict_finalize", .given = "true", .returned = "1"),
        CASE(CHANGED, "get_info", "", .mpi = {RCUINFO__MPICH, 50002}, .object = RCUINFO_OBJECT_SESSION,
             .component = "ch4-ofi", .key = "strict_finalize", .given = "true", .returned = "0"),
        /* The program passes on what the library has returned: no value, and no key, of the program's is wrong then. */
        CASE(BAD_VALUE, "table", "not one of the allowed words: enable, disable, automatic, requested", MPICH_4,
             FILE_("romio-ufs", "romio_ds_write", "off"), SEEN),
        CASE(READ, "look-up", "", MPICH_4, FILE_("romio-ufs", "romio_ds_write", "off"), SEEN, .is_answer = true),
        CASE(NOT_USED, "table", "", MPICH_4, WINDOW("ch4-ucx", "new_in_4", "true"), .is_answer = true),
        CASE(BAD_VALUE, "standard", "a boolean is true or false", MPICH_4, WINDOW("ch4-ucx", "no_locks", "yes"),
             .is_answer = true),
        /* Keys. */
        CASE(UNKNOWN, "table", "a key of window", MPICH_4, FILE_("romio-ufs", "no_locks", "true")),
        CASE(UNKNOWN, "table", "a key of file", MPICH_4, WINDOW(NULL, "romio_cb_write", "enable")),
        CASE(UNKNOWN, "table", "did you mean 'cb_nodes'?", MPICH_4, FILE_("romio-ufs", "cb_node", "4")),
        CASE(NOT_USED, "table", "only the library sets it", MPICH_4, FILE_("romio-ufs", "romio_aggregator_list", "0"),
             .is_watched = true, .set = "0 "),
        CASE(NOT_USED, "standard", "only the library sets it", MPICH_4, FILE_("romio-ufs", "filename", "a"),
             .is_watched = true, .returned = "b"),
        CASE(IN_EFFECT, "get_info", "", MPICH_4, .object = RCUINFO_OBJECT_SPLIT_TYPE, .component = "ch4-ucx",
             .key = "mpi_assert_no_any_tag", .given = "true", .returned = "true"),
        /* Intel's: what its communicators return is what they were given; what its other objects return, they know. */
        CASE(BAD_VALUE, "table", "an integer has decimal digits only; romio reads it as 64", INTEL,
             FILE_("romio-nfs", "ind_wr_buffer_size", "64k"), SEEN, .set = "64k", .returned = "64k"),
        CASE(READ, "table", "", INTEL, .object = RCUINFO_OBJECT_COMMUNICATOR, .key = "mpi_assert_no_any_tag",
             .given = "true", .returned = "true"),
        CASE(UNKNOWN, "table", "did you mean 'mpi_assert_no_any_tag'?", INTEL, .object = RCUINFO_OBJECT_COMMUNICATOR,
             .key = "mpi_assert_no_any_tags", .given = "true", .returned = "true"),
        CASE(NOT_KNOWN, "get_info", "", INTEL, WINDOW(NULL, "new_in_2022", "true"), .returned = "true"),
        CASE(CHANGED, "get_info", "", INTEL, WINDOW(NULL, "new_in_2022", "true"), .returned = "false"),
        CASE(UNKNOWN, "table", "did you mean 'no_locks'?", INTEL, WINDOW(NULL, "no_lokcs", "true")),
        CASE(UNKNOWN, "table", "a key of process_set", .mpi = {RCUINFO__OPENMPI, 60000},
             .object = RCUINFO_OBJECT_SESSION, .key = "mpi_size", .given = "4", .returned = "4"),
        CASE(CHANGED, "get_info", "", .mpi = {RCUINFO__OPENMPI, 60000}, .object = RCUINFO_OBJECT_SESSION,
             .key = "thread_level", .given = "MPI_THREAD_SINGLE", .returned = "MPI_THREAD_MULTIPLE"),
        CASE(IN_EFFECT, "get_info", "", INTEL, WINDOW(NULL, "mpi_minimum_memory_alignment", "4096"),
             .returned = "4096"),
        /* It is not passed on, whatever is in use. */
        CASE(LEFT, "none", "why", MPICH_4, FILE_("romio-ufs", "cb_nodes", "4"), SEEN, .left = "why", .set = "1"),
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct rcuinfo__judgement found;
        rcuinfo__verdict(&cases[n].facts, &found);
        const char *evidence = found.evidence ? found.evidence : "none";
        CHECKF(found.verdict == cases[n].verdict && strcmp(evidence, cases[n].evidence) == 0 &&
                   strcmp(found.note, cases[n].note) == 0,
               "case %zu, %s: %s, %s, \"%s\"", n, cases[n].facts.key, rcuinfo__report_verdicts[found.verdict], evidence,
               found.note);
    }
}

/* Two rows for the same key of the same component are for other versions. */
TEST(rows)
{
    size_t n;
    const struct rcuinfo__key *keys = rcuinfo__keys(&n);
    CHECK(n > 200);
    for (const struct rcuinfo__key *key = keys; key < keys + n; key++) {
        rcuinfo_schema_t *schema;
        rcuinfo_hint_t hint = key->hint;
        hint.initial = NULL; /* in words, for some */
        CHECK_STATUS(rcuinfo_schema_create(NULL, &hint, 1, &schema, NULL), RCUINFO_SUCCESS);
        rcuinfo_schema_free(&schema);
        CHECK(key->since < key->before || (key->since == 0 && key->before == 0));
        CHECK(key->object < RCUINFO_OBJECT_COUNT && rcuinfo__keys_library(key->owner) && *key->meaning);
        for (const struct rcuinfo__key *other = keys; other < key; other++) {
            bool is_same = other->owner == key->owner && other->object == key->object &&
                           strcmp(other->component, key->component) == 0 && strcmp(other->hint.key, key->hint.key) == 0;
            CHECKF(!is_same || other->before <= key->since || key->before <= other->since, "%s", key->hint.key);
        }
    }
}

TEST(versions)
{
    static const struct {
        const char *text;
        struct rcuinfo__mpi_version version;
        bool is_covered;
    } cases[] = {
        {"MPICH Version:\t4.0.2\nMPICH Release date: ...", {RCUINFO__MPICH, 40002}, true},
        {"MPICH Version:      3.4.1\n", {RCUINFO__MPICH, 30401}, false},
        {"MPICH Version:\t5.1.0a1\n", {RCUINFO__MPICH, 50100}, true},
        {"MPICH Version:\t6.0\n", {RCUINFO__MPICH, 60000}, false},
        {"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", {RCUINFO__OPENMPI, 40104}, true},
        {"Open MPI v6.0.0rc2, package", {RCUINFO__OPENMPI, 60000}, true},
        {"Open MPI v", {RCUINFO__OPENMPI, 0}, false},
        {"Intel(R) MPI Library 2021.19 for Linux* OS\n", {RCUINFO__INTEL, 20211900}, true},
        {"", {0, 0}, false},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct rcuinfo__mpi_version found = rcuinfo__keys_version(cases[n].text);
        CHECKF(found.id == cases[n].version.id && found.number == cases[n].version.number, "%s", cases[n].text);
        CHECKF(rcuinfo__keys_covers(&found) == cases[n].is_covered, "%s", cases[n].text);
    }
}

/* The row of the driver counts before that of all drivers, and that of a component only for it. */
TEST(components)
{
    const struct rcuinfo__mpi_version mpich = {RCUINFO__MPICH, 40002};
    const rcuinfo_hint_object_t file = RCUINFO_OBJECT_FILE;
    CHECK_TEXT(rcuinfo__keys_read(&mpich, "romio-lustre", file, "striping_unit")->component, "romio-lustre");
    CHECK_TEXT(rcuinfo__keys_read(&mpich, "romio-ufs", file, "striping_unit")->component, "romio");
    CHECK_TEXT(rcuinfo__keys_read(&mpich, "romio", file, "striping_unit")->component, "romio");
    CHECK(!rcuinfo__keys_read(&mpich, "romio-ufs", file, "striping_factor"));
    CHECK(!rcuinfo__keys_read(&mpich, "romiofs", file, "cb_nodes"));
    CHECK(!rcuinfo__keys_read(&mpich, NULL, file, "cb_nodes"));
    CHECK_TEXT(rcuinfo__keys_may_read(&mpich, NULL, file, "cb_nodes")->component, "romio");
    CHECK(!rcuinfo__keys_may_read(&mpich, "romio-ufs", file, "direct_read"));
    CHECK(rcuinfo__keys_find(RCUINFO__PNETCDF, file, "nc_header_align_size"));
    CHECK(rcuinfo__keys_find(RCUINFO__PNETCDF, RCUINFO__OBJECT_ANY, "nc_header_align_size"));
    CHECK(!rcuinfo__keys_find(RCUINFO__PNETCDF, RCUINFO__OBJECT_UNKNOWN, "nc_header_align_size"));
    CHECK(!rcuinfo__keys_find(RCUINFO__MPICH, file, "nc_header_align_size"));
}

TEST_MAIN()
