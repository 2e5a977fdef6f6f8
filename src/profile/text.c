#include "profile/text.h"
#include "report/table.h"

#include <math.h>

// A what-if run may take longer than the launch itself: fewer blocks at a time, other rows of DRAM. Such a repair gains
// nothing; the run ended at the cycles beside.
static const double NO_GAIN = -0.0005;

static void add_percent(struct table *t, double share)
{
    table_add(t, "%.1f", fabs(100 * share) < 0.05 ? 0.0 : 100 * share);
}

static const char *how(const struct rule *r)
{
    switch (r->state) {
    case RULE_MEASURED: return r->what_if;
    case RULE_BOUND: return "no run: a bound";
    case RULE_NOT_TRIED: return "not tried: other rules have more evidence";
    case RULE_FAILED: return "not measured: the run failed";
    case RULE_ABSENT: break;
    }
    return "";
}

static void add_rule(struct table *t, const struct rule *r)
{
    bool has_gain = r->state == RULE_MEASURED || r->state == RULE_BOUND;
    table_add(t, "%s", r->name);
    int length = 1;
    const char *place = r->line ? profile_place(r->line, &length) : "-";
    table_add(t, "%.*s", length, place);
    add_percent(t, r->evidence);
    if (has_gain && r->gain < NO_GAIN)
        table_add(t, "none");
    else if (has_gain)
        add_percent(t, r->gain);
    else
        table_add(t, "-");
    if (r->state == RULE_MEASURED)
        table_add_u64(t, (uint64_t)llround(r->cycles));
    else
        table_add(t, "-");
    table_add(t, "%s", how(r));
}

void profile_text(const struct profile *p, bool colour, struct strbuf *out)
{
    static const char *const heads[] = {"rule",   "line",   "could cost, %", "gain at most, %",
                                        "cycles", "what if"};
    struct table t;
    profile_sentence(p, out);
    strbuf_puts(out, "\n\n");
    table_init(&t, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < p->rules.count; i++)
        if (p->rules.data[i].state != RULE_ABSENT) add_rule(&t, &p->rules.data[i]);
    if (t.cells.count > t.columns) table_print(&t, colour, out);
    table_fini(&t);
    for (size_t i = 0, shown = 0; i < p->rules.count && shown < 3; i++) {
        const struct rule *r = &p->rules.data[i];
        if (r->rest < 0.03) continue;
        strbuf_printf(out, "%s%s: %s. %s\n", shown++ ? "" : "\n", r->name, r->meaning, r->advice);
    }
    strbuf_putc(out, '\n');
}
