/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * communicator: the duplicate of each communicator that was used, an attribute of it, which goes when it goes.
 *
 * The key of the attribute lives as long as anybody needs it: each attribute and each running look-up is a user, the
 * first makes it and the last frees it, so nothing is left at the end of MPI or of a session. Invariant: no function of
 * MPI is called with the lock held. Open MPI calls back with a lock of its own held, and takes that in the functions
 * that make and free keys.
 *
 * MPI_Finalize begins with deleting the attributes of MPI_COMM_SELF, while everything works as before; of those of
 * MPI_COMM_WORLD MPI says nothing. So ours goes with an attribute of MPI_COMM_SELF.
 */
#include <pthread.h>
#include <string.h>

#include "mpi/collective/collective.h"

_Static_assert(sizeof(MPI_Comm) <= sizeof(void *), "an attribute holds a communicator");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared_key = MPI_KEYVAL_INVALID; /* valid while there are users */
static size_t users;

/* One user less. */
static int let_go(void)
{
    int last = MPI_KEYVAL_INVALID;
    pthread_mutex_lock(&lock);
    if (--users == 0) {
        last = shared_key;
        shared_key = MPI_KEYVAL_INVALID;
    }
    pthread_mutex_unlock(&lock);
    return last == MPI_KEYVAL_INVALID ? MPI_SUCCESS : MPI_Comm_free_keyval(&last);
}

/* MPI deletes an attribute of ours. */
static int drop_duplicate(MPI_Comm comm, int key, void *value, void *unused)
{
    MPI_Comm duplicate;
    (void)comm;
    (void)key;
    (void)unused;
    memcpy(&duplicate, &value, sizeof(MPI_Comm));
    int code = MPI_Comm_free(&duplicate);
    int after = let_go();
    return code == MPI_SUCCESS ? after : code;
}

/* One user more. */
static int hold(int *key)
{
    int made = MPI_KEYVAL_INVALID;
    pthread_mutex_lock(&lock);
    if (users == 0) {
        pthread_mutex_unlock(&lock);
        int code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop_duplicate, &made, NULL);
        if (code != MPI_SUCCESS)
            return code;
        pthread_mutex_lock(&lock);
        if (users == 0) {
            shared_key = made;
            made = MPI_KEYVAL_INVALID;
        }
    }
    users++;
    *key = shared_key;
    pthread_mutex_unlock(&lock);
    return made == MPI_KEYVAL_INVALID ? MPI_SUCCESS : MPI_Comm_free_keyval(&made);
}

static int end_of_world(MPI_Comm comm, int key, void *value, void *unused)
{
    int found = 0;
    (void)comm;
    (void)key;
    (void)unused;
    pthread_mutex_lock(&lock);
    int ours = shared_key;
    pthread_mutex_unlock(&lock);
    if (ours == MPI_KEYVAL_INVALID)
        return MPI_SUCCESS;
    int code = MPI_Comm_get_attr(MPI_COMM_WORLD, ours, &value, &found);
    return code == MPI_SUCCESS && found ? MPI_Comm_delete_attr(MPI_COMM_WORLD, ours) : code;
}

static int watch_for_end_of_world(void)
{
    int key;
    int code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_of_world, &key, NULL);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    int freed = MPI_Comm_free_keyval(&key); /* it stays as long as the attribute */
    return code == MPI_SUCCESS ? freed : code;
}

static int attach(MPI_Comm comm, int key, MPI_Comm *duplicate)
{
    void *value = NULL;
    int code = comm == MPI_COMM_WORLD ? watch_for_end_of_world() : MPI_SUCCESS;
    if (code == MPI_SUCCESS)
        code = MPI_Comm_dup(comm, duplicate);
    if (code != MPI_SUCCESS)
        return code;
    memcpy(&value, duplicate, sizeof(MPI_Comm));
    code = MPI_Comm_set_attr(comm, key, value);
    if (code != MPI_SUCCESS)
        (void)MPI_Comm_free(duplicate);
    return code;
}

static int find(MPI_Comm comm, MPI_Comm *duplicate)
{
    void *value = NULL;
    int key, found = 0;
    int code = hold(&key);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Comm_get_attr(comm, key, &value, &found);
    if (code == MPI_SUCCESS && !found) {
        code = attach(comm, key, duplicate);
        if (code == MPI_SUCCESS)
            return MPI_SUCCESS; /* the attribute is a user */
    } else if (code == MPI_SUCCESS) {
        memcpy(duplicate, &value, sizeof(MPI_Comm));
    }
    int after = let_go();
    return code == MPI_SUCCESS ? after : code;
}

int rcuinfo__collective_open(MPI_Comm comm, struct rcuinfo__collective *self)
{
    int inter = 0;
    if (comm == MPI_COMM_NULL)
        return MPI_ERR_COMM;
    int code = MPI_Comm_test_inter(comm, &inter);
    if (code == MPI_SUCCESS && inter)
        code = MPI_ERR_COMM;
    if (code == MPI_SUCCESS)
        code = find(comm, &self->comm);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_rank(self->comm, &self->rank);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(self->comm, &self->size);
    return code;
}

int rcuinfo__collective_tell(const struct rcuinfo__collective *self, uint64_t told[], int n, int *status, int root)
{
    told[RCUINFO__TOLD_STATUS] = (uint64_t)*status;
    rcuinfo__collective_twice(&told[RCUINFO__TOLD_ROOT], (uint64_t)root);
    int code = MPI_Allreduce(MPI_IN_PLACE, told, n, MPI_UINT64_T, MPI_MAX, self->comm);
    if (code != MPI_SUCCESS)
        return code;
    *status = (int)told[RCUINFO__TOLD_STATUS];
    if (*status == MPI_SUCCESS && !rcuinfo__collective_same(&told[RCUINFO__TOLD_ROOT]))
        *status = MPI_ERR_ROOT;
    return MPI_SUCCESS;
}

int rcuinfo__collective_class(rcuinfo_status_t status)
{
    switch (status) {
    case RCUINFO_SUCCESS:
        return MPI_SUCCESS;
    case RCUINFO_ERR_INFO:
        return MPI_ERR_INFO;
    case RCUINFO_ERR_NO_MEM:
        return MPI_ERR_NO_MEM;
    default:
        return MPI_ERR_INTERN; /* nothing else can come of what was checked, and packed by us */
    }
}
