// Two launches side by side: streams, an event that one stream waits for, cycles between events.
//
//     make && cc -Isrc docs/examples/streams.c build/libwarpfold.a -lm -pthread -o streams && ./streams
//
// Run at the top of the repository, whose kernels it loads.
#include "api/warpfold.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 20000, BLOCK = 256 };

// out = a + b, queued: nothing runs until somebody waits.
static struct wf_pending *add(struct wf_kernel *k, struct wf_stream *s, uint64_t a, uint64_t b, uint64_t out)
{
    uint32_t n = N;
    struct wf_launch_config shape = {
        .grid = {(N + BLOCK - 1) / BLOCK, 1, 1}, .block = {BLOCK, 1, 1}, .stream = s};
    struct wf_pending *launch;
    wf_launch_async(k, &shape, (void *[]){&a, &b, &out, &n}, 4, &launch);
    return launch;
}

int main(void)
{
    static float host[N];
    struct wf_context *c = wf_context_create();
    struct wf_module *m = wf_module_load_file(c, "kernels/ptx/nvcc/vecadd.ptx");
    struct wf_kernel *k = m ? wf_kernel_find(m, "vecadd") : NULL;
    if (!k || wf_gpu(c, "gtx1080ti-paper") != WF_OK) {
        fputs(wf_errors(c), stderr);
        return EXIT_FAILURE;
    }
    uint64_t a = wf_alloc(c, sizeof host), left = wf_alloc(c, sizeof host), right = wf_alloc(c, sizeof host),
             both = wf_alloc(c, sizeof host);
    for (int i = 0; i < N; i++) host[i] = (float)i;
    wf_write(c, a, host, sizeof host);

    struct wf_stream *one = wf_stream_create(c), *two = wf_stream_create(c);
    struct wf_event *begun = wf_event_create(c), *summed = wf_event_create(c), *done = wf_event_create(c);
    wf_event_record(begun, one);
    struct wf_pending *launches[] = {add(k, one, a, a, left), add(k, two, a, a, right), NULL};
    wf_event_record(summed, two);
    wf_stream_wait_event(one, summed); // the last sum needs both
    launches[2] = add(k, one, left, right, both);
    wf_event_record(done, one);
    if (wf_synchronise(c) != WF_OK) {
        fputs(wf_errors(c), stderr);
        return EXIT_FAILURE;
    }

    for (int i = 0; i < 3; i++) {
        const struct wf_stats *s = wf_launch_stats(launches[i]);
        printf("launch %d: %llu cycles from cycle %llu on\n", i, (unsigned long long)s->cycles,
               (unsigned long long)s->start);
    }
    printf("%llu cycles in all\n", (unsigned long long)wf_event_cycles(begun, done));
    wf_read(c, both, host, sizeof host);
    printf("both[999] = %g\n", (double)host[999]);
    wf_context_destroy(c);
    return EXIT_SUCCESS;
}
