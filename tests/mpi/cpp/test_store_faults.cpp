/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rcuinfo.hpp where there is no memory: each allocation of the store, and each operator new on the way, fails once. The
 * call throws, nothing is changed, no object is left behind, and the next call works.
 */
#include "cpp/raises.h"

#include <cstdlib>
#include <new>

extern "C" {
#include "support/nomem.h"
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

const std::string many(200, 'v'); /* longer than any string holds within itself */

/* Makes the call; whether it threw that the store has no memory. */
template <typename Call> bool throws_no_memory(Call call)
{
    try {
        call();
    } catch (const rcuinfo::error &e) {
        CHECK(e.status() == RCUINFO_ERR_NO_MEM);
        return true;
    }
    return false;
}

/* Fails allocation after allocation of the store in the call, until one succeeds; how many failed. */
template <typename Call> int fail_store(const info &on, Call call)
{
    const std::string before = contents(on);
    const auto objects = left_live();
    for (nomem_start(); nomem_next();) {
        CHECK(rcuinfo_store_drain() == 0);
        bool thrown = false;
        NOMEM(thrown = throws_no_memory(call));
        CHECK(thrown == (nomem.met != 0));
        CHECK(!thrown || (contents(on) == before && left_live() == objects));
    }
    return nomem.count;
}

/* The same of operator new. */
template <typename Call> int fail_new(const info &on, Call call)
{
    const std::string before = contents(on);
    const auto objects = left_live();
    for (int k = 1;; k++) {
        bool thrown = false;
        countdown = k;
        try {
            call();
        } catch (const std::bad_alloc &) {
            thrown = true;
        }
        const bool reached = countdown == 0;
        countdown = 0;
        CHECK(thrown == reached);
        if (!reached)
            return k - 1;
        CHECK(contents(on) == before && left_live() == objects);
    }
}

/* The first change of a dup copies. */
void the_store()
{
    for (const int size : {0, 30, 1000}) {
        info i = info::create();
        for (int n = 0; n < size; n++)
            i.set("key" + std::to_string(n), many);
        CHECK(fail_store(i = i.dup(), [&] { i.set("new", "1"); }) > 0 && i.get("new") == "1");
        CHECK(fail_store(i = i.dup(), [&] { i.update({{"x", "1"}, {"new", std::nullopt}, {"y", "2"}}); }) > 0);
        CHECK(i.get("x") == "1" && !i.get("new") && i.get("y") == "2");
        CHECK(fail_store(i = i.dup(), [&] { CHECK(i.compare_and_set("x", "1", "2")); }) > 0 && i.get("x") == "2");
        CHECK(fail_store(i = i.dup(), [&] { CHECK(i.erase("x")); }) > 0 && !i.get("x"));
        CHECK(fail_store(i, [&] { (void)i.get("y"); }) == 0);
        CHECK(fail_store(i, [&] { CHECK(rcuinfo::snapshot(i).size() == i.size()); }) == 0);
    }
}

/* Handles come in chunks, so only some dup and create allocates: go on until one does. */
void new_objects()
{
    std::vector<info> kept;
    info source = info::create();
    source.set("a", "1");
    for (const bool dup : {true, false}) {
        auto objects = left_live();
        info made;
        bool thrown = false;
        while (!NOMEM_AT(1, thrown = throws_no_memory([&] { made = dup ? source.dup() : info::create(); }))) {
            kept.push_back(std::move(made));
            CHECK(left_live() == ++objects && kept.size() < 20000);
        }
        CHECK(thrown && !made && left_live() == objects);
        CHECK((dup ? source.dup() : info::create()).size() == (dup ? 1 : 0));
    }
}

/* What the header itself allocates: the text and the array of an update, and the string of a get. */
void its_own_allocations()
{
    info i = info::create();
    i.set("key", many);
    const rcuinfo::change changes[] = {{"a", many}, {"key", std::nullopt}};
    CHECK(fail_new(i, [&] { i.update(changes, 2); }) == 2);
    CHECK(i.get("a") == many && !i.get("key"));
    CHECK(fail_new(i, [&] { CHECK(i.get("a") == many); }) == 1);
    CHECK(fail_new(i, [&] { i.set("a", many); }) == 0);
    CHECK(fail_new(i, [&] { CHECK(rcuinfo::snapshot(i).find("a") == many); }) == 0);
}

} // namespace

int main()
{
    the_store();
    new_objects();
    its_own_allocations();
    return 0;
}
