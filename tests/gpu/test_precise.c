// Precise state (docs/ilp.md): at random cycles of random programs the registers that the many-thread-aware scoreboard has committed
// are those of the program executed to the same instruction, one by one, by the plain engine, without any timing.
//
//     chip: SM 0, 1  the program, issue.dependences=board ──────┬───────────┬──▶      board_shadow: committed registers,
//           SM 2     a kernel that counts down, and ends ───────┘ looked at ┘         and how many instructions they are
//     replay, block by block, warps in turn: the instruction of that number ──▶ the same registers, lane by lane
#include "base/bits.h"
#include "base/rng.h"
#include "compile/compiled.h"
#include "exec/machine.h"
#include "exec/timed.h"
#include "generator/generator.h"
#include "gpu/bench.h"
#include "gpu/board_shadow.h"
#include "gpu/chip_impl.h"
#include "gpu/sm_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SMS = 2, LOOKS = 6, MEMORY = 1 << 26, TABLES = 1 << 16 }; // SMs of the program; looks at a run of it

// -- a program ----------------------------------------------------------------------------------------------

struct subject { // and its launch, with a memory of its own
    struct generated g;
    struct machine m;
};

static bool subject_init(struct subject *x, struct test *t, uint64_t seed)
{
    const struct redundancy_options defined = {.defined = true};
    struct compile_options options;
    compile_options_default(&options);
    *x = (struct subject){.m = {.t = t}};
    generator_redundancy_with(seed, &defined, &x->g);
    x->m.program = compiled_text(t, strbuf_text(&x->g.text), &options);
    return x->m.program;
}

static void subject_fini(struct subject *x)
{
    machine_fini(&x->m);
    generated_fini(&x->g);
}

// The module's variables are tables that are only read. What is in them does not matter here, but that it is always the same.
static void set_tables(struct machine *m)
{
    uint64_t tables = memory_alloc(m->memory, TABLES, 256, "tables");
    uint8_t *bytes = memory_host(m->memory, tables, 0);
    for (uint32_t k = 0; k < TABLES; k++) bytes[k] = (uint8_t)(k * 37 % 5);
    m->launch.bank[BANK_USER] = bytes;
    m->launch.bank_bytes[BANK_USER] = TABLES;
    for (uint32_t k = 0; k < m->program->symbol_count && k < MACHINE_PARAMS; k++)
        if (m->program->symbols[k].kind != SYMBOL_FUNCTION) m->addresses[k] += tables;
}

// As at the beginning: every run has memory of its own.
static void subject_begin(struct subject *x)
{
    struct machine *m = &x->m;
    const uint32_t *block = x->g.block, *grid = x->g.grid;
    uint32_t threads = block[0] * block[1] * block[2] * grid[0] * grid[1] * grid[2];
    memory_destroy(m->memory);
    m->memory = memory_create(MEMORY);
    m->launch = (struct launch){.program = m->program,
                                .grid = {grid[0], grid[1], grid[2]},
                                .block = {block[0], block[1], block[2]},
                                .warp_size = 32,
                                .shared_total = m->program->shared_bytes,
                                .memory = m->memory,
                                .max_warp_instructions = 50000000,
                                .sm_count = SMS,
                                .end_sm = SMS};
    uint64_t in = memory_alloc(m->memory, GENERATOR_IN_BYTES, 256, "in");
    uint64_t out = memory_alloc(m->memory, (uint64_t)GENERATOR_OUT_BYTES * threads, 256, "out");
    uint64_t acc = memory_alloc(m->memory, GENERATOR_ACC_BYTES, 256, "acc");
    generator_input(x->g.seed, memory_host(m->memory, in, 0));
    generator_params(x->g.seed, in, out, acc, threads, m->bank + BANK_LAUNCH_PARAMS);
    machine_prepare(m);
    set_tables(m);
}

// -- what was committed -------------------------------------------------------------------------------------

struct moment { // of a warp
    uint64_t block, count;
    uint32_t warp, registers;
    bool under_way;             // it has issued more
    bool found, differs_behind; // replayed; one instruction later it would be told apart
    uint32_t (*lanes)[32];
};

typedef VEC(struct moment) moments;

static void look_at_sm(const struct sm *s, const struct launch *of, moments *all)
{
    for (uint64_t left = s->room.resident; left; left &= left - 1) {
        unsigned slot = bit_lowest(left);
        const struct sm_warp *w = &s->warps[slot];
        struct moment x = {.block = w->warp->cta->linear, .warp = w->warp->index};
        if (w->grid->launch->launch != of || !board_shadow_has(s->board.shadow, s, slot, &x.count)) continue;
        x.under_way = x.count < w->warp->issued;
        x.registers = of->program->reg_count;
        x.lanes = calloc(x.registers, sizeof *x.lanes);
        for (uint32_t r = 0; r < x.registers; r++)
            memcpy(x.lanes[r], board_shadow_lanes(s->board.shadow, w->operands.registers + r),
                   sizeof *x.lanes);
        vec_push(all, x);
    }
}

static void moments_fini(moments *all)
{
    for (size_t k = 0; k < all->count; k++) free(all->data[k].lanes);
    vec_fini(all);
}

// -- the program, an instruction at a time ------------------------------------------------------------------

static bool same_registers(const struct warp *w, const struct moment *x)
{
    bool same = true;
    for (uint32_t r = 0; r < x->registers; r++)
        same &= !memcmp(w->regs + (size_t)r * w->exec->vector_bytes, x->lanes[r], sizeof *x->lanes);
    return same;
}

static void meet_moments(struct test *t, const struct warp *w, moments *all, uint64_t seed)
{
    for (size_t k = 0; k < all->count; k++) {
        struct moment *x = &all->data[k];
        if (x->block != w->cta->linear || x->warp != w->index) continue;
        if (x->found && w->issued == x->count + 1) x->differs_behind |= !same_registers(w, x);
        if (x->found || w->issued != x->count) continue;
        x->found = true;
        CHECK_MSG(t, same_registers(w, x),
                  "program %" PRIu64 ", block %" PRIu64 ", warp %u: what is committed is not what %" PRIu64
                  " instructions compute",
                  seed, x->block, x->warp, x->count);
    }
}

// Of each warp an instruction in turn. False: nobody can go on, or the program has failed.
static bool step_block(struct test *t, struct timed_engine *e, struct cta *c, uint64_t *cycle, moments *all,
                       uint64_t seed)
{
    bool some = false, moved = false;
    for (uint32_t k = 0; k < c->warp_count; k++) {
        struct warp *w = &c->warps[k];
        some |= w->state != WARP_DONE;
        if (w->state == WARP_READY) timed_settle(w);
        if (w->state != WARP_READY) continue;
        if (timed_step(e, w, ++*cycle) == TIMED_FAULT) return false;
        timed_commit(&e, 1);
        moved = true;
        meet_moments(t, w, all, seed);
    }
    CHECK_MSG(t, moved || !some, "program %" PRIu64 ": nobody goes on", seed);
    return moved;
}

static void replay(struct test *t, struct subject *x, moments *all)
{
    struct timed_engine e;
    uint64_t cycle = 0, blocks = (uint64_t)x->g.grid[0] * x->g.grid[1] * x->g.grid[2];
    subject_begin(x);
    x->m.launch.isa = EXEC_ISA_GENERAL;
    timed_init(&e, &x->m.launch, 0, NULL);
    struct cta *c = timed_block_create(&e);
    for (uint64_t block = 0; block < blocks; block++) {
        timed_block_start(&e, c, block);
        for (uint32_t k = 0; k < c->warp_count; k++) meet_moments(t, &c->warps[k], all, x->g.seed);
        while (step_block(t, &e, c, &cycle, all, x->g.seed)) {
        }
        timed_block_end(&e, c);
    }
    timed_block_destroy(c);
    timed_fini(&e);
}

// -- looks --------------------------------------------------------------------------------------------------

static const char *const machines[] = {
    "",
    "board.entries=2 issue.schedulers=1",
    "board.entries=32 issue.scheduler=lrr l1.global=1",
    "branch.predict=static issue.schedulers=4 fetch.per_scheduler=1",
    "branch.predict=gshare board.entries=4 operands.bypass=1",
    "operands.bypass=1 latency.int_add=9 l1.global=1 l1.sets=1",
};

static const char countdown[] = "MOV R0, c[0x0][0x160]\nloop:\nIADD3 R0, R0, -0x1, RZ\n"
                                "ISETP.NE.AND P0, PT, R0, RZ, PT\n@P0 BRA loop\nEXIT\n";

struct totals {
    uint64_t looks, warps, under_way, told_apart;
};

static void end(struct test *t, struct chip *c, struct grid *g, uint64_t seed)
{
    struct chip_result result;
    struct launch_fault fault = {0};
    bool good = chip_end(c, g, &result, &fault);
    CHECK_MSG(t, good && !result.imbalance, "program %" PRIu64 ": %s", seed,
              good ? result.imbalance : fault.text);
    launch_fault_fini(&fault);
}

// The program runs beside a kernel that ends some time later; then it stands still and is looked at. False: it was over before.
static bool look(struct test *t, struct chip *c, const struct subject *x, struct rng *r, moments *all)
{
    struct machine clock;
    if (!machine_init(&clock, t, countdown, 32)) return false;
    machine_param(&clock, 1 + rng_below(r, 1u << rng_below(r, 10)));
    machine_prepare(&clock);
    clock.launch.first_sm = SMS;
    clock.launch.end_sm = SMS + 1;
    struct grid *g = chip_begin(c, &clock.launch, 0, NULL), *first = chip_run(c, 1);
    bool still_runs = first == g;
    for (unsigned sm = 0; still_runs && sm < SMS; sm++)
        if (c->sms[sm]) look_at_sm(c->sms[sm], &x->m.launch, all);
    end(t, c, first, x->g.seed);
    if (!still_runs) end(t, c, chip_run(c, 1), x->g.seed);
    machine_fini(&clock);
    return still_runs;
}

static void add_up(struct test *t, const moments *all, uint64_t seed, struct totals *sum)
{
    sum->looks += all->count != 0;
    for (size_t n = 0; n < all->count; n++) {
        CHECK_MSG(t, all->data[n].found, "program %" PRIu64 ": no such instruction", seed);
        sum->warps++;
        sum->under_way += all->data[n].under_way;
        sum->told_apart += all->data[n].differs_behind;
    }
}

static void run_program(struct test *t, uint64_t seed, struct totals *sum)
{
    struct subject x;
    struct rng r;
    struct chip_config config = {0};
    moments all[LOOKS] = {0};
    char settings[300];
    rng_init(&r, seed);
    if (!subject_init(&x, t, seed)) return;
    subject_begin(&x);
    snprintf(settings, sizeof settings, "gpu.sm_count=3 sim.check=1 issue.dependences=board %s",
             machines[seed % TEST_COUNT(machines)]);
    gpu_settings(t, &config, "tiny", settings);
    struct chip *c = chip_create(&config);
    bool runs = chip_begin(c, &x.m.launch, 0, NULL);
    for (unsigned k = 0; k < LOOKS && runs; k++) runs = look(t, c, &x, &r, &all[k]);
    if (runs) end(t, c, chip_run(c, 1), seed);
    chip_destroy(c);
    for (unsigned k = 0; k < LOOKS; k++) {
        if (all[k].count) replay(t, &x, &all[k]);
        add_up(t, &all[k], seed, sum);
        moments_fini(&all[k]);
    }
    subject_fini(&x);
}

static void test_random_cycles(struct test *t)
{
    uint64_t wanted = test_is_long() ? 20000 : test_is_quick() ? 60 : 1000;
    struct totals sum = {0};
    for (uint64_t seed = test_seed(1); sum.looks < wanted && !test_failed(t); seed++)
        run_program(t, seed, &sum);
    printf("  %" PRIu64 " cycles, %" PRIu64 " warps looked at, %" PRIu64
           " with instructions under way; %" PRIu64 " would be told apart an instruction later\n",
           sum.looks, sum.warps, sum.under_way, sum.told_apart);
    CHECK(t, sum.told_apart > sum.warps / 4 && sum.under_way > sum.warps / 10);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"random_cycles", test_random_cycles}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
