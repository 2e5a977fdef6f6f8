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

// -- under the race detector: runs of lanes with places one after another ------------------------------------------

enum { RUN_LEAST = 4 };

// Host bytes of a span in shared or global memory; NULL: local memory, outside, or misaligned. Fills *a.
static uint8_t *find_span(struct warp *w, unsigned lane, enum isa_space space, uint64_t address,
                          unsigned bytes, unsigned count, struct lane_access *a)
{
    enum launch_fault_kind kind;
    unsigned span = bytes * count;
    if (!exec_resolve(w, lane, space, address, bytes, a, &kind) || a->space == SPACE_LOCAL) return NULL;
    if (a->space == SPACE_SHARED) return exec_shared_holds(w, a->address, span) ? a->host : NULL;
    return exec_global_near(w->exec, a->address, span);
}

// Lanes from `l` on, all in `left`, with addresses `bytes` apart.
static unsigned run_of(const uint64_t *address, uint64_t left, unsigned l, unsigned bytes)
{
    unsigned count = 1;
    while (l + count < LANES_MAX && left >> (l + count) & 1 &&
           address[l + count] == address[l] + (uint64_t)count * bytes)
        count++;
    return count;
}

// Whether the loads or stores of the instruction may be made by runs: *address gets every lane's address.
static bool has_runs(const struct warp *w, const struct bound *d, unsigned bytes, uint64_t address[LANES_MAX])
{
    const struct exec *e = w->exec;
    if (!e->races || e->launch->flat || bytes == 2) return false;
    exec_lane_addresses(w, &bound_inst(d, w)->src[0], d->src[0], bytes, address);
    return true;
}

// Loads the run of lanes from `l` on. Returns the number of lanes loaded; 0: lane by lane.
static unsigned load_run(struct warp *w, const struct bound *d, const uint64_t *address, uint64_t left,
                         unsigned l, unsigned bytes, struct lane_access *a, uint32_t out[4][LANES_MAX])
{
    const struct inst *i = bound_inst(d, w);
    unsigned count = run_of(address, left, l, bytes);
    if (count < RUN_LEAST) return 0;
    const uint8_t *host = find_span(w, l, isa_space_of(i), address[l], bytes, count, a);
    if (!host || !race_run(w, l, count, a, bytes, NULL)) return 0;
    if (bytes == 4) {
        memcpy(out[0] + l, host, 4 * count);
        return count;
    }
    for (unsigned n = 0; n < count; n++)
        if (bytes == 1)
            out[0][l + n] = exec_extend(i->type, host[n]);
        else
            for (unsigned k = 0; k < bytes / 4; k++) memcpy(&out[k][l + n], host + n * bytes + 4 * k, 4);
    return count;
}

// Stores the run of lanes from `l` on, as load_run.
static unsigned store_run(struct warp *w, const struct bound *d, const uint8_t *regs, const uint64_t *address,
                          uint64_t left, unsigned l, struct lane_access *a)
{
    const struct inst *i = bound_inst(d, w);
    uint32_t values[4 * LANES_MAX];
    unsigned bytes = isa_type_bytes((enum isa_type)i->type), count = run_of(address, left, l, bytes),
             words = (bytes + 3) / 4;
    if (count < RUN_LEAST) return 0;
    uint8_t *host = find_span(w, l, isa_space_of(i), address[l], bytes, count, a);
    for (unsigned n = 0; host && n < count * words; n++)
        values[n] =
            exec_lane_word(d, w, regs, 1, n % words, l + n / words) & (bytes == 1 ? 0xff : UINT32_MAX);
    if (!host || !race_run(w, l, count, a, bytes, values)) return 0;
    for (unsigned n = 0; n < count * words; n++) memcpy(host + n * bytes / words, &values[n], bytes / words);
    return count;
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
    unsigned bytes = isa_type_bytes((enum isa_type)i->type), words = (bytes + 3) / 4;
    uint32_t out[4][LANES_MAX], value[4];
    uint64_t address[LANES_MAX];
    struct lane_access a = {.space = isa_space_of(i)};
    race_instruction(w, d);
    bool in_runs = has_runs(w, d, bytes, address);
    for (uint64_t left = active; left;) {
        unsigned l = bit_lowest(left), done = in_runs ? load_run(w, d, address, left, l, bytes, &a, out) : 0;
        if (!done) {
            if (!load_lane(w, d, regs, l, &a, value)) return NULL;
            done = in_runs ? run_of(address, left, l, 0) : 1;
            if (done > 1 && !race_again(w, l + done - 1)) done = 1;
            for (unsigned n = 0; n < words * done; n++) out[n / done][l + n % done] = value[n / done];
        }
        left &= ~(bit_mask(done) << l);
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
    uint64_t address[LANES_MAX];
    struct lane_access a = {.space = space};
    race_instruction(w, d);
    bool in_runs = has_runs(w, d, bytes, address);
    for (uint64_t left = active; left;) {
        unsigned l = bit_lowest(left), done = in_runs ? store_run(w, d, regs, address, left, l, &a) : 0;
        left &= ~(bit_mask(done ? done : 1) << l);
        if (done) continue;
        uint64_t at = exec_lane_address(d, w, regs, 0, l);
        enum launch_fault_kind kind;
        if (!exec_resolve(w, l, space, at, bytes, &a, &kind) &&
            !exec_tolerates(w, d, kind, l, &a, bytes, true))
            return exec_fault_address(w, d, kind, l, a.space, a.address, bytes, true);
        uint32_t value[4];
        for (unsigned n = 0; n < words; n++) value[n] = exec_lane_word(d, w, regs, 1, n, l);
        race_lane(w, d, l, &a, bytes, RACE_WRITE, value);
        exec_write_bytes(w, &a, bytes, value);
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
    race_fence(w); // memory itself is in order
    return d + 1;
}
