/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI::Info with MPICH or Open MPI, and errors as exceptions. Without the marked line, the error handler of
 * MPI_COMM_WORLD would end the program before an exception is thrown.
 *
 * Build: mpicxx -std=c++17 mpi_errors.cpp -I<prefix>/include
 * Run:   rcuinfo run ./a.out
 */
#include <iostream>

#include <rcuinfo/mpi_info.hpp> /* includes mpi.h, without the bindings of MPI-2 that some have */

static void show()
{
    MPI::Info info = MPI::Info::Create();
    info.Set("which_accumulate_ops", "sum,max");

    /* An MPI::Info can be passed wherever MPI takes an MPI_Info. */
    MPI_Win window;
    void *memory;
    MPI_Win_allocate(64, 1, info, MPI_COMM_SELF, &memory, &window);
    MPI_Win_free(&window);

    char value[MPI::MAX_INFO_VAL];
    if (info.Get("which_accumulate_ops", MPI::MAX_INFO_VAL - 1, value))
        std::cout << "which_accumulate_ops=" << value << '\n';

    try {
        info.Delete("absent");
    } catch (const MPI::Exception &e) {
        std::cout << "deleting what is not there: "
                  << (e.Get_error_class() == MPI::ERR_INFO_NOKEY ? "MPI::ERR_INFO_NOKEY" : e.Get_error_string())
                  << '\n';
    }
    info.Free(); /* a handle frees nothing by itself */
}

int main(int argc, char *argv[])
{
    int status = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* this one, */
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);  /* or, by MPI-4.0, this one */
    try {
        show();
    } catch (const MPI::Exception &e) {
        std::cerr << e.Get_error_string() << '\n';
        status = 1;
    }
    MPI_Finalize();
    return status;
}
