// Branch prediction (Xiang, section 4.4.3; docs/ilp.md). The front end goes on where a conditional branch is predicted to go, and
// the warp may issue from there in the next cycle. A branch whose lanes part has been predicted right either way: the outcome is
// there before it has to void lanes of the next instruction. One whose lanes stay together and go elsewhere lets its warp
// fetch and issue instructions of the wrong path, ghosts, which read registers and take units and are never executed, until the
// outcome is known. predict.c alone writes these; everybody may read them.
//
//     branch issues c ─▶ c+1 next of the predicted path … c+resolve-2 known: what was fetched is dropped ─▶ c+resolve next of the right one
#pragma once
#include "sm/places.h"
#include "sm/sm.h"

struct op;
struct inst;
struct sm;
struct sm_warp;

struct predict_warp {
    uint64_t known;   // the cycle in which the wrong path ends,
    uint64_t resume;  // and in which the right one may issue
    uint64_t stall;   // what the warp waited for when it took the wrong path
    uint32_t next;    // where the front end goes on behind the branch that has just issued
    bool is_followed; // it goes on there
    bool is_wrong;    // which is the wrong path
};

struct predict {
    uint64_t wrong; // bits by slot: on a wrong path
    uint32_t history;
    struct predict_warp *warps; // heap, by slot, with branch.predict alone
    uint8_t *counters;          // gshare's, of two bits: 2 and 3 say taken; likewise
};

void predict_init(struct sm *s);
void predict_fini(struct sm *s);
// A branch has been executed: how long its warp waits.
void predict_branch(struct sm *s, unsigned slot, const struct op *o, const struct inst *i);
void predict_follow(struct sm *s, unsigned slot); // it leaves the I-buffer
// Of a warp on a wrong path.
void predict_look(struct sm *s, unsigned slot);   // whether the outcome is known by now
bool predict_may_issue(const struct op *o);       // a ghost: what does not change where the path goes
void predict_ghost(struct sm *s, unsigned slot);  // the instruction at the head of its I-buffer issues as one
void predict_forget(struct sm *s, unsigned slot); // the warp has ended
