// Graphs: nodes built one by one, or captured from streams. A launched graph runs its nodes in an order that respects
// all edges, in the launch's stream.
#pragma once
#include "cudart/copy.h"
#include "cudart/launch.h"

enum graph_node_kind { // numbers of enum cudaGraphNodeType
    NODE_KERNEL,
    NODE_MEMCPY,
    NODE_MEMSET,
    NODE_HOST,
    NODE_GRAPH,
    NODE_EMPTY,
    NODE_FREE = 11
};

struct graph_nodes {
    struct cuda_graph_node **data;
    size_t count, capacity;
};

struct cuda_graph_node {
    enum graph_node_kind kind;
    struct cuda_graph *graph;  // owner
    struct graph_nodes before; // nodes that must be over before
    size_t number;             // place in the owner's list
    bool is_disabled;
    union {
        struct {
            struct cudart_kernel *kernel;
            struct launch_request request;
            uint8_t *params; // packed, heap
        } kernel;
        struct copy_request copy; // and fill
        struct {
            host_function *function;
            void *data;
        } host;
        struct cuda_graph *child; // owned
        void *freed;
    };
};

// What a node does, without the edges.
struct cuda_graph {
    struct graph_nodes nodes;
};

struct cuda_graph *graph_create(void);
struct cuda_graph *graph_clone(const struct cuda_graph *g);
void graph_destroy(struct cuda_graph *g);
// Appends an empty node behind `before`; NULL: a node in `before` belongs to another graph.
struct cuda_graph_node *graph_add(struct cuda_graph *g, enum graph_node_kind kind,
                                  struct cuda_graph_node *const *before, size_t count);
// Makes the node a launch with copies of the arguments.
void graph_set_kernel(struct cuda_graph_node *n, struct cudart_kernel *k, const struct launch_request *q,
                      void **args);
enum cuda_error graph_run(struct cudart *r, const struct cuda_graph *g, struct cuda_stream *s);

// -- capture (capture.c): a captured stream's calls become nodes
enum cuda_error graph_capture_kernel(struct cudart *r, struct cuda_stream *s, struct cudart_kernel *k,
                                     const struct launch_request *q, void **args);
enum cuda_error graph_capture_copy(struct cuda_stream *s, const struct copy_request *q);
enum cuda_error graph_capture_host(struct cuda_stream *s, host_function *f, void *data);
enum cuda_error graph_capture_free(struct cuda_stream *s, void *p);
enum cuda_error graph_capture_record(struct cuda_stream *s, struct cuda_event *e);
enum cuda_error graph_capture_wait(struct cudart *r, struct cuda_stream *s, struct cuda_event *e);
// Whether the event was last recorded in a captured stream.
bool graph_capture_of_event(const struct cudart *r, const struct cuda_event *e);
// A call that no graph can hold: the capture is invalid from now on.
enum cuda_error graph_capture_break(struct cuda_stream *s);
void graph_capture_end(struct cuda_stream *s); // forgets the stream's capture; NULL capture: no effect
