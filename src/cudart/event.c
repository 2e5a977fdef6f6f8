// Events, and the time between events.
//
// Of a timed run, elapsed time is simulated time: cycles between the ends of the work before two events. Launches
// without time, and copies, have a documented time of their own (docs/howto/cuda-programs.md, "Time").
#include "cudart/graph.h"
#include "cudart/state.h"
#include "cudart/stream.h"

struct cuda_event {
    struct wf_event *event;
    struct cudart_clock when; // at the record
    unsigned flags;
    bool is_recorded;
};

enum { EVENT_FLAGS = 7, EVENT_NO_TIMING = 2 }; // blocking sync 1, interprocess 4

static enum cuda_error make(struct cudart *r, struct cuda_event **e, unsigned flags)
{
    if (!e || flags > EVENT_FLAGS) return cudaErrorInvalidValue;
    *e = heap_alloc(sizeof **e);
    (*e)->event = wf_event_create(r->context);
    (*e)->flags = flags;
    cudart_add(r, *e, CUDART_EVENT);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaEventCreate(struct cuda_event **e) { CUDART_RUN(make(r, e, 0)); }

CUDART_EXPORT enum cuda_error cudaEventCreateWithFlags(struct cuda_event **e, unsigned flags)
{
    CUDART_RUN(make(r, e, flags));
}

static bool is_event(const struct cudart *r, const struct cuda_event *e)
{
    return cudart_is(r, e, CUDART_EVENT);
}

static enum cuda_error destroy(struct cudart *r, struct cuda_event *e)
{
    if (!is_event(r, e)) return cudaErrorInvalidResourceHandle;
    cudart_remove(r, e);
    wf_event_destroy(e->event);
    free(e);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaEventDestroy(struct cuda_event *e) { CUDART_RUN(destroy(r, e)); }

static enum cuda_error record(struct cudart *r, struct cuda_event *e, struct cuda_stream *handle)
{
    struct cuda_stream *s = stream_of(r, handle);
    if (!s || !is_event(r, e)) return cudaErrorInvalidResourceHandle;
    if (s->capture) return graph_capture_record(s, e);
    wf_event_record(e->event, s->stream);
    e->when = r->clock;
    e->is_recorded = true;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaEventRecord(struct cuda_event *e, struct cuda_stream *s)
{
    CUDART_RUN(record(r, e, s));
}

CUDART_EXPORT enum cuda_error cudaEventRecordWithFlags(struct cuda_event *e, struct cuda_stream *s,
                                                       unsigned flags)
{
    CUDART_RUN(flags > 1 ? cudaErrorInvalidValue : record(r, e, s));
}

static enum cuda_error wait_in(struct cudart *r, struct cuda_stream *handle, struct cuda_event *e)
{
    struct cuda_stream *s = stream_of(r, handle);
    if (!s || !is_event(r, e)) return cudaErrorInvalidResourceHandle;
    if (graph_capture_of_event(r, e)) return graph_capture_wait(r, s, e);
    wf_stream_wait_event(s->stream, e->event);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaStreamWaitEvent(struct cuda_stream *s, struct cuda_event *e, unsigned flags)
{
    CUDART_RUN(flags > 1 ? cudaErrorInvalidValue : wait_in(r, s, e));
}

static enum cuda_error wait(struct cudart *r, struct cuda_event *e)
{
    if (!is_event(r, e)) return cudaErrorInvalidResourceHandle;
    r->busy++;
    wf_event_wait(e->event);
    r->busy--;
    return cudart_settle(r);
}

CUDART_EXPORT enum cuda_error cudaEventSynchronize(struct cuda_event *e) { CUDART_RUN(wait(r, e)); }

// As cudaStreamQuery, a query waits.
CUDART_EXPORT enum cuda_error cudaEventQuery(struct cuda_event *e) { CUDART_RUN(wait(r, e)); }

// Sum of the launches' own times up to a moment.
static double launches_us(const struct cudart *r, const struct cudart_clock *when)
{
    size_t known = r->launch_end_us.count, count = when->launches < known ? (size_t)when->launches : known;
    return count ? r->launch_end_us.data[count - 1] : 0;
}

static enum cuda_error elapsed(struct cudart *r, float *ms, struct cuda_event *from, struct cuda_event *to)
{
    if (!ms) return cudaErrorInvalidValue;
    if (!is_event(r, from) || !is_event(r, to)) return cudaErrorInvalidResourceHandle;
    if (!from->is_recorded || !to->is_recorded || (from->flags | to->flags) & EVENT_NO_TIMING)
        return cudaErrorInvalidResourceHandle;
    enum cuda_error error = cudart_wait(r);
    if (error) return error;
    double mhz = r->core_mhz;
    uint64_t cycles = wf_event_cycles(from->event, to->event);
    double us = cycles != WF_UNKNOWN && mhz > 0 ? (double)cycles / mhz
                                                : launches_us(r, &to->when) - launches_us(r, &from->when);
    *ms = (float)((us + to->when.copies_us - from->when.copies_us) / 1000);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaEventElapsedTime(float *ms, struct cuda_event *from, struct cuda_event *to)
{
    CUDART_RUN(elapsed(r, ms, from, to));
}
