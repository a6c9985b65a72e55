/* SPDX-License-Identifier: BSD-3-Clause */
/* keys: see keys.h. */
#include "keys/keys.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

/* The columns of keys.def: what get_info returns, and what values are. */
#define OWN         .is_own = true
#define COPY        .is_own = false
#define TEXT        .hint.type = RCUINFO_TYPE_STRING
#define BOOLEAN     .hint.type = RCUINFO_TYPE_BOOL
#define WORD(words) .hint.type = RCUINFO_TYPE_CHOICE, .hint.allowed = (words)
#define ATOI(from)  .hint.type = RCUINFO_TYPE_INT, .hint.least = (from), .hint.most = INT_MAX, .is_atoi = true
#define LIST_OF(of) of, .hint.flags = RCUINFO_FLAG_LIST
#define SWITCH      WORD("enable,disable,automatic,requested")
#define SET_BY_IT   .hint.type = RCUINFO_TYPE_STRING, .hint.flags = RCUINFO_FLAG_GET_ONLY
#define IDLE        .is_idle = true
#define AT_CREATION .is_creation = true
#define NOTE(text)  .note = (text)
#define SAME        .hint.flags = RCUINFO_FLAG_SAME
#define NOW         UINT_MAX

#define KEY(library_, component_, object_, key_, since_, before_, answer_, initial_, meaning_, ...)                    \
    {.owner = RCUINFO__##library_,                                                                                     \
     .component = (component_),                                                                                        \
     .object = RCUINFO_OBJECT_##object_,                                                                               \
     .hint.key = (key_),                                                                                               \
     .since = (since_),                                                                                                \
     .before = (before_),                                                                                              \
     answer_,                                                                                                          \
     .hint.initial = (initial_),                                                                                       \
     .meaning = (meaning_),                                                                                            \
     __VA_ARGS__},

/* A key of ROMIO in MPICH and Intel MPI, and in Open MPI up to 5. */
#define ROMIO(component_, key_, ...)                                                                                   \
    KEY(MPICH, component_, FILE, key_, 40000, NOW, OWN, __VA_ARGS__)                                                   \
    KEY(INTEL, component_, FILE, key_, 20210000, NOW, OWN, __VA_ARGS__)                                                \
    KEY(OPENMPI, component_, FILE, key_, 40100, 60000, OWN, __VA_ARGS__)

static const struct rcuinfo__key keys[] = {
#include "keys/keys.def"
};

/* The versions that keys.def is about, and what a library calls itself before its number. */
static const struct {
    unsigned id;
    const char *name;
    unsigned since, before;
    const char *calls_itself;
} libraries[] = {
    {RCUINFO__MPICH, "mpich", 40000, 50200, "MPICH Version:"},
    {RCUINFO__OPENMPI, "openmpi", 40100, 60200, "Open MPI v"},
    {RCUINFO__INTEL, "intel", 20210000, 20220000, "Intel(R) MPI Library "},
    {RCUINFO__PNETCDF, "pnetcdf", 0, UINT_MAX, NULL},
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

const struct rcuinfo__key *rcuinfo__keys(size_t *n)
{
    *n = sizeof keys / sizeof *keys;
    return keys;
}

const char *rcuinfo__keys_library(unsigned library)
{
    size_t n = 0;
    while (n < LIBRARIES && libraries[n].id != library)
        n++;
    return n < LIBRARIES ? libraries[n].name : NULL;
}

/* Whether a row is for hints of an object: a call that splits a communicator also takes those of the new one. */
static bool is_of(const struct rcuinfo__key *row, rcuinfo_hint_object_t object)
{
    return row->object == object || object == RCUINFO__OBJECT_ANY ||
           (object == RCUINFO_OBJECT_SPLIT_TYPE && row->object == RCUINFO_OBJECT_COMMUNICATOR);
}

const struct rcuinfo__key *rcuinfo__keys_find(unsigned wanted, rcuinfo_hint_object_t object, const char *key)
{
    for (size_t n = 0; n < sizeof keys / sizeof *keys; n++) {
        if ((keys[n].owner & wanted) && is_of(&keys[n], object) && strcmp(keys[n].hint.key, key) == 0)
            return &keys[n];
    }
    return NULL;
}

/* Whether a row of this component is for an object of that one: "romio" is for "romio-lustre", and "" for all. */
static bool is_for(const char *row, const char *component)
{
    size_t length = strlen(row);
    if (length == 0)
        return true;
    return component && strncmp(row, component, length) == 0 && (component[length] == '\0' || component[length] == '-');
}

bool rcuinfo__keys_must_be_same(rcuinfo_hint_object_t object, const char *component, const char *key)
{
    const rcuinfo_hint_t *row = rcuinfo__keys_row(object, key);
    bool must = row && (row->flags & RCUINFO_FLAG_SAME);
    for (size_t n = 0; n < sizeof keys / sizeof *keys && !must; n++)
        must = (keys[n].hint.flags & RCUINFO_FLAG_SAME) && is_of(&keys[n], object) &&
               is_for(keys[n].component, component) && strcmp(keys[n].hint.key, key) == 0;
    return must;
}

static bool is_read_by(const struct rcuinfo__key *row, const struct rcuinfo__mpi_version *mpi,
                       rcuinfo_hint_object_t object, const char *key)
{
    return row->owner == mpi->id && mpi->number >= row->since && mpi->number < row->before && is_of(row, object) &&
           strcmp(row->hint.key, key) == 0;
}

const struct rcuinfo__key *rcuinfo__keys_read(const struct rcuinfo__mpi_version *mpi, const char *component,
                                              rcuinfo_hint_object_t object, const char *key)
{
    const struct rcuinfo__key *found = NULL;

    for (size_t n = 0; n < sizeof keys / sizeof *keys; n++) {
        if (is_for(keys[n].component, component) && is_read_by(&keys[n], mpi, object, key) &&
            (!found || strlen(keys[n].component) > strlen(found->component)))
            found = &keys[n];
    }
    return found;
}

/* Whether an object of a component may have another one that also reads its hints: of "pml-ob1", one of "coll". */
static bool may_have(const char *component, const struct rcuinfo__key *row)
{
    if (!component)
        return true;
    size_t length = strcspn(component, "-");
    return row->owner == RCUINFO__OPENMPI && row->object == RCUINFO_OBJECT_COMMUNICATOR &&
           (strcspn(row->component, "-") != length || strncmp(row->component, component, length) != 0);
}

const struct rcuinfo__key *rcuinfo__keys_may_read(const struct rcuinfo__mpi_version *mpi, const char *component,
                                                  rcuinfo_hint_object_t object, const char *key)
{
    size_t n = 0;
    while (n < sizeof keys / sizeof *keys &&
           (keys[n].is_idle || !is_read_by(&keys[n], mpi, object, key) || !may_have(component, &keys[n])))
        n++;
    return n < sizeof keys / sizeof *keys ? &keys[n] : NULL;
}

bool rcuinfo__keys_echoes(const struct rcuinfo__mpi_version *mpi, rcuinfo_hint_object_t object, bool is_known)
{
    bool is_file = object == RCUINFO_OBJECT_FILE, is_session = object == RCUINFO_OBJECT_SESSION;
    if (mpi->id == RCUINFO__OPENMPI)
        return mpi->number < 50000 || is_file || (is_session && (mpi->number < 60000 || !is_known));
    return mpi->id != RCUINFO__MPICH && (mpi->id != RCUINFO__INTEL || object == RCUINFO_OBJECT_COMMUNICATOR);
}

bool rcuinfo__keys_covers(const struct rcuinfo__mpi_version *mpi)
{
    size_t n = 0;
    while (n < LIBRARIES && libraries[n].id != mpi->id)
        n++;
    return n < LIBRARIES && mpi->number >= libraries[n].since && mpi->number < libraries[n].before;
}

struct rcuinfo__mpi_version rcuinfo__keys_version(const char *text)
{
    struct rcuinfo__mpi_version version = {0, 0};

    for (size_t n = 0; n < LIBRARIES; n++) {
        const char *name = libraries[n].calls_itself, *at = name ? strstr(text, name) : NULL;
        if (!at)
            continue;

        char *end;
        unsigned long major = strtoul(at + strlen(name), &end, 10);
        unsigned long minor = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
        unsigned long patch = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
        version.id = libraries[n].id;
        version.number = (unsigned)(10000 * (major % 10000) + 100 * (minor % 100) + patch % 100);
    }
    return version;
}

rcuinfo_hint_object_t rcuinfo__keys_object(const char *name)
{
    int object = 0;
    while (object < RCUINFO_OBJECT_COUNT &&
           !(name && strcmp(rcuinfo_hint_object_name((rcuinfo_hint_object_t)object), name) == 0))
        object++;
    return (rcuinfo_hint_object_t)object;
}

const rcuinfo_hint_t *rcuinfo__keys_row(rcuinfo_hint_object_t object, const char *key)
{
    size_t n = 0;
    const rcuinfo_hint_t *rows = rcuinfo_hint_standard(object, &n);
    for (size_t row = 0; row < n; row++) {
        if (strcmp(rows[row].key, key) == 0)
            return &rows[row];
    }
    return NULL;
}

const rcuinfo_hint_t *rcuinfo__keys_row_taken(rcuinfo_hint_object_t object, const char *key)
{
    const rcuinfo_hint_t *row = rcuinfo__keys_row(object, key);
    if (!row && object == RCUINFO_OBJECT_SESSION)
        row = rcuinfo__keys_row(RCUINFO_OBJECT_INIT, key);
    if (!row && object == RCUINFO_OBJECT_SPLIT_TYPE)
        row = rcuinfo__keys_row(RCUINFO_OBJECT_COMMUNICATOR, key);
    return row;
}

static unsigned minimum(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/*
 * The edit distance of two texts: how many bytes must be inserted, deleted, replaced or swapped with a neighbour to
 * turn one into the other. Ignores the case. E.g. 1 for "cb_nodes" and "cb_ndoes".
 *
 * now[j] is the distance of the first i bytes of a and the first j bytes of b.
 */
static unsigned distance(const char *a, const char *b)
{
    enum { LONGEST = RCUINFO_MAX_KEY };
    unsigned before[LONGEST], last[LONGEST], now[LONGEST]; /* the rows i - 2, i - 1 and i */
    size_t columns = strlen(b);

    /* Row 0: to get the first j bytes of b from nothing takes j insertions. */
    for (size_t j = 0; j <= columns; j++)
        last[j] = (unsigned)j;

    for (size_t i = 1; a[i - 1]; i++) {
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= columns; j++) {
            char of_a = rcuinfo__text_lower(a[i - 1]);
            char of_b = rcuinfo__text_lower(b[j - 1]);

            /* Replace a byte (or leave it, if it is the same), delete one, or insert one. */
            now[j] = minimum(last[j - 1] + (of_a != of_b), minimum(last[j], now[j - 1]) + 1);

            /* Or swap the last two bytes. */
            if (i > 1 && j > 1 && of_a == rcuinfo__text_lower(b[j - 2]) && rcuinfo__text_lower(a[i - 2]) == of_b)
                now[j] = minimum(now[j], before[j - 2] + 1);
        }

        memcpy(before, last, sizeof before);
        memcpy(last, now, sizeof last);
    }
    return last[columns];
}

/* How many words two keys have in common, which are separated by "_", if all words of one are in the other; else 0. */
static unsigned common_words(const char *a, const char *b)
{
    unsigned common = 0, words = 0, of_b = 1;
    for (const char *c = b; *c; c++)
        of_b += *c == '_';
    for (size_t size; *a; a += size + (a[size] != '\0'), words++) {
        size = strcspn(a, "_");
        bool is_common = false;
        for (const char *word = b; word && !is_common; word = (word = strchr(word, '_')) ? word + 1 : NULL)
            is_common = strncmp(word, a, size) == 0 && (word[size] == '\0' || word[size] == '_');
        common += is_common;
    }
    return common == words || common == of_b ? common : 0;
}

struct search {
    const char *key;
    const char *found;
    unsigned best;       /* the smallest distance so far; at first one more than the largest that counts */
    const char *by_word; /* the key with most words in common so far, and at least two */
    unsigned words;
};

/* Takes a key if it is nearer than what was found so far. If every byte has to change, the keys are not similar. */
static void take_nearer(struct search *search, const char *key)
{
    unsigned far = distance(search->key, key), words = common_words(search->key, key);
    if (far < search->best && far < strlen(key)) {
        search->best = far;
        search->found = key;
    }
    if (words > search->words) {
        search->words = words;
        search->by_word = key;
    }
}

rcuinfo_hint_object_t rcuinfo__keys_object_of(unsigned wanted, const char *key)
{
    int object = 0;
    while (object < RCUINFO_OBJECT_COUNT && !rcuinfo__keys_row((rcuinfo_hint_object_t)object, key) &&
           !rcuinfo__keys_find(wanted, (rcuinfo_hint_object_t)object, key))
        object++;
    return (rcuinfo_hint_object_t)object;
}

const char *rcuinfo__keys_nearest(rcuinfo_hint_object_t object, unsigned wanted, const char *key)
{
    /* One mistake, and one more for every four bytes, e.g. up to 3 in a key of 8 to 11 bytes. */
    struct search search = {.key = key, .best = 2 + (unsigned)strlen(key) / 4, .words = 1};

    for (int i = 0; i < RCUINFO_OBJECT_COUNT; i++) {
        size_t n = 0;
        const rcuinfo_hint_t *rows = rcuinfo_hint_standard((rcuinfo_hint_object_t)i, &n);
        for (size_t row = 0; row < n && (object == RCUINFO__OBJECT_ANY || (int)object == i); row++)
            take_nearer(&search, rows[row].key);
    }

    for (size_t n = 0; n < sizeof keys / sizeof *keys; n++) {
        if ((keys[n].owner & wanted) && is_of(&keys[n], object))
            take_nearer(&search, keys[n].hint.key);
    }
    return search.found ? search.found : search.by_word;
}
