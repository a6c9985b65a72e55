/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Target handles: uses any number as a native handle, as a narrow handle of each flavour, and as a handle of the
 * standard ABI, while some objects are live and others are freed. A number that is not the handle of a live object must
 * be refused; a live handle must lead to its object.
 */
#include <limits.h>

#include <rcuinfo/abi/mpi.h>
#include <rcuinfo/mpi_compat.h>
#include <rcuinfo/rcuinfo.h>

#include "core/calls/layer.h"
#include "fuzz/fuzz.h"
#include "support/objects.h"

/* The number of generation bits in narrow handles of MPICH, the ABI and Open MPI. */
enum { BITS_MPICH = 6, BITS_ABI = 10, BITS_OPENMPI = 11 };
enum { OBJECTS = 6, GONE = 8, MOST_STEPS = 200 };

static rcuinfo_t objects[OBJECTS]; /* RCUINFO_NULL: none. Number i has one pair, "n" with the value i */
static rcuinfo_t gone[GONE];       /* stale handles */
static unsigned gone_next;

static void object_end(int i)
{
    gone[gone_next++ % GONE] = objects[i];
    CHECK_OK(rcuinfo_free(&objects[i]));
}

/* The objects of the process: ours, then the two that describe the process. */
static rcuinfo_t nth_live(int i)
{
    if (i < OBJECTS)
        return objects[i];
    return i == OBJECTS ? rcuinfo_env() : rcuinfo_from_mpi(MPI_INFO_ENV);
}

/* The index of the live object with this narrow handle; -1: none. With RCUINFO__NATIVE_BITS it is the native handle. */
static int find_live(uint64_t number, unsigned bits)
{
    for (int i = 0; i < OBJECTS + 2; i++) {
        rcuinfo_t info = nth_live(i);
        if (info && (bits == RCUINFO__NATIVE_BITS ? info : rcuinfo__handle_number(info, bits)) == number)
            return i;
    }
    return -1;
}

/* Checks what a get of "n" returned. The objects that describe the process do not have this key. */
static void check_read(rcuinfo_status_t status, int found, int flag, const char *value)
{
    CHECK(status == (found >= 0 ? RCUINFO_SUCCESS : RCUINFO_ERR_INFO));
    if (found < 0)
        CHECK(flag == 77 && value[0] == 'u');
    else if (found >= OBJECTS)
        CHECK(flag == 0);
    else
        CHECK(flag == 1 && value[0] == '0' + found && !value[1]);
}

static void check_native(rcuinfo_t info)
{
    int found = find_live(info, RCUINFO__NATIVE_BITS), flag = 77, number;
    bool ours = found >= 0 && found < OBJECTS; /* the others are read-only */
    char value[8] = "u";
    const rcuinfo_snapshot_t *snapshot = NULL;
    rcuinfo_t out = 77;
    uint64_t version = UINT64_MAX;
    rcuinfo_status_t status = rcuinfo_get(info, "n", 7, value, &flag);
    check_read(status, found, flag, value);
    CHECK_STATUS(rcuinfo_get_nkeys(info, &number), status);
    CHECK_STATUS(rcuinfo_object_version(info, &version), status);
    CHECK((version == UINT64_MAX) == (found < 0));
    CHECK_STATUS(rcuinfo_snapshot_open(info, &snapshot), status);
    CHECK(!snapshot == (found < 0));
    rcuinfo_snapshot_close(snapshot);
    CHECK_STATUS(rcuinfo_set(info, "m", "1"), ours ? RCUINFO_SUCCESS : RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_delete(info, "m"), ours ? RCUINFO_SUCCESS : RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_dup(info, &out), status);
    CHECK((out == RCUINFO_NULL) == (found < 0));
    if (out)
        CHECK_OK(rcuinfo_free(&out));
    if (!ours) {
        out = info;
        CHECK_STATUS(rcuinfo_free(&out), RCUINFO_ERR_INFO);
        CHECK(out == info);
    }
}

static void check_narrow(uint32_t number, unsigned bits)
{
    number &= (UINT32_C(1) << (20 + bits)) - 1;
    int found = find_live(number, bits);
    CHECK(rcuinfo__handle_native(number, bits) == (found < 0 ? RCUINFO_NULL : nth_live(found)));
}

/* A handle of the ABI has the top bit of a pointer and 30 bits of number. MPI_INFO_ENV is a separate constant. */
#define ABI_MARK    ((uintptr_t)1 << (sizeof(uintptr_t) * CHAR_BIT - 1))
#define ABI_NUMBERS ((uintptr_t)(1 << 30) - 1)

static void check_abi(uintptr_t bits)
{
    MPI_Info info = (MPI_Info)bits, out = info;
    bool is_marked = (bits & ~ABI_NUMBERS) == ABI_MARK;
    int found = is_marked ? find_live((uint32_t)(bits & ABI_NUMBERS), BITS_ABI) : -1, flag = 77, number;
    if (info == MPI_INFO_ENV)
        found = OBJECTS + 1;
    bool ours = found >= 0 && found < OBJECTS;
    char value[8] = "u";
    int code = MPI_Info_get(info, "n", 7, value, &flag);
    CHECK(code == MPI_SUCCESS || code == MPI_ERR_INFO);
    check_read(code == MPI_SUCCESS ? RCUINFO_SUCCESS : RCUINFO_ERR_INFO, found, flag, value);
    CHECK(MPI_Info_get_nkeys(info, &number) == code);
    CHECK(MPI_Info_set(info, "m", "1") == (ours ? MPI_SUCCESS : MPI_ERR_INFO));
    CHECK(MPI_Info_delete(info, "m") == (ours ? MPI_SUCCESS : MPI_ERR_INFO));
    CHECK(rcuinfo_from_mpi(info) == (found < 0 ? RCUINFO_NULL : nth_live(found)));
    if (!ours)
        CHECK(MPI_Info_free(&out) == MPI_ERR_INFO && out == info);
    if (is_marked || bits < 4096)
        CHECK(MPI_Info_fromint(MPI_Info_toint(info)) == info);
    else
        CHECK(MPI_Info_toint(info) == 0);
}

static void check_to_mpi(rcuinfo_t info)
{
    int found = find_live(info, RCUINFO__NATIVE_BITS);
    MPI_Info marked = rcuinfo_to_mpi(info);
    CHECK(found < 0 ? marked == MPI_INFO_NULL : rcuinfo_from_mpi(marked) == info);
}

/* Takes a number of the input, or a live or stale handle with some bits flipped by the input. */
static uint64_t take_number(struct fuzz_input *in)
{
    unsigned base = fuzz_byte(in);
    uint64_t number = fuzz_number(in, base & 0x80 ? 8 : base & 0x40 ? 3 : 0);
    base %= 2 * (OBJECTS + GONE) + 4;
    bool is_marked = base % 2;
    base /= 2;
    rcuinfo_t handle = RCUINFO_NULL;
    if (base < OBJECTS)
        handle = objects[base];
    else if (base < OBJECTS + GONE)
        handle = gone[base - OBJECTS];
    else if (base == OBJECTS + GONE)
        handle = rcuinfo_env();
    if (is_marked && handle)
        handle = ABI_MARK | rcuinfo__handle_number(handle, BITS_ABI);
    return handle ^ number;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    for (int i = 0; i < MOST_STEPS && in.left; i++) {
        unsigned step = fuzz_byte(&in);
        int object = (int)(step / 4 % OBJECTS);
        if (step % 4 == 0 && objects[object])
            object_end(object);
        else if (step % 4 <= 1 && !objects[object])
            objects[object] = OBJECT("n", (char[]){(char)('0' + object), '\0'});
        uint64_t number = take_number(&in);
        check_native(number);
        check_narrow((uint32_t)number, BITS_MPICH);
        check_narrow((uint32_t)number, BITS_ABI);
        check_narrow((uint32_t)number, BITS_OPENMPI);
        check_abi((uintptr_t)number);
        check_to_mpi(number);
    }
    for (int i = 0; i < OBJECTS; i++) {
        if (objects[i])
            object_end(i);
    }
    CHECK(rcuinfo_store_drain() == 0);
    return 0;
}
