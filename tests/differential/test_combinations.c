// Random programs over random combinations of every choice: mechanisms with their options, GPUs, settings
// of the marks, the compiler, the timing model, warps of every size, threads of the host. A seed makes a
// program, its launch and a combination. Fails when memory differs from the oracle's.
//
// For investigating one failure:
//
//     build/tests/differential/test_combinations hunt [--seed N] [--count N] [--without TEXT]… [--with "…"]
//                                                     [--tech darsie]
//     build/tests/differential/test_combinations print --seed N
//     build/tests/differential/test_combinations shrink --seed N|PATH
//     build/tests/differential/test_combinations file PATH [--with "gpu=tiny tech=darsie …"]
//
// --without leaves out seeds whose combination contains TEXT. --tech draws options and keys around one
// mechanism on the small GPU. The second line of a file holds its combination.
#include "harness/test.h"

#include "base/file.h"
#include "differential/combination.h"
#include "tech/registry.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FINDINGS = 4, WITHOUT_MAX = 16 };

// Makes the seed's program. Its combination is `with`, drawn around mechanism `tech`, or any (NULL, NULL).
static void make(uint64_t seed, const char *with, const struct tech *tech, struct generated *g,
                 struct combination *c)
{
    combination_program(seed, g);
    if (with)
        combination_read(with, c);
    else if (tech)
        combination_draw_with(seed, g, &tech, 1, c);
    else
        combination_draw(seed, g, c);
}

static enum verdict try_seed(uint64_t seed, struct strbuf *why)
{
    struct generated g;
    struct combination c;
    make(seed, NULL, NULL, &g, &c);
    enum verdict v = combination_try(g.text.text, &c, why);
    combination_fini(&c);
    generated_fini(&g);
    return v;
}

// "// launch …", "// with …", the program.
static void write_with(const struct strbuf *text, const struct combination *c, struct strbuf *out)
{
    struct strbuf parts = {0};
    size_t first = strcspn(strbuf_text(text), "\n");
    combination_write(c, &parts);
    strbuf_clear(out);
    strbuf_write(out, text->text, first);
    strbuf_printf(out, "\n// with %s", strbuf_text(&parts));
    strbuf_puts(out, strbuf_text(text) + first);
    strbuf_fini(&parts);
}

static void keep(uint64_t seed, const struct strbuf *text, const struct combination *c, char *path,
                 size_t size)
{
    struct strbuf out = {0};
    const char *why;
    write_with(text, c, &out);
    mkdir("build", 0777);
    mkdir("build/differential", 0777);
    snprintf(path, size, "build/differential/combination-%llu.ptx", (unsigned long long)seed);
    if (!file_write(path, out.text, out.length, &why)) snprintf(path, size, "nowhere: %s", why);
    strbuf_fini(&out);
}

static void report(struct test *t, const struct finding *f)
{
    struct generated g;
    struct combination c;
    char path[256];
    make(f->seed, NULL, NULL, &g, &c);
    if (f->verdict != INVALID) combination_shrink(&g.text, &c, f->verdict, false);
    keep(f->seed, &g.text, &c, path, sizeof path);
    test_fail(t, __FILE__, __LINE__,
              "program %llu: %s: %s\n    again: build/tests/differential/test_combinations file %s",
              (unsigned long long)f->seed, verdict_name(f->verdict), f->why, path);
    combination_fini(&c);
    generated_fini(&g);
}

static void test_programs(struct test *t)
{
    struct finding found[FINDINGS];
    struct hunt h = {.first = test_seed(1),
                     .count = test_is_long()    ? 20000
                              : test_is_quick() ? 100
                                                : 1000,
                     .try = try_seed,
                     .stop_after = FINDINGS - 1};
    unsigned count = hunt(&h, found, FINDINGS);
    printf("  programs %llu to %llu, each in a combination of its own\n", (unsigned long long)h.first,
           (unsigned long long)(h.first + h.programs - 1));
    for (unsigned k = 0; k < count; k++) report(t, &found[k]);
    CHECK(t, count || h.programs == h.count);
}

// -- rules left out ----------------------------------------------------------------------------------------

// Rules of a mechanism, each switched off by a bit of a test-only option.
static const struct {
    const char *name, *broken; // bits of enum darsie_rule
    const char *with;          // every setting the rule is needed for, and no further
    uint64_t within;           // programs
} rules[] = {{"versions", "darsie:broken=8192",
              "gpu=tiny tech=darsie:branch-sync=first,diverged=on,pending=private mark.warp_classes=1 "
              "simt=stack compile.optimise=0 host.cycles=10000000",
              300}};

// Runs a program without a rule: DIFFERS only if the program is right with the rule.
static enum verdict try_without(uint64_t seed, size_t rule, struct strbuf *why)
{
    struct generated g;
    struct combination c, kept;
    enum verdict v = SAME;
    make(seed, rules[rule].with, NULL, &g, &c);
    combination_read(rules[rule].with, &kept);
    if (!g.splits) {
        vec_push(&c.parts, strdup(rules[rule].broken));
        v = combination_judge(g.text.text, &c, 60, why);
        // a different fault
        if (v == DIFFERS && combination_judge(g.text.text, &kept, 60, why) != SAME) v = SAME;
    }
    combination_fini(&kept);
    combination_fini(&c);
    generated_fini(&g);
    return v;
}

// Without the rule, a wrong value must show; seeing it takes five options at once.
static void test_rules_left_out(struct test *t)
{
    for (size_t k = 0; k < TEST_COUNT(rules); k++) {
        struct strbuf why = {0};
        enum verdict v = SAME;
        uint64_t seed = 0;
        while (v != DIFFERS && seed < rules[k].within) v = try_without(++seed, k, &why);
        CHECK_MSG(t, v == DIFFERS, "without the rule %s: %s in %llu programs: %s", rules[k].name,
                  verdict_name(v), (unsigned long long)seed, strbuf_text(&why));
        printf("  without the rule %s: program %llu\n", rules[k].name, (unsigned long long)seed);
        strbuf_fini(&why);
    }
}

// -- files -------------------------------------------------------------------------------------------------

static enum verdict judge_file(const char *path, const char *with, struct strbuf *why)
{
    char *text = NULL;
    size_t length = 0;
    const char *reason = NULL;
    struct combination c;
    strbuf_clear(why);
    if (!file_read(path, &text, &length, &reason)) return strbuf_puts(why, reason), INVALID;
    const char *said = strstr(text, "// with ");
    combination_read(with ? with : said ? said + strlen("// with ") : "", &c);
    enum verdict v = combination_judge(text, &c, 60, why);
    combination_fini(&c);
    free(text);
    return v;
}

// Programs of past failures, each in the combination of its failure.
static void test_kept(struct test *t)
{
    glob_t files;
    struct strbuf why = {0};
    if (glob("tests/differential/combined/*.ptx", 0, NULL, &files) != 0) files.gl_pathc = 0;
    CHECK(t, files.gl_pathc > 0);
    for (size_t k = 0; k < files.gl_pathc; k++) {
        enum verdict v = judge_file(files.gl_pathv[k], NULL, &why);
        CHECK_MSG(t, v == SAME, "%s: %s: %s", files.gl_pathv[k], verdict_name(v), strbuf_text(&why));
    }
    strbuf_fini(&why);
    globfree(&files);
}

// -- investigating -----------------------------------------------------------------------------------------

struct request {
    uint64_t seed, count;
    const char *path, *with, *without[WITHOUT_MAX];
    const struct tech *tech;
    unsigned without_count;
};

static const struct tech *mechanism(const char *name)
{
    for (size_t k = 0; tech_at_index(k); k++)
        if (str_equal(tech_at_index(k)->name, name)) return tech_at_index(k);
    fprintf(stderr, "no mechanism %s\n", name);
    exit(2);
}

static struct request parse_request(int argc, char **argv)
{
    struct request r = {.seed = 1, .count = 1000};
    for (int k = 2; k < argc; k++) {
        const char *value = k + 1 < argc ? argv[k + 1] : "";
        bool option = argv[k][0] == '-';
        if (str_equal(argv[k], "--seed"))
            r.seed = strtoull(value, NULL, 0);
        else if (str_equal(argv[k], "--count"))
            r.count = strtoull(value, NULL, 0);
        else if (str_equal(argv[k], "--with"))
            r.with = value;
        else if (str_equal(argv[k], "--tech"))
            r.tech = mechanism(value);
        else if (str_equal(argv[k], "--without") && r.without_count < WITHOUT_MAX)
            r.without[r.without_count++] = value;
        else
            r.path = argv[k];
        k += option;
    }
    return r;
}

static bool is_wanted(const struct request *r, const struct combination *c)
{
    struct strbuf with = {0};
    bool wanted = true;
    combination_write(c, &with);
    for (unsigned k = 0; k < r->without_count; k++) wanted &= !strstr(strbuf_text(&with), r->without[k]);
    strbuf_fini(&with);
    return wanted;
}

static int run_hunt(const struct request *r)
{
    struct strbuf why = {0}, with = {0};
    unsigned findings = 0, tried = 0;
    for (uint64_t seed = r->seed; seed < r->seed + r->count; seed++) {
        struct generated g;
        struct combination c;
        make(seed, r->with, r->tech, &g, &c);
        if (is_wanted(r, &c)) {
            enum verdict v = combination_judge(g.text.text, &c, 60, &why);
            tried++;
            findings += v != SAME;
            combination_write(&c, &with);
            if (v != SAME)
                printf("%llu %s: %.*s\n    %s\n", (unsigned long long)seed, verdict_name(v),
                       (int)strcspn(strbuf_text(&why), "\n"), strbuf_text(&why), strbuf_text(&with));
            fflush(stdout);
        }
        combination_fini(&c);
        generated_fini(&g);
    }
    printf("%u programs, %u findings\n", tried, findings);
    strbuf_fini(&with);
    strbuf_fini(&why);
    return findings != 0;
}

static int run_shrink(const struct request *r)
{
    struct generated g;
    struct combination c;
    struct strbuf why = {0}, out = {0};
    make(r->seed, r->with, r->tech, &g, &c);
    enum verdict v = combination_judge(strbuf_text(&g.text), &c, 60, &why);
    fprintf(stderr, "%s: %s\n", verdict_name(v), strbuf_text(&why));
    if (v > INVALID) combination_shrink(&g.text, &c, v, true);
    write_with(&g.text, &c, &out);
    fputs(strbuf_text(&out), stdout);
    combination_judge(strbuf_text(&g.text), &c, 60, &why);
    fprintf(stderr, "%s\n", strbuf_text(&why));
    strbuf_fini(&why);
    strbuf_fini(&out);
    combination_fini(&c);
    generated_fini(&g);
    return v != SAME;
}

static int run_file(const struct request *r)
{
    struct strbuf why = {0};
    enum verdict v = r->path ? judge_file(r->path, r->with, &why) : INVALID;
    printf("%s %s\n", verdict_name(v), strbuf_text(&why));
    strbuf_fini(&why);
    return v != SAME;
}

static int run_print(const struct request *r)
{
    struct generated g;
    struct combination c;
    struct strbuf out = {0};
    make(r->seed, r->with, r->tech, &g, &c);
    write_with(&g.text, &c, &out);
    fputs(strbuf_text(&out), stdout);
    strbuf_fini(&out);
    combination_fini(&c);
    generated_fini(&g);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"kept programs", test_kept}, {"programs", test_programs}, {"rules left out", test_rules_left_out}};
    static const struct {
        const char *name;
        int (*run)(const struct request *r);
    } commands[] = {{"hunt", run_hunt}, {"shrink", run_shrink}, {"file", run_file}, {"print", run_print}};
    for (size_t k = 0; argc > 1 && k < TEST_COUNT(commands); k++) {
        struct request r = parse_request(argc, argv);
        if (str_equal(argv[1], commands[k].name)) return commands[k].run(&r);
    }
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
