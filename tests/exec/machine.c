// The bench of machine.h.
#include "exec/machine.h"
#include "base/bits.h"
#include "exec/memory.h"
#include "isa/asm.h"
#include "isa/bank.h"

#include <string.h>

static void print(void *context, const char *text, size_t length) { strbuf_write(context, text, length); }

bool machine_init(struct machine *m, struct test *t, const char *text, uint32_t threads)
{
    *m = (struct machine){.t = t};
    struct strbuf whole = {0};
    strbuf_printf(&whole, ".params %u\n%s", 8 * MACHINE_PARAMS, text);
    m->program = asm_program(t, strbuf_text(&whole));
    strbuf_fini(&whole);
    m->memory = memory_create(1ull << 30);
    if (!m->program) return false;
    m->launch = (struct launch){
        .program = m->program,
        .grid = {1, 1, 1},
        .block = {threads, 1, 1},
        .warp_size = 32,
        .shared_total = m->program->shared_bytes,
        .memory = m->memory,
        .max_warp_instructions = 50000000,
        .look = 1 << 18,
        .sm_count = 2,
        .print = print,
        .print_context = &m->printed,
    };
    return true;
}

void machine_fini(struct machine *m)
{
    program_free(m->program);
    memory_destroy(m->memory);
    launch_fault_fini(&m->fault);
    launch_race_fini(&m->race);
    strbuf_fini(&m->printed);
}

void machine_param(struct machine *m, uint64_t value)
{
    memcpy(m->bank + BANK_LAUNCH_PARAMS + 8 * m->params++, &value, 8);
}

uint64_t machine_buffer(struct machine *m, uint64_t bytes)
{
    uint64_t address = memory_alloc(m->memory, bytes, 256, "buffer");
    machine_param(m, address);
    return address;
}

uint32_t *machine_words(struct machine *m, uint64_t address)
{
    return (uint32_t *)(void *)memory_host(m->memory, address, 0);
}

void machine_prepare(struct machine *m)
{
    struct launch *l = &m->launch;
    l->local_total = m->program->local_bytes + m->program->stack_bytes;
    uint32_t head[] = {l->block[0], l->block[1], l->block[2],      l->grid[0],
                       l->grid[1],  l->grid[2],  l->dynamic_shared};
    memcpy(m->bank, head, sizeof head);
    memcpy(m->bank + LAUNCH_STACK_TOP, &l->local_total, 4);
    l->bank[BANK_LAUNCH] = m->bank;
    l->bank_bytes[BANK_LAUNCH] = sizeof m->bank;
    l->bank[BANK_LITERAL] = m->program->literals;
    l->bank_bytes[BANK_LITERAL] = m->program->literal_bytes;
    for (uint32_t i = 0; i < m->program->symbol_count && i < MACHINE_PARAMS; i++)
        m->addresses[i] = m->program->symbols[i].value;
    l->bank[BANK_ADDRESS] = (const uint8_t *)m->addresses;
    l->bank_bytes[BANK_ADDRESS] = 8 * m->program->symbol_count;
    launch_fault_fini(&m->fault);
    launch_race_fini(&m->race);
}

bool machine_run(struct machine *m)
{
    if (!m->program) return false;
    machine_prepare(m);
    return exec_run(&m->launch, &m->counts, &m->fault, &m->race);
}

void machine_must_run(struct machine *m)
{
    CHECK_MSG(m->t, machine_run(m), "%s", m->fault.text ? m->fault.text : "no program");
}

void machine_must_fault(struct machine *m, enum launch_fault_kind kind, const char *part)
{
    CHECK(m->t, !machine_run(m));
    CHECK_EQ(m->t, m->fault.kind, kind);
    CHECK_HAS(m->t, m->fault.text ? m->fault.text : "", part);
}
