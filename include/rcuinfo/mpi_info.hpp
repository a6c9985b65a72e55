/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpi_info.hpp
 * MPI::Info, the info class of MPI-2's C++ bindings, which MPI-3.0 removed; C++17, header only.
 *
 * It calls MPI_Info_* of the mpi.h in use: rcuinfo/abi/mpi.h (link librcuinfo_mpi), or MPICH's or Open MPI's, with our
 * interposer or without. Include that mpi.h first; where none was, this header includes the <mpi.h> that the compiler
 * finds. An mpi.h that brings bindings of its own has to be kept from that: define MPICH_SKIP_MPICXX (MPICH) or
 * OMPI_SKIP_MPICXX (Open MPI) before it is included, as this header does where it includes it.
 *
 * As in MPI-2 an Info is a handle: copying one copies the handle, == compares handles, and destroying one frees
 * nothing. The member functions are not virtual. What they do with keys, values and outputs, and which threads may call
 * them, is said of the MPI_Info_* functions (abi/mpi.h; of MPICH and Open MPI by themselves, in their manuals).
 *
 * Errors: every code but MPI_SUCCESS that a function of MPI returns is thrown as MPI::Exception; the store has changed
 * nothing then, and written no output. The standard-ABI library has no error handlers. MPICH and Open MPI, also with
 * the interposer, call the error handler of MPI_COMM_WORLD first, and that one ends the program by default: for
 * exceptions give it MPI_ERRORS_RETURN by MPI_Comm_set_errhandler after MPI_Init. (Before MPI_Init and after
 * MPI_Finalize the interposer's errors go to no handler; MPICH's own end the program.)
 * Source: MPI-2.0, chapter 4.10 (Info) and section 10.1.
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
/* Bindings that mpi.h brings would declare MPI::Info once more. What the program has defined itself is given back. */
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

/* What only the bindings of MPICH and of Open MPI define. */
#if defined(MPIX_CALLWORLD) || defined(MPIPP_H)
#error "mpi.h has declared an MPI::Info of its own: define MPICH_SKIP_MPICXX or OMPI_SKIP_MPICXX before it is included"
#endif

#include <exception>

namespace MPI
{

/* A namespace of its own, so that a program may have another object file that uses an MPI library's bindings. */
inline namespace rcuinfo_bindings
{

/**
 * @name Constants
 * @{
 */
/** Lengths with the NUL, and what Exception::Get_error_class gives; as those of mpi.h. */
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
 * An error of MPI: its code, the class of that, and a text. The class and the text are those of MPI_Error_class and
 * MPI_Error_string where these may be called; elsewhere (in the standard-ABI library, which does not have them; in Open
 * MPI before MPI_Init and after MPI_Finalize) the code is the class, and the text is ours.
 */
class [[gnu::visibility("default")]] Exception : public std::exception
{
  public:
    /** Of a code that a function of MPI has returned. */
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

    /** The text; lives as long as the exception. */
    const char *Get_error_string() const noexcept
    {
        return text;
    }

    /** The same. */
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

    /* From MPI-4.0 on both functions may be called at any time. */
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

/** An info object's handle. Each function calls the one of MPI that it is named after. */
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
    /** From and to the handle of C; as in MPI-2 both happen by themselves. */
    constexpr Info(MPI_Info info) noexcept : handle(info)
    {
    }

    operator MPI_Info() const noexcept
    {
        return handle;
    }
    /** @} */

    /** A new object without pairs. */
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

    /** Removes a pair; a key that is not there is an error of class ERR_INFO_NOKEY. */
    void Delete(const char *key)
    {
        check(MPI_Info_delete(handle, key));
    }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* by MPI-4.0, and so in later versions of mpi.h */

    /**
     * Copies the value of a key, cut to valuelen characters, and a NUL: value has valuelen + 1 bytes.
     * @return whether the key is there; value is untouched where it is not
     */
    bool Get(const char *key, int valuelen, char *value) const
    {
        int flag = 0;
        check(MPI_Info_get(handle, key, valuelen, value, &flag));
        return flag != 0;
    }

    /**
     * Gets the length of a key's value, without the NUL.
     * @return whether the key is there; valuelen is untouched where it is not
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

    /** Copies key number n, 0 to Get_nkeys() - 1, and its NUL: key has MAX_INFO_KEY bytes. */
    void Get_nthkey(int n, char *key) const
    {
        check(MPI_Info_get_nthkey(handle, n, key));
    }

    /** A new object with the same pairs in the same order. */
    Info Dup() const
    {
        Info made;
        check(MPI_Info_dup(handle, &made.handle));
        return made;
    }

    /** Frees the object, and makes this handle INFO_NULL; copies of the handle are stale then. */
    void Free()
    {
        check(MPI_Info_free(&handle));
    }

    /**
     * @name Comparison
     * @{
     */
    /** Whether two handles are the same: also of an Info and a handle of C, which would be ambiguous. */
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

/** No object. Initialized before what a file declares behind this header; Info() is the same at any time. */
inline const Info INFO_NULL(MPI_INFO_NULL);

} // namespace rcuinfo_bindings

} // namespace MPI

#endif
