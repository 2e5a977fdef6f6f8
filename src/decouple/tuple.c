// Tuple arithmetic. Offsets are kept modulo 2^bits and read as signed numbers for ranges: the reading
// nearer to zero is the program's intent, and any other reading would only be found to wrap.
#include "decouple/tuple.h"

static uint64_t mask_of(unsigned bits) { return bits == 64 ? UINT64_MAX : (1ull << bits) - 1; }

static struct decouple_tuple fitted(struct decouple_tuple t)
{
    t.base &= mask_of(t.bits);
    for (unsigned d = 0; d < DECOUPLE_DIMENSIONS; d++) t.offset[d] &= mask_of(t.bits);
    return t;
}

struct decouple_tuple decouple_tuple_scalar(unsigned bits, uint64_t value)
{
    return fitted((struct decouple_tuple){.bits = bits, .base = value});
}

struct decouple_tuple decouple_tuple_index(enum decouple_dimension d)
{
    struct decouple_tuple t = {.bits = 32};
    t.offset[d] = 1;
    return t;
}

static bool is_flat(const struct decouple_tuple *t, unsigned first, unsigned count)
{
    for (unsigned d = first; d < first + count; d++)
        if (t->offset[d]) return false;
    return true;
}

bool decouple_tuple_is_scalar(const struct decouple_tuple *t) { return is_flat(t, 0, DECOUPLE_DIMENSIONS); }
bool decouple_tuple_is_block_scalar(const struct decouple_tuple *t) { return is_flat(t, 0, 3); }

bool decouple_tuple_equal(const struct decouple_tuple *a, const struct decouple_tuple *b)
{
    bool equal = a->bits == b->bits && a->base == b->base;
    for (unsigned d = 0; d < DECOUPLE_DIMENSIONS; d++) equal &= a->offset[d] == b->offset[d];
    return equal;
}

// a + factor * b
static struct decouple_tuple combined(const struct decouple_tuple *a, const struct decouple_tuple *b,
                                      uint64_t factor)
{
    struct decouple_tuple t = *a;
    t.base += factor * b->base;
    for (unsigned d = 0; d < DECOUPLE_DIMENSIONS; d++) t.offset[d] += factor * b->offset[d];
    return fitted(t);
}

struct decouple_tuple decouple_tuple_add(const struct decouple_tuple *a, const struct decouple_tuple *b)
{
    return combined(a, b, 1);
}

struct decouple_tuple decouple_tuple_subtract(const struct decouple_tuple *a, const struct decouple_tuple *b)
{
    return combined(a, b, UINT64_MAX);
}

bool decouple_tuple_multiply(const struct decouple_tuple *a, const struct decouple_tuple *b,
                             struct decouple_tuple *product)
{
    const struct decouple_tuple none = decouple_tuple_scalar(a->bits, 0);
    if (!decouple_tuple_is_scalar(b)) {
        const struct decouple_tuple *other = a;
        a = b, b = other;
    }
    if (!decouple_tuple_is_scalar(b)) return false;
    *product = combined(&none, a, b->base);
    return true;
}

uint64_t decouple_tuple_value(const struct decouple_tuple *t, const uint32_t index[DECOUPLE_DIMENSIONS])
{
    uint64_t value = t->base;
    for (unsigned d = 0; d < DECOUPLE_DIMENSIONS; d++) value += t->offset[d] * index[d];
    return value & mask_of(t->bits);
}

static int64_t as_signed(uint64_t value, unsigned bits)
{
    return bits == 64 ? (int64_t)value : (int64_t)(int32_t)(uint32_t)value;
}

// *sum += offset * index; false on 64-bit overflow.
static bool add_term(int64_t *sum, int64_t offset, uint32_t index)
{
    int64_t term;
    return !__builtin_mul_overflow(offset, (int64_t)index, &term) && !__builtin_add_overflow(*sum, term, sum);
}

bool decouple_tuple_range(const struct decouple_tuple *t, const struct decouple_box *b, bool is_signed,
                          struct decouple_range *range)
{
    bool is_word = t->bits == 32;
    range->low = range->high = is_word && !is_signed ? (int64_t)t->base : as_signed(t->base, t->bits);
    for (unsigned d = 0; d < DECOUPLE_DIMENSIONS; d++) {
        int64_t offset = as_signed(t->offset[d], t->bits);
        if (!add_term(&range->low, offset, offset < 0 ? b->high[d] : b->low[d])) return false;
        if (!add_term(&range->high, offset, offset < 0 ? b->low[d] : b->high[d])) return false;
    }
    if (!is_word) return true;
    return is_signed ? range->low >= INT32_MIN && range->high <= INT32_MAX
                     : range->low >= 0 && range->high <= UINT32_MAX;
}

bool decouple_tuple_widen(const struct decouple_tuple *t, const struct decouple_box *b, bool is_signed,
                          struct decouple_tuple *wide)
{
    struct decouple_range range;
    *wide = *t;
    if (t->bits == 64) return true;
    if (!decouple_tuple_range(t, b, is_signed, &range)) return false;
    wide->bits = 64;
    wide->base = is_signed ? (uint64_t)as_signed(t->base, 32) : t->base;
    for (unsigned d = 0; d < DECOUPLE_DIMENSIONS; d++)
        wide->offset[d] = (uint64_t)as_signed(t->offset[d], 32);
    return true;
}

// -- warps --------------------------------------------------------------------------------------------------

uint32_t decouple_warp_threads(const struct decouple_warp *w)
{
    uint32_t left = w->block[0] * w->block[1] * w->block[2] - w->warp * w->warp_size;
    return left < w->warp_size ? left : w->warp_size;
}

void decouple_warp_index(const struct decouple_warp *w, uint32_t lane, uint32_t index[DECOUPLE_DIMENSIONS])
{
    uint32_t thread = w->warp * w->warp_size + lane;
    index[DECOUPLE_TID_X] = thread % w->block[0];
    index[DECOUPLE_TID_Y] = thread / w->block[0] % w->block[1];
    index[DECOUPLE_TID_Z] = thread / w->block[0] / w->block[1];
    for (unsigned d = 0; d < 3; d++) index[DECOUPLE_CTAID_X + d] = w->block_index[d];
}

// Box of the warp's thread indices. First and last thread bound x only within a row, and y only within a
// plane; otherwise the box has the full row, or plane.
struct decouple_box decouple_warp_box(const struct decouple_warp *w)
{
    struct decouple_box b;
    decouple_warp_index(w, 0, b.low);
    decouple_warp_index(w, decouple_warp_threads(w) - 1, b.high);
    bool planes = b.low[DECOUPLE_TID_Z] != b.high[DECOUPLE_TID_Z];
    if (planes || b.low[DECOUPLE_TID_Y] != b.high[DECOUPLE_TID_Y]) {
        b.low[DECOUPLE_TID_X] = 0;
        b.high[DECOUPLE_TID_X] = w->block[0] - 1;
    }
    if (planes) {
        b.low[DECOUPLE_TID_Y] = 0;
        b.high[DECOUPLE_TID_Y] = w->block[1] - 1;
    }
    return b;
}
