/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rcuinfo_hint_check at its limits: values that are just good, with the number that they stand for, and values that are
 * not, with what is said to be wrong at which byte; none is read beyond its NUL. What else is good or bad, and where,
 * fuzz.hint compares.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/check.h"
#include "support/guard.h"

enum { NO_NUMBER = -77, GOOD = -1 };

static const rcuinfo_hint_t string = {.key = "k", .type = RCUINFO_HINT_STRING};
static const rcuinfo_hint_t boolean = {.key = "k", .type = RCUINFO_HINT_BOOL};
static const rcuinfo_hint_t any = {.key = "k", .type = RCUINFO_HINT_INT};
static const rcuinfo_hint_t from_1 = {.key = "k", .type = RCUINFO_HINT_INT, .least = 1, .most = 100};
static const rcuinfo_hint_t negative = {.key = "k", .type = RCUINFO_HINT_INT, .least = -5, .most = 0};
static const rcuinfo_hint_t choice = {.key = "k", .type = RCUINFO_HINT_CHOICE, .allowed = "same_op,same_op_no_op"};
static const rcuinfo_hint_t any_case = {
    .key = "k", .type = RCUINFO_HINT_CHOICE, .flags = RCUINFO_HINT_ANY_CASE, .allowed = "one,Two"};
static const rcuinfo_hint_t list = {.key = "k",
                                    .type = RCUINFO_HINT_CHOICE,
                                    .flags = RCUINFO_HINT_LIST | RCUINFO_HINT_ANY_CASE,
                                    .allowed = "rar,raw,war,waw",
                                    .alone = "none"};
static const rcuinfo_hint_t range = {.key = "k", .type = RCUINFO_HINT_RANGE};
static const rcuinfo_hint_t ranges = {.key = "k", .type = RCUINFO_HINT_RANGE, .flags = RCUINFO_HINT_LIST};
static const rcuinfo_hint_t kinds = {.key = "k", .type = RCUINFO_HINT_KIND, .flags = RCUINFO_HINT_LIST};

/* The value, which is followed by no more than its NUL, must be good, and stand for the number; or, where there is an
 * offset, be bad there, for that reason. */
static void check(const rcuinfo_hint_t *hint, const char *value, int64_t wanted, const char *what, int offset)
{
    char *copy = guard_page_copy(value, strlen(value) + 1);
    rcuinfo_fault_t fault = {"untouched", 7, 7};
    int64_t number = NO_NUMBER;
    rcuinfo_status_t status = rcuinfo_hint_check(hint, copy, &number, &fault);
    CHECKF(status == (offset == GOOD ? RCUINFO_SUCCESS : RCUINFO_ERR_TYPE) && number == wanted &&
               strcmp(fault.what, what) == 0 && (offset == GOOD || (fault.line == 0 && fault.offset == (size_t)offset)),
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

static void limits(void)
{
    good(&string, " \t\xff, anything:", NO_NUMBER);
    good(&boolean, "true", 1);
    good(&boolean, "\tfalse  ", 0);
    good(&any, " -9223372036854775808", INT64_MIN);
    good(&any, "9223372036854775807\t", INT64_MAX);
    good(&from_1, "1", 1);
    good(&from_1, "100", 100);
    good(&negative, "-5", -5);
    good(&choice, "same_op", 0);
    good(&choice, " same_op_no_op\t", 1);
    good(&any_case, "ONE", 0);
    good(&any_case, "tWO", 1);
    good(&list, " waw ,\trar", 9);
    good(&list, "raw,raw", 2);
    good(&list, " None\t", 0);
    good(&list, "", 0);
    good(&range, "3:3:-1", NO_NUMBER);
    good(&ranges, "1:8:2, 4,5 ,10:1:-3", NO_NUMBER);
    good(&kinds, "mpi,system , cuda:device", NO_NUMBER);
}

static void faults(void)
{
    bad(&from_1, "  0", "below the smallest allowed value", 2);
    bad(&from_1, "101", "above the largest allowed value", 0);
    bad(&negative, "-6", "below the smallest allowed value", 0);
    bad(&negative, "1", "above the largest allowed value", 0);
    bad(&choice, "same", "not one of the allowed words", 0);
    bad(&choice, " \t", "an empty word", 2);
    bad(&any_case, "t7o", "not one of the allowed words", 0);
    bad(&any_case, "t\xd7o", "not one of the allowed words", 0); /* a W with its highest bit set, and a w */
    bad(&any_case, "t\xf7o", "not one of the allowed words", 0);
    bad(&list, "rar, none", "must be the only word of the list", 5);
    bad(&list, "rar, ", "an empty word", 5);
    bad(&range, " 3:10:0", "a step of 0", 6);
    bad(&range, "10:3", "the steps do not lead from the first number to the last", 3);
    bad(&range, "1:2:3:", "more than a, b and c", 5);
    bad(&range, " 1\t:2", "a blank inside", 2);
    bad(&kinds, "mpi,,system", "an empty kind", 4);
    bad(&kinds, "mpi,cuda::x", "an empty restrictor", 9);
}

/* The last of 63 words is bit 62; one letter each, in a list as long as a value can be. */
static void many_choices(void)
{
    static const char words[] = "0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,"
                                "A,B,C,D,E,F,G,H,I,J,K,L,M,N,O,P,Q,R,S,T,U,V,W,X,Y,Z,-";
    const rcuinfo_hint_t many = {.key = "k", .type = RCUINFO_HINT_CHOICE, .flags = RCUINFO_HINT_LIST, .allowed = words};
    char value[RCUINFO_MAX_VALUE + 1];
    good(&many, "-", INT64_C(1) << 62);
    good(&many, words, INT64_MAX);
    for (size_t i = 0; i < sizeof value; i++)
        value[i] = i % 2 ? ',' : 'Z';
    value[RCUINFO_MAX_VALUE - 1] = '\0';
    good(&many, value, INT64_C(1) << 61);
    value[RCUINFO_MAX_VALUE - 2] = '+';
    bad(&many, value, "not one of the allowed words", RCUINFO_MAX_VALUE - 2);
}

static void arguments(void)
{
    char value[RCUINFO_MAX_VALUE + 1];
    rcuinfo_fault_t fault = {"untouched", 7, 7};
    int64_t number = NO_NUMBER;
    memset(value, 'v', sizeof value);
    value[RCUINFO_MAX_VALUE] = '\0';
    CHECK_STATUS(rcuinfo_hint_check(NULL, "", &number, &fault), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_check(&string, NULL, &number, &fault), RCUINFO_ERR_VALUE);
    CHECK_STATUS(rcuinfo_hint_check(&string, value, &number, &fault), RCUINFO_ERR_VALUE);
    CHECK_TEXT(fault.what, "untouched");
    CHECK_EQUAL(number, NO_NUMBER);
    value[RCUINFO_MAX_VALUE - 1] = '\0';
    good(&string, value, NO_NUMBER);
}

int main(void)
{
    limits();
    faults();
    many_choices();
    arguments();
    return 0;
}
