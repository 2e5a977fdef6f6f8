// Mechanisms for tests alone: those that do what a registered one does not, and are combined with each of
// them. They are written as docs/adding-a-mechanism.md says.
#pragma once
#include "api/warpfold.h"
#include "sm/mech/tech.h"

extern const struct tech tech_scalar;    // a scalar instruction with the operands of last time is reused
extern const struct tech tech_holder;    // warps are held now and then, and let go
extern const struct tech tech_prefetch;  // the next line of a warp's stream comes to L1 (prefetch.c)
extern const struct tech tech_dueling;   // the same where it pays (prefetch.c)
extern const struct tech tech_keeper;    // lines are locked in L1 now and then (prefetch.c)
extern const struct tech tech_piecemeal; // dispatches by warp: all that have room start (piecemeal.c)
extern const struct tech tech_grudging;  // the same, but now and then fewer start, or none (piecemeal.c)
extern const struct tech tech_four;      // lines come to L1 by fours (prefetch.c)
extern const struct tech tech_ahead;     // a guest walks the program ahead of the warps (ahead.c)

extern const struct tech *const extra_techs[]; // NULL-terminated

// One more for the launches of the context, behind wf_tech: in the registry's order before all others
// (`above`) or behind them. False: there is none of that name, or no place left.
bool extra_add(struct wf_context *c, const char *name, bool above);
