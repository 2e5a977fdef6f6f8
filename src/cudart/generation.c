// CUDA's major version of the library, by the build (rules.mk).
#include "cudart/state.h"

#ifndef CUDART_GENERATION
#define CUDART_GENERATION 13
#endif
const int cudart_generation = CUDART_GENERATION;
