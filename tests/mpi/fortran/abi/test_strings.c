/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The strings of Fortran's info functions, called as a compiler would, in memory without a spare byte, so that
 * AddressSanitizer detects every overflow: lengths that do not match, empty strings, strings of blanks.
 */
#include "support/contents.h"
#include "support/left.h"
#include "support/phases.h"

typedef int MPI_Fint;

/* gfortran's calling convention: arguments by reference, and the lengths of strings by value. */
void mpi_info_set_f08_(MPI_Fint *, const char *, const char *, MPI_Fint *, size_t, size_t);
void mpi_info_dup_f08_(MPI_Fint *, MPI_Fint *, MPI_Fint *);
void mpi_info_free_f08_(MPI_Fint *, MPI_Fint *);
void mpi_info_get_nkeys_f08_(MPI_Fint *, MPI_Fint *, MPI_Fint *);
void mpi_info_delete_f08_(MPI_Fint *, const char *, MPI_Fint *, size_t);
typedef void get_t(MPI_Fint *, const char *, MPI_Fint *, char *, MPI_Fint *, MPI_Fint *, size_t, size_t);
get_t mpi_info_get_, mpi_info_get_f08_, mpi_info_get_string_f08_;
void mpi_info_get_valuelen_f08_(MPI_Fint *, const char *, MPI_Fint *, MPI_Fint *, MPI_Fint *, size_t);
void mpi_info_get_nthkey_f08_(MPI_Fint *, MPI_Fint *, char *, MPI_Fint *, size_t);

/* A Fortran string on the heap, without a NUL. */
static char *text_of(const char *text, size_t length)
{
    char *memory = malloc(length + (length == 0));
    memcpy(memory, text, length);
    return memory;
}

static int set(MPI_Info info, const char *key, size_t key_length, const char *value, size_t value_length)
{
    MPI_Fint integer = MPI_Info_toint(info), code = -7;
    char *key_text = text_of(key, key_length), *value_text = text_of(value, value_length);
    mpi_info_set_f08_(&integer, key_text, value_text, &code, key_length, value_length);
    free(key_text);
    free(value_text);
    return code;
}

TEST(input_strings_are_trimmed)
{
    MPI_Info info = make_empty();
    MPI_Fint integer = MPI_Info_toint(info), code = -7;
    CHECK_MPI(set(info, "key", 3, "value", 5), MPI_SUCCESS);
    CHECK_MPI(set(info, "  key ", 6, " over ", 6), MPI_SUCCESS);
    CHECK_MPI(set(info, " a  b ", 6, "c\td", 3), MPI_SUCCESS);
    CHECK_MPI(set(info, "empty", 5, "   ", 3), MPI_SUCCESS);
    CHECK_MPI(set(info, "none", 4, "", 0), MPI_SUCCESS);
    CHECK_MPI(set(info, "", 0, "value", 5), MPI_ERR_INFO_KEY);
    CHECK_MPI(set(info, "    ", 4, "value", 5), MPI_ERR_INFO_KEY);
    CHECK_CONTENTS(info, {"key", "over"}, {"a  b", "c\td"}, {"empty", ""}, {"none", ""});
    mpi_info_delete_f08_(&integer, " key", &code, 4);
    CHECK_MPI(code, MPI_SUCCESS);
    mpi_info_delete_f08_(&integer, "a  b", NULL, 4);
    mpi_info_delete_f08_(&integer, "key", &code, 3);
    CHECK_MPI(code, MPI_ERR_INFO_NOKEY);
    CHECK_CONTENTS(info, {"empty", ""}, {"none", ""});
    free_info(info);
}

/* All lengths around the limits, with blanks around the text. */
TEST(lengths_around_the_limits)
{
    static const struct {
        size_t limit;
        int code;
    } texts[] = {{MPI_MAX_INFO_KEY, MPI_ERR_INFO_KEY}, {MPI_MAX_INFO_VAL, MPI_ERR_INFO_VALUE}};
    for (int of_value = 0; of_value <= 1; of_value++) {
        size_t limit = texts[of_value].limit;
        for (size_t length = limit - 2; length <= limit + 3; length++) {
            MPI_Info info = make_empty();
            char *text = make_text(length + 2, 'k', ' ');
            text[0] = ' ';
            int code = of_value ? set(info, "k", 1, text, length + 2) : set(info, text, length + 2, "v", 1);
            CHECK_EQUAL(code, length < limit ? MPI_SUCCESS : texts[of_value].code);
            free(text);
            free_info(info);
        }
    }
}

/* Checks a string of `length` characters after a call that returned "abcdef", of which `most` were requested. */
static void check_filled(const char *text, size_t length, int most)
{
    for (size_t n = 0; n < length; n++)
        CHECK_EQUAL(text[n], n < 6 && (int)n < most ? "abcdef"[n] : ' ');
}

enum { GET, GET_F08, GET_STRING, PROCEDURES };
static get_t *const procedures[] = {mpi_info_get_, mpi_info_get_f08_, mpi_info_get_string_f08_};

TEST(output_strings_are_padded)
{
    static const int mosts[] = {0, 1, 5, 6, 7, 300, MPI_MAX_INFO_VAL - 1, MPI_MAX_INFO_VAL, INT32_MAX};
    MPI_Info info = make_info({"key", "abcdef"});
    MPI_Fint integer = MPI_Info_toint(info);
    for (size_t n = 0; n < sizeof mosts / sizeof mosts[0] * PROCEDURES; n++) {
        size_t procedure = n % PROCEDURES;
        for (size_t length = 0; length <= 8; length++) {
            MPI_Fint asked = mosts[n / PROCEDURES], most = asked, flag = -7, code = -7;
            char *text = text_of("????????", length);
            procedures[procedure](&integer, "key", &most, text, &flag, &code, 3, length);
            CHECK_MPI(code, MPI_SUCCESS);
            CHECK_EQUAL(flag, 1);
            CHECK_EQUAL(most, procedure == GET_STRING ? 6 : asked);
            /* mpi_f08 declares the string of get with `most` characters. */
            size_t written = (size_t)asked < length && procedure == GET_F08 ? (size_t)asked : length;
            if (asked == 0 && procedure == GET_STRING)
                written = 0;
            check_filled(text, written, asked);
            CHECK(memcmp(text + written, "????????", length - written) == 0);
            free(text);
        }
    }
    free_info(info);
}

/* A value that was set natively may be longer than this flavour's limit. */
TEST(a_value_beyond_the_limit_is_whole)
{
    enum { LENGTH = RCUINFO_MAX_VALUE - 1 };
    char *value = make_text(LENGTH, 'v', 'V'), *got = make_text(LENGTH, '?', '?');
    MPI_Info info = make_empty();
    MPI_Fint integer = MPI_Info_toint(info);
    CHECK_OK(rcuinfo_set(rcuinfo_from_mpi(info), "key", value));
    for (size_t n = 0; n < PROCEDURES; n++) {
        MPI_Fint length = LENGTH, flag = 0, code = -7;
        memset(got, '?', LENGTH);
        procedures[n](&integer, "key", &length, got, &flag, &code, 3, LENGTH);
        CHECK(code == MPI_SUCCESS && flag && length == LENGTH);
        CHECK(memcmp(got, value, LENGTH) == 0);
    }
    free(got);
    free(value);
    free_info(info);
}

TEST(nth_keys_are_padded)
{
    MPI_Info info = make_info({"abcdef", "v"});
    MPI_Fint integer = MPI_Info_toint(info), zero = 0, one = 1, code;
    for (size_t length = 0; length <= 8; length++) {
        char *text = text_of("????????", length);
        mpi_info_get_nthkey_f08_(&integer, &one, text, &code, length);
        CHECK_MPI(code, MPI_ERR_ARG);
        CHECK(memcmp(text, "????????", length) == 0);
        mpi_info_get_nthkey_f08_(&integer, &zero, text, &code, length);
        CHECK_MPI(code, MPI_SUCCESS);
        check_filled(text, length, 6);
        free(text);
    }
    free_info(info);
}

/* For a negative length, an invalid info or an absent key, only flag and new handles are written. */
TEST(only_flag_and_handles_are_written_on_failure)
{
    MPI_Info info = make_info({"key", "abcdef"});
    const MPI_Fint live = MPI_Info_toint(info), stale = MPI_Info_toint(make_stale()),
                   null = MPI_Info_toint(MPI_INFO_NULL);
    MPI_Fint still = stale, copy = live, nkeys = -7, no_code = -7;
    mpi_info_free_f08_(&still, &no_code);
    CHECK_MPI(no_code, MPI_ERR_INFO);
    CHECK_EQUAL(still, stale);
    mpi_info_dup_f08_(&still, &copy, &no_code);
    CHECK_MPI(no_code, MPI_ERR_INFO);
    CHECK_EQUAL(copy, null);
    mpi_info_get_nkeys_f08_(&copy, &nkeys, &no_code);
    CHECK_MPI(no_code, MPI_ERR_INFO);
    CHECK_EQUAL(nkeys, -7);
    const struct {
        MPI_Fint info, most;
        const char *key;
        int code;
        MPI_Fint flag;
    } cases[] = {
        {live, -1, "key", MPI_ERR_ARG, -7}, {stale, 1, "key", MPI_ERR_INFO, -7}, {live, 1, "no ", MPI_SUCCESS, 0}};
    for (size_t n = 0; n < sizeof cases / sizeof cases[0] * PROCEDURES; n++) {
        size_t wanted = n / PROCEDURES;
        MPI_Fint integer = cases[wanted].info, most = cases[wanted].most, flag = -7, code = -7;
        char text[] = {'?'};
        procedures[n % PROCEDURES](&integer, cases[wanted].key, &most, text, &flag, &code, 3, 1);
        CHECK_MPI(code, cases[wanted].code);
        CHECK_EQUAL(flag, cases[wanted].flag);
        if (most > 0) {
            flag = code = -7;
            mpi_info_get_valuelen_f08_(&integer, cases[wanted].key, &most, &flag, &code, 3);
            CHECK_MPI(code, cases[wanted].code);
            CHECK_EQUAL(flag, cases[wanted].flag);
        }
        CHECK_EQUAL(most, cases[wanted].most);
        CHECK_EQUAL(text[0], '?');
    }
    free_info(info);
}

int main(void)
{
    run_phase("the standard ABI");
    left_nothing();
    return 0;
}
