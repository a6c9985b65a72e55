/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * system_call: a program whose only source file includes this intercepts every call of syscall(2): membarrier, of scans
 * and of liburcu-bp's grace periods, and futex, of the store's lock, if the program contains the library's objects.
 */
#pragma once

#include <dlfcn.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/check.h"

/* The program's. */
static void at_system_call(long number);

/* Replaces that of the C library, in other libraries too. Passes on as many arguments as the caller has. */
__attribute__((visibility("default"))) long syscall(long number, ...)
{
    static long (*next)(long number, ...);
    long arguments[6] = {0};
    va_list list;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "syscall");
    CHECK(next);
    va_start(list, number);
    for (int i = 0; i < (number == SYS_membarrier ? 3 : 6); i++)
        arguments[i] = va_arg(list, long);
    va_end(list);
    at_system_call(number);
    return next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
