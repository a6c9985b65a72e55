/* SPDX-License-Identifier: BSD-3-Clause */
/* peers_lock: the table with nothing around it, and behind the locks of POSIX; see peers.h. */
#include "peers_lock.h"

#include <pthread.h>

#define MUTEX_INIT(LOCK)  pthread_mutex_init(LOCK, NULL)
#define RWLOCK_INIT(LOCK) pthread_rwlock_init(LOCK, NULL)

DEFINE_PEER(unprotected, "the same table, nothing around it: reads, or one thread", false, char, NOTHING, NOTHING,
            NOTHING, NOTHING, NOTHING, NOTHING)
DEFINE_PEER(mutex, "the same table, a pthread_mutex_t", true, pthread_mutex_t, MUTEX_INIT, pthread_mutex_destroy,
            pthread_mutex_lock, pthread_mutex_unlock, pthread_mutex_lock, pthread_mutex_unlock)
DEFINE_PEER(pthread_rwlock, "the same table, a pthread_rwlock_t", true, pthread_rwlock_t, RWLOCK_INIT,
            pthread_rwlock_destroy, pthread_rwlock_rdlock, pthread_rwlock_unlock, pthread_rwlock_wrlock,
            pthread_rwlock_unlock)
