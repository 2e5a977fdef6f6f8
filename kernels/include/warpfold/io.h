// What the library functions that a kernel can call become: printf, assert, malloc, free, memcpy, memset.
#pragma once
#include "qualifiers.h"

// clang packs printf's arguments and calls vprintf, as the CUDA ABI has it.
extern "C" {
__device__ int printf(const char *format, ...);
__device__ int vprintf(const char *format, const char *arguments);
__device__ void __assertfail(const char *condition, const char *file, unsigned line, const char *function,
                             unsigned long char_bytes) __attribute__((noreturn));
__device__ void *malloc(size_t bytes);
__device__ void free(void *block);
}
// glibc's assert calls this.
__wf_fn void __assert_fail(const char *condition, const char *file, unsigned line, const char *function)
{
    __assertfail(condition, file, line, function, 1);
}
__wf_fn void *memcpy(void *to, const void *from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
__wf_fn void *memmove(void *to, const void *from, size_t bytes) { return __builtin_memmove(to, from, bytes); }
__wf_fn void *memset(void *to, int byte, size_t bytes) { return __builtin_memset(to, byte, bytes); }
