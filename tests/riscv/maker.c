// Formats of RISC-V instructions (ISA manual 20191213, 2.2 and 2.3) and of ELF files.
#include "riscv/maker.h"

#include <string.h>

uint32_t rv_r(unsigned opcode, unsigned f3, unsigned f7, unsigned rd, unsigned rs1, unsigned rs2)
{
    return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode;
}

uint32_t rv_i(unsigned opcode, unsigned f3, unsigned rd, unsigned rs1, int32_t imm)
{
    return (uint32_t)imm << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode;
}

uint32_t rv_s(unsigned f3, unsigned rs2, unsigned rs1, int32_t imm)
{
    uint32_t i = (uint32_t)imm;
    return (i >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (i & 31) << 7 | 0x23;
}

uint32_t rv_b(unsigned f3, unsigned rs1, unsigned rs2, int32_t offset)
{
    uint32_t i = (uint32_t)offset;
    return (i >> 12 & 1) << 31 | (i >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 |
           (i >> 1 & 15) << 8 | (i >> 11 & 1) << 7 | 0x63;
}

uint32_t rv_u(unsigned opcode, unsigned rd, uint32_t imm) { return (imm & 0xfffff000) | rd << 7 | opcode; }

uint32_t rv_j(unsigned rd, int32_t offset)
{
    uint32_t i = (uint32_t)offset;
    return (i >> 20 & 1) << 31 | (i >> 1 & 0x3ff) << 21 | (i >> 11 & 1) << 20 | (i >> 12 & 0xff) << 12 |
           rd << 7 | 0x6f;
}

void maker_fini(struct maker *m)
{
    vec_fini(&m->words);
    vec_fini(&m->data);
    vec_fini(&m->symbols);
}

void maker_put(struct maker *m, uint32_t word) { vec_push(&m->words, word); }

void maker_li(struct maker *m, unsigned rd, uint32_t value)
{
    uint32_t upper = (value + 0x800) & 0xfffff000, lower = value - upper;
    if (upper) maker_put(m, lui(rd, upper));
    if (lower || !upper) maker_put(m, addi(rd, upper ? rd : X0, (int32_t)lower));
}

uint32_t maker_here(const struct maker *m) { return MAKER_CODE + 4 * (uint32_t)m->words.count; }

void maker_land(struct maker *m, uint32_t address)
{
    uint32_t *word = &m->words.data[(address - MAKER_CODE) / 4], w = *word;
    int32_t offset = (int32_t)(maker_here(m) - address);
    if ((w & 0x7f) == 0x6f)
        *word = rv_j(w >> 7 & 31, offset);
    else
        *word = rv_b(w >> 12 & 7, w >> 15 & 31, w >> 20 & 31, offset);
}

void maker_function(struct maker *m, const char *name)
{
    vec_push(&m->symbols, (struct maker_symbol){name, maker_here(m), 0});
}

void maker_word(struct maker *m, uint32_t value)
{
    for (unsigned k = 0; k < 4; k++) vec_push(&m->data, (uint8_t)(value >> 8 * k));
}

// -- ELF ----------------------------------------------------------------------------------------------------
static void u16(struct strbuf *o, uint32_t x)
{
    strbuf_putc(o, (char)x);
    strbuf_putc(o, (char)(x >> 8));
}
static void u32(struct strbuf *o, uint32_t x)
{
    u16(o, x);
    u16(o, x >> 16);
}

static void section(struct strbuf *o, uint32_t type, uint32_t flags, uint32_t address, uint32_t offset,
                    uint32_t size, uint32_t link, uint32_t entry)
{
    uint32_t fields[10] = {0, type, flags, address, offset, size, link, 0, 4, entry};
    for (unsigned k = 0; k < 10; k++) u32(o, fields[k]);
}

static void segment(struct strbuf *o, uint32_t type, uint32_t offset, uint32_t address, uint32_t file,
                    uint32_t memory, uint32_t flags)
{
    uint32_t fields[8] = {type, offset, address, address, file, memory, flags, 4};
    for (unsigned k = 0; k < 8; k++) u32(o, fields[k]);
}

static uint32_t size_of(const struct maker *m, size_t k)
{
    uint32_t end = maker_here(m);
    for (size_t n = 0; n < m->symbols.count; n++) {
        uint32_t a = m->symbols.data[n].address;
        if (a > m->symbols.data[k].address && a < end) end = a;
    }
    return m->symbols.data[k].size ? m->symbols.data[k].size : end - m->symbols.data[k].address;
}

enum { HEADER = 52, SEGMENT = 32, SYMBOL = 16, SECTIONS = 5, HEADERS_AT = 0x08000000 };
enum { TYPE_LOAD = 1, TYPE_PHDR = 6, READ = 4, WRITE = 2, EXECUTE = 1 };

static uint32_t segments_of(const struct maker *m) { return m->layout < LAYOUT_READ_ONLY ? 2 : 4; }

// Offset of the code in the file; with headers in memory, the distance of code and headers in memory.
static uint32_t code_offset(const struct maker *m)
{
    return m->layout == LAYOUT_NO_HEADERS ? HEADER + segments_of(m) * SEGMENT : MAKER_CODE - HEADERS_AT;
}

static void code_segments(const struct maker *m, struct strbuf *o)
{
    uint32_t bytes = 4 * (uint32_t)m->words.count, headers = HEADER + segments_of(m) * SEGMENT;
    uint32_t more = m->layout == LAYOUT_READ_ONLY_DATA ? 16 : 0, whole = code_offset(m) + bytes;
    if (m->layout == LAYOUT_IN_CODE) {
        segment(o, TYPE_LOAD, 0, HEADERS_AT, whole, whole, READ | EXECUTE);
        return;
    }
    if (m->layout != LAYOUT_NO_HEADERS) {
        segment(o, TYPE_PHDR, HEADER, HEADERS_AT + HEADER, headers - HEADER, headers - HEADER, READ);
        segment(o, TYPE_LOAD, 0, HEADERS_AT, headers + more, headers + more, READ);
    }
    segment(o, TYPE_LOAD, code_offset(m), MAKER_CODE, bytes, bytes, READ | EXECUTE);
}

static void pad(struct strbuf *o, size_t length)
{
    while (o->length < length) strbuf_putc(o, 0);
}

// Header, segments, code, data, symbols, names, five sections.
void maker_elf(const struct maker *m, struct strbuf *o)
{
    static const unsigned char ident[16] = {0x7f, 'E', 'L', 'F', 1, 1, 1};
    uint32_t code = code_offset(m), code_bytes = 4 * (uint32_t)m->words.count, data = code + code_bytes;
    uint32_t data_bytes = ((uint32_t)m->data.count + 3) & ~3u, symbols = data + data_bytes;
    uint32_t symbol_bytes = SYMBOL * (uint32_t)(m->symbols.count + 1), names = symbols + symbol_bytes,
             name_bytes = 1;
    uint32_t in_memory = m->data_bytes > data_bytes ? m->data_bytes : data_bytes;
    bool has_sections = !m->has_no_sections;
    for (size_t k = 0; k < m->symbols.count; k++) name_bytes += (uint32_t)strlen(m->symbols.data[k].name) + 1;
    uint32_t sections = (names + name_bytes + 3) & ~3u;
    for (unsigned k = 0; k < 16; k++) strbuf_putc(o, (char)ident[k]);
    u16(o, 2), u16(o, 243), u32(o, 1), u32(o, MAKER_CODE), u32(o, HEADER), u32(o, has_sections * sections);
    u32(o, 0), u16(o, HEADER), u16(o, SEGMENT), u16(o, segments_of(m)), u16(o, 40),
        u16(o, has_sections * SECTIONS), u16(o, 0);
    code_segments(m, o);
    segment(o, TYPE_LOAD, data, MAKER_DATA, data_bytes, in_memory, READ | WRITE);
    pad(o, code);
    for (size_t k = 0; k < m->words.count; k++) u32(o, m->words.data[k]);
    for (uint32_t k = 0; k < data_bytes; k++) strbuf_putc(o, k < m->data.count ? (char)m->data.data[k] : 0);
    for (unsigned k = 0; k < SYMBOL; k++) strbuf_putc(o, 0);
    uint32_t name = 1;
    for (size_t k = 0; k < m->symbols.count; k++) {
        bool is_code = m->symbols.data[k].address < MAKER_DATA;
        u32(o, name), u32(o, m->symbols.data[k].address), u32(o, size_of(m, k));
        strbuf_putc(o, is_code ? 0x12 : 0x11), strbuf_putc(o, 0), u16(o, is_code ? 1 : 2);
        name += (uint32_t)strlen(m->symbols.data[k].name) + 1;
    }
    strbuf_putc(o, 0);
    for (size_t k = 0; k < m->symbols.count; k++) {
        strbuf_puts(o, m->symbols.data[k].name);
        strbuf_putc(o, 0);
    }
    if (!has_sections) return;
    pad(o, sections);
    section(o, 0, 0, 0, 0, 0, 0, 0);
    section(o, 1, 6, MAKER_CODE, code, code_bytes, 0, 0);
    section(o, 1, 3, MAKER_DATA, data, data_bytes, 0, 0);
    section(o, 2, 0, 0, symbols, symbol_bytes, 4, SYMBOL);
    section(o, 3, 0, 0, names, name_bytes, 0, 0);
}
