// Branch prediction (Xiang's dissertation, section 4.4.3; docs/explanation/ilp.md). The front end continues
// on the predicted path of a conditional branch, and the warp may issue from there in the next cycle. A
// divergent branch counts as predicted right either way: the outcome is known in time to void lanes of the
// next instruction. After a wrong prediction of a uniform branch the warp fetches and issues instructions of
// the wrong path, ghosts, until the outcome is known. Ghosts read registers and occupy units but are never
// executed. With mechanisms the warp waits for the outcome instead. Written by predict.c alone, readable
// everywhere.
//
//     branch issues at c ─▶ c+1 predicted path issues … c+resolve-2 outcome known, wrong path dropped
//                                                       ─▶ c+resolve right path issues
#pragma once
#include "sm/places.h"
#include "sm/sm.h"

struct op;
struct inst;
struct sm;
struct sm_warp;

struct predict_warp {
    uint64_t known;   // cycle at which the wrong path ends
    uint64_t resume;  // cycle from which the right path may issue
    uint64_t stall;   // operand_warp.stall_until as of the start of the wrong path
    uint32_t next;    // pc at which the front end continues after the branch just issued
    bool is_followed; // the front end continues at `next`
    bool is_wrong;    // `next` is the wrong path
};

struct predict {
    uint64_t wrong; // bits by slot: warp on a wrong path
    uint32_t history;
    struct predict_warp *warps; // heap, by slot; NULL with branch.predict=none
    uint8_t *counters;          // heap; gshare's two-bit counters: 2 and 3 predict taken
};

void predict_init(struct sm *s);
void predict_fini(struct sm *s);
// A branch of the warp has been executed: sets the branch's prediction, or the cycle until which the warp
// pauses.
void predict_branch(struct sm *s, unsigned slot, const struct op *o, const struct inst *i);
// Redirects the front end to the branch's predicted path, after the branch has left the I-buffer.
void predict_follow(struct sm *s, unsigned slot);
// The next three functions are for warps on the wrong path of a branch.
void predict_look(struct sm *s, unsigned slot); // ends the wrong path once the outcome is known
// whether an instruction may issue on a wrong path: not control flow, and not a fence
bool predict_may_issue(const struct op *o);
// Issues the instruction at the I-buffer's head as a ghost.
void predict_ghost(struct sm *s, unsigned slot);
void predict_forget(struct sm *s, unsigned slot); // the warp has ended
