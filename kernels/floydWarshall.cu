// Shortest paths between all pairs of nodes (Floyd and Warshall), and the last node through which each path
// was made shorter. A launch admits one more node, `through`, to the inside of paths. It changes nothing in
// row and column `through`, which the other threads read: the way from a node to itself is 0 long.
#include "device.h"

#define SIDE 16

KERNEL void floyd_warshall(int *distance, int *via, int n, int through)
{
    int x = blockIdx.x * SIDE + threadIdx.x;
    int y = blockIdx.y * SIDE + threadIdx.y;

    int direct = distance[y * n + x];
    int detour = distance[y * n + through] + distance[through * n + x];
    if (detour < direct) {
        distance[y * n + x] = detour;
        via[y * n + x] = through;
    }
}
