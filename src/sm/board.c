// Commits of the many-thread-aware scoreboard. A commit's cycle is reserved as soon as the cycle is known, so
// no cycle-by-cycle work is needed. An instruction commits when complete, after the older instructions of its
// warp, at most one instruction a cycle on the SM. The next query to the board frees the list elements of
// committed instructions.
#include "exec/warp.h"
#include "sm/board_shadow.h"
#include "sm/sm_impl.h"

#include <stdlib.h>

// -- elements -----------------------------------------------------------------------------------------------

static bool has_any(const struct board_warp *b) { return b->head != BOARD_NONE; }

static void give_back(struct sm *s, struct board_warp *w)
{
    struct board *b = &s->board;
    uint8_t element = w->head;
    struct board_inst *i = &b->insts[element];
    if (b->shadow) board_shadow_commits(b->shadow, b, element);
    w->head = i->next;
    if (i->next == BOARD_NONE) w->tail = BOARD_NONE;
    b->used -= i->words;
    b->taken &= ~(1ull << element);
}

// Frees the list elements of instructions committed by now, each warp's oldest first.
static void give_back_committed(struct sm *s)
{
    struct board *b = &s->board;
    if (b->soonest > s->now) return;
    for (uint64_t left = b->taken; left; left &= left - 1) {
        if (!(b->taken >> bit_lowest(left) & 1)) continue;
        struct board_warp *w = &b->warps[b->insts[bit_lowest(left)].slot];
        while (has_any(w) && b->insts[w->head].commit <= s->now) give_back(s, w);
    }
    b->soonest = CYCLE_NEVER;
    for (uint64_t left = b->taken; left; left &= left - 1) {
        uint64_t commit = b->insts[bit_lowest(left)].commit;
        if (commit < b->soonest) b->soonest = commit;
    }
}

// Reserves for a commit the first free cycle from `at` on. Returns the cycle.
static uint64_t take_commit(struct board *b, uint64_t at)
{
    while (b->commits[at % BOARD_CYCLES] == at) at++;
    b->commits[at % BOARD_CYCLES] = at;
    return at;
}

// Reserves commit cycles for the warp's instructions with a known cycle of completion, oldest first, up to
// the first instruction that awaits a memory reply.
static void settle(struct sm *s, struct board_warp *w)
{
    struct board *b = &s->board;
    for (uint8_t e = w->head; e != BOARD_NONE && b->insts[e].done != CYCLE_NEVER; e = b->insts[e].next) {
        struct board_inst *i = &b->insts[e];
        if (i->commit != CYCLE_NEVER) continue;
        uint64_t soonest = later(later(i->done, w->committed + 1), s->now + 1);
        struct sm_warp *owner = &s->warps[i->slot];
        i->commit = w->committed = take_commit(b, soonest);
        owner->grid->counts.board_entry_cycles += i->words * (i->commit - i->since);
        operand_keep_busy(&owner->operands, i->commit);
        if (i->commit < b->soonest) b->soonest = i->commit;
        for (uint64_t left = b->wanting; left; left &= left - 1)
            ready_wake_at(s, bit_lowest(left), i->commit);
    }
}

// -- who may issue ------------------------------------------------------------------------------------------

static uint64_t executing(const struct sm_warp *w, const struct op *o)
{
    if (!o->is_guarded) return w->warp->active;
    uint64_t guard = w->warp->pred[o->guard];
    return w->warp->active & (o->guard_not ? ~guard : guard);
}

static bool defines(const struct board_inst *i, const struct sm_warp *w, const struct op *o)
{
    for (unsigned n = 0; n < i->words; n++)
        for (unsigned k = 0; k < o->dst_words; k++)
            if (i->matches >> n & 1 && i->registers[n] == w->operands.map[o->dst + k]) return true;
    return false;
}

static bool lacks_entries(const struct board *b, unsigned slot, const struct op *o)
{
    return b->used + o->dst_words > b->entries && has_any(&b->warps[slot]);
}

// Wait of an instruction before issue: the latest cycle over all causes, and the set of causes (BOARD_*).
struct wait {
    uint64_t until;
    bool memory;
    uint8_t causes;
};

static void add(const struct sm *s, struct wait *wait, uint64_t until, bool memory, uint8_t cause)
{
    if (until <= s->now) return;
    wait->causes |= cause;
    if (until <= wait->until) return;
    wait->until = until;
    wait->memory = memory;
}

// Adds to *wait the causes for which instruction `o` of the warp waits for the warp's older instruction `i`.
static void wait_for(const struct sm *s, struct wait *wait, const struct sm_warp *w, const struct op *o,
                     const struct board_inst *i)
{
    if (o->order & OP_STORES) add(s, wait, i->done, i->is_memory, BOARD_STORE);
    if (o->order & OP_LOADS && i->is_atomic) add(s, wait, i->done, true, BOARD_LOAD);
    if (!defines(i, w, o)) return;
    // `o` writes a register of the older `i`. An atomic's result reaches the engine's registers between issue
    // and reply. Mechanisms may share completed registers between warps. In both cases `o` waits for the
    // completion of `i`. Otherwise `o` waits only if `i` writes a lane that `o` does not, for the commit of
    // `i`.
    if (has_techs(s) || i->is_atomic)
        add(s, wait, i->done, i->is_memory, BOARD_MASK);
    else if (i->lanes & ~executing(w, o))
        add(s, wait, i->commit, i->is_memory, BOARD_MASK);
}

uint64_t board_lets(struct sm *s, unsigned slot, const struct op *o, bool *memory)
{
    struct board *b = &s->board;
    struct board_warp *own = &b->warps[slot];
    const struct sm_warp *w = &s->warps[slot];
    struct wait wait = {0};
    give_back_committed(s);
    b->wanting &= ~(1ull << slot);
    if (own->is_alone) {
        bool waits = w->lsu.loads || w->operands.stalls_for_memory;
        add(s, &wait, w->lsu.loads ? CYCLE_NEVER : w->operands.stall_until, waits, BOARD_FULL);
    }
    if (o->order & OP_LOADS && w->lsu.queued) add(s, &wait, CYCLE_NEVER, true, BOARD_LOAD);
    for (uint8_t e = own->head; e != BOARD_NONE; e = b->insts[e].next) wait_for(s, &wait, w, o, &b->insts[e]);
    if (lacks_entries(b, slot, o)) {
        add(s, &wait, b->soonest, b->insts[own->head].is_memory, BOARD_FULL);
        b->wanting |= 1ull << slot;
    }
    own->held |= wait.causes;
    *memory = wait.memory;
    return wait.until;
}

bool board_has_entries(struct sm *s, unsigned slot, const struct op *o)
{
    struct board *b = &s->board;
    give_back_committed(s);
    b->lanes = executing(&s->warps[slot], o);
    return !lacks_entries(b, slot, o);
}

// -- what issues --------------------------------------------------------------------------------------------

static void count(struct sm *s, unsigned slot, const struct op *o)
{
    struct board *b = &s->board;
    struct board_warp *own = &b->warps[slot];
    const struct sm_warp *w = &s->warps[slot];
    struct gpu_counts *n = &w->grid->counts;
    n->board_held_full += own->held & BOARD_FULL ? 1 : 0;
    n->board_held_mask += own->held & BOARD_MASK ? 1 : 0;
    n->board_held_store += own->held & BOARD_STORE ? 1 : 0;
    n->board_held_load += own->held & BOARD_LOAD ? 1 : 0;
    own->held = 0;
    n->board_searches += o->read_count + o->dst_words;
    for (uint8_t e = own->head; e != BOARD_NONE; e = b->insts[e].next)
        for (unsigned k = 0; k < o->read_count; k++)
            for (unsigned r = 0; r < b->insts[e].words; r++)
                n->board_reads +=
                    b->insts[e].matches >> r & 1 && b->insts[e].registers[r] == w->operands.map[o->reads[k]];
}

// Clears the match bits of the warp's older definitions of `reg`, hidden by a younger definition.
static void hide(struct board *b, unsigned slot, uint16_t reg)
{
    for (uint8_t e = b->warps[slot].head; e != BOARD_NONE; e = b->insts[e].next)
        for (unsigned n = 0; n < b->insts[e].words; n++)
            if (b->insts[e].registers[n] == reg) b->insts[e].matches &= (uint8_t) ~(1u << n);
}

static uint8_t enter(struct sm *s, unsigned slot, const struct op *o, uint64_t done)
{
    struct board *b = &s->board;
    struct board_warp *own = &b->warps[slot];
    uint8_t element = (uint8_t)bit_lowest(~b->taken);
    struct board_inst i = {.done = done,
                           .commit = CYCLE_NEVER,
                           .lanes = b->lanes,
                           .since = s->now,
                           .words = o->dst_words,
                           .matches = (uint8_t)bit_mask(o->dst_words),
                           .slot = (uint8_t)slot,
                           .next = BOARD_NONE,
                           .is_memory = o->path == PATH_MEMORY,
                           .is_atomic = (o->order & OP_STORES) != 0};
    for (unsigned n = 0; n < o->dst_words; n++) {
        i.registers[n] = s->warps[slot].operands.map[o->dst + n];
        hide(b, slot, i.registers[n]);
    }
    b->insts[element] = i;
    b->taken |= 1ull << element;
    b->used += i.words;
    if (has_any(own))
        b->insts[own->tail].next = element;
    else
        own->head = element;
    own->tail = element;
    s->warps[slot].grid->counts.board_instructions++;
    s->warps[slot].grid->counts.board_registers += i.words;
    return element;
}

uint8_t board_issued(struct sm *s, unsigned slot, const struct op *o, uint64_t done)
{
    struct board *b = &s->board;
    struct board_warp *own = &b->warps[slot];
    struct sm_warp *w = &s->warps[slot];
    uint8_t element = BOARD_NONE;
    count(s, slot, o);
    if (b->shadow) board_shadow_reads(b->shadow, s, slot, o);
    own->is_alone = o->dst_words && b->used + o->dst_words > b->entries;
    if (own->is_alone) {
        operand_stall(&w->operands, done == CYCLE_NEVER ? s->now : done);
        w->grid->counts.board_alone++;
    } else if (o->dst_words) {
        element = enter(s, slot, o, done);
    }
    if (b->shadow) board_shadow_writes(b->shadow, s, slot, o, element);
    if (element != BOARD_NONE) settle(s, own);
    return element;
}

void board_passed(struct sm *s, unsigned slot)
{
    s->board.warps[slot].is_alone = false;
    s->board.warps[slot].held = 0;
}

uint8_t board_replied(struct sm *s, unsigned slot, uint8_t element, uint64_t done)
{
    struct board_warp *own = &s->board.warps[slot];
    if (element == BOARD_NONE) {
        if (own->is_alone) operand_stall_for_memory(&s->warps[slot].operands, done);
        return 0xff;
    }
    struct board_inst *i = &s->board.insts[element];
    i->done = done;
    settle(s, own);
    return i->matches;
}

// -- lifetime ----------------------------------------------------------------------------------------------

void board_init(struct sm *s)
{
    struct board *b = &s->board;
    b->entries = s->config->board_entries;
    b->soonest = CYCLE_NEVER;
    if (s->config->dependences != DEPENDENCES_BOARD) return;
    b->insts = heap_alloc(BOARD_ENTRIES * sizeof *b->insts);
    b->warps = heap_alloc(SM_SLOTS * sizeof *b->warps);
    b->commits = heap_alloc(BOARD_CYCLES * sizeof *b->commits);
    for (unsigned slot = 0; slot < SM_SLOTS; slot++) b->warps[slot].head = b->warps[slot].tail = BOARD_NONE;
    if (s->config->check) b->shadow = board_shadow_create();
}

void board_fini(struct sm *s)
{
    free(s->board.insts);
    free(s->board.warps);
    free(s->board.commits);
    board_shadow_destroy(s->board.shadow);
}

void board_start(struct sm *s, unsigned slot)
{
    give_back_committed(s);
    if (has_any(&s->board.warps[slot]))
        s->board.broken = "a warp began in a slot with entries of the last warp";
    s->board.warps[slot] = (struct board_warp){.head = BOARD_NONE, .tail = BOARD_NONE};
    if (s->board.shadow) board_shadow_start(s->board.shadow, s, slot);
}

const char *board_check(const struct sm *s)
{
    const struct board *b = &s->board;
    uint32_t used = 0;
    if (b->broken) return b->broken;
    if (b->shadow && board_shadow_broken(b->shadow)) return board_shadow_broken(b->shadow);
    for (uint64_t left = b->taken; left; left &= left - 1) {
        const struct board_inst *i = &b->insts[bit_lowest(left)];
        used += i->words;
        if (i->commit == CYCLE_NEVER) return "an instruction in the board was never committed";
    }
    if (used != b->used || used > b->entries) return "the board's entries do not match its instructions";
    return NULL;
}

// -- storage -----------------------------------------------------------------------------------------------

static uint32_t bits_to_count(uint32_t values)
{
    uint32_t bits = 0;
    while (1u << bits < values) bits++;
    return bits;
}

uint32_t board_tag_bits(uint32_t entries, uint32_t registers, uint32_t lanes)
{
    enum { NO_MATCH = 1 };
    return entries * (bits_to_count(registers / lanes) + NO_MATCH);
}

uint32_t board_value_bits(uint32_t entries, uint32_t lanes)
{
    enum { COMPLETE = 1, MASKS = 2, WORD = 32 };
    return entries * (COMPLETE + MASKS * lanes + WORD * lanes + bits_to_count(entries));
}

uint32_t board_warp_bits(uint32_t entries, uint32_t warps)
{
    enum { POINTERS = 2, FLAGS = 2 };
    return warps * (POINTERS * bits_to_count(entries) + FLAGS);
}
