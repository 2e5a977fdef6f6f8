// LIBOR market model by Monte Carlo: the value of a portfolio of swaptions along a path of forward rates and,
// in the first kernel, its derivative to the last initial rate by the adjoint (backward) pass. A path a
// thread, with the rates of all steps in local memory. As in the suite this application comes from, the
// normal variates are one constant, so all paths are the same path and nearly every value is redundant:
// loops, subscripts and constants because they are uniform, the rates because of the input.
//
// In step n every rate i > n, with lambda_k short for lambda[k - n - 1]:
//
//      v_i  = sum over n < j <= i of  delta·lambda_j·L[j] / (1 + delta·L[j])
//      L[i] = L[i] · exp(delta·lambda_i·v_i + lambda_i·(sqrt(delta)·z[n] - delta·lambda_i / 2))
#include "device.h"

#define MAX_RATES   80
#define MAX_STEPS   40
#define MAX_OPTIONS 15

// The model: rates L[0..rate_count-1] of which `step_count` are fixed along the path; the portfolio's
// swaptions pay on the others.
__constant__ int rate_count, step_count, option_count;
__constant__ float delta; // time between two rates
__constant__ float initial_rate, variate;
__constant__ float lambda[MAX_RATES]; // volatilities, by time to maturity
__constant__ int maturity[MAX_OPTIONS];
__constant__ float swap_rate[MAX_OPTIONS];

// Forward rates to the end of the path. With a history, the rates before step n stay in
// history[n * rate_count + i].
__device__ __forceinline__ void evolve(float *rate, const float *z, float *history)
{
    if (history)
        for (int i = 0; i < rate_count; i++) history[i] = rate[i];
    for (int n = 0; n < step_count; n++) {
        float drift_z = sqrtf(delta) * z[n];
        float v = 0.0f;
        for (int i = n + 1; i < rate_count; i++) {
            float volatility = lambda[i - n - 1];
            float scaled = delta * volatility;
            v += (scaled * rate[i]) / (1.0f + delta * rate[i]);
            rate[i] *= expf(scaled * v + volatility * (drift_z - 0.5f * scaled));
            if (history) history[(n + 1) * rate_count + i] = rate[i];
        }
    }
}

// Backward through evolve: on entry adjoint[i] is the derivative of the value to the final rate i, on return
// to the initial one. For n < j <= i, rate j before a step moves rate i after it by
// after[i]·lambda_i·lambda_j·(delta / (1 + delta·before[j]))², and by after[i] / before[i] more when i = j;
// the sums over i are carried along from the last rate down.
__device__ __forceinline__ void evolve_adjoint(float *adjoint, const float *history)
{
    for (int n = step_count - 1; n >= 0; n--) {
        const float *before = history + n * rate_count, *after = before + rate_count;
        float carried = 0.0f;
        for (int i = rate_count - 1; i > n; i--) {
            float volatility = lambda[i - n - 1];
            carried += volatility * after[i] * adjoint[i];
            float factor = delta / (1.0f + delta * before[i]);
            adjoint[i] = adjoint[i] * (after[i] / before[i]) + carried * volatility * factor * factor;
        }
    }
}

// Value of the portfolio: 100 a swaption in the money, discounted along the path.
__device__ __forceinline__ float portfolio(const float *rate)
{
    float bond[MAX_RATES - MAX_STEPS], annuity[MAX_RATES - MAX_STEPS];
    float b = 1.0f, s = 0.0f;
    for (int n = step_count; n < rate_count; n++) {
        b = b / (1.0f + delta * rate[n]);
        s = s + delta * b;
        bond[n - step_count] = b;
        annuity[n - step_count] = s;
    }
    float value = 0.0f;
    for (int i = 0; i < option_count; i++) {
        int m = maturity[i] - 1;
        float gain = 1.0f - bond[m] - swap_rate[i] * annuity[m];
        if (gain > 0.0f) value += 100.0f * gain;
    }
    for (int n = 0; n < step_count; n++) value = value / (1.0f + delta * rate[n]);
    return value;
}

// The same, and the derivatives to the final rates.
__device__ __forceinline__ float portfolio_adjoint(const float *rate, float *adjoint)
{
    float bond[MAX_RATES - MAX_STEPS], annuity[MAX_RATES - MAX_STEPS];
    float bond_adjoint[MAX_RATES - MAX_STEPS], annuity_adjoint[MAX_RATES - MAX_STEPS];
    float b = 1.0f, s = 0.0f;
    for (int m = 0; m < rate_count - step_count; m++) {
        b = b / (1.0f + delta * rate[m + step_count]);
        s = s + delta * b;
        bond[m] = b;
        annuity[m] = s;
        bond_adjoint[m] = 0.0f;
        annuity_adjoint[m] = 0.0f;
    }
    float value = 0.0f;
    for (int i = 0; i < option_count; i++) {
        int m = maturity[i] - 1;
        float gain = 1.0f - bond[m] - swap_rate[i] * annuity[m];
        if (gain > 0.0f) {
            value += 100.0f * gain;
            bond_adjoint[m] -= 100.0f;
            annuity_adjoint[m] -= 100.0f * swap_rate[i];
        }
    }
    float discount = 1.0f;
    for (int n = 0; n < step_count; n++) discount = discount / (1.0f + delta * rate[n]);
    value = discount * value;

    for (int n = 0; n < step_count; n++) adjoint[n] = -value * delta / (1.0f + delta * rate[n]);
    float bond_carried = 0.0f, annuity_carried = 0.0f;
    for (int m = rate_count - step_count - 1; m >= 0; m--) {
        int n = m + step_count;
        annuity_carried += annuity_adjoint[m];
        bond_carried += bond_adjoint[m] + delta * annuity_carried;
        float shrink = 1.0f / (1.0f + delta * rate[n]);
        adjoint[n] = -discount * bond_carried * bond[m] * delta * shrink;
        bond_carried *= shrink;
    }
    return value;
}

KERNEL void libor_value_and_delta(float *value, float *last_rate_delta, int paths)
{
    float rate[MAX_RATES], z[MAX_STEPS], history[MAX_RATES * (MAX_STEPS + 1)], adjoint[MAX_RATES];
    int threads = blockDim.x * gridDim.x;
    for (int path = blockIdx.x * blockDim.x + threadIdx.x; path < paths; path += threads) {
        for (int i = 0; i < rate_count; i++) rate[i] = initial_rate;
        for (int n = 0; n < step_count; n++) z[n] = variate;
        evolve(rate, z, history);
        value[path] = portfolio_adjoint(rate, adjoint);
        evolve_adjoint(adjoint, history);
        last_rate_delta[path] = adjoint[rate_count - 1];
    }
}

KERNEL void libor_value(float *value, int paths)
{
    float rate[MAX_RATES], z[MAX_STEPS];
    int threads = blockDim.x * gridDim.x;
    for (int path = blockIdx.x * blockDim.x + threadIdx.x; path < paths; path += threads) {
        for (int i = 0; i < rate_count; i++) rate[i] = initial_rate;
        for (int n = 0; n < step_count; n++) z[n] = variate;
        evolve(rate, z, nullptr);
        value[path] = portfolio(rate);
    }
}
