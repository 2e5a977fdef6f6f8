// The expansions behind legalise(): each writes instructions before `i` and gives the value that replaces its
// result.
#pragma once
#include "compile/ir/build.h"

struct ir_value *legalise_div32(struct ir_inst *i); // integer DIV and REM
struct ir_value *legalise_div64(struct ir_inst *i);
struct ir_value *
legalise_wide(struct ir_inst *i); // other 64-bit integers; NULL: the operation is legal as it is
struct ir_value *legalise_f32(struct ir_inst *i); // DIV, RCP, SQRT; these cut the block at `i`
struct ir_value *legalise_f64(struct ir_inst *i);
