// Text of docs/results/fidelity-launches.md: every measured launch beside its simulation, and sources of the
// measurements.
#include "silicon/fidelity.h"
#include "silicon/markdown.h"

#include <math.h>
#include <string.h>

static void add_points(const struct fidelity *f, enum point_set set, struct strbuf *out)
{
    strbuf_puts(
        out,
        "\n| point | card | class | cycles | card's | error | instructions | card's | ratio | IPC | card's "
        "|\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        if (r->point->set != set) continue;
        strbuf_printf(out, "| %s | %s | %s |", r->point->name, r->point->card, r->point->class);
        markdown_whole(out, r->ours[QUANTITY_CYCLES]);
        markdown_whole(out, r->point->measured[QUANTITY_CYCLES]);
        markdown_number(out, " %+.1f %% |", 100 * (fidelity_ratio(r, QUANTITY_CYCLES) - 1));
        markdown_whole(out, r->ours[QUANTITY_INSTRUCTIONS]);
        markdown_whole(out, r->point->measured[QUANTITY_INSTRUCTIONS]);
        markdown_number(out, " %.2f |", fidelity_ratio(r, QUANTITY_INSTRUCTIONS));
        markdown_number(out, " %.2f |", fidelity_ipc(r->ours));
        markdown_number(out, " %.2f |", fidelity_ipc(r->point->measured));
        strbuf_putc(out, '\n');
    }
}

static void add_traffic(const struct fidelity *f, enum point_set set, struct strbuf *out)
{
    strbuf_puts(out, "\nSectors of 32 bytes, ours and the card's:\n\n| point |");
    for (size_t q = QUANTITY_DRAM_READS; q < QUANTITIES; q++)
        strbuf_printf(out, " %s | card's |", quantity_info[q].heading);
    strbuf_puts(out, "\n|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        if (r->point->set != set) continue;
        strbuf_printf(out, "| %s |", r->point->name);
        for (size_t q = QUANTITY_DRAM_READS; q < QUANTITIES; q++) {
            markdown_whole(out, r->ours[q]);
            markdown_whole(out, r->point->measured[q]);
        }
        strbuf_putc(out, '\n');
    }
}

static void add_variants(const struct fidelity *f, struct strbuf *out)
{
    if (!f->rankings.count) return;
    strbuf_puts(out, "\n## How variants rank\n\nVariants of one kernel, chosen by a hash of their parameters "
                     "(`silicon/choose-variants`), on a part of the card and of the input: what is "
                     "compared is their order.\n\n");
    ranks_sentences(f, "- ", out);
    strbuf_puts(out, "\n| variant | card | cycles | card's ms |\n|---|---|---|---|\n");
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        if (r->point->set != POINT_VARIANTS) continue;
        strbuf_printf(out, "| %s | %s |", r->point->name, r->point->card);
        markdown_whole(out, r->ours[QUANTITY_CYCLES]);
        markdown_number(out, " %.3f |", r->point->measured[QUANTITY_CYCLES]);
        strbuf_putc(out, '\n');
    }
}

static void add_outside(const struct fidelity *f, struct strbuf *out)
{
    strbuf_printf(out,
                  "\n## Instructions unlike the card's\n\nExecuted warp instructions, ours over the card's, "
                  "below %.2f or "
                  "above %.2f:\n\n| point | set | ratio | note |\n|---|---|---|---|\n",
                  FIDELITY_RATIO_LEAST / 100.0, FIDELITY_RATIO_MOST / 100.0);
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        double ratio = 100 * fidelity_ratio(r, QUANTITY_INSTRUCTIONS);
        if (!(ratio < FIDELITY_RATIO_LEAST) && !(ratio > FIDELITY_RATIO_MOST)) continue;
        strbuf_printf(out, "| %s | %s | %.2f |", r->point->name, point_set_names[r->point->set], ratio / 100);
        markdown_text(out, r->point->note);
        strbuf_putc(out, '\n');
    }
}

static void add_left_out(const struct fidelity *f, struct strbuf *out)
{
    bool any = false;
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        if (fidelity_is_compared(r) || (!point_stands_alone(r->point) && !r->trouble)) continue;
        if (!any) strbuf_puts(out, "\n## Not compared\n\n| point | set | why |\n|---|---|---|\n");
        any = true;
        strbuf_printf(out, "| %s | %s |", r->point->name, point_set_names[r->point->set]);
        markdown_text(out, r->trouble      ? r->trouble
                           : r->point->why ? r->point->why
                                           : "the run took no cycles");
        strbuf_putc(out, '\n');
    }
}

static bool is_first_of_source(const struct fidelity *f, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (str_equal(f->rows.data[k].point->source, f->rows.data[i].point->source)) return false;
    return true;
}

// Name of the subject of a point's note: the list's row for all its clocks, the application for all variants,
// or the point.
static const char *noted(const struct point *p)
{
    return p->series ? p->series : p->set == POINT_VARIANTS ? p->application : p->name;
}

static bool goes_on(const struct fidelity *f, size_t i)
{
    return i && str_equal(noted(f->rows.data[i - 1].point), noted(f->rows.data[i].point));
}

static void add_sources(const struct fidelity *f, struct strbuf *out)
{
    strbuf_puts(out, "\n## Sources\n\n| points | source | licence |\n|---|---|---|\n");
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct point *p = f->rows.data[i].point;
        size_t count = 0;
        if (!is_first_of_source(f, i)) continue;
        for (size_t k = i; k < f->rows.count; k++)
            count += str_equal(f->rows.data[k].point->source, p->source);
        strbuf_printf(out, "| %zu |", count);
        markdown_text(out, p->source);
        markdown_text(out, p->licence);
        strbuf_putc(out, '\n');
    }
    strbuf_puts(out, "\nWhat differs from what was measured, and what was assumed:\n\n");
    for (size_t i = 0; i < f->rows.count; i++)
        if (*f->rows.data[i].point->note && !goes_on(f, i))
            strbuf_printf(out, "- %s: %s\n", noted(f->rows.data[i].point), f->rows.data[i].point->note);
}

void fidelity_launches_markdown(const struct fidelity *f, struct strbuf *out)
{
    static const enum point_set order[] = {POINT_SECOND, POINT_TUNING};
    strbuf_puts(
        out,
        "# Launches beside real cards\n\nThe launches behind [fidelity.md](fidelity.md), which explains the "
        "columns. A dash: not measured.\n");
    for (size_t i = 0; i < 2; i++) {
        if (!fidelity_has_points(f, order[i])) continue;
        strbuf_printf(out, "\n## The %s set\n", point_set_names[order[i]]);
        add_points(f, order[i], out);
        add_traffic(f, order[i], out);
    }
    fidelity_streams_markdown(f, out);
    elasticity_markdown(f, out);
    add_variants(f, out);
    add_outside(f, out);
    add_left_out(f, out);
    add_sources(f, out);
}
