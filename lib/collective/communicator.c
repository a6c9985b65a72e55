/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * communicator: the duplicates of communicators. A duplicate is stored as an attribute of the original, so that it is
 * freed together with it.
 *
 * All these attributes have one key value, whose users are the attributes and the running look-ups. The first user
 * creates it and the last one frees it, so that nothing is left at the end of MPI or of a session. Invariant: no MPI
 * function is called with the lock held. Open MPI invokes callbacks with a lock of its own held, which the functions
 * that create and free key values also take, so this could deadlock.
 *
 * MPI_Finalize first deletes the attributes of MPI_COMM_SELF, when all of MPI still works; the standard does not say
 * when those of MPI_COMM_WORLD are deleted. So an attribute of MPI_COMM_SELF deletes ours of MPI_COMM_WORLD.
 */
#include <pthread.h>
#include <string.h>

#include "collective/collective.h"

_Static_assert(sizeof(MPI_Comm) <= sizeof(void *), "an attribute holds a communicator");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared_key = MPI_KEYVAL_INVALID; /* the key value; valid while there are users */
static size_t users;

/* Drops a user of the key value. */
static int drop_key(void)
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

/* Called when MPI deletes an attribute with the key value. */
static int drop_duplicate(MPI_Comm comm, int key, void *value, void *unused)
{
    MPI_Comm duplicate;
    (void)comm, (void)key, (void)unused;

    memcpy(&duplicate, &value, sizeof(MPI_Comm));
    int code = MPI_Comm_free(&duplicate);
    int after = drop_key();
    return code == MPI_SUCCESS ? after : code;
}

/* Adds a user of the key value, which is created if it is the first one. */
static int hold_key(int *key)
{
    int made = MPI_KEYVAL_INVALID;

    pthread_mutex_lock(&lock);
    if (users == 0) {
        pthread_mutex_unlock(&lock); /* see the invariant */
        int code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop_duplicate, &made, NULL);
        if (code != MPI_SUCCESS)
            return code;

        /* Another thread may have created one meanwhile; then ours is freed below. */
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

/* Called when MPI_Finalize deletes the attribute of MPI_COMM_SELF. */
static int end_of_world(MPI_Comm comm, int key, void *value, void *unused)
{
    int found = 0;
    (void)comm, (void)key, (void)unused;

    pthread_mutex_lock(&lock);
    int ours = shared_key;
    pthread_mutex_unlock(&lock);

    if (ours == MPI_KEYVAL_INVALID)
        return MPI_SUCCESS;

    /* Deleting the attribute calls drop_duplicate. */
    int code = MPI_Comm_get_attr(MPI_COMM_WORLD, ours, &value, &found);
    return code == MPI_SUCCESS && found ? MPI_Comm_delete_attr(MPI_COMM_WORLD, ours) : code;
}

/* Sets the attribute of MPI_COMM_SELF. */
static int watch_for_end_of_world(void)
{
    int key;
    int code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_of_world, &key, NULL);
    if (code != MPI_SUCCESS)
        return code;

    code = MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    int freed = MPI_Comm_free_keyval(&key); /* it is gone when the attribute is */
    return code == MPI_SUCCESS ? freed : code;
}

/* Creates a duplicate and stores it as an attribute. */
static int attach_duplicate(MPI_Comm comm, int key, MPI_Comm *duplicate)
{
    void *value = NULL;
    int code = comm == MPI_COMM_WORLD ? watch_for_end_of_world() : MPI_SUCCESS;
    if (code == MPI_SUCCESS)
        code = MPI_Comm_dup(comm, duplicate);
    if (code != MPI_SUCCESS)
        return code;

    /* An MPI_Comm is an int or a pointer; an attribute is a pointer. */
    memcpy(&value, duplicate, sizeof(MPI_Comm));
    code = MPI_Comm_set_attr(comm, key, value);
    if (code != MPI_SUCCESS)
        (void)MPI_Comm_free(duplicate);
    return code;
}

/* The duplicate of a communicator, which is created if there is none. */
static int find_duplicate(MPI_Comm comm, MPI_Comm *duplicate)
{
    void *value = NULL;
    int key, found = 0;

    int code = hold_key(&key);
    if (code != MPI_SUCCESS)
        return code;

    code = MPI_Comm_get_attr(comm, key, &value, &found);
    if (code == MPI_SUCCESS && !found) {
        code = attach_duplicate(comm, key, duplicate);
        if (code == MPI_SUCCESS)
            return MPI_SUCCESS; /* the attribute is now the user */
    } else if (code == MPI_SUCCESS) {
        memcpy(duplicate, &value, sizeof(MPI_Comm));
    }

    /* The look-up is not a user any more. */
    int after = drop_key();
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
        code = find_duplicate(comm, &self->comm);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_rank(self->comm, &self->rank);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(self->comm, &self->size);
    return code;
}

int rcuinfo__collective_max(const struct rcuinfo__collective *self, uint64_t maxima[], int n, int *status, int root)
{
    maxima[RCUINFO__MAX_STATUS] = (uint64_t)*status;
    rcuinfo__collective_twice(&maxima[RCUINFO__MAX_ROOT], (uint64_t)root);

    /* The largest class wins, so all processes get the same one. */
    int code = MPI_Allreduce(MPI_IN_PLACE, maxima, n, MPI_UINT64_T, MPI_MAX, self->comm);
    if (code != MPI_SUCCESS)
        return code;

    *status = (int)maxima[RCUINFO__MAX_STATUS];
    if (*status == MPI_SUCCESS && !rcuinfo__collective_same(&maxima[RCUINFO__MAX_ROOT]))
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
        return MPI_ERR_INTERN; /* the arguments were checked, and the bytes are our own */
    }
}
