// The timing model's way into the engine: one instruction of one warp at a time, executed when it is issued,
// with global memory held still for a window of time.
//
//   window:   SM 0  ──step──step──step──┐   every SM sees memory as it was when the window began, and its own
//             SM 1  ──step──step────────┤   stores (patched into what its loads read)
//             …                         ▼
//             timed_commit: stores and atomics of all SMs, in order of (cycle, SM, order of issue)
//
// So SMs may run their windows in any order, or at once on several threads, and memory has the same bytes. An
// atomic's result is written to its registers at the commit; the timing model has its destination wait for
// the reply, which comes in a later window. A load that meets an atomic of its own SM which has not been
// committed yet is refused (TIMED_RETRY) and tried again in the next window; so is one behind its own warp's
// atomic that acquires.
//
// Shared and local memory, textures and constants belong to one SM or do not change, and are accessed at
// once.
#pragma once
#include "exec/exec_impl.h"

enum timed_outcome { TIMED_DONE, TIMED_RETRY, TIMED_FAULT };

struct timed_text { // printed by the kernel in this window
    uint64_t cycle;
    size_t start, length; // in `text`
};

struct timed_engine {
    struct exec exec;     // first: an engine is found from its exec
    struct launch launch; // as given, but for where text goes
    struct exec_counts counts;
    struct launch_fault fault;
    uint64_t fault_cycle;
    unsigned sm;
    uint64_t cycle;               // of the step under way
    struct exec_access access;    // of the last memory instruction
    bool is_row;                  // exec_access_is_row of it; of a texture fetch false
    VEC(uint64_t) log;            // records (timed.c) in order of issue
    uint64_t written[64];         // bits: lines that a logged store may have written, by hash
    uint64_t changed[64];         // the same for atomics
    bool compares, changed_value; // compares: changed_value says whether a commit changed a byte's value
    VEC(const struct warp *) acquiring;                            // by atomics of this window
    void (*print)(void *context, const char *text, size_t length); // the launch's own
    void *print_context;
    struct strbuf text; // printed in this window
    VEC(struct timed_text) texts;
};

// The launch outlives the engine, and so does `first`: another engine of it, or NULL.
void timed_init(struct timed_engine *t, const struct launch *l, unsigned sm,
                const struct timed_engine *first);
void timed_fini(struct timed_engine *t);

struct cta *timed_block_create(struct timed_engine *t);
void timed_block_start(struct timed_engine *t, struct cta *c, uint64_t linear);
void timed_block_end(struct timed_engine *t, struct cta *c); // adds its counts
void timed_block_destroy(struct cta *c);

// Executes the instruction that a ready warp is at; afterwards w->pc is the next one it will execute, with
// w->active, and its state and its block's other warps' states say who waits and who goes on.
enum timed_outcome timed_step(struct timed_engine *t, struct warp *w, uint64_t cycle);
// The same for an instruction with no effects but on registers, whose lanes stay where they are: others of the
// warp are not met behind it, and no part of the warp that has to run first takes its turn. w->pc has changed.
enum timed_outcome timed_recompute(struct timed_engine *t, struct warp *w, uint64_t cycle);

// Takes a warp that others made ready (a barrier) to the instruction it will execute.
void timed_settle(struct warp *w);

// Applies what the engines logged, and hands printed text to their launches, in order of (cycle, place here).
void timed_commit(struct timed_engine *const *engines, unsigned count);

// -- for bind.c: handlers of a timed run
extern const struct handlers timed_store_handlers, timed_atomic_handlers;
