// The scalar pipe (III-C of the paper): a lane beside the schedulers, for instructions with scalar operands
// only.
//
//     vector pipes: executed ─▶ scalarisable? into the table ─▶ next instruction predicted, no jump ──┐
//          ▲                                                                                          ▼
//          └── not scalarisable now; or next not predicted ◀─ executed on one lane ◀─────── port: in turn
//
// The pipe executes integer computations and branches, with predicates equal in all lanes. Loads, stores,
// cross-lane exchanges, conversions and floating point stay in the vector pipes.
#include "isa/fields.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "tech/registry.h"
#include "tech/scalarise/scalarise.h"

// -- accepted instructions ----------------------------------------------------------------------------------

static bool is_allowed(const struct inst *i, const struct op *o)
{
    if (i->op == OP_BRA) return true;
    bool computes = o->path == PATH_ALU && isa_has(i, ISA_PURE) && !isa_has(i, ISA_FLOAT | ISA_CROSS_LANE);
    for (unsigned k = 0; k < 4; k++)
        computes &= i->src[k].kind != OPERAND_SHARED && i->src[k].kind != OPERAND_SREG;
    return computes && (o->lanes == LANES_INTEGER || o->lanes == LANES_INTEGER_MULTIPLY);
}

// Whether opcode and flags allow an affine source and result: an addition or a move, of unmodified registers.
// An addition with a carry out needs aligned bases: then every lane carries alike.
static bool is_add(const struct scalarise *x, const struct inst *i)
{
    for (unsigned k = 0; k < 4; k++)
        if (i->src[k].kind == OPERAND_REG && i->src[k].flags) return false;
    if (i->op == OP_IADD3) return !(i->flags & INST_CC) || !x->file.shape.rule.any_base;
    return i->op == OP_MOV;
}

static bool is_one_value(const struct warp *w, unsigned predicate, uint64_t threads)
{
    uint64_t bits = w->pred[predicate] & threads;
    return !bits || bits == threads;
}

// Whether all predicates read are uniform, guard included.
static bool reads_one_value(const struct warp *w, const struct inst *i, uint64_t threads)
{
    bool is_one = is_one_value(w, i->guard, threads);
    for (unsigned k = 0; k < 4; k++)
        if (i->src[k].kind == OPERAND_PRED) is_one &= is_one_value(w, i->src[k].reg, threads);
    return is_one;
}

void scalarise_look(struct scalarise *x, unsigned place, uint32_t index)
{
    const struct inst *i = &x->launch->program->insts[index];
    const struct op *o = &x->launch->ops[index];
    const struct warp *w = tech_warp(x->grid, place);
    uint64_t threads = scalarise_threads(w);
    struct scalar_operands operands = {.is_allowed = is_allowed(i, o) && reads_one_value(w, i, threads),
                                       .is_add = is_add(x, i),
                                       .all_active = !(threads & ~w->active)};
    x->code = 0;
    for (unsigned k = 0; k < o->read_count; k++) {
        enum scalar_kind kind = (enum scalar_kind)x->kinds[k];
        if (kind == SCALAR_AFFINE) x->code = scalar_form_of(&x->file, place, o->reads[k]).code;
        // a, b: the two least uniform operands.
        if (kind > operands.a) {
            operands.b = operands.a;
            operands.a = kind;
        } else if (kind > operands.b) {
            operands.b = kind;
        }
    }
    x->is_scalarisable = scalar_is_scalarisable(&operands);
}

// Whether the detector at the write would accept the base of the instruction's affine sum; true without such
// a sum. The sum is computed in the warp's own registers, restored afterwards.
static bool has_good_base(struct scalarise *x, unsigned place, uint32_t index)
{
    const struct inst *i = &x->launch->program->insts[index];
    const struct op *o = &x->launch->ops[index];
    struct warp *w = tech_warp(x->grid, place);
    if (!x->code || i->op == OP_MOV || x->file.shape.rule.any_base || !x->lanes) return true;
    uint32_t before[SCALAR_LANES_MAX], *own = tech_lanes(x->grid, place, o->dst);
    uint64_t predicates[PRED_SLOTS];
    size_t bytes = x->file.shape.rule.lanes * sizeof *own;
    memcpy(before, own, bytes);
    memcpy(predicates, w->pred, sizeof predicates);
    tech_recompute(x->grid, place, index);
    unsigned lane = bit_lowest(x->lanes);
    uint32_t base = own[lane] - lane * scalar_stride(x->code);
    memcpy(own, before, bytes);
    memcpy(w->pred, predicates, sizeof predicates);
    return scalar_may_begin_at(&x->file.shape.rule, base, x->code);
}

// -- from pipe to pipe --------------------------------------------------------------------------------------

static uint32_t entry_of(const struct scalarise *x, uint32_t index) { return index % x->table.words; }

static bool look_up(struct scalarise *x, uint32_t index)
{
    x->counters[COUNT_lookups]++;
    return scalar_predicted(&x->table, entry_of(x, index));
}

static void send(struct scalarise *x, unsigned place, bool to_pipe)
{
    x->at_pipe = (x->at_pipe & ~(1ull << place)) | (uint64_t)to_pipe << place;
    tech_to_port(x->grid, &tech_scalarise, place, to_pipe);
}

void scalarise_leave_pipe(struct scalarise *x, unsigned place)
{
    if (x->at_pipe >> place & 1) send(x, place, false);
}

bool scalarise_port(void *state, unsigned place, uint32_t index)
{
    struct scalarise *x = state;
    x->is_in_pipe = x->is_scalarisable && has_good_base(x, place, index);
    if (x->is_in_pipe) return true;
    x->counters[COUNT_aborts]++;
    scalarise_leave_pipe(x, place);
    return false;
}

void scalarise_move(struct scalarise *x, unsigned place, uint32_t index)
{
    const struct warp *w = tech_warp(x->grid, place);
    bool goes_on = w->state == WARP_READY;
    if (x->is_in_pipe) {
        x->is_in_pipe = false;
        x->counters[COUNT_scalarised]++;
        bool leaves = !goes_on || scalar_goes_to_vector(false, false, look_up(x, w->pc));
        if (leaves) scalarise_leave_pipe(x, place);
        return;
    }
    x->counters[COUNT_scalarisable] += x->is_scalarisable;
    x->counters[COUNT_learned]++;
    scalar_learn(&x->table, entry_of(x, index), x->is_scalarisable);
    const struct scalar_leaving next = {.all_active = !(scalarise_threads(w) & ~w->active),
                                        .jumps = w->pc != index + 1,
                                        .is_passed = !goes_on,
                                        .predicted = look_up(x, index + 1),
                                        .there = bit_count(x->at_pipe & ~(1ull << place)),
                                        .limit = x->launch->pipe_warps};
    bool to_pipe = scalar_goes_to_scalar(&next);
    if (to_pipe != (x->at_pipe >> place & 1)) send(x, place, to_pipe);
}
