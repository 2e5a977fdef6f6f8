// Look-ups in a B+ tree of order 256 (Bayer and McCreight 1972; Comer 1979), a question a block: its threads hold the node's
// keys against the question all at once, and who has the key says where to go on. Nodes of different questions lie anywhere.
//
//      keys[0] = least ≤ keys[1] ≤ … ; child i has the keys from keys[i] to before keys[i + 1]
#include "device.h"

#define ORDER 256

struct node {
    int keys[ORDER + 1]; // those past the last are the greatest int
    int children[ORDER]; // of a leaf: values
};

// What is volatile below clang 14 would keep in registers across barriers: it believes that a shared variable whose address nobody
// takes is changed by nobody else.

// answers: the value of the key, -1 where the tree has none.
KERNEL void tree_find(int *answers, const node *nodes, const int *questions, int levels)
{
    __shared__ volatile int at, answer;
    const int tid = threadIdx.x, question = questions[blockIdx.x];
    if (tid == 0) {
        at = 0;
        answer = -1;
    }
    __syncthreads();
    for (int level = 1; level < levels; level++) {
        const node *n = nodes + at;
        int low = n->keys[tid], high = n->keys[tid + 1];
        __syncthreads(); // all have read where they are
        if (low <= question & question < high) at = n->children[tid];
        __syncthreads();
    }
    if (nodes[at].keys[tid] == question) answer = nodes[at].children[tid];
    __syncthreads();
    if (tid == 0) answers[blockIdx.x] = answer;
}

// How many keys there are from the first to the last of a pair, of leaves that stand one behind the other.
KERNEL void tree_count(int *counts, const node *nodes, const int2 *ranges, int levels)
{
    __shared__ volatile int at[2], place[2];
    const int tid = threadIdx.x;
    const int2 range = ranges[blockIdx.x];
    if (tid < 2) at[tid] = place[tid] = 0;
    __syncthreads();
    for (int level = 1; level < levels; level++) {
        const node *first = nodes + at[0], *last = nodes + at[1];
        int low = first->keys[tid], high = first->keys[tid + 1];
        int last_low = last->keys[tid], last_high = last->keys[tid + 1];
        __syncthreads();
        if (low <= range.x & range.x < high) at[0] = first->children[tid];
        if (last_low <= range.y & range.y < last_high) at[1] = last->children[tid];
        __syncthreads();
    }
    const node *first = nodes + at[0], *last = nodes + at[1];
    // The last key before the range, and the last in it: as places, the first of a leaf is 1.
    if (first->keys[tid] < range.x & first->keys[tid + 1] >= range.x) place[0] = tid + 1;
    if (last->keys[tid] <= range.y & last->keys[tid + 1] > range.y) place[1] = tid + 1;
    __syncthreads();
    if (tid == 0) counts[blockIdx.x] = (at[1] - at[0]) * ORDER + place[1] - place[0];
}
