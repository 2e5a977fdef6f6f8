// Graphs: nodes, edges, execution.
#include "cudart/graph.h"
#include "cudart/memory.h"
#include "cudart/stream.h"

#include <string.h>

// -- building -----------------------------------------------------------------------------------------------

struct cuda_graph *graph_create(void) { return heap_alloc(sizeof(struct cuda_graph)); }

static void destroy_node(struct cuda_graph_node *n)
{
    if (n->kind == NODE_KERNEL) free(n->kernel.params);
    if (n->kind == NODE_GRAPH) graph_destroy(n->child);
    vec_fini(&n->before);
    free(n);
}

void graph_destroy(struct cuda_graph *g)
{
    if (!g) return;
    for (size_t i = 0; i < g->nodes.count; i++) destroy_node(g->nodes.data[i]);
    vec_fini(&g->nodes);
    free(g);
}

struct cuda_graph_node *graph_add(struct cuda_graph *g, enum graph_node_kind kind,
                                  struct cuda_graph_node *const *before, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!before || !before[i] || before[i]->graph != g) return NULL;
    struct cuda_graph_node *n = heap_alloc(sizeof *n);
    n->kind = kind;
    n->graph = g;
    n->number = g->nodes.count;
    for (size_t i = 0; i < count; i++) vec_push(&n->before, before[i]);
    vec_push(&g->nodes, n);
    return n;
}

void graph_set_kernel(struct cuda_graph_node *n, struct cudart_kernel *k, const struct launch_request *q,
                      void **args)
{
    const struct wf_kernel_facts *info = wf_kernel_info(k->compiled);
    uint8_t *params = heap_alloc(info->param_bytes + 1);
    for (uint32_t i = 0; i < info->param_count; i++)
        memcpy(params + info->params[i].offset, args[i], info->params[i].bytes);
    free(n->kernel.params);
    n->kernel.kernel = k;
    n->kernel.request = *q;
    n->kernel.params = params;
}

static struct cuda_graph_node *clone_node(struct cuda_graph *g, const struct cuda_graph_node *from)
{
    struct cuda_graph_node *n = graph_add(g, from->kind, NULL, 0);
    struct graph_nodes none = n->before;
    size_t number = n->number;
    *n = *from;
    n->graph = g;
    n->number = number;
    n->before = none;
    if (n->kind == NODE_GRAPH) n->child = graph_clone(from->child);
    if (n->kind == NODE_KERNEL) {
        uint32_t bytes = wf_kernel_info(n->kernel.kernel->compiled)->param_bytes;
        n->kernel.params = heap_alloc(bytes + 1);
        memcpy(n->kernel.params, from->kernel.params, bytes);
    }
    return n;
}

struct cuda_graph *graph_clone(const struct cuda_graph *from)
{
    struct cuda_graph *g = graph_create();
    for (size_t i = 0; i < from->nodes.count; i++) clone_node(g, from->nodes.data[i]);
    for (size_t i = 0; i < from->nodes.count; i++) {
        const struct graph_nodes *before = &from->nodes.data[i]->before;
        for (size_t k = 0; k < before->count; k++)
            vec_push(&g->nodes.data[i]->before, g->nodes.data[before->data[k]->number]);
    }
    return g;
}

// -- execution ----------------------------------------------------------------------------------------------

static enum cuda_error run_kernel(struct cudart *r, const struct cuda_graph_node *n, struct cuda_stream *s)
{
    enum { ARGUMENTS = 4096 / 4 + 1 }; // parameters have 4 KB; beyond, a byte each is no program's
    const struct wf_kernel_facts *info = wf_kernel_info(n->kernel.kernel->compiled);
    void *args[ARGUMENTS];
    if (info->param_count > ARGUMENTS) return cudaErrorInvalidValue;
    for (uint32_t i = 0; i < info->param_count; i++) args[i] = n->kernel.params + info->params[i].offset;
    return launch_in(r, n->kernel.kernel, &n->kernel.request, s->stream, args);
}

static enum cuda_error run_host(struct cudart *r, const struct cuda_graph_node *n, struct cuda_stream *s)
{
    enum cuda_error error = stream_wait(r, s);
    if (error) return error;
    cudart_pause(r);
    n->host.function(n->host.data);
    cudart_resume(r);
    return cudaSuccess;
}

static enum cuda_error run_node(struct cudart *r, const struct cuda_graph_node *n, struct cuda_stream *s)
{
    if (n->is_disabled) return cudaSuccess;
    switch (n->kind) {
    case NODE_KERNEL: return run_kernel(r, n, s);
    case NODE_MEMCPY:
    case NODE_MEMSET: return copy_now(r, s, &n->copy);
    case NODE_HOST: return run_host(r, n, s);
    case NODE_GRAPH: return graph_run(r, n->child, s);
    case NODE_FREE: return memory_free_block(r, n->freed, MEMORY_DEVICE);
    case NODE_EMPTY: break;
    }
    return cudaSuccess;
}

static bool is_ready(const struct cuda_graph_node *n, const bool *done)
{
    for (size_t i = 0; i < n->before.count; i++)
        if (!done[n->before.data[i]->number]) return false;
    return true;
}

// Rounds over the list run every node whose predecessors are done; a round without progress: the edges form a circle.
enum cuda_error graph_run(struct cudart *r, const struct cuda_graph *g, struct cuda_stream *s)
{
    bool *done = heap_alloc(g->nodes.count + 1);
    size_t left = g->nodes.count;
    enum cuda_error error = cudaSuccess;
    for (bool moved = true; left && moved && !error;) {
        moved = false;
        for (size_t i = 0; i < g->nodes.count && !error; i++) {
            if (done[i] || !is_ready(g->nodes.data[i], done)) continue;
            error = run_node(r, g->nodes.data[i], s);
            done[i] = moved = true;
            left--;
        }
    }
    free(done);
    return error ? error : left ? cudaErrorInvalidValue : cudaSuccess;
}
