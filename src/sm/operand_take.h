// The reservations of an issuing instruction, inline: collector, bank ports, pipeline, write port, result. Belongs
// to operand.c, which has the slow ways: waits, mechanisms, sim.check.
//
// Which of several free collectors or pipelines is taken changes no time. The search therefore begins behind the
// one taken last.
#pragma once
#include "sm/sm_impl.h"

// -- operand.c
bool operand_find_collector(struct sm *s);
uint64_t operand_collect_observed(struct sm *s, const struct sm_warp *w, const struct op *o);
// A read of a register at bank port number `port`, after the first cycle possible. Returns the port's cycle.
uint64_t operand_read_late(struct sm *s, struct sm_grid *g, uint32_t reg, uint64_t port);
// The pipeline for an instruction issued now: one free by now + 2, the earliest arrival, else the first to be free.
uint64_t *operand_find_pipe(struct sm *s, const struct op *o);
uint64_t operand_write_elsewhere(struct sm *s, const struct sm_warp *w, const uint16_t *registers,
                                 const struct op *o, uint64_t cycle);
// The first cycle, not before `cycle`, that is after all reserved reads of the registers.
uint64_t operand_behind_reads(const struct sm *s, const uint16_t *registers, unsigned count, uint64_t cycle);
void operand_tell_result(struct sm *s, struct sm_warp *w, const struct op *o, uint64_t cycle, uint64_t had);
void operand_barrier(struct sm_warp *w, const struct op *o, uint64_t cycle, bool from_memory);

// True: a collector is free; operand_collect reserves it.
static inline bool operand_has_collector(struct sm *s)
{
    const struct operands *all = &s->operands;
    return all->collector_free[all->collector] <= s->now || operand_find_collector(s);
}

static inline void operand_keep_collector(struct sm *s, uint64_t until)
{
    struct operands *all = &s->operands;
    unsigned k = all->collector;
    all->collector_free[k] = until;
    all->collector = k + 1 == s->config->collectors ? 0 : k + 1;
}

// operand_collect without onlookers.
static inline __attribute__((always_inline)) uint64_t
operand_collect_plain(struct sm *s, const struct sm_warp *w, const struct op *o)
{
    struct operands *all = &s->operands;
    const struct gpu_config *c = s->config;
    const uint16_t *map = w->operands.map;
    const uint8_t *bank_of = all->bank_of;
    const unsigned reads = c->bank_conflicts ? o->read_count : 0;
    const uint64_t first = s->now + 1, soonest = first * c->bank_ports, late = soonest + c->bank_ports;
    uint64_t collected = first;
    for (unsigned k = 0; k < reads; k++) {
        uint32_t reg = map[o->reads[k]];
        uint64_t *next = &all->port[bank_of[reg]], port = later(*next, soonest);
        *next = port + 1;
        if (port >= late) collected = later(collected, operand_read_late(s, w->grid, reg, port));
    }
    w->grid->counts.operand_reads += o->read_count;
    operand_keep_collector(s, collected + 1);
    return collected;
}

// Reserves the collector found by operand_has_collector and a bank port for each operand. Returns the cycle
// at which all operands are collected.
static inline __attribute__((always_inline)) uint64_t operand_collect(struct sm *s, const struct sm_warp *w,
                                                                      const struct op *o)
{
    return has_onlookers(s) ? operand_collect_observed(s, w, o) : operand_collect_plain(s, w, o);
}

static inline __attribute__((always_inline)) uint64_t operand_take_write_port(struct sm *s, struct sm_grid *g,
                                                                              const uint16_t *registers,
                                                                              unsigned count, uint64_t cycle)
{
    uint64_t at = cycle <= s->operands.last_read ? operand_behind_reads(s, registers, count, cycle) : cycle;
    for (;; at++) {
        uint32_t *writes = &s->operands.writes[at % WRITE_CYCLES], turn = operand_turn(at),
                 before = *writes - turn <= 0xff ? *writes : turn;
        if ((before & 0xff) >= s->config->write_ports) continue;
        *writes = before + 1;
        if (at != cycle) g->counts.operand_write_cycles += at - cycle;
        return at;
    }
}

// Reserves a write port for the result in the first possible cycle from `cycle` on: a port is free, and all
// reserved reads of the destination are over. Returns the cycle; without a destination, `cycle`.
static inline uint64_t operand_write(struct sm *s, const struct sm_warp *w, const uint16_t *registers,
                                     const struct op *o, uint64_t cycle)
{
    if (!o->dst_words) return cycle;
    if (has_techs(s) && w->grid->hooks->operand) return operand_write_elsewhere(s, w, registers, o, cycle);
    return operand_take_write_port(s, w->grid, registers, o->dst_words, cycle);
}

// Registers read beside the collectors and their ports.
static inline void operand_read_by_unit(struct sm_grid *g, unsigned count)
{
    g->counts.operand_reads += count;
}

// Tensor units belong to schedulers. Later calls for a product take the unit of scheduler `unit`.
static inline void operand_choose_tensor(struct sm *s, unsigned unit)
{
    s->operands.tensor = s->operands.pipe[PIPE_TENSOR] = unit;
}

// Reserves a pipeline for `interval` cycles, after cycle `collected`. Returns the cycle in which the result leaves
// the pipeline.
static inline __attribute__((always_inline)) uint64_t operand_take_pipe(struct sm *s, const struct op *o,
                                                                        uint64_t collected, uint32_t interval)
{
    struct operands *all = &s->operands;
    unsigned k = all->pipe[o->pipe];
    uint64_t *pipe = &all->pipe_free[o->pipe][k];
    all->pipe[o->pipe] = k + 1 == all->pipes[o->pipe] ? 0 : k + 1;
    if (*pipe > s->now + 2) pipe = operand_find_pipe(s, o);
    uint64_t start = later(collected + 1, *pipe);
    *pipe = start + interval;
    return start + o->latency;
}

// Reserves a pipeline as above, and a write port. Returns the cycle of the result.
static inline uint64_t operand_execute(struct sm *s, const struct sm_warp *w, const struct op *o,
                                       uint64_t collected, uint32_t interval)
{
    return operand_write(s, w, w->operands.map + o->dst, o, operand_take_pipe(s, o, collected, interval));
}

// cycle: of the register write; had: cycle from which the warp's next instructions may use the result:
// `cycle`, or earlier with a bypass. Onlookers are not told, and no write is counted.
static inline __attribute__((always_inline)) void operand_note_result(struct sm *s, struct sm_warp *w,
                                                                      const struct op *o, uint64_t cycle,
                                                                      uint64_t had, bool from_memory)
{
    for (unsigned n = 0; n < o->dst_words; n++) {
        s->operands.ready[w->operands.map[o->dst + n]] = had;
        s->operands.from_memory[w->operands.map[o->dst + n]] = from_memory;
    }
    w->operands.flying |= o->results;
    if (!from_memory) operand_keep_busy(&w->operands, cycle);
    if (o->pred_writes) operand_predicates(&w->operands, o->pred_writes, had, from_memory);
}

static inline __attribute__((always_inline)) void operand_arrives(struct sm *s, struct sm_warp *w,
                                                                  const struct op *o, uint64_t cycle,
                                                                  uint64_t had, bool from_memory)
{
    operand_note_result(s, w, o, cycle, had, from_memory);
    if (o->barrier) operand_barrier(w, o, had, from_memory);
    if (has_onlookers(s))
        operand_tell_result(s, w, o, cycle, had);
    else
        w->grid->counts.operand_writes += o->dst_words;
}

// operand_piped and operand_execute without onlookers.
static inline __attribute__((always_inline)) uint64_t
operand_piped_plain(struct sm *s, struct sm_warp *w, const struct op *o, uint64_t collected)
{
    struct sm_grid *g = w->grid;
    uint64_t cycle = operand_take_pipe(s, o, collected, o->interval), had;
    if (o->dst_words) cycle = operand_take_write_port(s, g, w->operands.map + o->dst, o->dst_words, cycle);
    had = cycle - o->bypass;
    operand_note_result(s, w, o, cycle, had, false);
    if (o->barrier) operand_barrier(w, o, had, false);
    g->counts.operand_writes += o->dst_words;
    return had;
}

// The way of an arithmetic instruction without onlookers and control word: collector, bank ports, pipeline, write
// port, result.
static inline __attribute__((always_inline)) void operand_pass(struct sm *s, struct sm_warp *w,
                                                               struct sm_grid *g, const struct op *o)
{
    uint64_t cycle = operand_take_pipe(s, o, operand_collect_plain(s, w, o), o->interval);
    if (o->dst_words) cycle = operand_take_write_port(s, g, w->operands.map + o->dst, o->dst_words, cycle);
    operand_note_result(s, w, o, cycle, cycle - o->bypass, false);
    g->counts.operand_writes += o->dst_words;
}

// Records when a result is ready: `cycle`, or CYCLE_NEVER for a memory instruction until its reply.
static inline void operand_result(struct sm *s, struct sm_warp *w, const struct op *o, uint64_t cycle,
                                  bool from_memory)
{
    operand_arrives(s, w, o, cycle, cycle, from_memory);
}

// The cycle from which the warp may use a pipeline's result written at `cycle`: earlier with a bypass. The bypass
// stays within a warp's lanes: a register shared through a mechanism is usable only once written.
static inline uint64_t operand_had(const struct sm *s, const struct sm_warp *w, const struct op *o,
                                   uint64_t cycle)
{
    bool is_own = !has_techs(s) || !o->dst_words || w->operands.map[o->dst] == w->operands.registers + o->dst;
    return is_own ? cycle - o->bypass : cycle;
}

// Counts the writes of a result about which no mechanism has been asked.
static inline void operand_count_writes(struct sm_grid *g, const struct op *o)
{
    g->counts.operand_writes += o->dst_words;
}

// Records a pipeline's result written at `cycle`. Returns the cycle from which the warp may use the result.
static inline uint64_t operand_piped(struct sm *s, struct sm_warp *w, const struct op *o, uint64_t cycle)
{
    uint64_t had = operand_had(s, w, o, cycle);
    operand_arrives(s, w, o, cycle, had, false);
    return had;
}

// -- readiness ----------------------------------------------------------------------------------------------

// The result behind bit `b` of a set (decode.h), not OP_FAR_BIT.
static inline struct hazard operand_of_bit(const struct sm *s, const struct sm_warp *w, unsigned b)
{
    unsigned p = b - OP_PRED_BIT;
    if (b >= OP_PRED_BIT)
        return (struct hazard){w->operands.pred_ready[p], (uint8_t)(w->operands.pred_from_memory >> p & 1)};
    return (struct hazard){s->operands.ready[w->operands.map[b]],
                           s->operands.from_memory[w->operands.map[b]]};
}

// The results (a set) have arrived.
static inline void operand_landed(struct operand_warp *w, uint64_t results) { w->flying &= ~results; }

// operand_hazard for all needs of an instruction with some of them in w->operands.flying. Removes the results that
// have arrived. False: operand_hazard has to decide which of several results is charged.
static inline __attribute__((always_inline)) bool operand_flying(const struct sm *s, struct sm_warp *w,
                                                                 const struct op *o, struct hazard *of_all)
{
    struct hazard last = {0};
    uint64_t arrived = 0, left = w->operands.flying & o->needs & ~OP_ASK;
    bool is_open = left & OP_FAR;
    for (left &= ~OP_FAR; left; left &= left - 1) {
        struct hazard h = operand_of_bit(s, w, bit_lowest(left));
        if (h.cycle <= s->now) {
            arrived |= left & -left;
            continue;
        }
        is_open |= h.cycle == last.cycle && !h.memory != !last.memory;
        if (h.cycle > last.cycle) last = h;
    }
    operand_landed(&w->operands, arrived);
    *of_all = last;
    return !is_open;
}
