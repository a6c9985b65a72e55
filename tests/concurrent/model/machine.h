/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * machine: the memory and the kernel of the library, when that runs under Relacy. The library's C sources are compiled
 * with -fsanitize=thread, so the compiler puts a call in front of each access to memory, and in place of each atomic
 * operation. These functions are here, instead of ThreadSanitizer's. They hand the access to Relacy, which chooses the
 * thread that goes on, and what a load returns, and finds data races.
 *
 * Only static variables and what rcuinfo__alloc returns are looked at: stacks are a thread's own. Of the static
 * variables those that were only used by relaxed operations so far, such as counters and switches, have one value for
 * all threads at any time. After each execution they get their first values back.
 *
 * Memory is looked at by words of 4 bytes: fields that are smaller share one if they are in it. A signal handler never
 * runs.
 */
#pragma once

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>

#include <relacy/relacy.hpp>

#undef new /* of Relacy's, which knows no placement */

/* Of the linker: the first and the last of all static variables; the program. */
extern "C" char __data_start[], _end[], __executable_start[];

namespace machine
{

static const unsigned most_threads = 3;
static unsigned threads;
static uint32_t execution;
static uint32_t steps; /* how often another thread may have run */
static bool noting;
static uintptr_t looked_at; /* bytes from __data_start, during an execution */

/* An atomic variable: the last stores, and which threads must see them. */
struct variable {
    rl::atomic_data *stores;
    uint64_t values[rl::atomic_history_size];
    unsigned bytes;
    bool failed; /* a weak compare-exchange has failed */
};
static variable variables[512];
static unsigned variables_used;

/* A word: when it was accessed by other operations than atomic ones. */
struct word {
    uint32_t execution;
    uint32_t read_at, written_at; /* steps */
    uint32_t written;             /* by `writer`, in its time */
    uint32_t read[most_threads];  /* by each thread, in its time */
    uint16_t atomic;              /* index + 1 of the variable that begins here; 0: no atomic operation so far */
    uint8_t writer;
    bool freed;
};

/* What rcuinfo__alloc returns is never used again in the same execution. In front of it is its size. */
static const size_t heap_step = 16;
static char heap[1U << 15] __attribute__((aligned(128)));
static size_t heap_used;
static size_t heap_most; /* bytes that one call may get */

/* The words of the heap; a hash table of those of static variables, with what they contained before the execution. */
static const unsigned room = 1U << 10;
static word heap_words[sizeof heap / 4], static_words[room];
static struct {
    uintptr_t at;
    uint32_t first;
} statics[room];
static unsigned statics_used[room / 2], statics_count;

/* The thread-local variables of the library, and what they are when a thread begins. */
static const unsigned most_locals = 4;
static void **locals[most_locals];
static void *locals_of[most_threads][most_locals];
static unsigned first_thread; /* the thread that acts in before() */
static unsigned threads_begun, threads_ended;

/* Of the suite that runs: what an atomic variable contained before all threads; a fence after the caller's stores to
 * one; membarrier. */
static void (*fill)(rl::atomic_data *stores);
static void (*settle)(rl::atomic_data *stores);
static void (*barrier)();

/* The locks of core/memory/lock.h in shim/. */
typedef rl::mutex lock_type;
static const unsigned most_locks = 8;
static struct {
    const void *at;
    alignas(lock_type) char lock[sizeof(lock_type)];
} locks[most_locks];
static unsigned locks_used;

static inline bool is_heap(uintptr_t at)
{
    return at - reinterpret_cast<uintptr_t>(heap) < sizeof heap;
}

static inline bool is_looked_at(uintptr_t at)
{
    return at - reinterpret_cast<uintptr_t>(__data_start) < looked_at;
}

static inline void reset(word &one)
{
    memset(&one, 0, sizeof one);
    one.execution = execution;
}

static word &find_static(uintptr_t at)
{
    unsigned i = static_cast<unsigned>(at / 4 * 2654435761U >> 12) % room;
    while (static_words[i].execution == execution && statics[i].at != at)
        i = (i + 1) % room;
    if (static_words[i].execution != execution) {
        RL_ASSERT(statics_count < room / 2);
        statics_used[statics_count++] = i;
        reset(static_words[i]);
        statics[i].at = at;
        memcpy(&statics[i].first, reinterpret_cast<void *>(at), sizeof statics[i].first);
    }
    return static_words[i];
}

static inline word &find(uintptr_t at)
{
    if (!is_heap(at))
        return find_static(at);
    word &one = heap_words[(at - reinterpret_cast<uintptr_t>(heap)) / 4];
    if (one.execution != execution)
        reset(one);
    return one;
}

/* Whether this is before() or after(): then all memory has one value. */
static inline bool is_alone()
{
    return threads_begun == 0 || threads_ended == threads;
}

static void keep_first(uintptr_t at, size_t bytes)
{
    for (uintptr_t end = at + bytes; at < end && !is_heap(at); at += 4)
        (void)find_static(at & ~UINT64_C(3));
}

/* The static variables get their first values back. */
static void begin()
{
    for (unsigned i = 0; i < statics_count; i++) {
        const auto &one = statics[statics_used[i]];
        memcpy(reinterpret_cast<void *>(one.at), &one.first, sizeof one.first);
    }
    memset(heap, 0, heap_used);
    heap_used = 0;
    heap_most = sizeof heap;
    statics_count = variables_used = locks_used = first_thread = 0;
    threads_begun = threads_ended = 0;
    execution++;
    threads = static_cast<unsigned>(rl::ctx().get_thread_count());
    noting = rl::ctx().collecting_history();
    looked_at = static_cast<uintptr_t>(_end - __data_start);
}

static void end()
{
    for (unsigned i = 0; i < variables_used; i++)
        rl::ctx().atomic_dtor(variables[i].stores);
    for (unsigned i = 0; i < locks_used; i++)
        reinterpret_cast<lock_type *>(locks[i].lock)->~lock_type();
    variables_used = locks_used = 0;
    looked_at = 0;
}

/* While one lives, other threads may run. */
struct step {
    void *own[most_locals];

    step()
    {
        steps++;
        leave(own);
    }

    ~step()
    {
        become(own);
    }

    /* Copies the current values; sets them. */
    static void leave(void **thread)
    {
        for (unsigned i = 0; i < most_locals && locals[i]; i++)
            thread[i] = *locals[i];
    }

    static void become(void **thread)
    {
        steps++;
        for (unsigned i = 0; i < most_locals && locals[i]; i++)
            *locals[i] = thread[i];
    }
};

/* For the history of a faulty execution: `from` is for addr2line. */
static void note(const char *what, uintptr_t at, uint64_t value, int order, const void *from)
{
    char text[160];
    if (!noting)
        return;
    (void)snprintf(text, sizeof text, "%s %s%#lx = %#lx, %s, from %#lx", what, is_heap(at) ? "heap+" : "",
                   static_cast<unsigned long>(is_heap(at) ? at - reinterpret_cast<uintptr_t>(heap) : at),
                   static_cast<unsigned long>(value), order < 0 ? "plain" : rl::format(rl::memory_order(order)),
                   static_cast<unsigned long>(static_cast<const char *>(from) - __executable_start));
    rl::ctx().exec_log_msg(rl::debug_info(), text);
}

/* A data race ends the execution. Atomic operations only race with others' plain accesses. */
static inline void check(const word &one, bool writes)
{
    const rl::thread_info_base &self = *rl::ctx().threadx_;
    bool race = self.acq_rel_order_[one.writer] < one.written;
    for (unsigned i = 0; i < threads && writes; i++)
        race |= self.acq_rel_order_[i] < one.read[i];
    RL_ASSERT(!one.freed);
    RL_ASSERT_IMPL(!race, rl::test_result_data_race, "data race", RL_INFO);
}

static inline void plain_word(uintptr_t at, bool writes)
{
    word &one = find(at);
    uint32_t &last = writes ? one.written_at : one.read_at;
    if (last == steps) /* by this thread */
        return;
    RL_ASSERT(!one.atomic || !writes);
    check(one, writes);
    last = steps;
    rl::thread_info_base &self = *rl::ctx().threadx_;
    (writes ? one.written : one.read[self.index_]) = static_cast<uint32_t>(++self.own_acq_rel_order_);
    one.writer = writes ? static_cast<uint8_t>(self.index_) : one.writer;
}

/* In the heap, a variable of 8 bytes, too, is known by its first word. */
static void look_at(uintptr_t at, size_t bytes, bool writes, const void *from)
{
    if (is_alone()) {
        keep_first(at, bytes);
        return;
    }
    if (noting)
        note(writes ? "write" : "read", at, bytes, -1, from);
    uintptr_t end = bytes == 8 && at % 8 == 0 && is_heap(at) ? at + 1 : at + bytes;
    for (at &= ~UINT64_C(3); at < end; at += 4)
        plain_word(at, writes);
}

static inline void plain(const void *at, size_t bytes, bool writes, const void *from)
{
    if (is_looked_at(reinterpret_cast<uintptr_t>(at)))
        look_at(reinterpret_cast<uintptr_t>(at), bytes, writes, from);
}

/* Whether an operation has no effect that other threads could see late. */
template <typename type> bool is_simple(const type *at, int order)
{
    uintptr_t where = reinterpret_cast<uintptr_t>(at);
    if (!is_looked_at(where))
        return true;
    if (!is_alone() && (order != rl::mo_relaxed || is_heap(where) || find(where).atomic))
        return false;
    keep_first(where, sizeof *at);
    return true;
}

template <typename type> variable &find_atomic(const type *at, bool writes)
{
    uintptr_t where = reinterpret_cast<uintptr_t>(at);
    word &one = find(where);
    check(one, writes);
    if (!one.atomic) {
        keep_first(where, sizeof *at);
        RL_ASSERT(variables_used < sizeof variables / sizeof *variables);
        variable &made = variables[variables_used++];
        one.atomic = static_cast<uint16_t>(variables_used);
        made.stores = rl::ctx().atomic_ctor(0);
        made.values[0] = *at;
        made.bytes = sizeof *at;
        made.failed = false;
        fill(made.stores);
    }
    return variables[one.atomic - 1];
}

/* Relacy's functions, by memory order. */
typedef rl::thread_info_base by;
typedef unsigned (by::*operation)(rl::atomic_data *);
static const operation loads[] = {&by::atomic_load_relaxed, &by::atomic_load_acquire, &by::atomic_load_acquire, 0, 0,
                                  &by::atomic_load_seq_cst};
static const operation failed_loads[] = {
    &by::atomic_load_relaxed_rmw, &by::atomic_load_acquire_rmw, &by::atomic_load_acquire_rmw, 0, 0,
    &by::atomic_load_seq_cst_rmw};
static const operation simple_stores[] = {&by::atomic_store_relaxed, 0, 0,
                                          &by::atomic_store_release, 0, &by::atomic_store_seq_cst};
static unsigned (by::*const replacements[])(rl::atomic_data *, bool &) = {
    &by::atomic_rmw_relaxed, &by::atomic_rmw_acquire, &by::atomic_rmw_acquire,
    &by::atomic_rmw_release, &by::atomic_rmw_acq_rel, &by::atomic_rmw_seq_cst};

template <typename type> type load(const type *at, int order, const void *from)
{
    if (is_simple(at, order))
        return *at;
    step others;
    rl::ctx().sched();
    variable &one = find_atomic(at, false);
    type value = static_cast<type>(one.values[(rl::ctx().threadx_->*loads[order])(one.stores)]);
    note("load", reinterpret_cast<uintptr_t>(at), value, order, from);
    return value;
}

template <typename type> void store_now(type *at, type value, int order)
{
    variable &one = find_atomic(at, true);
    one.values[(rl::ctx().threadx_->*simple_stores[order])(one.stores)] = *at = value;
}

template <typename type> void store(type *at, type value, int order, const void *from)
{
    if (is_simple(at, order)) {
        *at = value;
        return;
    }
    step others;
    rl::ctx().sched();
    note("store", reinterpret_cast<uintptr_t>(at), value, order, from);
    store_now(at, value, order);
}

template <typename type> void replace(variable &one, type *at, type value, int order)
{
    bool unseen;
    one.values[(rl::ctx().threadx_->*replacements[order])(one.stores, unseen)] = *at = value;
}

/* A read-modify-write. */
template <typename type, typename function>
type modify(type *at, type operand, int order, function change, const void *from)
{
    type before = *at;
    if (is_simple(at, order)) {
        *at = change(before, operand);
        return before;
    }
    step others;
    rl::ctx().sched();
    variable &one = find_atomic(at, true);
    before = *at;
    replace(one, at, change(before, operand), order);
    note("replace", reinterpret_cast<uintptr_t>(at), *at, order, from);
    return before;
}

/* A compare-exchange that fails acquires only if one that succeeds does. */
template <typename type>
bool compare_exchange(type *at, type *expected, type desired, int order, int order_failed, bool weak, const void *from)
{
    if (is_simple(at, order) && is_simple(at, order_failed)) {
        bool equal = *at == *expected;
        (equal ? *at : *expected) = equal ? desired : *at;
        return equal;
    }
    step others;
    rl::context &context = rl::ctx();
    context.sched();
    variable &one = find_atomic(at, true);
    bool fails = *at != *expected;
    if (!fails && weak && (context.is_random_sched() || !one.failed)) {
        fails = context.rand(context.is_random_sched() ? 4 : 2, rl::sched_type_cas_fail) == 0;
        one.failed = one.failed || fails;
    }
    if (!fails) {
        replace(one, at, desired, order);
    } else {
        bool acquires = order != rl::mo_relaxed && order != rl::mo_release;
        (void)(context.threadx_->*failed_loads[acquires ? order_failed : int(rl::mo_relaxed)])(one.stores);
        *expected = *at;
    }
    note(fails ? "not exchanged" : "exchanged", reinterpret_cast<uintptr_t>(at), *at, fails ? order_failed : order,
         from);
    return !fails;
}

static inline lock_type &lock_at(const void *at)
{
    for (unsigned i = 0; i < locks_used; i++) {
        if (locks[i].at == at)
            return *reinterpret_cast<lock_type *>(locks[i].lock);
    }
    RL_ASSERT(locks_used < most_locks);
    locks[locks_used].at = at;
    return *::new (locks[locks_used++].lock) lock_type;
}

static void *alloc(size_t bytes, size_t alignment)
{
    size_t begin = (heap_used + heap_step + alignment - 1) / alignment * alignment;
    if (bytes > heap_most || bytes > sizeof heap - begin)
        return 0;
    heap_used = begin + (bytes + heap_step - 1) / heap_step * heap_step;
    memcpy(heap + begin - heap_step, &bytes, sizeof bytes);
    return heap + begin;
}

/* A fence in each other thread, at a different moment in each, and two in the caller, as by the kernel's membarrier.
 * Relacy's system-wide fence is one moment for all threads, which would order them with each other, too. */
template <rl::thread_id_t threads> void membarrier()
{
    typedef rl::thread_info<threads> thread;
    step others;
    rl::context &context = rl::ctx();
    rl::thread_id_t self = context.current_thread();
    rl::aligned<thread> *first = static_cast<rl::aligned<thread> *>(static_cast<thread *>(context.threadx_)) - self;
    bool backwards = context.is_random_sched() && rl::rand(2);
    rl::ctx().atomic_thread_fence_seq_cst();
    for (rl::thread_id_t i = 1; i < threads && !broken_no_membarrier; i++) {
        context.sched();
        first[(self + (backwards ? threads - i : i)) % threads].atomic_thread_fence_seq_cst(
            context.seq_cst_fence_order_);
    }
    rl::ctx().atomic_thread_fence_seq_cst();
}

template <rl::thread_id_t threads> void fill_for(rl::atomic_data *stores)
{
    rl::atomic_data_impl<threads> &one = *static_cast<rl::atomic_data_impl<threads> *>(stores);
    one.history_[0].busy_ = true;
    one.history_[0].thread_id_ = 0;
    one.history_[0].acq_rel_timestamp_ = 0; /* which all threads have passed */
    for (rl::thread_id_t i = 0; i < threads; i++) {
        one.history_[0].acq_rel_order_[i] = 0;
        one.history_[0].first_seen_order_[i] = static_cast<rl::timestamp_t>(-1);
    }
}

/* A sequentially consistent load that comes after the fence of another thread does not miss what that has stored before
 * the fence, by whatever order (C11 7.17.3p10). Relacy knows this only of sequentially consistent stores. */
template <rl::thread_id_t threads> void settle_for(rl::atomic_data *stores)
{
    rl::atomic_data_impl<threads> &one = *static_cast<rl::atomic_data_impl<threads> *>(stores);
    for (auto &store : one.history_)
        store.seq_cst_ |= store.busy_ && store.thread_id_ == rl::ctx().threadx_->index_;
}

} // namespace machine

/* A model of the library: `run` is what each thread does. */
template <typename self, rl::thread_id_t threads> struct machine_suite : rl::test_suite<self, threads> {
    machine_suite()
    {
        static_assert(threads <= machine::most_threads, "too many threads");
        machine::fill = machine::fill_for<threads>;
        machine::settle = machine::settle_for<threads>;
        machine::barrier = machine::membarrier<threads>;
        machine::begin();
    }

    ~machine_suite()
    {
        machine::end();
    }

    void thread(unsigned index)
    {
        if (machine::threads_begun++ == 0)
            machine::step::leave(machine::locals_of[machine::first_thread]);
        machine::step::become(machine::locals_of[index]);
        static_cast<self *>(this)->run(index);
        machine::threads_ended++;
    }
};

/* What the compiler calls. */
#define MACHINE_FROM __builtin_return_address(0)

#define MACHINE_PLAIN(name, bytes, writes)                                                                             \
    extern "C" void __tsan_##name(const void *at)                                                                      \
    {                                                                                                                  \
        machine::plain(at, bytes, writes, MACHINE_FROM);                                                               \
    }
#define MACHINE_PLAINS(bytes)                                                                                          \
    MACHINE_PLAIN(read##bytes, bytes, false)                                                                           \
    MACHINE_PLAIN(write##bytes, bytes, true)                                                                           \
    MACHINE_PLAIN(unaligned_read##bytes, bytes, false)                                                                 \
    MACHINE_PLAIN(unaligned_write##bytes, bytes, true)
MACHINE_PLAINS(1)
MACHINE_PLAINS(2)
MACHINE_PLAINS(4)
MACHINE_PLAINS(8)
MACHINE_PLAINS(16)

#define MACHINE_MODIFY(bits, name, result)                                                                             \
    extern "C" uint##bits##_t __tsan_atomic##bits##_##name(uint##bits##_t *at, uint##bits##_t operand, int order)      \
    {                                                                                                                  \
        typedef uint##bits##_t type;                                                                                   \
        auto change = [](type before, type value) -> type {                                                            \
            (void)before;                                                                                              \
            return static_cast<type>(result);                                                                          \
        };                                                                                                             \
        return machine::modify(at, operand, order, change, MACHINE_FROM);                                              \
    }
#define MACHINE_COMPARE(bits, name, weak)                                                                              \
    extern "C" int __tsan_atomic##bits##_compare_exchange_##name(uint##bits##_t *at, uint##bits##_t *expected,         \
                                                                 uint##bits##_t desired, int order, int failed)        \
    {                                                                                                                  \
        return machine::compare_exchange(at, expected, desired, order, failed, weak, MACHINE_FROM);                    \
    }
#define MACHINE_ATOMICS(bits)                                                                                          \
    extern "C" uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *at, int order)                          \
    {                                                                                                                  \
        return machine::load(at, order, MACHINE_FROM);                                                                 \
    }                                                                                                                  \
    extern "C" void __tsan_atomic##bits##_store(uint##bits##_t *at, uint##bits##_t value, int order)                   \
    {                                                                                                                  \
        machine::store(at, value, order, MACHINE_FROM);                                                                \
    }                                                                                                                  \
    MACHINE_MODIFY(bits, exchange, value)                                                                              \
    MACHINE_MODIFY(bits, fetch_add, before + value)                                                                    \
    MACHINE_MODIFY(bits, fetch_sub, before - value)                                                                    \
    MACHINE_MODIFY(bits, fetch_and, before &value)                                                                     \
    MACHINE_MODIFY(bits, fetch_or, before | value)                                                                     \
    MACHINE_COMPARE(bits, strong, false)                                                                               \
    MACHINE_COMPARE(bits, weak, true)
MACHINE_ATOMICS(8)
MACHINE_ATOMICS(32)
MACHINE_ATOMICS(64)

extern "C" {

void __tsan_init(void)
{
}

void __tsan_func_entry(void *from)
{
    (void)from;
}

void __tsan_func_exit(void)
{
}

void __tsan_read_range(const void *at, size_t bytes)
{
    machine::plain(at, bytes, false, MACHINE_FROM);
}

void __tsan_write_range(const void *at, size_t bytes)
{
    machine::plain(at, bytes, true, MACHINE_FROM);
}

void __tsan_atomic_thread_fence(int order)
{
    (void)order; /* RCUINFO__FENCE */
    machine::step others;
    rl::ctx().atomic_thread_fence_seq_cst();
}

/* In place of the fence of rcuinfo__reader_settle. */
void model_settle(void)
{
    __tsan_atomic_thread_fence(rl::mo_seq_cst);
    for (unsigned i = 0; i < machine::variables_used; i++)
        machine::settle(machine::variables[i].stores);
}

/* In place of memcpy and memset. To clear what has been an atomic variable is a relaxed store. */
void *model_memcpy(void *to, const void *from, size_t bytes)
{
    machine::plain(from, bytes, false, MACHINE_FROM);
    machine::plain(to, bytes, true, MACHINE_FROM);
    return memcpy(to, from, bytes);
}

void *model_memset(void *to, int byte, size_t bytes)
{
    char *at = static_cast<char *>(to);
    if (!machine::is_looked_at(reinterpret_cast<uintptr_t>(to)) || machine::is_alone()) {
        machine::plain(to, bytes, true, MACHINE_FROM);
        return memset(to, byte, bytes);
    }
    for (unsigned done = 0; bytes > 0; at += done, bytes -= done) {
        unsigned one = machine::find(reinterpret_cast<uintptr_t>(at)).atomic;
        done = one ? machine::variables[one - 1].bytes : 4;
        if (one && done == 8) {
            machine::store_now<uint64_t>(reinterpret_cast<uint64_t *>(at), 0, rl::mo_relaxed);
        } else if (one) {
            machine::store_now<uint32_t>(reinterpret_cast<uint32_t *>(at), 0, rl::mo_relaxed);
        } else {
            machine::plain(at, 4, true, MACHINE_FROM);
            memset(at, byte, 4);
        }
    }
    return to;
}

/* core/memory/alloc.h */
void *rcuinfo__alloc(size_t bytes)
{
    return machine::alloc(bytes, machine::heap_step);
}

void *rcuinfo__alloc_slab(size_t bytes, void **to_free)
{
    *to_free = machine::alloc(bytes, 128);
    if (*to_free) /* it was cleared by this thread */
        machine::plain(*to_free, bytes, true, MACHINE_FROM);
    return *to_free;
}

void rcuinfo__alloc_free(void *memory)
{
    size_t bytes;
    if (!memory)
        return;
    memcpy(&bytes, static_cast<char *>(memory) - machine::heap_step, sizeof bytes);
    for (size_t i = 0; i < bytes; i += 4) {
        machine::word &one = machine::find(reinterpret_cast<uintptr_t>(memory) + i);
        machine::check(one, true);
        one.freed = true;
    }
}

} // extern "C"
