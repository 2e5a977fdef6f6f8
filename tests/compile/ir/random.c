#include "compile/ir/random.h"
#include "isa/inst.h"
#include "isa/modes.h"
#include "isa/space.h"

#include "compile/ir/build.h"
#include "compile/ir/eval.h"
#include "compile/ir/make.h"

struct pool { // values defined at this place, by class
    VEC(struct ir_value *) values[4];
};

struct place { // an address used before
    struct ir_value *base;
    enum isa_space space;
};

struct maker {
    struct ir_function *f;
    VEC(struct place) places;
    struct rng *r;
    struct builder b;
    struct ir_block *block;
    struct pool pool;
    int budget;
    unsigned depth;
};

static uint32_t below(struct maker *m, uint32_t n) { return rng_below(m->r, n); }

static struct ir_inst *emit(struct maker *m, enum ir_op op, enum isa_type type, uint32_t defs,
                            const enum ir_class *classes, uint32_t count, struct ir_value *const *uses)
{
    struct ir_inst *i = ir_inst_create(m->f, op, type, defs, classes, count, uses);
    ir_append(m->block, i);
    for (uint32_t k = 0; k < defs; k++) vec_push(&m->pool.values[classes[k]], i->defs[k]);
    return i;
}

static uint64_t interesting(struct maker *m, enum ir_class class)
{
    static const uint32_t words[] = {
        0,          1,          2,          3,          4,          5,          7,          8,
        10,         16,         31,         32,         33,         63,         64,         255,
        256,        65535,      24,         100,        1000,       0xffffffff, 0xfffffffe, 0x80000000,
        0x7fffffff, 0x3f800000, 0x40000000, 0xbf800000, 0x3f000000, 0x7f800000, 0x7fc00000, 0x00000100,
        0x1fff,     0xfffffff0, 0xff00,     0x00800000, 0x42280000};
    uint32_t w = words[below(m, sizeof words / sizeof words[0])];
    if (class == IR_CLASS_PRED) return below(m, 2);
    if (class == IR_CLASS_32) return below(m, 4) ? w : (uint32_t)rng_next(m->r);
    switch (below(m, 4)) {
    case 0: return w;
    case 1: return (uint64_t)w << 32;
    case 2: return (uint64_t)(int64_t)(int32_t)w;
    }
    return rng_next(m->r);
}

static struct ir_value *any(struct maker *m, enum ir_class class)
{
    size_t count = m->pool.values[class].count;
    if (!count || below(m, class == IR_CLASS_PRED ? 12 : 4) == 0)
        return ir_constant(m->f, class, interesting(m, class));
    size_t recent = count > 8 && below(m, 2) ? count - 8 : 0;
    return m->pool.values[class].data[recent + below(m, (uint32_t)(count - recent))];
}

static struct ir_value *of_type(struct maker *m, enum isa_type type)
{
    return any(m, ir_class_of_type(type));
}

static enum isa_type int_type(struct maker *m)
{
    static const enum isa_type types[] = {TYPE_U32, TYPE_S32, TYPE_U32, TYPE_S32, TYPE_U64, TYPE_S64};
    return types[below(m, 6)];
}

// -- statements ---------------------------------------------------------------------------------------------

static void arithmetic(struct maker *m)
{
    static const enum ir_op ops[] = {IR_ADD, IR_ADD, IR_SUB, IR_MUL,   IR_AND, IR_OR,
                                     IR_XOR, IR_MIN, IR_MAX, IR_MULHI, IR_DIV, IR_REM};
    enum isa_type type = int_type(m);
    enum ir_class class = ir_class_of_type(type);
    emit(m, ops[below(m, 12)], type, 1, &class, 2, (struct ir_value *[]){of_type(m, type), of_type(m, type)});
}

static void other_integer(struct maker *m)
{
    enum isa_type type = int_type(m);
    enum ir_class class = ir_class_of_type(type), word = IR_CLASS_32, wide = IR_CLASS_64;
    enum isa_type small[] = {TYPE_U8, TYPE_S8, TYPE_U16, TYPE_S16, TYPE_U32, TYPE_S32};
    struct ir_value *x = of_type(m, type), *y = of_type(m, type), *n = any(m, word);
    if (below(m, 2)) n = ir_constant(m->f, word, below(m, 70));
    struct ir_inst *i;
    switch (below(m, 14)) {
    case 0: emit(m, IR_SHL, type, 1, &class, 2, (struct ir_value *[]){x, n}); break;
    case 1: emit(m, IR_SHR, type, 1, &class, 2, (struct ir_value *[]){x, n}); break;
    case 2: emit(m, IR_NOT, type, 1, &class, 1, &x); break;
    case 3: emit(m, IR_NEG, type, 1, &class, 1, &x); break;
    case 4: emit(m, IR_MAD, type, 1, &class, 3, (struct ir_value *[]){x, y, of_type(m, type)}); break;
    case 5:
        emit(m, IR_MULWIDE, below(m, 2) ? TYPE_U32 : TYPE_S32, 1, &wide, 2,
             (struct ir_value *[]){any(m, word), any(m, word)});
        break;
    case 6:
        emit(m, IR_PACK, TYPE_NONE, 1, &wide, 2, (struct ir_value *[]){any(m, word), any(m, word)});
        break;
    case 7:
        emit(m, below(m, 2) ? IR_LO : IR_HI, TYPE_NONE, 1, &word, 1, (struct ir_value *[]){any(m, wide)});
        break;
    case 8:
    case 9:
        i = emit(m, IR_ZEXT, type, 1, &class, 1, (struct ir_value *[]){any(m, word)});
        i->type2 = (uint8_t)small[below(m, 6)];
        if (isa_type_is_signed((enum isa_type)i->type2)) i->op = IR_SEXT;
        break;
    case 10:
        emit(m, IR_BFE, type, 1, &class, 3,
             (struct ir_value *[]){x, n, ir_constant(m->f, word, below(m, 40))});
        break;
    case 11:
        emit(m, IR_BFI, type, 1, &class, 4,
             (struct ir_value *[]){x, y, n, ir_constant(m->f, word, below(m, 40))});
        break;
    case 12:
        emit(m, IR_PRMT, TYPE_B32, 1, &word, 3,
             (struct ir_value *[]){any(m, word), any(m, word), any(m, word)});
        break;
    case 13:
        i = emit(m, IR_FUNNEL, TYPE_B32, 1, &word, 3, (struct ir_value *[]){any(m, word), any(m, word), n});
        i->mode = below(m, 2) ? MODE_SHF_L : MODE_SHF_R;
        i->flags = below(m, 2) ? INST_WRAP : 0;
        break;
    }
}

static void rare_integer(struct maker *m)
{
    enum isa_type type = int_type(m), word_type = below(m, 2) ? TYPE_U32 : TYPE_S32;
    enum isa_type all[] = {TYPE_U8, TYPE_S8, TYPE_U16, TYPE_S16, TYPE_U32, TYPE_S32, TYPE_U64, TYPE_S64};
    enum ir_class class = ir_class_of_type(type), word = IR_CLASS_32, wide = IR_CLASS_64,
                  two[] = {IR_CLASS_32, IR_CLASS_PRED};
    struct ir_value *x = of_type(m, type), *a = any(m, word), *b = any(m, word), *c = any(m, word),
                    *p = any(m, IR_CLASS_PRED);
    struct ir_inst *i;
    switch (below(m, 14)) {
    case 0:
        emit(m, IR_ABS, isa_type_is_signed(type) ? type : TYPE_S32, 1,
             isa_type_is_signed(type) ? &class : &word, 1, isa_type_is_signed(type) ? &x : &a);
        break;
    case 1: emit(m, IR_POPC, type, 1, &word, 1, &x); break;
    case 2: emit(m, IR_BREV, type, 1, &class, 1, &x); break;
    case 3: emit(m, IR_FLO, type, 1, &word, 1, &x)->mode = below(m, 2) ? MODE_FLO_SH : MODE_NONE; break;
    case 4: emit(m, IR_SAD, word_type, 1, &word, 3, (struct ir_value *[]){a, b, c}); break;
    case 5:
        i = emit(m, IR_DOT, below(m, 2) ? TYPE_U8 : TYPE_S8, 1, &word, 3, (struct ir_value *[]){a, b, c});
        i->type2 = below(m, 2) ? TYPE_U8 : TYPE_S8;
        i->mode = (uint8_t)(MODE_IDP_4A + below(m, 3));
        break;
    case 6:
        emit(m, IR_SZEXT, word_type, 1, &word, 2, (struct ir_value *[]){a, b})->flags =
            below(m, 2) ? INST_WRAP : 0;
        break;
    case 7:
        emit(m, IR_BMSK, TYPE_B32, 1, &word, 2, (struct ir_value *[]){a, b})->flags =
            below(m, 2) ? INST_WRAP : 0;
        break;
    case 8: {
        enum isa_type to = all[below(m, 8)], from = all[below(m, 8)];
        class = ir_class_of_type(to);
        i = emit(m, IR_SATI, to, 1, &class, 1, (struct ir_value *[]){of_type(m, from)});
        i->type2 = (uint8_t)from;
        if (isa_type_bytes(to) < 4) { // upper bits are unspecified
            (void)vec_pop(&m->pool.values[class]);
            struct ir_value *cut = i->defs[0];
            i = emit(m, isa_type_is_signed(to) ? IR_SEXT : IR_ZEXT, TYPE_U32, 1, &word, 1, &cut);
            i->type2 = (uint8_t)to;
        }
        break;
    }
    case 9: emit(m, IR_ADDCC, TYPE_U32, 2, two, 2, (struct ir_value *[]){a, b}); break;
    case 10: emit(m, IR_ADDX, TYPE_U32, 1 + below(m, 2), two, 3, (struct ir_value *[]){a, b, p}); break;
    case 11: emit(m, IR_SUBCC, TYPE_U32, 2, two, 2, (struct ir_value *[]){a, b}); break;
    case 12: emit(m, IR_SUBX, TYPE_U32, 1 + below(m, 2), two, 3, (struct ir_value *[]){a, b, p}); break;
    case 13: emit(m, IR_MADWIDE, word_type, 1, &wide, 3, (struct ir_value *[]){a, b, any(m, wide)}); break;
    }
}

static void floating(struct maker *m)
{
    enum isa_type type = below(m, 4) ? TYPE_F32 : TYPE_F64;
    enum ir_class class = ir_class_of_type(type);
    struct ir_value *uses[3] = {any(m, class), any(m, class), any(m, class)};
    static const enum ir_op ops[] = {IR_FADD, IR_FMUL, IR_FFMA, IR_FMIN, IR_FMAX, IR_FNEG,
                                     IR_FABS, IR_DIV,  IR_RCP,  IR_SQRT, IR_CVT};
    static const uint8_t counts[] = {2, 2, 3, 2, 2, 1, 1, 2, 1, 1, 1};
    uint32_t k = below(m, 11) < 6 ? below(m, 7) : below(m, 11);
    if (ops[k] == IR_CVT) {
        static const enum isa_type types[] = {TYPE_U32, TYPE_S32, TYPE_F32, TYPE_F64,
                                              TYPE_U64, TYPE_S16, TYPE_U8};
        enum isa_type to = types[below(m, 5)], from = types[below(m, 7)];
        if (!isa_type_is_float(to) && !isa_type_is_float(from)) from = TYPE_F32;
        class = ir_class_of_type(to);
        struct ir_inst *i = emit(m, IR_CVT, to, 1, &class, 1, (struct ir_value *[]){of_type(m, from)});
        i->type2 = (uint8_t)from;
        if (!isa_type_is_float(to)) i->round = ROUND_RZ;
        if (to == from) i->flags = INST_WRAP;
        return;
    }
    struct ir_inst *i = emit(m, ops[k], type, 1, &class, counts[k], uses);
    if (ops[k] == IR_FNEG || ops[k] == IR_FABS) return;
    bool rounds = ops[k] != IR_FMIN && ops[k] != IR_FMAX;
    if (rounds && below(m, 6) == 0) i->round = (uint8_t)below(m, 4);
    if (type == TYPE_F32 && below(m, 4) == 0) i->flags |= INST_FTZ;
    if (type == TYPE_F32 && k < 3 && below(m, 8) == 0) i->flags |= INST_SAT;
}

static void predicate(struct maker *m)
{
    static const enum isa_type types[] = {TYPE_U32, TYPE_S32, TYPE_S32, TYPE_U64,
                                          TYPE_S64, TYPE_F32, TYPE_F64};
    enum isa_type type = types[below(m, 7)];
    enum ir_class class = IR_CLASS_PRED;
    struct ir_value *p = any(m, class), *q = any(m, class);
    switch (below(m, 8)) {
    case 0: emit(m, IR_PAND, TYPE_NONE, 1, &class, 2, (struct ir_value *[]){p, q}); break;
    case 1: emit(m, IR_POR, TYPE_NONE, 1, &class, 2, (struct ir_value *[]){p, q}); break;
    case 2: emit(m, IR_PXOR, TYPE_NONE, 1, &class, 2, (struct ir_value *[]){p, q}); break;
    case 3: emit(m, IR_PNOT, TYPE_NONE, 1, &class, 1, &p); break;
    default: {
        bool real = isa_type_is_float(type);
        emit(m, IR_SETP, type, 1, &class, 2, (struct ir_value *[]){of_type(m, type), of_type(m, type)})->cmp =
            (uint8_t)(real ? below(m, 16) : CMP_LT + below(m, 6));
        break;
    }
    }
}

static void selection(struct maker *m)
{
    enum ir_class class = below(m, 3) ? IR_CLASS_32 : IR_CLASS_64;
    emit(m, IR_SELECT, TYPE_NONE, 1, &class, 3,
         (struct ir_value *[]){any(m, class), any(m, class), any(m, IR_CLASS_PRED)});
}

// An address: a base of 32 bits (64 for global) below 512 and a multiple of 16, or a constant address.
static struct ir_value *address(struct maker *m, enum isa_space space)
{
    enum ir_class word = IR_CLASS_32, wide = IR_CLASS_64;
    if (space == SPACE_LOCAL && below(m, 4)) {
        struct ir_inst *i = emit(m, IR_FRAME, TYPE_NONE, 1, &word, 0, NULL);
        i->offset = 1024 + 64 * below(m, 4);
        (void)vec_pop(&m->pool.values[word]);
        return i->defs[0];
    }
    struct ir_value *mask = ir_constant(m->f, word, below(m, 2) ? 0x1f0 : 0x30);
    struct ir_value *v =
        emit(m, IR_AND, TYPE_B32, 1, &word, 2, (struct ir_value *[]){any(m, word), mask})->defs[0];
    if (below(m, 2)) {
        struct ir_value *more = ir_constant(m->f, word, 16 * below(m, 8));
        v = emit(m, IR_ADD, TYPE_U32, 1, &word, 2, (struct ir_value *[]){v, more})->defs[0];
    }
    if (space != SPACE_GLOBAL) return v;
    struct ir_inst *extended = emit(m, IR_ZEXT, TYPE_U64, 1, &wide, 1, &v);
    extended->type2 = TYPE_U32;
    return emit(m, IR_ADD, TYPE_U64, 1, &wide, 2,
                (struct ir_value *[]){extended->defs[0], ir_constant(m->f, wide, EVAL_GLOBAL)})
        ->defs[0];
}

static struct place some_place(struct maker *m)
{
    static const enum isa_space spaces[] = {SPACE_SHARED, SPACE_GLOBAL, SPACE_LOCAL, SPACE_LOCAL};
    if (m->places.count && below(m, 3)) return m->places.data[below(m, (uint32_t)m->places.count)];
    struct place p = {.space = spaces[below(m, 4)]};
    p.base = address(m, p.space);
    vec_push(&m->places, p);
    return p;
}

static struct ir_inst *access(struct maker *m, struct place p, enum isa_type type, unsigned count, bool store,
                              int64_t offset)
{
    enum ir_class class = ir_class_of_type(type), classes[4] = {class, class, class, class};
    struct ir_value *uses[5] = {p.base};
    for (unsigned k = 0; k < count; k++) uses[1 + k] = any(m, class);
    struct ir_inst *i = store ? emit(m, IR_STORE, type, 0, NULL, 1 + count, uses)
                              : emit(m, IR_LOAD, type, count, classes, 1, uses);
    i->space = (uint8_t)p.space;
    i->offset = offset & ~(int64_t)(isa_type_bytes(type) * count - 1);
    return i;
}

static void neighbours(struct maker *m) // two or four in a row
{
    struct place p = some_place(m);
    unsigned count = 2u << below(m, 2);
    bool store = below(m, 2);
    int64_t start = 16 * (int64_t)below(m, p.space == SPACE_LOCAL ? 4 : 8); // local variables have 64 bytes
    for (unsigned k = 0; k < count; k++) access(m, p, TYPE_B32, 1, store, start + 4 * k);
}

static void memory(struct maker *m)
{
    static const enum isa_type types[] = {TYPE_B32, TYPE_B32, TYPE_B32, TYPE_B64,
                                          TYPE_U8,  TYPE_S8,  TYPE_U16, TYPE_S16};
    if (below(m, 6) == 0) {
        neighbours(m);
        return;
    }
    struct place p = some_place(m);
    enum isa_type type =
        types[p.space == SPACE_LOCAL && below(m, 4) ? 0 : below(m, 8)]; // locals mostly alike
    enum ir_class class = ir_class_of_type(type);
    unsigned count = below(m, 5) ? 1 : type == TYPE_B32 ? 1u << below(m, 3) : 1;
    int64_t offset = 16 * (int64_t)below(m, 3) + 4 * (int64_t)below(m, 4);
    bool guarded = below(m, 4) == 0;
    struct ir_value *guard = guarded ? any(m, IR_CLASS_PRED) : NULL, *old = any(m, class);
    struct ir_inst *i;
    if (below(m, 12) == 0 && p.space != SPACE_LOCAL && type == TYPE_B32) {
        i = emit(m, IR_ATOM, TYPE_U32, 1, &class, 2, (struct ir_value *[]){p.base, any(m, class)});
        i->mode = MODE_ATOM_ADD;
        i->sem = SEM_RELAXED;
        i->space = (uint8_t)p.space;
        i->offset = offset;
    } else {
        i = access(m, p, type, count, below(m, 2), offset);
        if (below(m, 20) == 0) i->sem = SEM_VOLATILE;
    }
    if (!guarded) return;
    ir_set_guard(i, guard, below(m, 2));
    for (uint32_t k = 0; k < i->def_count; k++) ir_set_old(i, k, old);
}

static void effect(struct maker *m)
{
    if (m->depth > 1) return;
    struct ir_value *zero = ir_constant(m->f, IR_CLASS_32, 0);
    emit(m, IR_BAR, TYPE_NONE, 0, NULL, 2, (struct ir_value *[]){zero, zero})->mode = MODE_BAR_SYNC;
}

// -- control ------------------------------------------------------------------------------------------------

static void statements(struct maker *m, unsigned count);

struct marks {
    size_t count[4], places;
};

static struct marks mark(const struct maker *m)
{
    struct marks k;
    for (unsigned c = 0; c < 4; c++) k.count[c] = m->pool.values[c].count;
    k.places = m->places.count;
    return k;
}

static void forget(struct maker *m, struct marks k)
{
    for (unsigned c = 0; c < 4; c++) m->pool.values[c].count = k.count[c];
    m->places.count = k.places;
}

static void finish(struct maker *m, struct ir_value *condition, struct ir_block *yes, struct ir_block *no)
{
    if (!condition)
        build_jump(m->block, yes, 0);
    else
        build_branch(m->block, condition, yes, no, 0);
}

static void branch(struct maker *m)
{
    static const enum ir_class classes[] = {IR_CLASS_32, IR_CLASS_32, IR_CLASS_64, IR_CLASS_PRED};
    struct ir_block *head = m->block, *join, *yes = ir_block_create(m->f, NULL), *no = NULL;
    struct ir_value *condition = any(m, IR_CLASS_PRED), *merged[2][4];
    bool two_sided = below(m, 2);
    struct marks before = mark(m);
    if (two_sided) no = ir_block_create(m->f, NULL);
    join = ir_block_create(m->f, NULL);
    if (below(m, 2) || two_sided)
        finish(m, condition, yes, two_sided ? no : join);
    else
        finish(m, condition, join, yes);
    if (!two_sided)
        for (unsigned k = 0; k < 4; k++) merged[0][k] = any(m, classes[k]);
    for (unsigned side = two_sided ? 0 : 1; side < 2; side++) {
        m->block = side ? yes : no;
        statements(m, below(m, 5));
        for (unsigned k = 0; k < 4; k++) merged[side][k] = any(m, classes[k]);
        finish(m, NULL, join, NULL);
        forget(m, before);
    }
    m->block = join;
    for (unsigned k = 0; k < 4; k++) {
        struct ir_value *v =
            build_phi(join, classes[k], (struct ir_value *[]){merged[0][k], merged[1][k]}, 0);
        vec_push(&m->pool.values[classes[k]], v);
    }
    (void)head;
}

static void loop(struct maker *m)
{
    static const enum ir_class classes[] = {IR_CLASS_32, IR_CLASS_32, IR_CLASS_64, IR_CLASS_PRED};
    struct ir_block *head = ir_block_create(m->f, NULL), *after, *body = head;
    struct ir_value *start[4], *v[4];
    bool test_first = below(m, 2);
    struct place shared = below(m, 2) ? some_place(m) : (struct place){0};
    start[0] = ir_constant(m->f, IR_CLASS_32, below(m, 3));
    for (unsigned k = 1; k < 4; k++) start[k] = any(m, classes[k]);
    finish(m, NULL, head, NULL);
    m->block = head;
    struct marks before = mark(m);
    for (unsigned k = 0; k < 4; k++) {
        v[k] = build_phi(head, classes[k], (struct ir_value *[]){start[k]}, 0);
        vec_push(&m->pool.values[classes[k]], v[k]);
    }
    struct ir_value *limit = ir_constant(m->f, IR_CLASS_32, 1 + below(m, 6)),
                    *step = ir_constant(m->f, IR_CLASS_32, 1 + below(m, 2));
    enum ir_class word = IR_CLASS_32, pred = IR_CLASS_PRED;
    if (test_first) {
        body = ir_block_create(m->f, NULL);
        after = ir_block_create(m->f, NULL);
        struct ir_inst *test = emit(m, IR_SETP, TYPE_S32, 1, &pred, 2, (struct ir_value *[]){v[0], limit});
        test->cmp = CMP_LT;
        finish(m, test->defs[0], body, after);
        m->block = body;
    } else {
        after = NULL;
    }
    bool carries = shared.base && below(m, 2); // through memory: a round stores, the next round loads
    if (carries) access(m, shared, TYPE_B32, 1, false, 16);
    statements(m, 1 + below(m, 6));
    if (carries) access(m, shared, TYPE_B32, 1, true, 16);
    struct ir_value *next[4];
    next[0] = emit(m, IR_ADD, TYPE_S32, 1, &word, 2, (struct ir_value *[]){v[0], step})->defs[0];
    for (unsigned k = 1; k < 4; k++) next[k] = any(m, classes[k]);
    if (test_first) {
        finish(m, NULL, head, NULL);
        forget(m, before);
        for (unsigned k = 0; k < 4; k++) vec_push(&m->pool.values[classes[k]], v[k]);
    } else {
        struct ir_inst *test = emit(m, IR_SETP, TYPE_S32, 1, &pred, 2, (struct ir_value *[]){next[0], limit});
        test->cmp = CMP_LT;
        after = ir_block_create(m->f, NULL);
        finish(m, test->defs[0], head, after);
    }
    for (unsigned k = 0; k < 4; k++) ir_set_uses(v[k]->def, 2, (struct ir_value *[]){start[k], next[k]});
    m->block = after;
}

static void statements(struct maker *m, unsigned count)
{
    while (count-- && m->budget-- > 0) {
        uint32_t what = below(m, 30);
        m->depth++;
        if (what < 8)
            arithmetic(m);
        else if (what < 13)
            other_integer(m);
        else if (what < 15)
            rare_integer(m);
        else if (what < 18)
            floating(m);
        else if (what < 21)
            predicate(m);
        else if (what < 22)
            selection(m);
        else if (what < 27)
            memory(m);
        else if (what < 28)
            effect(m);
        else if (what < 29 && m->depth < 5)
            branch(m);
        else if (m->depth < 4)
            loop(m);
        m->depth--;
    }
}

struct ir_function *random_function(struct ir_unit *u, struct rng *r, unsigned size)
{
    static const enum ir_class params[] = {IR_CLASS_32, IR_CLASS_32, IR_CLASS_32, IR_CLASS_64, IR_CLASS_64};
    struct maker m = {.r = r, .budget = (int)size};
    m.f = make_function(u, 5, params, IR_CLASS_64);
    m.block = m.f->first_block;
    for (unsigned k = 0; k < 5; k++) vec_push(&m.pool.values[params[k]], m.f->params[k]);
    enum ir_class word = IR_CLASS_32, wide = IR_CLASS_64;
    for (unsigned k = 0; k < 2; k++)
        emit(&m, IR_SREG, TYPE_NONE, 1, &word, 0, NULL)->offset = SREG_TID_X + below(&m, 8);
    emit(&m, IR_BANK, TYPE_NONE, 1, &word, 0, NULL)->offset = 0x160;
    while (m.budget > 0) statements(&m, 8);
    struct ir_value *sum = any(&m, wide); // a mixture of every value in reach
    for (unsigned c = IR_CLASS_32; c <= IR_CLASS_64; c++) {
        for (size_t k = 0; k < m.pool.values[c].count; k += 1 + below(&m, 3)) {
            struct ir_value *v = m.pool.values[c].data[k];
            if (c == IR_CLASS_32) {
                enum ir_class class = IR_CLASS_64;
                v = emit(&m, IR_PACK, TYPE_NONE, 1, &class, 2, (struct ir_value *[]){v, v})->defs[0];
                (void)vec_pop(&m.pool.values[IR_CLASS_64]);
            }
            sum =
                emit(&m, below(&m, 2) ? IR_XOR : IR_ADD, TYPE_U64, 1, &wide, 2, (struct ir_value *[]){sum, v})
                    ->defs[0];
            (void)vec_pop(&m.pool.values[IR_CLASS_64]);
        }
    }
    make_return(m.block, sum);
    for (unsigned c = 0; c < 4; c++) vec_fini(&m.pool.values[c]);
    vec_fini(&m.places);
    return m.f;
}
