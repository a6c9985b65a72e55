/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rcuinfo.hpp: ownership, calls, texts that contain a NUL or are not terminated by one; snapshots, their iterators, and
 * the lifetime of their views. Out of memory: each allocation of the store, and each operator new of the header, fails
 * in turn; the call throws, changes nothing and leaves no object behind, and the next call succeeds.
 */
#include <rcuinfo/rcuinfo.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <new>
#include <thread>
#include <type_traits>

#include "support/check.h"
#include "support/left.h"
#include "support/scale.h"
#include "support/test.h"

extern "C" {
#include "support/faults.h"
}

#if !TEST_THREAD_SANITIZER /* it has its own operator new */

static int countdown; /* the call of operator new that fails, counted from the next one; 0: none */

/* noinline: otherwise gcc would warn of memory that comes from new and goes to free. */
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

#endif

namespace
{

using rcuinfo::info;
using rcuinfo::snapshot;

static_assert(!std::is_copy_constructible_v<info> && !std::is_copy_assignable_v<info>);
static_assert(std::is_nothrow_move_constructible_v<info> && std::is_nothrow_move_assignable_v<info>);
static_assert(std::is_nothrow_default_constructible_v<info> && std::is_nothrow_destructible_v<info>);
static_assert(!std::is_constructible_v<info, rcuinfo_t> && !std::is_convertible_v<info, rcuinfo_t>);
static_assert(!std::is_convertible_v<info, bool> && std::is_constructible_v<bool, info>);
static_assert(std::is_base_of_v<std::runtime_error, rcuinfo::error>);
static_assert(std::is_nothrow_copy_constructible_v<rcuinfo::error>);

static_assert(!std::is_copy_constructible_v<snapshot> && !std::is_copy_assignable_v<snapshot>);
static_assert(std::is_nothrow_move_constructible_v<snapshot> && std::is_nothrow_move_assignable_v<snapshot>);
static_assert(std::is_nothrow_default_constructible_v<snapshot> && std::is_nothrow_destructible_v<snapshot>);
static_assert(!std::is_move_constructible_v<rcuinfo::view> && !std::is_move_assignable_v<rcuinfo::view>);
static_assert(!std::is_convertible_v<const info &, snapshot> && !std::is_convertible_v<rcuinfo_t, snapshot>);

using traits = std::iterator_traits<snapshot::iterator>;
static_assert(std::is_base_of_v<std::input_iterator_tag, traits::iterator_category>);
static_assert(std::is_same_v<traits::value_type, std::pair<std::string_view, std::string_view>>);
static_assert(std::is_same_v<traits::difference_type, std::ptrdiff_t>);
static_assert(std::is_same_v<decltype(*std::declval<const snapshot::iterator &>()), traits::reference>);
#if __cplusplus >= 202002L
static_assert(std::forward_iterator<snapshot::iterator>);
#endif

/* Reads the pairs through the C interface: "key=value;" for each, in order. */
std::string contents(const rcuinfo::info &info)
{
    std::string text;
    const rcuinfo_snapshot_t *snapshot;
    CHECK_OK(rcuinfo_snapshot_open(info.native(), &snapshot));
    for (std::size_t n = 0; n < rcuinfo_snapshot_count(snapshot); n++) {
        rcuinfo_pair_t pair;
        CHECK_OK(rcuinfo_snapshot_nth(snapshot, n, &pair));
        text += std::string(pair.key) + "=" + pair.value + ";";
    }
    rcuinfo_snapshot_close(snapshot);
    return text;
}

/* Returns the exception that the call must throw. */
template <typename Call> rcuinfo::error raised(Call call)
{
    try {
        call();
    } catch (const rcuinfo::error &e) {
        return e;
    }
    CHECKF(false, "nothing was thrown");
}

/* The call must throw rcuinfo::error with this status and position. */
#define RAISES_AT(call, wanted, where)                                                                                 \
    do {                                                                                                               \
        const rcuinfo::error e = raised([&] { call; });                                                                \
        CHECKF(e.status() == (wanted) && e.position() == (where), "%s: %s: status %d, position %zu", #call, e.what(),  \
               static_cast<int>(e.status()), e.position());                                                            \
    } while (0)

#define RAISES(call, wanted) RAISES_AT(call, wanted, 0)

/* Checks that every call rejects the key and the value, and that the object does not change. */
void refuses(rcuinfo::info &info, std::string_view key, std::string_view value)
{
    const std::string before = contents(info);
    const auto version = info.version();
    RAISES(info.set(key, "1"), RCUINFO_ERR_KEY);
    RAISES(info.set("a", value), RCUINFO_ERR_VALUE);
    RAISES(info.set(key, value), RCUINFO_ERR_KEY);
    RAISES((void)info.erase(key), RCUINFO_ERR_KEY);
    RAISES((void)info.get(key), RCUINFO_ERR_KEY);
    RAISES((void)info.get_int(key), RCUINFO_ERR_KEY);
    RAISES((void)rcuinfo::snapshot(info).find(key), RCUINFO_ERR_KEY);
    RAISES((void)info.compare_and_set(key, std::nullopt, "1"), RCUINFO_ERR_KEY);
    RAISES((void)info.compare_and_set("a", value, "1"), RCUINFO_ERR_VALUE);
    RAISES((void)info.compare_and_set("a", std::nullopt, value), RCUINFO_ERR_VALUE);
    RAISES_AT(info.update({{"a", "1"}, {key, "1"}}), RCUINFO_ERR_KEY, 1);
    RAISES_AT(info.update({{"a", "1"}, {key, std::nullopt}}), RCUINFO_ERR_KEY, 1);
    RAISES_AT(info.update({{"a", "1"}, {"b", "2"}, {"c", value}}), RCUINFO_ERR_VALUE, 2);
    CHECK(contents(info) == before && info.version() == version);
}

/* A text without a final NUL, in memory that ends where the text ends. */
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

TEST(owners)
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
        a = std::move(b); /* frees the old object of a */
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
        freed.reset(); /* the object is gone: no error, and nothing is owned */
        CHECK(!freed);
    }
    CHECK(left_live() == before);
}

TEST(nothing_owned)
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
    RAISES(snapshot{none}, RCUINFO_ERR_INFO);
    RAISES(rcuinfo::view{none}, RCUINFO_ERR_INFO);
}

TEST(pairs)
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

TEST(long_texts)
{
    info i = info::create();
    const std::string key(RCUINFO_MAX_KEY - 1, 'k'), value(RCUINFO_MAX_VALUE - 1, 'v');
    i.set(bare(key).view(), bare(value).view());
    CHECK(i.get(bare(key).view()) == value);
    CHECK(snapshot(i).find(bare(key).view()) == value);
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

TEST(nul_inside)
{
    using namespace std::string_view_literals;
    info i = info::create();
    i.set("more", "thing");
    refuses(i, "more\0x"sv, "thing\0x"sv);
    refuses(i, "more\0"sv, "thing\0"sv);
    refuses(i, "\0"sv, "\0"sv);
    CHECK(std::string(raised([&] { i.set("more\0x"sv, "1"); }).what()) == "the key has a NUL in it");
}

TEST(updates)
{
    info i = info::create();
    i.update({});
    CHECK(i.size() == 0 && i.version() == 0);
    i.update({{"a", "1"}, {"b", "2"}, {"c", "3"}});
    CHECK(contents(i) == "a=1;b=2;c=3;" && i.version() == 1);
    const rcuinfo::change changes[] = {{"a", std::nullopt}, {"b", "two"}, {"a", "back"}};
    i.update(changes, 3);
    const std::string made = "b=two;c=3;a=back;";
    CHECK(contents(i) == made && i.version() == 2);

    RAISES_AT(i.update({{"a", "1"}, {"x", std::nullopt}, {"y", std::nullopt}}), RCUINFO_ERR_NOKEY, 1);
    RAISES_AT(i.update({{"a", "1"}, {"b", "2"}, {"", "3"}}), RCUINFO_ERR_KEY, 2);
    RAISES_AT(i.update({{"a", "1"}, {"b", std::string(RCUINFO_MAX_VALUE, 'v')}, {"", "3"}}), RCUINFO_ERR_VALUE, 1);
    CHECK(contents(i) == made && i.version() == 2);

    const std::string text(RCUINFO_MAX_KEY - 1, 'k');
    const std::vector<rcuinfo::change> many(100, {text, text});
    i.update(many);
    CHECK(contents(i) == made + text + "=" + text + ";" && i.version() == 3);
    i.update(many.data(), 1);
    CHECK(i.version() == 4);
}

TEST(compare_and_set)
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

TEST(typed)
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
    /* The message says what is wrong with the text, and is not just that of the status. */
    const std::string what = raised([&] { (void)reader.get_int64("word"); }).what();
    CHECK(what != rcuinfo_status_string(RCUINFO_ERR_TYPE) && what != "");
}

info make(int n)
{
    info made = info::create();
    for (int i = 0; i < n; i++)
        made.set("key" + std::to_string(i), "value" + std::to_string(i));
    return made;
}

std::string written(const rcuinfo::pairs &pairs)
{
    std::string text;
    for (const auto &[key, value] : pairs)
        text.append(key).append("=").append(value).append(";");
    return text;
}

TEST(shows_all_pairs)
{
    for (const int n : {0, 1, 1000}) {
        info i = make(n);
        const snapshot s(i);
        CHECK(s.size() == static_cast<std::size_t>(n) && s.empty() == (n == 0) && s.version() == i.version());
        CHECK(written(s) == contents(i));
        for (std::size_t k = 0; k < s.size(); k++) {
            CHECK(s[k].first == "key" + std::to_string(k) && s[k].second == "value" + std::to_string(k));
            CHECK(s.find(s[k].first) == s[k].second);
        }
        RAISES((void)s[s.size()], RCUINFO_ERR_ARG);
        RAISES((void)s[static_cast<std::size_t>(-1)], RCUINFO_ERR_ARG);
        CHECK(!s.find("absent"));
        CHECK(snapshot(i.native()).size() == s.size());
        const rcuinfo::view v(i);
        CHECK(v.size() == s.size() && v.version() == s.version() && written(v) == written(s));
    }
}

TEST(iterators)
{
    info i = make(5);
    const snapshot s(i);
    snapshot::iterator at = s.begin();
    const snapshot::iterator first = at;
    CHECK(at == s.begin() && at != s.end() && at->first == "key0" && (*at).second == "value0");
    CHECK((at++)->first == "key0" && at->first == "key1" && (++at)->first == "key2" && first->first == "key0");
    CHECK(std::distance(s.begin(), s.end()) == 5 && std::next(first, 5) == s.end());
    CHECK(std::find_if(s.begin(), s.end(), [](const auto &pair) { return pair.second == "value3"; })->first == "key3");
    const std::map<std::string, std::string> copy(s.begin(), s.end());
    CHECK(copy.size() == 5 && copy.at("key4") == "value4");
    const std::vector<snapshot::value_type> pairs(s.begin(), s.end());
    CHECK(std::equal(s.begin(), s.end(), pairs.begin(), pairs.end()));
    CHECK(snapshot::iterator() == snapshot::iterator());
}

TEST(views_live_as_long_as_the_snapshot)
{
    info i = make(3);
    snapshot s(i);
    const std::string_view value = *s.find("key1");
    const auto [key, same] = s[1];
    const snapshot::iterator at = std::next(s.begin());
    const std::string before = written(s);
    i.set("key1", "other");
    i.erase("key0");
    snapshot assigned(i);
    CHECK(written(s) == before && s.size() == 3);
    i.reset();
    (void)rcuinfo_store_drain(); /* frees all versions that are not held */
    snapshot moved = std::move(s);
    CHECK(value == "value1" && key == "key1" && same == "value1" && at->second == "value1");
    CHECK(value.data()[value.size()] == '\0' && written(moved) == before);
    assigned = std::move(moved); /* closes its old snapshot */
    CHECK(value == "value1" && written(assigned) == before);
}

TEST(without_an_object)
{
    snapshot none;
    CHECK(none.empty() && none.size() == 0 && none.version() == 0 && !none.native());
    CHECK(none.begin() == none.end() && !none.find("a"));
    RAISES((void)none[0], RCUINFO_ERR_ARG);
    RAISES((void)none.find(""), RCUINFO_ERR_KEY);
    info i = make(1);
    snapshot s(i);
    none.swap(s);
    CHECK(none.size() == 1 && s.empty() && written(s).empty());
    snapshot &same = none;
    none = std::move(same);
    CHECK(none.size() == 1);
    CHECK(snapshot(rcuinfo_env()).find("command")); /* an object without an owner */
}

#if !TEST_THREAD_SANITIZER

enum class whose { header, store };

/* Fails each allocation of the call in turn, until the call succeeds. Returns how many failed. */
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

TEST(no_memory)
{
    const std::string many(200, 'v'); /* too long for the small-string optimization */
    const rcuinfo::change changes[] = {{"a", many}, {"key", std::nullopt}};
    info i = info::create();
    i.set("key", many);

    /* update allocates texts and an array, get allocates a string; set and snapshots allocate nothing. */
    CHECK(fail(whose::header, i, [&] { i.update(changes, 2); }) == 2);
    CHECK(i.get("a") == many && !i.get("key"));
    CHECK(fail(whose::header, i, [&] { CHECK(i.get("a") == many); }) == 1);
    CHECK(fail(whose::header, i, [&] { i.set("a", many); }) == 0);
    CHECK(fail(whose::header, i, [&] { CHECK(rcuinfo::snapshot(i).find("a") == many); }) == 0);

    /* The first change of a dup copies, so it allocates. */
    CHECK(fail(whose::store, i = i.dup(), [&] { i.set("new", "1"); }) > 0 && i.get("new") == "1");
    CHECK(fail(whose::store, i, [&] { CHECK(rcuinfo::snapshot(i).size() == i.size()); }) == 0);

    /* Handles are allocated in chunks, so only some calls of create allocate. */
    std::vector<info> kept;
    while (fail(whose::store, i, [&] { kept.push_back(info::create()); }) == 0)
        CHECK(kept.back() && kept.size() < 20000);
}

#endif

} // namespace

TEST_MAIN()
