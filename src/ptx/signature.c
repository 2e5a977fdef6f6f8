// The table of forms (sig.def): index by operation, search for the form of an instruction, and messages
// when no form matches.
#include "base/bits.h"
#include "ptx/check.h"

#include <string.h>

#define T(type)       (1ull << PTX_##type)
#define BITS          (T(B16) | T(B32) | T(B64))
#define INT           (T(U16) | T(U32) | T(U64) | T(S16) | T(S32) | T(S64))
#define INT32_64      (T(U32) | T(U64) | T(S32) | T(S64))
#define SIGNED        (T(S16) | T(S32) | T(S64))
#define LOADABLE      (T(B8) | T(U8) | T(S8) | BITS | INT | T(F32) | T(F64))
#define CONVERTIBLE   (T(U8) | T(S8) | INT | T(F16) | T(BF16) | T(F32) | T(F64))
#define ATOMIC        (BITS | INT32_64 | T(F32) | T(F64) | T(F16) | T(F16X2) | T(BF16) | T(BF16X2))
#define ATOMIC_VECTOR (T(F32) | T(F16) | T(F16X2) | T(BF16) | T(BF16X2))

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

void signature_operands(const char *operands, unsigned *least, unsigned *most)
{
    const char *optional = strchr(operands, '?');
    *most = (unsigned)strlen(operands) - (optional != NULL);
    *least = optional ? (unsigned)(optional - operands) : *most;
}

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
    signature_operands(s->operands, &least, &most);
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

// What a message calls a field that is missing or does not fit: the modifiers to write (".lo, .hi or .wide"),
// or a description ("a comparison such as .lt").
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
    case FIELD_BAR: return ".sync, .arrive or .red, of a cluster .arrive or .wait";
    case FIELD_SHF: return ".l or .r";
    case FIELD_TESTP: return "a test such as .nan or .finite";
    case FIELD_GEOMETRY: return "a geometry such as .2d";
    case FIELD_TXQ: return ".width, .height, .depth or .array_size";
    case FIELD_CP:
        return ".async, .commit_group, .wait_group or .wait_all, or of an mbarrier .init, .inval, .arrive, "
               ".arrive_drop, .test_wait, .try_wait, .expect_tx, .complete_tx or .pending_count";
    case FIELD_PHASE: return ".parity, .noComplete or .noinc";
    case FIELD_L1: return ".L1";
    case FIELD_L2: return ".L2";
    case FIELD_HINT: return "an eviction priority such as .L2::evict_normal";
    case FIELD_WORD: return "a word of its own";
    case FIELD_BULK: return "a word of bulk copies such as .bulk";
    case FIELD_LEVEL: return ".base, .level or .grad";
    case FIELD_BOUNDARY: return ".trap, .clamp or .zero";
    case FIELD_FRAGMENT: return "a letter such as .b";
    case FIELD_SYNC: return ".sync";
    case FIELD_ALIGNED: return ".aligned";
    case FIELD_SHAPE: return "a shape such as .m16n8k16";
    case FIELD_LAYOUT: return ".row or .col";
    case FIELD_MATRICES: return ".x1, .x2 or .x4";
    case FIELD_TRANS: return ".trans";
    case FIELD_SPARSE: return ".sp";
    case FIELD_SATFINITE: return ".satfinite";
    case FIELD_BITS: return ".xor or .and";
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

const struct signature *signature_find(struct check *c)
{
    const struct signature_index *index = c->p->signatures;
    const struct signature *typed = NULL, *modified = NULL;
    uint64_t least_wrong = UINT64_MAX;
    for (uint32_t r = 0; r < index->count[c->i->op]; r++) {
        const struct signature *s = &index->first[c->i->op][r];
        if (!types_match(s, c->i)) continue;
        if (!modifiers_match(s, c->given)) { // report against the closest form
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
        signature_operands(modified->operands, &least, &most);
        check_count(c, least, most);
    } else if (typed) {
        report_modifiers(c, typed);
    } else {
        report_types(c);
    }
    return NULL;
}
