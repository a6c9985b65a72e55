/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Info_create_env and MPI_INFO_ENV have the same values for the standard's keys before MPI is initialized, after
 * that and after it is finalized, whatever thread level the program requests: equal calls return equal infos
 * (MPI-4.0, 11.2.1). Also the pairs that MPI_Init and MPI_Init_thread add to MPI_INFO_ENV until the end of the process:
 * after the initial pairs, and in one version, those of the real library's that create_env never has.
 *
 * usage: test_init HOW LEVEL K     HOW: init, 0 to 3 (MPI_Init_thread), session, or none; LEVEL: the value expected for
 *                                  thread_level, or "absent"; the Kth allocation in the call fails, without a read of
 *                                  MPI_INFO_ENV before (0: none fails)
 */
#include <rcuinfo/rcuinfo.h>

#include "support/contents.h"
#include "support/describe.h"
#include "support/nomem.h"
#include "support/threads.h"

enum { THREADS = 4, FORMS = 4, IS_OPENMPI = sizeof(MPI_Info) == sizeof(void *) };

static char solver[] = "./solver", option[] = "-n", empty[] = "", *others[] = {solver, option, empty};

/* Arguments to pass: none, which means the process's own; those of the program; and others. */
static struct {
    int argc;
    char **argv;
    MPI_Info first; /* created first */
    char wanted[DESCRIBE_MAX];
} forms[FORMS] = {{.argc = 0}, {.argc = 0}, {.argc = 3, .argv = others}, {.argc = 1, .argv = others}};
enum { OF_PROCESS, OF_MAIN };

/* New objects equal the earlier ones, which are unchanged. */
static void ask(unsigned thread, void *unused)
{
    char text[DESCRIBE_MAX];
    (void)thread;
    (void)unused;
    for (int form = 0; form < FORMS; form++) {
        describe_new(forms[form].argc, forms[form].argv, text);
        describe_same(text, forms[form].wanted, "what is said now");
        describe(forms[form].first, text);
        describe_same(text, forms[form].wanted, "what was said before");
    }
    describe(MPI_INFO_ENV, text);
    describe_same(text, forms[OF_PROCESS].wanted, "MPI_INFO_ENV");
}

static void ask_all(void)
{
    ask(0, NULL);
    team_run(THREADS, ask, NULL);
}

#if TEST_REAL_MPI

#include "interpose/spy.h"

/* The pairs of MPI_INFO_ENV, ours or the real library's, whose keys are not in the standard. */
static void describe_more(bool native, char text[DESCRIBE_MAX])
{
    int nkeys = 0, flag = 0;
    size_t used = 0;
    text[0] = '\0';
    CHECK_MPI((native ? NATIVE(PMPI_Info_get_nkeys) : MPI_Info_get_nkeys)(MPI_INFO_ENV, &nkeys), MPI_SUCCESS);
    for (int n = 0; n < nkeys; n++) {
        char key[MPI_MAX_INFO_KEY + 1] = "", value[MPI_MAX_INFO_VAL + 1] = "";
        CHECK_MPI((native ? NATIVE(PMPI_Info_get_nthkey) : MPI_Info_get_nthkey)(MPI_INFO_ENV, n, key), MPI_SUCCESS);
        CHECK_MPI(
            (native ? NATIVE(PMPI_Info_get) : MPI_Info_get)(MPI_INFO_ENV, key, MPI_MAX_INFO_VAL - 1, value, &flag),
            MPI_SUCCESS);
        if (describe_position(key) < 0)
            used += (size_t)snprintf(text + used, DESCRIBE_MAX - used, "%s=%s\n", key, value);
    }
    CHECK(used < DESCRIBE_MAX);
}

static void initialize(const char *how)
{
    const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
    int provided;
    if (strcmp(how, "init") == 0)
        CHECK_MPI(MPI_Init(NULL, NULL), MPI_SUCCESS);
    else
        CHECK_MPI(MPI_Init_thread(NULL, NULL, levels[atoi(how)], &provided), MPI_SUCCESS);
}

static void check_more(const char *wanted)
{
    char text[DESCRIBE_MAX];
    describe_more(false, text);
    describe_same(text, wanted, "what comes after");
}

/* The description allocates a block; Open MPI's additional pairs, the edits and a block. */
static void use_world(const char *how, int k)
{
    static char native[DESCRIBE_MAX];
    char maxprocs[32];
    int size;
    uint64_t before = 0, after = 0;
    if (k) {
        CHECK_EQUAL(rcuinfo_store_drain(), 0);
        CHECK_EQUAL(NOMEM_AT(k, initialize(how)), k <= (IS_OPENMPI ? 3 : 1));
    } else {
        check_more("");
        CHECK_OK(rcuinfo_object_version(rcuinfo_from_mpi(MPI_INFO_ENV), &before));
        initialize(how);
        CHECK_OK(rcuinfo_object_version(rcuinfo_from_mpi(MPI_INFO_ENV), &after));
        CHECK_EQUAL(after - before, IS_OPENMPI);
    }
    describe_more(true, native);
    CHECK(IS_OPENMPI == (strstr(native, "ompi_np=") != NULL));
    check_more(faults_met() ? "" : native);
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    snprintf(maxprocs, sizeof maxprocs, "\nmaxprocs=%d\n", size);
    CHECK(strstr(forms[OF_PROCESS].wanted, maxprocs));
    ask_all();
#if defined(TEST_FLAVOUR_mpich)
    /* A call that fails changes nothing. (Open MPI ends the process.) */
    flavour_set_errhandler(MPI_ERRORS_RETURN);
    CHECK(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &size) != MPI_SUCCESS);
    check_more(faults_met() ? "" : native);
#endif
    CHECK_MPI(MPI_Finalize(), MPI_SUCCESS);
    check_more(faults_met() ? "" : native);
}

#if defined(MPI_SESSION_NULL)
/* Two sessions, one of which requests a level. */
static void use_sessions(void)
{
    MPI_Session sessions[2];
    MPI_Info info = make_info({"thread_level", "MPI_THREAD_MULTIPLE"});
    CHECK_MPI(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &sessions[0]), MPI_SUCCESS);
    ask_all();
    CHECK_MPI(MPI_Session_init(info, MPI_ERRORS_RETURN, &sessions[1]), MPI_SUCCESS);
    ask_all();
    CHECK_MPI(MPI_Session_finalize(&sessions[0]), MPI_SUCCESS);
    ask_all();
    CHECK_MPI(MPI_Session_finalize(&sessions[1]), MPI_SUCCESS);
    free_info(info);
}
#endif
#endif

int main(int argc, char **argv)
{
    char level[64];
    CHECK(argc == 4);
    int k = atoi(argv[3]);
    forms[OF_MAIN].argc = argc;
    forms[OF_MAIN].argv = argv;
    for (int form = 0; form < FORMS; form++) {
        CHECK_MPI(MPI_Info_create_env(forms[form].argc, forms[form].argv, &forms[form].first), MPI_SUCCESS);
        describe(forms[form].first, forms[form].wanted);
    }
    describe_same(forms[OF_PROCESS].wanted, forms[OF_MAIN].wanted, "the process");
    snprintf(level, sizeof level, "\nthread_level=%s\n", argv[2]);
    CHECK(strcmp(argv[2], "absent") == 0 ? !strstr(forms[OF_PROCESS].wanted, "thread_level")
                                         : strstr(forms[OF_PROCESS].wanted, level) != NULL);
    if (k == 0)
        ask_all();
#if TEST_REAL_MPI && defined(MPI_SESSION_NULL)
    if (strcmp(argv[1], "session") == 0)
        use_sessions();
    else
#endif
#if TEST_REAL_MPI
        use_world(argv[1], k);
#else
    CHECK_TEXT(argv[1], "none");
#endif
    ask_all();
    for (int form = 0; form < FORMS; form++)
        free_info(forms[form].first);
    return 0;
}
