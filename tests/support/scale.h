/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scale: the amount of work of a test in this build. Tests are limited by counts, never by time; builds that are slower
 * by design do a fixed fraction of the work.
 */
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TEST_THREAD_SANITIZER 1
#elif __has_feature(address_sanitizer)
#define TEST_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define TEST_THREAD_SANITIZER 1
#elif defined(__SANITIZE_ADDRESS__)
#define TEST_ADDRESS_SANITIZER 1
#endif

#ifndef TEST_THREAD_SANITIZER
#define TEST_THREAD_SANITIZER 0
#endif
#ifndef TEST_ADDRESS_SANITIZER
#define TEST_ADDRESS_SANITIZER 0
#endif
#define TEST_SANITIZED (TEST_THREAD_SANITIZER || TEST_ADDRESS_SANITIZER)

#ifdef TEST_SCALE
/* defined by the preset: valgrind */
#elif TEST_THREAD_SANITIZER
#define TEST_SCALE 5
#elif TEST_ADDRESS_SANITIZER
#define TEST_SCALE 4
#elif !defined(__OPTIMIZE__)
#define TEST_SCALE 4
#else
#define TEST_SCALE 1
#endif

#define SCALED(n) ((n) / TEST_SCALE)
