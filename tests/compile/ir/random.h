// Random functions of the intermediate representation: nested branches and loops, integers, floats and
// predicates of every kind, guarded memory accesses. Loops are short, addresses stay inside ir_eval's memory.
#pragma once
#include "base/rng.h"
#include "compile/ir/ir.h"

// A random function of about `size` statements.
struct ir_function *random_function(struct ir_unit *u, struct rng *r, unsigned size);
