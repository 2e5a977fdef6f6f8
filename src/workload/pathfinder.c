// Host side of kernels/pathfinder.cu and of pathfinder256.cu: a launch goes down up to STEPS rows.
#include "workload/host.h"

enum { STEPS = 20 };

struct grid {
    int cols, rows;
};

static int least(int a, int b) { return a < b ? a : b; }

static void find_path(struct host *h, const char *kernel, int threads, const struct grid *grid)
{
    const int cols = grid->cols, rows = grid->rows;
    const size_t row_bytes = (size_t)cols * sizeof(int);
    const uint32_t *wall = host_random_u32(h, (size_t)cols * (size_t)rows, 10);

    uint64_t device_wall = host_upload(h, wall, row_bytes * (size_t)rows);
    uint64_t from = host_upload(h, wall, row_bytes), to = host_alloc(h, row_bytes); // totals of the first row
    for (int row = 1; row < rows; row += STEPS) {
        int steps = least(STEPS, rows - row);
        unsigned blocks = host_blocks((size_t)cols, (unsigned)(threads - 2 * steps));
        host_launch(h, kernel, DIM(blocks), DIM((unsigned)threads), 0, ARG(steps), ARG(device_wall),
                    ARG(from), ARG(to), ARG(cols), ARG(row));
        uint64_t swap = from;
        from = to;
        to = swap;
    }
    const uint32_t *got = host_output(h, from, row_bytes);

    int *total = HOST_ARRAY(h, int, cols), *next = HOST_ARRAY(h, int, cols);
    for (int x = 0; x < cols; x++) total[x] = (int)wall[x];
    for (int row = 1; row < rows; row++) {
        for (int x = 0; x < cols; x++) {
            int best = total[x];
            if (x > 0) best = least(best, total[x - 1]);
            if (x < cols - 1) best = least(best, total[x + 1]);
            next[x] = best + (int)wall[row * cols + x];
        }
        int *swap = total;
        total = next;
        next = swap;
    }
    host_compare_u32(h, "total of column", got, (const uint32_t *)total, (size_t)cols);
}

void workload_run_pathfinder(struct host *h)
{
    static const struct grid sizes[] = {{2500, 26}, {20000, 101}, {100000, 201}, {100000, 100}, {14285, 100}};
    find_path(h, "pathfinder", 1024, &sizes[h->size]);
}

void workload_run_pathfinder256(struct host *h)
{
    static const struct grid sizes[] = {{700, 26}, {20000, 101}, {100000, 201}, {100000, 100}};
    find_path(h, "pathfinder256", 256, &sizes[h->size]);
}
