// The scalar pipeline's execute stage: one lane on scalar operands, with a multiplier and a divider of its
// own.
#include "simtight/core_impl.h"

static struct scalar_form form_of(const struct simtight *s, unsigned warp, unsigned reg)
{
    return reg ? scalar_form_of(&s->file, warp, reg) : (struct scalar_form){0};
}

// Result form of an addition; false: a form the register file cannot keep.
static bool add(const struct simtight *s, unsigned warp, const struct simtight_inst *i,
                struct scalar_form *sum)
{
    struct scalar_form b = i->has_imm ? (struct scalar_form){.base = i->imm} : form_of(s, warp, i->rs2);
    return scalar_add(&s->file.shape.rule, form_of(s, warp, i->rs1), b, sum);
}

static void to_vector(struct simtight *s, unsigned warp)
{
    s->in_scalar &= ~(1ull << warp);
    s->back_vector |= 1ull << warp;
}

static void stay(struct simtight *s, unsigned warp) { s->back_scalar |= 1ull << warp; }

static void finish(struct simtight *s, struct warp *w, const struct simtight_inst *i, struct scalar_form form)
{
    bool waits = i->kind == KIND_UNIT;
    if (i->rd) scalar_write_form(&s->file, w->index, i->rd, form);
    if (waits) {
        simtight_suspend(s, w->index, s->all_lanes);
        simtight_unit_begin(
            &s->scalar_units, (enum simtight_unit)i->unit,
            (struct simtight_result){s->now + i->latency, s->all_lanes, (uint8_t)w->index, i->rd});
    }
    if (scalar_goes_to_vector(false, waits, scalar_predicted(&s->predicted, w->pc)))
        to_vector(s, w->index);
    else
        stay(s, w->index);
}

void simtight_scalar_execute(struct simtight *s, struct simtight_slot slot)
{
    struct warp *w = simtight_warp(s, slot.warp);
    const struct simtight_inst *i = &s->code[w->pc];
    if (s->suspended >> slot.warp & 1) {
        s->counts.scalar_susps++;
        stay(s, slot.warp);
        return;
    }
    struct scalar_operands o = simtight_operands(s, slot.warp, i, true);
    struct scalar_form form = {0};
    bool is_affine = o.a == SCALAR_AFFINE || o.b == SCALAR_AFFINE;
    if (!scalar_is_scalarisable(&o)) {
        s->counts.scalar_aborts++;
        to_vector(s, slot.warp);
        return;
    }
    if (is_affine && !add(s, slot.warp, i, &form)) {
        s->counts.affine_aborts++;
        to_vector(s, slot.warp);
        return;
    }
    if (i->kind == KIND_UNIT && !simtight_unit_takes(&s->scalar_units, (enum simtight_unit)i->unit)) {
        s->counts.retries++;
        stay(s, slot.warp);
        simtight_tell(s, slot.warp, SIMTIGHT_REFUSED);
        return;
    }
    simtight_registers_verify(s, slot.warp, i);
    s->counts.warp_instructions++;
    s->counts.scalarised += s->config->lanes;
    uint32_t index = w->pc;
    if (!simtight_step(s, w)) return;
    if (!is_affine && i->rd) form.base = simtight_words(s, slot.warp, i->rd)[0];
    finish(s, w, i, form);
    simtight_tell_executed(s, &s->scalar, w->index, index, s->all_lanes);
}
