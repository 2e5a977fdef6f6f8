// A level of a breadth-first search: a warp takes 32 nodes, one after the other, and its lanes together the edges of
// each that is at the level (Hong, Kim, Oguntebi, Olukotun 2011).
#include "device.h"

#define LANES 32
#define CHUNK 32
#define UNSEEN 0xffffffffu

#define NODES 1000

// A tree of two branches a node, with edges to the children and back: those of a node begin where `first` says.
struct tree {
    unsigned first[NODES + 1], edges[2 * (NODES - 1)];

    constexpr tree() : first(), edges()
    {
        unsigned edge = 0;
        for (unsigned node = 0; node < NODES; node++) {
            first[node] = edge;
            if (node) edges[edge++] = (node - 1) / 2;
            for (unsigned child = 2 * node + 1; child <= 2 * node + 2 && child < NODES; child++) edges[edge++] = child;
        }
        first[NODES] = edge;
    }
};

__device__ tree graph;

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
