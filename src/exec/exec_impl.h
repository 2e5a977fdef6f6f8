// Inside the execution engine: the execution of one instruction for the lanes of a warp (warp.h).
// Included by exec/ itself, the timing model (executes an instruction at issue) and observed runs.
//
//   program ── bind (bind.c) ──▶ bound instructions: handler, operand offsets, constant values
//                                        │
//   launch ── blocks, warps (run.c) ─────┼──▶ handler(bound, warp, registers, lanes) ─▶ next instruction
//                                        │      general_*.c   every instruction, any operands, plain C
//   divergence (split.c),                │      fast/         frequent forms, SIMD, one build per processor
//   barriers (barrier.c), faults (fault.c) ◀────┘
//
// A handler executes one instruction for all lanes and returns the bound instruction to execute next, or NULL
// for a warp to stop. Frequent handlers call the next handler in tail position instead of returning: straight
// code runs as a chain of jumps with all state in registers.
#pragma once
#include "base/arena.h"
#include "base/bits.h"
#include "exec/launch.h"
#include "exec/warp.h"
#include "isa/space.h"

struct inst;
struct operand;
struct program;
struct strbuf;

// Vectors of a warp that depend on its number in the block alone, for all blocks: threadIdx and lane numbers.
enum { THREAD_X, THREAD_Y, THREAD_Z, THREAD_LANE, THREAD_VECTORS };

typedef const struct bound *exec_handler(const struct bound *d, struct warp *w, uint8_t *regs,
                                         uint64_t active);

struct handlers {         // of one form of an instruction
    exec_handler *full;   // for a warp with every lane active
    exec_handler *masked; // for the lanes of `active` alone, after the guard (BRA applies its guard itself)
};

// An instruction bound to a launch, one cache line. Register offsets are bytes from the warp's registers.
struct bound {
    exec_handler *run;               // first handler to run: of a join, a check, the guard or the form
    const struct handlers *handlers; // of the form
    union {
        // BRA, RBR: target in the same copy of the code. With a source in shared memory: the form that reads
        // the scratch vector (bind.c) instead, followed by exec_hand_back.
        const struct bound *target;
        uint64_t wide; // 64-bit constant operand
    };
    uint32_t dst;       // register offset, or predicate index (PRED_SINK for PT)
    uint32_t src[4];    // register offset; predicates: index | not << 31
    uint32_t scalar;    // for the form: usually the value of a non-register 32-bit source, modifiers applied
    int32_t offset;     // of an address operand
    uint32_t index;     // of the instruction
    uint16_t slot;      // allocation cache entry, or NO_SLOT
    uint8_t guard;      // predicate index
    int8_t guard_not;   // -1 when negated
    uint8_t q;          // index of the second destination predicate (PRED_SINK: none)
    uint8_t guarded;    // the guard is applied before the form runs (BRA's form applies the guard itself: 0)
    uint8_t spare_byte; // free for the form
    uint8_t boolean;    // BOOL_* operator of a comparison
};
_Static_assert(sizeof(struct bound) == 64, "a bound instruction is a cache line");

// The allocation last accessed by a memory instruction, remembered for the next access.
struct allocation_slot {
    uint64_t start, size_bytes;
    uint64_t row_limit; // a full warp's consecutive access at a lower offset is within bounds
    uint8_t *host;      // host byte of `start`
    // For vectors of lanes: an access is within bounds if the upper word of the address register is `upper` (64-bit
    // addresses) and the lower word less `base` is below `room`. room 0: compare whole addresses instead.
    uint32_t base, upper, room;
};

struct bulk_copy;
struct remote;
struct checker;
struct hint;
struct lane_access;
struct lane_io;
struct look;
struct race_detector;

// Operands of an instruction, decoded for the general handlers. Word counts are 0 for predicates, addresses,
// special registers and absent operands.
struct general {
    void (*operation)(struct lane_io *io); // NULL: no plain arithmetic
    uint8_t src_words[4], dst_words;
    bool dst_is_pred;
    uint8_t src_is_pred; // bit per source
    uint64_t value[4];   // of immediate and constant sources
};

// A program bound to a launch (bind.c). A launch may have two: one to run freely, one to be stepped.
struct exec_code {
    struct bound *full, *masked;
    struct general *general;
    uint8_t *entry_flags, *address_operand;
    struct allocation_slot *slots;
    uint32_t slot_count;
    bool is_stepped;
};

// Loops over the addresses of all lanes, and the handlers of guards, for each build of the interpreter
// (fast/addresses.c; for exec.isa=general, access.c).
struct lane_loops {
    // Writes every lane's address to to[] and returns the pattern for accesses of `bytes` bytes. Lower and
    // upper words of the address registers; high NULL: addresses of 32 bits, a lower word plus `offset`
    // modulo 2^32.
    enum access_pattern (*addresses)(const uint8_t *low, const uint8_t *high, uint64_t offset, unsigned bytes,
                                     uint64_t *to);
    // Whether every lane's address less lane 0's is distance[lane], modulo 2^32.
    bool (*have_distances)(const uint64_t *address, const uint32_t *distance);
    struct handlers guard; // apply the guard of an instruction and go on with the handlers of its form
};

// A launch in execution on one thread.
struct exec {
    const struct launch *launch;
    const struct program *program;
    const struct inst *insts; // of the program
    enum exec_isa isa;
    const struct lane_loops *loops;
    unsigned lanes, vector_bytes; // 32 or 64; 4 bytes a lane
    unsigned warp_size, warps_per_block, threads_per_block;
    uint32_t local_stride;         // bytes from a lane's word of local memory to the lane's next word
    uint32_t register_slots;       // of a warp, extra vectors included
    uint32_t zero_slot, sink_slot; // first vector of zero, for writes to RZ
    const uint8_t *threads;        // by warp of a block: THREAD_VECTORS vectors
    // The program bound for a full warp, and for any other lane mask; inst_count + 1 entries each.
    struct bound *full, *masked;
    struct general *general;       // by instruction index
    uint8_t *entry_flags;          // by instruction index: EXEC_*
    struct allocation_slot *slots; // allocation cache, the only mutable part of a bound program
    uint32_t slot_count;
    struct allocation_slot general_slot;           // shared by the general memory instructions
    uint64_t instruction_limit, instructions_done; // done: warp instructions of finished slices
    uint64_t ask_at;     // value of instructions_done at which to poll for an interrupt
    uint64_t clock_base; // clock of the engine minus the running warp's `issued`
    struct launch_fault *fault;
    struct exec_counts *counts;
    struct race_detector *races; // NULL: off
    struct checker *checker;     // NULL: off
    struct hint *hint;           // NULL: off
    struct launch_notes notes;   // so far
    uint32_t depth_limit;        // maximum call depth of a thread
    bool is_stepped;             // control returns after every instruction (exec_step)
    bool defers_copies;          // a copy by cp.async lands after its issue (async.h)
    uint64_t landings;           // number of times that copies under way have landed
    void (*woken)(void *context,
                  struct cta *c); // a stopped warp of the block is ready again (phase.h). NULL: not wanted
    void *woken_context;
    // is_timed: a warp has issued a bulk copy (bulk.h); context: woken_context
    void (*copies)(void *context, struct warp *w, struct bulk_copy *c);
    // is_timed, launch in clusters: an entry for a block of the cluster (remote.h); context: woken_context
    void (*sends)(void *context, struct remote *m);
    // The same: the warp has executed a fence, or (arrives) releases by its arrival at the cluster's barrier.
    void (*orders)(void *context, struct warp *w, bool arrives);
    bool polls;    // a wait for a phase of an mbarrier goes on at once: mechanisms know no parked warps
    bool is_timed; // run by the timing model, which logs stores and atomics to global memory (timed.h)
    uint32_t sm;   // is_timed: number of the engine's SM
    uint8_t *address_operand;     // is_stepped: exec_address_operand, by instruction index
    struct observation *observed; // NULL: no observer
    struct look *look;            // NULL: no look under way (look.h: can any warp go on?)
    struct exec_code stepped;     // program bound for stepping during looks; full == NULL: not bound yet
    uint64_t *texels; // by lane: address of the first texel of the last fetch, 0: none. NULL: not wanted
    uint8_t *flat;    // host byte of address 0 of a flat memory; NULL: no flat memory
    struct exec_spare *spare; // for blocks to come; NULL: none
    struct arena arena;
};

enum { EXEC_JOIN = 1, EXEC_RETURN_SITE = 2, EXEC_FUNCTION = 4 };

// Bound code from instruction index pc on: the full copy if all lanes of the warp run, else the masked copy,
// which has the joins.
static inline const struct bound *warp_code(const struct warp *w, uint32_t pc)
{
    return (w->active == w->full ? w->exec->full : w->exec->masked) + pc;
}

// -- access.c -----------------------------------------------------------------------------------------------
// 1 + index of the source with the memory address, as in access.c; 0: no memory access.
uint8_t exec_address_operand(const struct inst *i);
void exec_find_access(const struct warp *w, const struct bound *d, struct exec_access *a);
// Writes every lane's address to to[]: the address register at register offset `source` plus the constant of
// operand o. Returns the pattern of accesses of `bytes` bytes.
enum access_pattern exec_lane_addresses(const struct warp *w, const struct operand *o, uint32_t source,
                                        unsigned bytes, uint64_t *to);
extern const struct lane_loops exec_general_loops[2];           // for 32 and 64 lanes
const struct lane_loops *exec_lane_loops(const struct exec *e); // of e->isa and e->lanes

// -- observed.c ---------------------------------------------------------------------------------------------
void observed_create(struct exec *e, const struct launch *l); // call before exec_prepare
void observed_destroy(struct exec *e);
void observed_enter(struct warp *w); // w is the running warp until the next call
// exec_step with events to the observer.
const struct bound *observed_step(struct warp *w, const struct bound *d);
// Runs the warp until its stop, as the loop of run.c does, with events to the observer.
void observed_execute(struct warp *w, const struct bound *d);
void observed_block_begin(struct cta *c);
void observed_block_end(struct cta *c);
void observed_barrier(struct cta *c, unsigned number); // before the release of the waiting warps
void observed_warp_exit(struct warp *w);
void observed_deferred(struct warp *w); // the instruction under way did not execute

// -- bind.c -------------------------------------------------------------------------------------------------
void exec_lay_out(struct exec *e); // chooses the extra vectors and makes those of threads; before exec_bind
void exec_bind(struct exec *e);
// Makes e use the bound instructions and the vectors of `like`; the allocation slots are e's own.
void exec_bind_alike(struct exec *e, const struct exec *like);
struct exec_code exec_code_of(const struct exec *e); // code in use
void exec_code_use(struct exec *e, const struct exec_code *c);
void exec_bind_stepped(struct exec *e); // makes the engine step; binds stepped code on the first call
uint32_t exec_register_offset(const struct exec *e, const struct operand *o, bool is_destination);

// -- run.c: called by handlers ------------------------------------------------------------------------------
// Adds the straight run up to d (included; `before`: excluded) to the counts. The caller then transfers
// control.
void warp_count_run(struct warp *w, const struct bound *d);
void warp_count_before(struct warp *w, const struct bound *d);
const struct bound *warp_go(struct warp *w, uint32_t pc); // code at pc; NULL: slice over, warp has stopped
// Stops the warp with next instruction pc. Always returns NULL, for the handler to return to the scheduler.
const struct bound *warp_stop(struct warp *w, uint32_t pc);
// Runs until the warp stops, at the latest at a branch after `slice` warp instructions; false: a fault.
bool warp_run(struct warp *w, uint64_t slice);

// For callers that schedule blocks themselves. exec_prepare binds the launch's program (like: NULL), or
// shares the program bound by `like`. Engine `like` has the same launch, is timed or functional as e is, and
// must outlive e.
void exec_prepare(struct exec *e, const struct launch *l, const struct exec *like);
struct cta *exec_cta_create(struct exec *e); // reused for one block after another
void exec_cta_destroy(struct cta *c);
void exec_cta_start(struct cta *c, uint64_t linear);
void exec_cta_collect(struct cta *c); // adds the warps' counts to the engine's counts

// -- split.c ------------------------------------------------------------------------------------------------
struct lane_group { // lanes that continue at the same pc
    uint64_t mask;
    uint32_t pc, depth;
};
void split_init(struct warp *w);
// Continues the running lanes, already counted, in groups; every lane is in exactly one group. For
// simt=stack, `rejoin` is the instruction index at which the groups reconverge, at call depth rejoin_depth.
// NO_TARGET: at the reconvergence point of the running split. Returns the code to run next; NULL: the warp
// has stopped.
const struct bound *split_transfer(struct warp *w, const struct lane_group *groups, unsigned count,
                                   uint32_t rejoin, uint32_t rejoin_depth);
// Called before a possible reconvergence point executes. Returns the instruction to run next, often d itself,
// with its lanes in w->active; NULL: the warp has stopped.
const struct bound *split_join(struct warp *w, const struct bound *d);
// Ends the threads of `lanes`, of the running split; the split's remaining lanes continue at next_pc. Returns
// the code to run next; NULL: the warp has stopped.
const struct bound *split_exit(struct warp *w, uint64_t lanes, uint32_t next_pc);
// True when all live `members` are among `lanes`, the lanes of the running split at the instruction
// (simt=stack: always true). Otherwise `lanes` wait at the instruction for the missing members, and *next is
// the code to run.
bool split_sync(struct warp *w, const struct bound *d, uint64_t lanes, uint64_t members,
                const struct bound **next);
// Parks `lanes` of the running split, already counted, in the given state; pc: next instruction after their
// release. The split's remaining lanes, excluded by the guard, become a ready split at rest_pc (simt=stack:
// wait as well). Returns the code to run next; NULL: the warp has stopped.
const struct bound *split_wait(struct warp *w, uint64_t lanes, uint32_t rest_pc, uint32_t pc,
                               enum split_state state, uint64_t waits_for);
// bar.warp.sync: `lanes`, already counted, continue at pc once all live `members` wait at a bar.warp.sync for
// the same members (simt=stack: at once).
const struct bound *split_warpsync(struct warp *w, uint64_t lanes, uint32_t pc, uint64_t members);
// Makes the warp's splits that are in `state` at barrier number `barrier` ready.
void split_release(struct warp *w, enum split_state state, unsigned barrier);
// Makes a ready split current (simt=stack: the last only); false: none is ready.
bool split_pick(struct warp *w);
// Splits have become ready. Makes a warp that stopped at a barrier ready, with a ready split current. False: the warp runs
// already, or no split is ready.
bool split_resume(struct warp *w);
// True if every live lane waits or has arrived at the barrier (simt=stack: always true).
bool split_all_wait_at(const struct warp *w, unsigned barrier);

// -- barrier.c ----------------------------------------------------------------------------------------------
// True: the warp has arrived at a barrier at which all its live lanes wait (simt=stack: the running lanes).
bool barrier_try_arrive(struct warp *w);
// The running warp, all lanes together, waits for the other warps of its group (launch_flat) and continues at
// pc.
const struct bound *barrier_group(struct warp *w, uint32_t pc);
void barrier_warp_exited(struct warp *w); // a warp has ended, which may complete a barrier of the whole block

// -- fault.c ------------------------------------------------------------------------------------------------
// Records the first fault of a launch with its report. Returns NULL, for the handler to return.
const struct bound *exec_fault(struct warp *w, const struct bound *d, enum launch_fault_kind kind,
                               unsigned lane, const char *format, ...) __attribute__((format(printf, 5, 6)));
const struct bound *exec_fault_address(struct warp *w, const struct bound *d, enum launch_fault_kind kind,
                                       unsigned lane, enum isa_space space, uint64_t address, unsigned bytes,
                                       bool is_write);
// True if check.bounds (warn, ignore) tolerates the out-of-bounds access: to memory mapped on a GPU, or on a
// flat machine to another thread's memory. Then sets a->host, and notes the access (warn). Under check every
// access is excused (checker.h).
bool exec_tolerates(struct warp *w, const struct bound *d, enum launch_fault_kind kind, unsigned lane,
                    struct lane_access *a, unsigned bytes, bool is_write);
// -- flat.c -------------------------------------------------------------------------------------------------
void flat_set_bounds(struct warp *w); // sets w->shared_from and w->shared_end, for launches of every kind
// Host bytes of an access outside the warp's bounds, but in the scratchpad or the stacks of all threads;
// NULL: elsewhere.
uint8_t *flat_outside(const struct warp *w, const struct lane_access *a, unsigned bytes);
// Turns the fault's offset in scratchpad or stack into an address. An access in the stacks of all threads
// becomes a stack overflow or an overrun of the scratchpad, by the nearer bound.
void flat_name_fault(const struct launch *l, struct launch_fault *f);
// Appends, for a fault in a stack or the scratchpad, "0xfff7fffc is 4 bytes below the thread's stack
// (0xfff80000 to 0xffffffff)".
void flat_explain_fault(const struct warp *w, const struct launch_fault *f, struct strbuf *out);

// -- fault.c, members ---------------------------------------------------------------------------------------
// Checks a lane outside the member mask of its instruction. False: a fault, the warp has stopped.
bool exec_may_be_outside(struct warp *w, const struct bound *d, unsigned lane, uint64_t members);
// Text of a race found by hint.c, heap. other: index + 1 of the other warp; above warp_count: several warps.
char *exec_describe_hint(const struct warp *w, const struct bound *d, unsigned lane, uint64_t address,
                         bool is_write, unsigned other);
void exec_fault_deadlock(struct cta *c);
// Records FAULT_STALL for block `first`, unless the launch already has a fault, or the block no live warp.
// Takes over the text.
void exec_fault_stall(struct cta *first, struct strbuf *text);
// Appends a line per split of the warp: lanes, instruction, and what the split waits for.
void exec_describe_warp(const struct warp *w, struct strbuf *out);
void exec_fault_limit(struct warp *w);
void exec_fault_interrupted(struct warp *w);
// Appends "pc 0x0040 (LDG …), a.cu:31".
void exec_describe_inst(const struct exec *e, uint32_t index, struct strbuf *out);
void exec_thread_of(const struct warp *w, unsigned lane, uint32_t thread[3]);

enum exec_isa exec_isa_resolve(enum exec_isa isa); // build to run: `isa`, or the best if AUTO or unavailable

// -- fast forms ---------------------------------------------------------------------------------------------
// NULL: no fast form.
const struct handlers *exec_fast_form(const struct exec *e, const struct inst *i, struct bound *d);
