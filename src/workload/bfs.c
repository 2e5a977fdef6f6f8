// Host side of kernels/bfs.cu: launches level by level until no new node is reached.
#include "workload/host.h"

#include <string.h>

struct node {
    int first_edge, edge_count;
};

// Breadth-first levels of the nodes from node 0, by a queue; -1 for an unreachable node.
static void search(const struct node *nodes, const uint32_t *edges, int *level, int *queue, int node_count)
{
    for (int i = 0; i < node_count; i++) level[i] = -1;
    int head = 0, tail = 0;
    level[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        int id = queue[head++];
        for (int i = 0; i < nodes[id].edge_count; i++) {
            uint32_t neighbour = edges[nodes[id].first_edge + i];
            if (level[neighbour] >= 0) continue;
            level[neighbour] = level[id] + 1;
            queue[tail++] = (int)neighbour;
        }
    }
}

void workload_run_bfs(struct host *h)
{
    static const int node_counts[] = {2000, 65000, 650000, 4096};
    const int n = node_counts[h->size];
    const size_t count = (size_t)n;

    struct node *nodes = HOST_ARRAY(h, struct node, count);
    int edge_count = 0;
    for (size_t i = 0; i < count; i++) {
        nodes[i] = (struct node){edge_count, i == 0 ? 6 : (int)rng_below(&h->rng, 12)};
        edge_count += nodes[i].edge_count;
    }
    const uint32_t *edges = host_random_u32(h, (size_t)edge_count, (uint32_t)n);

    int *level = HOST_ARRAY(h, int, count);
    memset(level, 0xff, count * sizeof(int));
    level[0] = 0;
    const uint8_t one = 1, zero = 0;
    uint64_t device_nodes = host_upload(h, nodes, count * sizeof(struct node));
    uint64_t device_edges = host_upload(h, edges, (size_t)edge_count * sizeof(uint32_t));
    uint64_t device_level = host_upload(h, level, count * sizeof(int));
    uint64_t frontier = host_zero(h, count), reached = host_zero(h, count), visited = host_zero(h, count);
    uint64_t more = host_alloc(h, 1);
    host_write(h, frontier, &one, 1);
    host_write(h, visited, &one, 1);

    unsigned blocks = host_blocks(count, 512);
    uint8_t again = 1;
    while (again && !h->failed) {
        host_write(h, more, &zero, 1);
        host_launch(h, "bfs_expand", DIM(blocks), DIM(512), 0, ARG(device_nodes), ARG(device_edges),
                    ARG(frontier), ARG(reached), ARG(visited), ARG(device_level), ARG(n));
        host_launch(h, "bfs_advance", DIM(blocks), DIM(512), 0, ARG(frontier), ARG(reached), ARG(visited),
                    ARG(more), ARG(n));
        again = *(const uint8_t *)host_fetch(h, more, 1);
    }
    const uint32_t *got = host_output(h, device_level, count * sizeof(int));

    int *want = HOST_ARRAY(h, int, count), *queue = HOST_ARRAY(h, int, count);
    search(nodes, edges, want, queue, n);
    host_compare_u32(h, "level of node", got, (const uint32_t *)want, count);
}
