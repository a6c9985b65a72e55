/* SPDX-License-Identifier: BSD-3-Clause */
/* raises: what the tests of rcuinfo.hpp ask of an object and of an error. */
#ifndef TESTS_CPP_RAISES_H
#define TESTS_CPP_RAISES_H

#include <rcuinfo/rcuinfo.hpp>

#include "support/check.h"
#include "support/left.h"

/* "key=value;" of each pair in order, by the C interface. */
inline std::string contents(const rcuinfo::info &info)
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

/* The call must throw rcuinfo::error with this status and position. */
#define RAISES_AT(call, wanted, where)                                                                                 \
    do {                                                                                                               \
        bool raised = false;                                                                                           \
        try {                                                                                                          \
            call;                                                                                                      \
        } catch (const rcuinfo::error &e) {                                                                            \
            raised = true;                                                                                             \
            CHECKF(e.status() == (wanted) && e.position() == (where), "%s: status %d, position %zu", e.what(),         \
                   static_cast<int>(e.status()), e.position());                                                        \
        }                                                                                                              \
        CHECKF(raised, "%s throws nothing", #call);                                                                    \
    } while (0)

#define RAISES(call, wanted) RAISES_AT(call, wanted, 0)

/* No call takes this key, nor this value, and nothing is changed or found by them. */
inline void refuses(rcuinfo::info &info, std::string_view key, std::string_view value)
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

#endif
