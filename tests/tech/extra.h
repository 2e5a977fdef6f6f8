// Mechanisms for tests alone. They do what no registered mechanism does, and are combined with every
// registered mechanism. Written as docs/tutorial/mechanism.md says.
#pragma once
#include "api/warpfold.h"
#include "sm/mech/tech.h"

extern const struct tech tech_scalar;   // reuses a scalar instruction with its last operands
extern const struct tech tech_holder;   // warps are held now and then, and let go
extern const struct tech tech_prefetch; // the next line of a warp's stream comes to L1 (prefetch.c)
extern const struct tech tech_dueling;  // like prefetch, where a duel says that prefetching pays (prefetch.c)
extern const struct tech tech_keeper;   // lines are locked in L1 now and then (prefetch.c)
extern const struct tech tech_piecemeal; // dispatches by warp: every warp with room starts (piecemeal.c)
extern const struct tech tech_grudging;  // like piecemeal, but often starts fewer warps or none (piecemeal.c)
extern const struct tech tech_four;      // lines come to L1 by fours (prefetch.c)
extern const struct tech tech_ahead;     // a guest walks the program ahead of the warps (ahead.c)

extern const struct tech *const extra_techs[]; // NULL-terminated

// Adds a mechanism to the launches of the context, after wf_tech: before all others in the registry's order
// (`above`) or behind them. False: unknown name, or no place left.
bool extra_add(struct wf_context *c, const char *name, bool above);

// For tech.launch_begin, with `free` as launch_end: the state of a launch is empty, or a pointer to the
// options of the use.
void *extra_launch(const struct tech_use *u, const struct sm_launch *l);
void *extra_launch_options(const struct tech_use *u, const struct sm_launch *l);
