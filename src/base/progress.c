// The bar is a single line rewritten in place. It appears after one second and is erased at the end.
#include "base/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_init(struct progress *p, const char *label, const char *unit, uint64_t total, bool enabled)
{
    *p = (struct progress){.label = label, .unit = unit, .total = total};
    p->enabled = enabled && isatty(STDERR_FILENO);
    p->started_s = p->drawn_s = clock_seconds();
}

static void print_scaled(double value, const char *unit)
{
    static const char *const prefixes[] = {" ", " k", " M", " G", " T"};
    unsigned i = 0;
    while (value >= 1000 && i < 4) {
        value /= 1000;
        i++;
    }
    fprintf(stderr, "%.3g%s%s", value, prefixes[i], unit);
}

void progress_update(struct progress *p, uint64_t done)
{
    enum { WIDTH = 30 };
    if (!p->enabled) return;
    double now = clock_seconds(), elapsed = now - p->started_s;
    if (elapsed < 1.0 || (p->visible && now - p->drawn_s < 0.1)) return;
    p->drawn_s = now;
    p->visible = true;
    double rate = (double)done / elapsed;
    fprintf(stderr, "\r\033[K%s ", p->label);
    if (p->total) {
        double share = done >= p->total ? 1.0 : (double)done / (double)p->total;
        int filled = (int)(share * WIDTH);
        fputc('[', stderr);
        for (int i = 0; i < WIDTH; i++) fputc(i < filled ? '#' : '.', stderr);
        fprintf(stderr, "] %3.0f%%  ", 100 * share);
    }
    print_scaled(rate, p->unit);
    fputs("/s", stderr);
    if (p->total && rate > 0 && done < p->total)
        fprintf(stderr, "  %.0f s left", (double)(p->total - done) / rate);
    fflush(stderr);
}

void progress_fini(struct progress *p)
{
    if (p->visible) fputs("\r\033[K", stderr);
    p->visible = false;
}
