// The source line shown with an instruction. An instruction stands for a set of lines; the first suitable
// line is shown:
//
//     line 0                         made up or merged by a compiler: the line of the first user
//     the kernel's head              comes from a parameter operand: another line of the set
//     a line of another file         inlined from a header: the calling line in the kernel's own file, or the
//                                    line using the result
//     PTX as its own source          the last line, which computes; earlier lines load parameters
//
// An instruction still without a line of the kernel's own file takes the line of the instruction before.
#include "base/str.h"
#include "isa/inst.h"
#include "isa/program.h"
#include "mark/access.h"
#include "study/study.h"

#include <stdlib.h>

enum { USER_WITHIN = 64 }; // instructions

static bool is_known(const struct program *p, uint32_t line) { return line && p->line_table[line].line; }

static uint32_t outermost(const struct program *p, uint32_t line)
{
    while (p->line_table[line].inlined_at) line = p->line_table[line].inlined_at;
    return line;
}

// The kernel's own file: the file with most shown instructions, inlined lines counted for the outermost
// caller. UINT32_MAX: unknown.
static uint32_t own_file(const struct program *p, const bool *is_shown)
{
    uint32_t *count = heap_alloc((p->file_count + 1) * sizeof *count), best = UINT32_MAX;
    for (uint32_t n = 0; n < p->inst_count; n++) {
        if (!is_shown[n] || p->insts[n].lines >= p->line_set_count) continue;
        const struct program_line_set *set = &p->line_sets[p->insts[n].lines];
        uint32_t file = set->count ? p->line_table[outermost(p, set->lines[0])].file : UINT32_MAX;
        if (file < p->file_count) count[file]++;
    }
    for (uint32_t f = 0; f < p->file_count; f++)
        if (count[f] && (best == UINT32_MAX || count[f] > count[best])) best = f;
    free(count);
    return best;
}

struct place {
    const struct program *p;
    uint32_t file, head; // the kernel's own file; number of its lowest line, where parameters are loaded
    bool is_ptx;
};

static void find_head(struct place *of)
{
    const struct program *p = of->p;
    for (uint32_t k = 1; k < p->line_count; k++) {
        const struct program_line *l = &p->line_table[k];
        if (l->file == of->file && l->line && !l->inlined_at && (!of->head || l->line < of->head))
            of->head = l->line;
    }
}

static bool is_own(const struct place *of, uint32_t line)
{
    const struct program_line *l = &of->p->line_table[line];
    return line && l->line && l->file == of->file;
}

static uint32_t line_of(const struct place *of, const struct inst *i)
{
    const struct program *p = of->p;
    if (i->lines >= p->line_set_count) return 0;
    const struct program_line_set *set = &p->line_sets[i->lines];
    if (of->is_ptx && set->count) return set->lines[set->count - 1];
    uint32_t other = 0;
    for (uint32_t k = set->count; k-- > 0;) {
        uint32_t at = set->lines[k];
        while (at && p->line_table[at].file != of->file) at = p->line_table[at].inlined_at;
        if (!is_own(of, at)) at = set->lines[k];
        bool is_head = is_own(of, at) && p->line_table[at].line == of->head && !p->line_table[at].inlined_at;
        bool better = !other || is_own(of, at) >= is_own(of, other);
        if (is_known(p, at) && !is_head && better) other = at;
    }
    return other ? other : set->count ? set->lines[0] : 0;
}

static bool meets(const struct access_list *a, const struct access_list *b)
{
    for (unsigned n = 0; n < a->count; n++)
        for (unsigned k = 0; k < b->count; k++)
            if (a->at[n].location == b->at[k].location) return true;
    return false;
}

static uint32_t line_of_user(const struct program *p, uint32_t n, const uint32_t *lines)
{
    struct access_list results, reads, writes;
    access_writes(p, &p->insts[n], &results);
    for (uint32_t k = n + 1; k < p->inst_count && k < n + USER_WITHIN; k++) {
        access_reads(p, &p->insts[k], &reads);
        if (meets(&results, &reads)) return lines[k];
        access_writes(p, &p->insts[k], &writes);
        if (meets(&results, &writes)) break;
    }
    return 0;
}

void study_lines(const struct program *p, const bool *is_shown, uint32_t *lines)
{
    struct place of = {.p = p, .file = own_file(p, is_shown)};
    find_head(&of);
    of.is_ptx = of.file < p->file_count && str_ends_with(p->files[of.file], ".ptx");
    for (uint32_t n = 0; n < p->inst_count; n++) lines[n] = line_of(&of, &p->insts[n]);
    for (uint32_t n = p->inst_count; n-- > 0;) {
        uint32_t user = is_own(&of, lines[n]) ? 0 : line_of_user(p, n, lines);
        if (is_own(&of, user) || (!is_known(p, lines[n]) && is_known(p, user))) lines[n] = user;
    }
    for (uint32_t n = 1; n < p->inst_count; n++)
        if (!is_own(&of, lines[n]) && is_own(&of, lines[n - 1])) lines[n] = lines[n - 1];
    for (uint32_t n = 0; n < p->inst_count; n++)
        if (!is_shown[n]) lines[n] = 0;
}

static int by_key(const void *a, const void *b)
{
    const struct study_inst *x = *(const struct study_inst *const *)a,
                            *y = *(const struct study_inst *const *)b;
    if (x->line_key != y->line_key) return x->line_key < y->line_key ? -1 : 1;
    return x < y ? -1 : x > y;
}

uint32_t study_group_lines(const struct study_kernel *k, uint32_t *line_of, uint32_t *first)
{
    const struct study_inst **sorted = heap_alloc((k->inst_count + 1) * sizeof *sorted);
    uint32_t count = 0, shown = 0;
    for (uint32_t n = 0; n < k->inst_count; n++)
        if (k->insts[n].shown) sorted[shown++] = &k->insts[n];
    qsort(sorted, shown, sizeof *sorted, by_key);
    for (uint32_t n = 0; n < shown; n++) {
        uint32_t inst = (uint32_t)(sorted[n] - k->insts);
        if (!n || sorted[n]->line_key != sorted[n - 1]->line_key) first[count++] = inst;
        line_of[inst] = count - 1;
    }
    free(sorted);
    return count;
}
