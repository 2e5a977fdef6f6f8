// libFuzzer target: what parses must compile, or be refused by a located error; never because the compiler is
// at fault. Inputs are those of fuzz_ptx, and more of what compiles: tests/compile/lower.
#include "base/rng.h"
#include "compile/compile.h"

#include <stdlib.h>
#include <string.h>

enum { INSTS_MAX = 3000 }; // longer inputs only cost time

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

// -- mutation: whole lines moved, dropped or repeated, and digits changed, so that what comes out often still
// parses

struct line {
    size_t at, length;
};

static struct line pick_line(const uint8_t *data, size_t size, struct rng *r)
{
    size_t at = rng_below(r, (uint32_t)size), end = at;
    while (at && data[at - 1] != '\n') at--;
    while (end < size && data[end] != '\n') end++;
    return (struct line){at, end - at + (end < size)};
}

static size_t change_digit(uint8_t *data, size_t size, struct rng *r)
{
    size_t at = rng_below(r, (uint32_t)size);
    for (size_t k = 0; k < size; k++, at = (at + 1) % size)
        if (data[at] >= '0' && data[at] <= '9') {
            data[at] = (uint8_t)('0' + rng_below(r, 10));
            break;
        }
    return size;
}

static size_t drop_line(uint8_t *data, size_t size, struct rng *r)
{
    struct line l = pick_line(data, size, r);
    memmove(data + l.at, data + l.at + l.length, size - l.at - l.length);
    return size - l.length;
}

static size_t repeat_line(uint8_t *data, size_t size, size_t max_size, struct rng *r)
{
    struct line from = pick_line(data, size, r), to = pick_line(data, size, r);
    if (size + from.length > max_size) return size;
    uint8_t *copy = malloc(from.length + 1);
    memcpy(copy, data + from.at, from.length);
    memmove(data + to.at + from.length, data + to.at, size - to.at);
    memcpy(data + to.at, copy, from.length);
    free(copy);
    return size + from.length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct rng r;
    rng_init(&r, seed);
    if (!size || rng_below(&r, 8) == 0) return LLVMFuzzerMutate(data, size, max_size);
    for (uint32_t n = 1 + rng_below(&r, 4); n && size; n--) {
        switch (rng_below(&r, 4)) {
        case 0: size = drop_line(data, size, &r); break;
        case 1: size = repeat_line(data, size, max_size, &r); break;
        default: size = change_digit(data, size, &r);
        }
    }
    return size;
}

// -- the target

static void compile(const struct ptx_module *m, const struct ptx_function *kernel, unsigned optimise,
                    struct diag *d)
{
    struct compile_options o;
    compile_options_default(&o);
    o.optimise = optimise;
    o.check = true;
    diag_clear(d);
    struct program *p = compile_kernel(m, kernel, &o, d);
    if (p) {
        program_free(p);
        return;
    }
    if (!d->errors) abort();
    for (size_t k = 0; k < d->messages.count; k++)
        if (strstr(d->messages.data[k].text, "a fault of the compiler")) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag d;
    diag_init(&d);
    uint32_t source = diag_add_source(&d, "fuzz.ptx", (const char *)data, size);
    struct ptx_module *m = ptx_parse((const char *)data, size, source, &d);
    uint32_t insts = 0;
    for (uint32_t f = 0; m && f < m->function_count; f++) insts += m->functions[f]->inst_count;
    for (uint32_t f = 0; m && insts <= INSTS_MAX && f < m->function_count; f++) {
        if (!m->functions[f]->is_entry || !m->functions[f]->has_body) continue;
        compile(m, m->functions[f], 1, &d);
        compile(m, m->functions[f], 0, &d);
    }
    ptx_module_free(m);
    diag_fini(&d);
    return 0;
}
