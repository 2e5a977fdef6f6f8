#include "report/lines.h"
#include "base/hash.h"
#include "report/run.h"
#include "report/table.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MAX = 32, ROWS_MOST = 20 };

// A line's slots by reason.
struct line {
    const char *text;
    uint64_t slots[SLOTS_MAX], levels[SLOTS_MAX], sum; // levels: of the slots of memory
};

static size_t count_of(bool (*at)(size_t, struct wf_slot *))
{
    struct wf_slot slot;
    size_t n = 0;
    while (n < SLOTS_MAX && at(n, &slot)) n++;
    return n;
}

// The line of an account's row. The last row is not of an instruction.
static const char *text_of(const struct wf_account *row)
{
    if (!row->instruction) return "no warp";
    return row->lines && *row->lines ? row->lines : "entry of the kernel";
}

static struct line *line_of(struct line *lines, size_t *count, struct strmap *seen, const char *text)
{
    uint32_t number;
    if (strmap_get(seen, text, strlen(text), &number)) return &lines[number];
    strmap_set(seen, text, strlen(text), (uint32_t)*count);
    lines[*count] = (struct line){.text = text};
    return &lines[(*count)++];
}

static int by_sum(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    return x->sum < y->sum ? 1 : x->sum > y->sum ? -1 : strcmp(x->text, y->text);
}

// Fills `lines`, the most slots first.
static size_t collect(const struct wf_account *rows, size_t count, struct line *lines)
{
    size_t found = 0, slots = count_of(wf_slot_at), levels = count_of(wf_level_at);
    struct strmap seen = {0};
    for (size_t i = 0; i < count; i++) {
        struct line *l = line_of(lines, &found, &seen, text_of(&rows[i]));
        for (size_t n = 0; n < slots; n++) {
            l->slots[n] += rows[i].slots[n];
            l->sum += rows[i].slots[n];
        }
        for (size_t n = 0; n < levels; n++) l->levels[n] += rows[i].levels[n];
    }
    strmap_fini(&seen);
    qsort(lines, found, sizeof *lines, by_sum);
    return found;
}

static size_t greatest(const uint64_t *values, size_t count)
{
    size_t best = 0;
    for (size_t n = 1; n < count; n++)
        if (values[n] > values[best]) best = n;
    return best;
}

// Appends "alu 31.3", or for memory "memory 31.3 (dram 29.9)", with the level of most slots.
static void add_reason(struct strbuf *text, const struct line *l, size_t reason, double all)
{
    struct wf_slot slot, level;
    size_t place = greatest(l->levels, count_of(wf_level_at));
    wf_slot_at(reason, &slot);
    strbuf_printf(text, "%s %.1f", slot.name, 100 * (double)l->slots[reason] / all);
    if (strcmp(slot.name, "memory") == 0 && wf_level_at(place, &level))
        strbuf_printf(text, " (%s %.1f)", level.name, 100 * (double)l->levels[place] / all);
}

// Appends "memory 31.3 (l2 20.0), issued 5.5": the two largest reasons, in percent of all slots of the kernel.
static void add_reasons(struct table *t, const struct line *l, double all)
{
    size_t slots = count_of(wf_slot_at), first = greatest(l->slots, slots), second = SLOTS_MAX;
    struct strbuf text = {0};
    for (size_t n = 0; n < slots; n++)
        if (n != first && l->slots[n] && (second == SLOTS_MAX || l->slots[n] > l->slots[second])) second = n;
    add_reason(&text, l, first, all);
    if (second < SLOTS_MAX) {
        strbuf_puts(&text, ", ");
        add_reason(&text, l, second, all);
    }
    table_add(t, "%s", strbuf_text(&text));
    strbuf_fini(&text);
}

static void add_kernel(struct table *t, struct wf_kernel *kernel)
{
    size_t count;
    const struct wf_account *rows = wf_kernel_account(kernel, &count);
    struct line *lines = rows ? heap_alloc(count * sizeof *lines) : NULL;
    size_t found = rows ? collect(rows, count, lines) : 0;
    double all = 0;
    for (size_t i = 0; i < found; i++) all += (double)lines[i].sum;
    for (size_t i = 0; i < found && i < ROWS_MOST && (double)lines[i].sum >= all / 100; i++) {
        table_add(t, "%s", i ? "" : wf_kernel_info(kernel)->name);
        table_add(t, "%s", lines[i].text);
        table_add(t, "%.1f", 100 * (double)lines[i].sum / all);
        add_reasons(t, &lines[i], all);
    }
    free(lines);
}

void report_lines_table(const struct report_run *r, bool colour, struct strbuf *out)
{
    static const char *const heads[] = {"kernel", "line", "slots, %", "of these"};
    struct table t;
    if (!r->kernels.count) return;
    table_init(&t, heads, sizeof heads / sizeof heads[0]);
    for (size_t k = 0; k < r->kernels.count; k++) add_kernel(&t, r->kernels.data[k]);
    table_print(&t, colour, out);
    table_fini(&t);
}
