// The line before the load/store unit's queue: a warp that finds the queue full joins, and is served first come, first
// served. Without the line, the scheduler's favourites could starve a warp: spinning warps could keep out the warp they
// wait for.
#include "sm/sm_impl.h"

// Queue entries free and not reserved: the minimum over the queue and the load records, since a load needs
// both.
static uint32_t free_places(const struct sm *s)
{
    uint32_t queue = s->config->lsu_queue - s->lsu.count;
    uint32_t records = s->config->lsu_pending - s->lsu.records_used;
    return (queue < records ? queue : records) - s->lsu.kept;
}

static uint8_t *in_line(struct sm *s, uint32_t k) { return &s->lsu.line[(s->lsu.line_first + k) % SM_WARPS]; }

// Reserves free queue entries for parked warps (ready but for an entry), in the order of the waiting line.
static void deal(struct sm *s, uint32_t free)
{
    for (uint32_t k = 0; free && s->lsu.parked; k++) {
        uint64_t bit = s->lsu.parked & 1ull << *in_line(s, k);
        if (!bit) continue;
        s->lsu.parked &= ~bit;
        s->lsu.turn |= bit;
        s->lsu.kept++;
        ready_admit(&s->ready, bit);
        free--;
    }
    s->lsu.shut = s->lsu.line_count || !free;
}

void lsu_place_free(struct sm *s) { deal(s, free_places(s)); }

bool lsu_has_place(struct sm *s, unsigned slot)
{
    uint64_t bit = 1ull << slot;
    if (s->lsu.turn & bit) return true;
    if (!(s->lsu.asked & bit)) *in_line(s, s->lsu.line_count++) = (uint8_t)slot;
    s->lsu.asked |= bit;
    s->lsu.parked |= bit;
    uint32_t free = free_places(s);
    if (free) deal(s, free);
    return s->lsu.turn & bit;
}

void lsu_unable(struct sm *s, unsigned slot)
{
    uint64_t bit = 1ull << slot;
    s->lsu.parked &= ~bit;
    s->lsu.kept -= (uint32_t)(s->lsu.turn >> slot & 1);
    s->lsu.turn &= ~bit;
    deal(s, free_places(s));
}

static void step_out(struct sm *s, unsigned slot)
{
    uint32_t k = 0;
    while (*in_line(s, k) != slot) k++;
    for (; k; k--) *in_line(s, k) = *in_line(s, k - 1); // usually k is 0: the first in line
    s->lsu.line_first++;
    s->lsu.line_count--;
    s->lsu.asked &= ~(1ull << slot);
}

void lsu_leave_line(struct sm *s, unsigned slot)
{
    step_out(s, slot);
    lsu_unable(s, slot);
}

// If the last free entry is gone, ready warps with a memory instruction have to join the waiting line.
void lsu_place_taken(struct sm *s, unsigned slot)
{
    if (s->lsu.turn >> slot & 1) {
        step_out(s, slot);
        s->lsu.kept--;
        s->lsu.turn &= ~(1ull << slot);
        // a reserved entry was used: as many unreserved entries are free as before
        if (s->lsu.line_count) return;
    }
    s->lsu.shut = !free_places(s);
    if (!s->lsu.shut) return;
    for (uint64_t left = s->ready.now & s->ready.wants_lsu & ~(1ull << slot); left; left &= left - 1)
        ready_evaluate(s, bit_lowest(left));
}
