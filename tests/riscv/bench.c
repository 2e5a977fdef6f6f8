#include "riscv/bench.h"
#include "exec/counts.h"
#include "exec/memory.h"
#include "isa/program.h"
#include "riscv/build.h"
#include "riscv/elf.h"
#include "riscv/map.h"

#include <string.h>

static void print(void *context, const char *text, size_t length) { strbuf_write(context, text, length); }

bool bench_init(struct bench *b, struct test *t, const struct maker *m)
{
    struct strbuf file = {0}, errors = {0};
    *b = (struct bench){.t = t};
    diag_init(&b->diag);
    maker_elf(m, &file);
    uint32_t source = diag_add_source(&b->diag, "test.elf", "", 0);
    b->image = elf_load(file.text, file.length, source, &b->diag);
    if (b->image) b->program = riscv_program(b->image, b->image->entry, &b->diag);
    strbuf_fini(&file);
    diag_format(&b->diag, false, &errors);
    CHECK_MSG(t, b->program, "%s", strbuf_text(&errors));
    strbuf_fini(&errors);
    if (!b->program) {
        image_free(b->image);
        diag_fini(&b->diag);
        return false;
    }
    const char *wrong = program_check(b->program);
    CHECK_MSG(t, !wrong, "%s", wrong);
    b->memory = memory_create_flat();
    memory_place(b->memory, RISCV_DATA, RISCV_SPILL - RISCV_DATA, "main memory");
    for (uint32_t k = 0; k < b->image->data_count; k++)
        memcpy(memory_flat(b->memory) + b->image->data[k].address, b->image->data[k].bytes,
               b->image->data[k].given_bytes);
    b->flat = (struct launch_flat){.scratch = RISCV_SCRATCH,
                                   .scratch_end = RISCV_STACKS,
                                   .stacks = RISCV_STACKS,
                                   .stack_window = RISCV_STACK_WINDOW,
                                   .window_end = RISCV_MEMORY_END,
                                   .memory = RISCV_DATA,
                                   .memory_end = RISCV_SPILL,
                                   .closure = MAKER_DATA,
                                   .nest_levels = RISCV_NEST_LEVELS,
                                   .has_failed = &b->has_failed};
    b->launch = (struct launch){.program = b->program,
                                .grid = {1, 1, 1},
                                .block = {BENCH_THREADS, 1, 1},
                                .warp_size = RISCV_LANES,
                                .shared_total = RISCV_STACKS - RISCV_SCRATCH,
                                .local_total = RISCV_STACK_BYTES,
                                .memory = b->memory,
                                .simt = SIMT_NEST,
                                .flat = &b->flat,
                                .sm_count = 1,
                                .max_warp_instructions = 10000000,
                                .print = print,
                                .print_context = &b->printed};
    return true;
}

void bench_fini(struct bench *b)
{
    launch_fault_fini(&b->fault);
    memory_destroy(b->memory);
    program_free(b->program);
    image_free(b->image);
    strbuf_fini(&b->printed);
    diag_fini(&b->diag);
}

bool bench_run(struct bench *b)
{
    launch_fault_fini(&b->fault);
    b->counts = (struct exec_counts){0};
    return exec_run(&b->launch, &b->counts, &b->fault, NULL);
}

void bench_must_run(struct bench *b)
{
    bool good = bench_run(b);
    CHECK_MSG(b->t, good, "%s", b->fault.text ? b->fault.text : "a fault without a text");
}

void bench_must_fault(struct bench *b, enum launch_fault_kind kind, const char *part)
{
    CHECK(b->t, !bench_run(b));
    CHECK_EQ(b->t, b->fault.kind, kind);
    CHECK_HAS(b->t, b->fault.text ? b->fault.text : "", part);
}

uint32_t *bench_word(struct bench *b, uint32_t address)
{
    return (uint32_t *)(void *)(memory_flat(b->memory) + address);
}

enum {
    CSR_EMIT = 0x800,
    CSR_PUT = 0x803,
    CSR_START = 0x823,
    CSR_CAN_ANSWER,
    CSR_ANSWER,
    CSR_STATISTIC = 0x828
};

static void put_answer(struct maker *m)
{
    maker_put(m, csrr(A0, CSR_CAN_ANSWER));
    maker_put(m, beq(A0, X0, -4));
    maker_put(m, csrrw(A0, CSR_ANSWER, X0));
}

void bench_host(struct maker *m, bool asks, unsigned figure)
{
    maker_put(m, rv_u(0x17, T1, 0)); // auipc
    uint32_t pc = maker_here(m) - 4, patch = maker_here(m);
    maker_put(m, 0);
    maker_put(m, csrrw(X0, CSR_START, T1));
    put_answer(m);
    maker_put(m, addi(T0, A0, '0'));
    maker_put(m, csrrw(X0, CSR_PUT, T0));
    if (asks) {
        maker_put(m, addi(T1, X0, (int32_t)figure));
        maker_put(m, csrrw(X0, CSR_STATISTIC, T1));
        put_answer(m);
        maker_put(m, csrrw(X0, CSR_EMIT, A0));
    }
    maker_put(m, RET);
    maker_function(m, "kernel");
    m->words.data[(patch - MAKER_CODE) / 4] = addi(T1, T1, (int32_t)(maker_here(m) - pc));
}

void bench_begin(struct maker *m)
{
    maker_put(m, csrr(A0, 0xf14));
    maker_put(m, slli(A1, A0, 2));
}

void bench_end(struct maker *m)
{
    maker_put(m, FENCE);
    maker_put(m, csrwi(0x830, 3));
}

struct wf_module *bench_module(struct test *t, struct wf_context *c, const struct maker *m)
{
    struct strbuf file = {0};
    maker_elf(m, &file);
    struct wf_module *module = wf_module_load(c, "test.elf", file.text, file.length);
    CHECK_MSG(t, module, "%s", wf_errors(c));
    strbuf_fini(&file);
    return module;
}
