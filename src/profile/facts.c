#include "profile/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REGISTERS = 256, NEAR = 512 }; // NEAR: rows looked through for the writer of a register

// -- instructions as text -------------------------------------------------------------------------------------------

// The next word of a list; NULL past the last.
static const char *next_word(const char *list, size_t *length)
{
    list += strspn(list, " ");
    *length = strcspn(list, " ");
    return *length ? list : NULL;
}

static bool has_word(const char *list, const char *word)
{
    size_t length;
    for (const char *at = list; (at = next_word(at, &length)) != NULL; at += length)
        if (strlen(word) == length && memcmp(at, word, length) == 0) return true;
    return false;
}

bool facts_is_class(const char *instruction, const char *classes)
{
    size_t length;
    for (const char *at = classes; (at = next_word(at, &length)) != NULL; at += length)
        if (*at == '*' || strncmp(instruction, at, length) == 0) return true;
    return false;
}

// "@!P0 LDG.E R2, [R4]": the text behind the guard.
static const char *behind_guard(const char *text)
{
    const char *space = *text == '@' ? strchr(text, ' ') : NULL;
    return space ? space + 1 : text;
}

// Registers of an instruction: the results, and everything named.
struct registers {
    uint64_t written[REGISTERS / 64], named[REGISTERS / 64];
};

static void add_register(uint64_t *set, unsigned first, unsigned count)
{
    for (unsigned r = first; r < first + count && r < REGISTERS; r++) set[r / 64] |= 1ull << r % 64;
}

static bool do_meet(const uint64_t *a, const uint64_t *b)
{
    uint64_t both = 0;
    for (unsigned k = 0; k < REGISTERS / 64; k++) both |= a[k] & b[k];
    return both != 0;
}

// Registers of a result, by the opcode.
static unsigned width_of(const char *text, size_t opcode)
{
    static const struct {
        const char *part;
        unsigned words;
    } widths[] = {{".128", 4}, {".64", 2}, {".F64", 2}, {".WIDE", 2}};
    if (*text == 'D') return 2;
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        const char *at = strstr(text, widths[i].part);
        if (at && at < text + opcode) return widths[i].words;
    }
    return 1;
}

static struct registers registers_of(const char *text)
{
    static const char no_result[] = "ST RED BAR BRA EXIT MEMBAR SYNC SSY RET CALL";
    struct registers r = {0};
    size_t opcode = strcspn(text, " ");
    unsigned width = width_of(text, opcode);
    bool is_first = !facts_is_class(text, no_result);
    for (const char *p = text + opcode; *p; p++) {
        if (*p == ',') is_first = false;
        if (*p != 'R' || p[1] < '0' || p[1] > '9' ||
            (p[-1] != ' ' && p[-1] != '[' && p[-1] != '-' && p[-1] != '|'))
            continue;
        unsigned number = (unsigned)strtoul(p + 1, NULL, 10);
        if (is_first && p[-1] == ' ')
            add_register(r.written, number, width);
        else
            add_register(r.named, number, width > 1 ? width : 2);
        is_first = false;
    }
    for (unsigned k = 0; k < REGISTERS / 64; k++) r.named[k] |= r.written[k];
    return r;
}

// -- rows -----------------------------------------------------------------------------------------------------------

static bool is_load(const char *text) { return facts_is_class(text, "LD ATOM TEX TLD TXQ S2UR"); }

// The nearest row before `row` of the kernel's rows first to end - 1, or else before the end: a loop's earlier turn.
// From memory: a load of a register named by the row. Else: another instruction that writes such a register.
static size_t producer_of(const struct facts *f, const struct registers *r, size_t first, size_t end,
                          size_t row, bool from_memory)
{
    for (size_t n = 1; n <= end - first && n <= NEAR; n++) {
        size_t k = first + (row - first + (end - first) - n) % (end - first);
        if (is_load(f->rows.data[k].instruction) != from_memory) continue;
        if (do_meet(r[k - first].written, r[row - first].named)) return k;
    }
    return row;
}

static size_t barrier_before(const struct facts *f, size_t first, size_t row)
{
    for (size_t k = row + 1; k-- > first && row - k < NEAR;)
        if (facts_is_class(f->rows.data[k].instruction, "BAR")) return k;
    return row;
}

static size_t slot_index(const char *name)
{
    struct wf_slot slot;
    size_t n = 0;
    while (wf_slot_at(n, &slot) && strcmp(slot.name, name) != 0) n++;
    return n;
}

static void find_producers(struct facts *f, size_t first, size_t end)
{
    size_t memory = slot_index("memory"), alu = slot_index("alu"), barrier = slot_index("barrier");
    struct registers *r = heap_alloc((end - first + 1) * sizeof *r);
    for (size_t k = first; k < end; k++) r[k - first] = registers_of(f->rows.data[k].instruction);
    for (size_t k = first; k < end; k++) {
        struct facts_row *row = &f->rows.data[k];
        if (row->slots[memory]) row->for_memory = producer_of(f, r, first, end, k, true);
        if (row->slots[alu]) row->for_result = producer_of(f, r, first, end, k, false);
        if (row->slots[barrier]) row->for_barrier = barrier_before(f, first, k);
    }
    free(r);
}

static double sum_of(const uint64_t *slots)
{
    struct wf_slot slot;
    double sum = 0;
    for (size_t n = 0; wf_slot_at(n, &slot); n++) sum += (double)slots[n];
    return sum;
}

// The number of the kernel's lines, a new one for lines not seen in the kernel.
static size_t line_number(struct facts *f, struct strmap *seen, const char *lines)
{
    uint32_t number;
    if (strmap_get(seen, lines, strlen(lines), &number)) return number;
    strmap_set(seen, lines, strlen(lines), (uint32_t)f->lines);
    return f->lines++;
}

static const char *copy_text(struct facts *f, const char *text) // the account's texts live to the next call
{
    return arena_strndup(&f->arena, text, strlen(text));
}

static void add_kernel(struct facts *f, size_t kernel)
{
    struct strmap seen = {0};
    size_t count, first = f->rows.count;
    const struct wf_account *account = wf_kernel_account(f->run->kernels.data[kernel], &count);
    for (size_t i = 0; account && i < count; i++) {
        size_t n = f->rows.count;
        f->slots += sum_of(account[i].slots);
        if (!account[i].instruction) continue; // slots of no warp
        const char *lines = copy_text(f, account[i].lines ? account[i].lines : "");
        vec_push(&f->rows,
                 (struct facts_row){.kernel = kernel,
                                    .instruction = copy_text(f, behind_guard(account[i].instruction)),
                                    .lines = lines,
                                    .line = line_number(f, &seen, lines),
                                    .slots = account[i].slots,
                                    .skipped = account[i].skipped,
                                    .for_memory = n,
                                    .for_result = n,
                                    .for_barrier = n});
    }
    find_producers(f, first, f->rows.count);
    strmap_fini(&seen);
}

// The longest launch of the hottest kernel: blocks, and blocks that fit on an SM.
static void find_shape(struct facts *f)
{
    const struct report_launch *longest = NULL;
    for (size_t i = 0; i < f->run->launches.count; i++) {
        const struct report_launch *l = &f->run->launches.data[i];
        if (strcmp(l->mangled, f->hottest->mangled) != 0 || l->cycles == WF_UNKNOWN) continue;
        if (!longest || l->cycles > longest->cycles) longest = l;
    }
    f->sms = (uint32_t)f->hottest->peaks.sms;
    for (size_t k = 0; longest && k < f->run->kernels.count; k++) {
        struct wf_kernel *kernel = f->run->kernels.data[k];
        const struct wf_kernel_facts *info = wf_kernel_info(kernel);
        if (strcmp(info->mangled_name, f->hottest->mangled) != 0) continue;
        struct wf_launch_config shape = {.shared_bytes = longest->shared_bytes - info->shared_bytes};
        struct wf_occupancy o;
        memcpy(shape.grid, longest->grid, sizeof shape.grid);
        memcpy(shape.block, longest->block, sizeof shape.block);
        uint64_t threads = (uint64_t)longest->block[0] * longest->block[1] * longest->block[2],
                 lanes = (uint64_t)fmax(facts_key(f, "warp.size"), 1);
        f->blocks = longest->blocks;
        f->block_instructions = longest->blocks ? longest->warp_instructions / longest->blocks : 0;
        f->block_threads = threads;
        f->is_row = threads == longest->block[0];
        f->block_warps = (uint32_t)((threads + lanes - 1) / lanes);
        if (wf_occupancy_at(kernel, &shape, 0, &o)) f->resident = o.blocks;
        f->registers = info->registers;
        f->spills = info->spill_loads + info->spill_stores;
    }
}

static void read_keys(struct facts *f)
{
    struct wf_key k;
    for (size_t n = 0; wf_key_at(f->context, n, &k); n++) {
        strmap_set(&f->key_numbers, k.name, strlen(k.name), (uint32_t)f->keys.count);
        vec_push(&f->keys, copy_text(f, k.value));
    }
}

void facts_init(struct facts *f, const struct report_run *run, struct wf_context *context)
{
    *f = (struct facts){.run = run, .context = context};
    read_keys(f);
    for (size_t k = 0; k < run->kernels.count; k++) add_kernel(f, k);
    for (size_t k = 0; k < run->limits.count; k++) {
        const struct report_kernel *kernel = &run->limits.data[k];
        f->cycles += kernel->cycles;
        if (!f->hottest || kernel->cycles > f->hottest->cycles) f->hottest = kernel;
    }
    if (!f->hottest) return;
    f->limits = report_limits_of(run, f->hottest);
    find_shape(f);
}

void facts_fini(struct facts *f)
{
    vec_fini(&f->rows);
    vec_fini(&f->keys);
    strmap_fini(&f->key_numbers);
    arena_fini(&f->arena);
}

// -- questions ------------------------------------------------------------------------------------------------------

double facts_row_slots(const struct facts_row *r) { return sum_of(r->slots); }

double facts_counter(const struct facts *f, const char *name)
{
    for (size_t i = 0; i < f->run->counter_count; i++) {
        const struct wf_counter *c = &f->run->counters[i];
        if (strcmp(c->name, name) == 0) return c->value == WF_UNKNOWN ? 0 : (double)c->value;
    }
    return 0;
}

const char *facts_key_text(const struct facts *f, const char *key)
{
    uint32_t number;
    return strmap_get(&f->key_numbers, key, strlen(key), &number) ? f->keys.data[number] : NULL;
}

double facts_key(const struct facts *f, const char *key)
{
    const char *text = facts_key_text(f, key);
    return text ? strtod(text, NULL) : 0;
}

double facts_per_cycle(const struct facts *f, const char *counter)
{
    double all = f->cycles * f->sms;
    return all > 0 ? facts_counter(f, counter) / all : 0;
}

double facts_slot(const struct facts *f, const char *reasons)
{
    struct wf_slot slot;
    double sum = 0;
    for (size_t n = 0; wf_slot_at(n, &slot); n++) {
        char name[64];
        if (!has_word(reasons, slot.name)) continue;
        snprintf(name, sizeof name, "sm.slots.%s", slot.name);
        sum += facts_counter(f, name);
    }
    return f->slots > 0 ? sum / f->slots : 0;
}

// The row that a reason of the row is charged to.
static size_t charged_to(const struct facts *f, size_t row, const char *reason)
{
    const struct facts_row *r = &f->rows.data[row];
    if (strcmp(reason, "memory") == 0) return r->for_memory;
    if (strcmp(reason, "alu") == 0) return r->for_result;
    return strcmp(reason, "barrier") == 0 ? r->for_barrier : row;
}

// Adds the row's slots for the reasons to `sums`, by rows of the classes.
static void charge(const struct facts *f, size_t row, const char *classes, const char *reasons, double *sums)
{
    struct wf_slot slot;
    for (size_t n = 0; wf_slot_at(n, &slot); n++) {
        if (!f->rows.data[row].slots[n] || !has_word(reasons, slot.name)) continue;
        size_t to = charged_to(f, row, slot.name);
        if (!facts_is_class(f->rows.data[to].instruction, classes)) to = row;
        if (facts_is_class(f->rows.data[to].instruction, classes))
            sums[to] += (double)f->rows.data[row].slots[n];
    }
}

static double *charges(const struct facts *f, const char *classes, const char *reasons)
{
    double *sums = heap_alloc((f->rows.count + 1) * sizeof *sums);
    for (size_t k = 0; k < f->rows.count; k++) sums[k] = 0;
    for (size_t k = 0; k < f->rows.count; k++) charge(f, k, classes, reasons, sums);
    return sums;
}

double facts_class(const struct facts *f, const char *classes, const char *reasons)
{
    double *sums = charges(f, classes, reasons), sum = 0;
    for (size_t k = 0; k < f->rows.count; k++) sum += sums[k];
    free(sums);
    return f->slots > 0 ? sum / f->slots : 0;
}

static bool was_executed(const struct facts_row *r) { return r->slots[slot_index("issued")] > 0; }

double facts_lines_with(const struct facts *f, const char *classes)
{
    bool *has = heap_alloc((f->lines + 1) * sizeof *has);
    double sum = 0;
    for (size_t k = 0; k < f->lines; k++) has[k] = false;
    for (size_t k = 0; k < f->rows.count; k++) {
        const struct facts_row *row = &f->rows.data[k];
        if (*row->lines && facts_is_class(row->instruction, classes) && was_executed(row))
            has[row->line] = true;
    }
    for (size_t k = 0; k < f->rows.count; k++)
        if (has[f->rows.data[k].line]) sum += sum_of(f->rows.data[k].slots);
    free(has);
    return f->slots > 0 ? sum / f->slots : 0;
}

bool facts_has(const struct facts *f, const char *classes)
{
    for (size_t k = 0; k < f->rows.count; k++)
        if (facts_is_class(f->rows.data[k].instruction, classes) && was_executed(&f->rows.data[k]))
            return true;
    return false;
}

// False for code without a line of the source: no line, or the line 0 of compilers.
static bool is_of_source(const struct facts_row *r)
{
    size_t length = strlen(r->lines);
    return length && !(length > 2 && strcmp(r->lines + length - 2, ":0") == 0);
}

// The line with the largest sum over its rows, among lines with a text.
static const char *greatest_line(const struct facts *f, const double *sums, size_t *kernel)
{
    const struct facts_row *best = NULL;
    double *lines = heap_alloc((f->lines + 1) * sizeof *lines), most = 0;
    for (size_t k = 0; k < f->lines; k++) lines[k] = 0;
    for (size_t k = 0; k < f->rows.count; k++) lines[f->rows.data[k].line] += sums[k];
    for (size_t k = 0; k < f->rows.count; k++) {
        const struct facts_row *row = &f->rows.data[k];
        if (!is_of_source(row) || lines[row->line] <= most) continue;
        most = lines[row->line];
        best = row;
    }
    free(lines);
    if (best) *kernel = best->kernel;
    return best ? best->lines : NULL;
}

const char *facts_line(const struct facts *f, const char *classes, const char *reasons, size_t *kernel)
{
    double *sums = charges(f, classes, reasons);
    const char *line = greatest_line(f, sums, kernel);
    free(sums);
    return line;
}

const char *facts_skipped_line(const struct facts *f)
{
    size_t kernel;
    double *sums = heap_alloc((f->rows.count + 1) * sizeof *sums);
    for (size_t k = 0; k < f->rows.count; k++) sums[k] = (double)f->rows.data[k].skipped;
    const char *line = greatest_line(f, sums, &kernel);
    free(sums);
    return line;
}
