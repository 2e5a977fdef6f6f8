// How our code compares with ptxas's, kernel by kernel: static instructions, instructions of innermost loops
// per source iteration, registers, spills. Writes a Markdown page to standard output.
//
//     codegen FILE.ptx...        ptxas -arch=sm_75 -O3 must be in PATH or /usr/local/cuda/bin
//     codegen --list FILE.ptx [KERNEL]     our listing;  --ptxplus, --pascal: that profile;  --plain: without the
//     optimiser
//
// There is no disassembler beside ptxas, so its ELF file is read here: 16-byte instructions of section
// .text.KERNEL, of which the padding at the end (a branch to itself and NOPs) is not counted. Both compilers
// unroll loops, so an innermost loop (a backward branch with none inside) is measured per unit of work that
// unrolling multiplies: the words its loads, stores and atomics move and its float operations, which neither
// compiler changes.
#include "base/file.h"
#include "compile/compile.h"
#include "isa/fields.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "isa/units.h"
#include "ptx/ptx.h"

#include <elf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct code { // what is compared, of one kernel
    uint32_t insts, registers, spills;
    uint32_t loop_insts, loop_work; // sums over innermost loops
};

struct row {
    char name[64];
    uint32_t ptx_insts;
    struct code ours, theirs;
    double milliseconds;
};

// -- loops of either compiler -------------------------------------------------------------------------------

struct step { // one instruction, as far as loops need it
    uint32_t work;
    int64_t target; // of a branch: instruction index; -1
};

static void measure_loops(const struct step *steps, uint32_t count, struct code *c)
{
    for (uint32_t end = 0; end < count; end++) {
        int64_t start = steps[end].target;
        bool innermost = start >= 0 && start <= (int64_t)end;
        for (uint32_t k = innermost ? (uint32_t)start : end; k < end; k++)
            if (steps[k].target >= start && steps[k].target <= (int64_t)k) innermost = false;
        uint32_t work = 0;
        for (uint32_t k = innermost ? (uint32_t)start : end + 1; k <= end; k++) work += steps[k].work;
        if (!innermost || !work) continue;
        c->loop_insts += end - (uint32_t)start + 1;
        c->loop_work += work;
    }
}

// -- ours ---------------------------------------------------------------------------------------------------

static uint32_t words_of(unsigned type)
{
    unsigned bytes = isa_type_bytes((enum isa_type)type);
    return bytes > 4 ? bytes / 4 : 1;
}

static uint32_t our_work(const struct inst *i)
{
    enum isa_unit unit = isa_table[i->op].unit;
    if (i->op == OP_LDL || i->op == OP_STL || i->op == OP_SHFL) return 0;
    if (isa_has(i, ISA_LOAD | ISA_STORE | ISA_ATOMIC) && i->op != OP_LDC) return words_of(i->type);
    bool moves = i->op == OP_FSETP || i->op == OP_FSET || i->op == OP_FMNMX;
    return (unit == UNIT_FLOAT && !moves) || unit == UNIT_DOUBLE || i->op == OP_MUFU;
}

static void measure_ours(const struct program *p, struct code *c)
{
    struct step *steps = heap_alloc(sizeof *steps * p->inst_count);
    *c = (struct code){p->inst_count, p->reg_count, p->spill_loads + p->spill_stores, 0, 0};
    for (uint32_t k = 0; k < p->inst_count; k++) {
        const struct inst *i = &p->insts[k];
        steps[k] = (struct step){our_work(i), i->op == OP_BRA ? (int64_t)i->target : -1};
    }
    measure_loops(steps, p->inst_count, c);
    free(steps);
}

// -- ptxas's ------------------------------------------------------------------------------------------------

// Opcodes of sm_75: the low nine bits say what, three more in which form.
static uint32_t their_work(const uint64_t inst[2])
{
    unsigned size = (unsigned)(inst[1] >> 9 & 7), words = size == 5 ? 2 : size == 6 ? 4 : 1;
    switch (inst[0] & 0x1ff) {
    case 0x020: // FMUL
    case 0x021: // FADD
    case 0x023: // FFMA
    case 0x108: // MUFU
    case 0x028: // DMUL
    case 0x029: // DADD
    case 0x02b: // DFMA
        return 1;
    case 0x180: // LD
    case 0x181: // LDG
    case 0x184: // LDS
    case 0x185: // ST
    case 0x186: // STG
    case 0x188: // STS
        return words;
    case 0x18a: // ATOM
    case 0x18c: // ATOMS
    case 0x18d: // ATOMS.CAS
    case 0x18e: // RED
    case 0x1a8: // ATOMG
    case 0x161: // TEX
    case 0x160: // TEX
        return 1;
    }
    return 0;
}

static int64_t their_target(const uint64_t inst[2], uint32_t index)
{
    if ((inst[0] & 0xfff) != 0x947) return -1;
    return (int64_t)index + 1 + (int32_t)(inst[0] >> 32) / 16;
}

static void measure_theirs(const uint8_t *text, uint64_t bytes, struct code *c)
{
    uint32_t count = (uint32_t)(bytes / 16);
    struct step *steps = heap_alloc(sizeof *steps * (count + 1));
    for (uint32_t k = 0; k < count; k++) {
        uint64_t inst[2];
        memcpy(inst, text + 16 * (size_t)k, 16);
        steps[k] = (struct step){their_work(inst), their_target(inst, k)};
        bool padding = (inst[0] & 0xfff) == 0x918 || steps[k].target == (int64_t)k;
        if (!padding) c->insts = k + 1;
    }
    measure_loops(steps, c->insts, c);
    free(steps);
}

static bool find_text(const uint8_t *elf, size_t length, const char *kernel, const uint8_t **text,
                      uint64_t *bytes)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)elf;
    if (length < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG)) return false;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(elf + header->e_shoff);
    const char *names = (const char *)elf + sections[header->e_shstrndx].sh_offset;
    for (unsigned k = 0; k < header->e_shnum; k++) {
        const char *name = names + sections[k].sh_name;
        if (strncmp(name, ".text.", 6) || strcmp(name + 6, kernel)) continue;
        *text = elf + sections[k].sh_offset;
        *bytes = sections[k].sh_size;
        return true;
    }
    return false;
}

// "Function properties for NAME", then the line with spills, then "Used N registers".
static void read_properties(const char *log, const char *kernel, struct code *c)
{
    char wanted[128];
    snprintf(wanted, sizeof wanted, "Function properties for %s\n", kernel);
    const char *at = strstr(log, wanted), *used = at ? strstr(at, "Used ") : NULL,
               *spills = at ? strstr(at, "stack frame, ") : NULL;
    unsigned stores = 0, loads = 0;
    if (used) c->registers = (uint32_t)strtoul(used + 5, NULL, 10);
    if (spills &&
        sscanf(spills, "stack frame, %u bytes spill stores, %u bytes spill loads", &stores, &loads) == 2)
        c->spills = stores + loads;
}

static char *run_ptxas(const char *ptx, const char *cubin)
{
    char command[1024], *log = NULL;
    size_t length = 0, capacity = 0;
    snprintf(command, sizeof command,
             "PATH=$PATH:/usr/local/cuda/bin ptxas -arch=sm_75 -O3 -v '%s' -o '%s' 2>&1", ptx, cubin);
    FILE *f = popen(command, "r");
    if (!f) return NULL;
    for (int ch; (ch = fgetc(f)) != EOF;) {
        if (length + 2 > capacity) log = heap_resize(log, capacity = 2 * capacity + 4096);
        log[length++] = (char)ch;
        log[length] = 0;
    }
    if (pclose(f) != 0) {
        fprintf(stderr, "%s", log ? log : "ptxas failed\n");
        free(log);
        return NULL;
    }
    return log ? log : calloc(1, 1);
}

// -- files --------------------------------------------------------------------------------------------------

struct rows {
    VEC(struct row) list;
};

static struct ptx_module *parse(const char *path, struct diag *d)
{
    char *text;
    size_t length;
    const char *why;
    if (!file_read(path, &text, &length, &why)) {
        fprintf(stderr, "%s: %s\n", path, why);
        return NULL;
    }
    struct ptx_module *m = ptx_parse(text, length, diag_add_source(d, path, text, length), d);
    if (!m) diag_print(d, stderr);
    free(text);
    return m;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static bool add_file(struct rows *rows, const char *path)
{
    char cubin[] = "/tmp/warpfold-codegen-XXXXXX", *elf = NULL;
    const char *why;
    size_t length = 0;
    struct diag d;
    diag_init(&d);
    int file = mkstemp(cubin);
    if (file >= 0) close(file);
    char *log = run_ptxas(path, cubin);
    struct ptx_module *m = parse(path, &d);
    bool good = log && m && file_read(cubin, &elf, &length, &why);
    for (uint32_t k = 0; good && k < m->function_count; k++) {
        const struct ptx_function *f = m->functions[k];
        const uint8_t *text;
        uint64_t bytes;
        if (!f->is_entry || !find_text((uint8_t *)elf, length, f->name, &text, &bytes)) continue;
        struct row row = {.ptx_insts = f->inst_count};
        struct compile_options o;
        compile_options_default(&o);
        snprintf(row.name, sizeof row.name, "%s", f->name);
        double start = now_ms();
        struct program *p = compile_kernel(m, f, &o, &d);
        row.milliseconds = now_ms() - start;
        good = p != NULL;
        if (!good) break;
        measure_ours(p, &row.ours);
        measure_theirs(text, bytes, &row.theirs);
        read_properties(log, f->name, &row.theirs);
        vec_push(&rows->list, row);
        program_free(p);
    }
    if (!good) diag_print(&d, stderr);
    unlink(cubin);
    free(log);
    free(elf);
    if (m) ptx_module_free(m);
    diag_fini(&d);
    return good;
}

// -- the page -----------------------------------------------------------------------------------------------

static double loop_density(const struct code *c)
{
    return c->loop_work ? (double)c->loop_insts / c->loop_work : 0;
}

static double loop_ratio(const struct row *r)
{
    double ours = loop_density(&r->ours), theirs = loop_density(&r->theirs);
    return ours > 0 && theirs > 0 ? ours / theirs : 0;
}

static void add_to_mean(double *sum, unsigned *count, double *worst, double ratio)
{
    if (ratio <= 0) return;
    *sum += log(ratio);
    (*count)++;
    if (ratio > *worst) *worst = ratio;
}

static void print_page(const struct rows *rows)
{
    double sums[3] = {0}, worst[3] = {0};
    unsigned counts[3] = {0};
    printf("# Code beside ptxas's\n\n"
           "Made by `make bench-codegen` from the bundled kernels' PTX (nvcc's): profile `sass` against\n"
           "`ptxas -arch=sm_75 -O3`. Static instructions without padding; innermost loops per unit of work "
           "(words moved to\n"
           "and from memory, float operations), so that unrolling cancels out, where both have such a loop; "
           "registers as\n"
           "`ptxas -v` says; spills: our loads and stores, ptxas's bytes.\n\n"
           "| kernel | PTX | ours | ptxas | ratio | loop ours | loop ptxas | ratio | registers | ptxas | "
           "ratio | spills "
           "| ptxas |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < rows->list.count; k++) {
        const struct row *r = &rows->list.data[k];
        double insts = (double)r->ours.insts / r->theirs.insts,
               registers = (double)r->ours.registers / r->theirs.registers;
        double loops = loop_ratio(r);
        add_to_mean(&sums[0], &counts[0], &worst[0], insts);
        add_to_mean(&sums[1], &counts[1], &worst[1], loops);
        add_to_mean(&sums[2], &counts[2], &worst[2], registers);
        printf("| %s | %u | %u | %u | %.2f |", r->name, r->ptx_insts, r->ours.insts, r->theirs.insts, insts);
        if (loops > 0)
            printf(" %.2f | %.2f | %.2f |", loop_density(&r->ours), loop_density(&r->theirs), loops);
        else
            printf(" | | |");
        printf(" %u | %u | %.2f | %u | %u |\n", r->ours.registers, r->theirs.registers, registers,
               r->ours.spills, r->theirs.spills);
    }
    printf(
        "\n| | static instructions | innermost loops | registers |\n|---|---|---|---|\n| geometric mean |");
    for (unsigned k = 0; k < 3; k++) printf(" %.3f |", counts[k] ? exp(sums[k] / counts[k]) : 0);
    printf("\n| worst |");
    for (unsigned k = 0; k < 3; k++) printf(" %.2f |", worst[k]);
    printf("\n| kernels | %u | %u | %u |\n", counts[0], counts[1], counts[2]);
}

static int list(int argc, char **argv)
{
    struct diag d;
    struct compile_options o;
    diag_init(&d);
    compile_options_default(&o);
    o.check = true;
    for (; argc && argv[0][0] == '-'; argc--, argv++) {
        if (!strcmp(argv[0], "--ptxplus")) o.profile = PROFILE_PTXPLUS, o.address_bits = 32;
        if (!strcmp(argv[0], "--pascal")) o.profile = PROFILE_PASCAL;
        if (!strcmp(argv[0], "--plain")) o.optimise = 0;
    }
    struct ptx_module *m = argc ? parse(argv[0], &d) : NULL;
    if (!m) return 1;
    struct strbuf out = {0};
    for (uint32_t k = 0; k < m->function_count; k++) {
        if (!m->functions[k]->is_entry || (argc > 1 && strcmp(argv[1], m->functions[k]->name))) continue;
        struct program *p = compile_kernel(m, m->functions[k], &o, &d);
        if (p) program_print(p, &out);
        program_free(p);
    }
    diag_print(&d, stderr);
    fputs(strbuf_text(&out), stdout);
    strbuf_fini(&out);
    ptx_module_free(m);
    diag_fini(&d);
    return 0;
}

int main(int argc, char **argv)
{
    struct rows rows = {{0}};
    bool good = argc > 1;
    if (good && !strcmp(argv[1], "--list")) return list(argc - 2, argv + 2);
    for (int k = 1; k < argc; k++) good = add_file(&rows, argv[k]) && good;
    print_page(&rows);
    vec_fini(&rows.list);
    return good ? 0 : 1;
}
