/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hints of one's own: a library that is given an info says which keys it knows, of which type they are and what holds
 * without them. It reads a hint in a few nanoseconds, without looking at text, and ignores what it does not know or
 * what is not of its type, as MPI does.
 *
 * Build: cc own_hints.c $(pkg-config --cflags --libs rcuinfo)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <rcuinfo/rcuinfo.h>

/* Members that are left out mean what stands in hints.h; rows are found by their place here, too. */
enum { THREADS, MODE, TRACE, HINTS };
static const rcuinfo_hint_t rows[HINTS] = {
    [THREADS] = {.key = "solver_threads", .type = RCUINFO_HINT_INT, .least = 1, .most = 64, .initial = "4"},
    [MODE] = {.key = "solver_mode", .type = RCUINFO_HINT_CHOICE, .allowed = "fast,exact", .initial = "fast"},
    [TRACE] = {.key = "solver_trace", .type = RCUINFO_HINT_BOOL, .flags = RCUINFO_HINT_FIXED, .initial = "false"},
};

static void check(rcuinfo_status_t status)
{
    if (status != RCUINFO_SUCCESS) {
        fprintf(stderr, "%s\n", rcuinfo_status_string(status));
        exit(1);
    }
}

static void print(const char *when, const rcuinfo_hint_set_t *hints)
{
    int64_t threads, mode, trace;
    check(rcuinfo_hint_set_read(hints, THREADS, &threads));
    check(rcuinfo_hint_set_read(hints, MODE, &mode)); /* the place of the word in `allowed` */
    check(rcuinfo_hint_set_read(hints, TRACE, &trace));
    printf("%s: %" PRId64 " threads, mode %" PRId64 ", trace %" PRId64 "\n", when, threads, mode, trace);
}

int main(void)
{
    const rcuinfo_change_t first[] = {
        {"solver_threads", "16"}, {"solver_mode", "guess"}, {"solver_trace", "true"}, {"cb_nodes", "4"}};
    const rcuinfo_change_t later[] = {{"solver_threads", "1000"}, {"solver_mode", "exact"}, {"solver_trace", "false"}};
    rcuinfo_schema_t *schema;
    rcuinfo_hint_set_t *hints;
    rcuinfo_t info, in_use;
    rcuinfo_fault_t fault;
    char value[RCUINFO_MAX_VALUE];
    int flag, nkeys;

    check(rcuinfo_schema_create(NULL, rows, HINTS, &schema, NULL));
    check(rcuinfo_create(&info));
    check(rcuinfo_update(info, first, 4, NULL));

    /* A mode of that name there is not, and cb_nodes is somebody else's: both are ignored. */
    check(rcuinfo_hint_set_create(schema, info, NULL, NULL, &hints));
    print("created", hints);

    /* Out of range; taken; may not change any more. */
    check(rcuinfo_update(info, later, 3, NULL));
    check(rcuinfo_hint_set_merge(hints, info));
    print("set", hints);

    /* What a user gets back: what is in use. */
    check(rcuinfo_hint_set_get_info(hints, &in_use));
    check(rcuinfo_get_nkeys(in_use, &nkeys));
    check(rcuinfo_get(in_use, "solver_mode", RCUINFO_MAX_VALUE - 1, value, &flag));
    printf("in use: %d hints, solver_mode=%s\n", nkeys, flag ? value : "");

    /* Why a value is ignored. */
    if (rcuinfo_hint_check(&rows[THREADS], "many", NULL, &fault) == RCUINFO_ERR_TYPE)
        printf("solver_threads=many: %s\n", fault.what);

    check(rcuinfo_free(&in_use));
    check(rcuinfo_free(&info));
    rcuinfo_hint_set_free(&hints);
    rcuinfo_schema_free(&schema);
    return 0;
}
