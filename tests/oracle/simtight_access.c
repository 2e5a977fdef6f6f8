// A warp's loads and stores on the way to DRAM: grouping of lanes by the coalescer, beats per group, beats
// spared by the compressed stack cache.
//
// The first waiting lane leads, and lanes join by the first rule that applies:
// - The leader accesses the scratchpad: every lane accessing the scratchpad joins.
// - Lanes of the leader's block join if their address is the place given by their lane number: words in 128
// bytes (two beats), halves in 64 or bytes in 32 (one beat). The leader and at least one more lane must
// qualify.
// - Otherwise lanes with the leader's address join (one beat).
#include "oracle/simtight_impl.h"

enum mode { MODE_ADDRESS, MODE_BYTE, MODE_HALF, MODE_WORD, MODE_SCRATCHPAD };

static bool follows(enum mode mode, uint32_t address, uint32_t leader, unsigned lane)
{
    switch (mode) {
    case MODE_ADDRESS: return address == leader;
    case MODE_BYTE: return address >> 5 == leader >> 5 && (address & 31) == lane;
    case MODE_HALF: return address >> 6 == leader >> 6 && (address >> 1 & 31) == lane;
    case MODE_WORD:
        return address >> 7 == leader >> 7 && (address >> 2 & 31) == lane && (address & 3) == (leader & 3);
    case MODE_SCRATCHPAD: return oracle_rv_is_scratchpad(address);
    }
    return false;
}

static uint32_t followers(const struct simtight_access *a, uint32_t pending, unsigned leader, enum mode mode)
{
    uint32_t lanes = 0;
    for (unsigned k = 0; k < LANES; k++)
        if (pending >> k & 1 && follows(mode, a->address[k], a->address[leader], k)) lanes |= 1u << k;
    return lanes;
}

static bool has_leader_and_another(uint32_t lanes, unsigned leader)
{
    return lanes >> leader & 1 && lanes != 1u << leader;
}

static enum mode choose(const struct simtight_access *a, uint32_t pending, unsigned leader)
{
    if (a->op == OP_FENCE) return MODE_ADDRESS; // requests of a fence have no address, so every lane joins
    if (oracle_rv_is_scratchpad(a->address[leader])) return MODE_SCRATCHPAD;
    unsigned width = oracle_rv_width(a->op);
    if (has_leader_and_another(followers(a, pending, leader, MODE_WORD), leader)) return MODE_WORD;
    enum mode mode = width == 1 ? MODE_BYTE : MODE_HALF;
    if (width < 4 && has_leader_and_another(followers(a, pending, leader, mode), leader)) return mode;
    return MODE_ADDRESS;
}

static void count_beats(struct simtight_oracle *o, bool is_store, unsigned beats)
{
    if (is_store)
        o->counts.store_beats += beats;
    else
        o->counts.load_beats += beats;
}

// The stack cache: 2,048 lines of 128 bytes; an entry is a base and a stride. Only stores allocate. A
// replaced entry goes to DRAM, as does an entry hit by a store that cannot be kept. Returns the group's
// beats with the stack cache.
static unsigned stack_cache_beats(struct simtight_oracle *o, const struct simtight_access *a,
                                  uint32_t address, uint32_t lanes, enum mode mode, unsigned beats)
{
    struct simtight_oracle_counts *c = &o->counts;
    uint32_t block = address / 128;
    struct stack_line *line = &o->stack_cache[block % STACK_CACHE_LINES];
    bool is_stack = address >= STACKS_BASE, is_hit = line->valid && line->block == block;
    if (a->op == OP_FENCE) return beats;
    if (!a->is_store) {
        if (is_hit) c->stack_cache_load_hits++;
        if (!is_hit && is_stack) c->stack_cache_load_misses++;
        return is_hit ? 0 : beats;
    }
    bool keeps = is_stack && a->is_compressed && a->op == OP_SW && mode == MODE_WORD && lanes == ALL_LANES;
    bool evicts = line->valid && is_hit != keeps;
    if (evicts) {
        c->stack_cache_evictions++;
        line->valid = false;
    }
    if (keeps) {
        c->stack_cache_inserts++;
        *line = (struct stack_line){true, block};
    }
    return (evicts ? 2 : 0) + (keeps ? 0 : beats);
}

void oracle_rv_access(struct simtight_oracle *o, const struct simtight_access *a,
                      void (*group)(void *context, uint32_t lanes), void *context)
{
    for (uint32_t pending = a->mask; pending;) {
        unsigned leader = (unsigned)__builtin_ctz(pending);
        enum mode mode = choose(a, pending, leader);
        uint32_t lanes = followers(a, pending, leader, mode);
        o->counts.groups++;
        if (mode != MODE_SCRATCHPAD) {
            unsigned beats = mode == MODE_WORD ? 2 : 1;
            count_beats(o, a->is_store, beats);
            o->counts.stack_cache_beats += stack_cache_beats(o, a, a->address[leader], lanes, mode, beats);
        }
        group(context, lanes);
        pending &= ~lanes;
    }
}

uint32_t oracle_rv_physical(uint32_t address, unsigned warp, unsigned lane)
{
    if (address < STACK_WINDOW) return address;
    return STACKS_BASE | (address >> 2 & 0x1ffff) << 13 | warp << 7 | lane << 2 | (address & 3);
}
