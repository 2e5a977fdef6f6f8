// …_ptsz and …_ptds: the interface's functions for programs built with nvcc -default-stream per-thread. Handle 0 means the
// host thread's own stream.
#include "cudart/stream.h"

#define PRESENT(name, file, libraries)
#define ABSENT(name, libraries)
#define TWIN(name, suffix, libraries, parameters, arguments)                                                 \
    enum cuda_error name parameters;                                                                         \
    CUDART_EXPORT enum cuda_error name##suffix parameters;                                                   \
    enum cuda_error name##suffix parameters                                                                  \
    {                                                                                                        \
        stream_per_thread(true);                                                                             \
        enum cuda_error error = name arguments;                                                              \
        stream_per_thread(false);                                                                            \
        return error;                                                                                        \
    }
#include "cudart/runtime.def"
