/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each row of the table hands its parameters on in their order, with the real info in the place of the one that came.
 */
#include "interpose/interpose.h"
#include "mpi/interpose/table.h"

struct row {
    const char *name, *parameters, *arguments;
};

#define ROW(kind, name, object, parameters, arguments) {#name, #parameters, #arguments},
static const struct row rows[] = {RCUINFO__INTERPOSE_TABLE(ROW)};

enum { TEXT = 64 };

static bool is_of_name(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* The last name of a parameter or an argument, which begins at *text; moves *text behind its end. */
static void next_name(const char **text, char name[TEXT])
{
    size_t length = strcspn(*text + 1, ",)") + 1, end = length;
    while (end > 0 && !is_of_name((*text)[end - 1]))
        end--;
    size_t begin = end;
    while (begin > 0 && is_of_name((*text)[begin - 1]))
        begin--;
    snprintf(name, TEXT, "%.*s", (int)(end - begin), *text + begin);
    *text += length;
}

static void arguments_are_the_parameters(void)
{
    for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        const char *parameters = rows[n].parameters, *arguments = rows[n].arguments;
        int infos = 0;
        while (*parameters != ')') {
            char parameter[TEXT], argument[TEXT];
            next_name(&parameters, parameter);
            next_name(&arguments, argument);
            bool is_info = strcmp(parameter, "info") == 0 || strcmp(parameter, "info_used") == 0;
            infos += is_info;
            CHECKF(strcmp(argument, is_info ? "real" : parameter) == 0, "%s hands on %s as %s", rows[n].name, argument,
                   parameter);
        }
        CHECK(*arguments == ')');
        CHECK_EQUAL(infos, 1);
    }
}

int main(void)
{
    static test_function *const tests[] = {arguments_are_the_parameters};
    RUN_TESTS("table", tests);
    return 0;
}
