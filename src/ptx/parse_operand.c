// Operands (PTX ISA 6).
//
//     operand := "_" | "!" NAME | constant | "{" operand {"," operand} "}" | "[" address "]"
//              | NAME ["." element] ["+" constant | "[" constant "]"]
//     any of these may be one half of a pair: operand "|" operand
//     address := NAME ["+" constant] | constant
//     texture := "[" operand {"," operand} "]"                     (fetches, surface accesses, queries)
//     call    := ["(" operand {"," operand} ")" ","] NAME ["," "(" … ")"] ["," NAME]
#include "ptx/names.h"
#include "ptx/parse_impl.h"

#include <string.h>

enum { LIST_MAX = 255 };

static bool parse_operand(struct parser *p, struct ptx_operand *o, bool allow_pair);

static bool parse_immediate(struct parser *p, struct ptx_operand *o)
{
    struct constant c;
    if (!parse_constant(p, &c)) return false;
    o->kind = PTX_OPERAND_IMM;
    o->imm = c.bits;
    o->component = (uint8_t)c.literal;
    return true;
}

// Index of a vector element: x y z w, or the synonyms r g b a. -1: the token is no element.
static int element_index(const struct token *t)
{
    if (t->kind != TOKEN_DOT || t->length != 1) return -1;
    const char *names = "xyzwrgba", *found = strchr(names, *t->text);
    return found && *found ? (int)(found - names) % 4 : -1;
}

static void set_register(struct ptx_operand *o, uint32_t index)
{
    o->kind = PTX_OPERAND_REG;
    o->reg = (int32_t)index;
}

// Reports that the current word with a dot is no element of the operand; `elements`: the possible elements.
// Always false.
static bool wrong_element(struct parser *p, const char *elements)
{
    char found[TOKEN_TEXT_BYTES];
    return parse_error(p, "%s is no element here; expected %s", lex_token_text(&p->t, found), elements);
}

// A register; or a vector register, either whole (its scalars) or one element.
static bool parse_register_operand(struct parser *p, struct ptx_operand *o, const struct binding *b)
{
    uint32_t first = b->index, elements = b->elements;
    int element = element_index(&p->t);
    if (elements == 1) {
        set_register(o, first);
        return !at(p, TOKEN_DOT) || wrong_element(p, "none: this register is a scalar");
    }
    if (element >= 0) {
        if ((uint32_t)element >= elements)
            return parse_error(p, "this vector register has %u elements", elements);
        parse_advance(p);
        set_register(o, first + (uint32_t)element);
        return true;
    }
    if (at(p, TOKEN_DOT)) return wrong_element(p, ".x, .y, .z or .w");
    o->kind = PTX_OPERAND_VECTOR;
    o->count = (uint8_t)elements;
    o->elements = ARENA_ARRAY(p->arena, struct ptx_operand, elements);
    for (uint32_t i = 0; i < elements; i++) {
        o->elements[i].loc = o->loc;
        set_register(&o->elements[i], first + i);
    }
    return true;
}

// Parses leading digits of `text` as a number below `limit`; the remaining text must equal `rest`. Else
// false, without an error.
static bool numbered(const char *text, size_t length, const char *rest, unsigned limit, uint8_t *number)
{
    size_t digits = 0;
    unsigned value = 0;
    while (digits < length && digits < 4 && text[digits] >= '0' && text[digits] <= '9')
        value = value * 10 + (unsigned)(text[digits++] - '0');
    *number = (uint8_t)value;
    return digits && value < limit && length - digits == strlen(rest) &&
           memcmp(text + digits, rest, strlen(rest)) == 0;
}

// "%reserved_smem_offset_begin", "_end", "_cap", "_0", "_1": component 0 to 4. False: another name.
static bool reserved_shared(const struct token *t, uint8_t *which)
{
    static const char *const names[] = {"begin", "end", "cap", "0", "1"};
    enum { PREFIX = sizeof "%reserved_smem_offset_" - 1 };
    if (t->length <= PREFIX || memcmp(t->text, "%reserved_smem_offset_", PREFIX) != 0) return false;
    for (uint8_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (t->length == PREFIX + strlen(names[i]) &&
            memcmp(t->text + PREFIX, names[i], strlen(names[i])) == 0) {
            *which = i;
            return true;
        }
    return false;
}

static bool find_special(const struct parser *p, const struct token *t, enum ptx_sreg *sreg,
                         uint8_t *component)
{
    uint32_t index;
    *component = 0;
    if (strmap_get(&p->sregs, t->text, t->length, &index)) {
        *sreg = (enum ptx_sreg)index;
        return *sreg != PTX_SREG_PM && *sreg != PTX_SREG_PM64 && *sreg != PTX_SREG_ENVREG &&
               *sreg != PTX_SREG_RESERVED_SMEM;
    }
    *sreg = PTX_SREG_PM;
    if (t->length > 3 && memcmp(t->text, "%pm", 3) == 0) {
        if (numbered(t->text + 3, t->length - 3, "", 8, component)) return true;
        *sreg = PTX_SREG_PM64;
        return numbered(t->text + 3, t->length - 3, "_64", 8, component);
    }
    *sreg = PTX_SREG_ENVREG;
    if (t->length > 7 && memcmp(t->text, "%envreg", 7) == 0)
        return numbered(t->text + 7, t->length - 7, "", 32, component);
    *sreg = PTX_SREG_RESERVED_SMEM;
    return reserved_shared(t, component);
}

// After the name of a special register: its element. A whole register (%tid) is the vector of its elements,
// with a zero fourth element (PTX ISA 10.1).
static bool parse_special(struct parser *p, struct ptx_operand *o, enum ptx_sreg sreg, uint8_t number)
{
    o->kind = PTX_OPERAND_SREG;
    o->sreg = sreg;
    o->component = number;
    int element = element_index(&p->t);
    bool vector = ptx_sreg_components(sreg) == 3;
    if (!vector) return !at(p, TOKEN_DOT) || wrong_element(p, "none: this special register is a scalar");
    if (element >= 0) {
        parse_advance(p);
        o->component = (uint8_t)element;
        if (element == 3) *o = (struct ptx_operand){.kind = PTX_OPERAND_IMM, .reg = -1, .loc = o->loc};
        return true;
    }
    if (at(p, TOKEN_DOT)) return wrong_element(p, ".x, .y or .z");
    o->kind = PTX_OPERAND_VECTOR;
    o->count = 4;
    o->elements = ARENA_ARRAY(p->arena, struct ptx_operand, 4);
    for (uint8_t i = 0; i < 4; i++)
        o->elements[i] = (struct ptx_operand){.kind = i < 3 ? PTX_OPERAND_SREG : PTX_OPERAND_IMM,
                                              .reg = -1,
                                              .sreg = sreg,
                                              .component = i < 3 ? i : 0,
                                              .loc = o->loc};
    return true;
}

// "+4" or "[4]" after a variable's name.
static bool parse_symbol_offset(struct parser *p, int64_t *offset)
{
    if (at(p, TOKEN_PLUS) || at(p, TOKEN_MINUS)) return parse_constant_i64(p, offset);
    if (!parse_accept(p, TOKEN_LBRACKET)) return true;
    return parse_constant_i64(p, offset) && parse_expect(p, TOKEN_RBRACKET, "after the offset");
}

static bool parse_named(struct parser *p, struct ptx_operand *o)
{
    struct token name = p->t;
    enum ptx_sreg sreg;
    uint8_t number;
    const struct binding *b = scope_find(p, name.text, name.length);
    if (!b) {
        if (token_is(&name, "WARP_SZ", 7)) return parse_immediate(p, o);
        if (*name.text == '%' && find_special(p, &name, &sreg, &number)) {
            parse_advance(p);
            return parse_special(p, o, sreg, number);
        }
        bool is_register = *name.text == '%';
        return scope_unknown(p, &name, is_register ? NAME_REG : NAME_VARIABLE,
                             is_register ? "register" : "name");
    }
    parse_advance(p);
    switch (b->kind) {
    case NAME_REG: return parse_register_operand(p, o, b);
    case NAME_VARIABLE:
        o->kind = PTX_OPERAND_SYMBOL;
        o->variable = b->variable;
        return parse_symbol_offset(p, &o->offset);
    case NAME_FUNCTION:
        o->kind = PTX_OPERAND_FUNCTION;
        o->function = b->function;
        return true;
    case NAME_TABLE:
        o->kind = PTX_OPERAND_LABELS;
        o->label = b->index;
        return true;
    case NAME_PROTOTYPE:
    case NAME_RANGE: break;
    }
    return diag_error(p->d, lex_loc(&p->lex, &name), "a prototype is no operand");
}

// After '{': a list of scalars; vectors do not nest. Sums of wgmma are up to 128 registers.
static bool parse_vector(struct parser *p, struct ptx_operand *o)
{
    struct ptx_operand list[128];
    uint32_t count = 0, most = p->insts.data[p->insts.count].op == PTX_OP_WGMMA ? 128 : 8;
    do {
        if (count == most) return parse_error(p, "a vector has at most %u elements", most);
        if (at(p, TOKEN_LBRACE) || at(p, TOKEN_LBRACKET))
            return parse_error(p, "a vector's elements are registers or constants");
        if (!parse_operand(p, &list[count], false)) return false;
        if (list[count].kind == PTX_OPERAND_VECTOR)
            return diag_error(p->d, list[count].loc, "a vector's elements are scalars");
        count++;
    } while (parse_accept(p, TOKEN_COMMA));
    o->kind = PTX_OPERAND_VECTOR;
    o->count = (uint8_t)count;
    o->elements = parse_copy_array(p->arena, list, count * sizeof *list);
    return parse_expect(p, TOKEN_RBRACE, "after the vector");
}

// After '[': register, variable or constant, each with an optional offset.
static bool parse_place(struct parser *p, struct ptx_operand *o)
{
    struct ptx_operand base = {.reg = -1, .loc = parse_here(p)};
    o->kind = PTX_OPERAND_MEMORY;
    if (at(p, TOKEN_NAME)) {
        if (!parse_named(p, &base)) return false;
    } else if (!parse_immediate(p, &base)) {
        return false;
    }
    switch (base.kind) {
    case PTX_OPERAND_REG: o->reg = base.reg; break;
    case PTX_OPERAND_SYMBOL:
        o->variable = base.variable;
        o->offset = base.offset;
        break;
    case PTX_OPERAND_IMM:
        if (base.component != LITERAL_INT) return diag_error(p->d, base.loc, "an address is an integer");
        o->imm = base.imm;
        break;
    case PTX_OPERAND_NONE:
    case PTX_OPERAND_SREG:
    case PTX_OPERAND_FUNCTION:
    case PTX_OPERAND_MEMORY:
    case PTX_OPERAND_LABEL:
    case PTX_OPERAND_LABELS:
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_PAIR:
    case PTX_OPERAND_SINK:
        return diag_error(p->d, base.loc, "an address begins with a register, a variable or a constant");
    }
    int64_t offset = 0;
    if ((at(p, TOKEN_PLUS) || at(p, TOKEN_MINUS)) && !parse_constant_i64(p, &offset)) return false;
    o->offset = (int64_t)((uint64_t)o->offset + (uint64_t)offset);
    return true;
}

// After '[', up to and including ']'.
static bool parse_address(struct parser *p, struct ptx_operand *o)
{
    if (!parse_place(p, o) || !parse_expect(p, TOKEN_RBRACKET, "after the address")) return false;
    parse_accept_dot(p, "unified");
    return true;
}

static bool parse_negated(struct parser *p, struct ptx_operand *o)
{
    struct loc loc = parse_here(p);
    struct lexer probe = p->lex; // "!%p1" is a predicate, "!5" a constant expression
    struct token next;
    lex_next(&probe, &next);
    if (next.kind != TOKEN_NAME || token_is(&next, "WARP_SZ", 7)) return parse_immediate(p, o);
    parse_advance(p);
    if (!parse_named(p, o)) return false;
    if (o->kind != PTX_OPERAND_REG) return diag_error(p->d, loc, "'!' needs a predicate register");
    o->negated = true;
    return true;
}

static bool parse_simple(struct parser *p, struct ptx_operand *o)
{
    *o = (struct ptx_operand){.reg = -1, .loc = parse_here(p)};
    if (at(p, TOKEN_NAME)) {
        if (!token_is(&p->t, "_", 1)) return parse_named(p, o);
        o->kind = PTX_OPERAND_SINK;
        parse_advance(p);
        return true;
    }
    if (parse_accept(p, TOKEN_LBRACE)) return parse_vector(p, o);
    if (parse_accept(p, TOKEN_LBRACKET)) return parse_address(p, o);
    if (at(p, TOKEN_NOT)) return parse_negated(p, o);
    char found[TOKEN_TEXT_BYTES];
    if (at(p, TOKEN_SEMICOLON) || at(p, TOKEN_COMMA) || at(p, TOKEN_END))
        return parse_error(p, "expected an operand, found %s", lex_token_text(&p->t, found));
    return parse_immediate(p, o);
}

static bool parse_operand(struct parser *p, struct ptx_operand *o, bool allow_pair)
{
    if (!parse_simple(p, o)) return false;
    if (!allow_pair || !at(p, TOKEN_PIPE)) return true;
    struct ptx_operand half[2] = {*o};
    parse_advance(p);
    if (!parse_simple(p, &half[1])) return false;
    o->kind = PTX_OPERAND_PAIR;
    o->count = 2;
    o->elements = parse_copy_array(p->arena, half, sizeof half);
    return true;
}

static bool parse_label(struct parser *p, struct ptx_inst *i)
{
    char found[TOKEN_TEXT_BYTES];
    if (!at(p, TOKEN_NAME)) return parse_error(p, "expected a label, found %s", lex_token_text(&p->t, found));
    i->operands[0] = (struct ptx_operand){.kind = PTX_OPERAND_LABEL, .reg = -1, .loc = parse_here(p)};
    i->operand_count = 1;
    vec_push(&p->references, (struct label_reference){.name = p->t.text,
                                                      .length = p->t.length,
                                                      .loc = parse_here(p),
                                                      .index = (uint32_t)p->insts.count,
                                                      .slot = 0});
    parse_advance(p);
    return true;
}

static bool add_operand(struct parser *p, struct ptx_inst *i)
{
    if (i->operand_count == PTX_OPERANDS_MAX)
        return parse_error(p, "too many operands for '%s'", ptx_op_name(i->op));
    if (!parse_operand(p, &i->operands[i->operand_count], true)) return false;
    i->operand_count++;
    return true;
}

// "[tex, sampler, {x, y}]": the parts become separate operands.
static bool parse_texture(struct parser *p, struct ptx_inst *i)
{
    parse_advance(p);
    do {
        if (!add_operand(p, i)) return false;
    } while (parse_accept(p, TOKEN_COMMA));
    return parse_expect(p, TOKEN_RBRACKET, "after the texture and its coordinates");
}

// "[map, {x, y}]" of tensor copies: an address with coordinates.
static bool parse_tensor(struct parser *p, struct ptx_inst *i)
{
    struct ptx_operand *map = &i->operands[i->operand_count++], list = {.reg = -1};
    *map = (struct ptx_operand){.reg = -1, .loc = parse_here(p)};
    parse_advance(p);
    if (!parse_place(p, map) || !parse_expect(p, TOKEN_COMMA, "between the tensor map and the coordinates") ||
        !parse_expect(p, TOKEN_LBRACE, "before the coordinates") || !parse_vector(p, &list))
        return false;
    map->count = list.count;
    map->elements = list.elements;
    return parse_expect(p, TOKEN_RBRACKET, "after the coordinates");
}

// Whether the next operand is the tensor map of a copy: behind the destination of a load, in other copies the first.
static bool is_tensor(const struct parser *p, const struct ptx_inst *i)
{
    if (!(i->bulk & PTX_WORD_TENSOR) || i->op != PTX_OP_CP) return false;
    return at(p, TOKEN_LBRACKET) && i->operand_count == (i->bulk & PTX_WORD_MBARRIER ? 1 : 0);
}

// Behind scale-d of wgmma.mma_async: its numbers, which belong to the operand.
static bool parse_options(struct parser *p, struct ptx_operand *scale)
{
    struct ptx_operand list[4];
    unsigned count = 0;
    while (parse_accept(p, TOKEN_COMMA)) {
        if (count == sizeof list / sizeof list[0]) return parse_error(p, "too many operands for 'wgmma'");
        if (!parse_operand(p, &list[count++], false)) return false;
    }
    scale->count = (uint8_t)count;
    scale->elements = parse_copy_array(p->arena, list, count * sizeof *list);
    return true;
}

static bool is_scale(const struct ptx_inst *i)
{
    return i->op == PTX_OP_WGMMA && i->mode == PTX_MODE_WGMMA_MMA && i->operand_count == (i->sparse ? 6 : 4);
}

bool parse_operands(struct parser *p, struct ptx_inst *i)
{
    if (at(p, TOKEN_SEMICOLON)) return true;
    if (i->op == PTX_OP_BRA) return parse_label(p, i);
    bool texture = ptx_op_names_texture(i->op);
    do {
        bool good = texture && at(p, TOKEN_LBRACKET) ? parse_texture(p, i)
                    : is_tensor(p, i)                ? parse_tensor(p, i)
                                                     : add_operand(p, i);
        if (!good) return false;
        if (is_scale(i)) return parse_options(p, &i->operands[i->operand_count - 1]);
    } while (parse_accept(p, TOKEN_COMMA));
    return true;
}

// ---- calls

static bool parse_call_list(struct parser *p, struct ptx_operand **list, uint8_t *count)
{
    VEC(struct ptx_operand) found = {0};
    bool good = true;
    parse_advance(p);
    if (!at(p, TOKEN_RPAREN)) {
        do {
            struct ptx_operand o;
            good = found.count < LIST_MAX ? parse_operand(p, &o, false)
                                          : parse_error(p, "more than %d arguments", LIST_MAX);
            if (good) vec_push(&found, o);
        } while (good && parse_accept(p, TOKEN_COMMA));
    }
    *list = ARENA_COPY(p->arena, &found);
    *count = (uint8_t)found.count;
    vec_fini(&found);
    return good && parse_expect(p, TOKEN_RPAREN, "after the list");
}

static bool parse_call_target(struct parser *p, struct ptx_inst *i)
{
    char found[TOKEN_TEXT_BYTES];
    if (!at(p, TOKEN_NAME))
        return parse_error(p, "expected a function to call, found %s", lex_token_text(&p->t, found));
    const struct binding *b = scope_find(p, p->t.text, p->t.length);
    struct ptx_operand *o = &i->call_target;
    *o = (struct ptx_operand){.reg = -1, .loc = parse_here(p)};
    if (!b) {
        bool is_register = *p->t.text == '%';
        return scope_unknown(p, &p->t, is_register ? NAME_REG : NAME_FUNCTION,
                             is_register ? "register" : "function");
    }
    if (b->kind == NAME_FUNCTION) {
        o->kind = PTX_OPERAND_FUNCTION;
        o->function = b->function;
    } else if (b->kind == NAME_REG && b->elements == 1) {
        set_register(o, b->index);
    } else {
        return parse_error(p, "%s is no function", lex_token_text(&p->t, found));
    }
    parse_advance(p);
    return true;
}

// The .callprototype or .calltargets after an indirect call.
static bool parse_call_prototype_name(struct parser *p, struct ptx_inst *i)
{
    char found[TOKEN_TEXT_BYTES];
    const struct binding *b = at(p, TOKEN_NAME) ? scope_find(p, p->t.text, p->t.length) : NULL;
    if (b && b->kind == NAME_PROTOTYPE)
        i->call_prototype = b->prototype;
    else if (b && b->kind == NAME_TABLE && p->tables.data[b->index].functions)
        i->call_prototype = &p->tables.data[b->index].functions[0]->prototype;
    else if (at(p, TOKEN_NAME))
        return scope_unknown(p, &p->t, NAME_PROTOTYPE, "prototype");
    else
        return parse_error(p, "expected the name of a .callprototype or .calltargets, found %s",
                           lex_token_text(&p->t, found));
    parse_advance(p);
    return true;
}

bool parse_call(struct parser *p, struct ptx_inst *i)
{
    if (at(p, TOKEN_LPAREN)) {
        if (!parse_call_list(p, &i->call_returns, &i->call_return_count)) return false;
        if (!parse_expect(p, TOKEN_COMMA, "between the returned values and the function")) return false;
    }
    if (!parse_call_target(p, i)) return false;
    if (!parse_accept(p, TOKEN_COMMA)) return true;
    if (at(p, TOKEN_LPAREN)) {
        if (!parse_call_list(p, &i->call_arguments, &i->call_argument_count)) return false;
        if (!parse_accept(p, TOKEN_COMMA)) return true;
    }
    return parse_call_prototype_name(p, i);
}
