// Small functions made by hand, for tests of the compiler's middle.
#pragma once
#include "compile/ir/build.h"

// A unit with a single device function of the given parameter classes and one result; the entry block is
// empty.
struct ir_function *make_function(struct ir_unit *u, uint32_t param_count, const enum ir_class *params,
                                  enum ir_class result);
// Ends the block with RETURN of v.
void make_return(struct ir_block *b, struct ir_value *v);
struct ir_unit *make_unit(void); // options with check on; no module
void make_unit_free(struct ir_unit *u);
// A single operation over the parameters, as in "return op(params…)".
struct ir_inst *make_operation(struct ir_unit *u, enum ir_op op, enum isa_type type, enum isa_type type2,
                               uint32_t count);
