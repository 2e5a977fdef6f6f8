// Instruction properties used by the core: registers, executing unit, latency.
#include "riscv/decode.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "simtight/core_impl.h"

// Latency of the floating-point unit in cycles, from SIMTight's published source (units/FPU). With simt.dsp=0
// additions and multiplications use FPGA logic instead of DSP blocks.
static unsigned float_cycles(const struct simtight_config *c, enum rv_latency latency)
{
    switch (latency) {
    case RV_LATENCY_FADD: return c->dsp ? 3 : 10;
    case RV_LATENCY_FMUL: return c->dsp ? 3 : 9;
    case RV_LATENCY_FDIV: return 32;
    case RV_LATENCY_FSQRT: return 16;
    case RV_LATENCY_FTOINT: return 3;
    case RV_LATENCY_FFROMINT: return 7;
    case RV_LATENCY_FCMP: return 2;
    case RV_LATENCY_FMINMAX:
    case RV_LATENCY_FEQ: return 1;
    case RV_LATENCY_ALU:
    case RV_LATENCY_MUL:
    case RV_LATENCY_DIV:
    case RV_LATENCY_MEM: break;
    }
    return 0;
}

static void on_unit(struct simtight_inst *i, enum simtight_unit unit, unsigned cycles)
{
    i->kind = KIND_UNIT;
    i->unit = (uint8_t)unit;
    i->latency = (uint16_t)cycles;
}

static enum simtight_kind memory_kind(enum rv_form form)
{
    return form == RV_FORM_L   ? KIND_LOAD
           : form == RV_FORM_S ? KIND_STORE
           : form == RV_FORM_A ? KIND_ATOMIC
                               : KIND_FENCE;
}

static struct simtight_inst decode(const struct simtight_config *c, uint32_t word)
{
    struct rv_inst f = rv_decode(word);
    if (f.op == RV_NONE) return (struct simtight_inst){0};
    const struct rv_info *info = &rv_table[f.op];
    struct simtight_inst i = {.rd = f.rd,
                              .rs1 = f.rs1,
                              .rs2 = f.rs2,
                              .is_scalar = info->scalar,
                              .is_add = f.op == RV_ADD || f.op == RV_ADDI,
                              .has_imm = info->form == RV_FORM_I,
                              .jumps = f.op == RV_J || f.op == RV_JAL || f.op == RV_JR || f.op == RV_JALR,
                              .imm = f.imm};
    switch (info->latency) {
    case RV_LATENCY_ALU: break;
    case RV_LATENCY_MUL: on_unit(&i, SIMTIGHT_MUL, c->mul); break;
    case RV_LATENCY_DIV:
        on_unit(&i, SIMTIGHT_DIV, c->divider == SIMTIGHT_FULL ? c->div_full : c->div_sequential);
        break;
    case RV_LATENCY_MEM: i.kind = (uint8_t)memory_kind(info->form); break;
    case RV_LATENCY_FADD:
    case RV_LATENCY_FMUL:
    case RV_LATENCY_FDIV:
    case RV_LATENCY_FSQRT:
    case RV_LATENCY_FMINMAX:
    case RV_LATENCY_FTOINT:
    case RV_LATENCY_FFROMINT:
    case RV_LATENCY_FCMP:
    case RV_LATENCY_FEQ: // every floating-point operation: one more cycle in the unit's queue
        on_unit(&i, SIMTIGHT_FPU, float_cycles(c, info->latency) + 1);
        break;
    }
    return i;
}

void simtight_decode(struct simtight *s)
{
    const struct program *p = s->launch->program;
    s->code = heap_alloc(p->inst_count * sizeof *s->code);
    for (uint32_t k = 0; k < p->inst_count; k++) {
        s->code[k] = decode(s->config, p->words[k]);
        if (p->insts[k].op == OP_WARPCMD) s->code[k].kind = KIND_COMMAND;
    }
}
