// Properties of mechanisms: features, claims, and storage in bits.
#include "cli/list.h"
#include "energy/area.h"

enum { TECHS_MAX = 20 };

// Begins a table: a column headed `first`, a column per mechanism, and the meaning. Returns the number of
// mechanisms.
static size_t begin_columns(struct table *t, const char *first)
{
    const char *heads[TECHS_MAX + 2] = {first}, *name, *meaning;
    size_t techs = 0;
    while (techs < TECHS_MAX && wf_tech_at(techs, &name, &meaning)) heads[++techs] = name;
    heads[techs + 1] = "what it is";
    table_init(t, heads, techs + 2);
    return techs;
}

// Table 3 of the DARSIE paper, extended.
void list_features(void)
{
    struct table t;
    size_t techs = begin_columns(&t, "feature");
    struct wf_feature f;
    for (size_t row = 0; wf_tech_feature_at(0, row, &f); row++) {
        table_add(&t, "%s", f.name);
        for (size_t k = 0; k < techs && wf_tech_feature_at(k, row, &f); k++)
            table_add(&t, "%s", f.has ? "yes" : "");
        table_add(&t, "%s", f.meaning);
    }
    list_print(&t);
}

// Lists the claims of mechanisms: decisions of the SM taken over. Two mechanisms with a common exclusive
// claim cannot be combined.
void list_claims(void)
{
    struct table t;
    size_t techs = begin_columns(&t, "claim");
    struct wf_claim c;
    for (size_t row = 0; wf_tech_claim_at(0, row, &c); row++) {
        table_add(&t, "%s", c.name);
        for (size_t k = 0; k < techs && wf_tech_claim_at(k, row, &c); k++)
            table_add(&t, "%s", !c.has ? "" : c.is_exclusive ? "alone" : "shared");
        table_add(&t, "%s", c.meaning);
    }
    list_print(&t);
}

// Adds a row below the rows of a mechanism's storage structures: the sum of bits, also as a share of the
// register file.
static void add_sum(struct table *t, const char *what, uint64_t bits, uint64_t file_bits)
{
    table_add(t, "%s", what);
    table_add(t, "%s", "");
    table_add(t, "%s", "");
    table_add_u64(t, bits);
    table_add(t, "%.2f", (double)bits / 8 / 1024);
    table_add(t, "%.1f%%", 100 * (double)bits / (double)file_bits);
}

// Adds the structures of the selected mechanisms on SMs of one class: first the structures counted in the
// papers, then the others, each part with a sum. class NULL: the GPU has no classes.
static void add_storage_of(struct table *t, struct wf_context *c, const struct wf_class *class)
{
    const struct wf_structure *rows;
    size_t count = wf_storage(c, &rows);
    const char *before = class ? ", class " : "", *name = class ? class->name : "";
    for (int in_paper = 1; in_paper >= 0; in_paper--) {
        uint64_t sum = 0, number = 0;
        for (size_t n = 0; n < count; n++) {
            const struct wf_structure *s = &rows[n];
            if (s->in_paper != (in_paper != 0)) continue;
            if (class && !str_equal(s->sm_class, class->name)) continue;
            if (!number++) table_rule(t);
            table_add(t, "%s%s%s", s->tech, before, name);
            table_add(t, "%s", s->name);
            table_add_u64(t, s->entries);
            table_add_u64(t, s->entries ? s->bits / s->entries : 0);
            table_add_u64(t, s->bits);
            table_add(t, "%s", "");
            table_add(t, "%s", "");
            sum += s->bits;
        }
        if (!number) continue;
        table_add(t, "%s%s%s", rows[0].tech, before, name);
        add_sum(t, in_paper ? "counted by its paper" : "left out by the paper", sum,
                class ? class->register_file_bits : wf_register_file_bits(c));
    }
}

static void add_storage(struct table *t, struct wf_context *c)
{
    struct wf_class class;
    if (!wf_class_at(c, 0, &class)) add_storage_of(t, c, NULL);
    for (size_t k = 0; wf_class_at(c, k, &class); k++) add_storage_of(t, c, &class);
}

// Areas of whole SMs given in papers.
static void print_millimetres(void)
{
    static const char *const heads[] = {"area (Xiang, chapter 4)", "of", "mm2", "printed in the paper"};
    struct table t;
    struct area a;
    table_init(&t, heads, 4);
    for (size_t k = 0; area_at(k, &a); k++) {
        table_add(&t, "%s", a.kind);
        table_add(&t, "%s", a.name);
        table_add(&t, "%.3f", a.mm2);
        if (a.paper > 0)
            table_add(&t, "%.3f", a.paper);
        else
            table_add(&t, "%s", "");
    }
    list_print(&t);
}

// Lists the storage of each mechanism with default options, and areas of SMs in papers. With --tech: only the
// storage of its mechanisms, as configured.
int list_area(const struct options *o)
{
    static const char *const heads[] = {"mechanism", "structure of an SM",  "entries", "bits each", "bits",
                                        "KB",        "of the register file"};
    const char *gpu = options_value(o, OPTION_GPU), *chosen = options_value(o, OPTION_TECH), *name, *meaning;
    struct wf_context *c = wf_context_create();
    struct diag d;
    struct table t;
    diag_init(&d);
    bool good = wf_gpu(c, gpu ? gpu : "gtx1080ti") == WF_OK && command_set(o, c, &d) == WF_OK &&
                (!chosen || wf_tech(c, chosen) == WF_OK);
    table_init(&t, heads, 7);
    if (good && chosen) add_storage(&t, c);
    for (size_t k = 0; good && !chosen && wf_tech_at(k, &name, &meaning); k++) {
        good = wf_tech(c, name) == WF_OK;
        add_storage(&t, c);
    }
    if (good)
        list_print(&t);
    else
        table_fini(&t);
    if (good && !chosen) print_millimetres();
    int status = good ? WF_OK : command_fail_both(c, &d, WF_BAD_USAGE);
    wf_context_destroy(c);
    diag_fini(&d);
    return status;
}
