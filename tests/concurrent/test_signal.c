/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A signal comes while the thread reclaims, and its handler forks: the signal waits until the thread has given back
 * what a fork takes, so that it does not wait for itself. The mask of signals is then as before.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rcuinfo/rcuinfo.h>

#include "core/seam.h"
#include "support/check.h"

enum { VERSIONS = 100 };

static volatile sig_atomic_t raised;
static volatile sig_atomic_t handled;

static void on_signal(int signal)
{
    int saved_errno = errno;
    int status = 0;
    pid_t child = fork();
    CHECK(signal == SIGUSR1 && child >= 0);
    if (child == 0)
        _exit(0);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    handled++;
    errno = saved_errno;
}

void rcuinfo__seam(enum rcuinfo__seam seam)
{
    if (seam == RCUINFO__SEAM_DETACHED || seam == RCUINFO__SEAM_PASSED) {
        raised = 1;
        CHECK(raise(SIGUSR1) == 0);
    }
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t mask;
    rcuinfo_t info;
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    CHECK_OK(rcuinfo_create(&info));
    for (int i = 0; i < VERSIONS; i++)
        CHECK_OK(rcuinfo_set(info, "key", i % 2 ? "odd" : "even"));
    CHECK(rcuinfo_store_drain() == 0);
    CHECK(raised && handled);
    CHECK(pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0);
    for (int signal = 1; signal < 32; signal++)
        CHECK(sigismember(&mask, signal) == 0);
    CHECK_OK(rcuinfo_free(&info));
    return 0;
}
