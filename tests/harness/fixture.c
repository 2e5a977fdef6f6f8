#include "harness/fixture.h"
#include "harness/settings.h"

#include <string.h>

struct fixture fixture_begin(struct test *t, const char *gpu, const char *settings, const char *ptx,
                             size_t words)
{
    struct fixture f = {.t = t, .gpu = gpu, .c = wf_context_create()};
    CHECK_MSG(t, wf_gpu(f.c, gpu) == WF_OK, "%s", wf_errors(f.c));
    settings_apply(t, f.c, settings);
    f.m =
        strchr(ptx, '\n') ? wf_module_load(f.c, "test.ptx", ptx, strlen(ptx)) : wf_module_load_file(f.c, ptx);
    CHECK_MSG(t, f.m != NULL, "%s", wf_errors(f.c));
    if (words) f.words = wf_alloc(f.c, 4 * words);
    f.a = wf_stream_create(f.c);
    f.b = wf_stream_create(f.c);
    return f;
}

void fixture_end(struct fixture *f) { wf_context_destroy(f->c); }

struct wf_pending *fixture_launch(struct fixture *f, const char *kernel, struct wf_stream *s, uint32_t blocks,
                                  uint32_t threads, void *const *args, size_t count)
{
    struct wf_launch_config shape = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .stream = s};
    struct wf_pending *l = NULL;
    enum wf_status status = wf_launch_async(wf_kernel_find(f->m, kernel), &shape, args, count, &l);
    CHECK_MSG(f->t, status == WF_OK && l, "status %d: %s", (int)status, wf_errors(f->c));
    return l;
}
