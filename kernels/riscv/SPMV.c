// Sparse matrix times vector, ELLPACK: as many entries in every row, stored column by column, a row a thread.
#include "simt.h"

KERNEL(spmv, unsigned rows, entries; const unsigned *columns; const int *values, *vector; int *out;)
{
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < arg.rows) {
        int sum = 0;
        for (unsigned k = 0; k < arg.entries; k++) {
            const unsigned at = k * arg.rows + row;
            sum += arg.values[at] * arg.vector[arg.columns[at]];
        }
        arg.out[row] = sum;
    }
}

int main(void)
{
    const int is_small = host_is_small();
    const unsigned width = is_small ? 256 : 2048, rows = is_small ? 64 : 2048, entries = width / 8;
    unsigned *columns = host_alloc(rows * entries * 4);
    int *values = host_alloc(rows * entries * 4), *vector = host_alloc(width * 4), *out = host_alloc(rows * 4);
    struct random r = {1};
    for (unsigned i = 0; i < width; i++) vector[i] = (int)(random_next(&r) & 255);
    // A row's entries ascend by 0 to 15 columns, so that rows run nearly side by side; what does not fit stays 0.
    for (unsigned row = 0; row < rows; row++) {
        unsigned column = random_next(&r) & 15;
        for (unsigned k = 0; k < entries && column < width; k++, column += random_next(&r) & 15) {
            columns[k * rows + row] = column;
            values[k * rows + row] = (int)(random_next(&r) & 255);
        }
    }
    unsigned blocks = rows / SIMT_LANES > 64 ? rows / SIMT_LANES : 64;
    LAUNCH(spmv, dim(blocks, 1), dim(SIMT_LANES, 1), .rows = rows, .entries = entries, .columns = columns,
           .values = values, .vector = vector, .out = out);
    for (unsigned row = 0; row < rows; row++) {
        int want = 0;
        for (unsigned k = 0; k < entries; k++) want += values[k * rows + row] * vector[columns[k * rows + row]];
        if (out[row] != want) return host_report_wrong("SPMV", row, (unsigned)out[row], (unsigned)want);
    }
    return host_report_passed("SPMV", rows);
}
