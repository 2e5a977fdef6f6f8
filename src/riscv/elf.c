// Reading ELF (Tool Interface Standard 1.2; RISC-V ELF psABI for e_flags).
#include "riscv/elf.h"
#include "riscv/build.h"
#include "riscv/decode.h"
#include "riscv/dwarf.h"
#include "riscv/map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { // offsets and values of the format
    EHDR_BYTES = 52,
    PHDR_BYTES = 32,
    SHDR_BYTES = 40,
    SYMBOL_BYTES = 16,
    CLASS_32 = 1,
    DATA_LITTLE = 1,
    TYPE_EXEC = 2,
    MACHINE_CUDA = 190,
    MACHINE_RISCV = 243,
    FLAG_COMPRESSED = 1,
    FLAG_FLOAT_ABI = 6,
    SEGMENT_LOAD = 1,
    SEGMENT_EXECUTABLE = 1,
    SECTION_PROGBITS = 1,
    SECTION_SYMTAB = 2,
    SECTION_NOBITS = 8,
    SECTION_EXECUTABLE = 4,
    SECTION_COMPRESSED = 0x800,
    SYMBOL_NOTYPE = 0,
    SYMBOL_OBJECT = 1,
    SYMBOL_FUNC = 2,
    HEADERS_MAX = 4096
};

struct reader {
    const uint8_t *bytes;
    size_t length;
    uint32_t source;
    struct diag *diag;
    struct image *image;
};

static bool fail(const struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(const struct reader *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diag_verror(r->diag, (struct loc){.source = r->source}, format, arguments);
    va_end(arguments);
    return false;
}

static uint32_t u16(const struct reader *r, uint64_t at)
{
    return r->bytes[at] | (uint32_t)r->bytes[at + 1] << 8;
}
static uint32_t u32(const struct reader *r, uint64_t at) { return u16(r, at) | u16(r, at + 2) << 16; }

// Whether `count` records of `bytes` bytes each, from `offset` on, lie within the file.
static bool holds(const struct reader *r, uint64_t offset, uint64_t count, uint64_t bytes)
{
    return offset <= r->length && count <= (r->length - offset) / bytes;
}

static bool check_header(const struct reader *r)
{
    if (r->length < 4 || memcmp(r->bytes, "\177ELF", 4) != 0) return fail(r, "is not an ELF file");
    if (r->length < EHDR_BYTES)
        return fail(r, "is cut off: %zu bytes, and an ELF header has %d", r->length, EHDR_BYTES);
    if (r->bytes[5] != DATA_LITTLE) return fail(r, "is a big-endian ELF file; RISC-V is little-endian");
    if (u16(r, 18) == MACHINE_CUDA)
        return fail(r,
                    "is a cubin, machine code of a GPU architecture, not executable by warpfold: "
                    "give the kernel's PTX, made of the source by nvcc -ptx or extracted by cuobjdump -ptx "
                    "from a program");
    if (u16(r, 18) != MACHINE_RISCV)
        return fail(r, "is an ELF file for machine %u, not for RISC-V (%d)", u16(r, 18), MACHINE_RISCV);
    if (r->bytes[4] != CLASS_32)
        return fail(r,
                    "is an ELF file of 64 bits; a RISC-V program must have 32 (-march=rv32ima -mabi=ilp32)");
    if (u16(r, 16) != TYPE_EXEC)
        return fail(r, "is an ELF file of type %u, not an executable (2): link the program statically",
                    u16(r, 16));
    uint32_t flags = u32(r, 36);
    if (flags & FLAG_COMPRESSED)
        return fail(r, "has compressed instructions, unknown to the machine (-march=rv32ima, without c)");
    if (flags & FLAG_FLOAT_ABI)
        return fail(r, "keeps floats in f registers, absent from the machine (-mabi=ilp32)");
    return true;
}

// -- segments -----------------------------------------------------------------------------------------------
struct segment {
    uint32_t address, memory_bytes, file_bytes, offset, number;
    bool is_executable;
};

static int by_address(const void *a, const void *b)
{
    const struct segment *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool is_inside(const struct segment *s, uint64_t start, uint64_t end)
{
    return s->address >= start && (uint64_t)s->address + s->memory_bytes <= end;
}

static bool check_segment(const struct reader *r, const struct segment *s)
{
    if (!holds(r, s->offset, s->file_bytes, 1))
        return fail(r, "is cut off: segment %u has %u bytes at 0x%x, and the file %zu", s->number,
                    s->file_bytes, s->offset, r->length);
    if (s->file_bytes > s->memory_bytes)
        return fail(r, "segment %u has %u bytes in the file and %u in memory", s->number, s->file_bytes,
                    s->memory_bytes);
    if (is_inside(s, RISCV_CODE, RISCV_CODE + RISCV_CODE_BYTES) || is_inside(s, RISCV_DATA, RISCV_SPILL))
        return true;
    return fail(r,
                "segment %u, 0x%08x to 0x%08" PRIx64
                ", is outside the memory: code goes from 0x%08x to 0x%08x, data "
                "to 0x%08x",
                s->number, s->address, (uint64_t)s->address + s->memory_bytes - 1, RISCV_CODE, RISCV_DATA - 1,
                RISCV_SPILL - 1);
}

// Whether the segment holds only the ELF header and program headers, as written by lld below the code:
// neither code nor data.
static bool is_headers(const struct reader *r, const struct segment *s)
{
    uint64_t table = u32(r, 28), end = EHDR_BYTES;
    if (table <= end) end = table + (uint64_t)u16(r, 44) * PHDR_BYTES;
    return s->address < RISCV_DATA && s->memory_bytes == s->file_bytes &&
           (uint64_t)s->offset + s->file_bytes <= end;
}

// Segments to load, in order of address. NULL: an error was reported.
static struct segment *read_segments(const struct reader *r, uint32_t *count)
{
    uint32_t offset = u32(r, 28), bytes = u16(r, 42), n = u16(r, 44);
    *count = 0;
    if (!n) return fail(r, "has no segments, hence no code to run"), NULL;
    if (bytes != PHDR_BYTES)
        return fail(r, "has program headers of %u bytes, not %d", bytes, PHDR_BYTES), NULL;
    if (!holds(r, offset, n, PHDR_BYTES))
        return fail(r, "is cut off: %u program headers at 0x%x, and the file has %zu bytes", n, offset,
                    r->length),
               NULL;
    struct segment *s = ARENA_ARRAY(&r->image->arena, struct segment, n);
    for (uint32_t k = 0; k < n; k++) {
        uint64_t at = (uint64_t)offset + (uint64_t)k * PHDR_BYTES;
        struct segment x = {u32(r, at + 8),
                            u32(r, at + 20),
                            u32(r, at + 16),
                            u32(r, at + 4),
                            k,
                            u32(r, at + 24) & SEGMENT_EXECUTABLE};
        if (u32(r, at) != SEGMENT_LOAD || !x.memory_bytes || is_headers(r, &x)) continue;
        if (!check_segment(r, &x)) return NULL;
        s[(*count)++] = x;
    }
    qsort(s, *count, sizeof *s, by_address);
    for (uint32_t k = 1; k < *count; k++)
        if ((uint64_t)s[k - 1].address + s[k - 1].memory_bytes > s[k].address)
            return fail(r, "segments %u and %u overlap at 0x%08x", s[k - 1].number, s[k].number,
                        s[k].address),
                   NULL;
    return s;
}

// -- sections: instructions within segments, symbols --------------------------------------------------------
struct sections {
    uint32_t offset, count; // count 0: no sections
};

// A file without section headers is accepted; a file with broken section headers is not. False: an error was
// reported.
static bool find_sections(const struct reader *r, struct sections *s)
{
    *s = (struct sections){u32(r, 32), u16(r, 48)};
    if (!s->offset) s->count = 0;
    if (!s->count) return true;
    if (u16(r, 46) != SHDR_BYTES)
        return fail(r, "has section headers of %u bytes, not %d", u16(r, 46), SHDR_BYTES);
    if (s->count > HEADERS_MAX) return fail(r, "has %u section headers: more than %d", s->count, HEADERS_MAX);
    if (!holds(r, s->offset, s->count, SHDR_BYTES))
        return fail(r, "is cut off: %u section headers at 0x%x, and the file has %zu bytes", s->count,
                    s->offset, r->length);
    return true;
}

static uint64_t section(const struct sections *s, uint32_t k)
{
    return (uint64_t)s->offset + (uint64_t)k * SHDR_BYTES;
}

// Bounds of the code from executable sections, empty if absent. Segments are less exact: a segment may
// include headers.
static void find_code(const struct reader *r, const struct sections *s, uint32_t *start, uint32_t *end)
{
    *start = UINT32_MAX, *end = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        uint64_t at = section(s, k);
        uint32_t address = u32(r, at + 12), bytes = u32(r, at + 20);
        if (u32(r, at + 4) != SECTION_PROGBITS || !(u32(r, at + 8) & SECTION_EXECUTABLE) || !bytes) continue;
        if (bytes > UINT32_MAX - address) continue;
        if (address < *start) *start = address;
        if (address + bytes > *end) *end = address + bytes;
    }
}

// The executable segment in instruction memory. NULL: an error was reported.
static const struct segment *code_segment(const struct reader *r, const struct segment *s, uint32_t count)
{
    const struct segment *code = NULL;
    for (uint32_t k = 0; k < count; k++) {
        if (s[k].address >= RISCV_DATA || !s[k].file_bytes) continue;
        if (!s[k].is_executable)
            return fail(r,
                        "has data at 0x%08x (segment %u is not executable), in the instructions' memory, "
                        "for execution only: link data at 0x%08x or above",
                        s[k].address, s[k].number, RISCV_DATA),
                   NULL;
        if (code)
            return fail(r, "has code in segments %u and %u: link the code into a single segment",
                        code->number, s[k].number),
                   NULL;
        code = &s[k];
    }
    if (!code) fail(r, "has no code at 0x%08x to 0x%08x", RISCV_CODE, RISCV_DATA - 1);
    return code;
}

static bool read_code(const struct reader *r, const struct segment *s, uint32_t count,
                      const struct sections *sections)
{
    uint32_t start, end;
    find_code(r, sections, &start, &end);
    const struct segment *code = code_segment(r, s, count);
    if (!code) return false;
    uint32_t first = code->address, last = code->address + code->file_bytes;
    if (start >= first && start < last && end > start && end <= last) first = start, last = end;
    if (first % 4) return fail(r, "has code at 0x%08x, not a multiple of 4", first);
    struct image *i = r->image;
    i->code = first;
    i->word_count = (last - first + 3) / 4;
    uint32_t *words = ARENA_ARRAY(&i->arena, uint32_t, i->word_count);
    for (uint32_t k = 0; k < last - first; k++)
        words[k / 4] |= (uint32_t)r->bytes[code->offset + (first - code->address) + k] << 8 * (k % 4);
    i->words = words;
    return true;
}

static void read_data(const struct reader *r, const struct segment *s, uint32_t count)
{
    struct image *i = r->image;
    i->data = ARENA_ARRAY(&i->arena, struct image_segment, count);
    for (uint32_t k = 0; k < count; k++) {
        if (s[k].address < RISCV_DATA) continue;
        uint8_t *bytes = arena_alloc(&i->arena, s[k].file_bytes + 1u);
        memcpy(bytes, r->bytes + s[k].offset, s[k].file_bytes);
        i->data[i->data_count++] =
            (struct image_segment){s[k].address, s[k].memory_bytes, bytes, s[k].file_bytes};
    }
}

// -- symbols ------------------------------------------------------------------------------------------------
struct table { // in the file
    uint64_t offset;
    uint32_t bytes;
};

static const char *name_at(const struct reader *r, const struct table *strings, uint32_t at)
{
    if (at >= strings->bytes) return NULL;
    const char *name = (const char *)r->bytes + strings->offset + at;
    return memchr(name, 0, strings->bytes - at) ? name : NULL;
}

static int symbols_by_address(const void *a, const void *b)
{
    const struct image_symbol *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return strcmp(x->name, y->name);
}

// Whether a symbol name is useful to a reader; linker names ("$x", ".L4", sections) are not.
static bool is_named(const char *name) { return name && *name && *name != '$' && *name != '.'; }

static bool read_table(const struct reader *r, const struct table *symbols, const struct table *strings)
{
    struct image *i = r->image;
    uint32_t count = symbols->bytes / SYMBOL_BYTES;
    i->symbols = ARENA_ARRAY(&i->arena, struct image_symbol, count + 1);
    for (uint32_t k = 0; k < count; k++) {
        uint64_t at = symbols->offset + (uint64_t)k * SYMBOL_BYTES;
        uint32_t address = u32(r, at + 4), type = r->bytes[at + 12] & 15;
        const char *name = name_at(r, strings, u32(r, at));
        bool is_code = address >= i->code && address < i->code + 4ull * i->word_count;
        bool is_known = type == SYMBOL_FUNC || type == SYMBOL_OBJECT || (type == SYMBOL_NOTYPE && is_code);
        if (!is_known || !is_named(name) || !u16(r, at + 14)) continue; // section 0: undefined symbol
        if (is_code && address % 4)
            return fail(r, "has function %s at 0x%08x, not a multiple of 4", name, address);
        i->symbols[i->symbol_count++] = (struct image_symbol){arena_strndup(&i->arena, name, strlen(name)),
                                                              address, u32(r, at + 8), is_code};
    }
    qsort(i->symbols, i->symbol_count, sizeof *i->symbols, symbols_by_address);
    return true;
}

static bool read_symbols(const struct reader *r, const struct sections *s)
{
    for (uint32_t k = 0; k < s->count; k++) {
        uint64_t at = section(s, k);
        if (u32(r, at + 4) != SECTION_SYMTAB) continue;
        uint32_t link = u32(r, at + 24);
        struct table symbols = {u32(r, at + 16), u32(r, at + 20)};
        if (link >= s->count)
            return fail(r, "has symbols with names in section %u of only %u sections", link, s->count);
        struct table strings = {u32(r, section(s, link) + 16), u32(r, section(s, link) + 20)};
        if (!holds(r, symbols.offset, symbols.bytes, 1) || !holds(r, strings.offset, strings.bytes, 1))
            return fail(r, "is cut off: the symbols are past the end");
        return read_table(r, &symbols, &strings);
    }
    return true;
}

// -- instructions -------------------------------------------------------------------------------------------
static void describe_place(const struct image *i, uint32_t pc, struct strbuf *out)
{
    const struct image_symbol *s = image_symbol_at(i, pc, true);
    strbuf_printf(out, "0x%08x", pc);
    if (s) strbuf_printf(out, " (%s+0x%x)", s->name, (unsigned)(pc - s->address));
}

static bool check_code(const struct reader *r)
{
    enum { SHOWN = 5 };
    const struct image *i = r->image;
    if (i->entry % 4 || i->entry < i->code || i->entry >= i->code + 4ull * i->word_count)
        return fail(r, "begins at 0x%08x, outside the code", (uint32_t)i->entry);
    bool *reached = ARENA_ARRAY(&r->image->arena, bool, i->word_count);
    riscv_reach(i, i->entry, reached);
    for (uint32_t k = 0; k < i->symbol_count; k++)
        if (i->symbols[k].is_code && i->symbols[k].size_bytes) riscv_reach(i, i->symbols[k].address, reached);
    unsigned bad = 0;
    for (uint32_t k = 0; k < i->word_count && bad < SHOWN; k++) {
        if (!reached[k] || rv_decode(i->words[k]).op != RV_NONE) continue;
        struct strbuf place = {0};
        describe_place(i, (uint32_t)i->code + 4 * k, &place);
        if ((i->words[k] & 3) != 3)
            fail(r,
                 "%s: 0x%04x is a compressed instruction, unknown to the machine (-march=rv32ima, without "
                 "c)",
                 strbuf_text(&place), i->words[k] & 0xffff);
        else
            fail(r, "%s: 0x%08x is no instruction of RV32IMA_Zfinx", strbuf_text(&place), i->words[k]);
        strbuf_fini(&place);
        bad++;
    }
    return !bad;
}

// -- source lines -------------------------------------------------------------------------------------------
// Finds an uncompressed section by name; empty when absent or cut off.
static struct dwarf_bytes section_named(const struct reader *r, const struct sections *s, const char *name)
{
    uint32_t names = u16(r, 50);
    if (names >= s->count) return (struct dwarf_bytes){0};
    struct table strings = {u32(r, section(s, names) + 16), u32(r, section(s, names) + 20)};
    if (!holds(r, strings.offset, strings.bytes, 1)) return (struct dwarf_bytes){0};
    for (uint32_t k = 0; k < s->count; k++) {
        uint64_t at = section(s, k);
        const char *found = name_at(r, &strings, u32(r, at));
        uint32_t offset = u32(r, at + 16), bytes = u32(r, at + 20);
        bool is_plain = u32(r, at + 4) == SECTION_PROGBITS && !(u32(r, at + 8) & SECTION_COMPRESSED);
        if (found && str_equal(found, name) && is_plain && holds(r, offset, bytes, 1))
            return (struct dwarf_bytes){r->bytes + offset, bytes};
    }
    return (struct dwarf_bytes){0};
}

static void read_lines(const struct reader *r, const struct sections *s)
{
    struct dwarf d = {section_named(r, s, ".debug_line"), section_named(r, s, ".debug_str"),
                      section_named(r, s, ".debug_line_str")};
    dwarf_read(r->image, &d);
}

static bool load(const struct reader *r)
{
    uint32_t count;
    struct sections sections;
    if (!check_header(r)) return false;
    struct segment *s = read_segments(r, &count);
    if (!s || !find_sections(r, &sections) || !read_code(r, s, count, &sections)) return false;
    read_data(r, s, count);
    r->image->entry = u32(r, 24);
    if (!read_symbols(r, &sections) || !check_code(r)) return false;
    read_lines(r, &sections);
    return true;
}

struct image *elf_load(const void *bytes, size_t length, uint32_t source, struct diag *d)
{
    struct image *i = heap_alloc(sizeof *i);
    arena_init(&i->arena);
    i->source = source;
    i->arguments = IMAGE_ARGUMENTS_CLOSURE;
    struct reader r = {bytes, length, source, d, i};
    if (load(&r)) return i;
    image_free(i);
    return NULL;
}
