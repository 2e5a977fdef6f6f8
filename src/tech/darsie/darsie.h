// The parts of DARSIE: data of a launch, a block and a warp, and the files that use them.
//
//     fetch ── lookup ─▶ skip                    (skip.c)     entry with the leader's result: to the next PC
//     I-buffer ─ rename ─▶ lead, skip, private   (rename.c)   in program order, not past an unissued branch
//     … issue ── stage ─▶ execute ─▶ remap       (values.c)   shared registers are read from the pool
//     branch, barrier, exit, store               (path.c)     the majority's path; loads still shared
#pragma once
#include "exec/warp.h"
#include "isa/program.h"
#include "tech/registry.h"

enum order { ORDER_VERSION, ORDER_SYNC };
enum on_store { STORE_DROPS, STORE_KEEPS, STORE_DROPS_OVERLAPPING };
enum on_barrier { BARRIER_ARRIVED, BARRIER_OVER };
enum branch_sync { BRANCH_MAJORITY, BRANCH_PARTING, BRANCH_FIRST, BRANCH_OFF };
enum pending { PENDING_WAIT, PENDING_PRIVATE };
enum full { FULL_PRIVATE, FULL_WAIT, FULL_WAIT_LOADS, FULL_REPLACE };
enum pool_from { POOL_TAILS, POOL_RESERVE, POOL_BLOCK };
enum darsie_rules { RULES_SOUND, RULES_PAPER };

struct darsie_options {
#define OPTION_U32    CONFIG_MEMBER_U32
#define OPTION_SWITCH CONFIG_MEMBER_WORD
#define OPTION_WORD   CONFIG_MEMBER_WORD
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

// LINES: capacity for a warp's instructions fetched or skipped, and not issued. A skip at fetch must leave
// fewer than LINES_SKIPPING lines taken. The rest leaves room for a full I-buffer (16 instructions at most).
enum { POOL_MAX = 64, LINES_SKIPPING = 32, LINES = 64 };

enum { WHOLE_LOSS = 64 }; // give-up: loss of a cycle in which every warp of the SM waits

// Rules of soundness. Each is a bit of `broken`: tests leave a rule out and look for a wrong result.
enum darsie_rule {
    RULE_POISON,   // a warp that did not take the leader's load takes no result computed from it
    RULE_FENCE,    // fences, atomics, barriers and acquiring loads end the sharing of earlier loads
    RULE_TAG,      // a warp takes an entry only after the same branches as the leader (tag)
    RULE_CLEAR,    // entries are freed when the block's warps meet at a branch
    RULE_PARTIAL,  // warps with missing threads do not lead
    RULE_MEETING,  // a barrier returns warps to the path only if all warps of the block are at one pc
    RULE_HELD_UP,  // instructions younger than a branch, store or fence are not renamed before its issue
    RULE_READERS,  // a pool register is not freed while a warp has a register mapped to the pool register
    RULE_COPY_OUT, // a warp that leaves the path copies its shared registers to its own registers
    // a guarded or diverged write keeps the old values in a shared register's unwritten lanes
    RULE_OLD_LANES,
    RULE_WRITTEN_BACK, // followers wait for the leader's result
    // a warp with another branch direction than the first warp leaves the path (branch-sync=first)
    RULE_WAYS,
    RULE_ACQUIRE,  // a warp issuing an atomic that acquires at its reply leaves the path
    RULE_VERSIONS, // a pool register freed and allocated again is a different version (diverged=on)
    RULE_REPLIES,  // a pool register is not freed while a memory reply to the register is under way
    // A warp that starts later than its block is off the path until the whole block meets at a barrier.
    RULE_LATE,
    RULE_LOADS_KEPT, // a load's entry is not replaced: all warps take one loaded value (full=replace)
    RULE_COUNT
};

enum branch_effect {
    BRANCH_NOTHING,
    // Warps on the path take one direction. Warps with another direction, or with a private guard, leave the
    // path. The number of counted branches that a warp has passed identifies the iteration.
    BRANCH_COUNT,
    BRANCH_MEET // warps on the path wait for each other at the branch
};

struct darsie_launch {
    const struct darsie_options *options;
    const struct program *program;
    const struct op *ops;
    // By instruction: `ops`, less the reads of values from a decoupled stream. The remaining reads may carry
    // poison: a value possibly of a single warp.
    const struct op *sources;
    // By instruction: warps with numbers that differ by a multiple of the period have the same result in this
    // launch; 0: not shared.
    uint8_t *period;
    bool *blocks;      // by instruction: the warp's younger instructions are renamed only after its issue
    uint8_t *concerns; // by instruction: bits CONCERNS_*
    bool *plain;       // by instruction: changes neither path nor memory, and orders no loads
    uint8_t *effects;  // enum branch_effect
    // by instruction: by the marks with one result in several warps, or a store to local memory; poison of
    // the sources passes on to the result
    bool *followed;
    // by instruction: a load of data that other threads may write meanwhile; with rules=paper, every memory
    // instruction
    bool *changing;
    bool has_gaps; // some instructions do not exist for warps (a decoupled stream executes them)
    bool early;
    bool diverged;
    // Whether branches are counted: with branch-sync=parting or first; if diverged=on, also only with
    // simt=stack. With the stack the parts of a diverged warp have one order, so that a count identifies a
    // point of the path.
    bool counts;
    bool verify;
    uint64_t *mismatches;
    const struct tech_listener *listener;
};

struct entry { // an entry of the PC skip table
    uint32_t pc;
    bool is_load, is_global, written_back;
    // a load whose value no warp may take any more; with rules=sound the entry stays until passed by all
    // warps on the path that may take the entry
    bool dropped;
    uint8_t leader; // number in the block
    uint8_t count;  // number of registers
    uint8_t registers[4];
    uint64_t tag;   // tag of the leader's path
    uint64_t lanes; // active lanes of the leader
    // If the leader was diverged (`lanes` less than all): pool registers with the old values of the unwritten
    // lanes, at the entry's creation.
    uint8_t old[4];
    uint64_t whom, passed; // whom: warps of the block that may take the entry; passed: warps past the entry
    uint64_t low, high;    // is_load: addresses of the lowest and the highest byte read
    uint64_t preds[8];     // by number: predicates written by the leader, a bit a lane
    uint64_t born;
    uint64_t ready;   // cycle of the leader's result; UINT64_MAX: not known yet
    uint64_t read_at; // cycle of the leader's execution; 0: not executed yet
};

struct darsie;

struct way { // a direction taken at a branch
    uint32_t pc;
    uint64_t lanes;
    uint64_t went; // diverged=on: result of ways_taken
};

enum { PC_CLASSES = 64 };

struct dblock {
    struct darsie *owner;
    // by number of the warp in the block: its place (number on the SM), once the warp has started
    uint8_t places[64];
    unsigned started;        // number of warps started
    uint64_t began;          // cycle of the block's start
    uint16_t first_register; // first physical register of the block's pool
    uint64_t live, majority; // bits: resident warps of the block; warps on the majority's path
    struct entry *entries;
    uint64_t used;                // bits: entries in use
    uint64_t with_pc[PC_CLASSES]; // by pc modulo PC_CLASSES, bits: entries in use
    uint64_t unchecked; // bits: entries changed since skip_recheck; after a change of `majority` all
    uint64_t free;      // bits: free pool registers
    uint64_t awaited;   // bits: pool registers with a memory reply under way
    uint16_t references[POOL_MAX];
    uint32_t *values; // values of the pool registers
    // branch-sync=first. ways: ring of the directions taken by the path at the last ahead + 1 branches since
    // the block met. decided: number of branches with a direction so far.
    struct way *ways;
    uint64_t decided;
    // on-barrier=over, bits: warps waiting at a barrier. When the barrier is over, earlier loads are not
    // shared any more.
    uint64_t at_barrier;
    uint64_t arrived; // bits: warps waiting at a branch
    uint64_t arrived_since;
    // Redundant instruction before which warps wait for each other, for want of a pool register or an entry,
    // or for readers of an old value. NO_TARGET: no such instruction.
    uint32_t gather_pc;
    uint64_t gather_tag;
    uint64_t gathered, gather_over; // bits: warps waiting at gather_pc; warps released from gather_pc
    // Cycle of the latest memory reply to a pool register. At events up to this cycle the SM looks again at
    // the next instructions of warps with shared registers.
    uint64_t replied_until;
    uint64_t births;
    uint64_t allocated[POOL_MAX]; // by pool register: `births` at the allocation
    bool off;                     // the block shares nothing, or nothing any more
    // give-up: cost of waiting, less the worth of the instructions skipped; not below 0
    uint64_t loss;
};

enum role { ROLE_UNKNOWN, ROLE_PRIVATE, ROLE_LEADER, ROLE_SKIPPED };

struct line { // an instruction fetched or skipped, and not yet issued or passed
    uint32_t pc;
    uint8_t role, count;
    uint8_t registers[4]; // pool registers: written by a LEADER, mapped by a SKIPPED line
    uint64_t read_at;     // SKIPPED: cycle of the leader's execution
    uint64_t preds[2];    // SKIPPED: values of the written predicates, lowest predicate first
};

enum waits { WAITS_NOT, WAITS_LEADER, WAITS_FETCH_LEADER, WAITS_GATHER, WAITS_PORT };

struct dwarp {
    uint8_t block, index;     // number of the block on the SM; number of the warp within its block
    uint8_t held;             // bits of enum tech_hold, as last passed to tech_hold: fetch or issue stopped
    struct line lines[LINES]; // ring
    uint32_t first, count, renamed;
    bool held_up;       // younger instructions are renamed only after the last renamed instruction has issued
    bool stale;         // the SM must look again at the warp's next instruction, registers and I-buffer
    uint64_t shared[4]; // bits: registers mapped to the pool
    // bits by pool register: mapped with the value still to come; a reply ends the warp's wait
    uint64_t unready;
    // verify, bits: shared registers with a memory reply to the warp's own copy still to come when they were
    // mapped
    uint64_t late[4];
    uint64_t poison[5];   // bits: registers and predicates with a value possibly different from other warps'
    bool poisoned_memory; // local memory may hold a stored value different from other warps'
    bool is_tainted;      // some bit of `poison`, or poisoned_memory
    uint8_t waits;        // enum waits
    // at_branch: waits at a branch for other warps. too_far: waits because too many counted branches ahead of
    // the last warp on the path. Never both.
    bool at_branch, too_far;
    // Identifies the warp's path since the block last met. Counted branches (`counts`): number of them
    // passed. branch-sync=off: hash of the branches passed and their directions. Otherwise 0.
    uint64_t tag;
    uint32_t target;     // at_branch: next pc
    uint64_t lanes;      // at_branch: active lanes
    uint64_t went;       // at_branch, diverged: hash of the directions of the warp's parts (ways_taken)
    uint64_t copying;    // cycle until which registers are copied out
    uint64_t held_since; // cycle since which the mechanism holds the ready warp; 0: no hold
    // the warp's next instruction writes a register mapped to the pool, and an older memory reply to the
    // warp's own copy is still to come
    bool overtakes;
    // the warp leaves the path: after cycle `copying`, registers with a memory reply still under way remain
    // to be copied out
    bool leaving;
    uint64_t ordered_at; // cycle of the warp's last store, or last instruction that orders loads
};

struct darsie {
    struct darsie_launch *launch;
    struct sm_grid *grid;
    uint64_t *counters;
    uint32_t pool; // number of pool registers of a block
    unsigned lanes;
    uint64_t whole; // all lanes of a warp
    struct dblock *blocks;
    struct dwarp *warps;
    // Bits by place of a warp: no lookup in the skip table needed before the warp fetches something new or
    // its path changes.
    uint64_t unlooked;
    uint64_t sharing; // bits by place: warps with a register mapped to the pool
    // verify: hash of a lane's directions at all branches since the warp's start, or since the block met at a
    // barrier. paths: of warps, [place][lane]. led_paths: of leaders, [block][entry][lane].
    uint64_t *paths, *led_paths;
    // Ports of the skip table still free in cycle port_cycle, and the lookups made in the cycle.
    uint64_t port_cycle;
    uint32_t reads_left, writes_left, looked_up;
    struct {
        unsigned block;
        uint32_t pc;
    } lookups[64];
    // The instruction being issued.
    bool leads; // the warp leads the instruction
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
// Whether branch-sync counts branches: warps wait at no branch (first), or only where warps may part
// (parting).
static inline bool counts_branches(const struct darsie_options *o)
{
    return o->branch_sync == BRANCH_PARTING || o->branch_sync == BRANCH_FIRST;
}
static inline bool is_whole(const struct darsie *d, const struct warp *w)
{
    uint64_t all = d->launch->options->partial ? w->present : d->whole;
    return w->active == all && w->present == all && !w->exited;
}
// Whether the warp may stay on the path: the warp is whole. With diverged=on its lanes may part, as other
// warps' lanes may, but none may be missing or ended.
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
// Whether, after the instruction, the warp must not use loads made earlier by other warps. The paper
// (rules=paper) does not consider acquiring loads.
bool orders_loads(const struct darsie_options *o, const struct inst *i); // darsie.c
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
    b->free |= 1ull << r;
    say(b->owner, b, 0, STEP_RELEASE, NO_TARGET, r);
}
static inline void release(struct dblock *b, unsigned r)
{
    if (--b->references[r]) return;
    if (!(b->awaited >> r & 1)) set_free(b, r);
}

// -- skip.c
// The instruction's entry for the warp's path, class and active lanes, even if passed or dropped. NULL: none.
struct entry *skip_find(struct darsie *d, unsigned place, uint32_t pc);
// The entry created by the LEADER line and not executed yet; NULL: none.
struct entry *skip_led(struct darsie *d, unsigned place, const struct line *l);
bool skip_waits(const struct darsie *d, const struct entry *e);
bool skip_fits(struct darsie *d, unsigned place, const struct entry *e);
uint64_t skip_fetch(void *state, uint64_t fetchable);
bool skip_write_port(struct darsie *d);
// The warp skips the line's instruction. The entry's pool registers and predicates become the results.
void skip_follow(struct darsie *d, unsigned place, struct entry *e, struct line *l);
void skip_recheck(struct dblock *b); // frees entries that no warp on the path has still to take
void skip_pass(struct dblock *b, struct entry *e, unsigned index); // warp number `index` has passed the entry
void skip_release(struct dblock *b, const struct entry *e);
uint64_t skip_registers(const struct dblock *b); // bits: pool registers held by entries
void skip_clear(struct dblock *b);               // frees all entries
void skip_event(void *state, unsigned block);
void skip_replied(void *state, unsigned place, uint32_t index, const uint16_t *registers, uint64_t cycle);
void skip_result(void *state, unsigned place, uint32_t index, uint64_t cycle);

// -- rename.c
void rename_filled(void *state, unsigned place, uint32_t pc, unsigned count);
void rename_issued(void *state, unsigned place, uint32_t index);
void rename_flushed(void *state, unsigned place);
void rename_advanced(void *state, unsigned place);
void rename_more(struct darsie *d, unsigned place);
// At an event of the block, for a warp not settled: a leader's result may have come, and waits may be over.
void rename_wake(struct darsie *d, unsigned place);
// Stops or releases the warp's fetch and issue, according to its waits, and counts the cycles of waiting.
void rename_hold(struct darsie *d, unsigned place);
// Moves the warp's pc past skipped instructions at the front of its lines.
void rename_pass(struct darsie *d, unsigned place);
// Marks the instruction's results as the warp's own (poisoned) or, if all lanes are written, as the block's.
// No effect with rules=paper.
void rename_set_poison(struct darsie *d, unsigned place, uint32_t pc, bool poisoned);
static inline void rename_poison(struct darsie *d, unsigned place, uint32_t pc, bool poisoned)
{
    if (poisoned || d->warps[place].is_tainted) rename_set_poison(d, place, pc, poisoned);
}
bool rename_has_poison(const struct darsie *d, unsigned place, uint32_t pc); // of a tainted warp
static inline bool rename_is_poisoned(const struct darsie *d, unsigned place, uint32_t pc)
{
    return d->warps[place].is_tainted && rename_has_poison(d, place, pc);
}
static inline bool rename_is_open(const struct dwarp *w) // every line is renamed, and none stops the next
{
    return w->renamed == w->count && !w->held_up;
}
struct line *rename_push(struct dwarp *w, uint32_t pc);
static inline bool rename_is_passable(struct dwarp *w)
{
    return w->renamed && line_at(w, 0)->role == ROLE_SKIPPED;
}
static inline bool writes_shared(const struct dwarp *w, const struct op *o)
{
    if (w->shared[0] & o->results & (OP_FAR - 1)) return true;
    if (!(o->results & OP_FAR)) return false;
    for (unsigned r = o->dst; r < (unsigned)o->dst + o->dst_words; r++)
        if (is_shared(w, r)) return true;
    return false;
}
// Whether the next instruction's result may arrive before an older result for the same register of the warp.
static inline bool rename_may_overtake(const struct darsie *d, struct dwarp *w)
{
    return w->renamed && line_at(w, 0)->role == ROLE_PRIVATE &&
           writes_shared(w, &d->launch->ops[line_at(w, 0)->pc]);
}
// Whether the warp has no instruction to rename or to skip over, and no hold of fetch or issue.
static inline bool rename_is_settled(const struct darsie *d, struct dwarp *w)
{
    bool all_renamed = w->renamed == w->count || (w->held_up && w->renamed);
    return all_renamed && !w->held && w->waits == WAITS_NOT && !w->leaving && !rename_is_passable(w) &&
           !rename_may_overtake(d, w);
}

// -- values.c
void values_reads(void *state, unsigned place, uint32_t index);
void values_executed(void *state, unsigned place, uint32_t index);
bool values_leads(void *state, unsigned place, uint32_t index);
void values_saved(void *state, unsigned place, uint32_t index, enum tech_saving what);
void values_lends(void *state, unsigned place, uint32_t index);
// Maps the warp's register r to the pool register. The reference counted for the line now counts for the map.
void values_map(struct darsie *d, unsigned place, unsigned r, unsigned pool);
// Latest arrival of an older result for the warp's own copy of a destination, now mapped to the pool.
// UINT64_MAX: a memory reply of unknown cycle; 0: no such result.
uint64_t values_overtaken(struct darsie *d, unsigned place, uint32_t pc);
unsigned values_place(struct darsie *d, unsigned place, unsigned r); // pool register of the shared Rr
// Whether the entry's old register n (for the lanes not written) is the pool register of the warp's r. The
// number must be the same, and not allocated again since the entry's creation.
bool values_keeps(struct darsie *d, unsigned place, unsigned r, const struct entry *e, unsigned n);
void values_unmap(struct darsie *d, unsigned place, unsigned r);
void values_unmap_all(struct darsie *d, unsigned place);
// Copies all shared registers to the warp's own, except registers with a memory reply under way: then the
// warp is `leaving`. Returns the cycle of the last copy.
uint64_t values_copy_out(struct darsie *d, unsigned place);
// Copies a pool register to the own registers of all warps reading the register. False, with nothing copied:
// an entry or an unissued instruction needs the register, or a memory reply is still to come.
bool values_evict(struct darsie *d, struct dblock *b, unsigned pool);
void values_verify_skip(struct darsie *d, unsigned place, const struct line *l);
uint32_t *values_pool(const struct darsie *d, const struct dblock *b, unsigned r);

// -- rows.c
void darsie_rows(const void *state, struct tech_rows *to);

// -- path.c
void path_issued(struct darsie *d, unsigned place, uint32_t index);
void path_warp_end(void *state, unsigned place);
void path_meet(struct darsie *d, struct dblock *b);
// Releases the warps waiting at a branch, once all warps on the path have arrived. Releases the warps waiting
// at gather_pc, once all others on the path wait there or beyond.
static inline void path_resolve(struct darsie *d, struct dblock *b)
{
    if (b->arrived | b->gathered) path_meet(d, b);
}
// Warps `warps` (bits) neither wait at gather_pc nor count as released from gather_pc any more.
void path_ungather(struct dblock *b, uint64_t warps);
void path_copy_out(struct darsie *d, unsigned place);
void path_give_up(struct darsie *d, struct dblock *b);
// Whether the block's sharing costs more than the instructions skipped are worth (give-up).
static inline bool path_has_lost(const struct darsie *d, const struct dblock *b)
{
    return d->launch->options->give_up && b->loss > d->launch->options->loss;
}
void path_addresses(const struct exec_access *a, uint64_t *low, uint64_t *high);
static inline bool path_is_on(const struct darsie *d, unsigned place) // on the path, in a sharing block
{
    const struct dblock *b = &d->blocks[d->warps[place].block];
    return !b->off && b->majority >> index_in_block(d, place) & 1;
}
// If branches are counted (`counts`): frees entries behind the path's last warp, and resumes warps no longer
// too far ahead.
void path_look_back(struct darsie *d, struct dblock *b);

// -- ways.c
// A leader and its follower must have the same control-flow paths in every lane. Otherwise the marks do not
// apply. Except for ways_taken, the functions do nothing unless runs are verified.
void ways_begin(struct darsie *d, unsigned place); // forgets the directions of the warp's lanes
void ways_note(struct darsie *d, unsigned place, uint32_t index);
void ways_note_leader(struct darsie *d, unsigned place, const struct entry *e);
void ways_verify(struct darsie *d, unsigned place, const struct entry *e); // checks that the warp may follow
// Hash of the directions that the lanes have taken at the branch just issued.
uint64_t ways_taken(const struct darsie *d, unsigned place, uint32_t index);

// -- area.c
size_t darsie_storage(const void *options, const struct gpu_config *c,
                      struct tech_storage out[TECH_STORAGE_MAX]);
