// Instruction selection: the walk and the operands. Legal instruction forms: select/form.c. Choice of
// instructions: select/sum.c, select/logic.c, select/integer.c, select/float.c, select/lanes.c,
// select/memory.c and select/control.c.
#include "compile/select/select.h"
#include "base/bits.h"
#include "compile/ir/options.h"
#include "isa/bank.h"
#include "isa/program.h"
#include "isa/space.h"

#include <string.h>

// -- values -------------------------------------------------------------------------------------------------

struct ir_value *strip(struct ir_value *v)
{
    while (v->def && v->def->op == IR_COPY) v = v->def->uses[0].value;
    return v;
}

struct ir_inst *def_of(struct ir_value *v, enum ir_op op)
{
    v = strip(v);
    return v->def && v->def->op == op ? v->def : NULL;
}

struct ir_inst *fold_of(struct select *s, struct ir_value *v, enum ir_op op)
{
    struct ir_inst *i = def_of(v, op);
    if (!i || v->use_count != 1 || strip(v) != v) return NULL;
    if (i->block != s->block->source || s->units[v->id] != MACH_NONE) return NULL;
    return i;
}

void folded(struct select *s, const struct ir_inst *i)
{
    if (i->lines != s->lines) s->lines = ir_line_set_union(s->u, s->lines, i->lines);
}

bool constant_of(struct ir_value *v, uint64_t *bits) { return ir_constant_bits(strip(v), bits); }

static unsigned class_width(enum ir_class class)
{
    return class == IR_CLASS_64 ? 2 : class == IR_CLASS_128 ? 4 : 1;
}

// Requests a group of units for a texture fetch, a matrix operation, or a load of several values of at least 4 bytes. The
// results are the group's units in order. False: i is neither.
static bool demand_vector(struct select *s, struct ir_inst *i)
{
    unsigned total = 0;
    if (i->op != IR_TEX && i->op != IR_MMA && i->op != IR_WGMMA && i->op != IR_WGLANDED &&
        i->op != IR_LDMATRIX &&
        (i->op != IR_LOAD || i->def_count < 2 || isa_type_bytes((enum isa_type)i->type) < 4))
        return false;
    for (uint32_t k = 0; k < i->def_count; k++) total += class_width(i->defs[k]->class);
    uint32_t unit = mach_reg(s->f, total);
    for (uint32_t k = 0; k < i->def_count; k++) {
        s->units[i->defs[k]->id] = unit;
        unit += class_width(i->defs[k]->class);
    }
    return true;
}

// LO and HI need no instruction: the result is the lower or upper 32-bit unit of the operand's register pair.
// False: v is the result of another operation.
static bool demand_half(struct select *s, struct ir_value *v)
{
    if (!v->def || (v->def->op != IR_LO && v->def->op != IR_HI)) return false;
    s->units[v->id] = demand(s, v->def->uses[0].value) + (v->def->op == IR_HI);
    return true;
}

uint32_t demand(struct select *s, struct ir_value *v)
{
    if (s->units[v->id] != MACH_NONE) return s->units[v->id];
    if (v->def && v->def->op == IR_COPY && !v->def->uses[0].value->is_constant)
        return s->units[v->id] = demand(s, v->def->uses[0].value);
    if (demand_half(s, v) || (v->def && demand_vector(s, v->def))) return s->units[v->id];
    bool predicate = v->class == IR_CLASS_PRED;
    return s->units[v->id] = predicate ? mach_pred(s->f) : mach_reg(s->f, class_width(v->class));
}

// -- sources ------------------------------------------------------------------------------------------------

struct source source_unit(uint32_t unit, unsigned width)
{
    return (struct source){{.kind = OPERAND_REG, .width = (uint8_t)width}, unit};
}

struct source source_zero(void) { return source_unit(MACH_NONE, 1); }

struct source source_imm(uint32_t bits)
{
    if (!bits) return source_zero();
    return (struct source){{.kind = OPERAND_IMM, .width = 1, .value = bits}, MACH_NONE};
}

struct source source_true(void)
{
    return (struct source){{.kind = OPERAND_PRED, .width = 1, .reg = PRED_TRUE}, MACH_NONE};
}

struct source source_predicate(uint32_t unit)
{
    struct source o = source_true();
    o.unit = unit;
    return o;
}

static struct source source_bank(unsigned bank, int64_t offset, unsigned width)
{
    struct operand o = {
        .kind = OPERAND_CONST, .width = (uint8_t)width, .bank = (uint8_t)bank, .value = (uint32_t)offset};
    return (struct source){o, MACH_NONE};
}

// Constant-bank words have four-byte alignment; a smaller parameter at a different offset is extracted from
// its word.
static bool is_word(const struct ir_inst *bank) { return bank->offset % 4 == 0; }

struct source source_any(struct select *s, struct ir_value *v)
{
    v = strip(v);
    if (v->is_constant) return source_imm((uint32_t)v->bits);
    struct ir_inst *i = v->def;
    if (i && i->op == IR_UNDEF) return source_zero();
    if (i && i->op == IR_BANK && is_word(i)) return folded(s, i), source_bank(i->bank, i->offset, 1);
    if (i && i->op == IR_FRAME && s->ir->is_kernel) return source_imm((uint32_t)i->offset);
    if (i && (i->op == IR_LO || i->op == IR_HI))
        return source_half(s, i->uses[0].value, i->op == IR_HI ? HIGH : LOW);
    struct source shared;
    if (s->profile == PROFILE_PTXPLUS && select_shared_operand(s, v, &shared)) return shared;
    return source_unit(demand(s, v), 1);
}

struct source source_half(struct select *s, struct ir_value *v, enum half half)
{
    v = strip(v);
    if (v->is_constant) return source_imm((uint32_t)(v->bits >> (half ? 32 : 0)));
    struct ir_inst *i = v->def;
    if (i && s->units[v->id] == MACH_NONE) {
        if (i->op == IR_UNDEF) return source_zero();
        if (i->op == IR_BANK && is_word(i))
            return folded(s, i), source_bank(i->bank, i->offset + (half ? 4 : 0), 1);
        if (i->op == IR_SYMBOL)
            return folded(s, i), source_bank(BANK_ADDRESS, i->offset * 8 + (half ? 4 : 0), 1);
        if (i->op == IR_PACK) return source_any(s, i->uses[half].value);
        if (i->op == IR_ZEXT && i->type2 == TYPE_U32)
            return half ? source_zero() : source_any(s, i->uses[0].value);
        if (i->op == IR_SEXT && i->type2 == TYPE_S32 && !half) return source_any(s, i->uses[0].value);
    }
    return source_unit(demand(s, v) + half, 1);
}

struct source source_reg(struct select *s, struct ir_value *v) { return in_register(s, source_any(s, v)); }

// -- constants in registers ---------------------------------------------------------------------------------

static bool is_cached(const struct cached *c, const struct operand *low, const struct operand *high)
{
    unsigned width = high ? 2 : 1;
    if (c->o.width != width || c->o.kind != low->kind || c->o.value != low->value || c->o.bank != low->bank)
        return false;
    return width == 1 || c->high == high->value;
}

static struct mach_inst *constant_move(struct select *s, uint32_t unit, struct operand o)
{
    struct mach_inst *i = begin(s, OP_MOV);
    o.flags = 0;
    o.width = 1;
    set_dst(i, 0, unit, 1);
    set_src(i, 0, (struct source){o, MACH_NONE});
    insert(s, i);
    return i;
}

// Moves the MOV of a cached constant up to the instruction under selection, its new first user.
static void raise(struct select *s, struct cached *c)
{
    if (c->chunk == s->chunk) return;
    for (unsigned k = 0; k < c->o.width; k++) {
        if (s->cursor == c->inst[k]) s->cursor = c->inst[k]->next;
        mach_remove(c->inst[k]);
        mach_insert_before(s->block, s->cursor, c->inst[k]);
        c->inst[k]->i.lines = s->lines;
    }
    c->chunk = s->chunk;
}

static uint32_t cached_constant(struct select *s, struct operand low, const struct operand *high)
{
    for (size_t k = 0; k < s->cache.count; k++)
        if (is_cached(&s->cache.data[k], &low, high)) {
            raise(s, &s->cache.data[k]);
            return s->cache.data[k].unit;
        }
    struct cached c = {.o = low, .high = high ? high->value : 0, .chunk = s->chunk};
    c.o.width = high ? 2 : 1;
    c.unit = mach_reg(s->f, c.o.width);
    c.inst[0] = constant_move(s, c.unit, low);
    if (high) c.inst[1] = constant_move(s, c.unit + 1, *high);
    vec_push(&s->cache, c);
    return c.unit;
}

struct source constant_pair(struct select *s, struct source low, struct source high)
{
    return source_unit(cached_constant(s, low.o, &high.o), 2);
}

struct source in_register(struct select *s, struct source o)
{
    if (source_is_reg(&o)) return o;
    uint8_t flags = o.o.flags;
    if (o.o.kind == OPERAND_SHARED) { // not a constant: needs a separate MOV
        uint32_t unit = mach_reg(s->f, 1);
        o.o.flags = 0;
        move_to(s, unit, o);
        o = source_unit(unit, 1);
    } else {
        o = source_unit(cached_constant(s, o.o, NULL), 1);
    }
    o.o.flags = flags;
    return o;
}

struct source source_pair(struct select *s, struct ir_value *v)
{
    v = strip(v);
    if (v->is_constant && !v->bits) return source_unit(MACH_NONE, 2);
    if (v->def && v->def->op == IR_UNDEF) return source_unit(MACH_NONE, 2);
    bool made = v->is_constant || (v->def && (v->def->op == IR_BANK || v->def->op == IR_SYMBOL));
    if (made && (v->is_constant || v->def->op == IR_SYMBOL || is_word(v->def)))
        return constant_pair(s, source_half(s, v, LOW), source_half(s, v, HIGH));
    return source_unit(demand(s, v), 2);
}

struct source source_pair_any(struct select *s, struct ir_value *v)
{
    struct ir_inst *bank = def_of(v, IR_BANK), *symbol = def_of(v, IR_SYMBOL);
    if (bank && bank->offset % 8 == 0) return folded(s, bank), source_bank(bank->bank, bank->offset, 2);
    if (symbol) return folded(s, symbol), source_bank(BANK_ADDRESS, symbol->offset * 8, 2);
    return source_pair(s, v);
}

struct source source_pred(struct select *s, struct ir_value *v)
{
    bool negated = false;
    struct ir_inst *i;
    while ((i = def_of(v, IR_PNOT))) {
        folded(s, i);
        negated = !negated;
        v = i->uses[0].value;
    }
    v = strip(v);
    struct source o = source_true();
    if (v->is_constant)
        negated ^= !v->bits;
    else if (!v->def || v->def->op != IR_UNDEF)
        o.unit = demand(s, v);
    if (v->def && setp_is_test(v->def) && v->def->cmp == CMP_EQ)
        negated = !negated; // the unit holds "not zero"
    if (negated) o.o.flags = OPERAND_NOT;
    return o;
}

uint32_t select_literal(struct select *s, uint64_t bits)
{
    struct program *p = s->u->program;
    uint32_t offset;
    // register the literals of earlier functions
    for (uint32_t k = (uint32_t)s->literals.entries.count * 8; k < p->literal_bytes; k += 8) {
        uint64_t known;
        memcpy(&known, p->literals + k, 8);
        u64map_set(&s->literals, known, k);
    }
    if (u64map_get(&s->literals, bits, &offset)) return offset;
    offset = p->literal_bytes;
    if (!offset || is_power_of_two(offset)) { // capacity doubles
        uint8_t *grown = ARENA_ARRAY(&p->arena, uint8_t, offset ? 2 * offset : 8);
        if (offset) memcpy(grown, p->literals, offset);
        p->literals = grown;
    }
    memcpy(p->literals + offset, &bits, 8);
    p->literal_bytes += 8;
    u64map_set(&s->literals, bits, offset);
    return offset;
}

// -- the walk -----------------------------------------------------------------------------------------------

static bool is_asked_for(const struct select *s, const struct ir_inst *i)
{
    for (uint32_t k = 0; k < i->def_count; k++)
        if (s->units[i->defs[k]->id] != MACH_NONE || s->tests[i->defs[k]->id] != MACH_NONE) return true;
    return !ir_is_pure(i) && i->op != IR_SREG;
}

const struct select_row select_table[IR_OP_COUNT] = {
#define DIRECT(op)                                                                                           \
    {                                                                                                        \
        select_direct, { OP_##op }                                                                           \
    }
#define FLOAT(op32, op64, op16)                                                                              \
    {                                                                                                        \
        select_arithmetic, { OP_##op32, OP_##op64, OP_##op16 }                                               \
    }
#define AS(body, op)                                                                                         \
    {                                                                                                        \
        body, { OP_##op }                                                                                    \
    }
#define BY(body)                                                                                             \
    {                                                                                                        \
        body, { 0 }                                                                                          \
    }
#define ELSEWHERE                                                                                            \
    {                                                                                                        \
        NULL, { 0 }                                                                                          \
    }
#define IR(name, text, flags, types, shape, selection, meaning) [IR_##name] = selection,
#include "compile/ir/ir.def"
#undef IR
#undef ELSEWHERE
#undef BY
#undef AS
#undef FLOAT
#undef DIRECT
};

static void select_inst(struct select *s, struct ir_inst *i)
{
    select_body *body = select_table[i->op].body;
    if (!body || !is_asked_for(s, i)) return; // operations expanded before selection never get here
    s->cursor = s->block->first;
    s->chunk++;
    s->inst = i;
    s->lines = i->lines;
    s->made.count = 0;
    body(s, i);
    for (size_t k = 0; k < s->made.count; k++) s->made.data[k]->i.lines = s->lines;
}

static void select_block(struct select *s, struct ir_block *b)
{
    s->block = s->blocks[b->id];
    s->cache.count = 0;
    s->angles.count = 0;
    for (struct ir_inst *i = b->last; i; i = i->previous) select_inst(s, i);
}

// Sets one unit of a phi operand, in a form that a copy at the predecessor's end can take.
static void phi_operand(struct select *s, struct mach_phi *phi, uint32_t pred, struct ir_value *v,
                        unsigned half)
{
    v = strip(v);
    struct source o;
    if (v->def && v->def->op == IR_UNDEF) {
        phi->src[pred] = MACH_NONE;
        return;
    }
    if (v->class == IR_CLASS_PRED && v->is_constant) {
        o = source_true();
        if (!v->bits) o.o.flags = OPERAND_NOT;
    } else if (v->class == IR_CLASS_PRED) {
        o = source_true();
        o.unit = demand(s, v);
    } else {
        o = v->class == IR_CLASS_64 ? source_half(s, v, (enum half)half) : source_any(s, v);
    }
    phi->src[pred] = o.unit;
    phi->values[pred] = o.o;
}

static void select_phi(struct select *s, struct ir_inst *i)
{
    struct mach_block *b = s->blocks[i->block->id];
    uint32_t unit = demand(s, i->defs[0]);
    for (unsigned half = 0; half < class_width(i->defs[0]->class); half++) {
        struct mach_phi phi = {.dst = unit + half};
        phi.src = ARENA_ARRAY(s->arena, uint32_t, i->use_count);
        phi.values = ARENA_ARRAY(s->arena, struct operand, i->use_count);
        for (uint32_t k = 0; k < i->use_count; k++) phi_operand(s, &phi, k, i->uses[k].value, half);
        vec_push(&b->phis, phi);
    }
}

static void create_blocks(struct select *s)
{
    uint32_t count = s->ir->block_count, k = 0;
    s->blocks = ARENA_ARRAY(s->arena, struct mach_block *, count);
    s->f->blocks = ARENA_ARRAY(s->arena, struct mach_block *, count);
    s->f->block_count = count;
    for (struct ir_block *b = s->ir->first_block; b; b = b->next, k++) {
        struct mach_block *m = ARENA_NEW(s->arena, struct mach_block);
        *m = (struct mach_block){.id = k, .source = b, .loop_depth = b->loop_depth};
        s->blocks[b->id] = s->f->blocks[k] = m;
    }
    for (struct ir_block *b = s->ir->first_block; b; b = b->next) {
        struct mach_block *m = s->blocks[b->id];
        m->preds = ARENA_ARRAY(s->arena, struct mach_block *, b->pred_count);
        m->succs = ARENA_ARRAY(s->arena, struct mach_block *, b->succ_count);
        m->pred_count = b->pred_count;
        m->succ_count = b->succ_count;
        for (k = 0; k < b->pred_count; k++) m->preds[k] = s->blocks[b->preds[k]->id];
        for (k = 0; k < b->succ_count; k++) m->succs[k] = s->blocks[b->succs[k]->id];
    }
}

// Definitions dominate uses, so walking blocks in reverse of the reverse postorder selects users first. Phis
// request their operands before the walk: a loop's phi uses values defined below it.
struct mach_function *select_function(struct ir_function *ir, struct arena *a)
{
    struct select s = {.u = ir->unit, .ir = ir, .arena = a, .f = mach_function_create(ir, a)};
    s.profile = ir->unit->options->profile;
    s.return_unit = MACH_NONE;
    ir_analyse(ir);
    ir_number(ir);
    if (s.profile == PROFILE_PASCAL) known_init(&s.known, ir);
    s.units = ARENA_ARRAY(a, uint32_t, ir->value_count + 1);
    s.tests = ARENA_ARRAY(a, uint32_t, ir->value_count + 1);
    memset(s.units, 0xff, sizeof *s.units * ir->value_count);
    memset(s.tests, 0xff, sizeof *s.tests * ir->value_count);
    create_blocks(&s);
    struct ir_block **order = ARENA_ARRAY(a, struct ir_block *, ir->block_count);
    for (struct ir_block *b = ir->first_block; b; b = b->next)
        if (b->rpo < ir->block_count) order[b->rpo] = b;
    for (struct ir_block *b = ir->first_block; b; b = b->next)
        for (struct ir_inst *i = b->first; i && i->op == IR_PHI; i = i->next) select_phi(&s, i);
    for (uint32_t k = ir->block_count; k-- > 0;)
        if (order[k]) select_block(&s, order[k]);
    s.block = s.blocks[ir->first_block->id];
    select_entry(&s);
    if (s.profile == PROFILE_PASCAL) select_meetings(&s);
    vec_fini(&s.cache);
    vec_fini(&s.angles);
    vec_fini(&s.made);
    u64map_fini(&s.literals);
    known_fini(&s.known);
    return s.f;
}
