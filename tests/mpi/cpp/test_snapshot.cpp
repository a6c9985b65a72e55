/* SPDX-License-Identifier: BSD-3-Clause */
/* rcuinfo::snapshot: what it shows, how one goes through it, and how long its views live. */
#include "cpp/raises.h"

#include <algorithm>
#include <map>
#include <type_traits>

namespace
{

using rcuinfo::info;
using rcuinfo::snapshot;

static_assert(!std::is_copy_constructible_v<snapshot> && !std::is_copy_assignable_v<snapshot>);
static_assert(std::is_nothrow_move_constructible_v<snapshot> && std::is_nothrow_move_assignable_v<snapshot>);
static_assert(std::is_nothrow_default_constructible_v<snapshot> && std::is_nothrow_destructible_v<snapshot>);
static_assert(!std::is_convertible_v<const info &, snapshot> && !std::is_convertible_v<rcuinfo_t, snapshot>);

using traits = std::iterator_traits<snapshot::iterator>;
static_assert(std::is_base_of_v<std::input_iterator_tag, traits::iterator_category>);
static_assert(std::is_same_v<traits::value_type, std::pair<std::string_view, std::string_view>>);
static_assert(std::is_same_v<traits::difference_type, std::ptrdiff_t>);
static_assert(std::is_same_v<decltype(*std::declval<const snapshot::iterator &>()), traits::reference>);
#if __cplusplus >= 202002L
static_assert(std::forward_iterator<snapshot::iterator>);
#endif

info make(int n)
{
    info made = info::create();
    for (int i = 0; i < n; i++)
        made.set("key" + std::to_string(i), "value" + std::to_string(i));
    return made;
}

std::string written(const snapshot &pairs)
{
    std::string text;
    for (const auto &[key, value] : pairs)
        text.append(key).append("=").append(value).append(";");
    return text;
}

/* One object flat, one with an index, one as a tree. */
void shows_all_pairs()
{
    for (const int n : {0, 1, 5, 40, 1000}) {
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
    }
}

void iterators()
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

void views_live_as_long_as_the_snapshot()
{
    for (const int n : {3, 1000}) {
        info i = make(n);
        snapshot s(i);
        const std::string_view value = *s.find("key1");
        const auto [key, same] = s[1];
        const snapshot::iterator at = std::next(s.begin());
        const std::string before = written(s);
        i.set("key1", "other");
        i.erase("key0");
        CHECK(written(s) == before && s.size() == static_cast<std::size_t>(n));
        i.reset();
        (void)rcuinfo_store_drain(); /* what nobody holds is gone */
        snapshot moved = std::move(s);
        CHECK(value == "value1" && key == "key1" && same == "value1" && at->second == "value1");
        CHECK(value.data()[value.size()] == '\0' && written(moved) == before);
        snapshot assigned;
        assigned = std::move(moved);
        CHECK(value == "value1" && written(assigned) == before);
    }
}

void without_an_object()
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
    CHECK(snapshot(rcuinfo_env()).find("command")); /* an object that is nobody's own */
}

/* Each opened snapshot is closed: memory of old versions is given back when the last one goes. */
void closed()
{
    const auto before = left_live();
    for (int round = 0; round < 1000; round++) {
        info i = make(2);
        snapshot a(i), b = std::move(a);
        i.set("key0", "x");
        b = snapshot(i);
        CHECK(b.find("key0") == "x" && a.empty());
    }
    CHECK(rcuinfo_store_drain() == 0 && left_live() == before);
}

} // namespace

int main()
{
    shows_all_pairs();
    iterators();
    views_live_as_long_as_the_snapshot();
    without_an_object();
    closed();
    return 0;
}
