/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window_local: keeps the hints of a window in a hint set, as an implementation of MPI would, and answers the same
 * questions as real windows (window_expect.h). It has the standard's hints of windows, makes one of them changeable
 * that the standard's row does not, and adds one. It rejects a hint that it cannot follow.
 */
#include "support/native_mpi.h"

typedef rcuinfo_hint_set_t *MPI_Win;
#define MPI_Win_set_info     rcuinfo_hint_set_merge
#define MPI_Win_get_info     rcuinfo_hint_set_get_info
#define MPI_Win_free(window) (rcuinfo_hint_set_free(window), MPI_SUCCESS)
#include "window_expect.h"

static const rcuinfo_hint_t own_rows[] = {
    {.key = "same_disp_unit", .type = RCUINFO_TYPE_BOOL, .initial = "false"},
    {.key = "window_copy_size", .type = RCUINFO_TYPE_INT, .least = 1, .most = 65536, .initial = "4096"},
};

static rcuinfo_schema_t *schema;
static size_t noncontiguous; /* the row of alloc_shared_noncontig */

static void make_schema(void)
{
    size_t n = 0;
    const rcuinfo_hint_t *standard = rcuinfo_hint_standard(RCUINFO_OBJECT_WINDOW, &n);
    rcuinfo_schema_t *base = NULL;
    MUST(rcuinfo_schema_create(NULL, standard, n, &base, NULL));
    MUST(rcuinfo_schema_create(base, own_rows, sizeof own_rows / sizeof *own_rows, &schema, NULL));
    MUST(rcuinfo_schema_find(schema, "alloc_shared_noncontig", &noncontiguous));
    rcuinfo_schema_free(&base);
}

/* Accepts or rejects a change of a hint: the memory of this window is always contiguous. */
static int accept(void *context, size_t row, const char *value, int64_t number, int creating)
{
    (void)context, (void)value, (void)creating;
    return row != noncontiguous || !number;
}

static MPI_Win make_window(MPI_Info info)
{
    MPI_Win window;
    MUST(rcuinfo_hint_set_create(schema, info, accept, NULL, &window));
    return window;
}

int main(void)
{
    make_schema();
    expect_window(stdout);

    MPI_Win window = create((struct pair){"alloc_shared_noncontig", "true"});
    set(window, (struct pair){"window_copy_size", "100"});
    CHECK(is(window, (struct pair){"alloc_shared_noncontig", "false"}));
    CHECK(is(window, (struct pair){"window_copy_size", "100"}));
    MUST(MPI_Win_free(&window));
    rcuinfo_schema_free(&schema);
    CHECKF(rcuinfo_store_drain() == 0, "something is left");
    return 0;
}
