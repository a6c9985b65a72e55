/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators: each has one duplicate, which is created at the first call and freed together with it. Unsuitable ones
 * are refused. The calls do not interfere with the program's messages or attributes.
 *
 * rcuinfo_mpi_bcast; rcuinfo_mpi_union and rcuinfo_mpi_intersection, compared with merging all infos one by one in the
 * order of the ranks. rcuinfo_mpi_agree: root must get the same disagreements as from counting all values one by one.
 * Each process can compute every rank's info. An error on any process must be returned on all; it must not invoke the
 * communicator's error handler, which would end the program.
 */
#include "collective/collective.h"
#include "stress/random.h"

static rcuinfo_t make_ranked(void)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%d", rank);
    return OBJECT("rank", text);
}

/* A broadcast from a communicator's first process, whose rank in the world is `first`. */
static void use(MPI_Comm comm, int first)
{
    rcuinfo_t info = make_ranked(), got;
    char value[16];
    int length = sizeof value, flag;
    CHECK_MPI(rcuinfo_mpi_bcast(info, 0, comm, &got), MPI_SUCCESS);
    CHECK_OK(rcuinfo_get_string(got, "rank", &length, value, &flag));
    CHECKF(atoi(value) == first, "got the info of rank %s, not %d", value, first);
    object_free(got);
    object_free(info);
}

/* Duplicates a communicator that has been used, several times in a chain: the attribute must not be copied. */
static void one_duplicate_each(void)
{
    MPI_Comm comms[4] = {MPI_COMM_WORLD};
    int before = atomic_load(&counted.duplicates), keys = atomic_load(&counted.keys), dups = atomic_load(&counted.dups);
    for (int n = 1; n < 4; n++) {
        CHECK_MPI(PMPI_Comm_dup(comms[n - 1], &comms[n]), MPI_SUCCESS);
        CHECK(atomic_load(&counted.duplicates) == before + n - 1);
        use(comms[n], 0);
        use(comms[n], 0);
        CHECK(atomic_load(&counted.duplicates) == before + n && atomic_load(&counted.dups) == dups + n);
        CHECK(atomic_load(&counted.keys) > 0);
    }
    for (int n = 1; n < 4; n++) {
        CHECK_MPI(PMPI_Comm_free(&comms[n]), MPI_SUCCESS);
        CHECK(atomic_load(&counted.duplicates) == before + 3 - n);
    }
    CHECK(atomic_load(&counted.keys) == keys);
}

/* Communicators with the ranks in reverse order, and with half of the ranks. */
static void parts_of_the_world(void)
{
    MPI_Comm reverse, half;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reverse), MPI_SUCCESS);
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half), MPI_SUCCESS);
    use(reverse, size - 1);
    use(half, rank % 2);
    use(MPI_COMM_SELF, rank);
    use(MPI_COMM_WORLD, 0);
    CHECK_MPI(PMPI_Comm_free(&reverse), MPI_SUCCESS);
    CHECK_MPI(PMPI_Comm_free(&half), MPI_SUCCESS);
}

static void check_comm_refused(MPI_Comm comm)
{
    const char *const keys[] = {"a"};
    rcuinfo_t info = make_ranked();
    size_t found = 77;
    int agree = 77;
    for (int i = 0; i < CALLS; i++) {
        rcuinfo_t got = UNTOUCHED;
        CHECK_MPI(calls[i](info, 0, comm, &got), MPI_ERR_COMM);
        CHECK(got == RCUINFO_NULL);
        CHECK_MPI(calls[i](info, 0, comm, NULL), MPI_ERR_COMM);
    }
    CHECK_MPI(rcuinfo_mpi_agree(info, keys, 1, 0, comm, &agree, NULL, 0, &found), MPI_ERR_COMM);
    CHECK(agree == 77 && found == 77);
    object_free(info);
}

static void null_and_intercommunicators_are_refused(void)
{
    MPI_Comm half, inter;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half), MPI_SUCCESS);
    CHECK_MPI(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter), MPI_SUCCESS);
    check_comm_refused(MPI_COMM_NULL);
    check_comm_refused(inter);
    CHECK_MPI(PMPI_Comm_free(&inter), MPI_SUCCESS);
    CHECK_MPI(PMPI_Comm_free(&half), MPI_SUCCESS);
}

/* A wildcard receive of the program must not match a message of the library. */
static void messages_of_the_program(void)
{
    MPI_Request request;
    MPI_Status status;
    int number = rank, got = -1;
    rcuinfo_t info = make_ranked(), all;
    CHECK_MPI(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    CHECK_MPI(rcuinfo_mpi_union(info, MPI_COMM_WORLD, &all), MPI_SUCCESS);
    CHECK_MPI(PMPI_Send(&number, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_MPI(MPI_Wait(&request, &status), MPI_SUCCESS);
    CHECK(got == (rank + size - 1) % size && status.MPI_TAG == 3);
    object_free(all);
    object_free(info);
}

/* Infos of one kind: each rank lacks three keys of all, and begins with another. Two of three keys have the same value
 * with all, so that an intersection leaves something; of the others' values some begin like another. */
struct kind {
    unsigned pairs;
    unsigned values;
    unsigned length;
};

static rcuinfo_t make_of(int of_rank, struct kind kind)
{
    rcuinfo_t info = object_empty();
    struct random random = {(uint64_t)of_rank * 1000 + kind.pairs};
    for (unsigned n = 0; n < kind.pairs; n++) {
        char key[32], value[RCUINFO_MAX_VALUE];
        unsigned number = (n * 7919 + (unsigned)of_rank) % (kind.pairs + 3);
        (void)snprintf(key, sizeof key, "key %u", number);
        unsigned one = number % 3 ? 0 : random_below(&random, kind.values);
        (void)snprintf(value, sizeof value, "%u%*s", one / 2, (int)(kind.length + one % 2), "");
        CHECK_OK(rcuinfo_set(info, key, value));
    }
    return info;
}

/* Merges one more info by single calls. */
static void merge_into(rcuinfo_t all, rcuinfo_t other, bool intersect)
{
    const rcuinfo_snapshot_t *ours = object_open(all), *theirs = object_open(other);
    rcuinfo_pair_t pair, found;
    for (size_t n = 0; !intersect && n < rcuinfo_snapshot_count(theirs); n++) {
        CHECK_OK(rcuinfo_snapshot_nth(theirs, n, &pair));
        if (rcuinfo_snapshot_find(ours, pair.key, &found) == RCUINFO_ERR_NOKEY)
            CHECK_OK(rcuinfo_set(all, pair.key, pair.value));
    }
    for (size_t n = 0; intersect && n < rcuinfo_snapshot_count(ours); n++) {
        CHECK_OK(rcuinfo_snapshot_nth(ours, n, &pair));
        if (rcuinfo_snapshot_find(theirs, pair.key, &found) != RCUINFO_SUCCESS || strcmp(found.value, pair.value) != 0)
            CHECK_OK(rcuinfo_delete(all, pair.key));
    }
    rcuinfo_snapshot_close(ours);
    rcuinfo_snapshot_close(theirs);
}

static rcuinfo_t wanted_of(call_t *call, struct kind kind, int root)
{
    rcuinfo_t all = make_of(call == rcuinfo_mpi_bcast ? root : 0, kind);
    for (int r = 1; r < size && call != rcuinfo_mpi_bcast; r++) {
        rcuinfo_t other = make_of(r, kind);
        merge_into(all, other, call == call_intersection);
        object_free(other);
    }
    return all;
}

static void check_call(call_t *call, struct kind kind, int root)
{
    rcuinfo_t mine = make_of(rank, kind), before = object_dup(mine), wanted = wanted_of(call, kind, root);
    rcuinfo_t got = UNTOUCHED;
    CHECK_MPI(call(mine, root, MPI_COMM_WORLD, &got), MPI_SUCCESS);
    check_same(got, wanted);
    check_same(mine, before);
    CHECK_OK(rcuinfo_set(got, "key 0", "of its own"));
    object_free(got);
    object_free(mine);
    object_free(before);
    object_free(wanted);
}

/* Each from one root or another: MPICH's processes wait for each other without giving their processor away, so where
 * they are more than those every step takes long. */
static void infos_of_every_size(void)
{
    const struct kind kinds[] = {{0, 1, 0}, {1, 2, 1}, {7, 3, 5}, {16, 2, 20}, {90, 3, 40}, {1000, 2, 10}};
    for (int n = 0; n < 6; n++) {
        for (int i = 0; i < CALLS; i++)
            check_call(calls[i], kinds[n], (n + size - 1) % size);
    }
}

static void more_than_one_part(void)
{
    for (int i = 0; i < CALLS; i++)
        check_call(calls[i], (struct kind){1500, 1, 1000}, size - 1);
}

static void lengths_around_a_small_packet(void)
{
    for (unsigned length = 985; length < RCUINFO_MAX_VALUE - 1; length += 5)
        check_call(rcuinfo_mpi_bcast, (struct kind){4, 1, length}, (int)length % size);
}

static void check_steps(unsigned pairs, int reductions)
{
    counted_reset();
    check_call(rcuinfo_mpi_bcast, (struct kind){pairs, 2, 30}, 0);
    int counts[] = {atomic_load(&counted.reductions), atomic_load(&counted.broadcasts), atomic_load(&counted.messages)};
    CHECKF(counts[0] == reductions && counts[1] == 1 && counts[2] == 0, "%d, %d, %d", counts[0], counts[1], counts[2]);
}

/* Two reductions and one broadcast where nobody has to find memory, one reduction more where they do. In a merge each
 * process sends once, and receives from no more than its place in the tree says. */
static void steps_grow_with_the_logarithm(void)
{
    int most = rank != 0;
    check_steps(16, 2);
    check_steps(1000, 3);
    for (int step = 1; step < size && rank % (2 * step) == 0; step *= 2)
        most += rank + step < size;
    counted_reset();
    check_call(call_union, (struct kind){90, 3, 40}, 0);
    CHECKF(atomic_load(&counted.messages) <= 3 * most, "%d messages, %d partners", atomic_load(&counted.messages),
           most);
    CHECK(atomic_load(&counted.reductions) <= 3 && atomic_load(&counted.broadcasts) == 1);
}

/* Makes a call that must fail. Only MPI_ERR_ARG leaves the output handle unchanged. */
static void check_refused(call_t *call, rcuinfo_t info, int root, bool null_output, int wanted)
{
    rcuinfo_t got = UNTOUCHED;
    CHECK_MPI(call(info, root, MPI_COMM_WORLD, null_output ? NULL : &got), wanted);
    CHECK(got == (wanted == MPI_ERR_ARG ? UNTOUCHED : RCUINFO_NULL));
}

static void errors_anywhere(void)
{
    const rcuinfo_t bad[] = {make_stale(), RCUINFO_NULL};
    const int bad_roots[] = {-1, INT_MIN, size, INT_MAX};
    const struct kind kinds[CALLS] = {{2, 1, 3}, {7, 3, 5}, {400, 3, 30}};
    for (int i = 0; i < CALLS; i++) {
        rcuinfo_t info = make_of(rank, kinds[i]);
        for (int where = 0; where < size; where++) {
            check_refused(calls[i], rank == where ? bad[where % 2] : info, where, false, MPI_ERR_INFO);
            check_refused(calls[i], info, 0, rank == where, MPI_ERR_ARG);
        }
        object_free(info);
    }
    rcuinfo_t info = make_of(0, kinds[0]), got;
    for (int n = 0; n < 4; n++)
        check_refused(rcuinfo_mpi_bcast, info, rank == n % size ? bad_roots[n] : 0, false, MPI_ERR_ROOT);
    check_refused(rcuinfo_mpi_bcast, info, rank == 0, false, MPI_ERR_ROOT);
    /* Only the root's info counts. */
    CHECK_MPI(rcuinfo_mpi_bcast(rank == 1 ? info : bad[rank % 2], 1, MPI_COMM_WORLD, &got), MPI_SUCCESS);
    check_same(got, info);
    object_free(got);
    object_free(info);
}

enum { MOST_KEYS = 280 }; /* more than one reduction compares */

/* Returns the value of a key on a rank; NULL if the key is absent. */
typedef const char *value_t(int of_rank, size_t key);

static char key_texts[MOST_KEYS][16];
static const char *keys[MOST_KEYS];
static rcuinfo_disagreement_t told[MOST_KEYS];

static void make_keys(void)
{
    for (int n = 0; n < MOST_KEYS; n++) {
        (void)snprintf(key_texts[n], sizeof key_texts[n], "key %d", n);
        keys[n] = key_texts[n];
    }
}

/* Computes the disagreement on a key by counting. Returns false if all agree. */
static bool count_values(value_t *value, size_t key, rcuinfo_disagreement_t *found)
{
    const char *values[64];
    CHECK(size <= 64);
    memset(found, 0, sizeof *found);
    for (int r = 0; r < size; r++)
        values[r] = value(r, key);
#define EQUAL(a, b) ((a) == NULL || (b) == NULL ? (a) == (b) : strcmp(a, b) == 0)
    for (int r = size - 1; r >= 0; r--) {
        int have = 0;
        for (int other = 0; other < size; other++)
            have += EQUAL(values[other], values[r]);
        if (2 * have > size) {
            found->majority = have;
            found->rank = r;
        }
    }
    for (int r = size - 1; r >= 0; r--) {
        if (!EQUAL(values[r], values[found->rank])) {
            found->odd++;
            found->odd_rank = r;
        }
    }
    if (found->odd == 0)
        return false;
    (void)snprintf(found->key, sizeof found->key, "%s", keys[key]);
    found->present = values[found->rank] != NULL;
    found->odd_present = values[found->odd_rank] != NULL;
    (void)snprintf(found->value, sizeof found->value, "%s", found->present ? values[found->rank] : "");
    (void)snprintf(found->odd_value, sizeof found->odd_value, "%s", found->odd_present ? values[found->odd_rank] : "");
    return true;
}

static void check_one(const rcuinfo_disagreement_t *got, const rcuinfo_disagreement_t *wanted)
{
    char texts[2][3 * RCUINFO_MAX_VALUE];
    for (int i = 0; i < 2; i++) {
        const rcuinfo_disagreement_t *d = i ? wanted : got;
        (void)snprintf(texts[i], sizeof texts[i],
                       "%s: %d have what rank %d has (present %d), %s; %d are odd, first rank %d (present %d), %s",
                       d->key, d->majority, d->rank, d->present, d->value, d->odd, d->odd_rank, d->odd_present,
                       d->odd_value);
    }
    CHECK_TEXT(texts[0], texts[1]);
}

static rcuinfo_t make_values(value_t *value, size_t n)
{
    rcuinfo_t info = object_empty();
    for (size_t key = 0; key < n; key++) {
        const char *text = value(rank, key);
        if (text)
            CHECK_OK(rcuinfo_set(info, keys[key], text));
    }
    CHECK_OK(rcuinfo_set(info, "not asked for", rank % 2 ? "a" : "b"));
    return info;
}

/* Compares n keys, with room for `room` disagreements, and checks all outputs. */
static void check_values(value_t *value, size_t n, int root, size_t room)
{
    rcuinfo_t info = make_values(value, n);
    rcuinfo_disagreement_t wanted;
    size_t in_dispute = 0, got = 77;
    int agree = -1;
    memset(told, 0x55, sizeof told);
    CHECK_MPI(rcuinfo_mpi_agree(info, keys, n, root, MPI_COMM_WORLD, &agree, rank == root && room > 0 ? told : NULL,
                                rank == root ? room : 77, rank == root ? &got : NULL),
              MPI_SUCCESS);
    for (size_t key = 0; key < n; key++) {
        if (!count_values(value, key, &wanted))
            continue;
        if (rank == root && in_dispute < room)
            check_one(&told[in_dispute], &wanted);
        in_dispute++;
    }
    CHECKF(agree == (in_dispute == 0), "agree is %d at rank %d", agree, rank);
    CHECKF(rank != root || got == in_dispute, "%zu keys in dispute, not %zu", got, in_dispute);
    size_t written = rank != root ? 0 : in_dispute < room ? in_dispute : room;
    CHECK(written == MOST_KEYS || told[written].key[0] == 0x55);
    object_free(info);
}

static const char *same_value(int of_rank, size_t key)
{
    (void)of_rank;
    return key % 3 == 0 ? NULL : key % 3 == 1 ? "" : "the same";
}

/* If all agree, there is one reduction and no other communication, for any number of keys. */
static void all_agree(void)
{
    const size_t numbers[] = {0, 1, 3, MOST_KEYS};
    check_values(same_value, 1, 0, 1);
    for (int n = 0; n < 4; n++) {
        counted_reset();
        check_values(same_value, numbers[n], size - 1, n % 2 ? 5 : 0);
        CHECK(atomic_load(&counted.reductions) == 1);
        CHECK(atomic_load(&counted.broadcasts) == 0 && atomic_load(&counted.messages) == 0);
    }
}

static int odd_rank;

/* For each key another case: one odd rank, no majority, or values shared by a half or a third of the ranks. */
static const char *value_of_way(int of_rank, size_t key)
{
    static const char *const odd[] = {"another", "", NULL, "the value ", "here", ""}, *const few[] = {"a", "b", NULL};
    static char text[64][RCUINFO_MAX_VALUE];
    if (key < 6)
        return of_rank == odd_rank ? odd[key] : key < 4 ? "the value" : NULL;
    if (key < 8)
        return few[(size_t)of_rank % (key - 4)];
    (void)snprintf(text[of_rank], sizeof text[of_rank], "%0*d", key == 8 ? RCUINFO_MAX_VALUE - 1 : 1, of_rank);
    return text[of_rank];
}

static void one_is_odd_or_many_are(void)
{
    for (odd_rank = 0; odd_rank < size; odd_rank++)
        check_values(value_of_way, 10, (odd_rank + 3) % size, 10);
}

/* Random values: some keys agree, the others differ in various ways. */
static const char *any_value(int of_rank, size_t key)
{
    static const char *const values[] = {"x", "x", "y", NULL, "", "x longer value that fits no word"};
    struct random random = {key * 64 + (key % 4 == 1 ? 0 : (uint64_t)of_rank)};
    return values[random_below(&random, key % 3 ? 3 : 6)];
}

/* With room for all disagreements, and with less: none, as many as are described at once, and some more. */
static void many_keys(void)
{
    const size_t rooms[] = {0, 1, 16, 17, 40};
    check_values(any_value, MOST_KEYS, 0, MOST_KEYS);
    for (int n = 0; n < 5; n++)
        check_values(any_value, 100, n % size, rooms[n]);
}

/* Makes a call with a bad argument on one process. All processes must get the same error, and no output is written. */
static void check_agree_refused(rcuinfo_t info, const char *const given[], size_t n, int root, bool null_agree,
                                bool null_found, bool null_to, int wanted)
{
    int agree = 77;
    size_t found = 88;
    told[0].key[0] = 0x55;
    CHECK_MPI(rcuinfo_mpi_agree(info, given, n, root, MPI_COMM_WORLD, null_agree ? NULL : &agree, null_to ? NULL : told,
                                2, null_found ? NULL : &found),
              wanted);
    CHECK(agree == 77 && found == 88 && told[0].key[0] == 0x55);
}

static void bad_arguments_anywhere(void)
{
    __extension__ static const char too_long[RCUINFO_MAX_KEY + 1] = {[0 ... RCUINFO_MAX_KEY - 1] = 'k'};
    const char *const bad_keys[][2] = {{"a", NULL}, {"a", ""}, {too_long, "b"}};
    const char *const good[] = {"a", "b"}, *const other_order[] = {"b", "a"}, *const cut[] = {"a", "bb"};
    rcuinfo_t info = object_empty(), stale = make_stale();
    for (int where = 0; where < size; where += size - 1) {
        bool here = rank == where;
        for (int n = 0; n < 3; n++)
            check_agree_refused(info, here ? bad_keys[n] : good, 2, 0, false, false, false, MPI_ERR_INFO_KEY);
        check_agree_refused(here ? stale : info, good, 2, 0, false, false, false, MPI_ERR_INFO);
        check_agree_refused(info, here ? NULL : good, 2, 0, false, false, false, MPI_ERR_ARG);
        check_agree_refused(info, good, 2, 0, here, false, false, MPI_ERR_ARG);
        check_agree_refused(info, good, 2, where, false, here, false, MPI_ERR_ARG);
        check_agree_refused(info, good, 2, where, false, false, here, MPI_ERR_ARG);
        check_agree_refused(info, here ? other_order : good, 2, 0, false, false, false, MPI_ERR_ARG);
        check_agree_refused(info, here ? cut : good, 2, 0, false, false, false, MPI_ERR_ARG);
        check_agree_refused(info, good, here ? 1 : 2, 0, false, false, false, MPI_ERR_ARG);
        check_agree_refused(info, good, here ? 0 : 2, 0, false, false, false, MPI_ERR_ARG);
        check_agree_refused(info, good, 2, here ? -1 : 0, false, false, false, MPI_ERR_ROOT);
        check_agree_refused(info, good, 2, here ? size : 0, false, false, false, MPI_ERR_ROOT);
        check_agree_refused(info, good, 2, rank == 0 ? 1 : 0, false, false, false, MPI_ERR_ROOT);
    }
    check_agree_refused(info, good, 2, size, false, false, false, MPI_ERR_ROOT);
    object_free(info);
}

/* Only the rows with RCUINFO_FLAG_SAME are compared. */
static void keys_of_a_schema(void)
{
    const rcuinfo_hint_t rows[] = {{.key = "differs", .type = RCUINFO_TYPE_STRING},
                                   {.key = "odd", .type = RCUINFO_TYPE_INT, .flags = RCUINFO_FLAG_SAME},
                                   {.key = "equal", .flags = RCUINFO_FLAG_SAME | RCUINFO_FLAG_LIST},
                                   {.key = "absent", .flags = RCUINFO_FLAG_SAME}};
    rcuinfo_schema_t *schema = NULL;
    rcuinfo_t info = OBJECT("differs", rank % 2 ? "1" : "2", "equal", "1");
    int agree = -1;
    size_t found = 77;
    CHECK_OK(rcuinfo_schema_create(NULL, rows, 4, &schema, NULL));
    CHECK_MPI(rcuinfo_mpi_agree_schema(info, schema, 0, MPI_COMM_WORLD, &agree, told, 4, &found), MPI_SUCCESS);
    CHECK(agree == 1 && (rank != 0 || found == 0));
    CHECK_OK(rcuinfo_set(info, "odd", rank == size - 1 ? "1" : "2"));
    CHECK_MPI(rcuinfo_mpi_agree_schema(info, schema, 0, MPI_COMM_WORLD, &agree, told, 4, &found), MPI_SUCCESS);
    CHECK(agree == 0 && (rank != 0 || found == 1));
    CHECK(rank != 0 || (strcmp(told[0].key, "odd") == 0 && told[0].odd_rank == size - 1));
    CHECK_MPI(rcuinfo_mpi_agree_schema(info, rank == 1 ? NULL : schema, 0, MPI_COMM_WORLD, &agree, told, 4, &found),
              MPI_ERR_ARG);
    rcuinfo_schema_free(&schema);
    object_free(info);
}

int main(void)
{
    make_keys();
    return RUN(MPI_THREAD_SINGLE, null_and_intercommunicators_are_refused, one_duplicate_each, parts_of_the_world,
               messages_of_the_program, infos_of_every_size, more_than_one_part, lengths_around_a_small_packet,
               steps_grow_with_the_logarithm, errors_anywhere, all_agree, one_is_odd_or_many_are, many_keys,
               bad_arguments_anywhere, keys_of_a_schema);
}
