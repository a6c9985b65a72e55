/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Info objects in ten steps, with MPI::Info. The other programs in this folder do the same in C and Fortran, and print
 * the same. No MPI library is needed: the standard-ABI library contains the info calls alone.
 *
 * Build: c++ -std=c++17 ten_steps.cpp $(pkg-config --cflags --libs rcuinfo-mpi)
 */
#include <iostream>
#include <string>

#include <rcuinfo/mpi_info.hpp>

/* Returns the value of a key, or `otherwise` if the key is missing. */
static std::string value_of(const MPI::Info &info, const char *key, const char *otherwise)
{
    char value[MPI::MAX_INFO_VAL];
    return info.Get(key, MPI::MAX_INFO_VAL - 1, value) ? value : otherwise;
}

int main()
try {
    MPI::Info info = MPI::Info::Create();
    std::cout << "1 create: " << info.Get_nkeys() << " keys\n";

    info.Set("host", "node01");
    info.Set("soft", "1:8:2");
    info.Set("wdir", "/tmp");
    std::cout << "2 set: " << info.Get_nkeys() << " keys\n";

    /* Setting an existing key replaces its value; the key keeps its position. */
    info.Set("wdir", "/scratch");
    std::cout << "3 override: wdir is " << value_of(info, "wdir", "absent") << '\n';

    std::cout << "4 nkeys: " << info.Get_nkeys() << '\n';

    std::cout << "5 nthkey:";
    for (int n = 0; n < info.Get_nkeys(); n++) {
        char key[MPI::MAX_INFO_KEY];
        info.Get_nthkey(n, key);
        std::cout << ' ' << key;
    }
    std::cout << '\n';

    /* The length does not include the NUL, so a buffer needs one more byte. */
    int length = -1;
    (void)info.Get_valuelen("soft", length); /* false, and length untouched, where the key is not there */
    std::cout << "6 valuelen: soft " << length << '\n';

    std::cout << "7 get: host " << value_of(info, "host", "absent") << '\n';

    MPI::Info dup = info.Dup();
    std::cout << "8 dup: " << dup.Get_nkeys() << " keys\n";

    /* Changes to one of the two do not affect the other. */
    info.Delete("soft");
    std::cout << "9 delete: " << info.Get_nkeys() << " keys, soft is " << value_of(info, "soft", "gone")
              << "; the dup has " << value_of(dup, "soft", "nothing") << '\n';

    info.Free();
    dup.Free();
    const bool null = info == MPI::INFO_NULL && dup == MPI::INFO_NULL;
    std::cout << "10 free: " << (null ? "both handles are null" : "a handle is left") << '\n';
} catch (const MPI::Exception &e) { /* every error of a call comes here */
    std::cerr << e.Get_error_string() << '\n';
    return 1;
}
