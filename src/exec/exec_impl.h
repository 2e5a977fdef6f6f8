// Inside the execution engine: what a warp is, and how one instruction of it is executed. For exec/ itself
// and for who takes it an instruction at a time: the timing model, which executes an instruction when it
// issues it, and observed runs (exec_step).
//
//   program ── bind (bind.c) ──▶ bound instructions: handler, operand offsets, constants already read
//                                          │
//   launch ── blocks, warps (run.c) ───────┼──▶ handler(bound, warp, registers, lanes) ──▶ next bound instruction
//                                          │       general_*.c   every instruction, any operands, plain C
//   divergence (split.c),                  │       fast/         the frequent forms, SIMD, one build a processor
//   barriers (barrier.c), reports (fault.c) ◀──────┘
//
// A handler executes one instruction for all lanes and returns the bound instruction to execute next, NULL
// when the warp has to stop. Frequent handlers do not return: they call the next one in tail position, so
// that a run through straight code is a chain of jumps with everything in registers.
//
// Registers of a warp are vectors of one 32-bit word a lane, vector_bytes each, one after the other. Behind
// the program's own come a zero (reads of RZ), a sink (writes to RZ) and the vectors of thread indices. A
// warp of fewer than 32 threads is a 32-lane warp with lanes absent. What a program can see of a 64-lane warp
// are two groups of 32 lanes each: %laneid, %warpid, member masks and shuffles stay within a group.
#pragma once
#include "base/bits.h"
#include "base/vec.h"
#include "exec/launch.h"
#include "exec/observe.h"

enum { LANES_MAX = WARP_SIZE_MAX, GROUP_LANES = 32, BARRIERS = 16, NO_BARRIER = 255, NO_SLOT = UINT16_MAX };
enum { PRED_SINK = 8, PRED_SLOTS = 9 };

// Register slots behind the program's own; threadIdx has three.
enum { EXTRA_ZERO = 0, EXTRA_SINK = 4, EXTRA_TID_X = 8, EXTRA_LANEID = EXTRA_TID_X + 3, EXTRA_SLOTS };

struct bound;
struct warp;

typedef const struct bound *exec_handler(const struct bound *d, struct warp *w, uint8_t *regs,
                                         uint64_t active);

struct handlers {         // of one form of an instruction
    exec_handler *full;   // every lane of the warp executes it
    exec_handler *masked; // only those in `active`, which the guard has been applied to
};

// An instruction as bound to a launch; one cache line. Offsets are in bytes from the warp's registers.
struct bound {
    exec_handler *run;               // first: joins, guard, or the form itself
    const struct handlers *handlers; // the form
    union {
        const struct bound *target; // BRA: in the same copy of the code
        uint64_t wide;              // 64-bit constant operand
    };
    uint32_t dst;       // register offset, or predicate index (PRED_SINK for PT)
    uint32_t src[4];    // register offset; predicates: index | not << 31
    uint32_t scalar;    // a non-register 32-bit source after its modifiers, where the form takes one
    int32_t offset;     // of an address operand
    uint32_t index;     // of the instruction
    uint16_t slot;      // of the allocation cache, NO_SLOT
    uint8_t guard;      // predicate index
    int8_t guard_not;   // -1 when negated
    uint8_t q;          // second, predicate destination (PRED_SINK when absent)
    uint8_t guarded;    // the guard is applied before the form runs (branches apply it themselves)
    uint8_t spare_byte; // whatever the form wants
    uint8_t boolean;    // of a comparison
};
_Static_assert(sizeof(struct bound) == 64, "a bound instruction is a cache line");

// A set of lanes of a warp that execute together. simt=stack: a stack, the last one runs. simt=splits: a set,
// any that is ready may run.
enum split_state { SPLIT_READY, SPLIT_SYNC, SPLIT_WARPSYNC, SPLIT_BARRIER, SPLIT_ARRIVE };

struct split {
    uint64_t mask;
    uint32_t pc;        // instruction index; of the running split only when it stops
    uint32_t depth;     // of calls
    uint32_t rejoin_pc; // stack: where it ends and its lanes go on in the one below; NO_TARGET
    uint32_t rejoin_depth;
    uint64_t waits_for; // SYNC, WARPSYNC: lanes
    uint8_t state;      // enum split_state
    uint8_t barrier;    // BARRIER, ARRIVE: which
    // BARRIER: where a reduction's result goes (BAR.RED; register offset and predicate, or sinks).
    uint8_t result_q, result_boolean;
    uint32_t result_dst;
    uint64_t result_lanes;
    uint32_t barrier_threads; // as the instruction counts them, 0: the whole block
};

enum warp_state { WARP_READY, WARP_BARRIER, WARP_DONE };

// The last allocation that a memory instruction found its lanes in.
struct allocation_slot {
    uint64_t start, size_bytes;
    uint64_t row_limit; // largest offset at which a whole warp's consecutive access still fits
    uint8_t *host;      // of start
};

struct warp {
    uint64_t pred[PRED_SLOTS]; // by lane; [PRED_TRUE] is all ones, [PRED_SINK] never read
    uint64_t active;           // lanes of the running split
    uint64_t full;             // all lanes of a full warp
    uint8_t *regs;
    struct exec *exec;
    struct cta *cta;
    const struct bound *run_start; // first instruction of the straight run being executed, not yet counted
    uint64_t issued;               // warp instructions of this warp since it started
    uint64_t slice_end;            // value of `issued` at which it has to stop at the next branch
    uint8_t *shared;
    uint64_t shared_from,
        shared_end; // the part of shared memory that the warp may use: offsets, of a flat machine addresses
    uint8_t
        *local; // word by word, lanes interleaved: byte b of lane l at b / 4 * local_stride + l * 4 + b % 4
    struct exec_counts counts;

    uint64_t present; // lanes that have a thread
    uint64_t exited;
    uint32_t index; // in the block
    uint32_t depth; // calls, of the running split
    uint32_t pc;    // while it does not run: of the running split
    uint8_t state;  // enum warp_state
    VEC(struct split) splits;
    uint32_t current;        // index of the running split (stack: the last)
    uint32_t split_fuel;     // splits: backward branches until another split gets its turn
    uint32_t split_turn;     // splits: joins the running one may still pass without giving way
    uint64_t waiting_places; // nest: where lanes of this level wait, by pc % 64
    uint32_t turn_lane;      // splits: whose turn came last
    uint32_t arrival; // threads it brings to a barrier: its own, rounded up to groups of 32 (to a smaller
                      // warp size)
    uint8_t waits_at; // barrier this warp has arrived at and waits for, NO_BARRIER: none
};

struct barrier {
    uint32_t arrived;  // threads, by whole warps
    uint32_t expected; // threads; 0: the whole block
    uint32_t popc;     // of BAR.RED's predicates so far
    bool all, any;
};

struct cta {
    struct exec *exec;
    uint32_t id[3];
    uint64_t linear;
    uint32_t warps_left, threads_left; // of warps that have not ended; threads as barriers count them
    uint32_t barriers_used;            // bit per barrier that somebody has arrived at
    uint8_t *shared;
    struct race_block *race; // with the race detector
    struct warp *warps;
    uint32_t warp_count;
    uint32_t next_warp; // whose turn it is
    struct observed_block observed;
    struct look_block *looked_at; // while somebody looks (look.h)
    struct barrier barriers[BARRIERS];
    uint8_t *memory; // registers of all warps, shared and local memory, one allocation
    size_t memory_bytes, registers_bytes, local_bytes; // local: of one warp
};

struct race_detector;
struct race_block;
struct hint;
struct look;
struct lane_io;
struct lane_access;

// What the general handlers know of an instruction beyond struct inst: words of its operands, 0 where there
// is no register or value operand, and the value of the one that is no register.
struct general {
    void (*operation)(struct lane_io *io); // NULL: not plain arithmetic
    uint8_t src_words[4], dst_words;
    bool dst_is_pred;
    uint8_t src_is_pred; // bit per source
    uint64_t value[4];   // of immediate and constant sources
};

// A program as it is bound to a launch (bind.c), which may be bound twice: to run, and to be stepped.
struct exec_code {
    struct bound *full, *masked;
    struct general *general;
    uint8_t *entry_flags, *address_operand;
    struct allocation_slot *slots;
    uint32_t slot_count;
    bool is_stepped;
};

// A launch as it is being executed on one thread.
struct exec {
    const struct launch *launch;
    const struct program *program;
    enum exec_isa isa;
    unsigned lanes, vector_bytes; // 32 or 64; 4 bytes a lane
    unsigned warp_size, warps_per_block, threads_per_block;
    uint32_t local_stride;   // bytes from a lane's word of local memory to its next
    uint32_t register_slots; // of a warp, extra ones included
    struct bound *full,
        *masked;             // the program for a warp with all its lanes, and for any other; one entry more
    struct general *general; // by instruction
    uint8_t *entry_flags;    // by instruction: EXEC_*
    struct allocation_slot *slots; // the only part of a bound program that changes
    uint32_t slot_count;
    struct allocation_slot general_slot;           // of the general memory instructions
    uint64_t instruction_limit, instructions_done; // of finished slices
    uint64_t ask_at;     // value of instructions_done at which to ask whether the launch is interrupted
    uint64_t clock_base; // what to add to a running warp's `issued` for the engine's count
    struct launch_fault *fault;
    struct exec_counts *counts;
    struct race_detector *races;  // NULL: off
    struct hint *hint;            // NULL: off
    struct launch_notes notes;    // so far
    uint32_t depth_limit;         // calls a thread may nest
    bool is_stepped;              // control comes back after every instruction (exec_step)
    bool is_timed;                // stores and atomics to global memory are logged (timed.h)
    uint32_t sm;                  // is_timed: which SM this is
    uint8_t *address_operand;     // is_stepped: by instruction, exec_address_operand
    struct observation *observed; // NULL: nobody watches
    struct look *look;            // NULL: nobody asks whether the launch will end
    struct exec_code stepped;     // for looks; full: NULL, not bound yet
    uint64_t *texels;             // NULL, or by lane: address of the first texel of the last fetch, 0: none
    uint8_t *flat;                // host byte of address 0 of a flat memory, NULL
    struct arena arena;
};

enum { EXEC_JOIN = 1, EXEC_RETURN_SITE = 2, EXEC_FUNCTION = 4 };

static inline const struct inst *bound_inst(const struct bound *d, const struct warp *w)
{
    return &w->exec->program->insts[d->index];
}

static inline uint32_t *reg_lanes(uint8_t *regs, uint32_t offset)
{
    return (uint32_t *)(void *)(regs + offset);
}

static inline uint64_t pred_source(const struct warp *w, uint32_t source)
{
    return w->pred[source & 15] ^ (source >> 31 ? w->full : 0);
}

// Code for the lanes that run: masked code has the joins and can do with any mask.
static inline const struct bound *warp_code(const struct warp *w, uint32_t pc)
{
    return (w->active == w->full ? w->exec->full : w->exec->masked) + pc;
}

// -- access.c -----------------------------------------------------------------------------------------------
// Which source of an instruction says where in memory it goes, + 1; 0: none.
uint8_t exec_address_operand(const struct inst *i);
void exec_find_access(const struct warp *w, const struct bound *d, struct exec_access *a);
// Every lane's address, from the operand's register (offset `source`).
void exec_lane_addresses(const struct warp *w, const struct operand *o, uint32_t source, uint64_t *to);

// -- observed.c ---------------------------------------------------------------------------------------------
void observed_create(struct exec *e, const struct launch *l); // before exec_prepare
void observed_destroy(struct exec *e);
void observed_enter(struct warp *w); // the warp runs from now on, until another enters
// As exec_step; the observer is told of it.
const struct bound *observed_step(struct warp *w, const struct bound *d);
void observed_execute(struct warp *w, const struct bound *d); // as the loop of run.c
void observed_block_begin(struct cta *c);
void observed_block_end(struct cta *c);
void observed_barrier(struct cta *c, unsigned number); // about to let its warps go
void observed_warp_exit(struct warp *w);
void observed_deferred(struct warp *w); // the instruction under way did not execute

// -- bind.c -------------------------------------------------------------------------------------------------
void exec_bind(struct exec *e);
void exec_bind_alike(struct exec *e, const struct exec *like); // the same instructions, and slots of its own
struct exec_code exec_code_of(const struct exec *e);           // what runs now
void exec_code_use(struct exec *e, const struct exec_code *c);
void exec_bind_stepped(struct exec *e); // stepped from now on; bound anew at the first call alone
uint32_t exec_register_offset(const struct exec *e, const struct operand *o, bool is_destination);

// -- run.c: what handlers call ------------------------------------------------------------------------------
// Adds the straight run up to d (included; `before`: excluded) to the counts. The caller then goes elsewhere.
void warp_count_run(struct warp *w, const struct bound *d);
void warp_count_before(struct warp *w, const struct bound *d);
const struct bound *warp_go(struct warp *w, uint32_t pc); // to an instruction; NULL when the slice is over
const struct bound *warp_stop(struct warp *w,
                              uint32_t pc);    // returns NULL: control goes back to the scheduler
bool warp_run(struct warp *w, uint64_t slice); // until it stops; false on a fault

// Blocks, for whoever decides when they run.
// Binds the launch's program, or shares what another exec of the same launch and kind has bound, which must
// outlive it.
void exec_prepare(struct exec *e, const struct launch *l, const struct exec *like);
struct cta *exec_cta_create(struct exec *e); // state for one block after the other
void exec_cta_destroy(struct cta *c);
void exec_cta_start(struct cta *c, uint64_t linear);
void exec_cta_collect(struct cta *c); // adds its warps' counts to the engine's

// -- split.c ------------------------------------------------------------------------------------------------
struct lane_group { // lanes that go on at the same place
    uint64_t mask;
    uint32_t pc, depth;
};
void split_init(struct warp *w);
// The running lanes, counted already, go on in groups, each lane in one. Returns the code that runs next,
// NULL: stop. rejoin: where lanes of different groups meet again, at depth rejoin_depth; NO_TARGET: where
// their caller's do.
const struct bound *split_transfer(struct warp *w, const struct lane_group *groups, unsigned count,
                                   uint32_t rejoin, uint32_t rejoin_depth);
// At an instruction where splits may meet, before it executes: what runs next (NULL: stop), often d itself,
// with the lanes in w->active.
const struct bound *split_join(struct warp *w, const struct bound *d);
// `lanes` of the running split end; the others go on at next_pc.
const struct bound *split_exit(struct warp *w, uint64_t lanes, uint32_t next_pc);
// True when an instruction of the running split that `lanes` execute has all of `members` there (simt=stack:
// always). Else those lanes wait for the others at it, to execute it together, and *next runs.
bool split_sync(struct warp *w, const struct bound *d, uint64_t lanes, uint64_t members,
                const struct bound **next);
// `lanes` of the running split, counted already, wait in the given state and go on at pc; its other lanes,
// which the guard excludes, go on at rest_pc now (simt=stack: they wait too). Returns what runs next.
const struct bound *split_wait(struct warp *w, uint64_t lanes, uint32_t rest_pc, uint32_t pc,
                               enum split_state state, uint64_t waits_for);
// bar.warp.sync: `lanes`, counted already, go on at pc when all of `members` are at such an instruction.
const struct bound *split_warpsync(struct warp *w, uint64_t lanes, uint32_t pc, uint64_t members);
void split_release(struct warp *w, enum split_state state, unsigned barrier); // those waiting become ready
bool split_pick(struct warp *w); // makes a ready split current; false when there is none
bool split_all_wait_at(const struct warp *w, unsigned barrier); // every lane left

// -- barrier.c ----------------------------------------------------------------------------------------------
bool barrier_try_arrive(struct warp *w); // when all its lanes wait at one barrier
// The running warp, all its lanes together, waits for its group's others (launch_flat) and goes on at pc.
const struct bound *barrier_group(struct warp *w, uint32_t pc);
void barrier_warp_exited(struct warp *w); // a barrier of the whole block may be complete now

// -- fault.c ------------------------------------------------------------------------------------------------
// Record the first fault of a launch with its report, and return NULL for the handler to return.
const struct bound *exec_fault(struct warp *w, const struct bound *d, enum launch_fault_kind kind,
                               unsigned lane, const char *format, ...) __attribute__((format(printf, 5, 6)));
const struct bound *exec_fault_address(struct warp *w, const struct bound *d, enum launch_fault_kind kind,
                                       unsigned lane, enum isa_space space, uint64_t address, unsigned bytes,
                                       bool is_write);
// An access out of bounds that check.bounds lets pass: noted, and a->host made good.
bool exec_tolerates(struct warp *w, const struct bound *d, enum launch_fault_kind kind, unsigned lane,
                    struct lane_access *a, unsigned bytes, bool is_write);
// -- flat.c -------------------------------------------------------------------------------------------------
void flat_set_bounds(struct warp *w); // shared_from and shared_end, of every launch
// Host bytes of an access that is out of bounds, but not outside the machine's memory; NULL: outside.
uint8_t *flat_outside(const struct warp *w, const struct lane_access *a, unsigned bytes);
// Turns the fault's offset into an address, and an access to other threads' stacks into a stack overflow or an overrun of the
// scratchpad, whichever bound is nearer.
void flat_name_fault(const struct launch *l, struct launch_fault *f);
// "0xfff7fffc is 4 bytes below the thread's stack (0xfff80000 to 0xffffffff)", of a fault in a stack or the scratchpad.
void flat_explain_fault(const struct warp *w, const struct launch_fault *f, struct strbuf *out);

// -- fault.c, members ---------------------------------------------------------------------------------------
// Lanes that execute an instruction and are not among the members it names; false: a fault, the warp has
// stopped.
bool exec_may_be_outside(struct warp *w, const struct bound *d, unsigned lane, uint64_t members);
// What hint.c found, heap: `other` is the other warp + 1, or larger than any: several.
char *exec_describe_hint(const struct warp *w, const struct bound *d, unsigned lane, uint64_t address,
                         bool is_write, unsigned other);
void exec_fault_deadlock(struct cta *c);
void exec_fault_stall(struct cta *first,
                      struct strbuf *text); // the text is taken over; of the first block that waits
void exec_describe_warp(const struct warp *w,
                        struct strbuf *out); // a line a part: where it is, what it waits for
void exec_fault_limit(struct warp *w);
void exec_fault_interrupted(struct warp *w);
void exec_describe_inst(const struct exec *e, uint32_t index,
                        struct strbuf *out); // "pc 0x0040 `LDG …`, a.cu:31"
void exec_thread_of(const struct warp *w, unsigned lane, uint32_t thread[3]);

// -- general_*.c: every instruction -------------------------------------------------------------------------
extern const struct handlers exec_general_handlers[OP_COUNT];
exec_handler exec_general_alu; // plain arithmetic, by lane.h
// The handler of every other row of isa.def.
#define ALU(function)
#define RUN(function)                                                    exec_handler function;
#define INST(name, mnemonic, unit, latency, traits, body, form, meaning) body
#include "isa/isa.def"
#undef INST
#undef RUN
#undef ALU

// Control of the lanes in `taken` goes to the target, that of the other running ones behind the instruction.
const struct bound *exec_branch(const struct bound *d, struct warp *w, uint64_t taken, uint64_t active);
const struct bound *exec_transfer(struct warp *w, const struct bound *d, uint64_t lanes,
                                  const uint32_t *targets, int depth_change, uint32_t rejoin,
                                  uint32_t rejoin_depth);
exec_handler exec_end_of_program, exec_bad_constant, exec_guard_full, exec_guard_masked, exec_join,
    exec_join_nest, exec_hand_back;

// The vector handlers hand on to each other without cleaning the upper halves of the vector registers (exec/rules.mk). Left so, every
// SSE instruction of the code behind them, the whole timing model, waits for whoever wrote its register last (Intel's optimisation
// manual, on mixing AVX and SSE): a quarter of the time of a timed run.
static inline void exec_leave_handlers(const struct exec *e)
{
#if defined(__x86_64__) && !defined(__AVX__)
    if (e->isa == EXEC_ISA_AVX2 || e->isa == EXEC_ISA_AVX512) __asm__ volatile("vzeroupper");
#else
    (void)e;
#endif
}

// One instruction at a time. In an engine that is stepped every instruction's `run` is exec_hand_back, which
// returns the instruction instead of executing it; so whoever hands on control to the next one hands it to
// the stepper. Meeting points are the stepper's business (split_join). Returns what exec_step is to be called
// with next, NULL when the warp has stopped.
static inline const struct bound *exec_step(struct warp *w, const struct bound *d)
{
    bool is_full = w->active == w->full;
    exec_handler *run = is_full ? d->handlers->full : d->handlers->masked;
    if (d->guarded) run = is_full ? exec_guard_full : exec_guard_masked;
    // A load or store that had another allocation in mind asks to be run again: it returns itself, as does a
    // branch to itself, which is counted, though.
    uint64_t before = w->issued;
    const struct bound *next;
    do next = run(d, w, w->regs, w->active);
    while (next == d && w->issued == before);
    exec_leave_handlers(w->exec);
    return next;
}
void exec_stop(const struct bound *next, struct warp *w); // ends a stepped warp's slice before an instruction
// What the masked code does at a meeting point before its instruction (exec_join), for a stepper.
static inline const struct bound *exec_meet(struct warp *w, const struct bound *d)
{
    bool may_meet = w->active != w->full && w->exec->entry_flags[d->index] & EXEC_JOIN;
    return may_meet ? split_join(w, d) : d;
}

static inline uint64_t exec_guarded(const struct warp *w, const struct bound *d)
{
    return (w->pred[d->guard] ^ (uint64_t)(int64_t)d->guard_not) & w->active;
}

// Words of a source in every lane: the registers themselves, or `splat` filled with a constant.
const uint32_t *exec_source(const struct bound *d, const struct warp *w, uint8_t *regs, unsigned k,
                            unsigned word, uint32_t splat[LANES_MAX]);
void exec_write(uint32_t *to, const uint32_t *from, uint64_t lanes, const struct warp *w);
static inline uint32_t exec_lane_word(const struct bound *d, const struct warp *w, const uint8_t *regs,
                                      unsigned k, unsigned word, unsigned lane)
{
    const struct general *g = &w->exec->general[d->index];
    if (bound_inst(d, w)->src[k].kind != OPERAND_REG) return (uint32_t)(g->value[k] >> (32 * word));
    uint32_t x;
    memcpy(&x, regs + d->src[k] + word * w->exec->vector_bytes + 4 * lane, 4);
    return x;
}

// -- memory of the warp's spaces, for everything that is not a fast form ------------------------------------
struct lane_access {      // one lane's access, resolved
    enum isa_space space; // GLOBAL, SHARED or LOCAL
    uint64_t address;     // in that space
    uint8_t *host;        // GLOBAL, SHARED: the bytes; LOCAL: the word holding the first byte
};
// Host bytes of a span of global memory in one allocation; NULL: it is not.
uint8_t *exec_global_bytes(struct exec *e, uint64_t address, unsigned bytes);
static inline uint8_t *exec_global_near(struct exec *e, uint64_t address, unsigned bytes) // the same, inline
{
    const struct allocation_slot *slot = &e->general_slot;
    uint64_t offset = address - slot->start;
    bool fits = offset < slot->size_bytes && slot->size_bytes - offset >= bytes;
    return fits ? slot->host + offset : exec_global_bytes(e, address, bytes);
}
// Which space a generic address is in; it becomes an offset there.
static inline enum isa_space exec_space_at(const struct launch *l, uint64_t *address)
{
    const struct launch_flat *f = l->flat;
    uint64_t shared = f ? f->scratch : MEMORY_SHARED_WINDOW,
             local = f ? f->stack_window : MEMORY_LOCAL_WINDOW;
    uint64_t shared_end = f ? f->scratch_end : MEMORY_LOCAL_WINDOW;
    if (*address >= shared && *address < shared_end) {
        *address -= shared;
        return SPACE_SHARED;
    }
    if (*address < local || *address >= (f ? f->window_end : MEMORY_WINDOWS_END)) return SPACE_GLOBAL;
    *address -= local;
    return SPACE_LOCAL;
}
static inline bool exec_shared_holds(const struct warp *w, uint64_t offset, unsigned bytes)
{
    const struct launch_flat *f = w->exec->launch->flat;
    uint64_t at = f ? f->scratch + offset : offset;
    return at >= w->shared_from && at + bytes <= w->shared_end;
}
// Bounds and alignment; kind says what is wrong when it returns false.
bool exec_resolve(struct warp *w, unsigned lane, enum isa_space space, uint64_t address, unsigned bytes,
                  struct lane_access *a, enum launch_fault_kind *kind);
void exec_read(const struct warp *w, const struct lane_access *a, unsigned bytes, void *to);
void exec_write_bytes(const struct warp *w, const struct lane_access *a, unsigned bytes, const void *from);
uint64_t exec_lane_address(const struct bound *d, const struct warp *w, const uint8_t *regs, unsigned k,
                           unsigned lane);
uint32_t exec_extend(enum isa_type type, uint32_t x); // what a load of 8 or 16 bits leaves in a register
// Of a memory instruction; GENERIC when each lane's address says.
static inline enum isa_space exec_space_of(const struct inst *i) { return isa_space_of(i); }
// An atomic's operand (16 bytes, zero where it has none), and the new value of a location.
void exec_atomic_operand(const struct bound *d, const struct warp *w, const uint8_t *regs, unsigned k,
                         unsigned lane, unsigned bytes, uint32_t value[4]);
void exec_atomic_apply(const struct inst *i, enum isa_space where, unsigned bytes, const uint32_t old[4],
                       const uint32_t b[4], const uint32_t c[4], uint32_t fresh[4]);

// The same for lanes in order. Operands are packed: words of the first lane, of the second …
void exec_atomic_operands(const struct bound *d, const struct warp *w, const uint8_t *regs, unsigned k,
                          unsigned bytes, uint64_t lanes, uint32_t *to);
// `count` lanes, one whole before the next: their locations' host bytes, packed operands (c: NULL, there is
// none), and what was there before. False, and nothing done, for types that are not 32 or 64 bits wide.
bool exec_atomic_sequence(const struct inst *i, enum isa_space where, unsigned count, uint8_t *const *host,
                          const uint32_t *b, const uint32_t *c, uint32_t *old);

enum exec_isa exec_isa_resolve(enum exec_isa isa); // what AUTO, or an unavailable one, runs as

// -- fast forms ---------------------------------------------------------------------------------------------
const struct handlers *exec_fast_form(const struct exec *e, const struct inst *i,
                                      struct bound *d); // NULL: none
