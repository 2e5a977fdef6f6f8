// Functions shared by the tests of the PTX front end.
#pragma once
#include "harness/test.h"
#include "ptx/ptx.h"

// Parses. On failure *messages holds the messages as printed to a user (always valid, caller calls
// strbuf_fini).
struct ptx_module *support_parse(const char *name, const char *text, size_t length, struct strbuf *messages);
// Parses valid text: a failure fails the test and returns NULL.
struct ptx_module *support_module(struct test *t, const char *text);
// The same for statements in the body of a kernel, with "%p<9>" .pred, "%h<9>" .b16, "%r<9>" .b32, "%rd<9>"
// .b64, "%f<9>" .f32, "%d<9>" .f64, "%q<9>" .b128, and variables g (global), c (const), s (shared), l
// (local), tx (texture).
struct ptx_module *support_body(struct test *t, const char *statements);
struct ptx_function *support_kernel(const struct ptx_module *m); // the last function
