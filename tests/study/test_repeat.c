// The counts behind `redundancy` and `taxonomy`, on random and bundled kernels. Fails where they
// differ from a plain definition: keep all instances with the raw bytes read and written, and group
// them at the end of a block or launch.
#include "api/impl.h"
#include "base/bits.h"
#include "exec/machine.h"
#include "generator/generator.h"
#include "harness/test.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "study/repeat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- plain definition of the counts -------------------------------------------------------------------------

struct record { // one execution by a full warp, all threads together
    uint32_t index, warp;
    uint64_t key; // history, or path and occurrence
    uint64_t sources, result;
    unsigned pattern;
};

struct records {
    struct record *data; // as VEC
    size_t count, capacity;
};

struct plain_warp {
    uint64_t history, path;
    bool full;
    uint32_t *executed; // by instruction
};

struct plain_block {
    struct plain_warp warps[1024];
    uint32_t count, participants;
    struct records interval;
};

struct plain {
    struct study *study;
    const struct launch *launch;
    struct repeat_counts *counts; // by instruction
    uint32_t inst_count, threads;
    struct records grid;
    struct plain_block block; // one block is resident at a time
    struct record now;
};

static int by_key(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->warp < y->warp ? -1 : x->warp > y->warp;
}

// End of the group of equal instruction and key starting at `from`: [from, to).
static size_t group_end(const struct records *r, size_t from)
{
    size_t to = from + 1;
    while (to < r->count && r->data[to].index == r->data[from].index && r->data[to].key == r->data[from].key)
        to++;
    return to;
}

static bool all_equal(const struct records *r, size_t from, size_t to)
{
    for (size_t i = from + 1; i < to; i++)
        if (r->data[i].sources != r->data[from].sources || r->data[i].result != r->data[from].result)
            return false;
    return true;
}

static void end_interval(struct plain *p)
{
    struct plain_block *b = &p->block;
    if (b->interval.count) qsort(b->interval.data, b->interval.count, sizeof *b->interval.data, by_key);
    for (size_t from = 0, to; from < b->interval.count; from = to) {
        to = group_end(&b->interval, from);
        if (to - from != b->participants || b->participants < 2) continue;
        const struct record *first = &b->interval.data[from];
        struct repeat_counts *n = &p->counts[first->index];
        *(all_equal(&b->interval, from, to) ? &n->block[first->pattern] : &n->differs) += to - from;
    }
    b->interval.count = 0;
}

static void begin_interval(struct plain *p, uint64_t history)
{
    struct plain_block *b = &p->block;
    b->participants = 0;
    for (uint32_t w = 0; w < b->count; w++) {
        b->warps[w].history = history;
        b->participants += b->warps[w].full;
    }
}

static void block_begin(void *context, struct observed_block *b)
{
    struct plain *p = context;
    repeat_block_begin(p->study, b);
    p->block.count = b->warps;
    for (uint32_t w = 0; w < b->warps; w++) {
        struct plain_warp *x = &p->block.warps[w];
        x->full = (w + 1) * b->warp_size <= p->threads;
        x->path = 1;
        x->executed = heap_alloc(p->inst_count * sizeof *x->executed);
    }
    begin_interval(p, 1);
}

static void block_end(void *context, struct observed_block *b)
{
    struct plain *p = context;
    end_interval(p);
    for (uint32_t w = 0; w < b->warps; w++) free(p->block.warps[w].executed);
    repeat_block_end(p->study, b);
}

static void barrier(void *context, struct observed_block *b, const struct observed_barrier *met)
{
    struct plain *p = context;
    repeat_barrier(p->study, b, met);
    if (!met->whole || !met->whole_warps || met->index == NO_TARGET) return;
    end_interval(p);
    begin_interval(p, 1000 + met->index);
}

static void warp_exit(void *context, struct observed_block *b, uint32_t warp)
{
    struct plain *p = context;
    repeat_warp_exit(p->study, b, warp);
    p->block.warps[warp].full = false;
}

static unsigned pattern_of(const uint32_t *v, unsigned lanes)
{
    bool uniform = true, affine = true;
    for (unsigned l = 0; l < lanes; l++) {
        uniform = uniform && v[l] == v[0];
        affine = affine && v[l] == v[0] + l * (v[1] - v[0]);
    }
    return uniform ? PATTERN_UNIFORM : affine ? PATTERN_AFFINE : PATTERN_OTHER;
}

static void take(struct record *r, uint64_t *sum, const struct observed *o, const struct operand *x,
                 bool judge)
{
    if (x->kind == OPERAND_PRED && x->reg != PRED_TRUE) {
        uint64_t lanes = o->pred[x->reg] & o->full;
        *sum = hash_bytes(&lanes, 8, *sum);
        if (judge && lanes && lanes != o->full) r->pattern = PATTERN_OTHER;
    }
    if (x->kind != OPERAND_REG && x->kind != OPERAND_MEM && x->kind != OPERAND_SHARED) return;
    for (unsigned n = 0; n < x->width && x->reg != REG_ZERO; n++) {
        const uint32_t *v = observed_register(o, x->reg + n);
        unsigned lanes = bit_count(o->full), kind = pattern_of(v, lanes);
        *sum = hash_bytes(v, 4 * lanes, *sum);
        if (judge && kind > r->pattern) r->pattern = kind;
    }
}

static uint64_t outcome_of(const struct observed *o)
{
    if (!o->lanes) return 0;
    if (o->lanes != o->path) return 2;
    const struct operand *target = &o->inst->src[0];
    if (!isa_has(o->inst, ISA_INDIRECT) || target->kind != OPERAND_REG) return 1;
    const uint32_t *v = observed_register(o, target->reg);
    return pattern_of(v, bit_count(o->full)) == PATTERN_UNIFORM ? 3 + (uint64_t)v[0] : 2;
}

static uint64_t longer(uint64_t history, const struct observed *o)
{
    uint64_t step[3] = {history, o->index, outcome_of(o)};
    return hash_bytes(step, sizeof step, 7);
}

// `before` leaves the history behind the instruction in the warp; the record keeps the history of execution.
static void before(void *context, const struct observed *o)
{
    struct plain *p = context;
    struct plain_warp *w = &p->block.warps[o->warp];
    struct record *r = &p->now;
    *r = (struct record){.index = o->index, .warp = o->warp, .key = w->history};
    struct operand guard = {.kind = OPERAND_PRED, .reg = o->inst->guard};
    take(r, &r->sources, o, &guard, true);
    for (unsigned k = 0; k < 4; k++) take(r, &r->sources, o, &o->inst->src[k], true);
    for (unsigned k = 0; k < 2 && o->inst->guard != PRED_TRUE; k++)
        if (o->inst->dst[k].kind == OPERAND_REG) take(r, &r->sources, o, &o->inst->dst[k], true);
}

static void after(void *context, const struct observed *o)
{
    struct plain *p = context;
    struct plain_warp *w = &p->block.warps[o->warp];
    struct repeat_counts *n = &p->counts[o->index];
    struct record r = p->now;
    n->executed++;
    if (o->path != o->full) {
        ++*(o->path != o->live ? &n->diverged : &n->partial);
    } else {
        struct record out = {0};
        for (unsigned k = 0; k < 2; k++) take(&out, &r.result, o, &o->inst->dst[k], true);
        for (unsigned k = 0; k < 4; k++)
            if (o->inst->src[k].kind == OPERAND_SREG) r.pattern = out.pattern;
        n->warp += r.pattern == PATTERN_UNIFORM;
        if (w->full) vec_push(&p->block.interval, r);
        uint64_t key[2] = {w->executed[o->index]++, w->path};
        r.key = key[0];
        r.sources = hash_bytes(&key[1], 8, r.sources);
        vec_push(&p->grid, r);
        if (isa_has(o->inst, ISA_BRANCH)) {
            w->history = longer(w->history, o);
            w->path = longer(w->path, o);
        }
    }
    if (isa_has(o->inst, ISA_EXIT) && o->lanes && o->path == o->full) w->full = false;
    repeat_after(p->study, o);
}

static void launch_begin(void *context, const struct launch *l)
{
    struct plain *p = context;
    repeat_launch_begin_grid(p->study, l);
    p->launch = l;
    p->inst_count = l->program->inst_count;
    p->threads = l->block[0] * l->block[1] * l->block[2];
    p->counts = heap_alloc(p->inst_count * sizeof *p->counts);
}

static void launch_end(void *context)
{
    struct plain *p = context;
    uint64_t warps = (uint64_t)p->launch->grid[0] * p->launch->grid[1] * p->launch->grid[2] *
                     (p->threads / p->launch->warp_size);
    if (p->grid.count) qsort(p->grid.data, p->grid.count, sizeof *p->grid.data, by_key);
    for (size_t from = 0, to; from < p->grid.count; from = to) {
        to = group_end(&p->grid, from);
        if (to - from == warps && warps > 1 && all_equal(&p->grid, from, to))
            p->counts[p->grid.data[from].index].grid += warps;
    }
    repeat_launch_end_grid(p->study);
}

static void plain_init(struct plain *p)
{
    *p = (struct plain){.study = study_create("redundancy")};
    p->study->observer = (struct observer){.context = p,
                                           .launch_begin = launch_begin,
                                           .launch_end = launch_end,
                                           .block_begin = block_begin,
                                           .block_end = block_end,
                                           .before = before,
                                           .after = after,
                                           .barrier = barrier,
                                           .warp_exit = warp_exit};
}

struct tally {
    uint64_t redundant, executed, grid;
};

static void compare(struct test *t, struct plain *p, const char *what, struct tally *sum)
{
    struct repeat_kernel *k = p->study->kernel->data;
    for (uint32_t n = 0; n < p->inst_count; n++) {
        const struct repeat_counts *want = &p->counts[n], *got = &k->counts[n];
        bool same = want->executed == got->executed && want->diverged == got->diverged &&
                    want->partial == got->partial && want->warp == got->warp && want->grid == got->grid;
        for (unsigned c = 0; c < PATTERN_COUNT; c++) {
            same = same && got->block[c] == want->block[c];
            sum->redundant += want->block[c];
        }
        same = same && got->differs == want->differs && !got->lost;
        sum->executed += want->executed;
        sum->grid += want->grid;
        CHECK_MSG(t, same,
                  "%s: %s: executed %llu %llu, diverged %llu %llu, partial %llu %llu, warp %llu %llu, grid "
                  "%llu %llu, "
                  "block %llu+%llu+%llu %llu+%llu+%llu, differs %llu %llu",
                  what, p->study->kernel->insts[n].text, (unsigned long long)want->executed,
                  (unsigned long long)got->executed, (unsigned long long)want->diverged,
                  (unsigned long long)got->diverged, (unsigned long long)want->partial,
                  (unsigned long long)got->partial, (unsigned long long)want->warp,
                  (unsigned long long)got->warp, (unsigned long long)want->grid,
                  (unsigned long long)got->grid, (unsigned long long)want->block[0],
                  (unsigned long long)want->block[1], (unsigned long long)want->block[2],
                  (unsigned long long)got->block[0], (unsigned long long)got->block[1],
                  (unsigned long long)got->block[2], (unsigned long long)want->differs,
                  (unsigned long long)got->differs);
        if (!same) return;
    }
}

static void plain_fini(struct plain *p)
{
    study_destroy(p->study);
    vec_fini(&p->grid);
    vec_fini(&p->block.interval);
    free(p->counts);
}

// -- random kernels -----------------------------------------------------------------------------------------

static bool run_random(struct test *t, uint64_t seed, const char *simt, struct plain *p)
{
    struct generated g;
    struct generator_options options = {.no_lanes = seed % 4 == 0};
    uint8_t in[GENERATOR_IN_BYTES], params[GENERATOR_PARAMS_MAX];
    generator_make(seed, &options, &g);
    struct wf_context *c = wf_context_create();
    wf_set(c, "simt", simt);
    if (seed % 4 == 0) wf_set(c, "warp.size", seed % 8 ? "64" : "8");
    if (seed % 3 == 0) wf_set(c, "compile.profile", "ptxplus");
    uint32_t threads = g.block[0] * g.block[1] * g.block[2];
    uint64_t out_bytes = (uint64_t)threads * g.grid[0] * g.grid[1] * g.grid[2] * GENERATOR_OUT_BYTES;
    struct wf_module *m = wf_module_load(c, "random.ptx", strbuf_text(&g.text), g.text.length);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    uint64_t at = wf_alloc(c, sizeof in), out = wf_alloc(c, out_bytes),
             acc = wf_alloc(c, GENERATOR_ACC_BYTES);
    generator_input(seed, in);
    wf_write(c, at, in, sizeof in);
    generator_params(&g, at, out, acc, params);
    struct wf_launch_config shape = {0};
    memcpy(shape.grid, g.grid, sizeof shape.grid);
    memcpy(shape.block, g.block, sizeof shape.block);
    c->study = p->study;
    bool good = k && wf_launch_packed(k, &shape, params, generator_param_bytes(&g), NULL) == WF_OK;
    CHECK_MSG(t, good, "seed %llu: %s", (unsigned long long)seed, wf_errors(c));
    wf_context_destroy(c);
    generated_fini(&g);
    return good;
}

static void test_random(struct test *t)
{
    struct tally sum = {0};
    uint64_t seeds = getenv("WARPFOLD_LONG") ? 3000 : 300;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        char what[40];
        struct plain p;
        snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
        plain_init(&p);
        if (run_random(t, seed, seed % 2 ? "stack" : "splits", &p)) compare(t, &p, what, &sum);
        plain_fini(&p);
    }
    printf("  of %llu executions %llu are redundant in their block, %llu in their grid\n",
           (unsigned long long)sum.executed, (unsigned long long)sum.redundant, (unsigned long long)sum.grid);
    CHECK(t, sum.redundant > 10000 && sum.grid > 1000);
}

// -- by hand ------------------------------------------------------------------------------------------------

// The counts of instruction `index` of a program run by one block.
static struct repeat_counts counts_of(struct test *t, const char *text, uint32_t threads, uint32_t index)
{
    struct repeat_counts n = {0};
    struct study *s = study_create("redundancy");
    struct machine m;
    if (machine_init(&m, t, text, threads)) {
        m.launch.observer = &s->observer;
        machine_must_run(&m);
        n = ((struct repeat_kernel *)s->kernel->data)->counts[index];
    }
    machine_fini(&m);
    study_destroy(s);
    return n;
}

// Warps 0 and 1 take one path, 2 and 3 the other. A barrier of two warps does not merge their histories; a
// barrier of the whole block does.
static const char barriers[] = "S2R R0, SR_TID.X\n"
                               "ISETP.GE.AND P0, PT, R0, 0x40, PT\n"
                               "@P0 BRA rest, join rest\n"
                               "BAR.SYNC 0x1, 0x40\n"
                               "rest:\n"
                               "MOV R1, 0x5\n" // 4
                               "BAR.SYNC 0x0\n"
                               "MOV R2, 0x5\n" // 6
                               "EXIT\n";

static void test_barriers(struct test *t)
{
    CHECK_EQ(t, counts_of(t, barriers, 128, 2).differs, 4); // equal operands would mean an equal path
    CHECK_EQ(t, counts_of(t, barriers, 128, 4).block[PATTERN_UNIFORM], 0);
    CHECK_EQ(t, counts_of(t, barriers, 128, 6).block[PATTERN_UNIFORM], 4);
    CHECK_EQ(t, counts_of(t, barriers, 128, 6).block_first, 1);
}

// The last warp is partial: the other warps repeat each other without it. A single warp has no repetition.
static void test_partial(struct test *t)
{
    static const char text[] = "MOV R1, 0x5\nEXIT\n";
    struct repeat_counts n = counts_of(t, text, 100, 0);
    CHECK_EQ(t, n.executed, 4);
    CHECK_EQ(t, n.partial, 1);
    CHECK_EQ(t, n.block[PATTERN_UNIFORM], 3);
    n = counts_of(t, text, 32, 0);
    CHECK_EQ(t, n.executed, 1);
    CHECK_EQ(t, n.warp, 1);
    CHECK_EQ(t, n.block[PATTERN_UNIFORM] + n.grid, 0);
}

// Local memory has equal addresses but different values in the threads: equal operands, unequal results.
static void test_results(struct test *t)
{
    static const char text[] = ".local 8\nS2R R0, SR_TID.X\nSTL [RZ], R0\nLDL R1, [RZ]\nEXIT\n";
    CHECK_EQ(t, counts_of(t, text, 64, 2).differs, 2);
    CHECK_EQ(t, counts_of(t, text, 64, 2).block[PATTERN_UNIFORM], 0);
}

// Executions of one warp past the length of the log are reported, and at grid scope
// executions past the number of samples.
static void test_bounds(struct test *t)
{
    static const char text[] =
        "MOV R0, RZ\nloop:\nIADD3 R0, R0, 0x1, RZ\nISETP.LT.AND P0, PT, R0, 0x11170, PT\n"
        "@P0 BRA loop\nEXIT\n";
    struct repeat_counts n = counts_of(t, text, 64, 1);
    CHECK_EQ(t, n.executed, 2 * 0x11170);
    CHECK_EQ(t, n.unsampled, 2 * (0x11170 - REPEAT_SAMPLES));
    CHECK_EQ(t, n.block[PATTERN_UNIFORM] + n.lost, 2 * 0x11170);
    CHECK_EQ(t, n.grid, 2 * REPEAT_SAMPLES);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"barriers", test_barriers}, {"partial", test_partial}, {"results", test_results},
        {"bounds", test_bounds},     {"random", test_random},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
