/* SPDX-License-Identifier: BSD-3-Clause */
/* ask: see ask.h. */
#include <ctype.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/vfs.h>
#include <time.h>

#include "core/memory/alloc.h"
#include "core/text.h"
#include "env/start.h"
#include "mpi/interpose/observe/ask.h"
#include "mpi/interpose/real.h"

/* X(Type, null handle) for the kind of object that `handle` is the address of. Other kinds, e.g. of calls that spawn,
 * have communicators. */
#define BY_KIND(object, X)                                                                                             \
    ((object) == RCUINFO_OBJECT_WINDOW    ? X(Win, MPI_WIN_NULL)                                                       \
     : (object) == RCUINFO_OBJECT_FILE    ? X(File, MPI_FILE_NULL)                                                     \
     : (object) == RCUINFO_OBJECT_SESSION ? X(Session, MPI_SESSION_NULL)                                               \
                                          : X(Comm, MPI_COMM_NULL))
#define PUT_NULL(Type, none) (void)(*(MPI_##Type *)handle = (none))
#define IS_NULL(Type, none)  (*(MPI_##Type *)handle == (none))
#define BITS(Type, none)     ((uintptr_t)(*(const MPI_##Type *)handle))
#define GET_INFO(Type, none) RCUINFO__NEXT(PMPI_##Type##_get_info)(*(MPI_##Type *)handle, &info)

uintptr_t rcuinfo__ask_bits(rcuinfo_hint_object_t object, const void *handle)
{
    return BY_KIND(object, BITS);
}

void rcuinfo__ask_clear_handle(const struct rcuinfo__loan *loan)
{
    /* The handle of an existing object must stay as it is. */
    void *handle = loan->function && !loan->is_change ? loan->handle : NULL;
    if (handle)
        BY_KIND(loan->object, PUT_NULL);
}

void *rcuinfo__ask_handle(const struct rcuinfo__loan *loan)
{
    /* The real library may have left the handle unwritten, see rcuinfo__ask_clear_handle. */
    void *handle = loan->handle;
    return handle && !BY_KIND(loan->object, IS_NULL) ? handle : NULL;
}

MPI_Info rcuinfo__ask_hints(rcuinfo_hint_object_t object, void *handle)
{
    MPI_Info info = MPI_INFO_NULL;
    if (handle)
        (void)BY_KIND(object, GET_INFO);
    return info;
}

/* Describes a group of `size` processes by that of MPI_COMM_WORLD. Returns false if MPI or memory fails, or if a
 * process is not in it. */
static bool describe_group(MPI_Group group, int size, MPI_Group world, char text[RCUINFO__ASK_GROUP])
{
    int of_world = 0, *ranks = rcuinfo__alloc(2 * (size_t)size * sizeof *ranks);
    int *in_world = ranks ? ranks + size : NULL;
    for (int n = 0; ranks && n < size; n++)
        ranks[n] = n;

    bool is_known = ranks && RCUINFO__NEXT(PMPI_Group_size)(world, &of_world) == MPI_SUCCESS &&
                    RCUINFO__NEXT(PMPI_Group_translate_ranks)(group, size, ranks, world, in_world) == MPI_SUCCESS;
    for (int n = 0; is_known && n < size; n++)
        is_known = in_world[n] >= 0; /* else it is of another job */
    if (is_known && size == of_world && memcmp(ranks, in_world, (size_t)size * sizeof *ranks) == 0)
        snprintf(text, RCUINFO__ASK_GROUP, "0+%d", size);
    else if (is_known)
        snprintf(text, RCUINFO__ASK_GROUP, "%d+%d:%" PRIx64, *in_world, size,
                 (uint64_t)XXH3_64bits(in_world, (size_t)size * sizeof *in_world));
    rcuinfo__alloc_free(ranks);
    return is_known;
}

const char *rcuinfo__ask_group(rcuinfo_hint_object_t object, void *handle, char text[RCUINFO__ASK_GROUP])
{
    MPI_Group group, world;
    int size = 0;
    bool is_known = false;

    /* Ranks in MPI_COMM_WORLD need the World Model. */
    if (!handle || object == RCUINFO_OBJECT_SESSION || !rcuinfo__real_in_world())
        return NULL;
    int code = object == RCUINFO_OBJECT_WINDOW ? RCUINFO__NEXT(PMPI_Win_get_group)(*(MPI_Win *)handle, &group)
               : object == RCUINFO_OBJECT_FILE ? RCUINFO__NEXT(PMPI_File_get_group)(*(MPI_File *)handle, &group)
                                               : RCUINFO__NEXT(PMPI_Comm_group)(*(MPI_Comm *)handle, &group);
    if (code != MPI_SUCCESS)
        return NULL;

    if (RCUINFO__NEXT(PMPI_Group_size)(group, &size) == MPI_SUCCESS && size > 0 &&
        RCUINFO__NEXT(PMPI_Comm_group)(MPI_COMM_WORLD, &world) == MPI_SUCCESS) {
        is_known = describe_group(group, size, world, text);
        (void)RCUINFO__NEXT(PMPI_Group_free)(&world);
    }
    (void)RCUINFO__NEXT(PMPI_Group_free)(&group);
    return is_known ? text : NULL;
}

void rcuinfo__ask_name(rcuinfo_hint_object_t object, void *handle, char name[MPI_MAX_OBJECT_NAME + 1])
{
    int length = 0;
    *name = '\0';
    if (!handle || object == RCUINFO_OBJECT_FILE || object == RCUINFO_OBJECT_SESSION)
        return;
    (void)(object == RCUINFO_OBJECT_WINDOW ? RCUINFO__NEXT(PMPI_Win_get_name)(*(MPI_Win *)handle, name, &length)
                                           : RCUINFO__NEXT(PMPI_Comm_get_name)(*(MPI_Comm *)handle, name, &length));
}

const char *rcuinfo__ask_value(MPI_Info info, const char *key, char value[MPI_MAX_INFO_VAL + 1])
{
    int found = 0;
    value[MPI_MAX_INFO_VAL] = '\0';
    if (info == MPI_INFO_NULL || strlen(key) >= MPI_MAX_INFO_KEY ||
        RCUINFO__NEXT(PMPI_Info_get)(info, key, MPI_MAX_INFO_VAL, value, &found) != MPI_SUCCESS)
        return NULL;
    return found ? value : NULL;
}

/* "error class 32, Other I/O error: ADIO_OPEN cb_config_list(320): No aggregators match": MPICH's texts of a code are
 * those of its functions, a line for each, after that of the class. */
void rcuinfo__ask_error(int code, char text[RCUINFO__VERDICT_NOTE])
{
    enum { MOST = 4096 }; /* MPI_MAX_ERROR_STRING is at most 1,024 */
    char of_class[MOST] = "", of_code[MOST] = "";
    int class = code, length = 0;
    if (!rcuinfo__real_can_make()) {
        snprintf(text, RCUINFO__VERDICT_NOTE, "error code %d", code);
        return;
    }
    (void)RCUINFO__NEXT(PMPI_Error_class)(code, &class);
    (void)RCUINFO__NEXT(PMPI_Error_string)(class, of_class, &length);
    (void)RCUINFO__NEXT(PMPI_Error_string)(code, of_code, &length);
    for (size_t n = strlen(of_class); n > 0 && isspace((unsigned char)of_class[n - 1]); n--)
        of_class[n - 1] = '\0';
    for (size_t n = strlen(of_code); n > 0 && isspace((unsigned char)of_code[n - 1]); n--)
        of_code[n - 1] = '\0';
    const char *last = strrchr(of_code, '\n');
    snprintf(text, RCUINFO__VERDICT_NOTE, "error class %d, %.100s%s%.190s", class, of_class, last ? ": " : "",
             last ? last + 1 : "");
}

/* The library, and the device of MPICH, such as "ch4-ucx". Written once. */
static struct {
    pthread_once_t once;
    struct rcuinfo__mpi_version version;
    char device[RCUINFO__ASK_COMPONENT];
    char name[64];
} library = {.once = PTHREAD_ONCE_INIT};

/* "ch4-ucx" for "MPICH Device:    ch4:ucx". Of several, as in "ch4:ucx ofi", the first is used unless a variable names
 * another one. */
static void find_device(const char *text)
{
    static const char *const variables[] = {"MPIR_CVAR_CH4_NETMOD", "MPIR_PARAM_CH4_NETMOD", "MPICH_CH4_NETMOD"};
    char name[16], netmods[64] = "", first[32], *rest;
    const char *device = strstr(text, "MPICH Device:"), *wanted = NULL;
    if (!device || sscanf(device, "MPICH Device: %15[a-z0-9]:%63[^\n]", name, netmods) < 1)
        return;

    for (size_t n = 0; n < sizeof variables / sizeof *variables && !wanted; n++)
        wanted = rcuinfo__start_variable(variables[n]);
    snprintf(first, sizeof first, "%.*s", (int)strcspn(netmods, " ,"), netmods);
    const char *netmod = first;
    for (char *one = strtok_r(netmods, " ,", &rest); one && wanted; one = strtok_r(NULL, " ,", &rest))
        netmod = strcasecmp(one, wanted) == 0 ? one : netmod;
    snprintf(library.device, sizeof library.device, "%s%s%s", name, *netmod ? "-" : "", netmod);
}

static void ask_library(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    (void)RCUINFO__NEXT(PMPI_Get_library_version)(text, &length);
    library.version = rcuinfo__keys_version(text);

    /* "Open MPI v4.1.4, package: ...", "MPICH Version:      4.0.2\n..." */
    char number[32];
    if (sscanf(text, "MPICH Version: %31s", number) == 1)
        snprintf(library.name, sizeof library.name, "MPICH %s", number);
    else
        snprintf(library.name, sizeof library.name, "%.*s", (int)strcspn(text, ",\n"), text);
    find_device(text);
}

struct rcuinfo__mpi_version rcuinfo__ask_version(void)
{
    (void)pthread_once(&library.once, ask_library);
    return library.version;
}

const char *rcuinfo__ask_own_value(const struct rcuinfo__loan *loan, MPI_Info in_use, const char *key,
                                   char value[MPI_MAX_INFO_VAL + 1])
{
    for (size_t n = 0; n < loan->n_hints; n++) {
        if (loan->hints[n].is_passed && strcmp(loan->hints[n].key, key) == 0)
            return NULL;
    }
    return rcuinfo__ask_value(in_use, key, value);
}

/* PREFIX-DRIVER, with the driver in lower case and up to a colon, such as "romio-ufs" for "UFS: Generic ..." */
static const char *name_driver(const char *prefix, const char *driver, char text[RCUINFO__ASK_COMPONENT])
{
    int length = (int)strcspn(driver, ":");
    snprintf(text, RCUINFO__ASK_COMPONENT, "%s-%.*s", prefix, length < 16 ? length : 16, driver);
    for (char *c = text; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return text;
}

static const char *ask_file(const struct rcuinfo__loan *loan, MPI_Info in_use, const struct rcuinfo__lookups *lookups,
                            bool was_romio, char text[RCUINFO__ASK_COMPONENT])
{
    /* Files of Open MPI have also been seen to be ROMIO's: it looks hints up where that is seen. */
    static _Atomic bool has_romio;
    static const char driver_key[] = "romio_filesystem_type";
    char value[MPI_MAX_INFO_VAL + 1];
    const struct rcuinfo__lookup *set = rcuinfo__lookups_find(lookups, driver_key);
    const char *driver = set ? set->set : rcuinfo__ask_own_value(loan, in_use, driver_key, value);

    bool is_romio = library.version.id != RCUINFO__OPENMPI || driver || lookups->reads > 0 || was_romio;
    if (is_romio) {
        atomic_store_explicit(&has_romio, true, RCUINFO__RELAXED);
        return driver ? name_driver("romio", driver, text) : "romio";
    }
    if (atomic_load_explicit(&has_romio, RCUINFO__RELAXED))
        return NULL;

    const char *system = rcuinfo__ask_system(loan->name);
    return system ? name_driver("ompio", system, text) : "ompio";
}

const char *rcuinfo__ask_component(const struct rcuinfo__loan *loan, MPI_Info in_use,
                                   const struct rcuinfo__lookups *lookups, bool was_romio,
                                   char text[RCUINFO__ASK_COMPONENT])
{
    bool is_openmpi = rcuinfo__ask_version().id == RCUINFO__OPENMPI;
    char value[MPI_MAX_INFO_VAL + 1];

    /* A key of ports is for one function; none is for MPI_File_delete nor, up to Open MPI 4, for MPI_File_set_info. */
    bool is_set_info = strcmp(loan->function, "MPI_File_set_info") == 0;
    if (loan->object == RCUINFO_OBJECT_PORT || (loan->object == RCUINFO_OBJECT_FILE && !loan->handle) ||
        (is_set_info && is_openmpi && library.version.number < 50000))
        return loan->function;
    if (loan->object == RCUINFO_OBJECT_FILE)
        return ask_file(loan, in_use, lookups, was_romio, text);
    if (is_openmpi && loan->object == RCUINFO_OBJECT_WINDOW)
        return rcuinfo__ask_own_value(loan, in_use, "blocking_fence", value) ||
                       rcuinfo__ask_own_value(loan, in_use, "alloc_shared_noncontig", value)
                   ? "osc-sm"
                   : NULL;
    if (is_openmpi && loan->object == RCUINFO_OBJECT_COMMUNICATOR)
        return rcuinfo__ask_own_value(loan, in_use, "mpi_assert_no_any_source", value) ||
                       rcuinfo__ask_own_value(loan, in_use, "mpi_assert_allow_overtaking", value)
                   ? "pml-ob1"
                   : NULL;
    return *library.device ? library.device : NULL;
}

const char *rcuinfo__ask_path(const char *file, char path[PATH_MAX])
{
    const char *name = rcuinfo__rules_file(file), *slash = strrchr(name, '/');
    char folder[PATH_MAX] = ".";

    /* Another process may have removed the file already: its folder is still there. */
    if (!realpath(name, path)) {
        if (slash)
            snprintf(folder, sizeof folder, "%.*s", slash > name ? (int)(slash - name) : 1, name);
        if (!realpath(folder, path))
            return NULL;
        size_t length = strlen(path);
        snprintf(path + length, PATH_MAX - length, "%s%s", path[length - 1] == '/' ? "" : "/",
                 slash ? slash + 1 : name);
    }
    return strcmp(path, file) != 0 ? path : NULL;
}

const char *rcuinfo__ask_system(const char *file)
{
    static const struct {
        uint32_t magic;
        const char *name;
    } systems[] = {
        {0x0000ef53, "ext4"},      {0x58465342, "xfs"},    {0x9123683e, "btrfs"}, {0x01021994, "tmpfs"},
        {0x794c7630, "overlayfs"}, {0x2fc12fc1, "zfs"},    {0x00006969, "nfs"},   {0x0bd00bd0, "lustre"},
        {0x47504653, "gpfs"},      {0x19830326, "beegfs"}, {0x20030528, "pvfs2"}, {0xaad7aaea, "panfs"},
    };
    struct statfs status;
    if (!file || statfs(rcuinfo__rules_file(file), &status) != 0)
        return NULL;

    for (size_t n = 0; n < sizeof systems / sizeof *systems; n++) {
        if (systems[n].magic == (uint32_t)status.f_type)
            return systems[n].name;
    }
    return NULL;
}

static _Atomic int job_size, job_parents;

void rcuinfo__ask_set_job(int size, int parents)
{
    atomic_store_explicit(&job_size, size, RCUINFO__RELAXED);
    atomic_store_explicit(&job_parents, parents, RCUINFO__RELAXED);
}

int rcuinfo__ask_job_size(void)
{
    return atomic_load_explicit(&job_size, RCUINFO__RELAXED);
}

void rcuinfo__ask_about(const char *about[RCUINFO__REPORT_ABOUT])
{
    enum { ARGUMENTS = 1024, PARENTS = 64 };
    static char command[ARGUMENTS + PARENTS], date[32];
    time_t now = time(NULL);
    struct tm utc;
    size_t length = 0;

    /* The arguments end with NULs. */
    const struct rcuinfo__start *start = rcuinfo__start();
    for (; start && length + 1 < start->arguments_bytes && length + 1 < ARGUMENTS; length++)
        command[length] = (char)(start->arguments[length] ? start->arguments[length] : ' ');
    int parents = atomic_load_explicit(&job_parents, RCUINFO__RELAXED);
    if (parents > 0)
        snprintf(command + length, PARENTS, " (spawned by %d process%s)", parents, parents > 1 ? "es" : "");

    (void)rcuinfo__ask_version();
    (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    about[RCUINFO__REPORT_MPI] = library.name;
    about[RCUINFO__REPORT_COMMAND] = command;
    about[RCUINFO__REPORT_DATE] = date;
}
