// Litmus tests from seeds, and as PTX. A guard selects the warps of a statement, so that the lanes of a warp
// stay together; blocks branch apart. A wait depends on a register with no other use.
#include "tech/litmus.h"

#include "base/rng.h"

#include <string.h>

unsigned litmus_warps(const struct litmus *p) { return p->live[0] + p->live[1]; }

static bool is_access(unsigned kind) { return kind <= LITMUS_COMPARE; }
static bool is_store(unsigned kind) { return kind >= LITMUS_STORE && kind <= LITMUS_COMPARE; }

// -- from a seed --------------------------------------------------------------------------------------------

struct maker {
    struct rng rng, keeping;
    struct litmus *p;
    unsigned block, left; // accesses to emit
    unsigned next;        // register to load into
    unsigned globals;     // words in use
    bool has_shared;
};

static uint32_t below(struct maker *m, uint32_t bound) { return rng_below(&m->rng, bound); }
static bool chance(struct maker *m, unsigned percent) { return below(m, 100) < percent; }

static struct litmus_statement *add(struct maker *m, enum litmus_kind kind)
{
    struct litmus *p = m->p;
    struct litmus_statement *s = &p->code[m->block][p->count[m->block]++];
    *s = (struct litmus_statement){.kind = (uint8_t)kind,
                                   .warps = LITMUS_ALL,
                                   .index = LITMUS_NONE,
                                   .dst = LITMUS_NONE,
                                   .a = LITMUS_NONE,
                                   .b = LITMUS_NONE};
    return s;
}

static uint8_t fresh(struct maker *m) { return (uint8_t)(m->next++ % LITMUS_REGISTERS); }
static uint8_t used(struct maker *m)
{
    return (uint8_t)below(m, m->next < LITMUS_REGISTERS ? m->next + 1 : LITMUS_REGISTERS);
}

static uint8_t some_warps(struct maker *m, unsigned percent)
{
    unsigned live = m->p->live[m->block];
    return chance(m, percent) && live > 1 ? (uint8_t)(1 + below(m, (1u << live) - 2)) : LITMUS_ALL;
}

static void pay(struct maker *m, const struct litmus_statement *s)
{
    unsigned all = (1u << m->p->live[m->block]) - 1;
    m->left -= (unsigned)__builtin_popcount(s->warps & all);
}

static void pick_location(struct maker *m, struct litmus_statement *s)
{
    s->location = (uint8_t)below(m, m->globals);
    if (m->has_shared && m->block == 0 && chance(m, 40))
        s->location = (uint8_t)(LITMUS_GLOBALS + below(m, 2));
    if (s->location == 0 && m->next && m->globals > 1 && chance(m, 15)) s->index = used(m);
}

static void make_load(struct maker *m)
{
    struct litmus_statement *s = add(m, chance(m, 12) ? LITMUS_SPIN : LITMUS_LOAD);
    pick_location(m, s);
    s->warps = some_warps(m, 12);
    s->dst = fresh(m);
    s->order = chance(m, 75) ? ORDER_WEAK : (uint8_t)(ORDER_VOLATILE + below(m, 3));
    if (s->kind == LITMUS_SPIN) s->order = ORDER_VOLATILE;
    s->count = (uint8_t)(1 + below(m, 12));
    pay(m, s);
}

static void make_store(struct maker *m)
{
    static const uint8_t orders[] = {ORDER_WEAK, ORDER_WEAK, ORDER_VOLATILE, ORDER_RELAXED, ORDER_RELEASE};
    bool is_atomic = chance(m, 25);
    struct litmus_statement *s =
        add(m, is_atomic ? (enum litmus_kind)(LITMUS_ADD + below(m, 3)) : LITMUS_STORE);
    pick_location(m, s);
    s->warps = some_warps(m, 50);
    s->per_warp = chance(m, 40);
    s->constant = 1 + below(m, 3);
    s->order = orders[below(m, 5)];
    if (is_atomic) {
        s->dst = fresh(m);
        s->order = chance(m, 30) ? ORDER_ACQUIRE : ORDER_RELAXED;
    }
    if (m->next && chance(m, 30)) s->a = used(m);
    pay(m, s);
}

// x = r + c; y = x - r: y is c for every value of r.
static void make_chain(struct maker *m, unsigned room)
{
    uint8_t r = used(m), x = fresh(m);
    struct litmus_statement *s = add(m, LITMUS_SUM);
    s->a = r;
    s->dst = x;
    s->constant = 1 + below(m, 3);
    s->kept = rng_below(&m->keeping, 100) < 30;
    if (room < 2 || x == r || chance(m, 40)) return;
    s = add(m, LITMUS_DIFFERENCE);
    s->a = x;
    s->b = r;
    s->dst = fresh(m);
}

static void make_wait(struct maker *m)
{
    struct litmus_statement *s = add(m, LITMUS_WAIT);
    s->warps = some_warps(m, 75);
    s->misses = chance(m, 30);
    s->count = (uint8_t)(1 + below(m, s->misses ? 3 : 24));
}

static void make_skip(struct maker *m)
{
    struct litmus_statement *s = add(m, LITMUS_SKIP);
    s->a = used(m);
    s->count = (uint8_t)(1 + below(m, 2));
}

static void make_fence(struct maker *m)
{
    struct litmus_statement *s = add(m, LITMUS_FENCE);
    s->warps = some_warps(m, 20);
    s->order = (uint8_t)below(m, 3);
    s->block_alone = chance(m, 40);
}

static void make_statement(struct maker *m, unsigned room)
{
    unsigned what = below(m, 100);
    bool can_load = m->left >= m->p->live[m->block];
    if (what < 34 && can_load)
        make_load(m);
    else if (what < 52 && can_load)
        make_store(m);
    else if (what < 66)
        make_chain(m, room);
    else if (what < 76)
        make_fence(m);
    else if (what < 80 && m->p->live[m->block] > 1)
        add(m, LITMUS_BARRIER);
    else if (what < 84)
        make_skip(m);
    else
        make_wait(m);
}

// Every warp of a block reaches the block's barriers: a skip ends in front of a barrier.
static void end_skips(struct litmus *p, unsigned block)
{
    for (unsigned k = 0; k < p->count[block]; k++) {
        struct litmus_statement *s = &p->code[block][k];
        if (s->kind != LITMUS_SKIP) continue;
        unsigned n = 0;
        while (n < s->count && k + n + 1 < p->count[block] && s[n + 1].kind != LITMUS_BARRIER) n++;
        s->count = (uint8_t)n;
    }
}

static void make_block(struct maker *m, unsigned block, unsigned accesses, unsigned statements)
{
    m->block = block;
    m->left = accesses;
    m->next = 0;
    for (unsigned n = 0; n < statements && m->p->count[block] + 2 < LITMUS_STATEMENTS; n++) {
        if (m->left < m->p->live[block] && n > statements / 2) break;
        make_statement(m, LITMUS_STATEMENTS - m->p->count[block]);
    }
    if (chance(m, 60)) make_wait(m); // the end of a kernel drops loads
    end_skips(m->p, block);
}

void litmus_generate(uint64_t seed, struct litmus *p)
{
    static const uint8_t widths[] = {32, 16, 8};
    struct maker m = {.p = p};
    rng_init(&m.rng, seed * 0x100000001b3ull);
    rng_init(&m.keeping, ~seed);
    *p = (struct litmus){.blocks = 1 + chance(&m, 75)};
    m.globals = 1 + below(&m, LITMUS_GLOBALS);
    m.has_shared = chance(&m, 35);
    p->live[0] = p->blocks == 2 ? 2 : 2 + below(&m, 2);
    p->live[1] = p->blocks - 1;
    uint32_t width = widths[below(&m, 3)];
    p->shape[0] = width;
    p->shape[1] = 32 / width * p->live[0];
    if (width < 32 && chance(&m, 20)) p->shape[1]--; // the last warp lacks threads
    unsigned others = p->blocks == 2 ? 1 + below(&m, 3) : 0;
    if (others) make_block(&m, 1, others, 3 + others * 2);
    make_block(&m, 0, LITMUS_ACCESSES - others, 14);
}

// -- as PTX -------------------------------------------------------------------------------------------------

struct writer {
    const struct litmus *p;
    struct strbuf *out;
    unsigned labels, misses;
};

static const char *suffix(const struct litmus_statement *s)
{
    bool shared = s->location >= LITMUS_GLOBALS;
    switch ((enum litmus_order)s->order) {
    case ORDER_WEAK: return shared ? ".shared" : ".global";
    case ORDER_VOLATILE: return shared ? ".volatile.shared" : ".volatile.global";
    case ORDER_RELAXED: return shared ? ".relaxed.cta.shared" : ".relaxed.gpu.global";
    case ORDER_ACQUIRE: return shared ? ".acquire.cta.shared" : ".acquire.gpu.global";
    case ORDER_RELEASE: return shared ? ".release.cta.shared" : ".release.gpu.global";
    }
    return "";
}

static const char *write_address(struct writer *w, const struct litmus_statement *s)
{
    static const char *const names[LITMUS_LOCATIONS] = {"%g0", "%g1", "%g2", "%s0", "%s1"};
    if (s->index == LITMUS_NONE) return names[s->location];
    strbuf_printf(w->out, "  and.b32 %%i, %%r%u, 1;\n  mul.wide.u32 %%a, %%i, %d;\n  add.u64 %%a, %%a, %s;\n",
                  s->index, LITMUS_STRIDE, names[s->location]);
    return "%a";
}

// The guard of a statement: "" or "@%p ".
static const char *write_guard(struct writer *w, const struct litmus_statement *s, bool one_lane)
{
    if (s->warps == LITMUS_ALL && !one_lane) return "";
    strbuf_printf(w->out, "  shr.u32 %%i, %u, %%warp;\n  and.b32 %%i, %%i, 1;\n", s->warps);
    if (one_lane)
        strbuf_puts(w->out, "  setp.ne.u32 %p, %i, 0;\n  setp.eq.and.u32 %p, %lane, 0, %p;\n");
    else
        strbuf_puts(w->out, "  setp.ne.u32 %p, %i, 0;\n");
    return "@%p ";
}

static void write_value(struct writer *w, const struct litmus_statement *s)
{
    strbuf_printf(w->out, "  mov.u32 %%v, %u;\n", s->constant);
    if (s->per_warp) strbuf_puts(w->out, "  shl.b32 %i, %warp, 4;\n  add.u32 %v, %v, %i;\n");
    if (s->a != LITMUS_NONE) strbuf_printf(w->out, "  add.u32 %%v, %%v, %%r%u;\n", s->a);
}

static void write_spin(struct writer *w, const struct litmus_statement *s)
{
    const char *at = write_address(w, s);
    unsigned label = w->labels++;
    const char *guard = write_guard(w, s, false);
    if (*guard) strbuf_printf(w->out, "  @!%%p bra SPUN%u;\n", label);
    strbuf_printf(w->out, "  mov.u32 %%j, %u;\nSPIN%u:\n  ld%s.u32 %%r%u, [%s];\n", s->count, label,
                  suffix(s), s->dst, at);
    strbuf_printf(w->out, "  setp.ne.u32 %%q, %%r%u, 0;\n  @%%q bra SPUN%u;\n", s->dst, label);
    strbuf_printf(w->out, "  sub.u32 %%j, %%j, 1;\n  setp.ne.u32 %%q, %%j, 0;\n  @%%q bra SPIN%u;\nSPUN%u:\n",
                  label, label);
}

static void write_atomic(struct writer *w, const struct litmus_statement *s)
{
    static const char *const names[] = {
        [LITMUS_ADD] = "add.u32", [LITMUS_EXCHANGE] = "exch.b32", [LITMUS_COMPARE] = "cas.b32"};
    // An atomic that adds 0 is executed by every lane; the lanes get the same
    // value, and no shuffle waits for the result.
    bool adds = s->kind != LITMUS_ADD || s->constant || s->per_warp || s->a != LITMUS_NONE;
    write_value(w, s);
    const char *at = write_address(w, s), *guard = write_guard(w, s, adds);
    strbuf_printf(w->out, "  %satom%s.%s %%r%u, [%s], %s%%v;\n", guard, suffix(s), names[s->kind], s->dst, at,
                  s->kind == LITMUS_COMPARE ? "0, " : "");
    if (adds) strbuf_printf(w->out, "  shfl.sync.idx.b32 %%r%u, %%r%u, 0, 31, %%lanes;\n", s->dst, s->dst);
}

static void write_fence(struct writer *w, const struct litmus_statement *s)
{
    static const char *const fences[3][2] = {{"membar.gl", "membar.cta"},
                                             {"fence.acq_rel.gpu", "fence.acq_rel.cta"},
                                             {"fence.sc.gpu", "fence.sc.cta"}};
    const char *guard = write_guard(w, s, false);
    strbuf_printf(w->out, "  %s%s;\n", guard, fences[s->order % 3][s->block_alone]);
}

static void write_wait(struct writer *w, const struct litmus_statement *s)
{
    const char *guard = write_guard(w, s, false);
    for (unsigned n = 0; n < s->count; n++) {
        if (s->misses)
            strbuf_printf(w->out, "  %sld.global.u32 %%i, [%%pad+%u];\n", guard, 4096 * w->misses++);
        strbuf_printf(w->out, "  %smad.lo.u32 %%noise, %%noise, 3, %s;\n", guard, s->misses ? "%i" : "1");
    }
}

static void write_sum(struct writer *w, const struct litmus_statement *s)
{
    strbuf_printf(w->out, "  %s.u32 %%i, %%r%u, ", s->kind == LITMUS_SUM ? "add" : "sub", s->a);
    if (s->b == LITMUS_NONE)
        strbuf_puts(w->out, "0;\n");
    else
        strbuf_printf(w->out, "%%r%u;\n", s->b);
    strbuf_printf(w->out, "  add.u32 %%r%u, %%i, %u;\n", s->dst, s->constant);
    if (!s->kept) return;
    strbuf_printf(w->out, "  st.local.u32 [%%own+%u], %%r%u;\n", 4 * s->dst, s->dst);
    strbuf_printf(w->out, "  ld.local.u32 %%r%u, [%%own+%u];\n", s->dst, 4 * s->dst);
}

static void write_statement(struct writer *w, const struct litmus_statement *s)
{
    const char *at, *guard;
    switch ((enum litmus_kind)s->kind) {
    case LITMUS_LOAD:
        at = write_address(w, s), guard = write_guard(w, s, false);
        strbuf_printf(w->out, "  %sld%s.u32 %%r%u, [%s];\n", guard, suffix(s), s->dst, at);
        break;
    case LITMUS_SPIN: write_spin(w, s); break;
    case LITMUS_STORE:
        write_value(w, s);
        at = write_address(w, s), guard = write_guard(w, s, false);
        strbuf_printf(w->out, "  %sst%s.u32 [%s], %%v;\n", guard, suffix(s), at);
        break;
    case LITMUS_ADD:
    case LITMUS_EXCHANGE:
    case LITMUS_COMPARE: write_atomic(w, s); break;
    case LITMUS_FENCE: write_fence(w, s); break;
    case LITMUS_BARRIER: strbuf_puts(w->out, "  bar.sync 0;\n"); break;
    case LITMUS_SUM:
    case LITMUS_DIFFERENCE: write_sum(w, s); break;
    case LITMUS_WAIT: write_wait(w, s); break;
    case LITMUS_SKIP: break;
    }
}

static void write_block(struct writer *w, unsigned block)
{
    unsigned target[LITMUS_STATEMENTS + 3] = {0}; // labels + 1 of skips that end here
    for (unsigned k = 0; k <= w->p->count[block]; k++) {
        for (unsigned n = 0; n < k; n++) {
            const struct litmus_statement *s = &w->p->code[block][n];
            if (s->kind == LITMUS_SKIP && n + s->count + 1 == k)
                strbuf_printf(w->out, "SKIP%u:\n", target[n]);
        }
        if (k == w->p->count[block]) break;
        const struct litmus_statement *s = &w->p->code[block][k];
        if (s->kind != LITMUS_SKIP) {
            write_statement(w, s);
            continue;
        }
        target[k] = w->labels++;
        strbuf_printf(w->out, "  setp.eq.u32 %%q, %%r%u, 0;\n  @%%q bra SKIP%u;\n", s->a, target[k]);
    }
}

static const char head[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 g0, .param .u64 g1, .param .u64 g2, .param .u64 out, .param .u64 pad,\n"
    "                  .param .u32 s1)\n"
    "{\n"
    "  .reg .u32 %r<6>, %s<2>, %i, %j, %v, %warp, %lane, %lanes, %noise, %x, %y, %n;\n"
    "  .reg .u64 %g<3>, %a, %out, %pad, %own;\n"
    "  .reg .pred %p, %q;\n"
    "  .shared .align 4 .b8 words[1024];\n"
    "  .local .align 4 .b8 own[1024];\n"
    "  mov.u32 %x, %tid.x;\n  mov.u32 %y, %tid.y;\n  mov.u32 %n, %ntid.x;\n"
    "  mad.lo.u32 %x, %y, %n, %x;\n  shr.u32 %warp, %x, 5;\n  and.b32 %lane, %x, 31;\n"
    "  activemask.b32 %lanes;\n  mov.u32 %noise, %warp;\n"
    "  ld.param.u64 %g0, [g0];\n  ld.param.u64 %g1, [g1];\n  ld.param.u64 %g2, [g2];\n"
    "  ld.param.u64 %out, [out];\n  ld.param.u64 %pad, [pad];\n"
    "  mov.u32 %s0, words;\n  ld.param.u32 %s1, [s1];\n"
    "  mov.u64 %own, own;\n  cvt.u64.u32 %a, %s1;\n  add.u64 %own, %own, %a;\n  add.u32 %s1, %s0, %s1;\n"
    "  st.shared.u32 [%s0], 0;\n  st.shared.u32 [%s1], 0;\n"
    "  mov.u32 %r0, 0;\n  mov.u32 %r1, 0;\n  mov.u32 %r2, 0;\n"
    "  mov.u32 %r3, 0;\n  mov.u32 %r4, 0;\n  mov.u32 %r5, 0;\n"
    "  bar.sync 0;\n"
    "  mov.u32 %i, %ctaid.x;\n  setp.ne.u32 %q, %i, 0;\n  @%q bra OTHER;\n";

static void write_results(struct writer *w)
{
    strbuf_puts(w->out, "DONE:\n  bar.sync 0;\n  ld.volatile.shared.u32 %x, [%s0];\n"
                        "  ld.volatile.shared.u32 %y, [%s1];\n  mov.u32 %i, %ctaid.x;\n");
    strbuf_printf(w->out, "  mad.lo.u32 %%i, %%i, %d, %%warp;\n  mul.lo.u32 %%i, %%i, %d;\n", LITMUS_WARPS,
                  LITMUS_SLOTS * 128);
    strbuf_puts(w->out, "  mad.lo.u32 %i, %lane, 4, %i;\n  cvt.u64.u32 %a, %i;\n  add.u64 %a, %a, %out;\n");
    static const char *const names[LITMUS_SLOTS] = {"%r0", "%r1", "%r2", "%r3",   "%r4",
                                                    "%r5", "%x",  "%y",  "%noise"};
    for (unsigned k = 0; k < LITMUS_SLOTS; k++)
        strbuf_printf(w->out, "  st.global.u32 [%%a+%u], %s;\n", 128 * k, names[k]);
    strbuf_puts(w->out, "  ret;\n}\n");
}

void litmus_write(const struct litmus *p, struct strbuf *ptx)
{
    struct writer w = {.p = p, .out = ptx};
    strbuf_puts(ptx, head);
    write_block(&w, 0);
    strbuf_puts(ptx, "  bra DONE;\nOTHER:\n");
    strbuf_printf(ptx, "  setp.ge.u32 %%q, %%warp, %u;\n  @%%q bra DONE;\n", p->live[1]);
    write_block(&w, 1);
    write_results(&w);
}

// -- as text for people -------------------------------------------------------------------------------------

static void explain(const struct litmus_statement *s, struct strbuf *text)
{
    static const char *const kinds[] = {
        [LITMUS_LOAD] = "load",       [LITMUS_SPIN] = "spin",       [LITMUS_STORE] = "store",
        [LITMUS_ADD] = "add",         [LITMUS_EXCHANGE] = "exch",   [LITMUS_COMPARE] = "cas",
        [LITMUS_FENCE] = "fence",     [LITMUS_BARRIER] = "barrier", [LITMUS_SUM] = "sum",
        [LITMUS_DIFFERENCE] = "diff", [LITMUS_SKIP] = "skip",       [LITMUS_WAIT] = "wait"};
    static const char *const orders[] = {"weak", "volatile", "relaxed", "acquire", "release"};
    strbuf_printf(text, " %s", kinds[s->kind]);
    if (s->warps != LITMUS_ALL) strbuf_printf(text, " by %x", s->warps);
    if (s->dst != LITMUS_NONE) strbuf_printf(text, " r%u =", s->dst);
    if (is_access(s->kind)) strbuf_printf(text, " %s m%u", orders[s->order], s->location);
    if (s->index != LITMUS_NONE) strbuf_printf(text, "+r%u&1", s->index);
    if (s->a != LITMUS_NONE) strbuf_printf(text, " r%u", s->a);
    if (s->b != LITMUS_NONE) strbuf_printf(text, " r%u", s->b);
    if (is_store(s->kind) || s->constant) strbuf_printf(text, " +%u", s->constant);
    if (s->per_warp) strbuf_puts(text, "+16w");
    if (s->block_alone) strbuf_puts(text, " cta");
    if (s->kept) strbuf_puts(text, " kept");
    if (s->count) strbuf_printf(text, " x%u%s", s->count, s->misses ? " misses" : "");
    strbuf_puts(text, ";");
}

void litmus_explain(const struct litmus *p, struct strbuf *text)
{
    for (unsigned b = 0; b < p->blocks; b++) {
        strbuf_printf(text, "\n    block %u (%u warps, %ux%u):", b, p->live[b], p->shape[0], p->shape[1]);
        for (unsigned k = 0; k < p->count[b]; k++) explain(&p->code[b][k], text);
    }
}
