// Control flow: the statements of a block.
//
// `uniform` is true where all threads of the block are at the same place: barriers and lane exchanges are
// written only there. A condition of a uniform branch or loop comes from constants, parameters or %ctaid.
#include "generator/generator_impl.h"

#include <stdio.h>
#include <string.h>

static void label(struct gen *g, unsigned number) { strbuf_printf(&g->body, "L%u:\n", number); }

// Returns a predicate for a branch; a uniform predicate compares values equal in all threads.
static unsigned condition(struct gen *g, bool uniform)
{
    static const char *const compares[] = {"lt.s32", "ge.u32", "eq.s32", "ne.s32", "gt.u32"};
    unsigned p = fresh(g, CLASS_P);
    if (uniform) {
        static const char *const shared[] = {"%n", "%a", "%cta", "%nt"};
        line(g, "setp.%s %%p%u, %s, %u;", compares[below(g, 5)], p, shared[below(g, 4)], below(g, 4));
        return p;
    }
    if (chance(g, 30)) return (unsigned)pick(g, CLASS_P);
    char a[32], b[32];
    operand(g, 'R', a, sizeof a);
    operand(g, 'r', b, sizeof b);
    if (g->in_kernel && chance(g, 25))
        line(g, "setp.%s %%p%u, %%thread, %u;", compares[below(g, 5)], p, below(g, g->threads + 1));
    else
        line(g, "setp.%s %%p%u, %s, %s;", compares[below(g, 5)], p, a, b);
    return p;
}

static void block(struct gen *g, unsigned count)
{
    struct mark m = mark_pools(g);
    g->depth++;
    statements(g, count);
    g->depth--;
    reset_pools(g, m);
}

static void branch(struct gen *g)
{
    bool was = g->uniform, uniform = was && chance(g, 30), was_together = g->warp_together;
    bool has_else = chance(g, 45), tiny = chance(g, 50); // small branches become selects
    unsigned otherwise = g->next_label++, end = g->next_label++, p = condition(g, uniform);
    g->uniform = uniform;
    g->warp_together = false;
    line(g, "@%s%%p%u bra L%u;", chance(g, 60) ? "!" : "", p, otherwise);
    block(g, tiny ? 1 + below(g, 2) : 2 + below(g, 4));
    if (has_else) line(g, "bra%s L%u;", uniform && chance(g, 50) ? ".uni" : "", end);
    label(g, otherwise);
    if (has_else) {
        block(g, tiny ? 1 + below(g, 2) : 2 + below(g, 4));
        label(g, end);
    }
    g->uniform = was;
    g->warp_together = was_together;
}

// Counts 0, 1, 2 … to a bound: a constant, a parameter, or a value of the thread.
static void loop(struct gen *g)
{
    bool was = g->uniform, uniform = was && chance(g, 55), test_first = chance(g, 40),
         was_together = g->warp_together;
    unsigned top = g->next_label++, end = g->next_label++, i = fresh(g, CLASS_R), bound = fresh(g, CLASS_R);
    unsigned p = fresh(g, CLASS_P), trips = 2 + below(g, g->repeats > 8 ? 3 : 7), step = 1 + below(g, 2);
    char limit[16];
    snprintf(limit, sizeof limit, "%%r%u", bound);
    if (uniform && chance(g, 60))
        snprintf(limit, sizeof limit, "%u", 1 + below(g, trips));
    else if (uniform)
        line(g, "and.b32 %%r%u, %s, 3;", bound, chance(g, 50) ? "%n" : "%a");
    else
        line(g, "and.b32 %%r%u, %%r%d, %u;", bound, pick(g, CLASS_R), trips > 4 ? 7 : 3);
    unsigned start = below(g, 2);
    line(g, "mov.u32 %%r%u, %u;", i, start);
    struct mark outside = mark_pools(g);
    define(g, CLASS_R, i, true);
    g->uniform = uniform;
    g->warp_together = false;
    g->repeats *= trips;
    label(g, top);
    if (test_first) {
        line(g, "setp.ge.s32 %%p%u, %%r%u, %s;", p, i, limit);
        line(g, "@%%p%u bra L%u;", p, end);
    }
    block(g, 1 + below(g, 5));
    bool leave_early = !uniform && chance(g, 40);
    if (leave_early) {
        line(g, "@%%p%u bra L%u;", condition(g, false), end);
        if (chance(g, 60)) block(g, 1 + below(g, 3));
    }
    if (chance(g, 25)) { // a value of the loop counter alone: a candidate for strength reduction
        unsigned d = fresh(g, CLASS_R), e = fresh(g, CLASS_R);
        int old = pick_variable(g, CLASS_R);
        line(g, "mul.lo.s32 %%r%u, %%r%u, %u;", d, i, 4 + 4 * below(g, 8));
        line(g, "add.s32 %%r%u, %%r%u, %d;", e, d, (int)below(g, 100));
        if (old >= 0) line(g, "xor.b32 %%r%d, %%r%d, %%r%u;", old, old, e);
    }
    line(g, "add.s32 %%r%u, %%r%u, %u;", i, i, step);
    if (test_first) {
        line(g, "bra L%u;", top);
    } else {
        line(g, "setp.lt.s32 %%p%u, %%r%u, %s;", p, i, limit);
        line(g, "@%%p%u bra L%u;", p, top);
    }
    label(g, end);
    reset_pools(g, outside);
    define(g, CLASS_R, i, false);
    g->repeats /= trips;
    g->uniform = was;
    g->warp_together = was_together;
}

// A loop with two entries, at the top and in the middle: no single header.
static void two_entry_loop(struct gen *g)
{
    bool was = g->uniform, was_together = g->warp_together;
    unsigned top = g->next_label++, middle = g->next_label++, i = fresh(g, CLASS_R), p = condition(g, false),
             q = fresh(g, CLASS_P);
    g->uniform = g->warp_together = false;
    line(g, "mov.u32 %%r%u, 0;", i);
    line(g, "@%%p%u bra L%u;", p, middle);
    struct mark outside = mark_pools(g);
    g->repeats *= 3;
    label(g, top);
    block(g, 1 + below(g, 3));
    label(g, middle);
    block(g, 1 + below(g, 3));
    line(g, "add.s32 %%r%u, %%r%u, 1;", i, i);
    line(g, "setp.lt.s32 %%p%u, %%r%u, %u;", q, i, 1 + below(g, 3));
    line(g, "@%%p%u bra L%u;", q, top);
    g->repeats /= 3;
    reset_pools(g, outside);
    define(g, CLASS_R, i, false);
    g->uniform = was;
    g->warp_together = was_together;
}

static void jump_table(struct gen *g)
{
    bool was = g->uniform, was_together = g->warp_together;
    unsigned cases = 2 + below(g, 3), table = g->next_table++, index = fresh(g, CLASS_R),
             end = g->next_label++;
    unsigned first = g->next_label;
    g->next_label += cases;
    g->uniform = g->warp_together = false;
    line(g, "rem.u32 %%r%u, %%r%d, %u;", index, pick(g, CLASS_R), cases);
    strbuf_printf(&g->body, "T%u: .branchtargets ", table);
    for (unsigned k = 0; k < cases; k++) strbuf_printf(&g->body, "%sL%u", k ? ", " : "", first + k);
    strbuf_puts(&g->body, ";\n");
    line(g, "brx.idx %%r%u, T%u;", index, table);
    for (unsigned k = 0; k < cases; k++) {
        label(g, first + k);
        block(g, 1 + below(g, 2));
        if (k + 1 < cases && chance(g, 80)) line(g, "bra L%u;", end); // else falls into the next case
    }
    label(g, end);
    g->uniform = was;
    g->warp_together = was_together;
}

// ---- calls

static const char *const param_types[] = {".b32", ".b64", ".b32", ".f32", ".f64"};

static void write_call(struct gen *g, unsigned callee, const char *target, const char *prototype,
                       int depth_register)
{
    const struct signature *s = &g->functions[callee];
    unsigned n = g->next_call++, d = fresh(g, s->result);
    char list[160] = "";
    line(g, "{");
    for (unsigned k = 0; k < s->param_count; k++) {
        enum reg_class c = s->params[k];
        int value = k == 0 && s->recursive && depth_register >= 0 ? depth_register : pick(g, c);
        line(g, ".param %s q%u_%u;", param_types[c], n, k);
        line(g, "st.param%s [q%u_%u+0], %s%d;", param_types[c], n, k, class_prefix(c), value);
        snprintf(list + strlen(list), sizeof list - strlen(list), "%sq%u_%u", k ? ", " : "", n, k);
    }
    line(g, ".param %s v%u;", param_types[s->result], n);
    line(g, "call (v%u), %s, (%s)%s%s;", n, target, list, prototype[0] ? ", " : "", prototype);
    line(g, "ld.param%s %s%u, [v%u+0];", param_types[s->result], class_prefix(s->result), d, n);
    line(g, "}");
    define(g, s->result, d, false);
}

void call_function(struct gen *g, unsigned callee, int depth_register)
{
    char name[16];
    const struct signature *s = &g->functions[callee];
    snprintf(name, sizeof name, "fn%u", callee);
    int depth = depth_register;
    if (s->recursive && depth < 0) {
        depth = (int)fresh(g, CLASS_R);
        line(g, "and.b32 %%r%d, %%r%d, 3;", depth, pick(g, CLASS_R));
    }
    write_call(g, callee, name, "", depth);
}

// Calls through a register holding the address of either of two functions with equal signatures.
static void indirect_call(struct gen *g)
{
    if (g->function_current < 2 || g->function_current != FUNCTIONS_MAX) return;
    unsigned a = fresh(g, CLASS_D), b = fresh(g, CLASS_D), t = fresh(g, CLASS_D), n = g->next_table++;
    char target[16], prototype[16];
    if (g->function_count < 2) return;
    line(g, "mov.u64 %%rd%u, fn0;", a);
    line(g, "mov.u64 %%rd%u, fn1;", b);
    line(g, "selp.b64 %%rd%u, %%rd%u, %%rd%u, %%p%d;", t, a, b, pick(g, CLASS_P));
    const struct signature *s = &g->functions[0]; // 0 and 1 have the same shape
    strbuf_printf(&g->body, "C%u: .callprototype (.param %s _) _ (", n, param_types[s->result]);
    for (unsigned k = 0; k < s->param_count; k++)
        strbuf_printf(&g->body, "%s.param %s _", k ? ", " : "", param_types[s->params[k]]);
    strbuf_puts(&g->body, ");\n");
    snprintf(target, sizeof target, "%%rd%u", t);
    snprintf(prototype, sizeof prototype, "C%u", n);
    write_call(g, 0, target, prototype, -1);
}

static void call(struct gen *g)
{
    unsigned available = g->in_kernel ? g->function_count : g->function_current;
    if (!available || g->repeats > 8) return;
    if (g->in_kernel && g->function_count >= 2 && chance(g, 25))
        indirect_call(g);
    else
        call_function(g, below(g, available), -1);
}

// Some threads exit early, after a last store of their result.
static void early_exit(struct gen *g)
{
    if (g->some_exited || g->repeats > 1) return;
    unsigned p = fresh(g, CLASS_P);
    line(g, "setp.gt.u32 %%p%u, %%thread, %u;", p, below(g, g->threads));
    line(g, "st.global.u32 [%%out+248], %%r%d;", pick(g, CLASS_R));
    line(g, "@%%p%u %s;", p, chance(g, 50) ? "exit" : "ret");
    g->some_exited = true;
}

static void unreachable_code(struct gen *g)
{
    unsigned skip = g->next_label++;
    line(g, "bra L%u;", skip);
    block(g, 1);
    label(g, skip);
}

// A branch taken by whole warps: lane exchanges are allowed inside, barriers of the block are not.
static void warp_branch(struct gen *g)
{
    bool was = g->uniform, was_together = g->warp_together;
    unsigned skip = g->next_label++, p = fresh(g, CLASS_P);
    line(g, "vote.sync.%s.pred %%p%u, %%p%d, 0xffffffff;", chance(g, 50) ? "any" : "all", p,
         pick(g, CLASS_P));
    line(g, "@%s%%p%u bra L%u;", chance(g, 50) ? "!" : "", p, skip);
    g->uniform = false;
    g->warp_together = true;
    block(g, 2 + below(g, 4));
    label(g, skip);
    g->uniform = was;
    g->warp_together = was_together;
}

// A call of a function that changes the caller's local array.
static void touch_local(struct gen *g)
{
    unsigned n = g->next_call++, d = fresh(g, CLASS_R);
    if (!g->has_local || g->options.no_calls) return;
    line(g, "{");
    line(g, ".param .b64 q%u_0;", n);
    line(g, "st.param.b64 [q%u_0+0], %%glocal;", n);
    line(g, ".param .b32 q%u_1;", n);
    line(g, "st.param.b32 [q%u_1+0], %%r%d;", n, pick(g, CLASS_R));
    line(g, ".param .b32 v%u;", n);
    line(g, "call (v%u), touch, (q%u_0, q%u_1);", n, n, n);
    line(g, "ld.param.b32 %%r%u, [v%u+0];", d, n);
    line(g, "}");
    define(g, CLASS_R, d, false);
}

// Where a statement may stand.
enum { KERNEL = 1, BLOCK_TOGETHER = 2, WARP_TOGETHER = 4, SHALLOW = 8, SELDOM_REPEATED = 16 };

static const struct {
    unsigned weight;
    void (*write)(struct gen *g);
    unsigned needs;
} kinds[] = {{30, operation, 0},
             {7, guarded_operation, 0},
             {5, repeated_operation, 0},
             {3, bit_idiom, 0},
             {2, logic_tree, 0},
             {3, carry_chain, 0},
             {2, pack_unpack, 0},
             {2, swap_values, 0},
             {4, load_input, KERNEL},
             {2, load_table, 0},
             {2, load_parameter, KERNEL},
             {3, local_access, 0},
             {2, own_slot, KERNEL},
             {2, neighbours, KERNEL},
             {1, shared_own, KERNEL},
             {8, branch, SHALLOW},
             {6, loop, SHALLOW | SELDOM_REPEATED},
             {1, two_entry_loop, SHALLOW | SELDOM_REPEATED},
             {2, jump_table, SHALLOW},
             {3, call, 0},
             {1, touch_local, KERNEL | SELDOM_REPEATED},
             {2, atomic_update, KERNEL},
             {2, shared_phase, KERNEL | BLOCK_TOGETHER},
             {1, shared_atomics, KERNEL | BLOCK_TOGETHER},
             {2, lanes, KERNEL | WARP_TOGETHER},
             {1, masked_lanes, KERNEL | WARP_TOGETHER},
             {1, warp_branch, KERNEL | WARP_TOGETHER | SHALLOW},
             {1, early_exit, KERNEL},
             {1, unreachable_code, SHALLOW}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool allowed(const struct gen *g, unsigned needs)
{
    if (needs & KERNEL && !g->in_kernel) return false;
    if (needs & BLOCK_TOGETHER && (!g->uniform || g->some_exited)) return false;
    if (needs & WARP_TOGETHER && (g->options.no_lanes || !(g->uniform || g->warp_together))) return false;
    if (needs & SHALLOW && g->depth >= 3) return false;
    return !(needs & SELDOM_REPEATED) || g->repeats <= 16;
}

static void statement(struct gen *g)
{
    unsigned total = 0, k = 0;
    for (unsigned i = 0; i < KINDS; i++) total += kinds[i].weight;
    for (unsigned at = below(g, total); at >= kinds[k].weight; k++) at -= kinds[k].weight;
    if (allowed(g, kinds[k].needs))
        kinds[k].write(g);
    else
        operation(g);
}

void statements(struct gen *g, unsigned count)
{
    for (unsigned k = 0; k < count && g->left; k++) {
        g->left--;
        statement(g);
    }
}
