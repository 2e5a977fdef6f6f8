// A run of a workload: the calls of host.h over the public API, and the verdict on the results.
#include "workload/host.h"
#include "base/clones.h"
#include "base/hash.h"
#include "workload/tape.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const uint64_t INPUT_SEED = 2020;

enum { CHUNK = 512 }; // values in a buffer on the stack

// Keeps the first failure; true after any failure, present or past.
static bool failed(struct host *h, enum wf_status status)
{
    if (!h->failed && status != WF_OK) {
        h->failed = true;
        h->status = status;
    }
    return h->failed;
}

// -- inputs -------------------------------------------------------------------------------------------------

float *host_random_f32(struct host *h, size_t count, float low, float high)
{
    float *values = HOST_ARRAY(h, float, count);
    rng_fill_f32(&h->rng, values, count, low, high);
    return values;
}

// bound 0: the lower words; else (z >> 32) * bound / 2^32, as in rng_below.
CLONES static void narrow(const uint64_t *restrict z, uint32_t *restrict to, size_t count, uint32_t bound)
{
    if (!bound)
        for (size_t i = 0; i < count; i++) to[i] = (uint32_t)z[i];
    else
        for (size_t i = 0; i < count; i++) to[i] = (uint32_t)((z[i] >> 32) * bound >> 32);
}

uint32_t *host_random_u32(struct host *h, size_t count, uint32_t bound)
{
    uint64_t z[CHUNK];
    uint32_t *values = HOST_ARRAY(h, uint32_t, count);
    for (size_t i = 0; i < count; i += CHUNK) {
        size_t n = count - i < CHUNK ? count - i : CHUNK;
        rng_fill_u64(&h->rng, z, n);
        narrow(z, values + i, n, bound);
    }
    return values;
}

// -- device memory ------------------------------------------------------------------------------------------

uint64_t host_alloc(struct host *h, size_t size_bytes)
{
    if (h->failed) return 0;
    uint64_t address = wf_alloc(h->context, size_bytes);
    if (failed(h, address ? WF_OK : WF_BAD_INPUT)) return 0;
    vec_push(&h->allocations, address);
    if (h->options->tape) tape_write(h->options->tape, address, NULL, size_bytes);
    return address;
}

uint64_t host_zero(struct host *h, size_t size_bytes)
{
    uint64_t address = host_alloc(h, size_bytes);
    if (!h->failed) failed(h, wf_fill(h->context, address, 0, 1, size_bytes));
    return address;
}

uint64_t host_upload(struct host *h, const void *bytes, size_t size_bytes)
{
    uint64_t address = host_alloc(h, size_bytes);
    host_write(h, address, bytes, size_bytes);
    return address;
}

void host_write(struct host *h, uint64_t address, const void *bytes, size_t size_bytes)
{
    if (h->failed || failed(h, wf_write(h->context, address, bytes, size_bytes))) return;
    if (h->options->tape) tape_write(h->options->tape, address, bytes, size_bytes);
}

void host_set_symbol(struct host *h, const char *name, const void *bytes, size_t size_bytes)
{
    uint64_t address, symbol_bytes;
    if (h->failed || failed(h, wf_symbol(h->module, name, &address, &symbol_bytes))) return;
    // All __constant__ variables share an allocation, so wf_write would accept a write into a neighbour.
    assert(size_bytes <= symbol_bytes);
    host_write(h, address, bytes, size_bytes);
}

static uint64_t texture(struct host *h, uint64_t texels, const struct wf_texture_config *config)
{
    if (h->failed) return 0;
    uint64_t handle = wf_texture_create(h->context, texels, config);
    failed(h, handle ? WF_OK : WF_BAD_INPUT);
    return handle;
}

uint64_t host_texture_f32(struct host *h, uint64_t texels, unsigned width, unsigned height)
{
    return texture(
        h, texels,
        &(struct wf_texture_config){.texel = WF_TEXEL_F32,
                                    .channels = 1,
                                    .width = width,
                                    .height = height,
                                    .filter = WF_FILTER_POINT,
                                    .address = {WF_ADDRESS_CLAMP, WF_ADDRESS_CLAMP, WF_ADDRESS_CLAMP}});
}

uint64_t host_texture_rgba8(struct host *h, uint64_t texels, unsigned width, unsigned height)
{
    return texture(
        h, texels,
        &(struct wf_texture_config){.texel = WF_TEXEL_U8,
                                    .channels = 4,
                                    .width = width,
                                    .height = height,
                                    .normalised_read = true,
                                    .filter = WF_FILTER_POINT,
                                    .address = {WF_ADDRESS_CLAMP, WF_ADDRESS_CLAMP, WF_ADDRESS_CLAMP}});
}

void *host_fetch(struct host *h, uint64_t address, size_t size_bytes)
{
    void *bytes = arena_alloc(&h->arena, size_bytes);
    if (!h->failed) failed(h, wf_read(h->context, address, bytes, size_bytes));
    return bytes;
}

void *host_output(struct host *h, uint64_t address, size_t size_bytes)
{
    void *bytes = host_fetch(h, address, size_bytes);
    h->result->output_hash = hash_bytes(bytes, size_bytes, h->result->output_hash);
    if (h->options->tape && !h->failed) tape_output(h->options->tape, address, bytes, size_bytes);
    return bytes;
}

// -- launches -----------------------------------------------------------------------------------------------

enum { MAX_ARGS = 16 };

static void account(struct host *h, const struct wf_stats *stats)
{
    struct workload_result *r = h->result;
    r->launches++;
    r->warp_instructions += stats->warp_instructions;
    r->thread_instructions += stats->thread_instructions;
    r->simulation_seconds += stats->wall_seconds;
    r->cycles =
        stats->cycles == WF_UNKNOWN || r->cycles == WF_UNKNOWN ? WF_UNKNOWN : r->cycles + stats->cycles;
    r->fault_text = stats->fault_text;
}

void host_launch_args(struct host *h, const char *name, struct host_dim grid, struct host_dim block,
                      size_t shared_bytes, const struct host_arg *args, size_t count)
{
    if (h->failed) return;
    struct wf_kernel *kernel = wf_kernel_find(h->module, name);
    if (failed(h, kernel ? WF_OK : WF_BAD_INPUT)) return;

    const void *pointers[MAX_ARGS];
    assert(count <= MAX_ARGS);
    for (size_t i = 0; i < count; i++) {
        assert(args[i].size_bytes == wf_kernel_info(kernel)->params[i].bytes);
        pointers[i] = &args[i].value;
    }
    struct wf_launch_config shape = {.shared_bytes = (uint32_t)shared_bytes, .stream = h->options->stream};
    if (h->options->registers)
        shape.registers = h->options->registers;
    else if (h->size == WORKLOAD_PAPER || h->size == WORKLOAD_SLICE)
        shape.registers = workload_registers(WORKLOAD_NVIDIA, name);
    for (int i = 0; i < 3; i++) {
        shape.grid[i] = grid.extent[i] ? grid.extent[i] : 1;
        shape.block[i] = block.extent[i] ? block.extent[i] : 1;
    }
    if (h->options->launching) h->options->launching(h->options->launching_context, kernel, &shape);
    if (h->options->tape) tape_launch(h->options->tape, kernel, &shape, pointers, count);
    struct wf_stats stats = {0};
    enum wf_status status = wf_launch(kernel, &shape, (void *const *)pointers, count, &stats);
    stats.status = status;
    account(h, &stats);
    if (h->options->launched) h->options->launched(h->options->launched_context, kernel, &shape, &stats);
    failed(h, status);
}

// -- verdict ------------------------------------------------------------------------------------------------

static void mismatch(struct host *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void mismatch(struct host *h, const char *format, ...)
{
    if (h->result->mismatches++) return;
    va_list args;
    va_start(args, format);
    vsnprintf(h->result->first_mismatch, sizeof h->result->first_mismatch, format, args);
    va_end(args);
}

static inline double error_of(float got, double want, double scale)
{
    double size = fabs(want);
    return fabs((double)got - want) / (size > scale ? size : scale);
}

// Greatest error among at most CHUNK values; infinite if an error is NaN.
CLONES static double greatest_error(const float *restrict got, const double *restrict want, size_t count,
                                    double scale)
{
    double error[CHUNK], most = 0;
    uint64_t unordered = 0;
    for (size_t i = 0; i < count; i++) error[i] = error_of(got[i], want[i], scale);
    for (size_t i = 0; i < count; i++) unordered |= error[i] != error[i] ? 1 : 0;
    for (size_t i = 0; i < count; i++) most = error[i] > most ? error[i] : most;
    return unordered ? INFINITY : most;
}

static void compare_one(struct host *h, const char *what, size_t i, float got, double want, double scale)
{
    double error = error_of(got, want, scale);
    if (isnan(error)) error = INFINITY;
    h->result->max_error = fmax(h->result->max_error, error);
    if (error > h->workload->tolerance)
        mismatch(h, "%s %zu is %.9g, not %.9g (error %.2g, tolerance %.2g)", what, i, (double)got, want,
                 error, h->workload->tolerance);
}

// Compares values in chunks, and one by one in a chunk with an error beyond the tolerance.
void host_compare_f32(struct host *h, const char *what, const float *got, const double *want, size_t count,
                      double scale)
{
    if (h->failed) return;
    h->result->compared += count;
    for (size_t first = 0; first < count; first += CHUNK) {
        size_t n = count - first < CHUNK ? count - first : CHUNK;
        double most = greatest_error(got + first, want + first, n, scale);
        if (most <= h->workload->tolerance)
            h->result->max_error = fmax(h->result->max_error, most);
        else
            for (size_t i = first; i < first + n; i++) compare_one(h, what, i, got[i], want[i], scale);
    }
}

CLONES static bool are_equal(const uint32_t *restrict a, const uint32_t *restrict b, size_t count)
{
    uint32_t differ = 0;
    for (size_t i = 0; i < count; i++) differ |= a[i] ^ b[i];
    return !differ;
}

void host_compare_u32(struct host *h, const char *what, const uint32_t *got, const uint32_t *want,
                      size_t count)
{
    if (h->failed) return;
    h->result->compared += count;
    if (are_equal(got, want, count)) return;
    for (size_t i = 0; i < count; i++)
        if (got[i] != want[i])
            mismatch(h, "%s %zu is %u (0x%x), not %u (0x%x)", what, i, got[i], got[i], want[i], want[i]);
}

enum wf_status workload_run(const struct workload *workload, struct wf_context *context,
                            const struct workload_options *options, struct workload_result *result)
{
    assert(workload_has_size(workload, options->size) && workload->ptx[options->ptx]);
    *result = (struct workload_result){0};
    struct host h = {.workload = workload,
                     .options = options,
                     .size = options->size,
                     .context = context,
                     .result = result};
    arena_init(&h.arena);
    rng_init(&h.rng, INPUT_SEED + options->seed);

    const char *ptx = workload->ptx[options->ptx];
    h.module = wf_module_load(context, workload->ptx_file[options->ptx], ptx,
                              (size_t)(workload->ptx_end[options->ptx] - ptx));
    failed(&h, h.module ? WF_OK : WF_BAD_INPUT);
    workload->run(&h);

    for (size_t i = 0; i < h.allocations.count && !options->tape; i++)
        wf_free(context, h.allocations.data[i]);
    vec_fini(&h.allocations);
    arena_fini(&h.arena);
    result->verified = !h.failed && result->mismatches == 0;
    if (h.failed) return h.status;
    return result->verified ? WF_OK : WF_MISMATCH;
}
