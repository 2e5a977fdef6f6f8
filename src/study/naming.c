#include "study/naming.h"
#include "base/arena.h"
#include "base/hash.h"
#include "exec/observe.h"
#include "isa/fields.h"
#include "isa/isa.h"
#include "isa/profile.h"
#include "isa/program.h"
#include "isa/sregs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t h, uint64_t v) { return names_mix(h, v); }

static uint64_t new_name(struct naming *s) { return hash_u64(++s->own); }

static enum naming_rule rule_of(const struct inst *i)
{
    if (i->op == OP_S2R || i->op == OP_CS2R) {
        uint8_t r = i->src[0].reg;
        bool time = r >= SREG_CLOCK_LO && r <= SREG_GLOBALTIMER;
        return time ? NAME_OF_ITS_OWN : NAME_BY_VALUE;
    }
    if (isa_has(i, ISA_CROSS_LANE)) return NAME_BY_LANES;
    if (i->op == OP_ST || i->op == OP_RED) return NAME_OF_ITS_OWN; // possibly to local memory
    if (isa_has(i, ISA_ATOMIC | ISA_BARRIER | ISA_SIDE_EFFECT)) return NAME_OF_ITS_OWN;
    if (!access_may_change(i)) return NAME_BY_SOURCES;
    if (i->sem != SEM_WEAK) return NAME_OF_ITS_OWN;
    return i->op == OP_LD ? NAME_BY_SPACE : NAME_BY_TIME;
}

static void describe(struct naming *s, const struct marks *marks, uint32_t k)
{
    const struct program *p = marks->program;
    const struct inst *i = &p->insts[k];
    struct naming_inst *d = &s->insts[k];
    *d = (struct naming_inst){.rule = (uint8_t)rule_of(i), .syncs = access_orders_memory(i)};
    struct access_list reads, writes;
    access_reads(p, i, &reads);
    access_writes(p, i, &writes);
    assert(writes.count <= sizeof d->writes / sizeof d->writes[0]);
    for (unsigned n = 0; n < writes.count; n++) d->writes[d->write_count++] = writes.at[n].location;
    for (unsigned n = 0; n < reads.count; n++) // shuffles and votes also depend on the guard's lanes
        if (reads.at[n].role == ROLE_SOURCE || d->rule == NAME_BY_LANES)
            d->sources[d->source_count++] = reads.at[n].location;
    if (d->rule == NAME_BY_TIME || d->rule == NAME_BY_SPACE) d->sources[d->source_count++] = s->epoch;
    s->wants_access |= d->rule == NAME_BY_SPACE;
    // An index such as tid.x & 31 may be equal in all warps, although its source tid.x differs: named by value.
    if (marks->marks[k].is_index) d->rule = NAME_BY_VALUE;
    bool store = isa_has(i, ISA_STORE) && !isa_has(i, ISA_LOAD) && !access_is_spill(p, i);
    d->kept = d->write_count && !store && !isa_has(i, ISA_BARRIER | ISA_BRANCH | ISA_SIDE_EFFECT);
}

void naming_init(struct naming *s, const struct marks *m)
{
    const struct program *p = m->program;
    *s = (struct naming){.epoch = access_location_count(p),
                         .is_riscv = p->profile == PROFILE_RISCV,
                         .insts = heap_alloc(p->inst_count * sizeof *s->insts)};
    for (uint32_t k = 0; k < p->inst_count; k++) describe(s, m, k);
}

void naming_fini(struct naming *s) { free(s->insts); }

// RISC-V: name of a thread index cut out of the hart's number, from the values in the active lanes.
static uint64_t name_of_index(const struct observed *o)
{
    uint64_t h = mix(NAMING_SREG, SREG_HART);
    for (uint64_t left = o->lanes; left && o->inst->dst[0].reg != REG_ZERO; left &= left - 1)
        h = mix(h, observed_register(o, o->inst->dst[0].reg)[__builtin_ctzll(left)]);
    return h;
}

// Name of thread indices, and of their low bits: from the values of all present lanes, not just active lanes.
// Lane number and lane masks: from the register alone. Other special registers: from the value read.
static uint64_t name_by_value(const struct naming *s, const struct observed *o)
{
    const struct inst *i = o->inst;
    if (i->op == OP_LOP3 && s->is_riscv) return name_of_index(o);
    bool modulo = i->op == OP_LOP3;
    unsigned sreg = modulo ? SREG_TID_X : i->src[0].reg;
    uint64_t h = mix(NAMING_SREG, sreg);
    if (sreg <= SREG_TID_Z) {
        const uint32_t *index = o->threads + (size_t)(sreg - SREG_TID_X) * o->lane_count;
        uint32_t mask = modulo ? i->src[1].value : UINT32_MAX;
        for (uint64_t left = o->present; left; left &= left - 1)
            h = mix(h, index[__builtin_ctzll(left)] & mask);
        return modulo ? mix(h, mask) : h;
    }
    bool by_lane = sreg == SREG_LANEID || (sreg >= SREG_LANEMASK_EQ && sreg <= SREG_LANEMASK_GT);
    if (by_lane || !o->lanes || i->dst[0].reg == REG_ZERO) return h;
    return mix(h, observed_register(o, i->dst[0].reg)[__builtin_ctzll(o->lanes)]);
}

static uint64_t name_by_lanes(const struct naming_inst *d, const struct names *n, const struct observed *o)
{
    uint64_t h = mix(mix(NAMING_INST, o->index), o->lanes);
    for (unsigned k = 0; k < d->source_count; k++) h = mix(h, names_of(n, d->sources[k], o->lanes));
    return h;
}

static void name_each_lane(struct naming *s, struct names *n, const struct observed *o)
{
    const struct naming_inst *d = &s->insts[o->index];
    uint64_t name[WARP_SIZE_MAX];
    for (unsigned k = 0; k < d->write_count; k++) {
        for (uint64_t left = o->lanes; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            uint64_t h = mix(NAMING_INST, o->index);
            for (unsigned q = 0; q < d->source_count; q++) h = mix(h, names_lane(n, d->sources[q], lane));
            name[lane] = mix(h, k);
            bool own = d->rule == NAME_BY_SPACE && (!o->access || o->access->local >> lane & 1);
            if (own) name[lane] = new_name(s);
        }
        // A result location may be a source of the same instruction: compute all names before the writes.
        if (k + 1 < d->write_count) memcpy(s->pending[k], name, sizeof name);
    }
    for (unsigned k = 0; k < d->write_count; k++)
        names_set_each(n, d->writes[k], o->lanes, k + 1 < d->write_count ? s->pending[k] : name);
}

// Computes one name for all lanes from the sources' common names. False: the lanes need names of their own,
// since a source differs between lanes or a lane may access local memory.
static bool name_together(const struct naming_inst *d, const struct names *n, const struct observed *o,
                          uint64_t *name)
{
    uint64_t h = mix(NAMING_INST, o->index);
    bool agree = d->rule != NAME_BY_SPACE || (o->access && !(o->access->local & o->lanes));
    for (unsigned k = 0; k < d->source_count; k++) {
        const struct name *source = &n->at[d->sources[k]];
        agree &= !source->lanes;
        h = mix(h, source->common);
    }
    *name = h;
    return agree;
}

static uint64_t hash_names(const struct naming_inst *d, const struct names *n)
{
    uint64_t h = 1;
    for (unsigned k = 0; k < d->write_count; k++) h = mix(h, names_of(n, d->writes[k], n->all));
    return h;
}

uint64_t naming_results(struct naming *s, struct names *n, const struct observed *o)
{
    const struct naming_inst *d = &s->insts[o->index];
    uint64_t name = 0, h = 1;
    if (!d->write_count || !o->lanes) return hash_names(d, n);
    switch ((enum naming_rule)d->rule) {
    case NAME_BY_VALUE: name = name_by_value(s, o); break;
    case NAME_BY_LANES: name = name_by_lanes(d, n, o); break;
    case NAME_OF_ITS_OWN: name = new_name(s); break;
    case NAME_BY_SOURCES:
    case NAME_BY_TIME:
    case NAME_BY_SPACE:
        if (name_together(d, n, o, &name)) break;
        name_each_lane(s, n, o);
        return hash_names(d, n);
    }
    for (unsigned k = 0; k < d->write_count; k++) {
        uint64_t of_word = mix(name, k);
        names_set(n, d->writes[k], o->lanes, of_word);
        h = mix(h, of_word);
    }
    return n->all & ~o->lanes ? hash_names(d, n) : h;
}
