// Text of docs/results/fidelity.md: how far simulated cycles are from measured cycles, by card and class, and the
// launches that are farthest off with the causes. fidelity_launches.c has the launches.
#include "silicon/fidelity.h"
#include "silicon/markdown.h"

#include <math.h>
#include <string.h>

static void add_accuracy(struct strbuf *out, const struct accuracy *a)
{
    markdown_number(out, " %.1f %% |", 100 * a->error);
    markdown_number(out, " %+.1f %% |", 100 * a->bias);
    markdown_number(out, " %.3f |", a->log_correlation);
    markdown_number(out, " %.3f |", a->rank_correlation);
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
        markdown_number(out, " %.3f |", g->instructions.ratio);
        markdown_number(out, " %+.1f %% |", 100 * g->dram);
        markdown_number(out, " %+.1f %% |", 100 * g->l2);
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
        markdown_number(out, " %.1f %% |", 100 * k->cycles.error);
        markdown_number(out, " %+.1f %% |", 100 * k->cycles.bias);
        strbuf_printf(out, " %zu |\n", k->alike);
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

// -- the launches that are farthest off ---------------------------------------------------------------------

static double off_by(const struct fidelity_row *r) { return fabs(fidelity_ratio(r, QUANTITY_CYCLES) - 1); }

static bool is_of_second(const struct fidelity_row *r)
{
    return r->point->set == POINT_SECOND && fidelity_is_compared(r);
}

// The launch of the second set next to `previous`, from the farthest on; NULL: none.
static const struct fidelity_row *next_farthest(const struct fidelity *f, const struct fidelity_row *previous)
{
    const struct fidelity_row *best = NULL;
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        bool is_behind =
            !previous || off_by(r) < off_by(previous) || (off_by(r) == off_by(previous) && r > previous);
        if (is_of_second(r) && is_behind && (!best || off_by(r) > off_by(best))) best = r;
    }
    return best;
}

static void add_farthest(const struct fidelity *f, struct strbuf *out)
{
    enum { SHOWN = 10 };
    const struct fidelity_row *r = next_farthest(f, NULL);
    if (!r) return;
    strbuf_puts(out, "\n## Farthest off\n\nOf the second set, with what was found of the causes.\n\n"
                     "| point | class | cycles | card's | error | cause |\n|---|---|---|---|---|---|\n");
    for (unsigned n = 0; r && n < SHOWN; n++, r = next_farthest(f, r)) {
        bool is_as_listed =
            !*f->unlike && str_equal(r->point->card, r->point->gpu); // the causes were found there
        strbuf_printf(out, "| %s | %s |", r->point->name, r->point->class);
        markdown_whole(out, r->ours[QUANTITY_CYCLES]);
        markdown_whole(out, r->point->measured[QUANTITY_CYCLES]);
        markdown_number(out, " %+.1f %% |", 100 * (fidelity_ratio(r, QUANTITY_CYCLES) - 1));
        markdown_text(out, !is_as_listed ? "–" : *r->point->cause ? r->point->cause : "not found");
        strbuf_putc(out, '\n');
    }
}

static void add_sentences(const struct fidelity *f, struct strbuf *out)
{
    struct strbuf traffic = {0};
    fidelity_streams_sentences(f, &traffic);
    if (!traffic.length && !f->elasticities.count && !f->rankings.count) return;
    strbuf_puts(out, "\n## Traffic, clocks, variants\n\n");
    for (char *rest = traffic.text, *line; rest && (line = strsep(&rest, "\n")) != NULL;)
        if (*line) strbuf_printf(out, "- %s\n", line);
    elasticity_sentences(f, "- Clocks, ", out);
    ranks_sentences(f, "- Variants, ", out);
    strbuf_fini(&traffic);
}

static const char introduction[] =
    "\n\nMade by `make fidelity`, that is `warpfold reproduce silicon` "
    "([experiments.md](../howto/experiments.md)): launches "
    "that real cards\nwere measured with, run by their scripts (`silicon/points/`) on the file of their "
    "card. Every launch, its "
    "traffic and the sources are\nin [fidelity-launches.md](fidelity-launches.md). What was measured is "
    "others' work; kernels "
    "and scripts are our own, shaped to the\ncard's instruction counts, so the errors are of time for the "
    "right instructions.\n\n"
    "Error: mean of |ours / the card's - 1|; bias: mean of ours / the card's - 1. Correlations are of "
    "cycles. Instructions: "
    "executed\nwarp instructions, ours over the card's. Sectors of 32 bytes, read and written, of all points "
    "together: ours over "
    "the card's, less 1.\nIPC: of the chip. Parameters may be chosen on the tuning set; on the second, "
    "chosen by a rule before "
    "anything was tuned\n(`silicon/choose-second-set`), nothing is. A dash: not measured.\n";

static const char another_card[] = "\n## Another card\n\nOn a machine with the card: `make bench-silicon`, "
                                   "then `silicon/from-card OUT NAME` "
                                   "([bench/silicon](../../bench/silicon/README.md)) "
                                   "makes\n`silicon/NAME/points.csv`. Beside it, with a file of the card "
                                   "([gpus.md](../howto/gpus.md)):\n\n    warpfold reproduce silicon --gpu "
                                   "NAME --measurements silicon/NAME/points.csv\n";

bool fidelity_has_points(const struct fidelity *f, enum point_set set)
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
        if (!fidelity_has_points(f, order[i])) continue;
        add_groups(f, order[i], out);
        if (order[i] == POINT_SECOND) add_kinds(f, out);
    }
    strbuf_puts(out, "\n![error of every launch by the card's cycles](fidelity.svg)\n");
    add_farthest(f, out);
    add_sentences(f, out);
    add_rivals(f, out);
    strbuf_puts(out, another_card);
}
