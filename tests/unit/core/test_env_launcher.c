/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What create_env makes of a launcher's environment, and which source it names for each key. The environments are from
 * processes that launchers had started, without variables that tell nothing of the kind; one stands for all that differ
 * in those only. (fuzz.env has any environments; that it is the process's own which is read is seen by core.start.)
 */
#include <rcuinfo/rcuinfo.h>

#include "core/layer.h"
#include "env/env.h"
#include "env/start.h"
#include "support/objects.h"

/* Variables, ';' between them. Of two of one name the first counts, so those of another launcher are put in front. */
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

/* The variable whose value each key has. NULL: the size, file and level are not told, the others are the system's. */
static const struct {
    const char *ran, *environment;
    const char *size, *host, *wdir, *file;
    const char *level, *level_source;
} recordings[] = {
    {"a PMIx server alone", PMIX, .host = "PMIX_HOSTNAME"},
    {"mpirun.mpich -n 2 -genv MPIR_CVAR_DEFAULT_THREAD_LEVEL mpi_thread_funneled",
     HYDRA ";MPIR_CVAR_DEFAULT_THREAD_LEVEL=mpi_thread_funneled", .size = "PMI_SIZE",
     .host = "MPIR_CVAR_CH3_INTERFACE_HOSTNAME", .level = "MPI_THREAD_FUNNELED",
     .level_source = "MPIR_CVAR_DEFAULT_THREAD_LEVEL"},
    {"mpirun.mpich -n 2 -pmi-port", /* the size is told on request only */
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
     .level = "MPI_THREAD_MULTIPLE", .level_source = "OMPI_MPI_THREAD_LEVEL"},
    {"sbatch -n 4, the script itself: one process, but what Slurm says is the allocation", SBATCH,
     .size = "SLURM_NTASKS", .host = "SLURMD_NODENAME"},
    {"mpirun.openmpi inside of sbatch", OPENMPI ";" SBATCH, .size = "OMPI_COMM_WORLD_SIZE", .host = "PMIX_HOSTNAME",
     .wdir = "OMPI_MCA_initial_wdir"},
    {"srun -n 1 inside of sbatch -n 4", SRUN, .size = "SLURM_STEP_NUM_TASKS", .host = "SLURMD_NODENAME"},
    {"SLURM_HOSTFILE=... srun -m arbitrary", "SLURM_HOSTFILE=/home/user/job/hosts;SLURM_DISTRIBUTION=arbitrary;" SRUN,
     .size = "SLURM_STEP_NUM_TASKS", .host = "SLURMD_NODENAME", .file = "SLURM_HOSTFILE"},
    {"srun -n 2 --mpi=pmi2", "PMI_FD=11;PMI_JOBID=2.0;PMI_RANK=0;PMI_SIZE=2;" SRUN, .size = "PMI_SIZE",
     .host = "SLURMD_NODENAME"},
    {"srun -n 2 --mpi=pmix: no variable of PMIx has the size, but srun says it", PMIX ";" SRUN,
     .size = "SLURM_STEP_NUM_TASKS", .host = "PMIX_HOSTNAME"},
    {"mpirun.openmpi inside of sbatch, where srun has started orted, as a step of one", OPENMPI ";" SRUN,
     .size = "OMPI_COMM_WORLD_SIZE", .host = "PMIX_HOSTNAME", .wdir = "OMPI_MCA_initial_wdir"},
    {"mpirun.mpich -n 2 inside of sbatch", HYDRA ";" SRUN, .size = "PMI_SIZE",
     .host = "MPIR_CVAR_CH3_INTERFACE_HOSTNAME"},
};

struct answer {
    const char *value, *source; /* NULL: there is none */
};

struct answers {
    struct answer size, host, wdir, file, level;
};

/* A process with these variables, and what else is known of it. */
static struct rcuinfo__start started(const char *environment)
{
    static char text[4096];
    static const char arguments[] = "launched\0b c\0d";
    static const struct utsname system = {.nodename = "system's", .machine = "machine"};
    size_t bytes = strlen(environment) + 1;
    CHECK(bytes <= sizeof text);
    memcpy(text, environment, bytes);
    for (char *at = text; (at = strchr(at, ';')); at++)
        *at = '\0';
    return (struct rcuinfo__start){.environment_bytes = bytes,
                                   .arguments_bytes = sizeof arguments,
                                   .environment = text,
                                   .arguments = arguments,
                                   .environment_known = true,
                                   .directory = "/usr",
                                   .system = &system};
}

/* The next key is this one, in both objects. */
static void check_next(rcuinfo_t info, rcuinfo_t sources, int *n, const char *key, struct answer wanted)
{
    char found[RCUINFO_MAX_KEY] = "";
    CHECK_VALUE(info, key, wanted.value);
    CHECK_VALUE(sources, key, wanted.source);
    if (!wanted.value)
        return;
    CHECK_OK(rcuinfo_get_nthkey(sources, *n, found));
    CHECK_TEXT(found, key);
    CHECK_OK(rcuinfo_get_nthkey(info, (*n)++, found));
    CHECK_TEXT(found, key);
}

static void check(const struct rcuinfo__start *start, const struct answers *wanted)
{
    static const char given[] = "/proc/self/cmdline";
    rcuinfo_t info, sources;
    int n = 0;
    CHECK_OK(rcuinfo__env_describe(start, 0, NULL, RCUINFO__NATIVE_LIMITS, &info, &sources));
    check_next(info, sources, &n, "command", (struct answer){"launched", given});
    check_next(info, sources, &n, "argv", (struct answer){"b c d", given});
    check_next(info, sources, &n, "maxprocs", wanted->size);
    check_next(info, sources, &n, "soft", wanted->size);
    check_next(info, sources, &n, "host", wanted->host);
    check_next(info, sources, &n, "arch", (struct answer){start->system->machine, "uname"});
    check_next(info, sources, &n, "wdir", wanted->wdir);
    check_next(info, sources, &n, "file", wanted->file);
    check_next(info, sources, &n, "thread_level", wanted->level);
    CHECK_EQUAL(object_count(info), n);
    CHECK_EQUAL(object_count(sources), n);
    object_free(info);
    object_free(sources);
}

/* What the system says where the launcher says nothing. */
static struct answers unlaunched(const struct rcuinfo__start *start)
{
    return (struct answers){.host = {start->system->nodename, "uname"},
                            .wdir = {start->directory, "the directory at load"}};
}

static void answer_with(struct answer *answer, const struct rcuinfo__start *start, const char *variable)
{
    if (variable)
        *answer = (struct answer){rcuinfo__start_find(start, variable), variable};
}

static void check_recordings(void)
{
    for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++) {
        struct rcuinfo__start start = started(recordings[i].environment);
        struct answers wanted = unlaunched(&start);
        fprintf(stderr, "%s\n", recordings[i].ran);
        answer_with(&wanted.size, &start, recordings[i].size);
        answer_with(&wanted.host, &start, recordings[i].host);
        answer_with(&wanted.wdir, &start, recordings[i].wdir);
        answer_with(&wanted.file, &start, recordings[i].file);
        wanted.level = (struct answer){recordings[i].level, recordings[i].level_source};
        check(&start, &wanted);
    }
}

/* Variables that say something of the size, or the level, alone. */
static void check_made_up(const char *environment, struct answer size, struct answer level)
{
    struct rcuinfo__start start = started(environment);
    struct answers wanted = unlaunched(&start);
    wanted.size = size;
    wanted.level = level;
    fprintf(stderr, "%s\n", environment);
    check(&start, &wanted);
}

static const struct answer none, one = {"1", "no launcher"};

static void malformed_sizes(void)
{
    static const char *const sizes[] = {
        "",          "0",   "00",  "007",   "12abc", "abc", "-1",  "+1",    " 4",         "4 ",
        "1e3",       "0x4", "1,2", "4(x2)", "1.",    "¼",   "\t4", "-0001", "1000000000", "18446744073709551616",
        "4294967297"};
    char environment[256];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(environment, sizeof environment,
                 "OMPI_COMM_WORLD_SIZE=%s;PMI_SIZE=%s;SLURM_STEP_NUM_TASKS=%s;SLURM_NTASKS=%s", sizes[i], sizes[i],
                 sizes[i], sizes[i]);
        check_made_up(environment, one, none);
    }
    check_made_up("PMI_SIZE=999999999;SLURM_NTASKS=3", (struct answer){"999999999", "PMI_SIZE"}, none);
}

/* Better no size than a wrong one: of the allocation around Hydra, or of one process where nothing could be read. */
static void no_sizes(void)
{
    check_made_up("SLURM_STEP_NUM_TASKS=1;SLURM_NTASKS=8;PMI_PORT=login1:40883", none, none);
    struct rcuinfo__start unread = started("");
    const struct answers wanted = unlaunched(&unread);
    unread.environment_known = false;
    check(&unread, &wanted);
}

/* Open MPI takes a number, MPICH a name in any case. What they refuse, or take for another level, is none here. */
static void levels(void)
{
    static const char *const names[][2] = {{"MPI_THREAD_SINGLE", "mpi_thread_single"},
                                           {"MPI_THREAD_FUNNELED", "Mpi_Thread_Funneled"},
                                           {"MPI_THREAD_SERIALIZED", "MPI_THREAD_serialized"},
                                           {"MPI_THREAD_MULTIPLE", "mpi_THREAD_multiple"}};
    static const char *const bad[] = {"",   "4",  "-1",       "+1",     "01",         " 1",
                                      "1 ", "1x", "MULTIPLE", "single", "MPI_THREAD", "MPI_THREAD_SINGLE "};
    static const char by_number[] = "OMPI_MPI_THREAD_LEVEL", by_name[] = "MPIR_CVAR_DEFAULT_THREAD_LEVEL";
    char environment[256];
    for (int level = 0; level < 4; level++) {
        snprintf(environment, sizeof environment, "%s=%s;%s=%d", by_name, names[3 - level][0], by_number, level);
        check_made_up(environment, one, (struct answer){names[level][0], by_number});
        snprintf(environment, sizeof environment, "%s=%d;%s=%s", by_name, level, by_number, names[level][0]);
        check_made_up(environment, one, none);
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            snprintf(environment, sizeof environment, "%s=%s;%s=%s", by_number, bad[i], by_name, names[level][i % 2]);
            check_made_up(environment, one, (struct answer){names[level][0], by_name});
            snprintf(environment, sizeof environment, "%s=%s", by_name, bad[i]);
            check_made_up(environment, one, none);
        }
    }
}

int main(void)
{
    check_recordings();
    check_made_up("", one, none);
    malformed_sizes();
    no_sizes();
    levels();
    return 0;
}
