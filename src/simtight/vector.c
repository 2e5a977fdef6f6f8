// The vector pipeline's execute stage.
#include "exec/exec_impl.h"
#include "simtight/core_impl.h"

static void back(struct simtight *s, unsigned warp) { s->back_vector |= 1ull << warp; }

// -- memory -------------------------------------------------------------------------------------------------
// Fills in the address of each lane in the 4 GiB space; every thread sees its own stack at the same virtual
// address.
static void find_addresses(const struct simtight *s, const struct warp *w, struct simtight_request *r)
{
    const struct launch_flat *flat = s->launch->flat;
    struct exec_access a;
    exec_find_access(w, warp_code(w, w->pc), &a);
    r->bytes = a.bytes;
    for (uint32_t left = r->lanes; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        uint64_t at = a.address[l];
        if (a.local >> l & 1)
            at = flat->stacks + at / 4 * s->exec.local_stride + w->index * s->exec.vector_bytes + l * 4 +
                 at % 4;
        else if (a.shared >> l & 1)
            at += flat->scratch;
        r->address[l] = (uint32_t)at;
    }
}

static void fill_request(const struct simtight *s, struct warp *w, const struct simtight_inst *i,
                         struct simtight_request *r)
{
    *r = (struct simtight_request){.lanes = (uint32_t)w->active,
                                   .warp = (uint8_t)w->index,
                                   .reg = i->rd,
                                   .is_store = i->kind == KIND_STORE,
                                   .is_fence = i->kind == KIND_FENCE,
                                   .is_broadcast = i->kind == KIND_LOAD};
    if (!r->is_fence) find_addresses(s, w, r);
    if (!r->is_store || !s->compresses) return;
    r->is_scalar = !i->rs2 || scalar_kind_of(&s->file, w->index, i->rs2) < SCALAR_VECTOR;
    if (r->is_scalar && i->rs2) r->form = scalar_form_of(&s->file, w->index, i->rs2);
}

// -- one instruction ----------------------------------------------------------------------------------------
// Whether the unit or queue accepts the instruction. A memory request is filled now, before execution can
// overwrite the address register.
static bool is_taken(struct simtight *s, struct warp *w, const struct simtight_inst *i)
{
    struct simtight_request *r;
    switch ((enum simtight_kind)i->kind) {
    case KIND_ALU:
    case KIND_COMMAND: return true;
    case KIND_UNIT: return simtight_unit_takes(&s->units, (enum simtight_unit)i->unit);
    case KIND_LOAD:
    case KIND_STORE:
    case KIND_ATOMIC:
    case KIND_FENCE:
        r = simtight_memory_ask(&s->memory);
        if (r) fill_request(s, w, i, r);
        return r != NULL;
    }
    return true;
}

// Sends the instruction to its functional unit or the write port, and suspends the warp until the lanes'
// results, if any, are written.
static void send(struct simtight *s, unsigned warp, const struct simtight_inst *i, uint32_t lanes)
{
    switch ((enum simtight_kind)i->kind) {
    case KIND_ALU:
        if (!i->rd) break;
        s->port_busy_at = s->now + 1;
        simtight_registers_write(s, warp, i->rd, lanes);
        s->suspended |= 1ull << warp;
        simtight_resume_at(s, warp, s->now + 1 + s->store_latency);
        s->stored = (struct simtight_lanes){lanes, (uint8_t)warp, i->rd, false};
        s->stored_at = s->now + 1;
        break;
    case KIND_UNIT:
        simtight_suspend(s, warp, lanes);
        simtight_unit_begin(&s->units, (enum simtight_unit)i->unit,
                            (struct simtight_result){s->now + i->latency, lanes, (uint8_t)warp, i->rd});
        break;
    case KIND_LOAD:
    case KIND_ATOMIC:
    case KIND_FENCE: simtight_suspend(s, warp, lanes); break;
    case KIND_STORE:
    case KIND_COMMAND: break;
    }
}

// Decides where the warp goes next: ended, barrier, vector queue or scalar queue.
static void leave(struct simtight *s, struct warp *w, const struct simtight_inst *i, uint32_t index,
                  bool all_active)
{
    uint64_t bit = 1ull << w->index;
    if (w->state == WARP_DONE) {
        s->ended |= bit;
        return;
    }
    if (i->kind == KIND_COMMAND) {
        s->at_barrier |= bit;
        s->counts.barriers++;
        return;
    }
    struct scalar_leaving leaving = {.all_active = all_active,
                                     .jumps = i->jumps || w->splits.count != 1 || w->pc != index + 1,
                                     .predicted = scalar_predicted(&s->predicted, index + 1),
                                     .there = bit_count(s->in_scalar),
                                     .limit = s->config->scalar_warps};
    if (!s->config->scalar_unit || !scalar_goes_to_scalar(&leaving)) {
        back(s, w->index);
        return;
    }
    s->in_scalar |= bit;
    s->back_scalar |= bit;
}

static void execute(struct simtight *s, struct warp *w, const struct simtight_inst *i)
{
    uint32_t index = w->pc, lanes = (uint32_t)w->active;
    bool all_active = lanes == s->all_lanes, is_scalarisable = false;
    if (s->compresses) {
        struct scalar_operands o = simtight_operands(s, w->index, i, all_active);
        is_scalarisable = scalar_is_scalarisable(&o);
        simtight_registers_verify(s, w->index, i);
        scalar_learn(&s->predicted, index, is_scalarisable);
        if (!w->index) scalar_note_use(&s->file, (const uint8_t[]){i->rs1, i->rs2}, 2);
    }
    s->counts.warp_instructions++;
    if (is_scalarisable) s->counts.scalarisable += s->config->lanes;
    if (!simtight_step(s, w)) return;
    send(s, w->index, i, lanes);
    leave(s, w, i, index, all_active);
    simtight_tell_executed(s, &s->vector, w->index, index, lanes);
}

// -- the slot -----------------------------------------------------------------------------------------------
static void spill(struct simtight *s, unsigned warp)
{
    bool is_suspended = s->suspended >> warp & 1;
    s->has_spilled = !is_suspended && simtight_registers_spill(s, warp);
    if (!s->has_spilled) s->counts.susps++;
    s->back_spilled |= 1ull << warp;
}

void simtight_vector_execute(struct simtight *s, struct simtight_slot slot)
{
    if (slot.spills) {
        spill(s, slot.warp);
        return;
    }
    struct warp *w = simtight_warp(s, slot.warp);
    const struct simtight_inst *i = &s->code[w->pc];
    if (s->suspended >> slot.warp & 1) {
        s->counts.susps++;
        back(s, slot.warp);
        return;
    }
    int missing = simtight_registers_missing(s, slot.warp, i, w->active != s->all_lanes);
    if (missing != SCALAR_NONE) {
        if (simtight_registers_ask(s, slot.warp, (unsigned)missing))
            simtight_suspend(s, slot.warp, s->all_lanes);
        else
            s->counts.retries++;
        back(s, slot.warp);
        simtight_tell(s, slot.warp, SIMTIGHT_REFUSED);
        return;
    }
    if (!is_taken(s, w, i)) {
        s->counts.retries++;
        back(s, slot.warp);
        simtight_tell(s, slot.warp, SIMTIGHT_REFUSED);
        return;
    }
    execute(s, w, i);
}
