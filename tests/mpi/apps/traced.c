/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An ordinary MPI program that knows nothing of rcuinfo: hands infos to some functions, and prints those that it is
 * given. tool.py runs it under the tool, with and without `rcuinfo run`. Usage: traced DIRECTORY FOR A SMALL FILE.
 */
#include <stdio.h>
#include <unistd.h>

#include <mpi.h>

static void print_pairs(const char *of, MPI_Info info)
{
    int nkeys = 0;
    MPI_Info_get_nkeys(info, &nkeys);
    printf("traced: of %s:", of);
    for (int n = 0; n < nkeys; n++) {
        char key[MPI_MAX_INFO_KEY + 1] = "", value[MPI_MAX_INFO_VAL + 1] = "";
        int flag = 0;
        MPI_Info_get_nthkey(info, n, key);
        MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &flag);
        printf(" %s=%s", key, value);
    }
    printf("\n");
}

static void use(MPI_Info info, const char *name)
{
    MPI_Info given;
    MPI_Comm comm;
    MPI_File file;
    MPI_Win win;
    void *memory;
    MPI_Alloc_mem(64, info, &memory);
    MPI_Free_mem(memory);
    MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_free(&win);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Comm_get_info(comm, &given);
    print_pairs("the communicator", given);
    MPI_Info_free(&given);
    MPI_Comm_free(&comm);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file);
    MPI_File_get_info(file, &given);
    print_pairs("the file", given);
    MPI_Info_free(&given);
    MPI_File_close(&file);
}

int main(int argc, char *argv[])
{
    MPI_Info info;
    char name[1024];
    MPI_Init(&argc, &argv);
    snprintf(name, sizeof name, "%s/traced.%ld", argc == 2 ? argv[1] : ".", (long)getpid());
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_buffer_size", "65536");
    MPI_Info_set(info, "b", "2");
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Info_set(info, "a", "1");
    MPI_Info_set(info, "b", "3");
    use(info, name);
    MPI_Info_delete(info, "b");
    use(info, name);
    print_pairs("the program", info);
    use(MPI_INFO_NULL, name);
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
