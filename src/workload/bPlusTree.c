// Host side of kernels/bPlusTree.cu: a tree with all leaves full except the last. A value reveals the index
// of its key.
#include "workload/host.h"

#include <stdlib.h>

enum { ORDER = 256 };

struct node { // as in the kernel's source
    int32_t keys[ORDER + 1], children[ORDER];
};

struct tree {
    struct node *nodes; // level by level, the root first
    int count, levels;
    int keys;
};

static int parts(int count) { return (count + ORDER - 1) / ORDER; }

// Keys ascend; the value of key i is i ^ 21.
static int32_t key_at(int i) { return 7 * i + i % 5; }

static struct tree make_tree(struct host *h, int keys)
{
    struct tree t = {.levels = 1, .keys = keys};
    int level_counts[8] = {parts(keys)}; // the leaves first
    while (level_counts[t.levels - 1] > 1) {
        level_counts[t.levels] = parts(level_counts[t.levels - 1]);
        t.levels++;
    }
    for (int k = 0; k < t.levels; k++) t.count += level_counts[k];
    t.nodes = HOST_ARRAY(h, struct node, t.count);
    // below: entries in the level below; begin: number of the level's first node; span: keys under one child
    int below = keys, begin = t.count, span = 1;
    for (int k = 0; k < t.levels; k++, span *= ORDER) {
        int children_begin = begin;
        begin -= level_counts[k];
        for (int i = 0; i < level_counts[k] * ORDER; i++) {
            struct node *n = &t.nodes[begin + i / ORDER];
            n->keys[i % ORDER] = i < below ? key_at(i * span) : INT32_MAX;
            n->children[i % ORDER] = k ? children_begin + i : i ^ 21;
            if (i % ORDER == 0) n->keys[ORDER] = INT32_MAX;
        }
        for (int i = 0; i + 1 < level_counts[k]; i++)
            t.nodes[begin + i].keys[ORDER] = t.nodes[begin + i + 1].keys[0];
        below = level_counts[k];
    }
    return t;
}

static int compare(const void *a, const void *b)
{
    int x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

void workload_run_bPlusTree(struct host *h)
{
    static const struct {
        int keys;
        unsigned questions;
    } sizes[] = {{3000, 12}, {100000, 1000}, {1000000, 10000}};
    const unsigned count = sizes[h->size].questions;
    const size_t bytes = count * sizeof(int32_t);
    const struct tree t = make_tree(h, sizes[h->size].keys);
    const int levels = t.levels;
    int32_t *all = HOST_ARRAY(h, int32_t, t.keys);
    for (int i = 0; i < t.keys; i++) all[i] = key_at(i);

    int32_t *questions = HOST_ARRAY(h, int32_t, count), *ranges = HOST_ARRAY(h, int32_t, 2 * count);
    const uint32_t *pick = host_random_u32(h, 3 * count, (uint32_t)t.keys);
    for (unsigned i = 0; i < count; i++) { // every third question falls between keys
        questions[i] = key_at((int)pick[i]) + (i % 3 == 2);
        ranges[2 * i] = key_at((int)pick[count + i]) + (i % 2 != 0);
        ranges[2 * i + 1] = ranges[2 * i] + (int32_t)(pick[2 * count + i] / 2);
    }
    uint64_t nodes = host_upload(h, t.nodes, (size_t)t.count * sizeof *t.nodes);
    uint64_t device_questions = host_upload(h, questions, bytes),
             device_ranges = host_upload(h, ranges, 2 * bytes);
    uint64_t answers = host_alloc(h, bytes), counts = host_alloc(h, bytes);
    host_launch(h, "tree_find", DIM(count), DIM(ORDER), 0, ARG(answers), ARG(nodes), ARG(device_questions),
                ARG(levels));
    host_launch(h, "tree_count", DIM(count), DIM(ORDER), 0, ARG(counts), ARG(nodes), ARG(device_ranges),
                ARG(levels));
    const uint32_t *got = host_output(h, answers, bytes), *got_counts = host_output(h, counts, bytes);

    uint32_t *want = HOST_ARRAY(h, uint32_t, count), *want_counts = HOST_ARRAY(h, uint32_t, count);
    for (unsigned i = 0; i < count; i++) {
        const int32_t *found = bsearch(&questions[i], all, (size_t)t.keys, sizeof *all, compare);
        want[i] = found ? (uint32_t)(found - all) ^ 21 : UINT32_MAX;
        for (int k = 0; k < t.keys; k++)
            want_counts[i] += all[k] >= ranges[2 * i] && all[k] <= ranges[2 * i + 1];
    }
    host_compare_u32(h, "answer", got, want, count);
    host_compare_u32(h, "keys in range", got_counts, want_counts, count);
}
