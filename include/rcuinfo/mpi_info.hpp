/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpi_info.hpp
 * MPI::Info, the info class of MPI-2's C++ bindings, which MPI-3.0 removed; C++17, header only.
 *
 * It calls the MPI_Info_* functions of the mpi.h in use: rcuinfo/abi/mpi.h (link librcuinfo_mpi), or that of MPICH or
 * Open MPI, with or without our interposer. Include that mpi.h first; otherwise this header includes the <mpi.h> that
 * the compiler finds. If mpi.h has C++ bindings of its own, they must be disabled: define MPICH_SKIP_MPICXX (MPICH) or
 * OMPI_SKIP_MPICXX (Open MPI) before mpi.h is included. If this header includes it, it does so itself.
 *
 * As in MPI-2, an Info is a handle: copying it copies the handle, == compares handles, and its destructor frees
 * nothing. The member functions are not virtual. For keys, values, outputs and threads see the MPI_Info_* functions
 * (abi/mpi.h, or the manuals of MPICH and Open MPI).
 *
 * Errors: if a function of MPI returns an error code, MPI::Exception is thrown; then nothing was changed in the store,
 * and no output was written. The standard-ABI library has no error handlers. MPICH and Open MPI, also with the
 * interposer, first call the error handler of MPI_COMM_WORLD, or, on MPICH from 4.2, that of MPI_COMM_SELF if one was
 * set there. By default it aborts the program: to get exceptions, set both to MPI_ERRORS_RETURN by
 * MPI_Comm_set_errhandler after MPI_Init. (Before MPI_Init and after MPI_Finalize the interposer calls no handler, but
 * MPICH itself aborts the program.) Source: MPI-2.0, chapter 4.10 (Info) and section 10.1.
 *
 * @code{.cpp}
 * #include <iostream>
 * #include <rcuinfo/mpi_info.hpp>
 *
 * int main()
 * {
 *     char value[MPI::MAX_INFO_VAL];
 *     MPI::Info info = MPI::Info::Create();
 *
 *     info.Set("cb_nodes", "4");
 *     if (info.Get("cb_nodes", MPI::MAX_INFO_VAL - 1, value))
 *         std::cout << value << "\n"; // prints: 4
 *
 *     // The destructor frees nothing.
 *     info.Free();
 * }
 * @endcode
 */
#ifndef RCUINFO_MPI_INFO_HPP
#define RCUINFO_MPI_INFO_HPP

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "rcuinfo/mpi_info.hpp needs C++17 or later"
#endif
#ifndef __cpp_exceptions
#error "rcuinfo/mpi_info.hpp throws its errors: compile without -fno-exceptions"
#endif

#ifndef MPI_INFO_NULL
#if !__has_include(<mpi.h>)
#error                                                                                                                 \
    "rcuinfo/mpi_info.hpp finds no mpi.h: include one first, or compile with what pkg-config --cflags rcuinfo-mpi says"
#endif
/* Disables the bindings of mpi.h, which also declare MPI::Info. Macros that the program has defined are restored. */
#pragma push_macro("MPICH_SKIP_MPICXX")
#pragma push_macro("OMPI_SKIP_MPICXX")
#undef MPICH_SKIP_MPICXX
#undef OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX  1
#include <mpi.h>
#pragma pop_macro("OMPI_SKIP_MPICXX")
#pragma pop_macro("MPICH_SKIP_MPICXX")
#endif

/* Macros that only the bindings of MPICH and Open MPI define. */
#if defined(MPIX_CALLWORLD) || defined(MPIPP_H)
#error "mpi.h has declared an MPI::Info of its own: define MPICH_SKIP_MPICXX or OMPI_SKIP_MPICXX before it is included"
#endif

#include <exception>

namespace MPI
{

/* An inline namespace, so that another object file of the program may use the bindings of an MPI library. */
inline namespace rcuinfo_bindings
{

/**
 * @name Constants
 * @{
 */
/** The constants of mpi.h: sizes with the NUL, and classes of errors. */
inline constexpr int MAX_INFO_KEY = MPI_MAX_INFO_KEY;
inline constexpr int MAX_INFO_VAL = MPI_MAX_INFO_VAL;
inline constexpr int SUCCESS = MPI_SUCCESS;
inline constexpr int ERR_ARG = MPI_ERR_ARG;
inline constexpr int ERR_OTHER = MPI_ERR_OTHER;
inline constexpr int ERR_INTERN = MPI_ERR_INTERN;
inline constexpr int ERR_INFO_KEY = MPI_ERR_INFO_KEY;
inline constexpr int ERR_INFO_NOKEY = MPI_ERR_INFO_NOKEY;
inline constexpr int ERR_INFO_VALUE = MPI_ERR_INFO_VALUE;
inline constexpr int ERR_INFO = MPI_ERR_INFO;
inline constexpr int ERR_NO_MEM = MPI_ERR_NO_MEM;
/** @} */

/**
 * An error of MPI: its code, class and text. Class and text are those of MPI_Error_class and MPI_Error_string. If these
 * cannot be called (the standard-ABI library does not have them; Open MPI only after MPI_Init and before MPI_Finalize),
 * the class is the code, and the text is ours.
 */
class [[gnu::visibility("default")]] Exception : public std::exception
{
  public:
    /** Constructs it from the code that a function of MPI returned. */
    explicit Exception(int code) noexcept : error_code(code), error_class(code)
    {
        if (!ask_mpi())
            copy_text();
    }

    /** The code. */
    int Get_error_code() const noexcept
    {
        return error_code;
    }

    /** Its class. */
    int Get_error_class() const noexcept
    {
        return error_class;
    }

    /** The text, which is valid as long as the exception. */
    const char *Get_error_string() const noexcept
    {
        return text;
    }

    /** Same as Get_error_string(). */
    const char *what() const noexcept override
    {
        return text;
    }

  private:
#ifdef RCUINFO_ABI_MPI_H
    static constexpr int text_size = 80;

    bool ask_mpi() noexcept
    {
        return false;
    }
#else
    static constexpr int text_size = MPI_MAX_ERROR_STRING + 1;

    /* Since MPI-4.0 both functions may be called at any time. */
    static bool may_ask() noexcept
    {
        int begun = 1, ended = 0;
        if (MPI_VERSION < 4 && (MPI_Initialized(&begun) != MPI_SUCCESS || MPI_Finalized(&ended) != MPI_SUCCESS))
            return false;
        return begun && !ended;
    }

    bool ask_mpi() noexcept
    {
        int length = 0;
        return may_ask() && MPI_Error_class(error_code, &error_class) == MPI_SUCCESS &&
               MPI_Error_string(error_code, text, &length) == MPI_SUCCESS;
    }
#endif

    static const char *text_of(int error_class) noexcept
    {
        switch (error_class) {
        case MPI_SUCCESS:
            return "MPI_SUCCESS: no error";
        case MPI_ERR_ARG:
            return "MPI_ERR_ARG: an argument is out of range or a pointer is NULL";
        case MPI_ERR_OTHER:
            return "MPI_ERR_OTHER: an error of no other class";
        case MPI_ERR_INTERN:
            return "MPI_ERR_INTERN: an internal error";
        case MPI_ERR_INFO_KEY:
            return "MPI_ERR_INFO_KEY: the key is NULL, empty or too long";
        case MPI_ERR_INFO_NOKEY:
            return "MPI_ERR_INFO_NOKEY: the key is not there";
        case MPI_ERR_INFO_VALUE:
            return "MPI_ERR_INFO_VALUE: the value is NULL or too long";
        case MPI_ERR_INFO:
            return "MPI_ERR_INFO: no live object, or one that refuses changes";
        case MPI_ERR_NO_MEM:
            return "MPI_ERR_NO_MEM: no memory, or no handle left";
        default:
            return "an error of an unknown class";
        }
    }

    void copy_text() noexcept
    {
        const char *from = text_of(error_class);
        for (int i = 0; i + 1 < text_size && from[i] != '\0'; i++)
            text[i] = from[i];
    }

    int error_code;
    int error_class;
    char text[text_size] = "";
};

/** A handle of an info object. Each function calls the function of MPI with the same name. */
class Info
{
  public:
    /** INFO_NULL. */
    Info() noexcept : handle(MPI_INFO_NULL)
    {
    }

    /**
     * @name Conversion
     * @{
     */
    /** Implicit conversions from and to the handle of C, as in MPI-2. */
    constexpr Info(MPI_Info info) noexcept : handle(info)
    {
    }

    operator MPI_Info() const noexcept
    {
        return handle;
    }
    /** @} */

    /** Creates an empty object. */
    static Info Create()
    {
        Info made;
        check(MPI_Info_create(&made.handle));
        return made;
    }

    /** Adds a pair, or overrides the value of a key. */
    void Set(const char *key, const char *value)
    {
        check(MPI_Info_set(handle, key, value));
    }

    /** Removes a pair; throws ERR_INFO_NOKEY if the key is not there. */
    void Delete(const char *key)
    {
        check(MPI_Info_delete(handle, key));
    }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* deprecated since MPI-4.0 */

    /**
     * Copies the value of a key, cut at valuelen characters, and a NUL: value must have valuelen + 1 bytes.
     * @return whether the key is there; if not, value is untouched
     */
    bool Get(const char *key, int valuelen, char *value) const
    {
        int flag = 0;
        check(MPI_Info_get(handle, key, valuelen, value, &flag));
        return flag != 0;
    }

    /**
     * Gets the length of the value of a key, without the NUL.
     * @return whether the key is there; if not, valuelen is untouched
     */
    bool Get_valuelen(const char *key, int &valuelen) const
    {
        int flag = 0;
        check(MPI_Info_get_valuelen(handle, key, &valuelen, &flag));
        return flag != 0;
    }

#pragma GCC diagnostic pop

    /** The number of pairs. */
    int Get_nkeys() const
    {
        int nkeys = 0;
        check(MPI_Info_get_nkeys(handle, &nkeys));
        return nkeys;
    }

    /** Copies key number n, from 0 to Get_nkeys() - 1, and its NUL: key must have MAX_INFO_KEY bytes. */
    void Get_nthkey(int n, char *key) const
    {
        check(MPI_Info_get_nthkey(handle, n, key));
    }

    /** Creates an object with the same pairs in the same order. */
    Info Dup() const
    {
        Info made;
        check(MPI_Info_dup(handle, &made.handle));
        return made;
    }

    /** Frees the object and sets this handle to INFO_NULL. Copies of the handle become stale. */
    void Free()
    {
        check(MPI_Info_free(&handle));
    }

    /**
     * @name Comparison
     * @{
     */
    /** Whether two handles are the same. The overloads with MPI_Info avoid an ambiguity. */
    friend bool operator==(const Info &a, const Info &b) noexcept
    {
        return a.handle == b.handle;
    }

    friend bool operator!=(const Info &a, const Info &b) noexcept
    {
        return a.handle != b.handle;
    }

    friend bool operator==(const Info &a, MPI_Info b) noexcept
    {
        return a.handle == b;
    }

    friend bool operator!=(const Info &a, MPI_Info b) noexcept
    {
        return a.handle != b;
    }

    friend bool operator==(MPI_Info a, const Info &b) noexcept
    {
        return a == b.handle;
    }

    friend bool operator!=(MPI_Info a, const Info &b) noexcept
    {
        return a != b.handle;
    }
    /** @} */

  private:
    static void check(int code)
    {
        if (code != MPI_SUCCESS)
            throw Exception(code);
    }

    MPI_Info handle;
};

/** No object. Initialized before the variables that a file defines after including this header; Info() has the same
 * value at any time. */
inline const Info INFO_NULL(MPI_INFO_NULL);

} // namespace rcuinfo_bindings

} // namespace MPI

#endif
