// Texture fetches, surface accesses and their queries (PTX ISA 9.7.10, 9.7.11).
//
//     tex   d, [texture, sampler, {coordinates}], level or gradients       tld4  d, [texture, sampler, {coordinates}]
//     suld  d, [surface, {coordinates}]        sust, sured  [surface, {coordinates}], value
//
// The parser splits the brackets: texture and coordinates are operands of their own.
#include "ptx/check.h"
#include "ptx/names.h"

#include <string.h>

unsigned ptx_texture_place(enum ptx_op op) { return op == PTX_OP_SUST || op == PTX_OP_SURED ? 0 : 1; }

unsigned ptx_coordinates_place(const struct ptx_inst *i)
{
    unsigned k = ptx_texture_place(i->op);
    if (i->op == PTX_OP_TXQ || i->op == PTX_OP_SUQ) return k;
    return k + 1 + (i->operand_count > k + 2 && i->operands[k + 1].kind != PTX_OPERAND_VECTOR);
}

bool ptx_is_layered(enum ptx_mode geometry)
{
    return geometry == PTX_MODE_TEX_A1D || geometry == PTX_MODE_TEX_A2D || geometry == PTX_MODE_TEX_ACUBE;
}

unsigned ptx_coordinate_count(enum ptx_mode geometry)
{
    switch ((int)geometry) {
    case PTX_MODE_TEX_1D: return 1;
    case PTX_MODE_TEX_2D:
    case PTX_MODE_TEX_A1D: return 2;
    case PTX_MODE_TEX_ACUBE: return 4;
    default: return 3;
    }
}

static bool check_name_of(struct check *c, struct ptx_operand *o, enum ptx_type kind)
{
    if (o->kind == PTX_OPERAND_SYMBOL && o->variable->type == kind) {
        if (o->variable->space == PTX_SPACE_PARAM)
            c->i->unsupported = "a texture, sampler or surface as a parameter";
        return true;
    }
    if (o->kind == PTX_OPERAND_REG && check_fits(PTX_U64, check_reg_type(c, o))) return true;
    return check_wrong(c, o,
                       kind == PTX_TEXREF    ? "a .texref or a 64-bit register with a texture object"
                       : kind == PTX_SURFREF ? "a .surfref or a 64-bit register with a surface object"
                                             : "a .samplerref or a 64-bit register with a sampler");
}

static void put_in_braces(struct check *c, struct ptx_operand *o)
{
    struct ptx_operand *one = parse_copy_array(c->p->arena, o, sizeof *o);
    *o = (struct ptx_operand){
        .kind = PTX_OPERAND_VECTOR, .reg = -1, .count = 1, .elements = one, .loc = o->loc};
}

// Coordinates: of layers first the layer. One coordinate may stand without braces. A vector may be longer than the
// geometry needs; more elements are ignored. Three coordinates have no vector of their own length and take four.
static bool check_coordinates(struct check *c, struct ptx_operand *o, enum ptx_type type)
{
    enum ptx_mode geometry = c->i->mode;
    unsigned count = ptx_coordinate_count(geometry);
    if (count == 1 && (o->kind == PTX_OPERAND_REG || (o->kind == PTX_OPERAND_IMM && c->i->op != PTX_OP_TEX)))
        put_in_braces(c, o);
    bool shape = o->kind == PTX_OPERAND_VECTOR && o->count >= count && o->count != 3 && o->count <= 4;
    if (!shape)
        return check_wrong(c, o,
                           count == 1   ? "a vector of 1 coordinate"
                           : count == 2 ? "a vector of 2 coordinates"
                           : count == 3 ? "a vector of 4 coordinates, the last of which is ignored"
                                        : "a vector of 4 coordinates");
    for (unsigned e = 0; e < o->count; e++) {
        bool is_layer = !e && ptx_is_layered(geometry), is_extra = e >= count;
        if (!check_source(c, &o->elements[e], is_layer ? PTX_U32 : is_extra ? PTX_B32 : type)) return false;
    }
    if (count < 3) o->count = (uint8_t)count;
    return true;
}

// The vector of results, d or d|p.
static bool check_results(struct check *c, struct ptx_operand *d)
{
    struct ptx_inst *i = c->i;
    if (d->kind == PTX_OPERAND_PAIR) {
        struct ptx_operand *resident = &d->elements[1];
        if (resident->kind != PTX_OPERAND_SINK && !check_dest_predicate(c, resident)) return false;
        d = &d->elements[0];
    }
    if (d->kind != PTX_OPERAND_VECTOR || d->count != i->vector)
        return check_wrong(c, d, "a vector of as many registers as .v4 or .v2 says");
    unsigned count = i->types[0] == PTX_F16X2 ? 2 : 4;
    if (i->vector != count)
        return check_says(c,
                          count == 2 ? "'tex.f16x2' gives two words: expected .v2"
                                     : "'%s' gives four elements: expected .v4",
                          ptx_op_name(i->op));
    for (unsigned e = 0; e < d->count; e++)
        if (d->elements[e].kind != PTX_OPERAND_SINK && !check_dest(c, &d->elements[e], i->types[0]))
            return false;
    return true;
}

// One of the two gradients of tex.grad.
static bool check_gradient(struct check *c, struct ptx_operand *o)
{
    unsigned count = ptx_coordinate_count(c->i->mode) - ptx_is_layered(c->i->mode);
    if (count == 3) count = 4;
    if (o->kind != PTX_OPERAND_VECTOR || o->count != count)
        return check_wrong(c, o,
                           count == 1   ? "a vector of 1 gradient"
                           : count == 2 ? "a vector of 2 gradients"
                                        : "a vector of 4 gradients, the last of which is ignored");
    for (unsigned e = 0; e < count; e++)
        if (!check_source(c, &o->elements[e], PTX_F32)) return false;
    return true;
}

static bool check_level(struct check *c, unsigned first)
{
    struct ptx_inst *i = c->i;
    struct ptx_operand *o = &i->operands[first];
    switch (i->level) {
    case PTX_LEVEL_NONE:
    case PTX_LEVEL_BASE: return true;
    case PTX_LEVEL_GIVEN:
        if (o->kind == PTX_OPERAND_VECTOR && o->count == 1) *o = o->elements[0];
        return check_source(c, o, i->types[1]);
    case PTX_LEVEL_GRADIENT: return check_gradient(c, o) && check_gradient(c, o + 1);
    }
    return true;
}

bool check_texture(struct check *c)
{
    struct ptx_inst *i = c->i;
    bool gathers = i->op == PTX_OP_TLD4;
    if (i->operand_count < 3)
        return check_says(c, "'%s' needs a destination vector and [texture, coordinates]",
                          ptx_op_name(i->op));
    bool is_cube = i->mode == PTX_MODE_TEX_CUBE || i->mode == PTX_MODE_TEX_ACUBE;
    if (is_cube && i->types[1] != PTX_F32) return check_says(c, "a cube takes coordinates of type .f32");
    if (gathers && (i->mode == PTX_MODE_TEX_1D || i->mode == PTX_MODE_TEX_3D || i->mode == PTX_MODE_TEX_A1D))
        return check_says(c, "'tld4' needs a geometry of two dimensions");
    if (gathers && !strchr("rgba", i->fragment))
        return check_says(c, "'tld4' needs a component: .r, .g, .b or .a");
    unsigned place = ptx_coordinates_place(i), extra = i->level == PTX_LEVEL_GIVEN      ? 1
                                                       : i->level == PTX_LEVEL_GRADIENT ? 2
                                                                                        : 0;
    if (i->operand_count < place + 1 + extra)
        return check_says(c, extra == 1 ? "'tex.level' needs a level behind the coordinates"
                                        : "'tex.grad' needs two gradients behind the coordinates");
    if (i->operand_count > place + 1 + extra) { // offsets, depth compare
        i->unsupported = ptx_unsupported_form;
        return true;
    }
    if (!check_results(c, &i->operands[0]) || !check_name_of(c, &i->operands[1], PTX_TEXREF)) return false;
    if (place == 3 && !check_name_of(c, &i->operands[2], PTX_SAMPLERREF)) return false;
    return check_coordinates(c, &i->operands[place], i->types[1]) && check_level(c, place + 1);
}

bool check_texture_query(struct check *c)
{
    return check_count(c, 2, 2) && check_dest(c, &c->i->operands[0], PTX_B32) &&
           check_name_of(c, &c->i->operands[1], c->i->op == PTX_OP_SUQ ? PTX_SURFREF : PTX_TEXREF);
}

// ---- surfaces

static bool check_reduction(struct check *c)
{
    struct ptx_inst *i = c->i;
    bool is_bits = i->types[0] == PTX_B32 || i->types[0] == PTX_B64;
    switch ((int)i->atom) {
    case PTX_ATOM_ADD:
        if (!is_bits && i->types[0] != PTX_S64) return true;
        break;
    case PTX_ATOM_MIN:
    case PTX_ATOM_MAX:
        if (!is_bits) return true;
        break;
    case PTX_ATOM_AND:
    case PTX_ATOM_OR:
        if (i->types[0] == PTX_B32) return true;
        break;
    default: break;
    }
    return check_says(
        c, "'sured' adds .u32, .s32 or .u64, takes the smaller or larger integer, and has .and and .or "
           "of .b32");
}

bool check_surface(struct check *c)
{
    struct ptx_inst *i = c->i;
    bool loads = i->op == PTX_OP_SULD;
    if (i->fragment == 'p' && !loads) { // formatted: the surface converts
        i->unsupported = ptx_unsupported_form;
        return true;
    }
    if (i->fragment != 'b') return check_says(c, "'%s' needs .b", ptx_op_name(i->op));
    if (i->mode == PTX_MODE_TEX_CUBE || i->mode == PTX_MODE_TEX_ACUBE ||
        (i->op == PTX_OP_SURED && ptx_is_layered(i->mode)))
        return check_says(c, "'%s' has no such geometry", ptx_op_name(i->op));
    if (i->op == PTX_OP_SURED && !check_reduction(c)) return false;
    if (i->vector * ptx_type_bits(i->types[0]) > 128) return check_says(c, "an access of more than 128 bits");
    if (i->operand_count != 3)
        return check_says(c, "'%s' needs [surface, coordinates] and a %s", ptx_op_name(i->op),
                          loads ? "destination" : "value");
    unsigned place = ptx_texture_place(i->op);
    struct ptx_operand *value = &i->operands[loads ? 0 : 2];
    if (value->kind == PTX_OPERAND_VECTOR && value->count == 1) *value = value->elements[0];
    if (value->kind == PTX_OPERAND_SINK) return check_wrong(c, value, "a register");
    bool good = i->op == PTX_OP_SURED ? check_source(c, value, i->types[0])
                : loads               ? check_loaded(c, value)
                                      : check_stored(c, value);
    return good && check_name_of(c, &i->operands[place], PTX_SURFREF) &&
           check_coordinates(c, &i->operands[place + 1], PTX_S32);
}
