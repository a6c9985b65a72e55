#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The installed libraries: what they export, their SONAMEs, and what they need. Programs bind to all of them.
# usage: symbols.sh LIBRARY_DIRECTORY MAJOR_VERSION [fortran] [mpich] [openmpi]
set -u
libdir=$1 major=$2
shift 2
cd "$libdir" || exit 2
status=0
complain() {
    echo "$*"
    status=1
}

exported() {
    nm -D --defined-only "$1" | awk '{print $3}' | sed 's/@.*//' | grep -vE '^(RCUINFO_[A-Z0-9_.]+)$' | sort -u
}

dynamic() {
    readelf -dW "$1"
}

# library NAME PATTERN: exports match the pattern; there are some; the SONAME is right; it is never unloaded.
library() {
    local file=lib$1.so foreign
    [ -e "$file" ] || { complain "$file is not installed" && return; }
    dynamic "$file" | grep -qF "Library soname: [lib$1.so.$major]" || complain "$file: its SONAME is not lib$1.so.$major"
    [ -e "lib$1.so.$major" ] || complain "lib$1.so.$major is not installed"
    foreign=$(exported "$file" | grep -vxE "$2")
    [ -z "$foreign" ] || complain "$file exports ${foreign//$'\n'/ }"
    [ -n "$(exported "$file")" ] || complain "$file exports nothing"
    dynamic "$file" | grep -q 'FLAGS_1.*NODELETE' || complain "$file could be unloaded under its threads"
    dynamic "$file" | grep -q TEXTREL && complain "$file has text relocations"
}

# has LIBRARY SYMBOL...
has() {
    local file=lib$1.so symbol symbols
    shift
    symbols=$(exported "$file")
    for symbol; do
        grep -qxF "$symbol" <<<"$symbols" || complain "$file does not export $symbol"
    done
}

needs() {
    dynamic "lib$1.so" | grep -qE "NEEDED.*\[$2" || complain "lib$1.so does not need $2"
}

needs_no() {
    dynamic "lib$1.so" | grep -qE "NEEDED.*\[$2" && complain "lib$1.so needs $2"
}

calls="create set delete get get_valuelen get_string get_nkeys get_nthkey dup free create_env"

library rcuinfo 'rcuinfo_[a-z0-9].*|rcuinfo__[a-z0-9_]+'
for call in $calls; do
    has rcuinfo "rcuinfo_$call"
done
# What is private is bound to this release, by its symbol version; what is public is not private.
nm -D --defined-only librcuinfo.so | awk '{print $3}' | while read -r symbol; do
    case $symbol in
        rcuinfo__*@@RCUINFO_PRIVATE) ;;
        rcuinfo__* | rcuinfo_*@@RCUINFO_PRIVATE) echo "$symbol" ;;
    esac
done | grep . && complain "librcuinfo.so: the symbols above have the wrong version"
needs_no rcuinfo 'libmpi'
needs_no rcuinfo 'libmpich'
needs_no rcuinfo 'libck'

library rcuinfo_mpi 'P?MPI_Info_[a-z0-9_]+|rcuinfo_(from|to)_mpi'
for call in $calls toint fromint; do
    has rcuinfo_mpi "MPI_Info_$call" "PMPI_Info_$call"
done
has rcuinfo_mpi rcuinfo_from_mpi rcuinfo_to_mpi
exported librcuinfo_mpi.so | grep -E '_(c2f|f2c)$' && complain "librcuinfo_mpi.so: the ABI has no c2f and f2c"
needs rcuinfo_mpi "librcuinfo.so.$major"
needs_no rcuinfo_mpi 'libmpi'

# In front of any library of the ABI, which has no c2f and f2c and no procedures of Fortran.
library rcuinfo_mpi_abi 'MPI_[A-Za-z0-9_]+|rcuinfo_(from|to)_mpi'
for call in $calls toint fromint; do
    has rcuinfo_mpi_abi "MPI_Info_$call"
done
has rcuinfo_mpi_abi rcuinfo_from_mpi rcuinfo_to_mpi MPI_Init MPI_Session_init MPI_Comm_spawn_multiple MPI_Abi_get_info
exported librcuinfo_mpi_abi.so | grep -E '_(c2f|f2c)$' && complain "librcuinfo_mpi_abi.so: the ABI has no c2f and f2c"
needs rcuinfo_mpi_abi "librcuinfo.so.$major"
needs rcuinfo_mpi_abi 'libmpi_abi.so.1'
needs_no rcuinfo_mpi_abi 'librcuinfo_mpi'
[ -z "$(find . -name 'libmpi_abi*')" ] || complain "what stands for a real library is installed"

if [ "${1-}" = fortran ]; then
    shift
    # What the module holds besides is a matter of gfortran.
    library rcuinfo_mpi_fortran 'p?mpi_info_[a-z0-9_]+_|__rcuinfo_mpi_f08_MOD_[A-Za-z0-9_]+'
    for call in $calls; do
        has rcuinfo_mpi_fortran {,p}mpi_info_"$call"{_,__,_f08_}
    done
    has rcuinfo_mpi_fortran __rcuinfo_mpi_f08_MOD_{equal,differ}
    needs rcuinfo_mpi_fortran "librcuinfo.so.$major"
    needs_no rcuinfo_mpi_fortran 'librcuinfo_|libmpi|libgfortran'
    # The functions of C behind it are its own, whatever library of MPI the process has.
    nm -D --undefined-only librcuinfo_mpi_fortran.so | grep MPI_ && complain "librcuinfo_mpi_fortran.so calls the above"
fi

for flavour; do
    # Never PMPI_*: the real library and its ROMIO call those of their own through the same symbols.
    library "rcuinfo_$flavour" 'MPIX?_[A-Za-z0-9_]+|mpix?_[a-z0-9_]+_|rcuinfo_(from|to)_mpi'
    for call in $calls; do
        has "rcuinfo_$flavour" "MPI_Info_$call"
    done
    has "rcuinfo_$flavour" rcuinfo_from_mpi rcuinfo_to_mpi
    needs "rcuinfo_$flavour" "librcuinfo.so.$major"
    needs_no "rcuinfo_$flavour" 'librcuinfo_mpi'
    case $flavour in
        mpich)
            needs rcuinfo_mpich libmpich
            needs rcuinfo_collective_mpich libmpich
            ;;
        openmpi)
            needs rcuinfo_openmpi libmpi.so
            has rcuinfo_openmpi MPI_Info_c2f MPI_Info_f2c
            needs rcuinfo_collective_openmpi libmpi.so
            ;;
    esac
    library "rcuinfo_collective_$flavour" 'rcuinfo_mpi_[a-z]+(_schema)?'
    has "rcuinfo_collective_$flavour" rcuinfo_mpi_{agree,agree_schema,bcast,intersection,union}
    needs "rcuinfo_collective_$flavour" "librcuinfo.so.$major"
    needs_no "rcuinfo_collective_$flavour" "librcuinfo_"
    # It has nothing to do with the infos of MPI.
    nm -D --undefined-only "librcuinfo_collective_$flavour.so" | grep -E 'MPI_(Info|.*_info)' &&
        complain "librcuinfo_collective_$flavour.so calls the above"
done
exit $status
