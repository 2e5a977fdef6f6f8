#include "exec/circle.h"
#include "base/bits.h"
#include "base/hash.h"
#include "exec/exec_impl.h"
#include "exec/launch.h"
#include "exec/memory.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/modes.h"
#include "isa/program.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void circle_fini(struct circle *x)
{
    free(x->kept);
    free(x->executed);
    free(x->reads);
    *x = (struct circle){0};
}

// -- the state ----------------------------------------------------------------------------------------------

// Fixed-size part of a warp's state; splits, local memory, predicates and registers are further pieces.
struct circle_state {
    uint64_t active, exited;
    uint32_t pc, depth, current, split_fuel, split_turn, turn_lane, parts;
};

// A warp's state is a list of pieces, compared one by one in place: most warps differ from the kept state in
// an early piece.
struct piece {
    const void *at;
    // each: bytes of one register or predicate of the piece; 0: the whole piece must be equal.
    size_t bytes, each;
};
enum { PIECES = 6 + LANES_MAX };

// Fixed-size part of a warp's state. Padding bytes are 0, since states are compared byte by byte.
static struct circle_state state_of(const struct warp *w)
{
    struct circle_state state;
    memset(&state, 0, sizeof state);
    state.active = w->active;
    state.exited = w->exited;
    state.pc = w->pc;
    state.depth = w->depth;
    state.current = w->current;
    state.split_fuel = w->split_fuel;
    state.split_turn = w->split_turn;
    state.turn_lane = w->turn_lane;
    state.parts = (uint32_t)w->splits.count;
    return state;
}

// Lists the pieces of a warp's state and returns their number. The first piece has the number of splits:
// states with equal first pieces have equally many pieces, of equal lengths.
static unsigned pieces_of(const struct warp *w, const struct circle_state *state,
                          struct circle_elsewhere elsewhere, struct piece pieces[PIECES])
{
    size_t registers = w->exec->program->reg_count;
    size_t part = offsetof(struct split, barrier_threads) + sizeof(uint32_t); // the rest is padding
    unsigned n = 0;
    pieces[n++] = (struct piece){state, sizeof *state, 0};
    for (size_t k = 0; k < w->splits.count; k++) pieces[n++] = (struct piece){&w->splits.data[k], part, 0};
    pieces[n++] = (struct piece){w->local, w->cta->local_bytes, 0};
    pieces[n++] = (struct piece){w->pred, PRED_LIMIT * sizeof *w->pred, sizeof *w->pred};
    pieces[n++] = (struct piece){w->regs, registers * w->exec->vector_bytes, w->exec->vector_bytes};
    if (elsewhere.words)
        pieces[n++] = (struct piece){elsewhere.words, registers * elsewhere.each, elsewhere.each};
    return n;
}

static bool is_needed(const struct circle_needs *n, const struct piece *p, const struct warp *w, size_t place)
{
    if (p->at == w->pred) return n->predicates >> place & 1;
    return n->registers[place / 64] >> place % 64 & 1;
}

static bool needed_are_equal(const struct circle_needs *n, const struct piece *p, const struct warp *w,
                             const uint8_t *kept)
{
    const uint8_t *now = p->at;
    for (size_t k = 0; k < p->bytes / p->each; k++, kept += p->each, now += p->each)
        if (is_needed(n, p, w, k) && memcmp(kept, now, p->each) != 0) return false;
    return true;
}

// True if the warp is in the kept state again: registers and predicates need be equal only where needed, all
// other pieces wholly. False without a kept state, or when a needed value is read from a clock. Local memory,
// the longest piece, is compared last: a loop counter in a register differs before.
static bool is_kept(struct circle *x, const struct warp *w, const struct piece *pieces, unsigned count)
{
    const uint8_t *kept = x->kept, *local = NULL;
    unsigned k = 0;
    if (!kept) return false;
    for (; k < count && !pieces[k].each; kept += pieces[k++].bytes) {
        if (pieces[k].at == w->local)
            local = kept;
        else if (memcmp(kept, pieces[k].at, pieces[k].bytes) != 0)
            return false;
    }
    if (x->is_wider) circle_needs_make(&x->needs, w->exec->program, x->executed);
    x->is_wider = false;
    if (x->needs.time) return false;
    for (; k < count; kept += pieces[k++].bytes)
        if (!needed_are_equal(&x->needs, &pieces[k], w, kept)) return false;
    return !local || memcmp(local, w->local, w->cta->local_bytes) == 0;
}

static size_t executed_bytes(const struct warp *w)
{
    return (w->exec->program->inst_count / 64 + 1) * sizeof(uint64_t);
}

static void keep(struct circle *x, const struct warp *w, const struct piece *pieces, unsigned count)
{
    size_t bytes = 0;
    for (unsigned k = 0; k < count; k++) bytes += pieces[k].bytes;
    if (bytes > x->kept_bytes) {
        free(x->kept);
        x->kept = heap_alloc(bytes);
        x->kept_bytes = bytes;
    }
    uint8_t *to = x->kept;
    for (unsigned k = 0; k < count; to += pieces[k++].bytes) memcpy(to, pieces[k].at, pieces[k].bytes);
    memset(x->executed, 0, executed_bytes(w));
    x->is_wider = true;
    x->next_kept = 2 * x->branches;
}

void circle_branched(struct circle *x, const struct warp *w, struct circle_elsewhere elsewhere)
{
    struct piece pieces[PIECES];
    if (x->came_back) return;
    const struct circle_state state = state_of(w);
    unsigned count = pieces_of(w, &state, elsewhere, pieces);
    x->came_back = is_kept(x, w, pieces, count);
    if (!x->came_back && x->branches++ >= x->next_kept) keep(x, w, pieces, count);
}

// -- instructions -------------------------------------------------------------------------------------------

bool circle_is_outward(const struct inst *i)
{
    return i->op == OP_SYSCALL || (i->op == OP_BAR && i->mode == MODE_BAR_RED) || i->op == OP_WARPCMD ||
           i->op == OP_RCSR;
}

static enum isa_space space_of(const struct exec_access *a, unsigned lane)
{
    return a->shared >> lane & 1 ? SPACE_SHARED : a->local >> lane & 1 ? SPACE_LOCAL : SPACE_GLOBAL;
}

static struct circle_read read_of(uint32_t index, const struct exec_access *a)
{
    unsigned first = bit_lowest(a->mask);
    struct circle_read r = {.index = index,
                            .space = (uint8_t)space_of(a, first),
                            .bytes = a->bytes,
                            .address = a->address[first],
                            .hash = hash_u64(a->mask)};
    for (uint64_t left = a->mask; left; left &= left - 1)
        r.hash = hash_u64(r.hash ^ a->address[bit_lowest(left)]);
    return r;
}

// Notes a memory read by one instruction of the warp, at time `when` of the caller's clock. An instruction
// without room in the table counts every read as one of new addresses.
static void note_read(struct circle *x, const struct circle_read *r, uint64_t when)
{
    unsigned k = 0;
    if (!x->reads) x->reads = heap_alloc(CIRCLE_READS * sizeof *x->reads);
    while (k < x->read_count && x->reads[k].index != r->index) k++;
    bool is_same = k < x->read_count && x->reads[k].hash == r->hash && x->reads[k].space == r->space;
    x->read_at = when;
    if (is_same) return;
    x->same_since = when;
    if (k == CIRCLE_READS) return;
    x->reads[k] = *r;
    if (k == x->read_count) x->read_count++;
}

// True for a load, or an atomic with a result, of any lane outside local memory: the value may change.
// Constants do not change during a launch, and textures are assumed not to.
static bool is_read(const struct exec_access *a, const struct inst *i)
{
    if (i->op == OP_LDC) return false;
    switch ((enum access_kind)a->kind) {
    case ACCESS_LOAD:
    case ACCESS_REMOTE:
    case ACCESS_ATOMIC: return a->mask & ~a->local;
    case ACCESS_NONE:
    case ACCESS_STORE:
    case ACCESS_REDUCE:
    case ACCESS_TEXTURE: break;
    }
    return false;
}

void circle_executed(struct circle *x, const struct warp *w, uint32_t index, const struct exec_access *access,
                     uint64_t when)
{
    uint64_t bit = 1ull << index % 64;
    if (!x->executed) x->executed = heap_alloc(executed_bytes(w));
    if (!(x->executed[index / 64] & bit)) x->is_wider = true;
    x->executed[index / 64] |= bit;
    if (!access || !is_read(access, &w->exec->program->insts[index])) return;
    const struct circle_read r = read_of(index, access);
    note_read(x, &r, when);
}

bool circle_polls(const struct circle *x, uint64_t now, uint64_t long_enough)
{
    return x->read_count && now - x->same_since >= long_enough && now - x->read_at <= long_enough / 4;
}

// -- reports ------------------------------------------------------------------------------------------------

static void describe_read(const struct circle_read *r, const struct warp *w, struct strbuf *out)
{
    const struct memory *m = w->exec->launch->memory;
    uint64_t value = 0, field = w->exec->launch->flat ? 0 : r->address >> ISA_RANK_SHIFT;
    strbuf_printf(out, "; reads %s 0x%" PRIx64, r->space == SPACE_SHARED ? "shared" : "global", r->address);
    if (r->space == SPACE_SHARED && field) { // shared memory of another block: its SM may write the word now
        strbuf_printf(out, " of the block of rank %" PRIu64, field - 1);
        return;
    }
    const uint8_t *host =
        r->space == SPACE_SHARED ? w->shared + r->address : memory_host(m, r->address, r->bytes);
    if (host && r->bytes <= sizeof value) {
        memcpy(&value, host, r->bytes);
        strbuf_printf(out, " (%u bytes: 0x%" PRIx64 ")", r->bytes, value);
    }
    if (r->space == SPACE_SHARED || !host) return;
    struct strbuf where = {0};
    memory_describe(m, r->address, &where);
    const char *is = strstr(strbuf_text(&where), " is ");
    if (is) strbuf_printf(out, ", %s", is + strlen(" is "));
    strbuf_fini(&where);
}

// Describes the lowest and the highest pc executed since the state was kept, and the last reads of up to four
// instructions.
void circle_describe(const struct circle *x, const struct warp *w, struct strbuf *out)
{
    enum { SHOWN = 4 };
    const struct program *p = w->exec->program;
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t n = 0; x->executed && n < p->inst_count; n++) {
        if (!(x->executed[n / 64] >> n % 64 & 1)) continue;
        if (first == UINT32_MAX) first = n;
        last = n;
    }
    if (first == UINT32_MAX) return;
    strbuf_printf(out, "goes round pc 0x%04x to 0x%04x", program_pc(p, first), program_pc(p, last));
    for (unsigned k = 0; k < x->read_count && k < SHOWN; k++)
        if (x->executed[x->reads[k].index / 64] >> x->reads[k].index % 64 & 1)
            describe_read(&x->reads[k], w, out);
}
