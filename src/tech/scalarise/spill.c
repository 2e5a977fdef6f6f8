// Spilling, for a vector register file smaller than the warps' vectors (Fig. 3 of the paper). While few slots
// are free, all warps wait and one vector a cycle goes to memory. A register needed by an instruction comes
// back before the issue: its line is requested from L1, and the warp waits.
//
// The next instruction's needs are looked up at the issue of the instruction before. The guess fails when
// another part of the warp runs next, or when a register is moved for lack of room. The register then comes
// back in no time, and is counted.
//
// Left out: traffic of the spilled lines to memory. A spill takes a cycle of the SM, no more.
#include "tech/registry.h"
#include "tech/scalarise/scalarise.h"

#include <assert.h>

enum { REST_PER_WARP = 4 }; // cycles

static unsigned places_of(const struct scalarise *x) { return x->file.shape.warps; }

static void hold(struct scalarise *x, unsigned place)
{
    bool waits = x->spills || x->waits_for[place];
    tech_hold(x->grid, &tech_scalarise, place, waits ? HOLD_ISSUE : 0);
}

static void hold_all(struct scalarise *x)
{
    for (unsigned place = 0; place < places_of(x); place++) hold(x, place);
}

static void spill(struct scalarise *x, unsigned place, int r)
{
    scalarise_count(x);
    scalar_spill(&x->file, place, (unsigned)r, scalarise_memory(x, place, (unsigned)r));
    x->counters[COUNT_spills]++;
}

// -- room, at any price -------------------------------------------------------------------------------------

static unsigned needs_of(const struct op *o, uint8_t *list)
{
    unsigned count = 0;
    for (unsigned k = 0; o && k < o->read_count; k++) list[count++] = o->reads[k];
    for (unsigned n = 0; o && n < o->dst_words; n++) list[count++] = (uint8_t)(o->dst + n);
    return count;
}

void scalarise_make_room(struct scalarise *x, unsigned place, const struct op *at_hand)
{
    uint8_t needed[REGISTERS];
    for (unsigned n = 0; n < places_of(x) && !x->file.free_count; n++) {
        unsigned from = (place + 1 + n) % places_of(x), count = from == place ? needs_of(at_hand, needed) : 0;
        int r = scalar_victim(&x->file, from, needed, count);
        if (r == SCALAR_NONE) continue;
        spill(x, from, r);
        x->counters[COUNT_forced]++;
    }
    assert(x->file.free_count);
}

void scalarise_bring_back(struct scalarise *x, unsigned place, unsigned r, const struct op *at_hand)
{
    scalarise_count(x);
    scalarise_make_room(x, place, at_hand);
    scalar_unspill(&x->file, place, r, scalarise_memory(x, place, r));
}

// -- spilling -----------------------------------------------------------------------------------------------

// Lists the registers not to be spilled: of the warp's next instruction, and with a result under way.
static unsigned kept_of(struct scalarise *x, unsigned place, const struct warp *w, uint8_t *list)
{
    unsigned count = needs_of(&x->launch->ops[w->pc], list);
    for (unsigned r = 0; r < x->file.shape.registers && count < REGISTERS; r++) {
        bool is_coming = tech_ready(x->grid, tech_own(x->grid, place, r)) > tech_now(x->grid);
        if (is_coming || x->open[place].is_open[r / 64] >> r % 64 & 1) list[count++] = (uint8_t)r;
    }
    return count;
}

// Spills a register of the first warp, from place `turn` on, with a register that may be spilled. False: no
// such warp.
static bool spill_one(struct scalarise *x)
{
    uint8_t kept[REGISTERS];
    for (unsigned n = 0; n < places_of(x); n++) {
        unsigned place = (x->turn + n) % places_of(x);
        const struct warp *w = tech_warp(x->grid, place);
        if (!w || w->state == WARP_DONE || x->waits_for[place]) continue;
        int r = scalar_victim(&x->file, place, kept, kept_of(x, place, w, kept));
        if (r == SCALAR_NONE) continue;
        spill(x, place, r);
        x->turn = place + 1;
        return true;
    }
    return false;
}

void scalarise_after_writes(struct scalarise *x, unsigned place)
{
    if (x->spills || tech_now(x->grid) < x->rests_until || !scalar_must_spill(&x->file)) return;
    x->spills = true;
    hold_all(x);
    tech_at(x->grid, tech_block_of(x->grid, place), tech_now(x->grid) + 1);
}

// A cycle of spilling, without issue; spilling ends when enough slots are free. If no warp has a register to
// spill, all warps go on in the remaining room, for REST_PER_WARP cycles a place. After a shorter rest, a
// spinning warp could be the only warp ever to issue.
void scalarise_event(void *state, unsigned block)
{
    struct scalarise *x = state;
    if (!x->spills) return;
    if (scalar_must_spill(&x->file) && spill_one(x)) {
        x->counters[COUNT_spill_cycles]++;
        tech_at(x->grid, block, tech_now(x->grid) + 1);
        return;
    }
    x->spills = false;
    if (scalar_must_spill(&x->file))
        x->rests_until = tech_now(x->grid) + (uint64_t)REST_PER_WARP * places_of(x);
    hold_all(x);
}

// -- and back -----------------------------------------------------------------------------------------------

static uint64_t line_of(const struct scalarise *x, unsigned place, unsigned r)
{
    enum { LINE_BYTES = 128 };
    uint64_t number = ((uint64_t)tech_index(x->grid) * SLOTS + place) * REGISTERS + r;
    return x->launch->spill_area + number * LINE_BYTES;
}

// Requests a spilled register that the warp's next instruction reads or writes in part. If L1 refuses the
// request, or after as many requests as the instruction has registers, the register comes back at the read.
// Otherwise warps waiting for more registers than fit would take slots from each other forever.
static void ask(struct scalarise *x, unsigned place)
{
    const struct warp *w = tech_warp(x->grid, place);
    uint8_t needed[REGISTERS];
    x->waits_for[place] = 0;
    if (!w || w->state != WARP_READY) return;
    const struct op *o = &x->launch->ops[w->pc];
    bool is_whole = !o->is_guarded && !(w->present & ~w->exited & ~w->active);
    unsigned count = is_whole ? o->read_count : 0;
    if (is_whole)
        memcpy(needed, o->reads, count);
    else
        count = needs_of(o, needed);
    int r = scalar_first_evicted(&x->file, place, needed, count);
    if (r == SCALAR_NONE || x->asked[place] >= count) return;
    uint32_t token = place * REGISTERS + (uint32_t)r;
    if (!tech_request(x->grid, &tech_scalarise, line_of(x, place, (unsigned)r), x->launch->sectors, token))
        return;
    x->waits_for[place] = (uint16_t)(r + 1);
    x->asked[place]++;
    x->counters[COUNT_unspill_waits]++;
}

void scalarise_look_ahead(struct scalarise *x, unsigned place)
{
    if (!scalar_spills(&x->file.shape) || !x->counters[COUNT_spills]) return;
    x->asked[place] = 0;
    ask(x, place);
    if (x->waits_for[place] || x->spills) hold(x, place);
}

// The line of a spilled register has arrived: brings the register back, and requests the next. No effect if
// the place does not wait for the register: its warp may have ended, and another may have the place.
void scalarise_line(void *state, uint64_t line, uint32_t token)
{
    struct scalarise *x = state;
    unsigned place = token / REGISTERS, r = token % REGISTERS;
    (void)line;
    if (x->waits_for[place] != r + 1) return;
    const struct warp *w = tech_warp(x->grid, place);
    if (scalar_kind_of(&x->file, place, r) == SCALAR_EVICTED) {
        x->counters[COUNT_unspills]++;
        scalarise_bring_back(x, place, r, &x->launch->ops[w->pc]);
    }
    ask(x, place);
    hold(x, place);
}
