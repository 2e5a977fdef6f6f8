// Linear values: every instruction of the program is evaluated over tuples.
//
//     SHL R4, R7, 0x2                  word 4·i
//     SHR R5, R7, 0x1e                 upper word of 4·i, if no i of the launch is negative
//     IADD3 R4, P0, R4, c[0][0x168]    word of 4·i + a, carry of the two words
//     IADD3.X R5, R5, c[0][0x16c], P0  upper word of 4·i + A: the words before are the lower words of 4·i and A
#include "decouple/linear.h"
#include "decouple/decouple.h"
#include "decouple/slices.h"
#include "isa/bank.h"
#include "isa/fields.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/modes.h"
#include "isa/program.h"
#include "isa/sregs.h"

#include <string.h>

struct finding {
    const struct decouple *d;
    const struct mark_ssa *s;
    const struct decouple_facts *facts;
    struct decouple_box box; // indices of the launch
    struct decouple_linear *values;
};

struct evaluated { // the instruction at hand
    const struct finding *x;
    const struct inst *i;
    uint32_t inst;
    struct access_list reads;
    struct decouple_linear result[2], carry; // result: by word of the destination
};

// -- tuples -------------------------------------------------------------------------------------------------

static bool is_scalar(const struct decouple_tuple *t) { return decouple_tuple_is_scalar(t); }
static bool is_zero(const struct decouple_tuple *t) { return is_scalar(t) && !t->base; }

static struct decouple_tuple scalar(uint64_t value) { return decouple_tuple_scalar(32, value); }

static struct decouple_tuple scaled(const struct decouple_tuple *t, uint64_t factor)
{
    const struct decouple_tuple f = decouple_tuple_scalar(t->bits, factor);
    struct decouple_tuple product;
    decouple_tuple_multiply(t, &f, &product);
    return product;
}

// The tuple modulo 2^bits: of the lower word, or read as a number of 64 bits whatever wraps.
static struct decouple_tuple resized(const struct decouple_tuple *t, unsigned bits)
{
    struct decouple_tuple r = *t;
    r.bits = bits;
    return scaled(&r, 1);
}

// The word as a number, in 64 bits. False: a value of the launch wraps.
static bool widen(const struct finding *x, const struct decouple_tuple *t, bool is_signed,
                  struct decouple_tuple *wide)
{
    if (decouple_tuple_widen(t, &x->box, is_signed, wide)) return true;
    const struct decouple_box none = {.high = {0}};
    struct decouple_tuple base = *t;
    if (!x->facts->wraps_freely) return false;
    memset(base.offset, 0, sizeof base.offset);
    decouple_tuple_widen(&base, &none, is_signed, wide);
    for (unsigned d = 0; d < DECOUPLE_DIMENSIONS; d++)
        wide->offset[d] = (uint64_t)(int64_t)(int32_t)(uint32_t)t->offset[d];
    return true;
}

// Whether every value of the word is in 0 … most.
static bool is_within(const struct finding *x, const struct decouple_tuple *t, int64_t most)
{
    struct decouple_range r;
    if (!decouple_tuple_range(t, &x->box, false, &r)) return x->facts->wraps_freely;
    return (r.low >= 0 && r.high <= most) || x->facts->wraps_freely;
}

static struct decouple_linear word(struct decouple_tuple t)
{
    return (struct decouple_linear){.kind = LINEAR_WORD, .tuple = t};
}

static struct decouple_linear upper(struct decouple_tuple wide)
{
    if (is_scalar(&wide)) return word(scalar(wide.base >> 32));
    return (struct decouple_linear){.kind = LINEAR_UPPER, .tuple = wide};
}

// The 64-bit number with these words. False: not known to be a tuple.
static bool join(const struct finding *x, const struct decouple_linear *low,
                 const struct decouple_linear *high, struct decouple_tuple *wide)
{
    if (low->kind != LINEAR_WORD) return false;
    if (high->kind == LINEAR_UPPER) {
        const struct decouple_tuple lower = resized(&high->tuple, 32);
        *wide = high->tuple;
        return decouple_tuple_equal(&lower, &low->tuple);
    }
    if (high->kind != LINEAR_WORD || !is_scalar(&high->tuple)) return false;
    if (is_scalar(&low->tuple)) {
        *wide = decouple_tuple_scalar(64, high->tuple.base << 32 | low->tuple.base);
        return true;
    }
    if (!widen(x, &low->tuple, false, wide)) return false;
    wide->base += high->tuple.base << 32;
    return true;
}

// -- sources ------------------------------------------------------------------------------------------------

static struct decouple_linear constant_of(const struct finding *x, const struct operand *o, unsigned n)
{
    uint32_t value;
    uint64_t at = (uint64_t)o->value + 4 * n;
    if (o->bank != BANK_LAUNCH || at + 4 > x->facts->bank_bytes) return (struct decouple_linear){0};
    memcpy(&value, x->facts->bank + at, sizeof value);
    return word(scalar(value));
}

static struct decouple_linear read_by(const struct evaluated *e, unsigned operand, unsigned n)
{
    const struct mark_ssa *s = e->x->s;
    for (unsigned k = 0; k < e->reads.count; k++)
        if (e->reads.at[k].role == ROLE_SOURCE && e->reads.at[k].operand == operand && !n--)
            return e->x->values[s->reads[s->read_first[e->inst] + k]];
    return (struct decouple_linear){0};
}

// Word n of a source, as stated, without a sign.
static struct decouple_linear source(const struct evaluated *e, unsigned k, unsigned n)
{
    const struct operand *o = &e->i->src[k];
    if (o->flags & OPERAND_ABS) return (struct decouple_linear){0};
    switch ((enum operand_kind)o->kind) {
    case OPERAND_IMM: return n ? (struct decouple_linear){0} : word(scalar(o->value));
    case OPERAND_CONST: return constant_of(e->x, o, n);
    case OPERAND_REG:
        if (o->reg == REG_ZERO) return word(scalar(0));
        return n < operand_words(o) ? read_by(e, k, n) : (struct decouple_linear){0};
    case OPERAND_NONE:
    case OPERAND_PRED:
    case OPERAND_SREG:
    case OPERAND_MEM:
    case OPERAND_SHARED: break;
    }
    return (struct decouple_linear){0};
}

static bool is_negated(const struct evaluated *e, unsigned k) { return e->i->src[k].flags & OPERAND_NEG; }

// A source's word, with its sign, modulo 2^32. False: none.
static bool word_of(const struct evaluated *e, unsigned k, struct decouple_tuple *t)
{
    const struct decouple_linear v = source(e, k, 0);
    if (v.kind != LINEAR_WORD) return false;
    *t = is_negated(e, k) ? scaled(&v.tuple, UINT64_MAX) : v.tuple;
    return true;
}

static bool scalar_of(const struct evaluated *e, unsigned k, uint32_t *value)
{
    struct decouple_tuple t;
    if (!word_of(e, k, &t) || !is_scalar(&t)) return false;
    *value = (uint32_t)t.base;
    return true;
}

static bool pair_of(const struct evaluated *e, unsigned low, unsigned high, unsigned n,
                    struct decouple_tuple *t)
{
    const struct decouple_linear a = source(e, low, 0), b = source(e, high, n);
    return join(e->x, &a, &b, t);
}

// -- sums ---------------------------------------------------------------------------------------------------

// Sum of words: the word of the result and, with a destination for it, the carry.
static void sum_words(struct evaluated *e, const struct decouple_tuple terms[3], const bool negated[3])
{
    struct decouple_tuple sum = scalar(0);
    struct decouple_linear *c = &e->carry;
    unsigned count = 0;
    c->tuple = c->second = scalar(0);
    for (unsigned k = 0; k < 3; k++) {
        const struct decouple_tuple signed_term = scaled(&terms[k], negated[k] ? UINT64_MAX : 1);
        sum = decouple_tuple_add(&sum, &signed_term);
        if (is_zero(&terms[k]) && !negated[k]) continue;
        if (count < 2) *(count ? &c->second : &c->tuple) = terms[k], c->negated[count] = negated[k];
        count++;
    }
    e->result[0] = word(sum);
    // two complements carry twice
    if (count <= 2 && !(c->negated[0] && c->negated[1])) c->kind = LINEAR_CARRY;
}

// Sum of upper words with a carry: linear if the carry is of the lower words of the same numbers. Every lower word finds
// an upper word with the same sign. An upper word left over is a scalar.
static void sum_upper(struct evaluated *e, const struct decouple_linear terms[3], const bool negated[3])
{
    const struct decouple_linear c =
        e->i->src[3].flags & OPERAND_NOT ? (struct decouple_linear){0} : read_by(e, 3, 0);
    if (c.kind != LINEAR_CARRY) return;
    const struct decouple_linear low[2] = {word(c.tuple), word(c.second)};
    struct decouple_tuple wide[2];
    for (unsigned a = 0; a < 3; a++)
        for (unsigned b = 0; b < 3; b++) {
            unsigned left = 3 - a - b;
            if (a == b || negated[a] != c.negated[0] || negated[b] != c.negated[1]) continue;
            if (terms[left].kind != LINEAR_WORD || !is_scalar(&terms[left].tuple)) continue;
            if (!join(e->x, &low[0], &terms[a], &wide[0]) || !join(e->x, &low[1], &terms[b], &wide[1]))
                continue;
            for (unsigned k = 0; k < 2; k++) wide[k] = scaled(&wide[k], c.negated[k] ? UINT64_MAX : 1);
            struct decouple_tuple sum = decouple_tuple_add(&wide[0], &wide[1]);
            uint64_t more = terms[left].tuple.base;
            sum.base += (negated[left] ? ~more : more) << 32;
            e->result[0] = upper(sum);
            return;
        }
}

static void add(struct evaluated *e)
{
    struct decouple_linear terms[3];
    struct decouple_tuple words[3];
    bool negated[3], are_words = true;
    for (unsigned k = 0; k < 3; k++) {
        terms[k] = source(e, k, 0);
        negated[k] = is_negated(e, k);
        words[k] = terms[k].tuple;
        are_words &= terms[k].kind == LINEAR_WORD;
    }
    if (e->i->flags & INST_X)
        sum_upper(e, terms, negated);
    else if (are_words)
        sum_words(e, words, negated);
}

// (a << shift) + b; with HI, the upper word of {c:a} << shift.
static void shift_and_add(struct evaluated *e)
{
    unsigned shift = e->i->shift;
    const struct decouple_linear a = source(e, 0, 0), b = source(e, 1, 0);
    bool negated[3] = {is_negated(e, 0), is_negated(e, 1), false};
    struct decouple_tuple wide;
    if (!(e->i->flags & INST_HI)) {
        if (a.kind != LINEAR_WORD || b.kind != LINEAR_WORD || e->i->flags & INST_X) return;
        const struct decouple_tuple terms[3] = {scaled(&a.tuple, 1ull << shift), b.tuple, scalar(0)};
        sum_words(e, terms, negated);
        return;
    }
    if (a.kind != LINEAR_WORD) return;
    if (!(e->i->flags & INST_SX ? widen(e->x, &a.tuple, true, &wide) : pair_of(e, 0, 2, 0, &wide))) return;
    wide = scaled(&wide, 1ull << shift);
    if (e->i->flags & INST_X) {
        const struct decouple_linear terms[3] = {upper(wide), b, word(scalar(0))};
        sum_upper(e, terms, negated);
    } else if (b.kind == LINEAR_WORD && is_scalar(&b.tuple) && !negated[0]) {
        wide.base += (negated[1] ? (uint64_t)0 - b.tuple.base : b.tuple.base) << 32;
        e->result[0] = upper(wide);
    }
}

// -- products -----------------------------------------------------------------------------------------------

static bool multiply(const struct decouple_tuple *a, const struct decouple_tuple *b, struct decouple_tuple *p)
{
    return decouple_tuple_multiply(a, b, p);
}

// The product of two sources in 64 bits, extended by the instruction's type.
static bool wide_product(const struct evaluated *e, struct decouple_tuple *p)
{
    struct decouple_tuple a, b, wide[2];
    bool is_signed = e->i->type == TYPE_S32;
    return word_of(e, 0, &a) && word_of(e, 1, &b) && widen(e->x, &a, is_signed, &wide[0]) &&
           widen(e->x, &b, is_signed, &wide[1]) && multiply(&wide[0], &wide[1], p);
}

static void multiply_add(struct evaluated *e)
{
    struct decouple_tuple a, b, c, p;
    if (e->i->flags & (INST_X | INST_CC) || !word_of(e, 2, &c)) return;
    if (e->i->flags & INST_HI) {
        if (!wide_product(e, &p) || !is_scalar(&c)) return;
        p.base += c.base << 32;
        e->result[0] = upper(p);
    } else if (word_of(e, 0, &a) && word_of(e, 1, &b) && multiply(&a, &b, &p)) {
        e->result[0] = word(decouple_tuple_add(&p, &c));
    }
}

static void multiply_wide(struct evaluated *e)
{
    struct decouple_tuple p, c;
    if (e->i->flags & (INST_X | INST_CC) || !wide_product(e, &p) || !pair_of(e, 2, 2, 1, &c)) return;
    if (is_negated(e, 2)) c = scaled(&c, UINT64_MAX);
    const struct decouple_tuple sum = decouple_tuple_add(&p, &c);
    e->result[0] = word(resized(&sum, 32));
    e->result[1] = upper(sum);
}

// A half of a source as a factor. A word that fits into its lower half is its lower half.
static bool half_of(const struct evaluated *e, unsigned k, unsigned type, struct decouple_tuple *t)
{
    bool is_upper = e->i->src[k].flags & OPERAND_H1_H1;
    if (!word_of(e, k, t)) return false;
    if (is_scalar(t)) {
        uint32_t half = (uint32_t)(is_upper ? t->base >> 16 : t->base) & 0xffff;
        if (type == TYPE_S16) half = (uint32_t)(int32_t)(int16_t)half;
        *t = scalar(half);
        return true;
    }
    if (!is_within(e->x, t, type == TYPE_S16 && !is_upper ? INT16_MAX : UINT16_MAX)) return false;
    if (is_upper) *t = scalar(0);
    return true;
}

// A word of which the instruction keeps the lower half. False: unknown.
static bool lower_half(const struct evaluated *e, struct decouple_tuple *t)
{
    if (is_scalar(t))
        *t = scalar(t->base & 0xffff);
    else if (!is_within(e->x, t, UINT16_MAX))
        return false;
    return true;
}

static void multiply_halves(struct evaluated *e)
{
    enum isa_mode mode = (enum isa_mode)e->i->mode;
    struct decouple_tuple a, b, c, whole, p;
    bool has_b = word_of(e, 1, &whole);
    if (!half_of(e, 0, e->i->type, &a) || !half_of(e, 1, e->i->type2, &b) || !word_of(e, 2, &c)) return;
    if (!multiply(&a, &b, &p)) return;
    bool shifts = mode == MODE_XMAD_PSL || mode == MODE_XMAD_PSL_CBCC || mode == MODE_XMAD_PSL_CLO;
    bool takes_b = mode == MODE_XMAD_PSL_CBCC || mode == MODE_XMAD_MRG;
    if (shifts) p = scaled(&p, 1 << 16);
    if (mode == MODE_XMAD_PSL_CLO && !lower_half(e, &c)) return;
    if (mode == MODE_XMAD_CHI) {
        if (!is_scalar(&c) && !is_within(e->x, &c, UINT16_MAX)) return;
        c = scalar(is_scalar(&c) ? c.base >> 16 : 0);
    }
    struct decouple_tuple sum = decouple_tuple_add(&p, &c);
    if (mode == MODE_XMAD_MRG && !lower_half(e, &sum)) return;
    if (takes_b) {
        if (!has_b) return;
        whole = scaled(&whole, 1 << 16);
        sum = decouple_tuple_add(&sum, &whole);
    }
    e->result[0] = word(sum);
}

// -- shifts -------------------------------------------------------------------------------------------------

static void shift_left(struct evaluated *e)
{
    struct decouple_tuple a;
    uint32_t by;
    if (word_of(e, 0, &a) && scalar_of(e, 1, &by)) e->result[0] = word(scaled(&a, by > 31 ? 0 : 1ull << by));
}

static void shift_right(struct evaluated *e)
{
    bool is_signed = e->i->type == TYPE_S32;
    struct decouple_tuple a, wide;
    uint32_t by;
    if (!word_of(e, 0, &a) || !scalar_of(e, 1, &by)) return;
    if (by > 32) by = 32;
    if (!by) e->result[0] = word(a);
    if (!by || !widen(e->x, &a, is_signed, &wide)) return;
    e->result[0] = upper(scaled(&wide, 1ull << (32 - by)));
}

static void shift_funnel(struct evaluated *e)
{
    struct decouple_tuple wide;
    uint32_t by;
    if (!scalar_of(e, 1, &by)) return;
    if (e->i->flags & INST_WRAP) by &= 31;
    if (by > 32) return;
    bool left = e->i->mode == MODE_SHF_L, is_low = by == (left ? 32 : 0), is_high = by == (left ? 0 : 32);
    if (is_low || is_high) {
        const struct decouple_linear words[2] = {source(e, 0, 0), source(e, 2, 0)};
        if (words[0].kind && words[1].kind) e->result[0] = words[is_high];
        return;
    }
    if (pair_of(e, 0, 2, 0, &wide)) e->result[0] = upper(scaled(&wide, 1ull << (left ? by : 32 - by)));
}

// -- definitions --------------------------------------------------------------------------------------------

static void read_special(struct evaluated *e)
{
    const struct decouple_facts *f = e->x->facts;
    enum isa_sreg r = (enum isa_sreg)e->i->src[0].reg;
    for (unsigned k = 0; k < 3; k++) {
        const struct decouple_tuple thread = decouple_tuple_index(DECOUPLE_TID_X + k),
                                    block = decouple_tuple_index(DECOUPLE_CTAID_X + k);
        if (r == SREG_TID_X + k) e->result[0] = word(f->block[k] > 1 ? thread : scalar(0));
        if (r == SREG_CTAID_X + k) e->result[0] = word(f->grid[k] > 1 ? block : scalar(0));
        if (r == SREG_NTID_X + k) e->result[0] = word(scalar(f->block[k]));
        if (r == SREG_NCTAID_X + k) e->result[0] = word(scalar(f->grid[k]));
    }
}

static void logic(struct evaluated *e)
{
    uint32_t a, b, c, d = 0;
    if (!scalar_of(e, 0, &a) || !scalar_of(e, 1, &b) || !scalar_of(e, 2, &c)) return;
    for (unsigned k = 0; k < 32; k++)
        d |= (uint32_t)(e->i->lut >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1)) & 1) << k;
    e->result[0] = word(scalar(d));
}

static void load_constant(struct evaluated *e)
{
    const struct operand *a = &e->i->src[0];
    const struct operand o = {.kind = OPERAND_CONST, .bank = e->i->bank, .value = a->value};
    if (a->kind != OPERAND_MEM || a->reg != REG_ZERO || isa_type_bytes((enum isa_type)e->i->type) < 4) return;
    for (unsigned n = 0; n < 2 && n < operand_words(&e->i->dst[0]); n++)
        e->result[n] = constant_of(e->x, &o, n);
}

typedef void evaluation(struct evaluated *e);

static void move(struct evaluated *e) { e->result[0] = source(e, 0, 0); }

static evaluation *evaluation_of(const struct inst *i)
{
    switch (i->op) {
    case OP_MOV: return move;
    case OP_S2R: return read_special;
    case OP_LDC: return load_constant;
    case OP_IADD3: return add;
    case OP_LEA: return shift_and_add;
    case OP_IMAD: return multiply_add;
    case OP_IMADW: return multiply_wide;
    case OP_XMAD: return multiply_halves;
    case OP_SHL: return shift_left;
    case OP_SHR: return shift_right;
    case OP_SHF: return shift_funnel;
    case OP_LOP3: return logic;
    default: return NULL;
    }
}

static bool is_plain(const struct decouple *d, uint32_t inst)
{
    const struct inst *i = &d->program->insts[inst];
    return ((i->guard == PRED_TRUE && !i->guard_not) || d->insts[inst].free) && evaluation_of(i);
}

// Puts the results to the instruction's definitions. Returns whether a value is new.
static bool keep(const struct evaluated *e)
{
    const struct mark_ssa *s = e->x->s;
    struct access_list writes;
    bool news = false;
    unsigned nth = 0;
    access_writes(e->x->d->program, e->i, &writes);
    for (unsigned k = 0; k < writes.count; k++) {
        bool is_register = writes.at[k].location < LOCATION_PREDICATE;
        const struct decouple_linear *v = is_register ? nth < 2 ? &e->result[nth] : NULL : &e->carry;
        struct decouple_linear *to = &e->x->values[s->writes[s->write_first[e->inst] + k]];
        nth += is_register;
        if (!v || !v->kind || to->kind) continue;
        *to = *v;
        news = true;
    }
    return news;
}

void decouple_find_linear(const struct decouple *d, const struct decouple_facts *f,
                          struct decouple_linear *values)
{
    struct finding x = {.d = d, .s = &d->analysis->ssa, .facts = f, .values = values};
    for (unsigned k = 0; k < 3; k++) {
        x.box.high[DECOUPLE_TID_X + k] = f->block[k] - 1;
        x.box.high[DECOUPLE_CTAID_X + k] = f->grid[k] - 1;
    }
    for (bool news = true; news;) {
        news = false;
        for (uint32_t k = 0; k < d->count; k++) {
            const struct inst *i = &d->program->insts[k];
            struct evaluated e = {.x = &x, .i = i, .inst = k};
            if (!is_plain(d, k)) continue;
            access_reads(d->program, i, &e.reads);
            evaluation_of(i)(&e);
            news |= keep(&e);
        }
    }
}

// Whether all sources may be linear.
static bool reads_maybe(const struct decouple *d, uint32_t inst, const bool *maybe)
{
    const struct mark_ssa *s = &d->analysis->ssa;
    struct access_list list;
    bool all = true;
    access_reads(d->program, &d->program->insts[inst], &list);
    for (unsigned k = 0; k < list.count; k++) {
        const struct mark_def *at = &s->defs[s->reads[s->read_first[inst] + k]];
        if (list.at[k].role == ROLE_SOURCE) all &= at->kind == DEF_INST && maybe[at->inst];
    }
    return all;
}

bool *decouple_find_maybe_linear(struct decouple *d)
{
    bool *maybe = ARENA_ARRAY(&d->arena, bool, d->count + 1);
    for (uint32_t k = 0; k < d->count; k++) maybe[k] = is_plain(d, k);
    for (bool news = true; news;) {
        news = false;
        for (uint32_t k = 0; k < d->count; k++) {
            bool ends = maybe[k] && !reads_maybe(d, k, maybe);
            news |= ends;
            maybe[k] &= !ends;
        }
    }
    return maybe;
}
