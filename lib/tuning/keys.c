/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * keys: see keys.h. The keys are those that MPICH 4.0.2 (ch4:ucx, with Hydra and ROMIO) and Open MPI 4.1.4
 * (ompio, ROMIO 3.2.1) look up, as built by Debian 12, and those that MPICH 4.2.1 and 5.0.2 return in addition.
 */
#include "tuning/keys.h"

#include <string.h>

#include "core/text.h"

static const struct rcuinfo__hint_key mpich[] = {
    {"accumulate_max_bytes", RCUINFO_HINT_WINDOW},
    {"accumulate_noncontig_dtype", RCUINFO_HINT_WINDOW},
    {"alloc_shm", RCUINFO_HINT_WINDOW},
    {"cb_config_list", RCUINFO_HINT_FILE},
    {"coll_attach", RCUINFO_HINT_WINDOW},
    {"disable_shm_accumulate", RCUINFO_HINT_WINDOW},
    {"enable_multi_nic_hashing", RCUINFO_HINT_COMMUNICATOR},
    {"enable_multi_nic_striping", RCUINFO_HINT_COMMUNICATOR},
    {"hostfile", RCUINFO_HINT_SPAWN},
    {"hosts", RCUINFO_HINT_SPAWN},
    {"ind_rd_buffer_size", RCUINFO_HINT_FILE},
    {"ind_wr_buffer_size", RCUINFO_HINT_FILE},
    {"mpich_buf_type", RCUINFO_HINT_ALLOC_MEM},
    {"multi_nic_pref_nic", RCUINFO_HINT_COMMUNICATOR},
    {"nbhd_common_dirname", RCUINFO_HINT_SPLIT_TYPE},
    {"network_topo", RCUINFO_HINT_SPLIT_TYPE},
    {"optimized_mr", RCUINFO_HINT_WINDOW},
    {"perf_preference", RCUINFO_HINT_WINDOW},
    {"receiver_vci", RCUINFO_HINT_COMMUNICATOR},
    {"romio_aggregator_list", RCUINFO_HINT_FILE},
    {"romio_cb_alltoall", RCUINFO_HINT_FILE},
    {"romio_cb_ds_threshold", RCUINFO_HINT_FILE},
    {"romio_cb_fr_alignment", RCUINFO_HINT_FILE},
    {"romio_cb_fr_type", RCUINFO_HINT_FILE},
    {"romio_cb_fr_types", RCUINFO_HINT_FILE},
    {"romio_cb_pfr", RCUINFO_HINT_FILE},
    {"romio_cb_read", RCUINFO_HINT_FILE},
    {"romio_cb_write", RCUINFO_HINT_FILE},
    {"romio_ds_read", RCUINFO_HINT_FILE},
    {"romio_ds_write", RCUINFO_HINT_FILE},
    {"romio_filesystem_type", RCUINFO_HINT_FILE},
    {"romio_min_fdomain_size", RCUINFO_HINT_FILE},
    {"romio_no_indep_rw", RCUINFO_HINT_FILE},
    {"romio_synchronized_flush", RCUINFO_HINT_FILE},
    {"romio_visibility_immediate", RCUINFO_HINT_FILE},
    {"sender_vci", RCUINFO_HINT_COMMUNICATOR},
    {"shmem_topo", RCUINFO_HINT_SPLIT_TYPE},
    {"start_iodevice", RCUINFO_HINT_FILE},
    {"symheap_required", RCUINFO_HINT_WINDOW},
    {"timeout", RCUINFO_HINT_PORT},
    {"vci", RCUINFO_HINT_COMMUNICATOR},
    {"which_accumulate_ops", RCUINFO_HINT_WINDOW},
};

static const struct rcuinfo__hint_key openmpi[] = {
    {"OMPIO_SHAREDFP_RELAXED_ORDERING", RCUINFO_HINT_FILE},
    {"acc_single_intrinsic", RCUINFO_HINT_WINDOW},
    {"accumulate_order", RCUINFO_HINT_WINDOW},
    {"add-host", RCUINFO_HINT_SPAWN},
    {"add-hostfile", RCUINFO_HINT_SPAWN},
    {"bind_to", RCUINFO_HINT_SPAWN},
    {"blocking_fence", RCUINFO_HINT_WINDOW},
    {"cb_config_list", RCUINFO_HINT_FILE},
    {"display_map", RCUINFO_HINT_SPAWN},
    {"env", RCUINFO_HINT_SPAWN},
    {"hostfile", RCUINFO_HINT_SPAWN},
    {"ind_rd_buffer_size", RCUINFO_HINT_FILE},
    {"ind_wr_buffer_size", RCUINFO_HINT_FILE},
    {"map_by", RCUINFO_HINT_SPAWN},
    {"mapper", RCUINFO_HINT_SPAWN},
    {"mpool_hints", RCUINFO_HINT_ALLOC_MEM},
    {"npernode", RCUINFO_HINT_SPAWN},
    {"ompi_comm_coll_han_topo_level", RCUINFO_HINT_COMMUNICATOR},
    {"ompi_comm_coll_preference", RCUINFO_HINT_COMMUNICATOR},
    {"ompi_non_mpi", RCUINFO_HINT_SPAWN},
    {"ompi_param", RCUINFO_HINT_SPAWN},
    {"ompi_prefix", RCUINFO_HINT_SPAWN},
    {"ompi_preload_binary", RCUINFO_HINT_SPAWN},
    {"ompi_preload_files", RCUINFO_HINT_SPAWN},
    {"ompi_stdin_target", RCUINFO_HINT_SPAWN},
    {"pernode", RCUINFO_HINT_SPAWN},
    {"persistence", RCUINFO_HINT_PORT},
    {"personality", RCUINFO_HINT_SPAWN},
    {"ppr", RCUINFO_HINT_SPAWN},
    {"range", RCUINFO_HINT_PORT},
    {"rank_by", RCUINFO_HINT_SPAWN},
    {"romio_cb_alltoall", RCUINFO_HINT_FILE},
    {"romio_cb_ds_threshold", RCUINFO_HINT_FILE},
    {"romio_cb_fr_alignment", RCUINFO_HINT_FILE},
    {"romio_cb_fr_type", RCUINFO_HINT_FILE},
    {"romio_cb_pfr", RCUINFO_HINT_FILE},
    {"romio_cb_read", RCUINFO_HINT_FILE},
    {"romio_cb_write", RCUINFO_HINT_FILE},
    {"romio_ds_read", RCUINFO_HINT_FILE},
    {"romio_ds_write", RCUINFO_HINT_FILE},
    {"romio_min_fdomain_size", RCUINFO_HINT_FILE},
    {"romio_no_indep_rw", RCUINFO_HINT_FILE},
};

const struct rcuinfo__hint_key *rcuinfo__hint_library(enum rcuinfo__mpi mpi, size_t *n)
{
    *n = mpi == RCUINFO__MPICH ? sizeof mpich / sizeof *mpich : sizeof openmpi / sizeof *openmpi;
    return mpi == RCUINFO__MPICH ? mpich : openmpi;
}

/* Calls `each` for every key of the libraries in `mpis`, until it returns true; returns whether it did. */
static bool walk_libraries(unsigned mpis, bool (*each)(const struct rcuinfo__hint_key *key, void *context),
                           void *context)
{
    for (unsigned mpi = RCUINFO__MPICH; mpi <= RCUINFO__OPENMPI; mpi++) {
        size_t n = 0;
        const struct rcuinfo__hint_key *keys = rcuinfo__hint_library(mpi, &n);

        for (size_t i = 0; i < n && (mpis & mpi); i++) {
            if (each(&keys[i], context))
                return true;
        }
    }
    return false;
}

static bool is_key(const struct rcuinfo__hint_key *key, void *context)
{
    return strcmp(key->key, context) == 0;
}

bool rcuinfo__hint_of_library(unsigned mpis, const char *key)
{
    return walk_libraries(mpis, is_key, (void *)(uintptr_t)key);
}

const rcuinfo_hint_t *rcuinfo__hint_row(rcuinfo_hint_object_t object, const char *key)
{
    size_t n = 0;
    const rcuinfo_hint_t *rows = rcuinfo_hint_standard(object, &n);
    for (size_t row = 0; row < n; row++) {
        if (strcmp(rows[row].key, key) == 0)
            return &rows[row];
    }
    return NULL;
}

const rcuinfo_hint_t *rcuinfo__hint_row_taken(rcuinfo_hint_object_t object, const char *key)
{
    const rcuinfo_hint_t *row = rcuinfo__hint_row(object, key);
    if (!row && object == RCUINFO_HINT_SESSION)
        row = rcuinfo__hint_row(RCUINFO_HINT_INIT, key);
    if (!row && object == RCUINFO_HINT_SPLIT_TYPE)
        row = rcuinfo__hint_row(RCUINFO_HINT_COMMUNICATOR, key);
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

struct search {
    rcuinfo_hint_object_t object;
    const char *key;
    const char *found;
    unsigned best; /* the smallest distance so far; at first one more than the largest that counts */
};

/* Takes the key if it is nearer than what was found so far. Never stops the walk. */
static bool take_nearer(const struct rcuinfo__hint_key *key, void *context)
{
    struct search *search = context;
    bool is_meant = search->object == RCUINFO_HINT_OBJECTS || search->object == key->object;

    unsigned far = is_meant ? distance(search->key, key->key) : search->best;

    /* If every byte has to change, the keys are not similar. */
    if (far < search->best && far < strlen(key->key)) {
        search->best = far;
        search->found = key->key;
    }
    return false;
}

const char *rcuinfo__hint_nearest(rcuinfo_hint_object_t object, unsigned mpis, const char *key)
{
    /* One mistake, and one more for every four bytes, e.g. up to 3 in a key of 8 to 11 bytes. */
    struct search search = {.object = object, .key = key, .best = 2 + (unsigned)strlen(key) / 4};

    for (int i = 0; i < RCUINFO_HINT_OBJECTS; i++) {
        size_t n = 0;
        const rcuinfo_hint_t *rows = rcuinfo_hint_standard((rcuinfo_hint_object_t)i, &n);
        for (size_t row = 0; row < n; row++)
            (void)take_nearer(&(struct rcuinfo__hint_key){rows[row].key, (rcuinfo_hint_object_t)i}, &search);
    }

    (void)walk_libraries(mpis, take_nearer, &search);
    return search.found;
}
