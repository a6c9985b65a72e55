/* SPDX-License-Identifier: BSD-3-Clause */
/* other_store: see other_store.h. */
#include "cpp/other_store.h"

rcuinfo::info other_numbers(int n)
{
    rcuinfo::info info = rcuinfo::info::create();
    for (int i = 1; i <= n; i++)
        info.set(std::to_string(i), std::to_string(i));
    return info;
}

long other_sum(const rcuinfo::snapshot &snapshot)
{
    long sum = 0;
    for (const auto &[key, value] : snapshot)
        sum += std::stol(std::string(value));
    return sum;
}

void other_set(rcuinfo::info &info, std::string_view key)
{
    info.set(key, "value");
}
