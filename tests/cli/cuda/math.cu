#include <cmath>
#include <math_constants.h>
__global__ void waves(float *out, double *also)
{
    int i = threadIdx.x;
    float angle = 2.0f * CUDART_PI_F * i / blockDim.x;
    out[i] = sinf(angle) + __expf(-angle) + sqrtf(angle) + powf(1.5f, angle) + fmaxf(angle, 1.f) + rsqrtf(angle + 1);
    also[i] = std::sin((double)angle) * exp(-1.0 * i) + log1p(angle);
}
