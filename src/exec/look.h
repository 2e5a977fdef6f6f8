// A look: a check of a launch that has run for long without a block's end, by the engine alone or on
// SIMTight's core. The question is whether any warp can still make progress. Warps are stepped during a look.
// A look is over, as in timed runs (sm/stall.h), when a byte of shared or global memory changes its value. A
// look is also over when a warp ends, prints, copies by cp.async or gives a RISC-V command; takes part in a
// reduction at a barrier; or is seen to be busy. A warp in a repeated state gives up its slice, since further
// rounds would show nothing new.
#pragma once
#include "exec/circle.h"

struct strbuf;

struct look; // of a launch, in exec.look (NULL: no look under way)

// Begins a look: the engine steps from now on. blocks: all resident blocks. busy: a warp without signs of
// waiting counts as busy after so many of its instructions in the look.
void look_begin(struct exec *e, struct cta *const *blocks, size_t count, uint64_t busy);
void look_end(struct exec *e); // nothing happens without a look under way
bool look_is_over(const struct exec *e);
// True if the look is not over, and every live warp repeats a state or waits at a barrier. No warp may have
// reached the barrier since the look began.
bool look_is_certain(const struct exec *e, struct cta *const *blocks, size_t count);
// True if the look is not over, and every live warp repeats a state, waits as for look_is_certain, or polls.
// A polling warp has executed at least `instructions` in the look. In the last three quarters of its
// instructions in the look, the warp has read memory, but no new addresses (circle_polls).
bool look_is_likely(const struct exec *e, struct cta *const *blocks, size_t count, uint64_t instructions);
bool look_has_seen(const struct cta *c); // true: every warp of the block has ended, waits or repeats a state
// Appends, block by block, a line per split of the first 16 live warps: "warp 0, lanes 0-31: pc … can run";
// a warp's last line ends in "; goes round …". Beyond 16, a last line counts the other live warps.
void look_describe(const struct exec *e, struct cta *const *blocks, size_t count, struct strbuf *out);

// Runs the warp during a look, like the loop of run.c. Returns NULL after a stop of the warp. Once the look
// is over, ends the look and returns the warp's next instruction in code without stepping.
const struct bound *look_execute(struct warp *w, const struct bound *d);
// exec_step during a look, recorded for the look; for callers that step anyway. Never marks a warp busy.
const struct bound *look_step(struct warp *w, const struct bound *d);
