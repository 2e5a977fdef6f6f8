#include <stdio.h>
#include <assert.h>
__global__ void hello(int x)
{
    assert(x > 0);
    if (threadIdx.x == 0) printf("block %d of %d says %d\n", blockIdx.x, gridDim.x, x);
}
