#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Relacy (Debian's relacy-dev 0.0+git20191025.acc09bb-2) orders two sequentially consistent fences with each other, and
# two sequentially consistent operations, but not a fence of one thread with an operation of another. C11, 7.17.3, p10
# (C++11, 29.3, p5) requires that: a load that comes after a fence in the single total order sees the store before the
# fence. So of two threads that each write a variable and then read the other's (store buffering), one by a store and a
# fence, the other by an exchange, Relacy lets both miss, which no C11 program may see. A correct algorithm that mixes
# the two is reported as broken.
#
# One would expect either all three to hold, or, in a tool that knows nothing of fences, the first to fail.
#
# Output seen:
#     fence, fence: one sees the other
#     exchange, exchange: one sees the other
#     fence, exchange: both may miss
#
# Needs apt-get, dpkg-deb and g++. Exit status: 0 if this is so, 1 if not, 2 if the package is not to be had.
set -eu

package=relacy-dev
version=0.0+git20191025.acc09bb-2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download "$package=$version" >log 2>&1 || { cat log; echo "$package $version is not to be had"; exit 2; }
dpkg-deb -x ./*.deb root

cat >buffering.cpp <<'PROGRAM'
#include <relacy/relacy.hpp>

enum shape { FENCES, EXCHANGES, BOTH };

template <shape what> struct buffering : rl::test_suite<buffering<what>, 2> {
    rl::atomic<int> x, y;
    int seen[2];

    void before()
    {
        x.store(0, rl::mo_relaxed, $);
        y.store(0, rl::mo_relaxed, $);
    }

    void thread(unsigned index)
    {
        rl::atomic<int> &mine = index ? y : x, &other = index ? x : y;
        if (what == EXCHANGES || (what == BOTH && index)) {
            mine.exchange(1, rl::mo_seq_cst, $);
        } else {
            mine.store(1, rl::mo_release, $);
            rl::atomic_thread_fence(rl::mo_seq_cst, $);
        }
        seen[index] = other.load(rl::mo_seq_cst, $);
    }

    void after()
    {
        RL_ASSERT(seen[0] || seen[1]);
    }
};

template <shape what> static void run(const char *name)
{
    std::ostream nowhere(0);
    rl::test_params params;
    params.search_type = rl::fair_full_search_scheduler_type;
    params.output_stream = params.progress_stream = &nowhere;
    bool holds = rl::simulate<buffering<what> >(params);
    std::cout << name << ": " << (holds ? "one sees the other" : "both may miss") << std::endl;
}

int main()
{
    run<FENCES>("fence, fence");
    run<EXCHANGES>("exchange, exchange");
    run<BOTH>("fence, exchange");
}
PROGRAM
g++ -std=c++11 -O1 -w -isystem root/usr/include -o buffering buffering.cpp
./buffering | tee seen
printf '%s\n' "fence, fence: one sees the other" "exchange, exchange: one sees the other" "fence, exchange: both may miss" |
    diff - seen
