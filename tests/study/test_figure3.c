// The worked example of DARSIE's Figure 3, value by value. Warps of 4 threads read an array at address 10
// with tid.x as the index. Blocks have one dimension (8, 1) or two (4, 2). In two dimensions tid.x is the
// same in both warps, so the address is affine redundant, and the loaded values are unstructured redundant.
#include "exec/machine.h"
#include "study/study.h"

#include <string.h>

enum { WARP = 4, WARPS = 2, THREADS = WARP * WARPS };
enum { TID_X, MUL, ADD, LD, STEPS }; // instructions of the figure; S2R stands for its use of tid.x

// The program first stores the array to shared memory.
static const char text[] = ".shared 64\n"
                           "MOV R4, 0x7\nSTS.U8 [0xa], R4\n"
                           "MOV R4, 0x3\nSTS.U8 [0xe], R4\n"
                           "MOV R4, 0x0\nSTS.U8 [0x12], R4\n"
                           "MOV R4, 0x5a\nSTS.U8 [0x16], R4\n"
                           "MOV R4, 0x37\nSTS.U8 [0x1a], R4\n"
                           "MOV R4, 0x8\nSTS.U8 [0x1e], R4\n"
                           "MOV R4, 0x16\nSTS.U8 [0x22], R4\n"
                           "MOV R4, 0x1\nSTS.U8 [0x26], R4\n"
                           "BAR.SYNC 0x0\n"
                           "S2R R0, SR_TID.X\n"
                           "IMAD R1, R0, 0x4, RZ\n"
                           "IADD3 R2, R1, 0xa, RZ\n"
                           "LDS.U8 R3, [R2]\n"
                           "EXIT\n";
enum { FIRST = 17 }; // S2R

struct figure {
    const char *name;
    uint32_t block[2];
    uint32_t values[STEPS][THREADS]; // warp 0, warp 1
    const char *kinds[STEPS];
};

static const struct figure figures[] = {
    {"a",
     {8, 1},
     {{0, 1, 2, 3, 4, 5, 6, 7},
      {0, 4, 8, 12, 16, 20, 24, 28},
      {10, 14, 18, 22, 26, 30, 34, 38},
      {7, 3, 0, 90, 55, 8, 22, 1}},
     {"TB-affine", "TB-affine", "TB-affine", "unrelated"}},
    {"b",
     {4, 2},
     {{0, 1, 2, 3, 0, 1, 2, 3},
      {0, 4, 8, 12, 0, 4, 8, 12},
      {10, 14, 18, 22, 10, 14, 18, 22},
      {7, 3, 0, 90, 7, 3, 0, 90}},
     {"affine redundant", "affine redundant", "affine redundant", "unstructured redundant"}},
};

static void launch(struct test *t, const struct figure *f, const struct observer *x)
{
    struct machine m;
    if (machine_init(&m, t, text, THREADS)) {
        memcpy(m.launch.block, f->block, sizeof f->block);
        m.launch.warp_size = WARP;
        m.launch.observer = x;
        machine_must_run(&m);
    }
    machine_fini(&m);
}

// -- values -------------------------------------------------------------------------------------------------

struct seen {
    struct test *t;
    const struct figure *figure;
    unsigned executions;
};

static void check_values(void *context, const struct observed *o)
{
    struct seen *s = context;
    if (o->index < FIRST || o->index >= FIRST + STEPS) return;
    unsigned step = o->index - FIRST;
    s->executions++;
    CHECK_EQ(s->t, o->lanes, 0xf);
    for (unsigned l = 0; l < WARP; l++)
        CHECK_MSG(s->t, observed_register(o, step)[l] == s->figure->values[step][o->warp * WARP + l],
                  "(%s) R%u of warp %u lane %u is %u, not %u", s->figure->name, step, o->warp, l,
                  observed_register(o, step)[l], s->figure->values[step][o->warp * WARP + l]);
}

static void test_values(struct test *t)
{
    for (size_t i = 0; i < TEST_COUNT(figures); i++) {
        struct seen s = {t, &figures[i], 0};
        struct observer x = {.context = &s, .after = check_values};
        launch(t, &figures[i], &x);
        CHECK_EQ(t, s.executions, STEPS * WARPS);
    }
}

// -- kinds --------------------------------------------------------------------------------------------------

static const struct study_table *table_of(const struct study_report *r, const char *name)
{
    for (size_t i = 0; i < r->tables.count; i++)
        if (str_equal(r->tables.data[i]->name, name)) return r->tables.data[i];
    return NULL;
}

static const struct study_cell *cell(const struct study_table *t, size_t row, const char *column)
{
    for (size_t k = 0; k < t->column_count; k++)
        if (str_equal(t->columns[k].name, column)) return &t->cells.data[row * t->column_count + k];
    return NULL;
}

// The kinds by their sources, like Figure 2: S2R counts by the special register read.
static const char *const source_kinds[2][STEPS] = {{NULL, NULL, NULL, NULL},
                                                   {"affine", "affine", "affine", "affine"}};

static void test_kinds(struct test *t)
{
    for (size_t i = 0; i < TEST_COUNT(figures); i++) {
        struct study *s = study_create("taxonomy");
        struct study_report r;
        study_report_init(&r);
        launch(t, &figures[i], &s->observer);
        study_report_fill(s, &r);
        const struct study_table *table = table_of(&r, "instructions");
        CHECK(t, table && table->cells.count >= (FIRST + STEPS) * table->column_count);
        for (unsigned n = 0; table && n < STEPS; n++) {
            CHECK_STR(t, cell(table, FIRST + n, "output")->text, figures[i].kinds[n]);
            const char *kind = source_kinds[i][n];
            static const char *const kinds[] = {"uniform", "affine", "unstructured", "none"};
            for (unsigned k = 0; k < TEST_COUNT(kinds); k++)
                CHECK_EQ(t, cell(table, FIRST + n, kinds[k])->number == 1,
                         str_equal(kinds[k], kind ? kind : "none"));
        }
        study_report_fini(&r);
        study_destroy(s);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"values", test_values}, {"kinds", test_kinds}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
