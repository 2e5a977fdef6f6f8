// Registers kept as scalars by the compressed register file, and the scalar pipeline's use of scalars.
//
// A register is a scalar when its 32 lanes were written together and are equal or affine. Affine: base +
// lane * stride with a stride of 1, 2 or 4 and a base that is a multiple of 32 strides. Initially every
// register is a scalar.
#include "oracle/simtight_impl.h"

#include <string.h>

void oracle_rv_regs_reset(struct simtight_oracle *o)
{
    for (unsigned w = 0; w < WARPS; w++) {
        memset(o->warps[w].is_vector, 0, sizeof o->warps[w].is_vector);
        memset(o->warps[w].stride, 0, sizeof o->warps[w].stride);
    }
    o->vectors = 0;
}

static bool has_stride(const struct warp *w, unsigned rd, uint32_t stride)
{
    uint32_t first = w->threads[0].x[rd];
    if (stride && first % (LANES * stride)) return false;
    for (uint32_t k = 0; k < LANES; k++)
        if (w->threads[k].x[rd] != first + k * stride) return false;
    return true;
}

void oracle_rv_regs_written(struct simtight_oracle *o, struct warp *w, unsigned rd, uint32_t lanes)
{
    static const uint8_t strides[] = {0, 1, 2, 4};
    if (rd == 0) return;
    bool is_vector = true;
    for (unsigned k = 0; lanes == ALL_LANES && is_vector && k < sizeof strides; k++)
        if (has_stride(w, rd, strides[k])) {
            is_vector = false;
            w->stride[rd] = strides[k];
        }
    o->vectors += (unsigned)is_vector - (unsigned)w->is_vector[rd];
    w->is_vector[rd] = is_vector;
    if (o->vectors > o->counts.vector_max) o->counts.vector_max = o->vectors;
}

// True: every operand is uniform, or a single operand of an addition is affine.
bool oracle_rv_regs_scalarisable(const struct warp *w, const struct simtight_inst *i, uint32_t active)
{
    if (active != ALL_LANES || !oracle_rv_op_scalar[i->op]) return false;
    if (w->is_vector[i->rs1] || w->is_vector[i->rs2]) return false;
    bool a = w->stride[i->rs1] != 0, b = w->stride[i->rs2] != 0; // affine
    return (!a && !b) || (a != b && (i->op == OP_ADD || i->op == OP_ADDI));
}

static bool is_aligned(const struct warp *w, unsigned affine, uint32_t uniform)
{
    return w->stride[affine] == 0 || uniform % (LANES * w->stride[affine]) == 0;
}

bool oracle_rv_scalar_begin(struct simtight_oracle *o, struct warp *w, const struct simtight_inst *i)
{
    if (!w->is_scalar) return false;
    w->is_scalar = false;
    if (!oracle_rv_regs_scalarisable(w, i, ALL_LANES)) {
        o->counts.scalar_aborts++;
        return false;
    }
    const uint32_t *first = w->threads[0].x;
    uint32_t b = i->op == OP_ADDI ? i->imm : first[i->rs2];
    if ((i->op == OP_ADD || i->op == OP_ADDI) &&
        (!is_aligned(w, i->rs1, b) || !is_aligned(w, i->rs2, first[i->rs1]))) {
        o->counts.affine_aborts++;
        return false;
    }
    o->counts.scalarised += LANES;
    return true;
}

void oracle_rv_scalar_end(struct simtight_oracle *o, struct warp *w, const struct simtight_inst *i,
                          uint32_t pc, uint32_t active, bool was_scalar, bool was_scalarisable)
{
    uint32_t next = w->threads[0].pc;
    if (!was_scalar) {
        o->predicted[(pc - CODE_BASE) / 4] = was_scalarisable;
        // A warp stays in the vector pipeline if a lane wrote the program counter, even with the next
        // address.
        bool writes_pc = i->op == OP_JAL || i->op == OP_JALR || next != pc + 4;
        for (unsigned k = 0; k < LANES; k++) writes_pc |= w->threads[k].pc != next;
        if (active != ALL_LANES || writes_pc || w->state != WARP_READY) return;
    }
    w->is_scalar =
        next >= o->code_begin && next < o->code_end && next % 4 == 0 && o->predicted[(next - CODE_BASE) / 4];
}
