// The functions of cuRAND's host interface.
#include "cumath/rand/functions.h"

#define FUNCTION(name, parameters, call)                                                                     \
    CUDART_EXPORT enum rand_status name parameters { return call; }
#define ABSENT(name)                                                                                         \
    CUDART_EXPORT enum rand_status name(void) { return rand_absent(#name); }
#include "cumath/rand/curand.def"
