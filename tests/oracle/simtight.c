// A program on the oracle's machine: memory, limits, errors, results.
#include "oracle/simtight_impl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct simtight_oracle *simtight_oracle_create(void)
{
    struct simtight_oracle *o = calloc(1, sizeof *o);
    if (!o) abort();
    o->memory =
        mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (o->memory == MAP_FAILED) abort();
    o->limit = UINT64_MAX;
    return o;
}

void simtight_oracle_destroy(struct simtight_oracle *o)
{
    munmap(o->memory, MEMORY_BYTES);
    strbuf_fini(&o->console);
    strbuf_fini(&o->error);
    free(o->launches);
    free(o->input);
    free(o);
}

void simtight_oracle_input(struct simtight_oracle *o, const uint8_t *bytes, size_t length)
{
    free(o->input);
    o->input = malloc(length + 1);
    if (!o->input) abort();
    memcpy(o->input, bytes, length);
    o->input_length = length;
}

void simtight_oracle_limit(struct simtight_oracle *o, uint64_t instructions) { o->limit = instructions; }
void simtight_oracle_lower_first(struct simtight_oracle *o, bool is_lower_first)
{
    o->is_lower_first = is_lower_first;
}
const uint8_t *simtight_oracle_memory(const struct simtight_oracle *o) { return o->memory; }

bool oracle_rv_error(struct simtight_oracle *o, const char *format, ...)
{
    if (o->error.length) return false;
    va_list args;
    va_start(args, format);
    strbuf_vprintf(&o->error, format, args);
    va_end(args);
    return false;
}

bool oracle_rv_step_counted(struct simtight_oracle *o)
{
    if (++o->steps <= o->limit) return true;
    return oracle_rv_error(o, "the limit of %llu instructions is reached", (unsigned long long)o->limit);
}

const struct simtight_inst *oracle_rv_fetch(struct simtight_oracle *o, uint32_t pc, const char *who)
{
    if (pc % 4 || pc < o->code_begin || pc >= o->code_end) {
        oracle_rv_error(o, "%s: no instruction at 0x%08x", who, pc);
        return NULL;
    }
    const struct simtight_inst *i = &o->code[(pc - CODE_BASE) / 4];
    bool is_upper = i->rd >= 16 || i->rs1 >= 16 || i->rs2 >= 16;
    bool is_csr_number = i->op == OP_CSRRWI || i->op == OP_CSRRSI || i->op == OP_CSRRCI;
    if (i->op == OP_ILLEGAL || (o->is_rv32e && is_upper && !is_csr_number)) {
        oracle_rv_error(o, "%s: 0x%08x is not an instruction of this machine, at 0x%08x", who, i->word, pc);
        return NULL;
    }
    return i;
}

uint32_t oracle_rv_load(const struct simtight_oracle *o, enum simtight_op op, uint32_t address)
{
    const uint8_t *m = o->memory + address;
    uint32_t half = (uint32_t)(m[0] | m[1] << 8);
    if (op == OP_LB) return (uint32_t)(int32_t)(int8_t)m[0];
    if (op == OP_LBU) return m[0];
    if (op == OP_LH) return (uint32_t)(int32_t)(int16_t)half;
    if (op == OP_LHU) return half;
    return half | (uint32_t)m[2] << 16 | (uint32_t)m[3] << 24;
}

void oracle_rv_store(struct simtight_oracle *o, enum simtight_op op, uint32_t address, uint32_t value)
{
    for (unsigned k = 0; k < oracle_rv_width(op); k++) o->memory[address + k] = (uint8_t)(value >> 8 * k);
}

void oracle_rv_put(struct simtight_oracle *o, uint8_t byte)
{
    if (byte == 0) o->console_ended = true;
    if (!o->console_ended) strbuf_putc(&o->console, (char)byte);
}

static uint64_t hash_page(uint64_t hash, const uint8_t *page, uint64_t address)
{
    for (uint64_t k = 0; k < 4096; k += 8) {
        uint64_t word;
        memcpy(&word, page + k, 8);
        if (word) hash = ((hash ^ (address + k)) * 0x100000001b3ull ^ word) * 0x100000001b3ull;
    }
    return hash;
}

// FNV-1a over the non-zero 64-bit words and their addresses. Pages never written are not touched.
static uint64_t hash_memory(const struct simtight_oracle *o, uint64_t begin, uint64_t end)
{
    enum { SPAN = 4096 }; // pages
    unsigned char resident[SPAN];
    uint64_t hash = 0xcbf29ce484222325ull;
    for (uint64_t at = begin; at < end; at += SPAN * 4096) {
        uint64_t pages = (end - at) / 4096 < SPAN ? (end - at) / 4096 : SPAN;
        if (mincore(o->memory + at, pages * 4096, resident) != 0) abort();
        for (uint64_t k = 0; k < pages; k++)
            if (resident[k] & 1) hash = hash_page(hash, o->memory + at + k * 4096, at + k * 4096);
    }
    return hash;
}

static void add_up(struct simtight_oracle_counts *total, const struct simtight_oracle_counts *c)
{
    total->launches += c->launches;
#define X(NAME, MEANING) total->NAME += c->NAME;
    SIMTIGHT_COUNTS(X)
#undef X
    if (c->vector_max > total->vector_max) total->vector_max = c->vector_max;
}

const struct simtight_oracle_result *simtight_oracle_run(struct simtight_oracle *o)
{
    struct simtight_oracle_result *r = &o->result;
    bool ended = oracle_rv_host_run(o);
    r->error = ended ? NULL : strbuf_text(&o->error);
    r->console = strbuf_text(&o->console);
    r->launches = o->launches;
    r->launch_count = o->launch_count;
    for (size_t k = 0; k < o->launch_count; k++) add_up(&r->total, &o->launches[k]);
    r->data_hash = hash_memory(o, DATA_BASE, HOST_STACK_LOW);
    r->scratchpad_hash = hash_memory(o, SCRATCHPAD_BASE, STACKS_BASE);
    return r;
}
