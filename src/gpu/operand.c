// From issue to result, by reservation: an instruction takes an operand collector, its registers' banks, and
// a pipeline, each from the first cycle at which it is free, in order of issue. So everything is known at
// issue.
//
//     issue c │ c+1 … banks read, a port each │ pipeline free │ + latency │ registers ready, dependents issue
//
// Left out: an operand that could overtake an older instruction's in another bank's queue does not.
#include "gpu/sm_impl.h"

#include <string.h>

static uint32_t pipes_of(const struct gpu_config *c, enum pipe p)
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

void operand_init(struct sm *s, uint32_t numbers)
{
    for (unsigned p = 0; p < PIPE_COUNT; p++) s->pipes[p] = pipes_of(s->config, (enum pipe)p);
    s->bank_of = heap_alloc(numbers);
    for (uint32_t r = 0; r < s->config->banks && r < numbers; r++) s->bank_of[r] = (uint8_t)r;
    for (uint32_t done = s->config->banks; done < numbers;
         done *= 2) // the same again, twice as many every time
        memcpy(s->bank_of + done, s->bank_of, done < numbers - done ? done : numbers - done);
}

bool operand_has_collector(struct sm *s)
{
    for (unsigned k = 0; k < s->config->collectors; k++)
        if (s->collector_free[k] <= s->now) {
            s->collector = k;
            return true;
        }
    return false;
}

// The cycle of a bank's first free port from `at` on, which is taken.
static uint64_t take_port(struct sm *s, uint32_t reg, uint64_t at)
{
    struct bank *b = &s->banks[s->bank_of[reg]];
    if (s->bank_of[reg] == NO_BANK) return at;
    if (b->cycle < at)
        *b = (struct bank){at, 0};
    else if (b->used == s->config->bank_ports)
        *b = (struct bank){b->cycle + 1, 0};
    b->used++;
    return b->cycle;
}

static bool bank_is_free(const struct sm *s, uint32_t reg, uint64_t at)
{
    const struct bank *b = &s->banks[s->bank_of[reg]];
    return s->bank_of[reg] == NO_BANK || b->cycle < at || (b->cycle == at && !b->used);
}

uint64_t operand_collect(struct sm *s, const struct sm_warp *w, const struct op *o)
{
    const struct gpu_config *c = s->config;
    const uint64_t first = s->now + 1;
    uint64_t collected = first;
    for (unsigned k = 0; k < o->read_count; k++) {
        uint32_t reg = w->map[o->reads[k]];
        uint64_t cycle = c->bank_conflicts ? take_port(s, reg, first) : first;
        if (c->check) check_read(&s->check, reg, s->issuing, s->now, cycle);
        if (cycle == first) continue;
        s->reg_read[reg] = cycle;
        s->counts.operand_conflict_cycles += cycle - first;
        collected = later(collected, cycle);
    }
    s->counts.operand_reads += o->read_count;
    s->collector_free[s->collector] = collected + 1;
    return collected;
}

// The pipeline that is free first. All that are free before anything issued from now on can get there are
// alike.
static uint64_t *free_pipe(struct sm *s, const struct op *o)
{
    uint64_t *pipes = s->pipe_free[o->pipe], *best = pipes;
    for (uint32_t k = 1; *best > s->now + 2 && k < s->pipes[o->pipe]; k++)
        if (pipes[k] < *best) best = &pipes[k];
    return best;
}

enum gpu_slot operand_obstacle(struct sm *s, const struct sm_warp *w, const struct op *o)
{
    const struct gpu_config *c = s->config;
    for (unsigned k = 0; c->bank_conflicts && k < o->read_count; k++)
        if (!bank_is_free(s, w->map[o->reads[k]], s->now + 1)) return SLOT_OPERAND;
    if (o->path == PATH_ALU && *free_pipe(s, o) > s->now + o->collected + 1) return SLOT_UNIT;
    if (o->path == PATH_MEMORY || !o->dst_words) return SLOT_ISSUED;
    uint64_t result = s->now + o->cycles, writes = s->writes[result % WRITE_CYCLES];
    bool full = writes >> 8 == result && (writes & 0xff) >= c->write_ports;
    return full ? SLOT_UNIT : SLOT_ISSUED;
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
    if (!from_memory) w->busy_until = later(w->busy_until, cycle);
    if (has_guests(s)) {
        if (has_techs(s)) tech_result(s, slot_of(s, w), (uint32_t)(o - s->ops), cycle);
        if (s->config->check) check_writes(&s->check, slot_of(s, w), w->map + o->dst, o, s->issuing, cycle);
    }
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
    uint64_t ready = s->reg_ready[from], at = later(s->now + 1, ready == CYCLE_NEVER ? 0 : ready);
    if (c->bank_conflicts) at = take_port(s, from, at);
    s->reg_read[from] = later(s->reg_read[from], at);
    if (c->check) check_read(&s->check, from, ~0ull, at, at);
    uint64_t *pipe = free_pipe(s, &move), start = later(at + 1, *pipe);
    *pipe = start + move.interval;
    s->reg_ready[to] = operand_write(s, &to, &move, start + move.latency);
    if (c->check) check_writes(&s->check, 0, &to, &move, ~0ull, s->reg_ready[to]);
    s->reg_from_memory[to] = false;
    s->counts.operand_reads++;
    s->counts.operand_writes++;
    return s->reg_ready[to];
}
