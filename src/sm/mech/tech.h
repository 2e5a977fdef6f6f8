// How a mechanism plugs into an SM: a table of hooks, each of which may be NULL, and what it may see and do.
//
//     launch ─ block_start ─┬─ fetch ─▶ filled ─▶ waits? ─▶ reads ─▶ reuse? ─▶ executed ─▶ issued ─ … result ─┬─ block_end
//                           │  skip     rename    held      staged   not       remap                         │
//                           │  PCs      entries   back               executed                                │
//                           └─ warp_start, flushed, barrier, event, warp_end ────────────────────────────────┘
//     guest: … fetch ─▶ guest_may? ─▶ guest ─▶ guest_result …                        (claim "guest stream")
//     port: … waits? ─▶ reads ─▶ port? ─▶ executed ─▶ issued ─ … result               (claim "issue port")
//
// A mechanism keeps state of its own for each SM and changes an SM only by the functions at the end. Values
// are moved for real: what a warp reads from another's register is copied from there when the instruction
// reads its operands.
//
// Several mechanisms run in the order in which the registry lists them, if they do not claim the same
// (sm/mech/claims.def). Which of them keeps an instruction from executing is decided for each instruction: what
// one leads those below do not reuse, and of what one skips or reuses all others hear by `saved`.
#pragma once
#include "base/config.h"
#include "mark/mark.h"
#include "sm/issue/pick.h"
#include "sm/mech/upset.h"
#include "sm/sm.h"

struct tech_counter {
    const char *name, *unit, *meaning; // printed as NAME_OF_TECH.name
};

// One of the mechanism's storage structures, for an SM.
struct tech_storage {
    const char *name;
    uint64_t entries, bits_each;
    bool in_paper; // the paper counts it
    // Side by side, that it is made of; 0: it takes the place of the SM's own, and costs what that does.
    unsigned arrays;
};
static inline uint64_t tech_storage_bits(const struct tech_storage *s) { return s->entries * s->bits_each; }

// What a mechanism is said to do, a bit each: sm/mech/features.def.
enum tech_feature {
#define FEATURE(id, name, meaning) FEATURE_##id,
#include "sm/mech/features.def"
#undef FEATURE
    FEATURE_COUNT
};
#define HAS(id) (1u << FEATURE_##id)

// What it decides, a bit each: sm/mech/claims.def.
enum tech_claim {
#define CLAIM(id, name, is_exclusive, meaning) CLAIM_##id,
#include "sm/mech/claims.def"
#undef CLAIM
    CLAIM_COUNT
};
#define CLAIMS(id) (1u << CLAIM_##id)
enum { TECH_STORAGE_MAX = 16, TECH_COUNTERS_MAX = 32, TECH_NEIGHBOURS_MAX = 7 };
#define TECH_NEIGHBOUR UINT32_MAX // the token of a line that came as another's neighbour

// What a mechanism has of a register in place of its lanes.
struct tech_kept {
    uint32_t words[2];
};
enum { TECH_REGISTERS = 256 }; // of a warp

struct tech_use; // a mechanism with its options, for one launch

struct op_cost {       // of an instruction that has executed
    uint32_t lanes;    // that have worked
    uint32_t compared; // registers whose lanes were compared as they were written
    uint32_t interval; // cycles its pipeline is busy with it
    uint32_t issue;    // cycles its scheduler is (issue.interval)
};

// A register that an instruction reads or writes: which, and where it is served.
struct operand_access {
    uint16_t physical;
    uint8_t r, nth; // it is the warp's Rr, the nth of those read or written
    bool is_write;
    // The main register file, unless a mechanism says otherwise.
    uint8_t bank;       // whose port a read takes; NO_BANK: none, and a result no write port
    uint8_t main, near; // registers moved there, or in a mechanism's structure beside the lanes
    uint8_t words;      // in place of a register that holds one value
    uint32_t cycles;    // that it takes longer
};

// A line of a memory instruction, as the load/store unit sends it.
struct tech_line {
    uint64_t line;          // address of its first byte
    uint64_t block;         // its number in the grid
    uint32_t warp;          // its number in the block
    uint32_t index;         // of the instruction
    uint8_t sectors, first; // first: a byte of it that a lane wants, the first one's
    uint8_t slot;           // the warp's; a store's may be empty or another's by now
    enum lsu_kind kind;
    enum line_outcome outcome;
};

// Lines that come to L1 with a warp's.
struct tech_neighbours {
    uint64_t lines[TECH_NEIGHBOURS_MAX];
    unsigned count;
    bool
        only_touch; // those of them that are there count as used now: `neighbour` hears of these; nothing is asked for
    bool waits; // the warp's line hits, and is yet no sooner there than those of them that are asked for
};

// What an instruction of a guest comes to. Set to that it works on one lane, and to the one behind it.
struct guest_step {
    uint32_t next;  // the instruction that it goes on with, or
    uint32_t lanes; // that work
    uint32_t more;  // cycles that its result is there later than its latency says
};
enum { GUEST_ENDS = UINT32_MAX };

// What a mechanism sees of a launch between two windows of time: the SMs of a kind on which it has begun, in order.
struct tech_view {
    uint64_t now;
    unsigned count;
    struct tech_sm {
        unsigned index;                  // of the SM
        const struct gpu_counts *counts; // of the launch there, so far
        const uint64_t *counters;        // the mechanism's own
    } sms[256];
};

// A block that an SM has room for, or for some of its warps.
struct tech_room {
    unsigned sm;
    uint32_t resident; // warps of whatever block on the SM
    uint32_t by_block; // that would be there at most, of the launch alone and dispatched by block
    uint32_t to_come;  // of the block's: all, or those that did not start with it
    uint32_t room;     // for so many of these
};

// Whose registers the renamed ones of a block are. Of a launch that is dispatched by warp there are no tails.
enum tech_pool_from {
    TECH_POOL_LEFT_OVER, // nobody's, an equal share of an SM's each, and the tails of the units that warps are given: as
                         // many blocks are there as without
    TECH_POOL_OWN_UNITS, // these tails alone
    TECH_POOL_SET_APART  // all that is wanted, and as many blocks fewer are there as that takes, but one
};

struct tech {
    const char *name, *meaning, *paper;
    bool ideal;                                   // may know what hardware cannot
    uint32_t features;                            // bits, HAS(UNIFORM) …
    uint32_t claims;                              // bits, CLAIMS(POOL) …
    uint32_t (*more_claims)(const void *options); // with these; NULL: none
    int skipped, reused;           // counters of instructions never fetched, and fetched but not executed; -1
    const struct config_key *keys; // options, over a struct of options_bytes
    size_t key_count, options_bytes;
    const char *(*wrong)(const void *options); // NULL, or what no range of a key could say, static text
    const struct tech_counter *counters;
    size_t counter_count;
    size_t (*storage)(const void *options, const struct gpu_config *c,
                      struct tech_storage out[TECH_STORAGE_MAX]);

    // Of which instructions one warp's result may be others', too, in launches of this shape, as far as that is known
    // before: they are set in `shared`.
    void (*shares)(const struct tech_use *u, const struct program *p, const uint32_t block[3],
                   unsigned warp_size, bool *shared);
    // Another program for launches of this shape, freed with program_free; NULL: the one there is. shared: of what the
    // mechanisms share that it goes together with (tech_shared); NULL: none does that.
    struct program *(*transform)(const struct tech_use *u, const struct program *p, const uint32_t block[3],
                                 unsigned warp_size, const bool *shared);
    // A launch: what all SMs of a kind share; NULL when it has nothing to do in this launch. Hooks of an SM read it;
    // `window` alone may change it. How many blocks and warps an SM will have is not decided yet, since mechanisms
    // behind this one may set registers apart or dispatch by warp: `sm_begin` can ask.
    void *(*launch_begin)(const struct tech_use *u, const struct sm_launch *l);
    void (*launch_end)(void *launch);
    uint32_t (*registers)(const void *launch);            // renamed ones it wants for a block
    enum tech_pool_from (*pool_from)(const void *launch); // where they come from; NULL: what is left over
    // A window of time begins, in which something may happen. On one thread, while no SM runs.
    void (*window)(void *launch, const struct tech_view *v);
    // How many of a block's warps start: all of them, some, or none. Who has this dispatches by warp
    // (chip/dispatch.h) and claims it: what a warp has of slots and registers is free when it ends. Between
    // windows, whenever something has ended; a block that would have the SM to itself starts without a question.
    uint32_t (*admit)(const void *launch, const struct tech_room *r);
    bool (*by_warp)(const void *launch); // whether it does in this launch; NULL: it does
    // An SM of it, at its first block.
    void *(*sm_begin)(void *launch, struct sm_grid *g, uint64_t *counters);
    void (*sm_end)(void *state);

    void (*block_start)(void *state, unsigned block);
    void (*block_end)(void *state, unsigned block);
    // The warp is in its slot, and its registers are 0. Behind block_start; not all of a block's warps need start
    // in one cycle.
    void (*warp_start)(void *state, unsigned slot);
    // All mechanisms have begun with it: from here on it may be taken past instructions.
    void (*warp_started)(void *state, unsigned slot);
    // Before the fetch arbiter, every cycle in which a warp wants to be fetched for: those it may choose
    // from.
    uint64_t (*fetch)(void *state, uint64_t fetchable);
    // How many instructions from pc on are not there for the warp: they are neither fetched nor buffered, and the mechanism
    // takes the warp past each (tech_advance) when it comes there. The answer is the same from when the warp is fetched for
    // until it is there. Of mechanisms that go together one has this.
    uint32_t (*leaves_out)(const void *state, unsigned slot, uint32_t pc);
    // *count instructions from pc on are on their way to the I-buffer. Some may be left out, and others of
    // the `most` that the line of code has fetched instead: *count of those up to pc + the result are.
    uint32_t (*fetched)(void *state, unsigned slot, uint32_t pc, uint32_t *count, uint32_t most);
    // Instructions pc, pc + 1 … are in the warp's I-buffer.
    void (*filled)(void *state, unsigned slot, uint32_t pc, unsigned count);
    void (*flushed)(void *state, unsigned slot); // those not issued are gone
    // The instruction at the warp's head could issue. Not 0: its Rr, as r + 1, has one value that the mechanism keeps, and
    // has to be in all lanes first, where the mechanism has put it by now: a move is issued instead, in the time of an
    // instruction of all lanes, and the instruction waits for it.
    uint32_t (*copies)(void *state, unsigned slot, uint32_t index);
    // The instruction at the warp's head is about to read its operands, which must be in the warp's own
    // registers.
    void (*reads)(void *state, unsigned slot, uint32_t index);
    // Asked of instructions that compute, when all operands are there. Other than 0: it need not execute, its
    // result has been put into the warp's own registers and is there so many cycles later.
    uint32_t (*reuse)(void *state, unsigned slot, uint32_t index);
    // Its result will be that of other warps, too: those below are not asked to reuse it.
    bool (*leads)(void *state, unsigned slot, uint32_t index);
    // Of a warp that issues through the port (tech_to_port), in place of `reuse` and `leads`: whether the instruction
    // does. It must be one that computes, or a branch. False: the cycle of the port is lost, and the warp is to be sent
    // back to its scheduler.
    bool (*port)(void *state, unsigned slot, uint32_t index);
    // It has executed; its operands are collected; its destination may be mapped elsewhere now.
    void (*executed)(void *state, unsigned slot, uint32_t index);
    // Which of the registers that it reads, or of its results, `operand` has something to say of: bits, by `nth`. Asked just before
    // it; NULL: maybe all.
    uint32_t (*elsewhere)(const void *state, unsigned slot, uint32_t index, bool is_write);
    // Of each register that it reads, and of each result, when it is written: of a memory instruction when the
    // reply is there. Set to what the main register file does, or to what mechanisms above have said: where
    // these have left nothing of `main`, the register is theirs.
    void (*operand)(void *state, unsigned slot, uint32_t index, struct operand_access *a);
    // What it costs besides: set to what the unmodified GPU pays, for mechanisms to change.
    void (*cost)(void *state, unsigned slot, uint32_t index, struct op_cost *c);
    // In place of these: another mechanism has the result. SAVED_EXECUTION: it is reused, and in the warp's own
    // registers; the destination may be mapped elsewhere now. SAVED_FETCH: it has been skipped, the warp is at
    // it with all before it done, and what it writes is where the other mechanism keeps it.
    void (*saved)(void *state, unsigned slot, uint32_t index, enum tech_saving what);
    // Another mechanism takes the warp past the instruction, and is about to compute it in the warp's own registers: what it
    // reads must be there. The GPU reads nothing.
    void (*lends)(void *state, unsigned slot, uint32_t index);
    // Another mechanism has taken the warp past an instruction: it is behind it. (`saved` was before.)
    void (*advanced)(void *state, unsigned slot);
    // When its result is there; CYCLE_NEVER: a reply will say.
    void (*result)(void *state, unsigned slot, uint32_t index, uint64_t cycle);
    // It has left the I-buffer and the warp's pc says what is next; split, barrier and end are settled.
    void (*issued)(void *state, unsigned slot, uint32_t index);
    void (*replied)(void *state, unsigned slot, uint32_t index, const uint16_t *registers, uint64_t cycle);
    // A warp's line has gone from the head of the load/store unit, in this cycle: of global, local and constant
    // memory and textures, in the order in which the SM sends them. Hit or miss is said of the cache asked.
    void (*access)(void *state, const struct tech_line *line);
    // L1 has been asked for a warp's line of global memory: the lines that are to come with it; none yet. They are
    // looked up in the same cycle, all their sectors; those that no allocation has anything of are left out, and those
    // that find no MSHR or way. What L1 asks the L2 for in that cycle goes in one packet for each slice
    // (memory_request.rides).
    void (*neighbours)(void *state, const struct tech_line *line, struct tech_neighbours *n);
    // What L1 said of one of them: STALLED, and it is left out; HIT; MISS, and it is asked for; JOINED.
    void (*neighbour)(void *state, uint64_t line, enum line_outcome outcome);
    // A line that `neighbours` or tech_request asked for is in L1: it can be locked now, before anybody takes its way.
    void (*line)(void *state, uint64_t line, uint32_t token);
    // Of a guest (tech_guest_start): whether its next instruction may issue, now that its registers are ready. A
    // question and nothing else, asked as often as the engine likes; NULL: it may.
    bool (*guest_may)(const void *state, uint32_t index);
    // It issues. What it does is the mechanism's business. What it takes is the engine's: an I-buffer's place, a slot, a
    // collector, banks, a pipeline and a write port. For memory it takes its latency, and asks the load/store unit
    // nothing.
    void (*guest)(void *state, uint32_t index, struct guest_step *step);
    void (*guest_result)(void *state, uint32_t index, uint64_t cycle); // when its registers are written
    void (*event)(void *state, unsigned block);                        // tech_at asked for it
    // The warp is compared with what it was before (stall.h): words[r] of each register whose value is not in its lanes, so that
    // the same words are the same value.
    void (*kept)(const void *state, unsigned slot, struct tech_kept words[TECH_REGISTERS]);
    void (*warp_end)(void *state, unsigned slot);
    const char *(*check)(const void *state); // at the end of a launch: NULL, or what does not balance
};

// What a mechanism did, for those who want to see it: tests, and whoever debugs one.
struct tech_step {
    uint64_t cycle;
    const char *what; // a word of the mechanism's own
    unsigned sm, block, warp;
    uint32_t pc, value;
};
struct tech_listener {
    void (*heard)(void *context, const struct tech_step *step); // SMs on several threads speak at once
    void *context;
};

struct tech_use {
    const struct tech *tech;
    const void *options;
    const struct mark_settings *marks;
    bool verify;          // compare every value that is shared with what its reader would have computed
    uint64_t *mismatches; // the grid's, which counts what differs; from several threads
    const struct tech_listener *listener; // NULL: nobody
    const struct upsets *upsets;          // NULL: no bit turns
};

// What others than `me` share of the program's instructions (`shares`), by instruction; NULL: none has that to say. Heap.
bool *tech_shared(const struct tech_use *uses, unsigned count, const struct tech *me, const struct program *p,
                  const uint32_t block[3], unsigned warp_size);

// -- what a mechanism sees ----------------------------------------------------------------------------------
const struct sm_launch *tech_launch(const struct sm_grid *g);
uint64_t tech_now(const struct sm_grid *g);
unsigned tech_index(const struct sm_grid *g);             // of the SM
struct warp *tech_warp(struct sm_grid *g, unsigned slot); // NULL: the slot is empty
unsigned tech_block_of(const struct sm_grid *g, unsigned slot);
// Bits: of all its warps, ended ones too; of a grid that is dispatched by warp those that are there.
uint64_t tech_slots(const struct sm_grid *g, unsigned block);
uint32_t tech_fetch_pc(const struct sm_grid *g, unsigned slot); // of the next instruction to be fetched
bool tech_is_fetching(const struct sm_grid *g, unsigned slot);  // instructions before that are under way

// -- registers ----------------------------------------------------------------------------------------------
// Physical registers are numbered; a warp's Rr is map[r]. Its own are `own` + r, and the only ones the engine
// reads and writes: values of others are copied by the hooks.
uint16_t *tech_map(struct sm_grid *g, unsigned slot);
uint16_t tech_own(const struct sm_grid *g, unsigned slot, unsigned r);
// Renamed registers of a block that are the mechanism's: the first, and how many.
uint16_t tech_pool(struct sm_grid *g, const struct tech *me, unsigned block);
uint32_t tech_pool_size(struct sm_grid *g, const struct tech *me);
uint64_t tech_ready(const struct sm_grid *g, uint16_t physical);    // CYCLE_NEVER: when a reply comes
uint32_t *tech_lanes(struct sm_grid *g, unsigned slot, unsigned r); // of the warp's own Rr
uint32_t *tech_lanes_of(struct warp *w, unsigned r); // of a warp that may not have started, or have ended

// Lanes of the instruction that issues, before its guard.
uint64_t tech_issuing(const struct sm_grid *g);
// What the memory instruction that has just executed touches.
const struct exec_access *tech_access(const struct sm_grid *g);
// Reads of its renamed registers need no ports of banks from now on (ideal).
void tech_free_banks(struct sm_grid *g, const struct tech *me);

// -- what a mechanism does ----------------------------------------------------------------------------------
// A warp that is held by a mechanism is not fetched for (HOLD_FETCH), or issues nothing (HOLD_ISSUE). Its end
// lets it go.
enum tech_hold { HOLD_FETCH = 1, HOLD_ISSUE = 2 };
void tech_hold(struct sm_grid *g, const struct tech *me, unsigned slot, unsigned what); // 0: lets it go
// No scheduler issues for the warp from now on, but the SM's port, an instruction of one warp a cycle, in turn: without
// a slot, a collector or a pipeline, of what it reads and writes each where `operand` says; its result is there when that
// of an instruction would be that found all of these free. False: its scheduler does again. Its end sends it back, too.
void tech_to_port(struct sm_grid *g, const struct tech *me, unsigned slot, bool to_port);
// The next instruction to be fetched is skipped.
void tech_skip_fetch(struct sm_grid *g, unsigned slot);
// An instruction in the I-buffer, or under way to it, will not issue.
void tech_drop(struct sm_grid *g, unsigned slot);
void tech_drop_fetching(struct sm_grid *g, unsigned slot);
unsigned tech_buffered(const struct sm_grid *g, unsigned slot); // instructions in the I-buffer
// The instruction before pc is skipped, all others before it have issued or been skipped: the warp is there.
// The other mechanisms are told, before (`saved`) and behind it (`advanced`).
void tech_advance(struct sm_grid *g, const struct tech *me, unsigned slot, uint32_t pc);
// What the instruction reads is put into the warp's own registers by the other mechanisms (`lends`), for who computes it there
// and takes the warp past it.
void tech_lend(struct sm_grid *g, const struct tech *me, unsigned slot, uint32_t index);
// Moves a physical register by a bank's port, a pipeline and a write port; when it is there. The bytes are
// the mechanism's business.
uint64_t tech_copy(struct sm_grid *g, uint16_t from, uint16_t to);
// The warp's own Rr, which a mechanism has kept elsewhere, is written into the main register file, by a write
// port. The bytes are the mechanism's business.
void tech_write_back(struct sm_grid *g, unsigned slot, unsigned r);
// Has a line's sectors brought to L1, as the load/store unit would: looked up in a cycle in which no warp's line is
// sent, joined to a miss under way, or sent to the L2 when there is an MSHR and a way. `line` says when it is
// there, with the token; sooner or later it does. False: there is no place for the request.
bool tech_request(struct sm_grid *g, const struct tech *me, uint64_t line, uint8_t sectors, uint32_t token);
// The line keeps its way in L1 until it has been unlocked as often as locked. False: it is not there, or all ways
// of its set but one are locked. All must be unlocked by the grid's end.
bool tech_lock_line(struct sm_grid *g, const struct tech *me, uint64_t line);
// Whether the line, there or not, could be locked as things stand: for whoever wants several of a set, and would
// otherwise wait for one that never can.
bool tech_may_lock_line(const struct sm_grid *g, const struct tech *me, uint64_t line);
void tech_unlock_line(struct sm_grid *g, const struct tech *me, uint64_t line);
// A guest: a stream of instructions of the launch's program beside those of the warps, fetched, decoded and issued as
// theirs are, but outside of the warps' slots. One for a grid on an SM. It begins at pc, and must not be there
// already; it ends when the mechanism says so, and with the last warp of the grid here.
void tech_guest_start(struct sm_grid *g, const struct tech *me, uint32_t pc, unsigned scheduler,
                      enum guest_turn turn);
void tech_guest_stop(struct sm_grid *g, const struct tech *me); // not by the hook `guest`, which can say so
bool tech_guest_runs(const struct sm_grid *g);
// Where its Rr is: beside the register file, in banks of the same number, unless it is mapped to a renamed register
// of a block's (tech_pool).
uint16_t *tech_guest_map(struct sm_grid *g);
// For guests that work on values like a warp's: that warp as it is when it begins, of a block that runs nowhere. It is
// good until it is asked for again.
struct warp *tech_guest_values(struct sm_grid *g, uint64_t block, unsigned warp);
// Takes it through the instruction. False: that touches more than the warp's own registers, predicates and way, or could
// fail; it has been passed over. Behind it the warp's pc and state say how it goes on.
bool tech_guest_compute(struct sm_grid *g, struct warp *values, uint32_t index);
// Blocks that run nowhere, for values of many warps at once (shadow.c): their warps are as they begin. An instruction that
// concerns registers and predicates of its warp alone leaves that where it is; a branch or exit takes its lanes along; a
// warp may be put elsewhere, where lanes of it may meet.
struct cta *tech_shadow_create(struct sm_grid *g);
void tech_shadow_start(struct sm_grid *g, struct cta *c, uint64_t block);
void tech_shadow_destroy(struct cta *c);
void tech_shadow_compute(struct sm_grid *g, struct warp *w, uint32_t index);
void tech_shadow_branch(struct sm_grid *g, struct warp *w, uint32_t index);
void tech_shadow_go(struct warp *w, uint32_t index);
// What the warp has in its I-buffer, and under way to it, is gone; it is fetched for from where it is.
void tech_refetch(struct sm_grid *g, unsigned slot);
void tech_at(struct sm_grid *g, unsigned block, uint64_t cycle); // the event hook, of all mechanisms, then
// Executes the instruction at pc for the warp in its own registers without a trace elsewhere: no counts, no
// time, and its lanes stay where they are. For instructions without effects but on registers. False: a load
// must wait for an atomic.
bool tech_recompute(struct sm_grid *g, unsigned slot, uint32_t pc);
// The same in the given lanes, whatever the warp is doing and whatever the guard says.
void tech_evaluate(struct sm_grid *g, unsigned slot, uint32_t pc, uint64_t lanes);
void tech_evaluate_of(struct warp *w, uint32_t pc,
                      uint64_t lanes); // also where it has not started, or has ended
