// Initial values of .global and .const variables (PTX ISA 5.4.4).
//
//     initialiser := element | "{" [initialiser {"," initialiser}] "}"    one level of braces per dimension,
//                                                                          and one per vector
//     element     := constant | address | "generic" "(" NAME ")" ["+" N] | MASK "(" address ")"
//     address     := NAME ["+" N]
//
// Addresses become relocations. A mask such as 0xff00(x) stores one byte of an address.
#include "base/bits.h"
#include "ptx/parse_impl.h"

#include <string.h>

static const uint64_t INIT_BYTES_MAX = 1ull << 30; // initialised data of a module

struct initialiser {
    struct ptx_variable *v;
    unsigned element_bytes;
    VEC(uint8_t) bytes; // initial value, up to the last element given so far
    VEC(struct ptx_relocation) relocations;
};

static void put(struct initialiser *init, uint64_t offset, uint64_t value)
{
    size_t end = offset + init->element_bytes;
    if (init->bytes.count < end) {
        vec_reserve(&init->bytes, end);
        memset(init->bytes.data + init->bytes.count, 0, end - init->bytes.count);
        init->bytes.count = end;
    }
    memcpy(init->bytes.data + offset, &value, init->element_bytes < 8 ? init->element_bytes : 8);
}

// NAME or generic(NAME), with an offset: sets symbol, addend and `generic` of a relocation.
static bool parse_address(struct parser *p, struct ptx_relocation *r)
{
    struct token name = p->t;
    parse_advance(p);
    if (token_is(&name, "generic", 7) && at(p, TOKEN_LPAREN)) {
        parse_advance(p);
        r->generic = true;
        name = p->t;
        if (!at(p, TOKEN_NAME)) return parse_error(p, "expected a variable in generic(…)");
        parse_advance(p);
        if (!parse_expect(p, TOKEN_RPAREN, "after generic(name")) return false;
    }
    const struct binding *b = scope_find(p, name.text, name.length);
    if (b && b->kind == NAME_VARIABLE)
        r->variable = b->variable;
    else if (b && b->kind == NAME_FUNCTION)
        r->function = b->function;
    else
        return scope_unknown(p, &name, NAME_VARIABLE, "variable");
    return (!at(p, TOKEN_PLUS) && !at(p, TOKEN_MINUS)) || parse_constant_i64(p, &r->addend);
}

// "0xff00(x)": the mask selects one byte of the address.
static bool parse_masked_address(struct parser *p, struct initialiser *init, struct ptx_relocation *r)
{
    struct loc loc = parse_here(p);
    uint64_t mask = p->t.value;
    parse_advance(p);
    parse_advance(p);
    unsigned shift = mask ? bit_lowest(mask) : 1;
    if (shift % 8 || mask >> shift != 0xff)
        return diag_error(p->d, loc, "the mask of an address must be one byte: 0xff, 0xff00, 0xff0000 …");
    if (init->element_bytes != 1)
        return diag_error(p->d, loc, "a masked address is one byte; this element has %u",
                          init->element_bytes);
    r->shift = (uint8_t)shift;
    if (!at(p, TOKEN_NAME)) return parse_error(p, "expected a name in mask(…)");
    return parse_address(p, r) && parse_expect(p, TOKEN_RPAREN, "after the masked address");
}

static bool at_mask(const struct parser *p)
{
    if (!at(p, TOKEN_INT)) return false;
    struct lexer probe = p->lex;
    struct token next;
    while (probe.at < probe.end && (*probe.at == ' ' || *probe.at == '\t')) probe.at++;
    if (probe.at >= probe.end || *probe.at != '(') return false;
    lex_next(&probe, &next);
    return true;
}

static bool parse_element(struct parser *p, struct initialiser *init, uint64_t offset)
{
    struct ptx_relocation r = {.offset = offset, .size = (uint8_t)init->element_bytes};
    struct loc loc = parse_here(p);
    enum ptx_type type = init->v->type;
    bool masked = at_mask(p);
    if (masked || (at(p, TOKEN_NAME) && !token_is(&p->t, "WARP_SZ", 7))) {
        if (ptx_type_is_float(type))
            return diag_error(p->d, loc, "an address does not fit a .%s", ptx_type_name(type));
        if (!masked && init->element_bytes < 4)
            return diag_error(p->d, loc, "an address does not fit a .%s; take one byte with 0xff(name)",
                              ptx_type_name(type));
        put(init, offset, 0);
        if (!(masked ? parse_masked_address(p, init, &r) : parse_address(p, &r))) return false;
        vec_push(&init->relocations, r);
        return true;
    }
    struct constant c;
    uint64_t bits;
    if (!parse_constant(p, &c)) return false;
    bool decimal = type == PTX_B32 && c.literal == LITERAL_F64; // "1.5" in a .b32 is an f32, as in ptxas
    if (!expr_to_type(c, decimal ? PTX_F32 : type, &bits))
        return diag_error(p->d, loc, "this constant does not initialise a .%s; expected %s",
                          ptx_type_name(type),
                          c.literal == LITERAL_INT ? "a floating-point constant such as 1.0" : "an integer");
    put(init, offset, bits);
    return true;
}

// Declared shape of the values: one level per array dimension, outermost first, and one for a vector.
struct shape {
    const uint64_t *counts; // values per level; counts[0] == 0: as many as in the text
    unsigned levels;
};

// Parses the values of one level of braces, for the place `offset` in bytes. *count: number of values.
static bool parse_level(struct parser *p, struct initialiser *init, const struct shape *shape, unsigned level,
                        uint64_t offset, uint64_t *count)
{
    if (level == shape->levels) return parse_element(p, init, offset);
    uint64_t stride = init->element_bytes, ignored;
    for (unsigned i = level + 1; i < shape->levels; i++) stride *= shape->counts[i];
    *count = 0;
    if (!parse_expect(p, TOKEN_LBRACE, "to begin the values of an array")) return false;
    if (parse_accept(p, TOKEN_RBRACE)) return true;
    do {
        if (shape->counts[level] && *count >= shape->counts[level])
            return parse_error(p, "more values than the %llu elements declared",
                               (unsigned long long)shape->counts[level]);
        if (offset + (*count + 1) * stride > INIT_BYTES_MAX - p->init_bytes)
            return parse_error(p, "more than 1 GiB of initialised data");
        if (!parse_level(p, init, shape, level + 1, offset + *count * stride, &ignored)) return false;
        ++*count;
    } while (parse_accept(p, TOKEN_COMMA));
    return parse_expect(p, TOKEN_RBRACE, "after the values of an array");
}

static bool finish(struct parser *p, struct initialiser *init)
{
    struct ptx_variable *v = init->v;
    if (v->size_bytes > INIT_BYTES_MAX - p->init_bytes)
        return diag_error(p->d, v->loc, "more than 1 GiB of initialised data");
    p->init_bytes += v->size_bytes;
    v->init = arena_alloc(p->arena, v->size_bytes);
    if (init->bytes.count) memcpy(v->init, init->bytes.data, init->bytes.count);
    v->relocations = ARENA_COPY(p->arena, &init->relocations);
    v->relocation_count = (uint32_t)init->relocations.count;
    return true;
}

// "{ addr_mode_0 = clamp_to_border, … }": initial state of a texture or sampler. Instructions using the
// variable are refused.
static bool skip_opaque_initialiser(struct parser *p, struct ptx_variable *v)
{
    if (!at(p, TOKEN_LBRACE))
        return parse_error(p, "expected '{' before the state of a .%s", ptx_type_name(v->type));
    v->unsupported = arena_printf(p->arena, "a .%s with an initial state", ptx_type_name(v->type));
    return parse_skip_braces(p);
}

bool parse_initialiser(struct parser *p, struct ptx_variable *v, const uint64_t *dimensions, unsigned rank)
{
    struct initialiser init = {.v = v, .element_bytes = ptx_type_bits(v->type) / 8};
    uint64_t counts[INIT_DEPTH_MAX], count = 0;
    struct shape shape = {counts, rank};
    if (v->type == PTX_TEXREF || v->type == PTX_SAMPLERREF || v->type == PTX_SURFREF)
        return skip_opaque_initialiser(p, v);
    if (!init.element_bytes || v->type == PTX_F16 || v->type == PTX_BF16)
        return diag_error(p->d, v->loc, "a .%s has no initial value; use the bits in a .b16",
                          ptx_type_name(v->type));
    memcpy(counts, dimensions, rank * sizeof *counts);
    if (v->vector > 1) counts[shape.levels++] = v->vector;
    bool good = parse_level(p, &init, &shape, 0, 0, &count);
    if (good && rank && !dimensions[0]) {
        v->size_bytes = count * init.element_bytes * v->vector;
        for (unsigned i = 1; i < rank; i++) v->size_bytes *= dimensions[i];
    }
    good = good && finish(p, &init);
    vec_fini(&init.bytes);
    vec_fini(&init.relocations);
    return good;
}
