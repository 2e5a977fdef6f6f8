// What DARSIE keeps, for the stepping page: the skip table, the majority's path, renamed registers and waits.
#include "tech/rows.h"
#include "tech/darsie/darsie.h"

static void print_warps(struct strbuf *out, const char *words, uint64_t warps)
{
    strbuf_puts(out, words);
    if (warps)
        rows_print_set(out, "", &warps, 1);
    else
        strbuf_puts(out, "none");
}

static void print_entry(const struct dblock *b, const struct entry *e, const struct program *p,
                        struct strbuf *out)
{
    strbuf_printf(out, "0x%04x of warp %u", program_pc(p, e->pc), e->leader);
    for (unsigned n = 0; n < e->count; n++) strbuf_printf(out, "%s v%u", n ? "" : " in", e->registers[n]);
    strbuf_puts(out, e->written_back ? ", written back" : ", result to come");
    if (e->dropped) strbuf_puts(out, ", dropped");
    print_warps(out, "; still to pass: ", b->majority & b->live & e->whom & ~e->passed);
}

static void tell_block(const struct darsie *d, unsigned k, struct tech_rows *to)
{
    const struct dblock *b = &d->blocks[k];
    struct strbuf text = {0};
    for (unsigned n = 0; n < d->launch->options->entries; n++) {
        if (!(b->used >> n & 1)) continue;
        strbuf_clear(&text);
        print_entry(b, &b->entries[n], d->launch->program, &text);
        tech_row(to, "PC skip table", TECH_OF_BLOCK, k, n, "%s", strbuf_text(&text));
    }
    strbuf_clear(&text);
    print_warps(&text, "warps on the path: ", b->majority & b->live);
    if (b->arrived) print_warps(&text, "; waiting at the branch: ", b->arrived & b->live);
    strbuf_printf(&text, "; free registers: %u of %u", (unsigned)__builtin_popcountll(b->free), d->pool);
    if (b->off) strbuf_puts(&text, "; shares nothing");
    tech_row(to, "majority's path", TECH_OF_BLOCK, k, 0, "%s", strbuf_text(&text));
    strbuf_fini(&text);
}

static const char *wait_of(const struct dwarp *w)
{
    static const char *const words[] = {[WAITS_NOT] = "",
                                        [WAITS_LEADER] = "; waits for the leader's result",
                                        [WAITS_FETCH_LEADER] = "; fetch waits for the leader's result",
                                        [WAITS_GATHER] = "; waits for room in the table",
                                        [WAITS_PORT] = "; waits for a port of the table"};
    if (w->at_branch) return "; waits at the branch for the block";
    return w->too_far ? "; too many branches ahead" : words[w->waits];
}

static void tell_warp(const struct darsie *d, unsigned place, struct tech_rows *to)
{
    const struct dwarp *w = &d->warps[place];
    const struct dblock *b = block_of(d, place);
    struct strbuf text = {0};
    for (unsigned r = 0; r < 256; r++)
        if (is_shared(w, r))
            strbuf_printf(&text, "%sR%u=v%u", text.length ? " " : "", r,
                          (unsigned)(tech_map(d->grid, place)[r] - b->first_register));
    if (!text.length) strbuf_puts(&text, "all its own");
    strbuf_puts(&text, wait_of(w));
    if (!(b->majority >> w->index & 1)) strbuf_puts(&text, "; off the path");
    tech_row(to, "renamed registers of warps", TECH_OF_WARP, place, 0, "%s", strbuf_text(&text));
    strbuf_fini(&text);
}

void darsie_rows(const void *state, struct tech_rows *to)
{
    const struct darsie *d = state;
    for (unsigned k = 0; k < tech_launch(d->grid)->blocks_per_sm; k++) {
        if (!d->blocks[k].live) continue;
        tell_block(d, k, to);
        for (uint64_t left = d->blocks[k].live; left; left &= left - 1)
            tell_warp(d, place_in(&d->blocks[k], (unsigned)__builtin_ctzll(left)), to);
    }
}
