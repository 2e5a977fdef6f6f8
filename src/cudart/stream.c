// Streams, callbacks, and what threads share of streams.
#include "cudart/stream.h"
#include "cudart/graph.h"

static __thread bool is_per_thread;
static __thread struct cuda_stream *own; // of the host thread; owned by the runtime

void stream_per_thread(bool on) { is_per_thread = on; }
bool stream_is_per_thread(void) { return is_per_thread; }

static struct cuda_stream *create(struct cudart *r, unsigned flags, int priority)
{
    struct cuda_stream *s = heap_alloc(sizeof *s);
    s->stream = wf_stream_create(r->context);
    s->flags = flags;
    s->priority = priority;
    vec_push(&r->streams, s);
    s->id = ++r->streams_made;
    cudart_add(r, s, CUDART_STREAM);
    return s;
}

struct cuda_stream *stream_of(struct cudart *r, struct cuda_stream *handle)
{
    uintptr_t number = (uintptr_t)handle;
    if (number == STREAM_LEGACY || (number == STREAM_NULL && !is_per_thread)) {
        if (!r->legacy) r->legacy = heap_alloc(sizeof *r->legacy);
        return r->legacy;
    }
    if (number > STREAM_PER_THREAD) return cudart_is(r, handle, CUDART_STREAM) ? handle : NULL;
    if (!own || !cudart_is(r, own, CUDART_STREAM)) own = create(r, 0, 0);
    return own;
}

enum cuda_error stream_wait(struct cudart *r, struct cuda_stream *s)
{
    if (!s->stream) return cudart_wait(r);
    if (r->pending.count) {
        r->busy++;
        wf_stream_wait(s->stream);
        r->busy--;
    }
    return cudart_settle(r);
}

static void destroy(struct cudart *r, struct cuda_stream *s)
{
    stream_wait(r, s);
    graph_capture_end(s);
    size_t at = 0;
    while (r->streams.data[at] != s) at++;
    r->streams.data[at] = vec_last(&r->streams);
    r->streams.count--;
    cudart_remove(r, s);
    wf_stream_destroy(s->stream);
    free(s);
}

void stream_reset(struct cudart *r)
{
    while (r->streams.count) destroy(r, vec_last(&r->streams));
}

// -- the interface ------------------------------------------------------------------------------------------

enum { STREAM_NON_BLOCKING = 1, PRIORITY_LOW = 0, PRIORITY_HIGH = -5 };

static enum cuda_error make(struct cudart *r, struct cuda_stream **s, unsigned flags, int priority)
{
    if (!s || flags > STREAM_NON_BLOCKING) return cudaErrorInvalidValue;
    if (priority > PRIORITY_LOW) priority = PRIORITY_LOW;
    *s = create(r, flags, priority < PRIORITY_HIGH ? PRIORITY_HIGH : priority);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaStreamCreate(struct cuda_stream **s) { CUDART_RUN(make(r, s, 0, 0)); }

CUDART_EXPORT enum cuda_error cudaStreamCreateWithFlags(struct cuda_stream **s, unsigned flags)
{
    CUDART_RUN(make(r, s, flags, 0));
}

CUDART_EXPORT enum cuda_error cudaStreamCreateWithPriority(struct cuda_stream **s, unsigned flags,
                                                           int priority)
{
    CUDART_RUN(make(r, s, flags, priority));
}

static enum cuda_error unmake(struct cudart *r, struct cuda_stream *s)
{
    if (!cudart_is(r, s, CUDART_STREAM)) return cudaErrorInvalidResourceHandle;
    destroy(r, s);
    return cudart_settle(r);
}

CUDART_EXPORT enum cuda_error cudaStreamDestroy(struct cuda_stream *s) { CUDART_RUN(unmake(r, s)); }

static enum cuda_error synchronise(struct cudart *r, struct cuda_stream *handle)
{
    struct cuda_stream *s = stream_of(r, handle);
    if (!s) return cudaErrorInvalidResourceHandle;
    return s->capture ? graph_capture_break(s) : stream_wait(r, s);
}

CUDART_EXPORT enum cuda_error cudaStreamSynchronize(struct cuda_stream *s) { CUDART_RUN(synchronise(r, s)); }

// Simulated time passes only in waiting calls, so a query waits: a loop over queries ends.
CUDART_EXPORT enum cuda_error cudaStreamQuery(struct cuda_stream *s) { CUDART_RUN(synchronise(r, s)); }

CUDART_EXPORT enum cuda_error cudaDeviceSynchronize(void) { CUDART_RUN(cudart_wait(r)); }
CUDART_EXPORT enum cuda_error cudaThreadSynchronize(void) { CUDART_RUN(cudart_wait(r)); }

// Fills one of the three results that is wanted.
static enum cuda_error tell(struct cudart *r, struct cuda_stream *handle, unsigned *flags, int *priority,
                            uint64_t *id)
{
    const struct cuda_stream *s = stream_of(r, handle);
    if (!s) return cudaErrorInvalidResourceHandle;
    if (!flags && !priority && !id) return cudaErrorInvalidValue;
    if (flags) *flags = s->flags;
    if (priority) *priority = s->priority;
    if (id) *id = s->id;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaStreamGetFlags(struct cuda_stream *s, unsigned *flags)
{
    CUDART_RUN(tell(r, s, flags, NULL, NULL));
}

CUDART_EXPORT enum cuda_error cudaStreamGetPriority(struct cuda_stream *s, int *priority)
{
    CUDART_RUN(tell(r, s, NULL, priority, NULL));
}

CUDART_EXPORT enum cuda_error cudaStreamGetId(struct cuda_stream *s, uint64_t *id)
{
    CUDART_RUN(tell(r, s, NULL, NULL, id));
}

CUDART_EXPORT enum cuda_error cudaDeviceGetStreamPriorityRange(int *low, int *high)
{
    if (low) *low = PRIORITY_LOW;
    if (high) *high = PRIORITY_HIGH;
    return cudaSuccess;
}

// -- callbacks ----------------------------------------------------------------------------------------------

static enum cuda_error call_host(struct cudart *r, struct cuda_stream *handle, host_function *f, void *data)
{
    struct cuda_stream *s = stream_of(r, handle);
    if (!s) return cudaErrorInvalidResourceHandle;
    if (!f) return cudaErrorInvalidValue;
    if (s->capture) return graph_capture_host(s, f, data);
    enum cuda_error error = stream_wait(r, s);
    if (error) return error; // CUDA does not call after a fault
    cudart_pause(r);
    f(data);
    cudart_resume(r);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaLaunchHostFunc(struct cuda_stream *s, host_function *f, void *data)
{
    CUDART_RUN(call_host(r, s, f, data));
}

static enum cuda_error call_back(struct cudart *r, struct cuda_stream *handle, stream_callback *f, void *data)
{
    struct cuda_stream *s = stream_of(r, handle);
    if (!s) return cudaErrorInvalidResourceHandle;
    if (!f) return cudaErrorInvalidValue;
    if (s->capture) return graph_capture_break(s);
    enum cuda_error error = stream_wait(r, s);
    cudart_pause(r);
    f(handle, error, data);
    cudart_resume(r);
    return error;
}

CUDART_EXPORT enum cuda_error cudaStreamAddCallback(struct cuda_stream *s, stream_callback *f, void *data,
                                                    unsigned flags)
{
    CUDART_RUN(flags ? cudaErrorInvalidValue : call_back(r, s, f, data));
}

// Hints and attributes of a stream that change no result: caches, priorities, the owner of managed memory.
static enum cuda_error accept(struct cudart *r, struct cuda_stream *s)
{
    return stream_of(r, s) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

CUDART_EXPORT enum cuda_error cudaStreamAttachMemAsync(struct cuda_stream *s, void *p, size_t bytes,
                                                       unsigned flags)
{
    (void)p, (void)bytes, (void)flags;
    CUDART_RUN(accept(r, s));
}

CUDART_EXPORT enum cuda_error cudaStreamSetAttribute(struct cuda_stream *s, int attribute, const void *value)
{
    (void)attribute;
    CUDART_RUN(value ? accept(r, s) : cudaErrorInvalidValue);
}

CUDART_EXPORT enum cuda_error cudaStreamGetDevice(struct cuda_stream *s, int *device)
{
    if (device) *device = 0;
    CUDART_RUN(accept(r, s));
}
