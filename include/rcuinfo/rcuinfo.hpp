/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file rcuinfo.hpp
 * The native interface for C++17, header only, with RAII, string views, optionals and exceptions. Link librcuinfo.
 *
 * Errors are thrown as rcuinfo::error, or as std::bad_alloc if this header itself runs out of memory. A call that
 * throws has changed neither the object nor its arguments. Destructors, moves and functions that are marked noexcept
 * never throw.
 *
 * Keys and values are std::string_views: they need not end with a NUL, and are copied before the call returns. One that
 * contains a NUL is an error (RCUINFO_ERR_KEY, RCUINFO_ERR_VALUE). As always, a string_view must not be constructed
 * from a NULL pointer.
 *
 * Threads: several threads may call member functions of the same rcuinfo::info at the same time, with the guarantees of
 * the C functions, except for those that change the ownership: assignment, swap, reset, release and the destructor. The
 * same is true of a snapshot and its iterators.
 *
 * Lifetimes: iterators and the string_views from a snapshot are valid until the snapshot is destroyed or assigned to.
 * If the snapshot is moved, they stay valid as long as the new owner.
 *
 * @code{.cpp}
 * #include <iostream>
 * #include <rcuinfo/rcuinfo.hpp>
 *
 * int main()
 * {
 *     rcuinfo::info info = rcuinfo::info::create(); // frees its object at the end
 *
 *     info.update({{"cb_nodes", "4"}, {"access_style", "random"}});
 *     for (const auto &[key, value] : rcuinfo::snapshot(info))
 *         std::cout << key << "=" << value << "\n";
 *     // prints: cb_nodes=4
 *     // prints: access_style=random
 *
 *     std::cout << info.get_int("cb_nodes").value_or(1) << "\n"; // prints: 4
 *     try {
 *         std::cout << info.get_int("access_style").value_or(1) << "\n";
 *     } catch (const rcuinfo::error &error) {
 *         std::cout << error.what() << "\n"; // prints: an integer has decimal digits only
 *     }
 * }
 * @endcode
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

/** An error; what() describes it in one sentence. */
class RCUINFO_API error : public std::runtime_error
{
  public:
    /** Without a text, that of the status is used. */
    explicit error(rcuinfo_status_t status, const char *text = nullptr, std::size_t position = 0)
        : std::runtime_error(text ? text : rcuinfo_status_string(status)), status_(status), position_(position)
    {
    }

    /** Never RCUINFO_SUCCESS. */
    rcuinfo_status_t status() const noexcept
    {
        return status_;
    }

    /** For info::update the index of the first change that was refused; for RCUINFO_ERR_TYPE the offset in the value of
     * the byte that is not valid; else 0. */
    std::size_t position() const noexcept
    {
        return position_;
    }

  private:
    rcuinfo_status_t status_;
    std::size_t position_;
};

/** One change for info::update: sets the key to the value or, without a value, deletes it. These are views, which must
 * be valid until update returns. */
struct change {
    std::string_view key;                  /**< 1 to RCUINFO_MAX_KEY - 1 bytes */
    std::optional<std::string_view> value; /**< up to RCUINFO_MAX_VALUE - 1 bytes; std::nullopt: delete the key */
};

/** Not part of the interface. */
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

/* A copy of a text that was checked, with a NUL. */
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

/* The changes for rcuinfo_update, and copies of their strings. */
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

        text_.reserve(bytes); /* so that it never moves from here on */
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
 * Owns an info object, or none. Without one, calls on the object throw RCUINFO_ERR_INFO. Each function names the C
 * function that it calls, whose guarantees apply.
 */
class info
{
  public:
    /** Owns nothing. */
    info() noexcept = default;

    /** Takes over the object of the other. */
    info(info &&other) noexcept : handle_(other.release())
    {
    }

    /** Frees its object, and takes over that of the other. */
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

    /** Creates an empty object: rcuinfo_create. */
    static info create()
    {
        info made;
        detail::check(rcuinfo_create(&made.handle_));
        return made;
    }

    /** Takes over an object, which must not be freed by other means. */
    static info adopt(rcuinfo_t handle) noexcept
    {
        info made;
        made.handle_ = handle;
        return made;
    }

    /** Creates an object with the same pairs, in constant time: rcuinfo_dup. */
    info dup() const
    {
        info made;
        detail::check(rcuinfo_dup(handle_, &made.handle_));
        return made;
    }

    /** The handle, without giving up the object; RCUINFO_NULL if there is none. */
    rcuinfo_t native() const noexcept
    {
        return handle_;
    }

    /** Gives up the object: the caller must free the handle. */
    [[nodiscard]] rcuinfo_t release() noexcept
    {
        return std::exchange(handle_, RCUINFO_NULL);
    }

    /** Frees the object: rcuinfo_free. It is no error if it was freed by other means. */
    void reset() noexcept
    {
        [[maybe_unused]] const rcuinfo_status_t status = rcuinfo_free(&handle_);
        handle_ = RCUINFO_NULL;
    }

    /** Swaps the objects. */
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

    /** Removes a pair: rcuinfo_delete. Returns whether the key was there. */
    bool erase(std::string_view key)
    {
        const rcuinfo_status_t status = rcuinfo_delete(handle_, detail::key(key).c_str());
        if (status != RCUINFO_ERR_NOKEY)
            detail::check(status);
        return status == RCUINFO_SUCCESS;
    }

    /**
     * Applies changes in their order, all of them as one new version, or none: rcuinfo_update. Throws RCUINFO_ERR_NOKEY
     * if a key to delete is not there at that point.
     */
    void update(const change *first, std::size_t n)
    {
        const detail::changes all(first, n);
        std::size_t failed = 0;
        const rcuinfo_status_t status = rcuinfo_update(handle_, all.data(), all.size(), &failed);
        if (status != RCUINFO_SUCCESS)
            throw error(status, nullptr, status == RCUINFO_ERR_NOKEY ? failed : 0);
    }

    /** Same, e.g. update({{"a", "1"}, {"b", std::nullopt}}). */
    void update(std::initializer_list<change> all)
    {
        update(all.begin(), all.size());
    }

    /** Same. */
    void update(const std::vector<change> &all)
    {
        update(all.data(), all.size());
    }

    /**
     * If a key has the expected value (std::nullopt: is absent), sets it to the desired one (std::nullopt: deletes it):
     * rcuinfo_compare_and_set. Returns whether it had the expected value.
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

    /** Pass std::nullopt, not NULL as in C. */
    bool compare_and_set(std::string_view key, std::nullptr_t expected,
                         std::optional<std::string_view> desired) = delete;
    /** Same. */
    bool compare_and_set(std::string_view key, std::optional<std::string_view> expected,
                         std::nullptr_t desired) = delete;

    /** The value of a key, or std::nullopt if it is not there: rcuinfo_get_string. */
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
    /** The value of a key as that type (value.h), or std::nullopt if the key is not there. Throws RCUINFO_ERR_TYPE if
     * the value is not of the type. */
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

    /** The version number: rcuinfo_object_version. */
    std::uint64_t version() const
    {
        std::uint64_t version = 0;
        detail::check(rcuinfo_object_version(handle_, &version));
        return version;
    }

  private:
    template <typename T>
    std::optional<T> get_typed(rcuinfo_status_t (*getter)(rcuinfo_t, const char *, T *, rcuinfo_fault_t *),
                               std::string_view key) const
    {
        T value = 0;
        rcuinfo_fault_t fault = {};
        const rcuinfo_status_t status = getter(handle_, detail::key(key).c_str(), &value, &fault);
        if (status == RCUINFO_ERR_NOKEY)
            return std::nullopt;
        if (status != RCUINFO_SUCCESS)
            throw error(status, fault.what, fault.offset);
        return value;
    }

    rcuinfo_t handle_ = RCUINFO_NULL;
};

/** One version of an object, as a range of its pairs in their order: what snapshot and view have in common. */
class pairs
{
  public:
    /** A key and its value. */
    using value_type = std::pair<std::string_view, std::string_view>;

    /** Iterates over the pairs, any number of times. As it returns pairs by value, it is an input iterator in C++17,
     * but a forward iterator in C++20. */
    class iterator
    {
      public:
        /** For C++17. */
        using iterator_category = std::input_iterator_tag;
        /** For C++20. */
        using iterator_concept = std::forward_iterator_tag;
        /** A key and its value. */
        using value_type = pairs::value_type;
        /** Counts pairs. */
        using difference_type = std::ptrdiff_t;
        /** Returned by value. */
        using reference = value_type;

        /** The result of ->. */
        class pointer
        {
          public:
            /** Copies the pair. */
            explicit pointer(const value_type &pair) noexcept : pair_(pair)
            {
            }

            /** Valid as long as this object. */
            const value_type *operator->() const noexcept
            {
                return &pair_;
            }

          private:
            value_type pair_;
        };

        iterator() noexcept = default;

        /** Must not be at the end. */
        reference operator*() const
        {
            return nth(opened_, n_);
        }

        /** Must not be at the end. */
        pointer operator->() const
        {
            return pointer(**this);
        }

        /** Must not be at the end. */
        iterator &operator++() noexcept
        {
            n_++;
            return *this;
        }

        /** Must not be at the end. */
        iterator operator++(int) noexcept
        {
            iterator before = *this;
            n_++;
            return before;
        }

        /** Both must be of the same version. */
        friend bool operator==(const iterator &a, const iterator &b) noexcept
        {
            return a.n_ == b.n_;
        }

        /** Both must be of the same version. */
        friend bool operator!=(const iterator &a, const iterator &b) noexcept
        {
            return a.n_ != b.n_;
        }

      private:
        friend class pairs;

        iterator(const rcuinfo_snapshot_t *opened, std::size_t n) noexcept : opened_(opened), n_(n)
        {
        }

        const rcuinfo_snapshot_t *opened_ = nullptr;
        std::size_t n_ = 0;
    };
    /** Pairs cannot be changed. */
    using const_iterator = iterator;

    pairs(const pairs &) = delete;
    pairs &operator=(const pairs &) = delete;

    /** The snapshot for C functions, which must not close it. */
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

    /** Pair number n: rcuinfo_snapshot_nth. Throws RCUINFO_ERR_ARG if n >= size(). */
    value_type operator[](std::size_t n) const
    {
        return nth(opened_, n);
    }

    /** The value of a key, or std::nullopt if it is not there: rcuinfo_snapshot_find. */
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

    /** Past the last pair. */
    iterator end() const noexcept
    {
        return {opened_, size()};
    }

  protected:
    pairs() noexcept = default;
    ~pairs() = default;

    /** NULL: no pairs. */
    const rcuinfo_snapshot_t *opened_ = nullptr;

  private:
    static value_type nth(const rcuinfo_snapshot_t *opened, std::size_t n)
    {
        rcuinfo_pair_t pair;
        detail::check(rcuinfo_snapshot_nth(opened, n, &pair));
        return {{pair.key, pair.key_length}, {pair.value, pair.value_length}};
    }
};

/** A snapshot: one version of an object, for as long as you like. A default-constructed or moved-from one is empty. */
class snapshot : public pairs
{
  public:
    snapshot() noexcept = default;

    /** Opens the current version of an object: rcuinfo_snapshot_open. The object may be freed afterwards. */
    explicit snapshot(const info &object) : snapshot(object.native())
    {
    }

    /** Same, for a handle. */
    explicit snapshot(rcuinfo_t object)
    {
        detail::check(rcuinfo_snapshot_open(object, &opened_));
    }

    /** Takes over the snapshot of the other. */
    snapshot(snapshot &&other) noexcept
    {
        swap(other);
    }

    /** Closes its snapshot, and takes over that of the other. */
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

    /** Swaps the snapshots. */
    void swap(snapshot &other) noexcept
    {
        std::swap(opened_, other.opened_);
    }
};

/** A view: one version of an object, for a few lines of one thread (view.h). It cannot be moved, as the thread that
 * began it must end it. */
class view : public pairs
{
  public:
    /** Begins a view of the current version of an object: rcuinfo_view_begin. The object may be freed meanwhile. */
    explicit view(const info &object) : view(object.native())
    {
    }

    /** Same, for a handle. */
    explicit view(rcuinfo_t object) : view_()
    {
        detail::check(rcuinfo_view_begin(object, &view_));
        opened_ = view_.snapshot;
    }

    ~view()
    {
        rcuinfo_view_end(&view_);
    }

  private:
    rcuinfo_view_t view_;
};

} // namespace rcuinfo

#endif
