// Addresses of variables, of frames, of memory operands; generic address windows (PTX ISA 5.1, 6.4.1).
//
//     space    address of a variable                     generic address
//     global   symbol, filled in by the loader           the same
//     shared   offset in the block's shared memory       ISA_SHARED_WINDOW + offset
//     local    offset in the thread's local memory       ISA_LOCAL_WINDOW + offset
//     const    offset in bank BANK_USER                  of the bank's copy in global memory:
//                                                        first symbol + offset
//     param    kernel: offset in bank BANK_LAUNCH        of a copy in the frame, made at entry on demand
//              device function: of a copy in its own     of the local copy
//              or the caller's frame
#include "compile/lower/impl.h"
#include "isa/bank.h"
#include "isa/program.h"
#include "isa/space.h"

#include <string.h>

static uint64_t key_of(const void *p) { return (uint64_t)(uintptr_t)p; }

// -- symbols ------------------------------------------------------------------------------------------------

static struct ir_value *make_symbol(struct lower *l, uint32_t index)
{
    struct ir_value *v = lower_make(l, IR_SYMBOL, TYPE_U64, IR_CLASS_64, 0, NULL);
    v->def->offset = index;
    return v;
}

static uint32_t add_symbol(struct lower_unit *u, const void *key, struct program_symbol s)
{
    uint32_t index;
    if (u64map_get(&u->unit->symbols, key_of(key), &index)) return index;
    index = (uint32_t)u->symbols.count;
    s.name = arena_strndup(&u->unit->program->arena, s.name, strlen(s.name));
    u64map_set(&u->unit->symbols, key_of(key), index);
    vec_push(&u->symbols, s);
    return index;
}

struct ir_value *lower_symbol(struct lower *l, const struct ptx_variable *v)
{
    bool is_texture = v->type == PTX_TEXREF || v->type == PTX_SAMPLERREF || v->type == PTX_SURFREF;
    enum program_symbol_kind kind = is_texture                    ? SYMBOL_TEXTURE
                                    : v->space == PTX_SPACE_CONST ? SYMBOL_CONST
                                                                  : SYMBOL_GLOBAL;
    return make_symbol(l,
                       add_symbol(l->u, v, (struct program_symbol){.kind = kind, .name = v->name, .key = v}));
}

uint32_t lower_add_function_symbol(struct lower_unit *u, const struct ptx_function *f)
{
    uint32_t index = 0;
    u64map_get(&u->reach->function_index, key_of(f), &index);
    struct program_symbol s = {.kind = SYMBOL_FUNCTION, .name = f->name, .value = index};
    return add_symbol(u, f, s);
}

struct ir_value *lower_function_symbol(struct lower *l, const struct ptx_function *f)
{
    return make_symbol(l, lower_add_function_symbol(l->u, f));
}

// -- frames -------------------------------------------------------------------------------------------------

enum { FRAME_ALIGN_MAX = 16 }; // bytes: width of the widest access, and alignment of frames
static const uint64_t FRAME_LIMIT = 1u << 24;

uint32_t lower_frame_alloc(struct lower *l, uint64_t size_bytes, uint32_t align_bytes)
{
    uint64_t align = align_bytes > FRAME_ALIGN_MAX ? FRAME_ALIGN_MAX : align_bytes ? align_bytes : 1;
    uint64_t offset = align_up(l->f->frame_bytes, align);
    if (size_bytes > FRAME_LIMIT || offset + size_bytes > FRAME_LIMIT) {
        lower_refuse(l, "more than 16 MiB of local memory in one function");
        return 0;
    }
    l->f->frame_bytes = (uint32_t)(offset + size_bytes);
    return (uint32_t)offset;
}

struct ir_value *lower_frame(struct lower *l, uint32_t offset)
{
    struct ir_value *v = lower_make(l, IR_FRAME, TYPE_U32, IR_CLASS_32, 0, NULL);
    v->def->offset = offset;
    return v;
}

static struct ir_value *local_variable(struct lower *l, const struct ptx_variable *v)
{
    uint32_t offset;
    if (!v->function) lower_refuse(l, "a .local variable outside functions");
    if (!u64map_get(&l->locals, key_of(v), &offset)) {
        offset = lower_frame_alloc(l, v->size_bytes, v->align_bytes);
        u64map_set(&l->locals, key_of(v), offset);
    }
    return lower_frame(l, offset);
}

// -- variables ----------------------------------------------------------------------------------------------

static struct ir_value *place_address(struct lower *l, const struct place *p)
{
    return p->kind == PLACE_POINTER ? p->pointer : lower_frame(l, p->frame_offset);
}

struct ir_value *lower_variable_address(struct lower *l, const struct ptx_variable *v)
{
    switch (v->space) {
    case PTX_SPACE_SHARED:
    case PTX_SPACE_CONST: return wide(l, layout_offset(l->u->layout, v));
    case PTX_SPACE_LOCAL: return lower_to_wide(l, PTX_U32, local_variable(l, v));
    case PTX_SPACE_PARAM: {
        const struct place *p = lower_place(l, v);
        if (!p) return wide(l, BANK_LAUNCH_PARAMS + v->offset);
        return lower_to_wide(l, PTX_U32, place_address(l, p));
    }
    case PTX_SPACE_GENERIC:
    case PTX_SPACE_REG:
    case PTX_SPACE_SREG:
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_TEX:
    case PTX_SPACE_SHARED_CLUSTER: break;
    }
    return lower_symbol(l, v);
}

// -- memory operands ----------------------------------------------------------------------------------------

static enum isa_space machine_space(enum ptx_space space)
{
    switch (space) {
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_TEX: return SPACE_GLOBAL;
    case PTX_SPACE_SHARED: return SPACE_SHARED;
    case PTX_SPACE_LOCAL: return SPACE_LOCAL;
    case PTX_SPACE_CONST: return SPACE_CONST;
    case PTX_SPACE_GENERIC:
    case PTX_SPACE_REG:
    case PTX_SPACE_SREG:
    case PTX_SPACE_PARAM:
    case PTX_SPACE_SHARED_CLUSTER: break;
    }
    return SPACE_GENERIC;
}

static struct address variable_operand(struct lower *l, const struct ptx_variable *v)
{
    struct address a = {.space = (uint8_t)machine_space(v->space), .bank = BANK_USER};
    if (v->space == PTX_SPACE_PARAM) {
        const struct place *p = lower_place(l, v);
        if (!p) {
            a = (struct address){.space = SPACE_CONST, .bank = BANK_LAUNCH};
            a.base = word(l, (uint32_t)(BANK_LAUNCH_PARAMS + v->offset));
        } else if (p->kind == PLACE_WORDS) {
            a.words = p;
        } else {
            a.space = SPACE_LOCAL;
            a.base = place_address(l, p);
        }
        return a;
    }
    a.base = lower_variable_address(l, v);
    if (a.space != SPACE_GLOBAL) a.base = lower_low(l, a.base);
    return a;
}

static struct address register_operand(struct lower *l, const struct ptx_operand *o, enum ptx_space space)
{
    struct address a = {.space = (uint8_t)machine_space(space), .bank = BANK_USER};
    const struct ptx_operand reg = {.kind = PTX_OPERAND_REG, .reg = o->reg};
    if (o->reg >= 0)
        a.base = lower_read_operand(l, &reg, lower_register_bits(l, &reg) == 64 ? PTX_U64 : PTX_U32);
    else
        a.base = wide(l, o->imm);
    if (space == PTX_SPACE_PARAM) {
        a.space = l->f->is_kernel ? SPACE_CONST : SPACE_LOCAL;
        a.bank = BANK_LAUNCH;
    }
    if (a.space != SPACE_GENERIC && a.space != SPACE_GLOBAL) a.base = lower_low(l, a.base);
    return a;
}

struct address lower_address(struct lower *l, const struct ptx_operand *o, enum ptx_space space)
{
    struct address a = o->variable ? variable_operand(l, o->variable) : register_operand(l, o, space);
    uint64_t bits;
    a.offset = o->offset;
    if (!a.base) return a;
    if (ir_constant_bits(a.base, &bits)) { // fold the offset into the base
        a.base = ir_constant(l->f, a.base->class, bits + (uint64_t)a.offset);
        a.offset = 0;
    } else if (a.offset != (int32_t)a.offset) { // an instruction holds offsets of 32 bits
        bool is_wide = a.base->class == IR_CLASS_64;
        struct ir_value *offset = ir_constant(l->f, a.base->class, (uint64_t)a.offset);
        a.base = op2(l, IR_ADD, is_wide ? TYPE_U64 : TYPE_U32, a.base, offset);
        a.offset = 0;
    }
    return a;
}

// -- generic addresses --------------------------------------------------------------------------------------

// Value to add to an address in `space` to make the address generic. NULL: nothing to add.
static struct ir_value *window_of(struct lower *l, enum ptx_space space)
{
    switch (space) {
    case PTX_SPACE_SHARED: return wide(l, ISA_SHARED_WINDOW);
    case PTX_SPACE_LOCAL: return wide(l, ISA_LOCAL_WINDOW);
    case PTX_SPACE_CONST:
        return l->u->layout->first_const ? lower_symbol(l, l->u->layout->first_const) : NULL;
    case PTX_SPACE_PARAM: return wide(l, (uint64_t)ISA_LOCAL_WINDOW + l->params_copy - BANK_LAUNCH_PARAMS);
    case PTX_SPACE_GENERIC:
    case PTX_SPACE_REG:
    case PTX_SPACE_SREG:
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_TEX:
    case PTX_SPACE_SHARED_CLUSTER: break;
    }
    return NULL;
}

void lower_cvta(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    enum isa_type t = lower_type(type);
    enum ptx_space space = l->inst->space;
    struct ir_value *a = lower_read(l, 1, type), *window = window_of(l, space);
    if (window) {
        if (t == TYPE_U32) window = lower_low(l, window);
        a = op2(l, l->inst->to ? IR_SUB : IR_ADD, t, a, window);
    }
    lower_write(l, 0, a);
}

// The generic windows of shared and local memory have 16 MiB each: the address bits from 24 up identify a
// window. The two windows are adjacent; an address outside both is global.
void lower_isspacep(struct lower *l)
{
    bool is_wide = lower_register_bits(l, &l->inst->operands[1]) != 32;
    enum isa_type t = is_wide ? TYPE_U64 : TYPE_U32;
    enum ir_class class = is_wide ? IR_CLASS_64 : IR_CLASS_32;
    struct ir_value *a = lower_read(l, 1, is_wide ? PTX_U64 : PTX_U32), *r = flag(l, false);
    const struct layout *layout = l->u->layout;
    if (l->inst->space == PTX_SPACE_SHARED || l->inst->space == PTX_SPACE_LOCAL) {
        uint32_t window = l->inst->space == PTX_SPACE_SHARED ? ISA_SHARED_WINDOW : ISA_LOCAL_WINDOW;
        struct ir_value *high = op2(l, IR_SHR, t, a, word(l, 24));
        r = lower_compare(l, CMP_EQ, t, high, ir_constant(l->f, class, window >> 24));
    } else if (l->inst->space == PTX_SPACE_GLOBAL) {
        struct ir_value *high = op2(l, IR_SHR, t, a, word(l, 25));
        r = lower_compare(l, CMP_NE, t, high, ir_constant(l->f, class, ISA_SHARED_WINDOW >> 25));
    } else if (l->inst->space == PTX_SPACE_CONST && layout->first_const) {
        struct ir_value *base = lower_symbol(l, layout->first_const);
        struct ir_value *offset = op2(l, IR_SUB, t, a, is_wide ? base : lower_low(l, base));
        r = lower_compare(l, CMP_LT, t, offset, ir_constant(l->f, class, layout->const_bytes));
    }
    lower_write(l, 0, r);
}
_Static_assert(ISA_LOCAL_WINDOW == ISA_SHARED_WINDOW + (1u << 24) && (ISA_SHARED_WINDOW & 0x1ffffff) == 0,
               "isspacep.global treats both windows as a single window of 32 MiB");
