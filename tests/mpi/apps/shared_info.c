/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shared_info: an ordinary hybrid program for MPI-3.1 that knows nothing of rcuinfo. Several threads on each rank
 *   mixed: set, get, delete, walk and dup one info object;
 *   readers: get hints of one info object, except for one thread, which changes them;
 *   own: create an info each, set 2 to 4 keys, read one of them back, and free the info.
 * Meanwhile, unless each has its own, the main thread passes the shared object to MPI_Win_allocate, MPI_File_open and
 * MPI_Comm_dup_with_info, over and over or 50 times a second.
 *
 * Usage: shared_info [-s SECONDS] [-d DIRECTORY FOR A SMALL FILE] [-p mixed|readers|own]
 *
 * A value has the number of its key, a sequence number, and a tail of varying length that follows from that number; an
 * inconsistent value counts as torn. Each key of the shared object has one writer, which sets increasing numbers. It
 * counts as wrong if a reader finds a smaller number after a greater one, or the writer not the last that it wrote, and
 * as an error if a call fails that must not. Prints the sums over all ranks, which tools/quickstart reads. The exit
 * status is 1 if any of the three is not 0.
 */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>

#define THREADS   4
#define KEY_SIZE  32
#define MAX_TAIL  200 /* with `mixed`; keeps every value below 255 bytes, which every MPI takes */
#define LETTERS   26
#define NO_NUMBER (-1LL)

static const char hint_key[] = "which_accumulate_ops";
static const char hint_value[] = "sum,max,cswap";

enum count { GETS, SETS, INFOS, OTHERS, TORN, WRONG, ERRORS, COUNTS };
static const char *const count_names[COUNTS] = {"gets", "sets", "infos", "others", "torn", "wrong", "errors"};

enum part { MIXED, READERS, OWN, PARTS };
static const char *const part_names[PARTS] = {"mixed", "readers", "own"};

struct worker {
    pthread_t thread;
    int id;
    unsigned long long random;
    long long written[THREADS]; /* the number in each key of this thread; NO_NUMBER if the key is absent */
    long long next;             /* the number to write next */
    long long seen[THREADS];    /* the greatest number read from each key */
    long long counts[COUNTS];
};

/* Texts made once in advance: the work between two calls should cost little compared with the calls. */
static char keys[THREADS][KEY_SIZE];
static char letters[LETTERS + MAX_TAIL];

static enum part part = MIXED;
static MPI_Info shared;
static atomic_bool stop;

static void give_up(const char *reason)
{
    fprintf(stderr, "shared_info: %s\n", reason);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int pick(struct worker *me, unsigned below)
{
    me->random = me->random * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)((unsigned)(me->random >> 33) % below);
}

/* Counts a call that must not fail, as `count` or as an error. Returns whether it succeeded. */
static bool good(struct worker *me, enum count count, int code)
{
    me->counts[code == MPI_SUCCESS ? count : ERRORS]++;
    return code == MPI_SUCCESS;
}

/* The thread that writes the key. */
static int owner_of(int key)
{
    return part == READERS ? 0 : key;
}

static size_t tail_length(long long number)
{
    return (size_t)(number * 37 % (part == MIXED ? MAX_TAIL : 16));
}

/* Sets a key to "key.number.tail". The number determines the length of the tail and its first letter. */
static void set(struct worker *me, MPI_Info info, int key)
{
    char value[MPI_MAX_INFO_VAL + 1];
    snprintf(value, sizeof value, "%d.%lld.%.*s", key, me->next, (int)tail_length(me->next),
             letters + me->next % LETTERS);
    if (good(me, SETS, MPI_Info_set(info, keys[key], value)))
        me->written[key] = me->next++;
}

/* Returns the number in a value of the key, or NO_NUMBER if the value is torn. */
static long long read_value(int key, const char *value)
{
    char *end;
    if (strtol(value, &end, 10) != key || *end != '.')
        return NO_NUMBER;
    long long number = strtoll(end + 1, &end, 10);
    size_t length = tail_length(number);
    if (number < 0 || *end != '.' || strlen(end + 1) != length ||
        memcmp(end + 1, letters + number % LETTERS, length) != 0)
        return NO_NUMBER;
    return number;
}

static void delete_own(struct worker *me)
{
    if (me->written[me->id] != NO_NUMBER && good(me, OTHERS, MPI_Info_delete(shared, keys[me->id])))
        me->written[me->id] = NO_NUMBER;
}

/* Reads a key of the shared object, of a fresh dup of it, or of this thread's info. */
static void get_from(struct worker *me, MPI_Info info, int key)
{
    char value[MPI_MAX_INFO_VAL + 1];
    bool mine = part == OWN || owner_of(key) == me->id;
    int flag = 0;
    if (!good(me, GETS, MPI_Info_get(info, keys[key], MPI_MAX_INFO_VAL, value, &flag)))
        return;
    if (mine && flag != (me->written[key] != NO_NUMBER))
        me->counts[WRONG]++;
    if (!flag)
        return;
    long long number = read_value(key, value);
    if (number == NO_NUMBER)
        me->counts[TORN]++;
    else if (number < me->seen[key] || (mine && number != me->written[key]))
        me->counts[WRONG]++;
    else
        me->seen[key] = number;
}

/* Reads the one pair that no thread writes. The MPI library, which gets the object, must not change it either. */
static void get_hint(struct worker *me)
{
    char value[MPI_MAX_INFO_VAL + 1];
    int flag = 0;
    if (good(me, GETS, MPI_Info_get(shared, hint_key, MPI_MAX_INFO_VAL, value, &flag)))
        me->counts[TORN] += !flag || strcmp(value, hint_value) != 0;
}

/* Other threads write meanwhile: a key may be read twice or not at all, and an index past the last key is an error. */
static void walk(struct worker *me)
{
    char key[MPI_MAX_INFO_KEY + 1] = "";
    int nkeys = 0;
    if (good(me, OTHERS, MPI_Info_get_nkeys(shared, &nkeys)))
        me->counts[TORN] += nkeys < 1 || nkeys > 1 + THREADS;
    for (int n = 0; n < nkeys && MPI_Info_get_nthkey(shared, n, key) == MPI_SUCCESS; n++) {
        bool known = strcmp(key, hint_key) == 0;
        for (int thread = 0; thread < THREADS; thread++)
            known |= strcmp(key, keys[thread]) == 0;
        me->counts[TORN] += !known;
    }
}

static void dup_and_read(struct worker *me)
{
    MPI_Info copy;
    if (!good(me, OTHERS, MPI_Info_dup(shared, &copy)))
        return;
    for (int thread = 0; thread < THREADS; thread++)
        get_from(me, copy, thread);
    good(me, OTHERS, MPI_Info_free(&copy));
}

static void work_mixed(struct worker *me)
{
    static void (*const actions[16])(struct worker *) = {dup_and_read, walk, walk, delete_own, delete_own};
    set(me, shared, me->id);
    for (int i = 0; i < 8; i++)
        get_from(me, shared, pick(me, THREADS));
    int action = pick(me, 16);
    (actions[action] ? actions[action] : get_hint)(me);
}

static void work_readers(struct worker *me)
{
    for (int i = 0; i < THREADS; i++) {
        if (owner_of(i) == me->id)
            set(me, shared, i);
        else
            get_from(me, shared, i);
    }
}

static void work_own(struct worker *me)
{
    int sets = 2 + pick(me, 3);
    MPI_Info info;
    if (!good(me, OTHERS, MPI_Info_create(&info)))
        return;
    for (int key = 0; key < sets; key++)
        set(me, info, key);
    get_from(me, info, pick(me, (unsigned)sets));
    good(me, INFOS, MPI_Info_free(&info));
}

static void *work(void *argument)
{
    static void (*const works[PARTS])(struct worker *) = {work_mixed, work_readers, work_own};
    while (!atomic_load_explicit(&stop, memory_order_relaxed))
        works[part](argument);
    return NULL;
}

/* Passes the shared object to three MPI functions. Each rank has its own file, so no shared file system is needed. */
static void hand_over(struct worker *me, const char *file_name)
{
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    MPI_Win window;
    MPI_File file;
    MPI_Comm comm;
    void *base;
    if (good(me, OTHERS, MPI_Win_allocate(4096, 1, shared, MPI_COMM_WORLD, &base, &window)))
        good(me, OTHERS, MPI_Win_free(&window));
    if (good(me, OTHERS, MPI_File_open(MPI_COMM_SELF, file_name, mode, shared, &file)))
        good(me, OTHERS, MPI_File_close(&file));
    if (good(me, OTHERS, MPI_Comm_dup_with_info(MPI_COMM_WORLD, shared, &comm)))
        good(me, OTHERS, MPI_Comm_free(&comm));
}

/* Runs the threads until rank 0 says that the time is over. */
static void run(int rank, double seconds, const char *file_name, struct worker *total)
{
    static struct worker workers[THREADS];
    const struct timespec pause = {.tv_nsec = 20000000};
    double start = MPI_Wtime();
    int go_on = 1;

    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.id = i, .random = (unsigned)(rank * THREADS + i + 1)};
        for (int key = 0; key < THREADS; key++)
            workers[i].written[key] = NO_NUMBER;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            give_up("cannot create a thread");
    }
    while (go_on) {
        if (part != OWN)
            hand_over(total, file_name);
        if (part != MIXED)
            nanosleep(&pause, NULL);
        go_on = MPI_Wtime() - start < seconds;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    atomic_store_explicit(&stop, true, memory_order_relaxed);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        for (int count = 0; count < COUNTS; count++)
            total->counts[count] += workers[i].counts[count];
    }
}

static bool choose_part(const char *name)
{
    part = MIXED;
    while (part < PARTS && strcmp(part_names[part], name) != 0)
        part++;
    return part < PARTS;
}

int main(int argc, char *argv[])
{
    static struct worker total;
    const char *directory = "/tmp";
    char file_name[1024];
    long long sums[COUNTS] = {0};
    double seconds = 1.0, longest = 0.0;
    int provided, rank, size, option;

    while ((option = getopt(argc, argv, "s:d:p:")) != -1) {
        if (option == '?' || (option == 'p' && !choose_part(optarg)))
            return 2;
        if (option == 's')
            seconds = atof(optarg);
        else if (option == 'd')
            directory = optarg;
    }
    for (int key = 0; key < THREADS; key++)
        snprintf(keys[key], KEY_SIZE, "hint_%d", key);
    for (int i = 0; i < LETTERS + MAX_TAIL; i++)
        letters[i] = (char)('a' + i % LETTERS);

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided < MPI_THREAD_MULTIPLE)
        give_up("this MPI does not provide MPI_THREAD_MULTIPLE");
    snprintf(file_name, sizeof file_name, "%s/shared_info.%d.%ld", directory, rank, (long)getpid());

    double start = MPI_Wtime();
    if (good(&total, OTHERS, MPI_Info_create(&shared)) &&
        good(&total, SETS, MPI_Info_set(shared, hint_key, hint_value)))
        run(rank, seconds, file_name, &total);
    good(&total, OTHERS, MPI_Info_free(&shared));
    seconds = MPI_Wtime() - start;

    MPI_Allreduce(total.counts, sums, COUNTS, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("shared_info: ranks %d", size);
        for (int count = 0; count < COUNTS; count++)
            printf(" %s %lld", count_names[count], sums[count]);
        printf(" seconds %.3f\n", longest);
    }
    MPI_Finalize();
    return sums[TORN] + sums[WRONG] + sums[ERRORS] == 0 ? 0 : 1;
}
