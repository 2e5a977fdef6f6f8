// Loads and stores in every space, lane by lane, with every check. A generic address is shared or local
// inside the respective window, else global (exec/memory.h).
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "exec/phase.h"
#include "exec/race.h"
#include "isa/fields.h"

#include <string.h>

uint64_t exec_lane_address(const struct bound *d, const struct warp *w, const uint8_t *regs, unsigned k,
                           unsigned lane)
{
    const struct operand *o = &bound_inst(d, w)->src[k];
    uint32_t low, high = 0;
    memcpy(&low, regs + d->src[k] + 4 * lane, 4);
    if (o->width != 2) return (uint32_t)(low + o->value);
    memcpy(&high, regs + d->src[k] + w->exec->vector_bytes + 4 * lane, 4);
    return ((uint64_t)high << 32 | low) + (uint64_t)(int64_t)(int32_t)o->value;
}

uint8_t *exec_global_bytes(struct exec *e, uint64_t address, unsigned bytes)
{
    struct allocation_slot *slot = &e->general_slot;
    uint64_t offset = address - slot->start;
    if (offset >= slot->size_bytes || slot->size_bytes - offset < bytes) {
        const struct memory_allocation *a = memory_find(e->launch->memory, address);
        if (!a || a->size_bytes - (address - a->address) < bytes) return NULL;
        *slot = (struct allocation_slot){.start = a->address,
                                         .size_bytes = a->size_bytes,
                                         .host = memory_host(e->launch->memory, a->address, 0)};
        offset = address - slot->start;
    }
    return slot->host + offset;
}

// An address of shared memory with a rank. The own block's gets the address without.
static bool resolve_in_cluster(const struct warp *w, uint64_t address, unsigned bytes, struct lane_access *a)
{
    if (w->exec->launch->flat) return false;
    struct cta *c = cluster_block(w->cta, address);
    uint64_t offset = address & ((1u << ISA_RANK_SHIFT) - 1);
    if (!c || offset + bytes > w->exec->launch->shared_total) return false;
    if (c == w->cta) a->address = offset;
    a->host = c->shared + offset;
    return true;
}

bool exec_resolve(struct warp *w, unsigned lane, enum isa_space space, uint64_t address, unsigned bytes,
                  struct lane_access *a, enum launch_fault_kind *kind)
{
    const struct launch *l = w->exec->launch;
    a->space = space == SPACE_GENERIC ? exec_space_at(l, &address) : space;
    a->address = address;
    a->host = NULL;
    *kind = FAULT_ALIGNMENT;
    if (address & (bytes - 1)) return false;
    if (a->space == SPACE_SHARED) {
        *kind = FAULT_SHARED;
        if (!exec_shared_holds(w, address, bytes)) return resolve_in_cluster(w, address, bytes, a);
        a->host = w->shared + address;
    } else if (a->space == SPACE_LOCAL) {
        *kind = FAULT_LOCAL;
        if (address + bytes > l->local_total) return false;
        a->host = w->local + address / 4 * w->exec->local_stride + lane * 4;
    } else {
        *kind = FAULT_BOUNDS;
        a->host = exec_global_bytes(w->exec, address, bytes);
    }
    return a->host != NULL;
}

// The words of a lane's local memory are local_stride bytes apart. Accesses are aligned, so an access of at
// most 4 bytes is inside one word.
void exec_read(const struct warp *w, const struct lane_access *a, unsigned bytes, void *to)
{
    if (a->space != SPACE_LOCAL || bytes <= 4) {
        memcpy(to, a->host + (a->space == SPACE_LOCAL ? a->address % 4 : 0), bytes);
        return;
    }
    for (unsigned n = 0; n < bytes; n += 4)
        memcpy((uint8_t *)to + n, a->host + (size_t)n / 4 * w->exec->local_stride, 4);
}

void exec_write_bytes(const struct warp *w, const struct lane_access *a, unsigned bytes, const void *from)
{
    if (a->space != SPACE_LOCAL || bytes <= 4) {
        memcpy(a->host + (a->space == SPACE_LOCAL ? a->address % 4 : 0), from, bytes);
        return;
    }
    for (unsigned n = 0; n < bytes; n += 4)
        memcpy(a->host + (size_t)n / 4 * w->exec->local_stride, (const uint8_t *)from + n, 4);
}

static void count_access(struct warp *w, enum isa_space space, bool is_store)
{
    struct exec_counts *c = &w->counts;
    if (space == SPACE_SHARED)
        ++*(is_store ? &c->shared_stores : &c->shared_loads);
    else if (space == SPACE_LOCAL)
        ++*(is_store ? &c->local_stores : &c->local_loads);
    else
        ++*(is_store ? &c->global_stores : &c->global_loads);
}

uint32_t exec_extend(unsigned type, uint32_t x)
{
    switch ((int)type) {
    case TYPE_U8: return x & 0xff;
    case TYPE_S8: return (uint32_t)(int8_t)x;
    case TYPE_U16: return x & 0xffff;
    case TYPE_S16: return (uint32_t)(int16_t)x;
    }
    return x;
}

// -- under the race detector: many lanes at once ---------------------------------------------------------------

struct places {           // of an instruction's lanes
    enum isa_space space; // shared or global
    uint64_t lanes;       // with an aligned place in the space
    uint64_t rows, same;  // lanes whose next lane has the next place, and the same place
    bool is_row;          // memory from the first place to the last is of one allocation
    uint64_t address[LANES_MAX];
    uint8_t *host[LANES_MAX];
};

static inline uint8_t *host_at(struct warp *w, enum isa_space space, uint64_t address, unsigned bytes)
{
    if (space == SPACE_GLOBAL) return exec_global_near(w->exec, address, bytes);
    return exec_shared_holds(w, address, bytes) ? w->shared + address : NULL;
}

// Places one after another from lane 0 on, or one place. False: a place may lie outside.
static bool find_pattern(struct warp *w, uint64_t active, unsigned bytes, enum access_pattern pattern,
                         struct places *p)
{
    unsigned first = bit_lowest(active), span = bytes;
    if (pattern == PATTERN_ROW) span *= bit_highest(active) - first + 1;
    if (pattern == PATTERN_APART || p->address[first] & (bytes - 1)) return false;
    uint8_t *host = host_at(w, p->space, p->address[first], span);
    if (!host) return false;
    size_t step = pattern == PATTERN_ROW ? bytes : 0;
    for (unsigned l = first; l <= bit_highest(active); l++) p->host[l] = host + step * (l - first);
    p->lanes = active;
    p->is_row = pattern == PATTERN_ROW;
    *(p->is_row ? &p->rows : &p->same) = ~0ull;
    return true;
}

static void find_each(struct warp *w, uint64_t active, unsigned bytes, struct places *p)
{
    uint64_t last = 1; // no place is odd and next to another
    uint8_t *host = NULL;
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned lane = bit_lowest(left);
        uint64_t at = p->address[lane], before = lane ? 1ull << (lane - 1) : 0;
        if (at == last && host) {
            p->same |= before;
        } else {
            p->rows |= at == last + bytes ? before : 0;
            host = at & (bytes - 1) ? NULL : host_at(w, p->space, at, bytes);
        }
        last = at;
        p->host[lane] = host;
        p->lanes |= (uint64_t)(host != NULL) << lane;
    }
}

// Finds the places. No lane has one without the detector, on a flat machine, and in local memory.
static void find_places(struct warp *w, const struct bound *d, uint64_t active, unsigned bytes,
                        struct places *p)
{
    const struct launch *l = w->exec->launch;
    const struct inst *i = bound_inst(d, w);
    p->lanes = p->rows = p->same = 0;
    p->is_row = false;
    p->space = isa_space_of(i);
    if (!w->exec->races || l->flat || !active) return;
    enum access_pattern pattern = exec_lane_addresses(w, &i->src[0], d->src[0], bytes, p->address);
    if (p->space == SPACE_GENERIC) {
        uint64_t first = p->address[bit_lowest(active)], others = 0;
        p->space = exec_space_at(l, &first);
        for (uint64_t left = active; left; left &= left - 1)
            if (exec_space_at(l, &p->address[bit_lowest(left)]) != p->space) others |= left & -left;
        active &= ~others;
        if (others) pattern = PATTERN_APART;
    }
    if (p->space != SPACE_SHARED && p->space != SPACE_GLOBAL) return;
    if (!find_pattern(w, active, bytes, pattern, p)) find_each(w, active, bytes, p);
}

// The lanes of `left` up to the first without a place.
static uint64_t lanes_ahead(const struct places *p, uint64_t left)
{
    uint64_t without = left & ~p->lanes;
    return without ? left & bit_mask(bit_lowest(without)) : left;
}

// Loads lanes of `left`, in order. Returns the lanes loaded.
static uint64_t load_places(struct warp *w, const struct places *p, enum isa_type type, uint64_t left,
                            uint32_t out[4][LANES_MAX])
{
    const struct race_lanes a = {.space = p->space,
                                 .access = RACE_READ,
                                 .bytes = isa_type_bytes(type),
                                 .address = p->address,
                                 .rows = p->rows,
                                 .same = p->same};
    uint64_t done = p->lanes ? race_lanes(w, &a, lanes_ahead(p, left)) : 0;
    if (done && a.bytes == 4 && p->is_row) {
        unsigned first = bit_lowest(done);
        memcpy(out[0] + first, p->host[first], 4 * (bit_highest(done) - first + 1));
        return done;
    }
    for (uint64_t lanes = done; lanes; lanes &= lanes - 1) {
        unsigned l = bit_lowest(lanes);
        if (a.bytes == 4)
            memcpy(&out[0][l], p->host[l], 4);
        else if (a.bytes == 1)
            out[0][l] = exec_extend(type, *p->host[l]);
        else if (a.bytes == 2)
            out[0][l] = exec_extend(type, *(const uint16_t *)(const void *)p->host[l]);
        else
            for (unsigned n = 0; n < a.bytes / 4; n++) memcpy(&out[n][l], p->host[l] + (size_t)4 * n, 4);
    }
    return done;
}

// Stores lanes of `left`, in order. Returns the lanes stored.
static uint64_t store_places(struct warp *w, const struct places *p, unsigned bytes, uint64_t left,
                             const uint32_t *const *values)
{
    const struct race_lanes a = {.space = p->space,
                                 .access = RACE_WRITE,
                                 .bytes = bytes,
                                 .address = p->address,
                                 .rows = p->rows,
                                 .same = p->same,
                                 .values = values};
    uint64_t done = p->lanes ? race_lanes(w, &a, lanes_ahead(p, left)) : 0;
    for (uint64_t lanes = done; lanes; lanes &= lanes - 1) {
        unsigned l = bit_lowest(lanes);
        if (bytes == 4)
            memcpy(p->host[l], &values[0][l], 4);
        else
            for (unsigned n = 0; n < bytes; n += 4)
                memcpy(p->host[l] + n, &values[n / 4][l], bytes < 4 ? bytes : 4);
    }
    return done;
}

// -- lane by lane -------------------------------------------------------------------------------------------

static bool load_lane(struct warp *w, const struct bound *d, const uint8_t *regs, unsigned l,
                      struct lane_access *a, uint32_t value[4])
{
    const struct inst *i = bound_inst(d, w);
    enum isa_type type = (enum isa_type)i->type;
    unsigned bytes = isa_type_bytes(type);
    enum launch_fault_kind kind;
    uint64_t address = exec_lane_address(d, w, regs, 0, l);
    if (!exec_resolve(w, l, isa_space_of(i), address, bytes, a, &kind) &&
        !exec_tolerates(w, d, kind, l, a, bytes, false)) {
        exec_fault_address(w, d, kind, l, a->space, a->address, bytes, false);
        return false;
    }
    race_lane(w, d, l, a, bytes, RACE_READ, NULL);
    memset(value, 0, 16);
    exec_read(w, a, bytes, value);
    value[0] = exec_extend(type, value[0]);
    return true;
}

const struct bound *exec_load(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    enum isa_type type = (enum isa_type)i->type;
    unsigned bytes = isa_type_bytes(type), words = (bytes + 3) / 4;
    uint32_t out[4][LANES_MAX], value[4];
    struct lane_access a = {.space = isa_space_of(i)};
    struct places places;
    race_instruction(w, d);
    find_places(w, d, active, bytes, &places);
    for (uint64_t left = active, done; left; left &= ~done) {
        done = load_places(w, &places, type, left, out);
        if (done) {
            a.space = places.space;
            continue;
        }
        unsigned l = bit_lowest(left);
        if (!load_lane(w, d, regs, l, &a, value)) return NULL;
        for (unsigned n = 0; n < words; n++) out[n][l] = value[n];
        done = 1ull << l;
    }
    count_access(w, a.space, false);
    for (unsigned n = 0; n < words; n++)
        exec_write(reg_lanes(regs, d->dst + n * w->exec->vector_bytes), out[n], active, w);
    return d + 1;
}

const struct bound *exec_store(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    enum isa_space space = isa_space_of(i);
    unsigned bytes = isa_type_bytes((enum isa_type)i->type), words = (bytes + 3) / 4;
    struct lane_access a = {.space = space};
    struct places places;
    race_instruction(w, d);
    find_places(w, d, active, bytes, &places);
    uint32_t splat[4][LANES_MAX];
    const uint32_t *values[4];
    for (unsigned n = 0; n < words; n++) values[n] = exec_source(d, w, regs, 1, n, splat[n]);
    for (uint64_t left = active, done; left; left &= ~done) {
        done = store_places(w, &places, bytes, left, values);
        if (done) {
            a.space = places.space;
            continue;
        }
        unsigned l = bit_lowest(left);
        uint64_t at = exec_lane_address(d, w, regs, 0, l);
        enum launch_fault_kind kind;
        if (!exec_resolve(w, l, space, at, bytes, &a, &kind) &&
            !exec_tolerates(w, d, kind, l, &a, bytes, true))
            return exec_fault_address(w, d, kind, l, a.space, a.address, bytes, true);
        uint32_t value[4];
        for (unsigned n = 0; n < words; n++) value[n] = values[n][l];
        race_lane(w, d, l, &a, bytes, RACE_WRITE, value);
        exec_write_bytes(w, &a, bytes, value);
        done = 1ull << l;
    }
    count_access(w, a.space, true);
    return d + 1;
}

const struct bound *exec_ldc(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    const struct launch *launch = w->exec->launch;
    enum isa_type type = (enum isa_type)i->type;
    unsigned bytes = isa_type_bytes(type), words = (bytes + 3) / 4;
    uint32_t out[4][LANES_MAX];
    w->counts.constant_loads++;
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        uint64_t address = exec_lane_address(d, w, regs, 0, l);
        struct lane_access a = {.space = SPACE_CONST, .address = address};
        bool is_aligned = !(address & (bytes - 1)),
             is_inside = address + bytes <= launch->bank_bytes[i->bank];
        enum launch_fault_kind kind = is_aligned ? FAULT_CONSTANT : FAULT_ALIGNMENT;
        if (is_aligned && is_inside)
            a.host = (uint8_t *)(uintptr_t)launch->bank[i->bank] + address;
        else if (!exec_tolerates(w, d, kind, l, &a, bytes, false))
            return exec_fault_address(w, d, kind, l, SPACE_CONST, address, bytes, false);
        uint32_t value[4] = {0};
        memcpy(value, a.host, bytes);
        value[0] = exec_extend(type, value[0]);
        for (unsigned n = 0; n < words; n++) out[n][l] = value[n];
    }
    for (unsigned n = 0; n < words; n++)
        exec_write(reg_lanes(regs, d->dst + n * w->exec->vector_bytes), out[n], active, w);
    return d + 1;
}

const struct bound *exec_membar(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    (void)regs, (void)active;
    race_fence(w); // memory itself is in order, but for entries under way to other blocks
    if (w->exec->orders && w->cta->cluster->size > 1) w->exec->orders(w->exec->woken_context, w, false);
    return d + 1;
}
