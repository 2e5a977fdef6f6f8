// libFuzzer target: any text as an experiment. No crash and no leak; a refused text gives an error, and an
// accepted experiment is complete for its kind.
#include "fuzz/lines.h"
#include "lab/experiment.h"

#include <stdlib.h>

static void require(int condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return lines_mutate(data, size, max_size, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct experiments x;
    struct diag d;
    diag_init(&d);
    experiments_init(&x);
    bool good = experiments_add_text(&x, "fuzz", (const char *)data, size, &d);
    require(good ? d.errors == 0 && x.list.count == 1 : d.errors > 0 && x.list.count == 0);
    if (good) {
        const struct experiment *e = &x.list.data[0];
        require(e->title && e->views.count && e->show && (e->kind != EXPERIMENT_RUNS || e->measure));
    }
    experiments_fini(&x);
    diag_fini(&d);
    return 0;
}
