/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An ordinary hybrid program, written to MPI-3.1, that knows nothing of rcuinfo. On each rank several threads set, get,
 * delete, walk and dup one info object, while the main thread hands the same object to MPI_Win_allocate, MPI_File_open
 * and MPI_Comm_dup_with_info.
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
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#define MAX_THREADS   64
#define SPARE_KEYS    4 /* keys of each thread that come and go */
#define KEY_SIZE      32
#define THREAD_DIGITS 2
#define NUMBER_DIGITS 12
#define HEAD          (THREAD_DIGITS + 1 + NUMBER_DIGITS + 1) /* bytes before the tail */
#define MAX_TAIL      200 /* keeps every value below 255 bytes, which every MPI takes */
#define VALUE_SIZE    (HEAD + MAX_TAIL + 1)
#define LETTERS       26
#define NO_NUMBER     (-1LL)

static const char hint_key[] = "which_accumulate_ops";
static const char hint_value[] = "sum,max,cswap";

enum count { GETS, SETS, DELETES, WALKS, DUPS, CALLS, TORN, WRONG, ERRORS, COUNTS };
static const char *const count_names[COUNTS] = {"gets", "sets", "deletes", "walks", "dups",
                                                "mpi",  "torn", "wrong",   "errors"};

typedef struct worker {
    pthread_t thread;
    int id;
    unsigned long long random;
    long long written;           /* the number that is in the own key now; NO_NUMBER: the key was deleted */
    long long next;              /* the number to write next */
    long long seen[MAX_THREADS]; /* the greatest number met in the key of each thread */
    long long counts[COUNTS];
} worker_t;

static char own_keys[MAX_THREADS][KEY_SIZE];
static char spare_keys[MAX_THREADS][SPARE_KEYS][KEY_SIZE];
static char letters[LETTERS + MAX_TAIL];

static MPI_Info shared;
static int threads = 4;
static atomic_bool stop;

static unsigned pick(worker_t *me, unsigned below)
{
    me->random = me->random * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(me->random >> 33) % below;
}

/* Whether a call succeeded; one that did not is an error. */
static bool good(worker_t *me, int code)
{
    if (code == MPI_SUCCESS)
        return true;
    me->counts[ERRORS]++;
    return false;
}

/* Whole texts, made once: what a thread does between two calls should cost little beside the calls. */
static void make_texts(void)
{
    for (int thread = 0; thread < MAX_THREADS; thread++) {
        snprintf(own_keys[thread], KEY_SIZE, "own_%d", thread);
        for (int n = 0; n < SPARE_KEYS; n++)
            snprintf(spare_keys[thread][n], KEY_SIZE, "spare_%d_%d", thread, n);
    }
    for (int i = 0; i < LETTERS + MAX_TAIL; i++)
        letters[i] = (char)('a' + i % LETTERS);
}

static void put_digits(char *text, int digits, long long number)
{
    for (int i = digits - 1; i >= 0; i--, number /= 10)
        text[i] = (char)('0' + number % 10);
}

/* The number that some digits and a point after them make; NO_NUMBER when it is something else. */
static long long take_digits(const char *text, int digits)
{
    long long number = 0;

    for (int i = 0; i < digits; i++) {
        if (text[i] < '0' || text[i] > '9')
            return NO_NUMBER;
        number = number * 10 + text[i] - '0';
    }
    return text[digits] == '.' ? number : NO_NUMBER;
}

static size_t tail_length(long long number)
{
    return (size_t)(number * 37 % MAX_TAIL);
}

/* "thread.number.tail", the tail made from the number: its length and where in the alphabet it starts. */
static void make_value(int thread, long long number, char value[VALUE_SIZE])
{
    size_t length = tail_length(number);

    put_digits(value, THREAD_DIGITS, thread);
    value[THREAD_DIGITS] = '.';
    put_digits(value + THREAD_DIGITS + 1, NUMBER_DIGITS, number);
    value[HEAD - 1] = '.';
    memcpy(value + HEAD, letters + number % LETTERS, length);
    value[HEAD + length] = '\0';
}

/* The number in a value of a thread's; NO_NUMBER when it is torn. */
static long long read_value(int thread, const char *value)
{
    long long number = NO_NUMBER;
    size_t length;

    if (take_digits(value, THREAD_DIGITS) == thread)
        number = take_digits(value + THREAD_DIGITS + 1, NUMBER_DIGITS);
    if (number == NO_NUMBER)
        return NO_NUMBER;
    length = tail_length(number);
    if (strlen(value) != HEAD + length || memcmp(value + HEAD, letters + number % LETTERS, length) != 0)
        return NO_NUMBER;
    return number;
}

static void set_own(worker_t *me)
{
    char value[VALUE_SIZE];

    make_value(me->id, me->next, value);
    if (!good(me, MPI_Info_set(shared, own_keys[me->id], value)))
        return;
    me->counts[SETS]++;
    me->written = me->next++;
}

/* Sets a key and deletes it again; both are this thread's alone, so both must succeed. */
static void come_and_go(worker_t *me)
{
    const char *key = spare_keys[me->id][pick(me, SPARE_KEYS)];
    char value[VALUE_SIZE];

    make_value(me->id, me->next, value);
    if (!good(me, MPI_Info_set(shared, key, value)))
        return;
    me->counts[SETS]++;
    if (good(me, MPI_Info_delete(shared, key)))
        me->counts[DELETES]++;
}

static void delete_own(worker_t *me)
{
    if (me->written == NO_NUMBER || !good(me, MPI_Info_delete(shared, own_keys[me->id])))
        return;
    me->counts[DELETES]++;
    me->written = NO_NUMBER;
}

/* Reads the key of a thread in the shared object, or in a dup of it that was made just now. */
static void get_from(worker_t *me, MPI_Info info, int thread)
{
    char value[MPI_MAX_INFO_VAL + 1];
    long long number;
    int flag = 0;

    if (!good(me, MPI_Info_get(info, own_keys[thread], MPI_MAX_INFO_VAL, value, &flag)))
        return;
    me->counts[GETS]++;
    if (thread == me->id && flag != (me->written != NO_NUMBER))
        me->counts[WRONG]++;
    if (!flag)
        return;
    number = read_value(thread, value);
    if (number == NO_NUMBER)
        me->counts[TORN]++;
    else if (number < me->seen[thread] || (thread == me->id && number != me->written))
        me->counts[WRONG]++;
    else
        me->seen[thread] = number;
}

/* The one pair that nobody writes: neither may the MPI that was given the object. */
static void get_hint(worker_t *me)
{
    char value[MPI_MAX_INFO_VAL + 1];
    int flag = 0;

    if (!good(me, MPI_Info_get(shared, hint_key, MPI_MAX_INFO_VAL, value, &flag)))
        return;
    me->counts[GETS]++;
    if (!flag || strcmp(value, hint_value) != 0)
        me->counts[TORN]++;
}

static bool known_key(const char *key)
{
    int thread;
    int n;

    if (strcmp(key, hint_key) == 0)
        return true;
    if (sscanf(key, "own_%d", &thread) == 1)
        return thread >= 0 && thread < threads && strcmp(key, own_keys[thread]) == 0;
    return sscanf(key, "spare_%d_%d", &thread, &n) == 2 && thread >= 0 && thread < threads && n >= 0 &&
           n < SPARE_KEYS && strcmp(key, spare_keys[thread][n]) == 0;
}

/* Others write meanwhile, so keys may be met twice or not at all, and the last ones may be gone: an error past the end.
 */
static void walk(worker_t *me)
{
    char key[MPI_MAX_INFO_KEY + 1];
    int nkeys = 0;

    if (!good(me, MPI_Info_get_nkeys(shared, &nkeys)))
        return;
    if (nkeys < 1 || nkeys > 1 + threads * (1 + SPARE_KEYS))
        me->counts[TORN]++;
    for (int n = 0; n < nkeys && n < MAX_THREADS * (2 + SPARE_KEYS); n++) {
        memset(key, 0, sizeof key);
        if (MPI_Info_get_nthkey(shared, n, key) != MPI_SUCCESS)
            break;
        if (!known_key(key))
            me->counts[TORN]++;
    }
    me->counts[WALKS]++;
}

static void dup_and_read(worker_t *me)
{
    MPI_Info copy;

    if (!good(me, MPI_Info_dup(shared, &copy)))
        return;
    me->counts[DUPS]++;
    for (int thread = 0; thread < threads; thread++)
        get_from(me, copy, thread);
    good(me, MPI_Info_free(&copy));
}

static void *work(void *argument)
{
    worker_t *me = argument;

    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        set_own(me);
        for (int i = 0; i < 8; i++)
            get_from(me, shared, (int)pick(me, (unsigned)threads));
        switch (pick(me, 16)) {
        case 0:
            dup_and_read(me);
            break;
        case 1:
        case 2:
            walk(me);
            break;
        case 3:
            delete_own(me);
            break;
        case 4:
        case 5:
            come_and_go(me);
            break;
        default:
            get_hint(me);
            break;
        }
    }
    return NULL;
}

/* Hands the shared object to MPI, each time to three functions. The file is this rank's own: no shared disk needed. */
static void hand_over(worker_t *me, char *file_name)
{
    MPI_Win window;
    MPI_File file;
    MPI_Comm comm;
    void *base;

    if (good(me, MPI_Win_allocate(4096, 1, shared, MPI_COMM_WORLD, &base, &window)))
        good(me, MPI_Win_free(&window));
    if (good(me, MPI_File_open(MPI_COMM_SELF, file_name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                               shared, &file)))
        good(me, MPI_File_close(&file));
    if (good(me, MPI_Comm_dup_with_info(MPI_COMM_WORLD, shared, &comm)))
        good(me, MPI_Comm_free(&comm));
    me->counts[CALLS] += 3;
}

/* Runs the threads until rank 0 says that the time is over. Returns the seconds that it took, adds up in total. */
static double run(int rank, double seconds, char *file_name, worker_t *total)
{
    static worker_t workers[MAX_THREADS];
    double start = MPI_Wtime();
    int go_on = 1;

    for (int i = 0; i < threads; i++) {
        workers[i].id = i;
        workers[i].random = (unsigned long long)(rank * MAX_THREADS + i + 1);
        workers[i].written = NO_NUMBER;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            fprintf(stderr, "shared_info: no thread\n");
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    while (go_on) {
        hand_over(total, file_name);
        go_on = MPI_Wtime() - start < seconds;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    atomic_store_explicit(&stop, true, memory_order_relaxed);
    for (int i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        for (int count = 0; count < COUNTS; count++)
            total->counts[count] += workers[i].counts[count];
    }
    return MPI_Wtime() - start;
}

/* One line, printed with one call, so that those of several ranks do not mix. */
static void print_counts(const char *who, int number, const long long counts[COUNTS], double seconds)
{
    char line[512];
    size_t used = (size_t)snprintf(line, sizeof line, "shared_info: %s %d", who, number);

    for (int count = 0; count < COUNTS; count++)
        used += (size_t)snprintf(line + used, sizeof line - used, " %s %lld", count_names[count], counts[count]);
    snprintf(line + used, sizeof line - used, " seconds %.3f\n", seconds);
    fputs(line, stdout);
    fflush(stdout);
}

static int usage(void)
{
    fprintf(stderr, "usage: shared_info [-s SECONDS] [-t THREADS, at most %d] [-d DIRECTORY]\n", MAX_THREADS);
    return 2;
}

int main(int argc, char *argv[])
{
    static worker_t total;
    const char *directory = "/tmp";
    char file_name[1024];
    long long sums[COUNTS] = {0};
    double seconds = 2.0;
    double longest = 0.0;
    int provided;
    int rank;
    int size;
    int option;

    while ((option = getopt(argc, argv, "s:t:d:")) != -1) {
        if (option == 's')
            seconds = atof(optarg);
        else if (option == 't')
            threads = atoi(optarg);
        else if (option == 'd')
            directory = optarg;
        else
            return usage();
    }
    if (optind != argc || threads < 1 || threads > MAX_THREADS)
        return usage();

    make_texts();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided < MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "shared_info: this MPI does not provide MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    snprintf(file_name, sizeof file_name, "%s/shared_info.%d.%ld", directory, rank, (long)getpid());

    if (good(&total, MPI_Info_create(&shared)) && good(&total, MPI_Info_set(shared, hint_key, hint_value))) {
        seconds = run(rank, seconds, file_name, &total);
        good(&total, MPI_Info_free(&shared));
    }

    print_counts("rank", rank, total.counts, seconds);
    MPI_Reduce(total.counts, sums, COUNTS, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        print_counts("ranks", size, sums, longest);
    else
        memcpy(sums, total.counts, sizeof sums);
    MPI_Finalize();
    return sums[TORN] + sums[WRONG] + sums[ERRORS] == 0 ? 0 : 1;
}
