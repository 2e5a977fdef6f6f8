// Text of docs/results/fidelity.md: measured launches beside their simulation, and sources of the
// measurements.
#include "report/table.h"
#include "silicon/fidelity.h"

#include <math.h>
#include <string.h>

static void add_whole(struct strbuf *out, double value)
{
    if (isnan(value))
        strbuf_puts(out, " – |");
    else {
        strbuf_putc(out, ' ');
        table_format_u64((uint64_t)llround(value), out);
        strbuf_puts(out, " |");
    }
}

static void add_number(struct strbuf *out, const char *format, double value)
{
    if (isnan(value))
        strbuf_puts(out, " – |");
    else
        strbuf_printf(out, format, value);
}

// Adds a cell of a Markdown table, with every | of the text escaped.
static void add_text(struct strbuf *out, const char *text)
{
    strbuf_putc(out, ' ');
    for (; *text; text++) strbuf_printf(out, *text == '|' ? "\\|" : "%c", *text);
    strbuf_puts(out, " |");
}

static void add_accuracy(struct strbuf *out, const struct accuracy *a)
{
    add_number(out, " %.1f %% |", 100 * a->error);
    add_number(out, " %+.1f %% |", 100 * a->bias);
    add_number(out, " %.3f |", a->log_correlation);
    add_number(out, " %.3f |", a->rank_correlation);
}

static void add_groups(const struct fidelity *f, enum point_set set, struct strbuf *out)
{
    strbuf_printf(
        out,
        "\n## The %s set\n\n| card | class | compared | error of cycles | bias | correlation of logarithms | "
        "of ranks | instructions, geometric mean | DRAM sectors | L2 sectors |\n"
        "|---|---|---|---|---|---|---|---|---|---|\n",
        point_set_names[set]);
    for (size_t i = 0; i < f->groups.count; i++) {
        const struct fidelity_group *g = &f->groups.data[i];
        const char *strong = g->class ? "" : "**";
        if (g->set != set) continue;
        strbuf_printf(out, "| %s%s%s | %s%s%s | %zu of %zu |", strong, g->card ? g->card : "all", strong,
                      strong, g->class ? g->class : "all", strong, g->cycles.count, g->points);
        add_accuracy(out, &g->cycles);
        add_number(out, " %.3f |", g->instructions.ratio);
        add_number(out, " %+.1f %% |", 100 * g->dram);
        add_number(out, " %+.1f %% |", 100 * g->l2);
        strbuf_putc(out, '\n');
    }
}

static void add_kinds(const struct fidelity *f, struct strbuf *out)
{
    if (!f->kinds.count) return;
    strbuf_puts(
        out,
        "\nThe same launches by what limits them in the simulation. `run` and `profile` print these errors "
        "beside the cycles\n"
        "of a kernel that is limited alike on the same GPU. Alike: the card's counters name the same "
        "class.\n\n"
        "| card | limited by | compared | error of cycles | bias | alike |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < f->kinds.count; i++) {
        const struct fidelity_kind *k = &f->kinds.data[i];
        strbuf_printf(out, "| %s | %s | %zu |", k->card, k->kind, k->cycles.count);
        add_number(out, " %.1f %% |", 100 * k->cycles.error);
        add_number(out, " %+.1f %% |", 100 * k->cycles.bias);
        strbuf_printf(out, " %zu |\n", k->alike);
    }
}

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
        add_whole(out, r->ours[QUANTITY_CYCLES]);
        add_whole(out, r->point->measured[QUANTITY_CYCLES]);
        add_number(out, " %+.1f %% |", 100 * (fidelity_ratio(r, QUANTITY_CYCLES) - 1));
        add_whole(out, r->ours[QUANTITY_INSTRUCTIONS]);
        add_whole(out, r->point->measured[QUANTITY_INSTRUCTIONS]);
        add_number(out, " %.2f |", fidelity_ratio(r, QUANTITY_INSTRUCTIONS));
        add_number(out, " %.2f |", fidelity_ipc(r->ours));
        add_number(out, " %.2f |", fidelity_ipc(r->point->measured));
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
            add_whole(out, r->ours[q]);
            add_whole(out, r->point->measured[q]);
        }
        strbuf_putc(out, '\n');
    }
}

static void add_rivals(const struct fidelity *f, struct strbuf *out)
{
    if (!f->rivals.count) return;
    strbuf_puts(
        out,
        "\n## Other simulators on the same points\n\nTheir cycles as published beside the measurements.\n\n"
        "| set | card | simulator | points | error | bias | correlation of logarithms | of ranks |\n"
        "|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < f->rivals.count; i++)
        for (unsigned own = 0; own < 2; own++) {
            const struct fidelity_rival *v = &f->rivals.data[i];
            const struct accuracy *a = own ? &v->ours : &v->theirs;
            strbuf_printf(out, "| %s | %s | %s | %zu |", point_set_names[v->set], v->card,
                          own ? "warpfold" : v->name, a->count);
            add_accuracy(out, a);
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
        add_whole(out, r->ours[QUANTITY_CYCLES]);
        add_number(out, " %.3f |", r->point->measured[QUANTITY_CYCLES]);
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
        add_text(out, r->point->note);
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
        add_text(out, r->trouble ? r->trouble : r->point->why ? r->point->why : "the run took no cycles");
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
        add_text(out, p->source);
        add_text(out, p->licence);
        strbuf_putc(out, '\n');
    }
    strbuf_puts(out, "\nWhat differs from what was measured, and what was assumed:\n\n");
    for (size_t i = 0; i < f->rows.count; i++)
        if (*f->rows.data[i].point->note && !goes_on(f, i))
            strbuf_printf(out, "- %s: %s\n", noted(f->rows.data[i].point), f->rows.data[i].point->note);
}

static const char introduction[] = "\n\nMade by `make fidelity`, that is `warpfold reproduce silicon` "
                                   "([experiments.md](../howto/experiments.md)): launches that real cards "
                                   "were measured with, run by their scripts\n(`silicon/points/`) on the "
                                   "file of their card. What was measured is others' work, with "
                                   "its source below; kernels and scripts are our own.\n\n"
                                   "Error: mean of |ours / the card's - 1|; bias: mean of ours / the card's "
                                   "- 1. Correlations are of cycles. Instructions: executed "
                                   "warp instructions, ours over the\ncard's. Sectors of 32 bytes, read and "
                                   "written, of all points together: ours over the card's, "
                                   "less 1. IPC: of the chip. Parameters may be chosen on the tuning "
                                   "set;\non the second, chosen by a rule before anything was tuned "
                                   "(`silicon/choose-second-set`), nothing is. A dash: not measured.\n";

static bool has_points(const struct fidelity *f, enum point_set set)
{
    for (size_t i = 0; i < f->rows.count; i++)
        if (f->rows.data[i].point->set == set) return true;
    return false;
}

void fidelity_markdown(const struct fidelity *f, struct strbuf *out)
{
    static const enum point_set order[] = {POINT_SECOND, POINT_TUNING};
    struct strbuf headline = {0};
    fidelity_headline(f, &headline);
    strbuf_printf(out, "# Beside real cards\n\n%s%s", strbuf_text(&headline), introduction);
    strbuf_fini(&headline);
    for (size_t i = 0; i < 2; i++) {
        if (!has_points(f, order[i])) continue;
        add_groups(f, order[i], out);
        if (order[i] == POINT_SECOND) add_kinds(f, out);
        add_points(f, order[i], out);
        add_traffic(f, order[i], out);
    }
    fidelity_streams_markdown(f, out);
    elasticity_markdown(f, out);
    add_variants(f, out);
    add_rivals(f, out);
    add_outside(f, out);
    add_left_out(f, out);
    add_sources(f, out);
}
