/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every allocation of unpack and load fails once, for objects of several sizes, with and without memory at hand in the
 * pools: the call says so, makes no object and keeps nothing, and the next one works. pack and save allocate
 * nothing. White box: linked with the objects of the library, whose allocator can be told to fail.
 */
#include <stdbool.h>

#include <rcuinfo/rcuinfo.h>

#include "core/recycle.h"
#include "support/counts.h"
#include "support/left.h"
#include "support/nomem.h"

enum { LARGE = 200, MOST_BYTES = 1 << 15 };

/* The same object packed, and as a hint file. */
struct sample {
    rcuinfo_t info;
    const rcuinfo_snapshot_t *snapshot;
    char packed[MOST_BYTES];
    size_t packed_size;
    char text[MOST_BYTES];
    size_t text_size;
};

static void sample_make(struct sample *s, int pairs)
{
    char key[32], value[100];
    CHECK_OK(rcuinfo_create(&s->info));
    for (int i = 0; i < pairs; i++) {
        (void)snprintf(key, sizeof key, "key%d", i);
        (void)snprintf(value, sizeof value, "%080d", i);
        CHECK_OK(rcuinfo_set(s->info, key, value));
    }
    CHECK_OK(rcuinfo_snapshot_open(s->info, &s->snapshot));
    FILE *file = fmemopen(s->text, sizeof s->text, "w");
    CHECK(file);
    faults_fail_at(1);
    s->packed_size = rcuinfo_pack_size(s->snapshot);
    CHECK(s->packed_size <= sizeof s->packed);
    CHECK_OK(rcuinfo_pack(s->snapshot, sizeof s->packed, s->packed));
    CHECK_OK(rcuinfo_save(s->snapshot, file, NULL));
    faults_fail_at(0);
    s->text_size = (size_t)ftell(file);
    (void)fclose(file);
}

typedef rcuinfo_status_t (*call_function)(struct sample *s, rcuinfo_t *info, rcuinfo_fault_t *fault);

static rcuinfo_status_t unpack(struct sample *s, rcuinfo_t *info, rcuinfo_fault_t *fault)
{
    return rcuinfo_unpack(s->packed, s->packed_size, info, fault);
}

static rcuinfo_status_t load(struct sample *s, rcuinfo_t *info, rcuinfo_fault_t *fault)
{
    FILE *file = s->text_size ? fmemopen(s->text, s->text_size, "r") : fopen("/dev/null", "r");
    CHECK(file);
    rcuinfo_status_t status = rcuinfo_load(file, info, fault);
    (void)fclose(file);
    return status;
}

static void check_content(struct sample *s, rcuinfo_t info)
{
    static char again[MOST_BYTES];
    const rcuinfo_snapshot_t *snapshot;
    CHECK_OK(rcuinfo_snapshot_open(info, &snapshot));
    CHECK_EQUAL(rcuinfo_pack_size(snapshot), s->packed_size);
    CHECK_OK(rcuinfo_pack(snapshot, sizeof again, again));
    CHECK(memcmp(again, s->packed, s->packed_size) == 0);
    rcuinfo_snapshot_close(snapshot);
}

/* `scratch`: allocations that no pool can serve. An object that is not empty has a block besides. */
static void fail_all(call_function call, int scratch)
{
    static struct sample s;
    for (int i = 0, pairs = 0; pairs <= LARGE; pairs += i % 2 ? 1 + pairs / 16 : 0, i++) {
        bool pooled = i % 2;
        sample_make(&s, pairs);
        for (nomem_start(); nomem_next();) {
            rcuinfo_fault_t fault = {.what = "untouched"};
            rcuinfo_status_t status;
            rcuinfo_stats_t stats;
            rcuinfo_t info = 77;
            if (!pooled)
                CHECK(rcuinfo_store_drain() == 0);
            NOMEM(status = call(&s, &info, &fault));
            rcuinfo_store_stats(&stats);
            CHECK_TEXT(fault.what, "untouched");
            CHECK_STATUS(status, nomem.met ? RCUINFO_ERR_NO_MEM : RCUINFO_SUCCESS);
            CHECK_EQUAL(stats.live, nomem.met ? 1 : 2);
            if (nomem.met) {
                CHECK(info == RCUINFO_NULL);
                continue;
            }
            check_content(&s, info);
            CHECK_OK(rcuinfo_free(&info));
        }
        CHECK(nomem.count >= scratch + (!pooled && pairs));
        rcuinfo_snapshot_close(s.snapshot);
        CHECK_OK(rcuinfo_free(&s.info));
    }
}

int main(void)
{
    fail_all(unpack, 0);
    fail_all(load, 1);
    left_nothing();
    CHECK_EQUAL(rcuinfo__recycle_kept(), 0);
    counts_report("pack.nomem", "allocation points failed", (unsigned long)faults_met());
    return 0;
}
