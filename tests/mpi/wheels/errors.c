/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * errors: prints whose error handler is called for mistakes with an info. An ordinary MPI program that knows nothing of
 * rcuinfo. The first mistake may end it.
 *
 * Usage: errors self|world|both|neither [return]: of which communicators it sets the handler: to one of its own, or to
 * MPI_ERRORS_RETURN.
 */
#include <stdio.h>
#include <string.h>

#include <mpi.h>

static void handler(MPI_Comm *comm, int *code, ...)
{
    int class_ = -1, length;
    char words[MPI_MAX_ERROR_STRING];
    MPI_Error_class(*code, &class_);
    MPI_Error_string(class_, words, &length);
    printf("    the handler of %s: %s\n",
           *comm == MPI_COMM_WORLD  ? "MPI_COMM_WORLD"
           : *comm == MPI_COMM_SELF ? "MPI_COMM_SELF"
                                    : "another",
           words);
}

#define MAKE(call)                                                                                                     \
    do {                                                                                                               \
        printf("%s\n", #call);                                                                                         \
        fflush(stdout);                                                                                                \
        call;                                                                                                          \
    } while (0)

int main(int argc, char *argv[])
{
    MPI_Errhandler own = MPI_ERRORS_RETURN;
    MPI_Info info;
    MPI_Comm comm;
    int length, flag;
    if (argc < 2)
        return 2;
    MPI_Init(&argc, &argv);
    if (argc < 3)
        MPI_Comm_create_errhandler(handler, &own);
    if (strcmp(argv[1], "self") == 0 || strcmp(argv[1], "both") == 0)
        MPI_Comm_set_errhandler(MPI_COMM_SELF, own);
    if (strcmp(argv[1], "world") == 0 || strcmp(argv[1], "both") == 0)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    MPI_Info_create(&info);
    MAKE(MPI_Info_delete(info, "absent"));
    MAKE(MPI_Info_set(info, "", "value"));
    MAKE(MPI_Info_get_valuelen(info, "", &length, &flag));
    MAKE(MPI_Comm_dup_with_info(MPI_COMM_NULL, info, &comm));
    MPI_Info_free(&info);
    printf("end\n");
    MPI_Finalize();
    return 0;
}
