#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: check_symbols.sh LIBRARY REAL: an interposer defines MPI_* and two names of its own and never a PMPI_*, for the
# real library calls its own through the same symbols; and it needs the real library REAL by name.
set -eu
library=$1 real=$2
names=$(nm -D --defined-only "$library" | awk '{ print $NF }' | grep -v '^__')
bad=$(printf '%s\n' "$names" | grep -v -E '^(MPI_[A-Z][A-Za-z0-9_]*|rcuinfo_from_mpi|rcuinfo_to_mpi)$' || [ $? -eq 1 ])
if [ -n "$bad" ]; then
    echo "$library defines: $bad" >&2
    exit 1
fi
sessions=
case $real in
libmpich*) sessions='Comm_create_from_group Intercomm_create_from_groups Session_get_info Session_get_nth_pset
    Session_get_num_psets Session_get_pset_info Session_init' ;;
esac
for name in $sessions Info_create Info_create_env Info_set Info_delete Info_get Info_get_valuelen Info_get_string Info_get_nkeys \
    Info_get_nthkey Info_dup Info_free Alloc_mem Comm_accept Comm_connect Comm_dup_with_info Comm_set_info Comm_spawn \
    Comm_spawn_multiple Comm_split_type Dist_graph_create Dist_graph_create_adjacent File_open File_delete \
    File_set_info File_set_view Lookup_name Open_port Publish_name Unpublish_name Win_allocate Win_allocate_shared \
    Win_create Win_create_dynamic Win_set_info Comm_get_info File_get_info Win_get_info; do
    printf '%s\n' "$names" | grep -q "^MPI_$name\$" || { echo "$library lacks MPI_$name" >&2; exit 1; }
done
readelf -d "$library" | grep NEEDED | grep -q "\[$real" || { echo "$library does not need $real" >&2; exit 1; }
if readelf -d "$library" | grep -q SYMBOLIC; then
    echo "$library binds its own symbols" >&2
    exit 1
fi
