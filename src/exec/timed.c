// Execution for the timing model: see timed.h. A log record is a header, one host address per lane, the
// lanes' values, and for a compare-and-swap the lanes' second operands. A row store (lanes side by side) has
// one address, and is checked and written as a whole.
#include "exec/timed.h"
#include "exec/async.h"
#include "exec/bulk.h"
#include "exec/general.h"
#include "exec/remote.h"
#include "isa/fields.h"
#include "isa/program.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_SHIFT = 7, FILTER_BITS = 64 * 64 };

struct timed_record {
    uint64_t cycle;
    const struct inst *inst;
    uint64_t mask;       // lanes with a logged access
    uint8_t *dst;        // destination registers of an atomic's old values, or NULL
    uint32_t words;      // size of the record with header, in units of 8 bytes
    uint16_t lane_words; // 32-bit words of a value
    uint8_t bytes;
    bool has_second;
    bool is_row; // one host address: lanes are `bytes` apart
};
enum { HEADER_WORDS = (sizeof(struct timed_record) + 7) / 8 };

static struct timed_engine *engine_of(struct warp *w) { return (struct timed_engine *)(void *)w->exec; }

// -- making -------------------------------------------------------------------------------------------------

static void engine_print(void *context, const char *text, size_t length)
{
    struct timed_engine *t = context;
    vec_push(&t->texts, (struct timed_text){t->cycle, t->text.length, length});
    strbuf_write(&t->text, text, length);
}

static const struct access_plan *plan_accesses(struct timed_engine *t)
{
    const struct program *p = t->exec.program;
    struct access_plan *plans = ARENA_ARRAY(&t->exec.arena, struct access_plan, p->inst_count + 1);
    for (uint32_t n = 0; n < p->inst_count; n++)
        if (t->exec.address_operand[n]) timed_plan_access(&plans[n], &p->insts[n]);
    return plans;
}

void timed_init(struct timed_engine *t, const struct launch *l, unsigned sm, const struct timed_engine *first,
                struct exec_spare *spare)
{
    memset(t, 0, sizeof *t);
    t->launch = *l;
    t->print = l->print;
    t->print_context = l->print_context;
    t->launch.print = engine_print;
    t->launch.print_context = t;
    t->launch.check_races = false;
    t->sm = sm;
    struct exec *e = &t->exec;
    e->fault = &t->fault;
    e->counts = &t->counts;
    e->is_timed = e->is_stepped = true;
    e->sm = sm;
    e->spare = spare;
    e->texels = t->access.address;
    arena_init(&e->arena);
    exec_prepare(e, &t->launch, first ? &first->exec : NULL);
    t->plans = first ? first->plans : plan_accesses(t);
}

void timed_fini(struct timed_engine *t)
{
    if (t->launch.notes) launch_notes_add(t->launch.notes, &t->exec.notes);
    launch_notes_fini(&t->exec.notes);
    launch_fault_fini(&t->fault);
    vec_fini(&t->log);
    vec_fini(&t->acquiring);
    vec_fini(&t->texts);
    strbuf_fini(&t->text);
    arena_fini(&t->exec.arena);
}

struct cta *timed_block_create(struct timed_engine *t) { return exec_cta_create(&t->exec); }
void timed_block_start(struct timed_engine *t, struct cta *c, uint64_t linear, const uint8_t *sms)
{
    exec_cta_start(c, linear);
    if (launch_cluster_size(&t->launch) > 1) remote_block_starts(c, sms);
}
void timed_block_end(struct timed_engine *t, struct cta *c)
{
    exec_cta_collect(c);
    remote_block_ends(c);
    t->counts.blocks++;
}
void timed_block_destroy(struct cta *c) { exec_cta_destroy(c); }

// -- the log ------------------------------------------------------------------------------------------------

static unsigned filter_bit(uint64_t address) { return (unsigned)(address >> LINE_SHIFT) % FILTER_BITS; }

static bool filter_has(const uint64_t filter[64], uint64_t address)
{
    unsigned bit = filter_bit(address);
    return filter[bit / 64] >> bit % 64 & 1;
}

static bool any_in(const uint64_t filter[64], const struct timed_engine *t)
{
    const struct exec_access *a = &t->access;
    if (t->is_row) {
        if (a->shared | a->local) return false;
        uint64_t end = a->address[0] + (uint64_t)t->exec.lanes * a->bytes;
        for (uint64_t at = a->address[0]; at < end; at += 1 << LINE_SHIFT)
            if (filter_has(filter, at)) return true;
        return filter_has(filter, end - 1);
    }
    for (uint64_t left = a->mask & ~(a->shared | a->local); left; left &= left - 1) {
        uint64_t address = a->address[bit_lowest(left)];
        if (filter_has(filter, address) || filter_has(filter, address + a->bytes - 1)) return true;
    }
    return false;
}

struct record_view { // a record's parts
    struct timed_record *r;
    uint8_t **host;
    uint32_t *value, *second; // lane_words per lane
};

static uint8_t *host_of(const struct record_view *v, unsigned n)
{
    return v->r->is_row ? v->host[0] + (size_t)n * v->r->bytes : v->host[n];
}

static struct record_view view_of(uint64_t *words)
{
    struct record_view v = {.r = (struct timed_record *)(void *)words};
    unsigned lanes = bit_count(v.r->mask), hosts = v.r->is_row ? 1 : lanes;
    v.host = (uint8_t **)(void *)(words + HEADER_WORDS);
    v.value = (uint32_t *)(void *)(words + HEADER_WORDS + hosts);
    v.second = v.value + align_up((uint64_t)lanes * v.r->lane_words, 2);
    return v;
}

static struct record_view new_record(struct timed_engine *t, const struct inst *i, uint64_t mask,
                                     unsigned bytes, bool has_second, bool is_row)
{
    unsigned lanes = bit_count(mask), lane_words = (bytes + 3) / 4;
    size_t value_words = ((size_t)lanes * lane_words + 1) / 2;
    size_t words = HEADER_WORDS + (is_row ? 1 : lanes) + value_words * (has_second ? 2 : 1);
    size_t at = t->log.count;
    vec_reserve(&t->log, at + words);
    t->log.count = at + words;
    struct timed_record *r = (struct timed_record *)(void *)&t->log.data[at];
    *r = (struct timed_record){.cycle = t->cycle,
                               .inst = i,
                               .mask = mask,
                               .words = (uint32_t)words,
                               .lane_words = (uint16_t)lane_words,
                               .bytes = (uint8_t)bytes,
                               .has_second = has_second,
                               .is_row = is_row};
    return view_of(&t->log.data[at]);
}

static void filter_add(uint64_t filter[64], uint64_t address, unsigned bytes)
{
    unsigned first = filter_bit(address), last = filter_bit(address + bytes - 1);
    filter[first / 64] |= 1ull << first % 64;
    filter[last / 64] |= 1ull << last % 64;
}

// Number of lanes of a mask that are the first lanes without a gap; 0: others.
static unsigned first_lanes(uint64_t mask) { return mask & (mask + 1) ? 0 : bit_count(mask); }

// Writes the host addresses of the first `count` lanes if all access the allocation accessed last, in bounds and
// aligned.
static bool resolve_in_one(const struct exec *e, const struct exec_access *a, unsigned count,
                           uint8_t *host[LANES_MAX])
{
    const struct allocation_slot *slot = &e->general_slot;
    uint64_t last = slot->size_bytes - a->bytes, bits = 0;
    bool outside = slot->size_bytes < a->bytes;
    for (unsigned l = 0; l < count; l++) {
        uint64_t offset = a->address[l] - slot->start;
        outside |= offset > last;
        bits |= a->address[l];
        host[l] = slot->host + offset;
    }
    return !outside && !(bits & (a->bytes - 1u));
}

// Writes each active lane's host address to host[lane]; false after a fault.
static bool resolve_lanes(struct warp *w, const struct bound *d, const struct exec_access *a,
                          uint8_t *host[LANES_MAX])
{
    // The lane last resolved to global memory, LANES_MAX: none. A later lane with the same address reuses
    // host[last].
    unsigned last = LANES_MAX, count = first_lanes(a->mask & ~(a->shared | a->local));
    if (count && count == bit_count(a->mask) && resolve_in_one(w->exec, a, count, host)) return true;
    for (uint64_t left = a->mask; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        if (last != LANES_MAX && a->address[l] == a->address[last] && !((a->shared | a->local) >> l & 1)) {
            host[l] = host[last];
            continue;
        }
        enum isa_space space = a->shared >> l & 1  ? SPACE_SHARED
                               : a->local >> l & 1 ? SPACE_LOCAL
                                                   : SPACE_GLOBAL;
        struct lane_access lane;
        enum launch_fault_kind kind;
        if (space == SPACE_GLOBAL && !(a->address[l] & (a->bytes - 1u))) {
            host[l] = exec_global_near(w->exec, a->address[l], a->bytes);
            last = l;
            if (host[l]) continue;
        }
        if (!exec_resolve(w, l, space, a->address[l], a->bytes, &lane, &kind) &&
            !exec_tolerates(w, d, kind, l, &lane, a->bytes, true)) {
            exec_fault_address(w, d, kind, l, space, a->address[l], a->bytes, true);
            return false;
        }
        host[l] = lane.host;
    }
    return true;
}

// Logs a full-warp row store of whole words to global memory. False: misaligned, or not inside one live
// allocation.
static bool log_row(struct timed_engine *t, struct warp *w, const struct bound *d, const struct inst *i)
{
    const struct exec_access *a = &t->access;
    unsigned lanes = t->exec.lanes, words = a->bytes / 4u, size = lanes * a->bytes;
    uint64_t start = a->address[0];
    uint8_t *host = start % a->bytes ? NULL : exec_global_bytes(&t->exec, start, size);
    if (!host) return false;
    struct record_view v = new_record(t, i, a->mask, a->bytes, false, true);
    v.host[0] = host;
    for (unsigned n = 0; n < words; n++) {
        uint32_t splat[LANES_MAX];
        const uint32_t *from = exec_source(d, w, w->regs, 1, n, splat);
        for (unsigned l = 0; l < lanes; l++) v.value[l * words + n] = from[l];
    }
    for (uint64_t at = start; at < start + size; at += 1 << LINE_SHIFT) filter_add(t->written, at, 1);
    filter_add(t->written, start + size - 1, 1);
    w->counts.global_stores++;
    return true;
}

static const struct bound *log_store(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    struct timed_engine *t = engine_of(w);
    const struct inst *i = bound_inst(d, w);
    const struct exec_access *a = &t->access;
    uint8_t *host[LANES_MAX];
    (void)active;
    uint64_t global = a->mask & ~(a->shared | a->local);
    if (t->is_row && global && a->bytes >= 4 && log_row(t, w, d, i)) return d + 1;
    if (!resolve_lanes(w, d, a, host)) return NULL;
    for (uint64_t left = a->mask & ~global; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        uint32_t value[4];
        struct lane_access lane = {a->local >> l & 1 ? SPACE_LOCAL : SPACE_SHARED, a->address[l], host[l]};
        for (unsigned n = 0; n < (a->bytes + 3u) / 4; n++) value[n] = exec_lane_word(d, w, regs, 1, n, l);
        exec_write_bytes(w, &lane, a->bytes, value);
    }
    if (a->shared) w->counts.shared_stores++;
    if (a->local) w->counts.local_stores++;
    if (!global) return d + 1;
    if (!a->shared && !a->local) w->counts.global_stores++;
    struct record_view v = new_record(t, i, global, a->bytes, false, false);
    unsigned words = v.r->lane_words, count = first_lanes(global);
    for (unsigned n = 0; n < words; n++) {
        uint32_t splat[LANES_MAX], *value = v.value + n;
        const uint32_t *from = exec_source(d, w, regs, 1, n, splat);
        if (count) {
            for (unsigned l = 0; l < count; l++, value += words) *value = from[l];
            continue;
        }
        for (uint64_t left = global; left; left &= left - 1, value += words) *value = from[bit_lowest(left)];
    }
    uint64_t last = UINT64_MAX; // line of the lane before
    for (uint64_t left = global; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        uint64_t line = a->address[l] >> LINE_SHIFT;
        *v.host++ = host[l];
        if (line != last) filter_add(t->written, a->address[l], a->bytes);
        last = line;
    }
    return d + 1;
}

static const struct bound *log_atomic(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    struct timed_engine *t = engine_of(w);
    const struct inst *i = bound_inst(d, w);
    const struct exec_access *a = &t->access;
    uint8_t *host[LANES_MAX];
    (void)active;
    if (!resolve_lanes(w, d, a, host)) return NULL;
    uint64_t own = a->shared | a->local, global = a->mask & ~own;
    if (own) exec_atomic(d, w, regs, own);
    if (!global) return d + 1;
    if (!own) w->counts.atomics++;
    if (i->sem == SEM_ACQUIRE || i->sem == SEM_ACQ_REL || i->sem == SEM_SC) vec_push(&t->acquiring, w);
    struct record_view v = new_record(t, i, global, a->bytes, i->src[2].kind != OPERAND_NONE, false);
    if (w->exec->general[d->index].dst_words) v.r->dst = regs + d->dst;
    exec_atomic_operands(d, w, regs, 1, a->bytes, global, v.value);
    if (v.r->has_second) exec_atomic_operands(d, w, regs, 2, a->bytes, global, v.second);
    uint64_t last = 0;
    for (uint64_t left = global; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        *v.host++ = host[l];
        if (a->address[l] != last) filter_add(t->changed, a->address[l], a->bytes);
        last = a->address[l];
    }
    return d + 1;
}

const struct handlers timed_store_handlers = {log_store, log_store};
const struct handlers timed_atomic_handlers = {log_atomic, log_atomic};

// Overlays the engine's logged stores of the window on a value read from memory by a lane.
static void overlay(struct timed_engine *t, const uint8_t *host, unsigned bytes, uint8_t *value)
{
    for (size_t at = 0; at < t->log.count;) {
        struct record_view v = view_of(&t->log.data[at]);
        at += v.r->words;
        if (isa_has(v.r->inst, ISA_ATOMIC)) continue;
        for (unsigned n = 0; n < bit_count(v.r->mask); n++) {
            const uint8_t *stored = (const uint8_t *)(v.value + (size_t)n * v.r->lane_words);
            ptrdiff_t from = host_of(&v, n) - host;
            for (unsigned b = 0; b < v.r->bytes; b++)
                if (from + (ptrdiff_t)b >= 0 && from + (ptrdiff_t)b < (ptrdiff_t)bytes)
                    value[from + (ptrdiff_t)b] = stored[b];
        }
    }
}

void timed_depart(struct timed_engine *t, struct async_entry *c)
{
    uint64_t lanes = c->unread;
    async_depart(c, lanes);
    for (; t->log.count && lanes; lanes &= lanes - 1) {
        unsigned l = bit_lowest(lanes);
        overlay(t, c->from[l], c->real[l], c->data[l]);
    }
}

// Logs `count` values of `bytes` bytes for places one after the other.
static void log_values(struct timed_engine *t, const struct bulk_copy *c, uint8_t *host, uint64_t address,
                       const uint8_t *from, unsigned count, unsigned bytes)
{
    struct record_view v = new_record(t, c->by, bit_mask(count), bytes, false, !c->reduces && bytes == 16);
    for (unsigned n = 0; n < count; n++) {
        if (!v.r->is_row || !n) v.host[n] = host + n * bytes;
        memcpy(v.value + (size_t)n * v.r->lane_words, from + n * bytes, bytes);
    }
    for (unsigned n = 0; n < count; n++)
        filter_add(c->reduces ? t->changed : t->written, address + n * bytes, bytes);
}

static void log_piece(struct timed_engine *t, const struct bulk_copy *c, const struct bulk_piece *p)
{
    unsigned unit = c->reduces ? isa_type_bytes((enum isa_type)c->by->type) : 16;
    for (uint32_t at = 0; at < p->bytes;) {
        uint32_t left = p->bytes - at, count = left / unit < LANES_MAX ? left / unit : LANES_MAX;
        unsigned bytes = count ? unit : left; // the rest of a store
        if (!count) count = 1;
        log_values(t, c, p->host + at, p->address + at, c->image + p->offset + at, count, bytes);
        at += count * bytes;
    }
}

void timed_bulk_depart(struct timed_engine *t, struct bulk_copy *c, uint64_t cycle)
{
    t->cycle = cycle;
    bulk_depart(c);
    for (size_t k = 0; k < c->pieces.count; k++) {
        const struct bulk_piece *p = &c->pieces.data[k];
        if (c->kind == BULK_STORE)
            log_piece(t, c, p);
        else if (t->log.count && c->kind == BULK_LOAD)
            overlay(t, p->host, p->bytes, c->image + p->offset);
    }
}

// Repeats a load from lines for which the engine has logged stores in the window, and applies the stores to
// the loaded values.
static void patch_load(struct timed_engine *t, struct warp *w, const struct bound *d, const struct inst *i)
{
    const struct exec_access *a = &t->access;
    for (uint64_t left = a->mask & ~(a->shared | a->local); left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        struct lane_access lane;
        enum launch_fault_kind kind;
        uint32_t value[4] = {0};
        // The load has passed the checks; an access out of bounds, tolerated by check.bounds, is already
        // noted.
        if (!exec_resolve(w, l, SPACE_GLOBAL, a->address[l], a->bytes, &lane, &kind))
            lane.host = memory_mapped(t->launch.memory, a->address[l], a->bytes);
        memcpy(value, lane.host, a->bytes);
        overlay(t, lane.host, a->bytes, (uint8_t *)value);
        value[0] = exec_extend(i->type, value[0]);
        for (unsigned n = 0; n < (a->bytes + 3u) / 4; n++)
            reg_lanes(w->regs, d->dst + n * w->exec->vector_bytes)[l] = value[n];
    }
}

// -- stepping -----------------------------------------------------------------------------------------------

void timed_settle(struct warp *w)
{
    const struct exec *e = w->exec;
    while (w->state == WARP_READY && w->active != w->full && e->entry_flags[w->pc] & EXEC_JOIN) {
        const struct bound *d = &e->masked[w->pc];
        w->run_start = d;
        if (split_join(w, d) == d) break;
    }
}

// True for a load that must wait for the next window: a load from lines with uncommitted atomics, or any load after an
// acquiring atomic of its warp.
static bool must_wait(const struct timed_engine *t, const struct warp *w)
{
    for (size_t k = 0; k < t->acquiring.count; k++)
        if (t->acquiring.data[k] == w) return true;
    return any_in(t->changed, t);
}

static enum timed_outcome failed(struct timed_engine *t)
{
    t->fault_cycle = t->cycle;
    return TIMED_FAULT;
}

// Ends a step, without the join at the next instruction. next: result of exec_step.
static enum timed_outcome stop(struct timed_engine *t, struct warp *w, const struct bound *next)
{
    if (next) exec_stop(next, w);
    return __builtin_expect(t->fault.kind != FAULT_NONE, 0) ? failed(t) : TIMED_DONE;
}

enum timed_outcome timed_end(struct timed_engine *t, struct warp *w, const struct bound *next)
{
    enum timed_outcome o = stop(t, w, next);
    if (o == TIMED_DONE) timed_settle(w);
    return o;
}

// A step of an instruction with an address operand. settles: lanes reconverge behind the instruction.
static inline __attribute__((always_inline)) enum timed_outcome
access_memory(struct timed_engine *t, struct warp *w, uint64_t cycle, bool settles)
{
    const struct bound *d = timed_begin(t, w, cycle);
    const struct access_plan *p = &t->plans[d->index];
    struct exec_access *a = &t->access;
    timed_find_access(w, d, p, a);
    t->is_row = a->pattern == PATTERN_ROW && exec_access_was_row(a, t->exec.lanes);
    if (!a->mask && w->active == w->full) { // the guard is false in all lanes: no thread executes
        w->counts.guarded_off++;
        w->pc++;
        w->issued++;
        return TIMED_DONE;
    }
    bool meets_log = a->kind == ACCESS_LOAD && t->log.count && a->mask && !p->is_constant;
    if (meets_log && must_wait(t, w)) return TIMED_RETRY;
    bool patch = meets_log && !p->is_copy && any_in(t->written, t);
    const struct bound *next = exec_step(w, d);
    bool is_straight = exec_went_straight(w, d, next);
    if (!is_straight && stop(t, w, next) != TIMED_DONE) return TIMED_FAULT;
    if (patch) patch_load(t, w, d, bound_inst(d, w));
    if (!is_straight && settles) timed_settle(w);
    return TIMED_DONE;
}

enum timed_outcome timed_access_memory(struct timed_engine *t, struct warp *w, uint64_t cycle)
{
    return access_memory(t, w, cycle, true);
}

enum timed_outcome timed_recompute(struct timed_engine *t, struct warp *w, uint64_t cycle)
{
    // A load finds stores of the window that are not in memory yet.
    if (t->exec.address_operand[w->pc]) return access_memory(t, w, cycle, false);
    const struct bound *d = timed_begin(t, w, cycle), *next = exec_step(w, d);
    return exec_went_straight(w, d, next) ? TIMED_DONE : stop(t, w, next);
}

// -- committing ---------------------------------------------------------------------------------------------

// Commits atomics of types without a loop of their own in exec_atomic_sequence.
static void commit_lane_by_lane(const struct record_view *v, uint32_t *old)
{
    unsigned bytes = v->r->bytes, words = v->r->lane_words;
    for (unsigned n = 0; n < bit_count(v->r->mask); n++, old += words) {
        uint32_t before[4] = {0}, b[4] = {0}, c[4] = {0}, fresh[4] = {0};
        memcpy(before, v->host[n], bytes);
        memcpy(b, v->value + (size_t)n * words, words * 4);
        if (v->r->has_second) memcpy(c, v->second + (size_t)n * words, words * 4);
        exec_atomic_apply(v->r->inst, SPACE_GLOBAL, bytes, before, b, c, fresh);
        memcpy(v->host[n], fresh, bytes);
        memcpy(old, before, words * 4);
    }
}

static void commit_atomic(const struct timed_engine *t, const struct record_view *v)
{
    uint32_t old[4 * LANES_MAX];
    unsigned words = v->r->lane_words;
    if (!exec_atomic_sequence(v->r->inst, SPACE_GLOBAL, bit_count(v->r->mask), v->host, v->value,
                              v->r->has_second ? v->second : NULL, old))
        commit_lane_by_lane(v, old);
    for (unsigned k = 0; v->r->dst && k < words; k++) {
        uint32_t *to = reg_lanes(v->r->dst, k * t->exec.vector_bytes);
        const uint32_t *from = old + k;
        for (uint64_t left = v->r->mask; left; left &= left - 1, from += words) to[bit_lowest(left)] = *from;
    }
}

static void commit_record(const struct timed_engine *t, const struct record_view *v)
{
    unsigned bytes = v->r->bytes, lanes = bit_count(v->r->mask);
    if (v->r->is_row)
        memcpy(v->host[0], v->value, (size_t)bytes * lanes);
    else if (isa_has(v->r->inst, ISA_ATOMIC))
        commit_atomic(t, v);
    else if (bytes == 4)
        for (unsigned n = 0; n < lanes; n++) memcpy(v->host[n], v->value + n, 4);
    else
        for (unsigned n = 0; n < lanes; n++)
            memcpy(v->host[n], v->value + (size_t)n * v->r->lane_words, bytes);
}

// Commits a record like commit_record; returns true when a byte of memory has changed value.
static bool commit_changes(const struct timed_engine *t, const struct record_view *v)
{
    uint8_t before[LANES_MAX][16];
    unsigned bytes = v->r->bytes, lanes = bit_count(v->r->mask);
    bool changed = false;
    for (unsigned n = 0; n < lanes; n++) memcpy(before[n], host_of(v, n), bytes);
    commit_record(t, v);
    for (unsigned n = 0; n < lanes; n++) changed |= memcmp(before[n], host_of(v, n), bytes) != 0;
    return changed;
}

static void clear_log(struct timed_engine *t)
{
    t->log.count = t->acquiring.count = 0;
    memset(t->written, 0, sizeof t->written);
    memset(t->changed, 0, sizeof t->changed);
}

static void commit_texts(struct timed_engine *const *engines, unsigned count)
{
    for (;;) {
        struct timed_engine *first = NULL;
        for (unsigned k = 0; k < count; k++) {
            struct timed_engine *t = engines[k];
            if (t->texts.count && (!first || t->texts.data[0].cycle < first->texts.data[0].cycle)) first = t;
        }
        if (!first) return;
        struct timed_text x = first->texts.data[0];
        if (first->print) first->print(first->print_context, first->text.text + x.start, x.length);
        memmove(first->texts.data, first->texts.data + 1, --first->texts.count * sizeof x);
        if (!first->texts.count) strbuf_clear(&first->text);
    }
}

struct cursor {
    struct timed_engine *t;
    size_t at;
};

// Merges the logs: every log is in order of cycle, and ties go by the order of engines.
static void merge_logs(struct cursor *active, unsigned n)
{
    while (n) {
        unsigned best = 0;
        uint64_t best_cycle = UINT64_MAX;
        for (unsigned k = 0; k < n; k++) {
            uint64_t cycle = view_of(&active[k].t->log.data[active[k].at]).r->cycle;
            if (cycle < best_cycle) best_cycle = cycle, best = k;
        }
        struct cursor *c = &active[best];
        struct record_view v = view_of(&c->t->log.data[c->at]);
        if (c->t->compares)
            c->t->changed_value |= commit_changes(c->t, &v);
        else
            commit_record(c->t, &v);
        c->at += v.r->words;
        if (c->at < c->t->log.count) continue;
        clear_log(c->t);
        memmove(c, c + 1, (n - best - 1) * sizeof *c);
        n--;
    }
}

void timed_commit(struct timed_engine *const *engines, unsigned count)
{
    struct cursor few[256], *active = count <= 256 ? few : heap_alloc(count * sizeof *active);
    unsigned n = 0;
    bool any_text = false;
    for (unsigned k = 0; k < count; k++) {
        any_text = any_text || engines[k]->texts.count;
        if (engines[k]->log.count) active[n++] = (struct cursor){engines[k], 0};
    }
    merge_logs(active, n);
    if (active != few) free(active);
    if (any_text) commit_texts(engines, count);
}
