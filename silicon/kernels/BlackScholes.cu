// Prices of European options by the closed form of Black and Scholes (1973), two options a thread, which are read
// and written as vectors of two. The normal distribution is the polynomial 26.2.17 of Abramowitz and Stegun.
#include "device.h"

__device__ __forceinline__ float normal_distribution(float d)
{
    const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
    const float ROOT_2PI_INVERSE = 0.39894228040143267794f;
    float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
    float tail = ROOT_2PI_INVERSE * __expf(-0.5f * d * d) * (k * (A1 + k * (A2 + k * (A3 + k * (A4 + k * A5)))));

    return d > 0 ? 1.0f - tail : tail;
}

__device__ __forceinline__ void price(float &call, float &put, float stock, float strike, float years, float riskless,
                                      float volatility)
{
    float root = __fdividef(1.0f, rsqrtf(years));
    float d1 = __fdividef(__logf(stock / strike) + (riskless + 0.5f * volatility * volatility) * years,
                          volatility * root);
    float d2 = d1 - volatility * root;
    float n1 = normal_distribution(d1), n2 = normal_distribution(d2);
    float discounted = strike * __expf(-riskless * years);

    call = stock * n1 - discounted * n2;
    put = discounted * (1.0f - n2) - stock * (1.0f - n1);
}

KERNEL void __launch_bounds__(128) black_scholes(float2 *__restrict__ call, float2 *__restrict__ put,
                                                 const float2 *__restrict__ stock, const float2 *__restrict__ strike,
                                                 const float2 *__restrict__ years, float riskless, float volatility,
                                                 int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count / 2) return;

    float call1, call2, put1, put2;
    price(call1, put1, stock[i].x, strike[i].x, years[i].x, riskless, volatility);
    price(call2, put2, stock[i].y, strike[i].y, years[i].y, riskless, volatility);
    call[i] = make_float2(call1, call2);
    put[i] = make_float2(put1, put2);
}
