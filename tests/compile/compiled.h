// PTX compiled for a test, down to the listing.
#pragma once
#include "compile/compile.h"
#include "harness/test.h"

struct program;

// Compiles the first kernel of the text (header lines may be missing), with the representation checked
// after every step. NULL, and a failed case, if the kernel is refused. Caller frees by program_free.
struct program *compiled_text(struct test *t, const char *ptx, const struct compile_options *o);

// A kernel around `body`. Loaded from memory before the body: %r1 to %r4, %f1 to %f4 (the same bits), %rd1
// to %rd3, %fd1 to %fd3. %p1 and %p2 are set; %n, %x, %big (32, 32 and 64 bits) are parameters. The body
// may use %r5 … %r9, %rd5 … %rd9, %p3 … %p5 and so on; %r9, %rd9, %f9, %fd9, %p5 are stored if written.
// Heap, caller frees.
char *compiled_body_text(const char *body);

// The instructions of the body in scheduled order, registers without numbers: "LOP3.LUT RZ, P, R, 0x7, RZ,
// 0xc0; SEL R, R, R, P". Heap, caller frees.
char *compiled_skeleton(const struct program *p);
