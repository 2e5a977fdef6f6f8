// From issue to result, by reservation in order of issue. An instruction takes an operand collector, a port
// of each operand's bank, a pipeline and a write port, each in the first free cycle. Every cycle but a memory
// reply's is therefore known at issue.
//
//     issue c │ c+1 … banks read, a port each │ pipeline free │ + latency │ registers ready, dependents issue
//
// Left out: a read never overtakes an earlier reservation of the same bank, even where the bank would be
// free before.
#include "sm/operand_take.h"

#include <stdlib.h>
#include <string.h>

static uint32_t pipes_of(const struct gpu_config *c, enum pipe p)
{
    switch (p) {
    case PIPE_INT: return c->units_int;
    case PIPE_FLOAT: return c->units_float;
    case PIPE_SPECIAL: return c->units_special;
    case PIPE_DOUBLE: return c->units_double;
    case PIPE_TENSOR: return c->schedulers;
    case PIPE_LSU:
    case PIPE_CONTROL:
    case PIPE_COUNT: break;
    }
    return 1;
}

void operand_init(struct sm *s)
{
    for (unsigned p = 0; p < PIPE_COUNT; p++) s->operands.pipes[p] = pipes_of(s->config, (enum pipe)p);
}

void operand_fini(struct sm *s)
{
    free(s->operands.ready);
    free(s->operands.read);
    free(s->operands.from_memory);
    free(s->operands.bank_of);
}

// -- numbers of registers -----------------------------------------------------------------------------------
// A grid's physical registers are contiguous: the warps' registers by place, rename pools of mechanisms,
// MAP_REGISTERS unused numbers (a map covers every register an instruction can name), registers of a guest.
// The chip's dispatcher checks capacity: a number is only a name and determines the bank.

static uint32_t end_of(const struct operands_grid *g) { return g->first + g->count; }

// First gap of `count` physical register numbers between or behind the grids' ranges; a gap starts at bank 0.
static uint32_t find_gap(const struct sm *s, uint32_t count)
{
    uint32_t banks = s->config->banks;
    for (uint32_t first = 0;;) {
        uint32_t before = first;
        EACH_GRID(s, g)
        {
            if (first < end_of(&g->operands) && first + count > g->operands.first)
                first = (end_of(&g->operands) + banks - 1) / banks * banks;
        }
        if (first == before) return first;
    }
}

static void grow(struct sm *s, uint32_t numbers)
{
    struct operands *all = &s->operands;
    if (numbers <= all->numbers) return;
    all->ready = heap_resize(all->ready, numbers * sizeof *all->ready);
    all->read = heap_resize(all->read, numbers * sizeof *all->read);
    all->from_memory = heap_resize(all->from_memory, numbers);
    all->bank_of = heap_resize(all->bank_of, numbers);
    all->numbers = numbers;
    if (s->config->check) check_grow(&s->check, numbers);
}

void operand_begin(struct sm_grid *g)
{
    struct sm *s = g->sm;
    const struct sm_launch *l = g->launch;
    struct operands_grid *o = &g->operands;
    o->own = l->places * l->registers_per_warp;
    o->count = o->own + MAP_REGISTERS + l->blocks_per_sm * l->pool + (l->has_guest ? MAP_REGISTERS : 0);
    o->first = find_gap(s, o->count);
    o->guest = end_of(o) - MAP_REGISTERS;
    grow(s, end_of(o));
    memset(s->operands.ready + o->first, 0, o->count * sizeof *s->operands.ready);
    memset(s->operands.read + o->first, 0, o->count * sizeof *s->operands.read);
    memset(s->operands.from_memory + o->first, 0, o->count);
    for (uint32_t n = 0; n < s->config->banks && n < o->count; n++)
        s->operands.bank_of[o->first + n] = (uint8_t)n;
    for (uint32_t done = s->config->banks; done < o->count; done *= 2) // double the filled part
        memcpy(s->operands.bank_of + o->first + done, s->operands.bank_of + o->first,
               done < o->count - done ? done : o->count - done);
    o->linear = heap_alloc(o->count * sizeof *o->linear);
    for (uint32_t n = 0; n < o->count; n++) o->linear[n] = (uint16_t)(o->first + n);
}

void operand_end(struct sm_grid *g)
{
    free(g->operands.linear);
    free(g->operands.maps);
}

void operand_begin_techs(struct sm_grid *g)
{
    size_t numbers = (size_t)g->launch->places * MAP_REGISTERS;
    g->operands.maps = heap_alloc(numbers * sizeof *g->operands.maps);
}

void operand_start(struct sm *s, unsigned slot)
{
    struct operand_warp *w = &s->warps[slot].operands;
    const struct sm_grid *g = s->warps[slot].grid;
    unsigned place = s->warps[slot].place;
    uint32_t count = g->launch->registers_per_warp;
    w->registers = operand_own(g, place);
    w->flying = OP_ASK;
    w->map = g->operands.linear + place * count;
    if (g->operands.maps) {
        const uint16_t *own = w->map;
        w->map = g->operands.maps + (size_t)place * MAP_REGISTERS;
        memcpy(w->map, own, MAP_REGISTERS * sizeof *w->map);
    }
    if (s->config->check) check_recycle(&s->check, slot, w->registers, count, s->now);
    memset(&s->operands.ready[w->registers], 0, count * sizeof *s->operands.ready);
    if (s->config->dependences == DEPENDENCES_BOARD) board_start(s, slot);
}

void operand_start_guest(struct sm_grid *g, unsigned slot, uint16_t map[MAP_REGISTERS])
{
    for (unsigned r = 0; r < MAP_REGISTERS; r++) map[r] = (uint16_t)(g->operands.guest + r);
    g->sm->warps[slot].operands.map = map;
}

uint32_t operand_own(const struct sm_grid *g, unsigned place)
{
    return g->operands.first + place * g->launch->registers_per_warp;
}

// -- registers moved elsewhere by mechanisms ---------------------------------------------------------------

static bool has_other_places(const struct sm *s, const struct sm_warp *w)
{
    return has_techs(s) && w->grid->hooks->operand && !is_guest(w);
}

// Bits: operands read, or results written, that a mechanism may keep outside the main register file.
static inline uint32_t elsewhere(const struct sm *s, const struct sm_warp *w, const struct op *o,
                                 bool is_write)
{
    const struct sm_grid *g = w->grid;
    if (!has_other_places(s, w)) return 0;
    if (!g->hooks->elsewhere) return ~0u; // any operand
    return g->hooks->elsewhere(g->hooked, w->place, (uint32_t)(o - g->ops), is_write);
}

// Asks the mechanisms about the access, preset to the main register file.
static inline void ask(const struct sm_warp *w, const struct op *o, struct operand_access *a)
{
    const struct sm_grid *g = w->grid;
    a->bank = g->sm->operands.bank_of[a->physical];
    a->checked = NO_BANK;
    a->main = 1;
    g->hooks->operand(g->hooked, w->place, (uint32_t)(o - g->ops), a);
}

// Counts the read of operand `k` as the mechanisms direct. Returns the extra cycles until the operand is
// collected; *bank: bank whose port is needed; NO_BANK: no port. *is_apart: whatever is written to the register.
static uint32_t ask_read(const struct sm_warp *w, const struct op *o, unsigned k, unsigned *bank,
                         bool *is_apart)
{
    struct gpu_counts *counts = &w->grid->counts;
    struct operand_access a = {.physical = w->operands.map[o->reads[k]], .r = o->reads[k], .nth = (uint8_t)k};
    ask(w, o, &a);
    counts->operand_reads += a.main;
    counts->operand_near_reads += a.near;
    counts->operand_word_reads += a.words;
    counts->operand_compared += a.compared;
    counts->operand_lane_reads += a.bank != NO_BANK ? a.words : 0;
    *bank = a.bank;
    *is_apart = a.is_apart;
    return a.cycles;
}

// Reserves the bank's first free port from cycle `at` on. Returns the cycle of the reservation; with NO_BANK,
// `at`.
static uint64_t take_port(struct sm *s, unsigned bank, uint64_t at)
{
    if (bank == NO_BANK) return at;
    uint64_t *next = &s->operands.port[bank], port = later(*next, at * s->config->bank_ports);
    *next = port + 1;
    return port / s->config->bank_ports;
}

// A register is read back before a result is written: a port of its bank, the comparison, and their time. The port is
// reserved now, not at the result's cycle, since a reservation keeps out all reads of the bank before it.
static void check_back(const struct sm_warp *w, struct operand_access *a)
{
    struct sm *s = w->grid->sm;
    uint64_t first = s->now + 1, read = first;
    w->grid->counts.operand_compared += a->compared;
    if (a->checked == NO_BANK) return;
    if (s->config->bank_conflicts) read = take_port(s, a->checked, first);
    w->grid->counts.operand_reads++;
    w->grid->counts.operand_conflict_cycles += read - first;
    a->cycles = (uint32_t)later(a->cycles, read - first + 1);
}

// Counts the writes of an instruction's results as the mechanisms direct. Returns whether a write port is
// needed; raises *cycles to the extra delay. asked: bits of the results that a mechanism may keep outside the
// register file.
static bool ask_writes(const struct sm_warp *w, const uint16_t *registers, const struct op *o, uint32_t asked,
                       uint64_t at, uint32_t *cycles)
{
    struct gpu_counts *counts = &w->grid->counts;
    const uint8_t *bank_of = w->grid->sm->operands.bank_of;
    bool needs_port = false;
    for (unsigned n = 0; n < o->dst_words; n++) {
        if (!(asked >> (n < 31 ? n : 31) & 1)) { // the last bit stands for all further registers
            counts->operand_writes++;
            needs_port = true;
            continue;
        }
        struct operand_access a = {.physical = registers[n],
                                   .r = (uint8_t)(o->dst + n),
                                   .nth = (uint8_t)n,
                                   .is_write = true,
                                   .at = at};
        ask(w, o, &a);
        if (a.compared) check_back(w, &a);
        counts->operand_writes += a.main;
        counts->operand_near_writes += a.near;
        counts->operand_word_writes += a.words;
        counts->operand_lane_writes += a.bank != NO_BANK ? a.words : 0;
        needs_port |= a.bank != NO_BANK || bank_of[registers[n]] == NO_BANK;
        if (a.cycles > *cycles) *cycles = a.cycles;
    }
    return needs_port;
}

// -- an instruction -----------------------------------------------------------------------------------------

bool operand_find_collector(struct sm *s)
{
    for (unsigned k = 0; k < s->config->collectors; k++)
        if (s->operands.collector_free[k] <= s->now) {
            s->operands.collector = k;
            return true;
        }
    return false;
}

static void note_read(struct operands *all, uint32_t reg, uint64_t cycle)
{
    all->read[reg] = cycle;
    all->last_read = later(all->last_read, cycle);
}

uint64_t operand_read_late(struct sm *s, struct sm_grid *g, uint32_t reg, uint64_t port)
{
    uint64_t cycle = port / s->config->bank_ports;
    note_read(&s->operands, reg, cycle);
    g->counts.operand_conflict_cycles += cycle - (s->now + 1);
    return cycle;
}

static bool bank_is_free(const struct sm *s, uint32_t reg, uint64_t at)
{
    unsigned bank = s->operands.bank_of[reg];
    return bank == NO_BANK || s->operands.port[bank] <= at * s->config->bank_ports;
}

// operand_collect of the operands not in `absent` (bits).
static uint64_t collect_present(struct sm *s, const struct sm_warp *w, const struct op *o, uint32_t absent)
{
    const uint64_t first = s->now + 1;
    uint64_t collected = first;
    for (uint32_t left = ~absent & (uint32_t)bit_mask(o->read_count); left; left &= left - 1) {
        uint32_t reg = w->operands.map[o->reads[bit_lowest(left)]];
        w->grid->counts.operand_reads++;
        uint64_t cycle = s->config->bank_conflicts ? take_port(s, s->operands.bank_of[reg], first) : first;
        if (cycle == first) continue;
        note_read(&s->operands, reg, cycle);
        w->grid->counts.operand_conflict_cycles += cycle - first;
        collected = later(collected, cycle);
    }
    operand_keep_collector(s, collected + 1);
    return collected;
}

// With mechanisms or sim.check. asked: bits of the operands that a mechanism may keep outside the register file.
uint64_t operand_collect_observed(struct sm *s, const struct sm_warp *w, const struct op *o)
{
    const struct gpu_config *c = s->config;
    const uint64_t first = s->now + 1;
    uint64_t collected = first;
    uint32_t asked = elsewhere(s, w, o, false);
    if (!asked && !c->check && !s->operands.has_free_banks) return operand_collect_plain(s, w, o);
    if (w->grid->concerns.only_absent && !c->check) return collect_present(s, w, o, asked);
    for (unsigned k = 0; k < o->read_count; k++) {
        uint32_t reg = w->operands.map[o->reads[k]];
        unsigned bank = s->operands.bank_of[reg];
        uint32_t more = 0;
        bool is_apart = false;
        if (asked >> k & 1)
            more = ask_read(w, o, k, &bank, &is_apart);
        else
            w->grid->counts.operand_reads++;
        uint64_t cycle = c->bank_conflicts ? take_port(s, bank, first) : first;
        if (c->check && !is_apart) check_read(&s->check, reg, s->issue.lanes, s->now, cycle + more);
        if (cycle + more == first) continue;
        note_read(&s->operands, reg, cycle + more);
        w->grid->counts.operand_conflict_cycles += cycle - first;
        collected = later(collected, cycle + more);
    }
    operand_keep_collector(s, collected + 1);
    return collected;
}

void operand_look_up(struct sm *s, const struct sm_warp *w, const struct op *o)
{
    uint32_t asked = elsewhere(s, w, o, false);
    for (unsigned k = 0; k < o->read_count; k++) {
        unsigned bank;
        bool is_apart = false;
        if (asked >> k & 1)
            ask_read(w, o, k, &bank, &is_apart);
        else
            w->grid->counts.operand_reads++;
        if (s->config->check && !is_apart)
            check_read(&s->check, w->operands.map[o->reads[k]], s->issue.lanes, s->now, s->now + 1);
    }
}

uint64_t *operand_find_pipe(struct sm *s, const struct op *o)
{
    uint64_t *pipes = s->operands.pipe_free[o->pipe], *best = pipes;
    if (o->pipe == PIPE_TENSOR) return &pipes[s->operands.tensor];
    for (uint32_t k = 1; *best > s->now + 2 && k < s->operands.pipes[o->pipe]; k++)
        if (pipes[k] < *best) best = &pipes[k];
    if (o->pipe != PIPE_FLOAT || !s->config->float_in_int) return best;
    pipes = s->operands.pipe_free[PIPE_INT];
    for (uint32_t k = 0; *best > s->now + 2 && k < s->operands.pipes[PIPE_INT]; k++)
        if (pipes[k] < *best) best = &pipes[k];
    return best;
}

enum gpu_slot operand_obstacle(struct sm *s, const struct sm_warp *w, const struct op *o)
{
    const struct gpu_config *c = s->config;
    for (unsigned k = 0; c->bank_conflicts && k < o->read_count; k++)
        if (!bank_is_free(s, w->operands.map[o->reads[k]], s->now + 1)) return SLOT_OPERAND;
    if (o->path == PATH_ALU && *operand_find_pipe(s, o) > s->now + o->collected + 1) return SLOT_UNIT;
    if (o->path == PATH_MEMORY || !o->dst_words) return SLOT_ISSUED;
    uint64_t result = s->now + o->cycles + o->bypass;
    uint32_t writes = s->operands.writes[result % WRITE_CYCLES] - operand_turn(result);
    bool full = writes <= 0xff && writes >= c->write_ports;
    return full ? SLOT_UNIT : SLOT_ISSUED;
}

uint64_t operand_behind_reads(const struct sm *s, const uint16_t *registers, unsigned count, uint64_t cycle)
{
    for (unsigned n = 0; n < count; n++) cycle = later(cycle, s->operands.read[registers[n]] + 1);
    return cycle;
}

uint64_t operand_write_elsewhere(struct sm *s, const struct sm_warp *w, const uint16_t *registers,
                                 const struct op *o, uint64_t cycle)
{
    bool needs_port = true;
    uint32_t cycles = 0, asked = elsewhere(s, w, o, true);
    if (asked)
        needs_port = ask_writes(w, registers, o, asked, cycle, &cycles);
    else if (!is_guest(w))
        w->grid->counts.operand_writes += o->dst_words;
    if (!needs_port) return operand_behind_reads(s, registers, o->dst_words, cycle + cycles);
    return operand_take_write_port(s, w->grid, registers, o->dst_words, cycle + cycles);
}

void operand_barrier(struct sm_warp *w, const struct op *o, uint64_t cycle, bool from_memory)
{
    unsigned b = o->barrier - 1u;
    if (from_memory)
        w->operands.barrier_pending[b]++;
    else
        w->operands.barrier_ready[b] = later(w->operands.barrier_ready[b], cycle);
    w->operands.barrier_from_memory =
        (uint8_t)((w->operands.barrier_from_memory & ~(1u << b)) | (unsigned)from_memory << b);
}

void operand_tell_result(struct sm *s, struct sm_warp *w, const struct op *o, uint64_t cycle, uint64_t had)
{
    if (!has_other_places(s, w)) w->grid->counts.operand_writes += o->dst_words;
    if (s->config->check)
        check_writes(&s->check, slot_of(s, w), w->operands.map + o->dst, o, s->issue.lanes, had, cycle);
    if (has_techs(s)) mech_result(w, (uint32_t)(o - w->grid->ops), cycle);
}

// -- readiness ----------------------------------------------------------------------------------------------

struct hazard operand_hazard(const struct sm *s, const struct sm_warp *w, const struct op *o,
                             unsigned need_count)
{
    struct hazard h = {0};
    uint32_t last = 0;
    for (unsigned k = 0; k < need_count; k++) {
        uint32_t r = w->operands.map[op_need(o, k)];
        uint64_t ready = s->operands.ready[r];
        last = ready > h.cycle ? r : last;
        h.cycle = later(h.cycle, ready);
    }
    if (h.cycle > s->now) h.memory = s->operands.from_memory[last];
    for (unsigned left = o->pred_reads | o->pred_writes; left; left &= left - 1) {
        unsigned p = bit_lowest(left);
        if (w->operands.pred_ready[p] <= h.cycle) continue;
        h.cycle = w->operands.pred_ready[p];
        h.memory = w->operands.pred_from_memory >> p & 1;
    }
    return h;
}

enum gpu_level operand_level(const struct sm *s, const struct sm_warp *w, const struct op *o)
{
    uint8_t source = w->operands.last_source;
    uint64_t latest = 0;
    for (unsigned k = 0; k < op_need_count(o); k++) {
        uint32_t r = w->operands.map[op_need(o, k)];
        uint64_t ready = s->operands.ready[r];
        if (s->operands.from_memory[r] < SOURCE_LEVEL || ready == CYCLE_NEVER || ready <= latest) continue;
        source = s->operands.from_memory[r];
        latest = ready;
    }
    return source >= SOURCE_LEVEL ? (enum gpu_level)(source - SOURCE_LEVEL) : LEVEL_ORDER;
}

// -- moves for mechanisms ------------------------------------------------------------------------------------

static uint64_t move(struct sm_grid *g, uint16_t from, uint16_t to)
{
    struct sm *s = g->sm;
    const struct gpu_config *c = s->config;
    struct op move = {.pipe = (uint8_t)(c->units_shared ? PIPE_FLOAT : PIPE_INT),
                      .dst_words = 1,
                      .latency = (uint16_t)c->latency_FIXED,
                      .interval = (uint16_t)c->interval_FIXED};
    uint64_t ready = s->operands.ready[from], at = later(s->now + 1, ready == CYCLE_NEVER ? 0 : ready);
    if (c->bank_conflicts) at = take_port(s, s->operands.bank_of[from], at);
    note_read(&s->operands, (uint32_t)from, later(s->operands.read[from], at));
    if (c->check) check_read(&s->check, from, ~0ull, at, at);
    uint64_t *pipe = operand_find_pipe(s, &move), start = later(at + 1, *pipe);
    *pipe = start + move.interval;
    s->operands.ready[to] = operand_take_write_port(s, g, &to, 1, start + move.latency);
    if (c->check) check_writes(&s->check, 0, &to, &move, ~0ull, s->operands.ready[to], s->operands.ready[to]);
    s->operands.from_memory[to] = false;
    g->counts.operand_writes++;
    return s->operands.ready[to];
}

uint64_t operand_move(struct sm_grid *g, uint16_t from, uint16_t to)
{
    g->counts.operand_reads++;
    return move(g, from, to);
}

static uint64_t spread(struct sm_warp *w, unsigned r)
{
    uint16_t physical = w->operands.map[r];
    w->operands.flying |= op_bit(r);
    return move(w->grid, physical, physical);
}

uint64_t operand_spread(struct sm_warp *w, unsigned r)
{
    w->grid->counts.operand_word_reads++;
    return spread(w, r);
}

uint64_t operand_move_own(struct sm_warp *w, unsigned r)
{
    w->grid->counts.operand_reads++;
    return spread(w, r);
}

void operand_remap(struct sm_warp *w, unsigned r, uint16_t physical)
{
    w->operands.map[r] = physical;
    w->operands.flying |= op_bit(r);
}

void operand_compare(const struct sm_warp *w, uint32_t count) { w->grid->counts.operand_compared += count; }

// Charges a write port for the warp's own Rr, by which a mechanism returns a value. Later readers of the
// warp's own Rr wait for the write.
void operand_write_back(struct sm *s, struct sm_warp *w, unsigned r)
{
    uint16_t own = (uint16_t)(w->operands.registers + r);
    uint64_t *ready = &s->operands.ready[own], known = *ready == CYCLE_NEVER ? 0 : *ready;
    uint64_t at = operand_take_write_port(s, w->grid, &own, 1, later(s->now + 1, known));
    if (*ready != CYCLE_NEVER) *ready = at;
    w->operands.flying |= op_bit(r);
    operand_keep_busy(&w->operands, at);
    w->grid->counts.operand_writes++;
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
    s->operands.has_free_banks = true;
}
