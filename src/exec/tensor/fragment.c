// Fragments of dense operands by one rule, of m8n8k4 by PTX ISA 9.7.14.4.1; metadata of sparse operands.
#include "exec/tensor/fragment.h"

unsigned tensor_type_bits(unsigned type)
{
    switch (type) {
    case TYPE_B1: return 1;
    case TYPE_S4:
    case TYPE_U4: return 4;
    case TYPE_TF32: return 32;
    default: return 8 * isa_type_bytes((enum isa_type)type);
    }
}

static unsigned type_of(const struct tensor_form *f, enum tensor_matrix which)
{
    switch (which) {
    case TENSOR_A: return f->a;
    case TENSOR_B: return f->b;
    case TENSOR_C: return f->c;
    case TENSOR_D: break;
    }
    return f->d;
}

static unsigned cells_of(const struct tensor_form *f, enum tensor_matrix which)
{
    switch (which) {
    case TENSOR_A: return f->m * tensor_stored_depth(f);
    case TENSOR_B: return f->k * f->n;
    case TENSOR_C:
    case TENSOR_D: break;
    }
    return (unsigned)f->m * f->n;
}

unsigned tensor_elements(const struct tensor_form *f, enum tensor_matrix which)
{
    bool is_half = f->half && (which == TENSOR_C || which == TENSOR_D);
    return cells_of(f, which) * (tensor_is_quad_pair(f) ? 4 : 1) / TENSOR_LANES / (is_half ? 2 : 1);
}

unsigned tensor_registers(const struct tensor_form *f, enum tensor_matrix which)
{
    return tensor_elements(f, which) * tensor_type_bits(type_of(f, which)) / 32;
}

// Of the accumulators in f16: row l + 4h, column i. In f32: pairs of columns, in two rows and two halves.
static struct tensor_place quad_pair_accumulator(bool is_f16, unsigned lane, unsigned i)
{
    unsigned h = lane / 16;
    if (is_f16) return (struct tensor_place){.row = (uint16_t)(lane % 4 + 4 * h), .column = (uint16_t)i};
    return (struct tensor_place){.row = (uint16_t)(lane % 2 + (i & 2) + 4 * h),
                                 .column = (uint16_t)((i & 4) + (lane & 2) + i % 2)};
}

static struct tensor_place quad_pair(const struct tensor_form *f, enum tensor_matrix which, unsigned lane,
                                     unsigned i)
{
    enum { HALF = 4 }; // elements of a lane
    unsigned l = lane % 4, h = lane / 16, first = f->half ? HALF * (f->half - 1u) : 0;
    struct tensor_place p = {0};
    switch (which) {
    case TENSOR_A:
        p.row = (uint16_t)((f->a_by_column ? i : l) + 4 * h);
        p.column = (uint16_t)(f->a_by_column ? l : i);
        break;
    case TENSOR_B:
        p.row = (uint16_t)(f->b_by_row ? l : i);
        p.column = (uint16_t)((f->b_by_row ? i : l) + 4 * h);
        break;
    case TENSOR_C: p = quad_pair_accumulator(f->c == TYPE_F16, lane, first + i); break;
    case TENSOR_D: p = quad_pair_accumulator(f->d == TYPE_F16, lane, first + i); break;
    }
    p.part = (uint8_t)(lane % 16 / 4);
    return p;
}

struct tensor_place tensor_place_of(const struct tensor_form *f, enum tensor_matrix which, unsigned lane,
                                    unsigned i)
{
    if (tensor_is_quad_pair(f)) return quad_pair(f, which, lane, i);
    unsigned g = lane / 4, q = lane % 4, bits = tensor_type_bits(type_of(f, which)),
             each = bits >= 32 ? 1 : 32 / bits;
    unsigned r = i / each, e = i % each;
    switch (which) {
    case TENSOR_A:
        return (struct tensor_place){.row = (uint16_t)(g + 8 * (r % 2)),
                                     .column = (uint16_t)(q * each + e + 4 * each * (r / 2))};
    case TENSOR_B:
        return (struct tensor_place){.row = (uint16_t)(q * each + e + 4 * each * r), .column = (uint16_t)g};
    case TENSOR_C:
    case TENSOR_D: break;
    }
    return (struct tensor_place){.row = (uint16_t)(g + 8 * (i / 2)), .column = (uint16_t)(2 * q + i % 2)};
}

// -- metadata -----------------------------------------------------------------------------------------------

// Columns described by four bits of metadata: 2 (tf32), 4, or 8 (4-bit integers, in pairs).
static unsigned chunk_of(const struct tensor_form *f)
{
    unsigned bits = tensor_type_bits(f->a);
    return bits == 32 ? 2 : bits == 4 ? 8 : 4;
}

// Four bits of metadata for a chunk of a row. A row has 4, 8 or 16 chunks.
//   4 chunks    lane 4g + selector has rows g (low half) and g + 8
//   8 chunks    of 16 or 32 bits: lanes 4g + 2 * selector, + 1 have the chunks 0 to 3, 4 to 7 of both rows
//   8 chunks    below 16 bits: lane 4g + 2 * selector has row g, the next lane row g + 8
//   16 chunks   lanes 4g, 4g + 1 have chunks 0 to 7 of rows g and g + 8, the next two lanes chunks 8 to 15
static unsigned metadata_of(const struct tensor_form *f, const uint32_t *metadata, unsigned selector,
                            unsigned row, unsigned chunk)
{
    unsigned g = row % 8, upper = row / 8, chunks = f->k / chunk_of(f), bit = 4 * (chunk % 8), lane = 4 * g;
    if (chunks == 16)
        lane += 2 * (chunk / 8) + upper;
    else if (chunks == 8 && tensor_type_bits(f->a) < 16)
        lane += 2 * selector % 4 + upper;
    else {
        lane += chunks == 8 ? 2 * selector % 4 + chunk / 4 : selector;
        bit = 16 * upper + 4 * (chunk % 4);
    }
    return metadata[lane] >> bit & 15;
}

unsigned tensor_column_of(const struct tensor_form *f, const uint32_t *metadata, unsigned selector,
                          unsigned row, unsigned k)
{
    unsigned each = chunk_of(f), chunk = k / (each / 2), nth = k % (each / 2);
    unsigned four = metadata_of(f, metadata, selector, row, chunk);
    if (each == 2) return chunk * 2 + (four == 14);
    if (each == 4) return chunk * 4 + (four >> 2 * nth & 3);
    return chunk * 8 + 2 * (four >> 2 * (nth / 2) & 3) + nth % 2;
}
