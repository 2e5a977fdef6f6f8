#include "cli/profile_out.h"
#include "base/file.h"
#include "profile/beside.h"
#include "profile/page.h"
#include "profile/text.h"
#include "report/lines.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 200 }; // of a launch, on the page

const char *profile_out_path(const struct options *o)
{
    const char *path = options_value(o, OPTION_PAGE);
    return path ? path : "profile.html";
}

// Compares the profile in the file with the JSON `now`; NULL: with itself, to check the file. False and an error: the
// file is no profile.
static bool compare(const char *path, const char *now, struct beside *b, struct diag *d)
{
    const char *why;
    char *before;
    size_t length;
    if (!file_read(path, &before, &length, &why))
        return diag_error(d, loc_none(), "cannot read %s: %s", path, why);
    bool good = beside_init(b, path, before, now ? now : before, &why);
    if (!good)
        diag_error(d, loc_none(), "--beside %s: %s; `warpfold profile --json` writes such a file", path, why);
    free(before);
    return good;
}

bool profile_out_check_beside(const char *path, struct diag *d)
{
    struct beside b = {0};
    bool good = compare(path, NULL, &b, d);
    if (b.file) beside_fini(&b);
    return good;
}

static void write_text(const struct profile *p, const struct report_run *report,
                       const struct profile_request *r, struct strbuf *out)
{
    profile_text(p, r->colour, out);
    if (p->beside) beside_text(p->beside, r->colour, out);
    report_run_table(report, r->colour, out);
    report_lines_table(report, r->colour, out);
    strbuf_printf(out, "\npage: %s\n", r->page_path);
}

void profile_out_make(struct profile_out *out, struct profile *p, struct report_run *report,
                      const struct profile_request *r, struct diag *d)
{
    struct beside beside = {0};
    *out = (struct profile_out){0};
    profile_thin(report, SAMPLES);
    if (r->beside) {
        profile_json(p, &r->files, &out->json);
        p->beside = compare(r->beside, strbuf_text(&out->json), &beside, d) ? &beside : NULL;
        strbuf_clear(&out->json);
    }
    if (r->has_json) profile_json(p, &r->files, &out->json);
    profile_page(p, &r->files, &out->page);
    write_text(p, report, r, &out->text);
    p->beside = NULL;
    if (beside.file) beside_fini(&beside);
}

void profile_out_fini(struct profile_out *out)
{
    strbuf_fini(&out->json);
    strbuf_fini(&out->page);
    strbuf_fini(&out->text);
}
