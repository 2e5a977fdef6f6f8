// The timing model's interface to the engine: one instruction of one warp at a time, executed at issue, with
// global memory frozen for a window of time.
//
//   window:   SM 0  ──step──step──step──┐   every SM sees memory as of the start of the window, plus its own
//             SM 1  ──step──step────────┤   stores (patched into the results of its loads)
//             …                         ▼
//             timed_commit: stores and atomics of all SMs, in order of (cycle, SM, order of issue)
//
// SMs may therefore run their windows in any order, or in parallel on several threads, with the same bytes in
// memory. An atomic's result is written to its registers at the commit; in the timing model the destination
// waits for the reply, in a later window. A load that overlaps an uncommitted atomic of its own SM is refused
// (TIMED_RETRY) and tried again in the next window. So is a load after an acquiring atomic of its own warp.
//
// Shared and local memory, textures and constants belong to one SM or are read-only, and are accessed
// immediately.
//
// An engine belongs to one launch on one SM. Launches on the same SM see each other's stores from the next
// window on.
#pragma once
#include "base/str.h"
#include "exec/exec_impl.h"
#include "exec/general.h"

enum timed_outcome { TIMED_DONE, TIMED_RETRY, TIMED_FAULT };

struct timed_text { // text printed by the kernel in the window
    uint64_t cycle;
    size_t start, length; // in `text`
};

// What an instruction with an address operand accesses.
struct access_plan {
    uint64_t offset;  // constant part of the address
    uint8_t kind;     // enum access_kind
    uint8_t bytes;    // of a lane
    uint8_t space;    // enum isa_space
    uint8_t source;   // index of the operand with the address
    bool is_wide;     // the address is a register pair
    bool is_constant; // LDC
    bool is_copy;     // LDGSTS
};

struct timed_engine {
    struct exec exec;                // first member: engine_of casts from the exec
    const struct access_plan *plans; // by instruction; of instructions with an address operand
    struct launch launch;            // as given, except for the text output
    struct exec_counts counts;
    struct launch_fault fault;
    uint64_t fault_cycle;
    unsigned sm;
    uint64_t cycle;                     // of the step under way
    struct exec_access access;          // of the last memory instruction
    bool is_row;                        // result of exec_access_was_row for `access`
    VEC(uint64_t) log;                  // records (timed.c) in order of issue
    uint64_t written[64];               // a bit per hash of a memory line: the line may have a logged store
    uint64_t changed[64];               // a bit per hash of a memory line: the line may have a logged atomic
    bool compares, changed_value;       // compares: let commits set changed_value when a byte changes value
    VEC(const struct warp *) acquiring; // warps with an acquiring atomic in the window
    void (*print)(void *context, const char *text, size_t length); // the launch's own output
    void *print_context;
    struct strbuf text; // printed in the window
    VEC(struct timed_text) texts;
};

// What the launch points to, `first` and `spare` outlive the engine. first: another engine of the launch, whose
// bound program is shared; NULL: the program is bound. spare: of the SM.
void timed_init(struct timed_engine *t, const struct launch *l, unsigned sm, const struct timed_engine *first,
                struct exec_spare *spare);
void timed_fini(struct timed_engine *t);

struct cta *timed_block_create(struct timed_engine *t);
// sms: of a launch in clusters of several blocks, the SMs of the block's cluster, by rank.
void timed_block_start(struct timed_engine *t, struct cta *c, uint64_t linear, const uint8_t *sms);
void timed_block_end(struct timed_engine *t, struct cta *c); // adds the block's counts
void timed_block_destroy(struct cta *c);

// Before and after the step of one instruction. timed_begin: bound code of the warp's next instruction; the
// engine's `access` is that of no instruction. timed_end: `next` is the result of exec_step, `before` the
// warp's count of instructions at timed_begin.
static inline __attribute__((always_inline)) const struct bound *timed_begin(struct timed_engine *t,
                                                                             struct warp *w, uint64_t cycle)
{
    const struct bound *d = warp_code(w, w->pc);
    t->cycle = cycle;
    t->access.kind = ACCESS_NONE;
    t->exec.clock_base = cycle - w->issued;
    w->slice_end = 0;
    return w->run_start = d;
}
enum timed_outcome timed_end(struct timed_engine *t, struct warp *w, const struct bound *next);
void timed_plan_access(struct access_plan *p, const struct inst *i);
void timed_divide_generic(const struct launch *launch, struct exec_access *a); // access.c
// As exec_find_access, with the instruction's plan.
static inline void timed_find_access(const struct warp *w, const struct bound *d, const struct access_plan *p,
                                     struct exec_access *a)
{
    const struct exec *e = w->exec;
    uint64_t mask = exec_guarded(w, d);
    a->kind = p->kind;
    a->bytes = p->bytes;
    a->mask = mask;
    a->shared = p->space == SPACE_SHARED ? mask : 0;
    a->local = p->space == SPACE_LOCAL ? mask : 0;
    // texture.c fills in the addresses at the fetch. An access of no lane has no addresses.
    a->pattern = PATTERN_APART;
    if (!mask || p->kind == ACCESS_TEXTURE) return;
    const uint8_t *low = w->regs + d->src[p->source];
    a->pattern = (uint8_t)e->loops->addresses(low, p->is_wide ? low + e->vector_bytes : NULL, p->offset,
                                              a->bytes, a->address);
    if (p->space == SPACE_GENERIC && !p->is_constant && !p->is_copy) timed_divide_generic(e->launch, a);
}
// timed_step for an instruction with an address operand.
enum timed_outcome timed_access_memory(struct timed_engine *t, struct warp *w, uint64_t cycle);

// Executes the next instruction of a ready warp. Afterwards w->pc is the warp's next instruction, for the
// lanes w->active. The states of all warps of the block say which warps wait and which continue. TIMED_RETRY:
// the instruction did not execute.
static inline __attribute__((always_inline)) enum timed_outcome timed_step(struct timed_engine *t,
                                                                           struct warp *w, uint64_t cycle)
{
    if (t->exec.address_operand[w->pc]) return timed_access_memory(t, w, cycle);
    const struct bound *d = timed_begin(t, w, cycle), *next = exec_step(w, d);
    return exec_went_straight(w, d, next) ? TIMED_DONE : timed_end(t, w, next);
}
// timed_step for an instruction with effects on registers only, and no change of lanes. Lanes do not
// reconverge after the instruction, and no split with priority takes its turn. Advances w->pc.
enum timed_outcome timed_recompute(struct timed_engine *t, struct warp *w, uint64_t cycle);

// Departure of all lanes of a warp's copy (cp.async): reads global memory as of the start of the window, with the stores
// of the engine's SM since.
struct async_entry;
void timed_depart(struct timed_engine *t, struct async_entry *c);

// Departure of a bulk copy in a cycle: reads its source, global memory as above. The bytes of stores are logged.
void timed_bulk_depart(struct timed_engine *t, struct bulk_copy *c, uint64_t cycle);

// Performs the reconvergence before the next instruction of a warp made ready by another warp (a barrier).
void timed_settle(struct warp *w);
// A warp that waits at a barrier goes on alone (sim.no_barriers); else no effect. The other warps' values may be missing.
void timed_pass_barrier(struct warp *w);
// The warp's lanes exit at once (sim.block_warps, sim.block_instructions, sim.warp_instructions).
void timed_end_warp(struct warp *w);

// Applies the engines' logs to memory, and passes printed text to the launches, in order of (cycle, index in
// engines[]). Empties the logs.
void timed_commit(struct timed_engine *const *engines, unsigned count);

// -- for bind.c: handlers of a timed run for stores and atomics that may go to global memory
extern const struct handlers timed_store_handlers, timed_atomic_handlers;
