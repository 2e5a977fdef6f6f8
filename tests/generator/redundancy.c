// Kernels that test redundancy marks. Sixteen variables begin with values equal in all warps or different
// by warp. Statements mix the two in every way known to fool an analysis. Unlike kernels of generator.c,
// these kernels read clocks, order atomics and leave variables unwritten, so stored values may differ
// between correct machines. The kernels terminate, do not fault, and no thread writes a word that another
// thread loads between the same two barriers.
//
//     joins of branches by warp, lane or block    guards and old destinations     .local, plain and generic
//     loops with trip counts by warp and lane     barriers anywhere, unevenly     volatile, relaxed, acquire
//     several exits, two entries, early exits     fences, counted barriers        atomics, clocks, activemask
//     calls that stay calls (a recursive function)                                unwritten variables
//
// Each kernel has about half of the kinds of statements and of conditions (swarm testing, Groce et al.
// 2012): with every kind enabled, all variables soon hold vectors and no redundancy is left to be marked
// wrongly.
//
// With `defined`, kernels leave out clocks and order-dependent statements and initialise every variable
// before a read. Barriers are only where all threads of the block arrive. So the oracle can predict memory.
#include "generator/redundancy_impl.h"

#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

static void source(struct maker *m)
{
    static const char *const names[] = {"%tid.x", "%tid.x", "%tid.x", "%ctaid.x", "%ctaid.y", "%ntid.x",
                                        "%tid.y", "%tid.y", "%tid.z", "%laneid",  "%warpid",  "%nctaid.x"};
    // Defined: PTX does not promise %warpid; %laneid is a number in a group of 32.
    unsigned defined = m->warp_size > 32 ? 9 : 10;
    switch (below(m, 4)) {
    case 0: LINE("mov.u32 %%v%u, %u;", variable(m), below(m, 50)); break;
    case 1: LINE("ld.param.u32 %%v%u, [blob+%u];", variable(m), 4 * below(m, 8)); break;
    default: LINE("mov.u32 %%v%u, %s;", variable(m), names[below(m, m->options.defined ? defined : 12)]);
    }
    if (chance(m, 10)) {
        unsigned d = variable(m);
        LINE("mov.u32 %%v%u, %%tid.x;", d);
        LINE("and.b32 %%v%u, %%v%u, %u;", variable(m), d, (1u << below(m, 6)) - 1);
    }
}

static void operation(struct maker *m)
{
    static const char *const ops[] = {"add.s32", "sub.s32", "mul.lo.s32", "xor.b32",
                                      "and.b32", "min.u32", "max.s32"};
    unsigned d = variable(m), a = variable(m), b = variable(m);
    switch (below(m, 6)) {
    case 0: LINE("shl.b32 %%v%u, %%v%u, %u;", d, a, below(m, 8)); break;
    case 1: LINE("mad.lo.s32 %%v%u, %%v%u, %u, %%v%u;", d, a, below(m, 100), b); break;
    case 2: LINE("add.s32 %%v%u, %%v%u, %u;", d, a, below(m, 1000)); break;
    case 3:
        LINE("mul.wide.s32 %%d1, %%v%u, %u;", a, 4 + below(m, 30));
        LINE("mov.b64 {%%v%u, %%v%u}, %%d1;", d, (d + 1) % VARIABLES);
        break;
    default: LINE("%s %%v%u, %%v%u, %%v%u;", ops[below(m, 7)], d, a, b);
    }
}

// Sets predicate %q<n> for a branch, guard or loop and returns n.
static unsigned condition(struct maker *m)
{
    static const char *const compares[] = {"lt.s32", "ge.s32", "eq.s32", "ne.s32"};
    unsigned q = below(m, PREDICATES);
    const char *c = compares[below(m, 4)];
    unsigned kind = below(m, 6);
    while (!(m->conditions >> kind & 1)) kind = (kind + 1) % 6;
    m->asks_all = kind == 3;
    switch (kind) {
    case 0: LINE("setp.%s %%q%u, %%warp, %u;", c, q, below(m, m->threads / m->warp_size + 1)); break;
    case 1: LINE("setp.%s %%q%u, %%ty, %u;", c, q, below(m, 4)); break;
    case 2: LINE("setp.%s %%q%u, %%tx, %u;", c, q, below(m, 33)); break;
    case 3: LINE("setp.%s %%q%u, %%a, %u;", c, q, below(m, 8)); break;
    case 4: LINE("setp.%s %%q%u, %%v%u, %u;", c, q, variable(m), below(m, 40)); break;
    default: LINE("setp.%s %%q%u, %%v%u, %%v%u;", c, q, variable(m), variable(m));
    }
    return q;
}

static void guarded(struct maker *m)
{
    unsigned q = chance(m, 70) ? condition(m) : below(m, PREDICATES);
    const char *no = chance(m, 30) ? "!" : "";
    switch (below(m, 4)) {
    case 0: LINE("selp.b32 %%v%u, %%v%u, %%v%u, %%q%u;", variable(m), variable(m), variable(m), q); break;
    case 1: LINE("@%s%%q%u add.s32 %%v%u, %%v%u, %u;", no, q, variable(m), variable(m), below(m, 99)); break;
    case 2: LINE("@%s%%q%u ld.global.u32 %%v%u, [%%in+%u];", no, q, variable(m), 4 * below(m, 100)); break;
    default: LINE("@%s%%q%u mov.u32 %%v%u, %u;", no, q, variable(m), below(m, 99));
    }
}

// A sum computed by all warps from the variable that some warps wrote last.
static void probe(struct maker *m)
{
    LINE("add.s32 %%v%u, %%v%u, %u;", variable(m), m->recent, 1 + below(m, 9));
}

// Writes or reads %w variables, written on some paths only.
static void unsure(struct maker *m)
{
    unsigned w = below(m, UNSURE);
    if (chance(m, 50)) {
        unsigned q = condition(m), skip = m->label++;
        LINE("@%%q%u bra L%u;", q, skip);
        LINE("add.s32 %%w%u, %%v%u, %u;", w, variable(m), below(m, 9));
        bool was = m->parted;
        m->parted |= !m->asks_all;
        m->depth++;
        if (chance(m, 50)) redundancy_statements(m, 2); // too long for a select
        m->depth--;
        m->parted = was;
        strbuf_printf(&m->body, "L%u:\n", skip);
    } else {
        LINE("add.s32 %%v%u, %%w%u, %u;", variable(m), w, below(m, 9));
    }
}

static void barrier(struct maker *m)
{
    if (m->quiet || (m->options.defined && m->parted)) return;
    if (!m->exits && !m->uneven && !m->depth && m->threads % 32 == 0 &&
        chance(m, 15)) { // the same barrier in two ways
        unsigned otherwise = m->label++, end = m->label++;
        LINE("setp.ne.s32 %%q0, %%warp, %u;", below(m, m->warps));
        LINE("@%%q0 bra L%u;", otherwise);
        together_counted(m, "sync", 0, m->threads);
        LINE("bra L%u;", end);
        strbuf_printf(&m->body, "L%u:\n", otherwise);
        LINE("bar.sync 0;");
        strbuf_printf(&m->body, "L%u:\n", end);
        return;
    }
    m->uneven |= m->depth > 0;
    LINE("bar.sync 0;");
    if (chance(m, 50)) probe(m);
}

static void branch(struct maker *m)
{
    unsigned q = condition(m), otherwise = m->label++, end = m->label++;
    bool both = chance(m, 50), marked = chance(m, 50); // marked: one side leaves a constant behind
    bool was = m->parted;
    m->parted |= !m->asks_all;
    m->recent = variable(m);
    if (marked) LINE("mov.u32 %%v%u, %u;", m->recent, below(m, 9));
    LINE("@%%q%u bra L%u;", q, otherwise);
    m->depth++;
    unsigned left_behind = m->recent;
    redundancy_statements(m, 1 + below(m, 4));
    if (marked) LINE("mov.u32 %%v%u, %u;", left_behind, 10 + below(m, 9));
    if (both) LINE("bra L%u;", end);
    strbuf_printf(&m->body, "L%u:\n", otherwise);
    if (both) redundancy_statements(m, 1 + below(m, 4));
    m->depth--;
    m->parted = was;
    strbuf_printf(&m->body, "L%u:\n", end);
    m->recent = left_behind;
    if (chance(m, 20)) probe(m);
    if (chance(m, 40)) barrier(m);
}

static void loop(struct maker *m)
{
    static const char *const limits[] = {"3", "%ty", "%warp", "%few", "%tx", "%a"};
    unsigned n = m->loops++, top = m->label++, end = m->label++, middle = m->label++;
    bool plain = m->options.defined && chance(m, 40); // equal trip count in all threads
    bool two_entries = !plain && chance(m, 20), was = m->parted;
    m->parted |= !plain;
    LINE("mov.u32 %%i%u, 0;", n);
    if (two_entries) LINE("@%%q%u bra L%u;", condition(m), middle);
    strbuf_printf(&m->body, "L%u:\n", top);
    m->depth++;
    redundancy_statements(m, 1 + below(m, 3));
    strbuf_printf(&m->body, "L%u:\n", middle);
    if (chance(m, 40)) LINE("mov.u32 %%v%u, %%i%u;", variable(m), n);
    if (!plain && chance(m, 30)) LINE("@%%q%u bra L%u;", condition(m), end);
    redundancy_statements(m, below(m, 3));
    m->depth--;
    m->parted = was;
    LINE("add.s32 %%i%u, %%i%u, 1;", n, n);
    LINE("and.b32 %%t, %s, 7;", plain ? chance(m, 50) ? "3" : "%a" : limits[below(m, 6)]);
    LINE("setp.lt.s32 %%q3, %%i%u, %%t;", n);
    LINE("@%%q3 bra L%u;", top);
    strbuf_printf(&m->body, "L%u:\n", end);
    m->recent = variable(m);
    if (chance(m, 60)) LINE("add.s32 %%v%u, %%i%u, 1;", m->recent, n);
    if (chance(m, 30)) probe(m);
    if (chance(m, 60)) barrier(m);
}

static void load(struct maker *m)
{
    static const char *const kinds[] = {"ld.global",
                                        "ld.global.nc",
                                        "ld.global",
                                        "ld.volatile.global",
                                        "ld.relaxed.gpu.global",
                                        "ld.acquire.gpu.global",
                                        "ld",
                                        "ld.global"};
    LINE("and.b32 %%t, %%v%u, 255;", variable(m));
    LINE("mad.wide.u32 %%d1, %%t, 4, %%in;");
    LINE("%s.u32 %%v%u, [%%d1];", kinds[below(m, 8)], variable(m));
}

static void table(struct maker *m)
{
    bool constant = chance(m, 50);
    LINE("and.b32 %%t, %%v%u, 60;", variable(m));
    LINE("cvt.u64.u32 %%d1, %%t;");
    LINE("mov.u64 %%d2, %s;", constant ? "ctab" : "stab");
    LINE("add.s64 %%d1, %%d1, %%d2;");
    LINE("ld.%s.u32 %%v%u, [%%d1];", constant ? "const" : "shared", variable(m));
}

static void local(struct maker *m)
{
    unsigned at = 4 * below(m, 8);
    LINE("st.local.u32 [depot+%u], %%v%u;", at, variable(m));
    if (chance(m, 40)) operation(m);
    if (chance(m, 40)) { // an index keeps the array in memory
        LINE("and.b32 %%t, %%v%u, 28;", variable(m));
        LINE("cvt.u64.u32 %%d1, %%t;");
        LINE("add.s64 %%d1, %%d1, %%depot;");
        LINE("ld.local.u32 %%v%u, [%%d1];", variable(m));
    } else if (chance(m, 50)) {
        LINE("ld.u32 %%v%u, [%%gdepot+%u];", variable(m), at);
    } else {
        LINE("ld.local.u32 %%v%u, [depot+%u];", variable(m), at);
    }
}

static void machine(struct maker *m)
{
    switch (m->options.defined ? 5 + below(m, 4) : below(m, 5)) {
    case 0:
        LINE("atom.global.add.u32 %%v%u, [%%acc+%u], %u;", variable(m), 4 * below(m, 8), below(m, 3));
        break;
    case 1: LINE("mov.u32 %%v%u, %%clock;", variable(m)); break;
    case 2: LINE("activemask.b32 %%v%u;", variable(m)); break;
    case 3:
    case 5: LINE("membar.gl;"); break;
    case 6: LINE("atom.acquire.gpu.global.or.b32 _, [%%acc+%u], 0;", 64 + 4 * below(m, 8)); break;
    case 7: LINE("red.global.add.u32 [%%acc+%u], %%v%u;", 4 * below(m, 8), variable(m)); break;
    case 8: LINE("ld.volatile.global.u32 %%v%u, [%%in+%u];", variable(m), 4 * below(m, 100)); break;
    default: LINE("atom.acquire.gpu.global.or.b32 %%v%u, [%%acc+%u], 0;", variable(m), 4 * below(m, 8));
    }
}

// A load with one fence or barrier more in front of it for some threads. Half of the time the remaining
// threads execute the missing fence or barrier afterwards.
static void out_of_step(struct maker *m)
{
    unsigned q = condition(m), ahead = m->label++, level = m->label++;
    bool by_barrier = !m->quiet && !m->options.defined && chance(m, 50);
    const char *step = by_barrier ? "bar.sync 0;" : "membar.gl;";
    m->recent = variable(m);
    LINE("@%%q%u bra L%u;", q, ahead);
    LINE("%s", step);
    strbuf_printf(&m->body, "L%u:\n", ahead);
    LINE("ld.global.u32 %%v%u, [%%in+%u];", m->recent, 4 * below(m, 100));
    if (chance(m, 50)) {
        LINE("@!%%q%u bra L%u;", q, level);
        LINE("%s", step);
        strbuf_printf(&m->body, "L%u:\n", level);
    }
    m->uneven |= by_barrier;
    if (!m->quiet) LINE("bar.sync 0;");
    probe(m);
}

// Each thread writes its own word and, behind a barrier, reads the word of another thread. Written only
// where all threads arrive.
static void exchange(struct maker *m)
{
    if (m->depth || m->exits || m->uneven || m->parted || m->quiet) return;
    LINE("bar.sync 0;");
    LINE("st.shared.u32 [%%mine], %%v%u;", variable(m));
    LINE("bar.sync 0;");
    if (chance(m, 50)) {
        LINE("ld.shared.u32 %%v%u, [slots+%u];", variable(m), 4 * below(m, m->threads));
    } else {
        LINE("rem.u32 %%t, %%v%u, %u;", variable(m), m->threads);
        LINE("mad.lo.u32 %%t, %%t, 4, %%slots;");
        LINE("ld.shared.u32 %%v%u, [%%t];", variable(m));
    }
}

static void call(struct maker *m)
{
    unsigned d = variable(m), a = variable(m);
    m->calls = true;
    LINE("{");
    LINE(".param .b32 depth;");
    LINE(".param .b32 value;");
    LINE(".param .b32 result;");
    LINE("st.param.b32 [depth], %u;", below(m, 3));
    LINE("st.param.b32 [value], %%v%u;", a);
    LINE("call (result), descend, (depth, value);");
    LINE("ld.param.b32 %%v%u, [result];", d);
    LINE("}");
}

static void early_exit(struct maker *m)
{
    m->exits = true;
    LINE("@%%q%u exit;", condition(m));
}

// The last threads or warps of the block exit, or the first.
static void seldom_exit(struct maker *m)
{
    unsigned from = below(m, m->threads);
    if (m->options.order) return;
    m->exits = true;
    if (chance(m, 50)) from -= from % m->warp_size;
    LINE("setp.%s.u32 %%q0, %%thread, %u;", chance(m, 70) ? "ge" : "lt", from);
    LINE("@%%q0 %s;", chance(m, 50) ? "exit" : "ret");
}

static const struct {
    unsigned weight;
    void (*write)(struct maker *m);
    unsigned depth; // greatest nesting depth
} kinds[] = {{20, operation, 9},
             {14, source, 9},
             {8, guarded, 9},
             {3, unsure, 9},
             {6, barrier, 9},
             {12, branch, DEPTH_MAX},
             {9, loop, 1},
             {7, load, 9},
             {4, table, 9},
             {3, local, 9},
             {5, machine, 9},
             {3, exchange, 0},
             {2, call, 1},
             {1, early_exit, 9},
             {3, out_of_step, 0},
             // Of defined kernels:
             {4, together_own, 9},
             {4, together_cells, 9},
             {4, together_switch, DEPTH_MAX},
             {4, together_bytes, 0},
             {4, together_halves, 0},
             {3, together_groups, 0},
             {16, together_order, 0},
             {4, together_delay, 9},
             {20, together_lanes, DEPTH_MAX},
             {4, seldom_exit, 1}};
enum { KINDS = sizeof kinds / sizeof kinds[0], KINDS_UNDEFINED = 15 };

void redundancy_statements(struct maker *m, unsigned count)
{
    for (unsigned n = 0; n < count && m->left; n++) {
        unsigned total = 0, k = 0, count_of = m->options.defined ? KINDS : KINDS_UNDEFINED;
        m->left--;
        for (unsigned i = 0; i < count_of; i++) total += kinds[i].weight;
        for (unsigned at = below(m, total); at >= kinds[k].weight; k++) at -= kinds[k].weight;
        if (m->depth <= kinds[k].depth && m->kinds >> k & 1)
            kinds[k].write(m);
        else
            operation(m);
    }
}

static void prologue(struct maker *m)
{
    static const char *const lines[] = {"mov.u32 %tx, %tid.x;",
                                        "mov.u32 %ty, %tid.y;",
                                        "mov.u32 %t, %tid.z;",
                                        "mov.u32 %v0, %ntid.y;",
                                        "mov.u32 %v1, %ntid.x;",
                                        "mad.lo.u32 %t, %t, %v0, %ty;",
                                        "mad.lo.u32 %thread, %t, %v1, %tx;",
                                        NULL, // the warp
                                        "ld.param.u32 %a, [a];",
                                        "and.b32 %few, %warp, 1;",
                                        "add.u32 %few, %few, 1;",
                                        "ld.param.u64 %in, [in];",
                                        "ld.param.u64 %acc, [acc];",
                                        "ld.param.u64 %out, [out];",
                                        "mov.u64 %depot, depot;",
                                        "cvta.local.u64 %gdepot, %depot;",
                                        "mov.u32 %slots, slots;",
                                        "mad.lo.u32 %mine, %thread, 4, %slots;",
                                        "mov.u32 %v2, %ctaid.x;",
                                        "mov.u32 %v3, %nctaid.x;"};
    static const char *const linear[] = {
        "mov.u32 %v4, %ctaid.y;",           "mov.u32 %v5, %ctaid.z;",           "mov.u32 %v6, %nctaid.y;",
        "mad.lo.u32 %cta, %v5, %v6, %v4;",  "mad.lo.u32 %cta, %cta, %v3, %v2;", "ld.param.u32 %t, [n];",
        "mad.lo.u32 %t, %cta, %t, %thread;"};
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++)
        if (lines[k])
            LINE("%s", lines[k]);
        else
            LINE("shr.u32 %%warp, %%thread, %u;", (unsigned)__builtin_ctz(m->warp_size));
    for (size_t k = 0; m->options.defined && k < sizeof linear / sizeof linear[0]; k++) LINE("%s", linear[k]);
    if (!m->options.defined) LINE("mad.lo.u32 %%t, %%v2, 1024, %%thread;");
    LINE("mad.wide.u32 %%out, %%t, 64, %%out;");
    for (unsigned k = 0; k < 32; k += 4) LINE("st.local.u32 [depot+%u], %%tx;", k);
    for (unsigned k = 0; k < PREDICATES; k++) LINE("setp.lt.u32 %%q%u, %%a, %u;", k, k + 2);
    for (unsigned k = 0; k < VARIABLES; k++) LINE("mov.u32 %%v%u, %u;", k, 3 * k);
    if (m->options.defined) together_prologue(m);
    for (unsigned k = 0; k < 8; k++) source(m);
}

static void write_module(struct maker *m, struct strbuf *out)
{
    strbuf_puts(
        out,
        ".version 7.8\n.target sm_80\n.address_size 64\n\n"
        ".const .align 4 .b32 ctab[16] = {1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987};\n"
        ".shared .align 4 .b32 stab[16];\n\n");
    if (m->options.defined) together_declare(m, out);
    if (m->calls)
        strbuf_puts(out,
                    ".func (.param .b32 result) descend(.param .b32 depth, .param .b32 value)\n{\n"
                    "    .reg .b32 %v<4>;\n    .reg .pred %p;\n"
                    "    ld.param.u32 %v0, [depth];\n    ld.param.u32 %v1, [value];\n"
                    "    mul.lo.u32 %v1, %v1, 3;\n    mov.u32 %v3, 7;\n"
                    "    setp.eq.u32 %p, %v0, 0;\n    @%p bra DONE;\n    sub.u32 %v0, %v0, 1;\n    {\n"
                    "    .param .b32 d;\n    .param .b32 v;\n    .param .b32 r;\n"
                    "    st.param.b32 [d], %v0;\n    st.param.b32 [v], %v1;\n"
                    "    call (r), descend, (d, v);\n    ld.param.b32 %v2, [r];\n    }\n"
                    "    add.u32 %v1, %v2, %v3;\nDONE:\n    st.param.b32 [result], %v1;\n    ret;\n}\n\n");
    strbuf_puts(out, ".visible .entry k(");
    param_list_declare(&m->params, out);
    strbuf_puts(out, ")\n{\n    .reg .b64 %param, %params;\n");
    strbuf_printf(out, "    .reg .b32 %%v<%u>, %%w<%u>, %%i<%u>;\n    .reg .pred %%q<%u>;\n", VARIABLES,
                  UNSURE, m->loops + 1, PREDICATES);
    strbuf_puts(
        out, "    .reg .b32 %tx, %ty, %t, %thread, %warp, %a, %few, %slots, %mine;\n"
             "    .reg .b64 %d<3>, %in, %out, %acc, %depot, %gdepot;\n    .local .align 4 .b8 depot[32];\n");
    strbuf_puts(out, "    .reg .b32 %e<7>, %cta, %cell;\n    .reg .pred %h;\n");
    strbuf_printf(out, "    .shared .align 4 .b32 slots[%u];\n", m->threads);
    strbuf_write(out, m->body.text, m->body.length);
    strbuf_puts(out, "}\n");
}

void generator_redundancy(uint64_t seed, struct generated *out) { generator_redundancy_in(seed, NULL, out); }

void generator_redundancy_in(uint64_t seed, const uint32_t block[3], struct generated *out)
{
    generator_redundancy_with(seed, &(struct redundancy_options){.block = block}, out);
}

static void choose_shape(struct maker *m)
{
    static const uint32_t shapes[][3] = {{32, 4, 1}, {32, 4, 1},  {16, 8, 1}, {8, 8, 2},
                                         {64, 2, 1}, {128, 1, 1}, {8, 8, 4},  {16, 5, 1},
                                         {24, 8, 1}, {40, 3, 1},  {4, 8, 4},  {1, 96, 1}};
    static const uint32_t two[3] = {2, 1, 1};
    const uint32_t *shape = shapes[below(m, sizeof shapes / sizeof shapes[0])];
    memcpy(m->g->block, m->options.block ? m->options.block : shape, sizeof m->g->block);
    memcpy(m->g->grid, m->options.grid ? m->options.grid : two, sizeof m->g->grid);
    m->threads = m->g->block[0] * m->g->block[1] * m->g->block[2];
    m->warp_size = m->options.warp_size ? m->options.warp_size : 32;
    m->warps = (m->threads + m->warp_size - 1) / m->warp_size;
    m->counted = (unsigned)align_up(m->threads, m->warp_size < 32 ? m->warp_size : 32);
}

void generator_redundancy_with(uint64_t seed, const struct redundancy_options *options, struct generated *out)
{
    struct maker *m = heap_alloc(sizeof *m);
    *out = (struct generated){.seed = seed,
                              .lanes = true,
                              .warp = options->warp_size,
                              .order = options->order,
                              .undefined = !options->defined,
                              .mixed = true};
    m->g = out;
    param_list_make(out, &m->params);
    m->options = *options;
    rng_init(&m->rng, hash_u64(seed ^ 0xdecade));
    choose_shape(m);
    m->kinds = (uint32_t)rng_next(&m->rng) | 3; // operations and sources always
    m->conditions = 1 + below(m, 63);
    m->quiet = seed / 6 % 4 == 1;
    prologue(m);
    m->left = 60;
    redundancy_statements(m, 14 + below(m, 16));
    if (options->defined) together_last_block(m);
    param_list_fold(&m->params, &m->body);
    LINE("cvt.u32.u64 %%t, %%params;");
    LINE("add.u32 %%v0, %%v0, %%t;");
    for (unsigned k = 0; k < VARIABLES; k++) LINE("st.global.u32 [%%out+%u], %%v%u;", 4 * k, k);
    LINE("exit;");
    generated_comment(out, &out->text);
    strbuf_putc(&out->text, '\n');
    write_module(m, &out->text);
    strbuf_fini(&m->body);
    free(m);
}
