// Calls in tail position. A run of fast forms is a chain of tail calls, which must compile to jumps. Debug
// and sanitizer builds make no tail calls; handlers then return the next instruction to the loop in run.c.
//
// gcc makes a jump only in a function without an escaping address of a local variable.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TAIL_RETURNS 1
#endif
#endif
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TAIL_RETURNS 1
#endif

#if defined(__clang__) && !defined(TAIL_RETURNS)
#define TAIL(call) __attribute__((musttail)) return (call)
#else
#define TAIL(call) return (call)
#endif

#if defined(TAIL_RETURNS)
#define NEXT(n, lanes) return (n)
#else
#define NEXT(n, lanes) TAIL((n)->run((n), w, regs, (lanes)))
#endif
