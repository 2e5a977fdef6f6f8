// ELF files of 32 bits for RISC-V (System V ABI, chapter 4; RISC-V ELF psABI): segments into memory.
#include "oracle/simtight_impl.h"

#include <string.h>

static uint32_t field(const uint8_t *bytes, unsigned size)
{
    uint32_t v = 0;
    for (unsigned k = 0; k < size; k++) v |= (uint32_t)bytes[k] << 8 * k;
    return v;
}

static bool refuse(const char **why, const char *text)
{
    *why = text;
    return false;
}

static bool load_segment(struct simtight_oracle *o, const uint8_t *bytes, size_t length,
                         const uint8_t *header, const char **why)
{
    uint64_t offset = field(header + 4, 4), address = field(header + 8, 4);
    uint64_t in_file = field(header + 16, 4), in_memory = field(header + 20, 4);
    bool is_code = field(header + 24, 4) & 1;
    if (field(header, 4) != 1) return true; // PT_LOAD
    if (offset + in_file > length || in_file > in_memory) return refuse(why, "a segment is outside the file");
    if (address + in_memory > MEMORY_BYTES) return refuse(why, "a segment is outside memory");
    memcpy(o->memory + address, bytes + offset, in_file);
    if (!is_code || !in_memory) return true;
    if (address < CODE_BASE || address + in_memory > CODE_BASE + CODE_BYTES)
        return refuse(why, "code is outside the instruction memory");
    o->code_begin = (uint32_t)address;
    o->code_end = (uint32_t)(address + in_memory);
    return true;
}

bool simtight_oracle_load(struct simtight_oracle *o, const uint8_t *bytes, size_t length, const char **why)
{
    static const uint8_t magic[7] = {0x7f, 'E', 'L', 'F', 1, 1, 1}; // 32 bits, little endian, version 1
    if (length < 52 || memcmp(bytes, magic, sizeof magic) != 0) return refuse(why, "no 32-bit ELF file");
    if (field(bytes + 16, 2) != 2 || field(bytes + 18, 2) != 243) return refuse(why, "no RISC-V executable");
    uint64_t headers = field(bytes + 28, 4), size = field(bytes + 42, 2), count = field(bytes + 44, 2);
    if (size < 32 || headers + size * count > length) return refuse(why, "no program headers");
    o->is_rv32e = field(bytes + 36, 4) & 8; // EF_RISCV_RVE
    o->entry = field(bytes + 24, 4);
    for (uint64_t k = 0; k < count; k++)
        if (!load_segment(o, bytes, length, bytes + headers + size * k, why)) return false;
    if (o->code_begin == o->code_end) return refuse(why, "no code");
    for (uint32_t pc = o->code_begin & ~3u; pc < o->code_end; pc += 4)
        o->code[(pc - CODE_BASE) / 4] = oracle_rv_decode(field(o->memory + pc, 4));
    return true;
}
