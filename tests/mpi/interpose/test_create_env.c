/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What MPI_Info_create_env and MPI_INFO_ENV say of the keys of the standard is the same before MPI is initialized,
 * after it and after it is finalized, key by key and value by value, whatever thread level the program asks for: equal
 * calls give equal infos (MPI-4.0, 11.2.1; MPICH asks that in its own test of the call). Objects that were made before
 * are looked at again after.
 *
 * usage: test_create_env HOW LEVEL    HOW: init, 0 to 3 (MPI_Init_thread), session, or none; LEVEL: what thread_level
 *                                     has to say, or "absent"
 */
#include "support/describe.h"
#include "support/threads.h"

enum { THREADS = 4, FORMS = 4 };

static char solver[] = "./solver", option[] = "-n", empty[] = "", *others[] = {solver, option, empty};

/* The arguments, each as good as any: none, which stands for the process's own, the program's, and others. */
static struct {
    int argc;
    char **argv;
    MPI_Info first; /* made before all else */
    char wanted[DESCRIBE_MAX];
} forms[FORMS] = {{.argc = 0}, {.argc = 0}, {.argc = 3, .argv = others}, {.argc = 1, .argv = others}};
enum { OF_PROCESS, OF_MAIN };

static const char *level; /* NULL: absent */

static MPI_Info create(int form)
{
    MPI_Info info = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_create_env(forms[form].argc, forms[form].argv, &info), MPI_SUCCESS);
    CHECK(info != MPI_INFO_NULL && info != MPI_INFO_ENV);
    return info;
}

/* A key's value as MPI_Info_get_string gives it; NULL: it has none. */
static void check_value(MPI_Info info, const char *key, const char *wanted)
{
    char value[MPI_MAX_INFO_VAL];
    int flag = 7, length = MPI_MAX_INFO_VAL;
    CHECK_MPI(MPI_Info_get_string(info, key, &length, value, &flag), MPI_SUCCESS);
    CHECKF(flag == (wanted != NULL), "%s", key);
    CHECKF(!flag || (strcmp(value, wanted) == 0 && length == (int)strlen(value) + 1), "%s is \"%s\", not \"%s\"", key,
           value, wanted);
}

/* Of all keys of the standard it says what was said before all else. */
static void compare(MPI_Info info, int form)
{
    char text[DESCRIBE_MAX];
    describe(info, text);
    describe_same(text, forms[form].wanted, "what is said now");
}

/* New objects are as those from before, which are as they were; what becomes of a new one shows nowhere. */
static void ask(unsigned thread, void *unused)
{
    (void)thread;
    (void)unused;
    for (int form = 0; form < FORMS; form++) {
        MPI_Info info = create(form);
        int nkeys = 0, wanted = 0;
        compare(info, form);
        compare(forms[form].first, form);
        CHECK_MPI(MPI_Info_get_nkeys(info, &nkeys), MPI_SUCCESS);
        CHECK_MPI(MPI_Info_get_nkeys(forms[form].first, &wanted), MPI_SUCCESS);
        CHECK_EQUAL(nkeys, wanted);
        check_value(info, "thread_level", level);
        CHECK_MPI(MPI_Info_set(info, "thread_level", "changed"), MPI_SUCCESS);
        CHECK_MPI(MPI_Info_delete(info, "command"), MPI_SUCCESS);
        CHECK_MPI(MPI_Info_free(&info), MPI_SUCCESS);
    }
    compare(MPI_INFO_ENV, OF_PROCESS);
    compare(MPI_INFO_ENV, OF_MAIN); /* whose arguments nobody has changed */
    check_value(MPI_INFO_ENV, "thread_level", level);
}

static void ask_all(void)
{
    ask(0, NULL);
    team_run(THREADS, ask, NULL);
}

#if TEST_REAL_MPI
static void initialize_world(const char *how)
{
    const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
    char maxprocs[16];
    int provided, size;
    if (strcmp(how, "init") == 0)
        CHECK_MPI(MPI_Init(NULL, NULL), MPI_SUCCESS);
    else
        CHECK_MPI(MPI_Init_thread(NULL, NULL, levels[atoi(how)], &provided), MPI_SUCCESS);
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    snprintf(maxprocs, sizeof maxprocs, "%d", size);
    check_value(MPI_INFO_ENV, "maxprocs", maxprocs);
}
#endif

#if TEST_REAL_MPI && defined(MPI_SESSION_NULL)
/* Two, of which one asks for a level. */
static void use_sessions(void)
{
    MPI_Session sessions[2];
    MPI_Info info;
    CHECK_MPI(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE"), MPI_SUCCESS);
    CHECK_MPI(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &sessions[0]), MPI_SUCCESS);
    ask_all();
    CHECK_MPI(MPI_Session_init(info, MPI_ERRORS_RETURN, &sessions[1]), MPI_SUCCESS);
    ask_all();
    CHECK_MPI(MPI_Session_finalize(&sessions[0]), MPI_SUCCESS);
    ask_all();
    CHECK_MPI(MPI_Session_finalize(&sessions[1]), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_free(&info), MPI_SUCCESS);
}
#endif

static void go_through(const char *how)
{
#if TEST_REAL_MPI && defined(MPI_SESSION_NULL)
    if (strcmp(how, "session") == 0) {
        use_sessions();
        return;
    }
#endif
#if TEST_REAL_MPI
    initialize_world(how);
    ask_all();
    CHECK_MPI(MPI_Finalize(), MPI_SUCCESS);
#else
    CHECK(strcmp(how, "none") == 0);
#endif
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    forms[OF_MAIN].argc = argc;
    forms[OF_MAIN].argv = argv;
    level = strcmp(argv[2], "absent") == 0 ? NULL : argv[2];
    for (int form = 0; form < FORMS; form++) {
        forms[form].first = create(form);
        describe(forms[form].first, forms[form].wanted);
    }
    check_value(forms[2].first, "command", solver);
    check_value(forms[2].first, "argv", "-n ");
    check_value(forms[3].first, "argv", NULL);
    ask_all();
    go_through(argv[1]);
    ask_all();
    for (int form = 0; form < FORMS; form++)
        CHECK_MPI(MPI_Info_free(&forms[form].first), MPI_SUCCESS);
    return 0;
}
