// The functions of cuBLAS's interface.
#include "cumath/blas/functions.h"

// Functions with 32-bit and, as name_64, with 64-bit sizes.
#define ROUTINE(name, parameters, call)                                                                      \
    CUDART_EXPORT enum blas_status NAME(name) parameters { return call; }
#define INT        int
#define NAME(name) name
#include "cumath/blas/routines.def"
#undef INT
#undef NAME
#define INT        int64_t
#define NAME(name) name##_64
#include "cumath/blas/routines.def"
#undef INT
#undef NAME

#define FUNCTION(name, parameters, call)                                                                     \
    CUDART_EXPORT enum blas_status name parameters { return call; }
#define TEXT(name, call)                                                                                     \
    CUDART_EXPORT const char *name(enum blas_status status) { return call; }
#define ABSENT(name)                                                                                         \
    CUDART_EXPORT enum blas_status name(void) { return blas_absent(#name); }
#include "cumath/blas/handle.def"
