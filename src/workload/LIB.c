// Host side of kernels/LIB.cu. Both kernels price the same portfolio. The reference is the same model in
// double precision; the derivative is the slope between two prices rather than an adjoint.
#include "workload/host.h"

#include <math.h>

enum { MAX_RATES = 80, MAX_OPTIONS = 15 };

struct model {
    int rate_count, step_count, option_count;
    float delta, initial_rate, variate;
    float lambda[MAX_RATES];
    int maturity[MAX_OPTIONS];
    float swap_rate[MAX_OPTIONS];
};

static double price(const struct model *m, double last_initial_rate)
{
    double rate[MAX_RATES], delta = (double)m->delta;
    for (int i = 0; i < m->rate_count; i++) rate[i] = (double)m->initial_rate;
    rate[m->rate_count - 1] = last_initial_rate;
    for (int n = 0; n < m->step_count; n++) {
        double v = 0;
        for (int i = n + 1; i < m->rate_count; i++) {
            double lambda = (double)m->lambda[i - n - 1];
            v += delta * lambda * rate[i] / (1 + delta * rate[i]);
            rate[i] *=
                exp(delta * lambda * v + lambda * (sqrt(delta) * (double)m->variate - 0.5 * delta * lambda));
        }
    }
    double value = 0;
    for (int i = 0; i < m->option_count; i++) {
        double bond = 1, annuity = 0;
        for (int k = 0; k < m->maturity[i]; k++) {
            bond /= 1 + delta * rate[m->step_count + k];
            annuity += delta * bond;
        }
        value += 100 * fmax(0, 1 - bond - (double)m->swap_rate[i] * annuity);
    }
    for (int n = 0; n < m->step_count; n++) value /= 1 + delta * rate[n];
    return value;
}

static void set_symbols(struct host *h, const struct model *m)
{
    host_set_symbol(h, "rate_count", &m->rate_count, sizeof(int));
    host_set_symbol(h, "step_count", &m->step_count, sizeof(int));
    host_set_symbol(h, "option_count", &m->option_count, sizeof(int));
    host_set_symbol(h, "delta", &m->delta, sizeof(float));
    host_set_symbol(h, "initial_rate", &m->initial_rate, sizeof(float));
    host_set_symbol(h, "variate", &m->variate, sizeof(float));
    host_set_symbol(h, "lambda", m->lambda, sizeof m->lambda);
    host_set_symbol(h, "maturity", m->maturity, sizeof m->maturity);
    host_set_symbol(h, "swap_rate", m->swap_rate, sizeof m->swap_rate);
}

void workload_run_LIB(struct host *h)
{
    static const struct {
        int rates, steps, blocks; // rates = 2 · steps, steps a multiple of 8
    } sizes[] = {{16, 8, 1},
                 {80, 40, 2},
                 {80, 40, 16},
                 {80, 40, 84},
                 {80, 40, 12}}; // large: the paths of GPGPU-Sim's LIB
    const int steps = sizes[h->size].steps, paths = sizes[h->size].blocks * 256;
    const unsigned blocks = (unsigned)sizes[h->size].blocks;
    const size_t bytes = (size_t)paths * sizeof(float);

    struct model m = {.rate_count = sizes[h->size].rates,
                      .step_count = steps,
                      .option_count = MAX_OPTIONS,
                      .delta = 0.25f,
                      .initial_rate = 0.05f,
                      .variate = 0.3f};
    for (int i = 0; i < MAX_RATES; i++) m.lambda[i] = 0.15f + 0.1f * (float)exp(-0.1 * i);
    // Options of three swap rates at each of five maturities, the longest with as many periods as simulated
    // steps.
    for (int i = 0; i < MAX_OPTIONS; i++) {
        m.maturity[i] = i / 3 == 4 ? steps : (i / 3 + 1) * steps / 8;
        m.swap_rate[i] = 0.045f + 0.005f * (float)(i % 3);
    }
    set_symbols(h, &m);
    uint64_t value = host_alloc(h, bytes), slope = host_alloc(h, bytes), value_only = host_alloc(h, bytes);
    host_launch(h, "libor_value_and_delta", DIM(blocks), DIM(256), 0, ARG(value), ARG(slope), ARG(paths));
    host_launch(h, "libor_value", DIM(blocks), DIM(256), 0, ARG(value_only), ARG(paths));
    const float *got_value = host_output(h, value, bytes), *got_slope = host_output(h, slope, bytes);
    const float *got_value_only = host_output(h, value_only, bytes);

    // All paths are equal.
    double rate = (double)m.initial_rate, bump = 1e-6;
    double one_value = price(&m, rate),
           one_slope = (price(&m, rate + bump) - price(&m, rate - bump)) / (2 * bump);
    double *want_value = HOST_ARRAY(h, double, paths), *want_slope = HOST_ARRAY(h, double, paths);
    for (int i = 0; i < paths; i++) {
        want_value[i] = one_value;
        want_slope[i] = one_slope;
    }
    host_compare_f32(h, "value on path", got_value, want_value, (size_t)paths, 1);
    host_compare_f32(h, "delta on path", got_slope, want_slope, (size_t)paths, 1);
    host_compare_f32(h, "value alone on path", got_value_only, want_value, (size_t)paths, 1);
}
