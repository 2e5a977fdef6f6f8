// How a mechanism plugs into an SM: a core of twelve hooks, groups of further hooks for mechanisms in need of them, and the functions
// by which a mechanism sees and changes an SM. A hook or group left NULL costs nothing.
//
//     launch_begin ─ sm_begin ─ warp_start ─┬─ reads ─▶ executed ─▶ issued ─┬─ warp_end ─ sm_end, check ─ launch_end
//                                           │         (saved: another       │
//                                           └────────  mechanism's) ────────┘
// With all groups, in the order of an instruction's life:
//
//     skipping   warp_started, leaves_out ─ fetch ─ fetched ─ filled ─ flushed
//     execution  copies ─ (reads) ─ reuse, leads ─ (executed) ─ cost
//     registers  elsewhere ─ operand ─ result ─ replied
//     lines      access ─ neighbours ─ neighbour ─ line          behind the load/store unit
//     blocks     block_start ─ event ─ block_end
//     guest      guest_may ─ guest ─ guest_result                a stream of the mechanism's own (claim "guest stream")
//     port       in place of reuse and leads, of warps beside the schedulers (claim "issue port")
//
// A warp is known by its *place*: a number among the warps that a grid may have on an SM, whatever hardware slot the warp is in. State,
// counters and places belong to one grid on one SM (`struct sm_grid`).
//
// Values are moved for real: what a warp reads from another warp's register is copied when the instruction reads its operands.
//
// Several mechanisms run in the order of the registry, unless two claim the same exclusive right (claims.def). For each
// instruction one mechanism decides whether it executes: what a mechanism leads, mechanisms below it do not reuse, and what it skips or
// reuses the other mechanisms hear of by `saved`.
#pragma once
#include "base/config.h"
#include "mark/mark.h"
#include "sm/mech/upset.h"
#include "sm/sm.h"

// -- descriptions -------------------------------------------------------------------------------------------

struct tech_counter {
    const char *name, *unit, *meaning; // printed as NAME_OF_TECH.name
};

// A storage structure of the mechanism, for one SM.
struct tech_storage {
    const char *name;
    uint64_t entries, bits_each;
    bool in_paper;   // the paper counts it
    unsigned arrays; // side by side; 0: replaces a structure of the SM, at the same cost
};
static inline uint64_t tech_storage_bits(const struct tech_storage *s) { return s->entries * s->bits_each; }

// What a mechanism does, a bit a row of sm/mech/features.def.
enum tech_feature {
#define FEATURE(id, name, meaning) FEATURE_##id,
#include "sm/mech/features.def"
#undef FEATURE
    FEATURE_COUNT
};
#define HAS(id) (1u << FEATURE_##id)

// What a mechanism decides, a bit a row of sm/mech/claims.def.
enum tech_claim {
#define CLAIM(id, name, is_exclusive, meaning) CLAIM_##id,
#include "sm/mech/claims.def"
#undef CLAIM
    CLAIM_COUNT
};
#define CLAIMS(id) (1u << CLAIM_##id)
enum { TECH_STORAGE_MAX = 16, TECH_COUNTERS_MAX = 32 };

struct tech_use; // a mechanism with its options, for one launch

// For options whose rules a table of keys cannot state.
struct tech_description {
    uint32_t (*more_claims)(const void *options); // claims of these options, beside `claims`
    const char *(*wrong)(const void *options); // NULL, or why these options do not fit together; static text
};

// -- group: blocks ------------------------------------------------------------------------------------------

struct tech_blocks {
    void (*block_start)(void *state, unsigned block); // before warp_start of its warps
    void (*block_end)(void *state, unsigned block);
    void (*event)(void *state, unsigned block); // at the cycle given to tech_at
};

// -- group: program -----------------------------------------------------------------------------------------

struct tech_program {
    // Sets shared[i] for each instruction whose result one warp may take from another, in launches of this block shape, as far as
    // known before the launch.
    void (*shares)(const struct tech_use *u, const struct program *p, const uint32_t block[3],
                   unsigned warp_size, bool *shared);
    // Another program for launches of this block shape, freed with program_free; NULL: the given one. shared: instructions shared
    // by the mechanisms used beside this one (tech_shared); NULL: none.
    struct program *(*transform)(const struct tech_use *u, const struct program *p, const uint32_t block[3],
                                 unsigned warp_size, const bool *shared);
    // How many instructions from pc on do not exist for the warp: neither fetched nor buffered; the mechanism takes the warp past
    // each (tech_advance). The answer does not change between the warp's fetch and its arrival. One mechanism of a combination has
    // this hook.
    uint32_t (*leaves_out)(const void *state, unsigned place, uint32_t pc);
};

// -- group: skipping ----------------------------------------------------------------------------------------

struct tech_skipping {
    void (*warp_started)(
        void *state, unsigned place); // behind warp_start of all mechanisms: instructions may be skipped now
    // Every cycle in which a warp wants to be fetched for, before the fetch arbiter: the places it may choose from.
    uint64_t (*fetch)(void *state, uint64_t fetchable);
    // *count instructions from pc on are on their way to the I-buffer. The mechanism may leave some out, and take further ones of the
    // `most` in the fetched line of code: *count of the instructions up to pc + the result are on their way.
    uint32_t (*fetched)(void *state, unsigned place, uint32_t pc, uint32_t *count, uint32_t most);
    void (*filled)(void *state, unsigned place, uint32_t pc,
                   unsigned count);               // pc, pc + 1 … are in the I-buffer
    void (*flushed)(void *state, unsigned place); // the I-buffer is empty
    // Another mechanism takes the warp past the instruction, and is about to compute the result in the warp's own registers: the sources
    // must be there. The GPU reads nothing.
    void (*lends)(void *state, unsigned place, uint32_t index);
    void (*advanced)(
        void *state,
        unsigned place); // another mechanism has taken the warp past an instruction (behind `saved`)
};

// -- group: execution ---------------------------------------------------------------------------------------

struct op_cost {       // of an instruction that has executed
    uint32_t lanes;    // at work
    uint32_t compared; // registers whose lanes were compared as they were written
    uint32_t interval; // cycles of its pipeline
    uint32_t issue;    // cycles of its scheduler (issue.interval)
};

struct tech_execution {
    // Of an instruction with operands ready: not 0: the result has been put into the warp's own registers, to be ready so many cycles
    // later, and the instruction does not execute. Asked of instructions that compute.
    uint32_t (*reuse)(void *state, unsigned place, uint32_t index);
    bool (*leads)(void *state, unsigned place,
                  uint32_t index); // other warps will take the result: mechanisms below do not reuse it
    // The instruction could issue. r + 1: register Rr holds one value, kept by the mechanism, which the SM must first write into all
    // lanes: a move issues instead, in the time of an instruction of all lanes, and the instruction waits for it. 0: none.
    uint32_t (*copies)(void *state, unsigned place, uint32_t index);
    void (*cost)(void *state, unsigned place, uint32_t index,
                 struct op_cost *c); // *c: of the unmodified GPU, to be changed
};

// -- group: registers ---------------------------------------------------------------------------------------

// Where a block's renamed registers come from. A launch dispatched by warp has no tails of allocation units.
enum tech_pool_from {
    TECH_POOL_LEFT_OVER, // unallocated registers, divided by blocks, and tails of warps' allocation units: as many blocks as without
    TECH_POOL_OWN_UNITS, // tails alone
    TECH_POOL_SET_APART  // as many as wanted, at the price of as many blocks as needed, but one
};

// A register of an instruction: which, and where the access is served.
struct operand_access {
    uint16_t physical;
    uint8_t r, nth; // the warp's Rr, the nth of those read or written
    bool is_write;
    // Preset to the main register file.
    uint8_t bank; // whose port a read takes; NO_BANK: none, and a result takes no write port
    uint8_t main,
        near;        // registers moved in the main file, and in a structure of the mechanism beside the lanes
    uint8_t words;   // moved in place of a register holding one value
    uint32_t cycles; // of additional latency
};

// Where a mechanism keeps a register's value in place of its lanes: equal words, equal value.
struct tech_kept {
    uint32_t words[2];
};
enum { TECH_REGISTERS = 256 }; // of a warp

struct tech_registers {
    uint32_t (*registers)(const void *launch);            // renamed registers wanted for a block
    enum tech_pool_from (*pool_from)(const void *launch); // NULL: TECH_POOL_LEFT_OVER
    // Bits by `nth`: registers read, or results written, that `operand` has a say about. Asked just before `operand`; NULL: maybe all.
    uint32_t (*elsewhere)(const void *state, unsigned place, uint32_t index, bool is_write);
    // For each register read, and each result when it is written (of a memory instruction: with the reply). *a: as the main register
    // file, or mechanisms above, would serve it; with nothing left of a->main the register is theirs.
    void (*operand)(void *state, unsigned place, uint32_t index, struct operand_access *a);
    void (*result)(void *state, unsigned place, uint32_t index,
                   uint64_t cycle); // ready cycle; CYCLE_NEVER: `replied` tells
    void (*replied)(void *state, unsigned place, uint32_t index, const uint16_t *registers, uint64_t cycle);
    // words[r] of each register whose value is not in its lanes: for comparing a warp with an earlier state of it (stall.h).
    void (*kept)(const void *state, unsigned place, struct tech_kept words[TECH_REGISTERS]);
};

// -- group: lines -------------------------------------------------------------------------------------------

// A line of a memory instruction, as the load/store unit sends it.
struct tech_line {
    uint64_t line;          // address of its first byte
    uint64_t block;         // number in the grid
    uint32_t warp;          // number in the block
    uint32_t index;         // of the instruction
    uint8_t sectors, first; // first: the first byte wanted by a lane
    uint8_t place;          // of the warp; behind a store the place may be empty or another warp's
    enum lsu_kind kind;
    enum line_outcome outcome; // in the cache asked
};

enum { TECH_NEIGHBOURS_MAX = 7 };
#define TECH_NEIGHBOUR UINT32_MAX // token of a line that came as a neighbour

// Lines to be brought to L1 with a warp's line.
struct tech_neighbours {
    uint64_t lines[TECH_NEIGHBOURS_MAX];
    unsigned count;
    bool only_touch; // lines present count as used now, and `neighbour` hears of them; nothing is asked for
    bool waits;      // the warp's line hits, but is ready no sooner than its neighbours under way
};

struct tech_lines {
    // A line of global, local, constant or texture memory has left the head of the load/store unit, in this cycle.
    void (*access)(void *state, const struct tech_line *line);
    // L1 has been asked for a warp's line of global memory: *n (empty) takes the lines that are to come with it. They are looked up in
    // the same cycle, all sectors. Lines outside every allocation, or without an MSHR or way, are left out. Requests of one cycle to one
    // slice go in one packet (memory_request.rides).
    void (*neighbours)(void *state, const struct tech_line *line, struct tech_neighbours *n);
    // L1's answer for a neighbour: LINE_STALLED: left out; LINE_HIT; LINE_MISS: asked for; LINE_JOINED.
    void (*neighbour)(void *state, uint64_t line, enum line_outcome outcome);
    // A line from `neighbours` or tech_request has arrived in L1, and can be locked before any other request takes its way.
    void (*line)(void *state, uint64_t line, uint32_t token);
};

// -- group: guest -------------------------------------------------------------------------------------------

// When a guest stream issues among the warps.
enum guest_turn {
    GUEST_FIRST,   // before all warps
    GUEST_OLDEST,  // as the oldest warp of greedy-then-oldest: behind the warp served last
    GUEST_IN_TURN, // once a round, behind the last slot
    GUEST_LAST,    // when no warp could issue
    GUEST_BESIDE   // in addition to the scheduler's pick; fetched for once a round
};

// What an instruction of a guest does. Preset: one lane works, the next instruction follows.
struct guest_step {
    uint32_t next;  // instruction to go on with, or GUEST_ENDS
    uint32_t lanes; // at work
    uint32_t more;  // cycles of additional latency
};
enum { GUEST_ENDS = UINT32_MAX };

struct tech_guest {
    // The guest's next instruction has its registers ready: may it issue? Without side effects, asked any number of times; NULL: yes.
    bool (*guest_may)(const void *state, uint32_t index);
    // The instruction issues. The mechanism says what it does; the SM charges an I-buffer entry, an issue slot, a collector, banks, a
    // pipeline and a write port; a memory instruction takes its latency and does not enter the load/store unit.
    void (*guest)(void *state, uint32_t index, struct guest_step *step);
    void (*guest_result)(void *state, uint32_t index, uint64_t cycle); // registers written at that cycle
};

// -- group: dispatch ----------------------------------------------------------------------------------------

// A launch between two windows of time: the SMs of one kind on which it has begun, in order.
struct tech_view {
    uint64_t now;
    unsigned count;
    struct tech_sm {
        unsigned index;                  // of the SM
        const struct gpu_counts *counts; // of the launch there, so far
        const uint64_t *counters;        // of the mechanism
    } sms[256];
};

// An SM with room for a block, or for some of its warps.
struct tech_room {
    unsigned sm;
    uint32_t resident; // warps of all blocks on the SM
    uint32_t by_block; // most warps that the SM would hold of this launch alone, dispatched by block
    uint32_t to_come;  // warps of the block that have not started
    uint32_t room;     // for so many of them
};

struct tech_dispatch {
    // A window of time begins in which something may happen. On one thread, while no SM runs; `launch` may be changed here alone.
    void (*window)(void *launch, const struct tech_view *v);
    // How many of a block's warps start: all, some or none. A mechanism with this hook dispatches by warp (chip/dispatch.h, claim
    // "dispatch"): a warp's slot and registers are free at the warp's end. Asked between windows whenever a warp has ended; a block
    // that would have the SM to itself starts without a question.
    uint32_t (*admit)(const void *launch, const struct tech_room *r);
    bool (*by_warp)(const void *launch); // false: by block in this launch; NULL: by warp
};

// -- a mechanism --------------------------------------------------------------------------------------------

struct tech {
    const char *name, *meaning, *paper;
    bool ideal;          // may know what hardware cannot
    uint32_t features;   // HAS(UNIFORM) | …
    uint32_t claims;     // CLAIMS(POOL) | …
    int skipped, reused; // counters of instructions never fetched, and fetched but not executed; -1: none
    const struct config_key *keys; // options, over a struct of options_bytes
    size_t key_count, options_bytes;
    const struct tech_counter *counters;
    size_t counter_count;

    // -- the core
    size_t (*storage)(const void *options, const struct gpu_config *c,
                      struct tech_storage out[TECH_STORAGE_MAX]);
    // State shared by all SMs of a kind in a launch; NULL: nothing to do in this launch. Hooks of SMs only read the state. The
    // numbers of blocks and warps an SM will hold are not known yet (mechanisms behind may set registers apart): ask in sm_begin.
    void *(*launch_begin)(const struct tech_use *u, const struct sm_launch *l);
    void (*launch_end)(void *launch);
    void *(*sm_begin)(void *launch, struct sm_grid *g,
                      uint64_t *counters); // an SM's state, at the launch's first block there
    void (*sm_end)(void *state);
    // The warp is in its slot, its registers are 0. Warps of one block may start in different cycles.
    void (*warp_start)(void *state, unsigned place);
    void (*warp_end)(void *state, unsigned place);
    // The instruction is about to read its operands, which must be in the warp's own registers.
    void (*reads)(void *state, unsigned place, uint32_t index);
    // The instruction has executed, its operands are collected; the destination may be mapped elsewhere now.
    void (*executed)(void *state, unsigned place, uint32_t index);
    // In place of reads and executed: another mechanism has the result. SAVED_EXECUTION: reused, and in the warp's own registers; the
    // destination may be mapped elsewhere now. SAVED_FETCH: skipped; the warp is at the instruction, all before are done, and the
    // result is where the other mechanism keeps it.
    void (*saved)(void *state, unsigned place, uint32_t index, enum tech_saving what);
    // The instruction has left the I-buffer; the warp's pc names the next one; split, barrier and end are settled.
    void (*issued)(void *state, unsigned place, uint32_t index);
    const char *(*check)(
        const void *state); // at the launch's end: NULL, or which of the mechanism's books does not balance

    // -- groups; NULL: no hook of the group
    const struct tech_description *description;
    const struct tech_blocks *blocks;
    const struct tech_program *program;
    const struct tech_skipping *skipping;
    const struct tech_execution *execution;
    const struct tech_registers *registers;
    const struct tech_lines *lines;
    const struct tech_guest *guest;
    const struct tech_dispatch *dispatch;
    // Of a warp sent to the port (tech_to_port), in place of reuse and leads: does the instruction issue? It must compute or branch.
    // False: the port's cycle is lost, and the warp must be sent back to its scheduler.
    bool (*port)(void *state, unsigned place, uint32_t index);
};

// What a mechanism did, for tests and for debugging a mechanism.
struct tech_step {
    uint64_t cycle;
    const char *what; // a word of the mechanism
    unsigned sm, block, warp;
    uint32_t pc, value;
};
struct tech_listener {
    void (*heard)(void *context, const struct tech_step *step); // from SMs on several threads at once
    void *context;
};

struct tech_use {
    const struct tech *tech;
    const void *options;
    const struct mark_settings *marks;
    bool verify;          // compare every shared value with the value its reader would have computed
    uint64_t *mismatches; // of the grid; differences are added from several threads
    const struct tech_listener *listener; // NULL: none
    const struct upsets *upsets;          // NULL: no bit turns
};

// Instructions of the program that mechanisms other than `me` share (tech_program.shares), by instruction; NULL: none. Heap.
bool *tech_shared(const struct tech_use *uses, unsigned count, const struct tech *me, const struct program *p,
                  const uint32_t block[3], unsigned warp_size);

// -- what a mechanism sees ----------------------------------------------------------------------------------
const struct sm_launch *tech_launch(const struct sm_grid *g);
uint64_t tech_now(const struct sm_grid *g);
unsigned tech_index(const struct sm_grid *g);              // of the SM
struct warp *tech_warp(struct sm_grid *g, unsigned place); // NULL: the place is empty
unsigned tech_block_of(const struct sm_grid *g, unsigned place);
// Bits: places of a block's warps, ended warps included; of a grid dispatched by warp the present warps.
uint64_t tech_places(const struct sm_grid *g, unsigned block);
uint32_t tech_fetch_pc(const struct sm_grid *g, unsigned place); // next instruction to be fetched
bool tech_is_fetching(const struct sm_grid *g,
                      unsigned place); // earlier instructions are on their way to the I-buffer
unsigned tech_buffered(const struct sm_grid *g, unsigned place); // instructions in the I-buffer

// -- registers ----------------------------------------------------------------------------------------------
// Physical registers are numbered; a warp's Rr is map[r]. A warp's own registers are `own` + r, the only ones that the
// engine reads and writes: values of other registers are copied by hooks.
uint16_t *tech_map(struct sm_grid *g, unsigned place);
uint16_t tech_own(const struct sm_grid *g, unsigned place, unsigned r);
// A block's renamed registers that belong to the mechanism: the first, and how many.
uint16_t tech_pool(struct sm_grid *g, const struct tech *me, unsigned block);
uint32_t tech_pool_size(struct sm_grid *g, const struct tech *me);
uint64_t tech_ready(const struct sm_grid *g, uint16_t physical);     // cycle; CYCLE_NEVER: with a reply
uint32_t *tech_lanes(struct sm_grid *g, unsigned place, unsigned r); // of the warp's own Rr
uint32_t *tech_lanes_of(struct warp *w,
                        unsigned r); // the same; the warp need not have started, and may have ended
uint64_t tech_issuing(const struct sm_grid *g); // lanes of the issuing instruction, before its guard
const struct exec_access *tech_access(const struct sm_grid *g); // of the memory instruction just executed
// Reads of the mechanism's renamed registers take no bank ports from now on (ideal).
void tech_free_banks(struct sm_grid *g, const struct tech *me);

// -- what a mechanism does ----------------------------------------------------------------------------------
// A held warp is not fetched for (HOLD_FETCH), or issues nothing (HOLD_ISSUE), until no mechanism holds it. Ends with the warp.
enum tech_hold { HOLD_FETCH = 1, HOLD_ISSUE = 2 };
void tech_hold(struct sm_grid *g, const struct tech *me, unsigned place,
               unsigned what); // 0: releases the warp
// From now on the warp issues through the SM's port, not by a scheduler: one instruction a cycle of one warp in turn, without issue
// slot, collector or pipeline, operands served as `operand` says, with the latency of an instruction that found all of these free.
// False: back to the scheduler, as at the warp's end.
void tech_to_port(struct sm_grid *g, const struct tech *me, unsigned place, bool to_port);
void tech_skip_fetch(struct sm_grid *g, unsigned place); // passes over the next instruction to be fetched
void tech_drop(struct sm_grid *g, unsigned place); // one instruction fewer in the I-buffer: it will not issue
void tech_drop_fetching(struct sm_grid *g, unsigned place); // one fewer on its way there
void tech_refetch(struct sm_grid *g, unsigned place); // empties the I-buffer; fetches from the warp's pc
// The instruction before pc is skipped; all earlier ones have issued or been skipped: the warp is at pc. Other mechanisms hear `saved`
// before and `advanced` behind it.
void tech_advance(struct sm_grid *g, const struct tech *me, unsigned place, uint32_t pc);
// The other mechanisms put the instruction's sources into the warp's own registers (`lends`), before `me` computes it there and takes
// the warp past it.
void tech_lend(struct sm_grid *g, const struct tech *me, unsigned place, uint32_t index);
// Moves a physical register through a bank port, a pipeline and a write port; the cycle of its arrival. The mechanism moves the bytes.
uint64_t tech_copy(struct sm_grid *g, uint16_t from, uint16_t to);
// Writes the warp's own Rr, kept elsewhere by the mechanism, to the main register file, by a write port. The mechanism moves the bytes.
void tech_write_back(struct sm_grid *g, unsigned place, unsigned r);
// Brings sectors of a line to L1 as the load/store unit would: looked up in a cycle in which no warp's line is sent, joined to a miss
// under way, or sent to the L2 once an MSHR and a way are free. `line` tells of its arrival, with the token. False: no room for the
// request.
bool tech_request(struct sm_grid *g, const struct tech *me, uint64_t line, uint8_t sectors, uint32_t token);
// The line keeps its way in L1 until unlocked as often as locked, at the latest by the grid's end. False: the line is absent, or all
// other ways of its set are locked.
bool tech_lock_line(struct sm_grid *g, const struct tech *me, uint64_t line);
// Whether the line, present or not, could be locked now: for a mechanism that wants several lines of one set.
bool tech_may_lock_line(const struct sm_grid *g, const struct tech *me, uint64_t line);
void tech_unlock_line(struct sm_grid *g, const struct tech *me, uint64_t line);
void tech_at(struct sm_grid *g, unsigned block,
             uint64_t cycle); // the hook `event` of all mechanisms, at that cycle
// Executes the instruction for the warp in its own registers: no counts, no time, lanes stay where they are. For instructions with
// effects on registers alone. False: a load must wait for an atomic.
bool tech_recompute(struct sm_grid *g, unsigned place, uint32_t pc);
// The same in the given lanes, whatever the warp's state and the guard.
void tech_evaluate(struct sm_grid *g, unsigned place, uint32_t pc, uint64_t lanes);
void tech_evaluate_of(struct warp *w, uint32_t pc, uint64_t lanes); // also of warps not started, or ended

// -- a guest stream -----------------------------------------------------------------------------------------
// Instructions of the launch's program beside those of the warps, fetched, decoded and issued alike, outside the warps' slots. One a
// grid on an SM. Begins at pc, must not be running; ends by tech_guest_stop, GUEST_ENDS or with the grid's last warp on the SM.
void tech_guest_start(struct sm_grid *g, const struct tech *me, uint32_t pc, unsigned scheduler,
                      enum guest_turn turn);
void tech_guest_stop(struct sm_grid *g,
                     const struct tech *me); // not from the hook `guest`, which has GUEST_ENDS
bool tech_guest_runs(const struct sm_grid *g);
// Map of its registers: beside the register file, in banks of the same number, unless mapped to a block's renamed registers (tech_pool).
uint16_t *tech_guest_map(struct sm_grid *g);
// For guests with values of a warp: that warp of a block that runs nowhere, as at its start. Valid until the next call.
struct warp *tech_guest_values(struct sm_grid *g, uint64_t block, unsigned warp);
// Executes the instruction for it; pc and state say how it goes on. False: passed over, because it concerns more than the warp's own
// registers, predicates and way, or could fail.
bool tech_guest_compute(struct sm_grid *g, struct warp *values, uint32_t index);

// -- blocks that run nowhere --------------------------------------------------------------------------------
// For values of many warps at once (shadow.c): warps as at their start. `compute` leaves the warp where it is; `branch` (branches and
// exits) takes its lanes along; `go` puts a warp elsewhere, where its lanes may meet.
struct cta *tech_shadow_create(struct sm_grid *g);
void tech_shadow_start(struct sm_grid *g, struct cta *c, uint64_t block);
void tech_shadow_destroy(struct cta *c);
void tech_shadow_compute(struct sm_grid *g, struct warp *w, uint32_t index);
void tech_shadow_branch(struct sm_grid *g, struct warp *w, uint32_t index);
void tech_shadow_go(struct warp *w, uint32_t index);
