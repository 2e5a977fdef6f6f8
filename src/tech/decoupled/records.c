// Records of the affine stream: a warp's address or predicate at a site. An address is described as tuples over the
// threads, and, for an access to memory, as the cache lines that the access touches.
#include "base/bits.h"
#include "base/clones.h"
#include "decouple/tuple.h"
#include "exec/exec_impl.h"
#include "exec/launch.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "memory/cache.h"
#include "tech/decoupled/decoupled.h"

#include <string.h>

enum { FULL = 32 }; // lanes of a warp for which rows are compared at once

static const uint32_t *lanes_of(const struct warp *w, unsigned r)
{
    return (const uint32_t *)(const void *)(w->regs + (size_t)r * w->exec->vector_bytes);
}

// -- tuples -------------------------------------------------------------------------------------------------

struct piece { // a tuple over threads, and the lanes whose values the tuple gives
    uint64_t lanes, base;
    int64_t offset[3];
};

static uint64_t value_in(const struct piece *x, const int32_t at[3])
{
    uint64_t v = x->base;
    for (unsigned k = 0; k < 3; k++) v += (uint64_t)(x->offset[k] * at[k]);
    return v;
}

// Whether the value of every lane k with follows[k] = ~0, plus `step`, is the next lane's value, in 64 bits (wide = ~0)
// or 32 (wide = 0). Lane FULL is read and ignored.
CLONES static bool rises(const uint32_t *restrict low, const uint32_t *restrict high,
                         const uint32_t *restrict follows, uint64_t step, uint32_t wide)
{
    uint32_t step_low = (uint32_t)step, step_high = (uint32_t)(step >> 32), different = 0;
    for (unsigned k = 0; k < FULL; k++) {
        uint32_t carry = low[k + 1] < step_low;
        uint32_t rest = (high[k + 1] - high[k] - step_high - carry) & wide;
        different |= ((low[k + 1] - low[k] - step_low) | rest) & follows[k];
    }
    return !different;
}

// Whether all lanes of a full warp have the tuple's values, in the bits of `mask`. Lanes of a row of threads rise by
// the tuple's x offset.
static bool holds_for_all(const struct piece *x, const struct thread_index *threads,
                          const struct warp_rows *rows, const struct part *p, uint64_t mask)
{
    for (uint64_t left = rows->starts & UINT32_MAX; left; left &= left - 1) {
        unsigned lane = bit_lowest(left);
        if ((value_in(x, threads[lane].at) ^ part_value(p, lane)) & mask) return false;
    }
    return rises(p->low, p->high, rows->follows, (uint64_t)x->offset[0], (uint32_t)(mask >> 32));
}

// Bits: which of `lanes` have values equal to the tuple's, in the bits of `mask`.
static uint64_t lanes_in(const struct piece *x, uint64_t lanes, const struct thread_index *threads,
                         uint64_t starts, const struct part *p, uint64_t mask)
{
    uint64_t in = 0, expected = 0;
    for (unsigned lane = 0; lane <= bit_highest(lanes); lane++) {
        expected = starts >> lane & 1 ? value_in(x, threads[lane].at) : expected + (uint64_t)x->offset[0];
        in |= (uint64_t) !((expected ^ part_value(p, lane)) & mask) << lane;
    }
    return in & lanes;
}

// Derives the tuple's offset in one direction (x, y or z) from the difference between two lanes. False: the
// lanes differ in no direction with unknown offset, or in several, or the difference is no multiple of the
// distance.
static bool find_offset(struct piece *x, bool has[3], const int32_t from[3], const int32_t at[3],
                        int64_t difference)
{
    unsigned direction = 3;
    for (unsigned k = 0; k < 3; k++) {
        if (at[k] == from[k]) continue;
        if (has[k])
            difference -= x->offset[k] * (at[k] - from[k]);
        else if (direction < 3)
            return false;
        else
            direction = k;
    }
    if (direction == 3 || difference % (at[direction] - from[direction])) return false;
    x->offset[direction] = difference / (at[direction] - from[direction]);
    return has[direction] = true;
}

// Lanes that may differ from lane `first` in a direction with unknown offset.
static uint64_t telling(const struct warp_rows *rows, const bool has[3], unsigned first)
{
    uint64_t lanes = 0;
    for (unsigned k = 0; k < 3; k++)
        if (!has[k]) lanes |= first ? UINT64_MAX : rows->apart[k];
    return lanes;
}

// piece_of for a full warp whose lanes tell the offsets. False: the tuple holds for some lanes alone, or for none.
static bool is_one_piece(const struct thread_index *threads, const struct warp_rows *rows,
                         const struct part *p, uint64_t mask, struct piece *x)
{
    const int32_t *from = threads[0].at;
    uint64_t first = part_value(p, 0);
    *x = (struct piece){.base = first, .lanes = UINT32_MAX};
    for (unsigned n = 0; n < rows->tells.count; n++) {
        const int32_t *at = threads[rows->tells.lane[n]].at;
        uint64_t difference = part_value(p, rows->tells.lane[n]) - first;
        if (mask != UINT64_MAX) difference = (uint64_t)(int64_t)(int32_t)(uint32_t)difference;
        for (unsigned k = 0; k < n; k++) {
            unsigned known = rows->tells.direction[k];
            difference -= (uint64_t)(x->offset[known] * (at[known] - from[known]));
        }
        x->offset[rows->tells.direction[n]] = (int64_t)difference;
        x->base -= difference * (uint64_t)(int64_t)from[rows->tells.direction[n]];
    }
    return holds_for_all(x, threads, rows, p, mask);
}

// A tuple through the values of the first lane and of its neighbours in every direction, with the lanes the
// tuple holds for.
static struct piece piece_of(const struct decoupled_launch *l, const struct warp *w, uint64_t lanes,
                             const struct part *p, uint64_t mask)
{
    const struct thread_index *threads = l->threads + (size_t)w->index * l->launch->warp_size;
    const struct warp_rows *rows = &l->rows[w->index];
    unsigned first = bit_lowest(lanes);
    bool is_full = lanes == UINT32_MAX && l->launch->warp_size == FULL;
    struct piece one;
    if (is_full && rows->tells.count && is_one_piece(threads, rows, p, mask, &one)) return one;
    const int32_t *from = threads[first].at;
    struct piece x = {.base = part_value(p, first)};
    bool has[3];
    for (unsigned k = 0; k < 3; k++) has[k] = l->launch->block[k] == 1;
    for (uint64_t left = lanes & (lanes - 1); left &= telling(rows, has, first), left;) {
        unsigned lane = bit_lowest(left);
        uint64_t difference = part_value(p, lane) - part_value(p, first);
        find_offset(&x, has, from, threads[lane].at,
                    mask == UINT64_MAX ? (int64_t)difference : (int64_t)(int32_t)(uint32_t)difference);
        left &= left - 1;
    }
    for (unsigned k = 0; k < 3; k++) x.base -= (uint64_t)(x.offset[k] * from[k]);
    bool all = is_full && holds_for_all(&x, threads, rows, p, mask);
    x.lanes = all ? lanes : lanes_in(&x, lanes, threads, rows->starts, p, mask);
    return x;
}

// Covers the record's addresses with p->pieces tuples, at most as many as a register can hold. p->pieces = 0 if more
// are needed: the values stay one word a lane. *only: the last tuple.
static void find_pieces(struct decoupled *d, const struct warp *w, struct part *p, uint64_t mask,
                        struct piece *only)
{
    uint64_t left = p->lanes;
    for (p->pieces = 0; left && p->pieces < d->launch->options->rules.pieces; p->pieces++) {
        *only = piece_of(d->launch, w, left, p, mask);
        left &= ~only->lanes;
    }
    if (!left) return;
    p->pieces = 0;
    d->counters[COUNT_vectors]++;
}

// Verification: lines and masks expanded from the tuple lead back to every lane's address.
static void verify_records(const struct decoupled *d, const struct warp *w, const struct part *p,
                           const struct piece *x, const struct operand *o, unsigned bytes)
{
    const struct launch *l = d->launch->launch;
    struct decouple_tuple t =
        decouple_tuple_scalar(o->width == 2 ? 64 : 32, x->base + (uint64_t)(int64_t)(int32_t)o->value);
    for (unsigned k = 0; k < 3; k++)
        t.offset[k] = (uint64_t)x->offset[k] & (t.bits == 64 ? UINT64_MAX : UINT32_MAX);
    const struct decouple_warp at = {
        .block = {l->block[0], l->block[1], l->block[2]}, .warp = w->index, .warp_size = l->warp_size};
    struct decouple_record records[DECOUPLE_RECORDS_MAX];
    uint64_t addresses[LANES];
    unsigned lanes = bit_count(p->lanes), count = decouple_expand(&t, &at, p->lanes, bytes, records), n = 0;
    bool same = true;
    if (!count) return; // the access will fault
    decouple_record_addresses(records, count, bytes, lanes, addresses);
    for (uint64_t left = p->lanes; left; left &= left - 1) {
        uint64_t address = part_value(p, bit_lowest(left)) + (uint64_t)(int64_t)(int32_t)o->value;
        same &= addresses[n++] == (t.bits == 64 ? address : (uint32_t)address);
    }
    if (!same) __atomic_add_fetch(d->launch->mismatches, 1, __ATOMIC_RELAXED);
}

// -- lines --------------------------------------------------------------------------------------------------

static void add_line(struct part *p, uint64_t line, uint64_t from, uint64_t to)
{
    unsigned n = p->line_count;
    while (n && p->line[n - 1] != line) n--;
    if (!n) {
        if (p->line_count == LINES_MAX) return;
        n = ++p->line_count;
        p->line[n - 1] = line;
        p->sectors[n - 1] = 0;
    }
    unsigned first = (unsigned)((from - line) / SECTOR_BYTES), last = (unsigned)((to - line) / SECTOR_BYTES);
    p->sectors[n - 1] |= (uint8_t)((2u << last) - (1u << first));
}

// An access's elements: bytes of one, the address as a register plus a displacement modulo 2^32 or 2^64.
struct elements {
    uint64_t bytes, line_bytes, displacement, mask;
};

static uint64_t address_of(const struct elements *x, const struct part *p, unsigned lane)
{
    return (part_value(p, lane) + x->displacement) & x->mask;
}

static void add_lane(const struct elements *x, struct part *p, unsigned lane)
{
    uint64_t at = address_of(x, p, lane), line = at & ~(x->line_bytes - 1), end = at + x->bytes - 1;
    if (end >= line + x->line_bytes) end = line + x->line_bytes - 1; // the access will fault
    add_line(p, line, at, end);
}

// A row of `count` lanes from `lane` on, whose addresses rise by `step`. False: nothing added.
static bool add_row(const struct elements *x, struct part *p, unsigned lane, unsigned count, uint64_t step)
{
    uint64_t at = address_of(x, p, lane), size = x->line_bytes, end = at + x->bytes * count - 1;
    if (at % x->bytes || x->mask - at < x->bytes * LANES || (step && step != x->bytes)) return false;
    if (!step) end = at + x->bytes - 1;
    for (uint64_t line = at & ~(size - 1); line <= end; line += size)
        add_line(p, line, line > at ? line : at, line + size - 1 < end ? line + size - 1 : end);
    return true;
}

// Lists the cache lines that an access touches, in the order of lanes. only: the tuple of all lanes of a full warp;
// NULL: not one tuple, or not a full warp.
static void find_lines(const struct decoupled_launch *l, const struct inst *i, const struct operand *o,
                       struct part *p, const struct piece *only, uint64_t starts)
{
    const struct elements x = {.bytes = isa_type_bytes((enum isa_type)i->type),
                               .line_bytes = l->line_bytes,
                               .displacement = (uint64_t)(int64_t)(int32_t)o->value,
                               .mask = o->width == 2 ? UINT64_MAX : UINT32_MAX};
    for (uint64_t left = only ? starts & p->lanes : 0; left;) {
        unsigned lane = bit_lowest(left), end;
        left &= left - 1;
        end = left ? bit_lowest(left) : bit_highest(p->lanes) + 1;
        if (add_row(&x, p, lane, end - lane, (uint64_t)only->offset[0] & x.mask)) continue;
        for (; lane < end; lane++) add_lane(&x, p, lane);
    }
    for (uint64_t left = only ? 0 : p->lanes; left; left &= left - 1) add_lane(&x, p, bit_lowest(left));
}

// -- enqueueing ---------------------------------------------------------------------------------------------

static void copy_lanes(uint32_t *to, unsigned lanes, const struct warp *w, unsigned r)
{
    if (r == REG_ZERO)
        memset(to, 0, lanes * sizeof *to);
    else
        memcpy(to, lanes_of(w, r), lanes * sizeof *to);
}

static void enqueue_address(struct decoupled *d, const struct warp *w, uint32_t inst, struct part *p)
{
    const struct decoupled_launch *l = d->launch;
    const struct inst *i = &l->insts[inst];
    const struct operand *o = l->addresses[inst];
    bool has_register = o->reg != REG_ZERO;
    p->is_address = true;
    copy_lanes(p->low, w->exec->lanes, w, o->reg);
    p->is_wide = has_register && o->width == 2;
    if (p->is_wide) copy_lanes(p->high, w->exec->lanes, w, o->reg + 1u);
    struct piece x;
    find_pieces(d, w, p, o->width == 2 ? UINT64_MAX : UINT32_MAX, &x);
    if (l->verify && p->pieces == 1) verify_records(d, w, p, &x, o, isa_type_bytes((enum isa_type)i->type));
    bool is_corrupt = p->lanes && ++d->records_made == l->options->corrupt;
    if (is_corrupt) p->low[bit_lowest(p->lanes)] ^= 4;
    // Shared memory needs no lines: every lane has a bank, with an adder for the tuple.
    p->line_count = 0;
    bool is_even = p->pieces == 1 && !is_corrupt && p->lanes == bit_mask(l->launch->warp_size);
    if (isa_space_of(i) != SPACE_SHARED)
        find_lines(l, i, o, p, is_even ? &x : NULL, l->rows[w->index].starts);
    p->records = p->line_count ? p->line_count : 1;
    bool early = l->early && i->op == OP_LDG && i->sem == SEM_WEAK;
    if (!early) p->line_count = 0;
}

static void enqueue_predicate(struct decoupled *d, const struct warp *w, uint32_t inst, struct part *p)
{
    const struct inst *i = &d->launch->insts[inst];
    const struct decouple_inst *n = split_of(d, inst);
    p->is_address = false;
    p->line_count = 0;
    p->records = 1;
    if (n->compares) {
        for (unsigned k = 0; k < 2; k++)
            p->preds[k] = i->dst[k].kind == OPERAND_PRED ? w->pred[i->dst[k].reg] : 0;
    } else {
        p->preds[0] = w->pred[i->guard];
    }
    uint64_t set = p->preds[0] & p->active;
    p->effort = n->predicate_kind == DECOUPLE_SCALAR ? EFFORT_BLOCK
                : set == 0 || set == p->active       ? EFFORT_ENDS
                                                     : EFFORT_LANES;
    if (++d->records_made == d->launch->options->corrupt) p->preds[0] ^= p->active;
}

void decoupled_enqueue(struct decoupled *d, unsigned place, const struct decouple_step *s)
{
    struct follower *f = &d->followers[place];
    const struct inst *i = &d->launch->insts[s->inst];
    struct part *p = decoupled_part(d);
    struct entry *e = entry_at(d, d->count);
    p->inst = s->inst;
    p->active = f->shadow->active;
    bool in_all = s->site == DECOUPLE_ENQ_PRED || split_of(d, s->inst)->unguarded;
    p->lanes = in_all ? p->active : decoupled_guarded(f->shadow, i);
    if (s->site == DECOUPLE_ENQ_PRED)
        enqueue_predicate(d, f->shadow, s->inst, p);
    else
        enqueue_address(d, f->shadow, s->inst, p);
    p->order = f->orders_seen;
    p->sequence = f->enqueued++;
    if (d->launch->options->ideal) {
        p->asked_at = p->ready_at = tech_now(d->grid);
        decoupled_push(d, f, p);
        return;
    }
    e->part[place] = p;
    e->left |= 1ull << place;
    e->is_address = p->is_address;
    f->expanding++;
}
