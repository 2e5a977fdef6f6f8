// Precise state: with issue.dependences=board, at any cycle, the register file written by commits equals the
// program's registers at one instruction of every warp.
//
// A program runs twice. The functional run records a digest of every warp's registers before every
// instruction. The timed run is inspected at arbitrary cycles. Take a warp with n issued
// instructions, the last m defining ones still in the board. The warp must have the functional
// registers from before the first of these m. Of the board and its shadow, only the number of
// instructions is used; no record of program order is read.
//
// The comparison must notice errors. Two wrong register files may not pass. The first
// includes results complete but not yet the oldest, as in a core without ordered commits.
// The second includes the next definition.
#include "api/impl.h"
#include "base/rng.h"
#include "chip/chip_impl.h"
#include "differential/combination.h"
#include "generator/launch.h"
#include "harness/settings.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "sm/board_shadow.h"
#include "sm/sm_impl.h"
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

enum { REGISTERS = 256 };

typedef uint32_t registers[REGISTERS][LANES_MAX];

static uint64_t digest_of(registers r, uint32_t count, uint64_t lanes)
{
    uint64_t digest = 0;
    for (uint32_t k = 0; k < count; k++)
        for (uint64_t left = lanes; left; left &= left - 1) {
            unsigned lane = bit_lowest(left);
            digest += hash_u64((uint64_t)(k << 6 | lane) << 32 | r[k][lane]);
        }
    return digest;
}

// -- the functional run -------------------------------------------------------------------------------------

struct point { // before a warp's instruction, and at its end
    uint64_t digest;
    uint32_t inst;
    bool has_lanes; // executes in at least one lane
};

struct trace { // of a warp
    VEC(struct point) points;
    size_t executed;
};

struct recording {
    struct trace *traces; // heap, by warp of the grid
    uint32_t warps, count, register_count;
};

static void launch_begin(void *context, const struct launch *l)
{
    struct recording *r = context;
    uint32_t threads = l->block[0] * l->block[1] * l->block[2];
    r->warps = (threads + l->warp_size - 1) / l->warp_size;
    r->count = l->grid[0] * l->grid[1] * l->grid[2] * r->warps;
    r->register_count = l->program->reg_count;
    r->traces = heap_alloc(r->count * sizeof *r->traces);
}

static struct point *point_of(struct recording *r, const struct observed_block *b, uint32_t warp,
                              uint64_t present)
{
    struct trace *t = &r->traces[b->linear * r->warps + warp];
    static registers file;
    for (uint32_t k = 0; k < r->register_count; k++)
        memcpy(file[k], observed_block_register(b, warp, k), b->warp_size > 32 ? 256 : 128);
    if (t->points.count == t->executed) vec_push(&t->points, (struct point){0});
    struct point *p = &vec_last(&t->points);
    p->digest = digest_of(file, r->register_count, present);
    return p;
}

static void before(void *context, const struct observed *o)
{
    struct point *p = point_of(context, o->block, o->warp, o->present);
    p->inst = o->index;
    p->has_lanes = o->lanes;
}

static void after(void *context, const struct observed *o)
{
    struct recording *r = context;
    r->traces[o->block->linear * r->warps + o->warp].executed++;
}

static void recording_fini(struct recording *r)
{
    for (uint32_t k = 0; k < r->count; k++) vec_fini(&r->traces[k].points);
    free(r->traces);
}

// -- the timed run ------------------------------------------------------------------------------------------

struct look {
    struct test *t;
    struct wf_context *context;
    const struct recording *recording;
    const char *what;
    struct rng random;
    uint64_t cycles, warps; // inspected
    uint64_t late;          // warps skipped for a result that comes late
    // waiting: warps with entries in the board; apart: of these, warps with other registers one definition
    // later. unordered: warps with a complete result behind an incomplete one; unordered_apart: of these,
    // warps with other registers if the result were included.
    uint64_t waiting, apart, unordered, unordered_apart;
};

// True if the instruction takes entries in the board, room permitting.
static bool defines(const struct op *o, const struct point *p)
{
    return o->dst_words && (o->path != PATH_MEMORY || p->has_lanes);
}

// True if the engine writes the result after issue: when the block has met, or when memory has answered.
static bool comes_late(const struct sm_warp *w, uint32_t inst)
{
    return w->grid->ops[inst].dst_words &&
           isa_has(&w->grid->engine->exec.program->insts[inst], ISA_ATOMIC | ISA_BARRIER);
}

static unsigned entered(const struct board *b, unsigned slot)
{
    unsigned n = 0;
    for (uint8_t e = b->warps[slot].head; e != BOARD_NONE; e = b->insts[e].next) n++;
    return n;
}

// Number of instructions a warp has committed, of the issued: all before the oldest of
// the last `entries` defining instructions.
static uint64_t committed_of(const struct sm_warp *w, const struct trace *t, unsigned entries)
{
    uint64_t n = w->warp->issued;
    while (entries && n) {
        const struct point *p = &t->points.data[--n];
        entries -= defines(&w->grid->ops[p->inst], p);
    }
    return n;
}

static void copy_committed(const struct sm *s, const struct sm_warp *w, uint32_t count, registers to)
{
    for (uint32_t k = 0; k < count; k++)
        memcpy(to[k], board_shadow_lanes(s->board.shadow, w->operands.map[k]), sizeof to[k]);
}

// Adds to `to` the complete results behind incomplete ones; returns true if any exist.
static bool add_unordered(const struct sm *s, unsigned slot, registers to)
{
    const struct sm_warp *w = &s->warps[slot];
    bool is_any = false, is_behind = false;
    for (uint8_t e = s->board.warps[slot].head; e != BOARD_NONE; e = s->board.insts[e].next) {
        const struct board_inst *i = &s->board.insts[e];
        is_behind |= i->done > s->now;
        for (unsigned k = 0; is_behind && i->done <= s->now && k < i->words; k++) {
            unsigned r = (unsigned)(i->registers[k] - w->operands.registers);
            if (!(i->matches >> k & 1)) continue; // the engine's registers hold a newer value
            const uint32_t *values = reg_lanes(w->warp->regs, r * w->grid->engine->exec.vector_bytes);
            for (uint64_t left = i->lanes; left; left &= left - 1)
                to[r][bit_lowest(left)] = values[bit_lowest(left)];
            is_any = true;
        }
    }
    return is_any;
}

static void look_at_warp(struct look *x, struct sm *s, unsigned slot)
{
    static registers file;
    const struct sm_warp *w = &s->warps[slot];
    const struct trace *t =
        &x->recording->traces[w->warp->cta->linear * x->recording->warps + w->warp->index];
    uint32_t count = x->recording->register_count;
    uint64_t lanes = w->warp->present, issued = w->warp->issued;
    CHECK_MSG(x->t, issued < t->points.count, "%s: a warp has issued more instructions than it has", x->what);
    if (issued >= t->points.count) return;
    for (uint64_t k = 0; k < issued; k++)
        if (comes_late(w, t->points.data[k].inst)) {
            x->late++;
            return;
        }
    unsigned entries = entered(&s->board, slot);
    uint64_t n = committed_of(w, t, entries), later = committed_of(w, t, entries ? entries - 1 : 0);
    copy_committed(s, w, count, file);
    uint64_t digest = digest_of(file, count, lanes), wanted = t->points.data[n].digest;
    x->warps++;
    CHECK_MSG(
        x->t, digest == wanted,
        "%s, cycle %llu: warp %u of block %llu has committed %llu of %llu instructions, and other registers",
        x->what, (unsigned long long)s->now, w->warp->index, (unsigned long long)w->warp->cta->linear,
        (unsigned long long)n, (unsigned long long)issued);
    if (!entries) return;
    x->waiting++;
    x->apart += digest != t->points.data[later].digest;
    if (!add_unordered(s, slot, file)) return;
    x->unordered++;
    x->unordered_apart += digest_of(file, count, lanes) != wanted;
}

// Inspects the warps between windows. Committed results leave the board first, as on a query.
static bool look(void *context)
{
    static const struct op nothing;
    struct look *x = context;
    const struct chip *c = x->context->chip_state;
    if (rng_below(&x->random, 4)) return false;
    x->cycles++;
    for (size_t k = 0; k < c->busy.count; k++) {
        struct sm *s = c->busy.data[k];
        for (uint64_t left = s->room.resident; left; left &= left - 1) {
            board_has_entries(s, bit_lowest(left), &nothing);
            look_at_warp(x, s, bit_lowest(left));
        }
    }
    return false;
}

// -- both runs ----------------------------------------------------------------------------------------------

static const struct {
    const char *key, *values[6];
} drawn[] = {{"board.entries", {"1", "2", "4", "8", "16", "64"}},
             {"operands.bypass", {"0", "1"}},
             {"branch.predict", {"none", "static", "gshare", "perfect"}},
             {"issue.schedulers", {"1", "2", "4"}},
             {"issue.width", {"1", "2"}},
             {"issue.interval", {"1", "4"}},
             {"l1.global", {"0", "1"}},
             {"gpu.dispatch_latency", {"1", "2", "3", "5", "7"}}}; // length of a window, in cycles

static void draw_settings(struct rng *r, uint32_t warp_size, struct strbuf *out)
{
    strbuf_printf(
        out,
        "memory.size=16M compile.stack_bytes=16384 sm.registers=262144 sm.shared_bytes=98304 sm.warps=64 "
        "sim.check=1 issue.dependences=board");
    if (warp_size) strbuf_printf(out, " warp.size=%u", warp_size);
    for (size_t k = 0; k < TEST_COUNT(drawn); k++) {
        unsigned count = 0;
        while (count < 6 && drawn[k].values[count]) count++;
        strbuf_printf(out, " %s=%s", drawn[k].key, drawn[k].values[rng_below(r, count)]);
    }
    strbuf_printf(out, " gpu.launch_latency=%u",
                  rng_below(r, 300)); // so that inspections fall on any of its cycles
}

static void run(struct test *t, const char *gpu, const char *settings, const struct generated *g,
                struct study *study, struct look *look_on)
{
    struct wf_context *c = wf_context_create();
    CHECK(t, wf_gpu(c, gpu) == WF_OK);
    settings_apply(t, c, settings);
    c->study = study;
    if (look_on) {
        look_on->context = c;
        wf_set_interrupt(c, look, look_on);
    }
    struct wf_module *m = wf_module_load(c, "kernel.ptx", g->text.text, g->text.length);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    CHECK_MSG(t, k && generated_launch(c, k, g, NULL, NULL) == WF_OK, "%s %s: %s", gpu, settings,
              wf_errors(c));
    wf_context_destroy(c);
}

// Runs a program, unless its order of execution shows in registers.
static void try(uint64_t seed, struct look *x)
{
    static const char *const gpus[] = {"tiny", "gtx280", "gtx1080ti-paper", "gpu-i"};
    static const struct study_class functional;
    struct generated g = {0};
    struct rng r;
    combination_program(seed, &g);
    bool is_apt = !g.order && !g.splits && !g.undefined;
    if (is_apt) {
        struct strbuf settings = {0}, what = {0};
        struct recording recording = {0};
        rng_init(&r, hash_u64(seed ^ 0x9ec15e));
        const char *gpu = gpus[rng_below(&r, TEST_COUNT(gpus))];
        draw_settings(&r, g.warp, &settings);
        strbuf_printf(&what, "seed %llu, gpu=%s %s", (unsigned long long)seed, gpu, strbuf_text(&settings));
        struct study study = {
            .class = &functional,
            .observer = {
                .context = &recording, .launch_begin = launch_begin, .before = before, .after = after}};
        run(x->t, gpu, strbuf_text(&settings), &g, &study, NULL);
        x->recording = &recording;
        x->what = strbuf_text(&what);
        run(x->t, gpu, strbuf_text(&settings), &g, NULL, x);
        recording_fini(&recording);
        strbuf_fini(&settings);
        strbuf_fini(&what);
    }
    generated_fini(&g);
}

static void test_any_cycle(struct test *t)
{
    uint64_t cycles = test_is_long() ? 10000 : 1000, seed = test_seed(1);
    struct look x = {.t = t};
    for (; x.cycles < cycles && !test_failed(t); seed++) try(seed, &x);
    CHECK_MSG(t, x.waiting > x.warps / 20 && x.late < x.warps / 2,
              "%llu warps, %llu with entries, %llu left out", (unsigned long long)x.warps,
              (unsigned long long)x.waiting, (unsigned long long)x.late);
    CHECK_MSG(t,
              x.apart > x.waiting / 2 && x.unordered > x.waiting / 50 && x.unordered_apart > x.unordered / 2,
              "%llu of %llu warps show a definition too many, %llu of %llu another order",
              (unsigned long long)x.apart, (unsigned long long)x.waiting,
              (unsigned long long)x.unordered_apart, (unsigned long long)x.unordered);
}

// A starved warp takes precedence over every other warp while on a wrong path: instructions of the wrong
// path issued, and instructions of the right path were executed.
static void test_favoured_on_a_wrong_path(struct test *t)
{
    enum { SEED = 853 };
    struct look x = {.t = t};
    try(SEED, &x);
    CHECK(t, x.cycles);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"any_cycle", test_any_cycle},
                                             {"favoured_on_a_wrong_path", test_favoured_on_a_wrong_path}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
