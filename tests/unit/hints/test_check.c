/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rcuinfo_hint_check: for each type values that are good, with the number that they stand for, and values that are not,
 * with what is said to be wrong at which byte.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/check.h"
#include "support/guard.h"

enum { NO_NUMBER = -77, GOOD = -1 };

/* The value, which is followed by no more than its NUL, must be good, and stand for the number; or, where there is an
 * offset, be bad there, for that reason, unless it is NULL. */
static void check(const rcuinfo_hint_t *hint, const char *value, int64_t wanted, const char *what, int offset)
{
    char *copy = guard_page_copy(value, strlen(value) + 1);
    rcuinfo_fault_t fault = {"untouched", 7, 7};
    int64_t number = NO_NUMBER;
    rcuinfo_status_t status = rcuinfo_hint_check(hint, copy, &number, &fault);
    CHECKF(status == (offset == GOOD ? RCUINFO_SUCCESS : RCUINFO_ERR_TYPE) && number == wanted &&
               (what ? strcmp(fault.what, what) == 0 : strcmp(fault.what, "untouched") != 0) &&
               (offset == GOOD || (fault.line == 0 && fault.offset == (size_t)offset)),
           "\"%s\" gives %d, %lld: %s at %zu", value, (int)status, (long long)number, fault.what, fault.offset);
    CHECK_STATUS(rcuinfo_hint_check(hint, copy, NULL, NULL), status);
    guard_page_free(copy, strlen(value) + 1);
}

static void good(const rcuinfo_hint_t *hint, const char *value, int64_t number)
{
    check(hint, value, number, "untouched", GOOD);
}

static void bad(const rcuinfo_hint_t *hint, const char *value, const char *what, int offset)
{
    check(hint, value, NO_NUMBER, what, offset);
}

/* The same where what is wrong is said by another part of the library. */
static void bad_at(const rcuinfo_hint_t *hint, const char *value, int offset)
{
    bad(hint, value, NULL, offset);
}

static void strings(void)
{
    const rcuinfo_hint_t one = {.key = "k", .type = RCUINFO_HINT_STRING};
    const rcuinfo_hint_t list = {.key = "k", .type = RCUINFO_HINT_STRING, .flags = RCUINFO_HINT_LIST};
    good(&one, "", NO_NUMBER);
    good(&one, " \t\xff, anything:", NO_NUMBER);
    good(&list, "", NO_NUMBER);
    good(&list, "a,,\x01 b,", NO_NUMBER);
}

static void booleans(void)
{
    const rcuinfo_hint_t one = {.key = "k", .type = RCUINFO_HINT_BOOL};
    const rcuinfo_hint_t list = {.key = "k", .type = RCUINFO_HINT_BOOL, .flags = RCUINFO_HINT_LIST};
    good(&one, "true", 1);
    good(&one, "\tfalse  ", 0);
    bad_at(&one, "True", 0);
    bad_at(&one, "  1", 2);
    bad_at(&one, "true,false", 0);
    good(&list, "true, false", NO_NUMBER);
    good(&list, " ", NO_NUMBER);
    bad_at(&list, "true, yes", 6);
}

static void integers(void)
{
    const rcuinfo_hint_t any = {.key = "k", .type = RCUINFO_HINT_INT};
    const rcuinfo_hint_t from_1 = {.key = "k", .type = RCUINFO_HINT_INT, .least = 1, .most = 100};
    const rcuinfo_hint_t negative = {.key = "k", .type = RCUINFO_HINT_INT, .least = -5, .most = 0};
    const rcuinfo_hint_t list = {
        .key = "k", .type = RCUINFO_HINT_INT, .flags = RCUINFO_HINT_LIST, .least = 1, .most = INT64_MAX};
    good(&any, " -9223372036854775808", INT64_MIN);
    good(&any, "9223372036854775807\t", INT64_MAX);
    good(&any, "+0", 0);
    bad_at(&any, "", 0);
    bad_at(&any, "12abc", 2);
    good(&from_1, "1", 1);
    good(&from_1, "100", 100);
    bad(&from_1, "  0", "below the smallest allowed value", 2);
    bad(&from_1, "101", "above the largest allowed value", 0);
    good(&negative, "-5", -5);
    bad(&negative, "-6", "below the smallest allowed value", 0);
    bad(&negative, "1", "above the largest allowed value", 0);
    good(&list, "1,2 , 3", NO_NUMBER);
    good(&list, "", NO_NUMBER);
    bad(&list, "1, 0", "below the smallest allowed value", 3);
    bad_at(&list, "1, 2,x", 5);
}

static void choices(void)
{
    const rcuinfo_hint_t one = {.key = "k", .type = RCUINFO_HINT_CHOICE, .allowed = "same_op,same_op_no_op"};
    const rcuinfo_hint_t any_case = {
        .key = "k", .type = RCUINFO_HINT_CHOICE, .flags = RCUINFO_HINT_ANY_CASE, .allowed = "one,Two"};
    good(&one, "same_op", 0);
    good(&one, " same_op_no_op\t", 1);
    bad(&one, "same", "not one of the allowed words", 0);
    bad(&one, " same_op_", "not one of the allowed words", 1);
    bad(&one, "Same_op", "not one of the allowed words", 0);
    bad(&one, "same_op,same_op_no_op", "not one of the allowed words", 0);
    bad(&one, "", "an empty word", 0);
    bad(&one, " \t", "an empty word", 2);
    good(&any_case, "ONE", 0);
    good(&any_case, "tWO", 1);
    bad(&any_case, "t7o", "not one of the allowed words", 0);
    bad(&any_case, "t\xd7o", "not one of the allowed words", 0); /* a W with its highest bit set, and a w */
    bad(&any_case, "t\xf7o", "not one of the allowed words", 0);
}

static void lists_of_choices(void)
{
    const rcuinfo_hint_t list = {.key = "k",
                                 .type = RCUINFO_HINT_CHOICE,
                                 .flags = RCUINFO_HINT_LIST,
                                 .allowed = "rar,raw,war,waw",
                                 .alone = "none"};
    const rcuinfo_hint_t any_case = {.key = "k",
                                     .type = RCUINFO_HINT_CHOICE,
                                     .flags = RCUINFO_HINT_LIST | RCUINFO_HINT_ANY_CASE,
                                     .allowed = "a,b",
                                     .alone = "None"};
    good(&list, "rar,raw,war,waw", 15);
    good(&list, " waw ,\trar", 9);
    good(&list, "raw,raw", 2);
    good(&list, "none", 0);
    good(&list, " none\t", 0);
    good(&list, "", 0);
    good(&list, "  ", 0);
    bad(&list, "None", "not one of the allowed words", 0);
    bad(&list, "rar, none", "must be the only word of the list", 5);
    bad(&list, "none,none", "must be the only word of the list", 0);
    bad(&list, "rar,,raw", "an empty word", 4);
    bad(&list, "rar, ", "an empty word", 5);
    bad(&list, "rar, rat,raw", "not one of the allowed words", 5);
    good(&any_case, "nONE", 0);
    good(&any_case, "B", 2);
}

/* The last of 63 words is bit 62; one letter each, in a list as long as a value can be. */
static void many_choices(void)
{
    static const char words[] = "0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,"
                                "A,B,C,D,E,F,G,H,I,J,K,L,M,N,O,P,Q,R,S,T,U,V,W,X,Y,Z,-";
    const rcuinfo_hint_t list = {.key = "k", .type = RCUINFO_HINT_CHOICE, .flags = RCUINFO_HINT_LIST, .allowed = words};
    char value[RCUINFO_MAX_VALUE + 1];
    good(&list, "-", INT64_C(1) << 62);
    good(&list, words, INT64_MAX);
    for (size_t i = 0; i < sizeof value; i++)
        value[i] = i % 2 ? ',' : 'Z';
    value[RCUINFO_MAX_VALUE - 1] = '\0';
    good(&list, value, INT64_C(1) << 61);
    value[RCUINFO_MAX_VALUE - 2] = '+';
    bad(&list, value, "not one of the allowed words", RCUINFO_MAX_VALUE - 2);
}

static void ranges(void)
{
    static const char away[] = "the steps do not lead from the first number to the last";
    const rcuinfo_hint_t one = {.key = "k", .type = RCUINFO_HINT_RANGE};
    const rcuinfo_hint_t list = {.key = "k", .type = RCUINFO_HINT_RANGE, .flags = RCUINFO_HINT_LIST};
    good(&one, "4", NO_NUMBER);
    good(&one, " -4:+4 ", NO_NUMBER);
    good(&one, "3:10:2", NO_NUMBER);
    good(&one, "10:3:-2", NO_NUMBER);
    good(&one, "3:3:-1", NO_NUMBER);
    good(&one, "3:3", NO_NUMBER);
    bad(&one, " 3:10:0", "a step of 0", 6);
    bad(&one, "10:3", away, 3);
    bad(&one, "10:3:2", away, 3);
    bad(&one, "3:10:-2", away, 2);
    bad(&one, "1:2:3:4", "more than a, b and c", 5);
    bad(&one, "1:2:3:", "more than a, b and c", 5);
    bad(&one, "1: 2", "a blank inside", 2);
    bad(&one, " 1\t:2", "a blank inside", 2);
    bad_at(&one, "", 0);
    bad_at(&one, "1:", 2);
    bad_at(&one, ":1", 0);
    bad_at(&one, "1:2:", 4);
    bad_at(&one, "1,2", 1);
    bad_at(&one, "1:2:9223372036854775808", 4);
    good(&list, "1:8:2, 4,5 ,10:1:-3", NO_NUMBER);
    good(&list, "", NO_NUMBER);
    bad_at(&list, "1,,2", 2);
    bad_at(&list, "1,2:x", 4);
    bad(&list, "1, 2:3:0", "a step of 0", 7);
}

static void kinds(void)
{
    const rcuinfo_hint_t one = {.key = "k", .type = RCUINFO_HINT_KIND};
    const rcuinfo_hint_t list = {.key = "k", .type = RCUINFO_HINT_KIND, .flags = RCUINFO_HINT_LIST};
    good(&one, "system", NO_NUMBER);
    good(&one, " cuda:device:managed", NO_NUMBER);
    bad(&one, "", "an empty kind", 0);
    bad(&one, " :device", "an empty kind", 1);
    bad(&one, "cuda:", "an empty restrictor", 5);
    bad(&one, "cuda::device", "an empty restrictor", 5);
    bad(&one, "cuda: device", "a blank inside", 5);
    good(&list, "mpi,system , cuda:device", NO_NUMBER);
    good(&list, "", NO_NUMBER);
    bad(&list, "mpi,,system", "an empty kind", 4);
    bad(&list, "mpi,cuda::x", "an empty restrictor", 9);
    bad(&list, "mpi,", "an empty kind", 4);
}

static void arguments(void)
{
    const rcuinfo_hint_t any = {.key = "k", .type = RCUINFO_HINT_STRING};
    char value[RCUINFO_MAX_VALUE + 1];
    rcuinfo_fault_t fault = {"untouched", 7, 7};
    int64_t number = NO_NUMBER;
    memset(value, 'v', sizeof value);
    value[RCUINFO_MAX_VALUE] = '\0';
    CHECK_STATUS(rcuinfo_hint_check(NULL, "", &number, &fault), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_check(&any, NULL, &number, &fault), RCUINFO_ERR_VALUE);
    CHECK_STATUS(rcuinfo_hint_check(&any, value, &number, &fault), RCUINFO_ERR_VALUE);
    CHECK_TEXT(fault.what, "untouched");
    CHECK_EQUAL(number, NO_NUMBER);
    value[RCUINFO_MAX_VALUE - 1] = '\0';
    good(&any, value, NO_NUMBER);
}

int main(void)
{
    strings();
    booleans();
    integers();
    choices();
    lists_of_choices();
    many_choices();
    ranges();
    kinds();
    arguments();
    return 0;
}
