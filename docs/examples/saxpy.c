// How a C program uses warpfold: load PTX, give it memory, launch, read back.
//
//     make && cc -Isrc docs/examples/saxpy.c build/libwarpfold.a -lm -pthread -o saxpy && ./saxpy
#include "api/warpfold.h"

#include <stdio.h>
#include <stdlib.h>

static const char ptx[] =
    ".version 7.0\n"
    ".target sm_75\n"
    ".address_size 64\n"
    ".visible .entry saxpy(.param .u64 y, .param .u64 x, .param .f32 a, .param .u32 n)\n"
    "{\n"
    "    .reg .pred %p;\n"
    "    .reg .b32 %r<5>;\n"
    "    .reg .f32 %f<4>;\n"
    "    .reg .b64 %d<6>;\n"
    "    mov.u32 %r1, %ctaid.x;\n"
    "    mov.u32 %r2, %ntid.x;\n"
    "    mov.u32 %r3, %tid.x;\n"
    "    mad.lo.u32 %r4, %r1, %r2, %r3;\n"
    "    ld.param.u32 %r1, [n];\n"
    "    setp.ge.u32 %p, %r4, %r1;\n"
    "    @%p ret;\n"
    "    ld.param.u64 %d1, [y];\n"
    "    ld.param.u64 %d2, [x];\n"
    "    ld.param.f32 %f1, [a];\n"
    "    mul.wide.u32 %d3, %r4, 4;\n"
    "    add.u64 %d4, %d1, %d3;\n"
    "    add.u64 %d5, %d2, %d3;\n"
    "    ld.global.f32 %f2, [%d4];\n"
    "    ld.global.f32 %f3, [%d5];\n"
    "    fma.rn.f32 %f2, %f1, %f3, %f2;\n"
    "    st.global.f32 [%d4], %f2;\n"
    "    ret;\n"
    "}\n";

int main(void)
{
    enum { N = 1000, BLOCK = 128 };
    float x[N], y[N], a = 2.0f;
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 0.5f;
    }

    struct wf_context *c = wf_context_create();
    struct wf_module *m = wf_module_load(c, "saxpy.ptx", ptx, sizeof ptx - 1);
    struct wf_kernel *k = m ? wf_kernel_find(m, "saxpy") : NULL;
    uint64_t dx = wf_alloc(c, sizeof x), dy = wf_alloc(c, sizeof y);
    if (!k || !dx || !dy) {
        fputs(wf_errors(c), stderr);
        return EXIT_FAILURE;
    }
    wf_write(c, dx, x, sizeof x);
    wf_write(c, dy, y, sizeof y);

    uint32_t n = N;
    void *args[] = {&dy, &dx, &a, &n};
    struct wf_launch_config shape = {.grid = {(N + BLOCK - 1) / BLOCK, 1, 1}, .block = {BLOCK, 1, 1}};
    struct wf_stats stats;
    if (wf_launch(k, &shape, args, 4, &stats) != WF_OK) {
        fputs(wf_errors(c), stderr);
        return EXIT_FAILURE;
    }

    wf_read(c, dy, y, sizeof y);
    printf("y[999] = %g\n", (double)y[999]);
    printf("%llu warp instructions on %u registers\n", (unsigned long long)stats.warp_instructions,
           wf_kernel_info(k)->registers);
    wf_context_destroy(c);
    return EXIT_SUCCESS;
}
