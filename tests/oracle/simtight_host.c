// The host hart: RV32IM with floating point, no atomics; its CSRs (console, launches) and data cache
// (direct mapped, 512 lines of 64 bytes, write-back). Stores reach memory at once; the cache only counts.
#include "oracle/simtight_impl.h"

#include <stdlib.h>
#include <string.h>

static bool host_error(struct simtight_oracle *o, const char *what, uint32_t value)
{
    return oracle_rv_error(o, "host at 0x%08x: %s 0x%08x", o->host_pc, what, value);
}

static void leave_line(struct simtight_oracle *o, struct host_line *line)
{
    if (line->valid && line->dirty) o->result.host_store_beats++;
    line->valid = line->dirty = false;
}

static void use_line(struct simtight_oracle *o, uint32_t address, bool is_store)
{
    struct host_line *line = &o->host_cache[address / 64 % HOST_CACHE_LINES];
    if (!line->valid || line->block != address / 64) {
        leave_line(o, line);
        o->result.host_load_beats++;
        *line = (struct host_line){.valid = true, .block = address / 64};
    }
    if (is_store) line->dirty = true;
}

static bool launch(struct simtight_oracle *o, uint32_t pc)
{
    o->launches = realloc(o->launches, (o->launch_count + 1) * sizeof *o->launches);
    if (!o->launches) abort();
    if (!oracle_rv_kernel_run(o, pc, &o->answer)) return false;
    o->launches[o->launch_count++] = o->counts;
    o->has_answer = true;
    return true;
}

// The machine's own statistics of the previous launch. The oracle has no time: statistics of time are 0.
static uint32_t statistic(const struct simtight_oracle *o, uint32_t number)
{
    const struct simtight_oracle_counts *c = &o->counts;
    switch (number) {
    case 1: return (uint32_t)c->thread_instructions;
    case 2: return (uint32_t)c->vector_max;
    case 4: return (uint32_t)c->scalarisable;
    case 9: return (uint32_t)(c->load_beats + c->store_beats);
    }
    return 0;
}

static bool read_csr(struct simtight_oracle *o, uint32_t number, uint32_t *value)
{
    *value = 0;
    switch (number) {
    case 0x802:                          // room in the console's queue
    case 0x820: *value = 1; return true; // and in the queue of the warps' management
    case 0x804: *value = o->input_read < o->input_length; return true;
    case 0x805: // the hart waits for a byte
        if (o->input_read == o->input_length)
            return host_error(o, "waits for input that does not come, CSR", number);
        *value = (uint8_t)o->input[o->input_read++];
        return true;
    case 0x824: *value = o->has_answer; return true;
    case 0x825:
        if (!o->has_answer) return host_error(o, "waits for an answer that does not come, CSR", number);
        *value = o->answer;
        o->has_answer = false;
        return true;
    case 0xc00: *value = (uint32_t)o->result.host_instructions; return true; // a cycle an instruction
    case 0xc80: *value = (uint32_t)(o->result.host_instructions >> 32); return true;
    case 0xf14: return true;
    }
    return host_error(o, "reads CSR", number);
}

static bool write_csr(struct simtight_oracle *o, uint32_t number, uint32_t value)
{
    switch (number) {
    case 0x800: return true; // a simulator's own log
    case 0x801: o->finished = true; return true;
    case 0x803: oracle_rv_put(o, (uint8_t)value); return true;
    case 0x823: return launch(o, value);
    case 0x826: o->closure = value; return true;
    case 0x827:
        o->warps_per_block = value % WARPS ? value % WARPS : WARPS;
        return true; // six bits; 0 means 64 warps
    case 0x828:
        o->answer = statistic(o, value);
        o->has_answer = true;
        return true;
    }
    // CSRs behind are read-only, and code must not change while it runs.
    return value == 0 || host_error(o, "writes CSR", number);
}

static bool run_csr(struct simtight_oracle *o, const struct simtight_inst *i)
{
    bool is_immediate = i->op == OP_CSRRWI || i->op == OP_CSRRSI || i->op == OP_CSRRCI;
    bool is_swap = i->op == OP_CSRRW || i->op == OP_CSRRWI,
         is_clear = i->op == OP_CSRRC || i->op == OP_CSRRCI;
    uint32_t a = is_immediate ? i->rs1 : o->host_x[i->rs1], old = 0;
    bool reads = !is_swap || i->rd, writes = is_swap || i->rs1;
    if (reads && !read_csr(o, i->imm, &old)) return false;
    if (writes && !(is_swap && reads && a == 0) &&
        !write_csr(o, i->imm,
                   is_swap    ? a
                   : is_clear ? old & ~a
                              : old | a))
        return false;
    if (i->rd) o->host_x[i->rd] = old;
    return true;
}

static bool run_memory(struct simtight_oracle *o, const struct simtight_inst *i)
{
    bool is_store = oracle_rv_op_forms[i->op] == FORM_S;
    uint32_t address = o->host_x[i->rs1] + i->imm;
    if (address % oracle_rv_width(i->op)) return host_error(o, "misaligned access to", address);
    if (oracle_rv_is_scratchpad(address))
        return host_error(o, "the scratchpad is the warps', not the host's:", address);
    use_line(o, address, is_store);
    if (is_store)
        oracle_rv_store(o, i->op, address, o->host_x[i->rs2]);
    else if (i->rd)
        o->host_x[i->rd] = oracle_rv_load(o, i->op, address);
    return true;
}

static bool step(struct simtight_oracle *o, const struct simtight_inst *i)
{
    uint32_t a = o->host_x[i->rs1], b = o->host_x[i->rs2], next = o->host_pc + 4;
    switch ((enum simtight_form)oracle_rv_op_forms[i->op]) {
    case FORM_I:
        b = i->imm;
        if (i->op == OP_JALR) next = (a + b) & ~1u;
        // fall through
    case FORM_R:
    case FORM_F:
    case FORM_U:
        if (i->op == OP_JAL) next = o->host_pc + i->imm;
        if (i->rd) o->host_x[i->rd] = oracle_rv_value(i, a, b, o->host_pc);
        break;
    case FORM_B:
        if (oracle_rv_branches(i->op, a, b)) next = o->host_pc + i->imm;
        break;
    case FORM_L:
    case FORM_S:
        if (!run_memory(o, i)) return false;
        break;
    case FORM_C:
        if (!run_csr(o, i)) return false;
        break;
    case FORM_N:
        if (i->op == OP_TRAP) return host_error(o, "traps:", i->word);
        if (i->op == OP_FENCE) o->result.host_load_beats++; // a fence requests one beat from DRAM and waits
        if (i->op == OP_FLUSH) leave_line(o, &o->host_cache[a / 64 % HOST_CACHE_LINES]);
        break; // push and pop have no effect on a single thread: host halves share functions with kernels
    case FORM_A: return host_error(o, "an instruction of the warps", i->word);
    }
    o->host_pc = next;
    return true;
}

// Runs the host program from its entry. The program ends by a return to the boot loader, address 0.
bool oracle_rv_host_run(struct simtight_oracle *o)
{
    o->host_pc = o->entry;
    o->host_x[2] = HOST_STACK_TOP - 8;
    o->warps_per_block = WARPS;
    while (o->host_pc != 0 && !o->finished) {
        const struct simtight_inst *i = oracle_rv_fetch(o, o->host_pc, "host");
        if (!i || !oracle_rv_step_counted(o) || !step(o, i)) return false;
        o->result.host_instructions++;
    }
    return true;
}
