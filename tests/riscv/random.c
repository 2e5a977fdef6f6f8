#include "riscv/random.h"
#include "base/rng.h"

// Addresses of a thread's data. ROWS: 32 words a row, a word a lane of the warp.
// SPREAD: bytes private to a thread.
enum {
    ARGUMENTS = MAKER_DATA, // the seed of the launch
    TABLE = MAKER_DATA + 0x1000,
    TABLE_WORDS = 256,
    SCRATCH_BASE = 0xbfff0000,
    // Log2 of the bytes of a thread's own words, in the upper half of the group's part. The
    // lower half has a word an operation.
    OWN_LOG = 4,
    ROWS = 0x08100000,
    ROW_COUNT = 12,
    SPREAD = 0x08200000,
    SPREAD_BYTES = 64,
    STACK_TOP = (int32_t)0xfffffff8,
    FRAME = 64
};

// GP, TP and two more registers hold addresses, S0 and S1 loop counts; the other registers hold values.
enum { ROW = 3, SPREAD_AT = 4, OWN_AT = 15, SCRATCH = 7 /* T2: short-lived */ };

enum { DEPTH_MAX = 3, FUNCTIONS = 3 };

struct maker_of {
    struct rng rng;
    struct maker *m;
    unsigned values[32], value_count;
    uint32_t functions[FUNCTIONS];
    unsigned function_count;
    unsigned depth;      // of pushes
    unsigned loops;      // loops around the current statement
    bool in_function;    // a function makes no calls
    unsigned group;      // warps
    unsigned part_log;   // bytes of the group's part of the scratchpad
    bool crosses_parts;  // groups sum into group 0's part
    unsigned statements; // statements left to make
};

static uint32_t below(struct maker_of *g, uint32_t bound) { return rng_below(&g->rng, bound); }
static bool chance(struct maker_of *g, uint32_t percent) { return below(g, 100) < percent; }
static unsigned value(struct maker_of *g) { return g->values[below(g, g->value_count)]; }
static unsigned source(struct maker_of *g) { return chance(g, 6) ? X0 : value(g); }
static void put(struct maker_of *g, uint32_t word) { maker_put(g->m, word); }
static int32_t immediate(struct maker_of *g) { return (int32_t)below(g, 4096) - 2048; }

// A number of 32 bits, or up to bits_less bits shorter. Each draw is a statement of its own, because the
// compiler may reorder operands.
static uint32_t number(struct maker_of *g, uint32_t bits_less)
{
    uint32_t x = (uint32_t)rng_next(&g->rng);
    return x >> below(g, bits_less);
}

// -- arithmetic ---------------------------------------------------------------------------------------------

static void integer(struct maker_of *g)
{
    static const struct {
        uint8_t f3, f7;
    } rows[] = {{0, 0}, {0, 32}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {5, 32}, {6, 0},
                {7, 0}, {0, 1},  {1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1},  {7, 1}};
    unsigned k = below(g, sizeof rows / sizeof rows[0]);
    unsigned rd = value(g), a = source(g), b = source(g);
    put(g, rv_r(0x33, rows[k].f3, rows[k].f7, rd, a, b));
}

static void with_immediate(struct maker_of *g)
{
    static const uint8_t f3[] = {0, 2, 3, 4, 6, 7};
    unsigned kind = below(g, 10), rd = value(g), rs = source(g);
    uint32_t amount = below(g, 32), arithmetic = chance(g, 50) ? 0x400 : 0;
    if (kind < 6)
        put(g, rv_i(0x13, f3[kind], rd, rs, immediate(g)));
    else if (kind < 8)
        put(g, rv_i(0x13, kind == 6 ? 1 : 5, rd, rs, (int32_t)(amount | (kind == 7 ? arithmetic : 0))));
    else
        put(g, rv_u(kind == 8 ? 0x37 : 0x17, rd, (uint32_t)rng_next(&g->rng)));
}

// Any bits are a valid float operand: results do not show the sign of a NaN.
static void real(struct maker_of *g)
{
    static const struct {
        uint8_t f3, f7, rs2; // rs2 32: a register
    } rows[] = {{7, 0x00, 32}, {7, 0x04, 32}, {7, 0x08, 32}, {7, 0x0c, 32}, {7, 0x2c, 0}, {0, 0x10, 32},
                {1, 0x10, 32}, {2, 0x10, 32}, {0, 0x14, 32}, {1, 0x14, 32}, {0, 0x60, 0}, {0, 0x60, 1},
                {7, 0x68, 0},  {7, 0x68, 1},  {0, 0x50, 32}, {1, 0x50, 32}, {2, 0x50, 32}};
    unsigned k = below(g, sizeof rows / sizeof rows[0]);
    unsigned rd = value(g), a = source(g), b = rows[k].rs2 == 32 ? source(g) : rows[k].rs2;
    put(g, rv_r(0x53, rows[k].f3, rows[k].f7, rd, a, b));
}

// -- memory -------------------------------------------------------------------------------------------------

static uint32_t load(unsigned f3, unsigned rd, unsigned base, int32_t offset)
{
    return rv_i(0x03, f3, rd, base, offset);
}

// An offset below `bytes`, aligned to the width.
static int32_t aligned(struct maker_of *g, unsigned f3, uint32_t bytes)
{
    uint32_t width = 1u << (f3 & 3);
    return (int32_t)(below(g, bytes / width) * width);
}

static unsigned load_width(struct maker_of *g)
{
    static const uint8_t f3[] = {2, 2, 2, 0, 1, 4, 5};
    return f3[below(g, sizeof f3)];
}

static void look_up(struct maker_of *g) // in the table
{
    unsigned f3 = load_width(g), rd = value(g);
    put(g, andi(SCRATCH, value(g), (TABLE_WORDS * 4 - 1) & -(1 << (f3 & 3)) & 2047));
    unsigned base = value(g);
    while (base == rd) base = value(g);
    put(g, lui(base, TABLE));
    put(g, add(base, base, SCRATCH));
    put(g, load(f3, rd, base, 0));
}

static void own_memory(struct maker_of *g)
{
    static const unsigned bases[] = {SPREAD_AT, OWN_AT, SP};
    bool is_store = chance(g, 50);
    unsigned f3 = is_store ? below(g, 3) : load_width(g), place = below(g, 4);
    unsigned base = place < 3 ? bases[place] : ROW;
    int32_t offset = aligned(g, f3, place == 0 ? SPREAD_BYTES : place == 1 ? 16 : place == 2 ? FRAME : 4);
    if (place == 3) offset += (int32_t)below(g, ROW_COUNT) * 128;
    put(g, is_store ? rv_s(f3, source(g), base, offset) : load(f3, value(g), base, offset));
}

// On a word of the thread, with the old value used, or on a shared word, with the old value dropped.
static void atomic(struct maker_of *g)
{
    // Swap is last: its result depends on the order.
    static const uint8_t f5[] = {0, 4, 8, 12, 16, 20, 24, 28, 1};
    bool is_own = chance(g, 50);
    unsigned k = below(g, is_own ? 9 : 8), rd = is_own ? value(g) : X0, operand = source(g);
    if (is_own) {
        put(g, rv_r(0x2f, 2, (unsigned)f5[k] << 2, rd, OWN_AT, operand));
        return;
    }
    if (g->crosses_parts) {
        put(g, lui(SCRATCH, SCRATCH_BASE));
    } else {
        put(g, srli(SCRATCH, OWN_AT, (int32_t)g->part_log));
        put(g, slli(SCRATCH, SCRATCH, (int32_t)g->part_log));
    }
    put(g, addi(SCRATCH, SCRATCH, 4 * (int32_t)k));
    put(g, rv_r(0x2f, 2, (unsigned)f5[k] << 2, rd, SCRATCH, operand));
}

// Reads the first own word of the thread `distance` away in the group, between barriers.
static void neighbour(struct maker_of *g)
{
    unsigned rd = value(g), distance = 1u << below(g, 5);
    while (distance < g->group * 32 && chance(g, 40)) distance *= 2;
    if (distance >= g->group * 32) distance = g->group * 16;
    put(g, csrwi(0x830, 0));
    unsigned mask = value(g);
    while (mask == rd) mask = value(g);
    maker_li(g->m, mask, distance << OWN_LOG);
    // The own words of a group are an aligned power of two of bytes.
    put(g, rv_r(0x33, 4, 0, SCRATCH, OWN_AT, mask));
    put(g, lw(rd, SCRATCH, 0));
    put(g, csrwi(0x830, 0));
}

// -- control ------------------------------------------------------------------------------------------------

static void statements(struct maker_of *g, unsigned count);

static uint32_t branch(struct maker_of *g)
{
    static const uint8_t f3[] = {0, 1, 4, 5, 6, 7};
    uint32_t at = maker_here(g->m);
    unsigned a = value(g), b = source(g);
    if (chance(g, 60)) { // by a few bits, so that both paths occur
        put(g, andi(SCRATCH, a, (int32_t)(1u << below(g, 3))));
        at = maker_here(g->m);
        put(g, rv_b(chance(g, 50), SCRATCH, X0, 0));
    } else {
        put(g, rv_b(f3[below(g, 6)], a, b, 0));
    }
    return at;
}

static void push(struct maker_of *g)
{
    put(g, PUSH);
    g->depth++;
}

static void pop(struct maker_of *g)
{
    put(g, POP);
    g->depth--;
}

// A branch without a push of its own may diverge between push and pop: the lanes reconverge at the pop.
static void choice(struct maker_of *g)
{
    bool own = !g->depth || chance(g, 70);
    if (own) push(g);
    uint32_t over = branch(g);
    statements(g, 1 + below(g, 3));
    if (chance(g, 50)) {
        uint32_t end = maker_here(g->m);
        put(g, jal(X0, 0));
        maker_land(g->m, over);
        statements(g, 1 + below(g, 3));
        maker_land(g->m, end);
    } else {
        maker_land(g->m, over);
    }
    if (own) pop(g);
}

// A loop with a count by lane, between push and pop, or a uniform count.
static void loop(struct maker_of *g)
{
    unsigned turns = g->loops ? S1 : S0;
    bool by_lane = chance(g, 60);
    if (by_lane) {
        push(g);
        put(g, andi(turns, value(g), 3));
        put(g, addi(turns, turns, 1));
    } else {
        put(g, addi(turns, X0, 1 + (int32_t)below(g, 3)));
    }
    g->loops++;
    uint32_t top = maker_here(g->m);
    statements(g, 1 + below(g, 3));
    put(g, addi(turns, turns, -1));
    put(g, bne(turns, X0, (int32_t)(top - maker_here(g->m))));
    g->loops--;
    if (by_lane) pop(g);
}

static void call(struct maker_of *g)
{
    uint32_t f = g->functions[below(g, g->function_count)], other = g->functions[below(g, g->function_count)];
    push(g); // the function diverges without a push
    if (chance(g, 50)) {
        put(g, jal(RA, (int32_t)(f - maker_here(g->m))));
        pop(g);
        return;
    }
    // Each lane calls one of two functions, chosen by a bit.
    unsigned chooser = value(g), where = value(g);
    put(g, andi(SCRATCH, chooser, 1));
    put(g, sub(SCRATCH, X0, SCRATCH)); // 0 or all ones
    maker_li(g->m, where, f ^ other);
    put(g, rv_r(0x33, 7, 0, SCRATCH, SCRATCH, where));
    maker_li(g->m, where, f);
    put(g, rv_r(0x33, 4, 0, SCRATCH, SCRATCH, where));
    put(g, jalr(RA, SCRATCH, 0));
    pop(g);
}

static void statement(struct maker_of *g)
{
    unsigned kind = below(g, 100);
    bool may_nest = g->depth < DEPTH_MAX && g->statements > 4;
    if (g->statements) g->statements--;
    if (kind < 30)
        integer(g);
    else if (kind < 42)
        with_immediate(g);
    else if (kind < 50)
        real(g);
    else if (kind < 56)
        look_up(g);
    else if (kind < 72)
        own_memory(g);
    else if (kind < 76)
        atomic(g);
    else if (kind < 86 && may_nest)
        choice(g);
    else if (kind < 92 && may_nest && g->loops < 2)
        loop(g);
    else if (kind < 96 && may_nest && !g->in_function && g->function_count)
        call(g);
    else if (!g->depth && !g->in_function)
        neighbour(g);
    else
        put(g, FENCE);
}

static void statements(struct maker_of *g, unsigned count)
{
    while (count--) statement(g);
}

// -- the program --------------------------------------------------------------------------------------------

// A function may use the loop counters, so it saves the caller's on the stack.
static void function(struct maker_of *g)
{
    enum { KEPT = 16 };
    g->functions[g->function_count] = maker_here(g->m);
    put(g, addi(SP, SP, -KEPT));
    put(g, sw(RA, SP, 0));
    put(g, sw(S0, SP, 4));
    put(g, sw(S1, SP, 8));
    put(g, addi(SP, SP, -FRAME)); // stores to its frame leave the saved registers alone
    g->in_function = true;
    g->depth = 1; // as at the call
    g->statements = 8;
    statements(g, 3 + below(g, 4));
    g->depth = 0;
    g->in_function = false;
    put(g, addi(SP, SP, FRAME));
    put(g, lw(RA, SP, 0));
    put(g, lw(S0, SP, 4));
    put(g, lw(S1, SP, 8));
    put(g, addi(SP, SP, KEPT));
    put(g, RET);
    g->function_count++;
}

// Computes OWN_AT from the thread's number in SCRATCH.
static void put_own_at(struct maker_of *g)
{
    unsigned group_log = g->part_log - 5; // threads of a group: a part has 32 bytes a thread
    put(g, srli(OWN_AT, SCRATCH, (int32_t)group_log));
    put(g, slli(OWN_AT, OWN_AT, (int32_t)g->part_log));
    put(g, slli(ROW, SCRATCH, (int32_t)(32 - group_log)));
    put(g, srli(ROW, ROW, (int32_t)(32 - group_log - OWN_LOG)));
    put(g, add(OWN_AT, OWN_AT, ROW));
    maker_li(g->m, ROW, SCRATCH_BASE + (1u << g->part_log) / 2);
    put(g, add(OWN_AT, OWN_AT, ROW));
}

// Addresses from the thread's number; initial values scalar, affine, or all different.
static void begin_kernel(struct maker_of *g)
{
    put(g, csrr(SCRATCH, 0xf14));
    put(g, slli(SPREAD_AT, SCRATCH, 6));
    maker_li(g->m, ROW, SPREAD);
    put(g, add(SPREAD_AT, SPREAD_AT, ROW));
    put_own_at(g);
    put(g, srli(RA, SCRATCH, 5));
    maker_li(g->m, ROW, ROW_COUNT * 128);
    put(g, mul(RA, RA, ROW));
    put(g, andi(ROW, SCRATCH, 31));
    put(g, slli(ROW, ROW, 2));
    put(g, add(ROW, ROW, RA));
    maker_li(g->m, RA, ROWS);
    put(g, add(ROW, ROW, RA));
    maker_li(g->m, SP, (uint32_t)STACK_TOP);
    put(g, addi(SP, SP, -FRAME));
    put(g, csrr(RA, 0x831));
    put(g, lw(RA, RA, 0)); // the launch's seed: a scalar
    for (unsigned k = 0; k < g->value_count; k++) {
        unsigned r = g->values[k];
        if (k % 3 == 0) {
            maker_li(g->m, r, (uint32_t)rng_next(&g->rng));
            put(g, mul(r, r, SCRATCH));
            put(g, rv_r(0x33, 4, 0, r, r, RA));
        } else if (k % 3 == 1) {
            put(g, slli(r, SCRATCH, (int32_t)below(g, 4)));
            put(g, add(r, r, RA));
        } else {
            maker_li(g->m, r, number(g, 32));
        }
    }
}

static void end_kernel(struct maker_of *g)
{
    for (unsigned k = 0; k < g->value_count; k++) {
        if (k < ROW_COUNT)
            put(g, sw(g->values[k], ROW, (int32_t)k * 128));
        else
            put(g, sw(g->values[k], SPREAD_AT, (int32_t)(k - ROW_COUNT) * 4 % SPREAD_BYTES));
    }
    put(g, csrwi(0x830, 3));
}

// Starts the kernel and waits for it, twice: the second launch meets warm caches and tables.
static uint32_t host(struct maker_of *g)
{
    uint32_t kernel;
    maker_li(g->m, A0, g->group % 64);
    put(g, csrrw(X0, 0x827, A0));
    maker_li(g->m, A1, ARGUMENTS);
    put(g, addi(A2, X0, 2));
    uint32_t again = maker_here(g->m);
    put(g, csrrw(X0, 0x826, A1));
    kernel = maker_here(g->m);
    put(g, lui(A0, 0)); // both instructions are filled in later with the kernel's address
    put(g, addi(A0, A0, 0));
    put(g, csrrw(X0, 0x823, A0));
    uint32_t wait = maker_here(g->m);
    put(g, csrr(A3, 0x824));
    put(g, beq(A3, X0, (int32_t)(wait - maker_here(g->m))));
    put(g, csrr(A3, 0x825));
    put(g, addi(A1, A1, 4));
    put(g, addi(A2, A2, -1));
    put(g, bne(A2, X0, (int32_t)(again - maker_here(g->m))));
    put(g, RET);
    return kernel;
}

static void choose_values(struct maker_of *g, bool is_rv32e)
{
    for (unsigned r = 5; r < (is_rv32e ? 16u : 32u); r++)
        if (r != SCRATCH && r != S0 && r != S1 && r != OWN_AT) g->values[g->value_count++] = r;
}

void random_program_make(uint64_t seed, struct random_program *p)
{
    *p = (struct random_program){0};
    struct maker_of g = {.m = &p->code};
    struct rng parts; // a second stream, so that other draws stay the same
    rng_init(&g.rng, seed);
    p->is_rv32e = chance(&g, 25);
    p->group = 1u << below(&g, 7);
    g.group = p->group;
    g.part_log = 10;
    for (unsigned warps = 1; warps < p->group; warps *= 2) g.part_log++;
    rng_init(&parts, seed ^ 0x9a2754c1);
    g.crosses_parts = p->crosses_parts = p->group < 64 && rng_below(&parts, 2);
    choose_values(&g, p->is_rv32e);
    maker_function(g.m, "_start");
    uint32_t address = host(&g);
    maker_function(g.m, "functions");
    for (unsigned k = below(&g, FUNCTIONS + 1); k; k--) function(&g);
    maker_function(g.m, "kernel");
    uint32_t kernel = maker_here(g.m), upper = (kernel + 0x800) & 0xfffff000;
    uint32_t *words = &g.m->words.data[(address - MAKER_CODE) / 4];
    words[0] = lui(A0, upper);
    words[1] = addi(A0, A0, (int32_t)(kernel - upper));
    begin_kernel(&g);
    g.statements = 10 + below(&g, 60);
    while (g.statements) statement(&g);
    end_kernel(&g);
    for (unsigned k = 0; k < (TABLE - MAKER_DATA) / 4 + TABLE_WORDS; k++) maker_word(g.m, number(&g, 25));
}

void random_program_fini(struct random_program *p) { maker_fini(&p->code); }
