// y = a * x + y, N elements a thread.
template <typename T, int N> __global__ void axpy(int n, T a, const T *x, T *y)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * N;
    for (int i = first; i < first + N && i < n; i++) y[i] = a * x[i] + y[i];
}
