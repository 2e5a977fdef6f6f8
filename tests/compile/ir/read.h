// Reads the output of ir_print for a function, for tests with a function as text:
//
//     function f v0:32, v1:64
//     block0:
//       v2:32 = add.u32 v0, 5
//       p3 = setp.lt.s32 v2, 10
//       branch p3, block1, block2
//     …
//
// A constant has the class required at its place. Any word may name a value or block. Calls are not read.
#pragma once
#include "compile/ir/ir.h"

// NULL if the text is malformed; *why then names the place.
struct ir_function *ir_read(struct ir_unit *u, const char *text, const char **why);
