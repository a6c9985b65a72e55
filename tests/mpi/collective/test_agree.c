/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rcuinfo_mpi_agree: root must get the same disagreements as from counting all values one by one. Values are a function
 * of rank and key, so each process can compute those of all others.
 */
#include "collective/collective.h"
#include "support/random.h"

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
    rcuinfo_t info = make_info();
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
    free_info(info);
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
static void check_refused(rcuinfo_t info, const char *const given[], size_t n, int root, bool null_agree,
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
    char too_long[RCUINFO_MAX_KEY + 1];
    memset(too_long, 'k', sizeof too_long - 1);
    too_long[sizeof too_long - 1] = '\0';
    const char *const bad_keys[][2] = {{"a", NULL}, {"a", ""}, {too_long, "b"}};
    const char *const good[] = {"a", "b"}, *const other_order[] = {"b", "a"}, *const cut[] = {"a", "bb"};
    rcuinfo_t info = make_info(), stale = make_stale();
    for (int where = 0; where < size; where += size - 1) {
        bool here = rank == where;
        for (int n = 0; n < 3; n++)
            check_refused(info, here ? bad_keys[n] : good, 2, 0, false, false, false, MPI_ERR_INFO_KEY);
        check_refused(here ? stale : info, good, 2, 0, false, false, false, MPI_ERR_INFO);
        check_refused(info, here ? NULL : good, 2, 0, false, false, false, MPI_ERR_ARG);
        check_refused(info, good, 2, 0, here, false, false, MPI_ERR_ARG);
        check_refused(info, good, 2, where, false, here, false, MPI_ERR_ARG);
        check_refused(info, good, 2, where, false, false, here, MPI_ERR_ARG);
        check_refused(info, here ? other_order : good, 2, 0, false, false, false, MPI_ERR_ARG);
        check_refused(info, here ? cut : good, 2, 0, false, false, false, MPI_ERR_ARG);
        check_refused(info, good, here ? 1 : 2, 0, false, false, false, MPI_ERR_ARG);
        check_refused(info, good, here ? 0 : 2, 0, false, false, false, MPI_ERR_ARG);
        check_refused(info, good, 2, here ? -1 : 0, false, false, false, MPI_ERR_ROOT);
        check_refused(info, good, 2, here ? size : 0, false, false, false, MPI_ERR_ROOT);
        check_refused(info, good, 2, rank == 0 ? 1 : 0, false, false, false, MPI_ERR_ROOT);
    }
    check_refused(info, good, 2, size, false, false, false, MPI_ERR_ROOT);
    free_info(info);
}

/* Only the rows with RCUINFO_FLAG_SAME are compared. */
static void keys_of_a_schema(void)
{
    const rcuinfo_hint_t rows[] = {{.key = "differs", .type = RCUINFO_TYPE_STRING},
                                   {.key = "odd", .type = RCUINFO_TYPE_INT, .flags = RCUINFO_FLAG_SAME},
                                   {.key = "equal", .flags = RCUINFO_FLAG_SAME | RCUINFO_FLAG_LIST},
                                   {.key = "absent", .flags = RCUINFO_FLAG_SAME}};
    rcuinfo_schema_t *schema = NULL;
    rcuinfo_t info = make_info();
    int agree = -1;
    size_t found = 77;
    CHECK_OK(rcuinfo_schema_create(NULL, rows, 4, &schema, NULL));
    CHECK_OK(rcuinfo_set(info, "differs", rank % 2 ? "1" : "2"));
    CHECK_OK(rcuinfo_set(info, "equal", "1"));
    CHECK_MPI(rcuinfo_mpi_agree_schema(info, schema, 0, MPI_COMM_WORLD, &agree, told, 4, &found), MPI_SUCCESS);
    CHECK(agree == 1 && (rank != 0 || found == 0));
    CHECK_OK(rcuinfo_set(info, "odd", rank == size - 1 ? "1" : "2"));
    CHECK_MPI(rcuinfo_mpi_agree_schema(info, schema, 0, MPI_COMM_WORLD, &agree, told, 4, &found), MPI_SUCCESS);
    CHECK(agree == 0 && (rank != 0 || found == 1));
    CHECK(rank != 0 || (strcmp(told[0].key, "odd") == 0 && told[0].odd_rank == size - 1));
    CHECK_MPI(rcuinfo_mpi_agree_schema(info, rank == 1 ? NULL : schema, 0, MPI_COMM_WORLD, &agree, told, 4, &found),
              MPI_ERR_ARG);
    rcuinfo_schema_free(&schema);
    free_info(info);
}

int main(void)
{
    make_keys();
    return RUN(MPI_THREAD_SINGLE, all_agree, one_is_odd_or_many_are, many_keys, bad_arguments_anywhere,
               keys_of_a_schema);
}
