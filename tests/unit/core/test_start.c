/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The very first call of a process, before the library's own constructors, must read how the process was started. It
 * preserves errno, the cancellation state and the descriptors, a pending cancellation does not act in it, and it
 * returns nothing wrong if it cannot read. Also checks what is read: the environment, of any length, the command line,
 * the directory and the system, also if an allocation fails in the first call or while the library is loaded: the next
 * call then reads them. White box: linked statically, so that a constructor of the program runs first. Makes each
 * allocation fail, in a process of its own.
 *
 * usage: test_start CASE            exit status 77: the case needs rights that this user does not have
 *        test_start ROOM|gone       with ROOM more bytes in the environment; in a directory that was removed
 *        test_start ROOM|gone K     the K-th allocation fails, at load if K < 0
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

#include "env/start.h"
#include "support/counts.h"
#include "support/nomem.h"
#include "support/objects.h"
#include "support/spawn.h"

#define SIZE "OMPI_COMM_WORLD_SIZE"
enum { SKIPPED = 77, MOST_ALLOCATIONS = 64 };

static int own_argc;
static char **own_argv;
static char *own_directory; /* NULL: removed */
static bool skipped;
static bool wanting; /* memory or a descriptor is lacking */

/* The parts that could be read. */
enum sight { ALL, NO_ENVIRONMENT, NOTHING };

static void check_info(rcuinfo_t info, enum sight sight)
{
    char joined[RCUINFO_MAX_VALUE] = "";
    for (int i = 1; i < own_argc; i++) {
        strcat(joined, i > 1 ? " " : "");
        strcat(joined, own_argv[i]);
    }
    const char *size = sight == ALL ? getenv(SIZE) : NULL;
    CHECK(size || sight != ALL);
    CHECK_VALUE(info, "command", sight == NOTHING ? NULL : own_argv[0]);
    CHECK_VALUE(info, "argv", sight == NOTHING ? NULL : joined);
    CHECK_VALUE(info, "maxprocs", size);
    CHECK_VALUE(info, "soft", size);
    if (sight != NOTHING) /* under another root the directory does not exist */
        CHECK_VALUE(info, "wdir", own_directory);
}

/* Calls create_env and env, and checks errno. */
static void ask(enum sight sight)
{
    rcuinfo_t info = 77;
    errno = 1234;
    rcuinfo_status_t status = rcuinfo_env_create(0, NULL, &info);
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

/* With an unusual cancellation state and type. */
static void first_manners(void)
{
    int state = -1, type = -1, descriptors = count_descriptors();
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL) == 0);
    CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL) == 0);
    ask(ALL);
    CHECK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type) == 0);
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state) == 0);
    CHECK(state == PTHREAD_CANCEL_DISABLE && type == PTHREAD_CANCEL_ASYNCHRONOUS);
    CHECK_EQUAL(count_descriptors(), descriptors);
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

/* The call fails while no descriptor is available. The next call, with descriptors, reads everything. */
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

/* The first file that it opens gets the descriptor 0, as in a program that was started with standard input closed. */
static void first_descriptor_0(void)
{
    CHECK(close(0) == 0);
    ask(ALL);
    CHECK(open("/dev/null", O_RDONLY) == 0);
}

/* The same with reads that fail because the kernel is out of memory. */
static bool reads_fail;
ssize_t __real_read(int fd, void *bytes, size_t count);
ssize_t __wrap_read(int fd, void *bytes, size_t count);

ssize_t __wrap_read(int fd, void *bytes, size_t count)
{
    errno = reads_fail ? ENOMEM : errno;
    return reads_fail ? -1 : __real_read(fd, bytes, count);
}

static void first_failed_read(void)
{
    wanting = reads_fail = true;
    ask(ALL);
    wanting = reads_fail = false;
    ask(ALL);
}

/* Under an empty root directory. An ordinary user needs a namespace for that. */
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

/* A process whose environment in /proc belongs to root, as that of a set-user-ID program or of one that may be executed
 * but not read. */
static void first_not_readable(void)
{
    uid_t user = geteuid();
    CHECK(user != 0 || seteuid(65534) == 0);
    CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
    ask(NO_ENVIRONMENT);
    CHECK(prctl(PR_SET_DUMPABLE, 1) == 0 && seteuid(user) == 0);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"manners", first_manners},           {"cancelled", first_cancelled},       {"no_descriptor", first_no_descriptor},
    {"no_proc", first_no_proc},           {"not_readable", first_not_readable}, {"failed_read", first_failed_read},
    {"descriptor_0", first_descriptor_0},
};

__attribute__((constructor(101))) static void first(int argc, char **argv)
{
    own_argc = argc;
    own_argv = argv;
    own_directory = getcwd(NULL, 0);
    CHECK(argc >= 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, argv[1]) == 0)
            cases[i].run();
    }
    if (argc == 3) {
        faults_fail_at(abs(atoi(argv[2])));
        wanting = true;
        if (*argv[2] != '-')
            ask(ALL);
    }
}

/* Returns whether the list has the strings of `text`, in order. */
static void same(char *const *list, const char *text, size_t bytes)
{
    const char *at = text;
    for (; *list; list++) {
        size_t length = strlen(*list) + 1;
        CHECKF(at + length <= text + bytes && memcmp(at, *list, length) == 0, "\"%.40s\" is missing", *list);
        at += length;
    }
    CHECK(at == text + bytes);
}

/* Runs in the process that was started for the case, with memory again. Returns whether the failure occurred. */
static void look(void)
{
    struct utsname system;
    faults_fail_at(0);
    wanting = false;
    const struct rcuinfo__start *start = rcuinfo__start();
    CHECK(start && start == rcuinfo__start());
    same(environ, start->environment, start->environment_bytes);
    same(own_argv, start->arguments, start->arguments_bytes);
    CHECK(own_directory ? strcmp(start->directory, own_directory) == 0 : !start->directory);
    CHECK(uname(&system) == 0 && memcmp(start->system, &system, sizeof system) == 0);
    CHECK(rcuinfo__start_variable("OMPI_COMM_WORLD_SIZ") == NULL); /* only a prefix of a name */
    CHECK_TEXT(rcuinfo__start_variable(SIZE), getenv(SIZE));
    ask(ALL);
    if (faults_met())
        puts("failed");
}

/* Starts a process for each allocation. Returns the number of failures. */
static int fail_each_allocation(const char *sign)
{
    char number[16], output[16] = "failed\n";
    char *argv[] = {own_argv[0], own_argv[1], number, NULL};
    int k = 0;
    while (strcmp(output, "failed\n") == 0) {
        CHECKF(k < MOST_ALLOCATIONS, "%d allocations", k);
        (void)snprintf(number, sizeof number, "%s%d", sign, ++k);
        spawn_again(argv, output, sizeof output);
    }
    CHECK_TEXT(output, "");
    return k - 1;
}

/* Starts the process that the case describes. */
static void start(const char *how)
{
    static char variable[200000] = "TEST_START_ROOM=";
    char directory[] = "/tmp/rcuinfo-test-XXXXXX", name[64];
    if (strcmp(how, "gone") == 0) {
        CHECK(mkdtemp(directory) && chdir(directory) == 0 && rmdir(directory) == 0);
    } else {
        memset(variable + strlen(variable), 'x', (size_t)atoi(how)); /* execve accepts 128 KiB per string */
        CHECK(strlen(variable) < sizeof variable && putenv(variable) == 0);
    }
    /* Allocations: record, environment, command line, directory, system; then the object and its texts. */
    int at_load = fail_each_allocation("-"), in_call = fail_each_allocation("");
    CHECK(at_load >= 5 && in_call >= at_load + 2);
    (void)snprintf(name, sizeof name, "core.start.%s", how);
    counts_report(name, "allocation points failed", (unsigned long)(at_load + in_call));
}

int main(int argc, char **argv)
{
    if (argc == 3)
        look();
    else if (strcmp(argv[1], "gone") == 0 || atoi(argv[1]) > 0 || argv[1][0] == '0')
        start(argv[1]);
    free(own_directory);
    return skipped ? SKIPPED : 0;
}
