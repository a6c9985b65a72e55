/* SPDX-License-Identifier: BSD-3-Clause */
/* While a thread looks symbols up, the program forks, in another thread and in a signal handler of that thread: each
 * child must be able to look one up, too. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/time.h>
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

/* Returns whether a child can look a symbol up. */
static bool fork_one(void)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(LIMIT_S);
        _exit(dlsym(library, "sin") ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static atomic_int forks, failures;

static void on_timer(int signal)
{
    int left_errno = errno;
    (void)signal;
    if (!fork_one())
        atomic_fetch_add(&failures, 1);
    atomic_fetch_add(&forks, 1);
    errno = left_errno;
}

/* The handler interrupts look-ups of its own thread. */
static int fork_in_handlers(void)
{
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, on_timer);
    (void)setitimer(ITIMER_REAL, &often, NULL);
    while (atomic_load(&forks) < FORKS)
        (void)dlsym(library, "cos");
    (void)setitimer(ITIMER_REAL, &never, NULL);
    return atomic_load(&failures);
}

int main(void)
{
    pthread_t thread;
    int failed = 0;
    library = dlopen("libm.so.6", RTLD_NOW);
    if (!library || pthread_create(&thread, NULL, look_up, NULL) != 0)
        return 1;
    for (int n = 0; n < FORKS && !failed; n++)
        failed = !fork_one();
    atomic_store(&stops, true);
    (void)pthread_join(thread, NULL);
    failed = failed || fork_in_handlers();
    printf("%s\n", failed ? "a child has failed" : "good");
    return failed;
}
