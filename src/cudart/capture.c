// Capture: calls in a captured stream become nodes behind the stream's latest nodes. An event recorded in a captured
// stream stands for these nodes; a stream that waits for the event joins the capture.
#include "cudart/graph.h"
#include "cudart/stream.h"

struct capture_event {
    const struct cuda_event *event;
    struct graph_nodes tail;
};

// What the streams of one capture share; the last stream to leave frees it.
struct capture_common {
    struct cuda_graph *graph;
    VEC(struct capture_event) events;
    unsigned users;
    bool is_broken;
};

struct graph_capture {
    struct capture_common *common;
    struct graph_nodes tail; // nodes that the stream's next node comes behind
    bool is_origin;
};

static void set_tail(struct graph_nodes *to, const struct graph_nodes *from)
{
    to->count = 0;
    for (size_t i = 0; i < from->count; i++) vec_push(to, from->data[i]);
}

static void join(struct cuda_stream *s, struct capture_common *common, bool is_origin)
{
    s->capture = heap_alloc(sizeof *s->capture);
    s->capture->common = common;
    s->capture->is_origin = is_origin;
    common->users++;
}

void graph_capture_end(struct cuda_stream *s)
{
    struct graph_capture *c = s->capture;
    if (!c) return;
    struct capture_common *common = c->common;
    s->capture = NULL;
    vec_fini(&c->tail);
    free(c);
    if (--common->users) return;
    for (size_t i = 0; i < common->events.count; i++) vec_fini(&common->events.data[i].tail);
    vec_fini(&common->events);
    free(common);
}

enum cuda_error graph_capture_break(struct cuda_stream *s)
{
    s->capture->common->is_broken = true;
    return cudaErrorStreamCaptureUnsupported;
}

// A node behind the stream's tail, which becomes the tail.
static struct cuda_graph_node *append(struct cuda_stream *s, enum graph_node_kind kind)
{
    struct graph_nodes *tail = &s->capture->tail;
    struct cuda_graph_node *n = graph_add(s->capture->common->graph, kind, tail->data, tail->count);
    tail->count = 0;
    vec_push(tail, n);
    return n;
}

enum cuda_error graph_capture_kernel(struct cudart *r, struct cuda_stream *s, struct cudart_kernel *k,
                                     const struct launch_request *q, void **args)
{
    (void)r;
    graph_set_kernel(append(s, NODE_KERNEL), k, q, args);
    return cudaSuccess;
}

enum cuda_error graph_capture_copy(struct cuda_stream *s, const struct copy_request *q)
{
    append(s, q->from.data ? NODE_MEMCPY : NODE_MEMSET)->copy = *q;
    return cudaSuccess;
}

enum cuda_error graph_capture_host(struct cuda_stream *s, host_function *f, void *data)
{
    struct cuda_graph_node *n = append(s, NODE_HOST);
    n->host.function = f;
    n->host.data = data;
    return cudaSuccess;
}

enum cuda_error graph_capture_free(struct cuda_stream *s, void *p)
{
    append(s, NODE_FREE)->freed = p;
    return cudaSuccess;
}

// -- events -------------------------------------------------------------------------------------------------

static struct capture_event *find_event(struct capture_common *c, const struct cuda_event *e)
{
    for (size_t i = 0; i < c->events.count; i++)
        if (c->events.data[i].event == e) return &c->events.data[i];
    return NULL;
}

enum cuda_error graph_capture_record(struct cuda_stream *s, struct cuda_event *e)
{
    struct capture_common *c = s->capture->common;
    if (!find_event(c, e)) vec_push(&c->events, ((struct capture_event){.event = e}));
    set_tail(&find_event(c, e)->tail, &s->capture->tail);
    return cudaSuccess;
}

// The capture with the event; NULL: none.
static struct capture_common *capture_of(const struct cudart *r, const struct cuda_event *e)
{
    for (size_t i = 0; i < r->streams.count; i++) {
        struct graph_capture *c = r->streams.data[i]->capture;
        if (c && find_event(c->common, e)) return c->common;
    }
    return NULL;
}

bool graph_capture_of_event(const struct cudart *r, const struct cuda_event *e) { return capture_of(r, e); }

enum cuda_error graph_capture_wait(struct cudart *r, struct cuda_stream *s, struct cuda_event *e)
{
    struct capture_common *common = capture_of(r, e);
    if (!s->stream) return cudaErrorStreamCaptureImplicit;
    if (!s->capture) join(s, common, false);
    if (s->capture->common != common) return cudaErrorStreamCaptureMerge;
    const struct graph_nodes *tail = &find_event(common, e)->tail;
    for (size_t i = 0; i < tail->count; i++) vec_push(&s->capture->tail, tail->data[i]);
    return cudaSuccess;
}

// -- the interface ------------------------------------------------------------------------------------------

enum { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_BROKEN };

static enum cuda_error begin(struct cudart *r, struct cuda_stream *handle)
{
    struct cuda_stream *s = stream_of(r, handle);
    if (!s) return cudaErrorInvalidResourceHandle;
    if (!s->stream) return cudaErrorStreamCaptureUnsupported;
    if (s->capture) return cudaErrorIllegalState;
    struct capture_common *common = heap_alloc(sizeof *common);
    common->graph = graph_create();
    join(s, common, true);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaStreamBeginCapture(struct cuda_stream *s, int mode)
{
    CUDART_RUN(mode < 0 || mode > 2 ? cudaErrorInvalidValue : begin(r, s));
}

static enum cuda_error end(struct cudart *r, struct cuda_stream *handle, struct cuda_graph **graph)
{
    struct cuda_stream *s = stream_of(r, handle);
    if (!s || !graph) return s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    *graph = NULL;
    if (!s->capture) return cudaErrorIllegalState;
    if (!s->capture->is_origin) return cudaErrorStreamCaptureUnmatched;
    struct capture_common *common = s->capture->common;
    struct cuda_graph *g = common->graph;
    bool is_broken = common->is_broken;
    for (size_t i = 0; i < r->streams.count; i++) {
        struct cuda_stream *other = r->streams.data[i];
        if (other != s && other->capture && other->capture->common == common) graph_capture_end(other);
    }
    graph_capture_end(s);
    if (is_broken) {
        graph_destroy(g);
        return cudaErrorStreamCaptureInvalidated;
    }
    cudart_add(r, g, CUDART_GRAPH);
    *graph = g;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaStreamEndCapture(struct cuda_stream *s, struct cuda_graph **graph)
{
    CUDART_RUN(end(r, s, graph));
}

static enum cuda_error status(struct cudart *r, struct cuda_stream *handle, int *out)
{
    const struct cuda_stream *s = stream_of(r, handle);
    if (!s || !out) return s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    *out = !s->capture ? CAPTURE_NONE : s->capture->common->is_broken ? CAPTURE_BROKEN : CAPTURE_ACTIVE;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaStreamIsCapturing(struct cuda_stream *s, int *out)
{
    CUDART_RUN(status(r, s, out));
}

CUDART_EXPORT enum cuda_error cudaThreadExchangeStreamCaptureMode(int *mode)
{
    CUDART_RUN(mode ? cudaSuccess : cudaErrorInvalidValue);
}

// edges: NULL, or kinds of edges that only programmatic launches have.
static enum cuda_error info(struct cudart *r, struct cuda_stream *handle, int *state, uint64_t *id,
                            struct cuda_graph **graph, struct cuda_graph_node ***tail, const void **edges,
                            size_t *count)
{
    enum cuda_error error = status(r, handle, state);
    if (error || *state != CAPTURE_ACTIVE) return error;
    struct graph_capture *c = stream_of(r, handle)->capture;
    if (id) *id = (uintptr_t)c->common;
    if (graph) *graph = c->common->graph;
    if (tail) *tail = c->tail.data;
    if (edges) *edges = NULL;
    if (count) *count = c->tail.count;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaStreamGetCaptureInfo(struct cuda_stream *s, int *state, uint64_t *id,
                                                       struct cuda_graph **graph,
                                                       struct cuda_graph_node ***tail, const void **edges,
                                                       size_t *count)
{
    CUDART_RUN(info(r, s, state, id, graph, tail, edges, count));
}

static enum cuda_error update(struct cudart *r, struct cuda_stream *handle, struct cuda_graph_node **nodes,
                              size_t count, bool set)
{
    struct cuda_stream *s = stream_of(r, handle);
    if (!s || !s->capture) return s ? cudaErrorIllegalState : cudaErrorInvalidResourceHandle;
    if (set) s->capture->tail.count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!nodes || !nodes[i] || nodes[i]->graph != s->capture->common->graph) return cudaErrorInvalidValue;
        vec_push(&s->capture->tail, nodes[i]);
    }
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaStreamUpdateCaptureDependencies(struct cuda_stream *s,
                                                                  struct cuda_graph_node **nodes,
                                                                  const void *edges, size_t count,
                                                                  unsigned flags)
{
    (void)edges;
    CUDART_RUN(update(r, s, nodes, count, flags == 1));
}
