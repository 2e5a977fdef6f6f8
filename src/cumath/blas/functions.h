// Prototypes of cuBLAS's functions that are there.
#pragma once
#include "cumath/blas/blas.h"

#define ROUTINE(name, parameters, call) enum blas_status NAME(name) parameters;
#define INT                             int
#define NAME(name)                      name
#include "cumath/blas/routines.def"
#undef INT
#undef NAME
#define INT        int64_t
#define NAME(name) name##_64
#include "cumath/blas/routines.def"
#undef INT
#undef NAME
#define FUNCTION(name, parameters, call) enum blas_status name parameters;
#define TEXT(name, call)                 const char *name(enum blas_status status);
#define ABSENT(name)                     enum blas_status name(void);
#include "cumath/blas/handle.def"
#undef ROUTINE
#undef FUNCTION
#undef TEXT
#undef ABSENT
