/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `rcuinfo run`: executes a program with our library of the right flavour first in LD_PRELOAD.
 *
 * It finds the program as a shell would, the flavour (the libraries that the program links; else --mpi; else the
 * launcher's environment), the library relative to this executable, and then becomes the program. The environment of
 * the program is the one we were given but for LD_PRELOAD, RCUINFO_STATS with --stats, RCUINFO_HINTS with --hints,
 * RCUINFO_HINTS_REPORT with --hints-report, and LD_LIBRARY_PATH where our directory's name holds a blank.
 */
#include "command.h"

#include <ctype.h>
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

#include "pack/rules.h"

#ifndef RCUINFO_LIBDIR_FROM_BINDIR
#error "the build defines RCUINFO_LIBDIR_FROM_BINDIR, the way from the installed command to the installed libraries"
#endif

enum flavour { MPICH, OPENMPI, ABI, ALONE, FLAVOURS, UNKNOWN = FLAVOURS, AMBIGUOUS };

static const struct {
    const char *name;
    const char *file;
} flavours[FLAVOURS] = {
    [MPICH] = {"mpich", "librcuinfo_mpich.so"},
    [OPENMPI] = {"openmpi", "librcuinfo_openmpi.so"},
    [ABI] = {"abi", "librcuinfo_mpi_abi.so"},
    [ALONE] = {NULL, "librcuinfo_mpi.so"}, /* the info functions of the standard ABI, no MPI: never asked for */
};

/*
 * What a linked library says. libmpi.so.12 is MPICH's name for itself outside of Debian. UNKNOWN: it needs no MPI,
 * being of the compilers, or what the wrappers and pkg-config link beside the library of MPICH or Open MPI.
 */
static const struct {
    const char *prefix;
    enum flavour flavour;
} libraries[] = {
    {"libmpich.so.", MPICH},       {"libmpi.so.12", MPICH},       {"libmpi.so.40", OPENMPI},
    {"libmpi_abi.so.", ABI},       {"librcuinfo_mpi.so.", ALONE}, {"librcuinfo_mpi_fortran.so.", ALONE},
    {"ld-linux", UNKNOWN},         {"libc.so.", UNKNOWN},         {"libm.so.", UNKNOWN},
    {"libpthread.so.", UNKNOWN},   {"libdl.so.", UNKNOWN},        {"librt.so.", UNKNOWN},
    {"libgcc_s.so.", UNKNOWN},     {"libstdc++.so.", UNKNOWN},    {"libgfortran.so.", UNKNOWN},
    {"libquadmath.so.", UNKNOWN},  {"libmpichfort.so.", UNKNOWN}, {"libmpichcxx.so.", UNKNOWN},
    {"libmpi_mpifh.so.", UNKNOWN}, {"libmpi_usempi", UNKNOWN},    {"libmpi_cxx.so.", UNKNOWN},
    {"libopen-rte.so.", UNKNOWN},  {"libopen-pal.so.", UNKNOWN},  {"libhwloc.so.", UNKNOWN},
    {"libucp.so.", UNKNOWN},       {"libucs.so.", UNKNOWN},       {"libevent_", UNKNOWN},
    {"libz.so.", UNKNOWN},
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

static void take_flavour(const char *name, void *into)
{
    enum flavour *flavour = into;

    for (int i = 0; i < FLAVOURS; i++) {
        *flavour = (enum flavour)i;
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): getopt_long gives --mpi an argument */
        if (flavours[i].name != NULL && strcmp(flavours[i].name, name) == 0)
            return;
    }
    command_die(COMMAND_USAGE, "no such MPI: '%s': mpich, openmpi or abi", name);
}

/* Whether a file can be executed: 0 or an errno value. */
static int executable(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return errno;
    if (!S_ISREG(status.st_mode))
        return EACCES;
    return access(path, X_OK) == 0 ? 0 : errno;
}

/* Finds a program as execvp does: a name with a slash is a path, any other is looked for in PATH. Returns 0 or an errno
 * value. */
static int find_program(const char *name, char path[PATH_MAX])
{
    const char *next = getenv("PATH");
    int error = ENOENT;

    if (strchr(name, '/') != NULL)
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX ? executable(path) : ENAMETOOLONG;
    if (next == NULL)
        next = "/bin:/usr/bin";
    for (bool last = *name == '\0'; !last;) {
        size_t length = strcspn(next, ":");
        const char *directory = length > 0 ? next : ".";
        bool fits = snprintf(path, PATH_MAX, "%.*s/%s", length > 0 ? (int)length : 1, directory, name) < PATH_MAX;
        int found = fits ? executable(path) : ENAMETOOLONG;

        if (found == 0)
            return 0;
        if (found == EACCES)
            error = EACCES; /* as a shell: "not executable" only if no other directory has one that is */
        last = next[length] == '\0';
        next += length + 1;
    }
    return error;
}

/* Whether this is a program that starts other programs: preloading it would serve nobody. */
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

/* What is known of a program after some of the libraries that it links. */
struct linked {
    enum flavour flavour;
    bool others; /* there are some that could link an MPI */
};

static void add_library(const char *name, void *argument)
{
    struct linked *linked = argument;
    size_t i = 0;

    while (i < LIBRARIES && strncmp(name, libraries[i].prefix, strlen(libraries[i].prefix)) != 0)
        i++;
    if (i == LIBRARIES)
        linked->others = true;
    else if (linked->flavour == UNKNOWN || (linked->flavour == ALONE && libraries[i].flavour != UNKNOWN))
        linked->flavour = libraries[i].flavour; /* a real MPI weighs more than what serves info calls only */
    else if (libraries[i].flavour < ALONE && libraries[i].flavour != linked->flavour)
        linked->flavour = AMBIGUOUS;
}

/*
 * What the program links: a flavour, UNKNOWN for none (scripts too), AMBIGUOUS for more than one MPI. An ordinary
 * program names an MPI itself and nothing that could link another. The dynamic linker finds the libraries of any other
 * program, which takes two milliseconds.
 */
static enum flavour flavour_by_links(const char *path)
{
    struct linked linked = {.flavour = UNKNOWN};

    if (links_direct(path, add_library, &linked) && (linked.others || linked.flavour >= ALONE)) {
        linked.flavour = UNKNOWN;
        links_all(path, add_library, &linked);
    }
    return linked.flavour;
}

/* What the launcher's environment says. Open MPI's comes first: a Hydra under it would set PMI_RANK as well. */
static enum flavour flavour_by_launcher(void)
{
    if (getenv("OMPI_COMM_WORLD_SIZE") != NULL)
        return OPENMPI;
    if (getenv("PMI_RANK") != NULL || getenv("PMI_SIZE") != NULL)
        return MPICH;
    return UNKNOWN;
}

/* Finds a flavour's library, beside this executable as installed or as in a build tree; NULL: it is not there. */
static char *find_library(enum flavour flavour)
{
    static const char *const ways[] = {RCUINFO_LIBDIR_FROM_BINDIR, "../lib"};
    char here[PATH_MAX];
    char *path = NULL;
    ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);

    if (length <= 0)
        return NULL;
    here[length] = '\0';
    *strrchr(here, '/') = '\0';
    for (size_t i = 0; i < 2 && path == NULL; i++) {
        char *way = command_text("%s/%s/%s.%d", here, ways[i], flavours[flavour].file, RCUINFO_VERSION_MAJOR);

        path = realpath(way, NULL);
        free(way);
    }
    return path;
}

/* Sets a variable of the environment. */
static void set(const char *variable, char *value)
{
    if (setenv(variable, value, 1) != 0)
        command_die(COMMAND_FAILED, "no memory");
    free(value);
}

/* Puts a word before what a variable holds already. */
static void prepend(const char *variable, const char *word)
{
    const char *old = getenv(variable);

    set(variable, old != NULL && *old != '\0' ? command_text("%s:%s", word, old) : command_text("%s", word));
}

/* Sets LD_PRELOAD. */
static void preload(enum flavour flavour)
{
    char *path = find_library(flavour);

    if (path == NULL)
        command_die(COMMAND_FAILED, "%s is not there: rcuinfo was built on a machine without that MPI",
                    flavours[flavour].file);
    if (strpbrk(path, ":;") != NULL)
        command_die(COMMAND_FAILED, "no library can be preloaded from a path with ':' or ';': %s", path);
    char *name = path;
    if (strpbrk(path, " \t\n") != NULL) {
        /* In LD_PRELOAD a blank separates, in LD_LIBRARY_PATH it does not. */
        name = strrchr(path, '/');
        *name++ = '\0';
        prepend("LD_LIBRARY_PATH", path);
    }
    prepend("LD_PRELOAD", name);
    free(path);
}

/* Decides the flavour, from what --mpi said or UNKNOWN. */
static void decide(const char *program, const char *path, enum flavour *flavour)
{
    enum flavour linked = flavour_by_links(path);

    /* The library of another MPI than the program's would not end in an error, but in a crash. */
    if (*flavour != UNKNOWN && linked < ALONE && linked != *flavour)
        command_die(COMMAND_USAGE, "'%s' links %s: --mpi %s cannot serve it", program, flavours[linked].name,
                    flavours[*flavour].name);
    if (*flavour == UNKNOWN || (*flavour == ABI && linked == ALONE))
        *flavour = linked;
    if (*flavour == AMBIGUOUS)
        command_die(COMMAND_USAGE, "'%s' links more than one MPI: say --mpi mpich, --mpi openmpi or --mpi abi",
                    program);
    if (*flavour == UNKNOWN)
        *flavour = flavour_by_launcher();
    if (*flavour == UNKNOWN)
        command_die(COMMAND_USAGE,
                    "'%s' links no MPI and was not started by mpirun: say which MPI it uses, with "
                    "--mpi mpich, --mpi openmpi or --mpi abi",
                    program);
}

/* A file of rules can be read, or the process ends. */
static void check_rules(const char *name)
{
    struct rcuinfo__rules *rules = NULL;
    rcuinfo_fault_t fault;
    struct stat kind;
    FILE *file = fopen(name, "re");
    rcuinfo_status_t status = file != NULL ? rcuinfo__rules_load(file, &rules, &fault) : RCUINFO_ERR_IO;

    if (status == RCUINFO_ERR_IO)
        command_die(COMMAND_USAGE, "cannot read '%s': %s", name, strerror(errno));
    if (status == RCUINFO_ERR_FORMAT)
        command_die(COMMAND_USAGE, "%s:%zu:%zu: %s", name, fault.line, fault.offset + 1, fault.what);
    if (status != RCUINFO_SUCCESS)
        command_die(COMMAND_FAILED, "no memory");
    if (fstat(fileno(file), &kind) != 0 || !S_ISREG(kind.st_mode))
        command_die(COMMAND_USAGE, "'%s' is no file that can be read again by each process", name);
    rcuinfo__rules_free(rules);
    (void)fclose(file);
}

/* Tells the interposer a file, which may not be there yet, so that a program that is elsewhere finds it. */
static void tell_file(const char *variable, const char *name)
{
    char here[PATH_MAX];
    bool relative = *name != '\0' && *name != '/' && getcwd(here, sizeof here) != NULL;

    set(variable, relative ? command_text("%s/%s", here, name) : command_text("%s", name));
}

int command_run(int argc, char *argv[])
{
    enum flavour flavour = UNKNOWN;
    const char *hints = NULL, *report = NULL; /* "": to no file */
    bool stats = false;
    const struct command_option options[] = {{"mpi", COMMAND_CALL, .into = &flavour, .take = take_flavour},
                                             {"stats", COMMAND_FLAG, .into = &stats},
                                             {"hints", COMMAND_TEXT, .into = &hints},
                                             {"hints-report", COMMAND_MAYBE_TEXT, .into = &report},
                                             {.name = NULL}};
    char path[PATH_MAX];

    command_options(argc, argv, options, true);
    if (optind >= argc)
        command_die(COMMAND_USAGE, "run: no program (see rcuinfo --help)");
    const char *program = argv[optind];
    if (is_launcher(program))
        command_die(COMMAND_USAGE, "the launcher goes first: %s ... rcuinfo run PROGRAM", program);
    int error = find_program(program, path);
    if (error == 0) {
        decide(program, path, &flavour);
        if (hints != NULL) {
            check_rules(hints);
            tell_file("RCUINFO_HINTS", hints);
        }
        if (report != NULL)
            tell_file("RCUINFO_HINTS_REPORT", report);
        if (stats)
            set("RCUINFO_STATS", command_text("1"));
        preload(flavour);
        execvp(path, argv + optind); /* by path, and with the fallback to /bin/sh for a script without #! */
        error = errno;
    }
    command_die(error == ENOENT || error == ENOTDIR ? COMMAND_NOT_FOUND : COMMAND_CANNOT_RUN, "cannot run '%s': %s",
                program, strerror(error));
}
