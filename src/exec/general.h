// Shared by the general handlers, which execute every instruction with any operands in plain C (general_*.c),
// and by stepped runs: operands of a lane, memory of a warp's spaces, atomics.
#pragma once
#include "exec/exec_impl.h"
#include "exec/launch.h"
#include "exec/memory.h"
#include "isa/bank.h"
#include "isa/isa.h"

#include <string.h>

static inline const struct inst *bound_inst(const struct bound *d, const struct warp *w)
{
    return &w->exec->insts[d->index];
}

extern const struct handlers exec_general_handlers[OP_COUNT];
exec_handler exec_general_alu; // plain arithmetic, by lane.h
// Declares the handlers of the rows of isa.def that are not plain arithmetic.
#define ALU(function)
#define RUN(function)                                                    exec_handler function;
#define INST(name, mnemonic, unit, latency, traits, body, form, meaning) body
#include "isa/isa.def"
#undef INST
#undef RUN
#undef ALU

// True once all live lanes of the warp are at the instruction, a matrix instruction, and no lane is missing. False: *next is the code to
// run (NULL: the warp stopped, or a fault).
bool exec_assemble_warp(const struct bound *d, struct warp *w, uint64_t active, const struct bound **next);
// Lanes in `taken` go to the branch target, the other running lanes to the next instruction.
const struct bound *exec_branch(const struct bound *d, struct warp *w, uint64_t taken, uint64_t active);
const struct bound *exec_transfer(struct warp *w, const struct bound *d, uint64_t lanes,
                                  const uint32_t *targets, int depth_change, uint32_t rejoin,
                                  uint32_t rejoin_depth);
exec_handler exec_end_of_program, exec_bad_constant, exec_guard_full, exec_guard_masked, exec_join,
    exec_join_nest, exec_hand_back;

// Clears the upper halves of the vector registers, left dirty by chains of vector handlers (exec/rules.mk).
// Dirty upper halves make every later SSE instruction wait for the last write of its register (Intel's
// optimisation manual, on mixing AVX and SSE). The timing model is SSE code; the wait took a quarter of the
// time of a timed run.
static inline void exec_leave_handlers(const struct exec *e)
{
#if defined(__x86_64__) && !defined(__AVX__)
    if (e->isa == EXEC_ISA_AVX2 || e->isa == EXEC_ISA_AVX512) __asm__ volatile("vzeroupper");
#else
    (void)e;
#endif
}

// Executes one instruction. In a stepped engine every instruction's `run` is exec_hand_back, which returns
// the instruction without executing it, so a handler's tail call returns to the stepper. Reconvergence points
// are the stepper's business (split_join). Returns the argument of the next exec_step, or NULL after a stop
// of the warp.
static inline const struct bound *exec_step(struct warp *w, const struct bound *d)
{
    bool is_full = w->active == w->full;
    exec_handler *run = is_full ? d->handlers->full : d->handlers->masked;
    if (d->guarded) run = is_full ? exec_guard_full : exec_guard_masked;
    // A load or store with a stale allocation slot returns itself, to run again. A branch to itself returns
    // itself as well, but is counted.
    uint64_t before = w->issued;
    const struct bound *next;
    do next = run(d, w, w->regs, w->active);
    while (next == d && w->issued == before);
    exec_leave_handlers(w->exec);
    return next;
}
// Stops a warp before `next`: counts the instructions executed since run_start and sets the warp's pc. The
// warp stays ready.
void exec_stop(const struct bound *next, struct warp *w);
// For a stepper, after exec_step(w, d) returned `next`: whether a full warp has executed d and goes on behind
// d. Then counts d and sets the warp's pc: exec_stop without the running split's pc, read only after a stop.
static inline bool exec_went_straight(struct warp *w, const struct bound *d, const struct bound *next)
{
    if (next != d + 1 || w->run_start != d || w->active != w->full) return false;
    w->pc = d->index + 1;
    w->issued++;
    w->counts.thread_instructions += w->exec->lanes;
    return true;
}
// For a stepper, before d executes: reconvergence at a join point while some lanes of the warp do not run
// (exec_join without a stepper). Returns d, or the code to run instead; NULL: the warp has stopped.
static inline const struct bound *exec_meet(struct warp *w, const struct bound *d)
{
    bool may_meet = w->active != w->full && w->exec->entry_flags[d->index] & EXEC_JOIN;
    return may_meet ? split_join(w, d) : d;
}

static inline uint64_t exec_guarded(const struct warp *w, const struct bound *d)
{
    return (w->pred[d->guard] ^ (uint64_t)(int64_t)d->guard_not) & w->active;
}

// Word number `word` of source k for every lane: the register itself, or `splat` filled with the constant.
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

// -- memory of the warp's spaces, for handlers outside fast/ ------------------------------------------------
struct lane_access {      // resolved access of one lane
    enum isa_space space; // GLOBAL, SHARED or LOCAL
    uint64_t address;     // offset or address within the space
    uint8_t *host;        // host byte: the access's first byte; LOCAL: start of the word with the first byte
};
// Host bytes of a span of global memory; NULL: the span is not inside one live allocation.
uint8_t *exec_global_bytes(struct exec *e, uint64_t address, unsigned bytes);
static inline uint8_t *exec_global_near(struct exec *e, uint64_t address, unsigned bytes) // inline fast path
{
    const struct allocation_slot *slot = &e->general_slot;
    uint64_t offset = address - slot->start;
    bool fits = offset < slot->size_bytes && slot->size_bytes - offset >= bytes;
    return fits ? slot->host + offset : exec_global_bytes(e, address, bytes);
}
// Space of a generic address; *address becomes an offset in shared or local memory, and stays for global
// memory.
static inline enum isa_space exec_space_at(const struct launch *l, uint64_t *address)
{
    const struct launch_flat *f = l->flat;
    uint64_t shared = f ? f->scratch : ISA_SHARED_WINDOW, local = f ? f->stack_window : ISA_LOCAL_WINDOW;
    uint64_t shared_end = f ? f->scratch_end : ISA_LOCAL_WINDOW;
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
// Fills *a for a lane's access; true: aligned and within bounds. False: *kind is the violation.
bool exec_resolve(struct warp *w, unsigned lane, enum isa_space space, uint64_t address, unsigned bytes,
                  struct lane_access *a, enum launch_fault_kind *kind);
void exec_read(const struct warp *w, const struct lane_access *a, unsigned bytes, void *to);
void exec_write_bytes(const struct warp *w, const struct lane_access *a, unsigned bytes, const void *from);
uint64_t exec_lane_address(const struct bound *d, const struct warp *w, const uint8_t *regs, unsigned k,
                           unsigned lane);
// Register value of a loaded x: types of 8 and 16 bits are extended to 32.
uint32_t exec_extend(unsigned type, uint32_t x);
// exec_atomic_operand: a lane's operand k of an atomic, in 16 bytes, zero when absent. exec_atomic_apply: the
// new value of a location, `fresh`, from the old value and the lane's operands b and c.
void exec_atomic_operand(const struct bound *d, const struct warp *w, const uint8_t *regs, unsigned k,
                         unsigned lane, unsigned bytes, uint32_t value[4]);
void exec_atomic_apply(const struct inst *i, enum isa_space where, unsigned bytes, const uint32_t old[4],
                       const uint32_t b[4], const uint32_t c[4], uint32_t fresh[4]);

// Operand k of an atomic for each of `lanes`, in lane order and packed: words of the first lane, of the
// second …
void exec_atomic_operands(const struct bound *d, const struct warp *w, const uint8_t *regs, unsigned k,
                          unsigned bytes, uint64_t lanes, uint32_t *to);
// Applies an atomic to the locations with the given host bytes, for `count` lanes, one lane after another.
// The operands are packed (c: NULL when absent); old values go to old[]. False, nothing done: types F16X2 and
// BF16X2, and types not 32 or 64 bits wide.
bool exec_atomic_sequence(const struct inst *i, enum isa_space where, unsigned count, uint8_t *const *host,
                          const uint32_t *b, const uint32_t *c, uint32_t *old);
