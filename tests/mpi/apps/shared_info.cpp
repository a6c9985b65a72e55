/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An ordinary hybrid program in C++, with std::thread, that knows nothing of rcuinfo; what shared_info.c does. On each
 * rank several threads set, get, delete, walk and dup one info object, while the main thread hands the same object to
 * MPI_Win_allocate, MPI_File_open and MPI_Comm_dup_with_info.
 *
 * Usage: shared_info [-s SECONDS] [-t THREADS] [-d DIRECTORY FOR A SMALL FILE]
 *
 * Every value proves itself: it says which thread wrote it and with which number, and the rest, of varying length,
 * follows from the number. What does not hold together counts as torn. Each thread sets a key of its own with
 * increasing numbers; a reader that finds a smaller number after a greater one, or the writer that does not find its
 * own last one, counts it as wrong (order). A call that fails although it may not counts as an error.
 *
 * Prints a line for each rank and one for all. Exit status 1 when anything was torn, wrong or an error.
 */
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <mpi.h>
#include <unistd.h>

namespace
{

constexpr int most_threads = 64;
constexpr int spares = 4; /* keys of each thread that come and go */
constexpr long long none = -1;
const std::string hint_key = "which_accumulate_ops";
const std::string hint_value = "sum,max,cswap";

enum { GETS, SETS, DELETES, WALKS, DUPS, CALLS, TORN, WRONG, ERRORS, COUNTS };
const char *const count_names[COUNTS] = {"gets", "sets", "deletes", "walks", "dups", "mpi", "torn", "wrong", "errors"};
using counts_t = std::array<long long, COUNTS>;

MPI_Info shared;
int threads = 4;
std::atomic<bool> stop{false};

std::string own_key(int thread)
{
    return "own_" + std::to_string(thread);
}

std::string spare_key(int thread, int n)
{
    return "spare_" + std::to_string(thread) + "_" + std::to_string(n);
}

/* "thread.number.tail", the tail made from the number: its length and its letter. */
std::string make_value(int thread, long long number)
{
    const std::string tail(static_cast<std::size_t>(number * 37 % 200), static_cast<char>('a' + number % 26));
    return std::to_string(thread) + "." + std::to_string(number) + "." + tail;
}

/* The number in a value of a thread's; none when it is torn. */
long long read_value(int thread, const std::string &value)
{
    const auto point = value.find('.');
    if (point == std::string::npos)
        return none;
    const long long number = std::strtoll(value.c_str() + point + 1, nullptr, 10);
    return number >= 0 && value == make_value(thread, number) ? number : none;
}

class worker
{
  public:
    worker(int rank, int thread) : id(thread), random(static_cast<unsigned>(rank * most_threads + thread + 1))
    {
        seen.fill(none);
    }

    counts_t counts{};

    /* Whether a call succeeded; one that did not is an error. */
    bool good(int code)
    {
        if (code == MPI_SUCCESS)
            return true;
        counts[ERRORS]++;
        return false;
    }

    void work()
    {
        while (!stop.load(std::memory_order_relaxed)) {
            set_own();
            for (int i = 0; i < 8; i++)
                get_from(shared, pick(threads));
            const int turn = pick(16);
            if (turn == 0)
                dup_and_read();
            else if (turn <= 2)
                walk();
            else if (turn == 3)
                delete_own();
            else if (turn <= 5)
                come_and_go();
            else
                get_hint();
        }
    }

  private:
    const int id;
    std::minstd_rand random;
    long long written = none;                   /* the number that is in the own key now; none: the key was deleted */
    long long next = 0;                         /* the number to write next */
    std::array<long long, most_threads> seen{}; /* the greatest number met in the key of each thread */

    int pick(int below)
    {
        return static_cast<int>(random() % static_cast<unsigned>(below));
    }

    bool set(const std::string &key)
    {
        if (!good(MPI_Info_set(shared, key.c_str(), make_value(id, next).c_str())))
            return false;
        counts[SETS]++;
        return true;
    }

    bool remove(const std::string &key)
    {
        if (!good(MPI_Info_delete(shared, key.c_str())))
            return false;
        counts[DELETES]++;
        return true;
    }

    void set_own()
    {
        if (set(own_key(id)))
            written = next++;
    }

    /* Both keys are this thread's alone, so both calls must succeed. */
    void come_and_go()
    {
        const std::string key = spare_key(id, pick(spares));
        if (set(key))
            remove(key);
    }

    void delete_own()
    {
        if (written != none && remove(own_key(id)))
            written = none;
    }

    bool get(MPI_Info info, const std::string &key, std::string &value)
    {
        char text[MPI_MAX_INFO_VAL + 1];
        int flag = 0;
        if (!good(MPI_Info_get(info, key.c_str(), MPI_MAX_INFO_VAL, text, &flag)))
            return false;
        counts[GETS]++;
        value = flag ? text : "";
        return true;
    }

    /* Reads the key of a thread in the shared object, or in a dup of it that was made just now. */
    void get_from(MPI_Info info, int thread)
    {
        std::string value;
        if (!get(info, own_key(thread), value))
            return;
        if (thread == id && value.empty() != (written == none))
            counts[WRONG]++;
        if (value.empty())
            return;
        const long long number = read_value(thread, value);
        auto &last = seen[static_cast<std::size_t>(thread)];
        if (number == none)
            counts[TORN]++;
        else if (number < last || (thread == id && number != written))
            counts[WRONG]++;
        else
            last = number;
    }

    /* The one pair that nobody writes: neither may the MPI that was given the object. */
    void get_hint()
    {
        std::string value;
        if (get(shared, hint_key, value) && value != hint_value)
            counts[TORN]++;
    }

    static bool is_known(const std::string &key)
    {
        if (key == hint_key)
            return true;
        for (int thread = 0; thread < threads; thread++) {
            if (key == own_key(thread))
                return true;
            for (int n = 0; n < spares; n++)
                if (key == spare_key(thread, n))
                    return true;
        }
        return false;
    }

    /* Others write meanwhile: keys may be met twice or not at all, and the last may be gone, an error past the end. */
    void walk()
    {
        int nkeys = 0;
        if (!good(MPI_Info_get_nkeys(shared, &nkeys)))
            return;
        if (nkeys < 1 || nkeys > 1 + threads * (1 + spares))
            counts[TORN]++;
        for (int n = 0; n < nkeys; n++) {
            char key[MPI_MAX_INFO_KEY + 1] = "";
            if (MPI_Info_get_nthkey(shared, n, key) != MPI_SUCCESS)
                break;
            if (!is_known(key))
                counts[TORN]++;
        }
        counts[WALKS]++;
    }

    void dup_and_read()
    {
        MPI_Info copy;
        if (!good(MPI_Info_dup(shared, &copy)))
            return;
        counts[DUPS]++;
        for (int thread = 0; thread < threads; thread++)
            get_from(copy, thread);
        good(MPI_Info_free(&copy));
    }
};

/* Hands the shared object to MPI, each time to three functions. The file is this rank's own: no shared disk needed. */
void hand_over(worker &me, const std::string &file_name)
{
    MPI_Win window;
    MPI_File file;
    MPI_Comm comm;
    void *base;
    if (me.good(MPI_Win_allocate(4096, 1, shared, MPI_COMM_WORLD, &base, &window)))
        me.good(MPI_Win_free(&window));
    if (me.good(MPI_File_open(MPI_COMM_SELF, file_name.c_str(),
                              MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, shared, &file)))
        me.good(MPI_File_close(&file));
    if (me.good(MPI_Comm_dup_with_info(MPI_COMM_WORLD, shared, &comm)))
        me.good(MPI_Comm_free(&comm));
    me.counts[CALLS] += 3;
}

/* Runs the threads until rank 0 says that the time is over. Returns the seconds that it took, adds up in total. */
double run(int rank, double seconds, const std::string &file_name, worker &total)
{
    const double start = MPI_Wtime();
    std::vector<worker> workers;
    std::vector<std::thread> running;
    int go_on = 1;
    for (int i = 0; i < threads; i++)
        workers.emplace_back(rank, i);
    for (auto &each : workers)
        running.emplace_back(&worker::work, &each);
    while (go_on) {
        hand_over(total, file_name);
        go_on = MPI_Wtime() - start < seconds;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    stop.store(true, std::memory_order_relaxed);
    for (auto &thread : running)
        thread.join();
    for (const auto &each : workers)
        std::transform(total.counts.begin(), total.counts.end(), each.counts.begin(), total.counts.begin(),
                       std::plus<>());
    return MPI_Wtime() - start;
}

/* One line, printed with one call, so that those of several ranks do not mix. */
void print_counts(const char *who, int number, const counts_t &counts, double seconds)
{
    std::ostringstream line;
    line << "shared_info: " << who << ' ' << number;
    for (std::size_t count = 0; count < COUNTS; count++)
        line << ' ' << count_names[count] << ' ' << counts[count];
    line << " seconds " << seconds << '\n';
    std::cout << line.str() << std::flush;
}

} // namespace

int main(int argc, char *argv[])
{
    std::string directory = "/tmp";
    double seconds = 2.0, longest = 0.0;
    int provided, rank, size, option;
    while ((option = getopt(argc, argv, "s:t:d:")) != -1) {
        if (option == 's')
            seconds = std::atof(optarg);
        else if (option == 't')
            threads = std::atoi(optarg);
        else if (option == 'd')
            directory = optarg;
        else
            threads = 0;
    }
    if (optind != argc || threads < 1 || threads > most_threads) {
        std::cerr << "usage: shared_info [-s SECONDS] [-t THREADS, at most " << most_threads << "] [-d DIRECTORY]\n";
        return 2;
    }
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided < MPI_THREAD_MULTIPLE) {
        std::cerr << "shared_info: this MPI does not provide MPI_THREAD_MULTIPLE\n";
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    worker total(rank, 0);
    const std::string file_name =
        directory + "/shared_info_cpp." + std::to_string(rank) + "." + std::to_string(getpid());
    if (total.good(MPI_Info_create(&shared)) &&
        total.good(MPI_Info_set(shared, hint_key.c_str(), hint_value.c_str()))) {
        seconds = run(rank, seconds, file_name, total);
        total.good(MPI_Info_free(&shared));
    }
    print_counts("rank", rank, total.counts, seconds);
    counts_t sums = total.counts;
    MPI_Reduce(total.counts.data(), sums.data(), COUNTS, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        print_counts("ranks", size, sums, longest);
    else
        sums = total.counts;
    MPI_Finalize();
    return sums[TORN] + sums[WRONG] + sums[ERRORS] == 0 ? 0 : 1;
}
