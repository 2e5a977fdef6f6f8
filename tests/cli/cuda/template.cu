template <typename T, int N> __global__ void axpy(T a, const T *x, T *y)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * N;
    for (int i = first; i < first + N; i++) y[i] += a * x[i];
}
template __global__ void axpy<float, 2>(float, const float *, float *);
template __global__ void axpy<double, 1>(double, const double *, double *);
