// A launch is timed by two events about it. Before the first and behind the second runs a kernel that counts an SM's cycles
// for a millisecond of the global timer (clock.cu): the mean of both is the clock, and while the first runs, the host has
// queued everything else, so that no time of the host is between the events.
#include "bench/silicon/cuda.h"

#include <cuda.h>
#include <cudaProfiler.h>
#include <stdlib.h>
#include <string.h>

struct allocation {
    enum { MEMORY, TEXTURE, ARRAY, MODULE } kind;
    uint64_t handle;
};

struct cuda {
    struct device device; // first: a device is one of these
    const char *folder;
    bool timed;
    CUcontext context;
    CUmodule clock, module; // module: loaded last
    CUfunction clock_of_sm, nothing;
    CUdeviceptr cycles; // what the clock kernel leaves, before a launch and behind
    CUevent from, to;
    VEC(struct allocation) made; // by a script
};

static bool is_good(struct cuda *c, CUresult code, const char *doing)
{
    const char *text = "no reason";
    if (code == CUDA_SUCCESS) return true;
    cuGetErrorString(code, &text);
    snprintf(c->device.why, sizeof c->device.why, "%s: %s", doing, text);
    return false;
}

static struct cuda *cuda_of(struct device *d) { return (struct cuda *)d; }

static bool load_file(struct cuda *c, const char *name, CUmodule *module)
{
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/%s.cubin", c->folder, name);
    bool good = is_good(c, cuModuleLoad(module, path.text), path.text);
    strbuf_fini(&path);
    return good;
}

static bool load(struct device *d, const char *name)
{
    struct cuda *c = cuda_of(d);
    if (!load_file(c, name, &c->module)) return false;
    vec_push(&c->made, (struct allocation){MODULE, (uint64_t)(uintptr_t)c->module});
    return true;
}

static bool allocate(struct device *d, uint64_t bytes, uint64_t *address)
{
    struct cuda *c = cuda_of(d);
    CUdeviceptr p;
    if (!is_good(c, cuMemAlloc(&p, bytes ? bytes : 1), "memory")) return false;
    vec_push(&c->made, (struct allocation){MEMORY, p});
    *address = p;
    return true;
}

static bool write(struct device *d, uint64_t address, const void *from, uint64_t bytes)
{
    return is_good(cuda_of(d), cuMemcpyHtoD(address, from, bytes), "a write");
}

static bool copy(struct device *d, uint64_t to, uint64_t from, uint64_t bytes)
{
    return is_good(cuda_of(d), cuMemcpyDtoD(to, from, bytes), "a copy");
}

static bool variable(struct device *d, const char *name, uint64_t *address, uint64_t *bytes)
{
    struct cuda *c = cuda_of(d);
    CUdeviceptr p;
    size_t size;
    if (!c->module || !is_good(c, cuModuleGetGlobal(&p, &size, c->module, name), name)) return false;
    *address = p;
    *bytes = size;
    return true;
}

// -- textures -----------------------------------------------------------------------------------------------

static CUarray_format format_of(enum spec_type type)
{
    switch (type) {
    case SPEC_U8: return CU_AD_FORMAT_UNSIGNED_INT8;
    case SPEC_S8: return CU_AD_FORMAT_SIGNED_INT8;
    case SPEC_U16: return CU_AD_FORMAT_UNSIGNED_INT16;
    case SPEC_S16: return CU_AD_FORMAT_SIGNED_INT16;
    case SPEC_U32: return CU_AD_FORMAT_UNSIGNED_INT32;
    case SPEC_S32: return CU_AD_FORMAT_SIGNED_INT32;
    case SPEC_F32:
    case SPEC_U64: // a texture cannot hold these (cli/spec.c)
    case SPEC_S64:
    case SPEC_F64:
    case SPEC_TYPE_COUNT: break;
    }
    return CU_AD_FORMAT_FLOAT;
}

// One dimension as memory, where tex1Dfetch reads it; two and three as arrays, in the card's own order.
static bool make_linear(struct device *d, const struct device_texture *t, CUDA_RESOURCE_DESC *r)
{
    uint64_t address, bytes = spec_size_bytes(t->spec);
    if (!allocate(d, bytes, &address) || !write(d, address, t->texels, bytes)) return false;
    r->resType = CU_RESOURCE_TYPE_LINEAR;
    r->res.linear.devPtr = address;
    r->res.linear.format = format_of(t->spec->type);
    r->res.linear.numChannels = 1;
    r->res.linear.sizeInBytes = bytes;
    return true;
}

static bool make_array(struct device *d, const struct device_texture *t, CUDA_RESOURCE_DESC *r)
{
    struct cuda *c = cuda_of(d);
    const uint32_t *side = t->spec->extent;
    size_t row = (size_t)side[0] * spec_type_bytes(t->spec->type);
    CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = side[0],
                                     .Height = side[1],
                                     .Depth = side[2],
                                     .Format = format_of(t->spec->type),
                                     .NumChannels = 1};
    CUarray array;
    if (!is_good(c, cuArray3DCreate(&array, &shape), "an array")) return false;
    vec_push(&c->made, (struct allocation){ARRAY, (uint64_t)(uintptr_t)array});
    CUDA_MEMCPY3D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = t->texels,
                        .srcPitch = row,
                        .srcHeight = side[1],
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .dstArray = array,
                        .WidthInBytes = row,
                        .Height = side[1],
                        .Depth = side[2] ? side[2] : 1};
    r->resType = CU_RESOURCE_TYPE_ARRAY;
    r->res.array.hArray = array;
    return is_good(c, cuMemcpy3D(&in), "a texture's content");
}

static bool texture(struct device *d, const struct device_texture *t, uint64_t *handle)
{
    static const CUaddress_mode modes[] = {[DEVICE_CLAMP] = CU_TR_ADDRESS_MODE_CLAMP,
                                           [DEVICE_WRAP] = CU_TR_ADDRESS_MODE_WRAP,
                                           [DEVICE_MIRROR] = CU_TR_ADDRESS_MODE_MIRROR,
                                           [DEVICE_BORDER] = CU_TR_ADDRESS_MODE_BORDER};
    struct cuda *c = cuda_of(d);
    CUDA_RESOURCE_DESC resource = {0};
    CUDA_TEXTURE_DESC how = {.filterMode = t->linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
                             .flags = (t->normalised ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
                                      (t->unit ? 0u : CU_TRSF_READ_AS_INTEGER)};
    CUtexObject object;
    for (unsigned i = 0; i < 3; i++) how.addressMode[i] = modes[t->address];
    if (!(t->spec->extent[1] ? make_array : make_linear)(d, t, &resource)) return false;
    if (!is_good(c, cuTexObjectCreate(&object, &resource, &how, NULL), "a texture")) return false;
    vec_push(&c->made, (struct allocation){TEXTURE, object});
    *handle = object;
    return true;
}

// -- launches -----------------------------------------------------------------------------------------------

static bool run_clock(struct cuda *c, unsigned which)
{
    CUdeviceptr out = c->cycles + which * 16;
    void *arguments[] = {&out};
    return is_good(c, cuLaunchKernel(c->clock_of_sm, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL),
                   "the clock");
}

static bool read_time(struct cuda *c, struct device_time *time)
{
    float milliseconds;
    uint64_t counts[4]; // cycles and nanoseconds, before and behind
    if (!is_good(c, cuEventElapsedTime(&milliseconds, c->from, c->to), "the time") ||
        !is_good(c, cuMemcpyDtoH(counts, c->cycles, sizeof counts), "the clock"))
        return false;
    time->microseconds = 1000.0 * (double)milliseconds;
    time->mhz = 1000 * ((double)counts[0] / (double)counts[1] + (double)counts[2] / (double)counts[3]) / 2;
    return true;
}

static bool start(struct cuda *c, CUfunction f, const struct device_launch *l)
{
    return is_good(c,
                   cuLaunchKernel(f, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                                  l->block[2], l->shared_bytes, NULL, (void **)l->arguments, NULL),
                   l->kernel);
}

// Without events and clocks: a profiler sees no other kernel.
static bool launch_alone(struct cuda *c, CUfunction f, const struct device_launch *l,
                         struct device_time *time)
{
    *time = (struct device_time){0};
    return start(c, f, l) && is_good(c, cuCtxSynchronize(), l->kernel);
}

static bool launch_timed(struct cuda *c, CUfunction f, const struct device_launch *l,
                         struct device_time *time)
{
    return run_clock(c, 0) && is_good(c, cuEventRecord(c->from, NULL), "an event") && start(c, f, l) &&
           is_good(c, cuEventRecord(c->to, NULL), "an event") && run_clock(c, 1) &&
           is_good(c, cuCtxSynchronize(), l->kernel) && read_time(c, time);
}

static bool launch(struct device *d, const struct device_launch *l, struct device_time *time)
{
    struct cuda *c = cuda_of(d);
    CUfunction f;
    if (!c->module || !is_good(c, cuModuleGetFunction(&f, c->module, l->kernel), l->kernel)) return false;
    // Beyond 48 KiB a block has to ask.
    if (l->shared_bytes > 48 << 10 &&
        !is_good(c,
                 cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)l->shared_bytes),
                 l->kernel))
        return false;
    return (c->timed ? launch_timed : launch_alone)(c, f, l, time);
}

static void profile(struct device *d, bool on)
{
    is_good(cuda_of(d), on ? cuProfilerStart() : cuProfilerStop(), "a profiler");
}

bool cuda_nothing(struct device *d, struct device_time *time)
{
    struct device_launch l = {.kernel = "nothing", .grid = {1, 1, 1}, .block = {32, 1, 1}};
    return launch_timed(cuda_of(d), cuda_of(d)->nothing, &l, time);
}

// -- from beginning to end ----------------------------------------------------------------------------------

static void clear(struct device *d)
{
    struct cuda *c = cuda_of(d);
    while (c->made.count) {
        struct allocation a = vec_pop(&c->made);
        switch (a.kind) {
        case MEMORY: cuMemFree(a.handle); break;
        case TEXTURE: cuTexObjectDestroy(a.handle); break;
        case ARRAY: cuArrayDestroy((CUarray)(uintptr_t)a.handle); break;
        case MODULE: cuModuleUnload((CUmodule)(uintptr_t)a.handle); break;
        }
    }
    c->module = NULL;
}

static bool open_clock(struct cuda *c)
{
    return load_file(c, "clock", &c->clock) &&
           is_good(c, cuModuleGetFunction(&c->clock_of_sm, c->clock, "clock_of_sm"), "clock_of_sm") &&
           is_good(c, cuModuleGetFunction(&c->nothing, c->clock, "nothing"), "nothing") &&
           is_good(c, cuMemAlloc(&c->cycles, 32), "memory") &&
           is_good(c, cuEventCreate(&c->from, CU_EVENT_DEFAULT), "an event") &&
           is_good(c, cuEventCreate(&c->to, CU_EVENT_DEFAULT), "an event");
}

static bool open_card(struct cuda *c)
{
    CUdevice card;
    return is_good(c, cuInit(0), "CUDA") && is_good(c, cuDeviceGet(&card, 0), "the first card") &&
           is_good(c, cuDeviceGetName(c->device.name, sizeof c->device.name, card), "its name") &&
           is_good(c, cuDevicePrimaryCtxRetain(&c->context, card), "a context") &&
           is_good(c, cuCtxSetCurrent(c->context), "a context") && (!c->timed || open_clock(c));
}

struct device *cuda_open(const char *folder, bool timed, struct diag *d)
{
    struct cuda *c = heap_alloc(sizeof *c);
    c->folder = folder;
    c->timed = timed;
    c->device.load = load;
    c->device.allocate = allocate;
    c->device.write = write;
    c->device.copy = copy;
    c->device.texture = texture;
    c->device.variable = variable;
    c->device.launch = launch;
    c->device.clear = clear;
    c->device.profile = profile;
    if (open_card(c)) return &c->device;
    diag_error(d, loc_none(), "no card: %s", c->device.why);
    free(c);
    return NULL;
}

void cuda_close(struct device *d)
{
    struct cuda *c = cuda_of(d);
    clear(d);
    vec_fini(&c->made);
    if (c->timed) {
        cuMemFree(c->cycles);
        cuEventDestroy(c->from);
        cuEventDestroy(c->to);
        cuModuleUnload(c->clock);
    }
    free(c);
}
