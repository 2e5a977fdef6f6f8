// docs/reference/isa.md is the table of instructions as a page: UPDATE_GOLDEN=1 rewrites the page. Fails when the
// page is stale.
#include "base/str.h"
#include "harness/files.h"
#include "harness/test.h"
#include "isa/isa.h"
#include "isa/shape.h"
#include "isa/sregs.h"
#include "isa/syntax.h"
#include "isa/units.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void add_flags(const struct isa_info *info, struct strbuf *out)
{
    static const struct {
        uint32_t flag;
        const char *name;
    } names[] = {
        {ISA_PURE, "pure"},
        {ISA_CARRY, "carry"},
        {ISA_FLOAT, "float"},
        {ISA_LOAD, "load"},
        {ISA_STORE, "store"},
        {ISA_ATOMIC, "atomic"},
        {ISA_FENCE, "fence"},
        {ISA_BRANCH, "branch"},
        {ISA_CROSS_LANE, "reads other lanes"},
        {ISA_CALL, "call"},
        {ISA_EXIT, "exit"},
        {ISA_SPECIAL_READ, "reads a special register"},
        {ISA_BARRIER, "barrier"},
        {ISA_INDIRECT, "indirect"},
        {ISA_SIDE_EFFECT, "side effect"},
        {ISA_COMMUTES, "commutes"},
    };
    const char *separator = "";
    for (size_t k = 0; k < TEST_COUNT(names); k++)
        if (info->flags & names[k].flag) {
            strbuf_printf(out, "%s%s", separator, names[k].name);
            separator = ", ";
        }
}

// The modifiers an instruction may carry, as ".U32" or a group "[.LT …]".
static void add_modifiers(enum isa_op op, struct strbuf *out)
{
    static const char *const groups[MODIFIER_COUNT] = {
        [MODIFIER_CMP] = ".cmp",         [MODIFIER_BOOL] = ".bool",   [MODIFIER_TYPE] = ".type",
        [MODIFIER_TYPE3] = ".type3",     [MODIFIER_SHAPE] = ".shape", [MODIFIER_TYPE2] = ".type2",
        [MODIFIER_ACCESS] = ".size",     [MODIFIER_SPACE] = ".space", [MODIFIER_CACHE] = ".cache",
        [MODIFIER_SEM] = ".order",       [MODIFIER_SCOPE] = ".scope", [MODIFIER_ROUND] = ".round",
        [MODIFIER_ROUND_INT] = ".round",
    };
    const char *separator = "";
    EACH_MODIFIER(m, op)
    {
        if (m > MODIFIER_LUT) break; // a field among the operands
        strbuf_puts(out, separator);
        separator = " ";
        if (groups[m]) {
            strbuf_puts(out, groups[m]);
            continue;
        }
        const char *bar = "";
        struct inst i = {.op = (uint16_t)op};
        for (unsigned v = 0; isa_modifier_set(&i, m, v); v++) {
            const char *text = isa_modifier_text(&i, m);
            if (*text) strbuf_printf(out, "%s.%s", bar, text), bar = "/";
        }
    }
}

// Writes the row's operands, required or optional: "d, q, a, b, pc".
static void add_operands(enum isa_op op, struct strbuf *out)
{
    static const char letters[] = "dqabce";
    const struct isa_shape *s = &isa_shapes[op];
    const char *before = "`";
    for (unsigned k = 0; k < 6; k++) {
        const struct isa_place *place = k < 2 ? &s->dst[k] : &s->src[k - 2];
        bool address = place->kind == SHAPE_ADDRESS || place->kind == SHAPE_BANK;
        bool predicate = place->kind == SHAPE_PRED;
        if (!place->kind) continue;
        strbuf_printf(out, "%s%s", before, place->kind == SHAPE_BANK ? "c[bank]" : "");
        if (predicate && k != 1) strbuf_putc(out, 'p');
        if (!predicate || k) strbuf_printf(out, address ? "[%c]" : "%c", letters[k]);
        before = ", ";
    }
    if (*before == ',') strbuf_putc(out, '`');
}

static void add_row(enum isa_op op, struct strbuf *out)
{
    const struct isa_info *info = &isa_table[op];
    strbuf_printf(out, "| `%s` | ", info->mnemonic);
    add_operands(op, out);
    strbuf_puts(out, " | ");
    add_modifiers(op, out);
    strbuf_puts(out, " | ");
    for (const char *c = info->meaning; *c; c++) {
        if (*c == '|') strbuf_putc(out, '\\');
        strbuf_putc(out, *c);
    }
    strbuf_printf(out, " | %s, %s | ", isa_unit_name(info->unit), isa_latency_name(info->latency));
    add_flags(info, out);
    strbuf_puts(out, " |\n");
}

static void add_names(const char *title, const char *(*name)(int), int first, int end, struct strbuf *out)
{
    strbuf_printf(out, "- %s: ", title);
    for (int k = first; k < end; k++) strbuf_printf(out, "%s`%s`", k == first ? "" : " ", name(k));
    strbuf_puts(out, "\n");
}

static const char *type_name(int k) { return isa_type_name((enum isa_type)k); }
static const char *cmp_name(int k) { return isa_cmp_name((enum isa_cmp)k); }
static const char *sreg_name(int k) { return isa_sreg_name((enum isa_sreg)k); }

static const char introduction[] =
    "# The machine's instructions\n\n"
    "Made from `src/isa/isa.def` by `tests/isa/test_docs.c` (`UPDATE_GOLDEN=1` rewrites it); `src/isa/isa.h` "
    "has the\n"
    "fields of an instruction, [add-an-instruction.md](../howto/add-an-instruction.md) says how to add "
    "one.\n\n"
    "- 32-bit vector registers `R0` to `R254` and `RZ` (reads zero, writes vanish); predicates `P0` to `P6` "
    "and `PT`.\n"
    "- 64-bit values are aligned pairs of registers, 128-bit values aligned quads; the listing names the "
    "first.\n"
    "- One guard an instruction: `@P0`, `@!P0`. A lane whose guard is false keeps its destinations.\n"
    "- An instruction's pc is 8 times its index. [profiles.md](../explanation/profiles.md) says which "
    "instructions a "
    "profile's "
    "code is\n"
    "  made of, and where they lie in memory.\n"
    "- Operands: `R4`, `-R4`, `|R4|`, `0x10`, `1.5`, `c[bank][offset]`, `[R4+0x10]`, `[R4]` with `.E` for a "
    "64-bit\n"
    "  address in a pair, `s[R4+0x10]` (profile ptxplus: shared memory read by an arithmetic instruction). "
    "At most one\n"
    "  source is an immediate, a constant or a shared-memory operand; lane numbers and masks of `SHFL`, "
    "`MATCH`,\n"
    "  `REDUX`, `BAR` and the length of `BFE` have immediate fields of their own.\n"
    "- Columns: `d` destination, `q` second destination, `a b c e` sources, `p` before a letter a "
    "predicate.\n\n";

static void test_page_is_in_step(struct test *t)
{
    struct strbuf out = {0};
    strbuf_puts(&out, introduction);
    strbuf_puts(&out, "| instruction | operands | modifiers | meaning | unit, latency | traits |\n");
    strbuf_puts(&out, "|---|---|---|---|---|---|\n");
    for (unsigned op = 0; op < OP_COUNT; op++) add_row((enum isa_op)op, &out);
    strbuf_puts(&out, "\n## Words\n\n");
    add_names("types", type_name, TYPE_U8, TYPE_COUNT, &out);
    add_names("comparisons (the U forms are true when an operand is NaN)", cmp_name, CMP_F, CMP_T + 1, &out);
    add_names("special registers", sreg_name, 0, SREG_COUNT, &out);
    strbuf_puts(
        &out,
        "- constant banks: 0 launch (block and grid dimensions, parameters from 0x160), 2 literals, 3 the "
        "module's `.const` variables, 4 addresses of variables and functions\n");
    CHECK_GOLDEN(t, "docs/reference/isa.md", strbuf_text(&out));
    strbuf_fini(&out);
}

// Collapses runs of spaces to a single space, without spaces at the ends.
static void add_squeezed(const char *line, size_t length, struct strbuf *out)
{
    for (size_t k = 0; k < length; k++) {
        bool space = isspace((unsigned char)line[k]);
        if (!space) strbuf_putc(out, line[k]);
        if (space && out->length && out->text[out->length - 1] != ' ') strbuf_putc(out, ' ');
    }
    while (out->length && out->text[out->length - 1] == ' ') out->text[--out->length] = 0;
}

static void read_squeezed(struct test *t, const char *path, struct strbuf *out)
{
    size_t length;
    char *text = test_read_file(t, path, &length);
    add_squeezed(text, length, out);
    free(text);
}

// Each step of docs/howto/add-an-instruction.md quotes lines of a source file: the lines must be in the file.
static void test_example_is_in_the_tree(struct test *t)
{
    static const char *const files[] = {"src/ptx/sig.def", "src/compile/lower/integer.c",
                                        "src/compile/ir/ir.def", "src/isa/isa.def", "src/exec/lane_int.c"};
    struct strbuf page = {0};
    read_squeezed(t, "docs/howto/add-an-instruction.md", &page);
    const char *at = strbuf_text(&page);
    for (size_t k = 0; k < TEST_COUNT(files) && at; k++) {
        struct strbuf source = {0};
        read_squeezed(t, files[k], &source);
        const char *block = strstr(at, "```"), *first = block ? strchr(block, ' ') : NULL;
        const char *end = first ? strstr(first, " ```") : NULL;
        CHECK_MSG(t, end, "nothing is shown of %s", files[k]);
        if (end) {
            struct strbuf shown = {0};
            add_squeezed(first + 1, (size_t)(end - first - 1), &shown);
            CHECK_MSG(t, strstr(strbuf_text(&source), strbuf_text(&shown)), "%s has no %s", files[k],
                      strbuf_text(&shown));
            strbuf_fini(&shown);
        }
        at = end ? end + strlen(" ```") : NULL;
        strbuf_fini(&source);
    }
    strbuf_fini(&page);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"page_is_in_step", test_page_is_in_step},
                                             {"example_is_in_the_tree", test_example_is_in_the_tree}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
