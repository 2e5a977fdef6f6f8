// For every word of shared memory: the last warp that wrote the word in the present epoch, and the warp that
// read the word (SEVERAL: more than one). An epoch is the time between two events that order warps.
#include "exec/hint.h"
#include "exec/general.h"
#include "isa/fields.h"
#include "isa/inst.h"
#include "isa/isa.h"

#include <stdlib.h>
#include <string.h>

enum { NOBODY, SEVERAL = UINT16_MAX }; // otherwise index of the warp + 1

struct word_use {
    uint32_t epoch; // epoch of writer and reader; another epoch: word unused in the present epoch
    uint16_t writer, reader;
};

struct hint {
    struct word_use *words;
    uint32_t word_count;
    uint32_t epoch;
};

void hint_create(struct exec *e)
{
    e->hint = heap_alloc(sizeof *e->hint);
    e->hint->word_count = e->launch->shared_total / 4;
    e->hint->words = heap_alloc(e->hint->word_count * sizeof *e->hint->words);
    e->hint->epoch = 1;
}

void hint_destroy(struct exec *e)
{
    if (!e->hint) return;
    free(e->hint->words);
    free(e->hint);
    e->hint = NULL;
}

static bool orders(const struct inst *i)
{
    return isa_has(i, ISA_FENCE | ISA_ATOMIC) || (isa_has(i, ISA_LOAD | ISA_STORE) && i->sem != SEM_WEAK);
}

static bool is_whole_shared(const struct inst *i)
{
    unsigned k = exec_address_operand(i);
    if (!k) return false;
    if (i->src[k - 1].kind == OPERAND_SHARED) return true;
    return isa_space_of(i) == SPACE_SHARED && isa_type_bytes((enum isa_type)i->type) >= 4;
}

bool hint_concerns(const struct exec *e, const struct inst *i)
{
    return e->hint && (orders(i) || is_whole_shared(i));
}

void hint_ordered(const struct cta *c)
{
    if (c->exec->hint) c->exec->hint->epoch++;
}

static void hint_found(struct warp *w, const struct bound *d, unsigned lane, uint64_t address, bool is_write,
                       unsigned other)
{
    struct launch_note *n = &w->exec->notes.of[NOTE_RACE];
    if (n->count++) return;
    n->when = w->exec->clock_base + w->issued;
    n->text = exec_describe_hint(w, d, lane, address, is_write, other);
}

// True for a store of the value already in memory, in word n of a lane's access: several warps set the same
// flag, for example. The order of equal stores affects no value.
static bool hint_is_there(const struct warp *w, const struct bound *d, const uint8_t *regs, unsigned lane,
                          unsigned n, uint64_t address)
{
    uint32_t there;
    if (bound_inst(d, w)->op != OP_STS) return false;
    memcpy(&there, w->shared + address, sizeof there);
    return there == exec_lane_word(d, w, regs, 1, n, lane);
}

// Reports word n of a lane's access if another warp has used the word in the same epoch and either use is a
// write. A store of the value already in memory is not reported. Records the access.
static inline void look_at_word(struct warp *w, const struct hint *h, const struct bound *d,
                                const uint8_t *regs, unsigned lane, unsigned n, uint64_t address,
                                bool is_write)
{
    if (address / 4 >= h->word_count) return; // a fault follows
    struct word_use *u = &h->words[address / 4];
    uint16_t self = (uint16_t)(w->index + 1);
    if (u->epoch != h->epoch) { // the first access of the epoch
        *u = (struct word_use){
            .epoch = h->epoch, .writer = is_write ? self : NOBODY, .reader = is_write ? NOBODY : self};
        return;
    }
    uint16_t other = u->writer != NOBODY && u->writer != self               ? u->writer
                     : is_write && u->reader != NOBODY && u->reader != self ? u->reader
                                                                            : NOBODY;
    if (other != NOBODY && !(is_write && hint_is_there(w, d, regs, lane, n, address)))
        hint_found(w, d, lane, address, is_write, other);
    if (is_write)
        u->writer = self;
    else
        u->reader = u->reader == NOBODY || u->reader == self ? self : SEVERAL;
}

// An instruction that may order warps starts a new epoch. Otherwise records every lane of a write, but only
// the first and the last lane of a read. A reader of another warp's words mostly reads such words in all
// lanes, and reads are frequent. Measured cost: 1 % of the time of a tiled matrix product instead of 60 %.
static void look(struct warp *w, const struct bound *d, uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    if (orders(i)) {
        w->exec->hint->epoch++;
        return;
    }
    unsigned k = exec_address_operand(i) - 1u;
    bool is_operand = i->src[k].kind == OPERAND_SHARED;
    unsigned bytes = is_operand ? 4 : isa_type_bytes((enum isa_type)i->type);
    bool is_write = !is_operand && isa_has(i, ISA_STORE);
    uint64_t lanes = d->guarded ? exec_guarded(w, d) : active;
    if (!is_write && lanes) lanes = 1ull << bit_lowest(lanes) | 1ull << bit_highest(lanes);
    const uint32_t *base = reg_lanes(regs, d->src[k]), offset = i->src[k].value;
    const struct hint h = *w->exec->hint; // a copy: stores to records of words change no member
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = bit_lowest(lanes);
        uint64_t address = base[l] + offset; // modulo 2^32: a shared address is a word
        for (unsigned n = 0; n < bytes / 4; n++)
            look_at_word(w, &h, d, regs, l, n, address + 4 * n, is_write);
    }
}

const struct bound *hint_full(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    look(w, d, regs, active);
    return d->guarded ? exec_guard_full(d, w, regs, active) : d->handlers->full(d, w, regs, active);
}

const struct bound *hint_masked(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    look(w, d, regs, active);
    return d->guarded ? exec_guard_masked(d, w, regs, active) : d->handlers->masked(d, w, regs, active);
}

const struct bound *hint_join(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    (void)active; // lacks lanes that waited at the join; split_join adds such lanes to w->active
    const struct bound *next = split_join(w, d);
    return next == d ? hint_masked(d, w, regs, w->active) : next;
}
