// Finds the form of an instruction in sig.def, checks its operands letter by letter, and then what only
// concerns one operation. Immediates get their final bits here.
#include "ptx/check.h"

#include "base/bits.h"
#include "ptx/names.h"

#include <stdarg.h>
#include <string.h>

#define T(type)     (1ull << PTX_##type)
#define BITS        (T(B16) | T(B32) | T(B64))
#define INT         (T(U16) | T(U32) | T(U64) | T(S16) | T(S32) | T(S64))
#define INT32_64    (T(U32) | T(U64) | T(S32) | T(S64))
#define SIGNED      (T(S16) | T(S32) | T(S64))
#define LOADABLE    (T(B8) | T(U8) | T(S8) | BITS | INT | T(F32) | T(F64))
#define CONVERTIBLE (T(U8) | T(S8) | INT | T(F16) | T(BF16) | T(F32) | T(F64))
#define ATOMIC      (BITS | INT32_64 | T(F32) | T(F64) | T(F16) | T(F16X2) | T(BF16))

#define ATOMIC_REFUSED (T(B128) | T(F32) | T(F16) | T(F16X2) | T(BF16) | T(BF16X2))

static const struct signature signatures[] = {
#define RUN    false
#define REFUSE true
#define SIG(op, refuse, types0, types1, may, must, one_of, operands)                                         \
    {{(types0), (types1)}, (may), (must), (one_of), operands, PTX_OP_##op, refuse},
#include "ptx/sig.def"
#undef SIG
#undef RUN
#undef REFUSE
};

enum { SIGNATURE_COUNT = sizeof signatures / sizeof signatures[0] };

const char ptx_unsupported_form[] = "unsupported form";

struct signature_index *signature_index_create(void)
{
    struct signature_index *index = heap_alloc(sizeof *index);
    for (uint32_t s = 0; s < SIGNATURE_COUNT; s++) {
        const struct signature *row = &signatures[s];
        if (!index->count[row->op]++) index->first[row->op] = row;
        index->fields[row->op] |= row->may | row->must | row->one_of | (row->types[0] ? F(TYPE) : 0);
    }
    return index;
}

void signature_index_destroy(struct signature_index *index) { free(index); }
uint64_t signature_fields(const struct signature_index *index, enum ptx_op op) { return index->fields[op]; }

// ---- messages

const char *check_name(const struct ptx_inst *i, char *buffer)
{
    int length = snprintf(buffer, CHECK_NAME_BYTES, "%s", ptx_op_name(i->op));
    for (unsigned t = 0; t < i->type_count; t++)
        length +=
            snprintf(buffer + length, (size_t)(CHECK_NAME_BYTES - length), ".%s", ptx_type_name(i->types[t]));
    return buffer;
}

bool check_says(struct check *c, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return diag_error(c->p->d, c->i->loc, "%s", text);
}

static const char *operand_text(const struct check *c, const struct ptx_operand *o, char *buffer, size_t size)
{
    switch (o->kind) {
    case PTX_OPERAND_REG: {
        const struct ptx_reg *r = &c->p->regs.data[o->reg];
        snprintf(buffer, size, "'%.60s' is a .%s register", r->name, ptx_type_name(r->type));
        return buffer;
    }
    case PTX_OPERAND_SREG:
        snprintf(buffer, size, "%s is a special register (mov reads it)", ptx_sreg_name(o->sreg));
        return buffer;
    case PTX_OPERAND_IMM:
        return o->component == LITERAL_INT ? "an integer constant" : "a floating-point constant";
    case PTX_OPERAND_SYMBOL: return "the address of a variable";
    case PTX_OPERAND_FUNCTION: return "the address of a function";
    case PTX_OPERAND_MEMORY: return "a memory operand";
    case PTX_OPERAND_LABEL: return "a label";
    case PTX_OPERAND_LABELS: return "a list of labels";
    case PTX_OPERAND_VECTOR: return "a vector";
    case PTX_OPERAND_PAIR: return "a pair a|b";
    case PTX_OPERAND_SINK: return "'_'";
    case PTX_OPERAND_NONE: break;
    }
    return "nothing";
}

bool check_wrong(struct check *c, const struct ptx_operand *o, const char *expected)
{
    char text[120], name[CHECK_NAME_BYTES];
    return diag_error(c->p->d, o->loc, "%s; '%s' expects %s here", operand_text(c, o, text, sizeof text),
                      check_name(c->i, name), expected);
}

// "a .f32 or .b32 register", with "or constant" for a source.
static bool wrong_type(struct check *c, const struct ptx_operand *o, enum ptx_type type, bool is_source)
{
    char text[120];
    unsigned bits = ptx_type_bits(type);
    const char *or_constant = is_source ? " or a constant" : "";
    if (type == PTX_PRED)
        snprintf(text, sizeof text, "a .pred register%s", or_constant);
    else if (ptx_type_is_float(type))
        snprintf(text, sizeof text, "a .%s or .b%u register%s", ptx_type_name(type), bits, or_constant);
    else if (type >= PTX_B8 && type <= PTX_B128)
        snprintf(text, sizeof text, "a register of %u bits%s", bits, or_constant);
    else
        snprintf(text, sizeof text, "a .s%u, .u%u or .b%u register%s", bits, bits, bits, or_constant);
    return check_wrong(c, o, text);
}

// ---- operands

enum ptx_type check_reg_type(const struct check *c, const struct ptx_operand *o)
{
    return c->p->regs.data[o->reg].type;
}

static bool is_bits(enum ptx_type type) { return type >= PTX_B8 && type <= PTX_B128; }
static bool is_integer(enum ptx_type type) { return type >= PTX_U8 && type <= PTX_S64; }

bool check_fits(enum ptx_type wanted, enum ptx_type reg)
{
    if (wanted == reg) return true;
    if (ptx_type_bits(wanted) != ptx_type_bits(reg) || wanted == PTX_PRED || reg == PTX_PRED) return false;
    return is_bits(wanted) || is_bits(reg) || (is_integer(wanted) && is_integer(reg));
}

bool check_dest(struct check *c, struct ptx_operand *o, enum ptx_type type)
{
    bool good = o->kind == PTX_OPERAND_REG && !o->negated && check_fits(type, check_reg_type(c, o));
    return good || wrong_type(c, o, type, false);
}

// A constant of more bits than its type is cut, as ptxas does; when that changes the value, say so.
bool check_immediate(struct check *c, struct ptx_operand *o, enum ptx_type type)
{
    struct constant k = {(enum literal)o->component, false, o->imm};
    if (!expr_to_type(k, type, &o->imm)) return wrong_type(c, o, type, true);
    unsigned bits = ptx_type_bits(type);
    bool integer = k.literal == LITERAL_INT && type != PTX_PRED && bits < 64;
    int64_t value = (int64_t)k.bits;
    if (integer && (value < -(1ll << (bits - 1)) || value >= 1ll << bits))
        diag_warn(c->p->d, o->loc, "the constant does not fit .%s and is cut to %u bits", ptx_type_name(type),
                  bits);
    o->component = 0;
    return true;
}

bool check_source(struct check *c, struct ptx_operand *o, enum ptx_type type)
{
    if (type == PTX_PRED) return check_source_predicate(c, o);
    if (o->kind == PTX_OPERAND_IMM) return check_immediate(c, o, type);
    bool good = o->kind == PTX_OPERAND_REG && !o->negated && check_fits(type, check_reg_type(c, o));
    return good || wrong_type(c, o, type, true);
}

bool check_dest_predicate(struct check *c, struct ptx_operand *o) { return check_dest(c, o, PTX_PRED); }

// The registers that ld, st and cvt take (PTX ISA 9.4.1, Tables 26 and 27).
static bool fits_wide(enum ptx_type type, enum ptx_type reg)
{
    if (reg == PTX_PRED || ptx_type_bits(reg) < ptx_type_bits(type)) return false;
    return is_bits(type) || is_bits(reg) || type == reg || (is_integer(type) && is_integer(reg));
}

bool check_wide_dest(struct check *c, struct ptx_operand *o, enum ptx_type type)
{
    bool good = o->kind == PTX_OPERAND_REG && !o->negated && fits_wide(type, check_reg_type(c, o));
    return good || wrong_type(c, o, type, false);
}

bool check_wide_source(struct check *c, struct ptx_operand *o, enum ptx_type type)
{
    if (o->kind == PTX_OPERAND_IMM) return check_immediate(c, o, type);
    if (o->kind == PTX_OPERAND_SREG && c->i->op == PTX_OP_CVT && !ptx_type_is_float(type)) return true;
    bool good = o->kind == PTX_OPERAND_REG && !o->negated && fits_wide(type, check_reg_type(c, o));
    return good || wrong_type(c, o, type, true);
}

bool check_source_predicate(struct check *c, struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_IMM) return check_immediate(c, o, PTX_PRED);
    bool good = o->kind == PTX_OPERAND_REG && check_reg_type(c, o) == PTX_PRED;
    return good || wrong_type(c, o, PTX_PRED, true);
}

bool check_integer(struct check *c, struct ptx_operand *o, int64_t least, int64_t most)
{
    if (o->kind != PTX_OPERAND_IMM || o->component != LITERAL_INT)
        return check_wrong(c, o, "an integer constant");
    if ((int64_t)o->imm >= least && (int64_t)o->imm <= most) return true;
    return diag_error(c->p->d, o->loc, "the constant must be from %lld to %lld", (long long)least,
                      (long long)most);
}

static bool check_sink_or(struct check *c, struct ptx_operand *o, enum ptx_type type)
{
    return o->kind == PTX_OPERAND_SINK || check_dest(c, o, type);
}

// d, or d|p.
static bool check_dest_pair(struct check *c, struct ptx_operand *o, enum ptx_type first)
{
    if (o->kind != PTX_OPERAND_PAIR) return check_dest(c, o, first);
    if (o->elements[0].kind == PTX_OPERAND_SINK && o->elements[1].kind == PTX_OPERAND_SINK)
        return diag_error(c->p->d, o->loc, "one of the two results must be a register");
    return check_sink_or(c, &o->elements[0], first) && check_sink_or(c, &o->elements[1], PTX_PRED);
}

static enum ptx_type wide_type(const struct ptx_inst *i)
{
    if (i->half != PTX_HALF_WIDE) return i->types[0];
    switch ((int)i->types[0]) {
    case PTX_U16: return PTX_U32;
    case PTX_S16: return PTX_S32;
    case PTX_U32: return PTX_U64;
    case PTX_S32: return PTX_S64;
    default: return i->types[0];
    }
}

static bool check_wide_form(struct check *c)
{
    char name[CHECK_NAME_BYTES];
    if (c->i->half != PTX_HALF_WIDE || ptx_type_bits(c->i->types[0]) < 64) return true;
    return check_says(c, "'%s' has no .wide form: no register holds a product of 128 bits",
                      check_name(c->i, name));
}

// A variable whose address is meant, or a register, or a constant address.
static bool check_address_source(struct check *c, struct ptx_operand *o)
{
    if (o->kind != PTX_OPERAND_SYMBOL) return check_source(c, o, c->i->types[0]);
    if (c->i->to) return check_wrong(c, o, "a register with a generic address");
    if (o->variable->space == c->i->space) return true;
    return diag_error(c->p->d, o->loc, "'%.80s' is in .%s, not in .%s", o->variable->name,
                      ptx_space_name(o->variable->space), ptx_space_name(c->i->space));
}

static bool check_address_register(struct check *c, struct ptx_operand *o)
{
    bool good = o->kind == PTX_OPERAND_REG &&
                (check_fits(PTX_U64, check_reg_type(c, o)) || check_fits(PTX_U32, check_reg_type(c, o)));
    return good || check_wrong(c, o, "a register with an address");
}

static bool check_letter(struct check *c, char letter, struct ptx_operand *o)
{
    struct ptx_inst *i = c->i;
    switch (letter) {
    case 'd': return check_dest(c, o, i->types[0]);
    case 'n': return check_dest(c, o, PTX_U32);
    case 'w':
        if (o == i->operands) return check_wide_form(c) && check_dest(c, o, wide_type(i));
        return check_source(c, o, wide_type(i));
    case 's': return check_source(c, o, i->types[0]);
    case 't': return check_source(c, o, i->types[1]);
    case 'u': return check_source(c, o, PTX_U32);
    case 'X': return check_source(c, o, PTX_U32);
    case 'p': return check_dest_predicate(c, o);
    case 'P': return check_dest_pair(c, o, PTX_PRED);
    case 'q': return check_source_predicate(c, o);
    case 'D': return check_dest_pair(c, o, i->types[0]);
    case 'N': return check_dest_pair(c, o, PTX_U32);
    case 'i': return check_integer(c, o, INT32_MIN, UINT32_MAX);
    case 'x': return check_wide_dest(c, o, i->types[0]);
    case 'y': return check_wide_source(c, o, i->types[1]);
    case 'L': return check_loaded(c, o);
    case 'S': return check_stored(c, o);
    case 'm': return check_memory_operand(c, o, i->space);
    case 'c': return check_address_source(c, o);
    case 'A': return check_address_register(c, o);
    case 'l': return o->kind == PTX_OPERAND_LABEL || check_wrong(c, o, "a label");
    case 'b':
        return (o->kind == PTX_OPERAND_LABELS && c->p->tables.data[o->label].labels) ||
               check_wrong(c, o, "the name of a .branchtargets list");
    default: return false;
    }
}

bool check_count(struct check *c, unsigned least, unsigned most)
{
    unsigned count = c->i->operand_count;
    char name[CHECK_NAME_BYTES];
    if (count >= least && count <= most) return true;
    if (least == most)
        return check_says(c, "'%s' takes %u operand%s, found %u", check_name(c->i, name), least,
                          least == 1 ? "" : "s", count);
    return check_says(c, "'%s' takes %u to %u operands, found %u", check_name(c->i, name), least, most,
                      count);
}

static void operand_range(const char *operands, unsigned *least, unsigned *most)
{
    const char *optional = strchr(operands, '?');
    *most = (unsigned)strlen(operands) - (optional != NULL);
    *least = optional ? (unsigned)(optional - operands) : *most;
}

static bool check_operands(struct check *c, const char *operands)
{
    unsigned least, most, o = 0;
    if (*operands == '@') return true;
    operand_range(operands, &least, &most);
    if (!check_count(c, least, most)) return false;
    for (const char *letter = operands; *letter; letter++) {
        if (*letter == '?') continue;
        if (o == c->i->operand_count) break;
        if (!check_letter(c, *letter, &c->i->operands[o++])) return false;
    }
    return true;
}

// ---- which form

static bool types_match(const struct signature *s, const struct ptx_inst *i)
{
    unsigned count = s->types[1] ? 2 : s->types[0] ? 1 : 0;
    if (i->type_count != count) return false;
    for (unsigned t = 0; t < count; t++)
        if (!(s->types[t] >> i->types[t] & 1)) return false;
    return true;
}

static bool modifiers_match(const struct signature *s, uint64_t given)
{
    uint64_t chosen = given & s->one_of;
    given &= ~F(TYPE);
    return !(given & ~(s->may | s->must | s->one_of)) && (given & s->must) == s->must &&
           (!s->one_of || bit_count(chosen) == 1);
}

static bool count_matches(const struct signature *s, const struct ptx_inst *i)
{
    unsigned least, most;
    operand_range(s->operands, &least, &most);
    return *s->operands == '@' || (i->operand_count >= least && i->operand_count <= most);
}

// ".s32, .u32 or .f32"
static void list_types(uint64_t set, struct strbuf *out)
{
    for (unsigned t = 0; t < PTX_TYPE_COUNT; t++) {
        if (!(set >> t & 1)) continue;
        set &= ~(1ull << t);
        if (out->length) strbuf_puts(out, set ? ", " : " or ");
        strbuf_printf(out, ".%s", ptx_type_name((enum ptx_type)t));
    }
}

static bool report_types(struct check *c)
{
    const struct signature_index *index = c->p->signatures;
    uint64_t first = 0, second = 0;
    for (uint32_t r = 0; r < index->count[c->i->op]; r++) {
        const struct signature *s = &index->first[c->i->op][r];
        if (s->refuse) continue;
        first |= s->types[0];
        if (c->i->type_count && s->types[0] >> c->i->types[0] & 1) second |= s->types[1];
    }
    struct strbuf list = {0};
    const char *op = ptx_op_name(c->i->op);
    bool first_good = c->i->type_count && first >> c->i->types[0] & 1;
    list_types(first_good ? second : first, &list);
    if (!list.length)
        check_says(c, "'%s' takes %s", op, first_good ? "one type" : "no type");
    else if (first_good && c->i->type_count == 1)
        check_says(c, "'%s.%s' needs a second type: %s", op, ptx_type_name(c->i->types[0]),
                   strbuf_text(&list));
    else if (first_good)
        check_says(c, "'%s.%s' does not go with .%s; expected %s", op, ptx_type_name(c->i->types[0]),
                   ptx_type_name(c->i->types[1]), strbuf_text(&list));
    else if (c->i->type_count)
        check_says(c, "'%s' has no form for type .%s; expected %s", op, ptx_type_name(c->i->types[0]),
                   strbuf_text(&list));
    else
        check_says(c, "'%s' needs a type: %s", op, strbuf_text(&list));
    strbuf_fini(&list);
    return false;
}

// What a reader would write for a field that is missing.
static const char *field_text(enum ptx_field field)
{
    switch ((int)field) {
    case FIELD_ROUND: return "a rounding modifier (.rn, .rz, .rm or .rp)";
    case FIELD_ROUND_TIES: return ".rna";
    case FIELD_HALF: return ".lo, .hi or .wide";
    case FIELD_CMP: return "a comparison such as .lt";
    case FIELD_BOOL: return ".and, .or, .xor or .popc";
    case FIELD_APPROX: return ".approx";
    case FIELD_FULL: return ".full";
    case FIELD_FTZ: return ".ftz";
    case FIELD_SAT: return ".sat";
    case FIELD_CC: return ".cc";
    case FIELD_CLAMP: return ".clamp";
    case FIELD_WRAP: return ".wrap";
    case FIELD_SPACE: return "a state space such as .global";
    case FIELD_SCOPE: return "a scope (.cta, .gpu or .sys)";
    case FIELD_ATOM: return "an operation such as .add";
    case FIELD_SHFL: return ".up, .down, .bfly or .idx";
    case FIELD_VOTE: return ".all, .any, .uni or .ballot";
    case FIELD_BAR: return ".sync, .arrive or .red";
    case FIELD_SHF: return ".l or .r";
    case FIELD_TESTP: return "a test such as .nan or .finite";
    case FIELD_GEOMETRY: return ".1d, .2d or .3d";
    case FIELD_TXQ: return ".width, .height or .depth";
    case FIELD_CP: return ".async, .commit_group, .wait_group or .wait_all";
    case FIELD_L1: return ".L1";
    case FIELD_L2: return ".L2";
    case FIELD_HINT: return "an eviction priority such as .L2::evict_normal";
    case FIELD_TABLE: return ".idx";
    case FIELD_SYNC: return ".sync";
    default: return "another modifier";
    }
}

static bool report_modifiers(struct check *c, const struct signature *s)
{
    char name[CHECK_NAME_BYTES];
    check_name(c->i, name);
    uint64_t missing = s->must & ~c->given, strange = c->given & ~(s->may | s->must | s->one_of | F(TYPE));
    if (strange) {
        enum ptx_field field = (enum ptx_field)bit_lowest(strange);
        return check_says(c, "'%s' does not go with %s", name, field_text(field));
    }
    if (missing) return check_says(c, "'%s' needs %s", name, field_text((enum ptx_field)bit_lowest(missing)));
    struct strbuf list = {0};
    for (uint64_t rest = s->one_of; rest; rest &= rest - 1) {
        if (list.length) strbuf_puts(&list, ", or ");
        strbuf_puts(&list, field_text((enum ptx_field)bit_lowest(rest)));
    }
    check_says(c, "'%s' needs exactly one of: %s", name, strbuf_text(&list));
    strbuf_fini(&list);
    return false;
}

char signature_letter(const struct signature_index *index, const struct ptx_inst *i, unsigned operand)
{
    for (uint32_t r = 0; r < index->count[i->op]; r++) {
        const struct signature *s = &index->first[i->op][r];
        if (!types_match(s, i) || !count_matches(s, i) || *s->operands == '@') continue;
        const char *optional = strchr(s->operands, '?');
        unsigned place = operand + (optional && operand >= (unsigned)(optional - s->operands));
        if (place < strlen(s->operands)) return s->operands[place];
    }
    return 0;
}

static const struct signature *find_signature(struct check *c)
{
    const struct signature_index *index = c->p->signatures;
    const struct signature *typed = NULL, *modified = NULL;
    uint64_t least_wrong = UINT64_MAX;
    for (uint32_t r = 0; r < index->count[c->i->op]; r++) {
        const struct signature *s = &index->first[c->i->op][r];
        if (!types_match(s, c->i)) continue;
        if (!modifiers_match(s, c->given)) { // report against the form that lacks or dislikes least
            uint64_t wrong =
                bit_count((s->must & ~c->given) | (c->given & ~(s->may | s->must | s->one_of | F(TYPE))));
            if (wrong < least_wrong) typed = s;
            if (wrong < least_wrong) least_wrong = wrong;
            continue;
        }
        if (count_matches(s, c->i)) return s;
        if (!modified) modified = s;
    }
    unsigned least, most;
    if (modified) {
        operand_range(modified->operands, &least, &most);
        check_count(c, least, most);
    } else if (typed) {
        report_modifiers(c, typed);
    } else {
        report_types(c);
    }
    return NULL;
}

// ---- what concerns single operations

static bool check_cmp(struct check *c, enum ptx_type type)
{
    enum ptx_cmp cmp = c->i->cmp;
    char name[CHECK_NAME_BYTES];
    bool is_float = ptx_type_is_float(type), ordered = cmp >= PTX_CMP_LT && cmp <= PTX_CMP_GE;
    bool is_unsigned = type >= PTX_U8 && type <= PTX_U64, equality = cmp == PTX_CMP_EQ || cmp == PTX_CMP_NE;
    bool good = equality || (ordered && !is_bits(type)) || (is_float && cmp >= PTX_CMP_EQU) ||
                (is_unsigned && cmp >= PTX_CMP_LO && cmp <= PTX_CMP_HS);
    if (good) return true;
    return check_says(c, "this comparison does not go with '%s': .%s values compare with %s",
                      check_name(c->i, name), ptx_type_name(type),
                      is_float        ? "eq, ne, lt, le, gt, ge, their unordered forms, num and nan"
                      : is_unsigned   ? "eq, ne, lt, le, gt, ge, lo, ls, hi and hs"
                      : is_bits(type) ? "eq and ne"
                                      : "eq, ne, lt, le, gt and ge");
}

static bool check_comparison(struct check *c)
{
    struct ptx_inst *i = c->i;
    unsigned combined = i->boolean != PTX_BOOL_NONE;
    if (i->boolean == PTX_BOOL_POPC)
        return check_says(c, "'%s' combines with .and, .or or .xor", ptx_op_name(i->op));
    if (combined && i->operand_count != 4)
        return check_says(c, "'%s' with .and, .or or .xor needs a predicate as its last operand",
                          ptx_op_name(i->op));
    if (!combined && i->operand_count == 4)
        return check_says(c, "'%s' with a fourth operand needs .and, .or or .xor", ptx_op_name(i->op));
    return check_cmp(c, i->types[i->type_count - 1]);
}

static bool check_product(struct check *c)
{
    struct ptx_inst *i = c->i;
    char name[CHECK_NAME_BYTES];
    bool wide = i->half == PTX_HALF_WIDE, is_24 = i->op == PTX_OP_MUL24 || i->op == PTX_OP_MAD24;
    if (wide && (i->op == PTX_OP_MADC || is_24 || i->sat || i->carry_out || i->op == PTX_OP_DP2A))
        return check_says(c, "'%s' has no .wide form here; expected .lo or .hi", check_name(i, name));
    if (i->sat && i->half != PTX_HALF_HI && i->half != PTX_HALF_NONE)
        return check_says(c, "'%s' saturates only with .hi", check_name(i, name));
    return true;
}

// f16 and bf16 arithmetic rounds to nearest only.
static bool check_half_rounding(struct check *c)
{
    enum ptx_type type = c->i->types[0];
    bool half = type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2;
    char name[CHECK_NAME_BYTES];
    if (!half || c->i->op == PTX_OP_CVT || c->i->round == PTX_ROUND_NONE || c->i->round == PTX_ROUND_RN)
        return true;
    return check_says(c, "'%s' rounds with .rn only", check_name(c->i, name));
}

static bool check_vote(struct check *c)
{
    struct ptx_inst *i = c->i;
    bool ballot = i->mode == PTX_MODE_VOTE_BALLOT;
    if (i->op == PTX_OP_MATCH) {
        if (i->mode != PTX_MODE_VOTE_ALL && i->mode != PTX_MODE_VOTE_ANY)
            return check_says(c, "'match' needs .all or .any");
        if (i->mode == PTX_MODE_VOTE_ANY && i->operands[0].kind == PTX_OPERAND_PAIR)
            return check_says(c, "'match.any' has no predicate result");
        return true;
    }
    if (ballot == (i->types[0] == PTX_B32)) return true;
    return check_says(c,
                      ballot ? "'vote.ballot' gives a .b32" : "'vote' with .all, .any or .uni gives a .pred");
}

// Position and length of a bit field, in one byte each (PTX ISA 9.7.1.20).
static bool check_field(struct check *c, unsigned first)
{
    for (unsigned o = first; o < first + 2; o++)
        if (c->i->operands[o].kind == PTX_OPERAND_IMM && !check_integer(c, &c->i->operands[o], 0, 255))
            return false;
    return true;
}

static bool check_shuffle(struct check *c)
{
    struct ptx_operand *d = &c->i->operands[0];
    if (d->kind != PTX_OPERAND_PAIR || d->elements[0].kind == PTX_OPERAND_REG) return true;
    return check_wrong(c, &d->elements[0], "a register for the value");
}

static bool check_redux(struct check *c)
{
    enum ptx_atom atom = c->i->atom;
    bool logic = atom == PTX_ATOM_AND || atom == PTX_ATOM_OR || atom == PTX_ATOM_XOR;
    bool arithmetic = atom == PTX_ATOM_ADD || atom == PTX_ATOM_MIN || atom == PTX_ATOM_MAX;
    if (!logic && !arithmetic) return check_says(c, "'redux' has the operations add, min, max, and, or, xor");
    if (logic == (c->i->types[0] == PTX_B32)) return true;
    return check_says(c, logic ? "'redux' with .and, .or or .xor needs type .b32"
                               : "'redux' with .add, .min or .max needs type .u32 or .s32");
}

static bool check_fence(struct check *c)
{
    enum ptx_sem sem = c->i->sem;
    if (c->i->op == PTX_OP_MEMBAR || c->i->mode == PTX_MODE_MEMBAR_PROXY) return true;
    bool good = sem == PTX_SEM_NONE || sem == PTX_SEM_SC || sem == PTX_SEM_ACQ_REL ||
                sem == PTX_SEM_ACQUIRE || sem == PTX_SEM_RELEASE;
    return good || check_says(c, "'fence' is .sc, .acq_rel, .acquire or .release");
}

static bool check_min_max(struct check *c)
{
    bool abs = c->given & F(ABS);
    return c->i->xorsign == abs || check_says(c, ".xorsign and .abs belong together");
}

static bool check_isspacep(struct check *c)
{
    enum ptx_space s = c->i->space;
    bool good = s == PTX_SPACE_CONST || s == PTX_SPACE_GLOBAL || s == PTX_SPACE_LOCAL ||
                s == PTX_SPACE_SHARED || s == PTX_SPACE_PARAM;
    return good || check_says(c, "'%s' has no .%s", ptx_op_name(c->i->op), ptx_space_name(s));
}

static bool check_operation(struct check *c)
{
    struct ptx_inst *i = c->i;
    switch ((int)i->op) {
    case PTX_OP_SET:
    case PTX_OP_SETP: return check_comparison(c);
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_MADC:
    case PTX_OP_MUL24:
    case PTX_OP_MAD24:
    case PTX_OP_DP2A: return check_product(c) && check_half_rounding(c);
    case PTX_OP_ADD:
    case PTX_OP_SUB: return check_half_rounding(c);
    case PTX_OP_FMA:
        if (i->sat && i->relu) return check_says(c, ".sat and .relu exclude each other");
        return check_half_rounding(c);
    case PTX_OP_MIN:
    case PTX_OP_MAX: return check_min_max(c);
    case PTX_OP_SLCT:
        return !i->ftz || i->types[1] == PTX_F32 || check_says(c, ".ftz needs an .f32 selector in 'slct'");
    case PTX_OP_LOP3: return check_integer(c, &i->operands[4], 0, 0xffff);
    case PTX_OP_BFE: return check_field(c, 2);
    case PTX_OP_BFI: return check_field(c, 3);
    case PTX_OP_PMEVENT: return check_integer(c, &i->operands[0], 0, c->given & F(MASK) ? 0xffff : 15);
    case PTX_OP_VOTE:
    case PTX_OP_MATCH: return check_vote(c);
    case PTX_OP_SHFL: return check_shuffle(c);
    case PTX_OP_REDUX: return check_redux(c);
    case PTX_OP_FENCE: return check_fence(c);
    case PTX_OP_ISSPACEP:
    case PTX_OP_CVTA: return check_isspacep(c);
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_ST: return check_load_store(c);
    case PTX_OP_ATOM:
    case PTX_OP_RED: return check_atom(c);
    case PTX_OP_CP: return check_cp(c);
    case PTX_OP_PREFETCH:
    case PTX_OP_PREFETCHU:
    case PTX_OP_APPLYPRIORITY: return check_prefetch(c);
    case PTX_OP_MOV: return check_mov(c);
    case PTX_OP_CVT: return check_cvt(c);
    case PTX_OP_TEX: return check_texture(c);
    case PTX_OP_TXQ: return check_texture_query(c);
    case PTX_OP_BAR:
    case PTX_OP_BARRIER: return check_barrier(c);
    case PTX_OP_CALL: return check_call(c);
    default: return true;
    }
}

// createpolicy's result is an operand of its own in last place; it changes no value.
static bool drop_cache_policy(struct check *c)
{
    struct ptx_inst *i = c->i;
    if (!(c->given & F(CACHE_HINT))) return true;
    if (i->operand_count < 2)
        return check_says(c, "'%s' with .L2::cache_hint needs a cache policy", ptx_op_name(i->op));
    if (!check_source(c, &i->operands[i->operand_count - 1], PTX_B64)) return false;
    i->operand_count--;
    return true;
}

static void refuse_for_variables(struct ptx_inst *i)
{
    for (unsigned o = 0; o < i->operand_count; o++)
        if (i->operands[o].variable && i->operands[o].variable->unsupported)
            i->unsupported = i->operands[o].variable->unsupported;
}

bool check_instruction(struct parser *p, struct ptx_inst *i, uint64_t given)
{
    struct check c = {p, i, given};
    if (!drop_cache_policy(&c)) return false;
    const struct signature *s = find_signature(&c);
    if (!s || !check_operands(&c, s->operands)) return false;
    if (s->refuse) i->unsupported = ptx_unsupported_form;
    refuse_for_variables(i);
    return check_operation(&c);
}
