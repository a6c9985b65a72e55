/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `rcuinfo run`: executes a program with the interposer first in LD_PRELOAD and, without --no-dlsym, the library of
 * lib/mpi/interpose/dlsym.c. The interposer finds out what the MPI library is when the program calls it.
 *
 * It finds the program as mpirun does, refuses one that cannot load a library, finds the libraries relative to this
 * executable, and executes the program. Of the program's environment it changes only LD_PRELOAD, RCUINFO_RUN (see
 * tell_spawned), RCUINFO_STATS with --stats, RCUINFO_HINTS with --hints, RCUINFO_HINTS_REPORT with --hints-report,
 * RCUINFO_MPI and RCUINFO_MPI_LIBRARY (set with --mpi, else unset), and LD_LIBRARY_PATH if the libraries' directory has
 * a blank in its name.
 */
#include "command.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rcuinfo/version.h>

#include "keys/rules.h"

#ifndef RCUINFO_LIBDIR_FROM_BINDIR
#error "the build defines RCUINFO_LIBDIR_FROM_BINDIR, the way from the installed command to the installed libraries"
#endif

/* The name of an MPI library's family for the interposer; NULL: it is none. When it is loaded, the interposer
 * (lib/mpi/interpose/next.c) also looks for the handles of Open MPI, which may be in a library below it. */
static const char *family_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!links_defines(path, "PMPI_Init"))
        return NULL;
    if (strncmp(slash != NULL ? slash + 1 : path, "libmpi_abi.so", 13) == 0)
        return "abi";
    return links_defines(path, "MPIR_Dup_fn") ? "mpich" : "openmpi";
}

/* Sets an environment variable, and frees the value. */
static void set(const char *variable, char *value)
{
    if (setenv(variable, value, 1) != 0)
        command_die(COMMAND_FAILED, "out of memory");
    free(value);
}

/* Passes the absolute name of a file to the interposer: the program may change directories. The file need not exist. */
static void tell_file(const char *variable, const char *name)
{
    char here[PATH_MAX];
    bool relative = *name != '\0' && *name != '/' && getcwd(here, sizeof here) != NULL;

    set(variable, relative ? command_text("%s/%s", here, name) : command_text("%s", name));
}

/* For --mpi, which takes a name, or the path of a library: that is loaded if the program calls MPI without one. */
static void take_mpi(const char *name, void *into)
{
    static const char *const families[] = {"mpich", "openmpi", "abi"};
    const char *family = NULL;

    unsetenv("RCUINFO_MPI_LIBRARY"); /* of an earlier --mpi */
    if (strchr(name, '/') != NULL) {
        if (access(name, R_OK) != 0)
            command_die(COMMAND_USAGE, "cannot read '%s': %s", name, strerror(errno));
        family = family_of(name);
        if (family == NULL)
            command_die(COMMAND_USAGE, "'%s' is not an MPI library", name);
        tell_file("RCUINFO_MPI_LIBRARY", name);
    }
    for (size_t n = 0; n < sizeof families / sizeof families[0] && family == NULL; n++) {
        if (strcmp(families[n], name) == 0)
            family = families[n];
    }
    if (family == NULL)
        command_die(COMMAND_USAGE, "unknown MPI '%s': expected mpich, openmpi, abi or the path of a library", name);
    set("RCUINFO_MPI", command_text("%s", family));
    *(const char **)into = getenv("RCUINFO_MPI_LIBRARY") != NULL ? getenv("RCUINFO_MPI_LIBRARY") : family;
}

/* Returns 0 if a file can be executed, or an errno value. */
static int executable(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return errno;
    if (!S_ISREG(status.st_mode))
        return EACCES;
    return access(path, X_OK) == 0 ? 0 : errno;
}

/* Finds a program as mpirun does: a name with a slash is a path, any other is searched for in PATH, and then in the
 * working directory. Returns 0 or an errno value. */
static int find_program(const char *name, char path[PATH_MAX])
{
    const char *folders = getenv("PATH");
    int error = ENOENT;

    if (strchr(name, '/') != NULL)
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX ? executable(path) : ENAMETOOLONG;

    char *copy = command_text("%s:.", folders != NULL ? folders : "/bin:/usr/bin"), *rest = copy, *folder;
    while (error != 0 && *name != '\0' && (folder = strsep(&rest, ":")) != NULL) {
        bool fits = snprintf(path, PATH_MAX, "%s/%s", *folder != '\0' ? folder : ".", name) < PATH_MAX;
        int found = fits ? executable(path) : ENAMETOOLONG;

        if (found == 0 || found == EACCES)
            error = found; /* EACCES, as in a shell: reported only if no other directory has an executable */
    }
    free(copy);
    return error;
}

/* Whether a program is an MPI launcher, in which the preloaded library would have no effect. */
static bool is_launcher(const char *name)
{
    static const char *const launchers[] = {"mpirun", "mpiexec", "orterun", "prterun", "srun"};
    const char *slash = strrchr(name, '/');
    const char *base = slash != NULL ? slash + 1 : name;
    size_t length = strcspn(base, "."); /* mpirun.mpich, mpiexec.hydra */

    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        if (strlen(launchers[i]) == length && strncmp(base, launchers[i], length) == 0)
            return true;
    }
    return false;
}

/* What matters of the libraries that a program links. */
struct linked {
    char *sanitizer; /* gcc's run-time library of AddressSanitizer, which must come first; NULL: none */
    bool mpi, alone; /* a real MPI; librcuinfo_mpi.so */
};

static void add_library(const char *path, void *argument)
{
    struct linked *linked = argument;
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;

    if (strncmp(name, "libasan.so", 10) == 0 && linked->sanitizer == NULL)
        linked->sanitizer = command_text("%s", path);
    else if (strncmp(name, "librcuinfo_mpi.so.", 18) == 0 || strncmp(name, "librcuinfo_mpi_fortran.so.", 26) == 0)
        linked->alone = true;
    else if (links_defines(path, "PMPI_Init"))
        linked->mpi = true;
}

/* Finds the path of this executable. */
static void find_self(char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

    if (length <= 0)
        command_die(COMMAND_FAILED, "cannot read /proc/self/exe: %s", strerror(errno));
    path[length] = '\0';
}

/* Finds one of our libraries relative to this executable, in an installation or a build tree; NULL: not found. */
static char *find_library(const char *file)
{
    static const char *const ways[] = {RCUINFO_LIBDIR_FROM_BINDIR, "../lib"};
    char here[PATH_MAX];
    char *path = NULL;

    find_self(here);
    *strrchr(here, '/') = '\0';
    for (size_t i = 0; i < 2 && path == NULL; i++) {
        char *way = command_text("%s/%s/%s.%d", here, ways[i], file, RCUINFO_VERSION_MAJOR);

        path = realpath(way, NULL);
        free(way);
    }
    return path;
}

/* Prepends a word to an environment variable. */
static void prepend(const char *variable, const char *word)
{
    const char *old = getenv(variable);

    set(variable, old != NULL && *old != '\0' ? command_text("%s:%s", word, old) : command_text("%s", word));
}

/* Takes out of LD_PRELOAD what an outer `rcuinfo run` put there, perhaps for another MPI. */
static void forget_outer(void)
{
    const char *old = getenv("LD_PRELOAD");
    char *names = command_text("%s", old != NULL ? old : ""), *kept = command_text("%s", "");

    for (char *name = strtok(names, " :"); name != NULL; name = strtok(NULL, " :")) {
        const char *slash = strrchr(name, '/');
        char *before = kept;

        if (strncmp(slash != NULL ? slash + 1 : name, "librcuinfo_", 11) != 0) {
            kept = command_text("%s%s%s", before, *before != '\0' ? ":" : "", name);
            free(before);
        }
    }
    free(names);
    set("LD_PRELOAD", kept);
}

/* Prepends one of our libraries to LD_PRELOAD. */
static void preload(const char *file)
{
    char *path = find_library(file);

    if (path == NULL)
        command_die(COMMAND_FAILED, "cannot find %s beside this command", file);
    if (strpbrk(path, ":;") != NULL)
        command_die(COMMAND_FAILED, "cannot preload a library whose path contains ':' or ';': %s", path);

    char *name = path;
    if (strpbrk(path, " \t\n") != NULL) {
        /* A blank is a separator in LD_PRELOAD, but not in LD_LIBRARY_PATH. */
        name = strrchr(path, '/');
        *name++ = '\0';
        prepend("LD_LIBRARY_PATH", path);
    }
    prepend("LD_PRELOAD", name);
    free(path);
}

/* Preloads what a program needs. A program with librcuinfo_mpi.so alone keeps that. */
static void preload_for(const char *program, const char *path, bool no_dlsym)
{
    struct linked linked = {.sanitizer = NULL};
    const char *obstacle = links_obstacle(path);

    if (obstacle != NULL)
        command_die(COMMAND_USAGE, "'%s' %s, so no library can be put in front of its MPI", program, obstacle);
    links_visit(path, add_library, &linked);
    if (!no_dlsym)
        preload("librcuinfo_dlsym.so");
    preload(linked.alone && !linked.mpi ? "librcuinfo_mpi.so" : "librcuinfo_interpose.so");
    if (linked.sanitizer != NULL)
        prepend("LD_PRELOAD", linked.sanitizer);
    free(linked.sanitizer);
}

/* The line of that number, without its newline. */
static const char *quote_line(FILE *file, size_t number)
{
    static char line[RCUINFO_MAX_KEY + RCUINFO_MAX_VALUE];
    rewind(file);
    for (size_t n = 0; n < number && fgets(line, sizeof line, file) != NULL; n++)
        line[strcspn(line, "\n")] = '\0';
    return line;
}

/* Sets RCUINFO_HINTS. Ends the process unless the hint file is valid and a regular file, which each process can read
 * again, or such a list as rcuinfo__rules_open takes. */
static void tell_rules(const char *name)
{
    bool is_inline;
    struct rcuinfo__rule *rules = NULL;
    rcuinfo_fault_t fault;
    struct stat kind;

    if (stat(name, &kind) == 0 && !S_ISREG(kind.st_mode)) /* nor waited for, as a pipe */
        command_die(COMMAND_USAGE, "'%s' is not a regular file", name);

    FILE *file = rcuinfo__rules_open(name, &is_inline);
    rcuinfo_status_t status = file != NULL ? rcuinfo__rules_load(file, &rules, &fault) : RCUINFO_ERR_IO;
    if (status == RCUINFO_ERR_IO)
        command_die(COMMAND_USAGE, "cannot read '%s': %s", name, strerror(errno));
    if (status == RCUINFO_ERR_FORMAT && is_inline)
        command_die(COMMAND_USAGE, "--hints: '%s': %s", quote_line(file, fault.line), fault.what);
    if (status == RCUINFO_ERR_FORMAT)
        command_die(COMMAND_USAGE, "%s:%zu:%zu: %s", name, fault.line, fault.offset + 1, fault.what);
    if (status != RCUINFO_SUCCESS)
        command_die(COMMAND_FAILED, "out of memory");
    rcuinfo__rules_free(rules);
    (void)fclose(file);

    if (is_inline)
        set("RCUINFO_HINTS", command_text("%s", name));
    else
        tell_file("RCUINFO_HINTS", name);
}

/* The options of `rcuinfo run`. */
struct wants {
    const char *mpi;            /* a name or a path; NULL: not given */
    const char *hints, *report; /* NULL: not given; "": --hints-report without a FILE */
    bool stats, no_dlsym;
};

/* Tells the interposer how to start the processes that the program spawns: like this one. Each word is a line; the last
 * is "--", after which a program may be called like a launcher. */
static void tell_spawned(const struct wants *wants)
{
    char self[PATH_MAX];
    const char *hints = wants->hints != NULL ? getenv("RCUINFO_HINTS") : NULL;
    const char *report = wants->report != NULL ? getenv("RCUINFO_HINTS_REPORT") : NULL;
    const char *const words[] = {self, wants->mpi, hints, report};

    find_self(self);
    for (int n = 0; n < 4; n++) {
        if (words[n] != NULL && strchr(words[n], '\n') != NULL)
            command_die(COMMAND_USAGE, "'%s' contains a line break", words[n]);
    }
    set("RCUINFO_RUN",
        command_text("%s\nrun%s%s%s%s%s%s%s%s\n--", self, wants->mpi != NULL ? "\n--mpi=" : "",
                     wants->mpi != NULL ? wants->mpi : "", wants->no_dlsym ? "\n--no-dlsym" : "",
                     wants->stats ? "\n--stats" : "", hints != NULL ? "\n--hints=" : "", hints != NULL ? hints : "",
                     report != NULL ? "\n--hints-report=" : "", report != NULL ? report : ""));
}

int command_run(int argc, char *argv[])
{
    struct wants wants = {.mpi = NULL};
    const struct command_option options[] = {{"mpi", COMMAND_CALL, .into = &wants.mpi, .take = take_mpi},
                                             {"no-dlsym", COMMAND_FLAG, .into = &wants.no_dlsym},
                                             {"stats", COMMAND_FLAG, .into = &wants.stats},
                                             {"hints", COMMAND_TEXT, .into = &wants.hints},
                                             {"hints-report", COMMAND_MAYBE_TEXT, .into = &wants.report},
                                             {.name = NULL}};
    char path[PATH_MAX];

    unsetenv("RCUINFO_MPI"); /* of an outer `rcuinfo run` */
    unsetenv("RCUINFO_MPI_LIBRARY");
    command_options(argc, argv, options, true);
    if (optind >= argc)
        command_die(COMMAND_USAGE, "run: missing PROGRAM (see rcuinfo --help)");

    const char *program = argv[optind];
    if (is_launcher(program) && strcmp(argv[optind - 1], "--") != 0)
        command_die(COMMAND_USAGE, "the launcher must come first: %s ... rcuinfo run PROGRAM", program);

    int error = find_program(program, path);
    if (error == 0) {
        if (wants.hints != NULL)
            tell_rules(wants.hints);
        if (wants.report != NULL && strcmp(wants.report, "all") == 0)
            set("RCUINFO_HINTS_REPORT", command_text("all"));
        else if (wants.report != NULL)
            tell_file("RCUINFO_HINTS_REPORT", wants.report);
        if (wants.stats)
            set("RCUINFO_STATS", command_text("1"));
        tell_spawned(&wants);
        forget_outer();
        preload_for(program, path, wants.no_dlsym);
        execvp(path, argv + optind); /* a path, so no search, but the fallback to /bin/sh for a script without #! */
        error = errno;
    }
    command_die(error == ENOENT || error == ENOTDIR ? COMMAND_NOT_FOUND : COMMAND_CANNOT_RUN, "cannot run '%s': %s",
                program, strerror(error));
}
