// The functions of driver.def, and what every call does before and after.
#include "cudart/device.h"
#include "cudart/driver/driver.h"
#include "cudart/runtime.h"
#include "cudart/stream.h"

static enum cuda_error check(struct cudart *r, enum driver_need need)
{
    if (need == NOTHING) return cudaSuccess;
    if (!r->context) return cudaErrorInitializationError;
    return need == CONTEXT && !driver_current(r) ? cudaErrorDeviceUninitialized : cudaSuccess;
}

bool driver_begin(struct driver_call *c, enum driver_need need, bool is_per_thread)
{
    struct cudart *r = cudart_enter_plain();
    *c = (struct driver_call){cudart_last_error(), check(r, need), r->uses_runtime, is_per_thread};
    cudart_leave(r, cudaSuccess);
    if (!c->error) stream_per_thread(is_per_thread);
    return !c->error;
}

// Errors that only the runtime has are the driver's nearest.
static enum cuda_error number_of(enum cuda_error error)
{
    enum { RUNTIME_FIRST = 9, RUNTIME_LAST = 98 };
    if (error == cudaErrorInvalidDeviceFunction) return cudaErrorInvalidResourceHandle;
    if (error == cudaErrorInvalidSymbol) return cudaErrorSymbolNotFound;
    return (int)error >= RUNTIME_FIRST && (int)error <= RUNTIME_LAST ? cudaErrorInvalidValue : error;
}

enum cuda_error driver_end(const struct driver_call *c, enum cuda_error error)
{
    struct cudart *r = cudart_enter_plain();
    if (c->is_per_thread) stream_per_thread(false);
    cudart_set_last_error(c->last_error);
    r->uses_runtime = c->uses_runtime;
    cudart_leave(r, cudaSuccess);
    return number_of(error);
}

#define CALL_BODY(call) return driver_end(&state, call);
#define OWN_BODY(call)                                                                                       \
    struct cudart *r = cudart_enter();                                                                       \
    r->uses_runtime = state.uses_runtime;                                                                    \
    enum cuda_error error = r->lost ? r->lost : (call);                                                      \
    cudart_leave(r, cudaSuccess);                                                                            \
    return driver_end(&state, error);
#define FUNCTION(name, is_twin, need, parameters, body)                                                      \
    enum cuda_error name parameters                                                                          \
    {                                                                                                        \
        struct driver_call state;                                                                            \
        if (!driver_begin(&state, need, is_twin)) return state.error;                                        \
        body                                                                                                 \
    }
#define TWIN_NONE(name, need, parameters, body)
#define TWIN_PTSZ(name, need, parameters, body) FUNCTION(name##_ptsz, true, need, parameters, body)
#define TWIN_PTDS(name, need, parameters, body) FUNCTION(name##_ptds, true, need, parameters, body)
#define CALL(name, twin, since, need, parameters, call)                                                      \
    FUNCTION(name, false, need, parameters, CALL_BODY(call))                                                 \
    TWIN_##twin(name, need, parameters, CALL_BODY(call))
#define OWN(name, twin, since, need, parameters, call)                                                       \
    FUNCTION(name, false, need, parameters, OWN_BODY(call))                                                  \
    TWIN_##twin(name, need, parameters, OWN_BODY(call))
#define ABSENT(name)                                                                                         \
    enum cuda_error name(void) { return cudart_absent(#name); }
#include "cudart/driver/driver.def"
