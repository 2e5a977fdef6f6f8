// Measures points of silicon on the card that is here, as CSV that `warpfold reproduce silicon --measurements` reads.
//
//     silicon CUBINS [LIST[:WORD,...]] [REPETITIONS]        LIST: silicon/points.csv; 10 repetitions
//     silicon --once CUBINS [--most=N] [--seconds=N] LIST[:WORD,...]|SCRIPT.wf...     for a profiler (once.h)
//
// From the root of the repository; CUBINS is the folder of silicon/kernels compiled for the card (`make bench-silicon`).
#include "bench/silicon/cuda.h"
#include "bench/silicon/measure.h"
#include "bench/silicon/once.h"

#include <stdlib.h>
#include <string.h>

static void print_errors(struct diag *d)
{
    diag_print(d, stderr);
    diag_clear(d);
}

static int usage(void)
{
    fputs("usage: silicon CUBINS [LIST[:WORD,...]] [REPETITIONS]\n"
          "       silicon --once CUBINS [--most=N] [--seconds=N] LIST[:WORD,...]|SCRIPT.wf...\n",
          stderr);
    return 2;
}

// Every point's row as soon as it is there; a point that cannot be measured is told, and the others go on.
static bool measure_all(struct device *device, const struct points *points, unsigned repetitions,
                        struct diag *d)
{
    struct strbuf out = {0};
    bool all = true;
    measure_heads(&out);
    for (size_t i = 0; i < points->list.count; i++) {
        const struct point *p = &points->list.data[i];
        struct measured m;
        fprintf(stderr, "%zu of %zu: %s\n", i + 1, points->list.count, p->name);
        if (measure_point(device, p, repetitions, &m, d))
            measure_row(p, device, &m, repetitions, &out);
        else
            all = false;
        print_errors(d);
        fputs(strbuf_text(&out), stdout);
        fflush(stdout);
        strbuf_clear(&out);
    }
    strbuf_fini(&out);
    return all;
}

static int measure(char **words, int count, struct diag *d)
{
    const char *list = count > 1 ? words[1] : "silicon/points.csv";
    uint64_t repetitions = 10;
    struct points points;
    struct device_time nothing;
    if (count < 1 || count > 3 ||
        (count > 2 && (!str_to_u64(words[2], &repetitions) || !repetitions || repetitions > 1000)))
        return usage();
    points_init(&points);
    bool good = points_add(&points, list, d);
    struct device *device = good ? cuda_open(words[0], true, d) : NULL;
    good = device != NULL;
    // The second time, when the card is awake.
    if (good && cuda_nothing(device, &nothing) && cuda_nothing(device, &nothing))
        fprintf(stderr, "%s at %.0f MHz; a launch of nothing takes %.2f microseconds\n", device->name,
                nothing.mhz, nothing.microseconds);
    good = good && measure_all(device, &points, (unsigned)repetitions, d);
    if (device) cuda_close(device);
    points_fini(&points);
    return good ? 0 : 1;
}

// words: CUBINS [--most=N] [--seconds=N] OPERAND...
static int play_once(char **words, int count, struct diag *d)
{
    struct once o = {.most = 60, .out = stdout};
    uint64_t most = 60, seconds = 0;
    int at = 1;
    for (; at < count && str_starts_with(words[at], "--"); at++) {
        bool is_most = str_starts_with(words[at], "--most="),
             is_time = str_starts_with(words[at], "--seconds=");
        const char *value = strchr(words[at], '=');
        if ((!is_most && !is_time) || !str_to_u64(value + 1, is_most ? &most : &seconds)) return usage();
    }
    if (at >= count) return usage();
    o.most = most;
    o.seconds = (double)seconds;
    struct device *device = cuda_open(words[0], false, d);
    bool good = device && once_all(device, &o, words + at, (size_t)(count - at), d);
    if (device) cuda_close(device);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct diag d;
    diag_init(&d);
    bool once = argc > 1 && str_equal(argv[1], "--once");
    int status = once ? play_once(argv + 2, argc - 2, &d) : measure(argv + 1, argc - 1, &d);
    print_errors(&d);
    diag_fini(&d);
    return status;
}
