// The differential test: generated kernels in every variant against the oracle. Long form: 10,000
// kernels. Fails when a variant leaves other memory, refuses a kernel, faults, crashes or hangs.
//
// For investigating one failure:
//
//     build/tests/differential/test_differential hunt [--seed N] [--count N] [--variant NAME]
//                                                        [--set KEY=VALUE]
//     build/tests/differential/test_differential shrink --seed N --variant NAME [--set KEY=VALUE]
//     build/tests/differential/test_differential file PATH [--variant NAME] [--set KEY=VALUE]
//     build/tests/differential/test_differential print --seed N
#include "harness/files.h"
#include "harness/test.h"

#include "base/file.h"
#include "differential/differential.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

// Shrinks a finding and writes the kernel beside the build.
static void keep(const struct finding *f, const char *extra, char *path, size_t size)
{
    struct generated g;
    struct generator_options o = options_of(f->seed);
    const char *why;
    generator_make(f->seed, &o, &g);
    if (f->verdict != INVALID) shrink(&g.text, variants[f->variant].settings, extra, f->verdict, false);
    mkdir("build", 0777);
    mkdir("build/differential", 0777);
    snprintf(path, size, "build/differential/seed-%llu-%s.ptx", (unsigned long long)f->seed,
             variants[f->variant].name);
    if (!file_write(path, g.text.text, g.text.length, &why)) snprintf(path, size, "nowhere: %s", why);
    generated_fini(&g);
}

static void report(struct test *t, const struct finding *f, const char *extra)
{
    char path[256];
    keep(f, extra, path, sizeof path);
    test_fail(t, __FILE__, __LINE__, "seed %llu, %s: %s: %s\n    shrunk to %s", (unsigned long long)f->seed,
              variants[f->variant].name, verdict_name(f->verdict), f->why, path);
}

static void test_programs(struct test *t)
{
    struct finding found[4];
    struct hunt h = {.first = test_seed(1),
                     .count = test_is_long()    ? 10000
                              : test_is_quick() ? 60
                                                : 300,
                     .only_variant = -1,
                     .stop_after = 3};
    unsigned count = hunt(&h, found, 4);
    printf("  seeds %llu to %llu: %llu kernels, %llu comparisons with the oracle\n",
           (unsigned long long)h.first, (unsigned long long)(h.first + h.count - 1),
           (unsigned long long)h.programs, (unsigned long long)h.comparisons);
    for (unsigned k = 0; k < count; k++) report(t, &found[k], NULL);
    CHECK(t, count || h.programs == h.count);
    CHECK(t, count || h.comparisons >= 3 * h.programs);
}

// Small kernels of past failures, in every variant.
static void test_kept(struct test *t)
{
    glob_t files;
    CHECK(t, glob("tests/differential/kept/*.ptx", 0, NULL, &files) == 0);
    for (size_t k = 0; k < files.gl_pathc; k++) {
        char *text = test_read_file(t, files.gl_pathv[k], NULL);
        struct strbuf why = {0};
        for (unsigned v = 0; *text && v < variant_count; v++) {
            struct generated g;
            if (!variant_available(v) || !generated_read(text, &g) || (variants[v].any_warp_size && g.lanes))
                continue;
            enum verdict verdict = judge(text, variants[v].settings, NULL, 0, 60, &why);
            CHECK_MSG(t, verdict == SAME, "%s, %s: %s: %s", files.gl_pathv[k], variants[v].name,
                      verdict_name(verdict), strbuf_text(&why));
        }
        free(text);
        strbuf_fini(&why);
    }
    globfree(&files);
}

// ---- investigating

struct request {
    uint64_t seed, count;
    int variant;
    const char *extra, *path;
};

static bool parse_request(int argc, char **argv, struct request *r)
{
    *r = (struct request){.seed = 1, .count = 1000, .variant = -1};
    for (int k = 2; k < argc; k++) {
        const char *value = k + 1 < argc ? argv[k + 1] : "";
        if (str_equal(argv[k], "--seed"))
            r->seed = strtoull(value, NULL, 0), k++;
        else if (str_equal(argv[k], "--count"))
            r->count = strtoull(value, NULL, 0), k++;
        else if (str_equal(argv[k], "--set"))
            r->extra = value, k++;
        else if (str_equal(argv[k], "--variant")) {
            for (unsigned v = 0; v < variant_count; v++)
                if (str_equal(variants[v].name, value)) r->variant = (int)v;
            if (r->variant < 0) return fprintf(stderr, "no variant \"%s\"\n", value), false;
            k++;
        } else
            r->path = argv[k];
    }
    return true;
}

static int run_hunt(const struct request *r)
{
    struct finding found[64];
    struct hunt h = {.first = r->seed, .count = r->count, .only_variant = r->variant, .extra = r->extra};
    unsigned count = hunt(&h, found, 64);
    for (unsigned k = 0; k < count; k++)
        printf("seed %llu %s %s: %s\n", (unsigned long long)found[k].seed, variants[found[k].variant].name,
               verdict_name(found[k].verdict), found[k].why);
    printf("%llu kernels, %llu comparisons, %u findings\n", (unsigned long long)h.programs,
           (unsigned long long)h.comparisons, count);
    return count != 0;
}

static int run_shrink(const struct request *r)
{
    struct generated g;
    struct strbuf why = {0};
    struct generator_options o = options_of(r->seed);
    unsigned v = r->variant < 0 ? 0 : (unsigned)r->variant;
    generator_make(r->seed, &o, &g);
    if (r->path) {
        char *text = NULL;
        size_t length = 0;
        const char *reason = NULL;
        if (!file_read(r->path, &text, &length, &reason))
            return fprintf(stderr, "%s: %s\n", r->path, reason), 1;
        strbuf_clear(&g.text);
        strbuf_write(&g.text, text, length);
        free(text);
    }
    enum verdict wanted = judge(strbuf_text(&g.text), variants[v].settings, r->extra, 0, 60, &why);
    fprintf(stderr, "%s: %s: %s\n", variants[v].name, verdict_name(wanted), strbuf_text(&why));
    if (wanted > INVALID) shrink(&g.text, variants[v].settings, r->extra, wanted, true);
    fputs(strbuf_text(&g.text), stdout);
    judge(strbuf_text(&g.text), variants[v].settings, r->extra, 0, 60, &why);
    fprintf(stderr, "%s\n", strbuf_text(&why));
    generated_fini(&g);
    strbuf_fini(&why);
    return wanted != SAME;
}

// Prints the verdict of every variant on one kernel.
static int run_file(const struct request *r)
{
    char *text = NULL;
    size_t length = 0;
    const char *reason = NULL;
    struct strbuf why = {0};
    int bad = 0;
    if (!r->path || !file_read(r->path, &text, &length, &reason))
        return fprintf(stderr, "%s: %s\n", r->path, reason), 1;
    for (unsigned v = 0; v < variant_count; v++) {
        if (!variant_available(v)) continue;
        if (r->variant >= 0 && v != (unsigned)r->variant) continue;
        enum verdict verdict = judge(text, variants[v].settings, r->extra, 0, 60, &why);
        printf("%-24s %s %s\n", variants[v].name, verdict_name(verdict), strbuf_text(&why));
        bad |= verdict != SAME;
    }
    free(text);
    strbuf_fini(&why);
    return bad;
}

static int investigate(int argc, char **argv)
{
    struct request r;
    if (!parse_request(argc, argv, &r)) return 2;
    if (str_equal(argv[1], "hunt")) return run_hunt(&r);
    if (str_equal(argv[1], "shrink")) return run_shrink(&r);
    if (str_equal(argv[1], "file")) return run_file(&r);
    struct generated g;
    struct generator_options o = options_of(r.seed);
    generator_make(r.seed, &o, &g);
    fputs(strbuf_text(&g.text), stdout);
    generated_fini(&g);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"kept kernels", test_kept}, {"programs", test_programs}};
    static const char *const commands[] = {"hunt", "shrink", "file", "print"};
    for (size_t k = 0; argc > 1 && k < TEST_COUNT(commands); k++)
        if (str_equal(argv[1], commands[k])) return investigate(argc, argv);
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
