/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rcuinfo.hpp from several threads at once: a counter by compare_and_set, pairs that are updated together and seen
 * together, and errors that are thrown meanwhile. Each writer makes a fixed number of changes.
 */
#include "cpp/raises.h"

#include <atomic>
#include <thread>

#include "support/scale.h"

namespace
{

using rcuinfo::info;

constexpr int writers = 3;
constexpr int changes = SCALED(4000);

void count_up(info &shared)
{
    for (int i = 0; i < changes; i++) {
        std::optional<std::string> seen;
        do
            seen = shared.get("count");
        while (!shared.compare_and_set("count", seen, std::to_string(std::stoi(seen.value_or("0")) + 1)));
    }
}

/* Both halves always have the same value; sometimes neither is there. */
void write_halves(info &shared)
{
    for (int i = 0; i < changes; i++) {
        const std::string value = std::to_string(i);
        shared.update({{"left", value}, {"right", value}});
        RAISES_AT(shared.update({{"left", "torn"}, {"absent", std::nullopt}}), RCUINFO_ERR_NOKEY, 1);
        if (i % 16 == 0)
            shared.update({{"left", std::nullopt}, {"right", std::nullopt}});
    }
}

void read_halves(const info &shared, const std::atomic<bool> &stop)
{
    std::uint64_t version = 0;
    int last = 0;
    do {
        const rcuinfo::snapshot now(shared);
        CHECK(now.version() >= version);
        version = now.version();
        CHECK(now.find("left") == now.find("right"));
        const std::string count(now.find("count").value_or("0"));
        CHECK(std::stoi(count) >= last);
        last = std::stoi(count);
        std::size_t pairs = 0;
        for (const auto &[key, value] : now) {
            CHECK(!key.empty() && !value.empty() && value != "torn");
            pairs++;
        }
        CHECK(pairs == now.size());
        const info copy = shared.dup();
        CHECK(copy.get("left") == copy.get("right"));
    } while (!stop);
}

} // namespace

int main()
{
    info shared = info::create();
    std::atomic<bool> stop{false};
    std::vector<std::thread> writing, reading;
    for (int i = 0; i < 2; i++)
        reading.emplace_back([&] { read_halves(shared, stop); });
    for (int i = 0; i < writers; i++)
        writing.emplace_back([&] { count_up(shared); });
    writing.emplace_back([&] { write_halves(shared); });
    for (auto &thread : writing)
        thread.join();
    stop = true;
    for (auto &thread : reading)
        thread.join();
    CHECK(shared.get_int("count") == writers * changes);
    return 0;
}
