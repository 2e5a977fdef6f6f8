// Warp instructions by instruction: what a run with mechanisms issues and skips is what one without issues.
#pragma once
#include "api/warpfold.h"
#include "base/str.h"
#include "base/vec.h"

struct counts_row { // an instruction of a kernel, over all its launches
    uint64_t issued, skipped, reused;
    size_t kernel;
    bool is_barrier;
};

struct counts {
    VEC(struct wf_kernel *) kernels; // in order of their first launches
    VEC(struct counts_row) rows;     // of the kernels, one after the other
};

void counts_fini(struct counts *c);
void counts_launched(struct counts *c, struct wf_kernel *k);
void counts_take(struct counts *c); // after the last launch, while the context is there
uint64_t counts_skipped(const struct counts *c);
// `got` may have barriers that `base` has not, and behind a kernel's a guest's instructions. False, and `why` says where: they differ.
bool counts_agree(const struct counts *base, const struct counts *got, struct strbuf *why);
