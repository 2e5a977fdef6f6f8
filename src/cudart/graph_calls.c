// The interface of graphs.
#include "cudart/array.h"
#include "cudart/graph.h"
#include "cudart/stream.h"

#include <string.h>

struct kernel_params { // cudaKernelNodeParams
    const void *function;
    struct cuda_dim3 grid, block;
    unsigned shared_bytes;
    void **args, **extra;
};
struct memset_params { // cudaMemsetParams
    void *to;
    size_t pitch;
    unsigned value, value_bytes;
    size_t width, height; // width: values
};
struct host_params { // cudaHostNodeParams
    host_function *function;
    void *data;
};

struct cuda_graph_exec {
    struct cuda_graph *graph; // a copy; nodes have the numbers of the instantiated graph's
};

static bool is_graph(const struct cudart *r, const struct cuda_graph *g)
{
    return cudart_is(r, g, CUDART_GRAPH);
}
static bool is_exec(const struct cudart *r, const struct cuda_graph_exec *x)
{
    return cudart_is(r, x, CUDART_GRAPH_EXEC);
}

// -- graphs -------------------------------------------------------------------------------------------------

static enum cuda_error create(struct cudart *r, struct cuda_graph **g, unsigned flags)
{
    if (!g || flags) return cudaErrorInvalidValue;
    *g = graph_create();
    cudart_add(r, *g, CUDART_GRAPH);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaGraphCreate(struct cuda_graph **g, unsigned flags)
{
    CUDART_RUN(create(r, g, flags));
}

static enum cuda_error destroy(struct cudart *r, struct cuda_graph *g)
{
    if (!is_graph(r, g)) return cudaErrorInvalidValue;
    cudart_remove(r, g);
    graph_destroy(g);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaGraphDestroy(struct cuda_graph *g) { CUDART_RUN(destroy(r, g)); }

static enum cuda_error clone(struct cudart *r, struct cuda_graph **to, const struct cuda_graph *from)
{
    if (!to || !is_graph(r, from)) return cudaErrorInvalidValue;
    *to = graph_clone(from);
    cudart_add(r, *to, CUDART_GRAPH);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaGraphClone(struct cuda_graph **to, struct cuda_graph *from)
{
    CUDART_RUN(clone(r, to, from));
}

// -- nodes --------------------------------------------------------------------------------------------------

// Adds a node to a live graph; NULL: a dead graph, or a foreign node before.
static struct cuda_graph_node *add(struct cudart *r, struct cuda_graph_node **node, struct cuda_graph *g,
                                   struct cuda_graph_node *const *before, size_t count,
                                   enum graph_node_kind kind)
{
    if (!node || !is_graph(r, g)) return NULL;
    return *node = graph_add(g, kind, before, count);
}

static enum cuda_error set_kernel(struct cudart *r, struct cuda_graph_node *n, const struct kernel_params *p)
{
    struct cudart_kernel *k = image_kernel(r, p->function);
    enum cuda_error error;
    if (!k) return cudaErrorInvalidDeviceFunction;
    if (!image_compiled(r, k, &error)) return error;
    if (!p->args && wf_kernel_info(k->compiled)->param_count) return cudaErrorInvalidValue;
    const struct launch_request q = {p->grid, p->block, p->shared_bytes, NULL, false, {0, 0, 0}};
    graph_set_kernel(n, k, &q, p->args);
    return cudaSuccess;
}

static enum cuda_error add_kernel(struct cudart *r, struct cuda_graph_node **node, struct cuda_graph *g,
                                  struct cuda_graph_node *const *before, size_t count,
                                  const struct kernel_params *p)
{
    enum cuda_error error;
    if (!p) return cudaErrorInvalidValue;
    struct cudart_kernel *k = image_kernel(r, p->function);
    if (!k) return cudaErrorInvalidDeviceFunction;
    if (!image_compiled(r, k, &error)) return error;
    struct cuda_graph_node *n = add(r, node, g, before, count, NODE_KERNEL);
    return n ? set_kernel(r, n, p) : cudaErrorInvalidValue;
}

CUDART_EXPORT enum cuda_error cudaGraphAddKernelNode(struct cuda_graph_node **node, struct cuda_graph *g,
                                                     struct cuda_graph_node *const *before, size_t count,
                                                     const struct kernel_params *p)
{
    CUDART_RUN(add_kernel(r, node, g, before, count, p));
}

static struct copy_request memset_request(const struct memset_params *p)
{
    struct copy_request q = copy_fill(p->to, p->value, p->width * p->value_bytes);
    q.value_bytes = p->value_bytes;
    q.height = p->height;
    q.to.pitch = p->pitch ? p->pitch : q.width;
    return q;
}

static enum cuda_error add_copy(struct cudart *r, struct cuda_graph_node **node, struct cuda_graph *g,
                                struct cuda_graph_node *const *before, size_t count,
                                const struct copy_request *q)
{
    struct cuda_graph_node *n = add(r, node, g, before, count, q->from.data ? NODE_MEMCPY : NODE_MEMSET);
    if (!n) return cudaErrorInvalidValue;
    n->copy = *q;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaGraphAddMemsetNode(struct cuda_graph_node **node, struct cuda_graph *g,
                                                     struct cuda_graph_node *const *before, size_t count,
                                                     const struct memset_params *p)
{
    if (!p || (p->value_bytes != 1 && p->value_bytes != 2 && p->value_bytes != 4))
        return cudaErrorInvalidValue;
    const struct copy_request q = memset_request(p);
    CUDART_RUN(add_copy(r, node, g, before, count, &q));
}

CUDART_EXPORT enum cuda_error cudaGraphAddMemcpyNode1D(struct cuda_graph_node **node, struct cuda_graph *g,
                                                       struct cuda_graph_node *const *before, size_t count,
                                                       void *to, const void *from, size_t bytes, int kind)
{
    const struct copy_request q = copy_plain(to, from, bytes, kind);
    CUDART_RUN(from ? add_copy(r, node, g, before, count, &q) : cudaErrorInvalidValue);
}

static enum cuda_error add_copy_3d(struct cudart *r, struct cuda_graph_node **node, struct cuda_graph *g,
                                   struct cuda_graph_node *const *before, size_t count,
                                   const struct cuda_copy_3d *c)
{
    struct copy_request q;
    enum cuda_error error = c ? array_request(r, c, &q) : cudaErrorInvalidValue;
    return error ? error : add_copy(r, node, g, before, count, &q);
}

CUDART_EXPORT enum cuda_error cudaGraphAddMemcpyNode(struct cuda_graph_node **node, struct cuda_graph *g,
                                                     struct cuda_graph_node *const *before, size_t count,
                                                     const struct cuda_copy_3d *c)
{
    CUDART_RUN(add_copy_3d(r, node, g, before, count, c));
}

static enum cuda_error add_host(struct cudart *r, struct cuda_graph_node **node, struct cuda_graph *g,
                                struct cuda_graph_node *const *before, size_t count,
                                const struct host_params *p)
{
    struct cuda_graph_node *n = p && p->function ? add(r, node, g, before, count, NODE_HOST) : NULL;
    if (!n) return cudaErrorInvalidValue;
    n->host.function = p->function;
    n->host.data = p->data;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaGraphAddHostNode(struct cuda_graph_node **node, struct cuda_graph *g,
                                                   struct cuda_graph_node *const *before, size_t count,
                                                   const struct host_params *p)
{
    CUDART_RUN(add_host(r, node, g, before, count, p));
}

CUDART_EXPORT enum cuda_error cudaGraphAddEmptyNode(struct cuda_graph_node **node, struct cuda_graph *g,
                                                    struct cuda_graph_node *const *before, size_t count)
{
    CUDART_RUN(add(r, node, g, before, count, NODE_EMPTY) ? cudaSuccess : cudaErrorInvalidValue);
}

static enum cuda_error add_child(struct cudart *r, struct cuda_graph_node **node, struct cuda_graph *g,
                                 struct cuda_graph_node *const *before, size_t count,
                                 const struct cuda_graph *child)
{
    struct cuda_graph_node *n = is_graph(r, child) ? add(r, node, g, before, count, NODE_GRAPH) : NULL;
    if (!n) return cudaErrorInvalidValue;
    n->child = graph_clone(child);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaGraphAddChildGraphNode(struct cuda_graph_node **node, struct cuda_graph *g,
                                                         struct cuda_graph_node *const *before, size_t count,
                                                         struct cuda_graph *child)
{
    CUDART_RUN(add_child(r, node, g, before, count, child));
}

static enum cuda_error add_edges(struct cudart *r, struct cuda_graph *g, struct cuda_graph_node *const *from,
                                 struct cuda_graph_node *const *to, size_t count)
{
    if (!is_graph(r, g)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        if (!from[i] || !to[i] || from[i]->graph != g || to[i]->graph != g) return cudaErrorInvalidValue;
        vec_push(&to[i]->before, from[i]);
    }
    return cudaSuccess;
}

// CUDA 13 has data of the edges before the count, CUDA 11 has not.
CUDART_EXPORT enum cuda_error cudaGraphAddDependencies(struct cuda_graph *g,
                                                       struct cuda_graph_node *const *from,
                                                       struct cuda_graph_node *const *to, uintptr_t edges,
                                                       size_t count)
{
    CUDART_RUN(add_edges(r, g, from, to, cudart_generation < 13 ? edges : count));
}

static enum cuda_error list(struct cudart *r, const struct cuda_graph *g, struct cuda_graph_node **nodes,
                            size_t *count, bool roots)
{
    if (!is_graph(r, g) || !count) return cudaErrorInvalidValue;
    size_t found = 0, room = *count;
    for (size_t i = 0; i < g->nodes.count; i++) {
        if (roots && g->nodes.data[i]->before.count) continue;
        if (nodes && found < room) nodes[found] = g->nodes.data[i];
        found++;
    }
    *count = nodes && found > room ? room : found;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaGraphGetNodes(struct cuda_graph *g, struct cuda_graph_node **nodes,
                                                size_t *count)
{
    CUDART_RUN(list(r, g, nodes, count, false));
}

CUDART_EXPORT enum cuda_error cudaGraphGetRootNodes(struct cuda_graph *g, struct cuda_graph_node **nodes,
                                                    size_t *count)
{
    CUDART_RUN(list(r, g, nodes, count, true));
}

CUDART_EXPORT enum cuda_error cudaGraphNodeGetType(const struct cuda_graph_node *n, int *kind)
{
    if (n && kind) *kind = (int)n->kind;
    CUDART_RUN(n && kind ? cudaSuccess : cudaErrorInvalidValue);
}

CUDART_EXPORT enum cuda_error cudaGraphKernelNodeSetParams(struct cuda_graph_node *n,
                                                           const struct kernel_params *p)
{
    CUDART_RUN(n && n->kind == NODE_KERNEL && p ? set_kernel(r, n, p) : cudaErrorInvalidValue);
}

// -- executable graphs --------------------------------------------------------------------------------------

static enum cuda_error instantiate(struct cudart *r, struct cuda_graph_exec **x, const struct cuda_graph *g)
{
    if (!x || !is_graph(r, g)) return cudaErrorInvalidValue;
    *x = heap_alloc(sizeof **x);
    (*x)->graph = graph_clone(g);
    cudart_add(r, *x, CUDART_GRAPH_EXEC);
    return cudaSuccess;
}

// Later arguments, which differ between CUDA 11 and 13, are for errors and for launches from the device.
CUDART_EXPORT enum cuda_error cudaGraphInstantiate(struct cuda_graph_exec **x, struct cuda_graph *g)
{
    CUDART_RUN(instantiate(r, x, g));
}

CUDART_EXPORT enum cuda_error cudaGraphInstantiateWithFlags(struct cuda_graph_exec **x, struct cuda_graph *g,
                                                            unsigned long long flags)
{
    (void)flags;
    CUDART_RUN(instantiate(r, x, g));
}

static enum cuda_error destroy_exec(struct cudart *r, struct cuda_graph_exec *x)
{
    if (!is_exec(r, x)) return cudaErrorInvalidValue;
    cudart_remove(r, x);
    graph_destroy(x->graph);
    free(x);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaGraphExecDestroy(struct cuda_graph_exec *x)
{
    CUDART_RUN(destroy_exec(r, x));
}

static enum cuda_error launch(struct cudart *r, struct cuda_graph_exec *x, struct cuda_stream *handle)
{
    struct cuda_stream *s = stream_of(r, handle);
    if (!s) return cudaErrorInvalidResourceHandle;
    if (!is_exec(r, x)) return cudaErrorInvalidValue;
    return s->capture ? graph_capture_break(s) : graph_run(r, x->graph, s);
}

CUDART_EXPORT enum cuda_error cudaGraphLaunch(struct cuda_graph_exec *x, struct cuda_stream *s)
{
    CUDART_RUN(launch(r, x, s));
}

CUDART_EXPORT enum cuda_error cudaGraphUpload(struct cuda_graph_exec *x, struct cuda_stream *s)
{
    CUDART_RUN(is_exec(r, x) && stream_of(r, s) ? cudaSuccess : cudaErrorInvalidValue);
}

// The node of the executable graph that was made from node n.
static struct cuda_graph_node *twin(const struct cudart *r, const struct cuda_graph_exec *x,
                                    const struct cuda_graph_node *n, enum graph_node_kind kind)
{
    if (!is_exec(r, x) || !n || n->number >= x->graph->nodes.count) return NULL;
    struct cuda_graph_node *found = x->graph->nodes.data[n->number];
    return found->kind == kind ? found : NULL;
}

static enum cuda_error set_exec_kernel(struct cudart *r, struct cuda_graph_exec *x,
                                       const struct cuda_graph_node *n, const struct kernel_params *p)
{
    struct cuda_graph_node *to = twin(r, x, n, NODE_KERNEL);
    return to && p ? set_kernel(r, to, p) : cudaErrorInvalidValue;
}

CUDART_EXPORT enum cuda_error cudaGraphExecKernelNodeSetParams(struct cuda_graph_exec *x,
                                                               struct cuda_graph_node *n,
                                                               const struct kernel_params *p)
{
    CUDART_RUN(set_exec_kernel(r, x, n, p));
}

static enum cuda_error set_exec_copy(struct cudart *r, struct cuda_graph_exec *x,
                                     const struct cuda_graph_node *n, const struct copy_request *q)
{
    struct cuda_graph_node *to = twin(r, x, n, q->from.data ? NODE_MEMCPY : NODE_MEMSET);
    if (!to) return cudaErrorInvalidValue;
    to->copy = *q;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaGraphExecMemcpyNodeSetParams1D(struct cuda_graph_exec *x,
                                                                 struct cuda_graph_node *n, void *to,
                                                                 const void *from, size_t bytes, int kind)
{
    const struct copy_request q = copy_plain(to, from, bytes, kind);
    CUDART_RUN(from ? set_exec_copy(r, x, n, &q) : cudaErrorInvalidValue);
}

CUDART_EXPORT enum cuda_error cudaGraphExecMemsetNodeSetParams(struct cuda_graph_exec *x,
                                                               struct cuda_graph_node *n,
                                                               const struct memset_params *p)
{
    if (!p) return cudaErrorInvalidValue;
    const struct copy_request q = memset_request(p);
    CUDART_RUN(set_exec_copy(r, x, n, &q));
}

static enum cuda_error set_exec_host(struct cudart *r, struct cuda_graph_exec *x,
                                     const struct cuda_graph_node *n, const struct host_params *p)
{
    struct cuda_graph_node *to = twin(r, x, n, NODE_HOST);
    if (!to || !p || !p->function) return cudaErrorInvalidValue;
    to->host.function = p->function;
    to->host.data = p->data;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaGraphExecHostNodeSetParams(struct cuda_graph_exec *x,
                                                             struct cuda_graph_node *n,
                                                             const struct host_params *p)
{
    CUDART_RUN(set_exec_host(r, x, n, p));
}

// Whether two graphs have the same kinds of nodes and the same edges.
static bool is_alike(const struct cuda_graph *a, const struct cuda_graph *b)
{
    if (a->nodes.count != b->nodes.count) return false;
    for (size_t i = 0; i < a->nodes.count; i++) {
        const struct cuda_graph_node *x = a->nodes.data[i], *y = b->nodes.data[i];
        if (x->kind != y->kind || x->before.count != y->before.count) return false;
        for (size_t k = 0; k < x->before.count; k++)
            if (x->before.data[k]->number != y->before.data[k]->number) return false;
    }
    return true;
}

// results: CUDA 13's cudaGraphExecUpdateResultInfo, begins with an int; CUDA 11 has a node there, then the int.
static enum cuda_error update(struct cudart *r, struct cuda_graph_exec *x, const struct cuda_graph *g,
                              int *result)
{
    enum { UPDATE_TOPOLOGY_CHANGED = 2 };
    if (!is_exec(r, x) || !is_graph(r, g)) return cudaErrorInvalidValue;
    bool alike = is_alike(x->graph, g);
    if (result) *result = alike ? 0 : UPDATE_TOPOLOGY_CHANGED;
    if (!alike) return cudaErrorGraphExecUpdateFailure;
    graph_destroy(x->graph);
    x->graph = graph_clone(g);
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaGraphExecUpdate(struct cuda_graph_exec *x, struct cuda_graph *g,
                                                  void *results, int *old_result)
{
    CUDART_RUN(update(r, x, g, cudart_generation < 13 ? old_result : results));
}
