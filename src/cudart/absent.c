// The interface's functions that are not there: a line with the name, and cudaErrorNotSupported. Arguments are not looked at,
// which the calling convention of x86-64 permits.
#include "cudart/state.h"

#define PRESENT(name, file, libraries)
#define TWIN(name, suffix, libraries, parameters, arguments)
#define ABSENT(name, libraries)                                                                              \
    CUDART_EXPORT enum cuda_error name(void);                                                                \
    enum cuda_error name(void) { return cudart_absent(#name); }
#include "cudart/runtime.def"
