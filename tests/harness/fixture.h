// A context of the library on a GPU, with a module and two streams, for tests of launches side by side.
#pragma once
#include "api/warpfold.h"
#include "harness/test.h"

struct fixture {
    struct test *t;
    const char *gpu; // NULL: functional
    struct wf_context *c;
    struct wf_module *m;
    struct wf_stream *a, *b;
    uint64_t words; // device address of a buffer of zeros
};

// gpu: name or path, NULL: functional. settings: "key=value key=value …". ptx: text, or the path of a file.
// words: size of the buffer in words of four bytes, 0: no buffer. Anything refused fails the case.
struct fixture fixture_begin(struct test *t, const char *gpu, const char *settings, const char *ptx,
                             size_t words);
void fixture_end(struct fixture *f);
// Queues a launch; the stream may be NULL, the default stream. A refused launch fails the case and is NULL.
struct wf_pending *fixture_launch(struct fixture *f, const char *kernel, struct wf_stream *s, uint32_t blocks,
                                  uint32_t threads, void *const *args, size_t count);
