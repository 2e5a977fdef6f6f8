// PTX compiled for a test, down to the listing.
#pragma once
#include "compile/compile.h"
#include "harness/test.h"

// One kernel of the text (the first; the header lines may be missing), compiled with the representation
// checked after every step. NULL and a failed case when it is refused. program_free it.
struct program *compiled_text(struct test *t, const char *ptx, const struct compile_options *o);

// A kernel around `body`, which finds %r1 to %r4 (and %f1 to %f4, the same bits), %rd1 to %rd3 and %fd1 to
// %fd3 loaded from memory, %p1 and %p2 set, %n, %x, %big (32, 32 and 64 bits) in parameters, and may use %r5
// … %r9, %rd5 … %rd9, %p3 … %p5 and so on; %r9, %rd9, %f9, %fd9, %p5 are stored when the body writes them.
char *compiled_body_text(const char *body); // free() it

// The instructions of such a kernel's body, in the order they were scheduled, registers without their
// numbers: "LOP3.LUT RZ, P, R, 0x7, RZ, 0xc0; SEL R, R, R, P". Heap.
char *compiled_skeleton(const struct program *p);
