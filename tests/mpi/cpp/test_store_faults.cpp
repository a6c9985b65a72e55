/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rcuinfo.hpp where there is no memory: each allocation of the store, and each operator new on the way, fails once. The
 * call throws, nothing is changed, no object is left behind, and the next call works.
 */
#include "cpp/raises.h"

#include <cstdlib>
#include <new>

extern "C" {
#include "support/faults.h"
}

namespace
{

using rcuinfo::info;

int countdown; /* operator new that fails; 0: none */

} // namespace

/* noinline: gcc would see malloc in place of new, and new's memory given to free. */
[[gnu::noinline]] void *operator new(std::size_t size)
{
    if (countdown > 0 && --countdown == 0)
        throw std::bad_alloc();
    if (void *memory = std::malloc(size ? size : 1))
        return memory;
    throw std::bad_alloc();
}

[[gnu::noinline]] void operator delete(void *memory) noexcept
{
    std::free(memory);
}

[[gnu::noinline]] void operator delete(void *memory, std::size_t) noexcept
{
    std::free(memory);
}

namespace
{

enum class whose { header, store };

/* Fails allocation after allocation in the call, until one succeeds; how many failed. */
template <typename Call> int fail(whose allocation, const info &on, Call call)
{
    const std::string before = contents(on);
    const auto objects = left_live();
    for (int k = 1;; k++) {
        CHECK(rcuinfo_store_drain() == 0);
        const int faults = faults_met();
        bool thrown = false;
        countdown = allocation == whose::header ? k : 0;
        faults_fail_at(allocation == whose::store ? k : 0);
        try {
            call();
        } catch (const std::bad_alloc &) {
            thrown = allocation == whose::header;
        } catch (const rcuinfo::error &e) {
            thrown = allocation == whose::store && e.status() == RCUINFO_ERR_NO_MEM;
        }
        const bool reached = allocation == whose::header ? countdown == 0 : faults_met() > faults;
        countdown = 0;
        faults_fail_at(0);
        CHECK(thrown == reached);
        if (!reached)
            return k - 1;
        CHECK(contents(on) == before && left_live() == objects);
    }
}

} // namespace

int main()
{
    const std::string many(200, 'v'); /* longer than any string holds within itself */
    const rcuinfo::change changes[] = {{"a", many}, {"key", std::nullopt}};
    info i = info::create();
    i.set("key", many);

    /* The text and the array of an update, and the string of a get. */
    CHECK(fail(whose::header, i, [&] { i.update(changes, 2); }) == 2);
    CHECK(i.get("a") == many && !i.get("key"));
    CHECK(fail(whose::header, i, [&] { CHECK(i.get("a") == many); }) == 1);
    CHECK(fail(whose::header, i, [&] { i.set("a", many); }) == 0);
    CHECK(fail(whose::header, i, [&] { CHECK(rcuinfo::snapshot(i).find("a") == many); }) == 0);

    /* The first change of a dup copies. */
    CHECK(fail(whose::store, i = i.dup(), [&] { i.set("new", "1"); }) > 0 && i.get("new") == "1");
    CHECK(fail(whose::store, i = i.dup(), [&] { i.update({{"x", "1"}, {"new", std::nullopt}}); }) > 0);
    CHECK(i.get("x") == "1" && !i.get("new"));
    CHECK(fail(whose::store, i = i.dup(), [&] { CHECK(i.compare_and_set("x", "1", "2")); }) > 0 && i.get("x") == "2");
    CHECK(fail(whose::store, i = i.dup(), [&] { CHECK(i.erase("x")); }) > 0 && !i.get("x"));
    CHECK(fail(whose::store, i, [&] { CHECK(rcuinfo::snapshot(i).size() == i.size()); }) == 0);

    /* Handles come in chunks, so only some create allocates. */
    std::vector<info> kept;
    while (fail(whose::store, i, [&] { kept.push_back(info::create()); }) == 0)
        CHECK(kept.back() && kept.size() < 20000);
    return 0;
}
