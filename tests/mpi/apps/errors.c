/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * errors: prints the effect of errors in MPI_Info_* and in functions that take an info. An ordinary MPI program that
 * knows nothing of rcuinfo. errors.py runs it alone and through `rcuinfo run`, and compares the output.
 *
 * Usage: errors return|handler|freed|neither|world|self|unseen|both
 *
 * return, handler and freed set MPI_ERRORS_RETURN, a user's handler, or one whose handle they free, for all objects.
 * For each mistake they print the error class, whether the text of MPI_Error_string begins with the text for the class,
 * and the handler's arguments. The others make three mistakes, with MPI_ERRORS_RETURN on neither, one or both of
 * MPI_COMM_WORLD and MPI_COMM_SELF ("unseen": by the name of the profiling interface, as MPICH's mpi_f08 sets it); the
 * first mistake may end the program.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <mpi.h>

static MPI_Info info;
static MPI_Comm apart; /* has a handler of its own */
static int handled, handled_code;
static const char *handled_for;

/* Records a call of a handler. Infos must work in a handler, too. */
static void note(int code, const char *what)
{
    MPI_Info own = MPI_INFO_NULL;
    char value[8] = "";
    int flag = 0;
    handled++;
    handled_code = code;
    handled_for = what;
    if (MPI_Info_create(&own) || MPI_Info_set(own, "key", "value") || MPI_Info_get(own, "key", 7, value, &flag) ||
        !flag || strcmp(value, "value") != 0 || MPI_Info_free(&own))
        printf("infos do not work in a handler\n");
}

static void comm_handler(MPI_Comm *comm, int *code, ...)
{
    note(*code, *comm == MPI_COMM_WORLD  ? "MPI_COMM_WORLD"
                : *comm == MPI_COMM_SELF ? "MPI_COMM_SELF"
                : *comm == apart         ? "its communicator"
                                         : "another");
}

static void file_handler(MPI_File *file, int *code, ...)
{
    note(*code, *file == MPI_FILE_NULL ? "MPI_FILE_NULL" : "a file");
}

static const char *name_of(int class_)
{
    static char number[16];
#define NAME(class)                                                                                                    \
    if (class_ == class)                                                                                               \
    return #class
    NAME(MPI_ERR_ARG);
    NAME(MPI_ERR_INFO);
    NAME(MPI_ERR_INFO_KEY);
    NAME(MPI_ERR_INFO_VALUE);
    NAME(MPI_ERR_INFO_NOKEY);
    NAME(MPI_ERR_COMM);
    snprintf(number, sizeof number, "%d", class_);
    return number;
}

/* Returns whether the text for the code begins with the text for its class. */
static int words_fit(int code, int class_)
{
    char words[MPI_MAX_ERROR_STRING] = "", of_class[MPI_MAX_ERROR_STRING] = "";
    int length = -1, class_length = -1;
    if (MPI_Error_string(code, words, &length) != MPI_SUCCESS ||
        MPI_Error_string(class_, of_class, &class_length) != MPI_SUCCESS)
        return 0;
    return class_length > 0 && length == (int)strlen(words) && strncmp(words, of_class, (size_t)class_length) == 0;
}

static void report(const char *what, int code)
{
    int class_ = -1;
    MPI_Error_class(code, &class_);
    printf("%s: %s, words %s, handled %d", what, name_of(class_), words_fit(code, class_) ? "fit" : "do not fit",
           handled);
    if (handled > 0)
        printf(" for %s, with %s code", handled_for, handled_code == code ? "that" : "another");
    printf("\n");
    handled = 0;
}

#define MAKE(call) report(#call, call)

/* An invalid handle: no library has a communicator with this handle. */
#define NO_COMM ((MPI_Comm)0)

static char long_key[MPI_MAX_INFO_KEY + 8], long_value[MPI_MAX_INFO_VAL + 8];

/* Mistakes that the store detects. */
static void mistakes_with_infos(void)
{
    MPI_Info none = MPI_INFO_NULL, copy = MPI_INFO_NULL;
    char value[16] = "";
    int flag = 0, length = 0;
    MAKE(MPI_Info_set(info, "", "1"));
    MAKE(MPI_Info_set(info, NULL, "1"));
    MAKE(MPI_Info_set(info, long_key, "1"));
    MAKE(MPI_Info_set(info, "key", NULL));
    MAKE(MPI_Info_set(info, "key", long_value));
    MAKE(MPI_Info_delete(info, "absent"));
    MAKE(MPI_Info_get(info, "", 15, value, &flag));
    MAKE(MPI_Info_get_valuelen(info, "", &length, &flag));
    MAKE(MPI_Info_create(NULL));
    MAKE(MPI_Info_dup(info, NULL));
    MAKE(MPI_Info_get(info, "key", -1, value, &flag));
    MAKE(MPI_Info_get(info, "key", 15, value, NULL));
    MAKE(MPI_Info_get(info, "key", 15, NULL, &flag));
    MAKE(MPI_Info_get_valuelen(info, "key", NULL, &flag));
    MAKE(MPI_Info_get_valuelen(info, "key", &length, NULL));
    MAKE(MPI_Info_get_nkeys(info, NULL));
    MAKE(MPI_Info_get_nthkey(info, 0, NULL));
    MAKE(MPI_Info_get_nthkey(info, -1, value));
    MAKE(MPI_Info_get_nthkey(info, 99, value));
    MAKE(MPI_Info_set(none, "key", "1"));
    MAKE(MPI_Info_delete(none, "key"));
    MAKE(MPI_Info_get(none, "key", 15, value, &flag));
    MAKE(MPI_Info_get_valuelen(none, "key", &length, &flag));
    MAKE(MPI_Info_get_nkeys(none, &length));
    MAKE(MPI_Info_get_nthkey(none, 0, value));
    MAKE(MPI_Info_dup(none, &copy));
    MAKE(MPI_Info_free(&none));
}

/* The same with an info that was made by another name, as a tool does. */
static void mistakes_with_an_info_of_a_tool(void)
{
    MPI_Info pinfo = MPI_INFO_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    char value[16] = "";
    int flag = 0, length = 0;
    PMPI_Info_create(&pinfo);
    PMPI_Info_set(pinfo, "key", "1");
    MAKE(MPI_Info_delete(pinfo, "absent"));
    MAKE(MPI_Info_set(pinfo, "", "1"));
    MAKE(MPI_Info_get(pinfo, NULL, 15, value, &flag));
    MAKE(MPI_Info_get_valuelen(pinfo, "", &length, &flag));
    MAKE(MPI_Info_get_nthkey(pinfo, 99, value));
    MAKE(MPI_Comm_dup_with_info(MPI_COMM_NULL, pinfo, &comm));
    PMPI_Info_free(&pinfo);
}

/* Mistakes that the MPI library detects; the info is valid. */
static void mistakes_beside_an_info(void)
{
    MPI_Info given = MPI_INFO_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Win win = MPI_WIN_NULL;
    MPI_File file = MPI_FILE_NULL;
    void *memory = NULL;
    int error = 0;
    const int processes[] = {1};
    char place[4] = "";
    char *commands[] = {place};
    MAKE(MPI_Comm_dup_with_info(MPI_COMM_NULL, info, &comm));
    MAKE(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, NULL));
    MAKE(MPI_Comm_split_type(MPI_COMM_WORLD, -77, 0, info, &comm));
    MAKE(MPI_Comm_get_info(MPI_COMM_NULL, &given));
    MAKE(MPI_Alloc_mem(-1, info, &memory));
    MAKE(MPI_Win_allocate(-1, 1, info, MPI_COMM_WORLD, &memory, &win));
    MAKE(MPI_Win_get_info(MPI_WIN_NULL, &given));
    MAKE(MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, info, &file));
    MAKE(MPI_File_set_info(MPI_FILE_NULL, info));
    MAKE(MPI_File_get_info(MPI_FILE_NULL, &given));
    MAKE(MPI_Comm_spawn("a", MPI_ARGV_NULL, 1, info, 99, MPI_COMM_WORLD, &comm, &error));
    MAKE(MPI_Comm_spawn_multiple(0, commands, MPI_ARGVS_NULL, processes, &info, 0, MPI_COMM_WORLD, &comm, &error));
    MAKE(MPI_Comm_spawn("a", MPI_ARGV_NULL, 1, info, 0, NO_COMM, &comm, &error));
    MAKE(MPI_Comm_spawn_multiple(1, commands, MPI_ARGVS_NULL, processes, &info, 0, NO_COMM, &comm, &error));
    MAKE(MPI_Comm_connect("nowhere", info, 0, NO_COMM, &comm));
    MAKE(MPI_Comm_accept("nowhere", info, 0, NO_COMM, &comm));
    MAKE(MPI_Comm_dup_with_info(apart, info, NULL));
    MAKE(MPI_Win_allocate(-1, 1, info, apart, &memory, &win));
    MAKE(MPI_Comm_spawn("a", MPI_ARGV_NULL, 1, info, 99, apart, &comm, &error));
    MAKE(MPI_Dist_graph_create(MPI_COMM_WORLD, -1, NULL, NULL, NULL, NULL, info, 0, &comm));
}

static void set_handlers(const char *how)
{
    MPI_Errhandler of_comm = MPI_ERRORS_RETURN, of_file = MPI_ERRORS_RETURN;
    if (strcmp(how, "return") != 0) {
        MPI_Comm_create_errhandler(comm_handler, &of_comm);
        MPI_File_create_errhandler(file_handler, &of_file);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, of_comm);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, of_comm);
    MPI_Comm_set_errhandler(apart, of_comm);
    MPI_File_set_errhandler(MPI_FILE_NULL, of_file);
    if (strcmp(how, "freed") == 0) {
        MPI_Errhandler_free(&of_comm);
        MPI_Errhandler_free(&of_file);
    }
}

/* Mistakes that end the program if errors are fatal. */
static void may_end(bool world, bool self, bool unseen)
{
    if (world)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (self)
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (unseen)
        PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    printf("before\n");
    fflush(stdout);
    MAKE(MPI_Info_delete(info, "absent"));
    MAKE(MPI_Info_set(info, "key", long_value));
    MAKE(MPI_Info_set(info, long_key, "1"));
}

int main(int argc, char *argv[])
{
    const char *how = argc == 2 ? argv[1] : "";
    MPI_Info given;
    memset(long_key, 'k', sizeof long_key - 1);
    memset(long_value, 'v', sizeof long_value - 1);
    MPI_Init(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "1");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &apart);
    MPI_Comm_get_info(apart, &given);
    MPI_Info_free(&given);
    bool both = strcmp(how, "both") == 0, world = both || strcmp(how, "world") == 0;
    bool self = both || strcmp(how, "self") == 0, unseen = strcmp(how, "unseen") == 0;
    if (world || self || unseen || strcmp(how, "neither") == 0) {
        may_end(world, self, unseen);
    } else {
        set_handlers(how);
        mistakes_with_infos();
        mistakes_with_an_info_of_a_tool();
        mistakes_beside_an_info();
    }
    MPI_Info_free(&info);
    MPI_Comm_free(&apart);
    MPI_Finalize();
    return 0;
}
