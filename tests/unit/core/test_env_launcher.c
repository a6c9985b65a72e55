/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The source from which create_env takes each key that a launcher may provide. Most environments were recorded in
 * processes that launchers had started. Irrelevant variables are left out, and equal rests appear once. fuzz.env tests
 * the values and arbitrary environments; core.start tests that the environment of the process itself is read.
 */
#include <rcuinfo/rcuinfo.h>

#include "core/calls/layer.h"
#include "env/env.h"
#include "env/start.h"
#include "support/objects.h"

/* Variables, separated by ';'. Of two with one name the first counts, so those of the inner launcher come first. */
#define HYDRA                                                                                                          \
    "MPI_LOCALNRANKS=2;MPI_LOCALRANKID=1;MPIR_CVAR_CH3_INTERFACE_HOSTNAME=login1;PMI_FD=8;PMI_RANK=1;PMI_SIZE=2"
#define OPENMPI                                                                                                        \
    "OMPI_APP_CTX_NUM_PROCS=1 2;OMPI_ARGV=b;OMPI_COMMAND=app;OMPI_COMM_WORLD_LOCAL_SIZE=3;OMPI_COMM_WORLD_SIZE=3;"     \
    "OMPI_MCA_initial_wdir=/home/user/job;OMPI_MCA_orte_ess_num_procs=3;OMPI_NUM_APP_CTX=2;OMPI_UNIVERSE_SIZE=2;"      \
    "PMIX_HOSTNAME=login1;PMIX_NAMESPACE=1009909761;PMIX_RANK=1;PMIX_VERSION=4.2.2rc2"
#define SBATCH                                                                                                         \
    "SLURMD_NODENAME=node1;SLURM_CPUS_ON_NODE=4;SLURM_JOB_NODELIST=node1;SLURM_NNODES=1;SLURM_NPROCS=4;"               \
    "SLURM_NTASKS=4;SLURM_SUBMIT_DIR=/home/user/job;SLURM_SUBMIT_HOST=login1;SLURM_TASKS_PER_NODE=4"
#define SRUN "SLURM_STEP_NODELIST=node1;SLURM_STEP_NUM_TASKS=1;SLURM_STEP_TASKS_PER_NODE=1;" SBATCH
#define PMIX "PMIX_HOSTNAME=node2;PMIX_NAMESPACE=slurm.pmix.3.0;PMIX_RANK=1;PMIX_VERSION=4.2.2rc2"

/* The expected sources. NULL: size, file and level are absent; host and wdir come from the system. */
static const struct {
    const char *ran, *environment;
    const char *size, *host, *wdir, *file, *level;
} recordings[] = {
    {"no launcher", "", .size = "no launcher"},
    {"a string without a value", "PMI_SIZE;9;SLURM_NTASKS=3", .size = "SLURM_NTASKS"},
    {"the largest job", "PMI_SIZE=999999999;SLURM_NTASKS=3", .size = "PMI_SIZE"},
    {"a PMIx server alone", PMIX, .host = "PMIX_HOSTNAME"},
    {"mpirun.mpich -n 2 -genv MPIR_CVAR_DEFAULT_THREAD_LEVEL mpi_thread_funneled",
     HYDRA ";MPIR_CVAR_DEFAULT_THREAD_LEVEL=mpi_thread_funneled", .size = "PMI_SIZE",
     .host = "MPIR_CVAR_CH3_INTERFACE_HOSTNAME", .level = "MPIR_CVAR_DEFAULT_THREAD_LEVEL"},
    {"mpirun.mpich -n 2 -pmi-port", /* tells the size on request only */
     "MPIR_CVAR_CH3_INTERFACE_HOSTNAME=login1;MPI_LOCALNRANKS=2;PMI_ID=0;PMI_PORT=login1:40883",
     .host = "MPIR_CVAR_CH3_INTERFACE_HOSTNAME"},
    {"mpirun.mpich -n 2, of MPICH 5.0.2", "MPI_LOCALNRANKS=2;PMI_FD=11;PMI_HOSTNAME=login1;PMI_RANK=1;PMI_SIZE=2",
     .size = "PMI_SIZE", .host = "PMI_HOSTNAME"},
    {"mpirun.openmpi -n 1 app a : -n 2 app b", OPENMPI, .size = "OMPI_COMM_WORLD_SIZE", .host = "PMIX_HOSTNAME",
     .wdir = "OMPI_MCA_initial_wdir"},
    {"mpirun.openmpi --default-hostfile ohf", "OMPI_MCA_orte_default_hostfile=ohf;" OPENMPI,
     .size = "OMPI_COMM_WORLD_SIZE", .host = "PMIX_HOSTNAME", .wdir = "OMPI_MCA_initial_wdir",
     .file = "OMPI_MCA_orte_default_hostfile"},
    {"mpirun.openmpi --default-hostfile FILE -x OMPI_MPI_THREAD_LEVEL=3 -n 1, of Open MPI 6.0.0rc2",
     "OMPI_COMM_WORLD_LOCAL_SIZE=1;OMPI_COMM_WORLD_SIZE=1;OMPI_MCA_initial_wdir=/home/user/job;OMPI_MCA_num_procs=1;"
     "OMPI_MPI_THREAD_LEVEL=3;OMPI_UNIVERSE_SIZE=4;OMPI_WORLD_SIZE=1;PMIX_HOSTNAME=login1;"
     "PMIX_NAMESPACE=prterun-login1-79@1;PRTE_LAUNCHED=1",
     .size = "OMPI_COMM_WORLD_SIZE", .host = "PMIX_HOSTNAME", .wdir = "OMPI_MCA_initial_wdir",
     .level = "OMPI_MPI_THREAD_LEVEL"},
    {"sbatch -n 4, the script itself: one process, but Slurm gives the size of the allocation", SBATCH,
     .size = "SLURM_NTASKS", .host = "SLURMD_NODENAME"},
    {"SLURM_HOSTFILE=... srun -n 1 -m arbitrary, inside sbatch -n 4",
     "SLURM_HOSTFILE=/home/user/job/hosts;SLURM_DISTRIBUTION=arbitrary;" SRUN, .size = "SLURM_STEP_NUM_TASKS",
     .host = "SLURMD_NODENAME", .file = "SLURM_HOSTFILE"},
    {"srun -n 2 --mpi=pmi2", "PMI_FD=11;PMI_JOBID=2.0;PMI_RANK=0;PMI_SIZE=2;" SRUN, .size = "PMI_SIZE",
     .host = "SLURMD_NODENAME"},
    {"srun -n 2 --mpi=pmix: no variable of PMIx has the size, but one of srun's does", PMIX ";" SRUN,
     .size = "SLURM_STEP_NUM_TASKS", .host = "PMIX_HOSTNAME"},
    {"mpirun.openmpi inside sbatch, where srun started orted as a step of one task", OPENMPI ";" SRUN,
     .size = "OMPI_COMM_WORLD_SIZE", .host = "PMIX_HOSTNAME", .wdir = "OMPI_MCA_initial_wdir"},
    {"mpirun.mpich -n 2 inside sbatch", HYDRA ";" SRUN, .size = "PMI_SIZE", .host = "MPIR_CVAR_CH3_INTERFACE_HOSTNAME"},
};

int main(void)
{
    static const struct utsname system = {.nodename = "system's", .machine = "machine"};
    for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++) {
        char text[4096];
        rcuinfo_t info, sources;
        int bytes = snprintf(text, sizeof text, "%s", recordings[i].environment) + 1;
        CHECK((size_t)bytes <= sizeof text);
        for (char *at = text; (at = strchr(at, ';')); at++)
            *at = '\0';

        const struct rcuinfo__start start = {.environment_bytes = (size_t)bytes,
                                             .environment = text,
                                             .environment_known = true,
                                             .arguments = "",
                                             .directory = "/usr",
                                             .system = &system};
        fprintf(stderr, "%s\n", recordings[i].ran);
        CHECK_OK(rcuinfo__env_describe(&start, 0, NULL, RCUINFO__NATIVE_LIMITS, &info, &sources));
        CHECK_VALUE(sources, "maxprocs", recordings[i].size);
        CHECK_VALUE(sources, "host", recordings[i].host ? recordings[i].host : "uname");
        CHECK_VALUE(sources, "wdir", recordings[i].wdir ? recordings[i].wdir : "the directory at load");
        CHECK_VALUE(sources, "file", recordings[i].file);
        CHECK_VALUE(sources, "thread_level", recordings[i].level);
        object_free(info);
        object_free(sources);
    }
    return 0;
}
