// Runs of the probes, and the rows as expressions on their counters.
#include "lab/probe.h"
#include "api/warpfold.h"
#include "base/str.h"
#include "lab/experiment.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 4, THREADS = 256, TABLE_WORDS = 16384, OUT_WORDS = 1024 * BLOCKS };

// -- the probes ---------------------------------------------------------------------------------------------

enum probe {
    UNIFORM,
    AFFINE,
    UNSTRUCTURED,
    LANES,
    VECTOR, // affine, with another part in every warp
    LOADS,
    ROUNDS,
    PREDICATES,
    BRANCHES,
    ROOM, // blocks of 24 warps: the slots of a third block are left over
    ALONE_UNIFORM,
    ALONE_AFFINE,
    ALONE_UNSTRUCTURED, // blocks of one warp
    UNMARKED_UNIFORM,
    UNMARKED_AFFINE,
    UNMARKED_UNSTRUCTURED, // without the marks of the compiler
    PROBES
};

static const struct {
    const char *kernel;
    uint32_t block[2];
    const char *key, *value; // NULL: no setting
} probes[PROBES] = {
    [UNIFORM] = {"uniform", {32, 8}, NULL, NULL},
    [AFFINE] = {"affine", {32, 8}, NULL, NULL},
    [UNSTRUCTURED] = {"unstructured", {32, 8}, NULL, NULL},
    [LANES] = {"lanes", {THREADS, 1}, NULL, NULL},
    [VECTOR] = {"affine", {THREADS, 1}, NULL, NULL},
    [LOADS] = {"loads", {32, 8}, "l1.global", "1"},
    [ROUNDS] = {"rounds", {32, 8}, "l1.global", "1"},
    [PREDICATES] = {"predicates", {32, 8}, NULL, NULL},
    [BRANCHES] = {"branches", {32, 8}, NULL, NULL},
    [ROOM] = {"unstructured", {32, 24}, NULL, NULL},
    [ALONE_UNIFORM] = {"uniform", {32, 1}, NULL, NULL},
    [ALONE_AFFINE] = {"affine", {32, 1}, NULL, NULL},
    [ALONE_UNSTRUCTURED] = {"unstructured", {32, 1}, NULL, NULL},
    [UNMARKED_UNIFORM] = {"uniform", {32, 8}, "mark.rules", "none"},
    [UNMARKED_AFFINE] = {"affine", {32, 8}, "mark.rules", "none"},
    [UNMARKED_UNSTRUCTURED] = {"unstructured", {32, 8}, "mark.rules", "none"},
};

struct figures { // of a run
    double executed, fetched, issued, lanes, memory_lanes, spared, waits, barrier, early, occupancy,
        registers_pj;
    double whole_blocks; // occupancy with as many whole blocks as fit
};

struct pair { // a probe without and with the mechanism
    struct figures base, tech;
};

static void count(struct figures *f, const struct wf_counter *c)
{
    double value = c->value == WF_UNKNOWN ? 0 : (double)c->value;
    if (str_starts_with(c->name, "sm.lanes.")) f->lanes += value;
    if (str_equal(c->name, "sm.lanes.memory")) f->memory_lanes = value;
    if (str_equal(c->name, "sm.fetch.fetched")) f->fetched = value;
    if (str_equal(c->name, "sm.slots.issued")) f->issued = value;
    if (str_equal(c->name, "sm.issue.spared_lanes")) f->spared = value;
    if (str_equal(c->name, "sm.slots.sync")) f->waits = value;
    if (str_equal(c->name, "sm.slots.barrier")) f->barrier = value;
    if (str_equal(c->name, "sm.l1.early_requests")) f->early = value;
}

// Occupancy with as many whole blocks as fit.
static double whole_blocks(struct wf_kernel *k, const struct wf_launch_config *shape)
{
    struct wf_occupancy o;
    if (!wf_occupancy_at(k, shape, 0, &o)) return 1;
    double warps = (double)o.blocks * o.warps;
    return warps / (warps + o.free_warps);
}

// Runs a probe's launch in a context with GPU and mechanism. False: an error in the context.
static bool launch(struct wf_context *c, enum probe p, struct figures *f)
{
    const char *text = experiment_file("probes.ptx");
    struct wf_module *m = wf_module_load(c, "probes.ptx", text, strlen(text));
    struct wf_kernel *k = m ? wf_kernel_find(m, probes[p].kernel) : NULL;
    struct wf_stats stats;
    if (!k) return false;
    static const uint32_t zero = 0, one = 1;
    uint32_t *words = heap_alloc(TABLE_WORDS * sizeof *words);
    for (uint32_t i = 0; i < TABLE_WORDS; i++) words[i] = i * 2654435761u ^ i >> 3;
    uint64_t out = wf_alloc(c, OUT_WORDS * 4), table = wf_alloc(c, TABLE_WORDS * sizeof *words);
    bool good = out && table && wf_write(c, table, words, TABLE_WORDS * sizeof *words) == WF_OK;
    free(words);
    if (!good) return false;
    struct wf_launch_config shape = {.grid = {p == ROOM ? BLOCKS : 1, 1, 1},
                                     .block = {probes[p].block[0], probes[p].block[1], 1}};
    void *args[] = {&out, &table, (void *)(uintptr_t)&zero, (void *)(uintptr_t)&one};
    if (wf_launch(k, &shape, args, 4, &stats) != WF_OK) return false;
    *f = (struct figures){.executed = (double)stats.warp_instructions, .occupancy = stats.occupancy};
    f->whole_blocks = whole_blocks(k, &shape);
    for (size_t i = 0; i < stats.energy_count; i++)
        if (str_equal(stats.energy[i].part, "registers"))
            f->registers_pj += (double)stats.energy[i].count * stats.energy[i].pj_each;
    for (size_t i = 0; i < stats.counter_count; i++) count(f, &stats.counters[i]);
    return true;
}

static bool run(const char *gpu, const char *profile, const char *tech, enum probe p, struct figures *f,
                struct diag *d)
{
    struct wf_context *c = wf_context_create();
    bool good = wf_gpu(c, gpu) == WF_OK && wf_set(c, "compile.profile", profile) == WF_OK &&
                wf_set(c, "gpu.sm_count", "1") == WF_OK && wf_tech(c, tech) == WF_OK &&
                (!probes[p].key || wf_set(c, probes[p].key, probes[p].value) == WF_OK) && launch(c, p, f);
    if (!good) diag_error(d, loc_none(), "probe %s with %s: %s", probes[p].kernel, tech, wf_errors(c));
    wf_context_destroy(c);
    return good;
}

// -- the rows -----------------------------------------------------------------------------------------------

// Share of `base` that is gone with the mechanism.
static double gone(double base, double tech) { return base > 0 ? 1 - tech / base : 0; }

static double lanes_gone(const struct pair *p) { return gone(p->base.lanes, p->tech.lanes); }

// A quarter of a probe's work: a chain is more than half of each probe.
static bool is_much(double share) { return share >= 0.25; }

static bool removes(const struct pair *all, enum probe p) { return is_much(lanes_gone(&all[p])); }

static double most(const struct pair *all, double (*of)(const struct pair *p))
{
    static const enum probe work[] = {UNIFORM, AFFINE, UNSTRUCTURED, LANES, VECTOR};
    double highest = 0;
    for (size_t k = 0; k < sizeof work / sizeof work[0]; k++)
        if (of(&all[work[k]]) > highest) highest = of(&all[work[k]]);
    return highest;
}

static double fetches_gone(const struct pair *p) { return gone(p->base.fetched, p->tech.fetched); }
static double slots_gone(const struct pair *p) { return gone(p->base.issued, p->tech.issued); }
static double executions_gone(const struct pair *p) { return gone(p->base.executed, p->tech.executed); }
static double registers_gone(const struct pair *p)
{
    return gone(p->base.registers_pj, p->tech.registers_pj);
}
static double lanes_spared(const struct pair *p) { return p->tech.spared / p->base.lanes; }

static bool uniform(const struct pair *all) { return removes(all, UNIFORM); }
static bool affine(const struct pair *all) { return removes(all, AFFINE); }
static bool unstructured(const struct pair *all) { return removes(all, UNSTRUCTURED); }
static bool unstructured_1d(const struct pair *all) { return removes(all, LANES); }
static bool vector(const struct pair *all) { return removes(all, VECTOR); }
static bool before_fetch(const struct pair *all) { return is_much(most(all, fetches_gone)); }
static bool before_issue(const struct pair *all) { return is_much(most(all, slots_gone)); }
static bool before_execution(const struct pair *all) { return is_much(most(all, executions_gone)); }
static bool fewer_lanes(const struct pair *all) { return is_much(most(all, lanes_spared)); }
static bool registers(const struct pair *all) { return is_much(most(all, registers_gone)); }
static bool predicates(const struct pair *all) { return removes(all, PREDICATES); }
static bool loads(const struct pair *all)
{
    return is_much(gone(all[LOADS].base.memory_lanes, all[LOADS].tech.memory_lanes));
}

// Whether a removal is lost with the run of another probe of the same kernel.
static bool loses(const struct pair *all, enum probe first)
{
    for (unsigned k = 0; k < 3; k++)
        if (removes(all, (enum probe)(UNIFORM + k)) && !removes(all, (enum probe)(first + k))) return true;
    return false;
}
static bool across_warps(const struct pair *all) { return loses(all, ALONE_UNIFORM); }
static bool needs_marks(const struct pair *all) { return loses(all, UNMARKED_UNIFORM); }

static bool waits(const struct pair *all)
{
    if (all[BRANCHES].tech.barrier > all[BRANCHES].base.barrier) return true;
    for (unsigned p = 0; p < ALONE_UNIFORM; p++)
        if (all[p].tech.waits > all[p].base.waits) return true;
    return false;
}
static bool lines(const struct pair *all) { return all[ROUNDS].tech.early > all[ROUNDS].base.early; }
static bool room(const struct pair *all) { return all[ROOM].tech.occupancy > all[ROOM].base.whole_blocks; }

static const struct {
    struct probe_row row;
    bool (*is)(const struct pair *all); // NULL: no counter shows the property
} rows[] = {
    {{"uniform redundancy", "a value of all threads of a block"}, uniform},
    {{"affine redundancy", "base and stride along x, in blocks as wide as a warp"}, affine},
    {{"unstructured redundancy", "values of a table along x, in blocks as wide as a warp"}, unstructured},
    {{"min. pipeline modifications", "the paper's judgement"}, NULL},
    {{"unstructured, in 1D", "values of a table by lane, in blocks of one dimension"}, unstructured_1d},
    {{"affine, not redundant", "base and stride, with another part in every warp"}, vector},
    {{"across warps", "what is removed in a block of eight warps is not removed in a block of one"},
     across_warps},
    {{"before fetch", "fewer instructions are fetched"}, before_fetch},
    {{"before issue", "fewer issue slots are taken"}, before_issue},
    {{"before execution", "fewer instructions are executed"}, before_execution},
    {{"fewer lanes", "instructions are executed by fewer lanes"}, fewer_lanes},
    {{"register file", "less energy goes to the register file"}, registers},
    {{"loads", "fewer lanes load"}, loads},
    {{"predicates", "comparisons are removed"}, predicates},
    {{"synchronisation", "slots are lost to waits for other warps"}, waits},
    {{"marks", "without the compiler's marks less is removed"}, needs_marks},
    {{"lines", "lines are looked up in L1 before a warp asks"}, lines},
    {{"room", "more warps are resident where whole blocks leave slots"}, room},
};

size_t probe_row_count(void) { return sizeof rows / sizeof rows[0]; }

const struct probe_row *probe_row_at(size_t index)
{
    return index < probe_row_count() ? &rows[index].row : NULL;
}

static uint64_t storage_of(const char *gpu, const char *tech)
{
    struct wf_context *c = wf_context_create();
    const struct wf_structure *list;
    uint64_t bits = 0;
    if (wf_gpu(c, gpu) == WF_OK && wf_tech(c, tech) == WF_OK)
        for (size_t n = wf_storage(c, &list); n--;) bits += list[n].instead ? 0 : list[n].bits;
    wf_context_destroy(c);
    return bits;
}

bool probe_run(const char *gpu, const char *profile, const char *tech, enum probe_answer *answers,
               uint64_t *bits, struct diag *d)
{
    struct pair all[PROBES];
    for (unsigned p = 0; p < PROBES; p++)
        if (!run(gpu, profile, "base", (enum probe)p, &all[p].base, d) ||
            !run(gpu, profile, tech, (enum probe)p, &all[p].tech, d))
            return false;
    for (size_t n = 0; n < probe_row_count(); n++)
        answers[n] = !rows[n].is ? PROBE_UNKNOWN : rows[n].is(all) ? PROBE_YES : PROBE_NO;
    *bits = storage_of(gpu, tech);
    return true;
}
