/* SPDX-License-Identifier: BSD-3-Clause */
/* other_store: a second translation unit that uses rcuinfo.hpp; see test_store.cpp. */
#ifndef TESTS_CPP_OTHER_STORE_H
#define TESTS_CPP_OTHER_STORE_H

#include <rcuinfo/rcuinfo.hpp>
#include <rcuinfo/rcuinfo.hpp>

/* A new object with these pairs, "1" to "n". */
rcuinfo::info other_numbers(int n);

/* The sum of the values of a snapshot, all of them numbers. */
long other_sum(const rcuinfo::snapshot &snapshot);

/* Throws what setting this key throws. */
void other_set(rcuinfo::info &info, std::string_view key);

#endif
