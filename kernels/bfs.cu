// Breadth-first search by levels, a node a thread: every node of the frontier gives its unvisited neighbours
// the next level; a second kernel turns the nodes that were reached into the next frontier and says whether
// there is one. Several nodes of a frontier may reach the same neighbour: they race, but all write the same
// value.
#include "device.h"

struct node {
    int first_edge, edge_count;
};

KERNEL void bfs_expand(const struct node *nodes, const int *edges, unsigned char *frontier,
                       unsigned char *reached, const unsigned char *visited, int *level, int node_count)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < node_count && frontier[id]) {
        frontier[id] = 0;
        int end = nodes[id].first_edge + nodes[id].edge_count;
        for (int i = nodes[id].first_edge; i < end; i++) {
            int neighbour = edges[i];
            if (!visited[neighbour]) {
                level[neighbour] = level[id] + 1;
                reached[neighbour] = 1;
            }
        }
    }
}

KERNEL void bfs_advance(unsigned char *frontier, unsigned char *reached, unsigned char *visited,
                        unsigned char *more, int node_count)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < node_count && reached[id]) {
        frontier[id] = 1;
        visited[id] = 1;
        *more = 1;
        reached[id] = 0;
    }
}
