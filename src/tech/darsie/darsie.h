// DARSIE inside: what a launch, a block and a warp have, and who does what with it.
//
//     fetch ── lookup ─▶ skip                    (skip.c)     an entry whose leader has written back: on to the next PC
//     I-buffer ─ rename ─▶ lead, skip, private   (rename.c)   in program order, not past an unissued branch
//     … issue ── stage ─▶ execute ─▶ remap       (values.c)   shared registers are read where they are
//     branch, barrier, exit, store               (path.c)     who is on the majority's path; which loads hold
#pragma once
#include "tech/registry.h"

enum order { ORDER_VERSION, ORDER_SYNC };
enum on_store { STORE_DROPS, STORE_KEEPS, STORE_DROPS_OVERLAPPING };
enum on_barrier { BARRIER_ARRIVED, BARRIER_OVER };
enum branch_sync { BRANCH_MAJORITY, BRANCH_PARTING, BRANCH_FIRST, BRANCH_OFF };
enum pending { PENDING_WAIT, PENDING_PRIVATE };
enum full { FULL_PRIVATE, FULL_WAIT, FULL_WAIT_LOADS };
enum pool_from { POOL_TAILS, POOL_RESERVE, POOL_BLOCK };
enum darsie_rules { RULES_SOUND, RULES_PAPER };

struct darsie_options {
#define OPTION_U32(field, name, low, high, initial, meaning, source)    uint32_t field;
#define OPTION_SWITCH(field, name, initial, meaning, source)            int field;
#define OPTION_WORD(field, name, type, words, initial, meaning, source) int field;
#include "tech/darsie/options.def"
#undef OPTION_U32
#undef OPTION_SWITCH
#undef OPTION_WORD
};

enum darsie_counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/darsie/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

// Lines of a warp: as many as may be there when it skips one more, and then all that its I-buffer holds (16 at most).
enum { POOL_MAX = 32, LINES_SKIPPING = 32, LINES = 64 };

// What keeps it sound; each a bit of `broken`, by which tests leave one out to see that it is missed.
enum darsie_rule {
    RULE_POISON,       // who did not take a shared load takes nothing that was computed from it
    RULE_FENCE,        // fences, atomics and barriers end the sharing of loads
    RULE_TAG,          // entries are told apart by the branches that led to them
    RULE_CLEAR,        // where the block meets at a branch, entries end
    RULE_PARTIAL,      // warps that lack threads do not lead
    RULE_MEETING,      // barriers bring back whole warps alone, and only where all are at one place
    RULE_HELD_UP,      // nothing behind an instruction with effects is renamed before it has issued
    RULE_READERS,      // a renamed register is free when its last reader has left it behind
    RULE_COPY_OUT,     // who leaves takes the values along
    RULE_OLD_LANES,    // a guarded write keeps lanes of what the register shared
    RULE_WRITTEN_BACK, // followers wait for the leader's result
    RULE_WAYS,         // who goes elsewhere than the first leaves (branch-sync=first)
    RULE_ACQUIRE,      // who acquires by a reply yet to come takes no loads of others from then on
    RULE_VERSIONS,     // a register of the pool that has been given away since is another (diverged=on)
    RULE_REPLIES,      // a renamed register is not free while a reply to it is under way
    RULE_LATE,         // who starts later than the block is off the path until all of it meets at a barrier
    RULE_COUNT
};

enum branch_effect {
    BRANCH_NOTHING,
    BRANCH_COUNT, // all go the same way; the branches passed tell iterations apart
    BRANCH_MEET   // warps meet
};

struct darsie_launch {
    const struct darsie_options *options;
    const struct program *program;
    const struct op *ops;
    // The same, with the registers and predicates alone whose values say what becomes of poison: without those that
    // another mechanism hands to the instruction.
    const struct op *sources;
    // By instruction: in this launch warps whose numbers differ by multiples of this have the same result; 0:
    // none do, or it is not one that can be shared.
    uint8_t *period;
    bool *blocks;     // nothing behind it is renamed before it has issued
    bool *plain;      // it does nothing but write registers and predicates, without memory
    uint8_t *effects; // enum branch_effect
    bool *followed;   // the block may have its result in common: poison is followed through it
    bool *changing;   // it loads what others may write meanwhile; by rules=paper, whatever it loads
    bool has_gaps;    // warps do not come to all instructions
    bool early;
    bool diverged;
    bool counts; // branches, by option, where the parts of a warp have one order and so a count tells its
                 // place
    bool verify;
    uint64_t *mismatches;
    const struct tech_listener *listener;
};

struct entry { // of the PC skip table
    uint32_t pc;
    bool is_load, is_global, written_back;
    bool dropped;   // a load that others may not take any more; it stays until all have passed
    uint8_t leader; // warp of the block
    uint8_t count;  // registers
    uint8_t registers[4];
    uint64_t tag;   // of the leader's path
    uint64_t lanes; // that the leader has there
    uint8_t old[4]; // lanes < all: where the registers are whose other lanes it keeps, as they were when
                    // it was born
    uint64_t whom, passed; // warps that may take it; that have
    uint64_t low, high;    // is_load: addresses read
    uint64_t preds[8];     // predicates the leader wrote
    uint64_t born;
    uint64_t ready;   // cycle of the leader's result; UINT64_MAX: not known yet
    uint64_t read_at; // cycle at which the leader executed
};

struct darsie;

struct way { // which a branch was left by
    uint32_t pc;
    uint64_t lanes;
    uint64_t went; // diverged: ways_taken
};

struct dblock {
    struct darsie *owner;
    uint8_t places[64];      // of its warps that have started
    unsigned started;        // so many of them
    uint64_t began;          // at which cycle
    uint16_t first_register; // of its pool
    uint64_t live, majority; // warps of the block: there, and on the path
    struct entry *entries;
    uint64_t used;    // bits: of them
    uint32_t free;    // bits: renamed registers
    uint32_t awaited; // bits: of them, those that a reply under way will write
    uint16_t references[POOL_MAX];
    uint32_t *values; // of the pool
    // branch-sync=first: ways that the path took at the last ahead + 1 branches since the block met, a ring,
    // and how many branches it has come to.
    struct way *ways;
    uint64_t decided;
    uint64_t at_barrier; // wait there, and loads are shared on
    uint64_t arrived;    // at a branch, and wait
    uint64_t arrived_since;
    uint32_t gather_pc; // a redundant instruction at which warps meet for want of room; NO_TARGET
    uint64_t gather_tag;
    uint64_t gathered, gather_over; // those that are there; those that have met there
    uint64_t
        replied_until; // replies to registers of the pool that warps have not been told of come until then
    uint64_t births;
    uint64_t allocated[POOL_MAX]; // births when a register was
    bool off;                     // gave up
};

enum role { ROLE_UNKNOWN, ROLE_PRIVATE, ROLE_LEADER, ROLE_SKIPPED };

struct line { // an instruction that has been fetched or skipped and has not issued
    uint32_t pc;
    uint8_t role, count;
    uint8_t registers[4]; // of the pool: LEADER writes them, SKIPPED maps to them
    uint64_t read_at;     // SKIPPED: when the leader executed
    uint64_t preds[2];    // SKIPPED: values of the predicates it writes, lowest first
};

enum waits { WAITS_NOT, WAITS_LEADER, WAITS_FETCH_LEADER, WAITS_GATHER, WAITS_PORT };

struct dwarp {
    uint8_t block, index;     // where it is
    uint8_t held;             // enum tech_hold, as it was said last
    struct line lines[LINES]; // ring
    uint32_t first, count, renamed;
    bool held_up;         // one that has been renamed lets nothing behind it be before it has issued
    bool stale;           // what the SM has made of its head, its registers and its I-buffer is out of date
    uint64_t shared[4];   // registers mapped to the pool
    uint64_t late[4];     // verify: of them, those whose own copy an older reply has still to overwrite
    uint64_t poison[5];   // registers and predicates whose value may be the warp's own
    bool poisoned_memory; // so may what it has stored to local memory
    uint8_t waits;        // enum waits
    bool at_branch, too_far; // waits for the others at a branch; behind one
    // The path since the block last met: with branch-sync=parting and first the branches passed, off: all
    // of it, hashed.
    uint64_t tag;
    uint32_t target;     // at_branch: where it goes
    uint64_t lanes;      // and with which
    uint64_t went;       // diverged: which ways, whoever runs next
    uint64_t copying;    // until then
    bool overtakes;      // the next instruction writes a register of its own that waits for an older result
    bool leaving;        // and then what a reply has still to bring
    uint64_t ordered_at; // its last barrier, fence, atomic or store
};

struct darsie {
    struct darsie_launch *launch;
    struct sm_grid *grid;
    uint64_t *counters;
    uint32_t pool; // registers of a block
    unsigned lanes;
    uint64_t whole; // all lanes of a warp
    struct dblock *blocks;
    struct dwarp *warps;
    uint64_t
        unlooked; // bits by place: the skipper has nothing to look up, until what the warp has fetched or
                  // its path changes
    // verify: [place][lane], every branch since the block last met, hashed; those of leaders,
    // [block][entry][lane].
    uint64_t *paths, *led_paths;
    // Ports of this cycle.
    uint64_t port_cycle;
    uint32_t reads_left, writes_left, looked_up;
    struct {
        unsigned block;
        uint32_t pc;
    } lookups[64];
    // Of the instruction that is issuing.
    bool leads; // it has written registers of the pool
    struct entry *leading;
    uint64_t led;
};

static inline void look_again(struct darsie *d, unsigned place) { d->unlooked &= ~(1ull << place); }
static inline struct line *line_at(struct dwarp *w, uint32_t n) { return &w->lines[(w->first + n) % LINES]; }
static inline unsigned index_in_block(const struct darsie *d, unsigned place)
{
    return d->warps[place].index;
}
static inline unsigned place_in(const struct dblock *b, unsigned index) { return b->places[index]; }
static inline struct dblock *block_of(const struct darsie *d, unsigned place)
{
    return &d->blocks[d->warps[place].block];
}
static inline bool is_shared(const struct dwarp *w, unsigned r) { return w->shared[r / 64] >> r % 64 & 1; }
static inline bool has_shared(const struct dwarp *w)
{
    return w->shared[0] | w->shared[1] | w->shared[2] | w->shared[3];
}
static inline struct entry *take_entry(const struct dblock *b, uint64_t *left)
{
    struct entry *e = &b->entries[__builtin_ctzll(*left)];
    *left &= *left - 1;
    return e;
}
// Warps do not wait at branches, or not at those at which all go one way; they are counted.
static inline bool counts_branches(const struct darsie_options *o)
{
    return o->branch_sync == BRANCH_PARTING || o->branch_sync == BRANCH_FIRST;
}
static inline bool is_whole(const struct darsie *d, const struct warp *w)
{
    uint64_t all = d->launch->options->partial ? w->present : d->whole;
    return w->active == all && w->present == all && !w->exited;
}
// Some lanes may not execute it; @!PT: none do.
static inline bool darsie_is_guarded(const struct inst *i) { return i->guard != PRED_TRUE || i->guard_not; }
// Keeps its place on the path: whole, or its lanes may part as those of others do.
static inline bool may_stay(const struct darsie *d, const struct warp *w)
{
    return d->launch->diverged ? w->present == d->whole && !w->exited : is_whole(d, w);
}
static inline uint64_t class_of(uint32_t period, unsigned index)
{
    uint64_t mask = 0;
    for (unsigned k = index % period; k < 64; k += period) mask |= 1ull << k;
    return mask;
}
// Its warp may not read afterwards what others read before. The paper does not think of acquiring loads.
static inline bool orders_loads(const struct darsie_options *o, const struct inst *i)
{
    return isa_has(i, ISA_ATOMIC | ISA_FENCE | ISA_BARRIER) ||
           (isa_has(i, ISA_LOAD) && i->sem == SEM_ACQUIRE && o->rules == RULES_SOUND);
}
static inline bool keeps(const struct darsie *d, enum darsie_rule rule)
{
    return !(d->launch->options->broken >> rule & 1);
}

enum step {
    STEP_LEAD,
    STEP_FOLLOW,
    STEP_PRIVATE,
    STEP_ARRIVE,
    STEP_MEET,
    STEP_LEAVE,
    STEP_REJOIN,
    STEP_GATHER,
    STEP_DROP,
    STEP_RELEASE
};
void darsie_say(const struct darsie *d, const struct dblock *b, unsigned warp, enum step what, uint32_t pc,
                uint32_t value);
static inline void say(const struct darsie *d, const struct dblock *b, unsigned warp, enum step what,
                       uint32_t pc, uint32_t value)
{
    if (d->launch->listener) darsie_say(d, b, warp, what, pc, value);
}
static inline void refer(struct dblock *b, unsigned r) { b->references[r]++; }
static inline void set_free(struct dblock *b, unsigned r)
{
    b->free |= 1u << r;
    say(b->owner, b, 0, STEP_RELEASE, NO_TARGET, r);
}
static inline void release(struct dblock *b, unsigned r)
{
    if (--b->references[r]) return;
    if (!(b->awaited >> r & 1)) set_free(b, r);
}

// -- skip.c
// The entry that a warp may take for the instruction, or is waited for; NULL.
struct entry *skip_find(struct darsie *d, unsigned place, uint32_t pc);
// The entry that the warp made for this line and has still to fill; NULL.
struct entry *skip_led(struct darsie *d, unsigned place, const struct line *l);
bool skip_waits(const struct darsie *d, const struct entry *e);
bool skip_fits(struct darsie *d, unsigned place, const struct entry *e);
uint64_t skip_fetch(void *state, uint64_t fetchable);
bool skip_write_port(struct darsie *d);
// The warp takes an entry's registers for the instruction of this line.
void skip_follow(struct darsie *d, unsigned place, struct entry *e, struct line *l);
void skip_recheck(struct dblock *b); // entries that all have passed go
void skip_release(struct dblock *b, const struct entry *e);
uint32_t skip_registers(const struct dblock *b); // bits: of the pool, those that entries have
void skip_clear(struct dblock *b);               // all go
void skip_event(void *state, unsigned block);
void skip_replied(void *state, unsigned place, uint32_t index, const uint16_t *registers, uint64_t cycle);
void skip_result(void *state, unsigned place, uint32_t index, uint64_t cycle);

// -- rename.c
void rename_filled(void *state, unsigned place, uint32_t pc, unsigned count);
void rename_issued(void *state, unsigned place, uint32_t index);
void rename_flushed(void *state, unsigned place);
void rename_advanced(void *state, unsigned place);
void rename_more(struct darsie *d, unsigned place);
bool rename_is_quiet(const struct darsie *d,
                     unsigned place);               // there is nothing to rename, to pass or to hold
void rename_hold(struct darsie *d, unsigned place); // what the warp may do, by what it waits for
// Skipped instructions at the front are passed.
void rename_pass(struct darsie *d, unsigned place);
// The result of the instruction is the warp's own (poisoned), or the block's.
void rename_poison(struct darsie *d, unsigned place, uint32_t pc, bool poisoned);
bool rename_is_poisoned(const struct darsie *d, unsigned place, uint32_t pc);
static inline bool rename_is_open(const struct dwarp *w) // nothing unissued holds renaming up
{
    return w->renamed == w->count && !w->held_up;
}
struct line *rename_push(struct dwarp *w, uint32_t pc);

// -- values.c
void values_reads(void *state, unsigned place, uint32_t index);
void values_executed(void *state, unsigned place, uint32_t index);
bool values_leads(void *state, unsigned place, uint32_t index);
void values_saved(void *state, unsigned place, uint32_t index, enum tech_saving what);
void values_lends(void *state, unsigned place, uint32_t index);
void values_map(struct darsie *d, unsigned place, unsigned r,
                unsigned pool); // the line's reference becomes the map's
// When results under way to the warp's own registers that the instruction writes, but reads as shared ones,
// are there; 0: there are none.
uint64_t values_overtaken(struct darsie *d, unsigned place, uint32_t pc);
unsigned values_place(struct darsie *d, unsigned place, unsigned r); // the register that a shared r is in
// The entry, which does not hold the n-th register whose other lanes it keeps, means the one that the warp's
// r is in: the same, and not given away since, when its number has become another version's.
bool values_keeps(struct darsie *d, unsigned place, unsigned r, const struct entry *e, unsigned n);
void values_unmap(struct darsie *d, unsigned place, unsigned r);
void values_unmap_all(struct darsie *d, unsigned place);
uint64_t values_copy_out(struct darsie *d, unsigned place); // when the copies are there
// Registers that wait for a reply stay as they are, and the warp is leaving.
// All who read a register of the pool get their own copy; false when an entry or an instruction not issued
// needs it.
bool values_evict(struct darsie *d, struct dblock *b, unsigned pool);
void values_verify_skip(struct darsie *d, unsigned place, const struct line *l);
uint32_t *values_pool(const struct darsie *d, const struct dblock *b, unsigned r);

// -- path.c
void path_issued(struct darsie *d, unsigned place, uint32_t index);
void path_warp_end(void *state, unsigned place);
void path_meet(struct darsie *d, struct dblock *b);
static inline void path_resolve(struct darsie *d,
                                struct dblock *b) // branches and gatherings, if all are there
{
    if (b->arrived | b->gathered) path_meet(d, b);
}
void path_ungather(struct dblock *b, uint64_t warps); // they do not wait for registers any more
void path_copy_out(struct darsie *d, unsigned place);
void path_give_up(struct darsie *d, struct dblock *b);
void path_addresses(const struct exec_access *a, uint64_t *low, uint64_t *high);
static inline bool path_is_on(const struct darsie *d, unsigned place) // whole, and on the majority's path
{
    const struct dblock *b = &d->blocks[d->warps[place].block];
    return !b->off && b->majority >> index_in_block(d, place) & 1;
}
void path_look_back(struct darsie *d, struct dblock *b); // who was too far ahead

// -- ways.c
// What leader and follower have in common is only then what the marks speak of: the paths of their lanes.
// These do nothing unless runs are verified.
void ways_begin(struct darsie *d, unsigned place); // the block meets
void ways_note(struct darsie *d, unsigned place, uint32_t index);
void ways_note_leader(struct darsie *d, unsigned place, const struct entry *e);
void ways_verify(struct darsie *d, unsigned place, const struct entry *e); // that it may follow
// Which lanes have taken which way at the branch that has issued, in a word.
uint64_t ways_taken(const struct darsie *d, unsigned place, uint32_t index);

// -- area.c
size_t darsie_storage(const void *options, const struct gpu_config *c,
                      struct tech_storage out[TECH_STORAGE_MAX]);
