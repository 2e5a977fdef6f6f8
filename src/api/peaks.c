// Peak rates of the selected GPU, from its settings.
#include "api/impl.h"

enum { LANES = 32 };

// Lanes a cycle of `pipes` pipelines that take a warp every `interval` cycles.
static double lanes_of(uint32_t pipes, uint32_t interval) { return (double)pipes * LANES / interval; }

static void add_kind(struct wf_peaks *p, const struct gpu_kind *kind)
{
    const struct gpu_config *g = &kind->config;
    double sms = kind->count;
    p->sms += sms;
    p->issued += sms * g->schedulers / g->issue_interval;
    p->float_lanes += sms * lanes_of(g->units_float, g->interval_FMA);
    if (!g->units_shared) p->integer_lanes += sms * lanes_of(g->units_int, g->interval_IADD);
    p->special_lanes += sms * lanes_of(g->units_special, g->interval_SFU);
    p->double_lanes += sms * lanes_of(g->units_double, g->interval_DADD);
    p->shared_accesses += sms;
}

struct wf_peaks api_peaks(const struct wf_context *c)
{
    struct wf_peaks p = {0};
    struct gpu_kind kinds[GPU_KINDS_MAX];
    const struct memory_config *m = &c->chip.memory;
    if (!c->gpu || api_has_core(c)) return p;
    for (unsigned k = chip_kinds(&c->chip, kinds); k-- > 0;) add_kind(&p, &kinds[k]);
    double core_mhz = c->chip.gpu.core_mhz;
    double flit_cycles = m->port_cycles ? m->port_cycles : 1;
    p.l2_flits = (double)m->partitions * m->slices * m->icnt_mhz / core_mhz / flit_cycles;
    p.l2_flit_bytes = m->icnt_flit_bytes;
    p.dram_bytes = (double)m->partitions * m->dram_bus_bytes * m->dram_rate * m->dram_mhz / core_mhz;
    return p;
}
