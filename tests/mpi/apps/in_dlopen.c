/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * While one thread is in dlopen, a second one uses infos for the first time: it must not wait for the first one, which
 * waits for it in the constructor of what is loaded. The program, and with LIBRARY what is loaded.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include <mpi.h>

#ifdef LIBRARY

static void *use_infos(void *good)
{
    MPI_Info info, env, used;
    char key[MPI_MAX_INFO_KEY + 1] = "", value[MPI_MAX_INFO_VAL + 1] = "";
    int nkeys = 0, flag = 0;
    MPI_Comm duplicate;
    if (MPI_Info_create(&info) || MPI_Info_set(info, "key", "value") || MPI_Info_dup(info, &env) ||
        MPI_Info_get_nkeys(env, &nkeys) || MPI_Info_get_nthkey(env, 0, key) ||
        MPI_Info_get(env, key, 5, value, &flag) || MPI_Comm_dup_with_info(MPI_COMM_SELF, info, &duplicate) ||
        MPI_Comm_set_errhandler(duplicate, MPI_ERRORS_RETURN) || MPI_Comm_get_info(duplicate, &used) ||
        MPI_Info_free(&used) || MPI_Info_free(&env) || MPI_Info_free(&info) || MPI_Comm_free(&duplicate))
        return NULL;
    return nkeys == 1 && flag ? good : NULL;
}

__attribute__((constructor)) static void construct(void)
{
    pthread_t thread;
    void *result = NULL;
    if (pthread_create(&thread, NULL, use_infos, "good") == 0 && pthread_join(thread, &result) == 0 && result)
        puts(result);
}

#else

int main(int argc, char **argv)
{
    int provided;
    if (argc != 2 || MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided))
        return 1;
    if (!dlopen(argv[1], RTLD_NOW))
        return 1;
    return MPI_Finalize();
}

#endif
