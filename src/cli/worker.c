// `warpfold worker DIR`: takes part in a plan (cluster/worker.h).
#include "cluster/worker.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/folder.h"
#include "cli/print.h"

#include <sched.h>
#include <stdlib.h>

// The cores that we may use, or that Slurm says are ours.
static unsigned cores(void)
{
    const char *slurm = getenv("SLURM_CPUS_PER_TASK");
    uint64_t count = 0;
    cpu_set_t set;
    if (slurm && str_to_u64(slurm, &count) && count && count <= 64) return (unsigned)count;
    if (getenv("SLURM_JOB_ID")) return 1; // a task has one core where nothing else was asked for
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

static bool read_order(const struct options *o, struct worker_order *order)
{
    const char *processes = options_value(o, OPTION_PROCESSES), *lease = options_value(o, OPTION_LEASE);
    uint64_t count = cores();
    order->lease_seconds = 120;
    if (processes && (!str_to_u64(processes, &count) || !count || count > 64))
        return diag_error(order->diag, loc_none(), "--processes %s: must be a number from 1 to 64",
                          processes);
    if (lease && (!str_to_f64(lease, &order->lease_seconds) || !(order->lease_seconds >= 1)))
        return diag_error(order->diag, loc_none(), "--lease %s: must be seconds, 1 or more", lease);
    order->processes = (unsigned)count;
    if (o->operands.count != 1)
        return diag_error(order->diag, loc_none(), "worker needs one folder, that a plan is in");
    order->folder = o->operands.data[0];
    return true;
}

static void say(const struct worker_report *r)
{
    struct strbuf text = {0};
    strbuf_printf(&text, "%zu points done, %zu tries failed, %zu claims taken over, %zu run twice%s\n",
                  r->done, r->failed, r->taken, r->again,
                  r->interrupted ? "; stopped, and handed back what it held" : "");
    print_text(stdout, text.text);
    strbuf_fini(&text);
}

int command_worker(int argc, char **argv)
{
    struct options o;
    int status;
    if (!command_begin(&o, COMMAND_WORKER, argc, argv, &status)) return status;
    struct diag d;
    char build[17];
    diag_init(&d);
    struct worker_order order = {.program = NULL, .build = build, .diag = &d};
    struct worker_report report;
    enum wf_status result = WF_BAD_USAGE;
    char *program;
    if (folder_program(&program, build, &d) && read_order(&o, &order)) {
        order.program = program;
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
