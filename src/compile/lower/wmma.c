// wmma (PTX ISA 9.7.14.4): loads and stores of a lane's elements, and products by the machine's shapes. ptx/wmma.h has the layout of
// fragments.
#include "ptx/wmma.h"
#include "compile/lower/impl.h"
#include "isa/mma.h"
#include "isa/space.h"

enum { FRAGMENT_MAX = 8, USES_MAX = 16 };

// A matrix in memory, seen from the current lane: element (x, y) lies at x * (along_x ? 1 : stride) + y * (along_x ? stride : 1).
struct matrix {
    struct address a;
    struct ir_value *stride, *group, *quad; // elements of a line; lane / 4, lane % 4
    enum ptx_type type;
    bool along_x; // x runs in a line of memory
};

static struct ir_value *scaled(struct lower *l, struct ir_value *v, unsigned by)
{
    return by == 1 ? v : op2(l, IR_MUL, TYPE_U32, v, word(l, by));
}

static struct ir_value *sum_of(struct lower *l, struct ir_value *a, struct ir_value *b)
{
    return op2(l, IR_ADD, TYPE_U32, a, b);
}

// Address of the element (group + x, quad * step + y).
static struct address place_of(struct lower *l, const struct matrix *m, unsigned step, unsigned x, unsigned y)
{
    struct ir_value *first = x ? sum_of(l, m->group, word(l, x)) : m->group,
                    *second = scaled(l, m->quad, step);
    struct ir_value *line = m->along_x ? (y ? sum_of(l, second, word(l, y)) : second) : first,
                    *in_line = m->along_x ? first : second;
    struct ir_value *at = sum_of(l, op2(l, IR_MUL, TYPE_U32, line, m->stride), in_line);
    unsigned bits = ptx_type_bits(m->type), constant = m->along_x ? 0 : y;
    struct address a = m->a;
    struct ir_value *bytes =
        bits < 8 ? op2(l, IR_SHR, TYPE_U32, at, word(l, bits == 4 ? 1 : 3)) : scaled(l, at, bits / 8);
    bool is_wide = a.base->class == IR_CLASS_64;
    a.base = op2(l, IR_ADD, is_wide ? TYPE_U64 : TYPE_U32, a.base,
                 is_wide ? lower_to_wide(l, PTX_U32, bytes) : bytes);
    a.offset += (int64_t)constant * bits / 8;
    return a;
}

// The register with `count` elements in y from (x, y) on.
static struct ir_value *load_register(struct lower *l, const struct matrix *m, unsigned count, unsigned x,
                                      unsigned y)
{
    unsigned bits = ptx_type_bits(m->type);
    if (bits == 64 || !m->along_x || count == 1) {
        struct address a = place_of(l, m, count, x, y);
        return lower_load_value(l, &a, bits == 64 ? PTX_B64 : PTX_B32);
    }
    struct ir_value *sum = NULL;
    for (unsigned e = 0; e < count; e++) {
        struct address a = place_of(l, m, count, x, y + e);
        struct ir_value *v = lower_load_value(l, &a, bits == 8 ? PTX_U8 : PTX_U16);
        if (e) v = op2(l, IR_SHL, TYPE_U32, v, word(l, e * bits));
        sum = sum ? op2(l, IR_OR, TYPE_U32, sum, v) : v;
    }
    return sum;
}

static void store_element(struct lower *l, const struct matrix *m, struct ir_value *v, unsigned x, unsigned y)
{
    struct address a = place_of(l, m, 2, x, y);
    lower_store_value(l, &a,
                      ptx_type_bits(m->type) == 16   ? PTX_B16
                      : ptx_type_bits(m->type) == 64 ? PTX_B64
                                                     : PTX_B32,
                      v);
}

// The matrix of operand `memory`, with the stride in operand `stride` or `otherwise` elements. x is the row of a or of the left
// factor's other side; `rows`: x runs over rows of the matrix.
static struct matrix matrix_of(struct lower *l, unsigned memory, unsigned stride, unsigned otherwise,
                               bool rows)
{
    const struct ptx_inst *p = l->inst;
    struct ir_value *lane = lower_sreg(l, PTX_SREG_LANEID, 0);
    struct matrix m = {.a = lower_address(l, &p->operands[memory], p->space), .type = p->types[0]};
    m.stride = stride < p->operand_count ? lower_read(l, stride, PTX_U32) : word(l, otherwise);
    m.group = op2(l, IR_SHR, TYPE_U32, lane, word(l, 2));
    m.quad = op2(l, IR_AND, TYPE_U32, lane, word(l, 3));
    m.along_x = rows != (p->layouts[0] == PTX_LAYOUT_ROW);
    return m;
}

static void write_fragment(struct lower *l, struct ir_value *const *values, unsigned count)
{
    const struct ptx_operand *o = &l->inst->operands[0];
    for (unsigned k = 0; k < (o->kind == PTX_OPERAND_VECTOR ? o->count : 1u); k++)
        lower_write_operand(l, o->kind == PTX_OPERAND_VECTOR ? &o->elements[k] : o, values[k % count]);
}

static struct ir_value *fragment_of(struct lower *l, unsigned operand, unsigned k, bool is_wide)
{
    const struct ptx_operand *o = &l->inst->operands[operand];
    return lower_read_operand(l, o->kind == PTX_OPERAND_VECTOR ? &o->elements[k] : o,
                              is_wide ? PTX_F64 : PTX_B32);
}

// Whether LDSM loads the fragment: elements of 16 bits in shared memory, from Turing on. PTX wants a matrix at 32 bytes and lines a
// multiple of 16 bytes apart, so rows of 8 elements lie as LDSM needs them.
static bool has_matrix_loads(const struct lower *l, const struct matrix *m)
{
    enum { TURING = 75 };
    return ptx_type_bits(m->type) == 16 && m->a.space == SPACE_SHARED && l->u->module->target_sm >= TURING;
}

// Registers of 8x8 matrices, four or two a load. Left: x + 8 every register, y + 8 every second one; right: the other way round.
static void load_matrices(struct lower *l, const struct matrix *m, unsigned count, bool is_left,
                          struct ir_value **values)
{
    static const enum ir_class words[] = {IR_CLASS_32, IR_CLASS_32, IR_CLASS_32, IR_CLASS_32};
    enum { EACH = 4, SIDE = 8 };
    struct ir_value *lane = lower_sreg(l, PTX_SREG_LANEID, 0),
                    *row = op2(l, IR_AND, TYPE_U32, lane, word(l, SIDE - 1)),
                    *first = op2(l, IR_AND, TYPE_U32, lane, word(l, 8)), // 8 or 0
                        *second =
                            op2(l, IR_SHR, TYPE_U32, op2(l, IR_AND, TYPE_U32, lane, word(l, 16)), word(l, 1));
    for (unsigned at = 0; at < count; at += EACH) {
        unsigned matrices = count - at < EACH ? count - at : EACH;
        struct ir_value *none = word(l, 0), *upper = matrices == EACH ? second : none;
        struct ir_value *x = sum_of(l, is_left ? first : upper, word(l, at / EACH * 16)),
                        *y = is_left ? upper : first;
        struct ir_value *line = sum_of(l, m->along_x ? y : x, row);
        struct ir_value *element = sum_of(l, op2(l, IR_MUL, TYPE_U32, line, m->stride), m->along_x ? x : y);
        struct ir_value *base = sum_of(l, m->a.base, scaled(l, element, 2));
        struct ir_inst *i = lower_effect(l, IR_LDMATRIX, TYPE_B32, matrices, words, 1, &base);
        i->shape = (uint8_t)((m->along_x ? MMA_MT88_1 : MMA_M88_1) + matrices / 2);
        i->space = SPACE_SHARED;
        i->offset = m->a.offset;
        for (unsigned k = 0; k < matrices; k++) values[at + k] = i->defs[k];
    }
}

// a or b: rows of a, or columns of b, are x.
static void load_factor(struct lower *l, const struct ptx_wmma *w)
{
    const struct ptx_inst *p = l->inst;
    bool is_a = p->fragment == 'a', is_left = is_a != w->is_swapped, is_row = p->layouts[0] == PTX_LAYOUT_ROW;
    unsigned otherwise = is_a ? (is_row ? w->k : w->m) : (is_row ? w->n : w->k), count = 0;
    struct matrix m = matrix_of(l, 1, 2, otherwise, is_a);
    struct ir_value *values[FRAGMENT_MAX];
    unsigned tiles = is_left ? w->left_tiles : w->right_tiles, each = is_left ? w->left : w->right;
    bool has_halves = is_left && !(w->m == 8 && w->n == 8); // tiles of 16 rows
    if (has_matrix_loads(l, &m)) {
        load_matrices(l, &m, tiles * each, is_left, values);
        write_fragment(l, values, tiles * each);
        return;
    }
    for (unsigned tile = 0; tile < tiles; tile++)
        for (unsigned r = 0; r < each; r++) {
            unsigned x = tile * (is_left && has_halves ? 16 : 8) + (has_halves ? 8 * (r % 2) : 0);
            values[count++] = load_register(l, &m, w->factor, x, 4 * w->factor * (has_halves ? r / 2 : r));
        }
    write_fragment(l, values, count);
}

// Calls `visit` for every pair of elements of an accumulator, (x, y) and (x, y + 1).
typedef void visit_pair(struct lower *l, const struct matrix *m, unsigned pair, unsigned x, unsigned y,
                        void *context);

static void each_pair(struct lower *l, const struct ptx_wmma *w, const struct matrix *m, visit_pair *visit,
                      void *context)
{
    unsigned pair = 0, pairs = w->m == 8 && w->n == 8 ? 1 : 2;
    for (unsigned left = 0; left < w->left_tiles; left++)
        for (unsigned right = 0; right < w->right_tiles; right++)
            for (unsigned i = 0; i < pairs; i++) visit(l, m, pair++, 16 * left + 8 * i, 8 * right, context);
}

// Whether a pair is one access: PTX wants a matrix at 32 bytes and lines a multiple of 16 bytes apart.
static bool is_pair_together(const struct matrix *m) { return !m->along_x && ptx_type_bits(m->type) < 64; }

static void load_pair(struct lower *l, const struct matrix *m, unsigned pair, unsigned x, unsigned y,
                      void *context)
{
    struct ir_value **values = context, *v[2];
    unsigned bits = ptx_type_bits(m->type);
    enum ptx_type element = bits == 16 ? PTX_U16 : bits == 64 ? PTX_B64 : PTX_B32;
    if (is_pair_together(m)) {
        struct address a = place_of(l, m, 2, x, y);
        struct ir_value *both = lower_load_value(l, &a, bits == 16 ? PTX_B32 : PTX_B64);
        v[0] = bits == 16 ? both : lower_low(l, both);
        v[1] = bits == 16 ? NULL : lower_high(l, both);
    } else {
        for (unsigned k = 0; k < 2; k++) {
            struct address a = place_of(l, m, 2, x, y + k);
            v[k] = lower_load_value(l, &a, element);
        }
        if (bits == 16) v[0] = lower_pack_halves(l, v[0], v[1]);
    }
    if (bits == 16)
        values[pair] = v[0];
    else
        values[2 * pair] = v[0], values[2 * pair + 1] = v[1];
}

static void store_pair(struct lower *l, const struct matrix *m, unsigned pair, unsigned x, unsigned y,
                       void *context)
{
    unsigned bits = ptx_type_bits(m->type);
    struct ir_value *v[2];
    (void)context;
    for (unsigned k = 0; k < 2; k++)
        v[k] = fragment_of(l, 1, bits == 16 ? pair : 2 * pair + k, m->type == PTX_F64);
    if (is_pair_together(m)) {
        struct address a = place_of(l, m, 2, x, y);
        lower_store_value(l, &a, bits == 16 ? PTX_B32 : PTX_B64,
                          bits == 16 ? v[0] : lower_pack(l, v[0], v[1]));
        return;
    }
    if (bits == 16) v[1] = op2(l, IR_SHR, TYPE_U32, v[0], word(l, 16));
    for (unsigned k = 0; k < 2; k++) store_element(l, m, v[k], x, y + k);
}

struct ir_value *lower_widen_half(struct lower *l, struct ir_value *both, unsigned half)
{
    struct ir_value *v = op1(l, IR_CVT, TYPE_F32, half ? op2(l, IR_SHR, TYPE_U32, both, word(l, 16)) : both);
    v->def->type2 = TYPE_F16;
    return v;
}

// Two sums of f32, rounded to nearest even, as halves of a register.
static struct ir_value *narrow_pair(struct lower *l, struct ir_value *low, struct ir_value *high)
{
    struct ir_value *v = op2(l, IR_CVTPACK, TYPE_F16, high, low);
    v->def->round = ROUND_RN;
    return v;
}

// .satfinite of two halves: beyond the range the greatest finite value, for a NaN 0.
static struct ir_value *make_finite(struct lower *l, struct ir_value *pair)
{
    enum { GREATEST = 0x477fe000 }; // 65,504 in f32
    struct ir_value *v[2];
    for (unsigned half = 0; half < 2; half++) {
        struct ir_value *x = lower_widen_half(l, pair, half);
        struct ir_value *most = op2(l, IR_FMIN, TYPE_F32, x, word(l, GREATEST));
        most = op2(l, IR_FMAX, TYPE_F32, most, word(l, 0x80000000u | GREATEST));
        v[half] = lower_select(l, lower_compare(l, CMP_EQ, TYPE_F32, x, x), most, word(l, 0));
    }
    return narrow_pair(l, v[0], v[1]);
}

// Accumulator r of c. Of f16 beside a d of f32 it is half of a register.
static struct ir_value *addend_of(struct lower *l, unsigned r, bool is_widened, bool is_wide)
{
    return is_widened ? lower_widen_half(l, fragment_of(l, 3, r / 2, false), r % 2)
                      : fragment_of(l, 3, r, is_wide);
}

// A product whose c and d differ (f16 and f32) adds in f32, as the card's code does: c is converted before, d behind.
static void multiply(struct lower *l, const struct ptx_wmma *w)
{
    const struct ptx_inst *p = l->inst;
    enum ptx_type d = p->types[0], c = p->types[p->type_count - 1];
    bool is_wide = d == PTX_F64, is_narrowed = d == PTX_F16 && c == PTX_F32,
         is_widened = d == PTX_F32 && c == PTX_F16;
    unsigned each = is_narrowed ? 2u * w->sum : w->sum; // registers of a tile's sums
    enum ptx_type a = p->type_count == 4 ? p->types[1] : PTX_F16,
                  b = p->type_count == 4 ? p->types[2] : PTX_F16;
    struct ir_value *uses[USES_MAX], *sums[2 * FRAGMENT_MAX];
    enum ir_class classes[FRAGMENT_MAX];
    unsigned left_operand = w->is_swapped ? 2 : 1, count = 0;
    for (unsigned left = 0; left < w->left_tiles; left++)
        for (unsigned right = 0; right < w->right_tiles; right++) {
            unsigned at = 0, tile = left * w->right_tiles + right;
            for (unsigned r = 0; r < w->left; r++)
                uses[at++] = fragment_of(l, left_operand, left * w->left + r, is_wide);
            for (unsigned r = 0; r < w->right; r++)
                uses[at++] = fragment_of(l, 3 - left_operand, right * w->right + r, is_wide);
            for (unsigned r = 0; r < each; r++)
                uses[at++] = addend_of(l, tile * each + r, is_widened, is_wide);
            for (unsigned r = 0; r < each; r++) classes[r] = is_wide ? IR_CLASS_64 : IR_CLASS_32;
            struct ir_inst *i =
                lower_effect(l, IR_MMA, lower_type(is_narrowed ? c : d), each, classes, at, uses);
            i->type2 = (uint8_t)lower_type(w->is_swapped ? b : a);
            i->type3 = (uint8_t)lower_type(w->is_swapped ? a : b);
            i->shape = (uint8_t)(w->k == 4    ? MMA_884
                                 : w->k == 8  ? MMA_1688
                                 : w->k == 16 ? MMA_16816
                                 : w->k == 32 ? MMA_8832
                                              : MMA_88128);
            if (p->clamps && d == PTX_S32) i->flags |= INST_SAT;
            i->round = (uint8_t)lower_round(p->round);
            i->boolean = p->boolean == PTX_BOOL_XOR ? BOOL_XOR : BOOL_AND;
            for (unsigned r = 0; r < each; r++) sums[count++] = i->defs[r];
        }
    if (is_narrowed) {
        count /= 2;
        for (unsigned r = 0; r < count; r++) sums[r] = narrow_pair(l, sums[2 * r], sums[2 * r + 1]);
    }
    for (unsigned r = 0; p->clamps && d == PTX_F16 && r < count; r++) sums[r] = make_finite(l, sums[r]);
    write_fragment(l, sums, count);
}

void lower_wmma(struct lower *l)
{
    const struct ptx_inst *p = l->inst;
    struct ptx_wmma w;
    struct ir_value *values[FRAGMENT_MAX];
    bool is_row = p->layouts[0] == PTX_LAYOUT_ROW;
    ptx_wmma_of_inst(p, &w);
    switch ((int)p->mode) {
    case PTX_MODE_WMMA_MMA: multiply(l, &w); return;
    case PTX_MODE_WMMA_STORE: {
        struct matrix m = matrix_of(l, 0, 2, is_row ? w.n : w.m, !w.is_swapped);
        each_pair(l, &w, &m, store_pair, NULL);
        return;
    }
    case PTX_MODE_WMMA_LOAD:
        if (p->fragment != 'c') {
            load_factor(l, &w);
            return;
        }
        struct matrix m = matrix_of(l, 1, 2, is_row ? w.n : w.m, !w.is_swapped);
        each_pair(l, &w, &m, load_pair, values);
        write_fragment(l, values, (unsigned)w.sum * w.left_tiles * w.right_tiles);
        return;
    }
}
