// Every option of DARSIE, and every setting of the marks that widens sharing, has its intended effect. For
// every value a kernel, either bundled or a few lines of PTX in a block of the right shape, runs without and
// with the value. The figure in question moves by at least the stated amount; memory equals the unmodified
// GPU's; every shared value is what its reader would have computed.
#include "base/hash.h"
#include "base/str.h"
#include "harness/settings.h"
#include "workload/workload.h"

#include <stdlib.h>
#include <string.h>

// -- kernels ------------------------------------------------------------------------------------------------

// A kernel that computes twelve times with %i, and stores the
// result; %t is the thread's number in the block.
struct subject {
    // PTX that sets %i from %t and the special registers; %q, %n, %a, %b and %c are free
    const char *name, *index;
    uint32_t block[3];
};

static const struct subject subjects[] = {
    {"tid.x in 64x4", "mov.u32 %i, %tid.x;", {64, 4, 1}},
    {"tid.x in 96x2", "mov.u32 %i, %tid.x;", {96, 2, 1}},
    {"tid.x in 48x4", "mov.u32 %i, %tid.x;", {48, 4, 1}},
    {"tid.x in 48x3", "mov.u32 %i, %tid.x;", {48, 3, 1}}, // and half a warp
    {"tid.x in 8x8x4", "mov.u32 %i, %tid.x;", {8, 8, 4}},
    {"tid.x in 16x5", "mov.u32 %i, %tid.x;", {16, 5, 1}}, // and half a warp
    {"tid.y in 8x4x8", "mov.u32 %i, %tid.y;", {8, 4, 8}},
    {"tid.y in 8x8x4", "mov.u32 %i, %tid.y;", {8, 8, 4}},
    {"laneid in 128", "mov.u32 %i, %laneid;", {128, 1, 1}},
    {"laneid in 100", "mov.u32 %i, %laneid;", {100, 1, 1}}, // and four threads
    {"tid.x mod 32 in 128", "mov.u32 %i, %tid.x; and.b32 %i, %i, 31;", {128, 1, 1}},
    // Two versions of one register are never needed at a time.
    {"one register in 32x4",
     "mov.u32 %i, %tid.x; mov.u32 %n, 40;\n"
     "again: mad.lo.u32 %i, %i, 5, 1; sub.u32 %n, %n, 1; setp.ne.u32 %q, %n, 0; @%q bra again;",
     {32, 4, 1}},
    // Lanes part alike in all warps.
    {"lanes of 16x8 part",
     "mov.u32 %i, %tid.x; setp.lt.u32 %q, %i, 5; @%q bra there; mul.lo.u32 %i, %i, %i; there:",
     {16, 8, 1}},
    // The paper treats values merged at the join as redundant.
    {"join, then a barrier",
     "mov.u32 %n, %tid.y; mov.u32 %i, 1; setp.ne.u32 %q, %n, 0; @%q bra there; mov.u32 %i, 2;\n"
     "there: bar.sync 0;",
     {32, 4, 1}},
    // Every warp stores to its own words between loads that all warps share.
    {"loads between stores in 32x8",
     "mov.u32 %i, %tid.x; ld.param.u64 %a, [in]; mul.wide.u32 %b, %i, 4; add.u64 %a, %a, %b;\n"
     "ld.param.u64 %b, [out]; mul.wide.u32 %c, %t, 4; add.u64 %b, %b, %c; mov.u32 %n, 8;\n"
     "again: ld.global.u32 %i, [%a]; st.global.u32 [%b], %i; add.u64 %a, %a, 128; sub.u32 %n, %n, 1;\n"
     "setp.ne.u32 %q, %n, 0; @%q bra again;",
     {32, 8, 1}},
};

enum { IN_BYTES = 4096, OUT_BYTES = 4 * 4 * 1024, BLOCKS = 4 };

static void write_kernel(const struct subject *s, struct strbuf *text)
{
    strbuf_printf(
        text,
        ".version 7.8\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        "    .reg .b32 %%i, %%t, %%n, %%x, %%y, %%v<3>;\n    .reg .b64 %%a, %%b, %%c;\n    .reg .pred %%q;\n"
        "    mov.u32 %%t, %%tid.z; mov.u32 %%x, %%ntid.y; mov.u32 %%y, %%tid.y;\n"
        "    mad.lo.u32 %%t, %%t, %%x, %%y; mov.u32 %%x, %%ntid.x; mov.u32 %%y, %%tid.x;\n"
        "    mad.lo.u32 %%t, %%t, %%x, %%y; mov.u32 %%y, %%ctaid.x; mad.lo.u32 %%t, %%y, %u, %%t;\n    ",
        s->block[0] * s->block[1] * s->block[2]);
    strbuf_puts(text, s->index);
    strbuf_puts(text, "\n    mov.u32 %v0, 77; mov.u32 %v1, 5;\n");
    for (unsigned k = 0; k < 6; k++)
        strbuf_printf(text, "    mad.lo.u32 %%v%u, %%v%u, %%i, %u; xor.b32 %%v%u, %%v%u, %%v%u;\n", k % 3,
                      (k + 1) % 2, 3 + k, (k + 1) % 3, k % 3, (k + 1) % 2);
    strbuf_puts(text,
                "    add.u32 %v0, %v0, %v1; add.u32 %v0, %v0, %v2; ld.param.u64 %a, [out];\n"
                "    mul.wide.u32 %b, %t, 4; add.u64 %a, %a, %b; st.global.u32 [%a], %v0;\n    ret;\n}\n");
}

struct figures {
    uint64_t hash, mismatches;
    struct {
        char name[64];
        uint64_t value;
    } counters[512];
    size_t count;
};

static uint64_t *figure(struct figures *f, const char *name)
{
    for (size_t k = 0; k < f->count; k++)
        if (strcmp(f->counters[k].name, name) == 0) return &f->counters[k].value;
    snprintf(f->counters[f->count].name, sizeof f->counters[f->count].name, "%s", name);
    return &f->counters[f->count++].value;
}

static void add(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                const struct wf_stats *stats)
{
    struct figures *f = context;
    (void)kernel, (void)shape;
    *figure(f, "cycles") += stats->cycles;
    *figure(f, "mismatches") += stats->verify_mismatches == WF_UNKNOWN ? 0 : stats->verify_mismatches;
    for (size_t k = 0; k < stats->counter_count; k++)
        *figure(f, stats->counters[k].name) += stats->counters[k].value;
}

static enum wf_status run_subject(struct wf_context *c, const struct subject *s, struct figures *f)
{
    struct strbuf text = {0};
    uint32_t in[IN_BYTES / 4], out[OUT_BYTES / 4];
    uint64_t args[2] = {wf_alloc(c, IN_BYTES), wf_alloc(c, OUT_BYTES)};
    struct wf_launch_config shape = {.grid = {BLOCKS, 1, 1}};
    struct wf_stats stats = {0};
    write_kernel(s, &text);
    for (uint32_t k = 0; k < IN_BYTES / 4; k++) in[k] = 7 * k;
    wf_write(c, args[0], in, IN_BYTES);
    wf_fill(c, args[1], 0, 4, OUT_BYTES / 4);
    memcpy(shape.block, s->block, sizeof shape.block);
    struct wf_module *m = wf_module_load(c, s->name, text.text, text.length);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    enum wf_status status = k ? wf_launch_packed(k, &shape, args, sizeof args, &stats) : WF_BAD_INPUT;
    if (status == WF_OK || status == WF_MISMATCH) {
        wf_read(c, args[1], out, OUT_BYTES);
        f->hash = hash_bytes(out, OUT_BYTES, 0);
        add(f, k, &shape, &stats);
    }
    strbuf_fini(&text);
    return status;
}

static enum wf_status run_workload(struct wf_context *c, const struct workload *w, struct figures *f)
{
    struct workload_options how = {
        .size = WORKLOAD_SMALL, .ptx = WORKLOAD_NVCC, .launched = add, .launched_context = f};
    struct workload_result r = {0};
    enum wf_status status = workload_run(w, c, &how, &r);
    f->hash = r.output_hash;
    return status;
}

// Syntax of `how`: "OPTIONS" of darsie, "base", or either with settings, "OPTIONS KEY=VALUE KEY=VALUE".
static void run(struct test *t, const char *name, const char *gpu, const char *settings, const char *how,
                bool verify, struct figures *f)
{
    struct wf_context *c = wf_context_create();
    char tech[200];
    const char *more = strchr(how, ' '), *nearest;
    int length = more ? (int)(more - how) : (int)strlen(how);
    snprintf(tech, sizeof tech,
             strncmp(how, "base", 4) == 0 ? "%.*s"
             : length                     ? "darsie:%.*s"
                                          : "darsie",
             length, how);
    *f = (struct figures){0};
    CHECK_EQ(t, wf_gpu(c, gpu), WF_OK);
    settings_apply(t, c, settings);
    if (more) settings_apply(t, c, more + 1);
    CHECK_MSG(t, wf_tech(c, tech) == WF_OK, "%s: %s", tech, wf_errors(c));
    wf_set_verify(c, verify);
    wf_set_max_cycles(c, 50000000);
    const struct workload *w = workload_find(name, &nearest);
    const struct subject *s = NULL;
    for (size_t k = 0; k < TEST_COUNT(subjects); k++)
        if (strcmp(subjects[k].name, name) == 0) s = &subjects[k];
    CHECK_MSG(t, w || s, "no kernel %s", name);
    enum wf_status status = w ? run_workload(c, w, f) : s ? run_subject(c, s, f) : WF_BAD_INPUT;
    CHECK_MSG(t, status == WF_OK || status == WF_MISMATCH, "%s with %s: %s", name, how, wf_errors(c));
    wf_context_destroy(c);
}

// -- expected effects ---------------------------------------------------------------------------------------

enum effect { MORE, FEWER, NONE_LEFT };

static const struct row {
    const char *kernel, *gpu, *settings; // settings: of both runs, and of the unmodified GPU's
    const char *without, *with;          // options of darsie, a blank, settings
    const char *counter;
    enum effect effect;
    uint64_t by; // at least
} rows[] = {
    // Sizes and ports.
    {"matrixMul", "tiny", "", "full=private", "entries=1,full=private", "darsie.private_full", MORE, 1500},
    {"matrixMul", "tiny", "", "", "registers=2", "darsie.private_registers", MORE, 3000},
    {"hotspot", "tiny", "launch.registers=32", "", "pool=block", "darsie.unshared_blocks", MORE, 20},
    {"hotspot", "tiny", "launch.registers=32 sm.registers=16384", "", "pool=reserve",
     "darsie.unshared_blocks", NONE_LEFT, 20},
    {"matrixMul", "tiny", "", "read-ports=1", "read-ports=8", "darsie.port_waits", NONE_LEFT, 900},
    {"hotspot", "tiny", "", "full=private", "full=private,write-ports=8", "cycles", FEWER, 700},
    {"matrixMul", "tiny", "", "", "coalescer=off", "darsie.lookups", MORE, 700},
    {"matrixMul", "tiny", "", "", "watchdog=60", "darsie.gave_up", MORE, 1},
    {"one register in 32x4", "tiny", "", "", "order=sync-on-write", "darsie.register_syncs", MORE, 170},
    {"hotspot", "gtx1080ti-paper", "", "", "bank-conflicts=off", "sm.operand.conflict_cycles", FEWER, 200},
    {"join, then a barrier", "tiny", "compile.disable=convert", "", "rules=paper", "mismatches", MORE, 20},
    // Stores.
    {"loads between stores in 32x8", "tiny", "", "", "on-store=keep", "darsie.drops", NONE_LEFT, 20},
    {"loads between stores in 32x8", "tiny", "", "", "on-store=overlap", "darsie.drops", NONE_LEFT, 20},
    {"loads between stores in 32x8", "tiny", "", "", "on-store=overlap", "darsie.skipped_loads", MORE, 150},
    {"matrixMul", "tiny", "compile.profile=sass", "", "on-barrier=over", "darsie.private_dropped", FEWER,
     400},
    // Branches.
    {"CP", "tiny", "", "", "branch-sync=parting", "darsie.branch_syncs", NONE_LEFT, 10},
    {"SRADv1", "tiny", "", "branch-sync=parting", "branch-sync=first", "darsie.branch_syncs", NONE_LEFT, 50},
    {"SRADv1", "tiny", "", "", "branch-sync=off", "darsie.branch_syncs", NONE_LEFT, 70},
    {"CP", "tiny", "", "branch-sync=parting,ahead=255", "branch-sync=parting,ahead=1", "darsie.ahead_waits",
     MORE, 15},
    {"lanes of 16x8 part", "tiny", "simt=stack compile.disable=convert", "", "diverged=on",
     "darsie.departures", NONE_LEFT, 10},
    {"lanes of 16x8 part", "tiny", "simt=stack compile.disable=convert", "", "diverged=on", "darsie.skipped",
     MORE, 100},
    // Waiting, and room.
    {"hotspot", "tiny", "", "", "early=on", "darsie.leader_waits", FEWER, 2500},
    {"matrixMul", "tiny", "", "", "pending=private", "darsie.leader_waits", FEWER, 300},
    {"matrixMul", "tiny", "", "entries=4,full=private", "entries=4,full=wait", "darsie.private_full", FEWER,
     1600},
    {"matrixMul", "tiny", "", "entries=4,full=private", "entries=4,full=loads", "darsie.skipped", MORE, 1500},
    {"hotspot", "tiny", "", "entries=2,full=private", "entries=2", "darsie.private_full", FEWER, 5000},
    {"CP", "tiny", "", "entries=2,full=private", "entries=2", "darsie.skipped", MORE, 1300},
    {"hotspot", "tiny", "", "entries=2,full=wait", "entries=2,full=loads", "darsie.register_syncs", NONE_LEFT,
     20},
    {"LIB", "tiny", "", "", "evict=on", "darsie.evictions", MORE, 20},
    {"LIB", "tiny", "", "pool=reserve", "pool=reserve,registers=64", "darsie.private_registers", FEWER, 3000},
    {"LIB", "tiny", "", "", "give-up=4", "darsie.gave_up", MORE, 1},
    {"LIB", "tiny", "", "", "give-up=4", "cycles", FEWER, 1000},
    {"LIB", "tiny", "", "give-up=4", "give-up=4,loss=100", "darsie.skipped", FEWER, 1},
    {"LIB", "tiny", "", "", "evict=on", "darsie.private_registers", NONE_LEFT, 7000},
    {"LIB", "tiny", "", "branch-sync=off", "branch-sync=off,evict=on", "darsie.skipped", MORE, 40000},
    // Kinds of shared values.
    {"one register in 32x4", "tiny", "", "", "predicates=on", "darsie.skipped", MORE, 240},
    {"hotspot", "tiny", "", "", "predicates=on", "darsie.skipped", MORE, 2000},
    {"tid.x in 16x5", "tiny", "", "", "partial=on", "darsie.skipped", MORE, 40},
    {"laneid in 100", "tiny", "mark.laneid=1", "", "partial=on", "darsie.skipped", MORE, 40},
    // Shapes of blocks, and kinds of redundancy.
    {"tid.x in 8x8x4", "tiny", "", " mark.blocks=two", " mark.blocks=any", "darsie.skipped", MORE, 200},
    {"stencil3d", "tiny", "", " mark.blocks=two", " mark.blocks=any", "darsie.skipped", MORE, 600},
    {"tid.y in 8x4x8", "tiny", "", "", " mark.tid_y=1", "darsie.skipped", MORE, 200},
    {"laneid in 128", "tiny", "", "", " mark.laneid=1", "darsie.skipped", MORE, 90},
    {"tid.x mod 32 in 128", "tiny", "", "", " mark.tid_x_mod=1", "darsie.skipped", MORE, 90},
    {"bitonicSort", "tiny", "", "", " mark.tid_x_mod=1", "darsie.skipped", MORE, 400},
    {"tid.x in 64x4", "tiny", "", "", " mark.warp_classes=1", "darsie.skipped", MORE, 180},
    {"tid.x in 96x2", "tiny", "", "", " mark.warp_classes=1", "darsie.skipped", MORE, 90},
    {"tid.x in 48x4", "tiny", "", "", " mark.warp_classes=1", "darsie.skipped", MORE, 90},
    {"tid.x in 48x3", "tiny", "", "", " mark.warp_classes=1", "darsie.skipped", MORE, 30},
    {"tid.x in 48x3", "tiny", "mark.warp_classes=1", "", "partial=on", "darsie.skipped", MORE, 20},
    {"tid.y in 8x8x4", "tiny", "mark.tid_y=1", "", " mark.warp_classes=1", "darsie.skipped", MORE, 180},
    {"stencil3d", "tiny", "mark.tid_y=1", "", " mark.warp_classes=1", "darsie.skipped", MORE, 600},
};

static void test_effects(struct test *t)
{
    static const char *const words[] = {[MORE] = "more", [FEWER] = "fewer", [NONE_LEFT] = "none left"};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        const struct row *r = &rows[k];
        struct figures base, without, with;
        run(t, r->kernel, r->gpu, r->settings, "base", true, &base);
        run(t, r->kernel, r->gpu, r->settings, r->without, true, &without);
        run(t, r->kernel, r->gpu, r->settings, r->with, true, &with);
        uint64_t before = *figure(&without, r->counter), after = *figure(&with, r->counter);
        bool moved = r->effect == MORE ? after >= before + r->by : after + r->by <= before;
        if (r->effect == NONE_LEFT) moved = moved && after == 0;
        CHECK_MSG(t, moved, "%s with \"%s\": %s is %llu, with \"%s\" %llu; expected %s by %llu", r->kernel,
                  r->without, r->counter, (unsigned long long)before, r->with, (unsigned long long)after,
                  words[r->effect], (unsigned long long)r->by);
        bool literal = strstr(r->with, "rules=paper") != NULL;
        CHECK_MSG(t, literal || with.hash == base.hash, "%s with \"%s\": other bytes", r->kernel, r->with);
        CHECK_MSG(t, without.hash == base.hash, "%s with \"%s\": other bytes", r->kernel, r->without);
        CHECK_MSG(t, literal || *figure(&with, "mismatches") == 0, "%s with \"%s\": mismatches", r->kernel,
                  r->with);
        CHECK_EQ(t, *figure(&without, "mismatches"), 0);
    }
}

// True if a row tries the option with this value; NULL: with any value.
static bool is_tried(const char *name, const char *value)
{
    char text[100];
    snprintf(text, sizeof text, "%s=%s", name, value ? value : "");
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        const char *at = strstr(rows[k].with, text);
        if (!at || (at > rows[k].with && at[-1] != ',' && at[-1] != ' ')) continue;
        char end = at[strlen(text)];
        if (!value || end == '\0' || end == ',' || end == ' ') return true;
    }
    return false;
}

// Every option has a row, and every value of an option that takes words.
static void test_all_have_one(struct test *t)
{
    struct wf_context *c = wf_context_create();
    struct wf_key key;
    for (size_t k = 0; wf_tech_key_at(c, "darsie", k, &key); k++) {
        CHECK_MSG(t, is_tried(key.name, NULL), "no row tries %s", key.name);
        char *copy = strdup(key.range), *rest = copy; // "a, b or c"
        for (char *word; strcmp(key.type, "word") == 0 && (word = strtok_r(rest, ", ", &rest)) != NULL;)
            CHECK_MSG(t,
                      strcmp(word, "or") == 0 || strcmp(word, key.initial) == 0 || is_tried(key.name, word),
                      "no row tries %s=%s", key.name, word);
        free(copy);
    }
    for (size_t k = 0; wf_key_at(c, k, &key); k++) {
        bool widens = strncmp(key.name, "mark.", 5) == 0 && strstr(key.meaning, "extension:");
        // Redundancy across blocks is of no use to a mechanism of a block; harts run RISC-V programs alone.
        if (widens && strcmp(key.name, "mark.grid") != 0 && strcmp(key.name, "mark.hart") != 0)
            CHECK_MSG(t, is_tried(key.name, NULL), "no row tries %s", key.name);
    }
    wf_context_destroy(c);
}

// Verification only observes: cycles and every energy event are equal without it.
static void test_verification_looks_on(struct test *t)
{
    static const char *const kernels[] = {"hotspot", "LIB", "SRADv1", "tid.x in 16x5"},
                             *const options[] = {"", "early=on,pending=private,branch-sync=first,evict=on,"
                                                     "full=wait,predicates=on,partial=on"};
    for (size_t k = 0; k < TEST_COUNT(kernels) * TEST_COUNT(options); k++) {
        const char *kernel = kernels[k / 2], *how = options[k % 2];
        struct figures seen, unseen;
        run(t, kernel, "tiny", "", how, true, &seen);
        run(t, kernel, "tiny", "", how, false, &unseen);
        CHECK_EQ(t, seen.count, unseen.count);
        for (size_t n = 0; n < unseen.count; n++)
            CHECK_MSG(t, unseen.counters[n].value == *figure(&seen, unseen.counters[n].name),
                      "%s with \"%s\": %s is %llu, verified %llu", kernel, how, unseen.counters[n].name,
                      (unsigned long long)unseen.counters[n].value,
                      (unsigned long long)*figure(&seen, unseen.counters[n].name));
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"effects", test_effects},
                                             {"all_have_one", test_all_have_one},
                                             {"verification_looks_on", test_verification_looks_on}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
