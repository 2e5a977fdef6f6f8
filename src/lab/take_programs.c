// Option --programs: experiments run the programs of a folder in place of the bundled ones.
#include "base/file.h"
#include "base/str.h"
#include "lab/experiment.h"

#include <stdlib.h>

// A file that the program lacks, of those for all codes of the experiment. NULL: none.
static const char *missing_file(const struct experiment *x, const struct program_subject *s,
                                struct arena *arena)
{
    for (size_t i = 0; i < x->views.count + x->series.count; i++) {
        const char *code =
            i < x->views.count ? x->views.data[i].profile : x->series.data[i - x->views.count].code;
        if (code && !program_file_name(s, code, arena)) return program_path(s, code, arena);
    }
    return NULL;
}

static bool take(struct experiment *x, struct program_subject *s, const char *folder, struct arena *arena,
                 struct diag *d)
{
    const char *names[] = {s->name, program_public_name(s->name)}, *missing[2];
    for (size_t i = 0; i < 2; i++) {
        struct program_subject own = {s->name, arena_printf(arena, "%s/%s", folder, names[i])};
        missing[i] = missing_file(x, &own, arena);
        if (missing[i]) continue;
        s->path = own.path;
        return true;
    }
    bool one = str_equal(names[0], names[1]);
    return diag_error(d, loc_none(), "--programs: %s runs %s, and there is no %s%s%s", x->name, s->name,
                      missing[0], one ? "" : " or ", one ? "" : missing[1]);
}

bool experiments_take_programs(struct experiments *e, const char *text, struct diag *d)
{
    char *folder = realpath(text, NULL);
    bool good = true, any = false;
    if (!folder) return diag_error(d, loc_none(), "--programs: cannot find the folder %s", text);
    for (size_t i = 0; i < e->list.count && good; i++) {
        struct experiment *x = &e->list.data[i];
        size_t taken = 0;
        for (size_t k = 0; k < x->programs.list.count && good; k++) {
            if (x->programs.list.data[k].path) continue; // a file named by the experiment
            good = take(x, &x->programs.list.data[k], folder, &e->arena, d);
            taken++;
        }
        if (taken)
            vec_push(&x->notes,
                     arena_printf(&e->arena, "Programs of the folder %s, not the bundled ones.", text));
        any = any || taken;
    }
    free(folder);
    return good && (any || diag_error(d, loc_none(),
                                      "--programs: none of the experiments runs bundled RISC-V programs"));
}
