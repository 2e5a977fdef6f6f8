// Matrix products against outputs of cards (silicon/h100/values/products.csv, silicon/tensor-vectors/products.csv) and, for every form, card
// and kind of values, against exact.c. Elements by tensor_element, fragments and both paths by tensor_product.
#include "base/rng.h"
#include "exec/tensor/exact.h"
#include "exec/tensor/tensor.h"
#include "harness/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- forms --------------------------------------------------------------------------------------------------

// Forms of mma.sync and mma.sp that ptxas accepts, by shape and types.
struct form_row {
    uint16_t m, n, k;
    uint8_t a, b, c, d;
    bool is_sparse;
};

#define FORM(m, n, k, a, b, d)                                                                               \
    {                                                                                                        \
        m, n, k, TYPE_##a, TYPE_##b, TYPE_##d, TYPE_##d, false                                               \
    }
#define SPARSE(k, a, b, d)                                                                                   \
    {                                                                                                        \
        16, 8, k, TYPE_##a, TYPE_##b, TYPE_##d, TYPE_##d, true                                               \
    }
#define EIGHT(k, d)                                                                                          \
    FORM(16, 8, k, E4M3, E4M3, d), FORM(16, 8, k, E5M2, E5M2, d), FORM(16, 8, k, E4M3, E5M2, d),             \
        FORM(16, 8, k, E5M2, E4M3, d)
#define WHOLE(m, k, s, u)                                                                                    \
    FORM(m, 8, k, s, s, S32), FORM(m, 8, k, s, u, S32), FORM(m, 8, k, u, s, S32), FORM(m, 8, k, u, u, S32)
#define SPARSE_WHOLE(k, s, u)                                                                                \
    SPARSE(k, s, s, S32), SPARSE(k, s, u, S32), SPARSE(k, u, s, S32), SPARSE(k, u, u, S32)
// clang-format off
static const struct form_row forms[] = {
    {8, 8, 4, TYPE_F16, TYPE_F16, TYPE_F16, TYPE_F16, false}, {8, 8, 4, TYPE_F16, TYPE_F16, TYPE_F16, TYPE_F32, false},
    {8, 8, 4, TYPE_F16, TYPE_F16, TYPE_F32, TYPE_F32, false},
    FORM(16, 8, 8, F16, F16, F16), FORM(16, 8, 8, F16, F16, F32), FORM(16, 8, 16, F16, F16, F16), FORM(16, 8, 16, F16, F16, F32),
    FORM(16, 8, 8, BF16, BF16, F32), FORM(16, 8, 16, BF16, BF16, F32),
    FORM(16, 8, 4, TF32, TF32, F32), FORM(16, 8, 8, TF32, TF32, F32),
    EIGHT(16, F32), EIGHT(32, F32), EIGHT(16, F16), EIGHT(32, F16),
    WHOLE(8, 16, S8, U8), WHOLE(16, 16, S8, U8), WHOLE(16, 32, S8, U8), WHOLE(8, 32, S4, U4), WHOLE(16, 32, S4, U4), WHOLE(16, 64, S4, U4),
    FORM(8, 8, 128, B1, B1, S32), FORM(16, 8, 128, B1, B1, S32), FORM(16, 8, 256, B1, B1, S32),
    FORM(8, 8, 4, F64, F64, F64), FORM(16, 8, 4, F64, F64, F64), FORM(16, 8, 8, F64, F64, F64), FORM(16, 8, 16, F64, F64, F64),
    SPARSE(16, F16, F16, F16), SPARSE(16, F16, F16, F32), SPARSE(32, F16, F16, F16), SPARSE(32, F16, F16, F32),
    SPARSE(16, BF16, BF16, F32), SPARSE(32, BF16, BF16, F32), SPARSE(8, TF32, TF32, F32), SPARSE(16, TF32, TF32, F32),
    SPARSE(64, E4M3, E4M3, F32), SPARSE(64, E5M2, E5M2, F32), SPARSE(64, E4M3, E5M2, F32), SPARSE(64, E4M3, E4M3, F16),
    SPARSE_WHOLE(32, S8, U8), SPARSE_WHOLE(64, S8, U8), SPARSE_WHOLE(64, S4, U4), SPARSE_WHOLE(128, S4, U4),
};
// clang-format on

static bool has_form(enum tensor_generation card, const struct form_row *f)
{
    const struct tensor_card *c = &tensor_cards[card];
    if (f->a == TYPE_TF32) return c->tf32.length;
    if (f->a == TYPE_E4M3 || f->a == TYPE_E5M2) return c->eight.length;
    return f->a != TYPE_BF16 || card >= TENSOR_AMPERE;
}

static unsigned type_bits(unsigned type)
{
    return type == TYPE_B1                                             ? 32
           : type == TYPE_S4 || type == TYPE_U4                        ? 4
           : type == TYPE_TF32 || type == TYPE_F32 || type == TYPE_S32 ? 32
           : type == TYPE_F64                                          ? 64
           : type == TYPE_F16 || type == TYPE_BF16                     ? 16
                                                                       : 8;
}

// -- values -------------------------------------------------------------------------------------------------

enum draw { DRAW_MODERATE, DRAW_WIDE, DRAW_SMALL, DRAW_CLOSE, DRAW_SPECIAL, DRAW_EDGE, DRAW_BITS, DRAWS };

static unsigned exponent_bits_of(unsigned type)
{
    switch (type) {
    case TYPE_F64: return 11;
    case TYPE_F16:
    case TYPE_E5M2: return 5;
    case TYPE_E4M3: return 4;
    default: return 8;
    }
}

// A float whose exponent lies in [low, high] around 1, clamped to the format.
static uint64_t draw_float(struct rng *g, unsigned type, int low, int high)
{
    unsigned bits = type_bits(type), exponent = exponent_bits_of(type), fraction = bits - 1 - exponent;
    int bias = (1 << (exponent - 1)) - 1,
        field = bias + low + (int)(rng_next(g) % (uint64_t)(high - low + 1)), top = 2 * bias;
    field = field < 0 ? 0 : field > top ? top : field;
    uint64_t low_bits = rng_next(g);
    if (rng_next(g) % 4 == 0) low_bits = rng_next(g) % 2 ? ~0ull : 0;
    return rng_next(g) % 2 << (bits - 1) | (uint64_t)field << fraction |
           (low_bits & ((1ull << fraction) - 1));
}

static uint64_t draw_special(struct rng *g, unsigned type)
{
    unsigned bits = type_bits(type), exponent = exponent_bits_of(type), fraction = bits - 1 - exponent;
    uint64_t top = ((1ull << exponent) - 1) << fraction, sign = rng_next(g) % 2 << (bits - 1);
    switch (rng_next(g) % 8) {
    case 0: return sign | top;
    case 1: return sign | top | 1;
    case 2: return sign;
    case 3: return sign | 1;
    default: return draw_float(g, type, -2, 2);
    }
}

static uint64_t draw(struct rng *g, enum draw how, unsigned type)
{
    bool is_float = type >= TYPE_F16 && type != TYPE_U4 && type != TYPE_S4 && type != TYPE_B1;
    uint64_t mask = type_bits(type) == 64 ? ~0ull : (1ull << type_bits(type)) - 1;
    if (!is_float || how == DRAW_BITS) return rng_next(g) & mask;
    int least = -(1 << (exponent_bits_of(type) - 1));
    switch (how) {
    case DRAW_MODERATE: return draw_float(g, type, -3, 3);
    case DRAW_WIDE: return draw_float(g, type, least, -least);
    case DRAW_SMALL: return draw_float(g, type, least, least + 4);
    case DRAW_CLOSE: return draw_float(g, type, 0, 0);
    case DRAW_EDGE: return draw_float(g, type, -58, -48); // where the fast path changes its scaling
    case DRAW_SPECIAL:
        if (rng_next(g) % 24 == 0) return draw_special(g, type);
        break;
    case DRAW_BITS:
    case DRAWS: break;
    }
    return draw_float(g, type, -1, 1);
}

// -- products of a warp -------------------------------------------------------------------------------------

struct product {
    struct tensor_form f;
    struct exact_matrices x;
    uint8_t column[16][64];
    unsigned selector;
    bool as_halves; // m8n8k4 with sums in f32
    uint32_t a[TENSOR_REGISTERS][32], b[TENSOR_REGISTERS][32], c[TENSOR_REGISTERS][32], e[32];
};

static void draw_columns(struct product *p, struct rng *g)
{
    unsigned bits = type_bits(p->f.a), span = bits == 32 ? 2 : bits == 4 ? 8 : 4;
    for (unsigned row = 0; row < 16; row++)
        for (unsigned chunk = 0; chunk < p->f.k / span; chunk++) {
            unsigned first = (unsigned)(rng_next(g) % 3),
                     second = first + 1 + (unsigned)(rng_next(g) % (3 - first));
            uint8_t *to = &p->column[row][chunk * span / 2];
            unsigned base = chunk * span;
            if (span == 2) to[0] = (uint8_t)(base + first % 2);
            if (span == 4) to[0] = (uint8_t)(base + first), to[1] = (uint8_t)(base + second);
            for (unsigned n = 0; span == 8 && n < 4; n++)
                to[n] = (uint8_t)(base + 2 * (n < 2 ? first : second) + n % 2);
        }
    p->selector = p->f.k / span == 4   ? (unsigned)(rng_next(g) % 4)
                  : p->f.k / span == 8 ? (unsigned)(rng_next(g) % 2)
                                       : 0;
}

static unsigned parts_of(const struct tensor_form *f)
{
    return f->m == 8 && f->k == 4 && f->a == TYPE_F16 ? 4 : 1;
}
static unsigned depth_of(const struct tensor_form *f)
{
    return (f->is_sparse ? f->k / 2u : f->k) / (f->a == TYPE_B1 ? 32u : 1u);
}

static void draw_product(struct product *p, struct rng *g, enum draw how)
{
    unsigned rows = p->f.m * parts_of(&p->f), deep = p->f.k / (p->f.a == TYPE_B1 ? 32u : 1u);
    for (unsigned i = 0; i < rows; i++) {
        for (unsigned k = 0; k < depth_of(&p->f); k++) p->x.a[i][k] = draw(g, how, p->f.a);
        for (unsigned n = 0; n < 8; n++) p->x.c[i][n] = rng_next(g) % 8 ? draw(g, how, p->f.c) : 0;
    }
    for (unsigned k = 0; k < deep; k++)
        for (unsigned n = 0; n < 8 * parts_of(&p->f); n++) p->x.b[k][n] = draw(g, how, p->f.b);
    // cancellation: a pair of products of opposite signs
    for (unsigned i = 0; i < rows && how == DRAW_CLOSE; i++)
        p->x.a[i][1] = p->x.a[i][0] ^ 1ull << (type_bits(p->f.a) - 1);
    for (unsigned n = 0; n < 8 * parts_of(&p->f) && how == DRAW_CLOSE; n++) p->x.b[1][n] = p->x.b[0][n];
    memset(p->e, 0, sizeof p->e);
    if (p->f.is_sparse)
        draw_columns(p, g), exact_metadata(&p->f, (const uint8_t(*)[64])p->column, p->selector, p->e);
}

// Registers of single bits hold words of 32 elements.
static struct tensor_form words_of(const struct tensor_form *f)
{
    struct tensor_form w = *f;
    if (f->a == TYPE_B1) w.a = w.b = TYPE_TF32, w.k = f->k / 32;
    return w;
}

// A path of tensor_product: element by element, or of an instruction set of this processor.
static const struct tensor_tiles *path_of(unsigned which)
{
    static const enum exec_isa all[] = {EXEC_ISA_GENERAL, EXEC_ISA_PORTABLE, EXEC_ISA_AVX2, EXEC_ISA_AVX512};
    enum exec_isa isa = all[which % TEST_COUNT(all)];
    return tensor_tiles_of(exec_isa_available(isa) ? isa : EXEC_ISA_PORTABLE);
}

// m8n8k4 of f16 with sums in f32 as two products of half the columns.
static void run_halves(struct tensor_form f, const struct tensor_card *card, struct tensor_operands o,
                       const struct tensor_tiles *tiles)
{
    enum { SUMS = 4 };
    for (f.half = 1; f.half <= 2; f.half++) {
        tensor_product(card, &f, &o, tiles);
        for (unsigned r = 0; r < SUMS; r++) o.c[r] = o.c[SUMS + r], o.d[r] = o.d[SUMS + r];
    }
}

// in_place: d is in the registers of c, else apart.
static void run_product(struct product *p, const struct tensor_card *card, bool in_place,
                        const struct tensor_tiles *tiles)
{
    uint32_t d[TENSOR_REGISTERS][32];
    struct tensor_form w = words_of(&p->f);
    exact_to_registers(&w, &p->x, p->a, p->b, p->c);
    struct tensor_operands o = {.metadata = p->e, .selector = p->selector};
    in_place = in_place && p->f.c == p->f.d;
    for (unsigned r = 0; r < TENSOR_REGISTERS; r++) {
        o.a[r] = p->a[r], o.b[r] = p->b[r], o.c[r] = p->c[r];
        o.d[r] = in_place ? p->c[r] : d[r];
    }
    if (parts_of(&p->f) == 4 && p->f.c == TYPE_F32 && p->f.d == TYPE_F32 && p->as_halves)
        run_halves(p->f, card, o, tiles);
    else
        tensor_product(card, &p->f, &o, tiles);
    exact_from_registers(&w, in_place ? p->c : d, &p->x);
}

// A value's bits differ: the first of a product is told.
static bool same_product(struct test *t, const struct product *p, enum tensor_generation card,
                         const char *how)
{
    struct exact_rule r = exact_rule_of(card, p->f.a);
    for (unsigned i = 0; i < p->f.m * parts_of(&p->f); i++)
        for (unsigned n = 0; n < 8; n++) {
            uint64_t b[256];
            for (unsigned k = 0; k < depth_of(&p->f); k++)
                b[k] = p->x.b[p->f.is_sparse ? p->column[i][k] : k][n + i / p->f.m * 8];
            uint64_t want = exact_element(&r, &p->f, p->x.a[i], b, (int)depth_of(&p->f), p->x.c[i][n]);
            if (want == p->x.d[i][n]) continue;
            test_fail(t, __FILE__, __LINE__,
                      "%s %s%s m%un%uk%u %s %s %s: d[%u][%u] is %" PRIx64 ", not %" PRIx64 " (c %" PRIx64 ")",
                      tensor_cards[card].name, how, p->f.is_sparse ? " sparse" : "", p->f.m, p->f.n, p->f.k,
                      isa_type_name(p->f.a), isa_type_name(p->f.b), isa_type_name(p->f.d), i, n, p->x.d[i][n],
                      want, p->x.c[i][n]);
            return false;
        }
    return true;
}

static const char *const draws[] = {"moderate", "wide", "small", "close", "special", "edge", "bits"};

static void test_forms(struct test *t)
{
    struct rng g = {test_seed(47)};
    struct product *p = calloc(1, sizeof *p);
    unsigned rounds = test_is_long() ? 200 : test_is_quick() ? 1 : 4;
    for (size_t k = 0; k < TEST_COUNT(forms); k++)
        for (unsigned n = 0; n < rounds * TENSOR_GENERATIONS * DRAWS; n++) {
            enum tensor_generation card = n % TENSOR_GENERATIONS;
            enum draw how = n / TENSOR_GENERATIONS % DRAWS;
            if (!has_form(card, &forms[k])) continue;
            const struct form_row *f = &forms[k];
            p->f = (struct tensor_form){
                .m = f->m, .n = f->n, .k = f->k, .a = f->a, .b = f->b, .c = f->c, .d = f->d};
            p->f.is_sparse = f->is_sparse;
            p->f.saturates = p->f.d == TYPE_S32 && p->f.a != TYPE_B1 && rng_next(&g) % 2;
            p->f.ands = p->f.a == TYPE_B1 && rng_next(&g) % 2;
            p->f.round = p->f.d == TYPE_F64 ? (uint8_t)(rng_next(&g) % 4) : 0;
            p->f.a_by_column = parts_of(&p->f) == 4 && rng_next(&g) % 2;
            p->f.b_by_row = parts_of(&p->f) == 4 && rng_next(&g) % 2;
            p->as_halves = rng_next(&g) % 2;
            draw_product(p, &g, how);
            run_product(p, &tensor_cards[card], rng_next(&g) % 2, path_of((unsigned)rng_next(&g)));
            if (!same_product(t, p, card, draws[how])) break;
        }
    free(p);
}

// -- outputs of a card --------------------------------------------------------------------------------------

struct line {
    char form[64], card[16]; // card: the second column
    struct tensor_form f;
    bool is_warpgroup, is_minus;
    uint64_t a[256], b[256], c, d;
    unsigned count;
};

static unsigned type_named(const char *word)
{
    static const struct {
        const char *name;
        unsigned type;
    } names[] = {{"f16", TYPE_F16},   {"bf16", TYPE_BF16}, {"tf32", TYPE_TF32}, {"e4m3", TYPE_E4M3},
                 {"e5m2", TYPE_E5M2}, {"f32", TYPE_F32},   {"f64", TYPE_F64},   {"s8", TYPE_S8},
                 {"u8", TYPE_U8},     {"s4", TYPE_S4},     {"u4", TYPE_U4},     {"b1", TYPE_B1}};
    for (size_t k = 0; k < TEST_COUNT(names); k++)
        if (!strcmp(names[k].name, word)) return names[k].type;
    return TYPE_NONE;
}

// "mma.sync m16n8k32 e5m2 e4m3 f16"
static void read_form(struct line *l)
{
    char text[64], *word, *rest = text;
    unsigned types[3], count = 0, m = 0, n = 0, k = 0;
    snprintf(text, sizeof text, "%s", l->form);
    while ((word = strtok_r(rest, " ", &rest))) {
        if (type_named(word) && count < 3) types[count++] = type_named(word);
        sscanf(word, "m%un%uk%u", &m, &n, &k);
        if (!strncmp(word, "wgmma", 5)) l->is_warpgroup = true;
        if (strstr(word, ".sp")) l->f.is_sparse = true;
        if (!strcmp(word, "satfinite")) l->f.saturates = true;
        if (!strcmp(word, "and")) l->f.ands = true;
        if (!strcmp(word, "minus")) l->is_minus = true;
        if (!strcmp(word, "rz")) l->f.round = ROUND_RZ;
        if (!strcmp(word, "rm")) l->f.round = ROUND_RM;
        if (!strcmp(word, "rp")) l->f.round = ROUND_RP;
    }
    bool is_whole =
        types[0] != TYPE_F64 && type_bits(types[0]) <= 32 && (types[0] < TYPE_F16 || types[0] > TYPE_E5M2);
    l->f.m = (uint16_t)m, l->f.n = (uint16_t)n, l->f.k = (uint16_t)k;
    l->f.a = (uint8_t)types[0];
    l->f.b = (uint8_t)(count == 3 || (is_whole && count == 2) ? types[1] : types[0]);
    l->f.d = l->f.c = (uint8_t)(is_whole ? TYPE_S32 : types[count - 1]);
}

static unsigned read_elements(const char *text, unsigned digits, uint64_t *to)
{
    unsigned count = 0;
    for (; strlen(text) >= digits && text[0] != ','; text += digits) {
        char word[17] = {0};
        memcpy(word, text, digits);
        to[count++] = strtoull(word, NULL, 16);
    }
    return count;
}

static bool read_line(char *text, struct line *l)
{
    char *parts[6], *rest = text;
    for (unsigned k = 0; k < 6; k++)
        if (!(parts[k] = strsep(&rest, ",\n"))) return false;
    *l = (struct line){0};
    snprintf(l->form, sizeof l->form, "%s", parts[0]);
    snprintf(l->card, sizeof l->card, "%s", parts[1]);
    read_form(l);
    unsigned digits = type_bits(l->f.a) / 4;
    l->count = read_elements(parts[2], digits, l->a);
    read_elements(parts[3], digits, l->b);
    l->c = strtoull(parts[4], NULL, 16);
    l->d = strtoull(parts[5], NULL, 16);
    for (unsigned k = 0; k < l->count && l->is_minus; k++) l->a[k] ^= 1ull << (type_bits(l->f.a) - 1);
    return true;
}

// The line's element at a random place of a product whose other elements are random.
static uint64_t within_product(struct line *l, struct product *p, struct rng *g,
                               const struct tensor_card *card)
{
    unsigned row = (unsigned)(rng_next(g) % l->f.m), column = (unsigned)(rng_next(g) % 8);
    p->f = l->f;
    draw_product(p, g, DRAW_MODERATE);
    for (unsigned k = 0; k < l->count; k++) {
        p->x.a[row][k] = l->a[k];
        p->x.b[l->f.is_sparse ? p->column[row][k] : k][column] = l->b[k];
    }
    p->x.c[row][column] = l->c;
    run_product(p, card, rng_next(g) % 2, path_of((unsigned)rng_next(g)));
    return p->x.d[row][column];
}

// Where a row's output comes from.
static const struct {
    const char *card;
    enum tensor_generation generation;
} measured_cards[] = {{"V100", TENSOR_VOLTA},  {"A2", TENSOR_AMPERE},     {"A100", TENSOR_AMPERE},
                      {"Ada", TENSOR_ADA},     {"L40S", TENSOR_ADA},      {"H100", TENSOR_HOPPER},
                      {"H200", TENSOR_HOPPER}, {"B200", TENSOR_BLACKWELL}};

// The unit of a row: of the card named in the second column, of an H100 where the column has a distribution.
static struct tensor_card unit_of(const struct line *l)
{
    struct tensor_card unit = tensor_cards[TENSOR_HOPPER];
    for (size_t k = 0; k < TEST_COUNT(measured_cards); k++)
        if (!strcmp(measured_cards[k].card, l->card)) unit = tensor_cards[measured_cards[k].generation];
    if (l->is_warpgroup) {
        unit.eight = (struct tensor_rule){32, 13, 13, -133, -21};
        unit.eight_by_half = false;
    }
    return unit;
}

// The card's rule with terms cut `by` bits further down.
static struct tensor_card cut_by(struct tensor_card unit, int by)
{
    unit.half.align = (uint8_t)(unit.half.align + by);
    unit.tf32.align = (uint8_t)(unit.tf32.align + by);
    unit.eight.align = (uint8_t)(unit.eight.align + by);
    return unit;
}

// Every row's element alone and, of mma.sync, at a place of a warp's product.
static void check_rows(struct test *t, const char *path, unsigned rows)
{
    FILE *file = fopen(path, "r");
    char text[2048];
    struct line l;
    struct product *p = calloc(1, sizeof *p);
    struct rng g = {test_seed(2)};
    unsigned lines = 0, wrong = 0;
    CHECK(t, file && fgets(text, sizeof text, file));
    while (file && fgets(text, sizeof text, file) && read_line(text, &l)) {
        struct tensor_card unit = unit_of(&l);
        uint64_t got = tensor_element(&unit, &l.f, l.a, l.b, l.count, l.c);
        if (got == l.d && !l.is_warpgroup) got = within_product(&l, p, &g, &unit);
        lines++;
        if (got != l.d && wrong++ < 10)
            test_fail(t, __FILE__, __LINE__,
                      "%s, %s: %" PRIx64 ", not %" PRIx64 " (c %" PRIx64 ", %u products)", l.form, l.card,
                      got, l.d, l.c, l.count);
    }
    if (rows) CHECK_EQ(t, lines, rows);
    CHECK(t, lines);
    CHECK_EQ(t, wrong, 0);
    if (file) fclose(file);
    free(p);
}

// Rows of every set tell the rule from a rule that cuts a bit earlier or later. Results of f16 hide the last bits, and so do products
// of 8-bit floats that a unit for f16 adds.
static void test_neighbours(struct test *t)
{
    FILE *file = fopen("silicon/tensor-vectors/products.csv", "r");
    char text[2048], set[80] = "";
    unsigned differ[2] = {1, 1};
    struct line l;
    CHECK(t, file && fgets(text, sizeof text, file));
    while (file && fgets(text, sizeof text, file) && read_line(text, &l)) {
        char name[80];
        struct tensor_card unit = unit_of(&l);
        if (l.f.d != TYPE_F32 || (unit.eight_by_half && (l.f.a == TYPE_E4M3 || l.f.a == TYPE_E5M2))) continue;
        snprintf(name, sizeof name, "%s %s", l.form, l.card);
        if (strcmp(name, set)) {
            if (!differ[0] || !differ[1]) test_fail(t, __FILE__, __LINE__, "%s: no row differs", set);
            snprintf(set, sizeof set, "%s", name);
            differ[0] = differ[1] = 0;
        }
        for (int k = 0; k < 2; k++) {
            struct tensor_card other = cut_by(unit, k ? 1 : -1);
            differ[k] += tensor_element(&other, &l.f, l.a, l.b, l.count, l.c) != l.d;
        }
    }
    CHECK(t, differ[0] && differ[1]);
    if (file) fclose(file);
}

static void test_card(struct test *t) { check_rows(t, "silicon/h100/values/products.csv", 5200); }

// WARPFOLD_TENSOR_VECTORS: a file with all rows (silicon/tensor-vectors/README.md).
static void test_public(struct test *t)
{
    const char *all = getenv("WARPFOLD_TENSOR_VECTORS");
    check_rows(t, "silicon/tensor-vectors/products.csv", 9600);
    if (all) check_rows(t, all, 0);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"card", test_card}, {"public", test_public}, {"neighbours", test_neighbours}, {"forms", test_forms}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
