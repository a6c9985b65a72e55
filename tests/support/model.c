/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/model.h"

#include <stdbool.h>

#include "support/check.h"
#include "support/faults.h"

static char *copy_text(const char *text)
{
    char *copy = strdup(text);
    CHECK(copy);
    return copy;
}

void model_clear(struct model *m)
{
    for (size_t i = 0; i < m->count; i++) {
        free(m->pairs[i].key);
        free(m->pairs[i].value);
    }
    free(m->pairs);
    *m = (struct model){0};
}

static void append(struct model *m, const char *key, const char *value)
{
    if (m->count == m->capacity) {
        m->capacity = m->capacity * 2 + 4;
        m->pairs = realloc(m->pairs, m->capacity * sizeof *m->pairs);
        CHECK(m->pairs);
    }
    m->pairs[m->count].key = copy_text(key);
    m->pairs[m->count++].value = copy_text(value);
}

void model_copy(struct model *to, const struct model *from)
{
    *to = (struct model){.version = from->version};
    for (size_t i = 0; i < from->count; i++)
        append(to, from->pairs[i].key, from->pairs[i].value);
}

size_t model_find(const struct model *m, const char *key)
{
    size_t i = 0;
    while (i < m->count && strcmp(m->pairs[i].key, key) != 0)
        i++;
    return i;
}

/* The error of an invalid key, or of an invalid value if there is one. */
static rcuinfo_status_t judge(const char *key, const char *value)
{
    if (key == NULL || key[0] == '\0' || strlen(key) > RCUINFO_MAX_KEY - 1)
        return RCUINFO_ERR_KEY;
    return value && strlen(value) > RCUINFO_MAX_VALUE - 1 ? RCUINFO_ERR_VALUE : RCUINFO_SUCCESS;
}

/* Sets a key, or deletes it if the value is NULL; false: no such key. */
static bool apply(struct model *m, const char *key, const char *value)
{
    size_t i = model_find(m, key);
    if (i == m->count) {
        if (value)
            append(m, key, value);
        return value != NULL;
    }
    free(m->pairs[i].value);
    if (value) {
        m->pairs[i].value = copy_text(value);
    } else {
        free(m->pairs[i].key);
        memmove(&m->pairs[i], &m->pairs[i + 1], (--m->count - i) * sizeof *m->pairs);
    }
    return true;
}

static rcuinfo_status_t change(struct model *m, const char *key, const char *value)
{
    rcuinfo_status_t status = judge(key, value);
    if (status == RCUINFO_SUCCESS && !apply(m, key, value))
        status = RCUINFO_ERR_NOKEY;
    m->version += status == RCUINFO_SUCCESS;
    return status;
}

rcuinfo_status_t model_set(struct model *m, const char *key, const char *value)
{
    rcuinfo_status_t status = judge(key, value);
    return status == RCUINFO_SUCCESS && !value ? RCUINFO_ERR_VALUE : change(m, key, value);
}

rcuinfo_status_t model_delete(struct model *m, const char *key)
{
    return change(m, key, NULL);
}

/* The keys and values of all changes are checked first; a missing key is an error only when it is deleted. */
rcuinfo_status_t model_update(struct model *m, const rcuinfo_change_t *changes, size_t n, size_t *failed)
{
    struct model next;
    for (size_t i = 0; i < n; i++) {
        *failed = i;
        if (judge(changes[i].key, changes[i].value) != RCUINFO_SUCCESS)
            return judge(changes[i].key, changes[i].value);
    }
    if (n == 0)
        return RCUINFO_SUCCESS;
    model_copy(&next, m);
    for (size_t i = 0; i < n; i++) {
        if (!apply(&next, changes[i].key, changes[i].value)) {
            *failed = i;
            model_clear(&next);
            return RCUINFO_ERR_NOKEY;
        }
    }
    next.version = m->version + 1;
    model_clear(m);
    *m = next;
    return RCUINFO_SUCCESS;
}

rcuinfo_status_t model_compare_and_set(struct model *m, const char *key, const char *expected, const char *desired,
                                       int *swapped)
{
    rcuinfo_status_t status = judge(key, expected);
    if (status == RCUINFO_SUCCESS)
        status = judge(key, desired);
    if (status != RCUINFO_SUCCESS)
        return status;
    size_t i = model_find(m, key);
    *swapped = expected ? i < m->count && strcmp(m->pairs[i].value, expected) == 0 : i == m->count;
    return *swapped && (desired || expected) ? change(m, key, desired) : RCUINFO_SUCCESS;
}

static int differs(const char *what, size_t i, const char *is, const char *wanted)
{
    if (strcmp(is, wanted) == 0)
        return 0;
    fprintf(stderr, "%s %zu is \"%s\", and \"%s\" in the model\n", what, i, is, wanted);
    return 1;
}

static int size_differs(const struct model *m, size_t count, uint64_t version)
{
    if (count == m->count && version == m->version)
        return 0;
    fprintf(stderr, "%zu keys in version %llu, and %zu in version %llu in the model\n", count,
            (unsigned long long)version, m->count, (unsigned long long)m->version);
    return 1;
}

int model_differs_from_object(const struct model *m, rcuinfo_t info)
{
    int nkeys = -1;
    uint64_t version;
    CHECK_OK(rcuinfo_get_nkeys(info, &nkeys));
    CHECK_OK(rcuinfo_object_version(info, &version));
    if (size_differs(m, (size_t)nkeys, version))
        return 1;
    for (size_t i = 0; i < m->count; i++) {
        char key[RCUINFO_MAX_KEY] = "", value[RCUINFO_MAX_VALUE] = "";
        int flag = 0;
        CHECK_OK(rcuinfo_get_nthkey(info, (int)i, key));
        CHECK_OK(rcuinfo_get(info, key, RCUINFO_MAX_VALUE - 1, value, &flag));
        if (!flag || differs("key", i, key, m->pairs[i].key) || differs("value", i, value, m->pairs[i].value))
            return 1;
    }
    return 0;
}

void modelled_create(struct modelled *m)
{
    CHECK_OK(rcuinfo_create(&m->info));
    CHECK(m->info != RCUINFO_NULL);
    m->model = (struct model){0};
}

void modelled_dup(struct modelled *to, const struct modelled *from)
{
    CHECK_OK(rcuinfo_dup(from->info, &to->info));
    CHECK(to->info != RCUINFO_NULL && to->info != from->info);
    model_copy(&to->model, &from->model);
}

void modelled_free(struct modelled *m)
{
    CHECK_OK(rcuinfo_free(&m->info));
    CHECK(m->info == RCUINFO_NULL);
    model_clear(&m->model);
}

/* Whether a call returned RCUINFO_ERR_NO_MEM, which it may only if it changes the object, and an allocation failed
 * since there were `faults`. */
static bool no_memory(rcuinfo_status_t status, int faults, bool changes)
{
    CHECK(status != RCUINFO_ERR_NO_MEM || (changes && faults_met() > faults));
    return status == RCUINFO_ERR_NO_MEM;
}

rcuinfo_status_t modelled_set(struct modelled *m, const char *key, const char *value)
{
    int faults = faults_met();
    rcuinfo_status_t status = rcuinfo_set(m->info, key, value);
    if (!no_memory(status, faults, judge(key, value) == RCUINFO_SUCCESS && value))
        CHECK_STATUS(status, model_set(&m->model, key, value));
    return status;
}

rcuinfo_status_t modelled_delete(struct modelled *m, const char *key)
{
    int faults = faults_met();
    rcuinfo_status_t status = rcuinfo_delete(m->info, key);
    if (!no_memory(status, faults, key && model_find(&m->model, key) < m->model.count))
        CHECK_STATUS(status, model_delete(&m->model, key));
    return status;
}

rcuinfo_status_t modelled_update(struct modelled *m, const rcuinfo_change_t *changes, size_t n)
{
    size_t failed = 99, wanted = 99;
    int faults = faults_met();
    rcuinfo_status_t status = rcuinfo_update(m->info, changes, n, &failed);
    if (!no_memory(status, faults, n > 0))
        CHECK_STATUS(status, model_update(&m->model, changes, n, &wanted));
    if (status == RCUINFO_SUCCESS)
        wanted = 99;
    CHECKF(failed == wanted, "change %zu, not %zu", failed, wanted);
    return status;
}

rcuinfo_status_t modelled_compare_and_set(struct modelled *m, const char *key, const char *expected,
                                          const char *desired)
{
    int swapped = 77, wanted = 77;
    int faults = faults_met();
    rcuinfo_status_t status = rcuinfo_compare_and_set(m->info, key, expected, desired, &swapped);
    size_t at = key ? model_find(&m->model, key) : m->model.count;
    bool changes = expected ? at < m->model.count && strcmp(m->model.pairs[at].value, expected) == 0
                            : at == m->model.count && desired;
    if (!no_memory(status, faults, changes))
        CHECK_STATUS(status, model_compare_and_set(&m->model, key, expected, desired, &wanted));
    CHECKF(swapped == wanted, "%d, not %d", swapped, wanted);
    return status;
}

void modelled_check(const struct modelled *m)
{
    CHECK(!model_differs_from_object(&m->model, m->info));
}

void kept_open(struct kept *k, const struct modelled *m)
{
    kept_close(k);
    CHECK_OK(rcuinfo_snapshot_open(m->info, &k->snapshot));
    model_copy(&k->model, &m->model);
    CHECK(k->pairs = calloc(k->model.count + 1, sizeof *k->pairs));
    for (size_t i = 0; i < k->model.count; i++)
        CHECK_OK(rcuinfo_snapshot_nth(k->snapshot, i, &k->pairs[i]));
    kept_check(k, NULL);
}

void kept_check(const struct kept *k, const struct model *other)
{
    rcuinfo_pair_t pair, found;
    if (!k->snapshot)
        return;
    CHECK(!size_differs(&k->model, rcuinfo_snapshot_count(k->snapshot), rcuinfo_snapshot_version(k->snapshot)));
    for (size_t i = 0; i < k->model.count; i++) {
        CHECK_OK(rcuinfo_snapshot_nth(k->snapshot, i, &pair));
        CHECK_TEXT(pair.key, k->model.pairs[i].key);
        CHECK_TEXT(pair.value, k->model.pairs[i].value);
        CHECK(pair.key == k->pairs[i].key && pair.value == k->pairs[i].value);
        CHECK(pair.key_length == strlen(pair.key) && pair.value_length == strlen(pair.value));
        CHECK_OK(rcuinfo_snapshot_find(k->snapshot, pair.key, &found));
        CHECK(found.key == pair.key && found.value == pair.value);
        CHECK(found.key_length == pair.key_length && found.value_length == pair.value_length);
    }
    for (size_t i = 0; other && i < other->count; i++) {
        const char *key = other->pairs[i].key;
        bool there = model_find(&k->model, key) < k->model.count;
        CHECK_STATUS(rcuinfo_snapshot_find(k->snapshot, key, &pair), there ? RCUINFO_SUCCESS : RCUINFO_ERR_NOKEY);
    }
}

void kept_close(struct kept *k)
{
    if (!k->snapshot)
        return;
    kept_check(k, NULL);
    rcuinfo_snapshot_close(k->snapshot);
    model_clear(&k->model);
    free(k->pairs);
    *k = (struct kept){0};
}
