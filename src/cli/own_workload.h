// A kernel with its launch, or a script, as a workload for `bench`, `mix` and `inject`. The operand holds words of
// `warpfold run`: "k.cu --grid 4 --block 256 --arg buf=f32:1024:iota", "heat.wf", "--script heat.wf".
#pragma once
#include "base/diag.h"
#include "workload/workload.h"

struct own_workload;

// Whether an operand is of this kind: a file's name ending with .ptx, .cu or .wf, or several words.
bool own_workload_is(const char *operand);
// NULL and an error: words that `run` does not take, or a program, which has a process of its own.
struct own_workload *own_workload_create(const char *operand, struct diag *d);
void own_workload_destroy(struct own_workload *w);
const struct workload *own_workload_of(const struct own_workload *w);
