// How a mechanism plugs into an SM: a core of thirteen hooks, groups of further hooks, and the functions by
// which a mechanism sees and changes an SM. A mechanism leaves unused hooks and groups NULL, at no cost.
//
//     launch_begin ─ sm_begin ─ warp_start ┬─ reads ─┬─ executed ─┬─ issued ┬─ warp_end ─ sm_end ─ launch_end
//                                          │         └─ saved (1) ┘         │           check: before sm_end
//                                          └─ saved (2) ────────────────────┘
//     saved: another mechanism (1) reuses a result, or (2) skips the instruction
//
// With all groups, in the order of an instruction's life:
//
//     skipping   warp_started, leaves_out ─ fetch ─ fetched ─ filled ─ flushed
//     execution  copies ─ (reads) ─ reuse, reuse_load, leads ─ (executed) ─ cost
//     registers  elsewhere ─ operand ─ result ─ replied
//     lines      access ─ neighbours ─ neighbour ─ line          behind the load/store unit
//     blocks     block_start ─ event ─ block_end
//     guest      guest_may ─ guest ─ guest_result                beside the warps (claim "guest stream")
//     port       in place of reuse and leads                     beside the schedulers (claim "issue port")
//
// A warp is known by its *place*: its number among the warps that a grid may have on an SM, whatever hardware
// slot the warp is in. State, counters and places belong to one grid on one SM (`struct sm_grid`).
//
// Values are moved for real: a value read from the register of a different warp is copied when the
// instruction reads its operands.
//
// Several mechanisms run in the order of the registry, unless two claim the same exclusive right
// (claims.def). One mechanism decides whether an instruction executes. A mechanism that leads an instruction
// keeps the mechanisms below from reusing the result. When a mechanism skips or reuses an instruction, the
// other mechanisms hear of the instruction by `saved`.
#pragma once
#include "base/config.h"
#include "mark/mark.h"
#include "sm/mech/upset.h"
#include "sm/sm.h"

struct cta;
struct exec_access;
struct program;
struct warp;

// -- descriptions -------------------------------------------------------------------------------------------

struct tech_counter {
    const char *name, *unit, *meaning; // printed as NAME_OF_TECH.name
};

// A storage structure of the mechanism, for one SM.
struct tech_storage {
    const char *name;
    uint64_t entries, bits_each;
    bool in_paper; // counted in the storage cost given by the mechanism's paper
    // Number of equal arrays into which the structure's entries are divided. 0: replaces a structure of the
    // SM, at the same cost.
    unsigned arrays;
};
static inline uint64_t tech_storage_bits(const struct tech_storage *s) { return s->entries * s->bits_each; }

// What a mechanism does: the number of a bit (HAS) for every row of sm/mech/features.def.
enum tech_feature {
#define FEATURE(id, name, meaning) FEATURE_##id,
#include "sm/mech/features.def"
#undef FEATURE
    FEATURE_COUNT
};
#define HAS(id) (1u << FEATURE_##id)

// What a mechanism decides: the number of a bit (CLAIMS) for every row of sm/mech/claims.def.
enum tech_claim {
#define CLAIM(id, name, is_exclusive, meaning) CLAIM_##id,
#include "sm/mech/claims.def"
#undef CLAIM
    CLAIM_COUNT
};
#define CLAIMS(id) (1u << CLAIM_##id)
enum { TECH_STORAGE_MAX = 16, TECH_COUNTERS_MAX = 32 };

struct tech_use; // a mechanism with its options, for one launch

struct tech_rows; // takes rows of text
enum tech_owner { TECH_OF_SM, TECH_OF_BLOCK, TECH_OF_WARP };
// For the hook `rows`: row `number` of a table (static text) of the SM, of a block on the SM, or of the warp in a
// place. index: of the block, or the place.
void tech_row(struct tech_rows *to, const char *table, enum tech_owner owner, unsigned index, unsigned number,
              const char *format, ...) __attribute__((format(printf, 6, 7)));

// Hooks that the SM may leave out for plain instructions (arithmetic of full warps, op.is_plain): bits. OPERANDS: `elsewhere` and
// `operand`.
enum {
    CONCERNS_READS = 1,
    CONCERNS_EXECUTED = 2,
    CONCERNS_ISSUED = 4,
    CONCERNS_RESULT = 8,
    CONCERNS_OPERANDS = 16,
    CONCERNS_ALL = 31
};
struct tech_concerns {
    const uint8_t *hooks;      // by instruction: hooks that do something for some warp; NULL: all
    const uint64_t *attentive; // bits by place: warps for which no hook may be left out
    // True: `elsewhere` names operands read alone, and `operand` does no more than take them out of the register file.
    bool only_absent;
    const uint32_t *left_out; // by instruction: 0: `leaves_out` says 0 for every warp; NULL: unknown
};

// For options with rules beyond a table of keys.
struct tech_description {
    uint32_t (*more_claims)(const void *options); // claims caused by these options, in addition to `claims`
    // NULL, or the reason why these options are wrong together; static text.
    const char *(*wrong)(const void *options);
};

// -- group: blocks ------------------------------------------------------------------------------------------

struct tech_blocks {
    void (*block_start)(void *state, unsigned block); // called before warp_start of the block's warps
    void (*block_end)(void *state, unsigned block);
    void (*event)(void *state, unsigned block); // called at the cycle given to tech_at
};

// -- group: program -----------------------------------------------------------------------------------------

struct tech_program {
    // Sets shared[i] for every instruction i whose result may pass from warp to warp in launches with this
    // block shape. Only as far as known before the launch.
    void (*shares)(const struct tech_use *u, const struct program *p, const uint32_t block[3],
                   unsigned warp_size, bool *shared);
    // Returns a changed program for launches with this block shape, freed with program_free; NULL: keep the
    // given program. shared: instructions shared by the mechanisms used beside this one (tech_shared); NULL:
    // none.
    struct program *(*transform)(const struct tech_use *u, const struct program *p, const uint32_t block[3],
                                 unsigned warp_size, const bool *shared);
    // Number of adjacent instructions from pc on that do not exist for the warp: neither fetched nor
    // buffered. The mechanism takes the warp past each left-out instruction (tech_advance). The answer
    // changes with tech_refetch alone. At most one mechanism of a combination has this hook.
    uint32_t (*leaves_out)(const void *state, unsigned place, uint32_t pc);
};

// -- group: skipping ----------------------------------------------------------------------------------------

struct tech_skipping {
    // Called after warp_start of all mechanisms: the warp's instructions may be skipped from now on.
    void (*warp_started)(void *state, unsigned place);
    // In every cycle in which a warp of the grid wants a fetch, before the fetch arbiter. fetchable: bits by
    // place. Returns the places open to the arbiter.
    uint64_t (*fetch)(void *state, uint64_t fetchable);
    // A fetch brings *count instructions, from pc on, to the I-buffer. The mechanism may leave some out and
    // add later instructions of the fetched line, up to pc + most - 1. Returns n: of the instructions pc to
    // pc + n - 1, *count (updated) are on their way.
    uint32_t (*fetched)(void *state, unsigned place, uint32_t pc, uint32_t *count, uint32_t most);
    // Instructions pc to pc + count - 1 have arrived in the I-buffer.
    void (*filled)(void *state, unsigned place, uint32_t pc, unsigned count);
    void (*flushed)(void *state, unsigned place); // the I-buffer has been emptied
    // Another mechanism takes the warp past the instruction and is about to compute the result in the warp's
    // own registers. This mechanism puts the sources into the warp's own registers. The SM charges no reads.
    void (*lends)(void *state, unsigned place, uint32_t index);
    // Another mechanism has taken the warp past an instruction; the call follows `saved`.
    void (*advanced)(void *state, unsigned place);
};

// -- group: execution ---------------------------------------------------------------------------------------

struct op_cost {       // costs of an instruction that has executed
    uint32_t lanes;    // number of lanes at work
    uint32_t compared; // number of registers whose lanes were compared at the write
    uint32_t interval; // cycles during which the pipeline is busy
    uint32_t issue;    // cycles during which the scheduler is busy (issue.interval)
};

#define TECH_COPY_LANES (1u << 31)

struct tech_execution {
    // For a computing instruction with operands ready. 0: the instruction executes. Otherwise the mechanism
    // has put the result into the warp's own registers, and the instruction does not execute. The result is
    // ready after the returned number of cycles.
    uint32_t (*reuse)(void *state, unsigned place, uint32_t index);
    // As `reuse`, for a memory instruction with an accessing lane, which then enters no queue.
    uint32_t (*reuse_load)(void *state, unsigned place, uint32_t index);
    // True: other warps will take the result, and mechanisms later in the registry must not reuse the
    // instruction.
    bool (*leads)(void *state, unsigned place, uint32_t index);
    // The instruction could issue now. r + 1: the mechanism keeps register Rr in short form (one value; base
    // and stride), and the SM must first write all lanes. A move issues instead, with the time of an
    // instruction of all lanes, and the instruction waits for the move. 0: no register. With TECH_COPY_LANES: all
    // lanes are in the register file already, in a register shared with other warps, and move to one of the warp.
    uint32_t (*copies)(void *state, unsigned place, uint32_t index);
    // *c: costs on the unmodified GPU, changed by mechanisms earlier in the registry; may be changed.
    void (*cost)(void *state, unsigned place, uint32_t index, struct op_cost *c);
};

// -- group: registers ---------------------------------------------------------------------------------------

// Source of a block's renamed registers. In a launch dispatched by warp, no tails of allocation units are
// given.
enum tech_pool_from {
    // Unallocated registers of the SM, divided by blocks, and the unused tails of warps' allocation units.
    // Costs no resident block.
    TECH_POOL_LEFT_OVER,
    TECH_POOL_OWN_UNITS, // tails of warps' allocation units alone
    // As many registers as wanted, at the cost of resident blocks, but so that one resident block fits.
    TECH_POOL_SET_APART
};

// An instruction's access to a register, and the structures that serve the access.
struct operand_access {
    uint16_t physical;
    uint8_t r, nth; // r: the warp's Rr. nth: number among the instruction's registers read (written)
    bool is_write;
    uint64_t at; // of a result: cycle of the write, without the delays below and without waits for a port
    // The members below are preset to an access to the main register file.
    uint8_t bank; // bank of the read port used; NO_BANK: no port, and for a result no write port
    // main: number of registers moved in the main register file; near: in a mechanism's structure beside the
    // lanes.
    uint8_t main, near;
    uint8_t words; // words moved in place of the lanes: of one value, or of a base and a stride
    // For a result: bank of a register of all lanes read back through a port before the write; NO_BANK: none. compared:
    // number of registers whose lanes were compared or hashed for that; of an operand, added up.
    uint8_t checked, compared;
    bool is_apart;   // an operand: another value than the register's, which may still be on its way
    uint32_t cycles; // additional latency in cycles
};

// A mechanism's representation of a register's value in place of the lanes: equal words stand for equal
// values.
struct tech_kept {
    uint32_t words[2];
};
enum { TECH_REGISTERS = 256 }; // registers of a warp

struct tech_registers {
    uint32_t (*registers)(const void *launch);            // renamed registers wanted for a block
    enum tech_pool_from (*pool_from)(const void *launch); // NULL: TECH_POOL_LEFT_OVER
    // Bits by `nth` (operand_access): registers read (is_write: results written) for which `operand` must be
    // called. Called just before `operand`. NULL: all registers.
    uint32_t (*elsewhere)(const void *state, unsigned place, uint32_t index, bool is_write);
    // For every register read, and for every result when written (of a load: at the reply), as selected by
    // `elsewhere`. *a: the access so far, by the main register file or by mechanisms earlier in the registry;
    // may be changed. a->main == 0: a mechanism earlier in the registry serves the register.
    void (*operand)(void *state, unsigned place, uint32_t index, struct operand_access *a);
    // The result is ready at `cycle`; CYCLE_NEVER: unknown until `replied`.
    void (*result)(void *state, unsigned place, uint32_t index, uint64_t cycle);
    // A memory reply has written the physical registers `registers`, one per word of the result; ready at
    // `cycle`.
    void (*replied)(void *state, unsigned place, uint32_t index, const uint16_t *registers, uint64_t cycle);
    // Fills words[r] for each register with a value outside its lanes, for comparing a warp with an earlier
    // state (stall.h).
    void (*kept)(const void *state, unsigned place, struct tech_kept words[TECH_REGISTERS]);
};

// -- group: lines -------------------------------------------------------------------------------------------

// A line of a memory instruction, at its departure from the load/store unit.
struct tech_line {
    uint64_t line;          // address of the first byte
    uint64_t block;         // number of the warp's block within the grid
    uint32_t warp;          // number of the warp within its block
    uint32_t index;         // number of the instruction
    uint8_t sectors, first; // first: offset in the line, in bytes, of the first access in lane order
    uint8_t place; // place of the warp; after a store the place may be empty, or belong to a later warp
    enum lsu_kind kind;
    enum line_outcome outcome; // outcome in the cache that was asked
};

enum { TECH_NEIGHBOURS_MAX = 7 };
#define TECH_NEIGHBOUR UINT32_MAX // token, in the hook `line`, of a line that came as a neighbour

// Lines to be brought to L1 together with a warp's line.
struct tech_neighbours {
    uint64_t lines[TECH_NEIGHBOURS_MAX];
    unsigned count;
    // Lines present in L1, with all sectors, count as just used, and `neighbour` hears of each. Other lines
    // are ignored, and no line is requested.
    bool only_touch;
    // A hit of the warp's line becomes ready no sooner than the line's neighbours under way to L1.
    bool waits;
};

// What happens to a line of the buffer beside L1.
enum tech_buffered {
    TECH_BUFFER_FILLED,   // the line has arrived
    TECH_BUFFER_TAKEN,    // wanted by a warp's load, the line moves to L1
    TECH_BUFFER_REPLACED, // a new request takes the line's way
    TECH_BUFFER_DROPPED   // a store or atomic of the grid has written to the line
};
// Ways of a set in a buffer of so many lines. The buffer has lines / ways sets.
static inline uint32_t tech_buffer_ways(uint32_t lines) { return lines < 8 ? lines + !lines : 8; }

struct tech_lines {
    // Number of lines of a buffer beside L1, of the grid's own, for the lines of tech_request (claim "L1 lines"); 0 or
    // NULL: the lines go to L1. Loads look up L1 and the buffer together. A line under way to the buffer takes a
    // way of the buffer, and neither an MSHR nor a way of L1. `launch`: as given by launch_begin.
    uint32_t (*buffer)(const void *launch);
    void (*buffered)(void *state, uint64_t line, enum tech_buffered what);
    // A line of global, local, constant or texture memory has left the head of the load/store unit in this
    // cycle.
    void (*access)(void *state, const struct tech_line *line);
    // L1 has been asked for a line of a warp's load from global memory (l1.global=1). *n (empty) takes the
    // lines to be brought with this line, looked up in the same cycle with all sectors. Lines outside every
    // allocation, or without a free MSHR or way, are left out. Requests of one cycle to one L2 slice go in
    // one packet (memory_request.rides).
    void (*neighbours)(void *state, const struct tech_line *line, struct tech_neighbours *n);
    // Outcome of L1 for a neighbour. LINE_HIT: present. LINE_MISS: requested. LINE_JOINED: joined to a miss
    // under way. LINE_STALLED: left out for want of an MSHR or a way.
    void (*neighbour)(void *state, uint64_t line, enum line_outcome outcome);
    // A line of tech_request has missed in L1 and is under way. With l1.allocate=miss the line has its way and can be
    // locked at once.
    void (*asked)(void *state, uint64_t line, uint32_t token);
    // For an ideal machine: whether a load counts as hit although its line is not in the cache. A miss requests the
    // line as usual, and nobody waits for the reply.
    bool (*foreseen)(void *state, const struct tech_line *line);
    // A line from `neighbours` or tech_request is in L1: present at the look-up, or arrived by a reply. The
    // mechanism can lock the line before any other request takes the way.
    void (*line)(void *state, uint64_t line, uint32_t token);
};

// -- group: guest -------------------------------------------------------------------------------------------

// Turn of a guest stream among the warps of its scheduler.
enum guest_turn {
    GUEST_FIRST, // the guest issues before all warps
    // As the oldest warp under greedy-then-oldest: after an issue of the guest, or when the warp served last
    // cannot issue.
    GUEST_OLDEST,
    GUEST_IN_TURN, // once a round, behind the warp with the highest slot
    GUEST_LAST,    // the guest issues when no warp can issue
    // issues in addition to the warp picked by the scheduler; fetches once a round, as with GUEST_IN_TURN
    GUEST_BESIDE
};

// Effect of a guest's instruction. Preset: one lane works, and the next instruction follows.
struct guest_step {
    uint32_t next;  // next instruction, or GUEST_ENDS
    uint32_t lanes; // number of lanes at work
    uint32_t more;  // additional latency in cycles
    // An arithmetic result, except in double precision, goes from the end of the pipeline to its start: the next
    // instruction may issue two cycles earlier, the time of writing and reading the register (operands.bypass).
    bool forwards;
    bool again; // the instruction issues once more from its I-buffer entry; `next` is not asked
};
enum { GUEST_ENDS = UINT32_MAX };
enum { GUEST_ANY = UINT32_MAX }; // scheduler of a guest that any free scheduler issues

struct tech_guest {
    // May the guest's next instruction issue, now that its registers are ready? No side effects: called any
    // number of times. NULL: always.
    bool (*guest_may)(const void *state, uint32_t index);
    // The instruction issues. The mechanism defines its effect in *step. The SM charges an I-buffer entry, an
    // issue slot (except GUEST_BESIDE), a collector, banks, a pipeline and a write port. A memory instruction
    // takes its latency and does not enter the load/store unit.
    void (*guest)(void *state, uint32_t index, struct guest_step *step);
    void (*guest_result)(void *state, uint32_t index, uint64_t cycle); // registers written at `cycle`
};

// -- group: dispatch ----------------------------------------------------------------------------------------

// A launch between two windows of time: the SMs of one kind (struct gpu_kind) on which the mechanism has
// begun, in order of SM numbers.
struct tech_view {
    uint64_t now;
    unsigned count;
    struct tech_sm {
        unsigned index;                  // number of the SM
        const struct gpu_counts *counts; // counts of the launch on the SM so far
        const uint64_t *counters;        // counters of the mechanism on the SM
    } sms[256];
};

// An SM with room for a block, or for a part of the block's warps.
struct tech_room {
    unsigned sm;
    uint32_t resident; // warps of all blocks on the SM
    // Most warps of this launch on the SM, if the launch ran alone and were dispatched by block.
    uint32_t by_block;
    uint32_t to_come; // warps of the block not started yet
    uint32_t room;    // number of warps that fit now, out of to_come
};

struct tech_dispatch {
    // Before a window of time in which something may happen. Called on one thread, while no SM runs: `launch`
    // may be changed in this hook alone.
    void (*window)(void *launch, const struct tech_view *v);
    // Number of the block's warps to start: 0 to r->room. A mechanism with this hook dispatches by warp
    // (chip/dispatch.h, claim "dispatch"): the slot and registers of a warp are free at the warp's end.
    // Called between windows whenever the SM may have room. A block alone on an SM starts without a call.
    uint32_t (*admit)(const void *launch, const struct tech_room *r);
    bool (*by_warp)(const void *launch); // false: dispatch by block in this launch; NULL: always by warp
};

// -- a mechanism --------------------------------------------------------------------------------------------

struct tech {
    const char *name, *meaning, *paper;
    bool ideal;        // may use knowledge that hardware cannot have
    uint32_t features; // HAS(UNIFORM) | …
    uint32_t claims;   // CLAIMS(POOL) | …
    // Indices into `counters`. skipped: instructions never fetched, or dropped before issue. reused:
    // instructions issued but not executed. -1: the mechanism has no such counter.
    int skipped, reused;
    const struct config_key *keys; // options, for a struct of options_bytes
    size_t key_count, options_bytes;
    const struct tech_counter *counters;
    size_t counter_count;

    // -- the core
    size_t (*storage)(const void *options, const struct gpu_config *c,
                      struct tech_storage out[TECH_STORAGE_MAX]);
    // State shared in a launch by all SMs of one kind; NULL: the mechanism does nothing in this launch.
    // Hooks of SMs only read the state. The numbers of blocks and warps on an SM are not known yet, since
    // later mechanisms may set registers apart; sm_begin knows the numbers.
    void *(*launch_begin)(const struct tech_use *u, const struct sm_launch *l);
    void (*launch_end)(void *launch);
    // State of one grid on one SM, at the first block on the SM. counters: TECH_COUNTERS_MAX words, all 0.
    void *(*sm_begin)(void *launch, struct sm_grid *g, uint64_t *counters);
    // Which hooks the mechanism needs; asked after sm_begin. Beside other mechanisms only `left_out` counts. NULL: all.
    struct tech_concerns (*concerns)(const void *state);
    void (*sm_end)(void *state);
    // The warp is in its slot, and its registers are 0. Warps of one block may start in different cycles.
    void (*warp_start)(void *state, unsigned place);
    void (*warp_end)(void *state, unsigned place);
    // The instruction is about to read its operands: after the call, the values must be in the warp's own
    // registers.
    void (*reads)(void *state, unsigned place, uint32_t index);
    // The instruction has executed, and its operands are collected. The destination may be mapped to a
    // different register from now on. Also called if the issuing lanes only begin to wait where the warp
    // reconverges: the instruction executes later, with the last part of the warp.
    void (*executed)(void *state, unsigned place, uint32_t index);
    // Another mechanism supplies the result. SAVED_EXECUTION, in place of `executed`: the instruction is
    // reused, and the result is in the warp's own registers; the destination may be mapped to a different
    // register now. SAVED_FETCH, in place of `reads`, `executed` and `issued`: the instruction is skipped;
    // the warp is at the instruction, and earlier instructions are done. The result is in the other
    // mechanism's storage.
    void (*saved)(void *state, unsigned place, uint32_t index, enum tech_saving what);
    // The instruction has left the I-buffer. The warp's pc names the next instruction; divergence, barrier
    // and exit are settled. At the warp's exit `warp_end` comes first, and `issued` is left out if the slot
    // is already free.
    void (*issued)(void *state, unsigned place, uint32_t index);
    // At the launch's end: NULL, or what is wrong in the mechanism's state or counters; static text.
    const char *(*check)(const void *state);
    // Tells what the mechanism keeps at the end of a cycle, a row an entry in use (tech_row), for the stepping page
    // of a timeline. Called in a watched run alone. A text changes with the state only, never with the time.
    void (*rows)(const void *state, struct tech_rows *to);

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
    // For a warp sent to the port (tech_to_port), in place of reuse and leads. Does the instruction issue
    // now? Only instructions that compute or branch may. False: the port issues nothing in this cycle, and
    // the mechanism must send the warp back to its scheduler.
    bool (*port)(void *state, unsigned place, uint32_t index);
};

// An action of a mechanism, for tests and for debugging a mechanism.
struct tech_step {
    uint64_t cycle;
    const char *what; // name of the action, defined by the mechanism
    unsigned sm, block, warp;
    uint32_t pc, value;
};
struct tech_listener {
    void (*heard)(void *context, const struct tech_step *step); // called by SMs on several threads at once
    void *context;
};

struct tech_use {
    const struct tech *tech;
    const void *options;
    const struct mark_settings *marks;
    uint32_t code_bytes; // capacity of an SM's instruction cache; 0: unlimited
    bool verify;         // compare every shared value with the value computed by its reader
    // Number of differences found by `verify` in the grid, added from several threads.
    uint64_t *mismatches;
    const struct tech_listener *listener; // NULL: no listener
    const struct upsets *upsets;          // NULL: no bit flips
};

// Instructions of the program shared by mechanisms other than `me` (tech_program.shares), by instruction
// number; NULL: no other mechanism has the hook `shares`. On the heap.
bool *tech_shared(const struct tech_use *uses, unsigned count, const struct tech *me, const struct program *p,
                  const uint32_t block[3], unsigned warp_size);

// -- what a mechanism sees ----------------------------------------------------------------------------------
// The first member of struct sm_grid: what mechanisms see without a call, since they ask at every instruction.
struct tech_sight {
    const uint64_t *now;
    uint64_t *const *ready; // by physical register
    const uint8_t *slots;   // by place
    const char *warps;      // by slot: warp_bytes, of which the first are a struct warp *
    size_t warp_bytes;
};
static inline const struct tech_sight *tech_sight_of(const struct sm_grid *g)
{
    return (const struct tech_sight *)(const void *)g;
}
const struct sm_launch *tech_launch(const struct sm_grid *g);
static inline uint64_t tech_now(const struct sm_grid *g) { return *tech_sight_of(g)->now; }
unsigned tech_index(const struct sm_grid *g);                                 // number of the SM
static inline struct warp *tech_warp(const struct sm_grid *g, unsigned place) // NULL: the place is empty
{
    const struct tech_sight *x = tech_sight_of(g);
    return *(struct warp *const *)(const void *)(x->warps + x->slots[place] * x->warp_bytes);
}
unsigned tech_block_of(const struct sm_grid *g, unsigned place);
// Bits: places of a block's warps, ended warps included. Under dispatch by warp: places of the present warps.
uint64_t tech_places(const struct sm_grid *g, unsigned block);
uint32_t tech_fetch_pc(const struct sm_grid *g, unsigned place); // next instruction to be fetched
// True: instructions before tech_fetch_pc are on their way to the I-buffer.
bool tech_is_fetching(const struct sm_grid *g, unsigned place);
unsigned tech_buffered(const struct sm_grid *g, unsigned place); // number of instructions in the I-buffer

// -- registers ----------------------------------------------------------------------------------------------
// Physical registers are numbered, and map[r] is the number of a warp's Rr. A warp's own registers are
// tech_own(g, place, 0) + r, the only registers that the engine reads and writes: hooks copy the values of
// all other registers.
const uint16_t *tech_map(const struct sm_grid *g, unsigned place);
void tech_remap(struct sm_grid *g, unsigned place, unsigned r, uint16_t physical); // sets map[r]
uint16_t tech_own(const struct sm_grid *g, unsigned place, unsigned r);
// Renamed registers of the mechanism, per block. tech_pool: number of the block's first register;
// tech_pool_size: number of registers.
uint16_t tech_pool(struct sm_grid *g, const struct tech *me, unsigned block);
uint32_t tech_pool_size(struct sm_grid *g, const struct tech *me);
// Cycle from which the register's value may be read; CYCLE_NEVER: a memory reply is outstanding.
static inline uint64_t tech_ready(const struct sm_grid *g, uint16_t physical)
{
    return (*tech_sight_of(g)->ready)[physical];
}
// tech_lanes: lanes of the warp's own Rr. tech_lanes_of: likewise, also for a warp not started yet or already
// ended.
uint32_t *tech_lanes(struct sm_grid *g, unsigned place, unsigned r);
uint32_t *tech_lanes_of(struct warp *w, unsigned r);
uint64_t tech_issuing(const struct sm_grid *g); // lanes of the issuing instruction, before its guard
// Accesses of the memory instruction just executed.
const struct exec_access *tech_access(const struct sm_grid *g);
// From now on, reads of the mechanism's renamed registers take no bank ports (ideal).
void tech_free_banks(struct sm_grid *g, const struct tech *me);

// -- what a mechanism does ----------------------------------------------------------------------------------
// Holds a warp: no fetch (HOLD_FETCH) or no issue (HOLD_ISSUE) until no mechanism holds the warp. The warp's
// end releases it.
enum tech_hold { HOLD_FETCH = 1, HOLD_ISSUE = 2 };
// Replaces the mechanism's holds on the warp. what: bits of enum tech_hold; 0: releases them; holds of other
// mechanisms stay. No effect on an ended warp.
void tech_hold(struct sm_grid *g, const struct tech *me, unsigned place, unsigned what);
// The SM looks again at the warp's next instruction, registers and I-buffer, whatever tech_hold found.
void tech_look(struct sm_grid *g, unsigned place);
// From now on the warp issues through the SM's port, by no scheduler. The port issues one instruction a
// cycle, of its warps in turn, without an issue slot, a collector or a pipeline. `operand` says how operands
// are served. The latency is the latency of an instruction that found all units free. to_port false: the warp
// goes back to its scheduler, as at its end.
void tech_to_port(struct sm_grid *g, const struct tech *me, unsigned place, bool to_port);
void tech_skip_fetch(struct sm_grid *g, unsigned place); // passes over the next instruction to be fetched
// Lowers by one the number of instructions in the I-buffer, for instruction `index`, passed over, that will not
// issue.
void tech_drop(struct sm_grid *g, unsigned place, uint32_t index);
// Lowers by one the number of instructions on the way to the I-buffer, for instruction `index`, passed over, that
// will not issue.
void tech_drop_fetching(struct sm_grid *g, unsigned place, uint32_t index);
void tech_refetch(struct sm_grid *g, unsigned place); // empties the I-buffer and fetches from the warp's pc
// Takes the warp past the instruction before pc: the instruction is skipped, and the warp is at pc. All
// earlier instructions must have issued or been skipped. Other mechanisms hear `saved` before and `advanced`
// after the step.
void tech_advance(struct sm_grid *g, const struct tech *me, unsigned place, uint32_t pc);
// The other mechanisms put the instruction's sources into the warp's own registers (`lends`). `me` then
// computes the result in these registers and takes the warp past the instruction.
void tech_lend(struct sm_grid *g, const struct tech *me, unsigned place, uint32_t index);
// Charges the copy of a physical register: a bank port, a pipeline and a write port. Returns the cycle of
// arrival. The mechanism moves the bytes.
uint64_t tech_copy(struct sm_grid *g, uint16_t from, uint16_t to);
// Charges a write port for the warp's own Rr, moved from the mechanism's storage to the main register file.
// The mechanism moves the bytes.
void tech_write_back(struct sm_grid *g, unsigned place, unsigned r);
// Brings sectors of a line to L1 with the load/store unit. The line is looked up in a cycle in which no
// warp's line is sent. A miss joins a miss under way, or goes to the L2 once an MSHR and a way are free. The
// hook `line` reports, with the token, a hit at the look-up and a miss at the reply. False: the request queue
// is full.
bool tech_request(struct sm_grid *g, const struct tech *me, uint64_t line, uint8_t sectors, uint32_t token);
// Locks a line in its L1 way until unlocked as often as locked, at the latest until the grid's end. False:
// the line is absent, or too many ways of the set are locked.
bool tech_lock_line(struct sm_grid *g, const struct tech *me, uint64_t line);
// Whether the line, present or absent, could be locked now: for a mechanism that locks several lines of one
// set.
bool tech_may_lock_line(const struct sm_grid *g, const struct tech *me, uint64_t line);
void tech_unlock_line(struct sm_grid *g, const struct tech *me, uint64_t line);
// Calls the hook `event` of all the grid's mechanisms for the block at `cycle`, or in the next cycle if
// `cycle` is not later.
void tech_at(struct sm_grid *g, unsigned block, uint64_t cycle);
// Executes the instruction for the warp in its own registers. Counts, time and active lanes do not change.
// Only for instructions with effects on registers alone. False: a load must wait for an atomic, or the
// instruction has failed.
bool tech_recompute(struct sm_grid *g, unsigned place, uint32_t pc);
// Executes the instruction in the given lanes, whatever the warp's state and the guard.
void tech_evaluate(struct sm_grid *g, unsigned place, uint32_t pc, uint64_t lanes);
// As tech_evaluate, also for a warp not started yet or already ended.
void tech_evaluate_of(struct warp *w, uint32_t pc, uint64_t lanes);

// -- a guest stream -----------------------------------------------------------------------------------------
// Instructions of the launch's program beside the warps: fetched, decoded and issued like the instructions of
// warps, outside the warps' slots. One stream for each grid on an SM. Starts at pc, and must not run yet. The
// stream ends by tech_guest_stop, by GUEST_ENDS, or with the grid's last warp on the SM. scheduler: GUEST_ANY
// leaves the choice to each cycle (not with GUEST_BESIDE).
void tech_guest_start(struct sm_grid *g, const struct tech *me, uint32_t pc, unsigned scheduler,
                      enum guest_turn turn);
// Stops the guest. Must not be called from the hook `guest`, which ends the guest by GUEST_ENDS.
void tech_guest_stop(struct sm_grid *g, const struct tech *me);
bool tech_guest_runs(const struct sm_grid *g);
// Map from the guest's registers to physical registers. The guest's registers take no room in the register
// file, but share the ports of its banks with the warps. A mechanism may map registers to a block's renamed
// registers (tech_pool).
uint16_t *tech_guest_map(struct sm_grid *g);
// For a guest with values of a warp: the warp of a block outside the dispatch, in the state of its start.
// Valid until the next call.
struct warp *tech_guest_values(struct sm_grid *g, uint64_t block, unsigned warp);
// Executes the instruction for this warp, and updates its pc and state. False: the instruction was passed
// over, because it has effects beyond the warp's own registers, predicates and control flow, or could fail.
bool tech_guest_compute(struct sm_grid *g, struct warp *values, uint32_t index);

// -- blocks outside the dispatch ----------------------------------------------------------------------------
// For values of many warps at once (shadow.c): the warps of a block in the state of their start. `compute`
// executes and leaves the warp's pc in place. `branch` (branches and exits) moves the lanes. `go` puts the
// warp at `index`, where lanes may reconverge.
struct cta *tech_shadow_create(struct sm_grid *g);
void tech_shadow_start(struct sm_grid *g, struct cta *c, uint64_t block);
void tech_shadow_destroy(struct cta *c);
void tech_shadow_compute(struct sm_grid *g, struct warp *w, uint32_t index);
void tech_shadow_branch(struct sm_grid *g, struct warp *w, uint32_t index);
void tech_shadow_go(struct warp *w, uint32_t index);
