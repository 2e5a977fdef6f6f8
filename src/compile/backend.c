// Driver of the back end: selection, allocation and emission of every function in the unit. Afterwards the
// results that need the whole program: function addresses, stack depth, totals.
#include "compile/backend.h"
#include "base/bits.h"
#include "compile/allocate/allocate.h"
#include "compile/emit/emit.h"
#include "compile/ir/options.h"
#include "compile/mach/abi.h"
#include "compile/pass/passes.h"
#include "compile/schedule/schedule.h"
#include "compile/select/select.h"
#include "isa/modes.h"
#include "isa/sregs.h"
#include "isa/units.h"

#include <string.h>

struct compiled { // one function
    struct arena arena;
    struct mach_function *f;
    uint32_t frame_bytes; // own frame on the stack
    uint32_t stack_bytes; // own frame and the deepest chain of callees
    uint8_t visited;      // state of measure_stack. 1: in progress, 2: done
};

// -- before selection ---------------------------------------------------------------------------------------

// Removes blocks unreachable from the entry, since no code would define the phi operands that come from such
// blocks. Values defined in a removed block become undefined in the remaining blocks.
static void drop_unreachable(struct ir_function *f)
{
    ir_analyse(f);
    for (struct ir_block *b = f->first_block; b; b = b->next)
        if (b->rpo == UINT32_MAX)
            while (b->succ_count) ir_remove_edge(b, 0);
    for (struct ir_block *b = f->first_block, *next; b; b = next) {
        next = b->next;
        if (b->rpo != UINT32_MAX) continue;
        for (struct ir_inst *i = b->first; i; i = i->next)
            for (uint32_t k = 0; k < i->def_count; k++)
                if (i->defs[k]->use_count) {
                    struct ir_inst *undef =
                        ir_inst_create(f, IR_UNDEF, TYPE_NONE, 1, &i->defs[k]->class, 0, NULL);
                    ir_insert_before(f->first_block->last, undef);
                    ir_replace(i->defs[k], undef->defs[0]);
                }
    }
    for (struct ir_block *b = f->first_block, *next; b; b = next) {
        next = b->next;
        if (b->rpo == UINT32_MAX) ir_remove_block(f, b);
    }
}

// Merges all returns of a device function into one block, so that diverged lanes reconverge before the RET.
static void unify_returns(struct ir_function *f)
{
    VEC(struct ir_block *) returns = {0};
    for (struct ir_block *b = f->first_block; b; b = b->next)
        if (b->last && b->last->op == IR_RETURN) vec_push(&returns, b);
    if (returns.count > 1) {
        struct ir_block *join = ir_block_create(f, NULL);
        struct ir_value **results = ARENA_ARRAY(&f->unit->arena, struct ir_value *, f->result_count + 1);
        struct ir_value **operands = ARENA_ARRAY(&f->unit->arena, struct ir_value *, returns.count);
        for (uint32_t r = 0; r < f->result_count; r++) {
            enum ir_class class = (enum ir_class)f->result_classes[r];
            for (size_t k = 0; k < returns.count; k++) operands[k] = ir_operand(returns.data[k]->last, r);
            struct ir_inst *phi =
                ir_inst_create(f, IR_PHI, TYPE_NONE, 1, &class, (uint32_t)returns.count, operands);
            ir_append(join, phi);
            results[r] = phi->defs[0];
        }
        ir_append(join, ir_inst_create(f, IR_RETURN, TYPE_NONE, 0, NULL, f->result_count, results));
        for (size_t k = 0; k < returns.count; k++) {
            struct ir_inst *jump = ir_inst_create(f, IR_JUMP, TYPE_NONE, 0, NULL, 0, NULL);
            jump->lines = returns.data[k]->last->lines;
            ir_remove(returns.data[k]->last);
            ir_append(returns.data[k], jump);
            ir_add_edge(returns.data[k], join);
        }
    }
    vec_fini(&returns);
}

static void use_narrow_addresses(struct ir_function *f)
{
    const struct pass_context late = {.late = true};
    if (!narrow_addresses(f) || !f->unit->options->optimise) return;
    pass_simplify(f, &late);
    pass_values(f, &late);
    pass_dead(f, &late);
}

// -- the whole program --------------------------------------------------------------------------------------

// Computes stack_bytes: the function's frame plus the deepest callee. False: unbounded (recursion, CALLR).
static bool measure_stack(struct ir_unit *u, struct compiled *all, uint32_t which)
{
    struct compiled *c = &all[which];
    uint32_t deepest = 0;
    if (c->visited) return c->visited == 2;
    c->visited = 1;
    for (uint32_t k = 0; k < c->f->block_count; k++)
        for (struct mach_inst *i = c->f->blocks[k]->first; i; i = i->next) {
            if (i->i.op == OP_CALLR) return false;
            if (!i->callee) continue;
            uint32_t callee = 0;
            while (u->functions.data[callee] != i->callee) callee++;
            if (!measure_stack(u, all, callee)) return false;
            if (all[callee].stack_bytes > deepest) deepest = all[callee].stack_bytes;
        }
    c->stack_bytes = c->frame_bytes + deepest;
    c->visited = 2;
    return true;
}

static void set_stack(struct ir_unit *u, struct compiled *all)
{
    struct program *p = u->program;
    if (!all[0].f->has_calls) return;
    p->stack_unbounded = !measure_stack(u, all, 0);
    p->stack_bytes = p->stack_unbounded ? u->options->stack_bytes : all[0].stack_bytes;
    if (!p->stack_bytes) p->stack_bytes = 16;
}

static void note_services(struct program *p)
{
    for (uint32_t k = 0; k < p->inst_count; k++) {
        const struct inst *i = &p->insts[k];
        p->uses_textures |= isa_table[i->op].unit == UNIT_TEXTURE;
        p->uses_atomics |= isa_has(i, ISA_ATOMIC);
        p->uses_printf |= i->op == OP_SYSCALL && i->mode == MODE_SYS_VPRINTF;
        if (i->op != OP_S2R && i->op != OP_CS2R) continue;
        p->uses_clock |= i->src[0].reg >= SREG_CLOCK_LO && i->src[0].reg <= SREG_GLOBALTIMER;
    }
}

#define KEEP(p, vector, place, number)                                                                       \
    do {                                                                                                     \
        (place) = arena_alloc(&(p)->arena, sizeof *(place) * (vector)->count + 1);                           \
        if ((vector)->count) memcpy((place), (vector)->data, sizeof *(place) * (vector)->count);             \
        (number) = (uint32_t)(vector)->count;                                                                \
    } while (0)

static void fill_program(struct ir_unit *u, struct emitter *e, struct compiled *all)
{
    struct program *p = u->program;
    for (size_t k = 0; k < e->calls.count; k++)
        e->insts.data[e->calls.data[k].inst].target = e->functions.data[e->calls.data[k].function].first;
    for (uint32_t k = 0; k < p->symbol_count; k++)
        if (p->symbols[k].kind == SYMBOL_FUNCTION)
            p->symbols[k].value = e->functions.data[p->symbols[k].value].first;
    KEEP(p, &e->insts, p->insts, p->inst_count);
    KEEP(p, &e->tables, p->tables, p->table_count);
    KEEP(p, &e->functions, p->functions, p->function_count);
    p->profile = u->options->profile;
    p->reg_count = 1;
    for (size_t k = 0; k < u->functions.count; k++) {
        const struct mach_function *f = all[k].f;
        if (f->reg_count > p->reg_count) p->reg_count = f->reg_count;
        if (f->pred_count > p->pred_count) p->pred_count = f->pred_count;
        if (f->barrier_count > p->barrier_count) p->barrier_count = f->barrier_count;
        if (f->stack_pointer != MACH_NONE && p->reg_count <= ABI_STACK_POINTER)
            p->reg_count = ABI_STACK_POINTER + 1;
        p->spill_loads += f->spill_loads;
        p->spill_stores += f->spill_stores;
        p->spill_bytes += k ? 0 : f->spill_bytes;
    }
    p->local_bytes = emit_frame(all[0].f).bytes;
    set_stack(u, all);
    note_services(p);
}

static bool has_products(const struct ir_unit *u)
{
    for (size_t k = 0; k < u->functions.count; k++)
        for (const struct ir_block *b = u->functions.data[k]->first_block; b; b = b->next)
            for (const struct ir_inst *i = b->first; i; i = i->next)
                if (i->op == IR_MMA || i->op == IR_WGMMA) return true;
    return false;
}

// Registers of a thread by __launch_bounds__ (.maxntid, .minnctapersm): as many as let the blocks share an SM's register file,
// in eights. 0: no bound. Only kernels with matrix products are bounded: docs/explanation/tensor.md.
static unsigned launch_bound(const struct ir_unit *u)
{
    enum { FILE_REGISTERS = 65536, UNIT = 8, WARP = 32 };
    const struct ptx_function *kernel = u->functions.data[0]->source;
    if (!kernel || !kernel->min_blocks || !kernel->max_threads[0] || !has_products(u)) return 0;
    uint64_t threads = 1;
    for (unsigned k = 0; k < 3; k++) threads *= kernel->max_threads[k] ? kernel->max_threads[k] : 1;
    uint64_t most =
        FILE_REGISTERS / (kernel->min_blocks * ((threads + WARP - 1) / WARP * WARP)) / UNIT * UNIT;
    return most >= REG_LIMIT ? 0 : most < 2 * UNIT ? 2 * UNIT : (unsigned)most;
}

static const char *compile_function(struct ir_unit *u, struct compiled *c, struct ir_function *f,
                                    struct emitter *e)
{
    arena_init(&c->arena);
    drop_unreachable(f);
    unify_returns(f);
    if (u->options->profile == PROFILE_PTXPLUS && u->options->address_bits == 32) use_narrow_addresses(f);
    const char *wrong = u->options->check ? ir_verify(f) : NULL;
    if (wrong) return wrong;
    c->f = select_function(f, &c->arena);
    if (u->options->optimise) {
        mach_keep_constants(c->f);
        mach_schedule(c->f, u->options->profile != PROFILE_PASCAL);
    }
    unsigned limit = u->options->max_registers;
    if (!limit && f->source) limit = f->source->max_registers;
    if (!limit && u->functions.data[0]->source) limit = u->functions.data[0]->source->max_registers;
    if (!limit) limit = launch_bound(u);
    wrong = mach_allocate(c->f, limit, u->options->check);
    if (wrong) return arena_strndup(&u->arena, wrong, strlen(wrong));
    c->frame_bytes = f->is_kernel ? (uint32_t)abi_round(c->f->outgoing_bytes) : emit_frame(c->f).bytes;
    emit_function(e, c->f);
    return NULL;
}

const char *backend_compile(struct ir_unit *u)
{
    struct emitter e = {.u = u};
    struct compiled *all = ARENA_ARRAY(&u->arena, struct compiled, u->functions.count);
    const char *wrong = NULL;
    size_t count = 0;
    while (count < u->functions.count && !wrong) {
        wrong = compile_function(u, &all[count], u->functions.data[count], &e);
        count++;
    }
    if (!wrong) {
        fill_program(u, &e, all);
        wrong = program_check(u->program);
        if (wrong) wrong = arena_strndup(&u->arena, wrong, strlen(wrong));
    }
    for (size_t k = 0; k < count; k++) {
        if (all[k].f) mach_function_fini(all[k].f);
        arena_fini(&all[k].arena);
    }
    vec_fini(&e.insts);
    vec_fini(&e.tables);
    vec_fini(&e.functions);
    vec_fini(&e.calls);
    return wrong;
}
