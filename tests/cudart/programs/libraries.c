// A program of runtime, driver, cuBLAS and cuRAND together: a matrix of random numbers times the identity, in a stream.
#include "cudart/runtime.h"
#include "cumath/blas/functions.h"
#include "cumath/rand/functions.h"

#include <stdio.h>
#include <string.h>

enum { N = 40 };

int main(void)
{
    struct cublas *h;
    struct curand *g;
    struct cuda_stream *s;
    float *a, *b, *c, one = 1, zero = 0, sum = 0;
    void *p;
    if (cudaStreamCreate(&s) || cudaMallocManaged((void **)&a, sizeof(float) * N * N, 1) ||
        cudaMallocManaged((void **)&b, sizeof(float) * N * N, 1) || cuMemAlloc_v2(&p, sizeof(float) * N * N))
        return 9;
    c = p;
    if (curandCreateGenerator(&g, RAND_DEFAULT) || curandSetStream(g, s) ||
        curandSetPseudoRandomGeneratorSeed(g, 7) || curandGenerateUniform(g, a, N * N))
        return 8;
    for (int i = 0; i < N * N; i++) b[i] = i % (N + 1) ? 0 : 1;
    if (cublasCreate_v2(&h) || cublasSetStream_v2(h, s) ||
        cublasSgemm_v2(h, 0, 0, N, N, N, &one, a, N, b, N, &zero, c, N) ||
        cublasSasum_v2(h, N * N, c, 1, &sum))
        return 7;
    cudaStreamSynchronize(s);
    printf("product %s, mean %.1f\n", memcmp(a, c, sizeof(float) * N * N) ? "differs" : "is equal",
           (double)sum / (N * N));
    cublasZgemm_v2();
    return cublasDestroy_v2(h) || curandDestroyGenerator(g);
}
