/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file rcuinfo.hpp
 * The native interface for C++17, header only: owners that free what they own, views, optionals and exceptions. Link
 * librcuinfo.
 *
 * Errors are thrown as rcuinfo::error, lack of memory on the way as std::bad_alloc. What throws has changed nothing and
 * left its arguments alone. Destructors, moves and what is marked noexcept never throw.
 *
 * Keys and values are given as std::string_view: no NUL need stand behind them, and they are copied before the call
 * returns. One that has a NUL inside is an error (RCUINFO_ERR_KEY, RCUINFO_ERR_VALUE), never cut there. As for every
 * string_view, a NULL pointer must not be made into one.
 *
 * Threads: every member function of one rcuinfo::info may be called by several threads at once, each with the
 * guarantees of the C function that it names, except for those that change who owns the object: assignment, swap,
 * reset, release, the destructor. The same holds for a snapshot and its iterators.
 *
 * Lifetimes: a string_view that comes out of a snapshot, and an iterator, live as long as the version that was opened:
 * until the snapshot object that owns it by then is destroyed or assigned to. Moving a snapshot keeps them alive.
 */
#ifndef RCUINFO_RCUINFO_HPP
#define RCUINFO_RCUINFO_HPP

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "rcuinfo/rcuinfo.hpp needs C++17 or later"
#endif
#ifndef __cpp_exceptions
#error "rcuinfo/rcuinfo.hpp throws its errors: compile without -fno-exceptions"
#endif

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rcuinfo/rcuinfo.h>

namespace rcuinfo
{

/** What went wrong: what() says it in one sentence. */
class RCUINFO_API error : public std::runtime_error
{
  public:
    /** With the text of the status where none is given. */
    explicit error(rcuinfo_status_t status, const char *text = nullptr, std::size_t position = 0)
        : std::runtime_error(text ? text : rcuinfo_status_string(status)), status_(status), position_(position)
    {
    }

    /** Never RCUINFO_SUCCESS. */
    rcuinfo_status_t status() const noexcept
    {
        return status_;
    }

    /** Of info::update: the index of the first change that was refused. Of RCUINFO_ERR_TYPE: the byte of the value that
     * is not of the type. Else 0. */
    std::size_t position() const noexcept
    {
        return position_;
    }

  private:
    rcuinfo_status_t status_;
    std::size_t position_;
};

/** One change of info::update: the key is set to the value, or, without one, deleted. Views: they must stay until
 * update returns. */
struct change {
    std::string_view key;                  /**< 1 to RCUINFO_MAX_KEY - 1 bytes */
    std::optional<std::string_view> value; /**< up to RCUINFO_MAX_VALUE - 1 bytes; nothing: the key is deleted */
};

/** How this header does it. */
namespace detail
{

inline void check(rcuinfo_status_t status)
{
    if (status != RCUINFO_SUCCESS)
        throw error(status);
}

inline bool has_nul(std::string_view text) noexcept
{
    return text.find('\0') != std::string_view::npos;
}

inline void check_key(std::string_view key, std::size_t position = 0)
{
    if (has_nul(key))
        throw error(RCUINFO_ERR_KEY, "the key has a NUL in it", position);
    if (key.empty() || key.size() >= RCUINFO_MAX_KEY)
        throw error(RCUINFO_ERR_KEY, nullptr, position);
}

inline void check_value(std::string_view value, std::size_t position = 0)
{
    if (has_nul(value))
        throw error(RCUINFO_ERR_VALUE, "the value has a NUL in it", position);
    if (value.size() >= RCUINFO_MAX_VALUE)
        throw error(RCUINFO_ERR_VALUE, nullptr, position);
}

/* A text that was checked, with a NUL behind it. */
template <std::size_t Size> class terminated
{
  public:
    explicit terminated(std::string_view checked) noexcept
    {
        text_[checked.copy(text_, Size - 1)] = '\0';
    }

    const char *c_str() const noexcept
    {
        return text_;
    }

  private:
    char text_[Size];
};

struct key : terminated<RCUINFO_MAX_KEY> {
    explicit key(std::string_view text) : terminated((check_key(text), text))
    {
    }
};

struct value : terminated<RCUINFO_MAX_VALUE> {
    explicit value(std::string_view text) : terminated((check_value(text), text))
    {
    }
};

/* Changes as C has them, and the strings that they point to. */
class changes
{
  public:
    changes(const change *first, std::size_t n)
    {
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < n; i++) {
            check_key(first[i].key, i);
            check_value(first[i].value.value_or(""), i);
            bytes += first[i].key.size() + first[i].value.value_or("").size() + 2;
        }
        text_.reserve(bytes); /* it never moves from here on */
        changes_.reserve(n);
        for (std::size_t i = 0; i < n; i++) {
            const char *key = add(first[i].key);
            changes_.push_back({key, first[i].value ? add(*first[i].value) : nullptr});
        }
    }

    changes(const changes &) = delete;
    changes &operator=(const changes &) = delete;

    const rcuinfo_change_t *data() const noexcept
    {
        return changes_.data();
    }

    std::size_t size() const noexcept
    {
        return changes_.size();
    }

  private:
    const char *add(std::string_view text)
    {
        const std::size_t at = text_.size();
        text_.append(text).push_back('\0');
        return text_.data() + at;
    }

    std::string text_{};
    std::vector<rcuinfo_change_t> changes_{};
};

} // namespace detail

/**
 * Owns an info object, or none. Without one every call but the owner's own throws RCUINFO_ERR_INFO.
 * The names of C stand behind each function; what they promise holds here.
 */
class info
{
  public:
    /** Owns nothing. */
    info() noexcept = default;

    /** Takes over what the other owns. */
    info(info &&other) noexcept : handle_(other.release())
    {
    }

    /** Frees what it owned, and takes over what the other owns. */
    info &operator=(info &&other) noexcept
    {
        info taken(std::move(other));
        taken.swap(*this);
        return *this;
    }

    info(const info &) = delete;
    info &operator=(const info &) = delete;

    ~info()
    {
        reset();
    }

    /** A new object without pairs: rcuinfo_create. */
    static info create()
    {
        info made;
        detail::check(rcuinfo_create(&made.handle_));
        return made;
    }

    /** Owns this object from now on: it must be freed by nobody else. */
    static info adopt(rcuinfo_t handle) noexcept
    {
        info made;
        made.handle_ = handle;
        return made;
    }

    /** A new object with the same pairs, in constant time: rcuinfo_dup. */
    info dup() const
    {
        info made;
        detail::check(rcuinfo_dup(handle_, &made.handle_));
        return made;
    }

    /** The handle, which stays this owner's; RCUINFO_NULL where there is none. */
    rcuinfo_t native() const noexcept
    {
        return handle_;
    }

    /** The handle, which the caller has to free; owns nothing afterwards. */
    [[nodiscard]] rcuinfo_t release() noexcept
    {
        return std::exchange(handle_, RCUINFO_NULL);
    }

    /** Frees what it owns: rcuinfo_free. One that somebody else has freed is let go. */
    void reset() noexcept
    {
        [[maybe_unused]] const rcuinfo_status_t status = rcuinfo_free(&handle_);
        handle_ = RCUINFO_NULL;
    }

    /** Each owns what the other did. */
    void swap(info &other) noexcept
    {
        std::swap(handle_, other.handle_);
    }

    /** Whether it owns an object. */
    explicit operator bool() const noexcept
    {
        return handle_ != RCUINFO_NULL;
    }

    /** Adds a pair, or overrides the value of a key in place: rcuinfo_set. */
    void set(std::string_view key, std::string_view value)
    {
        const detail::key k(key);
        const detail::value v(value);
        detail::check(rcuinfo_set(handle_, k.c_str(), v.c_str()));
    }

    /** Removes a pair: rcuinfo_delete. Whether the key was there. */
    bool erase(std::string_view key)
    {
        const rcuinfo_status_t status = rcuinfo_delete(handle_, detail::key(key).c_str());
        if (status != RCUINFO_ERR_NOKEY)
            detail::check(status);
        return status == RCUINFO_SUCCESS;
    }

    /**
     * Applies changes in their order, all of them as one new version, or none: rcuinfo_update. Deleting what is not
     * there when its turn comes is RCUINFO_ERR_NOKEY.
     */
    void update(const change *first, std::size_t n)
    {
        const detail::changes all(first, n);
        std::size_t failed = 0;
        const rcuinfo_status_t status = rcuinfo_update(handle_, all.data(), all.size(), &failed);
        if (status != RCUINFO_SUCCESS)
            throw error(status, nullptr, status == RCUINFO_ERR_NOKEY ? failed : 0);
    }

    /** The same: update({{"a", "1"}, {"b", std::nullopt}}). */
    void update(std::initializer_list<change> all)
    {
        update(all.begin(), all.size());
    }

    /** The same. */
    void update(const std::vector<change> &all)
    {
        update(all.data(), all.size());
    }

    /**
     * Sets a key to what is desired, or deletes it where that is std::nullopt, if it has the value that is expected, or
     * is absent where that is std::nullopt: rcuinfo_compare_and_set. Whether it was as expected.
     */
    bool compare_and_set(std::string_view key, std::optional<std::string_view> expected,
                         std::optional<std::string_view> desired)
    {
        const detail::key k(key);
        const detail::value from(expected.value_or("")), to(desired.value_or(""));
        int swapped = 0;
        detail::check(rcuinfo_compare_and_set(handle_, k.c_str(), expected ? from.c_str() : nullptr,
                                              desired ? to.c_str() : nullptr, &swapped));
        return swapped != 0;
    }

    /** Not NULL, as in C: std::nullopt. */
    bool compare_and_set(std::string_view key, std::nullptr_t expected,
                         std::optional<std::string_view> desired) = delete;
    /** The same. */
    bool compare_and_set(std::string_view key, std::optional<std::string_view> expected,
                         std::nullptr_t desired) = delete;

    /** The value of a key, or nothing where it is not there: rcuinfo_get_string. */
    std::optional<std::string> get(std::string_view key) const
    {
        char value[RCUINFO_MAX_VALUE];
        int size = RCUINFO_MAX_VALUE, flag = 0;
        detail::check(rcuinfo_get_string(handle_, detail::key(key).c_str(), &size, value, &flag));
        if (!flag)
            return std::nullopt;
        return std::string(value, static_cast<std::size_t>(size) - 1); /* without the NUL */
    }

    /**
     * @name Values by their types
     * @{
     */
    /** The value of a key by its type (value.h), or nothing where it is not there; one that is not of the type is
     * RCUINFO_ERR_TYPE. */
    std::optional<bool> get_bool(std::string_view key) const
    {
        const auto found = get_typed<int>(rcuinfo_get_bool, key);
        return found ? std::optional<bool>(*found != 0) : std::nullopt;
    }

    std::optional<int> get_int(std::string_view key) const
    {
        return get_typed<int>(rcuinfo_get_int, key);
    }

    std::optional<std::int64_t> get_int64(std::string_view key) const
    {
        return get_typed<std::int64_t>(rcuinfo_get_int64, key);
    }
    /** @} */

    /** The number of pairs: rcuinfo_get_nkeys. */
    std::size_t size() const
    {
        int nkeys = 0;
        detail::check(rcuinfo_get_nkeys(handle_, &nkeys));
        return static_cast<std::size_t>(nkeys);
    }

    /** The version number: rcuinfo_version. */
    std::uint64_t version() const
    {
        std::uint64_t version = 0;
        detail::check(rcuinfo_version(handle_, &version));
        return version;
    }

  private:
    template <typename T>
    std::optional<T> get_typed(rcuinfo_status_t (*getter)(rcuinfo_t, const char *, T *, int *, rcuinfo_fault_t *),
                               std::string_view key) const
    {
        T value = 0;
        int flag = 0;
        rcuinfo_fault_t fault = {};
        const rcuinfo_status_t status = getter(handle_, detail::key(key).c_str(), &value, &flag, &fault);
        if (status != RCUINFO_SUCCESS)
            throw error(status, fault.what, fault.offset);
        return flag ? std::optional<T>(value) : std::nullopt;
    }

    rcuinfo_t handle_ = RCUINFO_NULL;
};

/** One version of an object, held open: its pairs in their order, for range-for. One that was moved from, or made
 * without an object, has no pairs. */
class snapshot
{
  public:
    /** A key and its value. */
    using value_type = std::pair<std::string_view, std::string_view>;

    /** Over the pairs; may be copied and gone through as often as one likes. What it points to is made on the way, so
     * for C++17 it is an input iterator, for C++20 a forward one. */
    class iterator
    {
      public:
        /** For C++17. */
        using iterator_category = std::input_iterator_tag;
        /** For C++20. */
        using iterator_concept = std::forward_iterator_tag;
        /** A key and its value. */
        using value_type = snapshot::value_type;
        /** Pairs. */
        using difference_type = std::ptrdiff_t;
        /** Made on the way, so no reference. */
        using reference = value_type;

        /** What -> gives. */
        class pointer
        {
          public:
            /** To a copy of the pair. */
            explicit pointer(const value_type &pair) noexcept : pair_(pair)
            {
            }

            /** Lives as long as the pointer. */
            const value_type *operator->() const noexcept
            {
                return &pair_;
            }

          private:
            value_type pair_;
        };

        iterator() noexcept = default;

        /** Not at the end. */
        reference operator*() const
        {
            return nth(opened_, n_);
        }

        /** Not at the end. */
        pointer operator->() const
        {
            return pointer(**this);
        }

        /** Not at the end. */
        iterator &operator++() noexcept
        {
            n_++;
            return *this;
        }

        /** Not at the end. */
        iterator operator++(int) noexcept
        {
            iterator before = *this;
            n_++;
            return before;
        }

        /** Of one snapshot. */
        friend bool operator==(const iterator &a, const iterator &b) noexcept
        {
            return a.n_ == b.n_;
        }

        /** Of one snapshot. */
        friend bool operator!=(const iterator &a, const iterator &b) noexcept
        {
            return a.n_ != b.n_;
        }

      private:
        friend class snapshot;

        iterator(const rcuinfo_snapshot_t *opened, std::size_t n) noexcept : opened_(opened), n_(n)
        {
        }

        const rcuinfo_snapshot_t *opened_ = nullptr;
        std::size_t n_ = 0;
    };
    /** Pairs cannot be changed. */
    using const_iterator = iterator;

    snapshot() noexcept = default;

    /** Opens the version that the object has now: rcuinfo_snapshot_open. The object may be freed afterwards. */
    explicit snapshot(const info &object) : snapshot(object.native())
    {
    }

    /** The same of an object that somebody else owns. */
    explicit snapshot(rcuinfo_t object)
    {
        detail::check(rcuinfo_snapshot_open(object, &opened_));
    }

    /** Takes over what the other has open. */
    snapshot(snapshot &&other) noexcept : opened_(std::exchange(other.opened_, nullptr))
    {
    }

    /** Closes what it had open, and takes over what the other has. */
    snapshot &operator=(snapshot &&other) noexcept
    {
        snapshot taken(std::move(other));
        taken.swap(*this);
        return *this;
    }

    snapshot(const snapshot &) = delete;
    snapshot &operator=(const snapshot &) = delete;

    ~snapshot()
    {
        rcuinfo_snapshot_close(opened_);
    }

    /** Each has open what the other had. */
    void swap(snapshot &other) noexcept
    {
        std::swap(opened_, other.opened_);
    }

    /** What the C functions take; stays this snapshot's. */
    const rcuinfo_snapshot_t *native() const noexcept
    {
        return opened_;
    }

    /** The number of pairs: rcuinfo_snapshot_count. */
    std::size_t size() const noexcept
    {
        return rcuinfo_snapshot_count(opened_);
    }

    /** Whether there is no pair. */
    bool empty() const noexcept
    {
        return size() == 0;
    }

    /** The version number: rcuinfo_snapshot_version. */
    std::uint64_t version() const noexcept
    {
        return rcuinfo_snapshot_version(opened_);
    }

    /** Pair number n; RCUINFO_ERR_ARG where n is not less than size(): rcuinfo_snapshot_nth. */
    value_type operator[](std::size_t n) const
    {
        return nth(opened_, n);
    }

    /** The value of a key, or nothing where it is not there: rcuinfo_snapshot_find. */
    std::optional<std::string_view> find(std::string_view key) const
    {
        const detail::key k(key);
        rcuinfo_pair_t pair;
        const rcuinfo_status_t status = opened_ ? rcuinfo_snapshot_find(opened_, k.c_str(), &pair) : RCUINFO_ERR_NOKEY;
        if (status == RCUINFO_ERR_NOKEY)
            return std::nullopt;
        detail::check(status);
        return std::string_view(pair.value, pair.value_length);
    }

    /** At the first pair. */
    iterator begin() const noexcept
    {
        return {opened_, 0};
    }

    /** Behind the last pair. */
    iterator end() const noexcept
    {
        return {opened_, size()};
    }

  private:
    static value_type nth(const rcuinfo_snapshot_t *opened, std::size_t n)
    {
        rcuinfo_pair_t pair;
        detail::check(rcuinfo_snapshot_nth(opened, n, &pair));
        return {{pair.key, pair.key_length}, {pair.value, pair.value_length}};
    }

    const rcuinfo_snapshot_t *opened_ = nullptr;
};

} // namespace rcuinfo

#endif
