// Clusters of a launch: from the launch or from the kernel's directives, with a driver's checks.
#include "api/impl.h"
#include "isa/bank.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"

#include <string.h>

static uint64_t blocks_of(const uint32_t cluster[3])
{
    return (uint64_t)cluster[0] * cluster[1] * cluster[2];
}

static bool names_cluster(const uint32_t cluster[3]) { return cluster[0] | cluster[1] | cluster[2]; }

static bool check_against_kernel(struct wf_kernel *k, const uint32_t asked[3])
{
    struct diag *d = &k->module->context->diag;
    const struct program *p = k->program;
    bool is_asked = names_cluster(asked), is_required = names_cluster(p->cluster);
    if (is_asked && is_required && memcmp(asked, p->cluster, sizeof p->cluster) != 0)
        return diag_error(
            d, k->loc, "cluster of %u x %u x %u; kernel %s requires %u x %u x %u (.reqnctapercluster)",
            asked[0], asked[1], asked[2], k->info.name, p->cluster[0], p->cluster[1], p->cluster[2]);
    if (p->is_explicit_cluster && !is_asked && !is_required)
        return diag_error(d, k->loc,
                          "kernel %s is launched in clusters (.explicitcluster), and the launch names none",
                          k->info.name);
    return true;
}

static bool check_size(struct wf_kernel *k, const uint32_t grid[3], const uint32_t cluster[3])
{
    struct diag *d = &k->module->context->diag;
    uint64_t most = k->program->max_cluster ? k->program->max_cluster : ISA_CLUSTER_MAX;
    for (int i = 0; i < 3; i++) {
        if (!cluster[i])
            return diag_error(d, loc_none(), "cluster of %u x %u x %u: no dimension may be 0", cluster[0],
                              cluster[1], cluster[2]);
        if (grid[i] % cluster[i])
            return diag_error(d, loc_none(), "%u blocks along %c are no multiple of a cluster's %u", grid[i],
                              "xyz"[i], cluster[i]);
    }
    if (cluster[0] <= most && cluster[1] <= most && cluster[2] <= most && blocks_of(cluster) <= most)
        return true;
    return diag_error(d, loc_none(), "cluster of %u x %u x %u; at most %llu blocks are possible%s",
                      cluster[0], cluster[1], cluster[2], (unsigned long long)most,
                      k->program->max_cluster ? " (.maxclusterrank)" : "");
}

// Mechanisms know the barriers of a block, not the cluster's.
static bool check_techs(struct wf_kernel *k)
{
    struct wf_context *c = k->module->context;
    if (!c->techs.count || !api_is_timed(c)) return true;
    for (uint32_t n = 0; n < k->program->inst_count; n++)
        if (k->program->insts[n].op == OP_UCGABAR)
            return diag_error(&c->diag, k->loc,
                              "kernel %s has barrier.cluster, unknown to mechanisms (%s) yet; run it "
                              "with base",
                              k->info.name, c->tech);
    return true;
}

bool api_cluster_of(struct wf_kernel *k, const struct wf_launch_config *s, uint32_t cluster[3])
{
    struct wf_context *c = k->module->context;
    if (!check_against_kernel(k, s->cluster) || !check_techs(k)) return false;
    memcpy(cluster, names_cluster(s->cluster) ? s->cluster : k->program->cluster, 3 * sizeof cluster[0]);
    if (!names_cluster(cluster)) return true;
    if (!check_size(k, s->grid, cluster)) return false;
    if (blocks_of(cluster) == 1 || !api_is_timed(c)) return true;
    if (c->techs.count)
        return diag_error(
            &c->diag, k->loc,
            "kernel %s: clusters of more than one block are unknown to mechanisms (%s) yet; run it "
            "with base",
            k->info.name, c->tech);
    if (*c->chip.gpcs) return true;
    return diag_error(
        &c->diag, k->loc,
        "kernel %s: %s has no clusters of more than one block (gpu.gpcs); a functional run executes them",
        k->info.name, c->gpu);
}
