// `warpfold worker DIR`: works on a plan (cluster/worker.h).
#include "cluster/worker.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/folder.h"
#include "cli/print.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>

// Number of usable cores, at most WORKER_PROCESSES_MOST: Slurm's allocation, else the process's affinity.
static unsigned cores(void)
{
    const char *slurm = getenv("SLURM_CPUS_ON_NODE");
    uint64_t count = 0;
    cpu_set_t set;
    if (!slurm || !str_to_u64(slurm, &count) || !count)
        count = sched_getaffinity(0, sizeof set, &set) == 0 ? (uint64_t)CPU_COUNT(&set) : 1;
    return count < WORKER_PROCESSES_MOST ? (unsigned)count : WORKER_PROCESSES_MOST;
}

static bool read_order(const struct options *o, struct worker_order *order)
{
    const char *processes = options_value(o, OPTION_PROCESSES);
    uint64_t count = cores();
    if (processes && (!str_to_u64(processes, &count) || !count || count > WORKER_PROCESSES_MOST))
        return diag_error(order->diag, loc_none(), "--processes %s: must be a number from 1 to %d", processes,
                          WORKER_PROCESSES_MOST);
    if (!worker_lease(options_value(o, OPTION_LEASE), &order->lease_seconds, order->diag)) return false;
    order->processes = (unsigned)count;
    if (o->operands.count != 1)
        return diag_error(order->diag, loc_none(), "worker needs the folder of a plan");
    order->folder = o->operands.data[0];
    return true;
}

static void say(const struct worker_report *r)
{
    struct strbuf text = {0};
    strbuf_printf(&text,
                  "%" PRIu64 " points run, %" PRIu64 " tries failed, %" PRIu64 " claims taken over, %" PRIu64
                  " lost%s\n",
                  r->runs, r->failed, r->taken, r->lost,
                  r->interrupted ? "; stopped, with unfinished points returned to the plan" : "");
    print_text(stdout, text.text);
    strbuf_fini(&text);
}

static void tell(const char *line)
{
    print_text(stderr, "worker: ");
    print_text(stderr, line);
    print_text(stderr, "\n");
    print_flush(stderr);
}

// Runs the command of one point (a run of an experiment) in the point's own process, as main does.
static int run_point(int argc, char **argv) { return print_end(command_dispatch(argc, argv)); }

int command_worker(int argc, char **argv)
{
    struct options o;
    int status;
    if (!command_begin(&o, COMMAND_WORKER, argc, argv, &status)) return status;
    struct diag d;
    char build[17];
    diag_init(&d);
    struct worker_order order = {.run = run_point, .build = build, .tell = tell, .diag = &d};
    struct worker_report report;
    enum wf_status result = WF_BAD_USAGE;
    char *program;
    if (folder_program(&program, build, &d) && read_order(&o, &order)) {
        result = worker_run(&order, &report) ? WF_OK : WF_BAD_INPUT;
    }
    if (result == WF_OK && !options_has(&o, OPTION_QUIET)) say(&report);
    print_flush(stdout);
    status = command_fail(&d, (int)result);
    free(program);
    diag_fini(&d);
    options_fini(&o);
    return status;
}
