// Running trials: see trial.h.
#include "conformance/trial.h"

#include "api/warpfold.h"
#include "base/arena.h"
#include "base/str.h"
#include "harness/test.h"
#include "oracle/oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_shape(const struct trial *x, uint32_t grid[3], uint32_t block[3])
{
    grid[0] = x->grid ? x->grid : 1;
    block[0] = x->block ? x->block : 32;
    grid[1] = grid[2] = block[1] = block[2] = 1;
    if (x->shape[0]) memcpy(block, x->shape, sizeof x->shape);
}

static void compare(struct test *t, const struct trial *x, const char *where, const uint8_t *got)
{
    const uint8_t *want = x->out;
    for (size_t k = 0; k < x->out_bytes; k++) {
        if (got[k] == want[k]) continue;
        size_t at = k & ~(size_t)3;
        uint32_t g = 0, w = 0;
        size_t size = x->out_bytes - at < 4 ? x->out_bytes - at : 4;
        memcpy(&g, got + at, size);
        memcpy(&w, want + at, size);
        test_fail(t, __FILE__, __LINE__, "%s, %s: word %zu of the output is 0x%08x, not 0x%08x", x->name,
                  where, at / 4, g, w);
        return;
    }
}

static void with_header(const struct trial *x, struct strbuf *text)
{
    if (!strstr(x->ptx, ".version")) strbuf_puts(text, ".version 8.6\n.target sm_90\n.address_size 64\n");
    strbuf_puts(text, x->ptx);
}

enum { IN_AT = 0x10000000, OUT_AT = 0x20000000 };

static void on_oracle(struct test *t, const struct trial *x, const char *text, uint8_t *out)
{
    struct diag d;
    struct strbuf errors = {0};
    uint64_t params[] = {IN_AT, OUT_AT};
    diag_init(&d);
    struct ptx_module *m =
        ptx_parse(text, strlen(text), diag_add_source(&d, x->name, text, strlen(text)), &d);
    struct oracle_launch l = {
        .params = params, .dynamic_shared = x->dynamic_shared, .max_steps = 50000000, .strict = !x->racy};
    l.kernel = m ? ptx_find_entry(m, "k", &d) : NULL;
    diag_format(&d, false, &errors);
    CHECK_MSG(t, l.kernel, "%s: %s", x->name, strbuf_text(&errors));
    if (l.kernel) {
        struct oracle *o = oracle_create(m);
        set_shape(x, l.grid, l.block);
        oracle_map(o, IN_AT, (void *)(uintptr_t)x->in, x->in_bytes);
        oracle_map(o, OUT_AT, out, x->out_bytes);
        bool ran = oracle_launch(o, &l);
        CHECK_MSG(t, ran, "%s, oracle: %s", x->name, oracle_error(o));
        if (ran) compare(t, x, "oracle", out);
        oracle_destroy(o);
    }
    if (m) ptx_module_free(m);
    strbuf_fini(&errors);
    diag_fini(&d);
}

static void on_engine(struct test *t, const struct trial *x, const char *text, const char *profile,
                      const char *optimise, uint8_t *out)
{
    static const char *const isas[] = {"general", "portable", "avx2", "avx512"}, *const modes[] = {"splits",
                                                                                                   "stack"};
    char where[80];
    struct wf_context *c = wf_context_create();
    wf_set(c, "memory.size", "4M");
    wf_set(c, "exec.max_warp_instructions", "1000000");
    CHECK(t,
          wf_set(c, "compile.profile", profile) == WF_OK && wf_set(c, "compile.optimise", optimise) == WF_OK);
    struct wf_module *m = wf_module_load(c, x->name, text, strlen(text));
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    CHECK_MSG(t, k, "%s, %s optimise=%s: %s", x->name, profile, optimise, wf_errors(c));
    uint64_t params[] = {wf_alloc(c, x->in_bytes), wf_alloc(c, x->out_bytes)};
    struct wf_launch_config shape = {.shared_bytes = x->dynamic_shared};
    set_shape(x, shape.grid, shape.block);
    for (int run = 0; k && run < 8; run++) {
        wf_clear_errors(c);
        if (wf_set(c, "exec.isa", isas[run / 2]) != WF_OK) continue;
        const char *async = (run ^ run / 2) & 1 ? "late" : "early";
        wf_set(c, "simt", modes[run % 2]);
        wf_set(c, "exec.async", async);
        snprintf(where, sizeof where, "%s optimise=%s %s %s %s", profile, optimise, isas[run / 2],
                 modes[run % 2], async);
        wf_write(c, params[0], x->in, x->in_bytes);
        memset(out, 0, x->out_bytes);
        if (x->out_before) memcpy(out, x->out_before, x->out_bytes);
        wf_write(c, params[1], out, x->out_bytes);
        bool ran = wf_launch_packed(k, &shape, params, sizeof params, NULL) == WF_OK;
        CHECK_MSG(t, ran, "%s, %s: %s", x->name, where, wf_errors(c));
        wf_read(c, params[1], out, x->out_bytes);
        if (ran) compare(t, x, where, out);
    }
    wf_context_destroy(c);
}

void trial_run(struct test *t, const struct trial *x)
{
    static const char *const profiles[] = {"sass", "ptxplus", "pascal"}, *const levels[] = {"1", "0"};
    struct strbuf text = {0};
    uint8_t *out = heap_alloc(x->out_bytes + 1);
    with_header(x, &text);
    if (x->out_before) memcpy(out, x->out_before, x->out_bytes);
    on_oracle(t, x, text.text, out);
    for (int p = 0; p < 3; p++)
        for (int o = 0; o < 2; o++) on_engine(t, x, text.text, profiles[p], levels[o], out);
    free(out);
    strbuf_fini(&text);
}
