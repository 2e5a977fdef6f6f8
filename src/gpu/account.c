// What became of every slot of every scheduler. In a cycle in which a scheduler issues nothing, all its slots
// are charged to one reason and one instruction: what keeps a ready warp, else what its oldest warp waits for.
#include "gpu/sm_impl.h"

#include <stdlib.h>

void account_init(struct sm *s)
{
    size_t places = (size_t)s->launch->launch->program->inst_count + 1;
    s->account.inst_slots = heap_alloc(places * SLOT_COUNT * sizeof *s->account.inst_slots);
    s->account.sample_at = CYCLE_NEVER;
}

void account_fini(struct sm *s)
{
    free(s->account.inst_slots);
    free(s->account.inst_saved);
    vec_fini(&s->account.samples);
}

void account_begin_techs(struct sm *s)
{
    size_t count = s->launch->launch->program->inst_count;
    s->account.inst_saved = heap_alloc(count * SAVINGS * sizeof *s->account.inst_saved);
}

// An instruction after the last one stands for none.
static void charge(struct sm *s, enum gpu_slot why, uint32_t inst, uint64_t slots)
{
    s->counts.slots[why] += slots;
    s->account.inst_slots[(size_t)inst * SLOT_COUNT + why] += slots;
}

// A scheduler that issued nothing: what held up a ready warp, else what its oldest warp waits for.
static void charge_idle(struct sm *s, unsigned scheduler, uint64_t slots)
{
    uint64_t parked = s->lsu.parked & s->issue.warps_of[scheduler];
    if (parked) {
        charge(s, SLOT_UNIT, s->warps[bit_lowest(parked)].front.head, slots);
        return;
    }
    if (s->issue.refused[scheduler]) {
        charge(s, (enum gpu_slot)s->issue.refused[scheduler], s->issue.refused_inst[scheduler], slots);
        return;
    }
    if (!s->issue.order_count[scheduler]) {
        charge(s, SLOT_NO_WARP, s->launch->launch->program->inst_count, slots);
        return;
    }
    uint64_t ready = s->ready.now & s->issue.warps_of[scheduler]; // since this cycle's issue
    const struct sm_warp *w = &s->warps[ready ? pick_oldest(s, ready) : s->issue.order[scheduler][0]];
    bool fetched = w->ready.why != SLOT_FETCH && w->ready.why != SLOT_ISSUED;
    enum gpu_slot otherwise = w->front.waits_for_line ? SLOT_CODE : SLOT_FETCH;
    charge(s, fetched ? (enum gpu_slot)w->ready.why : otherwise, waits_with(w), slots);
}

void account_cycles(struct sm *s, unsigned resident_count, uint64_t cycles)
{
    uint64_t width = s->config->issue_width;
    s->counts.sm_active_cycles += cycles;
    s->counts.sm_warp_cycles += cycles * resident_count;
    if (s->lsu.blocked && s->lsu.count) s->counts.lsu_stalls += cycles;
    for (unsigned k = 0; k < s->config->schedulers; k++) {
        unsigned issued = s->issue.issued[k];
        s->counts.slots[SLOT_ISSUED] += issued;
        if (!issued)
            charge_idle(s, k, cycles * width);
        else if (issued < width)
            charge(s, (enum gpu_slot)s->issue.second_why[k], s->issue.issued_inst[k], 1);
    }
}

void account_sample(struct sm *s)
{
    vec_push(&s->account.samples, s->counts);
    s->account.sample_at += s->account.interval;
}

void sm_sample(struct sm *s, uint64_t first, uint64_t interval)
{
    s->account.sample_at = first;
    s->account.interval = interval;
}

const struct gpu_counts *sm_samples(struct sm *s, size_t *count)
{
    *count = s->account.samples.count;
    s->account.samples.count = 0;
    return s->account.samples.data;
}

const char *account_check(const struct sm *s)
{
    const struct gpu_counts *n = &s->counts;
    uint64_t slots = 0, placed = 0;
    for (unsigned k = 0; k < SLOT_COUNT; k++) slots += n->slots[k];
    if (slots != n->sm_active_cycles * s->config->schedulers * s->config->issue_width)
        return "the schedulers' slots do not add up";
    if (n->slots[SLOT_ISSUED] != n->issue_issued) return "slots issued are not instructions issued";
    size_t places = ((size_t)s->launch->launch->program->inst_count + 1) * SLOT_COUNT;
    for (size_t k = 0; k < places; k++) placed += s->account.inst_slots[k];
    return placed == slots ? NULL : "the slots of instructions are not those of schedulers";
}
