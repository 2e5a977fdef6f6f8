// A level of a breadth-first search: a warp takes 32 nodes, one after the other, and its lanes together the edges of
// each that is at the level (Hong, Kim, Oguntebi, Olukotun 2011).
#include "device.h"

#define LANES 32
#define CHUNK 32
#define UNSEEN 0xffffffffu

// A tree of two branches a node, edges to the children and back; `edges` begins where first[node] says.
KERNEL void plant_tree(unsigned *levels, unsigned *first, unsigned *edges, unsigned nodes)
{
    unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node > nodes) return;

    // Before a node there is an edge to every child and one back for every node but the root.
    unsigned from = node ? min(2 * node, nodes - 1) + node - 1 : 0;
    first[node] = from;
    if (node == nodes) return;
    levels[node] = node ? UNSEEN : 0;
    if (node) edges[from++] = (node - 1) / 2;
    for (unsigned child = 2 * node + 1; child <= 2 * node + 2 && child < nodes; child++) edges[from++] = child;
}

KERNEL void visit_level(unsigned *levels, const unsigned *first, const unsigned *edges, unsigned nodes, unsigned level,
                        int *is_changed)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, lane = thread % LANES;
    unsigned node = thread / LANES * CHUNK, end = min(node + CHUNK, nodes);

    for (; node < end; node++) {
        if (levels[node] != level) continue;
        unsigned edge = first[node], count = first[node + 1] - edge;
        for (unsigned e = lane; e < count; e += LANES) {
            unsigned neighbour = edges[edge + e];
            if (levels[neighbour] == UNSEEN) {
                levels[neighbour] = level + 1;
                *is_changed = 1;
            }
        }
    }
}
