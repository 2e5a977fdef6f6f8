// The runtime's state, lock and errors.
#include "cudart/state.h"
#include "base/str.h"
#include "cudart/device.h"
#include "cudart/hooks.h"
#include "cudart/launch.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The only mutable data of a process outside a context; `lock` protects the rest of the struct. A callback's thread
// may call again: the lock is recursive.
static struct {
    pthread_mutex_t lock;
    struct cudart runtime;
    pid_t process;        // that made the context
    struct u64map absent; // names of missing functions, by address, already told
} the = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

static __thread enum cuda_error last_error; // of the host thread

// -- begin and end ------------------------------------------------------------------------------------------

static void print_kernel_text(void *context, const char *text, size_t length)
{
    (void)context;
    fwrite(text, 1, length, stdout);
}

static enum cuda_error set_up(struct cudart *r, struct wf_context *c)
{
    wf_set(c, "memory.size", "16G");
    wf_set_print(c, print_kernel_text, NULL);
    r->hooked = cudart_hooks.begin(c);
    if (!r->hooked) return cudaErrorInitializationError;
    r->memory_bytes = device_key(c, "memory.size");
    r->heap_end = (1ull << 32) + 2 * r->memory_bytes;
    if (wf_share_memory(c)) return cudaSuccess;
    cudart_say("%s", wf_errors(c));
    wf_clear_errors(c);
    return cudaErrorMemoryAllocation;
}

static void begin(struct cudart *r)
{
    r->context = wf_context_create();
    the.process = getpid();
    r->unusable = set_up(r, r->context);
    if (r->unusable != cudaSuccess) r->lost = r->unusable;
}

// The program ends. A thread that still runs a launch keeps the lock: its launch is not waited for, and reports
// tell of finished launches alone. A fork's child leaves the report to its parent.
static __attribute__((destructor)) void end(void)
{
    struct cudart *r = &the.runtime;
    if (!r->hooked || the.process != getpid()) return;
    bool is_idle = pthread_mutex_trylock(&the.lock) == 0 && !r->busy;
    if (is_idle && !r->unusable) cudart_wait(r);
    cudart_hooks.end(r->hooked, is_idle, r->has_noticed ? 0 : r->failed_launches);
}

struct cudart *cudart_enter_plain(void)
{
    pthread_mutex_lock(&the.lock);
    return &the.runtime;
}

struct cudart *cudart_enter(void)
{
    struct cudart *r = cudart_enter_plain();
    if (!r->context) begin(r);
    r->uses_runtime = true;
    return r;
}

enum cuda_error cudart_leave(struct cudart *r, enum cuda_error error)
{
    (void)r;
    pthread_mutex_unlock(&the.lock);
    if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
    return error;
}

enum cuda_error cudart_last_error(void) { return last_error; }
void cudart_set_last_error(enum cuda_error error) { last_error = error; }

void cudart_pause(struct cudart *r)
{
    (void)r;
    pthread_mutex_unlock(&the.lock);
}

void cudart_resume(struct cudart *r)
{
    (void)r;
    pthread_mutex_lock(&the.lock);
}

// -- objects ------------------------------------------------------------------------------------------------

void cudart_add(struct cudart *r, const void *object, enum cudart_kind kind)
{
    u64map_set(&r->live, (uintptr_t)object, kind);
}

void cudart_remove(struct cudart *r, const void *object)
{
    u64map_set(&r->live, (uintptr_t)object, CUDART_DEAD);
}

bool cudart_is(const struct cudart *r, const void *object, enum cudart_kind kind)
{
    uint32_t found;
    return u64map_get(&r->live, (uintptr_t)object, &found) && found == kind;
}

// -- errors and messages ------------------------------------------------------------------------------------

void cudart_say(const char *format, ...)
{
    va_list arguments;
    if (cudart_hooks.is_quiet(the.runtime.hooked)) return;
    fflush(stdout);
    fputs("warpfold: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

enum cuda_error cudart_told(struct cudart *r, enum cuda_error error)
{
    const char *text = wf_errors(r->context);
    size_t length = strlen(text);
    while (length && text[length - 1] == '\n') length--;
    if (length) cudart_say("%.*s", (int)length, text);
    wf_clear_errors(r->context);
    return error;
}

enum cuda_error cudart_absent(const char *name)
{
    struct cudart *r = cudart_enter_plain();
    bool is_static = str_equal(name, "cuGetExportTable"); // called by the runtime that nvcc links statically
    if (u64map_set(&the.absent, (uintptr_t)name, 1))
        cudart_say("%s is not there; the call returns an error%s (docs/howto/cuda-programs.md)", name,
                   is_static ? "; link the program with nvcc -cudart shared" : "");
    return cudart_leave(r, cudaErrorNotSupported);
}

static const struct error_row {
    enum cuda_error error;
    const char *name, *text;
} error_rows[] = {
#define CUDA_ERROR(name, number, text) {cuda##name, "cuda" #name, text},
#include "cudart/errors.def"
#undef CUDA_ERROR
};

static const struct error_row *error_row(enum cuda_error error)
{
    for (size_t i = 0; i < sizeof error_rows / sizeof *error_rows; i++)
        if (error_rows[i].error == error) return &error_rows[i];
    return NULL;
}

void cudart_notice(enum cuda_error error)
{
    struct cudart *r = cudart_enter_plain();
    r->has_noticed |= error != cudaSuccess && error == r->lost;
    pthread_mutex_unlock(&the.lock);
}

CUDART_EXPORT const char *cudaGetErrorName(enum cuda_error error)
{
    cudart_notice(error);
    const struct error_row *row = error_row(error);
    return row ? row->name : "unrecognized error code";
}

CUDART_EXPORT const char *cudaGetErrorString(enum cuda_error error)
{
    cudart_notice(error);
    const struct error_row *row = error_row(error);
    return row ? row->text : "unrecognized error code";
}

// In CUDA the error of a lost device stays, whoever asks.
static enum cuda_error present_error(bool clear)
{
    struct cudart *r = cudart_enter_plain();
    enum cuda_error error = r->lost ? r->lost : last_error;
    if (clear) last_error = cudaSuccess;
    r->has_noticed |= r->lost != cudaSuccess;
    pthread_mutex_unlock(&the.lock);
    return error;
}

CUDART_EXPORT enum cuda_error cudaGetLastError(void) { return present_error(true); }
CUDART_EXPORT enum cuda_error cudaPeekAtLastError(void) { return present_error(false); }

// -- results of launches ------------------------------------------------------------------------------------

static enum cuda_error error_of(enum wf_fault fault)
{
    switch (fault) {
    case WF_FAULT_NONE: break;
    case WF_FAULT_ADDRESS: return cudaErrorIllegalAddress;
    case WF_FAULT_ALIGNMENT: return cudaErrorMisalignedAddress;
    case WF_FAULT_STACK: return cudaErrorHardwareStackError;
    case WF_FAULT_INSTRUCTION: return cudaErrorIllegalInstruction;
    case WF_FAULT_ASSERT: return cudaErrorAssert;
    case WF_FAULT_HANG:
    case WF_FAULT_LIMIT: return cudaErrorLaunchTimeout;
    case WF_FAULT_TRAP:
    case WF_FAULT_INTERRUPTED:
    case WF_FAULT_INTERNAL: break;
    }
    return cudaErrorLaunchFailure;
}

// Time of a launch on the clocks of events, in microseconds (docs/howto/cuda-programs.md, "Time"): simulated time, or
// in functional runs 2 us and a nanosecond a warp instruction.
static double launch_us(const struct wf_stats *s)
{
    if (s->elapsed != WF_UNKNOWN && s->core_mhz > 0) return (double)s->elapsed / s->core_mhz;
    return 2 + (double)s->warp_instructions / 1000;
}

static void settle_launch(struct cudart *r, const struct cudart_pending *p)
{
    const struct wf_stats *s = wf_launch_stats(p->launch);
    double before = r->launch_end_us.count ? vec_last(&r->launch_end_us) : 0;
    vec_push(&r->launch_end_us, before + launch_us(s));
    if (s->elapsed != WF_UNKNOWN) r->core_mhz = s->core_mhz;
    cudart_hooks.over(r->hooked, p->kernel->compiled, &p->shape, s);
    if (s->status != WF_OK) {
        r->failed_launches += s->has_run;
        if (!r->lost) {
            r->lost = error_of(s->fault);
            r->has_noticed = false;
            cudart_told(r, r->lost);
        }
        wf_clear_errors(r->context);
    }
    wf_launch_free(p->launch);
}

enum cuda_error cudart_settle(struct cudart *r)
{
    while (r->settled < r->pending.count && wf_launch_is_over(r->pending.data[r->settled].launch))
        settle_launch(r, &r->pending.data[r->settled++]);
    if (r->settled == r->pending.count) r->settled = r->pending.count = 0;
    return r->lost;
}

enum cuda_error cudart_wait(struct cudart *r)
{
    if (r->pending.count) {
        r->busy++;
        wf_synchronise(r->context);
        r->busy--;
    }
    return cudart_settle(r);
}
