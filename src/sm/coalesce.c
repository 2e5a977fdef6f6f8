// From lanes' addresses to work of the load/store unit: lines with sectors, passes over the banks of shared
// memory, cycles of the texture unit and of constant reads.
//
//     addresses ─┬ shared ─▶ passes: the most different words asked of one bank
//                ├ local ──▶ laid out word by word, lanes contiguous ───┐
//                └ global, texture, constant ───────────────────────────┴▶ distinct lines with sectors
#include "sm/coalesce.h"
#include "exec/async.h"
#include "exec/exec_impl.h"
#include "exec/timed.h"
#include "isa/fields.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/mma.h"
#include "sm/sm_impl.h"

// Adds to the entry's lines an access to `bytes` bytes within one cache line. lanes: number of lanes that
// access each of the bytes.
static void add_line(struct lsu_entry *e, uint64_t address, unsigned bytes, unsigned lanes,
                     uint32_t line_bytes)
{
    uint64_t line = address & ~(uint64_t)(line_bytes - 1);
    unsigned first = (unsigned)(address - line) / SECTOR_BYTES,
             last = (unsigned)(address + bytes - 1 - line) / SECTOR_BYTES;
    uint8_t sectors = (uint8_t)(bit_mask(last + 1) & ~bit_mask(first));
    struct transaction *t = e->lines + e->count;
    while (t > e->lines && t[-1].line != line) t--; // usually the last one
    if (t == e->lines) {
        t = &e->lines[e->count++];
        *t = (struct transaction){.line = line, .first = (uint8_t)(address - line)};
    } else {
        t--;
    }
    t->sectors |= sectors;
    bytes = t->bytes + bytes * lanes;
    t->bytes = (uint8_t)(bytes > line_bytes ? line_bytes : bytes);
}

// For lanes with contiguous data, in order of lane: adds whole lines at a time instead of going lane by lane.
static void coalesce_row(struct lsu_entry *e, const struct exec_access *a, unsigned lanes,
                         uint32_t line_bytes)
{
    uint64_t first = a->address[0], end = first + (uint64_t)lanes * a->bytes;
    for (uint64_t line = first & ~(uint64_t)(line_bytes - 1); line < end; line += line_bytes) {
        uint64_t from = later(first, line), to = end < line + line_bytes ? end : line + line_bytes;
        uint64_t sectors = bit_mask((unsigned)(to - 1 - line) / SECTOR_BYTES + 1) &
                           ~bit_mask((unsigned)(from - line) / SECTOR_BYTES);
        e->lines[e->count++] =
            (struct transaction){line, (uint8_t)sectors, (uint8_t)(to - from), (uint8_t)(from - line)};
    }
}

// Whether all 32 lanes, active or not, have one address. For a texture fetch the addresses are compared here:
// they are found only at the fetch, after a->pattern has been set.
static bool is_one_place(const struct exec_access *a)
{
    if (a->kind != ACCESS_TEXTURE) return a->pattern == PATTERN_SAME;
    uint64_t differ = 0;
    for (unsigned l = 0; l < 32; l++) differ |= a->address[l] ^ a->address[0];
    return !differ;
}

static unsigned first_gap(uint64_t lanes) { return ~lanes ? bit_lowest(~lanes) : 64; }

static void coalesce_global(const struct sm *s, struct lsu_entry *e, const struct exec_access *a,
                            uint64_t lanes)
{
    uint32_t line_bytes = s->line_bytes;
    const struct timed_engine *engine = e->grid->engine;
    unsigned all = engine->exec.lanes;
    if (engine->is_row || (a->kind == ACCESS_TEXTURE && a->address[0] && exec_access_is_row(a, all))) {
        coalesce_row(e, a, all, line_bytes);
        return;
    }
    if (lanes == bit_mask(32) && is_one_place(a) && a->address[0] % a->bytes == 0) {
        if (a->address[0]) add_line(e, a->address[0], a->bytes, 32, line_bytes);
        return;
    }
    while (lanes) { // runs of lanes with contiguous addresses or with the same address
        unsigned from = bit_lowest(lanes), l = from, gap = first_gap(lanes >> from) + from;
        uint64_t start = a->address[from], end = start;
        unsigned same = 1;
        for (; l < gap && a->address[l] == end; l++) end += a->bytes;
        lanes &= ~bit_mask(l);
        if (end - start == a->bytes)
            for (; lanes && a->address[bit_lowest(lanes)] == start; lanes &= lanes - 1) same++;
        for (uint64_t at = start, next; start && at < end; at = next) {
            next = (at | (line_bytes - 1)) + 1;
            if (next > end) next = end;
            add_line(e, at, (unsigned)(next - at), same, line_bytes);
        }
    }
}

static unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }

// With sim.no_scatter: of the access's lines as many as its bytes fill. The place of the first lane's address in its
// line chooses the lines, so accesses along a line go to different lines, as coalesced accesses would.
static void gather_lines(const struct sm *s, struct lsu_entry *e, const struct exec_access *a, uint64_t lanes)
{
    unsigned bytes = bit_count(lanes) * a->bytes, needed = (bytes + s->line_bytes - 1) / s->line_bytes;
    bool is_plain = e->kind == LSU_LOAD || e->kind == LSU_LOAD_PAST_L1 || e->kind == LSU_STORE;
    if (!is_plain || needed >= e->count) return;
    unsigned place = (unsigned)(a->address[bit_lowest(lanes)] % s->line_bytes) / a->bytes;
    struct transaction kept[COALESCE_LANES * 2];
    for (unsigned k = 0; k < needed; k++, bytes -= smaller(bytes, s->line_bytes)) {
        unsigned here = smaller(bytes, s->line_bytes);
        kept[k] = (struct transaction){.line = e->lines[(place * needed + k) % e->count].line,
                                       .sectors = (uint8_t)bit_mask((here + SECTOR_BYTES - 1) / SECTOR_BYTES),
                                       .bytes = (uint8_t)here};
    }
    for (unsigned k = 0; k < needed; k++) e->lines[k] = kept[k];
    e->count = (uint16_t)needed;
}

// Base address of the warp's local memory, laid out word by word, lanes contiguous, so that equal local
// addresses coalesce. With flat memory, local memory is in the stacks in global memory, and a word's copies
// of all warps of the block are contiguous, too.
static uint64_t local_base(const struct sm *s, const struct lsu_entry *e)
{
    const struct sm_launch *l = e->grid->launch;
    const struct exec *x = &e->grid->engine->exec;
    const struct sm_warp *w = &s->warps[e->warp];
    uint64_t words = (l->launch->local_total + 3) / 4;
    if (l->launch->flat) return l->launch->flat->stacks + w->warp->index * x->vector_bytes;
    return l->space + GPU_LOCAL_ADDRESS + ((uint64_t)s->index * SM_WARPS + w->place) * words * x->lanes * 4;
}

static void coalesce_local(const struct sm *s, struct lsu_entry *e, struct exec_access *a)
{
    uint64_t base = local_base(s, e), stride = e->grid->engine->exec.local_stride;
    for (uint64_t left = a->local; left; left &= left - 1) {
        unsigned lane = bit_lowest(left);
        for (unsigned n = 0; n < a->bytes; n += 4) {
            uint64_t address = base + (a->address[lane] + n) / 4 * stride + lane * 4;
            add_line(e, address, a->bytes < 4 ? a->bytes : 4, 1, s->line_bytes);
        }
    }
}

// Whether 32 lanes, a 4-byte word each, ask none of 32 shared-memory banks for two different words. Every
// lane writes its word's address to its bank's entry of a table; with a conflict some lane reads back a
// different address.
static bool all_find_their_own(const struct exec_access *a)
{
    uint32_t word_of[32], differ = 0;
    for (unsigned l = 0; l < 32; l++) word_of[a->address[l] / 4 % 32] = (uint32_t)a->address[l];
    for (unsigned l = 0; l < 32; l++) differ |= word_of[a->address[l] / 4 % 32] ^ (uint32_t)a->address[l];
    return !differ;
}

// Whether 32 lanes, a 4-byte word each, access shared memory without a bank conflict. Neighbouring lanes
// mostly ask for the same word or contiguous words, a run. Free of conflicts: runs in different banks, and a
// run within an earlier run. Other patterns are checked lane by lane.
static bool is_conflict_free(const struct exec_access *a)
{
    struct {
        uint32_t first, last;
    } run[4];
    uint32_t taken = 0;
    for (unsigned n = 0, l = 0; l < 32; n++) {
        if (n == sizeof run / sizeof *run) return all_find_their_own(a);
        uint64_t before = a->address[l], next;
        run[n].first = (uint32_t)(before / 4);
        while (++l < 32 && !(((next = a->address[l]) - before) & ~4ull)) before = next;
        run[n].last = (uint32_t)(before / 4);
        uint64_t wrapped = bit_mask(run[n].last - run[n].first + 1) << run[n].first % 32;
        uint32_t banks = (uint32_t)(wrapped | wrapped >> 32);
        unsigned among = taken & banks ? 0 : n;
        while (among < n && (run[n].first < run[among].first || run[n].last > run[among].last)) among++;
        if (taken & banks && among == n) return all_find_their_own(a);
        taken |= banks;
    }
    return true;
}

// Number of rounds until every lane is served, at one key (word) per bank and round; lanes with equal keys
// are served together. In a round every lane writes its key to its bank's entry; a lane reading its own key
// back is served.
static unsigned bank_turns(uint32_t *key, uint8_t *bank, unsigned count)
{
    uint32_t owner[64];
    unsigned turns = 0;
    for (unsigned left; count; count = left, turns++) {
        for (unsigned k = 0; k < count; k++) owner[bank[k]] = key[k];
        left = 0;
        for (unsigned k = 0; k < count; k++) {
            bool waits = owner[bank[k]] != key[k];
            key[left] = key[k];
            bank[left] = bank[k];
            left += waits;
        }
    }
    return turns;
}

// Number of rounds until every lane is served, at one lane per bank and round: the longest queue of a bank.
static unsigned longest_queue(const uint8_t *bank, unsigned count)
{
    uint8_t waiting[64] = {0};
    unsigned turns = 0;
    for (unsigned k = 0; k < count; k++) {
        unsigned n = ++waiting[bank[k]];
        turns = n > turns ? n : turns;
    }
    return turns;
}

// The passes of shared_passes, counted for any pattern.
static unsigned count_passes(const struct sm *s, unsigned lanes, const struct exec_access *a, bool is_atomic)
{
    unsigned words = a->bytes > 4 ? a->bytes / 4 : 1, banks = s->config->shared_banks / words;
    unsigned repeat = banks ? 1 : words / s->config->shared_banks, shift = (unsigned)__builtin_ctz(words) + 2;
    unsigned group = lanes / words < 32 ? lanes / words : 32, passes = 0;
    if (!banks) banks = 1;
    // Accesses are aligned, so the words of one lane fill adjacent banks: equivalent to one wider bank.
    for (unsigned start = 0; start < lanes; start += group) {
        uint32_t key[32];
        uint8_t bank[32];
        unsigned count = 0;
        for (uint64_t left = a->shared >> start & bit_mask(group); left; left &= left - 1, count++) {
            uint32_t word = (uint32_t)(a->address[start + bit_lowest(left)] >> shift);
            key[count] = word;
            bank[count] = (uint8_t)(is_power_of_two(banks) ? word & (banks - 1) : word % banks);
        }
        passes += (is_atomic ? longest_queue(bank, count) : bank_turns(key, bank, count)) * repeat;
    }
    return passes ? passes : 1;
}

// Passes of a shared-memory access over the banks. Lanes with different words of a bank take turns; a word is
// read once for all lanes. Accesses wider than 4 bytes go in halves or quarters of the warp, and at most 32
// lanes go at once. Atomics on the same word take turns, too.
static unsigned shared_passes(const struct sm *s, const struct timed_engine *engine,
                              const struct exec_access *a, bool is_atomic)
{
    unsigned words = a->bytes > 4 ? a->bytes / 4 : 1, lanes = engine->exec.lanes;
    if (lanes == 32 && s->config->shared_banks == 32 && a->shared == bit_mask(32)) {
        if (!is_atomic && engine->is_row) return words;
        if (is_one_place(a)) return is_atomic ? lanes : words;
        if (!is_atomic && a->bytes == 4 && is_conflict_free(a)) return 1;
    }
    return count_passes(s, lanes, a, is_atomic);
}

// With shared.wide=words, passes of a shared-memory access of more than 4 bytes a lane: the largest number of
// different words asked of one bank. At least half the words of one lane, even where all lanes read one
// address.
static unsigned wide_passes(const struct sm *s, const struct exec_access *a)
{
    uint32_t key[WARP_SIZE_MAX * 4];
    uint8_t bank[WARP_SIZE_MAX * 4];
    unsigned words = a->bytes / 4, count = 0;
    for (uint64_t left = a->shared; left; left &= left - 1)
        for (unsigned n = 0; n < words; n++, count++) {
            key[count] = (uint32_t)(a->address[bit_lowest(left)] / 4) + n;
            bank[count] = (uint8_t)(key[count] % s->config->shared_banks);
        }
    return (unsigned)u32_max(bank_turns(key, bank, count), words / 2);
}

// LDSM: the first 8 lanes have the addresses of the first matrix's rows, and so on. A pass is a wavefront: a matrix
// takes one pass, or more where rows share banks.
static __attribute__((noinline)) unsigned matrix_passes(const struct sm *s, const struct exec_access *a,
                                                        const struct inst *i)
{
    enum { ROWS = 8, ROW_WORDS = 4 };
    unsigned passes = 0, lanes = ROWS * isa_mma_shapes[i->shape].matrices;
    for (unsigned base = 0; base < WARP_SIZE_MAX; base += COALESCE_LANES)
        for (unsigned first = base; first < base + lanes; first += ROWS) {
            uint32_t key[ROWS * ROW_WORDS];
            uint8_t bank[ROWS * ROW_WORDS];
            unsigned count = 0;
            for (uint64_t left = a->shared & bit_mask(ROWS) << first; left; left &= left - 1)
                for (unsigned n = 0; n < ROW_WORDS; n++, count++) {
                    key[count] = (uint32_t)(a->address[bit_lowest(left)] / 4) + n;
                    bank[count] = (uint8_t)(key[count] % s->config->shared_banks);
                }
            passes += bank_turns(key, bank, count);
        }
    return passes;
}

static unsigned passes_of(const struct sm *s, const struct timed_engine *engine, const struct exec_access *a,
                          bool is_atomic)
{
    bool in_parts = a->bytes <= 4 || is_atomic || s->config->shared_wide == SHARED_WIDE_PARTS;
    return in_parts ? shared_passes(s, engine, a, is_atomic) : wide_passes(s, a);
}

// As passes_of. The instruction's last access is remembered: in a loop, or for the next warp, the distances
// between lanes are mostly the same.
static unsigned remembered_passes(struct sm *s, const struct lsu_entry *e, const struct exec_access *a,
                                  bool is_atomic)
{
    const struct timed_engine *engine = e->grid->engine;
    if (engine->exec.lanes != COALESCE_LANES) return passes_of(s, engine, a, is_atomic);
    if (engine->is_row && a->bytes <= 4 && !is_atomic && s->config->shared_banks == COALESCE_LANES) return 1;
    struct coalesce_known *k = &s->coalesce.known[(size_t)(e->op - e->grid->ops) % COALESCE_KNOWN];
    uint8_t low = a->address[0] & 3;
    if (k->mask == a->shared && k->bytes == a->bytes && k->low == low && k->is_atomic == is_atomic &&
        engine->exec.loops->have_distances(a->address, k->distance)) {
        if (s->config->check) check_passes(&s->check, k->passes, passes_of(s, engine, a, is_atomic));
        return k->passes;
    }
    *k = (struct coalesce_known){.mask = a->shared,
                                 .passes = (uint16_t)passes_of(s, engine, a, is_atomic),
                                 .bytes = a->bytes,
                                 .low = low,
                                 .is_atomic = is_atomic};
    for (unsigned l = 0; l < COALESCE_LANES; l++)
        k->distance[l] = (uint32_t)a->address[l] - (uint32_t)a->address[0];
    return k->passes;
}

// Cycles of the texture unit, or of constant reads (constant.words), beyond the one cycle that each cache
// line of the access takes.
static unsigned more_cycles(const struct sm *s, const struct exec_access *a, const struct lsu_entry *e)
{
    unsigned cycles = 0;
    if (e->kind == LSU_TEXTURE) {
        unsigned quads = 0;
        for (unsigned l = 0; l < WARP_SIZE_MAX; l += 4) quads += (a->mask >> l & 15) != 0;
        cycles = (quads * 4 + s->config->texture_texels - 1) / s->config->texture_texels;
    } else if (e->kind == LSU_CONSTANT && s->config->constant_words) {
        uint32_t key[WARP_SIZE_MAX];
        uint8_t bank[WARP_SIZE_MAX] = {0};
        unsigned count = 0;
        for (uint64_t left = a->mask; left; left &= left - 1)
            key[count++] = (uint32_t)(a->address[bit_lowest(left)] / 4);
        unsigned words = bank_turns(key, bank, count) * (a->bytes > 4 ? a->bytes / 4 : 1);
        cycles = (words + s->config->constant_words - 1) / s->config->constant_words;
    }
    return cycles > e->count ? cycles - e->count : 0;
}

// Whether a load bypasses L1. PTX ISA, "Cache Operators": .cg caches in L2 and below, .cv fetches anew. L1s
// are not coherent, so loads that must see stores of other SMs bypass L1.
static bool is_past_l1(const struct inst *i)
{
    return i->cache == CACHE_CG || i->cache == CACHE_CV || (i->sem != SEM_WEAK && i->scope != SCOPE_CTA);
}

static enum lsu_kind load_kind_of(const struct inst *i, uint64_t global, uint64_t local)
{
    if (global) return is_past_l1(i) ? LSU_LOAD_PAST_L1 : LSU_LOAD;
    return local ? LSU_LOCAL_LOAD : LSU_SHARED;
}

static enum lsu_kind kind_of(const struct exec_access *a, const struct inst *i)
{
    if (i->op == OP_LDC) return LSU_CONSTANT;
    uint64_t global = a->mask & ~(a->shared | a->local);
    switch ((enum access_kind)a->kind) {
    case ACCESS_TEXTURE: return LSU_TEXTURE;
    case ACCESS_LOAD: return load_kind_of(i, global, a->local);
    case ACCESS_STORE: return global ? LSU_STORE : a->local ? LSU_LOCAL_STORE : LSU_SHARED;
    case ACCESS_ATOMIC: return global ? LSU_ATOMIC : LSU_SHARED;
    case ACCESS_REDUCE: return global ? LSU_REDUCE : LSU_SHARED;
    case ACCESS_REMOTE: return LSU_REMOTE;
    case ACCESS_NONE: break;
    }
    return LSU_SHARED;
}

// With sim.no_conflicts: the passes of an access, without passes beyond those of distinct banks.
static uint16_t least_passes(const struct lsu_entry *e, const struct exec_access *a, const struct inst *i)
{
    unsigned words = a->bytes > 4 ? a->bytes / 4 : 1;
    if (i->op == OP_LDSM) words = isa_mma_shapes[i->shape].matrices;
    return e->cycles > words ? (uint16_t)words : e->cycles;
}

// Caches know global memory below LAUNCH_FAR_ADDRESS, and addresses of code, constants and local memory beyond. Host
// memory from there on is given lines below; a line of device memory with an equal address costs time, not values.
static void fold_far(struct exec_access *a, uint64_t lanes)
{
    for (; lanes; lanes &= lanes - 1) a->address[bit_lowest(lanes)] &= LAUNCH_FAR_ADDRESS - 1;
}

void coalesce(struct sm *s, struct lsu_entry *e, struct exec_access *a, const struct inst *i)
{
    const struct sm_grid *g = e->grid;
    uint64_t global = a->mask & ~(a->shared | a->local);
    e->kind = (uint8_t)kind_of(a, i);
    e->cycles = e->count = 0;
    if (a->shared)
        e->cycles = (uint16_t)(i->op == OP_LDSM ? matrix_passes(s, a, i)
                                                : remembered_passes(s, e, a, isa_has(i, ISA_ATOMIC)));
    if (e->kind == LSU_REMOTE) return;
    if (e->kind == LSU_CONSTANT)
        for (uint64_t left = a->mask; left; left &= left - 1)
            a->address[bit_lowest(left)] +=
                g->launch->space + GPU_CONSTANT_ADDRESS + ((uint64_t)i->bank << 32);
    if (s->config->no_conflicts) e->cycles = least_passes(e, a, i);
    if (global && g->launch->launch->has_far) fold_far(a, global);
    if (global) coalesce_global(s, e, a, global);
    if (global && s->config->no_scatter) gather_lines(s, e, a, global);
    if (a->local && s->config->no_local && !global) {
        e->kind = LSU_SHARED;
        e->cycles = (uint16_t)(e->cycles ? e->cycles : 1);
    } else if (a->local)
        coalesce_local(s, e, a);
    if (e->kind == LSU_TEXTURE || e->kind == LSU_CONSTANT) e->cycles = (uint16_t)more_cycles(s, a, e);
}

unsigned coalesce_passes_of_copy(const struct sm *s, const struct sm_warp *w, const struct async_entry *c)
{
    struct exec_access a = {.kind = ACCESS_STORE, .bytes = c->bytes, .mask = c->lanes, .shared = c->lanes};
    bool in_parts = c->bytes == 4 || s->config->shared_wide == SHARED_WIDE_PARTS;
    for (uint64_t left = c->lanes; left; left &= left - 1)
        a.address[bit_lowest(left)] = (uint64_t)(c->to[bit_lowest(left)] - w->warp->shared);
    unsigned least = c->bytes / 4, lanes = w->grid->engine->exec.lanes;
    unsigned passes = in_parts ? count_passes(s, lanes, &a, false) : wide_passes(s, &a);
    return s->config->no_conflicts && passes > least ? least : passes;
}
