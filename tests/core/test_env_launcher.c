/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What create_env makes of a launcher's environment. The build starts this with the variables of one launcher set.
 *
 * usage: test_env_launcher key=value...    every pair must be in the object, in rcuinfo_env() and in its dup
 */
#include <string.h>

#include <rcuinfo/rcuinfo.h>

#include "support/check.h"

static void check_pair(rcuinfo_t info, const char *key, const char *wanted)
{
    char value[RCUINFO_MAX_VALUE] = "";
    int flag = 0;
    CHECK_OK(rcuinfo_get(info, key, RCUINFO_MAX_VALUE - 1, value, &flag));
    CHECKF(flag == 1, "%s is not there", key);
    CHECKF(strcmp(value, wanted) == 0, "%s is \"%s\" and should be \"%s\"", key, value, wanted);
}

int main(int argc, char **argv)
{
    char command[] = "caller", *arguments[] = {command, command};
    rcuinfo_t info, callers;
    CHECK(argc > 1);
    CHECK_OK(rcuinfo_create_env(0, NULL, &info));
    CHECK_OK(rcuinfo_create_env(2, arguments, &callers));
    for (int i = 1; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        CHECK(equals != NULL);
        *equals = '\0';
        check_pair(info, argv[i], equals + 1);
        check_pair(rcuinfo_env(), argv[i], equals + 1);
        /* The caller's arguments go before the launcher's. */
        if (strcmp(argv[i], "command") != 0 && strcmp(argv[i], "argv") != 0)
            check_pair(callers, argv[i], equals + 1);
    }
    check_pair(callers, "command", "caller");
    check_pair(callers, "argv", "caller");
    CHECK_OK(rcuinfo_free(&info));
    CHECK_OK(rcuinfo_free(&callers));
    return 0;
}
