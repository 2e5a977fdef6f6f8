// European options by the formula of Black and Scholes (1973), the normal distribution by a polynomial (Abramowitz and Stegun 26.2.17).
// A thread has an option of each round of the grid: what it reads and writes is as far apart as there are threads.
#include "device.h"

#define THREADS 128

__device__ __forceinline__ float normal_distribution(float x)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    float tail = 0.39894228f * expf(-0.5f * x * x) * k *
                 (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return x > 0.0f ? 1.0f - tail : tail;
}

KERNEL void black_scholes(float *calls, float *puts, const float *prices, const float *strikes, const float *years,
                          float interest, float volatility, int count)
{
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
        float price = prices[i], strike = strikes[i], time = years[i];
        float spread = volatility * sqrtf(time);
        float d1 = (logf(price / strike) + (interest + 0.5f * volatility * volatility) * time) / spread;
        float n1 = normal_distribution(d1), n2 = normal_distribution(d1 - spread);
        float discounted = strike * expf(-interest * time);
        calls[i] = price * n1 - discounted * n2;
        puts[i] = discounted * (1.0f - n2) - price * (1.0f - n1);
    }
}
