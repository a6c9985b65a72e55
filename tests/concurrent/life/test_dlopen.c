/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that loads the library when it needs it may close it again while threads that have used it live on, use it
 * at that moment, or end afterwards: the library stays in memory, and so do its objects. Twenty times over.
 *
 * usage: test_dlopen PATH-OF-LIBRARY
 */
#include <dlfcn.h>

#include <rcuinfo/rcuinfo.h>

#include "support/threads.h"

enum { ROUNDS = 20, THREADS = 3, CALLS = 200 };

#define FUNCTIONS(X) X(create) X(set) X(get) X(dup) X(free) X(store_drain)

#define DECLARE(name) static __typeof__(rcuinfo_##name) *p_##name;
FUNCTIONS(DECLARE)

static rcuinfo_t info; /* from the first round to the last */
static atomic_uint users, may_end;

static void find_functions(void *library)
{
#define FIND(name)                                                                                                     \
    do {                                                                                                               \
        *(void **)(void *)&p_##name = dlsym(library, "rcuinfo_" #name);                                                \
        CHECKF(p_##name != NULL, "%s", dlerror());                                                                     \
    } while (0);
    FUNCTIONS(FIND)
}

static void use_once(unsigned long i)
{
    char value[32];
    rcuinfo_t copy;
    int flag = 0;
    (void)snprintf(value, sizeof value, "%lu", i);
    CHECK(p_set(info, "key", value) == RCUINFO_SUCCESS);
    CHECK(p_dup(info, &copy) == RCUINFO_SUCCESS);
    CHECK(p_get(copy, "key", sizeof value - 1, value, &flag) == RCUINFO_SUCCESS);
    CHECK(flag == 1);
    CHECK(p_free(&copy) == RCUINFO_SUCCESS);
}

/* Uses the library from before it is closed until after. */
static void *use(void *unused)
{
    (void)unused;
    for (unsigned long i = 0; i < CALLS || !atomic_load(&may_end); i++) {
        use_once(i);
        if (i == CALLS / 2)
            atomic_fetch_add(&users, 1);
    }
    return NULL;
}

static void one_round(const char *path, unsigned round)
{
    pthread_t threads[THREADS];
    unsigned spins = 0;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECKF(library != NULL, "%s", dlerror());
    find_functions(library);
    if (round == 0)
        CHECK(p_create(&info) == RCUINFO_SUCCESS);
    atomic_store(&users, 0);
    atomic_store(&may_end, 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, use, NULL) == 0);
    while (atomic_load(&users) < THREADS)
        team_relax(&spins);
    CHECK(dlclose(library) == 0);
    use_once(round);
    atomic_store(&may_end, 1);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    for (unsigned round = 0; round < ROUNDS; round++)
        one_round(argv[1], round);
    CHECK(p_free(&info) == RCUINFO_SUCCESS);
    CHECK(p_store_drain() == 0);
    return 0;
}
