// Products of a warp: fragments to matrices, a path for the values, and back.
#include "exec/tensor/fragment.h"
#include "exec/tensor/tile.h"

#include <string.h>

// Matrices in bits. b by column: b[column][k], as an element reads it.
struct matrices {
    uint64_t a[TENSOR_ROWS][TENSOR_DEPTH], b[TENSOR_COLUMNS][TENSOR_DEPTH];
    uint64_t c[TENSOR_ROWS][TENSOR_COLUMNS];
};

// Bits of element i of a lane, from its registers.
static uint64_t element_of(const uint32_t *const registers[], unsigned lane, unsigned i, unsigned bits)
{
    if (bits == 64) return (uint64_t)registers[2 * i + 1][lane] << 32 | registers[2 * i][lane];
    if (bits == 32) return registers[i][lane];
    unsigned at = i * bits;
    return registers[at / 32][lane] >> at % 32 & ((1u << bits) - 1);
}

// -- any value, any type ------------------------------------------------------------------------------------

// part: of m8n8k4; else 0. b1: words of 32 bits are the elements.
static void gather(struct matrices *x, const struct tensor_form *form, const struct tensor_operands *o,
                   unsigned part)
{
    struct tensor_form f = *form;
    if (f.a == TYPE_B1) {
        f.a = f.b = TYPE_TF32;
        f.k /= 32;
    }
    for (unsigned lane = 0; lane < TENSOR_LANES; lane++) {
        for (unsigned i = 0; i < tensor_elements(&f, TENSOR_A); i++) {
            struct tensor_place p = tensor_place_of(&f, TENSOR_A, lane, i);
            if (p.part == part) x->a[p.row][p.column] = element_of(o->a, lane, i, tensor_type_bits(f.a));
        }
        for (unsigned i = 0; i < tensor_elements(&f, TENSOR_B); i++) {
            struct tensor_place p = tensor_place_of(&f, TENSOR_B, lane, i);
            if (p.part == part) x->b[p.column][p.row] = element_of(o->b, lane, i, tensor_type_bits(f.b));
        }
        for (unsigned i = 0; i < tensor_elements(&f, TENSOR_C); i++) {
            struct tensor_place p = tensor_place_of(&f, TENSOR_C, lane, i);
            if (p.part == part) x->c[p.row][p.column] = element_of(o->c, lane, i, tensor_type_bits(f.c));
        }
    }
}

// Writes d, whose registers may be those of operands read before.
static void scatter(const struct tensor_form *f, uint64_t d[][TENSOR_COLUMNS], unsigned part,
                    uint32_t *const to[])
{
    unsigned bits = tensor_type_bits(f->d);
    for (unsigned lane = 0; lane < TENSOR_LANES; lane++)
        for (unsigned i = 0; i < tensor_elements(f, TENSOR_D); i++) {
            struct tensor_place p = tensor_place_of(f, TENSOR_D, lane, i);
            uint64_t value = d[p.row][p.column];
            if (p.part != part) continue;
            if (bits == 64) {
                to[2 * i][lane] = (uint32_t)value;
                to[2 * i + 1][lane] = (uint32_t)(value >> 32);
            } else if (bits == 32)
                to[i][lane] = (uint32_t)value;
            else if (i % 2)
                to[i / 2][lane] = (to[i / 2][lane] & 0xffff) | (uint32_t)value << 16;
            else
                to[i / 2][lane] = (to[i / 2][lane] & 0xffff0000) | (uint32_t)value;
        }
}

// One product in elements, into d.
static void multiply_elements(const struct tensor_card *card, const struct tensor_form *f,
                              const struct tensor_operands *o, unsigned part, uint64_t d[][TENSOR_COLUMNS])
{
    enum { HALF = 4 }; // columns
    struct matrices x;
    unsigned count = tensor_stored_depth(f) / (f->a == TYPE_B1 ? 32 : 1);
    gather(&x, f, o, part);
    for (unsigned row = 0; row < f->m; row++) {
        unsigned at[TENSOR_DEPTH];
        for (unsigned k = 0; k < count; k++)
            at[k] = f->is_sparse ? tensor_column_of(f, o->metadata, o->selector, row, k) : k;
        for (unsigned column = f->half == 2 ? HALF : 0; column < (f->half == 1 ? HALF : f->n); column++) {
            uint64_t b[TENSOR_DEPTH];
            for (unsigned k = 0; k < count; k++) b[k] = x.b[column][at[k]];
            d[row][column] = tensor_element(card, f, x.a[row], b, count, x.c[row][column]);
        }
    }
}

static void product_of_elements(const struct tensor_card *card, const struct tensor_form *f,
                                const struct tensor_operands *o)
{
    uint64_t d[4][TENSOR_ROWS][TENSOR_COLUMNS];
    unsigned parts = tensor_is_quad_pair(f) ? 4 : 1;
    for (unsigned p = 0; p < parts; p++) multiply_elements(card, f, o, p, d[p]);
    for (unsigned p = 0; p < parts; p++) scatter(f, d[p], p, o->d);
}

// -- the fast path ------------------------------------------------------------------------------------------

// Elements of a register, lowest first.
static inline __attribute__((always_inline)) void spread(uint32_t word, unsigned bits, uint32_t *to,
                                                         unsigned stride)
{
    for (unsigned e = 0; e < 32 / bits; e++)
        to[e * stride] = bits == 32 ? word : word >> e * bits & ((1u << bits) - 1);
}

// Rows of a by the rule of fragment.h, `depth` columns a row.
static inline __attribute__((always_inline)) void
gather_a(const struct tensor_operands *o, unsigned registers, unsigned depth, unsigned bits, uint32_t *to)
{
    const unsigned each = 32 / bits;
    for (unsigned r = 0; r < registers; r++)
        for (unsigned lane = 0; lane < TENSOR_LANES; lane++)
            spread(o->a[r][lane], bits,
                   to + (lane / 4 + 8 * (r % 2)) * depth + lane % 4 * each + 4 * each * (r / 2), 1);
}

static inline __attribute__((always_inline)) void gather_b(const struct tensor_operands *o,
                                                           unsigned registers, unsigned bits, uint32_t *to)
{
    const unsigned each = 32 / bits;
    for (unsigned r = 0; r < registers; r++)
        for (unsigned lane = 0; lane < TENSOR_LANES; lane++)
            spread(o->b[r][lane], bits, to + (lane % 4 * each + 4 * each * r) * TENSOR_COLUMNS + lane / 4,
                   TENSOR_COLUMNS);
}

static void gather_factors(const struct tensor_form *f, const struct tensor_operands *o, uint32_t *a,
                           uint32_t *b)
{
    unsigned a_count = tensor_registers(f, TENSOR_A), b_count = tensor_registers(f, TENSOR_B),
             depth = tensor_stored_depth(f);
    switch (tensor_type_bits(f->a)) {
    case 4: gather_a(o, a_count, depth, 4, a), gather_b(o, b_count, 4, b); break;
    case 8: gather_a(o, a_count, depth, 8, a), gather_b(o, b_count, 8, b); break;
    case 16: gather_a(o, a_count, depth, 16, a), gather_b(o, b_count, 16, b); break;
    default: gather_a(o, a_count, depth, 32, a), gather_b(o, b_count, 32, b); break;
    }
}

// The order of an emulated product in k. `bytes` of what belongs to a k.
static void reorder(void *elements, unsigned count, unsigned bytes)
{
    uint8_t copy[TENSOR_FLOAT_DEPTH * TENSOR_COLUMNS * sizeof(uint32_t)], *to = elements;
    memcpy(copy, elements, (size_t)count * bytes);
    for (unsigned k = 0; k < count; k++)
        memcpy(to + (size_t)tensor_emulated_place(k, count) * bytes, copy + (size_t)k * bytes, bytes);
}

static void order_emulated(unsigned rows, unsigned depth, uint32_t *a, uint32_t *b, uint8_t *columns)
{
    for (unsigned row = 0; row < rows; row++) reorder(a + row * depth, depth, sizeof *a);
    for (unsigned row = 0; columns && row < rows; row++) reorder(columns + row * depth, depth, 1);
    if (!columns) reorder(b, depth, TENSOR_COLUMNS * sizeof *b);
}

static void gather_c(const struct tensor_form *f, const struct tensor_operands *o,
                     uint32_t c[][TENSOR_COLUMNS])
{
    for (unsigned i = 0; i < f->m / 4u; i++)
        for (unsigned lane = 0; lane < TENSOR_LANES; lane++) {
            uint32_t *to = &c[lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2];
            *to = f->c == TYPE_F16 ? o->c[i / 2][lane] >> 16 * (i % 2) & 0xffff : o->c[i][lane];
        }
}

static void scatter_d(const struct tensor_form *f, uint32_t d[][TENSOR_COLUMNS],
                      const struct tensor_operands *o)
{
    for (unsigned i = 0; i < f->m / 8u; i++)
        for (unsigned lane = 0; lane < TENSOR_LANES; lane++) {
            const uint32_t *from = &d[lane / 4 + 8 * i][2 * (lane % 4)];
            if (f->d == TYPE_F16)
                o->d[i][lane] = from[0] | from[1] << 16;
            else
                o->d[2 * i][lane] = from[0], o->d[2 * i + 1][lane] = from[1];
        }
}

// Computes the elements that the fast path left.
static void multiply_left(const struct tensor_card *card, const struct tensor_form *f,
                          const struct tensor_operands *o, const struct tensor_left *left,
                          struct tensor_tile *t)
{
    uint64_t d[TENSOR_ROWS][TENSOR_COLUMNS];
    multiply_elements(card, f, o, 0, d);
    for (unsigned row = 0; row < t->rows; row++)
        for (unsigned n = 0; n < TENSOR_COLUMNS; n++)
            if (left->columns[row] >> n & 1) t->d[row][n] = (uint32_t)d[row][n];
}

// False: a factor is infinite or NaN; t->d is not written.
static bool multiply_floats(const struct tensor_card *card, const struct tensor_form *f,
                            const struct tensor_operands *o, const struct tensor_tiles *tiles,
                            const uint32_t *a, const uint32_t *b, struct tensor_tile *t)
{
    const struct tensor_format *fa = tensor_format_of(f->a), *fb = tensor_format_of(f->b);
    const struct tensor_rule *r = tensor_rule_of(card, f->a);
    bool is_emulated = tensor_is_emulated(card, f->a);
    tiles->decode(fb, b, f->k * TENSOR_COLUMNS, true, &t->b);
    tiles->decode(fa, a, t->rows * t->depth, t->b.is_moderate, &t->a);
    if (t->a.is_special || t->b.is_special) return false;
    if (t->a.is_moderate != t->b.is_moderate) tiles->decode(fb, b, f->k * TENSOR_COLUMNS, false, &t->b);
    struct tensor_left left =
        tiles->multiply(t, r, f->d, is_emulated ? t->depth / 2 : r->length,
                        tensor_fraction_bits(fa) + tensor_fraction_bits(fb), is_emulated);
    if (left.any) multiply_left(card, f, o, &left, t);
    return true;
}

// False: an unusual factor; nothing is written.
static bool product_of_tiles(const struct tensor_card *card, const struct tensor_form *f,
                             const struct tensor_operands *o, const struct tensor_tiles *tiles)
{
    uint32_t a[TENSOR_TILE_ELEMENTS], b[TENSOR_TILE_ELEMENTS];
    uint8_t columns[TENSOR_TILE_ELEMENTS];
    struct tensor_tile t;
    t.rows = f->m;
    t.depth = tensor_stored_depth(f);
    t.columns = f->is_sparse ? columns : NULL;
    gather_factors(f, o, a, b);
    gather_c(f, o, t.c);
    for (unsigned n = 0; t.columns && n < t.rows * t.depth; n++)
        columns[n] = (uint8_t)tensor_column_of(f, o->metadata, o->selector, n / t.depth, n % t.depth);
    if (f->d == TYPE_S32) {
        tiles->decode_whole(f->a, a, t.rows * t.depth, &t.a);
        tiles->decode_whole(f->b, b, f->k * TENSOR_COLUMNS, &t.b);
        tiles->multiply_whole(&t, f->saturates);
    } else {
        if (tensor_is_emulated(card, f->a))
            order_emulated(t.rows, t.depth, a, b, f->is_sparse ? columns : NULL);
        if (!multiply_floats(card, f, o, tiles, a, b, &t)) return false;
    }
    scatter_d(f, t.d, o);
    return true;
}

void tensor_product(const struct tensor_card *card, const struct tensor_form *f,
                    const struct tensor_operands *o, const struct tensor_tiles *tiles)
{
    bool has_tiles = tiles && f->a != TYPE_B1 && f->d != TYPE_F64 && !tensor_is_quad_pair(f);
    if (has_tiles && product_of_tiles(card, f, o, tiles)) return;
    product_of_elements(card, f, o);
}
