/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The very first call of a process, before the library's own constructors, which has to read what the process was
 * started with: it leaves errno, the cancel state and the descriptors alone, a pending cancel does not act inside, and
 * where it cannot read it says nothing wrong. White box: linked statically, so that a constructor of the program comes
 * first, and makes allocations fail.
 *
 * usage: test_env_first CASE            exit status 77: the case needs rights that this user does not have
 *        test_env_first no_memory K     the K-th allocation fails
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <rcuinfo/rcuinfo.h>

#include "support/nomem.h"
#include "support/objects.h"
#include "support/spawn.h"

enum { SKIPPED = 77 };

static int own_argc;
static char **own_argv;
static char own_directory[4096];
static bool skipped;
static bool wanting; /* memory, or a descriptor */

/* What could be read. */
enum sight { ALL, NO_ENVIRONMENT, NOTHING };

static void check_info(rcuinfo_t info, enum sight sight)
{
    char joined[RCUINFO_MAX_VALUE] = "";
    for (int i = 1; i < own_argc; i++) {
        strcat(joined, i > 1 ? " " : "");
        strcat(joined, own_argv[i]);
    }
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    CHECK(size);
    CHECK_VALUE(info, "command", sight == NOTHING ? NULL : own_argv[0]);
    CHECK_VALUE(info, "argv", sight == NOTHING ? NULL : joined);
    CHECK_VALUE(info, "maxprocs", sight == ALL ? size : NULL);
    CHECK_VALUE(info, "soft", sight == ALL ? size : NULL);
    if (sight != NOTHING) /* under another root there is no directory of that name */
        CHECK_VALUE(info, "wdir", own_directory);
}

/* create_env and env, with errno looked at. */
static void ask(enum sight sight)
{
    rcuinfo_t info = 77;
    errno = 1234;
    rcuinfo_status_t status = rcuinfo_create_env(0, NULL, &info);
    CHECKF(errno == 1234, "errno is %d after \"%s\"", errno, rcuinfo_status_string(status));
    CHECK(status == RCUINFO_SUCCESS || (wanting && status == RCUINFO_ERR_NO_MEM && info == RCUINFO_NULL));
    if (status == RCUINFO_SUCCESS) {
        check_info(info, sight);
        CHECK_OK(rcuinfo_free(&info));
    }
    errno = 1234;
    info = rcuinfo_env();
    CHECK(errno == 1234);
    CHECK(info != RCUINFO_NULL || wanting);
    if (info != RCUINFO_NULL)
        check_info(info, sight);
}

static void first_errno(void)
{
    rcuinfo_t info;
    errno = 1234;
    CHECK_STATUS(rcuinfo_create_env(-1, NULL, &info), RCUINFO_ERR_ARG);
    CHECK(errno == 1234);
    ask(ALL);
}

static void *ask_cancelled(void *done)
{
    CHECK(pthread_cancel(pthread_self()) == 0);
    ask(ALL);
    *(bool *)done = true;
    pthread_testcancel();
    *(bool *)done = false;
    return NULL;
}

static void first_cancelled(void)
{
    pthread_t thread;
    void *result = NULL;
    bool done = false;
    CHECK(pthread_create(&thread, NULL, ask_cancelled, &done) == 0);
    CHECK(pthread_join(thread, &result) == 0);
    CHECK(done && result == PTHREAD_CANCELED);
}

/* With a state and type that are not the usual ones. */
static void first_cancel_state(void)
{
    int state = -1, type = -1;
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL) == 0);
    CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL) == 0);
    ask(ALL);
    CHECK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type) == 0);
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state) == 0);
    CHECK(state == PTHREAD_CANCEL_DISABLE && type == PTHREAD_CANCEL_ASYNCHRONOUS);
}

static int count_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    int count = 0;
    CHECK(directory != NULL);
    while (readdir(directory))
        count++;
    CHECK(closedir(directory) == 0);
    return count;
}

static void first_descriptors(void)
{
    int before = count_descriptors();
    ask(ALL);
    CHECK(count_descriptors() == before);
}

/* While no descriptor is to be had the call fails; when there are some again the next one knows all. */
static void first_no_descriptor(void)
{
    struct rlimit limit, none;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max};
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    wanting = true;
    ask(ALL);
    wanting = false;
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    ask(ALL);
}

/* Under a root directory that has nothing in it. An ordinary user may do that in a name space of his own. */
static void first_no_proc(void)
{
    char directory[] = "/tmp/rcuinfo-test-XXXXXX";
    int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    CHECK(root >= 0 && mkdtemp(directory) != NULL);
    skipped = chroot(directory) != 0 && (unshare(CLONE_NEWUSER) != 0 || chroot(directory) != 0);
    CHECKF(!skipped || errno == EPERM || errno == EACCES || errno == ENOSPC, "%s", strerror(errno)); /* not allowed */
    if (!skipped) {
        ask(NOTHING);
        CHECK(fchdir(root) == 0 && chroot(".") == 0); /* LeakSanitizer needs /proc */
    }
    CHECK(rmdir(directory) == 0);
}

/* A process whose environment in /proc is root's, as that of a set-user-ID program is, or of one that may be executed
 * and not read. */
static void first_not_readable(void)
{
    uid_t user = geteuid();
    CHECK(user != 0 || seteuid(65534) == 0);
    CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
    ask(NO_ENVIRONMENT);
    CHECK(prctl(PR_SET_DUMPABLE, 1) == 0 && seteuid(user) == 0);
}

/* The k-th allocation fails in the first call; the next one has all. */
static void first_no_memory(int k)
{
    wanting = true;
    bool met = NOMEM_AT(k, ask(ALL));
    wanting = false;
    ask(ALL);
    if (met)
        puts("failed");
}

/* A process for each allocation of the first calls. */
static void fail_each_allocation(char *command, char *name)
{
    char number[16], output[16] = "failed\n";
    char *argv[] = {command, name, number, NULL};
    int k = 0;
    while (strcmp(output, "failed\n") == 0) {
        (void)snprintf(number, sizeof number, "%d", ++k);
        spawn_again(argv, output, sizeof output);
    }
    /* The record, the environment, the command line, the directory, the system, the object, its texts. */
    CHECKF(k > 7 && output[0] == '\0', "%d allocations, \"%s\"", k - 1, output);
    printf("%d allocations failed\n", k - 1);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"errno", first_errno},
    {"cancelled", first_cancelled},
    {"cancel_state", first_cancel_state},
    {"descriptors", first_descriptors},
    {"no_descriptor", first_no_descriptor},
    {"no_proc", first_no_proc},
    {"not_readable", first_not_readable},
};

__attribute__((constructor(101))) static void first(int argc, char **argv)
{
    own_argc = argc;
    own_argv = argv;
    CHECK(argc >= 2 && getcwd(own_directory, sizeof own_directory));
    if (argc == 3)
        first_no_memory(atoi(argv[2]));
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, argv[1]) == 0)
            cases[i].run();
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "no_memory") == 0)
        fail_each_allocation(argv[0], argv[1]);
    return skipped ? SKIPPED : 0;
}
