// Host side of kernels/nqueens.cu: every placement of queens on the first rows is the start of one thread.
#include "workload/host.h"

enum { THREADS = 96 };

struct start {
    uint32_t columns, left, right;
};

struct starts {
    struct start *list; // NULL: only count
    size_t count;
};

static void place(struct starts *s, struct start board, int size, int rows)
{
    if (rows == 0) {
        if (s->list) s->list[s->count] = board;
        s->count++;
        return;
    }
    for (int column = 0; column < size; column++) {
        uint32_t queen = 1u << column;
        if ((board.columns | board.left | board.right) & queen) continue;
        struct start next = {board.columns | queen, (board.left | queen) << 1, (board.right | queen) >> 1};
        place(s, next, size, rows - 1);
    }
}

// Whether an earlier row's queen attacks the square. The reference fills the board row by row with a list of
// queens and looks at every pair.
static bool attacked(const int *queen, int row, int column)
{
    for (int r = 0; r < row; r++)
        if (queen[r] == column || queen[r] - column == row - r || column - queen[r] == row - r) return true;
    return false;
}

// Returns the number of solutions that continue a partial board. Sets by_start to the number for every start,
// in the order of place().
static uint32_t solutions(int *queen, int row, int size, int first_rows, uint32_t *by_start, size_t *start)
{
    if (row == size) return 1;
    uint32_t found = 0;
    for (int column = 0; column < size; column++) {
        if (attacked(queen, row, column)) continue;
        queen[row] = column;
        uint32_t below = solutions(queen, row + 1, size, first_rows, by_start, start);
        if (row + 1 == first_rows) by_start[(*start)++] = below;
        found += below;
    }
    return found;
}

void workload_run_nqueens(struct host *h)
{
    static const struct {
        int size, first_rows; // the device gets at most ten rows
    } sizes[] = {{8, 3}, {12, 3}, {13, 4}};
    const int size = sizes[h->size].size, first_rows = sizes[h->size].first_rows, rows = size - first_rows;

    struct starts starts = {0};
    place(&starts, (struct start){0}, size, first_rows);
    starts.list = HOST_ARRAY(h, struct start, starts.count);
    starts.count = 0;
    place(&starts, (struct start){0}, size, first_rows);
    const int start_count = (int)starts.count;
    const unsigned blocks = host_blocks(starts.count, THREADS);

    uint64_t device_starts = host_upload(h, starts.list, starts.count * sizeof(struct start));
    uint64_t block_solutions = host_alloc(h, blocks * sizeof(uint32_t));
    host_launch(h, "nqueens", DIM(blocks), DIM(THREADS), 0, ARG(device_starts), ARG(start_count),
                ARG(block_solutions), ARG(size), ARG(rows));
    const uint32_t *got = host_output(h, block_solutions, blocks * sizeof(uint32_t));

    uint32_t *by_start = HOST_ARRAY(h, uint32_t, starts.count), *want = HOST_ARRAY(h, uint32_t, blocks);
    int *queen = HOST_ARRAY(h, int, size);
    size_t start = 0;
    solutions(queen, 0, size, first_rows, by_start, &start);
    for (size_t i = 0; i < starts.count; i++) want[i / THREADS] += by_start[i];
    host_compare_u32(h, "solutions in block", got, want, blocks);
}
