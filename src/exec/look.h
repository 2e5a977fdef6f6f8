// A look at a launch that has gone on for long without a block's end, by the engine alone or on SIMTight's core: whether its
// warps can still do anything. While it lasts, warps are stepped.
//
// It is over, as in timed runs (sm/stall.h), at the first byte of shared or global memory that changes its value, and
// when a warp ends, prints, or takes part in a reduction at a barrier; and when a warp is seen not to wait. A warp that goes round in circles gives up its slice, since more of that would show nothing.
#pragma once
#include "exec/circle.h"

struct look; // of a launch; exec.look, NULL: nobody looks

// blocks: all that are resident. busy: after so many instructions a warp that does not seem to wait does not.
void look_begin(struct exec *e, struct cta *const *blocks, size_t count, uint64_t busy);
void look_end(struct exec *e); // or nothing
bool look_is_over(const struct exec *e);
// Every warp goes round in circles, or has waited at a barrier since the look began that no other warp has come to.
bool look_is_certain(const struct exec *e, struct cta *const *blocks, size_t count);
// Every warp has waited so, or executed so many instructions and read the same words for most of them.
bool look_is_likely(const struct exec *e, struct cta *const *blocks, size_t count, uint64_t instructions);
bool look_has_seen(const struct cta *c); // nothing more is to be seen of the block
// Lines "\n    warp 0, lanes 0-31: pc … can run; goes round …" of the first warps that have not ended, block by block.
void look_describe(const struct exec *e, struct cta *const *blocks, size_t count, struct strbuf *out);

// As the loop of run.c, while the look lasts. Returns where the warp goes on, in code that is not stepped any more, when the look is
// over and has ended; NULL when the warp has stopped.
const struct bound *look_execute(struct warp *w, const struct bound *d);
// As exec_step, for who steps anyway; never busy.
const struct bound *look_step(struct warp *w, const struct bound *d);
