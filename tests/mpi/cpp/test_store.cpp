/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rcuinfo.hpp: owners, calls, texts with a NUL inside and without one behind them. Linked with a second translation
 * unit that uses the same header. test_snapshot.cpp and test_store_faults.cpp have the rest.
 */
#include "cpp/other_store.h"
#include "cpp/raises.h"

#include <type_traits>

namespace
{

using rcuinfo::info;

static_assert(!std::is_copy_constructible_v<info> && !std::is_copy_assignable_v<info>);
static_assert(std::is_nothrow_move_constructible_v<info> && std::is_nothrow_move_assignable_v<info>);
static_assert(std::is_nothrow_default_constructible_v<info> && std::is_nothrow_destructible_v<info>);
static_assert(!std::is_constructible_v<info, rcuinfo_t> && !std::is_convertible_v<info, rcuinfo_t>);
static_assert(!std::is_convertible_v<info, bool> && std::is_constructible_v<bool, info>);
static_assert(std::is_base_of_v<std::runtime_error, rcuinfo::error>);
static_assert(std::is_nothrow_copy_constructible_v<rcuinfo::error>);

/* A text without a NUL behind it, in memory that ends where it ends. */
class bare
{
  public:
    explicit bare(std::string_view text) : bytes(text.begin(), text.end())
    {
        bytes.shrink_to_fit();
    }

    std::string_view view() const
    {
        return {bytes.data(), bytes.size()};
    }

  private:
    std::vector<char> bytes;
};

void owners()
{
    const auto before = left_live();
    {
        info none;
        CHECK(!none && none.native() == RCUINFO_NULL && left_live() == before);
        none.reset();

        info a = info::create();
        CHECK(a && a.native() != RCUINFO_NULL && left_live() == before + 1);
        const rcuinfo_t handle = a.native();
        info b = std::move(a);
        CHECK(!a && b.native() == handle && left_live() == before + 1);
        a = info::create();
        CHECK(left_live() == before + 2);
        a = std::move(b); /* frees the one that a had */
        CHECK(a.native() == handle && !b && left_live() == before + 1);
        info &same = a;
        a = std::move(same);
        CHECK(a.native() == handle && left_live() == before + 1);
        a.swap(b);
        CHECK(!a && b.native() == handle);
        std::swap(a, b);
        CHECK(a.native() == handle && !b);

        info owner = info::adopt(a.release());
        CHECK(!a && owner.native() == handle && left_live() == before + 1);
        owner.set("a", "1");
        info copy = owner.dup();
        copy.set("a", "2");
        CHECK(owner.get("a") == "1" && copy.get("a") == "2" && left_live() == before + 2);
        copy.reset();
        CHECK(!copy && left_live() == before + 1);
    }
    CHECK(left_live() == before);
    {
        info freed = info::create();
        rcuinfo_t handle = freed.native();
        CHECK_OK(rcuinfo_free(&handle));
        RAISES(freed.set("a", "1"), RCUINFO_ERR_INFO);
        freed.reset(); /* nothing to free any more: no error, and nothing is owned */
        CHECK(!freed);
    }
    CHECK(left_live() == before);
}

void nothing_owned()
{
    info none;
    RAISES(none.set("a", "1"), RCUINFO_ERR_INFO);
    RAISES((void)none.erase("a"), RCUINFO_ERR_INFO);
    RAISES((void)none.get("a"), RCUINFO_ERR_INFO);
    RAISES((void)none.get_int("a"), RCUINFO_ERR_INFO);
    RAISES((void)none.size(), RCUINFO_ERR_INFO);
    RAISES((void)none.version(), RCUINFO_ERR_INFO);
    RAISES((void)none.dup(), RCUINFO_ERR_INFO);
    RAISES(none.update({{"a", "1"}}), RCUINFO_ERR_INFO);
    RAISES((void)none.compare_and_set("a", std::nullopt, "1"), RCUINFO_ERR_INFO);
    RAISES(rcuinfo::snapshot{none}, RCUINFO_ERR_INFO);
}

void pairs()
{
    info i = info::create();
    CHECK(i.size() == 0 && i.version() == 0 && !i.get("a"));
    i.set("a", "1");
    i.set(std::string("b"), std::string("2"));
    i.set(std::string_view("cde", 1), ""); /* the key "c" */
    CHECK(i.size() == 3 && i.version() == 3);
    CHECK(i.get("a") == "1" && i.get("b") == "2" && i.get("c") == "" && !i.get("cde"));
    i.set("a", "3");
    CHECK(contents(i) == "a=3;b=2;c=;");
    CHECK(i.erase("b") && !i.erase("b"));
    CHECK(contents(i) == "a=3;c=;" && i.version() == 5);
    const info &reader = i;
    CHECK(reader.get("a") == "3" && reader.size() == 2 && reader.dup().size() == 2);
}

void long_texts()
{
    info i = info::create();
    const std::string key(RCUINFO_MAX_KEY - 1, 'k'), value(RCUINFO_MAX_VALUE - 1, 'v');
    i.set(bare(key).view(), bare(value).view());
    CHECK(i.get(bare(key).view()) == value);
    CHECK(rcuinfo::snapshot(i).find(bare(key).view()) == value);
    CHECK(i.compare_and_set(bare(key).view(), bare(value).view(), bare("short").view()));
    CHECK(i.get(key) == "short");
    const bare more("more"), thing("thing");
    i.update({{more.view(), thing.view()}, {bare(key).view(), std::nullopt}});
    CHECK(contents(i) == "more=thing;");

    for (const std::size_t excess : {1u, 2u, 5000u}) {
        const bare long_key(std::string(RCUINFO_MAX_KEY - 1 + excess, 'k'));
        const bare long_value(std::string(RCUINFO_MAX_VALUE - 1 + excess, 'v'));
        refuses(i, long_key.view(), long_value.view());
    }
    refuses(i, "", std::string(RCUINFO_MAX_VALUE, 'v'));
    refuses(i, std::string_view(), std::string(RCUINFO_MAX_VALUE, 'v'));
    i.set("empty", std::string_view());
    CHECK(i.get("empty") == "");
}

void nul_inside()
{
    using namespace std::string_view_literals;
    info i = info::create();
    i.set("more", "thing");
    refuses(i, "more\0x"sv, "thing\0x"sv);
    refuses(i, "more\0"sv, "thing\0"sv);
    refuses(i, "\0"sv, "\0"sv);
    try {
        i.set("more\0x"sv, "1");
        CHECK(false);
    } catch (const std::runtime_error &e) {
        CHECK(std::string(e.what()) == "the key has a NUL in it");
    }
}

void updates()
{
    info i = info::create();
    i.update({});
    CHECK(i.size() == 0 && i.version() == 0);
    i.update({{"a", "1"}, {"b", "2"}, {"c", "3"}});
    CHECK(contents(i) == "a=1;b=2;c=3;" && i.version() == 1);
    i.update({{"b", std::nullopt}, {"a", "4"}, {"b", "5"}});
    CHECK(contents(i) == "a=4;c=3;b=5;" && i.version() == 2);

    RAISES_AT(i.update({{"a", "1"}, {"x", std::nullopt}, {"y", std::nullopt}}), RCUINFO_ERR_NOKEY, 1);
    RAISES_AT(i.update({{"a", "1"}, {"b", "2"}, {"", "3"}}), RCUINFO_ERR_KEY, 2);
    RAISES_AT(i.update({{"a", "1"}, {"b", std::string(RCUINFO_MAX_VALUE, 'v')}, {"", "3"}}), RCUINFO_ERR_VALUE, 1);
    CHECK(contents(i) == "a=4;c=3;b=5;" && i.version() == 2);

    std::vector<std::string> texts;
    std::vector<rcuinfo::change> many;
    std::string wanted = contents(i);
    for (int n = 0; n < 1000; n++)
        texts.push_back("key" + std::to_string(n));
    for (const auto &text : texts) {
        many.push_back({text, text});
        wanted += text + "=" + text + ";";
    }
    i.update(many);
    CHECK(contents(i) == wanted && i.version() == 3);
    i.update(many.data(), 1);
    CHECK(i.version() == 4);
}

void compare_and_set()
{
    info i = info::create();
    CHECK(!i.compare_and_set("a", "0", "1") && i.size() == 0);
    CHECK(i.compare_and_set("a", std::nullopt, "1") && i.get("a") == "1");
    CHECK(!i.compare_and_set("a", std::nullopt, "2") && i.get("a") == "1");
    CHECK(!i.compare_and_set("a", "2", std::nullopt) && i.get("a") == "1");
    CHECK(i.compare_and_set("a", i.get("a"), std::string("")) && i.get("a") == "");
    CHECK(i.compare_and_set("a", "", std::nullopt) && !i.get("a"));
    CHECK(i.compare_and_set("a", std::nullopt, std::nullopt) && i.size() == 0);
}

void typed()
{
    info i = info::create();
    i.update({{"yes", "true"}, {"no", " false "}, {"small", "-7"}, {"large", "5000000000"}, {"word", " twelve"}});
    const info &reader = i;
    CHECK(reader.get_bool("yes") == true && reader.get_bool("no") == false && !reader.get_bool("absent"));
    CHECK(reader.get_int("small") == -7 && !reader.get_int("absent"));
    CHECK(reader.get_int64("large") == std::int64_t(5000000000) && !reader.get_int64("absent"));
    RAISES((void)reader.get_int("large"), RCUINFO_ERR_TYPE);
    RAISES_AT((void)reader.get_int64("word"), RCUINFO_ERR_TYPE, 1);
    RAISES((void)reader.get_bool("small"), RCUINFO_ERR_TYPE);
    RAISES((void)reader.get_bool(""), RCUINFO_ERR_KEY);
    try {
        (void)reader.get_int64("word");
        CHECK(false);
    } catch (const rcuinfo::error &e) { /* what is wrong with the text, not just that it is of no such type */
        CHECK(e.what() != std::string(rcuinfo_status_string(RCUINFO_ERR_TYPE)) && e.what()[0] != '\0');
    }
}

void two_units()
{
    info i = other_numbers(10);
    CHECK(other_sum(rcuinfo::snapshot(i)) == 55);
    RAISES(other_set(i, ""), RCUINFO_ERR_KEY); /* thrown there, caught here */
    other_set(i, "x");
    CHECK(i.get("x") == "value");
}

} // namespace

int main()
{
    owners();
    nothing_owned();
    pairs();
    long_texts();
    nul_inside();
    updates();
    compare_and_set();
    typed();
    two_units();
    return 0;
}
