// Issue-slot accounts as JSON and tables. Instructions share a row if their source lines and all lines of the
// inlined calls are equal; the row is at the place of the first such instruction. Slots without a warp belong
// to no line.
#include "report/account.h"
#include "base/hash.h"
#include "base/vec.h"
#include "report/fields.h"
#include "report/table.h"

#include <string.h>

enum { SLOTS_MAX = 32 };

static size_t slot_count(void)
{
    struct wf_slot slot;
    size_t n = 0;
    while (n < SLOTS_MAX && wf_slot_at(n, &slot)) n++;
    return n;
}

static uint64_t sum_of(const uint64_t *slots)
{
    uint64_t sum = 0;
    for (size_t n = slot_count(); n-- > 0;) sum += slots[n];
    return sum;
}

static void add_to(uint64_t *sums, const uint64_t *slots)
{
    for (size_t n = slot_count(); n-- > 0;) sums[n] += slots[n];
}

static size_t level_count(void)
{
    struct wf_slot level;
    size_t n = 0;
    while (n < SLOTS_MAX && wf_level_at(n, &level)) n++;
    return n;
}

// Slots by reason, and slots of memory by level.
struct sums {
    uint64_t slots[SLOTS_MAX], levels[SLOTS_MAX];
};

static void add_row(struct sums *s, const struct wf_account *row)
{
    add_to(s->slots, row->slots);
    for (size_t n = level_count(); n-- > 0;) s->levels[n] += row->levels[n];
}

// Writes {"dram": 70, "l1": 18}; zero slots are omitted, and the object without slots.
static void write_levels(struct json *j, const uint64_t *levels)
{
    struct wf_slot level;
    uint64_t all = 0;
    for (size_t n = level_count(); n-- > 0;) all += levels[n];
    if (!all) return;
    json_key(j, "memory_slots");
    json_open_object(j);
    for (size_t n = 0; wf_level_at(n, &level); n++)
        if (levels[n]) report_u64(j, level.name, levels[n]);
    json_close_object(j);
}

// Writes {"issued": 12, "memory": 88}; zero slots are omitted.
static void write_slots(struct json *j, const uint64_t *slots)
{
    struct wf_slot slot;
    json_key(j, "slots");
    json_open_object(j);
    for (size_t n = 0; wf_slot_at(n, &slot); n++)
        if (slots[n]) report_u64(j, slot.name, slots[n]);
    json_close_object(j);
}

static void write_sms(const struct report_run *r, struct json *j)
{
    json_key(j, "sms");
    json_open_array(j);
    for (size_t k = 0; k < r->sm_count; k++) {
        json_open_object(j);
        report_u64(j, "sm", k);
        if (r->sms[k].sm_class) report_text(j, "class", r->sms[k].sm_class);
        report_u64(j, "active_cycles", r->sms[k].active_cycles);
        report_u64(j, "warp_instructions", r->sms[k].warp_instructions);
        write_slots(j, r->sms[k].slots);
        json_close_object(j);
    }
    json_close_array(j);
}

// Writes counters per class of SMs; counters not counted by SM are omitted.
static void write_classes(const struct report_run *r, struct json *j)
{
    struct wf_counter counter;
    if (!r->classes.count) return;
    json_key(j, "classes");
    json_open_array(j);
    for (size_t k = 0; k < r->classes.count; k++) {
        const struct report_class *c = &r->classes.data[k];
        json_open_object(j);
        report_text(j, "class", c->name);
        report_u64(j, "first_sm", c->first);
        report_u64(j, "sm_count", c->count);
        json_key(j, "counters");
        json_open_object(j);
        for (size_t n = 0; wf_counter_at(n, &counter); n++)
            if (c->counters[n] != WF_UNKNOWN) report_u64(j, counter.name, c->counters[n]);
        json_close_object(j);
        json_close_object(j);
    }
    json_close_array(j);
}

static void write_instructions(struct json *j, const struct wf_account *rows, size_t count)
{
    json_key(j, "instructions");
    json_open_array(j);
    for (size_t i = 0; i + 1 < count; i++) {
        if (!sum_of(rows[i].slots) && !rows[i].skipped && !rows[i].reused && !rows[i].beside) continue;
        json_open_object(j);
        report_u64(j, "pc", rows[i].pc);
        report_text(j, "instruction", rows[i].instruction);
        report_text(j, "lines", rows[i].lines);
        write_slots(j, rows[i].slots);
        write_levels(j, rows[i].levels);
        if (rows[i].skipped) report_u64(j, "skipped", rows[i].skipped);
        if (rows[i].reused) report_u64(j, "reused", rows[i].reused);
        if (rows[i].beside) report_u64(j, "beside", rows[i].beside);
        json_close_object(j);
    }
    json_close_array(j);
}

// Rows of an account with equal lines.
struct line {
    const char *text; // NULL: slots of no warp
    struct sums sums;
};

struct lines {
    struct line *data;
    size_t count, capacity;
    struct strmap seen; // number of a text in `data`
};

static struct line *line_of(struct lines *all, const char *text)
{
    uint32_t number;
    if (text && strmap_get(&all->seen, text, strlen(text), &number)) return &all->data[number];
    if (text) strmap_set(&all->seen, text, strlen(text), (uint32_t)all->count);
    vec_push(all, (struct line){.text = text});
    return &vec_last(all);
}

// In order of the first row of each.
static void write_lines(struct json *j, const struct wf_account *rows, size_t count)
{
    struct lines all = {0};
    for (size_t i = 0; i < count; i++) add_row(&line_of(&all, rows[i].lines)->sums, &rows[i]);
    json_key(j, "lines");
    json_open_array(j);
    for (size_t i = 0; i < all.count; i++) {
        const struct line *l = &all.data[i];
        if (!sum_of(l->sums.slots)) continue;
        json_open_object(j);
        report_text(j, "lines", l->text);
        write_slots(j, l->sums.slots);
        write_levels(j, l->sums.levels);
        json_close_object(j);
    }
    json_close_array(j);
    strmap_fini(&all.seen);
    vec_fini(&all);
}

static struct sums sum_kernel(const struct wf_account *rows, size_t count)
{
    struct sums sums = {0};
    for (size_t i = 0; i < count; i++) add_row(&sums, &rows[i]);
    return sums;
}

void report_account_json(const struct report_run *r, struct json *j)
{
    if (!r->gpu) {
        json_null(j);
        return;
    }
    json_open_object(j);
    write_sms(r, j);
    write_classes(r, j);
    json_key(j, "kernels");
    json_open_array(j);
    for (size_t k = 0; k < r->kernels.count; k++) {
        size_t count;
        const struct wf_account *rows = wf_kernel_account(r->kernels.data[k], &count);
        struct sums sums = sum_kernel(rows, count);
        json_open_object(j);
        report_text(j, "kernel", wf_kernel_info(r->kernels.data[k])->mangled_name);
        write_slots(j, sums.slots);
        write_levels(j, sums.levels);
        write_lines(j, rows, count);
        write_instructions(j, rows, count);
        json_close_object(j);
    }
    json_close_array(j);
    json_close_object(j);
}

static uint64_t counter_of(const struct report_class *c, const char *name)
{
    struct wf_counter counter;
    for (size_t n = 0; wf_counter_at(n, &counter); n++)
        if (strcmp(counter.name, name) == 0) return c->counters[n];
    return WF_UNKNOWN;
}

void report_classes_table(const struct report_run *r, bool colour, struct strbuf *out)
{
    static const char *const heads[] = {"class of SMs", "SMs",        "numbers",     "SM cycles",
                                        "mean warps",   "warp instr", "IPC of an SM"};
    if (!r->classes.count) return;
    struct table t;
    table_init(&t, heads, 7);
    for (size_t k = 0; k < r->classes.count; k++) {
        const struct report_class *c = &r->classes.data[k];
        uint64_t cycles = counter_of(c, "sm.sm.active_cycles"), issued = counter_of(c, "sm.issue.issued");
        double each = cycles ? 1 / (double)cycles : 0;
        table_add(&t, "%s", c->name);
        table_add(&t, "%u", c->count);
        table_add(&t, "%u to %u", c->first, c->first + c->count - 1);
        table_add_u64(&t, cycles);
        table_add(&t, "%.1f", (double)counter_of(c, "sm.sm.warp_cycles") * each);
        table_add_u64(&t, issued);
        table_add(&t, "%.2f", (double)issued * each);
    }
    table_print(&t, colour, out);
    table_fini(&t);
}

// Whether some kernel lost slots by waiting for asynchronous copies, a column of its own.
static bool has_copies(const struct report_run *r, size_t column)
{
    uint64_t slots = 0;
    for (size_t k = 0; k < r->kernels.count; k++) {
        size_t count;
        const struct wf_account *rows = wf_kernel_account(r->kernels.data[k], &count);
        slots += sum_kernel(rows, count).slots[column];
    }
    return slots != 0;
}

// Appends a table of the shares of all slots, by the names of `at`. of_levels: of levels, else of reasons.
static void print_shares(const struct report_run *r, const char *head, bool (*at)(size_t, struct wf_slot *),
                         bool of_levels, bool colour, struct strbuf *out)
{
    const char *heads[SLOTS_MAX + 1] = {head};
    struct wf_slot slot;
    size_t columns = 1;
    while (columns <= SLOTS_MAX && at(columns - 1, &slot)) heads[columns++] = slot.name;
    bool ends_in_copies = !of_levels && strcmp(heads[columns - 1], "copy") == 0; // the last reason
    if (ends_in_copies && !has_copies(r, columns - 2)) columns--;
    struct table t;
    table_init(&t, heads, columns);
    for (size_t k = 0; k < r->kernels.count; k++) {
        size_t count;
        const struct wf_account *rows = wf_kernel_account(r->kernels.data[k], &count);
        struct sums sums = sum_kernel(rows, count);
        double all = (double)sum_of(sums.slots);
        table_add(&t, "%s", wf_kernel_info(r->kernels.data[k])->name);
        for (size_t n = 0; n + 1 < columns; n++)
            table_add(&t, "%.1f",
                      all > 0 ? 100 * (double)(of_levels ? sums.levels : sums.slots)[n] / all : 0.0);
    }
    table_print(&t, colour, out);
    table_fini(&t);
}

void report_account_table(const struct report_run *r, bool colour, struct strbuf *out)
{
    if (!r->kernels.count) return; // RISC-V programs: the SIMTight core has no such schedulers
    print_shares(r, "slots of schedulers, %", wf_slot_at, false, colour, out);
    print_shares(r, "of these in memory, %", wf_level_at, true, colour, out);
}
