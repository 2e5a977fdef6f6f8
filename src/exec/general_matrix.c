// Matrix instructions: products (exec/tensor/), LDSM, MOVM. All lanes of a warp take part; a warp of 64 lanes is two groups of 32
// with a product each. A missing lane is a fault, as PTX leaves the result undefined.
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "exec/race.h"
#include "exec/tensor/tensor.h"
#include "isa/mma.h"
#include "isa/program.h"

#include <string.h>

bool exec_assemble_warp(const struct bound *d, struct warp *w, uint64_t active, const struct bound **next)
{
    if (!split_sync(w, d, active, w->full, next)) return false;
    race_warp_sync(w, active);
    *next = NULL;
    if (active == w->full) return true;
    unsigned missing = bit_lowest(w->full & ~active);
    exec_fault(w, d, FAULT_MEMBERS, bit_lowest(active),
               "lane %u does not execute a matrix instruction of the warp", missing);
    return false;
}

static void describe_form(const struct inst *i, struct tensor_form *f)
{
    const struct isa_mma_shape *s = &isa_mma_shapes[i->shape];
    const struct isa_quad quad = isa_quad_of(i->shape);
    *f = (struct tensor_form){.m = s->m,
                              .n = TENSOR_COLUMNS,
                              .k = s->k,
                              .a = i->type2,
                              .b = i->type3 ? i->type3 : i->type2,
                              .c = i->type,
                              .d = i->type,
                              .round = i->round,
                              .is_sparse = isa_is_sparse(i),
                              .saturates = (i->flags & INST_SAT) != 0,
                              .ands = i->boolean == BOOL_AND,
                              .a_by_column = quad.a_by_column,
                              .b_by_row = quad.b_by_row,
                              .half = quad.half};
}

// Registers of the operands, for the lanes from `base` on.
static void find_operands(const struct bound *d, const struct warp *w, uint8_t *regs, unsigned base,
                          struct tensor_operands *o)
{
    const struct inst *i = bound_inst(d, w);
    unsigned step = w->exec->vector_bytes;
    for (unsigned n = 0; n < operand_words(&i->src[0]); n++)
        o->a[n] = reg_lanes(regs, d->src[0] + n * step) + base;
    for (unsigned n = 0; n < operand_words(&i->src[1]); n++)
        o->b[n] = reg_lanes(regs, d->src[1] + n * step) + base;
    for (unsigned n = 0; n < operand_words(&i->src[2]); n++)
        o->c[n] = reg_lanes(regs, d->src[2] + n * step) + base;
    for (unsigned n = 0; n < operand_words(&i->dst[0]); n++)
        o->d[n] = reg_lanes(regs, d->dst + n * step) + base;
    o->metadata = reg_lanes(regs, d->src[3]) + base;
    o->selector = i->shift;
}

const struct bound *exec_mma(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct exec *e = w->exec;
    const struct bound *next;
    struct tensor_form f;
    struct tensor_operands o;
    const struct tensor_card *card =
        e->launch->tensor ? e->launch->tensor : tensor_card_of_target(e->program->target_sm);
    if (!exec_assemble_warp(d, w, active, &next)) return next;
    describe_form(bound_inst(d, w), &f);
    for (unsigned base = 0; base < e->lanes; base += GROUP_LANES) {
        find_operands(d, w, regs, base, &o);
        tensor_product(card, &f, &o, tensor_tiles_of(e->isa));
    }
    return d + 1;
}

// Register of lane t: elements 2q and 2q + 1 of row g; of the transposed matrix: of column g.
static uint32_t lane_of_matrix(uint16_t rows[8][8], unsigned t, bool is_transposed)
{
    unsigned g = t / 4, q = t % 4;
    uint16_t low = is_transposed ? rows[2 * q][g] : rows[g][2 * q],
             high = is_transposed ? rows[2 * q + 1][g] : rows[g][2 * q + 1];
    return low | (uint32_t)high << 16;
}

enum { ROW_BYTES = 16 };

// Finds the row of 16 bytes at a lane's address. False after a fault.
static bool find_row(const struct bound *d, struct warp *w, const uint8_t *regs, unsigned lane, bool is_write,
                     struct lane_access *a)
{
    enum launch_fault_kind kind;
    uint64_t address = exec_lane_address(d, w, regs, 0, lane);
    *a = (struct lane_access){.space = SPACE_SHARED};
    if (exec_resolve(w, lane, SPACE_SHARED, address, ROW_BYTES, a, &kind) ||
        exec_tolerates(w, d, kind, lane, a, ROW_BYTES, is_write))
        return true;
    exec_fault_address(w, d, kind, lane, a->space, a->address, ROW_BYTES, is_write);
    return false;
}

// Reads the row at a lane's address. False after a fault.
static bool read_row(const struct bound *d, struct warp *w, const uint8_t *regs, unsigned lane,
                     uint16_t row[8])
{
    struct lane_access a;
    if (!find_row(d, w, regs, lane, false, &a)) return false;
    race_lane(w, d, lane, &a, ROW_BYTES, RACE_READ, NULL);
    exec_read(w, &a, ROW_BYTES, row);
    return true;
}

const struct bound *exec_ldsm(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct isa_mma_shape *s = &isa_mma_shapes[bound_inst(d, w)->shape];
    const struct bound *next;
    uint32_t out[4][LANES_MAX];
    if (!exec_assemble_warp(d, w, active, &next)) return next;
    race_instruction(w, d);
    w->counts.shared_loads++;
    for (unsigned base = 0; base < w->exec->lanes; base += GROUP_LANES)
        for (unsigned j = 0; j < s->matrices; j++) {
            uint16_t rows[8][8];
            for (unsigned i = 0; i < 8; i++)
                if (!read_row(d, w, regs, base + 8 * j + i, rows[i])) return NULL;
            for (unsigned t = 0; t < GROUP_LANES; t++)
                out[j][base + t] = lane_of_matrix(rows, t, s->is_transposed);
        }
    for (unsigned j = 0; j < s->matrices; j++)
        exec_write(reg_lanes(regs, d->dst + j * w->exec->vector_bytes), out[j], active, w);
    return d + 1;
}

// Stores a row at a lane's address. False after a fault.
static bool write_row(const struct bound *d, struct warp *w, const uint8_t *regs, unsigned lane,
                      const uint16_t row[8])
{
    struct lane_access a;
    if (!find_row(d, w, regs, lane, true, &a)) return false;
    race_lane(w, d, lane, &a, ROW_BYTES, RACE_WRITE, row);
    exec_write_bytes(w, &a, ROW_BYTES, row);
    return true;
}

// Places the word of lane t of a fragment: lane_of_matrix the other way round.
static void matrix_of_lane(uint16_t rows[8][8], unsigned t, uint32_t word, bool is_transposed)
{
    for (unsigned k = 0; k < 2; k++, word >>= 16) {
        unsigned g = t / 4, element = 2 * (t % 4) + k;
        *(is_transposed ? &rows[element][g] : &rows[g][element]) = (uint16_t)word;
    }
}

const struct bound *exec_stsm(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct isa_mma_shape *s = &isa_mma_shapes[bound_inst(d, w)->shape];
    const struct bound *next;
    if (!exec_assemble_warp(d, w, active, &next)) return next;
    race_instruction(w, d);
    w->counts.shared_stores++;
    for (unsigned base = 0; base < w->exec->lanes; base += GROUP_LANES)
        for (unsigned j = 0; j < s->matrices; j++) {
            uint16_t rows[8][8];
            for (unsigned t = 0; t < GROUP_LANES; t++)
                matrix_of_lane(rows, t, exec_lane_word(d, w, regs, 1, j, base + t), s->is_transposed);
            for (unsigned i = 0; i < 8; i++)
                if (!write_row(d, w, regs, base + 8 * j + i, rows[i])) return NULL;
        }
    return d + 1;
}

const struct bound *exec_movm(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct bound *next;
    uint32_t out[LANES_MAX];
    if (!exec_assemble_warp(d, w, active, &next)) return next;
    for (unsigned base = 0; base < w->exec->lanes; base += GROUP_LANES) {
        uint16_t rows[8][8];
        for (unsigned t = 0; t < GROUP_LANES; t++) {
            uint32_t word = reg_lanes(regs, d->src[0])[base + t];
            rows[t / 4][2 * (t % 4)] = (uint16_t)word;
            rows[t / 4][2 * (t % 4) + 1] = (uint16_t)(word >> 16);
        }
        for (unsigned t = 0; t < GROUP_LANES; t++) out[base + t] = lane_of_matrix(rows, t, true);
    }
    exec_write(reg_lanes(regs, d->dst), out, active, w);
    return d + 1;
}
