#include "cluster/nodes.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/str.h"
#include "cluster/points.h"

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// A small Slurm: no authentication (no munge), processes found by their parents (no cgroups), jobs
// started at submission. Jobs of a lost node start again when their credentials expire: after 5 seconds,
// against two minutes by default.
static const char settings[] = "ClusterName=warpfold\n"
                               "AuthType=auth/none\n"
                               "AuthInfo=cred_expire=5\n"
                               "CredType=cred/none\n"
                               "ProctrackType=proctrack/linuxproc\n"
                               "TaskPlugin=task/none\n"
                               "SelectType=select/cons_tres\n"
                               "SelectTypeParameters=CR_Core\n"
                               "SwitchType=switch/none\n"
                               "MpiDefault=none\n"
                               "SchedulerParameters=sched_min_interval=0,batch_sched_delay=0\n"
                               "SlurmdTimeout=5\n"
                               "KillWait=2\n"
                               "EnforcePartLimits=ALL\n"
                               "ReturnToService=2\n";

static void path_in(const struct nodes *n, const char *name, char path[600])
{
    snprintf(path, 600, "%s/slurm%s%s", test_directory(n->t), *name ? "/" : "", name);
}

static bool write_settings(const struct nodes *n, const char *file)
{
    char host[256] = "", folder[600];
    const struct passwd *user = getpwuid(getuid());
    unsigned port = 20000 + (unsigned)getpid() % 4000 * 3; // below the ports given away by the kernel
    gethostname(host, sizeof host - 1);
    path_in(n, "", folder);
    FILE *f = fopen(file, "w");
    if (!f) return false;
    fprintf(f, "%sSlurmctldHost=%s(127.0.0.1)\nSlurmctldPort=%u\nSlurmUser=%s\nSlurmdUser=%s\n", settings,
            host, port, user ? user->pw_name : "root", user ? user->pw_name : "root");
    fprintf(f, "SlurmctldPidFile=%s/controller.pid\nStateSaveLocation=%s/state\n", folder, folder);
    fprintf(f, "SlurmdPidFile=%s/%%n.pid\nSlurmdSpoolDir=%s/%%n\n", folder, folder);
    for (unsigned i = 1; i <= NODES; i++)
        fprintf(f, "NodeName=n%u CPUs=2 NodeAddr=127.0.0.1 NodeHostname=%s Port=%u\n", i, host, port + i);
    fprintf(f, "PartitionName=main Nodes=ALL Default=YES MaxTime=60\n");
    return fclose(f) == 0;
}

static pid_t start(struct nodes *n, const char *const words[])
{
    char log[600];
    path_in(n, "log", log);
    pid_t test = getpid(), child = fork();
    if (child) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != test) _exit(127);
    setpgid(0, 0);
    int null = open("/dev/null", O_RDONLY), out = open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    dup2(null, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execvp(words[0], (char **)words);
    _exit(127);
}

void nodes_start_controller(struct nodes *n)
{
    n->controller = start(n, (const char *const[]){"slurmctld", "-D", NULL});
}

void nodes_start_node(struct nodes *n, unsigned index)
{
    char name[8];
    snprintf(name, sizeof name, "n%u", index + 1);
    n->node[index] = start(n, (const char *const[]){"slurmd", "-D", "-N", name, NULL});
}

void nodes_kill(pid_t *daemon)
{
    if (!*daemon) return;
    kill(*daemon, SIGKILL);
    waitpid(*daemon, NULL, 0);
    *daemon = 0;
}

bool nodes_set(struct nodes *n, unsigned index, const char *state)
{
    char command[120];
    (void)n;
    snprintf(command, sizeof command, "scontrol update nodename=n%u state=%s", index + 1, state);
    return test_command(command, 20, NULL, NULL) == 0;
}

unsigned nodes_jobs(struct nodes *n)
{
    char *out;
    unsigned count = 0;
    (void)n;
    if (test_command("squeue --noheader --array --format=%r", 20, &out, NULL) == 0)
        for (char *rest = out, *line; (line = strsep(&rest, "\n")) != NULL;)
            count += *line && !strstr(line, "held");
    free(out);
    return count;
}

void nodes_wait(struct nodes *n)
{
    double end = patience_end();
    while (nodes_jobs(n) && clock_seconds() < end) sleep_for(0.1);
    CHECK_MSG(n->t, clock_seconds() < end, "jobs do not end");
}

static unsigned idle(void)
{
    char *out;
    unsigned count = 0;
    if (test_command("sinfo --noheader --Node --format=%T", 20, &out, NULL) == 0)
        for (const char *at = out; (at = strstr(at, "idle\n")) != NULL; at++) count++;
    free(out);
    return count;
}

static void fail_with_log(const struct nodes *n)
{
    char path[600], *text = NULL;
    size_t length;
    const char *why = "";
    path_in(n, "log", path);
    bool read = file_read(path, &text, &length, &why);
    CHECK_MSG(n->t, false, "Slurm's daemons do not start: %s", read ? text : why);
    free(text);
}

bool nodes_begin(struct nodes *n, struct test *t)
{
    static const char *const tools[] = {"slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "sinfo"};
    char path[600];
    *n = (struct nodes){.t = t};
    for (size_t i = 0; i < TEST_COUNT(tools); i++)
        if (!test_has_tool(tools[i])) {
            test_skip(t, "Slurm is not installed (slurmctld, slurmd, slurm-client)");
            return false;
        }
    path_in(n, "", path);
    mkdir(path, 0755);
    path_in(n, "state", path);
    mkdir(path, 0755);
    path_in(n, "slurm.conf", path);
    CHECK(t, write_settings(n, path));
    setenv("SLURM_CONF", path, 1);
    nodes_start_controller(n);
    for (unsigned i = 0; i < NODES; i++) nodes_start_node(n, i);
    for (double end = patience_end(); clock_seconds() < end; sleep_for(0.1))
        if (idle() == NODES) return true;
    fail_with_log(n);
    nodes_end(n);
    return false;
}

void nodes_end(struct nodes *n)
{
    char command[300];
    snprintf(command, sizeof command, "scancel --full --signal=KILL $(squeue --noheader --format=%%A)");
    if (n->controller) test_command(command, 20, NULL, NULL);
    for (unsigned i = 0; i < NODES; i++) nodes_kill(&n->node[i]);
    nodes_kill(&n->controller);
    unsetenv("SLURM_CONF");
}
