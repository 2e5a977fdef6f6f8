// Every knob moves cycles and counters in the right direction: bands of ratios against the same GPU without
// the knob, wide on purpose. A single SM, so that the small inputs fill it.
#include "base/str.h"
#include "chip/config.h"
#include "harness/counter.h"
#include "harness/settings.h"
#include "memory/config.h"
#include "sm/config.h"
#include "workload/workload.h"

#include <string.h>

// Caches begin cold, and shared memory is read by its unit: what gtx1080ti-paper takes from its simulator is off.
#define BASE                                                                                                 \
    "gpu.sm_count=1 gpu.keep_caches=0 l1.keep=0 texture.keep=0 icache.keep=0 l2.copies=0 "                   \
    "units.shared_operand=memory"
#define ONE_SLICE "memory.partitions=1 l2.slices=1 l2.sets=8"

struct trend { // knob: "key=value", or after " | " if settings for both runs come first
    const char *workload, *knob, *what; // what: a counter's name, "cycles" or "elapsed_cycles"
    double least, most;                 // of the ratio
};

// clang-format off
static const struct trend trends[] = {
    {"vecadd",        "dram.mhz=5000",          "cycles", 0.50, 0.98},
    {"vecadd",        "dram.mhz=100",           "cycles", 1.50, 30.0},
    {"vecadd",        "memory.partitions=1",    "cycles", 1.01, 11.0},
    {"vecadd",        "gpu.keep_caches=1 | l2.copies=1", "dram.reads", 0.00, 0.50},
    {"transpose",     "dram.mhz=100",           "cycles", 1.50, 30.0},
    {"spmv",          "l2.latency=360",         "cycles", 1.20, 3.50},
    {"bfs",           "icnt.latency=240",       "cycles", 1.20, 5.00},
    {"transpose",     "l2.ways=1",              "memory.l2_hits", 0.00, 1.00},
    {"matrixMul",     "l2.ways=1",              "memory.l2_misses", 1.00, 100.0},
    {"spmv",          "l1.global=1",            "memory.requests", 0.05, 0.95},
    {"spmv",          "l1.global=1",            "cycles", 0.20, 1.00},
    {"CP",            "issue.schedulers=1",     "cycles", 1.05, 4.10},
    {"CP",            "fetch.per_scheduler=1",  "cycles", 0.25, 1.00},
    {"LIB",           "fetch.per_scheduler=1",  "cycles", 0.25, 1.00},
    {"spmv",          "launch.registers=255",   "cycles", 1.05, 9.00},
    {"CP",            "launch.registers=200",   "cycles", 1.01, 9.00},
    {"CP",            "fetch.width=1",          "cycles", 1.20, 2.10},
    {"hotspot",       "fetch.arbiter=gto",      "cycles", 0.70, 0.95},
    {"CP",            "fetch.latency=20",       "cycles", 1.05, 9.00},
    {"spmv",          "memory.perfect=1",       "cycles", 0.01, 0.70},
    {"bfs",           "memory.perfect=1",       "memory.requests", 0.00, 0.00},
    {"binomialOptions", "icache.perfect=1",     "cycles", 0.50, 1.00},
    {"binomialOptions", "gpu.warm=1",           "cycles", 0.40, 0.98},
    {"binomialOptions", "icache.sets=1 icache.ways=1", "sm.fetch.icache_misses", 1.50, 1e9},
    {"CP",            "operands.collectors=1",  "cycles", 1.05, 4.00},
    {"CP",            "operands.banks=1",       "sm.operand.conflict_cycles", 1.50, 1e9},
    {"CP",            "operands.conflicts=0",   "sm.operand.conflict_cycles", 0.00, 0.00},
    {"CP",            "operands.write_ports=1", "cycles", 1.01, 4.00},
    {"CP",            "operands.write_ports=1", "sm.operand.write_cycles", 2.00, 1e9},
    {"LIB",           "issue.dependences=board | board.entries=2", "cycles", 1.02, 9.00},
    {"nqueens",       "branch.predict=static | branch.resolve=900", "cycles", 1.01, 99.0},
    {"LIB",           "operands.bypass=1",      "cycles", 0.50, 0.99},
    {"LIB",           "latency.fp_mad=40",      "cycles", 1.05, 9.00},
    {"matrixMul",     "shared.banks=1",         "sm.shared.conflict_cycles", 2.00, 1e9},
    {"matrixMul",     "shared.banks=1",         "cycles", 1.50, 33.0},
    {"scan",          "shared.latency=200",     "cycles", 1.20, 9.00},
    {"pathfinder",    "barrier.latency=500",    "cycles", 1.20, 99.0},
    {"fastWalshTransform", "sm.warps=16",       "cycles", 1.00, 4.00},
    {"matrixMul",     "gpu.sm_count=2",         "cycles", 0.40, 0.90},
    {"matrixMul",     "gpu.launch_latency=5000","elapsed_cycles", 1.01, 9.00},
    {"convolutionTexture", "texture.sets=1 texture.ways=1", "sm.texture.misses", 1.05, 1e9},
    {"histogram",     "l2.atomic_interval=64",  "cycles", 1.00, 64.0},
    {"spmv",          "l1.global=1 l1.mshrs=1 | l1.allocate=fill", "cycles", 1.10, 99.0},
    {"spmv",          "l1.global=1 l1.sets=1 l1.ways=8 l1.mshrs=8 | l1.allocate=miss", "sm.lsu.stalls", 1.10, 99.0},
    {"spmv",          "l1.global=1 | l1.mshrs=1", "cycles", 1.00, 1.00}, // streaming: no limit
    {"spmv",          "l1.global=1 | l1.fetch=line", "sm.l1.misses", 0.10, 0.95},
    {"spmv",          "l1.global=1 | l1.fetch=line", "memory.l2_read_sectors", 1.05, 4.00},
    {"LIB",           "l1.write=through",       "memory.l2_stores", 1.05, 1e9},
    {"LIB",           "l1.write=through-allocate", "memory.l2_stores", 1.05, 1e9},
    {"LIB",           "l1.write=through | l1.write=through-allocate", "sm.l1.misses", 0.00, 0.95},
    {"LIB",           "l1.ways=32 | l1.replacement=fifo", "sm.l1.misses", 1.00, 4.00},
    {"LIB",           "l1.ways=32 | l1.replacement=random", "sm.l1.misses", 0.20, 0.999},
    {"convolutionTexture", "texture.sets=1 texture.ways=48 | texture.replacement=random", "sm.texture.misses", 0.10, 0.95}, // round and round
    {"convolutionTexture", "texture.sets=1 texture.ways=16 | texture.replacement=fifo", "sm.texture.misses", 1.00, 4.00},
    {"convolutionTexture", "texture.sets=1 texture.ways=8 l1.mshrs=2 | texture.allocate=streaming", "cycles", 0.10, 0.99},
    {"binomialOptions", "icache.sets=1 | icache.replacement=random", "sm.fetch.icache_misses", 1.01, 4.00},
    {"convolutionTexture", "constant.sets=1 constant.ways=2 | constant.replacement=random", "sm.constant.misses", 1.01, 4.00},
    {"fastWalshTransform", "gpu.dispatch_latency=2000", "cycles", 1.10, 4.00},
    {"hotspot", "sm.blocks=1", "cycles", 1.10, 6.00},
    {"hotspot", "sm.registers=16384", "cycles", 1.05, 6.00},
    {"hotspot", "sm.register_unit=4096", "cycles", 1.05, 6.00},
    {"hotspot", "sm.registers=49152 sm.register_unit=2048 | sm.register_files=16", "cycles", 1.05, 6.00},
    {"hotspot", "sm.shared_bytes=8192", "cycles", 1.05, 6.00},
    {"scan", "sm.shared_unit=49152", "cycles", 1.05, 6.00},
    {"CP", "fetch.width=4 | fetch.refill=space fetch.ibuffer=8", "cycles", 0.25, 0.95},
    {"binomialOptions", "fetch.per_scheduler=1 | issue.width=1", "cycles", 1.005, 2.00},
    {"CP",            "issue.interval=4",       "cycles", 1.05, 4.10},
    {"CP", "issue.scheduler=two-level | issue.active_warps=4", "cycles", 1.10, 9.00},
    {"CP", "operands.ports=1", "sm.operand.conflict_cycles", 1.50, 1e9},
    {"pathfinder", "units.shared=0 | units.int=1", "cycles", 1.01, 4.10},
    {"CP", "units.shared=0 units.float=1 | units.float_in_int=1", "cycles", 0.25, 0.98},
    {"CP", "fetch.per_scheduler=1 | units.float=1", "cycles", 1.10, 4.10},
    {"CP", "interval.sfu=8 | units.special=1", "cycles", 1.10, 4.10},
    {"hotspot", "interval.dp=40 | units.double=1", "cycles", 1.10, 4.10},
    {"matrixMul", "compile.profile=ptxplus | units.shared_operand=arithmetic", "sm.shared.accesses", 0.20, 0.80},
    {"matrixMul", "lsu.queue=1", "cycles", 1.10, 9.00},
    {"spmv", "lsu.pending=4", "cycles", 1.50, 99.0},
    {"spmv", "l1.global=1 | l1.latency=400", "cycles", 1.10, 5.00},
    {"spmv", "l1.global=1 l1.allocate=fill | l1.merges=1", "sm.lsu.stalls", 1.50, 1e9},
    {"convolutionTexture", "texture.latency=400", "cycles", 1.10, 5.00},
    {"LIB", "constant.latency=300", "cycles", 1.10, 40.0},
    {"pathfinder", "latency.int_add=40", "cycles", 1.05, 9.00},
    {"vecadd", "latency.int_mad=100", "cycles", 1.02, 9.00},
    {"pathfinder", "latency.int_max=200", "cycles", 1.02, 9.00},
    {"imageDenoisingNLM", "latency.fp_add=100", "cycles", 1.10, 25.0},
    {"LIB", "latency.fp_mul=100", "cycles", 1.10, 25.0},
    {"backprop", "latency.dp=200", "cycles", 1.05, 25.0},
    {"CP", "latency.sfu=200", "cycles", 1.10, 10.0},
    {"LIB", "latency.convert=400", "cycles", 1.10, 20.0},
    {"vecadd", "latency.sreg=200", "cycles", 1.02, 50.0},
    {"reduction", "latency.shuffle=200", "cycles", 1.05, 7.00},
    {"LIB", "latency.branch=40", "cycles", 1.05, 40.0},
    {"pathfinder", "interval.int_add=32", "cycles", 1.50, 32.0},
    {"matrixMul", "interval.int_mad=32", "cycles", 1.05, 32.0},
    {"pathfinder", "interval.int_max=32", "cycles", 1.10, 32.0},
    {"hotspot", "interval.fp_add=32", "cycles", 1.05, 32.0},
    {"LIB", "interval.fp_mul=64", "cycles", 1.05, 64.0},
    {"CP", "interval.fp_mad=32", "cycles", 1.50, 32.0},
    {"hotspot", "interval.dp=200", "cycles", 1.50, 25.0},
    {"CP", "interval.sfu=64", "cycles", 1.10, 16.0},
    {"hotspot", "interval.convert=200", "cycles", 1.10, 50.0},
    {"hotspot", "latency.convert_wide=200", "cycles", 1.01, 50.0},
    {"hotspot", "interval.convert_wide=200", "cycles", 1.20, 50.0},
    {"hotspot", "interval.convert_wide=32 interval.dp=32 | units.convert_wide_double=1", "cycles", 1.05, 2.0},
    {"nqueens", "latency.shift=60", "cycles", 1.02, 50.0},
    {"nqueens", "interval.shift=20", "cycles", 1.02, 50.0},
    {"nqueens", "latency.compare=60", "cycles", 1.10, 50.0},
    {"nqueens", "interval.compare=60", "cycles", 1.05, 50.0},
    {"binomialOptions", "icache.prefetch=2", "cycles", 0.50, 0.995},
    {"imageDenoisingNLM", "texture.texels=2", "cycles", 1.20, 50.0},
    {"matrixMul", "shared.wide=words", "sm.shared.conflict_cycles", 0.10, 0.99},
    {"transpose", "l2.partial_interval=64", "cycles", 1.00, 50.0},
    {"vecadd", "gpu.sm_count=8 | gpu.slice=4", "cycles", 1.01, 7.5},
    {"spmv", "sim.no_scatter=1", "cycles", 0.10, 0.95},
    {"LIB",           "sim.no_local=1",         "cycles", 0.30, 0.90},
    {"histogram", "sim.no_atomics=1", "cycles", 0.10, 0.98},
    {"lud", "sim.no_conflicts=1", "cycles", 0.10, 0.99},
    {"floydWarshall", "dram.refi=400 dram.rfc=200", "cycles", 1.001, 3.0},
    {"floydWarshall", "dram.refi=400 | dram.rfc=200", "cycles", 1.001, 3.0},
    {"vecadd", "interval.sreg=64", "cycles", 1.10, 64.0},
    {"reduction", "interval.shuffle=64", "cycles", 1.02, 16.0},
    {"bfs", "interval.branch=40", "cycles", 1.02, 40.0},
    {"transpose", "icnt.mhz=150", "cycles", 1.50, 9.50},
    {"transpose", "icnt.flit_bytes=8", "memory.reply_flits", 2.00, 5.00},
    {"transpose", "icnt.header_bytes=64", "memory.request_flits", 1.20, 3.00},
    {"transpose", "l2.mhz=150", "cycles", 1.20, 9.50},
    {"spmv", "memory.partitions=1 l2.sets=1 l2.ways=4 | l2.slices=8", "memory.l2_misses", 0.01, 0.90},
    {"spmv", "memory.partitions=1 l2.slices=1 l2.ways=4 | l2.sets=32", "memory.l2_misses", 1.00, 2.00},
    {"spmv", "memory.partitions=1 l2.slices=1 l2.ways=4 | l2.sets=4", "memory.l2_misses", 1.20, 99.0},
    {"transpose", "l2.interval=64", "cycles", 1.05, 64.0},
    {"spmv", "l2.mshrs=1", "memory.l2_stalls", 2.00, 1e9},
    {"spmv", "memory.partitions=1 l2.slices=1 | l2.merges=1", "cycles", 1.20, 9.00},
    {"bfs", "l2.ways=1 | l2.write=write-through", "dram.writes", 1.05, 1e9},
    {"spmv", "dram.latency=600", "cycles", 1.10, 7.00},
    {"transpose", ONE_SLICE " | dram.queue=1", "cycles", 1.05, 9.00},
    {"bfs", ONE_SLICE " | dram.queue=1", "dram.row_hits", 0.10, 0.995},
    {"transpose", ONE_SLICE " | dram.bus_bytes=1", "cycles", 1.20, 4.10},
    {"transpose", ONE_SLICE " | dram.rate=1", "cycles", 1.20, 4.10},
    {"transpose", ONE_SLICE " | dram.banks=4", "dram.row_hits", 0.10, 0.995},
    {"transpose", ONE_SLICE " | dram.row_bytes=256", "dram.activations", 1.50, 8.10},
    {"transpose", ONE_SLICE " | dram.ccd=32", "cycles", 1.50, 16.0},
    {"transpose", ONE_SLICE " | dram.ccdl=64", "cycles", 1.20, 16.0},
    {"transpose", ONE_SLICE " | dram.rrd=200", "cycles", 1.05, 25.0},
    {"transpose", ONE_SLICE " | dram.rcd=200", "cycles", 1.02, 13.0},
    {"transpose", ONE_SLICE " | dram.rp=200", "cycles", 1.01, 13.0},
    {"spmv", ONE_SLICE " | dram.rc=600", "cycles", 1.01, 13.0},
    {"transpose", ONE_SLICE " | dram.cl=200", "cycles", 1.02, 13.0},
    {"transpose", ONE_SLICE " l2.write=write-through | dram.wl=200", "cycles", 1.005, 33.0},
    {"transpose", ONE_SLICE " l2.write=write-through | dram.cdlr=200", "cycles", 1.005, 33.0},
    {"bfs", ONE_SLICE " l2.write=write-through | dram.wr=400", "cycles", 1.02, 33.0},
    {"transpose", ONE_SLICE " | dram.rtpl=300", "cycles", 1.005, 99.0},
};

// Keys whose higher values may be better or worse, and keys without effect on a kernel of this size. *: all keys that begin so.
static const struct undirected {
    const char *key, *why;
} undirected[] = {
    {"machine",                 "another machine: tests/simtight"},
    {"gpu.core_mhz",            "faster SMs see a slower memory"},
    {"gpu.dispatch",            "test_grids.c: policies"},
    {"sim.no_barriers",         "values of the run are void: tests/cli/test_profile.c"},
    {"sim.block_warps",         "the same"},
    {"sim.block_instructions",  "the same"},
    {"sim.warp_instructions",   "the same"},
    {"sim.no_divergence",       "lanes are chosen at random: tests/cli/test_profile.c"},
    {"icache.keep",             "only for kernels launched again: test_ends.c, launches"},
    {"icache.warm",             "only for kernels launched again: test_ends.c, launches"},
    {"l1.index",                "spreads lines otherwise; tests/memory/test_cache.c"},
    {"texture.index",           "the same"},
    {"l2.index",                "the same"},
    {"l2.dirty_ways",           "writes come earlier, not more often; tests/memory/test_cache.c"},
    {"constant.words",          "no bundled kernel reads constants by lane; silicon/micro.csv"},
    {"dram.backlog",            "slices stop for it; tests/memory/test_system.c"},
    {"dram.faw",                "tests/memory/test_dram.c"},
    {"dram.rtw",                "tests/memory/test_dram.c"},
    {"l1.keep",                 "test_ends.c: launches"},
    {"texture.keep",            "test_ends.c: launches"},
    {"constant.keep",           "test_ends.c: launches"},
    {"lsu.copies",              "no bundled kernel copies; tests/differential/test_copies.c"},
    {"mbarrier.suspend",        "no bundled kernel has mbarriers; tests/differential/test_phases.c"},
    {"interval.wgmma",           "no bundled kernel has products of warpgroups; tests/sm/test_warpgroup.c"},
    {"interval.wgmma_registers", "no bundled kernel has products of warpgroups; tests/sm/test_warpgroup.c"},
    {"latency.wgmma",            "no bundled kernel has products of warpgroups; tests/sm/test_warpgroup.c"},
    {"latency.wgmma_registers",  "no bundled kernel has products of warpgroups; tests/sm/test_warpgroup.c"},
    {"wgmma.queue",              "no bundled kernel has products of warpgroups; tests/sm/test_warpgroup.c"},
    {"gpu.gpcs", "no bundled kernel has clusters; tests/api/test_clusters.c"},
    {"dsmem.latency", "no bundled kernel has clusters; tests/api/test_clusters.c"},
    {"dsmem.bytes", "no bundled kernel has clusters; tests/api/test_clusters.c"},
    {"dsmem.request_bytes", "no bundled kernel has clusters; tests/api/test_clusters.c"},
    {"cluster.barrier_latency", "no bundled kernel has clusters; tests/api/test_clusters.c"},
    {"cluster.release", "no bundled kernel has clusters; tests/api/test_clusters.c"},
    {"cluster.release_interval", "no bundled kernel has clusters; tests/api/test_clusters.c"},
    {"bulk.latency",            "no bundled kernel has bulk copies; tests/api/test_bulk.c"},
    {"bulk.load_bytes",         "no bundled kernel has bulk copies; tests/api/test_bulk.c"},
    {"bulk.store_latency",      "no bundled kernel has bulk copies; tests/api/test_bulk.c"},
    {"bulk.store_bytes",        "no bundled kernel has bulk copies; tests/api/test_bulk.c"},
    {"bulk.descriptor",        "no bundled kernel has bulk copies; tests/api/test_bulk.c"},
    {"bulk.commands",           "no bundled kernel has bulk copies; tests/api/test_bulk.c"},
    {"bulk.bytes",              "no bundled kernel has bulk copies; tests/api/test_bulk.c"},
    {"branch.bits",             "a kernel of this size hardly notices: tests/sm/test_ilp.c"},
    {"branch.history",          "the same"},
    {"latency.fixed",           "of what no one waits for: NOP, prefetches"},
    {"interval.fixed",          "the same"},
    {"latency.vote",            "test_pipeline.c: classes; no bundled kernel votes"},
    {"interval.vote",           "the same"},
    {"memory.line_bytes",       "longer lines bring what may not be wanted"},
    {"l2.line_bytes",           "shorter lines of as many sets and ways are a smaller L2"},
    {"l2.coalesce",             "no SM asks for what a near one does; tests/memory/test_ports.c"},
    {"icnt.sm_bytes",           "a port smaller than that of a slice; the same"},
    {"memory.interleave_bytes", "spreads accesses otherwise"},
    {"l2.replacement",          "none is the best; tests/memory/test_cache.c"},
    {"dram.burst",              "a longer one needs fewer commands and moves the same"},
    {"dram.ras",                "a row that has to stay open is hit more often; tests/memory/test_dram.c"},
    {"dram.groups",             "changes which rows are neighbours; tests/memory/test_dram.c"},
    {"sim.check",               "no time: test_invariance.c"},
    {"sim.stall", "looks on: tests/sm/test_stall.c"},
    {"sim.patience", "a limit: tests/sm/test_stall.c"},
    {"sim.skip_idle",           "no time: test_invariance.c"},
    {"sim.lose_reply",          "test_ends.c: lost replies"},
    {"latency.mma_*",           "no bundled kernel has matrix products; tests/sm/test_tensor.c"},
    {"interval.mma_*",          "the same"},
    {"tensor.*",                "no time: values of products; tests/api/test_tensor_kernels.c"},
};
// clang-format on

struct sum {
    struct test *t;
    const char *what;
    uint64_t value;
};

static void add(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                const struct wf_stats *stats)
{
    struct sum *s = context;
    (void)kernel, (void)shape;
    s->value += str_equal(s->what, "cycles")           ? stats->cycles
                : str_equal(s->what, "elapsed_cycles") ? stats->elapsed
                                                       : counter(s->t, stats, s->what);
}

static double measure(struct test *t, const struct trend *r, bool turned)
{
    const char *bar = strstr(r->knob, " | "), *knob = bar ? bar + 3 : r->knob;
    char both[200];
    snprintf(both, sizeof both, "%.*s", bar ? (int)(bar - r->knob) : 0, r->knob);

    const char *near;
    struct wf_context *c = wf_context_create();
    struct sum s = {t, r->what, 0};
    CHECK_EQ(t, wf_gpu(c, "gtx1080ti-paper"), WF_OK);
    settings_apply(t, c, BASE);
    settings_apply(t, c, both);
    if (turned) settings_apply(t, c, knob);
    struct workload_options options = {
        .size = WORKLOAD_SMALL, .ptx = WORKLOAD_NVCC, .launched = add, .launched_context = &s};
    struct workload_result result;
    CHECK_MSG(t, workload_run(workload_find(r->workload, &near), c, &options, &result) == WF_OK,
              "%s with %s: %s", r->workload, r->knob, wf_errors(c));
    wf_context_destroy(c);
    return (double)s.value;
}

static void test_trends(struct test *t)
{
    for (size_t k = 0; k < TEST_COUNT(trends); k++) {
        const struct trend *r = &trends[k];
        double base = measure(t, r, false), turned = measure(t, r, true),
               ratio = base > 0 ? turned / base : 0;
        CHECK_MSG(t, ratio >= r->least && ratio <= r->most,
                  "%s with %s: %s %.0f became %.0f, %.3f times, not %.2f to %.2f", r->workload, r->knob,
                  r->what, base, turned, ratio, r->least, r->most);
    }
}

static bool names_key(const char *knobs, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = knobs; (at = strstr(at, key)) != NULL; at += length)
        if ((at == knobs || at[-1] == ' ') && at[length] == '=') return true;
    return false;
}

static bool is_key(const char *pattern, const char *key)
{
    size_t length = strcspn(pattern, "*");
    return strncmp(pattern, key, length) == 0 && (pattern[length] || !key[length]);
}

static void check_keys(struct test *t, const struct config_key *keys, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        unsigned found = 0;
        for (size_t n = 0; n < TEST_COUNT(trends); n++) found += names_key(trends[n].knob, keys[k].name);
        bool listed = false;
        for (size_t n = 0; n < TEST_COUNT(undirected); n++)
            listed = listed || is_key(undirected[n].key, keys[k].name);
        CHECK_MSG(t, listed != (found > 0), "%s has %u trends and is %slisted as having none", keys[k].name,
                  found, listed ? "" : "not ");
    }
}

// A new key needs a trend, or a reason for having no trend.
static void test_keys(struct test *t)
{
    check_keys(t, chip_config_keys, chip_config_key_count);
    check_keys(t, gpu_config_keys, gpu_config_key_count);
    check_keys(t, memory_config_keys, memory_config_key_count);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"trends", test_trends}, {"keys", test_keys}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
