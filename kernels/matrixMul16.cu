// matrixMul by tiles of 16x16: 256 threads and 2 KB of shared memory a block.
#define TILE       16
#define matrix_mul matrix_mul16
#include "matrixMul.cu"
