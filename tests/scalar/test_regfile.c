// The compressed register file against plain registers, and against the paper's numbers.
#include "base/arena.h"
#include "base/rng.h"
#include "harness/test.h"
#include "scalar/regfile.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 32, WARPS = 64, REGISTERS = 32 };
static const uint64_t everybody = 0xffffffff;

// The paper's machine with a VRF of `vectors` slots.
static struct scalar_shape shape_of(uint32_t vectors, enum scalar_spill spill)
{
    return (struct scalar_shape){.rule = {LANES, SCALAR_ALL_STRIDES, false},
                                 .warps = WARPS,
                                 .registers = REGISTERS,
                                 .vectors = vectors,
                                 .reserve = WARPS,
                                 .spill = spill,
                                 .count_bits = 8};
}

static void fill(uint32_t words[LANES], uint32_t base, uint32_t stride)
{
    for (uint32_t n = 0; n < LANES; n++) words[n] = base + n * stride;
}

static void check_words(struct test *t, const struct scalar_regfile *f, unsigned warp, unsigned r,
                        const uint32_t *want)
{
    uint32_t words[SCALAR_LANES_MAX];
    scalar_read(f, warp, r, words);
    for (unsigned n = 0; n < f->shape.rule.lanes; n++)
        CHECK_MSG(t, words[n] == want[n], "warp %u, register %u, lane %u: %u, not %u", warp, r, n, words[n],
                  want[n]);
}

// Fig. 8, and the file without compression: 2,048 registers of 32 lanes.
static void test_storage(struct test *t)
{
    CHECK_EQ(t, scalar_storage_bits(2048, 32, 1024), 1202176);
    CHECK_EQ(t, scalar_storage_bits(2048, 32, 512), 672256);
    CHECK_EQ(t, scalar_storage_bits(2048, 32, 256), 407552);
    CHECK_EQ(t, 2048 * 32 * 32, 2097152);
}

// The write pipeline of Fig. 2a, case by case.
static void test_writes(struct test *t)
{
    struct scalar_regfile f;
    uint32_t words[LANES], want[LANES];
    struct scalar_shape shape = shape_of(2048, SPILL_LRU);
    scalar_init(&f, &shape);
    fill(want, 0, 0);
    check_words(t, &f, 63, 31, want); // every register begins as the scalar 0
    CHECK_EQ(t, scalar_vectors(&f), 0);
    fill(words, 96, 1); // affine
    CHECK_EQ(t, scalar_write(&f, 5, 7, words, everybody, everybody), SCALAR_AFFINE);
    check_words(t, &f, 5, 7, words);
    CHECK_EQ(t, scalar_vectors(&f), 0);
    memcpy(want, words, sizeof want); // a partial write: the other lanes keep the scalar's values
    fill(words, 5, 0);
    want[3] = want[31] = 5;
    CHECK_EQ(t, scalar_write(&f, 5, 7, words, 1u << 3 | 1u << 31, everybody), SCALAR_VECTOR);
    check_words(t, &f, 5, 7, want);
    CHECK_EQ(t, scalar_vectors(&f), 1);
    want[0] = 5; // a partial write to a vector, in its slot
    CHECK_EQ(t, scalar_write(&f, 5, 7, words, 1, everybody), SCALAR_VECTOR);
    check_words(t, &f, 5, 7, want);
    CHECK_EQ(t, scalar_vectors(&f), 1);
    CHECK_EQ(t, scalar_write(&f, 5, 7, words, everybody, everybody),
             SCALAR_UNIFORM); // the slot is freed
    CHECK_EQ(t, scalar_vectors(&f), 0);
    CHECK_EQ(t, scalar_write(&f, 5, 7, words, 1, everybody),
             SCALAR_VECTOR); // uniform, but not every lane written
    fill(words, 1, 3);
    CHECK_EQ(t, scalar_write(&f, 5, 8, words, everybody, everybody), SCALAR_VECTOR);
    CHECK_EQ(t, f.most, 2);
    scalar_sample(&f);
    scalar_write_form(&f, 5, 8, (struct scalar_form){64, 2});
    fill(want, 64, 2);
    check_words(t, &f, 5, 8, want);
    scalar_sample(&f);
    CHECK_EQ(t, f.samples, 2);
    CHECK_EQ(t, f.sampled, 3);
    scalar_clear(&f, 5);
    CHECK_EQ(t, scalar_vectors(&f), 0);
    CHECK_EQ(t, f.most, 2);
    CHECK(t, !scalar_check(&f));
    scalar_fini(&f);
}

// Extension: partial writes of equal values keep a scalar, and a warp of
// few threads is whole with these threads.
static void test_partial(struct test *t)
{
    struct scalar_regfile f;
    struct scalar_shape shape = shape_of(2048, SPILL_LRU);
    uint32_t words[LANES];
    shape.keeps_partial = true;
    scalar_init(&f, &shape);
    fill(words, 128, 4);
    scalar_write(&f, 0, 1, words, everybody, everybody);
    CHECK_EQ(t, scalar_write(&f, 0, 1, words, 0xff00, everybody), SCALAR_AFFINE);
    words[8]++;
    CHECK_EQ(t, scalar_write(&f, 0, 1, words, 0xff, everybody), SCALAR_AFFINE);
    CHECK_EQ(t, scalar_write(&f, 0, 1, words, 0xff00, everybody), SCALAR_VECTOR);
    CHECK_EQ(t, scalar_write(&f, 0, 2, words, 0xff, 0xff), SCALAR_AFFINE);
    CHECK(t, !scalar_check(&f));
    scalar_fini(&f);
}

// -- victims ------------------------------------------------------------------------------------------------

static void make_vector(struct scalar_regfile *f, unsigned warp, unsigned r)
{
    uint32_t words[LANES];
    fill(words, warp, 7 + r);
    scalar_write(f, warp, r, words, everybody, everybody);
}

static void note_uses(struct scalar_regfile *f, uint8_t r, unsigned times)
{
    for (unsigned n = 0; n < times; n++) scalar_note_use(f, &r, 1);
}

static void test_policies(struct test *t)
{
    static const uint8_t needed[] = {4, 5, 6};
    for (enum scalar_spill spill = SPILL_LRU; spill <= SPILL_FIRST; spill++) {
        struct scalar_regfile f;
        struct scalar_shape shape = shape_of(300, spill);
        scalar_init(&f, &shape);
        CHECK_EQ(t, scalar_victim(&f, 9, needed, 3), SCALAR_NONE);
        make_vector(&f, 9, 5);
        CHECK_EQ(t, scalar_victim(&f, 9, needed, 3), SCALAR_NONE);
        for (unsigned r = 2; r < 14; r++) make_vector(&f, 9, r);
        note_uses(&f, 2, 4); // even registers count uses, but do not set the threshold
        note_uses(&f, 3, 2);
        note_uses(&f, 5, 1);
        note_uses(&f, 7, 5);
        note_uses(&f, 8, 1);
        for (uint8_t r = 9; r < 14; r++) note_uses(&f, r, 3);
        int first = scalar_victim(&f, 9, needed, 3), second = scalar_victim(&f, 9, needed, 3);
        // LRU: the odd R5, though needed now, sets the threshold to
        // one use; only R8 has been used so seldom.
        CHECK_EQ(t, first, spill == SPILL_LRU ? 8 : 2);
        CHECK_EQ(t, second, spill == SPILL_LRU ? 8 : spill == SPILL_RR ? 3 : 2);
        f.last_victim = 13; // no register behind it: the search wraps around
        CHECK_EQ(t, scalar_victim(&f, 9, needed, 3), spill == SPILL_LRU ? 8 : 2);
        note_uses(&f, 8, 1);
        // LRU: no register has been used so seldom now; the first of all is the victim.
        CHECK_EQ(t, scalar_victim(&f, 9, needed, 3), spill == SPILL_RR ? 3 : 2);
        scalar_fini(&f);
    }
}

// Uses are halved once a count is full, and the use at that moment is not
// counted; a register named twice counts once.
static void test_uses(struct test *t)
{
    struct scalar_regfile f;
    struct scalar_shape shape = shape_of(300, SPILL_LRU);
    static const uint8_t twice[] = {3, 3};
    scalar_init(&f, &shape);
    scalar_note_use(&f, twice, 2);
    CHECK_EQ(t, f.uses[3], 1);
    note_uses(&f, 3, 253);
    CHECK_EQ(t, f.uses[3], 254);
    note_uses(&f, 4, 9);
    note_uses(&f, 3, 1);
    CHECK_EQ(t, f.uses[3], 255);
    note_uses(&f, 3, 1);
    CHECK_EQ(t, f.uses[3], 127);
    CHECK_EQ(t, f.uses[4], 4);
    scalar_fini(&f);
}

// -- at random ----------------------------------------------------------------------------------------------

struct machine {
    struct scalar_regfile file;
    uint32_t plain[WARPS][REGISTERS][LANES], memory[WARPS][REGISTERS][LANES];
    unsigned passes; // successive attempts of instructions not yet executed
    uint64_t executed;
};

// A cycle of the paper's pipeline: a spill, an unspill, or an
// instruction. True: the instruction has executed.
static bool step(struct test *t, struct machine *m, unsigned warp, const uint8_t registers[3],
                 uint64_t active, struct rng *r)
{
    struct scalar_regfile *f = &m->file;
    bool is_whole = active == everybody;
    if (scalar_must_spill(f)) {
        int victim = scalar_victim(f, warp, registers, 3);
        if (victim != SCALAR_NONE) scalar_spill(f, warp, (unsigned)victim, m->memory[warp][victim]);
        return false;
    }
    int evicted = scalar_first_evicted(f, warp, registers, is_whole ? 2 : 3);
    if (evicted != SCALAR_NONE) {
        scalar_unspill(f, warp, (unsigned)evicted, m->memory[warp][evicted]);
        return false;
    }
    for (unsigned k = 0; k < 2; k++) check_words(t, f, warp, registers[k], m->plain[warp][registers[k]]);
    uint32_t *d = m->plain[warp][registers[2]], stride = rng_below(r, 12),
             base = rng_below(r, 8) * 32 * (stride | 1);
    for (uint32_t n = 0; n < LANES; n++)
        if (active >> n & 1) d[n] = base + n * stride;
    scalar_write(f, warp, registers[2], d, active, everybody);
    return true;
}

// Every warp requests random registers; the smallest file permitted by the paper, and a
// large file. No instruction waits for ever.
static void run_machine(struct test *t, uint32_t vectors, enum scalar_spill spill, uint64_t instructions)
{
    struct machine *m = heap_alloc(sizeof *m);
    struct scalar_shape shape = shape_of(vectors, spill);
    struct rng r;
    uint8_t next[WARPS][3];
    uint64_t active[WARPS];
    rng_init(&r, test_seed(vectors));
    scalar_init(&m->file, &shape);
    for (unsigned w = 0; w < WARPS; w++) {
        for (unsigned k = 0; k < 3; k++) next[w][k] = (uint8_t)rng_below(&r, REGISTERS);
        active[w] = everybody;
    }
    for (unsigned w = 0; m->executed < instructions && m->passes < 100 * WARPS && !test_failed(t);
         w = (w + 1) % WARPS) {
        bool has_executed = step(t, m, w, next[w], active[w], &r);
        m->passes = has_executed ? 0 : m->passes + 1;
        m->executed += has_executed;
        if (!has_executed) continue;
        for (unsigned k = 0; k < 3; k++) next[w][k] = (uint8_t)rng_below(&r, REGISTERS);
        active[w] = rng_below(&r, 4) ? everybody : rng_next(&r) & everybody;
    }
    CHECK_EQ(t, m->executed, instructions);
    const char *broken = scalar_check(&m->file);
    CHECK_MSG(t, !broken, "%s", broken);
    CHECK(t, m->file.most <= vectors);
    CHECK_EQ(t, m->file.spills > 0, vectors < WARPS * REGISTERS);
    CHECK_EQ(t, m->file.unspills > 0, vectors < WARPS * REGISTERS);
    scalar_fini(&m->file);
    free(m);
}

static void test_random(struct test *t)
{
    static const uint32_t vectors[] = {3 * WARPS + WARPS, 300, 512, 1024, WARPS * REGISTERS};
    for (unsigned k = 0; k < TEST_COUNT(vectors); k++)
        for (enum scalar_spill spill = SPILL_LRU; spill <= SPILL_FIRST; spill++)
            run_machine(t, vectors[k], spill, 20000);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"storage", test_storage}, {"writes", test_writes},
                                             {"partial", test_partial}, {"policies", test_policies},
                                             {"uses", test_uses},       {"random", test_random}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
