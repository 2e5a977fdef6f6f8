// Declarations of variables, registers and parameters (PTX ISA 5.4, 11.6).
//
//     variables  := space {attribute} declarator {"," declarator} ";"
//     registers  := ".reg" {attribute} NAME ["<" N ">"] {"," NAME ["<" N ">"]} ";"
//     parameters := "(" [(".param" | ".reg") {attribute} declarator {"," …}] ")"
//     attribute  := ".align" N | ".v2" | ".v4" | type | ".attribute" "(" … ")" | ".ptr" [space] [".align" N]
//     declarator := NAME {"[" [expression] "]"} ["=" initialiser]
#include "base/bits.h"
#include "ptx/names.h"
#include "ptx/parse_impl.h"

#include <string.h>

enum { RANK_MAX = 16 };
static const uint64_t OBJECT_BYTES_MAX = 1ull << 40;

struct declaration {
    enum ptx_space space;
    enum ptx_type type;
    uint32_t align_bytes; // 0 = natural
    uint8_t vector;
    bool is_managed;
};

bool parse_type_word(const struct token *t, enum ptx_type *type)
{
    for (int i = PTX_NONE + 1; i < PTX_TYPE_COUNT; i++) {
        const char *name = ptx_type_name((enum ptx_type)i);
        if (token_is(t, name, strlen(name))) {
            *type = (enum ptx_type)i;
            return true;
        }
    }
    return false;
}

bool parse_space_word(const struct token *t, enum ptx_space *space)
{
    static const enum ptx_space declared[] = {PTX_SPACE_CONST, PTX_SPACE_GLOBAL, PTX_SPACE_LOCAL,
                                              PTX_SPACE_PARAM, PTX_SPACE_SHARED, PTX_SPACE_TEX};
    for (size_t i = 0; i < sizeof declared / sizeof declared[0]; i++) {
        const char *name = ptx_space_name(declared[i]);
        if (token_is(t, name, strlen(name))) {
            *space = declared[i];
            return true;
        }
    }
    return false;
}

static bool parse_align(struct parser *p, uint32_t *align_bytes)
{
    struct token number = p->t;
    if (!parse_u32(p, "a power of two after .align", align_bytes)) return false;
    if (is_power_of_two(*align_bytes) && *align_bytes <= 1u << 20) return true;
    return diag_error(p->d, lex_loc(&p->lex, &number), "alignment must be a power of two up to 1048576");
}

// After ".attribute": "(.managed)", "(.unified(0x1, 0x2))".
static bool parse_attribute(struct parser *p, struct declaration *d)
{
    if (!parse_expect(p, TOKEN_LPAREN, "after .attribute")) return false;
    uint32_t depth = 1;
    while (depth) {
        if (parse_at_dot(p, "managed")) d->is_managed = true;
        if (at(p, TOKEN_LPAREN)) depth++;
        if (at(p, TOKEN_RPAREN)) depth--;
        if (at(p, TOKEN_END) || at(p, TOKEN_SEMICOLON))
            return parse_error(p, "expected ')' to end .attribute");
        parse_advance(p);
    }
    return true;
}

// ".ptr .global .align 8": the target of a pointer parameter. Skipped, since the launch's buffers say more.
static bool skip_pointer_hint(struct parser *p)
{
    enum ptx_space space;
    uint32_t align_bytes;
    if (at(p, TOKEN_DOT) && parse_space_word(&p->t, &space)) parse_advance(p);
    return !parse_accept_dot(p, "align") || parse_align(p, &align_bytes);
}

static bool parse_attributes(struct parser *p, struct declaration *d)
{
    while (at(p, TOKEN_DOT)) {
        if (parse_accept_dot(p, "align")) {
            if (!parse_align(p, &d->align_bytes)) return false;
        } else if (parse_accept_dot(p, "v2")) {
            d->vector = 2;
        } else if (parse_accept_dot(p, "v4")) {
            d->vector = 4;
        } else if (parse_accept_dot(p, "attribute")) {
            if (!parse_attribute(p, d)) return false;
        } else if (parse_accept_dot(p, "ptr")) {
            if (!skip_pointer_hint(p)) return false;
        } else if (parse_type_word(&p->t, &d->type)) {
            parse_advance(p);
        } else {
            char found[TOKEN_TEXT_BYTES];
            return parse_error(p, "%s is no type; expected one such as .u32, .f32 or .b8",
                               lex_token_text(&p->t, found));
        }
    }
    return d->type != PTX_NONE || parse_error(p, "expected a type such as .u32 before the name");
}

static bool is_opaque(enum ptx_type type)
{
    return type == PTX_TEXREF || type == PTX_SAMPLERREF || type == PTX_SURFREF;
}

static bool declare_check(struct parser *p, const struct declaration *d, struct loc loc)
{
    bool packed = d->type >= PTX_BF16 && d->type <= PTX_S16X2;
    const char *space = ptx_space_name(d->space), *type = ptx_type_name(d->type);
    if (d->type == PTX_PRED)
        return diag_error(p->d, loc, "a predicate lives in a register, not in .%s", space);
    if (packed)
        return diag_error(p->d, loc, ".%s is a type of instructions; declare the bits as .b%u", type,
                          ptx_type_bits(d->type));
    if (is_opaque(d->type) && d->space != PTX_SPACE_GLOBAL && d->space != PTX_SPACE_PARAM)
        return diag_error(p->d, loc, "a .%s belongs in .global or .param", type);
    if (d->space == PTX_SPACE_TEX)
        return diag_error(p->d, loc, "the .tex space ended with PTX 1.5; declare a .global .texref");
    if (!p->function && d->space == PTX_SPACE_LOCAL)
        return diag_error(p->d, loc, ".local variables belong in a function");
    if (ptx_type_bits(d->type) * d->vector > 128)
        return diag_error(p->d, loc, "a vector has at most 128 bits");
    return true;
}

// Parses the dimensions behind a declared name: "[][4]", or nothing. `dimensions[0]` is 0 for "[]".
static bool parse_dimensions(struct parser *p, uint64_t *dimensions, unsigned *rank)
{
    *rank = 0;
    while (parse_accept(p, TOKEN_LBRACKET)) {
        if (*rank == RANK_MAX) return parse_error(p, "more than %d array dimensions", RANK_MAX);
        int64_t size = 0;
        struct loc loc = parse_here(p);
        if (!at(p, TOKEN_RBRACKET)) {
            if (!parse_constant_i64(p, &size)) return false;
            if (size <= 0 || (uint64_t)size > OBJECT_BYTES_MAX)
                return diag_error(p->d, loc, "an array dimension must be from 1 to 2^40");
        } else if (*rank) {
            return diag_error(p->d, loc, "only the first array dimension can be left out");
        }
        dimensions[(*rank)++] = (uint64_t)size;
        if (!parse_expect(p, TOKEN_RBRACKET, "after the array dimension")) return false;
    }
    return true;
}

static bool object_size(const struct ptx_variable *v, const uint64_t *dimensions, unsigned rank,
                        uint64_t *size_bytes)
{
    uint64_t size = ptx_type_bits(v->type) / 8 * v->vector;
    for (unsigned i = 0; i < rank; i++)
        if (dimensions[i] && __builtin_mul_overflow(size, dimensions[i], &size)) return false;
    *size_bytes = rank && !dimensions[0] ? 0 : size;
    return size <= OBJECT_BYTES_MAX;
}

// Parses a name and its dimensions, without the initialiser. NULL and an error: no valid declaration.
static struct ptx_variable *parse_declarator(struct parser *p, const struct declaration *d,
                                             uint64_t *dimensions, unsigned *rank, struct token *name)
{
    char found[TOKEN_TEXT_BYTES];
    *name = p->t;
    if (!at(p, TOKEN_NAME)) {
        parse_error(p, "expected a name after the type, found %s", lex_token_text(&p->t, found));
        return NULL;
    }
    struct loc loc = parse_here(p);
    if (!declare_check(p, d, loc)) return NULL;
    parse_advance(p);
    if (!parse_dimensions(p, dimensions, rank)) return NULL;
    struct ptx_variable *v = ARENA_NEW(p->arena, struct ptx_variable);
    *v = (struct ptx_variable){.name = parse_copy_token(p, name),
                               .space = d->space,
                               .type = d->type,
                               .vector = d->vector,
                               .is_array = *rank > 0,
                               .is_managed = d->is_managed,
                               .reg = -1,
                               .loc = loc};
    uint32_t natural = ptx_type_bits(d->type) / 8 * d->vector;
    v->align_bytes = d->align_bytes ? d->align_bytes : natural ? natural : 8;
    if (!object_size(v, dimensions, *rank, &v->size_bytes)) {
        diag_error(p->d, loc, "'%.80s' is larger than 2^40 bytes", v->name);
        return NULL;
    }
    return v;
}

// Merges .extern declarations of a module variable, before or after the definition, into one object. Returns
// the object; `fresh` if nothing is merged.
static struct ptx_variable *merge_declarations(struct parser *p, struct ptx_variable *fresh,
                                               const struct token *name)
{
    const struct binding *old = scope_find(p, name->text, name->length);
    if (p->function || !old || old->kind != NAME_VARIABLE) return fresh;
    struct ptx_variable *v = old->variable;
    if (!v->is_extern && !fresh->is_extern) return fresh;
    if (v->space != fresh->space || v->type != fresh->type) {
        diag_error(p->d, fresh->loc, "'%.80s' was declared before as .%s .%s", v->name,
                   ptx_space_name(v->space), ptx_type_name(v->type));
    } else if (v->is_extern) {
        *v = *fresh;
    }
    return v;
}

static bool check_linkage(struct parser *p, const struct ptx_variable *v, bool initialised, bool unsized)
{
    if (initialised && v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST)
        return diag_error(p->d, v->loc, "only .global and .const variables can have initial values");
    if (initialised && v->is_extern)
        return diag_error(p->d, v->loc, "an .extern variable has no initial value here");
    if (unsized && !v->is_extern && !initialised)
        return diag_error(p->d, v->loc,
                          "'%.80s' needs a size: only .extern arrays and initialised ones can leave it out",
                          v->name);
    return true;
}

bool parse_variables(struct parser *p, struct linkage linkage)
{
    struct declaration d = {.vector = 1};
    if (!parse_space_word(&p->t, &d.space)) return parse_error(p, "expected a state space");
    if (!p->function && d.space == PTX_SPACE_PARAM)
        return parse_error(p, ".param variables belong in parameter lists and functions");
    parse_advance(p);
    if (!parse_attributes(p, &d)) return false;
    do {
        uint64_t dimensions[RANK_MAX];
        unsigned rank;
        struct token name;
        struct ptx_variable *fresh = parse_declarator(p, &d, dimensions, &rank, &name);
        if (!fresh) return false;
        fresh->is_extern = linkage.is_extern;
        fresh->is_visible = linkage.is_visible;
        fresh->is_weak = linkage.is_weak;
        fresh->is_common = linkage.is_common;
        fresh->function = p->function;
        bool initialised = parse_accept(p, TOKEN_ASSIGN);
        if (!check_linkage(p, fresh, initialised, rank && !dimensions[0])) return false;
        if (is_opaque(d.type) && rank) fresh->unsupported = "an array of textures, samplers or surfaces";
        struct ptx_variable *v = merge_declarations(p, fresh, &name);
        if (v == fresh) {
            scope_bind(p, &name, NAME_VARIABLE)->variable = v;
            if (p->function)
                vec_push(&p->locals, v);
            else
                vec_push(&p->variables, v);
        }
        if (initialised && !parse_initialiser(p, v, dimensions, rank)) return false;
    } while (parse_accept(p, TOKEN_COMMA));
    return parse_semicolon(p, "after the declaration");
}

// Parses one register or range, at its name.
static bool parse_register(struct parser *p, const struct declaration *d)
{
    char found[TOKEN_TEXT_BYTES];
    if (!at(p, TOKEN_NAME))
        return parse_error(p, "expected a register name, found %s", lex_token_text(&p->t, found));
    struct token name = p->t;
    parse_advance(p);
    if (!parse_accept(p, TOKEN_LT)) {
        struct binding *b = scope_bind(p, &name, NAME_REG);
        b->type = d->type;
        b->elements = d->vector;
        b->index = scope_new_register(p, name.text, name.length, d->type, d->vector);
        return true;
    }
    uint32_t count;
    if (!parse_u32(p, "the number of registers after '<'", &count)) return false;
    struct binding *b = scope_bind(p, &name, NAME_RANGE);
    b->type = d->type;
    b->elements = d->vector;
    b->range = count;
    return parse_expect(p, TOKEN_GT, "after the number of registers");
}

static bool check_register_type(struct parser *p, const struct declaration *d, struct loc loc)
{
    unsigned bits = ptx_type_bits(d->type);
    if (!bits || d->type == PTX_BF16 || d->type == PTX_BF16X2 || d->type == PTX_F32X2 ||
        d->type == PTX_TF32 || (d->type >= PTX_E4M3 && d->type <= PTX_B1))
        return diag_error(p->d, loc, "no register has type .%s", ptx_type_name(d->type));
    if (d->vector > 1 && (d->type == PTX_PRED || bits * d->vector > 128))
        return diag_error(p->d, loc, "a vector register has at most 128 bits and no predicates");
    return true;
}

bool parse_registers(struct parser *p)
{
    struct declaration d = {.space = PTX_SPACE_REG, .vector = 1};
    struct loc loc = parse_here(p);
    if (!parse_attributes(p, &d) || !check_register_type(p, &d, loc)) return false;
    do {
        if (!parse_register(p, &d)) return false;
    } while (parse_accept(p, TOKEN_COMMA));
    return parse_semicolon(p, "after the registers");
}

static struct ptx_variable *parse_parameter(struct parser *p, bool is_entry)
{
    struct declaration d = {.space = PTX_SPACE_PARAM, .vector = 1};
    uint64_t dimensions[RANK_MAX];
    unsigned rank;
    struct token name;
    char found[TOKEN_TEXT_BYTES];
    if (!is_entry && parse_accept_dot(p, "reg")) {
        d.space = PTX_SPACE_REG;
    } else if (!parse_accept_dot(p, "param")) {
        parse_error(p, "expected .param, found %s", lex_token_text(&p->t, found));
        return NULL;
    }
    struct loc loc = parse_here(p);
    if (!parse_attributes(p, &d)) return NULL;
    if (d.space == PTX_SPACE_REG) {
        if (!check_register_type(p, &d, loc)) return NULL;
        if (d.type == PTX_PRED || d.vector > 1) {
            diag_error(p->d, loc, "a register parameter is scalar and no predicate");
            return NULL;
        }
    }
    struct ptx_variable *v = parse_declarator(p, &d, dimensions, &rank, &name);
    if (!v || !is_entry || (d.vector == 1 && !(rank && !dimensions[0]))) return v;
    diag_error(p->d, v->loc, "a kernel's parameter is a scalar or an array with a size");
    return NULL;
}

bool parse_parameters(struct parser *p, bool is_entry, struct ptx_variable ***list, uint32_t *count)
{
    VEC(struct ptx_variable *) found = {0};
    bool good = parse_expect(p, TOKEN_LPAREN, "before the parameters");
    if (good && !at(p, TOKEN_RPAREN)) {
        do {
            struct ptx_variable *v = parse_parameter(p, is_entry);
            good = v != NULL;
            if (good) vec_push(&found, v);
        } while (good && parse_accept(p, TOKEN_COMMA));
    }
    good = good && parse_expect(p, TOKEN_RPAREN, "after the parameters");
    *list = ARENA_COPY(p->arena, &found);
    *count = (uint32_t)found.count;
    vec_fini(&found);
    return good;
}

uint64_t parse_layout(struct ptx_variable **list, uint32_t count)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < count; i++) {
        offset = align_up(offset, list[i]->align_bytes);
        list[i]->offset = offset;
        offset += list[i]->size_bytes;
    }
    return offset;
}
