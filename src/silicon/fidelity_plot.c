// Scatter plot of docs/results: simulated over measured cycles of every launch, by the card's cycles, both
// logarithmic. Readable on a white and on a dark page.
#include "silicon/fidelity.h"

#include <math.h>

enum { WIDTH = 760, HEIGHT = 300, LEFT = 60, TOP = 12, RIGHT = 12, BOTTOM = 36 };
static const double least = 1e3, most = 1e9, lowest = 0.4, highest = 2.5; // cycles; ratio

// What is outside the plot is drawn at its edge.
static double x_of(double cycles)
{
    cycles = fmin(fmax(cycles, least), most);
    return LEFT + (WIDTH - LEFT - RIGHT) * log(cycles / least) / log(most / least);
}

static double y_of(double ratio)
{
    ratio = fmin(fmax(ratio, lowest), highest);
    return TOP + (HEIGHT - TOP - BOTTOM) * log(highest / ratio) / log(highest / lowest);
}

static void add_axes(struct strbuf *out)
{
    static const double ratios[] = {0.5, 0.8, 1, 1.25, 2};
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; i++) {
        double y = y_of(ratios[i]);
        strbuf_printf(
            out,
            "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#888\" stroke-width=\"%s\"/>"
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%+.0f %%</text>\n",
            LEFT, WIDTH - RIGHT, y, y, ratios[i] == 1 ? "1.5" : "0.5", LEFT - 6, y + 4,
            100 * (ratios[i] - 1));
    }
    for (double cycles = least; cycles <= most * 1.01; cycles *= 10)
        strbuf_printf(out,
                      "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">10<tspan dy=\"-4\" "
                      "font-size=\"9\">%.0f</tspan></text>\n",
                      x_of(cycles), HEIGHT - BOTTOM + 16, log10(cycles));
    strbuf_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">the card's cycles</text>\n",
                  WIDTH - RIGHT, HEIGHT - 4);
}

static void add_set(const struct fidelity *f, enum point_set set, const char *style, struct strbuf *out)
{
    strbuf_printf(out, "<g %s>\n", style);
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        double measured = r->point->measured[QUANTITY_CYCLES], ratio = fidelity_ratio(r, QUANTITY_CYCLES);
        if (r->point->set != set || !fidelity_is_compared(r)) continue;
        strbuf_printf(out,
                      "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>%s, %s: %+.1f %%</title></circle>\n",
                      x_of(measured), y_of(ratio), r->point->name, r->point->card, 100 * (ratio - 1));
    }
    strbuf_puts(out, "</g>\n");
}

void fidelity_plot(const struct fidelity *f, struct strbuf *out)
{
    strbuf_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
        "font-size=\"11\" fill=\"#888\">\n",
        WIDTH, HEIGHT);
    add_axes(out);
    add_set(f, POINT_TUNING, "fill=\"none\" stroke=\"#888\"", out);
    add_set(f, POINT_SECOND, "fill=\"#0a67d2\"", out);
    strbuf_printf(
        out,
        "<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"#0a67d2\"/><text x=\"%d\" y=\"%d\">second set</text>"
        "<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"none\" stroke=\"#888\"/><text x=\"%d\" "
        "y=\"%d\">tuning set</text>\n</svg>\n",
        LEFT + 8, HEIGHT - 8, LEFT + 16, HEIGHT - 4, LEFT + 96, HEIGHT - 8, LEFT + 104, HEIGHT - 4);
}
