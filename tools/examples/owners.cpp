/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The native interface in modern C++: owners free their objects, values that may be absent are optionals, and errors
 * are exceptions.
 *
 * Build: c++ -std=c++17 -pthread owners.cpp $(pkg-config --cflags --libs rcuinfo)
 */
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <rcuinfo/rcuinfo.hpp>

/* Any number of threads may share an object by reference while its owner lives. */
static void count_up(rcuinfo::info &info, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        std::optional<std::string> old;
        do
            old = info.get("count");
        while (!info.compare_and_set("count", old, std::to_string(std::stoi(*old) + 1)));
    }
}

int main()
try {
    rcuinfo::info info = rcuinfo::info::create();
    info.set("access_style", "random");
    info.update({{"cb_nodes", "4"}, {"cb_buffer_size", "1048576"}, {"count", "0"}}); /* one version */

    std::vector<std::thread> team;
    for (int i = 0; i < 4; i++)
        team.emplace_back(count_up, std::ref(info), 250);
    for (std::thread &each : team)
        each.join();

    /* A snapshot is one version, unaffected by later writes. The views are valid as long as the snapshot. */
    const rcuinfo::snapshot snapshot(info);
    info.erase("access_style");
    for (const auto &[key, value] : snapshot)
        std::cout << key << '=' << value << '\n';
    std::cout << snapshot.size() << " pairs then, " << info.size() << " now\n";

    std::cout << "cb_nodes is " << info.get_int("cb_nodes").value_or(1) << ", striping_unit is "
              << info.get("striping_unit").value_or("not there") << '\n';

    /* An update that fails has no effect. */
    try {
        info.update({{"cb_nodes", "8"}, {"striping_unit", std::nullopt}});
    } catch (const rcuinfo::error &e) {
        std::cout << "change " << e.position() << ": " << e.what() << "; cb_nodes is " << *info.get("cb_nodes") << '\n';
    }

    /* An object that is passed to C still has one owner. */
    rcuinfo_t handle = info.dup().release();
    const rcuinfo::info again = rcuinfo::info::adopt(handle);
    std::cout << "the dup has " << again.size() << " pairs\n";
} catch (const std::exception &e) {
    std::cerr << e.what() << '\n';
    return 1;
}
