/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interrupted: signal handlers that read while their thread reads. One comes at each instruction of a call, by means of
 * the processor's trap flag, and another at some of the first one's; or it forks, and reads in the child, which goes
 * on. No section may lose its place in the record of its thread to that of a handler, and none may keep it; and a
 * thread gets one record, which no other has. A handler that creates and frees objects while its thread does gets slots
 * of its own.
 */
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#include "support/inside.h"
#include "support/objects.h"
#include "support/threads.h"

static const unsigned long long trap_flag = 0x100;

static rcuinfo_t info, other;
static rcuinfo_view_t view, first, second;
static volatile int left[2]; /* instructions until the first handler reads, and the second; -1: it has */
static volatile unsigned level;
static bool forks;
static volatile bool is_child;

static void read_other(void)
{
    rcuinfo_view_t view_of_other;
    int nkeys;
    CHECK_OK(rcuinfo_view_begin(other, &view_of_other));
    CHECK_OK(rcuinfo_get_nkeys(info, &nkeys));
    rcuinfo_view_end(&view_of_other);
}

/* Calls a function one instruction at a time: the trap comes after each. Not inline: for compilers the flag is in no
 * order with stores. */
__attribute__((noinline)) static void step_through(void (*call)(void))
{
    __writeeflags(__readeflags() | trap_flag);
    call();
    __writeeflags(__readeflags() & ~trap_flag);
}

/* The library's: a blocked trap would end the process. */
int __real_pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    static unsigned long long flag;
    bool blocks = sigismember(set, SIGTRAP) == 1;
    if (blocks) {
        flag = __readeflags() & trap_flag;
        __writeeflags(__readeflags() & ~trap_flag);
    }
    int result = __real_pthread_sigmask(how, set, old);
    if (!blocks)
        __writeeflags(__readeflags() | flag);
    return result;
}

static void fork_and_read(void)
{
    int status = 0;
    pid_t child = fork();
    CHECK(child >= 0);
    is_child = child == 0;
    if (is_child)
        read_other();
    else
        CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static rcuinfo_t created[4]; /* by the call, and by the handler */

static void create_more(void)
{
    for (int i = 1; i < 4; i++)
        created[i] = object_empty();
    object_free(created[3]);
}

static void (*within)(void) = read_other; /* what the handlers do */

static void handle_trap(int signal, siginfo_t *information, void *context)
{
    (void)signal, (void)information;
    if (left[level]-- > 0)
        return;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)trap_flag;
    if (forks)
        fork_and_read();
    else if (level++ == 0)
        step_through(within);
    else
        within();
    level = 0;
}

static void begin_view(void)
{
    CHECK_OK(rcuinfo_view_begin(info, &view));
}

static void get(void)
{
    int nkeys;
    CHECK_OK(rcuinfo_get_nkeys(info, &nkeys));
}

static void begin_two(void)
{
    CHECK_OK(rcuinfo_view_begin(info, &first));
    CHECK_OK(rcuinfo_view_begin(info, &second));
}

/* The place of the first view is given up when the second one ends. */
static void end_two(void)
{
    rcuinfo_view_end(&first);
    rcuinfo_view_end(&second);
}

static void begin_and_end_two(void)
{
    begin_two();
    end_two();
}

static void *read_in_thread(void *unused)
{
    read_other();
    return unused;
}

static void nothing(void)
{
}

/* Steps through a call after another one, and then looks at an open view, whose place a get must not take, nor a thread
 * of the child. */
static void interrupt(void (*before)(void), void (*call)(void))
{
    pthread_t thread;
    before();
    step_through(call);
    if (!view.snapshot)
        begin_view();
    get();
    if (is_child)
        CHECK(pthread_create(&thread, NULL, read_in_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
    if (view.opaque_reader)
        CHECK(said(view.opaque_place) == (uintptr_t)view.snapshot);
    rcuinfo_view_end(&view);

    CHECK_EQUAL(rcuinfo__reader_self->depth, 0);
    for (unsigned place = 0; place <= RCUINFO__READER_ROOM; place++)
        CHECK_EQUAL(said(place), 0);
    if (is_child)
        _exit(0);
}

static void *interrupt_first(void *unused)
{
    interrupt(nothing, begin_view);
    return unused;
}

static void create_one(void)
{
    created[0] = object_empty();
}

static void free_one(void)
{
    object_free(created[0]);
}

/* All objects that live together have slots of their own, also later. */
static void check_slots(void)
{
    enum { LATER = 64 };
    rcuinfo_t later[LATER];
    static bool seen[RCUINFO__SLOTS];
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < LATER; i++)
        later[i] = object_empty();
    for (int i = 0; i < LATER + 3; i++) {
        rcuinfo_t one = i < 3 ? created[i] : later[i - 3];
        size_t slot = one & (RCUINFO__SLOTS - 1);
        CHECK(one == RCUINFO_NULL || !seen[slot]);
        seen[slot] = one != RCUINFO_NULL;
    }
    for (int i = 0; i < LATER + 3; i++) {
        rcuinfo_t one = i < 3 ? created[i] : later[i - 3];
        if (one != RCUINFO_NULL)
            object_free(one);
    }
}

static void handlers_create(void)
{
    within = create_more;
    forks = false;
    for (int frees = 0; frees < 2; frees++) {
        int at = 0;
        for (left[0] = -1; left[0] < 0; at++) {
            memset(created, 0, sizeof created);
            if (frees)
                create_one();
            left[0] = at;
            left[1] = INT_MAX;
            step_through(frees ? free_one : create_one);
            if (frees)
                created[0] = RCUINFO_NULL;
            check_slots();
        }
        printf("%s: %d instructions\n", frees ? "free" : "create", at - 1);
    }
}

int main(void)
{
    static const struct step {
        void (*before)(void), (*call)(void);
    } cases[] = {{nothing, begin_view},
                 {begin_and_end_two, begin_view},
                 {begin_and_end_two, get},
                 {begin_two, end_two},
                 {NULL, NULL}};
    const int stride = getenv("TEST_FULL") ? 97 : 307; /* between the instructions at which the second handler comes */
    struct sigaction action = {.sa_sigaction = handle_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
    info = object_make((const char *const[]){"key", "value", NULL});
    other = object_make((const char *const[]){"another key", "another value", NULL});
    get();
    unsigned before = records(true);
    CHECK(sigaction(SIGTRAP, &action, NULL) == 0);

    for (size_t n = 0; n < 2 * (sizeof cases / sizeof *cases); n++) {
        const struct step *step = &cases[n / 2];
        int at = 0;
        forks = n % 2;
        for (left[0] = -1; left[0] < 0; at++) {
            left[1] = -1;
            for (int at_handler = at * 7 % stride; left[1] < 0; at_handler += stride) {
                pthread_t thread;
                left[0] = at;
                left[1] = at_handler;
                if (step->call)
                    interrupt(step->before, step->call);
                else /* the first section of a thread */
                    CHECK(pthread_create(&thread, NULL, interrupt_first, NULL) == 0 && pthread_join(thread, NULL) == 0);
                CHECK_EQUAL(records(true), before);
            }
        }
        printf("case %zu%s: %d instructions\n", n / 2, forks ? ", fork" : "", at - 1);
    }
    handlers_create();
    object_free(info);
    object_free(other);
    return 0;
}
