// Lists of readers stand one behind the other in one array. A first pass counts the length of every list,
// sums of the counts give the starts, and a second pass fills the lists in.
#include "mark/readers.h"
#include "isa/program.h"

static void find_users(struct readers *r, const struct mark_ssa *s)
{
    const struct flow_graph *g = &s->flow.graph;
    uint32_t *count = ARENA_ARRAY(s->arena, uint32_t, s->def_count + 1);
    uint32_t reads = s->read_first[s->program->inst_count], phis = s->phi_first[s->flow.count];
    for (uint32_t k = 0; k < reads; k++) count[s->reads[k]]++;
    for (uint32_t k = 0; k < phis; k++) {
        const struct mark_def *d = &s->defs[s->phis[k]];
        for (uint32_t e = 0; e < g->pred_first[d->block + 1] - g->pred_first[d->block]; e++)
            count[d->sources[e]]++;
    }
    r->user_first = ARENA_ARRAY(s->arena, uint32_t, s->def_count + 1);
    for (uint32_t k = 0; k < s->def_count; k++) r->user_first[k + 1] = r->user_first[k] + count[k];
    r->users = ARENA_ARRAY(s->arena, uint32_t, r->user_first[s->def_count]);
    for (uint32_t k = 0; k <= s->def_count; k++) count[k] = 0;
    for (uint32_t i = 0; i < s->program->inst_count; i++)
        for (uint32_t k = s->read_first[i]; k < s->read_first[i + 1]; k++)
            r->users[r->user_first[s->reads[k]] + count[s->reads[k]]++] = i;
    for (uint32_t k = 0; k < phis; k++) {
        const struct mark_def *d = &s->defs[s->phis[k]];
        for (uint32_t e = 0; e < g->pred_first[d->block + 1] - g->pred_first[d->block]; e++)
            r->users[r->user_first[d->sources[e]] + count[d->sources[e]]++] =
                s->program->inst_count + s->phis[k];
    }
}

static void find_places(struct readers *r, const struct mark_ssa *s)
{
    uint32_t insts = s->program->inst_count, phis = s->phi_first[s->flow.count], place = 0;
    r->place_of_inst = ARENA_ARRAY(s->arena, uint32_t, insts);
    r->place_of_phi = ARENA_ARRAY(s->arena, uint32_t, s->def_count);
    r->at_place = ARENA_ARRAY(s->arena, uint32_t, insts + phis);
    for (uint32_t n = 0; n < s->flow.count; n++) {
        for (uint32_t k = s->phi_first[n]; k < s->phi_first[n + 1]; k++) {
            r->at_place[place] = insts + s->phis[k];
            r->place_of_phi[s->phis[k]] = place++;
        }
        for (uint32_t k = 0; k < s->flow.blocks[n].count; k++) {
            r->at_place[place] = s->flow.blocks[n].first + k;
            r->place_of_inst[s->flow.blocks[n].first + k] = place++;
        }
    }
    r->place_count = place;
}

// Counts (with `fill`: lists) the readers outside of values defined inside, by loop and by irreducible cycle.
static void collect_leavers(struct readers *r, const struct mark_ssa *s, const uint32_t *core_of,
                            uint32_t *loop_count, uint32_t *core_count, bool fill)
{
    for (uint32_t def = 0; def < s->def_count; def++)
        for (uint32_t k = r->user_first[def]; k < r->user_first[def + 1]; k++) {
            uint32_t user = r->users[k], insts = s->program->inst_count, from = s->defs[def].block;
            uint32_t at = user < insts ? s->flow.block_of[user] : s->defs[user - insts].block;
            uint32_t l = s->loops.innermost[from], core = core_of[from];
            for (; l != FLOW_NONE && !flow_loop_contains(&s->loops, l, at); l = s->loops.loops[l].parent) {
                if (fill) r->leavers[r->leaver_first[l] + loop_count[l]] = user;
                loop_count[l]++;
            }
            if (core == FLOW_NONE || core_of[at] == core) continue;
            if (fill) r->core_leavers[r->core_leaver_first[core] + core_count[core]] = user;
            core_count[core]++;
        }
}

// From the lists' lengths `count`: the start of every list in their common array. Resets the counts to 0.
static uint32_t *starts_of(struct arena *a, uint32_t *count, uint32_t n)
{
    uint32_t *first = ARENA_ARRAY(a, uint32_t, n + 1);
    for (uint32_t k = 0; k < n; k++) {
        first[k + 1] = first[k] + count[k];
        count[k] = 0;
    }
    return first;
}

static void find_leavers(struct readers *r, const struct mark_ssa *s, const uint32_t *core_of)
{
    // a block belongs to at most one irreducible cycle, so the number of blocks bounds the number of cycles
    uint32_t loops = s->loops.count, blocks = s->flow.count;
    uint32_t *loop_count = ARENA_ARRAY(s->arena, uint32_t, loops + 1);
    uint32_t *core_count = ARENA_ARRAY(s->arena, uint32_t, blocks + 1);
    collect_leavers(r, s, core_of, loop_count, core_count, false);
    r->leaver_first = starts_of(s->arena, loop_count, loops);
    r->core_leaver_first = starts_of(s->arena, core_count, blocks);
    r->leavers = ARENA_ARRAY(s->arena, uint32_t, r->leaver_first[loops]);
    r->core_leavers = ARENA_ARRAY(s->arena, uint32_t, r->core_leaver_first[blocks]);
    collect_leavers(r, s, core_of, loop_count, core_count, true);
    for (uint32_t n = 0; n < blocks; n++) core_count[n] = 0;
    for (uint32_t n = 0; n < blocks; n++)
        if (core_of[n] != FLOW_NONE) core_count[core_of[n]]++;
    r->core_first = starts_of(s->arena, core_count, blocks);
    r->core_blocks = ARENA_ARRAY(s->arena, uint32_t, r->core_first[blocks]);
    for (uint32_t n = 0; n < blocks; n++) {
        uint32_t core = core_of[n];
        if (core != FLOW_NONE) r->core_blocks[r->core_first[core] + core_count[core]++] = n;
    }
}

void readers_init(struct readers *r, const struct mark_ssa *s, const struct divergence *d)
{
    find_places(r, s);
    find_users(r, s);
    find_leavers(r, s, d->core);
}
