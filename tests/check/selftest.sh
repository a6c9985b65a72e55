#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The checks beside this file find what they are there for: a small good tree passes, and each way to break it fails with
# a complaint about the file that was broken.
# usage: selftest.sh WORK_DIRECTORY
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$1
status=0

good_tree() {
    rm -rf "$work"
    mkdir -p "$work"/lib/{core,env,mpi/abi,mpi/interpose,mpi/collective}
    echo '#define ORDER memory_order_seq_cst /* [P1] */' >"$work/lib/core/order.h"
    printf '%s\n' '#include <urcu/urcu-bp.h>' >"$work/lib/core/rcu.h"
    printf '%s\n' '#include <xxhash.h>' >"$work/lib/core/text.h"
    printf '%s\n' '#include "core/text.h"' >"$work/lib/core/snapshot.h"
    printf '%s\n' '#include "core/snapshot.h"' 'int x; /* [P1] field: x */' >"$work/lib/core/handle.h"
    printf '%s\n' '#include "core/handle.h"' '/* calls malloc( nowhere */' 'f(x); /* [P1] consume */' \
        'real->free(x);' >"$work/lib/core/read.c"
    printf '%s\n' '#include "core/order.h"' 'atomic_store_explicit(&x, 1, ORDER); /* [P1] publish */' >"$work/lib/core/write.c"
    printf '%s\n' 'void *p = malloc(1);' >"$work/lib/core/alloc.c"
    printf '%s\n' '#include "core/handle.h"' >"$work/lib/env/env.c"
    printf '%s\n' '#include "core/handle.h"' >"$work/lib/mpi/flavour.h"
    printf '%s\n' '#include "mpi/flavour.h"' >"$work/lib/mpi/interpose/interpose.h"
    printf '%s\n' '#include "core/text.h"' >"$work/lib/mpi/collective/collective.h"
    printf '%s\n' '[P1] carries x' >"$work/lib/DESIGN.md"
}

# broken CHECK FILE LINE: with the line added to the file, the check must complain of `complaint`.
broken() {
    good_tree
    echo "$3" >>"$work/lib/$2"
    if output=$("$here/$1" "$work" 2>&1) || ! grep -qF -- "$4" <<<"$output"; then
        echo "$1 does not find '$3' in $2; it says: $output"
        status=1
    fi
}

good_tree
for check in includes.sh pairs.sh; do
    if ! output=$("$here/$check" "$work" 2>&1); then
        echo "$check finds fault with a good tree: $output"
        status=1
    fi
done

broken includes.sh core/snapshot.h '#include "core/handle.h"' lib/core/snapshot.h
broken includes.sh core/handle.h '#include "env/env.h"' lib/core/handle.h
broken includes.sh env/env.c '#include "mpi/flavour.h"' lib/env/env.c
broken includes.sh env/env.c '#include "hints/check.h"' 'lib/env/env.c: includes "hints/check.h": these layers'
broken includes.sh mpi/flavour.h '#include "mpi/interpose/interpose.h"' lib/mpi/flavour.h
broken includes.sh mpi/interpose/interpose.h '#include "mpi/abi/abi.h"' lib/mpi/interpose/interpose.h
broken includes.sh mpi/interpose/interpose.h '#include "mpi/collective/collective.h"' lib/mpi/interpose/interpose.h
broken includes.sh mpi/collective/collective.h '#include "mpi/flavour.h"' lib/mpi/collective/collective.h
broken includes.sh mpi/collective/collective.h '#include "core/handle.h"' lib/mpi/collective/collective.h
broken includes.sh core/read.c '#include <urcu/urcu-bp.h>' lib/core/read.c
broken includes.sh core/read.c '#include <ck_ring.h>' lib/core/read.c
broken includes.sh core/read.c '#include <xxhash.h>' lib/core/read.c
broken includes.sh core/read.c 'char *p = strdup("x");' lib/core/read.c
broken includes.sh core/read.c '    free(p);' lib/core/read.c
broken includes.sh core/read.c 'y = atomic_load(&x);' lib/core/read.c
broken includes.sh core/read.c 'y = atomic_load_explicit(&x, memory_order_relaxed);' lib/core/read.c
broken includes.sh core/read.c 'ck_pr_fence_load();' lib/core/read.c
broken includes.sh core/newcomer.c 'int x;' lib/core/newcomer.c
broken pairs.sh core/read.c 'int y; /* [P2] field: y */' '[P2] publish'
broken pairs.sh core/read.c 'y = 1; /* [P2] publish */' '[P2] consume'
broken pairs.sh core/read.c 'y = 1; /* [P1] publsh */' publsh
broken pairs.sh DESIGN.md '[P7] carries nothing' '[P7]'
rm -rf "$work"
exit $status
