#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The installed libraries: their exported symbols, their SONAMEs, and the libraries that they need.
# usage: symbols.sh LIBRARY_DIRECTORY MAJOR_VERSION [fortran] [mpich] [openmpi]
set -u
export LC_ALL=C # of readelf
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

# library NAME EXPORTS NEEDED NOT_NEEDED SYMBOL...: exports these symbols, and only symbols that match EXPORTS; has the
# right SONAME; is never unloaded; needs the libraries that match NEEDED, patterns separated by blanks, and none that
# match NOT_NEEDED.
library() {
    local file=lib$1.so exports=$2 needed=$3 not_needed=$4 foreign symbol symbols
    shift 4
    [ -e "$file" ] || { complain "$file is not installed" && return; }
    [ -e "$file.$major" ] || complain "$file.$major is not installed"
    dynamic "$file" | grep -qF "Library soname: [$file.$major]" || complain "$file: its SONAME is not $file.$major"
    dynamic "$file" | grep -q 'FLAGS_1.*NODELETE' || complain "$file could be unloaded under its threads"
    dynamic "$file" | grep -q TEXTREL && complain "$file has text relocations"
    symbols=$(exported "$file")
    foreign=$(grep -vxE "$exports" <<<"$symbols")
    [ -z "$foreign" ] || complain "$file exports ${foreign//$'\n'/ }"
    for symbol; do
        grep -qxF "$symbol" <<<"$symbols" || complain "$file does not export $symbol"
    done
    for symbol in $needed; do
        dynamic "$file" | grep -qE "NEEDED.*\[$symbol" || complain "$file does not need $symbol"
    done
    dynamic "$file" | grep -E "NEEDED.*\[($not_needed)" && complain "$file needs the above"
}

# calls_nothing NAME PATTERN: calls no function of an MPI library that matches.
calls_nothing() {
    nm -D --undefined-only "lib$1.so" | grep -E "$2" && complain "lib$1.so calls the above"
}

calls=(create set delete get get_valuelen get_string get_nkeys get_nthkey dup free)
abi=("${calls[@]}" create_env toint fromint)
handles=(rcuinfo_from_mpi rcuinfo_to_mpi)
store=librcuinfo.so.$major

library rcuinfo 'rcuinfo_[a-z0-9].*|rcuinfo__[a-z0-9_]+' '' 'libmpi|libck' "${calls[@]/#/rcuinfo_}" rcuinfo_env_create
# Private symbols have the version that binds them to this release; public symbols do not.
nm -D --defined-only librcuinfo.so | awk '{print $3}' | while read -r symbol; do
    case $symbol in
        rcuinfo__*@@RCUINFO_PRIVATE_*) ;;
        rcuinfo__* | rcuinfo_*@@RCUINFO_PRIVATE_*) echo "$symbol" ;;
    esac
done | grep . && complain "librcuinfo.so: the symbols above have the wrong version"

library rcuinfo_mpi 'P?MPI_Info_[a-z0-9_]+|rcuinfo_(from|to)_mpi' "$store" 'libmpi' \
    "${abi[@]/#/MPI_Info_}" "${abi[@]/#/PMPI_Info_}" "${handles[@]}"
# The interposer comes before any MPI library, and needs none. interpose.functions has its list of names.
library rcuinfo_interpose 'P?MPIX?_[A-Za-z0-9_]+|ompi_info_[a-z_]+|rcuinfo_(from|to)_mpi|rcuinfo__(next|module)_?[a-z_]*' "$store" 'librcuinfo_|libmpi' \
    "${abi[@]/#/MPI_Info_}" "${abi[@]/#/PMPI_Info_}" "${handles[@]}" MPI_Init MPI_Session_init PMPI_Comm_spawn_multiple
for flavour in mpich openmpi abi; do
    library "rcuinfo_${flavour}_flavour" rcuinfo__flavour_functions "librcuinfo_interpose.so $store" 'libmpi|libopen-' rcuinfo__flavour_functions
done
exported librcuinfo_mpi.so | grep -E '_(c2f|f2c)$' && complain "librcuinfo_mpi.so: the ABI has no c2f and f2c"
# Programs such as numba-mpi look for an MPI library in /proc/self/maps by such a name.
find . -name 'librcuinfo_*' ! -name 'librcuinfo_collective*' ! -name 'librcuinfo_mpi.*' | grep -E 'mpi\.|mpich\.' && complain "the names above look like an MPI's"
library rcuinfo_dlsym dlsym '' 'librcuinfo|libmpi' dlsym
[ -z "$(find . -name 'libmpi*')" ] || complain "what stands for a real library is installed"

if [ "${1-}" = fortran ]; then
    shift
    # check_interfaces.py checks its procedures; the module's other symbols depend on gfortran.
    library rcuinfo_mpi_fortran 'p?mpi_info_[a-z0-9_]+_|__rcuinfo_mpi_f08_MOD_[A-Za-z0-9_]+' \
        "$store" 'librcuinfo_|libmpi|libgfortran' __rcuinfo_mpi_f08_MOD_{equal,differ}
    calls_nothing rcuinfo_mpi_fortran MPI_ # it contains the C functions that it calls
fi

for flavour; do
    real=libmpich
    [ "$flavour" = mpich ] || real=libmpi.so
    library "rcuinfo_collective_$flavour" 'rcuinfo_mpi_[a-z]+(_schema)?' "$store $real" 'librcuinfo_' \
        rcuinfo_mpi_{agree,agree_schema,bcast,intersection,union}
    calls_nothing "rcuinfo_collective_$flavour" 'MPI_(Info|.*_info)'
done
exit $status
