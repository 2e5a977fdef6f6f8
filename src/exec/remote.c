// Accesses to other blocks' shared memory in time: see remote.h.
#include "exec/remote.h"
#include "exec/bulk.h"
#include "exec/general.h"
#include "exec/phase.h"
#include "exec/timed.h"
#include "isa/fields.h"
#include "isa/modes.h"

#include <stdlib.h>
#include <string.h>

enum { OFFSET_MASK = (1 << ISA_RANK_SHIFT) - 1 };

static struct timed_engine *engine_of(struct warp *w) { return (struct timed_engine *)(void *)w->exec; }

// -- entries ------------------------------------------------------------------------------------------------

// Linear number of the block of a rank in the cluster of block c.
static uint64_t block_of(const struct cta *c, unsigned rank)
{
    const struct launch *l = c->exec->launch;
    const uint32_t *n = l->cluster;
    uint64_t at[3] = {c->id[0] - c->id[0] % n[0] + rank % n[0],
                      c->id[1] - c->id[1] % n[1] + rank / n[0] % n[1],
                      c->id[2] - c->id[2] % n[2] + rank / n[0] / n[1]};
    return at[0] + l->grid[0] * (at[1] + l->grid[1] * at[2]);
}

// An entry for the block of the rank, with room for `lanes` lanes of `words` words and `operands` values.
static struct remote *create(const struct cta *c, enum remote_kind kind, unsigned rank, unsigned lanes,
                             unsigned words, unsigned operands)
{
    size_t each = 1 + (size_t)words * operands;
    struct remote *m = heap_alloc(sizeof *m + lanes * each * sizeof(uint32_t));
    m->kind = (uint8_t)kind;
    m->rank = (uint8_t)rank;
    m->to = c->cluster->sm[rank];
    m->block = block_of(c, rank);
    m->words = (uint8_t)words;
    m->offset = (uint32_t *)(void *)(m + 1);
    m->value = m->offset + lanes;
    m->second = m->value + (size_t)lanes * words;
    return m;
}

void remote_free(struct remote *m)
{
    if (m->copy) bulk_free(m->copy);
    free(m);
}

static void send(struct cta *c, struct remote *m) { c->exec->sends(c->exec->woken_context, m); }

// -- issue --------------------------------------------------------------------------------------------------

// Lanes that access another block of the cluster. An address with the rank of the own block is the own block's.
static uint64_t remote_lanes(const struct warp *w, const struct exec_access *a)
{
    uint64_t remote = 0;
    for (uint64_t left = a->shared; left; left &= left - 1) {
        uint64_t field = a->address[bit_lowest(left)] >> ISA_RANK_SHIFT;
        if (field && field != w->cta->rank + 1) remote |= left & -left;
    }
    return remote;
}

// False: a fault.
static bool check_lane(struct warp *w, const struct bound *d, const struct exec_access *a, unsigned lane)
{
    uint64_t address = a->address[lane], field = address >> ISA_RANK_SHIFT;
    bool is_write = a->kind != ACCESS_LOAD, is_aligned = !(address & (a->bytes - 1u));
    bool is_inside = (address & OFFSET_MASK) + a->bytes <= w->exec->launch->shared_total;
    if (is_aligned && is_inside && cluster_has(w->cta->cluster, field - 1)) return true;
    exec_fault_address(w, d, is_aligned ? FAULT_SHARED : FAULT_ALIGNMENT, lane, SPACE_SHARED, address,
                       a->bytes, is_write);
    return false;
}

static void read_operands(struct remote *m, const struct bound *d, struct warp *w, const struct inst *i)
{
    if (m->kind == REMOTE_ATOMIC) {
        exec_atomic_operands(d, w, w->regs, 1, m->bytes, m->lanes, m->value);
        if (i->src[2].kind != OPERAND_NONE)
            exec_atomic_operands(d, w, w->regs, 2, m->bytes, m->lanes, m->second);
    } else if (m->kind == REMOTE_STORE) {
        uint32_t *to = m->value;
        for (uint64_t left = m->lanes; left; left &= left - 1, to += m->words)
            for (unsigned n = 0; n < m->words; n++)
                to[n] = exec_lane_word(d, w, w->regs, 1, n, bit_lowest(left));
    }
}

// Number of different sectors.
static unsigned count_sectors(const uint32_t *offset, unsigned lanes)
{
    uint32_t seen[LANES_MAX];
    unsigned count = 0;
    for (unsigned n = 0; n < lanes; n++) {
        unsigned k = count;
        while (k && seen[k - 1] != offset[n] / REMOTE_SECTOR) k--;
        if (!k) seen[count++] = offset[n] / REMOTE_SECTOR;
    }
    return count;
}

static void send_access(const struct bound *d, struct warp *w, uint64_t lanes, unsigned rank)
{
    const struct exec_access *a = &engine_of(w)->access;
    const struct inst *i = bound_inst(d, w);
    enum remote_kind kind = a->kind == ACCESS_LOAD    ? REMOTE_LOAD
                            : a->kind == ACCESS_STORE ? REMOTE_STORE
                                                      : REMOTE_ATOMIC;
    unsigned count = bit_count(lanes), words = (a->bytes + 3u) / 4;
    struct remote *m = create(w->cta, kind, rank, count, words, kind == REMOTE_ATOMIC ? 2 : 1);
    m->lanes = lanes;
    m->bytes = a->bytes;
    m->warp = w;
    m->bound = d;
    uint32_t *to = m->offset;
    for (uint64_t left = lanes; left; left &= left - 1)
        *to++ = (uint32_t)a->address[bit_lowest(left)] & OFFSET_MASK;
    m->payload = count_sectors(m->offset, count) * REMOTE_SECTOR;
    read_operands(m, d, w, i);
    send(w->cta, m);
}

static void count_access(struct warp *w, unsigned kind)
{
    if (kind == ACCESS_LOAD)
        w->counts.shared_loads++;
    else if (kind == ACCESS_STORE)
        w->counts.shared_stores++;
    else
        w->counts.atomics++;
}

static const struct bound *access_own(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    bool is_shared = isa_space_of(i) == SPACE_SHARED;
    if (!isa_has(i, ISA_STORE)) return exec_load(d, w, regs, active);
    if (!isa_has(i, ISA_ATOMIC))
        return is_shared ? exec_store(d, w, regs, active) : timed_store_handlers.full(d, w, regs, active);
    if (!is_shared) return timed_atomic_handlers.full(d, w, regs, active);
    return i->mode == MODE_ATOM_ARRIVE ? phase_arrive_handlers.full(d, w, regs, active)
                                       : exec_atomic(d, w, regs, active);
}

// Lanes of one instruction that access global or local memory beside another block's have no time of their own.
static const struct bound *access_some(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    struct exec_access *a = &engine_of(w)->access;
    uint64_t remote = remote_lanes(w, a), shared = a->shared;
    const struct bound *next = d + 1;
    if (!remote) return access_own(d, w, regs, active);
    for (uint64_t left = remote; left; left &= left - 1)
        if (!check_lane(w, d, a, bit_lowest(left))) return NULL;
    if (active & ~remote) {
        a->mask &= ~remote;
        a->shared &= ~remote;
        next = access_own(d, w, regs, active & ~remote);
        a->mask |= remote;
        a->shared = shared;
    } else {
        count_access(w, a->kind);
    }
    if (!next) return NULL;
    for (uint64_t left = remote; left;) {
        uint64_t rank = a->address[bit_lowest(left)] >> ISA_RANK_SHIFT, lanes = 0;
        for (uint64_t rest = left; rest; rest &= rest - 1)
            if (a->address[bit_lowest(rest)] >> ISA_RANK_SHIFT == rank) lanes |= rest & -rest;
        send_access(d, w, lanes, (unsigned)rank - 1);
        left &= ~lanes;
    }
    a->kind = ACCESS_REMOTE;
    return next;
}

const struct handlers remote_handlers = {access_some, access_some};

bool remote_concerns(const struct exec *e, const struct inst *i)
{
    enum isa_space space = isa_space_of(i);
    return e->is_timed && launch_cluster_size(e->launch) > 1 && isa_has(i, ISA_LOAD | ISA_STORE) &&
           (space == SPACE_SHARED || space == SPACE_GENERIC) && i->op != OP_LDGSTS && i->op != OP_LDSM &&
           i->op != OP_STSM;
}

// -- arrival ------------------------------------------------------------------------------------------------

static void apply_lane(struct cta *c, struct remote *m, uint32_t offset, uint32_t *value,
                       const uint32_t *second)
{
    const struct inst *i = &c->exec->insts[m->bound->index];
    uint8_t *host = c->shared + offset;
    uint32_t before[4] = {0}, b[4] = {0}, s[4] = {0}, after[4] = {0};
    memcpy(before, host, m->bytes);
    memcpy(b, value, 4 * m->words);
    memcpy(value, before, 4 * m->words);
    if (m->kind == REMOTE_LOAD) return;
    if (m->kind == REMOTE_STORE) {
        memcpy(host, b, m->bytes);
        return;
    }
    memcpy(s, second, 4 * m->words);
    exec_atomic_apply(i, SPACE_SHARED, m->bytes, before, b, s, after);
    memcpy(host, after, m->bytes);
    if (i->op == OP_ATOMS && i->mode == MODE_ATOM_ARRIVE) phase_changed(c, offset);
}

void remote_apply(struct cta *c, struct remote *m)
{
    switch ((enum remote_kind)m->kind) {
    case REMOTE_LOAD:
    case REMOTE_STORE:
    case REMOTE_ATOMIC:
        for (unsigned n = 0; n < bit_count(m->lanes); n++)
            apply_lane(c, m, m->offset[n], m->value + n * m->words, m->second + n * m->words);
        break;
    case REMOTE_COPY: bulk_land_in(m->copy, c); break;
    case REMOTE_ARRIVED: phase_rank_arrived(c, m->rank); break;
    case REMOTE_ENDED: phase_rank_ended(c, m->rank); break;
    }
}

bool remote_reply(struct remote *m)
{
    struct warp *w = m->warp;
    const struct bound *d = m->bound;
    if (m->is_lost) {
        if (m->kind == REMOTE_COPY)
            exec_fault(w, &w->exec->masked[m->copy->inst - w->exec->insts], FAULT_SHARED, m->copy->lane,
                       "a bulk copy to rank %u of a cluster of %u blocks, which does not exist or has ended",
                       m->rank, w->cta->cluster->size);
        else
            exec_fault_address(w, d, FAULT_SHARED, bit_lowest(m->lanes), SPACE_SHARED,
                               (uint64_t)(m->rank + 1) << ISA_RANK_SHIFT | m->offset[0], m->bytes,
                               m->kind != REMOTE_LOAD);
        return false;
    }
    if (m->kind != REMOTE_LOAD && m->kind != REMOTE_ATOMIC) return true;
    unsigned words = m->kind == REMOTE_LOAD ? m->words : w->exec->general[d->index].dst_words;
    const uint32_t *from = m->value;
    for (uint64_t left = m->lanes; left; left &= left - 1, from += m->words)
        for (unsigned n = 0; n < words; n++) {
            uint32_t word =
                n || m->kind == REMOTE_ATOMIC ? from[n] : exec_extend(bound_inst(d, w)->type, from[n]);
            reg_lanes(w->regs, d->dst + n * w->exec->vector_bytes)[bit_lowest(left)] = word;
        }
    return true;
}

struct remote *remote_copy(const struct bulk_copy *c, unsigned rank)
{
    struct remote *m = create(c->warp->cta, REMOTE_COPY, rank, 0, 0, 0);
    m->copy = bulk_clone(c);
    m->warp = c->warp;
    m->is_multicast = c->kind == BULK_LOAD;
    m->payload = c->bytes;
    return m;
}

// -- blocks of a cluster ------------------------------------------------------------------------------------

void remote_block_starts(struct cta *c, const uint8_t *sms)
{
    const uint32_t *n = c->exec->launch->cluster;
    uint32_t size = launch_cluster_size(c->exec->launch);
    uint32_t rank = c->id[0] % n[0] + n[0] * (c->id[1] % n[1] + n[1] * (c->id[2] % n[2]));
    c->own = (struct cluster){.size = size, .left = size, .there = (uint32_t)bit_mask(size)};
    c->own.cta[rank] = c;
    memcpy(c->own.sm, sms, size);
    c->rank = rank;
}

// To every rank, also the own for an arrival.
static void tell(struct cta *c, enum remote_kind kind, bool is_release)
{
    for (uint32_t rank = 0; rank < c->own.size; rank++) {
        if (kind == REMOTE_ENDED && rank == c->rank) continue;
        struct remote *m = create(c, kind, rank, 0, 0, 0);
        m->rank = (uint8_t)c->rank;
        m->is_release = is_release;
        send(c, m);
    }
}

void remote_block_ends(struct cta *c)
{
    if (c->own.size > 1) tell(c, REMOTE_ENDED, false);
}

void remote_arrived(struct cta *c, bool is_release) { tell(c, REMOTE_ARRIVED, is_release); }
