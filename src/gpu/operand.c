// From issue to result, by reservation: an instruction takes an operand collector, its registers' banks, and
// a pipeline, each from the first cycle at which it is free, in order of issue. So everything is known at
// issue.
//
//     issue c │ c+1 … banks read, a port each │ pipeline free │ + latency │ registers ready, dependents issue
//
// Left out: an operand that could overtake an older instruction's in another bank's queue does not.
#include "gpu/sm_impl.h"

static unsigned free_collector(const struct sm *s)
{
    for (unsigned k = 0; k < s->config->collectors; k++)
        if (s->collector_free[k] <= s->now) return k;
    return NONE32;
}

bool operand_has_collector(const struct sm *s) { return free_collector(s) != NONE32; }

uint64_t operand_collect(struct sm *s, const struct sm_warp *w, const struct op *o)
{
    const struct gpu_config *c = s->config;
    uint64_t collected = s->now + 1, ports = c->bank_ports;
    for (unsigned k = 0; k < o->read_count; k++) {
        uint32_t reg = w->map[o->reads[k]];
        uint64_t *bank = &s->bank_free[reg % c->banks];
        uint64_t from = later((s->now + 1) * ports, *bank),
                 cycle = c->bank_conflicts ? from / ports : s->now + 1;
        if (c->check) check_read(&s->check, reg, s->issuing, s->now, cycle);
        if (!c->bank_conflicts) continue;
        *bank = from + 1;
        if (cycle > s->now + 1) s->reg_read[reg] = cycle;
        s->counts.operand_conflict_cycles += cycle - (s->now + 1);
        collected = later(collected, cycle);
    }
    s->counts.operand_reads += o->read_count;
    s->collector_free[free_collector(s)] = collected + 1;
    return collected;
}

static uint32_t instances(const struct gpu_config *c, enum pipe p)
{
    switch (p) {
    case PIPE_INT: return c->units_int;
    case PIPE_FLOAT: return c->units_float;
    case PIPE_SPECIAL: return c->units_special;
    case PIPE_DOUBLE: return c->units_double;
    case PIPE_LSU:
    case PIPE_CONTROL:
    case PIPE_COUNT: break;
    }
    return 1;
}

static uint64_t *free_pipe(struct sm *s, const struct op *o)
{
    uint64_t *pipes = s->pipe_free[o->pipe], *best = pipes;
    for (uint32_t k = 1; k < instances(s->config, (enum pipe)o->pipe); k++)
        if (pipes[k] < *best) best = &pipes[k];
    return best;
}

enum gpu_slot operand_obstacle(struct sm *s, const struct sm_warp *w, const struct op *o)
{
    const struct gpu_config *c = s->config;
    for (unsigned k = 0; c->bank_conflicts && k < o->read_count; k++)
        if (s->bank_free[w->map[o->reads[k]] % c->banks] > (s->now + 1) * c->bank_ports) return SLOT_OPERAND;
    if (o->path != PATH_ALU) return SLOT_ISSUED;
    if (*free_pipe(s, o) > s->now + o->collected + 1) return SLOT_UNIT;
    uint64_t result = s->now + o->cycles, writes = s->writes[result % WRITE_CYCLES];
    bool full = writes >> 8 == result && (writes & 0xff) >= c->write_ports;
    return o->dst_words && full ? SLOT_UNIT : SLOT_ISSUED;
}

uint64_t operand_execute(struct sm *s, const struct sm_warp *w, const struct op *o, uint64_t collected)
{
    uint64_t *pipe = free_pipe(s, o), start = later(collected + 1, *pipe);
    *pipe = start + o->interval;
    return operand_write(s, w->map + o->dst, o, start + o->latency);
}

uint64_t operand_write(struct sm *s, const uint16_t *registers, const struct op *o, uint64_t cycle)
{
    if (!o->dst_words) return cycle;
    uint64_t at = cycle;
    for (unsigned n = 0; n < o->dst_words; n++) at = later(at, s->reg_read[registers[n]] + 1);
    for (;; at++) {
        uint64_t *writes = &s->writes[at % WRITE_CYCLES];
        if (*writes >> 8 != at) *writes = at << 8;
        if ((*writes & 0xff) < s->config->write_ports) {
            ++*writes;
            s->counts.operand_write_cycles += at - cycle;
            return at;
        }
    }
}

static void barrier_counts(struct sm_warp *w, const struct op *o, uint64_t cycle, bool from_memory)
{
    unsigned b = o->barrier - 1u;
    if (from_memory)
        w->barrier_pending[b]++;
    else
        w->barrier_ready[b] = later(w->barrier_ready[b], cycle);
    w->barrier_from_memory = (uint8_t)((w->barrier_from_memory & ~(1u << b)) | (unsigned)from_memory << b);
}

void operand_result(struct sm *s, struct sm_warp *w, const struct op *o, uint64_t cycle, bool from_memory)
{
    for (unsigned n = 0; n < o->dst_words; n++) {
        s->reg_ready[w->map[o->dst + n]] = cycle;
        s->reg_from_memory[w->map[o->dst + n]] = from_memory;
    }
    s->counts.operand_writes += o->dst_words;
    if (s->tech_count) tech_result(s, slot_of(s, w), (uint32_t)(o - s->ops), cycle);
    if (!from_memory) w->busy_until = later(w->busy_until, cycle);
    if (s->config->check) check_writes(&s->check, slot_of(s, w), w->map + o->dst, o, s->issuing, cycle);
    if (o->barrier) barrier_counts(w, o, cycle, from_memory);
    for (unsigned left = o->pred_writes; left; left &= left - 1) w->pred_ready[bit_lowest(left)] = cycle;
    w->pred_from_memory =
        (uint8_t)(from_memory ? w->pred_from_memory | o->pred_writes : w->pred_from_memory & ~o->pred_writes);
}

uint64_t operand_move(struct sm *s, uint16_t from, uint16_t to)
{
    const struct gpu_config *c = s->config;
    struct op move = {.pipe = (uint8_t)(c->units_shared ? PIPE_FLOAT : PIPE_INT),
                      .dst_words = 1,
                      .latency = (uint16_t)c->latency_FIXED,
                      .interval = (uint16_t)c->interval_FIXED};
    uint64_t *bank = &s->bank_free[from % c->banks], ready = s->reg_ready[from], ports = c->bank_ports;
    uint64_t at = later(s->now + 1, ready == CYCLE_NEVER ? 0 : ready);
    if (c->bank_conflicts) {
        *bank = later(at * ports, *bank) + 1;
        at = (*bank - 1) / ports;
    }
    uint64_t *pipe = free_pipe(s, &move), start = later(at + 1, *pipe);
    *pipe = start + move.interval;
    s->reg_ready[to] = operand_write(s, &to, &move, start + move.latency);
    s->reg_from_memory[to] = false;
    s->counts.operand_reads++;
    s->counts.operand_writes++;
    return s->reg_ready[to];
}
