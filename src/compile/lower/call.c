// Calls (PTX ISA 9.7.12.5) and the passing of parameters and results (lower.h). Guarded calls are already
// branches.
#include "compile/lower/impl.h"
#include "isa/bank.h"
#include "isa/modes.h"
#include "isa/program.h"
#include "isa/space.h"

// -- pieces: the values of a parameter or result ------------------------------------------------------------

struct pieces {
    uint32_t count;
    enum ptx_type type; // of every piece: B32 or B64
    uint32_t bytes;     // distance of pieces in memory
    bool by_address;
};

static struct pieces pieces_of(const struct ptx_variable *v)
{
    uint32_t bits = ptx_type_bits(v->type);
    bool scalar = v->space == PTX_SPACE_REG || (!v->is_array && v->vector == 1);
    if (!scalar && v->size_bytes > LOWER_SPLIT_BYTES) return (struct pieces){1, PTX_B32, 4, true};
    if (!scalar) return (struct pieces){(uint32_t)align_up(v->size_bytes, 4) / 4, PTX_B32, 4, false};
    if (bits == 128) return (struct pieces){2, PTX_B64, 8, false};
    bool is_wide = bits == 64 || bits == 0; // opaque handles have 64 bits
    return (struct pieces){1, is_wide ? PTX_B64 : PTX_B32, is_wide ? 8 : 4, false};
}

static enum ir_class class_of(const struct pieces *p)
{
    return p->type == PTX_B64 ? IR_CLASS_64 : IR_CLASS_32;
}

void lower_signature(struct ir_function *f, const struct ptx_prototype *t)
{
    VEC(enum ir_class) params = {0};
    VEC(uint8_t) results = {0};
    for (uint32_t k = 0; k < t->param_count; k++) {
        struct pieces p = pieces_of(t->params[k]);
        for (uint32_t n = 0; n < p.count; n++) vec_push(&params, class_of(&p));
    }
    for (uint32_t k = 0; k < t->return_count; k++) {
        struct pieces p = pieces_of(t->returns[k]);
        if (p.by_address) vec_push(&params, IR_CLASS_32);
        for (uint32_t n = 0; n < p.count && !p.by_address; n++) vec_push(&results, (uint8_t)class_of(&p));
    }
    f->param_count = (uint32_t)params.count;
    f->params = ARENA_ARRAY(&f->unit->arena, struct ir_value *, params.count);
    for (uint32_t k = 0; k < f->param_count; k++) {
        f->params[k] = ir_value_create(f, params.data[k]);
        f->params[k]->is_param = true;
    }
    f->result_count = (uint32_t)results.count;
    f->result_classes = ARENA_ARRAY(&f->unit->arena, uint8_t, results.count);
    for (uint32_t k = 0; k < f->result_count; k++) f->result_classes[k] = results.data[k];
    vec_fini(&params);
    vec_fini(&results);
}

static struct address piece_address(struct lower *l, const struct ptx_variable *v, const struct pieces *p,
                                    uint32_t n)
{
    const struct ptx_operand o = {.kind = PTX_OPERAND_MEMORY,
                                  .reg = -1,
                                  .offset = n * p->bytes,
                                  .variable = (struct ptx_variable *)(uintptr_t)v};
    return lower_address(l, &o, PTX_SPACE_PARAM);
}

static struct ir_value *load_piece(struct lower *l, const struct ptx_variable *v, const struct pieces *p,
                                   uint32_t n)
{
    struct address a = piece_address(l, v, p, n);
    return lower_load_value(l, &a, p->type);
}

static void store_piece(struct lower *l, const struct ptx_variable *v, const struct pieces *p, uint32_t n,
                        struct ir_value *value)
{
    struct address a = piece_address(l, v, p, n);
    lower_store_value(l, &a, p->type, value);
}

// -- the callee's side --------------------------------------------------------------------------------------

static void enter_register(struct lower *l, const struct ptx_variable *v, const struct pieces *p,
                           uint32_t next)
{
    for (uint32_t n = 0; n < p->count; n++)
        ssa_write(&l->ssa, l->register_variable[v->reg] + n, l->f->params[next + n]);
}

static void enter_pointer(struct lower *l, const struct ptx_variable *v, struct ir_value *pointer)
{
    uint32_t index;
    if (u64map_get(&l->places, (uint64_t)(uintptr_t)v, &index)) l->place_list.data[index].pointer = pointer;
}

// Copies the parameters of a kernel to its frame, for generic addresses of parameters.
static void copy_params(struct lower *l)
{
    uint32_t bytes = (uint32_t)align_up(l->ptx->prototype.param_bytes, 4);
    l->params_copy = lower_frame_alloc(l, bytes, 16);
    for (uint32_t k = 0; k < bytes; k += 4) {
        struct address from = {
            .space = SPACE_CONST, .bank = BANK_LAUNCH, .base = word(l, BANK_LAUNCH_PARAMS + k)};
        struct address to = {.space = SPACE_LOCAL, .base = word(l, l->params_copy + k)};
        lower_store_value(l, &to, PTX_B32, lower_load_value(l, &from, PTX_B32));
    }
}

void lower_enter(struct lower *l)
{
    const struct ptx_prototype *t = &l->ptx->prototype;
    uint32_t next = 0;
    if (l->f->is_kernel) {
        if (l->u->reach->takes_params) copy_params(l);
        return;
    }
    for (uint32_t k = 0; k < t->param_count; k++) {
        const struct ptx_variable *v = t->params[k];
        struct pieces p = pieces_of(v);
        if (v->space == PTX_SPACE_REG)
            enter_register(l, v, &p, next);
        else if (p.by_address)
            enter_pointer(l, v, l->f->params[next]);
        else
            for (uint32_t n = 0; n < p.count; n++) store_piece(l, v, &p, n, l->f->params[next + n]);
        next += p.count;
    }
    for (uint32_t k = 0; k < t->return_count; k++)
        if (pieces_of(t->returns[k]).by_address) enter_pointer(l, t->returns[k], l->f->params[next++]);
}

void lower_return(struct lower *l)
{
    const struct ptx_prototype *t = &l->ptx->prototype;
    VEC(struct ir_value *) results = {0};
    for (uint32_t k = 0; k < t->return_count; k++) {
        const struct ptx_variable *v = t->returns[k];
        struct pieces p = pieces_of(v);
        for (uint32_t n = 0; n < p.count && !p.by_address; n++) {
            struct ir_value *value = v->space == PTX_SPACE_REG
                                         ? ssa_read(&l->ssa, l->register_variable[v->reg] + n)
                                         : load_piece(l, v, &p, n);
            vec_push(&results, value);
        }
    }
    lower_inst(l, IR_RETURN, TYPE_NONE, 0, NULL, (uint32_t)results.count, results.data);
    vec_fini(&results);
}

// -- the caller's side --------------------------------------------------------------------------------------

struct call {
    VEC(struct ir_value *) uses;
    VEC(enum ir_class) results;
};

static bool is_param_variable(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_SYMBOL && o->variable->space == PTX_SPACE_PARAM;
}

static struct ir_value *address_of(struct lower *l, const struct ptx_operand *o)
{
    const struct place *p = is_param_variable(o) ? lower_place(l, o->variable) : NULL;
    if (!p || p->kind == PLACE_WORDS) {
        lower_refuse(l, "a call with a large argument or result and no .param of the same size");
        return word(l, 0);
    }
    return lower_low(l, lower_variable_address(l, o->variable));
}

static void pass_argument(struct lower *l, struct call *c, const struct ptx_variable *formal,
                          const struct ptx_operand *o)
{
    struct pieces p = pieces_of(formal);
    if (p.by_address) {
        vec_push(&c->uses, address_of(l, o));
    } else if (is_param_variable(o)) {
        for (uint32_t n = 0; n < p.count; n++) vec_push(&c->uses, load_piece(l, o->variable, &p, n));
    } else if (p.count == 2 && p.type == PTX_B64) {
        struct ir_value *halves[2];
        lower_read_b128(l, o, halves);
        vec_push(&c->uses, halves[0]);
        vec_push(&c->uses, halves[1]);
    } else {
        vec_push(&c->uses, lower_read_operand(l, o, p.type));
    }
}

static void take_result(struct lower *l, const struct ptx_variable *formal, const struct ptx_operand *o,
                        struct ir_value *const *defs)
{
    struct pieces p = pieces_of(formal);
    for (uint32_t n = 0; n < p.count; n++) {
        if (is_param_variable(o))
            store_piece(l, o->variable, &p, n, defs[n]);
        else if (o->kind == PTX_OPERAND_REG)
            lower_write_variable(l, l->register_variable[o->reg] + n, defs[n]);
    }
}

static void make_call(struct lower *l, const struct ptx_prototype *t, struct ir_function *callee,
                      struct ir_value *target)
{
    const struct ptx_inst *i = l->inst;
    struct call c = {0};
    if (target) vec_push(&c.uses, target);
    for (uint32_t k = 0; k < t->param_count && k < i->call_argument_count; k++)
        pass_argument(l, &c, t->params[k], &i->call_arguments[k]);
    for (uint32_t k = 0; k < t->return_count && k < i->call_return_count; k++) {
        struct pieces p = pieces_of(t->returns[k]);
        if (p.by_address) vec_push(&c.uses, address_of(l, &i->call_returns[k]));
        for (uint32_t n = 0; n < p.count && !p.by_address; n++) vec_push(&c.results, class_of(&p));
    }
    struct ir_inst *call = lower_inst(l, target ? IR_CALLR : IR_CALL, TYPE_NONE, (uint32_t)c.results.count,
                                      c.results.data, (uint32_t)c.uses.count, c.uses.data);
    call->callee = callee;
    struct ir_value *const *defs = call->defs;
    for (uint32_t k = 0; k < t->return_count && k < i->call_return_count; k++) {
        struct pieces p = pieces_of(t->returns[k]);
        if (p.by_address) continue;
        take_result(l, t->returns[k], &i->call_returns[k], defs);
        defs += p.count;
    }
    vec_fini(&c.uses);
    vec_fini(&c.results);
}

// -- services of the machine --------------------------------------------------------------------------------

static struct ir_value *service_argument(struct lower *l, unsigned index, enum ptx_type type)
{
    const struct ptx_operand *o = &l->inst->call_arguments[index];
    struct pieces p = {.count = 1, .type = type, .bytes = 8};
    return is_param_variable(o) ? load_piece(l, o->variable, &p, 0) : lower_read_operand(l, o, type);
}

static void call_vprintf(struct lower *l)
{
    static const enum ir_class result = IR_CLASS_32;
    const struct ptx_inst *p = l->inst;
    struct ir_value *uses[] = {service_argument(l, 0, PTX_B64), service_argument(l, 1, PTX_B64)};
    struct ir_inst *i = lower_inst(l, IR_SYSCALL, TYPE_NONE, 1, &result, 2, uses);
    i->mode = MODE_SYS_VPRINTF;
    l->u->unit->program->uses_printf = true;
    if (!p->call_return_count) return;
    const struct ptx_operand *r = &p->call_returns[0];
    struct pieces pieces = {.count = 1, .type = PTX_B32, .bytes = 4};
    if (is_param_variable(r))
        store_piece(l, r->variable, &pieces, 0, i->defs[0]);
    else
        lower_write_operand(l, r, i->defs[0]);
}

// Fills the record of isa.def's SYS_ASSERTFAIL in the frame: message, file, line, function, character size.
// Then calls the service with the record's address.
static void call_assertfail(struct lower *l)
{
    static const enum ptx_type types[] = {PTX_B64, PTX_B64, PTX_B32, PTX_B64, PTX_B64};
    enum { FIELDS = 5, RECORD_BYTES = 40 };
    if (!l->assert_frame) l->assert_frame = lower_frame_alloc(l, RECORD_BYTES, 8) + 1;
    struct ir_value *record = lower_frame(l, l->assert_frame - 1);
    for (unsigned k = 0; k < FIELDS; k++) {
        struct address a = {.space = SPACE_LOCAL, .base = record, .offset = 8 * k};
        lower_store_value(l, &a, types[k], service_argument(l, k, types[k]));
    }
    struct ir_value *generic =
        op2(l, IR_ADD, TYPE_U64, lower_to_wide(l, PTX_U32, record), wide(l, ISA_LOCAL_WINDOW));
    lower_inst(l, IR_SYSCALL, TYPE_NONE, 0, NULL, 1, &generic)->mode = MODE_SYS_ASSERTFAIL;
}

void lower_call(struct lower *l)
{
    const struct ptx_inst *i = l->inst;
    const struct ptx_function *f = i->call_target.function;
    if (i->call_target.kind != PTX_OPERAND_FUNCTION) {
        make_call(l, i->call_prototype, NULL, lower_read_operand(l, &i->call_target, PTX_U64));
        return;
    }
    enum reach_service service = reach_service_of(f);
    unsigned wanted = service == SERVICE_VPRINTF ? 2 : 5;
    if (service != SERVICE_NONE && i->call_argument_count != wanted) {
        lower_refuse(l, service == SERVICE_VPRINTF ? "vprintf without its two arguments"
                                                   : "__assertfail without its five arguments");
    } else if (service == SERVICE_VPRINTF) {
        call_vprintf(l);
    } else if (service == SERVICE_ASSERTFAIL) {
        call_assertfail(l);
    } else {
        uint32_t index = 0;
        u64map_get(&l->u->reach->function_index, (uint64_t)(uintptr_t)f, &index);
        make_call(l, &f->prototype, l->u->functions[index], NULL);
    }
}
