# SPDX-License-Identifier: BSD-3-Clause
"""rcuinfo for Spack 1.0 and later: `spack repo add tools/package/spack_repo/rcuinfo`, then `spack install rcuinfo`, builds what is
committed on the branch main of this checkout."""
from pathlib import Path

from spack.package import depends_on, license, resource, version
from spack_repo.builtin.build_systems.cmake import CMakePackage

ROOT = Path(__file__).resolve().parents[6]


class Rcuinfo(CMakePackage):
    """A thread-safe concurrent store of MPI Info objects for MPI+threads programs, with interposers for MPI libraries."""

    git = ROOT.as_uri()
    license("BSD-3-Clause")
    version("main", branch="main")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.21:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("jansson")
    depends_on("mpi")
    depends_on("userspace-rcu")
    depends_on("xxhash")
    # Spack has no ConcurrencyKit, of which only headers are used.
    resource(
        name="ck",
        url="https://github.com/concurrencykit/ck/archive/refs/tags/0.7.2.tar.gz",
        sha256="568ebe0bc1988a23843fce6426602e555b7840bf6714edcdf0ed530214977f1b",
        placement="ck",
    )

    def cmake_args(self):
        return [
            self.define("BUILD_TESTING", False),
            self.define("RCUINFO_FETCH_DEPS", True),
            self.define("FETCHCONTENT_SOURCE_DIR_RCUINFO_CK", f"{self.stage.source_path}/ck"),
            self.define("RCUINFO_MPI", self.spec["mpi"].prefix),
        ]
