// Counts of warp instructions by instruction: issued + skipped with
// mechanisms equals issued without mechanisms.
#pragma once
#include "api/warpfold.h"
#include "base/str.h"
#include "base/vec.h"

struct counts_row { // an instruction of a kernel, summed over the kernel's launches
    uint64_t issued, skipped, reused;
    size_t kernel;
    bool is_barrier;
};

struct counts {
    VEC(struct wf_kernel *) kernels; // in order of their first launches
    VEC(struct counts_row) rows;     // of the kernels, in the order of `kernels`
};

void counts_fini(struct counts *c);
void counts_launched(struct counts *c, struct wf_kernel *k);
void counts_take(struct counts *c); // after the last launch, before the context is destroyed
uint64_t counts_skipped(const struct counts *c);
// Compares the counts of a run with mechanisms (`got`) and without (`base`). `got` may have inserted
// barriers, and a guest's instructions behind a kernel. False: the counts differ; `why` names the place.
bool counts_agree(const struct counts *base, const struct counts *got, struct strbuf *why);
