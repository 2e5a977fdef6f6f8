// Expansions for legalise(). Each inserts instructions before `i` and returns the value that replaces the
// result of `i`.
#pragma once
#include "compile/ir/build.h"

struct ir_value *legalise_div32(struct ir_inst *i); // integer DIV and REM
struct ir_value *legalise_div64(struct ir_inst *i);
// Expands 64-bit integer operations other than DIV and REM. NULL: the operation is already legal.
struct ir_value *legalise_wide(struct ir_inst *i);
struct ir_value *legalise_f32(struct ir_inst *i); // DIV, RCP, SQRT; split the block at `i`
struct ir_value *legalise_f64(struct ir_inst *i);
