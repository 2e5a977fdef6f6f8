// From issue to result, by reservation: an instruction takes an operand collector, its registers' banks, and
// a pipeline, each from the first cycle at which it is free, in order of issue. So everything is known at
// issue.
//
//     issue c │ c+1 … banks read, a port each │ pipeline free │ + latency │ registers ready, dependents issue
//
// Left out: an operand that could overtake an older instruction's in another bank's queue does not.
#include "gpu/sm_impl.h"

#include <stdlib.h>
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
    struct operands *all = &s->operands;
    for (unsigned p = 0; p < PIPE_COUNT; p++) all->pipes[p] = pipes_of(s->config, (enum pipe)p);
    all->count = s->config->registers / 32;
    all->ready = heap_alloc(numbers * sizeof *all->ready);
    all->read = heap_alloc(numbers * sizeof *all->read);
    all->from_memory = heap_alloc(numbers);
    all->linear = heap_alloc((all->count + MAP_REGISTERS) * sizeof *all->linear);
    for (uint32_t n = 0; n < all->count + MAP_REGISTERS; n++) all->linear[n] = (uint16_t)n;
    all->bank_of = heap_alloc(numbers);
    for (uint32_t r = 0; r < s->config->banks && r < numbers; r++) all->bank_of[r] = (uint8_t)r;
    for (uint32_t done = s->config->banks; done < numbers; done *= 2) // again, twice as many every time
        memcpy(all->bank_of + done, all->bank_of, done < numbers - done ? done : numbers - done);
}

void operand_fini(struct sm *s)
{
    free(s->operands.ready);
    free(s->operands.read);
    free(s->operands.from_memory);
    free(s->operands.bank_of);
    free(s->operands.linear);
    free(s->operands.maps);
}

void operand_begin_techs(struct sm *s)
{
    size_t warps = (size_t)s->launch->blocks_per_sm * s->launch->warps_per_block;
    s->operands.maps = heap_alloc(warps * MAP_REGISTERS * sizeof *s->operands.maps);
}

void operand_start(struct sm *s, unsigned slot)
{
    struct operand_warp *w = &s->warps[slot].operands;
    uint32_t count = s->launch->registers_per_warp;
    w->registers = slot * count;
    w->map = s->operands.linear + w->registers;
    if (has_techs(s)) {
        w->map = s->operands.maps + (size_t)slot * MAP_REGISTERS;
        memcpy(w->map, s->operands.linear + w->registers, MAP_REGISTERS * sizeof *w->map);
    }
    if (s->config->check) check_recycle(&s->check, slot, w->registers, count, s->now);
    memset(&s->operands.ready[w->registers], 0, count * sizeof *s->operands.ready);
}

bool operand_has_collector(struct sm *s)
{
    for (unsigned k = 0; k < s->config->collectors; k++)
        if (s->operands.collector_free[k] <= s->now) {
            s->operands.collector = k;
            return true;
        }
    return false;
}

// The cycle of a bank's first free port from `at` on, which is taken.
static uint64_t take_port(struct sm *s, uint32_t reg, uint64_t at)
{
    struct bank *b = &s->operands.banks[s->operands.bank_of[reg]];
    if (s->operands.bank_of[reg] == NO_BANK) return at;
    if (b->cycle < at)
        *b = (struct bank){at, 0};
    else if (b->used == s->config->bank_ports)
        *b = (struct bank){b->cycle + 1, 0};
    b->used++;
    return b->cycle;
}

static bool bank_is_free(const struct sm *s, uint32_t reg, uint64_t at)
{
    const struct bank *b = &s->operands.banks[s->operands.bank_of[reg]];
    return s->operands.bank_of[reg] == NO_BANK || b->cycle < at || (b->cycle == at && !b->used);
}

uint64_t operand_collect(struct sm *s, const struct sm_warp *w, const struct op *o)
{
    const struct gpu_config *c = s->config;
    const uint64_t first = s->now + 1;
    uint64_t collected = first;
    for (unsigned k = 0; k < o->read_count; k++) {
        uint32_t reg = w->operands.map[o->reads[k]];
        uint64_t cycle = c->bank_conflicts ? take_port(s, reg, first) : first;
        if (c->check) check_read(&s->check, reg, s->issue.lanes, s->now, cycle);
        if (cycle == first) continue;
        s->operands.read[reg] = cycle;
        s->counts.operand_conflict_cycles += cycle - first;
        collected = later(collected, cycle);
    }
    s->counts.operand_reads += o->read_count;
    s->operands.collector_free[s->operands.collector] = collected + 1;
    return collected;
}

// The pipeline that is free first. All that are free before anything issued from now on can get there are
// alike.
static uint64_t *free_pipe(struct sm *s, const struct op *o)
{
    uint64_t *pipes = s->operands.pipe_free[o->pipe], *best = pipes;
    for (uint32_t k = 1; *best > s->now + 2 && k < s->operands.pipes[o->pipe]; k++)
        if (pipes[k] < *best) best = &pipes[k];
    return best;
}

enum gpu_slot operand_obstacle(struct sm *s, const struct sm_warp *w, const struct op *o)
{
    const struct gpu_config *c = s->config;
    for (unsigned k = 0; c->bank_conflicts && k < o->read_count; k++)
        if (!bank_is_free(s, w->operands.map[o->reads[k]], s->now + 1)) return SLOT_OPERAND;
    if (o->path == PATH_ALU && *free_pipe(s, o) > s->now + o->collected + 1) return SLOT_UNIT;
    if (o->path == PATH_MEMORY || !o->dst_words) return SLOT_ISSUED;
    uint64_t result = s->now + o->cycles, writes = s->operands.writes[result % WRITE_CYCLES];
    bool full = writes >> 8 == result && (writes & 0xff) >= c->write_ports;
    return full ? SLOT_UNIT : SLOT_ISSUED;
}

uint64_t operand_execute(struct sm *s, const struct sm_warp *w, const struct op *o, uint64_t collected,
                         uint32_t interval)
{
    uint64_t *pipe = free_pipe(s, o), start = later(collected + 1, *pipe);
    *pipe = start + interval;
    return operand_write(s, w->operands.map + o->dst, o, start + o->latency);
}

uint64_t operand_write(struct sm *s, const uint16_t *registers, const struct op *o, uint64_t cycle)
{
    if (!o->dst_words) return cycle;
    uint64_t at = cycle;
    for (unsigned n = 0; n < o->dst_words; n++) at = later(at, s->operands.read[registers[n]] + 1);
    for (;; at++) {
        uint64_t *writes = &s->operands.writes[at % WRITE_CYCLES];
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
        w->operands.barrier_pending[b]++;
    else
        w->operands.barrier_ready[b] = later(w->operands.barrier_ready[b], cycle);
    w->operands.barrier_from_memory =
        (uint8_t)((w->operands.barrier_from_memory & ~(1u << b)) | (unsigned)from_memory << b);
}

void operand_result(struct sm *s, struct sm_warp *w, const struct op *o, uint64_t cycle, bool from_memory)
{
    for (unsigned n = 0; n < o->dst_words; n++) {
        s->operands.ready[w->operands.map[o->dst + n]] = cycle;
        s->operands.from_memory[w->operands.map[o->dst + n]] = from_memory;
    }
    s->counts.operand_writes += o->dst_words;
    if (!from_memory) w->operands.busy_until = later(w->operands.busy_until, cycle);
    if (has_guests(s)) {
        if (has_techs(s)) tech_result(s, slot_of(s, w), (uint32_t)(o - s->ops), cycle);
        if (s->config->check)
            check_writes(&s->check, slot_of(s, w), w->operands.map + o->dst, o, s->issue.lanes, cycle);
    }
    if (o->barrier) barrier_counts(w, o, cycle, from_memory);
    for (unsigned left = o->pred_writes; left; left &= left - 1)
        w->operands.pred_ready[bit_lowest(left)] = cycle;
    w->operands.pred_from_memory = (uint8_t)(from_memory ? w->operands.pred_from_memory | o->pred_writes
                                                         : w->operands.pred_from_memory & ~o->pred_writes);
}

uint64_t operand_move(struct sm *s, uint16_t from, uint16_t to)
{
    const struct gpu_config *c = s->config;
    struct op move = {.pipe = (uint8_t)(c->units_shared ? PIPE_FLOAT : PIPE_INT),
                      .dst_words = 1,
                      .latency = (uint16_t)c->latency_FIXED,
                      .interval = (uint16_t)c->interval_FIXED};
    uint64_t ready = s->operands.ready[from], at = later(s->now + 1, ready == CYCLE_NEVER ? 0 : ready);
    if (c->bank_conflicts) at = take_port(s, from, at);
    s->operands.read[from] = later(s->operands.read[from], at);
    if (c->check) check_read(&s->check, from, ~0ull, at, at);
    uint64_t *pipe = free_pipe(s, &move), start = later(at + 1, *pipe);
    *pipe = start + move.interval;
    s->operands.ready[to] = operand_write(s, &to, &move, start + move.latency);
    if (c->check) check_writes(&s->check, 0, &to, &move, ~0ull, s->operands.ready[to]);
    s->operands.from_memory[to] = false;
    s->counts.operand_reads++;
    s->counts.operand_writes++;
    return s->operands.ready[to];
}

void operand_price(struct sm *s, const struct op *o, const struct op_cost *c)
{
    s->counts.operand_reads -= o->read_count - c->reads;
    s->counts.operand_writes -= o->dst_words - c->writes;
    s->counts.operand_word_reads += c->word_reads;
    s->counts.operand_word_writes += c->word_writes;
    s->counts.operand_compared += c->compared;
}

void operand_skip(struct sm *s, unsigned slot, const struct op *o)
{
    struct operand_warp *w = &s->warps[slot].operands;
    w->owed |= o->wait;
    if (o->stall) w->stall_until = later(w->stall_until, s->now) + o->stall;
}

void operand_free_banks(struct sm *s, uint16_t first, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++) s->operands.bank_of[first + n] = NO_BANK;
}
