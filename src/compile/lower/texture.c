// Texture fetches, surface accesses and queries (PTX ISA 9.7.10, 9.7.11). The texture object determines filtering,
// addressing, layers and faces; the sampler operand of the independent mode is ignored.
//
// A surface access is an address (SUEAU) and an ordinary access to global memory at that address. The predicate beside
// the address says that the coordinates are inside; .zero accesses nothing outside, .trap accesses an address that no
// allocation can have.
#include "compile/lower/impl.h"
#include "isa/bank.h"
#include "isa/modes.h"
#include "isa/program.h"
#include "isa/space.h"

// A texture handle: from a register, from a parameter, or bound by the loader to the name of a .texref.
static struct ir_value *texture(struct lower *l, const struct ptx_operand *o)
{
    const struct ptx_variable *v = o->variable;
    l->u->unit->program->uses_textures = true;
    if (!v) return lower_read_operand(l, o, PTX_U64);
    if (v->space != PTX_SPACE_PARAM) return lower_symbol(l, v);
    struct ir_value *handle = lower_make(l, IR_BANK, TYPE_U64, IR_CLASS_64, 0, NULL);
    handle->def->bank = BANK_LAUNCH;
    handle->def->offset = BANK_LAUNCH_PARAMS + (int64_t)v->offset;
    return handle;
}

// The machine's geometry: a layer is the last coordinate, and a cube has three.
static uint8_t geometry(enum ptx_mode mode)
{
    switch ((int)mode) {
    case PTX_MODE_TEX_1D: return MODE_TEX_1D;
    case PTX_MODE_TEX_2D:
    case PTX_MODE_TEX_A1D: return MODE_TEX_2D;
    default: return MODE_TEX_3D;
    }
}

// Reads the coordinates into `to`, a layer behind the others. Returns their number.
static unsigned read_coordinates(struct lower *l, const struct ptx_operand *at, enum ptx_type type,
                                 struct ir_value **to)
{
    enum ptx_mode mode = l->inst->mode;
    bool layered = ptx_is_layered(mode);
    unsigned count = ptx_coordinate_count(mode);
    for (unsigned k = 0; k < count; k++) {
        const struct ptx_operand *o = at->kind == PTX_OPERAND_VECTOR ? &at->elements[k] : at;
        bool is_layer = layered && !k;
        to[is_layer ? count - 1 : k - layered] = lower_read_operand(l, o, is_layer ? PTX_U32 : type);
    }
    return count;
}

static unsigned read_gradients(struct lower *l, const struct ptx_operand *o, unsigned count,
                               struct ir_value **to)
{
    for (unsigned k = 0; k < count; k++)
        to[k] = k < o->count ? lower_read_operand(l, &o->elements[k], PTX_F32) : word(l, 0);
    return count;
}

// The level or the gradients behind the coordinates. Returns the number of values.
static unsigned read_level(struct lower *l, const struct ptx_operand *first, unsigned width,
                           struct ir_value **to)
{
    const struct ptx_inst *p = l->inst;
    switch (p->level) {
    case PTX_LEVEL_NONE:
    case PTX_LEVEL_BASE: break;
    case PTX_LEVEL_GIVEN:
        to[0] = lower_read_operand(l, first, p->types[1]);
        if (p->types[1] == PTX_S32) {
            to[0] = op1(l, IR_CVT, TYPE_F32, to[0]);
            to[0]->def->type2 = TYPE_S32;
            to[0]->def->round = ROUND_RN;
        }
        return 1;
    case PTX_LEVEL_GRADIENT:
        read_gradients(l, first, width, to);
        return width + read_gradients(l, first + 1, width, to + width);
    }
    return 0;
}

static enum ir_fetch fetch_kind(const struct ptx_inst *p)
{
    if (p->op == PTX_OP_TLD4) return FETCH_GATHER;
    return p->level == PTX_LEVEL_GIVEN      ? FETCH_LEVEL
           : p->level == PTX_LEVEL_GRADIENT ? FETCH_GRADIENT
                                            : FETCH_PLAIN;
}

// Halves of the fetched floats.
static void write_halves(struct lower *l, const struct ptx_operand *d, const struct ir_inst *i)
{
    bool packed = l->inst->types[0] == PTX_F16X2;
    for (unsigned k = 0; k < d->count; k++) {
        struct ir_value *v = packed ? op2(l, IR_CVTPACK, TYPE_F16X2, i->defs[2 * k + 1], i->defs[2 * k])
                                    : op1(l, IR_CVT, TYPE_F16, i->defs[k]);
        v->def->type2 = TYPE_F32;
        v->def->round = ROUND_RN;
        lower_write_operand(l, &d->elements[k], v);
    }
}

// tex.LEVEL.GEOMETRY.v4.TYPE.CTYPE {d, …}, [texture, {coordinates}], level   or   [texture, sampler, {coordinates}]
void lower_tex(struct lower *l)
{
    static const enum ir_class classes[] = {IR_CLASS_32, IR_CLASS_32, IR_CLASS_32, IR_CLASS_32};
    static const char components[] = "rgba";
    const struct ptx_inst *p = l->inst;
    const struct ptx_operand *d = lower_pair(&p->operands[0], 0), *resident = lower_pair(&p->operands[0], 1);
    bool halves = p->types[0] == PTX_F16 || p->types[0] == PTX_F16X2;
    unsigned at = ptx_coordinates_place(p);
    struct ir_value *uses[FETCH_USES_MAX] = {texture(l, &p->operands[1])};
    unsigned count = 1 + read_coordinates(l, &p->operands[at], p->types[1], &uses[1]);
    uint8_t mode = geometry(p->mode);
    count += read_level(l, &p->operands[at + 1], (unsigned)(mode - MODE_TEX_1D) + 1, &uses[count]);
    struct ir_inst *i =
        lower_effect(l, IR_TEX, halves ? TYPE_F32 : lower_type(p->types[0]), 4, classes, count, uses);
    i->mode = mode;
    i->type2 = (uint8_t)lower_type(p->types[1]);
    i->offset = (int64_t)fetch_kind(p);
    if (p->op == PTX_OP_TLD4) i->bank = (uint8_t)(strchr(components, p->fragment) - components);
    if (halves)
        write_halves(l, d, i);
    else if (d->kind == PTX_OPERAND_VECTOR)
        for (unsigned k = 0; k < d->count && k < 4; k++) lower_write_def(l, &d->elements[k], i, k);
    else
        lower_write_def(l, d, i, 0);
    if (resident) lower_write_operand(l, resident, flag(l, true));
}

void lower_txq(struct lower *l)
{
    struct ir_value *handle = texture(l, &l->inst->operands[1]);
    struct ir_value *r = lower_make(l, IR_TXQ, TYPE_U32, IR_CLASS_32, 1, &handle);
    // the layers of a texture are its depth
    r->def->mode = l->inst->mode == PTX_MODE_TXQ_LAYERS
                       ? (uint8_t)MODE_TXQ_DEPTH
                       : (uint8_t)(MODE_TXQ_WIDTH + (l->inst->mode - PTX_MODE_TXQ_WIDTH));
    lower_write(l, 0, r);
}

// -- surfaces -----------------------------------------------------------------------------------------------

// The address of the access, and the predicate: its coordinates are inside.
static struct address surface(struct lower *l, unsigned bytes, struct ir_value **inside)
{
    static const enum ir_class classes[] = {IR_CLASS_64, IR_CLASS_PRED};
    const struct ptx_inst *p = l->inst;
    unsigned place = ptx_texture_place(p->op);
    struct ir_value *uses[FETCH_USES_MAX] = {texture(l, &p->operands[place])};
    unsigned count = 1 + read_coordinates(l, &p->operands[place + 1], PTX_S32, &uses[1]);
    struct ir_inst *i = lower_inst(l, IR_SUADDR, TYPE_U64, 2, classes, count, uses);
    i->mode = geometry(p->mode);
    i->offset = bytes;
    i->bank = p->boundary == PTX_BOUNDARY_CLAMP;
    *inside = i->defs[1];
    return (struct address){.space = SPACE_GLOBAL, .base = i->defs[0]};
}

// The access happens under the instruction's guard; of .zero only where the coordinates are inside.
static void guard_access(struct lower *l, struct ir_value *inside)
{
    if (l->inst->boundary != PTX_BOUNDARY_ZERO) return;
    if (l->guard) {
        struct ir_value *guard = l->guard_not ? lower_not(l, l->guard) : l->guard;
        inside = lower_combine(l, PTX_BOOL_AND, guard, inside);
    }
    l->guard = inside;
    l->guard_not = false;
}

static unsigned access_bytes(const struct ptx_inst *p) { return p->vector * ptx_type_bits(p->types[0]) / 8; }

void lower_suld(struct lower *l)
{
    const struct ptx_inst *p = l->inst;
    const struct ptx_operand *d = &p->operands[0];
    struct ir_value *inside;
    struct address a = surface(l, access_bytes(p), &inside);
    if (p->boundary == PTX_BOUNDARY_ZERO) // lanes outside keep this
        for (unsigned k = 0; k < (d->kind == PTX_OPERAND_VECTOR ? d->count : 1); k++) {
            const struct ptx_operand *o = d->kind == PTX_OPERAND_VECTOR ? &d->elements[k] : d;
            lower_write_operand(l, o, lower_register_bits(l, o) == 64 ? wide(l, 0) : word(l, 0));
        }
    guard_access(l, inside);
    lower_load_elements(l, a, d, lower_type0(l));
}

void lower_sust(struct lower *l)
{
    struct ir_value *inside;
    struct address a = surface(l, access_bytes(l->inst), &inside);
    guard_access(l, inside);
    lower_store_elements(l, a, &l->inst->operands[2], lower_type0(l));
}

void lower_sured(struct lower *l)
{
    struct ir_value *inside, *v = lower_read_extended(l, 2, lower_type0(l));
    struct address a = surface(l, access_bytes(l->inst), &inside);
    guard_access(l, inside);
    lower_reduce_at(l, &a, v, lower_type0(l));
}
