// A kernel: 2,048 threads from one address. The leader of a warp is the last thread of the deepest nesting
// level (the machine's tree prefers the higher lane). Threads with the leader's depth and pc are active.
#include "oracle/simtight_impl.h"

#include <string.h>

struct step {
    struct simtight_oracle *o;
    struct warp *w;
    unsigned warp;
    const struct simtight_inst *i;
    uint32_t pc, active;
    const struct simtight_access *access;
};

static bool warp_error(const struct step *s, const char *what, uint32_t value)
{
    return oracle_rv_error(s->o, "warp %u at 0x%08x: %s 0x%08x", s->warp, s->pc, what, value);
}

static uint32_t choose_active(const struct warp *w, bool is_lower_first, uint32_t *pc)
{
    const struct thread *leader = &w->threads[0];
    for (unsigned k = 1; k < LANES; k++)
        if (w->threads[k].nest + !is_lower_first > leader->nest) leader = &w->threads[k];
    uint32_t active = 0;
    for (unsigned k = 0; k < LANES; k++)
        if (w->threads[k].pc == leader->pc && w->threads[k].nest == leader->nest) active |= 1u << k;
    *pc = leader->pc;
    return active;
}

#define FOR_ACTIVE(S, K)                                                                                     \
    for (unsigned K = 0; K < LANES; K++)                                                                     \
        if ((S)->active >> K & 1)

static void run_values(const struct step *s)
{
    const struct simtight_inst *i = s->i;
    bool has_immediate = oracle_rv_op_forms[i->op] == FORM_I;
    FOR_ACTIVE(s, k)
    {
        struct thread *t = &s->w->threads[k];
        uint32_t a = t->x[i->rs1], b = has_immediate ? i->imm : t->x[i->rs2];
        if (i->rd) t->x[i->rd] = oracle_rv_value(i, a, b, s->pc);
        t->pc = i->op == OP_JAL ? s->pc + i->imm : i->op == OP_JALR ? (a + b) & ~1u : s->pc + 4;
    }
    oracle_rv_regs_written(s->o, s->w, i->rd, s->active);
}

static void run_branch(const struct step *s)
{
    FOR_ACTIVE(s, k)
    {
        struct thread *t = &s->w->threads[k];
        bool is_taken = oracle_rv_branches(s->i->op, t->x[s->i->rs1], t->x[s->i->rs2]);
        t->pc = is_taken ? s->pc + s->i->imm : s->pc + 4;
    }
}

static void advance(const struct step *s) { FOR_ACTIVE(s, k) s->w->threads[k].pc = s->pc + 4; }

static bool run_nesting(const struct step *s)
{
    FOR_ACTIVE(s, k)
    {
        unsigned *nest = &s->w->threads[k].nest;
        if (s->i->op == OP_PUSH ? *nest == NEST_MAX : *nest == 0)
            return warp_error(s, "nesting leaves 0 to 31 by", s->i->word);
        *nest += s->i->op == OP_PUSH ? 1u : -1u;
    }
    advance(s);
    return true;
}

// Executes the accesses of one coalesced group; loaded values are written to the register together.
static void end_group(void *context, uint32_t lanes)
{
    const struct step *s = context;
    const struct simtight_inst *i = s->i;
    for (unsigned k = 0; k < LANES; k++) {
        if (!(lanes >> k & 1)) continue;
        struct thread *t = &s->w->threads[k];
        uint32_t address = s->access->address[k], b = t->x[i->rs2];
        if (s->access->is_store) {
            oracle_rv_store(s->o, i->op, address, b);
        } else if (i->op != OP_FENCE) {
            uint32_t old = oracle_rv_load(s->o, i->op, address);
            if (oracle_rv_op_forms[i->op] == FORM_A)
                oracle_rv_store(s->o, i->op, address, oracle_rv_atomic(i->op, old, b));
            if (i->rd) t->x[i->rd] = old;
        }
    }
    if (!s->access->is_store) oracle_rv_regs_written(s->o, s->w, i->rd, lanes);
}

static bool run_memory(struct step *s)
{
    const struct simtight_inst *i = s->i;
    bool is_atomic = oracle_rv_op_forms[i->op] == FORM_A;
    struct simtight_access a = {
        .op = i->op, .mask = s->active, .is_store = oracle_rv_op_forms[i->op] == FORM_S};
    a.is_compressed = !s->w->is_vector[i->rs2];
    FOR_ACTIVE(s, k)
    {
        uint32_t address = s->w->threads[k].x[i->rs1] + i->imm;
        if (i->op == OP_FENCE) address = 0;
        if (address % oracle_rv_width(i->op)) return warp_error(s, "misaligned access to", address);
        a.address[k] = oracle_rv_physical(address, s->warp, k);
        if (is_atomic && !oracle_rv_is_scratchpad(address))
            return warp_error(s, "atomics are the scratchpad's, not of", address);
    }
    s->access = &a;
    oracle_rv_access(s->o, &a, end_group, s);
    advance(s);
    return true;
}

// Commands are for whole warps: 0 waits at the barrier, 1 and 3 end, as failed and as passed.
static bool run_command(const struct step *s, uint32_t command)
{
    if (s->active != ALL_LANES)
        return warp_error(s, "a barrier or end that not all lanes reach together, lanes", s->active);
    s->o->counts.barriers += !(command & 1);
    s->w->state = command & 1 ? WARP_ENDED : WARP_BARRIER;
    if (command & 1 && !(command & 2)) s->o->failed_warp = true;
    return true;
}

static bool run_csr(const struct step *s)
{
    const struct simtight_inst *i = s->i;
    bool is_swap = i->op == OP_CSRRW || i->op == OP_CSRRWI;
    uint32_t first = s->w->threads[__builtin_ctz(s->active)].x[i->rs1];
    if (i->op == OP_CSRRWI) first = i->rs1;
    if (i->imm == 0x830 && is_swap && !run_command(s, first)) return false;
    bool is_known = i->imm == 0xf14 || i->imm == 0x831 || i->imm == 0x800 || i->imm == 0x801 ||
                    (i->imm == 0x830 && is_swap);
    if (!is_known) return warp_error(s, "no CSR of a thread, in", i->word);
    FOR_ACTIVE(s, k)
    {
        uint32_t value = i->imm == 0xf14 ? s->warp * LANES + k : i->imm == 0x831 ? s->o->closure : 0;
        if (i->rd) s->w->threads[k].x[i->rd] = value;
    }
    oracle_rv_regs_written(s->o, s->w, i->rd, s->active);
    advance(s);
    return true;
}

static bool execute(struct step *s)
{
    switch ((enum simtight_form)oracle_rv_op_forms[s->i->op]) {
    case FORM_R:
    case FORM_I:
    case FORM_F:
    case FORM_U: run_values(s); return true;
    case FORM_B: run_branch(s); return true;
    case FORM_L:
    case FORM_S:
    case FORM_A: return run_memory(s);
    case FORM_C: return run_csr(s);
    case FORM_N:
        if (s->i->op == OP_FENCE) return run_memory(s);
        if (s->i->op == OP_PUSH || s->i->op == OP_POP) return run_nesting(s);
    }
    return warp_error(s, "no instruction of a thread:", s->i->word);
}

static bool step_warp(struct simtight_oracle *o, unsigned number)
{
    struct warp *w = &o->warps[number];
    struct step s = {.o = o, .w = w, .warp = number};
    s.active = choose_active(w, o->is_lower_first, &s.pc);
    s.i = oracle_rv_fetch(o, s.pc, "warp");
    if (!s.i || !oracle_rv_step_counted(o)) return false;
    bool is_scalarisable = oracle_rv_regs_scalarisable(w, s.i, s.active);
    bool was_scalar = w->is_scalar, is_scalar = oracle_rv_scalar_begin(o, w, s.i);
    if (was_scalar && !is_scalar) return true; // the warp's turn ends: it waits for the vector pipeline
    unsigned active_count = (unsigned)__builtin_popcount(s.active);
    o->counts.warp_instructions++;
    o->counts.thread_instructions += active_count;
    if (is_scalarisable) o->counts.scalarisable += active_count;
    if (!execute(&s)) return false;
    oracle_rv_scalar_end(o, w, s.i, s.pc, s.active, is_scalar, is_scalarisable);
    o->counts.vector_samples++;
    o->counts.vector_sum += o->vectors;
    return true;
}

// Releases every block whose warps are all waiting. True if any was released.
static bool release(struct simtight_oracle *o)
{
    bool any = false;
    for (unsigned first = 0; first < WARPS; first += o->warps_per_block) {
        unsigned waiting = 0;
        for (unsigned k = first; k < first + o->warps_per_block; k++)
            waiting += o->warps[k].state == WARP_BARRIER;
        if (waiting < o->warps_per_block) continue;
        for (unsigned k = first; k < first + o->warps_per_block; k++) o->warps[k].state = WARP_READY;
        any = true;
    }
    return any;
}

static void start(struct simtight_oracle *o, uint32_t pc)
{
    memset(o->warps, 0, sizeof o->warps);
    for (unsigned w = 0; w < WARPS; w++)
        for (unsigned k = 0; k < LANES; k++) o->warps[w].threads[k].pc = pc;
    oracle_rv_regs_reset(o);
    o->counts = (struct simtight_oracle_counts){.launches = 1};
    o->failed_warp = false;
}

bool oracle_rv_kernel_run(struct simtight_oracle *o, uint32_t pc, uint32_t *exit_code)
{
    if (WARPS % o->warps_per_block) return oracle_rv_error(o, "blocks of %u warps", o->warps_per_block);
    start(o, pc);
    for (unsigned ended = 0; ended < WARPS;) {
        bool any = false;
        ended = 0;
        for (unsigned w = 0; w < WARPS; w++) {
            if (o->warps[w].state == WARP_READY) {
                any = true;
                if (!step_warp(o, w)) return false;
            }
            ended += o->warps[w].state == WARP_ENDED;
        }
        any |= release(o);
        if (!any && ended < WARPS)
            return oracle_rv_error(o, "all warps wait at barriers that others have left for good");
    }
    *exit_code = o->failed_warp;
    return true;
}
