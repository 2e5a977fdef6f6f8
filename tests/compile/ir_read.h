// Reads back what ir_print writes (of one function), for tests that state a function as text:
//
//     function f v0:32, v1:64
//     block0:
//       v2:32 = add.u32 v0, 5
//       p3 = setp.lt.s32 v2, 10
//       branch p3, block1, block2
//     …
//
// A constant has the class its place asks for. Any word may name a value or block. A call is not understood.
#pragma once
#include "compile/ir/ir.h"

// NULL when the text makes no sense; *why then says where.
struct ir_function *ir_read(struct ir_unit *u, const char *text, const char **why);
