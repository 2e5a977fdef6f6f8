// Lowering of the kernel and its functions: creation of blocks, the order of filling, and block ends.
//
// Blocks keep the textual order and are filled dominators first, so that values are defined before their uses
// (ssa.h). If the first block is the target of a jump, an extra entry block precedes it.
#include "compile/lower/lower.h"
#include "compile/ir/options.h"
#include "compile/lower/impl.h"
#include "isa/inst.h"
#include "isa/program.h"

#include <string.h>

lower_body *const lower_bodies[PTX_OP_COUNT] = {
#define BODY(op, function) [PTX_OP_##op] = function,
#define END(op)            [PTX_OP_##op] = NULL,
#include "compile/lower/bodies.def"
#undef END
#undef BODY
};

// Proof at compile time that lower/bodies.def has a row for every PTX instruction marked RUN in ptx.def.
enum {
#define BODY(op, function) LOWERS_##op,
#define END(op)            LOWERS_##op,
#include "compile/lower/bodies.def"
#undef END
#undef BODY
};
#define LOWERED_RUN(op) _Static_assert(LOWERS_##op >= 0, "lower/bodies.def has a row for it");
#define LOWERED_REFUSE(op)
#define PTX(op, text, support) LOWERED_##support(op)
#include "ptx/ptx.def"
#undef PTX

void lower_refuse(struct lower *l, const char *what)
{
    if (l->u->failed) return;
    l->u->failed = true;
    struct loc loc = l->inst ? l->inst->loc : l->ptx->loc;
    diag_error(l->u->diag, loc, "kernel '%s' uses %s, not executed by warpfold (docs/reference/ptx.md)",
               l->u->kernel->name, what);
}

// -- blocks -------------------------------------------------------------------------------------------------

// Creates the IR blocks. Returns an array by index in cut->blocks, NULL: unreachable.
static struct ir_block **make_blocks(struct lower *l)
{
    const struct cut *cut = &l->source->cut;
    struct ir_block **blocks = ARENA_ARRAY(&l->u->unit->arena, struct ir_block *, cut->count);
    bool first_is_target = false;
    for (uint32_t k = 0; k < cut->count; k++)
        for (uint32_t n = 0; cut->blocks[k].reached && n < cut->blocks[k].succ_count; n++)
            first_is_target |= cut->blocks[k].succs[n] == 0;
    struct ir_block *entry = first_is_target ? ir_block_create(l->f, NULL) : NULL;
    for (uint32_t k = 0; k < cut->count; k++)
        if (cut->blocks[k].reached) blocks[k] = ir_block_create(l->f, NULL);
    if (entry) ir_add_edge(entry, blocks[0]);
    for (uint32_t k = 0; k < cut->count; k++)
        for (uint32_t n = 0; blocks[k] && n < cut->blocks[k].succ_count; n++)
            ir_add_edge(blocks[k], blocks[cut->blocks[k].succs[n]]);
    return blocks;
}

// -- SSA variables ------------------------------------------------------------------------------------------

static uint32_t number_registers(struct lower *l)
{
    uint32_t next = 0;
    l->register_variable = ARENA_ARRAY(&l->u->unit->arena, uint32_t, l->ptx->reg_count);
    for (uint32_t k = 0; k < l->ptx->reg_count; k++) {
        l->register_variable[k] = next;
        next += l->ptx->regs[k].type == PTX_B128 ? 2 : 1;
    }
    return next;
}

static uint8_t *variable_classes(struct lower *l, uint32_t count)
{
    uint8_t *classes = ARENA_ARRAY(&l->u->unit->arena, uint8_t, count); // words of parameters have 32 bits
    for (uint32_t k = 0; k < l->ptx->reg_count; k++) {
        enum ptx_type type = l->ptx->regs[k].type;
        uint8_t *class = &classes[l->register_variable[k]];
        class[0] = type == PTX_PRED ? IR_CLASS_PRED : ptx_type_bits(type) >= 64 ? IR_CLASS_64 : IR_CLASS_32;
        if (type == PTX_B128) class[1] = IR_CLASS_64;
    }
    classes[l->carry_variable] = IR_CLASS_PRED;
    return classes;
}

static void prepare_ssa(struct lower *l, struct ir_block *const *blocks)
{
    l->carry_variable = number_registers(l);
    uint32_t count = lower_places(l, l->carry_variable + 1);
    ir_analyse(l->f);
    ssa_init(&l->ssa, l->f, count, variable_classes(l, count));
    lower_note_all(l, blocks);
    ssa_place(&l->ssa);
}

// -- filling ------------------------------------------------------------------------------------------------

static uint32_t line_set(struct lower_unit *u, uint32_t line_info)
{
    uint32_t *known = &u->line_sets[line_info];
    if (!*known) *known = 1 + ir_line_set_of(u->unit, line_info);
    return *known - 1;
}

static void begin_inst(struct lower *l, const struct ptx_inst *i)
{
    l->inst = i;
    l->lines = line_set(l->u, i->line_info);
    l->guard = NULL;
}

static struct ir_value *guard_value(struct lower *l, const struct ptx_inst *i)
{
    return ssa_read(&l->ssa, l->register_variable[i->guard]);
}

static void lower_one(struct lower *l, const struct ptx_inst *i, bool alone)
{
    begin_inst(l, i);
    if (i->guard >= 0 && !alone) {
        struct ir_value *p = guard_value(l, i);
        uint64_t bit;
        if (ir_constant_bits(p, &bit)) { // constant guard: always or never
            if ((bit != 0) == i->guard_negated) return;
        } else {
            l->guard = p;
            l->guard_not = i->guard_negated;
        }
    }
    lower_bodies[i->op](l);
    l->guard = NULL;
}

static void end_inst(struct lower *l, enum ir_op op, uint32_t use_count, struct ir_value *use)
{
    struct ir_inst *i = lower_inst(l, op, TYPE_NONE, 0, NULL, use_count, &use);
    if (l->inst && l->inst->uniform) i->flags |= INST_UNIFORM;
}

static void end_branch(struct lower *l, const struct ptx_inst *i)
{
    begin_inst(l, i);
    struct ir_value *p = guard_value(l, i);
    end_inst(l, IR_BRANCH, 1, i->guard_negated ? lower_not(l, p) : p);
}

static void end_function(struct lower *l, bool exits)
{
    if (exits || l->f->is_kernel)
        end_inst(l, IR_EXIT, 0, NULL);
    else
        lower_return(l);
}

static void end_block(struct lower *l, const struct cut_block *b)
{
    const struct ptx_inst *last = b->end > b->first ? &l->ptx->insts[b->end - 1] : NULL;
    switch (b->how) {
    case CUT_THROUGH: end_inst(l, IR_JUMP, 0, NULL); break;
    case CUT_JUMP:
        begin_inst(l, last);
        end_inst(l, IR_JUMP, 0, NULL);
        break;
    case CUT_BRANCH: end_branch(l, last); break;
    case CUT_GUARD: end_branch(l, &l->ptx->insts[b->end]); break;
    case CUT_SWITCH:
        begin_inst(l, last);
        end_inst(l, IR_SWITCH, 1, lower_read(l, 0, PTX_U32));
        break;
    case CUT_LEAVE:
        if (last) begin_inst(l, last);
        end_function(l, last && last->op == PTX_OP_EXIT);
        break;
    }
}

static void fill_block(struct lower *l, const struct cut_block *b)
{
    bool last_ends =
        b->how == CUT_JUMP || b->how == CUT_BRANCH || b->how == CUT_SWITCH || b->how == CUT_LEAVE;
    uint32_t end = last_ends && b->end > b->first ? b->end - 1 : b->end;
    for (uint32_t k = b->first; k < end; k++) lower_one(l, &l->ptx->insts[k], b->alone);
    end_block(l, b);
}

// Fills an IR block. cut == NULL: the extra entry block.
static void lower_block(struct lower *l, struct ir_block *b, const struct cut_block *cut)
{
    l->block = b;
    l->lines = 0;
    l->inst = NULL;
    ssa_begin(&l->ssa, b);
    if (b == l->f->first_block) lower_enter(l);
    if (cut)
        fill_block(l, cut);
    else
        end_inst(l, IR_JUMP, 0, NULL);
    ssa_end(&l->ssa, b);
}

static void lower_function(struct lower_unit *u, uint32_t index)
{
    const struct reach_function *source = &u->reach->functions.data[index];
    struct lower l = {.u = u, .f = u->functions[index], .source = source, .ptx = source->function};
    struct ir_block **blocks = make_blocks(&l);
    prepare_ssa(&l, blocks);
    const struct cut_block **cut_of = ARENA_ARRAY(&l.ssa.scratch, const struct cut_block *, l.f->block_count);
    for (uint32_t k = 0; k < source->cut.count; k++)
        if (blocks[k]) cut_of[blocks[k]->id] = &source->cut.blocks[k];
    uint32_t count;
    struct ir_block **order = ssa_order(&l.ssa, &count);
    for (uint32_t k = 0; k < count && !u->failed; k++) lower_block(&l, order[k], cut_of[order[k]->id]);
    if (!u->failed) ssa_finish(&l.ssa);
    ssa_fini(&l.ssa);
    u64map_fini(&l.places);
    u64map_fini(&l.locals);
    vec_fini(&l.place_list);
}

// -- the unit -----------------------------------------------------------------------------------------------

static void create_functions(struct lower_unit *u)
{
    const struct reach *r = u->reach;
    u->functions = ARENA_ARRAY(&u->unit->arena, struct ir_function *, r->functions.count);
    for (uint32_t k = 0; k < r->functions.count; k++) {
        const struct reach_function *source = &r->functions.data[k];
        struct ir_function *f = ir_function_create(u->unit, source->function->name, k == 0);
        f->source = source->function;
        f->address_taken = source->address_taken;
        if (k) lower_signature(f, &source->function->prototype);
        u->functions[k] = f;
    }
}

// Adds symbols of the functions that indirect calls may reach, or whose addresses occur in initialised variables.
static void add_data_symbols(struct lower_unit *u)
{
    for (size_t k = 1; k < u->reach->functions.count; k++)
        if (u->reach->functions.data[k].address_taken)
            lower_add_function_symbol(u, u->reach->functions.data[k].function);
    for (size_t k = 0; k < u->reach->variables.count; k++) {
        const struct ptx_variable *v = u->reach->variables.data[k];
        for (uint32_t n = 0; n < v->relocation_count; n++)
            if (v->relocations[n].function) lower_add_function_symbol(u, v->relocations[n].function);
    }
}

static void fill_program(struct lower_unit *u)
{
    struct program *p = u->unit->program;
    layout_describe(u->layout, p, u->kernel);
    p->target_sm = u->module->target_sm;
    p->symbol_count = (uint32_t)u->symbols.count;
    p->symbols = ARENA_ARRAY(&p->arena, struct program_symbol, u->symbols.count);
    if (u->symbols.count) memcpy(p->symbols, u->symbols.data, u->symbols.count * sizeof *p->symbols);
}

static bool lower_all(struct lower_unit *u)
{
    create_functions(u);
    for (uint32_t k = 0; k < u->reach->functions.count && !u->failed; k++) lower_function(u, k);
    if (u->failed) return false;
    add_data_symbols(u);
    fill_program(u);
    inline_calls(u->unit);
    return true;
}

struct ir_unit *lower_kernel(const struct ptx_module *m, const struct ptx_function *kernel,
                             const struct compile_options *o, struct diag *d)
{
    struct reach reach;
    struct layout layout = {0};
    struct lower_unit u = {.module = m, .kernel = kernel, .reach = &reach, .layout = &layout, .diag = d};
    if (reach_kernel(&reach, m, kernel, d) && layout_make(&layout, m, kernel, &reach, d)) {
        u.unit = ir_unit_create(m, o);
        u.unit->program->profile = o->profile;
        u.line_sets = ARENA_ARRAY(&u.unit->arena, uint32_t, m->line_info_count + 1);
        if (!lower_all(&u)) {
            ir_unit_destroy(u.unit);
            u.unit = NULL;
        }
    }
    vec_fini(&u.symbols);
    layout_fini(&layout);
    reach_fini(&reach);
    return u.unit;
}
