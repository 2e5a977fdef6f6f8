// Locality of accesses reaching L1 (Xiang's dissertation, 5.2). P(w, n) is the probability of an access
// returning to its neighbourhood of n bytes within w accesses. The window may also count w different blocks
// of n bytes, as in a cache of w blocks. The verdict concerns fetching lines by twos and fours. Launches are
// timed, because the order of accesses depends on the scheduling of many warps.
//
//     SM 0   ─ line ─ line ─ line ─▶ ┐
//     SM 1   ─ line ──── line ─────▶ ┼─▶ streams of the chip, an SM, a block, a warp ─▶ P(w, n)
#include "base/bits.h"
#include "base/reuse.h"
#include "exec/warp.h"
#include "memory/config.h"
#include "study/stream.h"
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

enum { NEIGHBOURHOODS = 13 }; // 1, 2 … 4,096 bytes
enum { FILE_LINE_BYTES = 128, FILE_BLOCKS = 128 };

struct accesses { // of a kernel
    struct stream stream;
    unsigned line, blocks; // log2, rounded down, of the line's bytes and of the number of lines in L1
};

struct state {
    uint32_t launches;
    VEC(struct accesses *) of_kernels; // heap; freed at the end
};

// -- observing ----------------------------------------------------------------------------------------------

struct of_launch {
    uint32_t number;
    struct study *study;
    struct accesses *to;
};

struct on_sm {
    struct sm_grid *grid;
    const struct of_launch *launch;
    struct stream here;
};

static struct accesses *accesses_of(struct study *s)
{
    struct state *state = s->state;
    if (!s->kernel->data) {
        s->kernel->data = heap_alloc(sizeof(struct accesses));
        vec_push(&state->of_kernels, s->kernel->data);
    }
    return s->kernel->data;
}

static unsigned log2_below(uint64_t n)
{
    unsigned k = 0;
    while (n >>= 1) k++;
    return k;
}

// Called once per kind of SM.
static void *launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    struct study *s = (struct study *)u->options;
    struct state *state = s->state;
    const struct gpu_config *c = &l->kind->config;
    struct of_launch *launch = heap_alloc(sizeof *launch);
    if (study_is_new(s, l->launch)) {
        study_kernel_enter(s, l->launch);
        state->launches++;
    }
    *launch = (struct of_launch){state->launches, s, accesses_of(s)};
    launch->to->line = log2_below(l->memory->line_bytes);
    launch->to->blocks = log2_below((uint64_t)c->l1_sets * c->l1_ways);
    return launch;
}

static void *sm_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct on_sm *o = heap_alloc(sizeof *o);
    (void)counts;
    *o = (struct on_sm){.grid = grid, .launch = launch};
    return o;
}

static void keep(struct stream *s, const struct stream_access *a, uint64_t most)
{
    if (s->list.count < most)
        vec_push(&s->list, *a);
    else
        s->left_out++;
}

// Called once the launch has ended on all SMs, on one thread. Adds the SM's accesses to the kernel's, up to
// study.accesses.
static void sm_end(void *state)
{
    struct on_sm *o = state;
    struct stream *to = &o->launch->to->stream;
    for (size_t k = 0; k < o->here.list.count; k++)
        keep(to, &o->here.list.data[k], o->launch->study->settings.accesses);
    to->left_out += o->here.left_out;
    vec_fini(&o->here.list);
    free(o);
}

static void access_line(void *state, const struct tech_line *l)
{
    struct on_sm *o = state;
    bool is_load = l->kind == LSU_LOAD || l->kind == LSU_LOCAL_LOAD,
         is_store = l->kind == LSU_STORE || l->kind == LSU_LOCAL_STORE;
    if (!is_load && !(is_store && o->launch->study->settings.stores)) return;
    const struct stream_access a = {.address = l->line + l->first,
                                    .cycle = tech_now(o->grid),
                                    .block = l->block,
                                    .launch = o->launch->number,
                                    .sm = (uint16_t)tech_index(o->grid),
                                    .warp = (uint16_t)l->warp};
    keep(&o->here, &a, o->launch->study->settings.accesses);
}

static const struct tech looks_on = {
    .name = "locality",
    .meaning = "looks on",
    .skipped = -1,
    .reused = -1,
    .launch_begin = launch_begin,
    .launch_end = free,
    .sm_begin = sm_begin,
    .sm_end = sm_end,
    .lines = &(const struct tech_lines){.access = access_line},
};

// -- a file -------------------------------------------------------------------------------------------------

static bool read_file(struct study *s, const char *text, uint32_t source, struct diag *d)
{
    s->kernel = ARENA_NEW(&s->arena, struct study_kernel);
    s->kernel->name = "accesses of a file";
    vec_push(&s->kernels, s->kernel);
    struct accesses *a = accesses_of(s);
    a->line = log2_below(FILE_LINE_BYTES);
    a->blocks = log2_below(FILE_BLOCKS);
    return stream_read(&a->stream, text, source, d);
}

// -- report -------------------------------------------------------------------------------------------------

#define KERNEL_COLUMNS                                                                                       \
    {"workload", "bundled workload"}, {"kernel", "its entry"}, { "block", "threads in x, y, z" }
#define COLUMNS(c) c, sizeof(c) / sizeof(c)[0]

struct mesh {
    struct reuse_counts of[NEIGHBOURHOODS];
};

static void make_mesh(struct study *s, struct accesses *a, enum stream_level level, struct mesh *m)
{
    struct reuse *r = reuse_create(a->stream.list.count);
    uint64_t *addresses = heap_alloc((a->stream.list.count + 1) * sizeof *addresses);
    *m = (struct mesh){0};
    stream_sort(&a->stream, level);
    for (unsigned n = 0; n < NEIGHBOURHOODS; n++)
        stream_count(&a->stream, level, n, (enum reuse_window)s->settings.window, r, addresses, &m->of[n]);
    free(addresses);
    reuse_destroy(r);
}

// Reuse probability in a cache of L1's capacity, with blocks of 1 << more lines and at least one block.
static double at_capacity(const struct accesses *a, const struct mesh *m, unsigned more)
{
    unsigned window = a->blocks > more ? a->blocks - more : 0;
    return reuse_probability(&m->of[a->line + more], window < REUSE_WINDOWS ? window : REUSE_WINDOWS - 1);
}

static void add_verdict(struct study_table *t, const struct study_kernel *k, const struct mesh *m)
{
    const struct accesses *a = k->data;
    double lines = at_capacity(a, m, 0), pairs = at_capacity(a, m, 1), fours = at_capacity(a, m, 2);
    study_kernel_cells(t, k);
    study_count(t, a->stream.list.count);
    study_count(t, 1u << a->blocks);
    study_share(t, lines);
    study_share(t, pairs);
    study_share(t, fours);
    study_text(t, "%s", reuse_verdict_names[reuse_verdict(lines, pairs, fours)]);
}

static void add_mesh(struct study_table *t, const struct study_kernel *k, enum stream_level level,
                     const struct mesh *m)
{
    for (unsigned w = 0; w < REUSE_WINDOWS; w++) {
        study_kernel_cells(t, k);
        study_text(t, "%s", stream_level_names[level]);
        study_count(t, 1u << w);
        for (unsigned n = 0; n < NEIGHBOURHOODS; n++) study_share(t, reuse_probability(&m->of[n], w));
    }
}

static bool is_wanted(const struct study *s, enum stream_level level)
{
    return s->settings.level == STREAM_LEVELS || s->settings.level == (int)level;
}

static void report(struct study *s, struct study_report *r)
{
    static const struct study_column verdicts[] = {
        KERNEL_COLUMNS,
        {"accesses", "line accesses of loads and stores, as sent by the load/store units"},
        {"lines", "capacity of an L1, in lines"},
        {"p1", "share of an SM's accesses with reuse of the line within as many accesses as lines"},
        {"p2", "with reuse of the pair of lines, within half as many"},
        {"p4", "with reuse of the four lines, within a quarter"},
        {"verdict", "coarse: an L1 gains by fetching lines by twos or fours (--tech coarse)"}};
    static const struct study_column meshes[] = {
        KERNEL_COLUMNS,
        {"level", "stream of accesses: the chip's, an SM's, a block's, a warp's"},
        {"window", "window, in accesses or blocks (study.window)"},
        {"n1", "share with reuse of the byte"},
        {"n2", "reuse of the 2 aligned bytes"},
        {"n4", "reuse of the 4 aligned bytes"},
        {"n8", "reuse of the 8 aligned bytes"},
        {"n16", "reuse of the 16 aligned bytes"},
        {"n32", "reuse of the 32 aligned bytes"},
        {"n64", "reuse of the 64 aligned bytes"},
        {"n128", "reuse of the 128 aligned bytes"},
        {"n256", "reuse of the 256 aligned bytes"},
        {"n512", "reuse of the 512 aligned bytes"},
        {"n1024", "reuse of the 1,024 aligned bytes"},
        {"n2048", "reuse of the 2,048 aligned bytes"},
        {"n4096", "reuse of the 4,096 aligned bytes"}};
    struct study_table *t =
        study_table_add(r, "kernels", "Benefit of lines by twos or fours", COLUMNS(verdicts));
    struct study_table *d = study_table_add(r, "mesh", "Reuse by window and neighbourhood", COLUMNS(meshes));
    d->detail = true;
    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct study_kernel *k = s->kernels.data[i];
        struct accesses *a = k->data;
        if (!a || !a->stream.list.count) continue;
        for (unsigned level = 0; level < STREAM_LEVELS; level++) {
            struct mesh m;
            if (level != STREAM_SM && !is_wanted(s, (enum stream_level)level)) continue;
            make_mesh(s, a, (enum stream_level)level, &m);
            if (level == STREAM_SM) add_verdict(t, k, &m);
            if (is_wanted(s, (enum stream_level)level)) add_mesh(d, k, (enum stream_level)level, &m);
        }
        if (a->stream.left_out)
            study_note(r, "%s: the last %llu accesses are left out (study.accesses)", k->name,
                       (unsigned long long)a->stream.left_out);
    }
}

static void fini(struct study *s)
{
    struct state *state = s->state;
    for (size_t i = 0; i < state->of_kernels.count; i++) {
        vec_fini(&state->of_kernels.data[i]->stream.list);
        free(state->of_kernels.data[i]);
    }
    vec_fini(&state->of_kernels);
}

const struct study_class study_locality = {.state_bytes = sizeof(struct state),
                                           .timed = &looks_on,
                                           .read = read_file,
                                           .fini = fini,
                                           .report = report};
