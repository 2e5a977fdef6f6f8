// Measures points of silicon on the card that is here, as CSV that `warpfold reproduce silicon --measurements` reads.
//
//     silicon CUBINS [LIST[:WORD,...]] [REPETITIONS]        LIST: silicon/points.csv; 10 repetitions
//
// From the root of the repository; CUBINS is the folder of silicon/kernels compiled for the card (`make bench-silicon`).
#include "bench/silicon/cuda.h"
#include "bench/silicon/measure.h"

#include <stdlib.h>

static void print_errors(struct diag *d)
{
    diag_print(d, stderr);
    diag_clear(d);
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

int main(int argc, char **argv)
{
    const char *list = argc > 2 ? argv[2] : "silicon/points.csv";
    uint64_t repetitions = 10;
    struct points points;
    struct device_time nothing;
    struct diag d;
    if (argc < 2 || argc > 4 ||
        (argc > 3 && (!str_to_u64(argv[3], &repetitions) || !repetitions || repetitions > 1000))) {
        fputs("usage: silicon CUBINS [LIST[:WORD,...]] [REPETITIONS]\n", stderr);
        return 2;
    }
    diag_init(&d);
    points_init(&points);
    bool good = points_add(&points, list, &d);
    struct device *device = good ? cuda_open(argv[1], &d) : NULL;
    good = device != NULL;
    // The second time, when the card is awake.
    if (good && cuda_nothing(device, &nothing) && cuda_nothing(device, &nothing))
        fprintf(stderr, "%s at %.0f MHz; a launch of nothing takes %.2f microseconds\n", device->name,
                nothing.mhz, nothing.microseconds);
    good = good && measure_all(device, &points, (unsigned)repetitions, &d);
    print_errors(&d);
    if (device) cuda_close(device);
    points_fini(&points);
    diag_fini(&d);
    return good ? 0 : 1;
}
