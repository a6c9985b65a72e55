/* SPDX-License-Identifier: BSD-3-Clause */
/* While one thread looks symbols up, the program forks: each child must be able to look one up, too. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 300, LIMIT_S = 10 };

static void *library;
static atomic_bool stops;

static void *look_up(void *unused)
{
    while (!atomic_load(&stops))
        (void)dlsym(library, "cos");
    return unused;
}

int main(void)
{
    pthread_t thread;
    int failed = 0;
    library = dlopen("libm.so.6", RTLD_NOW);
    if (!library || pthread_create(&thread, NULL, look_up, NULL) != 0)
        return 1;
    for (int n = 0; n < FORKS && !failed; n++) {
        int status = 1;
        pid_t child = fork();
        if (child == 0) {
            alarm(LIMIT_S);
            _exit(dlsym(library, "sin") ? 0 : 1);
        }
        failed = child < 0 || waitpid(child, &status, 0) != child || status != 0;
    }
    atomic_store(&stops, true);
    (void)pthread_join(thread, NULL);
    printf("%s\n", failed ? "a child has failed" : "good");
    return failed;
}
