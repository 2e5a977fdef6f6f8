// Programs with a host part: console, kernels with closures, exit codes, statistics, traps. Fails where a
// program's output or status differs from the machine's definition, in the library or on the command line.
#include "api/warpfold.h"
#include "harness/files.h"
#include "riscv/bench.h"
#include "riscv/hart.h"
#include "riscv/map.h"

#include <stdlib.h>
#include <string.h>

enum { EMIT = 0x800, FINISH, CAN_PUT, PUT_BYTE, CAN_GET, GET_BYTE };
enum { CAN_ASK = 0x820, START = 0x823, CAN_ANSWER, ANSWER, CLOSURE, WARPS, STATISTIC };

static void put_csrw(struct maker *m, unsigned csr, unsigned rs1) { maker_put(m, csrrw(X0, csr, rs1)); }

static void put_text(struct maker *m, const char *text)
{
    for (; *text; text++) {
        maker_put(m, addi(T0, X0, *text));
        put_csrw(m, PUT_BYTE, T0);
    }
}

// One character: '0' + the register.
static void put_digit(struct maker *m, unsigned rs1)
{
    maker_put(m, addi(T0, rs1, '0'));
    put_csrw(m, PUT_BYTE, T0);
}

// Waits for the answer to a request and puts it into A0.
static void put_answer(struct maker *m)
{
    maker_put(m, csrr(A0, CAN_ANSWER));
    maker_put(m, beq(A0, X0, -4));
    maker_put(m, csrrw(A0, ANSWER, X0));
}

struct outcome {
    enum wf_status status;
    struct strbuf text, errors;
    struct wf_program_stats stats;
    uint64_t thread_instructions;
    unsigned launches;
};

static void print(void *context, const char *text, size_t length) { strbuf_write(context, text, length); }

static void launched(void *context, struct wf_kernel *k, const struct wf_launch_config *shape,
                     const struct wf_stats *s)
{
    struct outcome *o = context;
    (void)k;
    o->thread_instructions += s->thread_instructions;
    o->launches += shape->block[0] == BENCH_THREADS;
}

static void run(struct test *t, const struct maker *m, const char *input, struct outcome *o)
{
    struct wf_context *c = wf_context_create();
    *o = (struct outcome){0};
    struct wf_module *module = bench_module(t, c, m);
    wf_set_print(c, print, &o->text);
    struct wf_program_config config = {
        .input = input, .input_bytes = strlen(input), .launched = launched, .launched_context = o};
    if (module) {
        CHECK(t, wf_module_is_program(module));
        o->status = wf_program_run(module, &config, &o->stats);
    }
    strbuf_puts(&o->errors, wf_errors(c));
    wf_context_destroy(c);
}

static void outcome_fini(struct outcome *o)
{
    strbuf_fini(&o->text);
    strbuf_fini(&o->errors);
}

static void expect(struct test *t, struct maker *m, const char *input, enum wf_status status,
                   const char *text, const char *error)
{
    struct outcome o;
    run(t, m, input, &o);
    CHECK_EQ(t, o.status, status);
    CHECK_STR(t, strbuf_text(&o.text), text);
    if (error)
        CHECK_HAS(t, strbuf_text(&o.errors), error);
    else
        CHECK_STR(t, strbuf_text(&o.errors), "");
    outcome_fini(&o);
    maker_fini(m);
}

// Echoes its input in upper case until a dot.
static void test_console(struct test *t)
{
    struct maker m = {0};
    uint32_t top = maker_here(&m);
    maker_put(&m, csrr(T0, CAN_GET));
    maker_put(&m, beq(T0, X0, -4));
    maker_put(&m, csrrw(T0, GET_BYTE, X0));
    maker_put(&m, addi(T1, X0, '.'));
    uint32_t end = maker_here(&m);
    maker_put(&m, beq(T0, T1, 0));
    maker_put(&m, addi(T0, T0, 'A' - 'a'));
    put_csrw(&m, PUT_BYTE, T0);
    maker_put(&m, jal(X0, (int32_t)(top - maker_here(&m))));
    maker_land(&m, end);
    put_csrw(&m, PUT_BYTE, X0); // NUL is no part of the text
    maker_put(&m, RET);
    expect(t, &m, "hello.more", WF_OK, "HELLO", NULL);
}

static void test_input_that_is_not_there(struct test *t)
{
    struct maker m = {0};
    maker_function(&m, "main");
    maker_put(&m, csrr(T0, CAN_GET));
    maker_put(&m, beq(T0, X0, -4));
    maker_put(&m, RET);
    expect(t, &m, "", WF_PROGRAM_FAILED, "",
           "test.elf: error: the host's program at 0x08000400 (main+0x0), csrrs t0, 0x804, zero: the program "
           "waits for a byte of input after the end of the input: give more with --input");
}

// The kernel adds its thread's number to a word of the closure's array; the host prints the sum.
static void test_kernel(struct test *t)
{
    enum { ARRAY = MAKER_DATA + 64 };
    struct maker m = {0};
    maker_function(&m, "main");
    maker_li(&m, T1, MAKER_DATA);
    put_csrw(&m, CLOSURE, T1);
    maker_put(&m, addi(T1, X0, 64)); // 64 counts as 0: all warps
    put_csrw(&m, WARPS, T1);
    maker_put(&m, csrr(A0, CAN_ASK));
    put_digit(&m, A0);
    maker_put(&m, rv_u(0x17, T1, 0)); // auipc
    uint32_t pc = maker_here(&m) - 4, patch = maker_here(&m);
    maker_put(&m, 0);
    put_csrw(&m, START, T1);
    put_answer(&m);
    put_digit(&m, A0);
    maker_li(&m, T1, ARRAY);
    maker_li(&m, T2, BENCH_THREADS);
    maker_put(&m, addi(A0, X0, 0));
    maker_put(&m, lw(T3, T1, 0));
    maker_put(&m, add(A0, A0, T3));
    maker_put(&m, addi(T1, T1, 4));
    maker_put(&m, addi(T2, T2, -1));
    maker_put(&m, bne(T2, X0, -16));
    put_csrw(&m, EMIT, A0);
    maker_put(&m, addi(T1, X0, 1)); // instructions of the last kernel
    put_csrw(&m, STATISTIC, T1);
    put_answer(&m);
    put_csrw(&m, EMIT, A0);
    maker_put(&m, RET);
    maker_function(&m, "kernel");
    m.words.data[(patch - MAKER_CODE) / 4] = addi(T1, T1, (int32_t)(maker_here(&m) - pc));
    bench_begin(&m);
    maker_put(&m, csrrw(A2, 0x831, X0));
    maker_put(&m, lw(A2, A2, 0));
    maker_put(&m, add(A2, A2, A1));
    maker_put(&m, lw(A3, A2, 0));
    maker_put(&m, add(A3, A3, A0));
    maker_put(&m, sw(A3, A2, 0));
    bench_end(&m);
    maker_word(&m, ARRAY);
    for (unsigned n = 4; n < 64; n += 4) maker_word(&m, 0);
    for (unsigned n = 0; n < BENCH_THREADS; n++) maker_word(&m, 3);
    struct outcome o;
    char want[64];
    // 2,048 threads of ten instructions each
    snprintf(want, sizeof want, "100x%08x\n0x%08x\n",
             3 * BENCH_THREADS + BENCH_THREADS * (BENCH_THREADS - 1) / 2, 10 * BENCH_THREADS);
    run(t, &m, "", &o);
    CHECK_EQ(t, o.status, WF_OK);
    CHECK_STR(t, strbuf_text(&o.errors), "");
    CHECK_STR(t, strbuf_text(&o.text), want);
    CHECK_EQ(t, o.stats.launches, 1);
    CHECK_EQ(t, o.launches, 1);
    CHECK_EQ(t, o.stats.failed_launches, 0);
    CHECK_EQ(t, o.thread_instructions, 10 * BENCH_THREADS);
    CHECK(t, o.stats.host_instructions > 5 * BENCH_THREADS && o.stats.host_instructions < 6 * BENCH_THREADS);
    outcome_fini(&o);
    maker_fini(&m);
}

// Host and a kernel ending with code 1: the host reads and prints the code, and the run has failed.
static void make_failing(struct maker *m, bool faults)
{
    bench_host(m, false, 0);
    maker_put(m, faults ? lw(A0, X0, 0) : addi(X0, X0, 0));
    maker_put(m, csrwi(0x830, 1));
}

static void test_kernel_that_fails(struct test *t)
{
    struct maker m = {0};
    make_failing(&m, false);
    expect(t, &m, "", WF_PROGRAM_FAILED, "1",
           "1 of 1 kernels failed: a warp ended with the command for failure");
}

static void test_kernel_that_faults(struct test *t)
{
    struct maker m = {0};
    make_failing(&m, true);
    expect(
        t, &m, "", WF_PROGRAM_FAILED, "",
        "error: kernel kernel: out-of-bounds global read of 4 bytes\n    at pc 0x8000424 (lw a0, 0(zero))");
}

static void test_kernel_where_no_code_is(struct test *t)
{
    struct maker m = {0};
    put_csrw(&m, START, X0);
    maker_put(&m, RET);
    expect(t, &m, "", WF_PROGRAM_FAILED, "",
           "test.elf: error: a kernel is started at 0x00000000, where no code is");
}

static void test_finish(struct test *t)
{
    struct maker m = {0};
    put_text(&m, "a\n");
    put_csrw(&m, FINISH, X0);
    put_text(&m, "b");
    maker_put(&m, jal(X0, 0));
    expect(t, &m, "", WF_OK, "a\n", NULL);
}

// The host part calls a function and returns, for every place of the headers. Without sections the whole
// segment counts as code, 0x08000000 included.
static void test_returns_in_every_layout(struct test *t)
{
    static const enum maker_layout layouts[] = {LAYOUT_NO_HEADERS, LAYOUT_IN_CODE, LAYOUT_READ_ONLY};
    for (size_t k = 0; k < TEST_COUNT(layouts); k++)
        for (int has_no_sections = 0; has_no_sections < 2; has_no_sections++) {
            struct maker m = {.layout = layouts[k], .has_no_sections = has_no_sections};
            maker_put(&m, addi(S0, RA, 0));
            maker_put(&m, jal(RA, 8));
            maker_put(&m, jalr(X0, S0, 0)); // any register may hold the address
            put_text(&m, "PASSED\n");
            maker_put(&m, RET);
            maker_word(&m, 0);
            expect(t, &m, "", WF_OK, "PASSED\n", NULL);
        }
}

// The handler prints the cause and continues behind the instruction.
static void test_trap(struct test *t)
{
    struct maker m = {0};
    maker_put(&m, rv_u(0x17, T1, 0));
    uint32_t pc = maker_here(&m) - 4, patch = maker_here(&m);
    maker_put(&m, 0);
    put_csrw(&m, 0x305, T1);
    maker_put(&m, 0x00000073); // ecall
    maker_put(&m, 0x00100073); // ebreak
    maker_put(&m, RET);
    m.words.data[(patch - MAKER_CODE) / 4] = addi(T1, T1, (int32_t)(maker_here(&m) - pc));
    maker_put(&m, csrr(A0, 0x342));
    put_digit(&m, A0);
    maker_put(&m, csrr(A0, 0x341));
    maker_put(&m, jalr(X0, A0, 4));
    expect(t, &m, "", WF_OK, ";3", NULL); // '0' + 11, '0' + 3
}

static void test_what_goes_wrong(struct test *t)
{
    static const struct {
        uint32_t word;
        const char *error;
    } cases[] = {
        {0x00000073, "ecall: the program trapped (ecall) without a trap handler"},
        {0x00002503, "lw a0, 0(zero): 0x00000000 is a null pointer, or a null pointer plus a small offset: "
                     "memory begins at 0x08008000"},
        {0x0000a503, "lw a0, 0(ra): 0x07fffffc is below all memory: memory begins at 0x08008000"},
        {0x0040a503, "lw a0, 4(ra): 0x08000000 is in the instructions' memory, for execution only"},
        {0x00212023, "sw sp, 0(sp): 0xbff6fff8 is"}, // valid: replaced below
        {0x00112123, "sw ra, 2(sp): 0xbff6fffa is not a multiple of 4"},
        {0x00812503, "lw a0, 8(sp): 0xbff70000 is in the memory for spilled registers"},
        {0x00a5202f, "amoadd.w zero, a0, (a0): the instruction is for kernels, not for the host part"},
        {0x83001073, "csrrw zero, 0x830, zero: 0x830 is no control register of the host"},
        {0x82502573, "csrrs a0, 0x825, zero: the program reads an answer of the GPU before any answer"},
        {0x80502573,
         "csrrs a0, 0x805, zero: the program reads a byte of input without any left: give more with --input"},
        {0x00010067, "0xbff6fff8: no code at the address"},
    };
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        struct maker m = {0};
        maker_put(&m, cases[k].word);
        maker_put(&m, RET);
        if (cases[k].word == 0x00212023)
            expect(t, &m, "", WF_OK, "", NULL);
        else
            expect(t, &m, "", WF_PROGRAM_FAILED, "", cases[k].error);
    }
}

// Memory is fresh in every run.
static void test_twice(struct test *t)
{
    struct maker m = {0};
    struct strbuf text = {0};
    maker_li(&m, T1, MAKER_DATA);
    maker_put(&m, lw(A0, T1, 0));
    maker_put(&m, addi(A0, A0, 1));
    maker_put(&m, sw(A0, T1, 0));
    put_csrw(&m, EMIT, A0);
    maker_put(&m, RET);
    maker_word(&m, 41);
    struct wf_context *c = wf_context_create();
    struct wf_module *module = bench_module(t, c, &m);
    struct wf_program_config config = {0};
    struct wf_program_stats stats;
    wf_set_print(c, print, &text);
    for (unsigned n = 0; n < 2; n++) CHECK_EQ(t, wf_program_run(module, &config, &stats), WF_OK);
    CHECK_STR(t, strbuf_text(&text), "0x0000002a\n0x0000002a\n");
    wf_context_destroy(c);
    maker_fini(&m);
    strbuf_fini(&text);
}

// A program's kernels can be found and listed, but not launched directly.
static void test_kernels_by_name(struct test *t)
{
    struct maker m = {0};
    size_t count;
    make_failing(&m, false);
    struct wf_context *c = wf_context_create();
    struct wf_module *module = bench_module(t, c, &m);
    CHECK_STR(t, wf_kernel_name(module, 0), "kernel");
    CHECK(t, !wf_kernel_name(module, 1));
    struct wf_kernel *k = wf_kernel_find(module, "kernel");
    CHECK(t, k != NULL);
    if (k) {
        struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
        CHECK_HAS(t, wf_kernel_listing(k), "csrrwi zero, 0x830, 1");
        CHECK_EQ(t, wf_launch(k, &shape, NULL, 0, NULL), WF_BAD_INPUT);
        CHECK_STR(t, wf_errors(c),
                  "test.elf: error: kernel kernel can be launched only by the host part of its program\n");
        const struct wf_mark *marks = wf_kernel_marks(k, NULL, &count);
        CHECK(t, marks && count);
        CHECK_STR(t, marks[count - 1].instruction, "csrrwi zero, 0x830, 1"); // last reachable instruction
    }
    wf_clear_errors(c);
    CHECK(t, !wf_kernel_find(module, "kernal"));
    CHECK_STR(t, wf_errors(c), "error: no function \"kernal\" in test.elf; did you mean \"kernel\"?\n");
    wf_context_destroy(c);
    maker_fini(&m);
}

// An endless host part ends at the limit, and the report names the place.
static void test_limit(struct test *t)
{
    struct maker m = {0};
    struct wf_program_config config = {0};
    struct wf_program_stats stats;
    maker_function(&m, "main");
    maker_put(&m, addi(A0, A0, 1));
    maker_function(&m, "endless");
    maker_put(&m, jal(X0, 0));
    struct wf_context *c = wf_context_create();
    struct wf_module *module = bench_module(t, c, &m);
    CHECK_EQ(t, wf_set(c, "riscv.max_host_instructions", "1000"), WF_OK);
    CHECK_EQ(t, wf_program_run(module, &config, &stats), WF_PROGRAM_FAILED);
    CHECK_EQ(t, stats.host_instructions, 1000);
    CHECK_STR(t, wf_errors(c),
              "test.elf: error: the host's program at 0x08000404 (endless+0x0), j 0x08000404: stopped after "
              "1000 instructions, the limit (riscv.max_host_instructions)\n");
    wf_context_destroy(c);
    maker_fini(&m);
}

// -- the command line ---------------------------------------------------------------------------------------
static void command(struct test *t, const char *arguments, int status, const char *out_part,
                    const char *err_part)
{
    struct strbuf line = {0};
    char *out = NULL, *err = NULL;
    strbuf_printf(&line, "%s run %s", test_binary(), arguments);
    int got = test_command(strbuf_text(&line), 60, &out, &err);
    CHECK_MSG(t, got == status, "%s: %d, not %d: %s", arguments, got, status, err);
    CHECK_HAS(t, out, out_part);
    CHECK_HAS(t, err, err_part);
    free(out);
    free(err);
    strbuf_fini(&line);
}

static void write_program(struct test *t, struct maker *m, const char *name, struct strbuf *path)
{
    struct strbuf file = {0};
    strbuf_printf(path, "%s/%s", test_directory(t), name);
    maker_elf(m, &file);
    test_write_file(t, strbuf_text(path), file.text, file.length);
    maker_fini(m);
    strbuf_fini(&file);
}

static void test_command_line(struct test *t)
{
    struct maker echo = {0}, endless = {0}, failing = {0};
    struct strbuf path = {0}, arguments = {0};
    maker_put(&echo, csrrw(T0, GET_BYTE, X0));
    put_csrw(&echo, PUT_BYTE, T0);
    maker_put(&echo, csrrw(T0, GET_BYTE, X0));
    put_csrw(&echo, PUT_BYTE, T0);
    maker_put(&echo, RET);
    write_program(t, &echo, "echo.elf", &path);
    const char *elf = strbuf_text(&path);
    static const struct {
        const char *options, *out, *err;
        int status;
    } cases[] = {
        {"--input 4869", "Hi", "", 0},
        {"--input 4869 --functional --quiet", "Hi", "", 0},
        {"--input 4869 --json -", "\"host\"", "", 0},
        {"--input 48", "H", "the program reads a byte of input without any left: give more with --input", 3},
        {"--input 4g", "", "\"g\" is not a hex digit", 1},
        {"--input @/nonexistent", "", "/nonexistent", 1},
        {"--kernel main", "", "--kernel does not go with", 2},
        {"--gpu gtx1080ti --input 4869 --quiet", "Hi", "", 0},
        {"--gpu tiny --input 4869", "",
         "65536 bytes of shared memory does not fit on an SM, for want of warps", 2},
        {"--tech darsie", "", "--tech does not go with", 2},
        {"--timeline /tmp/none.json", "", "without --gpu: a timeline shows time", 2},
        {"--verify", "", "--verify does not go with", 2},
        {"--gpu simtight-ads --verify --quiet", "", "", 3},
        {"--gpu simtight --input 4869 --quiet", "Hi", "", 0},
        {"--timeline /tmp/none.json", "", "--timeline does not go with", 2},
        {"--gpu simtight --timeline /tmp/none.json --set timeline.sm=1", "",
         "timeline.sm=1: the SMs of simtight are 0 to 0", 2},
        {"--gpu simtight --energy", "", "no model of the energy of --gpu simtight", 2},
        {"--gpu simtight --set simt.scalar_unit=1", "", "simt.scalar_unit=1 needs simt.registers", 2},
        {"--gpu simtight --tech darsie", "", "mechanism darsie needs SMs; GPU simtight has no SMs", 2},
    };
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        strbuf_clear(&arguments);
        strbuf_printf(&arguments, "%s %s", elf, cases[k].options);
        command(t, strbuf_text(&arguments), cases[k].status, cases[k].out, cases[k].err);
    }
    make_failing(&failing, false);
    maker_put(&endless, jal(X0, 0));
    strbuf_clear(&path);
    write_program(t, &endless, "endless.elf", &path);
    strbuf_clear(&arguments);
    strbuf_printf(&arguments, "%s --json - --set riscv.max_host_instructions=100000", strbuf_text(&path));
    command(t, strbuf_text(&arguments), 3, "\"status\": \"failed\"", "stopped after 100000 instructions");
    strbuf_clear(&path);
    write_program(t, &failing, "failing.elf", &path);
    strbuf_clear(&arguments);
    strbuf_printf(&arguments, "%s --json -", strbuf_text(&path));
    command(t, strbuf_text(&arguments), 3, "\"status\": \"failed\"", "1 of 1 kernels failed");
    strbuf_fini(&path);
    strbuf_fini(&arguments);
}

// A loop of ten million host instructions within two seconds of processor time, on the slowest test machine.
// The measured machine's programs need fifty million a second.
static void test_speed(struct test *t)
{
    struct maker m = {0};
    struct outcome o;
    maker_li(&m, T1, 2000000);
    maker_li(&m, T2, MAKER_DATA);
    maker_put(&m, lw(A0, T2, 0));
    maker_put(&m, add(A0, A0, T1));
    maker_put(&m, sw(A0, T2, 0));
    maker_put(&m, addi(T1, T1, -1));
    maker_put(&m, bne(T1, X0, -16));
    put_csrw(&m, EMIT, A0);
    maker_put(&m, RET);
    maker_word(&m, 0);
    struct test_time start = test_now();
    run(t, &m, "", &o);
    struct test_time used = test_since(start);
    CHECK_EQ(t, o.status, WF_OK);
    CHECK_MSG(t, test_is_within(used, 2),
              "%.1f s of processor time, %.1f s on the clock for %llu instructions", used.processor,
              used.wall, (unsigned long long)o.stats.host_instructions);
    CHECK_STR(t, strbuf_text(&o.text), "0xa9596240\n"); // 2000000 * 2000001 / 2, low word
    outcome_fini(&o);
    maker_fini(&m);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"console", test_console},
        {"input_that_is_not_there", test_input_that_is_not_there},
        {"kernel", test_kernel},
        {"kernel_that_fails", test_kernel_that_fails},
        {"kernel_that_faults", test_kernel_that_faults},
        {"kernel_where_no_code_is", test_kernel_where_no_code_is},
        {"finish", test_finish},
        {"returns_in_every_layout", test_returns_in_every_layout},
        {"trap", test_trap},
        {"what_goes_wrong", test_what_goes_wrong},
        {"twice", test_twice},
        {"kernels_by_name", test_kernels_by_name},
        {"limit", test_limit},
        {"command_line", test_command_line},
        {"speed", test_speed},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
