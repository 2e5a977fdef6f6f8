// One instruction: mnemonic, modifiers, operands, check.
//
//     instruction := MNEMONIC {"." modifier} [operand {"," operand}] ";"
//
// Modifiers may come in any order, as in ptxas; types and state spaces keep their order. Valid PTX beyond
// warpfold's support (a REFUSE row of ptx.def, a modifier of FIELD_REFUSED) is skipped up to the ';' and
// kept under its full name.
#include "ptx/check.h"
#include "ptx/names.h"
#include "ptx/parse_impl.h"

#include <string.h>

static const char *mnemonic_name(const void *context, size_t i)
{
    (void)context;
    return i < PTX_OP_COUNT ? ptx_op_name((enum ptx_op)i) : NULL;
}

static bool unknown_mnemonic(struct parser *p, const struct token *t)
{
    struct loc loc = lex_loc(&p->lex, t);
    int length = t->length > 80 ? 80 : (int)t->length;
    const char *near = t->length < 40 ? str_nearest(parse_copy_token(p, t), mnemonic_name, NULL) : NULL;
    if (near)
        return diag_error(p->d, loc, "unknown instruction '%.*s'; did you mean '%s'?", length, t->text, near);
    return diag_error(p->d, loc, "unknown instruction '%.*s'", length, t->text);
}

static bool unknown_modifier(struct parser *p, enum ptx_op op, bool known)
{
    struct loc loc = parse_here(p);
    int length = p->t.length > 80 ? 80 : (int)p->t.length;
    if (known)
        return diag_error(p->d, loc, "'.%.*s' does not apply to '%s'", length, p->t.text, ptx_op_name(op));
    uint64_t fields = signature_fields(p->signatures, op);
    const char *near =
        p->t.length < 40 ? str_nearest(parse_copy_token(p, &p->t), suffix_name, &fields) : NULL;
    if (near)
        return diag_error(p->d, loc, "unknown modifier '.%.*s'; did you mean '.%s'?", length, p->t.text,
                          near);
    return diag_error(p->d, loc, "unknown modifier '.%.*s'", length, p->t.text);
}

static unsigned refused_class(enum ptx_op op)
{
    switch ((int)op) {
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_ST:
    case PTX_OP_PREFETCH:
    case PTX_OP_PREFETCHU:
    case PTX_OP_ISSPACEP:
    case PTX_OP_CVTA:
    case PTX_OP_CP:
    case PTX_OP_APPLYPRIORITY:
    case PTX_OP_MBARRIER:
    case PTX_OP_ATOM:
    case PTX_OP_RED:
    case PTX_OP_FENCE:
    case PTX_OP_MEMBAR: return REFUSED_MEMORY;
    case PTX_OP_TEX:
    case PTX_OP_TLD4:
    case PTX_OP_TXQ:
    case PTX_OP_SUQ: return REFUSED_TEXTURE;
    default: return REFUSED_ARITHMETIC;
    }
}

static bool may_repeat(enum ptx_op op, enum ptx_field field)
{
    return field == FIELD_TYPE || field == FIELD_LAYOUT || (field == FIELD_SPACE && op == PTX_OP_CP) ||
           field == FIELD_HINT || field == FIELD_PROXY_KIND || field == FIELD_BULK;
}

static void set_space(struct ptx_inst *i, enum ptx_space space, bool first)
{
    if (space == PTX_SPACE_SHARED_CLUSTER) {
        i->of_cluster = true;
        space = PTX_SPACE_SHARED;
    }
    if (first) i->space = space;
    if (!first || i->to) i->space_to = space;
}

static bool add_type(struct parser *p, struct ptx_inst *i, enum ptx_type type)
{
    if (i->type_count == PTX_TYPES_MAX) return parse_error(p, "too many types for '%s'", ptx_op_name(i->op));
    i->types[i->type_count++] = type;
    return true;
}

static bool add_layout(struct parser *p, struct ptx_inst *i, enum ptx_layout layout)
{
    if (i->layouts[1]) return parse_error(p, "too many layouts for '%s'", ptx_op_name(i->op));
    i->layouts[i->layouts[0] != PTX_LAYOUT_NONE] = layout;
    return true;
}

static bool add_word(struct parser *p, struct ptx_inst *i, unsigned word)
{
    char found[TOKEN_TEXT_BYTES];
    if (i->bulk & word) return parse_error(p, "%s is repeated", lex_token_text(&p->t, found));
    i->bulk |= (uint16_t)word;
    return true;
}

// Whether a second word of the operation may follow the first: cp.async.mbarrier.arrive, mbarrier.arrive.expect_tx.
static bool follows_mode(enum ptx_mode mode, unsigned word)
{
    if (mode == PTX_MODE_CP_MBARRIER) return word == PTX_MODE_MBARRIER_ARRIVE;
    bool arrives = mode == PTX_MODE_MBARRIER_ARRIVE || mode == PTX_MODE_MBARRIER_DROP;
    return arrives && word == PTX_MODE_MBARRIER_EXPECT;
}

static bool set_field(struct parser *p, struct ptx_inst *i, const struct suffix *s, uint64_t *given)
{
    bool follows = s->field == FIELD_CP && follows_mode(i->mode, s->value);
    if (*given >> s->field & 1 && !may_repeat(i->op, s->field) && !follows) {
        char found[TOKEN_TEXT_BYTES];
        return parse_error(p, "%s repeats a modifier of the same kind", lex_token_text(&p->t, found));
    }
    bool first = !(*given >> s->field & 1);
    *given |= 1ull << s->field;
    switch (s->field) {
    case FIELD_TYPE: return add_type(p, i, (enum ptx_type)s->value);
    case FIELD_SPACE: set_space(i, (enum ptx_space)s->value, first); break;
    case FIELD_VECTOR: i->vector = (uint8_t)s->value; break;
    case FIELD_ROUND:
    case FIELD_ROUND_INT:
    case FIELD_ROUND_TIES: i->round = (enum ptx_round)s->value; break;
    case FIELD_CMP: i->cmp = (enum ptx_cmp)s->value; break;
    case FIELD_BOOL:
        // of mma: .popc, beside .xor or .and
        if (i->op != PTX_OP_MMA && i->op != PTX_OP_WMMA && i->op != PTX_OP_WGMMA)
            i->boolean = (enum ptx_bool)s->value;
        break;
    case FIELD_HALF: i->half = (enum ptx_half)s->value; break;
    case FIELD_CACHE: i->cache = (enum ptx_cache)s->value; break;
    case FIELD_SEM: i->sem = (enum ptx_sem)s->value; break;
    case FIELD_SCOPE: i->scope = (enum ptx_scope)s->value; break;
    case FIELD_ATOM: i->atom = (enum ptx_atom)s->value; break;
    case FIELD_SHFL:
    case FIELD_VOTE:
    case FIELD_BAR:
    case FIELD_SHF:
    case FIELD_PRMT:
    case FIELD_TESTP:
    case FIELD_GEOMETRY:
    case FIELD_TXQ:
    case FIELD_PROXY: i->mode = (enum ptx_mode)s->value; break;
    case FIELD_CP:
        if (follows && i->mode != PTX_MODE_CP_MBARRIER)
            i->phase = PTX_PHASE_EXPECT;
        else
            i->mode = follows ? PTX_MODE_CP_ARRIVE : (enum ptx_mode)s->value;
        break;
    case FIELD_CTA: i->of_cluster = s->value == 2; break;
    case FIELD_BULK: return add_word(p, i, s->value);
    case FIELD_PHASE: i->phase = (enum ptx_phase)s->value; break;
    case FIELD_FTZ: i->ftz = true; break;
    case FIELD_SAT: i->sat = true; break;
    case FIELD_APPROX: i->approx = true; break;
    case FIELD_FULL: i->full = true; break;
    case FIELD_NAN: i->nan = true; break;
    case FIELD_XORSIGN: i->xorsign = true; break;
    case FIELD_RELU: i->relu = true; break;
    case FIELD_CC: i->carry_out = true; break;
    case FIELD_WRAP: i->wrap = true; break;
    case FIELD_UNIFORM: i->uniform = true; break;
    case FIELD_SYNC: i->sync = true; break;
    case FIELD_ALIGNED: i->aligned = true; break;
    case FIELD_NC: i->non_coherent = true; break;
    case FIELD_SHAPE: i->shape = (enum ptx_shape)s->value; break;
    case FIELD_LAYOUT: return add_layout(p, i, (enum ptx_layout)s->value);
    case FIELD_MATRICES: i->matrices = (uint8_t)s->value; break;
    case FIELD_TRANS: i->transposed = true; break;
    case FIELD_SPARSE: i->sparse = (uint8_t)s->value; break;
    case FIELD_SATFINITE: i->clamps = true; break;
    case FIELD_BITS: i->boolean = (enum ptx_bool)s->value; break;
    case FIELD_POLICY:
    case FIELD_WMMA: i->mode = (enum ptx_mode)s->value; break;
    case FIELD_FRAGMENT: i->fragment = (uint8_t)s->value; break;
    case FIELD_LEVEL: i->level = (enum ptx_level)s->value; break;
    case FIELD_BOUNDARY: i->boundary = (enum ptx_boundary)s->value; break;
    case FIELD_WORD:
        i->shift_amount = i->op == PTX_OP_BFIND;
        i->to = i->op == PTX_OP_CVTA;
        break;
    case FIELD_MMIO: // any accompanying order
    case FIELD_ASYNC:
    case FIELD_ABS:   // written with .xorsign
    case FIELD_CLAMP: // the opposite of .wrap
    case FIELD_NOFTZ:
    case FIELD_L1:
    case FIELD_L2:
    case FIELD_HINT:
    case FIELD_CACHE_HINT:
    case FIELD_PROXY_KIND:
    case FIELD_REFUSED:
    case FIELD_COUNT: break;
    }
    return true;
}

// A number of at most four digits; NULL: none.
static const char *read_number(const char *text, const char *end, uint16_t *number)
{
    const char *at = text;
    for (*number = 0; at < end && at - text < 4 && *at >= '0' && *at <= '9'; at++)
        *number = (uint16_t)(*number * 10 + (*at - '0'));
    return at > text ? at : NULL;
}

// The shape of wgmma, such as m64n128k16. False: the word is another.
static bool read_warpgroup_shape(const struct token *t, struct ptx_inst *i)
{
    const char *end = t->text + t->length, *at = t->text + 4;
    if (i->op != PTX_OP_WGMMA || t->length < 4 || memcmp(t->text, "m64n", 4) != 0) return false;
    at = read_number(at, end, &i->columns);
    if (!at || at == end || *at != 'k') return false;
    return read_number(at + 1, end, &i->depth) == end;
}

// Parses all modifiers; `*refused`: the whole instruction is to be kept unread. False and an error: for
// instance an unknown, repeated or unfitting modifier.
static bool parse_modifiers(struct parser *p, struct ptx_inst *i, uint64_t *given, bool *refused)
{
    *refused = ptx_op_is_refused(i->op);
    uint64_t fields = signature_fields(p->signatures, i->op);
    while (at(p, TOKEN_DOT)) {
        bool known;
        if (read_warpgroup_shape(&p->t, i)) {
            const struct suffix shape = {"", FIELD_SHAPE, PTX_SHAPE_WARPGROUP};
            if (!set_field(p, i, &shape, given)) return false;
            parse_advance(p);
            continue;
        }
        const struct suffix *s = suffix_find(&p->suffixes, p->t.text, p->t.length, fields, &known);
        if (s && s->field == FIELD_WORD && s->value != i->op) s = NULL; // a word of another instruction
        if (!s && known) {
            const struct suffix *no = suffix_find(&p->suffixes, p->t.text, p->t.length, F(REFUSED), &known);
            if (no && no->value & refused_class(i->op)) *refused = true;
        }
        if (!*refused) {
            if (!s) return unknown_modifier(p, i->op, known);
            if (!set_field(p, i, s, given)) return false;
        }
        parse_advance(p);
    }
    return true;
}

// Name of the instruction, "mma.sync.aligned.m16n8k8", from the text between mnemonic and operands, without
// blanks and comments.
static const char *full_name(struct parser *p, const struct token *mnemonic)
{
    struct strbuf name = {0};
    struct lexer again = p->lex;
    struct token t;
    strbuf_write(&name, mnemonic->text, mnemonic->length);
    again.at = mnemonic->text + mnemonic->length;
    for (lex_next(&again, &t); t.kind == TOKEN_DOT && name.length < 200; lex_next(&again, &t)) {
        strbuf_putc(&name, '.');
        strbuf_write(&name, t.text, t.length < 100 ? t.length : 100);
    }
    const char *copy = arena_strndup(p->arena, strbuf_text(&name), name.length);
    strbuf_fini(&name);
    return copy;
}

// Skips the operands of an unread instruction, past the ';', which ends the instruction even inside an open
// bracket. False and an error: a closing bracket without an opening one, or no ';'.
static bool skip_operands(struct parser *p)
{
    uint64_t depth = 0;
    while (!at(p, TOKEN_SEMICOLON) || depth) {
        if (at(p, TOKEN_LBRACE) || at(p, TOKEN_LBRACKET) || at(p, TOKEN_LPAREN)) depth++;
        bool closes = at(p, TOKEN_RBRACE) || at(p, TOKEN_RBRACKET) || at(p, TOKEN_RPAREN);
        if (at(p, TOKEN_END) || (closes && !depth) || (depth && at(p, TOKEN_SEMICOLON)))
            return parse_semicolon(p, "after the instruction");
        depth -= closes;
        parse_advance(p);
    }
    parse_advance(p);
    return true;
}

// At '@': parses the guard.
bool parse_guard(struct parser *p, int32_t *guard, bool *negated)
{
    parse_advance(p);
    *negated = parse_accept(p, TOKEN_NOT);
    char found[TOKEN_TEXT_BYTES];
    if (!at(p, TOKEN_NAME))
        return parse_error(p, "expected a predicate register after '@', found %s",
                           lex_token_text(&p->t, found));
    const struct binding *b = scope_find(p, p->t.text, p->t.length);
    if (!b || b->kind != NAME_REG) return scope_unknown(p, &p->t, NAME_REG, "register");
    if (b->type != PTX_PRED)
        return parse_error(p, "the guard %s is a .%s register; expected a .pred",
                           lex_token_text(&p->t, found), ptx_type_name(b->type));
    *guard = (int32_t)b->index;
    parse_advance(p);
    return true;
}

bool parse_instruction(struct parser *p, const struct token *mnemonic, int32_t guard, bool guard_negated)
{
    uint32_t op;
    uint64_t given = 0;
    bool refused;
    size_t references = p->references.count;
    if (!strmap_get(&p->mnemonics, mnemonic->text, mnemonic->length, &op))
        return unknown_mnemonic(p, mnemonic);
    vec_reserve(&p->insts, p->insts.count + 1);
    struct ptx_inst *i = &p->insts.data[p->insts.count];
    *i = (struct ptx_inst){.op = (enum ptx_op)op,
                           .guard = guard,
                           .guard_negated = guard_negated,
                           .vector = 1,
                           .loc = lex_loc(&p->lex, mnemonic),
                           .line_info = p->line_info};
    bool good = parse_modifiers(p, i, &given, &refused), checked = true;
    if (good && refused) {
        i->unsupported = full_name(p, mnemonic);
        good = skip_operands(p);
    } else if (good) {
        good = i->op == PTX_OP_CALL ? parse_call(p, i) : parse_operands(p, i);
        good = good && parse_semicolon(p, "after the instruction");
        checked = good && check_instruction(p, i, given); // on failure: resume after the ';'
        if (i->unsupported == ptx_unsupported_form) i->unsupported = full_name(p, mnemonic);
    }
    if (good && checked)
        p->insts.count++;
    else
        p->references.count = references;
    return good;
}
