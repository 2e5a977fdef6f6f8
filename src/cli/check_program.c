#include "cli/check_program.h"
#include "base/file.h"
#include "base/vec.h"
#include "cli/print.h"
#include "report/check.h"

#include <stdlib.h>
#include <unistd.h>

bool check_program_begin(struct wf_context *c)
{
    return wf_set(c, "compile.optimise", "0") == WF_OK && wf_check(c) == WF_OK;
}

static void put_json(const struct report_check *found, const char *path)
{
    struct strbuf text = {0};
    const char *why;
    report_check_json(found, &text);
    if (!file_write(path, strbuf_text(&text), text.length, &why))
        fprintf(stderr, "warpfold: cannot write %s: %s\n", path, why);
    strbuf_fini(&text);
}

bool check_program_end(const struct report_run *report, struct wf_context *c, const struct options *o)
{
    VEC(struct wf_finding) findings = {0};
    struct wf_finding one;
    const struct report_launch sum = report_run_sum(report);
    for (size_t i = 0; wf_finding_at(c, i, &one); i++) vec_push(&findings, one);
    const struct report_check found = {.findings = findings.data,
                                       .count = findings.count,
                                       .launches = report->launches.count,
                                       .warp_instructions = sum.warp_instructions,
                                       .wall_seconds = sum.wall_seconds};
    if (options_has(o, OPTION_JSON)) put_json(&found, options_value(o, OPTION_JSON));
    if (!options_has(o, OPTION_QUIET)) {
        struct strbuf text = {0};
        report_check_text(&found, file_takes_colour(STDERR_FILENO), &text);
        print_text(stderr, strbuf_text(&text));
        strbuf_fini(&text);
    }
    vec_fini(&findings);
    return found.count != 0;
}
