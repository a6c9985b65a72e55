/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hints: the keys that the standard reserves, and those that the real library of the flavour looks up besides: MPICH
 * 4.0.2 (ch4:ucx, with Hydra) and Open MPI 4.1.4, as Debian 12 builds them, and what MPICH 4.2.1 and 5.0.2 give out
 * beside that. They look up each by its whole name.
 *
 * Invariant: each list is in the order of strcmp, and no key is there twice. Included by who searches them and by their
 * test.
 */
#ifndef RCUINFO_MPI_INTERPOSE_HINTS_H
#define RCUINFO_MPI_INTERPOSE_HINTS_H

#include <mpi.h>

static const char *const rcuinfo__hints_of_standard[] = {
    "access_style",
    "accumulate_ops",
    "accumulate_ordering",
    "alloc_shared_noncontig",
    "appnum",
    "arch",
    "argv",
    "cb_block_size",
    "cb_buffer_size",
    "cb_nodes",
    "chunked",
    "chunked_item",
    "chunked_size",
    "collective_buffering",
    "command",
    "file",
    "file_perm",
    "filename",
    "host",
    "io_node_list",
    "ip_address",
    "ip_port",
    "maxprocs",
    "mpi_accumulate_granularity",
    "mpi_assert_allow_overtaking",
    "mpi_assert_exact_length",
    "mpi_assert_memory_alloc_kinds",
    "mpi_assert_no_any_source",
    "mpi_assert_no_any_tag",
    "mpi_assert_strict_persistent_collective_ordering",
    "mpi_hw_resource_type",
    "mpi_initial_errhandler",
    "mpi_memory_alloc_kinds",
    "mpi_minimum_memory_alignment",
    "mpi_pset_name",
    "mpi_size",
    "nb_proc",
    "no_locks",
    "num_io_nodes",
    "path",
    "same_disp_unit",
    "same_size",
    "soft",
    "striping_factor",
    "striping_unit",
    "thread_level",
    "wdir",
};

/* The mpi.h of the standard ABI says nothing of the library: both lists count there. */
#if !defined(OPEN_MPI)
static const char *const rcuinfo__hints_of_mpich[] = {
    "accumulate_max_bytes", /* windows */
    "accumulate_noncontig_dtype",
    "alloc_shm",
    "cb_config_list", /* ROMIO */
    "coll_attach",    /* windows */
    "disable_shm_accumulate",
    "enable_multi_nic_hashing", /* communicators */
    "enable_multi_nic_striping",
    "hostfile", /* Hydra, for spawn */
    "hosts",
    "ind_rd_buffer_size", /* ROMIO */
    "ind_wr_buffer_size",
    "mpich_buf_type",      /* MPI_Alloc_mem */
    "multi_nic_pref_nic",  /* communicators */
    "nbhd_common_dirname", /* MPI_Comm_split_type */
    "network_topo",
    "optimized_mr",    /* windows */
    "perf_preference", /* windows */
    "receiver_vci",    /* communicators */
    "romio_aggregator_list",
    "romio_cb_alltoall",
    "romio_cb_ds_threshold",
    "romio_cb_fr_alignment",
    "romio_cb_fr_type",
    "romio_cb_fr_types",
    "romio_cb_pfr",
    "romio_cb_read",
    "romio_cb_write",
    "romio_ds_read",
    "romio_ds_write",
    "romio_filesystem_type",
    "romio_min_fdomain_size",
    "romio_no_indep_rw",
    "romio_synchronized_flush",
    "romio_visibility_immediate",
    "sender_vci",
    "shmem_topo", /* MPI_Comm_split_type */
    "start_iodevice",
    "symheap_required", /* windows */
    "timeout",          /* MPI_Comm_connect and MPI_Comm_accept */
    "vci",
    "which_accumulate_ops", /* windows */
};
#endif

#if !defined(MPICH_VERSION)
static const char *const rcuinfo__hints_of_openmpi[] = {
    "OMPIO_SHAREDFP_RELAXED_ORDERING", /* io/ompio */
    "acc_single_intrinsic",            /* osc/rdma */
    "accumulate_order",                /* windows: a name of its own for accumulate_ordering */
    "add-host",                        /* spawn, as is what follows up to ompi_prefix but for a few */
    "add-hostfile",
    "bind_to",
    "blocking_fence", /* osc/sm */
    "cb_config_list", /* ROMIO 3.2.1 */
    "display_map",
    "env",
    "hostfile",
    "ind_rd_buffer_size", /* ROMIO */
    "ind_wr_buffer_size",
    "map_by",
    "mapper",
    "mpool_hints", /* MPI_Alloc_mem */
    "npernode",
    "ompi_comm_coll_han_topo_level", /* communicators */
    "ompi_comm_coll_preference",
    "ompi_non_mpi", /* spawn */
    "ompi_param",
    "ompi_prefix",
    "ompi_preload_binary",
    "ompi_preload_files",
    "ompi_stdin_target",
    "pernode",
    "persistence", /* published names */
    "personality", /* spawn */
    "ppr",
    "range", /* published names */
    "rank_by",
    "romio_cb_alltoall",
    "romio_cb_ds_threshold",
    "romio_cb_fr_alignment",
    "romio_cb_fr_type",
    "romio_cb_pfr",
    "romio_cb_read",
    "romio_cb_write",
    "romio_ds_read",
    "romio_ds_write",
    "romio_min_fdomain_size",
    "romio_no_indep_rw",
};
#endif

#endif
