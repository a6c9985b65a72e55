/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI::Info of mpi_info.hpp with each mpi.h: the standard ABI's, MPICH's and Open MPI's; with the interposer
 * (TEST_ON_STORE) and with the MPI library alone. Linked with a second translation unit that uses the same header.
 *
 * Each call throws the exception of the code that the C call returns; on the store its class is also the documented
 * one. Before MPI_Init and after MPI_Finalize only the store is tested: an MPI library may end the program.
 */
#include <rcuinfo/mpi_info.hpp>
#include <rcuinfo/rcuinfo.hpp>

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "support/check.h"

#ifdef RCUINFO_ABI_MPI_H
#define REAL_MPI 0
#else
#define REAL_MPI 1
#endif

/* Those of other_mpi.cpp: whether INFO_NULL is the same object in both units; its value during static initialization of
 * that unit; and a deletion, whose exception crosses the units. */
bool other_has_null_at(const MPI::Info *null);
MPI::Info other_early_null();
void other_delete(MPI::Info info, const char *key);

namespace
{

using MPI::Info;

static_assert(std::is_same_v<decltype(Info::Create()), Info>);
static_assert(std::is_same_v<decltype(&Info::Set), void (Info::*)(const char *, const char *)>);
static_assert(std::is_same_v<decltype(&Info::Delete), void (Info::*)(const char *)>);
static_assert(std::is_same_v<decltype(&Info::Get), bool (Info::*)(const char *, int, char *) const>);
static_assert(std::is_same_v<decltype(&Info::Get_valuelen), bool (Info::*)(const char *, int &) const>);
static_assert(std::is_same_v<decltype(&Info::Get_nkeys), int (Info::*)() const>);
static_assert(std::is_same_v<decltype(&Info::Get_nthkey), void (Info::*)(int, char *) const>);
static_assert(std::is_same_v<decltype(&Info::Dup), Info (Info::*)() const>);
static_assert(std::is_same_v<decltype(&Info::Free), void (Info::*)()>);
static_assert(std::is_same_v<decltype(MPI::INFO_NULL), const Info>);
static_assert(std::is_convertible_v<MPI_Info, Info> && std::is_convertible_v<const Info &, MPI_Info>);
static_assert(std::is_trivially_copyable_v<Info> && sizeof(Info) == sizeof(MPI_Info));
static_assert(MPI::MAX_INFO_KEY == MPI_MAX_INFO_KEY && MPI::MAX_INFO_VAL == MPI_MAX_INFO_VAL);
static_assert(MPI::ERR_INFO_NOKEY == MPI_ERR_INFO_NOKEY && MPI::SUCCESS == MPI_SUCCESS);
static_assert(std::is_convertible_v<MPI::Exception *, std::exception *>);
static_assert(std::is_nothrow_copy_constructible_v<MPI::Exception>);

/* Returns the exception that the call must throw. */
template <typename Call> MPI::Exception caught(Call call)
{
    try {
        call();
    } catch (const MPI::Exception &e) {
        return e;
    }
    CHECKF(false, "nothing was thrown");
}

int class_of(int code)
{
    int error_class = code;
#if REAL_MPI
    CHECK(MPI_Error_class(code, &error_class) == MPI_SUCCESS);
#endif
    return error_class;
}

/* Checks the exception that a call throws, given the code of the C call and the class that the store documents. */
template <typename Call> void raises(Call call, int code, int promised)
{
    const MPI::Exception e = caught(call);
    CHECK(code != MPI_SUCCESS && e.Get_error_class() == class_of(code));
    CHECK(class_of(e.Get_error_code()) == e.Get_error_class());
    CHECKF(!TEST_ON_STORE || e.Get_error_class() == promised, "class %d: %s", e.Get_error_class(), e.what());
    CHECK(std::strlen(e.Get_error_string()) > 10 && std::string(e.what()) == e.Get_error_string());
#if REAL_MPI
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    CHECK(MPI_Error_string(e.Get_error_code(), text, &length) == MPI_SUCCESS);
    CHECK(std::string(text) == e.Get_error_string());
#endif
}

std::string contents(const Info &info)
{
    std::string text;
    for (int n = 0; n < info.Get_nkeys(); n++) {
        char key[MPI::MAX_INFO_KEY], value[MPI::MAX_INFO_VAL];
        info.Get_nthkey(n, key);
        CHECK(info.Get(key, MPI::MAX_INFO_VAL - 1, value));
        text += std::string(key) + "=" + value + ";";
    }
    return text;
}

void handles()
{
    Info none;
    CHECK(none == MPI::INFO_NULL && !(none != MPI::INFO_NULL));
    CHECK(none == MPI_INFO_NULL && MPI_INFO_NULL == none && !(none != MPI_INFO_NULL) && !(MPI_INFO_NULL != none));
    CHECK(MPI::INFO_NULL == MPI_INFO_NULL && other_has_null_at(&MPI::INFO_NULL) && other_early_null() == MPI_INFO_NULL);

    Info info = Info::Create();
    const Info copy = info; /* the same object */
    CHECK(info != MPI::INFO_NULL && info != MPI_INFO_NULL && MPI_INFO_NULL != info && !(info == none));
    CHECK(copy == info && !(copy != info));
    info.Set("a", "1");
    MPI_Info handle = copy; /* to a C handle and back */
    CHECK(MPI_Info_set(handle, "b", "2") == MPI_SUCCESS && handle == copy && copy == handle);
    Info back = handle;
    CHECK(contents(back) == "a=1;b=2;");
    back = {};
    CHECK(back == MPI::INFO_NULL);
    info.Free();
    CHECK(info == MPI::INFO_NULL && copy != MPI::INFO_NULL);
}

void pairs()
{
    Info info = Info::Create();
    CHECK(info.Get_nkeys() == 0);
    info.Set("a", "one");
    info.Set("b", "two");
    info.Set("c", "three");
    info.Delete("b");
    CHECK(contents(info) == "a=one;c=three;" && info.Get_nkeys() == 2);

    int length = -7;
    char value[16] = "untouched";
    CHECK(!info.Get_valuelen("b", length) && length == -7);
    CHECK(info.Get_valuelen("c", length) && length == 5);
    CHECK(!info.Get("b", 15, value) && std::strcmp(value, "untouched") == 0);
    CHECK(info.Get("c", 5, value) && std::strcmp(value, "three") == 0);
    CHECK(!TEST_ON_STORE ||
          (info.Get("c", 2, value) && std::strcmp(value, "th") == 0)); /* MPICH alone returns an error */

    Info dup = info.Dup();
    info.Set("a", "other");
    CHECK(dup != info && contents(dup) == "a=one;c=three;");
    dup.Free();
    info.Free();
}

void errors()
{
    Info info = Info::Create(), null;
    const std::string value(MPI::MAX_INFO_VAL + 1, 'v');
    MPI_Info handle = MPI_INFO_NULL, made = MPI_INFO_NULL;
    int number = 0, flag = 0;
    char text[MPI_MAX_INFO_VAL] = "untouched";
    info.Set("a", "1");

    raises([&] { info.Delete("b"); }, MPI_Info_delete(info, "b"), MPI::ERR_INFO_NOKEY);
    raises([&] { other_delete(info, "b"); }, MPI_Info_delete(info, "b"), MPI::ERR_INFO_NOKEY);
    raises([&] { info.Set("", "1"); }, MPI_Info_set(info, "", "1"), MPI::ERR_INFO_KEY);
    raises([&] { info.Set("b", value.c_str()); }, MPI_Info_set(info, "b", value.c_str()), MPI::ERR_INFO_VALUE);
    raises([&] { info.Get_nthkey(1, text); }, MPI_Info_get_nthkey(info, 1, text), MPI::ERR_ARG);
    CHECK(contents(info) == "a=1;" && std::strcmp(text, "untouched") == 0);

    raises([&] { null.Set("a", "1"); }, MPI_Info_set(handle, "a", "1"), MPI::ERR_INFO);
    raises([&] { null.Delete("a"); }, MPI_Info_delete(handle, "a"), MPI::ERR_INFO);
    raises([&] { (void)null.Get("a", 9, text); }, MPI_Info_get(handle, "a", 9, text, &flag), MPI::ERR_INFO);
    raises([&] { (void)null.Get_valuelen("a", number); }, MPI_Info_get_valuelen(handle, "a", &number, &flag),
           MPI::ERR_INFO);
    raises([&] { (void)null.Get_nkeys(); }, MPI_Info_get_nkeys(handle, &number), MPI::ERR_INFO);
    raises([&] { null.Get_nthkey(0, text); }, MPI_Info_get_nthkey(handle, 0, text), MPI::ERR_INFO);
    raises([&] { (void)null.Dup(); }, MPI_Info_dup(handle, &made), MPI::ERR_INFO);
    raises([&] { null.Free(); }, MPI_Info_free(&handle), MPI::ERR_INFO);
    CHECK(null == MPI::INFO_NULL);
    info.Free();
}

/* Every error class has its own text, and a copy of an exception keeps it. */
void exceptions()
{
    std::vector<std::string> texts;
    for (const int code : {MPI::ERR_ARG, MPI::ERR_OTHER, MPI::ERR_INTERN, MPI::ERR_INFO_KEY, MPI::ERR_INFO_NOKEY,
                           MPI::ERR_INFO_VALUE, MPI::ERR_INFO, MPI::ERR_NO_MEM, 1 << 29}) {
        MPI::Exception copy(MPI::SUCCESS);
        {
            const MPI::Exception e(code);
            copy = e;
            CHECK(e.Get_error_code() == code && (code == 1 << 29 || e.Get_error_class() == code));
        }
        CHECK(copy.Get_error_code() == code && copy.what() == copy.Get_error_string());
        for (const auto &text : texts)
            CHECKF(text != copy.what(), "%d: %s", code, copy.what());
        texts.push_back(copy.what());
    }
#if !REAL_MPI
    CHECK(texts.front() == "MPI_ERR_ARG: an argument is out of range or a pointer is NULL"); /* not cut */
#endif
}

#if REAL_MPI
int handled, handled_code;

void note(MPI_Comm *comm, int *code, ...)
{
    CHECK(*comm == MPI_COMM_WORLD || *comm == MPI_COMM_SELF);
    handled++;
    handled_code = *code;
}

/* Errors of infos call the handler of MPI_COMM_WORLD, or since MPI-4.0 that of MPI_COMM_SELF. Sets both. */
void handle_by(MPI_Errhandler handler)
{
    CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler) == MPI_SUCCESS);
    CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler) == MPI_SUCCESS);
}

/* The error handler is called first. When it returns, the exception is thrown, if the C call returns an error then;
 * MPICH 5.0.2 alone returns none. */
void handlers()
{
    MPI_Errhandler handler;
    CHECK(MPI_Comm_create_errhandler(note, &handler) == MPI_SUCCESS);
    handle_by(handler);
    Info info = Info::Create();
    if (MPI_Info_delete(info, "absent") == MPI_SUCCESS) {
        CHECK(!TEST_ON_STORE);
        info.Delete("absent");
    } else {
        const MPI::Exception e = caught([&] { info.Delete("absent"); });
        CHECK(handled_code == e.Get_error_code() && e.Get_error_class() == MPI::ERR_INFO_NOKEY);
    }
    CHECK(handled == 2);
    info.Free();
    CHECK(handled == 2);
    CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS);
    handle_by(MPI_ERRORS_RETURN);
}

/* Before MPI_Init and after MPI_Finalize: exceptions can be constructed, and with the store thrown. */
void outside()
{
    const MPI::Exception made(MPI_ERR_INFO);
    CHECK(made.Get_error_class() == MPI_ERR_INFO && std::strlen(made.what()) > 10);
#if TEST_ON_STORE
    Info info = Info::Create();
    info.Set("a", "1");
    const MPI::Exception e = caught([&] { info.Delete("b"); });
    CHECK(e.Get_error_class() == MPI_ERR_INFO_NOKEY && std::strlen(e.what()) > 10);
    info.Free();
#endif
}
#endif

} // namespace

int main()
{
#if REAL_MPI
    outside();
    CHECK(MPI_Init(nullptr, nullptr) == MPI_SUCCESS);
    handle_by(MPI_ERRORS_RETURN);
#endif
    handles();
    pairs();
    errors();
    exceptions();
#if REAL_MPI
    handlers();
    CHECK(MPI_Finalize() == MPI_SUCCESS);
    outside();
#endif
    return 0;
}
