// Binding of a program to a launch: handlers, operand offsets and constant values are looked up here, before
// the launch runs.
//
// The code is bound twice. `full` is for a warp with every lane running. `masked` is for any other lane mask,
// and checks for reconvergence before every possible reconvergence point. A warp changes between the copies
// only at a control transfer, an exit, a wait or a reconvergence.
#include "exec/async.h"
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "exec/hint.h"
#include "exec/lane.h"
#include "exec/phase.h"
#include "exec/remote.h"
#include "exec/timed.h"
#include "isa/bank.h"
#include "isa/modes.h"
#include "isa/program.h"
#include "isa/shape.h"

#include <string.h>

_Static_assert((int)LAUNCH_BANKS == (int)BANK_COUNT, "a launch has every constant bank");

static uint32_t slot_offset(const struct exec *e, uint32_t slot) { return slot * e->vector_bytes; }

static uint32_t wider(uint32_t a, uint32_t b) { return a > b ? a : b; }

static bool is_rz(const struct operand *o)
{
    return (o->kind == OPERAND_REG || o->kind == OPERAND_MEM) && o->reg == REG_ZERO;
}

// Vectors of zero that the instruction may read. An absent operand may be read as one or two words of zero.
static uint32_t zeros_of(const struct inst *i)
{
    uint32_t words = 2;
    for (unsigned k = 0; k < 4; k++) {
        const struct operand *o = &i->src[k];
        if (is_rz(o)) words = wider(words, operand_words(o));
        if (is_rz(o) && isa_shapes[i->op].src[k].kind >= SHAPE_REG) words = wider(words, isa_src_width(i, k));
    }
    return words;
}

// The sink that holds a source in shared memory while the instruction executes: arithmetic writes RZ in fewer words.
enum { SCRATCH_WORD = 3 };

// Vectors for writes to RZ that the instruction may write.
static uint32_t sinks_of(const struct inst *i)
{
    const struct operand *o = &i->dst[0];
    for (unsigned k = 0; k < 4; k++)
        if (i->src[k].kind == OPERAND_SHARED) return SCRATCH_WORD + 1;
    if (isa_shapes[i->op].dst[0].kind < SHAPE_REG || (o->kind == OPERAND_REG && o->reg != REG_ZERO)) return 0;
    return wider(operand_words(o), o->kind == OPERAND_REG ? isa_dst_width(i) : 1);
}

static uint32_t scratch(const struct exec *e) { return slot_offset(e, e->sink_slot + SCRATCH_WORD); }

static void make_threads(struct exec *e)
{
    const uint32_t *block = e->launch->block;
    size_t bytes = (size_t)e->warps_per_block * THREAD_VECTORS * e->vector_bytes;
    uint8_t *all = arena_alloc(&e->arena, bytes + 64);
    e->threads = all = (uint8_t *)align_up((uintptr_t)all, 64);
    for (uint32_t n = 0; n < e->warps_per_block; n++, all += THREAD_VECTORS * e->vector_bytes) {
        uint32_t *vectors = reg_lanes(all, 0);
        uint32_t linear = n * e->warp_size,
                 thread[3] = {linear % block[0], linear / block[0] % block[1], linear / block[0] / block[1]};
        for (unsigned l = 0; l < e->lanes; l++) {
            for (unsigned k = 0; k < 3; k++) vectors[(THREAD_X + k) * e->lanes + l] = thread[k];
            vectors[THREAD_LANE * e->lanes + l] = l % GROUP_LANES;
            if (++thread[0] < block[0]) continue;
            thread[0] = 0;
            if (++thread[1] < block[1]) continue;
            thread[1] = 0;
            thread[2]++;
        }
    }
}

void exec_lay_out(struct exec *e)
{
    uint32_t zeros = 0, sinks = 0;
    for (uint32_t n = 0; n < e->program->inst_count; n++) {
        zeros = wider(zeros, zeros_of(&e->program->insts[n]));
        sinks = wider(sinks, sinks_of(&e->program->insts[n]));
    }
    e->zero_slot = e->program->reg_count;
    e->sink_slot = e->zero_slot + zeros;
    e->register_slots = e->sink_slot + sinks;
    make_threads(e);
}

uint32_t exec_register_offset(const struct exec *e, const struct operand *o, bool is_destination)
{
    if (o->kind == OPERAND_NONE || o->reg == REG_ZERO)
        return slot_offset(e, is_destination ? e->sink_slot : e->zero_slot);
    return slot_offset(e, o->reg);
}

static uint64_t load_words(const uint8_t *bytes, uint32_t count)
{
    uint64_t x = 0;
    memcpy(&x, bytes, count);
    return x;
}

// Value of an immediate or constant source. False: the operand reaches past the end of its constant bank.
static bool constant_value(const struct exec *e, const struct operand *o, unsigned words, uint64_t *value)
{
    if (o->kind == OPERAND_IMM) {
        *value = words == 2 ? (uint64_t)o->value << 32 : o->value;
        return true;
    }
    const struct launch *l = e->launch;
    *value = 0;
    if (l->bank_bytes[o->bank] < 4 * words || o->value > l->bank_bytes[o->bank] - 4 * words) return false;
    *value = load_words(l->bank[o->bank] + o->value, 4 * words);
    return true;
}

// Decodes the operands into g. *good becomes false for a constant past the end of its bank. An immediate of
// two words is the high word of a double.
static void bind_general(const struct exec *e, const struct inst *i, struct general *g, bool *good)
{
    const struct isa_shape *shape = &isa_shapes[i->op];
    g->operation = lane_operation_of((enum isa_op)i->op);
    g->dst_is_pred = shape->dst[0].kind == SHAPE_PRED;
    if (shape->dst[0].kind >= SHAPE_REG && i->dst[0].kind == OPERAND_REG) g->dst_words = i->dst[0].width;
    for (unsigned k = 0; k < 4; k++) {
        const struct operand *o = &i->src[k];
        if (o->kind == OPERAND_PRED) g->src_is_pred |= (uint8_t)(1 << k);
        if (shape->src[k].kind < SHAPE_REG || o->kind == OPERAND_NONE) continue;
        g->src_words[k] = (uint8_t)operand_words(o);
        if (o->kind == OPERAND_IMM || o->kind == OPERAND_CONST)
            *good = constant_value(e, o, g->src_words[k], &g->value[k]) && *good;
    }
}

static void bind_operands(const struct exec *e, const struct inst *i, struct bound *b)
{
    b->dst = i->dst[0].kind == OPERAND_PRED ? (i->dst[0].reg == PRED_TRUE ? PRED_SINK : i->dst[0].reg)
                                            : exec_register_offset(e, &i->dst[0], true);
    bool has_q = i->dst[1].kind == OPERAND_PRED && i->dst[1].reg != PRED_TRUE;
    b->q = has_q ? i->dst[1].reg : PRED_SINK;
    for (unsigned k = 0; k < 4; k++) {
        const struct operand *o = &i->src[k];
        if (o->kind == OPERAND_PRED)
            b->src[k] = o->reg | (o->flags & OPERAND_NOT ? 1u << 31 : 0);
        else
            b->src[k] = exec_register_offset(e, o, false);
        if (o->kind == OPERAND_MEM && !b->offset) b->offset = (int32_t)o->value;
    }
    b->guard = i->guard;
    b->guard_not = i->guard_not ? -1 : 0;
}

static void mark_entries(struct exec *e)
{
    const struct program *p = e->program;
    if (e->launch->simt == SIMT_NEST) memset(e->entry_flags, EXEC_JOIN, p->inst_count); // split.c
    for (uint32_t n = 0; n < p->inst_count; n++) {
        const struct inst *i = &p->insts[n];
        if (i->reconverge != NO_TARGET && i->reconverge < p->inst_count && isa_has(i, ISA_BRANCH))
            e->entry_flags[i->reconverge] |= EXEC_JOIN;
        if (isa_has(i, ISA_CALL)) e->entry_flags[n + 1] |= EXEC_JOIN | EXEC_RETURN_SITE;
    }
    for (uint32_t f = 0; f < p->function_count; f++)
        if (p->functions[f].first < p->inst_count) e->entry_flags[p->functions[f].first] |= EXEC_FUNCTION;
}

// True for stores and atomics that may go to global memory, except on a flat machine. A flat machine has a
// single block, which shares memory with no other block: stores take effect at once, unlogged.
static bool logs_stores(const struct exec *e, const struct inst *i)
{
    enum isa_space space = isa_space_of(i);
    return !e->launch->flat && i->op != OP_LDGSTS && (space == SPACE_GENERIC || space == SPACE_GLOBAL);
}

static void make_stepped(struct exec *e, uint32_t index)
{
    e->full[index].run = e->masked[index].run = exec_hand_back;
    if (index < e->program->inst_count)
        e->address_operand[index] = exec_address_operand(&e->program->insts[index]);
}

// BAR.SYNC of the whole block with a constant number, known here: d->scalar, and d->spare_byte for "known".
static void bind_bar(const struct exec *e, const struct inst *i, struct bound *d)
{
    bool is_plain =
        i->mode == MODE_BAR_SYNC && i->src[1].kind == OPERAND_NONE && i->src[0].kind == OPERAND_IMM;
    d->scalar = (uint32_t)e->general[d->index].value[0];
    d->spare_byte = is_plain && d->scalar < BARRIERS;
}

static bool is_shared_source(const struct operand *o)
{
    return o->kind == OPERAND_SHARED && operand_words(o) == 1;
}

// Arithmetic with one source in shared memory (profile ptxplus): the handlers that copy the words to the scratch vector
// and go on with the fast form of registers. NULL: none.
static const struct handlers *bind_shared_source(struct exec *e, const struct inst *i, struct bound *d)
{
    unsigned source = 4;
    for (unsigned k = 0; k < 4; k++) {
        if (i->src[k].kind != OPERAND_SHARED) continue;
        if (source < 4 || !is_shared_source(&i->src[k])) return NULL;
        source = k;
    }
    if (source == 4 || !e->general[d->index].operation) return NULL;
    struct inst of_registers = *i;
    of_registers.src[source].kind = OPERAND_REG;
    of_registers.src[source].reg = 0;
    struct bound *form = ARENA_ARRAY(&e->arena, struct bound, 2);
    form[0] = *d;
    form[0].src[source] = scratch(e);
    form[0].handlers = exec_fast_form(e, &of_registers, &form[0]);
    form[1].run = exec_hand_back;
    if (!form[0].handlers) return NULL;
    d->target = form;
    d->spare_byte = (uint8_t)source;
    d->offset = (int32_t)i->src[source].value;
    d->scalar = scratch(e);
    return exec_fast_form(e, i, d);
}

static bool goes_to_target(const struct inst *i) { return i->op == OP_BRA || i->op == OP_RBR; }

static void bind_inst(struct exec *e, uint32_t index, uint16_t *slots)
{
    static const struct handlers bad_constant = {exec_bad_constant, exec_bad_constant};
    const struct inst *i = &e->program->insts[index];
    struct bound b = {.index = index, .slot = NO_SLOT, .guard = i->guard};
    bool good = true;
    bind_operands(e, i, &b);
    bind_general(e, i, &e->general[index], &good);
    if (goes_to_target(i)) b.target = &e->full[i->target];
    if (i->op == OP_BAR) bind_bar(e, i, &b);
    if (isa_has(i, ISA_LOAD | ISA_STORE) && *slots != NO_SLOT) b.slot = (*slots)++;
    b.guarded = i->guard != PRED_TRUE || i->guard_not;
    if (i->op == OP_BRA) b.guarded = false;

    // Instructions watched by the race detector get no fast form: only general handlers call the detector.
    bool watched = e->races && isa_has(i, ISA_LOAD | ISA_STORE | ISA_FENCE | ISA_CROSS_LANE);
    const struct handlers *fast = good && !watched ? exec_fast_form(e, i, &b) : NULL;
    if (good && !fast && !e->races) fast = bind_shared_source(e, i, &b);
    b.handlers = !good ? &bad_constant : fast ? fast : &exec_general_handlers[i->op];
    if (good && e->is_timed && isa_has(i, ISA_STORE) && logs_stores(e, i))
        b.handlers = isa_has(i, ISA_ATOMIC) ? &timed_atomic_handlers : &timed_store_handlers;
    if (good && e->defers_copies && !e->is_timed && i->op == OP_LDS && i->sem != SEM_WEAK)
        b.handlers = &async_load_handlers;
    if (good && i->op == OP_ATOMS && i->mode == MODE_ATOM_ARRIVE) b.handlers = &phase_arrive_handlers;
    if (good && remote_concerns(e, i)) b.handlers = &remote_handlers;
    bool hinted = hint_concerns(e, i);
    b.run = hinted ? hint_full : b.guarded ? e->loops->guard.full : b.handlers->full;
    e->full[index] = b;
    b.run = hinted ? hint_masked : b.guarded ? e->loops->guard.masked : b.handlers->masked;
    if (goes_to_target(i)) b.target = &e->masked[i->target];
    if (e->entry_flags[index] & EXEC_JOIN)
        b.run = hinted ? hint_join : e->launch->simt == SIMT_NEST ? exec_join_nest : exec_join;
    e->masked[index] = b;
    if (e->is_stepped) make_stepped(e, index);
}

void exec_bind(struct exec *e)
{
    static const struct handlers end = {exec_end_of_program, exec_end_of_program};
    const struct program *p = e->program;
    size_t count = (size_t)p->inst_count + 1;
    e->full = ARENA_ARRAY(&e->arena, struct bound, count);
    e->masked = ARENA_ARRAY(&e->arena, struct bound, count);
    e->general = ARENA_ARRAY(&e->arena, struct general, count);
    e->entry_flags = ARENA_ARRAY(&e->arena, uint8_t, count + 1);
    if (e->is_stepped) e->address_operand = ARENA_ARRAY(&e->arena, uint8_t, count);
    mark_entries(e);
    uint16_t slots = 0;
    for (uint32_t n = 0; n < p->inst_count; n++) bind_inst(e, n, &slots);
    e->full[p->inst_count] = e->masked[p->inst_count] =
        (struct bound){.run = exec_end_of_program, .handlers = &end, .index = p->inst_count, .slot = NO_SLOT};
    if (e->is_stepped) make_stepped(e, p->inst_count);
    e->slot_count = slots + 1u;
    e->slots = ARENA_ARRAY(&e->arena, struct allocation_slot, e->slot_count);
}

struct exec_code exec_code_of(const struct exec *e)
{
    return (struct exec_code){.full = e->full,
                              .masked = e->masked,
                              .general = e->general,
                              .entry_flags = e->entry_flags,
                              .address_operand = e->address_operand,
                              .slots = e->slots,
                              .slot_count = e->slot_count,
                              .is_stepped = e->is_stepped};
}

void exec_code_use(struct exec *e, const struct exec_code *c)
{
    e->full = c->full;
    e->masked = c->masked;
    e->general = c->general;
    e->entry_flags = c->entry_flags;
    e->address_operand = c->address_operand;
    e->slots = c->slots;
    e->slot_count = c->slot_count;
    e->is_stepped = c->is_stepped;
}

void exec_bind_stepped(struct exec *e)
{
    if (e->is_stepped) return;
    if (e->stepped.full) {
        exec_code_use(e, &e->stepped);
        return;
    }
    e->is_stepped = true;
    exec_bind(e);
    e->stepped = exec_code_of(e);
}

void exec_bind_alike(struct exec *e, const struct exec *like)
{
    e->full = like->full;
    e->masked = like->masked;
    e->general = like->general;
    e->entry_flags = like->entry_flags;
    e->address_operand = like->address_operand;
    e->slot_count = like->slot_count;
    e->slots = ARENA_ARRAY(&e->arena, struct allocation_slot, e->slot_count);
    e->register_slots = like->register_slots;
    e->zero_slot = like->zero_slot;
    e->sink_slot = like->sink_slot;
    e->threads = like->threads;
}

#define GENERAL(handler)                                                                                     \
    {                                                                                                        \
        handler, handler                                                                                     \
    }
const struct handlers exec_general_handlers[OP_COUNT] = {
#define ALU(function)                                                    GENERAL(exec_general_alu)
#define RUN(function)                                                    GENERAL(function)
#define INST(name, mnemonic, unit, latency, traits, body, form, meaning) [OP_##name] = body,
#include "isa/isa.def"
#undef INST
#undef RUN
#undef ALU
};
