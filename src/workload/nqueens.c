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

// A board, and how its starts are dealt: the first queen's columns, and the blocks, of 0 as many as have starts.
struct deal {
    int size, first_rows; // the device gets at most ten rows
    int columns;
    unsigned blocks;
};

static void place(struct starts *s, struct start board, const struct deal *d, int row)
{
    if (row == d->first_rows) {
        if (s->list) s->list[s->count] = board;
        s->count++;
        return;
    }
    for (int column = 0; column < (row ? d->size : d->columns); column++) {
        uint32_t queen = 1u << column;
        if ((board.columns | board.left | board.right) & queen) continue;
        struct start next = {board.columns | queen, (board.left | queen) << 1, (board.right | queen) >> 1};
        place(s, next, d, row + 1);
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
static uint32_t solutions(int *queen, int row, const struct deal *d, uint32_t *by_start, size_t *start)
{
    if (row == d->size) return 1;
    uint32_t found = 0;
    for (int column = 0; column < (row ? d->size : d->columns); column++) {
        if (attacked(queen, row, column)) continue;
        queen[row] = column;
        uint32_t below = solutions(queen, row + 1, d, by_start, start);
        if (row + 1 == d->first_rows) by_start[(*start)++] = below;
        found += below;
    }
    return found;
}

static void count(struct host *h, const char *kernel, const struct deal *d)
{
    const int rows = d->size - d->first_rows;
    struct starts starts = {0};
    place(&starts, (struct start){0}, d, 0);
    starts.list = HOST_ARRAY(h, struct start, starts.count);
    starts.count = 0;
    place(&starts, (struct start){0}, d, 0);
    const int start_count = (int)starts.count;
    const unsigned blocks = d->blocks ? d->blocks : host_blocks(starts.count, THREADS);

    uint64_t device_starts = host_upload(h, starts.list, starts.count * sizeof(struct start));
    uint64_t block_solutions = host_alloc(h, blocks * sizeof(uint32_t));
    host_launch(h, kernel, DIM(blocks), DIM(THREADS), 0, ARG(device_starts), ARG(start_count),
                ARG(block_solutions), ARG(d->size), ARG(rows));
    const uint32_t *got = host_output(h, block_solutions, blocks * sizeof(uint32_t));

    uint32_t *by_start = HOST_ARRAY(h, uint32_t, starts.count), *want = HOST_ARRAY(h, uint32_t, blocks);
    int *queen = HOST_ARRAY(h, int, d->size);
    size_t start = 0;
    solutions(queen, 0, d, by_start, &start);
    for (size_t i = 0; i < starts.count; i++) want[i / THREADS] += by_start[i];
    host_compare_u32(h, "solutions in block", got, want, blocks);
}

void workload_run_nqueens(struct host *h)
{
    static const struct deal sizes[] = {{8, 3, 8, 0}, {12, 3, 12, 0}, {13, 4, 13, 0}};
    count(h, "nqueens", &sizes[h->size]);
}

// As the program of GPGPU-Sim's suite deals boards: two rows are placed, the first on half of its columns, and all
// starts fit the first block.
void workload_run_nqueens256(struct host *h)
{
    static const struct deal sizes[] = {{6, 2, 3, 4}, {10, 2, 5, 256}, {12, 2, 6, 256}, {7, 2, 4, 256}};
    count(h, "nqueens256", &sizes[h->size]);
}
