#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# pip installs the sources into a virtual environment with MPICH's wheel: there `mpiexec -n 2 rcuinfo run python` has the
# store in front of MPI, and a report of hints. With SOURCES, on a system without the libraries that we need, which are
# built from there and installed, too. Exit status 77: not tested, as a package or a tool cannot be had.
# usage: pip.sh PYTHON SOURCE WORK_DIRECTORY VERSION [SOURCES]
set -eu
python=$1 source=$2 work=$3 version=$4 sources=${5-}
ours=('librcuinfo.so.*' 'liburcu-bp.so.*')
fail() {
    echo "$*"
    exit 1
}
skip() {
    echo "pip.sh: NOT TESTED: $*"
    exit 77
}

rm -rf "$work"
mkdir -p "$work"
env=$work/environment
"$python" -m venv "$env" >"$work/log" 2>&1 || skip "$python cannot make virtual environments: $(cat "$work/log")"
pip=("$env/bin/python" -m pip --no-input)
"${pip[@]}" download -q --retries 1 --timeout 20 --only-binary :all: -d "$work/wheels" 'scikit-build-core>=1.0' mpich==5.0.2 \
    mpi4py==4.1.2 </dev/null >"$work/log" 2>&1 || skip "pip finds no package index, or not all wheels there: $(tail -n 1 "$work/log")"
"${pip[@]}" install -q --no-index --find-links "$work/wheels" mpich mpi4py

if [ -n "$sources" ]; then
    mkdir "$work/pc"
    export PKG_CONFIG_LIBDIR=$work/pc CMAKE_ARGS=
    for name in liburcu ck xxhash jansson; do
        CMAKE_ARGS+=" -DFETCHCONTENT_SOURCE_DIR_RCUINFO_${name^^}=$sources/$name"
    done
fi
"${pip[@]}" install --find-links "$work/wheels" "$source/tools/package/python" </dev/null >"$work/log" 2>&1 || fail "$(cat "$work/log")"

# The rest needs the environment alone.
export PATH=$env/bin:/usr/bin:/bin
unset LD_LIBRARY_PATH LD_PRELOAD PYTHONPATH
cd "$work"
[ "$(rcuinfo --version)" = "rcuinfo $version" ] || fail "another command: $(command -v rcuinfo), $(rcuinfo --version)"
[[ $(pip show rcuinfo) == *"Version: $version"* ]] || fail "$(pip show rcuinfo)"
for name in "${ours[@]}"; do
    ldd "$env/bin/rcuinfo" | grep -q "$name => $env/" || fail "not from the environment: $(ldd "$env/bin/rcuinfo")"
done
cat >app.py <<'END'
from mpi4py import MPI

info = MPI.Info.Create()
info["cb_nodes"] = "1"
info["acess_style"] = "random"
MPI.File.Open(MPI.COMM_WORLD, "app.data", MPI.MODE_CREATE | MPI.MODE_RDWR, info).Close()
info.Free()
END
mpiexec -n 2 rcuinfo run --stats python app.py </dev/null >found 2>&1 || fail "$(cat found)"
[ "$(grep -c 'live 0, gets .*, sets 2, .*conversions 1,' found)" -eq 2 ] || fail "not on the store: $(cat found)"
mpiexec -n 2 rcuinfo run --hints-report python app.py </dev/null >found 2>&1 || fail "$(cat found)"
for line in 'rcuinfo: 2 hints of 2 processes: 1 unknown key, 1 in effect' '  acess_style  random  unknown key: did you mean .access_style.?'; do
    grep -qx "$line" found || fail "no line '$line': $(cat found)"
done
