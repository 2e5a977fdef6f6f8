// Runs of the model of docs/explanation/model, step by step, by the code of src/tech/darsie: every step is a call of
// the code's hooks, and after every step model and code have the same state. Without any single rule SPIN
// finds a counter-example; replayed in the code, the counter-example does no harm unless the code lacks the
// rule, too.
//
// The SM around the mechanism is the stand-in below, in place of src/sm/: it performs exactly the steps of
// a trace, in the trace's order. It executes the model's instructions on R1; only their marks are taken
// from the model.
#include "exec/launch.h"
#include "exec/warp.h"
#include "isa/asm.h"
#include "memory/system.h"
#include "model/spin.h"
#include "tech/darsie/darsie.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum model_op {
    MODEL_SET,
    MODEL_INC,
    MODEL_KEPT_INC,
    MODEL_LOAD,
    MODEL_KEPT_LOAD,
    MODEL_OWN,
    MODEL_STORE,
    MODEL_BARRIER,
    MODEL_BRANCH_ALL,
    MODEL_BRANCH_ODD,
    MODEL_JUMP,
    MODEL_EXIT_ODD,
    MODEL_EXIT_LATE,
    MODEL_SPLIT,
    MODEL_SHED,
    MODEL_EXIT,
    MODEL_HALF,
    MODEL_CLASS
};
enum act { ACT_FETCH, ACT_ISSUE, ACT_REPLY, ACT_MEMORY, ACT_EVENT, ACT_STOP };
enum { WARPS = 3, LENGTH_MAX = 8, POOL_REGISTERS = 4, LANES = 32, ODD = 0, R = 1, OWN_REGISTERS = 16 };

extern const struct tech tech_darsie;

struct instruction {
    unsigned op, target, marked, followed;
};

struct machine {
    struct tech_sight sight; // the first member, as of a struct sm_grid
    struct warp *places[WARPS];
    uint8_t slots[WARPS];
    uint64_t *ready_of;
    struct instruction program[LENGTH_MAX];
    unsigned length;
    struct warp warps[WARPS];
    struct split splits[WARPS]; // a warp has a single split
    uint64_t issuing;
    uint32_t registers[WARPS][OWN_REGISTERS][LANES];
    uint16_t map[WARPS][256];
    uint64_t ready[WARPS * OWN_REGISTERS + POOL_REGISTERS];
    unsigned hold[WARPS], round[WARPS], count[WARPS]; // of the I-buffer
    // reconvergence pc of a diverged warp; 0: not diverged
    uint32_t join[WARPS];
    uint32_t fetch_pc[WARPS];
    struct {
        unsigned slot;
        uint32_t pc;
        bool pending;
    } replies[POOL_REGISTERS];
    uint32_t word; // the value of loads
    uint64_t now, mismatches, counters[TECH_COUNTERS_MAX];
    struct exec_access access;
    struct launch launch;
    struct memory_config memory;
    struct gpu_kind kind;
    struct sm_launch sm_launch;
    struct darsie_options options;
    struct mark_settings marks;
    struct tech_use use;
    struct program *assembled;
    struct op ops[LENGTH_MAX];
    struct darsie *darsie;
};

// -- the SM as seen by the mechanism -----------------------------------------------------------------------

static struct machine *machine_of(const struct sm_grid *s) { return (struct machine *)(uintptr_t)s; }
static struct sm_grid *sm_of(struct machine *m) { return (struct sm_grid *)m; }

static bool writes(unsigned op) { return op <= MODEL_OWN || op == MODEL_CLASS; }

static void go_to(struct machine *m, unsigned w, uint32_t pc)
{
    m->warps[w].pc = pc;
    if (!m->join[w] || m->join[w] != pc) return;
    m->warps[w].active = m->warps[w].full & ~m->warps[w].exited;
    m->join[w] = 0;
}

const struct sm_launch *tech_launch(const struct sm_grid *s) { return &machine_of(s)->sm_launch; }
unsigned tech_index(const struct sm_grid *s) { return (void)s, 0; }
unsigned tech_block_of(const struct sm_grid *s, unsigned slot) { return (void)s, (void)slot, 0; }
uint32_t tech_fetch_pc(const struct sm_grid *s, unsigned slot) { return machine_of(s)->fetch_pc[slot]; }
const uint16_t *tech_map(const struct sm_grid *s, unsigned slot) { return machine_of(s)->map[slot]; }
void tech_remap(struct sm_grid *s, unsigned slot, unsigned r, uint16_t physical)
{
    machine_of(s)->map[slot][r] = physical;
}
uint16_t tech_own(const struct sm_grid *s, unsigned slot, unsigned r)
{
    (void)s;
    return (uint16_t)(slot * OWN_REGISTERS + r);
}
uint16_t tech_pool(struct sm_grid *s, const struct tech *me, unsigned block)
{
    return (void)s, (void)me, (void)block, WARPS * OWN_REGISTERS;
}
uint32_t tech_pool_size(struct sm_grid *s, const struct tech *me)
{
    return (void)me, machine_of(s)->options.registers;
}
uint32_t *tech_lanes(struct sm_grid *s, unsigned slot, unsigned r)
{
    return machine_of(s)->registers[slot][r];
}
uint64_t tech_issuing(const struct sm_grid *s) { return machine_of(s)->issuing; }
const struct exec_access *tech_access(const struct sm_grid *s) { return &machine_of(s)->access; }
void tech_free_banks(struct sm_grid *s, const struct tech *me) { (void)s, (void)me; }
void tech_hold(struct sm_grid *s, const struct tech *me, unsigned slot, unsigned what)
{
    (void)me;
    machine_of(s)->hold[slot] = what;
}
void tech_look(struct sm_grid *s, unsigned slot) { (void)s, (void)slot; }
void tech_skip_fetch(struct sm_grid *s, unsigned slot) { machine_of(s)->fetch_pc[slot]++; }
void tech_drop(struct sm_grid *s, unsigned slot, uint32_t index)
{
    (void)index;
    machine_of(s)->count[slot]--;
}
void tech_row(struct tech_rows *to, const char *table, enum tech_owner owner, unsigned index, unsigned number,
              const char *format, ...)
{
    (void)to, (void)table, (void)owner, (void)index, (void)number, (void)format;
}
void tech_advance(struct sm_grid *s, const struct tech *me, unsigned slot, uint32_t pc)
{
    (void)me;
    go_to(machine_of(s), slot, pc);
}
uint64_t tech_copy(struct sm_grid *s, uint16_t from, uint16_t to)
{
    return (void)from, (void)to, tech_now(s);
}
void tech_at(struct sm_grid *s, unsigned block, uint64_t cycle)
{
    (void)s, (void)block, (void)cycle;
} // called with each reply

static void compute(struct machine *m, unsigned slot, uint32_t pc)
{
    uint32_t *r = m->registers[slot][R];
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!(m->warps[slot].active >> lane & 1)) continue;
        switch ((enum model_op)m->program[pc].op) {
        case MODEL_SET: r[lane] = 5; break;
        case MODEL_INC:
        case MODEL_KEPT_INC: r[lane] = (r[lane] + 1) & 7; break;
        case MODEL_LOAD:
        case MODEL_KEPT_LOAD: r[lane] = m->word; break;
        case MODEL_OWN: r[lane] = (r[lane] + slot + 1) & 7; break;
        case MODEL_CLASS: r[lane] = slot & 1; break;
        case MODEL_STORE:
        case MODEL_BARRIER:
        case MODEL_BRANCH_ALL:
        case MODEL_BRANCH_ODD:
        case MODEL_JUMP:
        case MODEL_EXIT_ODD:
        case MODEL_EXIT_LATE:
        case MODEL_SPLIT:
        case MODEL_SHED:
        case MODEL_HALF:
        case MODEL_EXIT: break;
        }
    }
}

bool tech_recompute(struct sm_grid *s, unsigned slot, uint32_t pc)
{
    compute(machine_of(s), slot, pc);
    return true;
}

// -- a program of the model ---------------------------------------------------------------------------------

static void assemble_one(char *text, size_t size, unsigned n, const struct instruction *i)
{
    static const char *const forms[] = {
        [MODEL_SET] = "MOV R1, 0x5",
        [MODEL_INC] = "IADD3 R1, R1, 0x1, RZ",
        [MODEL_KEPT_INC] = "IADD3 R1, R1, 0x1, RZ",
        [MODEL_LOAD] = "LDG.E R1, [R2]",
        [MODEL_KEPT_LOAD] = "LDG.E R1, [R2]",
        [MODEL_OWN] = "IADD3 R1, R1, R4, RZ",
        [MODEL_STORE] = "STG.E [R2], R5",
        [MODEL_BARRIER] = "BAR.SYNC 0x0",
        [MODEL_EXIT_ODD] = "@P0 EXIT",
        [MODEL_EXIT_LATE] = "@P0 EXIT",
        [MODEL_SHED] = "@P0 EXIT",
        [MODEL_EXIT] = "EXIT",
        [MODEL_CLASS] = "MOV R1, R6",
    };
    unsigned to = i->op == MODEL_SPLIT ? n + 1 : i->target;
    if (i->op == MODEL_JUMP)
        snprintf(text, size, "at%u:\nBRA at%u\n", n, to);
    else if (i->op == MODEL_SPLIT || i->op == MODEL_HALF || i->op == MODEL_BRANCH_ALL ||
             i->op == MODEL_BRANCH_ODD)
        snprintf(text, size, "at%u:\n@P0 BRA at%u, join at%u\n", n, to, to > n ? to : n + 1);
    else
        snprintf(text, size, "at%u:\n%s\n", n, forms[i->op]);
}

static struct program *assemble(struct test *t, const struct machine *m)
{
    char text[LENGTH_MAX * 64] = "";
    for (unsigned n = 0; n < m->length; n++)
        assemble_one(text + strlen(text), sizeof text - strlen(text), n, &m->program[n]);
    return asm_program(t, text);
}

static void decode(struct machine *m)
{
    for (unsigned n = 0; n < m->length; n++) {
        struct op *o = &m->ops[n];
        unsigned op = m->program[n].op;
        *o = (struct op){.path = op >= MODEL_BARRIER && !writes(op) ? PATH_CONTROL : PATH_ALU};
        if (op == MODEL_LOAD || op == MODEL_KEPT_LOAD || op == MODEL_STORE) o->path = PATH_MEMORY;
        if (writes(op)) o->dst = R, o->dst_words = 1, o->results = op_bit(R);
        if (op == MODEL_INC || op == MODEL_KEPT_INC || op == MODEL_OWN) o->reads[o->read_count++] = R;
    }
}

static unsigned number_in(const char *defines, const char *name, unsigned otherwise)
{
    const char *at = strstr(defines, name);
    return at ? (unsigned)strtoul(at + strlen(name), NULL, 10) : otherwise;
}

static void set_options(struct machine *m, const char *defines, unsigned broken)
{
    bool parting = strstr(defines, "-DPARTING") != NULL, first = strstr(defines, "-DBRANCH_FIRST") != NULL;
    m->options = (struct darsie_options){.entries = number_in(defines, "-DENTRIES=", 2),
                                         .registers = number_in(defines, "-DPOOL=", 2),
                                         .read_ports = 64,
                                         .write_ports = 64,
                                         .bank_conflicts = 1,
                                         .branch_sync = parting ? BRANCH_PARTING
                                                        : first ? BRANCH_FIRST
                                                                : BRANCH_MAJORITY,
                                         .pending = strstr(defines, "-DPENDING_PRIVATE") != NULL,
                                         .diverged = strstr(defines, "-DDIVERGED") != NULL,
                                         .ahead = number_in(defines, "-DAHEAD=", 1),
                                         .early = strstr(defines, "-DEARLY") != NULL,
                                         .evict = strstr(defines, "-DEVICT") != NULL,
                                         .full = strstr(defines, "-DFULL_WAIT")      ? FULL_WAIT
                                                 : strstr(defines, "-DFULL_REPLACE") ? FULL_REPLACE
                                                                                     : FULL_PRIVATE,
                                         .broken = broken};
}

// Takes consequences of marks from the trace; the effect of an unmarked branch is computed by the code.
static void set_marks(const struct machine *m, struct darsie_launch *l)
{
    for (unsigned n = 0; n < m->length; n++) {
        l->period[n] = (uint8_t)m->program[n].marked;
        l->followed[n] = m->program[n].followed;
        if (m->options.branch_sync == BRANCH_PARTING && m->program[n].op == MODEL_BRANCH_ALL)
            l->effects[n] = BRANCH_COUNT;
    }
}

static bool machine_begin(struct machine *m, struct test *t, bool own_marks)
{
    if (!(m->assembled = assemble(t, m))) return false;
    decode(m);
    m->launch = (struct launch){.program = m->assembled,
                                .grid = {1, 1, 1},
                                .block = {LANES, WARPS, 1},
                                .warp_size = LANES,
                                .simt = SIMT_STACK};
    m->sm_launch = (struct sm_launch){.memory = &m->memory,
                                      .kind = &m->kind,
                                      .launch = &m->launch,
                                      .decoded = {.ops = m->ops},
                                      .blocks_per_sm = 1,
                                      .places = WARPS,
                                      .warps_per_block = WARPS};
    m->use = (struct tech_use){.tech = &tech_darsie,
                               .options = &m->options,
                               .marks = &m->marks,
                               .verify = true,
                               .mismatches = &m->mismatches};
    struct darsie_launch *l = tech_darsie.launch_begin(&m->use, &m->sm_launch);
    if (!own_marks) set_marks(m, l);
    m->now = 1;
    m->ready_of = m->ready;
    m->sight = (struct tech_sight){&m->now, &m->ready_of, m->slots, (const char *)(const void *)m->places,
                                   sizeof *m->places};
    for (unsigned w = 0; w < WARPS; w++) {
        m->places[w] = &m->warps[w];
        m->slots[w] = (uint8_t)w;
        m->warps[w] =
            (struct warp){.active = UINT32_MAX, .full = UINT32_MAX, .present = UINT32_MAX, .index = w};
        m->splits[w].mask = UINT32_MAX;
        m->warps[w].splits.data = &m->splits[w];
        m->warps[w].splits.count = 1;
        for (unsigned r = 0; r < OWN_REGISTERS; r++) m->map[w][r] = tech_own(sm_of(m), w, r);
    }
    m->access = (struct exec_access){.kind = ACCESS_LOAD, .bytes = 4, .mask = UINT32_MAX};
    m->darsie = tech_darsie.sm_begin(l, sm_of(m), m->counters);
    tech_darsie.blocks->block_start(m->darsie, 0);
    for (unsigned w = 0; w < WARPS; w++) tech_darsie.warp_start(m->darsie, w);
    return true;
}

static void machine_end(struct machine *m)
{
    struct darsie_launch *l = m->darsie->launch;
    tech_darsie.sm_end(m->darsie);
    tech_darsie.launch_end(l);
    program_free(m->assembled);
}

// -- steps --------------------------------------------------------------------------------------------------

static bool may_fetch(const struct machine *m, unsigned w)
{
    return m->warps[w].state != WARP_DONE && m->count[w] < 2 && m->fetch_pc[w] < m->length &&
           !(m->hold[w] & HOLD_FETCH);
}

static bool may_issue(const struct machine *m, unsigned w)
{
    bool is_there = m->ready[m->map[w][R]] <= m->now || !writes(m->program[m->warps[w].pc].op);
    return m->warps[w].state == WARP_READY && m->count[w] && !(m->hold[w] & HOLD_ISSUE) && is_there;
}

static void fetch(struct machine *m, unsigned w)
{
    if (!tech_darsie.skipping->fetch(m->darsie, 1ull << w)) return; // skipped, or waits
    uint32_t pc = m->fetch_pc[w]++;
    m->count[w]++;
    tech_darsie.skipping->filled(m->darsie, w, pc, 1);
}

static void flush(struct machine *m, unsigned w, uint32_t pc)
{
    m->warps[w].pc = m->fetch_pc[w] = pc;
    m->count[w] = 0;
    tech_darsie.skipping->flushed(m->darsie, w);
}

static void release_barrier(struct machine *m)
{
    for (unsigned w = 0; w < WARPS; w++)
        if (m->warps[w].state == WARP_READY) return;
    for (unsigned w = 0; w < WARPS; w++)
        if (m->warps[w].state == WARP_BARRIER) m->warps[w].state = WARP_READY;
}

static bool is_taken(const struct machine *m, unsigned w, uint32_t pc)
{
    const struct instruction *i = &m->program[pc];
    if (i->op == MODEL_JUMP) return true;
    bool wants = i->op == MODEL_BRANCH_ALL || (i->op == MODEL_BRANCH_ODD && w == ODD);
    return wants && (i->target > pc || !m->round[w]);
}

static bool ends(const struct machine *m, unsigned w, uint32_t pc)
{
    unsigned op = m->program[pc].op;
    return op == MODEL_EXIT || (op == MODEL_EXIT_ODD && w == ODD) ||
           (op == MODEL_EXIT_LATE && m->round[w] == 2);
}

static void control(struct machine *m, unsigned w, uint32_t pc)
{
    const struct instruction *i = &m->program[pc];
    struct warp *warp = &m->warps[w];
    if (i->op == MODEL_STORE) m->word = (m->word + 1) & 3;
    if (i->op == MODEL_BARRIER) warp->state = WARP_BARRIER;
    if (i->op == MODEL_SPLIT && w == ODD) warp->active &= 0xffff;
    if (i->op == MODEL_SHED && w == ODD) warp->exited = ~(warp->active = 0xffff) & UINT32_MAX;
    if (i->op == MODEL_HALF) {
        warp->active = 0xffff;
        m->join[w] = i->target;
    }
    if (is_taken(m, w, pc)) {
        if (i->target <= pc && m->round[w] < 2) m->round[w]++;
        flush(m, w, i->target);
    }
    if (ends(m, w, pc)) {
        warp->state = WARP_DONE;
        flush(m, w, warp->pc);
    }
    release_barrier(m);
    if (warp->state == WARP_DONE) tech_darsie.warp_end(m->darsie, w);
}

static void issue(struct machine *m, unsigned w)
{
    uint32_t pc = m->warps[w].pc;
    m->issuing = m->warps[w].active;
    tech_darsie.reads(m->darsie, w, pc);
    compute(m, w, pc);
    go_to(m, w, pc + 1);
    tech_darsie.executed(m->darsie, w, pc);
    uint16_t physical = m->map[w][R];
    if (writes(m->program[pc].op) && physical >= tech_pool(sm_of(m), &tech_darsie, 0)) {
        unsigned r = physical - tech_pool(sm_of(m), &tech_darsie, 0);
        m->ready[physical] = UINT64_MAX;
        m->replies[r].slot = w;
        m->replies[r].pc = pc;
        m->replies[r].pending = true;
    }
    tech_darsie.registers->result(m->darsie, w, pc, UINT64_MAX);
    m->count[w]--;
    control(m, w, pc);
    tech_darsie.issued(m->darsie, w, pc);
    if (m->program[pc].op == MODEL_SPLIT) m->warps[w].active = m->warps[w].full & ~m->warps[w].exited;
}

static void reply(struct machine *m, unsigned r)
{
    uint16_t physical = (uint16_t)(tech_pool(sm_of(m), &tech_darsie, 0) + r);
    m->replies[r].pending = false;
    m->ready[physical] = m->now;
    tech_darsie.registers->replied(m->darsie, m->replies[r].slot, m->replies[r].pc, &physical, m->now);
    tech_darsie.blocks->event(m->darsie, 0);
}

static bool may_step(const struct machine *m, unsigned act, unsigned who)
{
    switch ((enum act)act) {
    case ACT_FETCH: return may_fetch(m, who);
    case ACT_ISSUE: return may_issue(m, who);
    case ACT_REPLY: return m->replies[who].pending;
    case ACT_MEMORY:
    case ACT_EVENT:
    case ACT_STOP: return true;
    }
    return false;
}

static void step(struct machine *m, unsigned act, unsigned who)
{
    m->now++;
    switch ((enum act)act) {
    case ACT_FETCH: fetch(m, who); break;
    case ACT_ISSUE: issue(m, who); break;
    case ACT_REPLY: reply(m, who); break;
    case ACT_MEMORY: m->word = (m->word + 1) & 3; break;
    case ACT_EVENT: tech_darsie.blocks->event(m->darsie, 0); break;
    case ACT_STOP: path_give_up(m->darsie, &m->darsie->blocks[0]); break;
    }
}

// Takes possible steps until no step is possible. False when a warp has not ended.
static bool run_to_end(struct machine *m)
{
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (unsigned act = ACT_FETCH; act <= ACT_REPLY; act++)
            for (unsigned who = 0; who < (act == ACT_REPLY ? POOL_REGISTERS : WARPS); who++)
                if (may_step(m, act, who)) {
                    step(m, act, who);
                    goes_on = m->now < 100000;
                }
    }
    for (unsigned w = 0; w < WARPS; w++)
        if (m->warps[w].state != WARP_DONE) return false;
    return true;
}

// -- traces -------------------------------------------------------------------------------------------------

struct trace {
    const char *at, *name;
    unsigned steps;
};

static const char *next_line(struct trace *r, char line[200])
{
    if (!*r->at) return NULL;
    size_t length = strcspn(r->at, "\n");
    snprintf(line, 200, "%.*s", (int)(length < 199 ? length : 199), r->at + strspn(r->at, " "));
    r->at += length + (r->at[length] == '\n');
    return line;
}

static void read_program(struct machine *m, const char *line)
{
    unsigned n;
    struct instruction i;
    if (sscanf(line, "program %u op=%u target=%u marked=%u followed=%u", &n, &i.op, &i.target, &i.marked,
               &i.followed) != 5)
        return;
    if (n >= LENGTH_MAX) return;
    m->program[n] = i;
    m->length = n + 1;
}

// Writes the code's state as a line in the model's format.
static void describe_block(const struct machine *m, char line[200])
{
    const struct dblock *b = &m->darsie->blocks[0];
    unsigned available = (unsigned)b->free; // of four registers
    snprintf(line, 200, "state majority=%d arrived=%d gathered=%d over=%d free=%u%u%u%u", (int)b->majority,
             (int)b->arrived, (int)b->gathered, (int)b->gather_over, available & 1, available >> 1 & 1,
             available >> 2 & 1, available >> 3 & 1);
}

static void describe_warp(struct machine *m, unsigned w, char line[200])
{
    const struct dwarp *d = &m->darsie->warps[w];
    bool done = m->warps[w].state == WARP_DONE;
    uint32_t pc = done ? 0 : m->warps[w].pc, pool = tech_pool(sm_of(m), &tech_darsie, 0);
    snprintf(line, 200,
             "warp %u pc=%u fetched=%u renamed=%u state=%d waits=%d map=%u poison=%d at_branch=%d leaving=%d "
             "tag=%d too_far=%d",
             w, pc, done ? 0 : m->fetch_pc[w], done ? 0 : pc + d->renamed, m->warps[w].state, d->waits,
             m->map[w][R] >= pool ? m->map[w][R] - pool + 1 : 0, !done && d->poison[0] >> R & 1,
             !done && d->at_branch, !done && d->leaving, done ? 0 : (int)d->tag, !done && d->too_far);
}

static void describe_entry(const struct machine *m, unsigned k, char line[200])
{
    const struct dblock *b = &m->darsie->blocks[0];
    bool used = b->used >> k & 1;
    struct entry e = used ? b->entries[k] : (struct entry){0};
    bool half = used && e.lanes != UINT32_MAX, old = half && b->allocated[e.old[0]] <= e.born;
    snprintf(line, 200, "entry %u used=%d pc=%u reg=%d passed=%d dropped=%d written_back=%d half=%d old=%u",
             k, used, e.pc, e.registers[0], (int)(e.passed & 7), e.dropped, e.written_back, half,
             old ? e.old[0] + 1u : 0);
}

static bool describe(struct machine *m, const char *line, char ours[200])
{
    unsigned n;
    if (strncmp(line, "state ", 6) == 0)
        describe_block(m, ours);
    else if (sscanf(line, "warp %u", &n) == 1)
        describe_warp(m, n, ours);
    else if (sscanf(line, "entry %u", &n) == 1)
        describe_entry(m, n, ours);
    else
        return false;
    return true;
}

static void read_until_steps(struct trace *r, struct machine *m)
{
    char line[200];
    for (const char *before = r->at; next_line(r, line); before = r->at) {
        read_program(m, line);
        if (strncmp(line, "step ", 5) == 0) {
            r->at = before;
            return;
        }
    }
}

// Every step must be possible in the code and lead to the model's state. False at the first difference.
static bool follow(struct test *t, struct trace *r, struct machine *m)
{
    char line[200], ours[200];
    unsigned act, who;
    while (next_line(r, line)) {
        if (sscanf(line, "step act=%u who=%u", &act, &who) == 2) {
            r->steps++;
            CHECK_MSG(t, may_step(m, act, who), "%s, step %u: %s is not possible", r->name, r->steps, line);
            if (test_failed(t)) return false;
            step(m, act, who);
        } else if (describe(m, line, ours) && strcmp(line, ours)) {
            CHECK_MSG(t, false, "%s, step %u:\n  model %s\n  code  %s", r->name, r->steps, line, ours);
            return false;
        }
    }
    return true;
}

static bool begin(struct test *t, struct trace *r, struct machine *m, const char *defines, unsigned broken,
                  bool own_marks)
{
    read_until_steps(r, m);
    set_options(m, defines, broken);
    return machine_begin(m, t, own_marks);
}

static void test_random_runs(struct test *t)
{
    static const char *const configurations[] = {
        "-DLENGTH=6 -DCONTROLS=3 -DENVIRONMENT",
        "-DLENGTH=7 -DCONTROLS=2 -DENVIRONMENT -DPOOL=1 -DENTRIES=1",
        "-DLENGTH=7 -DCONTROLS=4 -DPOOL=3",
        "-DLENGTH=7 -DCONTROLS=3 -DPOOL=1 -DENTRIES=3 -DENVIRONMENT",
        "-DLENGTH=7 -DCONTROLS=3 -DPARTING -DENVIRONMENT",
        "-DLENGTH=7 -DCONTROLS=4 -DPARTING -DAHEAD=2 -DPOOL=1",
        "-DLENGTH=7 -DCONTROLS=2 -DEARLY -DEVICT -DPOOL=1 -DENVIRONMENT",
        "-DLENGTH=7 -DCONTROLS=2 -DEVICT -DFULL_WAIT -DPOOL=3 -DENTRIES=1",
        "-DLENGTH=7 -DCONTROLS=3 -DPARTING -DEARLY -DEVICT -DFULL_WAIT -DENVIRONMENT",
        "-DLENGTH=7 -DCONTROLS=3 -DBRANCH_FIRST -DPENDING_PRIVATE -DENVIRONMENT",
        "-DLENGTH=7 -DCONTROLS=4 -DBRANCH_FIRST -DAHEAD=2 -DEARLY -DPOOL=1",
        "-DLENGTH=7 -DCONTROLS=2 -DDIVERGED -DBRANCH_FIRST -DPENDING_PRIVATE -DOPS=196807",
        "-DLENGTH=7 -DCONTROLS=3 -DDIVERGED -DBRANCH_FIRST -DEARLY -DEVICT -DFULL_WAIT -DPOOL=3 -DOPS=262143",
        "-DLENGTH=7 -DCONTROLS=3 -DDIVERGED -DPENDING_PRIVATE -DPOOL=1 -DENVIRONMENT -DOPS=262143",
        "-DLENGTH=7 -DCONTROLS=3 -DDIVERGED -DPARTING -DAHEAD=2 -DOPS=262143",
        "-DLENGTH=7 -DCONTROLS=3 -DGIVE_UP -DENVIRONMENT",
        "-DLENGTH=7 -DCONTROLS=3 -DGIVE_UP -DPARTING -DEARLY -DEVICT -DPOOL=3 -DENVIRONMENT",
        "-DLENGTH=7 -DCONTROLS=2 -DFULL_REPLACE -DENTRIES=1 -DPOOL=3 -DENVIRONMENT",
        "-DLENGTH=7 -DCONTROLS=3 -DFULL_REPLACE -DPOOL=4 -DPARTING -DEARLY -DENVIRONMENT",
        "-DLENGTH=7 -DCONTROLS=3 -DFULL_REPLACE -DENTRIES=1 -DBRANCH_FIRST -DAHEAD=2 -DEVICT -DENVIRONMENT",
    };
    if (!spin_is_there(t)) return;
    unsigned steps = 0, runs = test_is_long() ? 1000 : test_is_quick() ? 5 : 25;
    for (size_t k = 0; k < TEST_COUNT(configurations); k++)
        for (unsigned seed = 1; seed <= runs && !test_failed(t); seed++) {
            char name[200];
            char *text = spin_random(t, configurations[k], seed);
            struct machine *m = calloc(1, sizeof *m);
            snprintf(name, sizeof name, "spin -n%u %s", seed, configurations[k]);
            struct trace r = {text, name, 0};
            if (begin(t, &r, m, configurations[k], 0, false)) {
                follow(t, &r, m);
                CHECK_MSG(t, m->mismatches == 0, "%s: %d mismatches", name, (int)m->mismatches);
                const char *left = strstr(text, "\nend") ? tech_darsie.check(m->darsie) : NULL; // cut short
                CHECK_MSG(t, !left, "%s: %s", name, left);
                machine_end(m);
            }
            steps += r.steps;
            free(m);
            free(text);
        }
    printf("  %u runs, %u steps, the same state behind each\n", runs * (unsigned)TEST_COUNT(configurations),
           steps);
}

// Takes the steps of a trail as far as possible in the code, then runs to the end. True when every warp
// ends.
static bool attempt(struct trace *r, struct machine *m)
{
    char line[200];
    unsigned act, who;
    while (next_line(r, line))
        if (sscanf(line, "step act=%u who=%u", &act, &who) == 2 && may_step(m, act, who)) step(m, act, who);
    return run_to_end(m);
}

static void replay(struct test *t, const struct spin_rule *rule, const char *text, bool keeps_rule)
{
    struct machine *m = calloc(1, sizeof *m);
    struct trace r = {text, rule->name, 0};
    bool is_mark = rule->broken == SPIN_MARKS;
    if (begin(t, &r, m, rule->defines, keeps_rule || is_mark ? 0 : 1u << rule->broken,
              keeps_rule && is_mark)) {
        bool ends = attempt(&r, m);
        CHECK_MSG(t, (!ends || m->mismatches) != keeps_rule, "%s %s the rule: %s, %d mismatches", rule->name,
                  keeps_rule ? "with" : "without", ends ? "ends" : "hangs", (int)m->mismatches);
        machine_end(m);
    }
    free(m);
}

static void test_counter_examples(struct test *t)
{
    if (!spin_is_there(t)) return;
    for (const struct spin_rule *rule = spin_rules; rule->name; rule++) {
        struct spin_search s;
        char defines[200];
        if (rule->slow ? !test_is_long() : test_is_quick()) continue;
        snprintf(defines, sizeof defines, "-DWITHOUT_%s %s", rule->name, rule->defines);
        if (!spin_check(t, "darsie", rule->name, defines, rule->slow, &s)) continue;
        CHECK_MSG(t, s.has_error && strstr(s.what, rule->wrong), "without %s: %s", rule->name,
                  s.has_error ? s.what : "nothing is wrong");
        printf("  without %-18s %s, after %llu states\n", rule->name, s.what, s.states);
        if (!s.has_error) continue;
        char *text = spin_trail(t, defines, &s);
        replay(t, rule, text, true);
        if (rule->broken != SPIN_KEPT) replay(t, rule, text, false);
        free(text);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"random_runs", test_random_runs},
                                             {"counter_examples", test_counter_examples}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
