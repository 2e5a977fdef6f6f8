// A speed gate independent of noise: host instructions of pinned launches, counted by callgrind, against
// bench/instructions.txt. Fails where a figure rises by more than 2 %. Launches stress different parts:
// streaming memory, shared memory and floating point, divergence. Streaming and shared memory are also timed
// on a whole chip, some with mechanisms, with a gate on instructions per active SM-cycle. The rest are former
// slow cases: doubles, atomics on one word, many launches of few blocks, marks of long code with many loops. And the cost
// of a profile over the plain run.
#include "base/str.h"
#include "harness/files.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIGURES "bench/instructions.txt"
#define LOOPS   "build/many-loops.ptx" // written by the test

struct pinned {
    const char *name, *arguments;
    const char *per_cycle; // name of the figure per active SM-cycle; NULL: not timed
};

static const struct pinned launches[] = {
    {"vecadd",
     "run kernels/ptx/nvcc/vecadd.ptx --kernel vecadd --grid 1000 --block 256 --arg "
     "buf=f32:256000:iota --arg "
     "buf=f32:256000:iota --arg buf=f32:256000:zero --arg s32=256000 --functional",
     NULL},
    {"matrixMul",
     "run kernels/ptx/nvcc/matrixMul.ptx --kernel matrix_mul --grid 4,4 --block 32,32 --arg "
     "buf=f32:16384:zero --arg "
     "buf=f32:16384:rand:1 --arg buf=f32:16384:rand:2 --arg s32=128 --arg s32=128 --functional",
     NULL},
    {"nqueens", "bench nqueens --size small --functional", NULL},
    {"matrixMul-studied",
     "study redundancy kernels/ptx/nvcc/matrixMul.ptx --kernel matrix_mul --grid 4,4 --block 32,32 --arg "
     "buf=f32:16384:zero --arg buf=f32:16384:rand:1 --arg buf=f32:16384:rand:2 --arg s32=128 --arg s32=128",
     NULL},
    {"matrixMul-judged",
     "study marks kernels/ptx/nvcc/matrixMul.ptx --kernel matrix_mul --grid 4,4 --block 32,32 --arg "
     "buf=f32:16384:zero --arg buf=f32:16384:rand:1 --arg buf=f32:16384:rand:2 --arg s32=128 --arg s32=128",
     NULL},
    {"vecadd-timed",
     "run kernels/ptx/nvcc/vecadd.ptx --kernel vecadd --grid 100 --block 256 --arg "
     "buf=f32:25600:iota --arg buf=f32:25600:iota --arg buf=f32:25600:zero --arg s32=25600 --gpu "
     "gtx1080ti-paper",
     "vecadd-timed-per-SM-cycle"},
    {"matrixMul-timed",
     "run kernels/ptx/nvcc/matrixMul.ptx --kernel matrix_mul --grid 2,2 --block 32,32 --arg "
     "buf=f32:4096:zero --arg buf=f32:4096:rand:1 --arg buf=f32:4096:rand:2 --arg s32=64 --arg s32=64 --gpu "
     "gtx1080ti-paper",
     "matrixMul-timed-per-SM-cycle"},
    {"matrixMul-darsie",
     "run kernels/ptx/nvcc/matrixMul.ptx --kernel matrix_mul --grid 2,2 --block 32,32 --arg "
     "buf=f32:4096:zero --arg buf=f32:4096:rand:1 --arg buf=f32:4096:rand:2 --arg s32=64 --arg s32=64 --gpu "
     "gtx1080ti-paper --tech darsie",
     "matrixMul-darsie-per-SM-cycle"},
    {"matrixMul-dac",
     "run kernels/ptx/nvcc/matrixMul.ptx --kernel matrix_mul --grid 2,2 --block 32,32 --arg "
     "buf=f32:4096:zero --arg buf=f32:4096:rand:1 --arg buf=f32:4096:rand:2 --arg s32=64 --arg s32=64 --gpu "
     "gtx1080ti-paper --tech dac",
     "matrixMul-dac-per-SM-cycle"},
    {"doubles",
     "run bench/hot.ptx --kernel doubles --grid 4 --block 256 --arg buf=f64:1024:zero --arg "
     "buf=f64:1024:rand:1 --arg s32=50 --functional",
     NULL},
    {"atomics",
     "run bench/hot.ptx --kernel atomics --grid 4 --block 256 --arg buf=u32:16:zero --arg s32=100 "
     "--functional",
     NULL},
    {"atomics-timed",
     "run bench/hot.ptx --kernel atomics --grid 4 --block 256 --arg buf=u32:16:zero --arg s32=20 --gpu "
     "gtx1080ti-paper",
     NULL},
    {"floydWarshall-timed", "bench floydWarshall --size small --gpu gtx1080ti-paper --threads 1", NULL},
    {"marks-of-loops", "mark " LOOPS " --kernel loops", NULL},
};

// Pinned settings: one code profile, and the AVX2 interpreter, because valgrind lacks AVX-512.
#define PINNED "--set compile.profile=sass --set exec.isa=avx2"

// Ten thousand instructions, seven a loop, each loop with a divergent branch.
static void write_loops(struct test *t)
{
    struct strbuf s = {0};
    strbuf_puts(&s, ".version 6.5\n.target sm_70\n.address_size 64\n"
                    ".visible .entry loops(.param .u64 out)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<8>;\n"
                    ".reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"
                    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3];\n"
                    "mov.u32 %r3, %ctaid.x;\nmov.u32 %r5, %r1;\n");
    for (unsigned k = 0; k < 1500; k++)
        strbuf_printf(&s,
                      "mov.u32 %%r4, 0;\nL%u: mad.lo.s32 %%r%u, %%r%u, %%r2, %%r4;\n"
                      "xor.b32 %%r%u, %%r%u, %%r1;\nst.global.u32 [%%rd3+%u], %%r%u;\n"
                      "add.s32 %%r4, %%r4, 1;\nsetp.lt.s32 %%p1, %%r4, %%r%u;\n@%%p1 bra L%u;\n",
                      k, 3 + k % 2 * 2, 3 + k % 2 * 2, 3 + k % 2 * 2, 3 + (k + 1) % 2 * 2, 4 * k,
                      3 + k % 2 * 2, 3 + k % 2 * 2, k);
    strbuf_puts(&s, "ret;\n}\n");
    test_write_file(t, LOOPS, strbuf_text(&s), s.length);
    strbuf_fini(&s);
}

static void read_compiler(char name[128])
{
    char *out;
    *name = 0;
    if (test_command("${CC:-gcc} --version | head -n 1", 10, &out, NULL) == 0)
        snprintf(name, 128, "%.*s", (int)strcspn(out, "\n"), out);
    free(out);
}

// The recorded figure of a name; 0: no figure.
static uint64_t recorded(const char *text, const char *name)
{
    char pattern[64];
    snprintf(pattern, sizeof pattern, "\n%s ", name);
    const char *at = strstr(text, pattern);
    return at ? strtoull(at + strlen(pattern), NULL, 10) : 0;
}

static uint64_t measure(struct test *t, const char *arguments)
{
    char command[2000], *err;
    snprintf(command, sizeof command,
             "valgrind --tool=callgrind --callgrind-out-file=/dev/null %s %s " PINNED "%s", test_binary(),
             arguments, strncmp(arguments, "mark ", 5) ? " --quiet" : "");
    int status = test_command(command, 200, NULL, &err);
    const char *at = strstr(err, "Collected : ");
    CHECK_MSG(t, status == 0 && at, "%s\nends with status %d:\n%s", command, status, err);
    uint64_t count = at ? strtoull(at + strlen("Collected : "), NULL, 10) : 0;
    free(err);
    return count;
}

// Cycles of SMs with a resident warp, summed over the launch.
static uint64_t active_cycles(struct test *t, const struct pinned *p)
{
    static const char key[] = "\"sm.sm.active_cycles\": ";
    char command[2000], *out;
    snprintf(command, sizeof command, "%s %s --set compile.profile=sass --json -", test_binary(),
             p->arguments);
    int status = test_command(command, 60, &out, NULL);
    const char *at = strstr(out, key);
    CHECK_MSG(t, status == 0 && at, "%s ends with status %d", command, status);
    uint64_t cycles = at ? strtoull(at + strlen(key), NULL, 10) : 0;
    free(out);
    return cycles ? cycles : 1;
}

struct figure {
    const char *name;
    uint64_t count;
};

static size_t measure_all(struct test *t, struct figure *figures)
{
    size_t n = 0;
    for (size_t i = 0; i < TEST_COUNT(launches); i++) {
        uint64_t count = measure(t, launches[i].arguments);
        figures[n++] = (struct figure){launches[i].name, count};
        if (launches[i].per_cycle)
            figures[n++] = (struct figure){launches[i].per_cycle, count / active_cycles(t, &launches[i])};
    }
    return n;
}

static void write_figures(struct test *t, const char *old, const char *compiler, const struct figure *figures,
                          size_t count)
{
    struct strbuf out = {0};
    for (const char *p = old; *p == '#'; p += strcspn(p, "\n") + 1)
        strbuf_write(&out, p, strcspn(p, "\n") + 1);
    strbuf_printf(&out, "compiler %s\n", compiler);
    for (size_t i = 0; i < count; i++)
        strbuf_printf(&out, "%s %llu\n", figures[i].name, (unsigned long long)figures[i].count);
    test_write_file(t, FIGURES, strbuf_text(&out), out.length);
    strbuf_fini(&out);
}

static bool can_measure(struct test *t)
{
    if (strstr(test_binary(), "build/warpfold") == NULL)
        test_skip(t, "the figures are of the release build");
    else if (!test_has_tool("valgrind"))
        test_skip_tool(t, "valgrind");
    else if (test_command("grep -qw avx2 /proc/cpuinfo", 5, NULL, NULL) != 0)
        test_skip(t, "the processor has no AVX2");
    else
        return true;
    return false;
}

static void test_gate(struct test *t)
{
    char compiler[128], pattern[160], *text;
    size_t length;
    const char *update = getenv("UPDATE_GOLDEN");
    struct figure figures[2 * TEST_COUNT(launches)];
    if (!can_measure(t)) return;
    read_compiler(compiler);
    text = test_read_file(t, FIGURES, &length);
    snprintf(pattern, sizeof pattern, "\ncompiler %s\n", compiler);
    bool writing = update && strcmp(update, "1") == 0;
    if (!writing && !strstr(text, pattern)) {
        test_skip(t, "the figures are of another compiler");
        free(text);
        return;
    }
    write_loops(t);
    size_t n = measure_all(t, figures);
    for (size_t i = 0; i < n; i++) {
        uint64_t count = figures[i].count, before = recorded(text, figures[i].name);
        printf("  %s: %llu host instructions, %+.2f %%\n", figures[i].name, (unsigned long long)count,
               before ? 100.0 * ((double)count / (double)before - 1) : 0.0);
        if (!writing)
            CHECK_MSG(t, (double)count <= (double)before * 1.02,
                      "%s: %llu host instructions, %llu are recorded in " FIGURES, figures[i].name,
                      (unsigned long long)count, (unsigned long long)before);
    }
    if (writing) write_figures(t, text, compiler, figures, n);
    free(text);
}

// A profile costs at most six times the plain run: a kernel that computes, one that waits for memory, and one of several
// launches.
static void test_profile(struct test *t)
{
    static const char *const kernels[] = {"binomialOptions", "histogram", "floydWarshall"};
    if (!can_measure(t)) return;
    for (size_t i = 0; i < TEST_COUNT(kernels); i++) {
        char text[2][300];
        snprintf(text[0], sizeof text[0], "bench %s --size small --threads 1", kernels[i]);
        snprintf(text[1], sizeof text[1], "profile --bench %s --size small --threads 1 --out %s/p.html",
                 kernels[i], test_directory(t));
        double plain = (double)measure(t, text[0]), whole = (double)measure(t, text[1]);
        printf("  %s: a profile costs %.2f times the plain run\n", kernels[i], whole / plain);
        CHECK_MSG(t, whole <= 6 * plain, "%s: a profile costs %.2f times the plain run", kernels[i],
                  whole / plain);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"gate", test_gate}, {"profile", test_profile}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
