// Properties, attributes and limits of the device.
#include "cudart/device.h"
#include "base/str.h"
#include "cudart/array.h"
#include "cudart/hooks.h"
#include "cudart/launch.h"
#include "cudart/memory.h"
#include "cudart/properties.h"
#include "cudart/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Marketing names and compute capabilities by name of the GPU's file: NVIDIA's specifications.
static const struct card {
    const char *gpu, *name;
    int major, minor;
} cards[] = {
    {"a100", "NVIDIA A100", 8, 0},
    {"h100", "NVIDIA H100", 9, 0},
    {"h200", "NVIDIA H200", 9, 0},
    {"gtx1080ti", "NVIDIA GeForce GTX 1080 Ti", 6, 1},
    {"gtx1080ti-paper", "NVIDIA GeForce GTX 1080 Ti", 6, 1},
    {"gtx280", "NVIDIA GeForce GTX 280", 1, 3},
    {"gtx285", "NVIDIA GeForce GTX 285", 1, 3},
    {"gtx480", "NVIDIA GeForce GTX 480", 2, 0},
    {"gtx680", "NVIDIA GeForce GTX 680", 3, 0},
    {"p100", "NVIDIA Tesla P100", 6, 0},
    {"qv100", "NVIDIA Quadro GV100", 7, 0},
    {"rtx2070s", "NVIDIA GeForce RTX 2070 SUPER", 7, 5},
    {"rtx2080ti", "NVIDIA GeForce RTX 2080 Ti", 7, 5},
    {"rtx8000", "NVIDIA Quadro RTX 8000", 7, 5},
    {"titanv", "NVIDIA TITAN V", 7, 0},
    {"v100", "NVIDIA Tesla V100", 7, 0},
};

uint64_t device_key(struct wf_context *c, const char *name)
{
    struct wf_key k;
    for (size_t i = 0; wf_key_at(c, i, &k); i++) {
        if (!str_equal(k.name, name) || !k.value) continue;
        char *end;
        uint64_t n = strtoull(k.value, &end, 10);
        return *end == 'K' ? n << 10 : *end == 'M' ? n << 20 : *end == 'G' ? n << 30 : n;
    }
    return 0;
}

static void name_device(const struct cudart *r, struct device_facts *d)
{
    const char *gpu = cudart_hooks.gpu(r->hooked);
    d->major = 9; // a functional device, and a GPU of the user's own, execute code for every architecture
    snprintf(d->name, sizeof d->name, "warpfold %s", gpu ? gpu : "functional");
    for (size_t i = 0; gpu && i < sizeof cards / sizeof *cards; i++) {
        if (!str_equal(cards[i].gpu, gpu)) continue;
        snprintf(d->name, sizeof d->name, "%s", cards[i].name);
        d->major = cards[i].major;
        d->minor = cards[i].minor;
    }
}

const struct device_facts *device_facts(struct cudart *r)
{
    if (r->device) return r->device;
    struct wf_context *c = r->context;
    struct device_facts *d = heap_alloc(sizeof *d);
    uint64_t partitions = device_key(c, "memory.partitions"),
             sets = device_key(c, "l2.sets") * device_key(c, "l2.slices");
    name_device(r, d);
    d->sms = (int)device_key(c, "gpu.sm_count");
    d->warps = (int)device_key(c, "sm.warps");
    d->blocks = (int)device_key(c, "sm.blocks");
    d->registers = (int)device_key(c, "sm.registers");
    d->shared_bytes = (int)device_key(c, "sm.shared_bytes");
    d->shared_optin = (int)device_key(c, "launch.max_shared");
    if (!cudart_hooks.gpu(r->hooked)) d->shared_bytes = d->shared_optin + (1 << 10); // the system's part
    if (d->shared_optin > d->shared_bytes) d->shared_optin = d->shared_bytes;
    uint64_t line = device_key(c, device_key(c, "l2.line_bytes") ? "l2.line_bytes" : "memory.line_bytes");
    d->l2_bytes = (int)(partitions * sets * device_key(c, "l2.ways") * line);
    d->core_khz = (int)device_key(c, "gpu.core_mhz") * 1000;
    d->memory_khz = (int)device_key(c, "dram.mhz") * 1000;
    uint64_t single = device_key(c, "units.float") * device_key(c, "interval.dp"),
             both = device_key(c, "units.double") * device_key(c, "interval.fp_mad");
    d->double_ratio = (int)(single / (both ? both : 1));
    d->bus_bits = (int)(partitions * device_key(c, "dram.bus_bytes") * 8);
    d->memory_bytes = r->memory_bytes;
    return r->device = d;
}

unsigned device_architecture(struct cudart *r)
{
    const struct device_facts *d = device_facts(r);
    return (unsigned)(d->major * 10 + d->minor);
}

uint32_t device_sms(struct cudart *r) { return (uint32_t)device_facts(r)->sms; }

void device_say_newer(struct cudart *r, unsigned architecture)
{
    if (r->said_newer) return;
    r->said_newer = true;
    cudart_say("the program's PTX is for sm_%u and later, and %s is sm_%u: it runs all the same",
               architecture, device_facts(r)->name, device_architecture(r));
}

// -- properties and attributes ------------------------------------------------------------------------------

static enum cuda_error properties(struct cudart *r, struct cuda_properties *p, int device)
{
    if (device) return cudaErrorInvalidDevice;
    if (!p) return cudaErrorInvalidValue;
    const struct device_facts *d = device_facts(r);
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", d->name);
    p->totalGlobalMem = d->memory_bytes;
#define NONE                          reserved[55]
#define DEVICE(number, member, value) p->member = value;
#include "cudart/device.def"
#undef DEVICE
    p->NONE = 0;
#undef NONE
    return cudaSuccess;
}

// out: cudaDeviceProp of the library's generation.
static enum cuda_error properties_of_generation(struct cudart *r, void *out, int device)
{
    struct cuda_properties p;
    if (!out || cudart_generation >= 13) return properties(r, out, device);
    enum cuda_error error = properties(r, &p, device);
    if (!error)
        properties_11(out, &p, device_facts(r)->core_khz, device_facts(r)->memory_khz,
                      device_facts(r)->double_ratio);
    return error;
}

CUDART_EXPORT enum cuda_error cudaGetDeviceProperties(void *p, int device)
{
    CUDART_RUN(properties_of_generation(r, p, device));
}

static enum cuda_error attribute(struct cudart *r, int *out, int number, int device)
{
    if (device) return cudaErrorInvalidDevice;
    if (!out || number < 1) return cudaErrorInvalidValue;
    const struct device_facts *d = device_facts(r);
    *out = 0;
    switch (number) {
#define DEVICE(number, member, value)                                                                        \
    case number:                                                                                             \
        *out = (int)(value);                                                                                 \
        break;
#include "cudart/device.def"
#undef DEVICE
    }
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaDeviceGetAttribute(int *out, int number, int device)
{
    CUDART_RUN(attribute(r, out, number, device));
}

// -- the device's number ------------------------------------------------------------------------------------

CUDART_EXPORT enum cuda_error cudaGetDeviceCount(int *count)
{
    if (count) *count = 1;
    CUDART_RUN(count ? cudaSuccess : cudaErrorInvalidValue);
}

CUDART_EXPORT enum cuda_error cudaGetDevice(int *device)
{
    if (device) *device = 0;
    CUDART_RUN(device ? cudaSuccess : cudaErrorInvalidValue);
}

CUDART_EXPORT enum cuda_error cudaSetDevice(int device)
{
    CUDART_RUN(device ? cudaErrorInvalidDevice : cudaSuccess);
}

CUDART_EXPORT enum cuda_error cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    return cudaSetDevice(device);
}

CUDART_EXPORT enum cuda_error cudaChooseDevice(int *device, const struct cuda_properties *wanted)
{
    return wanted ? cudaGetDevice(device) : cudaErrorInvalidValue;
}

CUDART_EXPORT enum cuda_error cudaSetValidDevices(int *devices, int count)
{
    CUDART_RUN(count && (!devices || devices[0]) ? cudaErrorInvalidDevice : cudaSuccess);
}

static enum cuda_error bus_id(char *text, int length, int device)
{
    if (device) return cudaErrorInvalidDevice;
    if (!text || length < 13) return cudaErrorInvalidValue;
    snprintf(text, (size_t)length, "0000:01:00.0");
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaDeviceGetPCIBusId(char *text, int length, int device)
{
    CUDART_RUN(bus_id(text, length, device));
}

CUDART_EXPORT enum cuda_error cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    if (!text || (!str_equal(text, "0000:01:00.0") && !str_equal(text, "0000:01:00")))
        return cudaErrorInvalidValue;
    return cudaGetDevice(device);
}

static enum cuda_error version(int *out)
{
    if (!out) return cudaErrorInvalidValue;
    *out = cudart_generation < 13 ? 11080 : 13000;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaDriverGetVersion(int *out) { return version(out); }
CUDART_EXPORT enum cuda_error cudaRuntimeGetVersion(int *out) { return version(out); }

// -- flags, limits, hints -----------------------------------------------------------------------------------

static enum cuda_error device_flags(struct cudart *r, unsigned *out, unsigned set)
{
    if (!out) r->flags = set;
    if (out) *out = r->flags;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaSetDeviceFlags(unsigned flags) { CUDART_RUN(device_flags(r, NULL, flags)); }

CUDART_EXPORT enum cuda_error cudaGetDeviceFlags(unsigned *flags)
{
    CUDART_RUN(flags ? device_flags(r, flags, 0) : cudaErrorInvalidValue);
}

enum { LIMITS = 7, LIMIT_HEAP = 2 };
static const uint64_t limit_defaults[LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};

static enum cuda_error limit(struct cudart *r, size_t *out, int number, size_t set)
{
    if (number < 0 || number >= LIMITS) return cudaErrorUnsupportedLimit;
    if (!out && number == LIMIT_HEAP) { // of malloc in device code
        char bytes[32];
        snprintf(bytes, sizeof bytes, "%zu", set < 4096 ? (size_t)4096 : set);
        if (wf_set(r->context, "memory.heap", bytes) != WF_OK)
            return cudart_told(r, cudaErrorMemoryAllocation);
    }
    if (!out) r->limits[number] = set;
    if (out) *out = r->limits[number] ? r->limits[number] : limit_defaults[number];
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaDeviceSetLimit(int number, size_t value)
{
    CUDART_RUN(limit(r, NULL, number, value));
}

CUDART_EXPORT enum cuda_error cudaDeviceGetLimit(size_t *value, int number)
{
    CUDART_RUN(value ? limit(r, value, number, 0) : cudaErrorInvalidValue);
}

// Preferences for caches and banks: accepted, without effect; the caches are those of the GPU's file.
CUDART_EXPORT enum cuda_error cudaDeviceSetCacheConfig(int config)
{
    (void)config;
    CUDART_RUN(cudaSuccess);
}
CUDART_EXPORT enum cuda_error cudaDeviceSetSharedMemConfig(int config)
{
    (void)config;
    CUDART_RUN(cudaSuccess);
}
CUDART_EXPORT enum cuda_error cudaCtxResetPersistingL2Cache(void) { CUDART_RUN(cudaSuccess); }
CUDART_EXPORT enum cuda_error cudaProfilerStart(void) { CUDART_RUN(cudaSuccess); }
CUDART_EXPORT enum cuda_error cudaProfilerStop(void) { CUDART_RUN(cudaSuccess); }

static enum cuda_error zero(int *out)
{
    if (out) *out = 0;
    return out ? cudaSuccess : cudaErrorInvalidValue;
}

CUDART_EXPORT enum cuda_error cudaDeviceGetCacheConfig(int *config) { CUDART_RUN(zero(config)); }
CUDART_EXPORT enum cuda_error cudaDeviceGetSharedMemConfig(int *config) { CUDART_RUN(zero(config)); }

// -- one device has no peers --------------------------------------------------------------------------------

CUDART_EXPORT enum cuda_error cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    CUDART_RUN(device || peer ? cudaErrorInvalidDevice : zero(can));
}

CUDART_EXPORT enum cuda_error cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)flags;
    CUDART_RUN(peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessUnsupported);
}

CUDART_EXPORT enum cuda_error cudaDeviceDisablePeerAccess(int peer)
{
    CUDART_RUN(peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled);
}

CUDART_EXPORT enum cuda_error cudaDeviceGetP2PAttribute(int *value, int attribute_number, int device,
                                                        int peer)
{
    (void)attribute_number;
    CUDART_RUN(device || peer ? cudaErrorInvalidDevice : zero(value));
}

// -- reset --------------------------------------------------------------------------------------------------

// Frees memory and streams, forgets the fault. Modules are loaded anew at the next use, so variables have their first
// values again; events and arrays of the program are dead.
static enum cuda_error reset(struct cudart *r)
{
    if (r->unusable) return r->unusable;
    cudart_wait(r);
    wf_reset(r->context);
    wf_clear_errors(r->context);
    r->lost = cudaSuccess;
    stream_reset(r);
    memory_reset(r);
    image_forget(r);
    reference_forget(r);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaDeviceReset(void)
{
    struct cudart *r = cudart_enter();
    return cudart_leave(r, reset(r));
}

CUDART_EXPORT enum cuda_error cudaThreadExit(void) { return cudaDeviceReset(); }
