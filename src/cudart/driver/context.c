// cuInit, errors by name, the device, and contexts.
#include "base/str.h"
#include "cudart/device.h"
#include "cudart/driver/driver.h"
#include "cudart/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum cuda_error driver_number(int *out, int value)
{
    if (!out) return cudaErrorInvalidValue;
    *out = value;
    return cudaSuccess;
}

enum cuda_error driver_same(void **out, void *in)
{
    if (!out || !in) return out ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    *out = in;
    return cudaSuccess;
}

enum cuda_error driver_init(struct cudart *r, unsigned flags)
{
    return flags ? cudaErrorInvalidValue : r->unusable;
}

// -- errors -------------------------------------------------------------------------------------------------

enum cuda_error driver_error_name(enum cuda_error error, const char **name)
{
    if (!name) return cudaErrorInvalidValue;
    *name = NULL;
    cudart_notice(error);
    switch ((int)error) {
#define CU_ERROR(text, number)                                                                               \
    case number:                                                                                             \
        *name = "CUDA_" #text;                                                                               \
        break;
#include "cudart/driver/errors.def"
#undef CU_ERROR
    }
    return *name ? cudaSuccess : cudaErrorInvalidValue;
}

enum cuda_error driver_error_text(enum cuda_error error, const char **text)
{
    const char *name;
    if (!text) return cudaErrorInvalidValue;
    *text = driver_error_name(error, &name) ? NULL : cudaGetErrorString(error);
    return *text ? cudaSuccess : cudaErrorInvalidValue;
}

// -- the device -----------------------------------------------------------------------------------------------

enum cuda_error driver_device(int *device, int ordinal)
{
    return ordinal ? cudaErrorInvalidDevice : driver_number(device, 0);
}

enum cuda_error driver_device_name(struct cudart *r, char *name, int length, int device)
{
    if (device) return cudaErrorInvalidDevice;
    if (!name || length < 1) return cudaErrorInvalidValue;
    snprintf(name, (size_t)length, "%s", device_facts(r)->name);
    return cudaSuccess;
}

enum cuda_error driver_device_memory(struct cudart *r, size_t *bytes, int device)
{
    if (device) return cudaErrorInvalidDevice;
    if (!bytes) return cudaErrorInvalidValue;
    *bytes = r->memory_bytes;
    return cudaSuccess;
}

enum cuda_error driver_device_capability(struct cudart *r, int *major, int *minor, int device)
{
    if (device) return cudaErrorInvalidDevice;
    if (!major || !minor) return cudaErrorInvalidValue;
    *major = device_facts(r)->major;
    *minor = device_facts(r)->minor;
    return cudaSuccess;
}

enum cuda_error driver_device_uuid(char *uuid, int device)
{
    static const char bytes[16] = "warpfold device";
    if (device) return cudaErrorInvalidDevice;
    if (!uuid) return cudaErrorInvalidValue;
    memcpy(uuid, bytes, sizeof bytes);
    return cudaSuccess;
}

// -- contexts -----------------------------------------------------------------------------------------------

enum { CONTEXTS_MOST = 64, API_VERSION = 3020 };
static __thread struct cuda_context
    *stack[CONTEXTS_MOST]; // of the host thread, the current one last; some may be dead
static __thread unsigned depth;

static bool is_context(const struct cudart *r, const struct cuda_context *c)
{
    return c && cudart_is(r, c, CUDART_CONTEXT);
}

static struct cuda_context *create(struct cudart *r, unsigned flags)
{
    struct cuda_context *c = heap_alloc(sizeof *c);
    *c = (struct cuda_context){flags, ++r->contexts_made};
    cudart_add(r, c, CUDART_CONTEXT);
    return c;
}

static struct cuda_context *primary(struct cudart *r)
{
    if (!r->primary) r->primary = create(r, 0);
    return r->primary;
}

struct cuda_context *driver_current(struct cudart *r)
{
    while (depth && !is_context(r, stack[depth - 1])) depth--;
    return depth ? stack[depth - 1] : r->uses_runtime ? primary(r) : NULL;
}

enum cuda_error driver_context_push(struct cudart *r, struct cuda_context *c)
{
    if (!is_context(r, c)) return cudaErrorDeviceUninitialized;
    if (depth == CONTEXTS_MOST) return cudaErrorInvalidValue;
    stack[depth++] = c;
    return cudaSuccess;
}

enum cuda_error driver_context_pop(struct cudart *r, struct cuda_context **c)
{
    struct cuda_context *top = driver_current(r);
    if (!depth) return cudaErrorDeviceUninitialized;
    depth--;
    if (c) *c = top;
    return cudaSuccess;
}

enum cuda_error driver_context_set(struct cudart *r, struct cuda_context *c)
{
    if (c && !is_context(r, c)) return cudaErrorDeviceUninitialized;
    driver_current(r); // drops dead ones
    if (depth) depth--;
    return c ? driver_context_push(r, c) : cudaSuccess;
}

enum cuda_error driver_context_get(struct cudart *r, struct cuda_context **c)
{
    if (!c) return cudaErrorInvalidValue;
    *c = driver_current(r);
    return cudaSuccess;
}

enum cuda_error driver_context_create(struct cudart *r, struct cuda_context **c, unsigned flags, int device)
{
    if (device) return cudaErrorInvalidDevice;
    if (!c) return cudaErrorInvalidValue;
    *c = create(r, flags);
    return driver_context_push(r, *c);
}

// Memory, streams and modules stay: they are the device's.
enum cuda_error driver_context_destroy(struct cudart *r, struct cuda_context *c)
{
    if (!is_context(r, c) || c == r->primary) return cudaErrorDeviceUninitialized;
    enum cuda_error error = cudart_wait(r);
    cudart_remove(r, c);
    free(c);
    return error;
}

enum cuda_error driver_context_facts(struct cudart *r, const struct cuda_context *c, unsigned *flags,
                                     unsigned *version, uint64_t *id)
{
    if (!is_context(r, c)) return cudaErrorDeviceUninitialized;
    if (!flags && !version && !id) return cudaErrorInvalidValue;
    if (flags) *flags = c->flags;
    if (version) *version = API_VERSION;
    if (id) *id = c->id;
    return cudaSuccess;
}

enum cuda_error driver_primary_retain(struct cudart *r, struct cuda_context **c, int device)
{
    if (device) return cudaErrorInvalidDevice;
    if (!c) return cudaErrorInvalidValue;
    *c = primary(r);
    r->primary_uses++;
    return cudaSuccess;
}

enum cuda_error driver_primary_release(struct cudart *r, int device)
{
    if (device || !r->primary_uses) return device ? cudaErrorInvalidDevice : cudaErrorDeviceUninitialized;
    r->primary_uses--;
    return cudaSuccess;
}

enum cuda_error driver_primary_reset(int device)
{
    return device ? cudaErrorInvalidDevice : cudaDeviceReset();
}

enum cuda_error driver_primary_flags(struct cudart *r, int device, unsigned flags)
{
    if (device) return cudaErrorInvalidDevice;
    primary(r)->flags = flags;
    return cudaSuccess;
}

enum cuda_error driver_primary_state(struct cudart *r, int device, unsigned *flags, int *active)
{
    if (device) return cudaErrorInvalidDevice;
    if (!flags || !active) return cudaErrorInvalidValue;
    *flags = primary(r)->flags;
    *active = r->primary_uses || r->uses_runtime;
    return cudaSuccess;
}
