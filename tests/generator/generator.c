// The module around the statements: declarations, tables, functions, the kernel's beginning and end, the
// launch.
#include "generator/generator.h"

#include "generator/generator_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void generated_fini(struct generated *g)
{
    strbuf_fini(&g->text);
    *g = (struct generated){0};
}

// Reads the number behind a word of the launch comment, "warp=" for example; 0 where the word is absent.
static unsigned read_word(const char *line, const char *word)
{
    const char *at = strstr(line, word), *end = strchr(line, '\n');
    return at && (!end || at < end) ? (unsigned)strtoul(at + strlen(word), NULL, 10) : 0;
}

static void write_word(const char *word, unsigned value, struct strbuf *out)
{
    if (value) strbuf_printf(out, "%s%u", word, value);
}

void generated_comment(const struct generated *g, struct strbuf *out)
{
    strbuf_printf(out, "// launch seed=%llu grid=%u,%u,%u block=%u,%u,%u lanes=%d",
                  (unsigned long long)g->seed, g->grid[0], g->grid[1], g->grid[2], g->block[0], g->block[1],
                  g->block[2], g->lanes);
    write_word(" warp=", g->warp, out);
    write_word(" order=", g->order, out);
    write_word(" splits=", g->splits, out);
    write_word(" undefined=", g->undefined, out);
    write_word(" mixed=", g->mixed, out);
}

bool generated_read(const char *text, struct generated *g)
{
    const char *at = strstr(text, "// launch ");
    unsigned lanes = 0;
    unsigned long long seed = 0;
    *g = (struct generated){0};
    if (!at) return false;
    int found = sscanf(at, "// launch seed=%llu grid=%u,%u,%u block=%u,%u,%u lanes=%u", &seed, &g->grid[0],
                       &g->grid[1], &g->grid[2], &g->block[0], &g->block[1], &g->block[2], &lanes);
    g->seed = seed;
    g->lanes = lanes;
    g->warp = read_word(at, " warp=");
    g->order = read_word(at, " order=");
    g->splits = read_word(at, " splits=");
    g->undefined = read_word(at, " undefined=");
    g->mixed = read_word(at, " mixed=");
    return found == 8;
}

uint32_t generator_word(struct rng *r)
{
    static const uint32_t special[] = {0,          1,          0xffffffff, 0x80000000, 0x7fffffff,
                                       0x7f800000, 0x7fc00001, 0x00000001, 0x807fffff, 0x3f800000,
                                       0xc0490fdb, 0x00008000, 0xffff7fff, 0x7c007e00};
    uint64_t v = rng_next(r);
    switch (v >> 60 & 7) {
    case 0:
    case 1: return special[(v >> 32) % (sizeof special / sizeof special[0])];
    case 2:
    case 3: return (uint32_t)(v & 0xff);
    case 4: return 0x3f000000 + (uint32_t)(v & 0x1ffffff); // floats near 1
    }
    return (uint32_t)v;
}

void generator_input(uint64_t seed, uint8_t *in)
{
    struct rng r;
    rng_init(&r, seed ^ 0x5eed);
    for (unsigned k = 0; k < GENERATOR_IN_BYTES; k += 4) {
        uint32_t v = generator_word(&r);
        memcpy(in + k, &v, 4);
    }
}

static void choose_launch(struct gen *g)
{
    static const uint32_t shapes[][3] = {{32, 1, 1},  {64, 1, 1}, {33, 1, 1}, {8, 8, 1},  {16, 4, 1},
                                         {4, 4, 4},   {7, 5, 1},  {1, 1, 1},  {96, 1, 1}, {17, 3, 2},
                                         {128, 1, 1}, {2, 2, 2},  {40, 2, 1}, {5, 1, 9}};
    static const uint32_t grids[][3] = {{1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {2, 2, 1}, {1, 2, 2}, {1, 1, 1}};
    memcpy(g->g->block, shapes[below(g, sizeof shapes / sizeof shapes[0])], sizeof g->g->block);
    memcpy(g->g->grid, grids[below(g, sizeof grids / sizeof grids[0])], sizeof g->g->grid);
    if (g->options.block) memcpy(g->g->block, g->options.block, sizeof g->g->block);
    if (g->options.grid) memcpy(g->g->grid, g->options.grid, sizeof g->g->grid);
    g->g->warp = g->options.warp_size;
    g->threads = g->g->block[0] * g->g->block[1] * g->g->block[2];
}

static void write_table(struct gen *g, struct strbuf *out, const char *space, const char *name)
{
    strbuf_printf(out, "%s .align 16 .b32 %s[64] = {", space, name);
    for (unsigned k = 0; k < 64; k++) strbuf_printf(out, "%s%u", k ? ", " : "", special_u32(g));
    strbuf_puts(out, "};\n");
}

static void write_declarations(const struct gen *g, struct strbuf *out)
{
    static const char *const types[] = {".b32", ".b64", ".b16", ".f32", ".f64", ".pred"};
    for (int c = 0; c < CLASS_COUNT; c++)
        strbuf_printf(out, "    .reg %s %s<%u>;\n", types[c], class_prefix((enum reg_class)c),
                      g->next[c] + 1);
    strbuf_puts(out, "    .reg .b32 %thread, %n, %a, %cta, %nt, %shared, %mine;\n");
    strbuf_puts(out, "    .reg .b64 %in, %gin, %out, %acc, %local, %glocal;\n");
    if (g->has_local) strbuf_puts(out, "    .local .align 16 .b8 depot[64];\n");
}

static void start_function(struct gen *g)
{
    strbuf_clear(&g->body);
    for (int c = 0; c < CLASS_COUNT; c++) {
        g->pools[c].count = 0;
        g->next[c] = 1;
    }
    g->history_count = g->depth = 0;
    g->repeats = 1;
    g->some_exited = g->warp_together = g->touching = false;
}

// Defines registers in every pool, so every kind of operand has a candidate.
static void seed_pools(struct gen *g)
{
    static const char *const types[] = {"u32", "u64", "u16", "f32", "f64"};
    static const char letters[] = {'r', 'd', 'h', 'f', 'g'};
    char value[32];
    for (int c = 0; c < CLASS_P; c++) {
        if (g->pools[c].count) continue;
        constant_text(g, letters[c], value, sizeof value);
        unsigned d = fresh(g, (enum reg_class)c);
        line(g, "mov.%s %s%u, %s;", types[c], class_prefix((enum reg_class)c), d, value);
        define(g, (enum reg_class)c, d, false);
    }
    unsigned p = fresh(g, CLASS_P);
    line(g, "setp.lt.s32 %%p%u, %%r%d, %d;", p, pick(g, CLASS_R), (int)special_u32(g));
    define(g, CLASS_P, p, false);
}

static void open_local(struct gen *g)
{
    if (!g->has_local) return;
    line(g, "mov.u64 %%local, depot;");
    line(g, "cvta.local.u64 %%glocal, %%local;");
    for (unsigned k = 0; k < 64; k += 8) line(g, "st.local.u64 [%%local+%u], 0;", k);
}

// Writes a function: parameters to registers, statements, a result from any defined register.
static void write_function(struct gen *g, struct strbuf *out, unsigned index)
{
    static const char *const types[] = {".b32", ".b64", ".b32", ".f32", ".f64"};
    const struct signature *s = &g->functions[index];
    start_function(g);
    g->in_kernel = g->uniform = false;
    g->function_current = index;
    g->has_local = chance(g, 40);
    strbuf_printf(out, ".func (.param %s result) fn%u(", types[s->result], index);
    for (unsigned k = 0; k < s->param_count; k++)
        strbuf_printf(out, "%s.param %s p%u", k ? ", " : "", types[s->params[k]], k);
    strbuf_puts(out, ")\n{\n");
    unsigned depth = 0;
    for (unsigned k = 0; k < s->param_count; k++) {
        unsigned d = fresh(g, s->params[k]);
        line(g, "ld.param%s %s%u, [p%u];", types[s->params[k]], class_prefix(s->params[k]), d, k);
        define(g, s->params[k], d, s->recursive && k == 0);
        if (k == 0) depth = d;
    }
    seed_pools(g);
    open_local(g);
    g->left = 10;
    statements(g, 6);
    if (s->recursive) {
        unsigned p = fresh(g, CLASS_P), less = fresh(g, CLASS_R), base = g->next_label++;
        line(g, "setp.lt.s32 %%p%u, %%r%u, 1;", p, depth);
        line(g, "@%%p%u bra L%u;", p, base);
        struct mark m = mark_pools(g);
        line(g, "sub.s32 %%r%u, %%r%u, 1;", less, depth);
        call_function(g, index, (int)less);
        line(g, "st.param%s [result], %s%d;", types[s->result], class_prefix(s->result), pick(g, s->result));
        line(g, "ret;");
        reset_pools(g, m);
        strbuf_printf(&g->body, "L%u:\n", base);
    }
    line(g, "st.param%s [result], %s%u;", types[s->result], class_prefix(s->result),
         operation_into(g, s->result));
    line(g, "ret;");
    write_declarations(g, out);
    strbuf_write(out, g->body.text, g->body.length);
    strbuf_puts(out, "}\n\n");
}

// Writes a function that reads and changes its caller's local array through a generic pointer.
static void write_touch(struct gen *g, struct strbuf *out)
{
    start_function(g);
    g->in_kernel = g->uniform = g->has_local = false;
    g->function_current = 0;
    strbuf_puts(out, ".func (.param .b32 result) touch(.param .b64 array, .param .b32 value)\n{\n");
    line(g, "ld.param.b64 %%glocal, [array];");
    line(g, "ld.param.b32 %%r1, [value];");
    g->next[CLASS_R] = 2;
    define(g, CLASS_R, 1, false);
    seed_pools(g);
    g->has_local = g->touching = true;
    g->left = 8;
    statements(g, 6);
    line(g, "st.param.b32 [result], %%r%u;", operation_into(g, CLASS_R));
    line(g, "ret;");
    g->has_local = false;
    write_declarations(g, out);
    strbuf_write(out, g->body.text, g->body.length);
    strbuf_puts(out, "}\n\n");
}

static void choose_functions(struct gen *g)
{
    g->function_count = g->options.no_calls || chance(g, 40) ? 0 : 1 + below(g, FUNCTIONS_MAX);
    for (unsigned k = 0; k < g->function_count; k++) {
        struct signature *s = &g->functions[k];
        static const enum reg_class classes[] = {CLASS_R, CLASS_D, CLASS_F, CLASS_G};
        s->recursive = k >= 2 && chance(g, 50);
        s->result = classes[below(g, 4)];
        s->param_count = 1 + below(g, chance(g, 25) ? PARAMS_MAX : 3);
        for (unsigned p = 0; p < s->param_count; p++) s->params[p] = classes[below(g, 4)];
        if (s->recursive) s->params[0] = CLASS_R;
        if (k == 1) *s = g->functions[0];
    }
}

static void kernel_prologue(struct gen *g)
{
    static const char *const lines[] = {"mov.u32 %r1, %tid.x;",
                                        "mov.u32 %r2, %tid.y;",
                                        "mov.u32 %r3, %tid.z;",
                                        "mov.u32 %r4, %ntid.x;",
                                        "mov.u32 %r5, %ntid.y;",
                                        "mad.lo.u32 %r6, %r3, %r5, %r2;",
                                        "mad.lo.u32 %thread, %r6, %r4, %r1;",
                                        "mov.u32 %r7, %ctaid.x;",
                                        "mov.u32 %r8, %ctaid.y;",
                                        "mov.u32 %r9, %ctaid.z;",
                                        "mov.u32 %r10, %nctaid.x;",
                                        "mov.u32 %r11, %nctaid.y;",
                                        "mad.lo.u32 %r12, %r9, %r11, %r8;",
                                        "mad.lo.u32 %cta, %r12, %r10, %r7;",
                                        "ld.param.u32 %nt, [n];",
                                        "mov.u32 %n, %nctaid.x;",
                                        "ld.param.s32 %a, [a];",
                                        "ld.param.u64 %gin, [in];",
                                        "cvta.to.global.u64 %in, %gin;",
                                        "ld.param.u64 %rd1, [out];",
                                        "cvta.to.global.u64 %rd2, %rd1;",
                                        "mad.lo.u32 %r13, %cta, %nt, %thread;"};
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) line(g, "%s", lines[k]);
    g->next[CLASS_R] = 14;
    g->next[CLASS_D] = 4;
    line(g, "mad.wide.u32 %%out, %%r13, %d, %%rd2;", GENERATOR_OUT_BYTES);
    line(g, "ld.param.u64 %%rd3, [acc];");
    line(g, "cvta.to.global.u64 %%acc, %%rd3;");
    line(g, "mov.u32 %%shared, slots;");
    line(g, "mad.lo.u32 %%mine, %%thread, 16, %%shared;");
    for (unsigned k = 1; k < 14; k++)
        if (k != 6 && k != 12) define(g, CLASS_R, k, true);
    open_local(g);
    for (unsigned k = 0; k < 4; k++) { // a thread's own words of the input
        unsigned d = fresh(g, CLASS_R), at = fresh(g, CLASS_D), i = fresh(g, CLASS_R);
        line(g, "mad.lo.u32 %%r%u, %%thread, %u, %u;", i, 4 + k, below(g, 1000));
        unsigned m = fresh(g, CLASS_R);
        line(g, "and.b32 %%r%u, %%r%u, 1023;", m, i);
        line(g, "mad.wide.u32 %%rd%u, %%r%u, 4, %%in;", at, m);
        line(g, "ld.global.u32 %%r%u, [%%rd%u];", d, at);
        define(g, CLASS_R, d, false);
    }
    define(g, CLASS_R, g->next[CLASS_R] - 1, false);
}

// Hashes every defined register; stores the most recent values unhashed as well.
static void kernel_epilogue(struct gen *g, const struct param_list *list)
{
    unsigned hash = fresh(g, CLASS_D), t = fresh(g, CLASS_D), r = fresh(g, CLASS_R);
    line(g, "mov.u64 %%rd%u, 0x9e3779b97f4a7c15;", hash);
    static const unsigned room[] = {8, 6, 2, 6, 4, 0};
    unsigned at = 8;
    for (int c = 0; c < CLASS_COUNT; c++) {
        const struct pool *p = &g->pools[c];
        const char *prefix = class_prefix((enum reg_class)c);
        for (unsigned k = 0; k < p->count; k++) {
            unsigned v = p->v[k].number;
            bool last = k + room[c] >= p->count;
            static const char *const types[] = {"b32", "b64", "b16", "f32", "f64"};
            if (last && c != CLASS_P && at < 128 - 8) {
                line(g, "st.global.%s [%%out+%u], %s%u;", types[c], at, prefix, v);
                at += c == CLASS_D || c == CLASS_G || (at & 4) ? 8 - (at & 4) : 4;
                if ((c == CLASS_D || c == CLASS_G || c == CLASS_F) && at & 4) at += 4;
            }
            if (c == CLASS_R)
                line(g, "cvt.u64.u32 %%rd%u, %%r%u;", t, v);
            else if (c == CLASS_D)
                line(g, "mov.b64 %%rd%u, %%rd%u;", t, v);
            else if (c == CLASS_H)
                line(g, "cvt.u64.u16 %%rd%u, %%rs%u;", t, v);
            else if (c == CLASS_G)
                line(g, "mov.b64 %%rd%u, %%fd%u;", t, v);
            else if (c == CLASS_P)
                line(g, "selp.u64 %%rd%u, 1, 0, %%p%u;", t, v);
            else {
                line(g, "mov.b32 %%r%u, %%f%u;", r, v);
                line(g, "cvt.u64.u32 %%rd%u, %%r%u;", t, r);
            }
            line(g, "mad.lo.u64 %%rd%u, %%rd%u, 31, %%rd%u;", hash, hash, t);
        }
    }
    param_list_fold(list, &g->body);
    line(g, "mad.lo.u64 %%rd%u, %%rd%u, 31, %%params;", hash, hash);
    line(g, "st.global.u64 [%%out], %%rd%u;", hash);
    line(g, "ret;");
}

static void write_kernel(struct gen *g, struct strbuf *out)
{
    struct param_list list;
    param_list_make(g->g, &list);
    start_function(g);
    g->in_kernel = g->uniform = true;
    g->function_current = FUNCTIONS_MAX;
    g->has_local = chance(g, 60);
    kernel_prologue(g);
    seed_pools(g);
    unsigned wanted = g->options.statements ? g->options.statements : 10 + below(g, chance(g, 10) ? 120 : 30);
    g->left = 3 * wanted;
    statements(g, wanted);
    kernel_epilogue(g, &list);
    strbuf_puts(out, ".visible .entry k(");
    param_list_declare(&list, out);
    strbuf_puts(out, ")\n{\n    .reg .b64 %param, %params;\n");
    write_declarations(g, out);
    strbuf_printf(out, "    .shared .align 16 .b8 slots[%u];\n", 16 * g->threads);
    strbuf_puts(out, "    .shared .align 4 .b32 counters[8];\n");
    strbuf_write(out, g->body.text, g->body.length);
    strbuf_puts(out, "}\n");
}

void generator_make(uint64_t seed, const struct generator_options *options, struct generated *out)
{
    struct gen *g = heap_alloc(sizeof *g);
    struct strbuf module = {0};
    *out = (struct generated){.seed = seed, .mixed = true};
    rng_init(&g->rng, hash_u64(seed + 1));
    if (options) g->options = *options;
    g->g = out;
    choose_launch(g);
    choose_functions(g);
    write_table(g, &module, ".const", "ctab");
    write_table(g, &module, ".global", "gtab");
    if (!g->options.no_calls) write_touch(g, &module);
    for (unsigned k = 0; k < g->function_count; k++) write_function(g, &module, k);
    write_kernel(g, &module);
    out->lanes = !g->options.no_lanes;
    generated_comment(out, &out->text);
    strbuf_puts(&out->text, "\n.version 7.8\n.target sm_80\n.address_size 64\n\n");
    strbuf_write(&out->text, module.text, module.length);
    strbuf_fini(&module);
    strbuf_fini(&g->body);
    free(g);
}
