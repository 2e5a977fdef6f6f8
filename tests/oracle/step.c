// An instruction of a thread: operands, moves, special registers, calls and branches.
#include "oracle/oracle_impl.h"

#include <stdarg.h>
#include <string.h>

uint64_t oracle_truncate(uint64_t v, unsigned bits) { return v & bit_mask(bits); }

int64_t oracle_extend(uint64_t v, unsigned bits)
{
    if (bits >= 64) return (int64_t)v;
    uint64_t sign = 1ull << (bits - 1);
    return (int64_t)(((v & bit_mask(bits)) ^ sign) - sign);
}

enum oracle_step oracle_fault(struct oracle_thread *t, const char *format, ...)
{
    struct oracle_block *b = t->block;
    struct strbuf *out = &b->o->error;
    if (b->failed) return STEP_FAULT; // the first fault counts
    b->failed = true;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    strbuf_printf(out, "%s: ", b->l->kernel->name);
    if (t->frames.count) {
        const struct oracle_frame *f = top(t);
        uint32_t line = f->pc < f->f->inst_count ? f->f->insts[f->pc].loc.line : 0;
        strbuf_printf(out, "%s line %u, ", f->f->name, line);
    }
    strbuf_printf(out, "block (%u,%u,%u) thread (%u,%u,%u): %s", b->ctaid[0], b->ctaid[1], b->ctaid[2],
                  t->tid[0], t->tid[1], t->tid[2], text);
    return STEP_FAULT;
}

static uint64_t lanes_where(const struct oracle_thread *t, enum ptx_sreg s)
{
    uint64_t eq = 1ull << t->lane, all = bit_mask(t->block->warp_size);
    if (s == PTX_SREG_LANEMASK_EQ) return eq;
    if (s == PTX_SREG_LANEMASK_LE) return (eq << 1) - 1;
    if (s == PTX_SREG_LANEMASK_LT) return eq - 1;
    if (s == PTX_SREG_LANEMASK_GE) return all & ~(eq - 1);
    return all & ~((eq << 1) - 1);
}

static uint64_t special_register(struct oracle_thread *t, const struct ptx_operand *op)
{
    const struct oracle_block *b = t->block;
    unsigned c = op->component;
    switch ((int)op->sreg) {
    case PTX_SREG_TID: return c < 3 ? t->tid[c] : 0;
    case PTX_SREG_NTID: return c < 3 ? b->l->block[c] : 1;
    case PTX_SREG_CTAID: return c < 3 ? b->ctaid[c] : 0;
    case PTX_SREG_NCTAID: return c < 3 ? b->l->grid[c] : 1;
    case PTX_SREG_LANEID: return t->lane;
    case PTX_SREG_WARPID: return t->warp;
    case PTX_SREG_NWARPID: return b->warp_count;
    case PTX_SREG_NSMID: return 1;
    case PTX_SREG_LANEMASK_EQ:
    case PTX_SREG_LANEMASK_LE:
    case PTX_SREG_LANEMASK_LT:
    case PTX_SREG_LANEMASK_GE:
    case PTX_SREG_LANEMASK_GT: return lanes_where(t, op->sreg);
    case PTX_SREG_CLOCK:
    case PTX_SREG_CLOCK64:
    case PTX_SREG_GLOBALTIMER:
    case PTX_SREG_GLOBALTIMER_LO: return b->o->steps;
    case PTX_SREG_DYNAMIC_SMEM_SIZE: return b->l->dynamic_shared;
    case PTX_SREG_TOTAL_SMEM_SIZE: return b->shared_bytes;
    }
    return 0; // %smid, %gridid, the clocks' high words, and registers without a counterpart in hardware
}

uint64_t oracle_get_register(struct oracle_thread *t, int32_t reg)
{
    oracle_check_register(t, reg);
    return top(t)->regs[reg];
}

void oracle_set_register(struct oracle_thread *t, int32_t reg, uint64_t v)
{
    top(t)->regs[reg] = v;
    top(t)->defined[reg] = 1;
}

uint64_t oracle_read(struct oracle_thread *t, const struct ptx_operand *op, enum ptx_type type)
{
    unsigned bits = type == PTX_NONE ? 64 : ptx_type_bits(type);
    uint64_t v = 0;
    if (op->kind == PTX_OPERAND_REG)
        v = oracle_get_register(t, op->reg);
    else if (op->kind == PTX_OPERAND_IMM)
        v = op->imm;
    else if (op->kind == PTX_OPERAND_SREG)
        v = special_register(t, op);
    else if (op->kind == PTX_OPERAND_SYMBOL)
        v = oracle_address_of(t, op->variable) + (uint64_t)op->offset;
    else if (op->kind == PTX_OPERAND_FUNCTION) {
        uint32_t k = 0;
        while (t->block->o->m->functions[k] != op->function) k++;
        v = ADDRESS_CODE + 16ull * k;
    }
    return oracle_truncate(v, bits);
}

bool oracle_read_pred(struct oracle_thread *t, const struct ptx_operand *op)
{
    uint64_t v = op->kind == PTX_OPERAND_REG ? oracle_get_register(t, op->reg) : op->imm;
    return (v & 1) != op->negated;
}

void oracle_write(struct oracle_thread *t, const struct ptx_operand *op, enum ptx_type type, uint64_t value)
{
    if (op->kind != PTX_OPERAND_REG) return; // the sink
    unsigned bits = ptx_type_bits(type), width = ptx_type_bits(top(t)->f->regs[op->reg].type);
    value = ptx_type_is_signed(type) ? (uint64_t)oracle_extend(value, bits) : oracle_truncate(value, bits);
    oracle_set_register(t, op->reg, oracle_truncate(value, width));
}

bool oracle_guard(struct oracle_thread *t, const struct ptx_inst *i)
{
    return i->guard < 0 || (oracle_get_register(t, i->guard) & 1) != i->guard_negated;
}

// mov.b64 {a, b}, c and mov.b64 c, {a, b}: the first element is the lowest.
static void mov(struct oracle_thread *t, const struct ptx_inst *i)
{
    const struct ptx_operand *d = &i->operands[0], *s = &i->operands[1];
    enum ptx_type type = i->types[0];
    static const enum ptx_type by_bytes[9] = {[1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64};
    uint64_t low = 0, high = 0;
    if (type == PTX_PRED) {
        oracle_write(t, d, type, oracle_read_pred(t, s));
        return;
    }
    if (s->kind == PTX_OPERAND_VECTOR) {
        unsigned each = ptx_type_bits(type) / s->count;
        for (unsigned k = 0; k < s->count; k++) {
            uint64_t v = oracle_read(t, &s->elements[k], by_bytes[each / 8]);
            if (each == 64 && k == 1)
                high = v;
            else if (k * each >= 64)
                high |= v << (k * each - 64);
            else
                low |= v << k * each;
        }
    } else {
        low = oracle_read(t, s, type);
        if (type == PTX_B128 && s->kind == PTX_OPERAND_REG) high = top(t)->high[s->reg];
    }
    if (d->kind == PTX_OPERAND_VECTOR) {
        unsigned each = ptx_type_bits(type) / d->count;
        for (unsigned k = 0; k < d->count; k++) {
            uint64_t v = k * each >= 64 ? high >> (k * each - 64) : low >> k * each;
            oracle_write(t, &d->elements[k], by_bytes[each / 8], v);
        }
    } else {
        oracle_write(t, d, type == PTX_B128 ? PTX_B64 : type, low);
        if (type == PTX_B128 && d->kind == PTX_OPERAND_REG) {
            oracle_set_register(t, d->reg, low);
            top(t)->high[d->reg] = high;
        }
    }
}

static enum oracle_step jump(struct oracle_thread *t, uint32_t label)
{
    top(t)->pc = top(t)->f->labels[label].inst;
    return STEP_JUMPED;
}

static enum oracle_step branch_indexed(struct oracle_thread *t, const struct ptx_inst *i)
{
    const struct ptx_table *table = &top(t)->f->tables[i->operands[1].label];
    uint64_t index = oracle_read(t, &i->operands[0], PTX_U32);
    if (index >= table->count)
        return oracle_fault(t, "brx.idx %llu of %u", (unsigned long long)index, table->count);
    return jump(t, table->labels[index]);
}

// ---- calls. Arguments and results are copied as bytes; a register counts as its low bytes. A structure
// may have holes, so strict launches check only scalars for being written.

static void load_actual(struct oracle_thread *t, const struct ptx_operand *op, uint64_t size, uint8_t *bytes)
{
    memset(bytes, 0, size);
    if (op->kind == PTX_OPERAND_SYMBOL && op->variable->space == PTX_SPACE_PARAM) {
        uint32_t from = top(t)->base + oracle_offset_of(t->block->o, op->variable);
        if (!op->variable->is_array) oracle_check_local(t, from, op->variable->size_bytes, ACCESS_READ);
        memcpy(bytes, t->local.data + from,
               size < op->variable->size_bytes ? size : op->variable->size_bytes);
    } else {
        uint64_t v = oracle_read(t, op, PTX_NONE);
        memcpy(bytes, &v, size < 8 ? size : 8);
    }
}

static void store_actual(struct oracle_thread *t, const struct ptx_operand *op, uint64_t size,
                         const uint8_t *bytes)
{
    if (op->kind == PTX_OPERAND_SYMBOL) {
        uint32_t to = top(t)->base + oracle_offset_of(t->block->o, op->variable);
        oracle_check_local(t, to, op->variable->size_bytes, ACCESS_WRITE);
        memcpy(t->local.data + to, bytes, size < op->variable->size_bytes ? size : op->variable->size_bytes);
    } else if (op->kind == PTX_OPERAND_REG) {
        uint64_t v = 0;
        memcpy(&v, bytes, size < 8 ? size : 8);
        oracle_set_register(t, op->reg, oracle_truncate(v, ptx_type_bits(top(t)->f->regs[op->reg].type)));
    }
}

static void load_formal(struct oracle_thread *t, const struct ptx_variable *v, uint8_t *bytes)
{
    uint32_t from = top(t)->base + oracle_offset_of(t->block->o, v);
    if (v->space == PTX_SPACE_REG) {
        oracle_check_register(t, v->reg);
        memcpy(bytes, &top(t)->regs[v->reg], v->size_bytes);
    } else {
        if (!v->is_array) oracle_check_local(t, from, v->size_bytes, ACCESS_READ);
        memcpy(bytes, t->local.data + from, v->size_bytes);
    }
}

static void store_formal(struct oracle_thread *t, const struct ptx_variable *v, const uint8_t *bytes)
{
    if (v->space == PTX_SPACE_REG) {
        oracle_set_register(t, v->reg, 0);
        memcpy(&top(t)->regs[v->reg], bytes, v->size_bytes);
    } else {
        uint32_t to = top(t)->base + oracle_offset_of(t->block->o, v);
        oracle_check_local(t, to, v->size_bytes, ACCESS_WRITE);
        memcpy(t->local.data + to, bytes, v->size_bytes);
    }
}

// Executes a call to vprintf or __assertfail, functions of the host.
static enum oracle_step call_host(struct oracle_thread *t, const struct ptx_inst *i, const char *name)
{
    uint64_t arguments[5] = {0};
    for (unsigned k = 0; k < i->call_argument_count && k < 5; k++)
        load_actual(t, &i->call_arguments[k], 8, (uint8_t *)&arguments[k]);
    if (str_equal(name, "vprintf")) {
        if (oracle_vprintf(t, arguments[0], arguments[1]) == STEP_FAULT) return STEP_FAULT;
        uint8_t zero[8] = {0};
        if (i->call_return_count) store_actual(t, &i->call_returns[0], 4, zero);
        return STEP_NEXT;
    }
    if (str_equal(name, "__assertfail")) return oracle_fault(t, "assertion failed");
    return oracle_fault(t, "call of '%s', which has no body", name);
}

static enum oracle_step call(struct oracle_thread *t, const struct ptx_inst *i)
{
    const struct ptx_function *f = i->call_target.function;
    if (i->call_target.kind == PTX_OPERAND_REG) {
        const struct ptx_module *m = t->block->o->m;
        uint64_t k = (oracle_read(t, &i->call_target, PTX_NONE) - ADDRESS_CODE) / 16;
        if (k >= m->function_count) return oracle_fault(t, "indirect call of no function");
        f = m->functions[k];
    }
    if (!f->has_body) return call_host(t, i, f->name);
    if (t->frames.count >= 4096) return oracle_fault(t, "calls nested deeper than 4096");
    VEC(uint8_t) bytes = {0};
    uint64_t total = 0;
    for (unsigned k = 0; k < f->prototype.param_count; k++)
        total += align_up(f->prototype.params[k]->size_bytes, 8);
    vec_reserve(&bytes, total + 1);
    uint64_t at = 0;
    for (unsigned k = 0; k < f->prototype.param_count && k < i->call_argument_count; k++) {
        uint64_t size = f->prototype.params[k]->size_bytes;
        load_actual(t, &i->call_arguments[k], size, bytes.data + at);
        at += align_up(size, 8);
    }
    oracle_push_frame(t, f);
    at = 0;
    for (unsigned k = 0; k < f->prototype.param_count && k < i->call_argument_count; k++) {
        store_formal(t, f->prototype.params[k], bytes.data + at);
        at += align_up(f->prototype.params[k]->size_bytes, 8);
    }
    vec_fini(&bytes);
    return t->block->failed ? STEP_FAULT : STEP_JUMPED;
}

static void drop_frame(struct oracle_thread *t)
{
    struct oracle_frame f = vec_pop(&t->frames);
    t->local.count = t->local_defined.count = f.base;
    free(f.defined);
    free(f.regs);
    free(f.high);
}

static enum oracle_step ret(struct oracle_thread *t)
{
    if (t->frames.count == 1) return STEP_EXIT;
    const struct ptx_function *f = top(t)->f;
    const struct oracle_frame *caller = &t->frames.data[t->frames.count - 2];
    const struct ptx_inst *i = &caller->f->insts[caller->pc];
    VEC(uint8_t) bytes = {0};
    uint64_t at = 0;
    for (unsigned k = 0; k < f->prototype.return_count; k++) {
        uint64_t size = f->prototype.returns[k]->size_bytes;
        vec_reserve(&bytes, at + size + 8);
        load_formal(t, f->prototype.returns[k], bytes.data + at);
        at += align_up(size, 8);
    }
    drop_frame(t);
    at = 0;
    for (unsigned k = 0; k < f->prototype.return_count && k < i->call_return_count; k++) {
        uint64_t size = f->prototype.returns[k]->size_bytes;
        store_actual(t, &i->call_returns[k], size, bytes.data + at);
        at += align_up(size, 8);
    }
    vec_fini(&bytes);
    return STEP_NEXT; // past the call
}

static void cvta(struct oracle_thread *t, const struct ptx_inst *i)
{
    enum ptx_space space = i->to ? i->space_to : i->space;
    uint64_t a = oracle_read(t, &i->operands[1], i->types[0]);
    uint64_t generic = oracle_to_generic(space, 0);
    oracle_write(t, &i->operands[0], i->types[0], i->to ? a - generic : a + generic);
}

static void isspacep(struct oracle_thread *t, const struct ptx_inst *i)
{
    uint64_t a = oracle_read(t, &i->operands[1], PTX_NONE);
    bool shared = a >= WINDOW_SHARED && a < WINDOW_LOCAL, local = a >= WINDOW_LOCAL && a < WINDOWS_END;
    bool constant = a >= ADDRESS_CONST && a < ADDRESS_PARAM, param = a >= ADDRESS_PARAM && a < ADDRESS_CODE;
    bool p = !shared && !local && !constant && !param;
    if (i->space == PTX_SPACE_SHARED)
        p = shared;
    else if (i->space == PTX_SPACE_LOCAL)
        p = local;
    else if (i->space == PTX_SPACE_CONST)
        p = constant;
    else if (i->space == PTX_SPACE_PARAM)
        p = param;
    oracle_write(t, &i->operands[0], PTX_PRED, p);
}

static enum oracle_step execute(struct oracle_thread *t, const struct ptx_inst *i)
{
    switch ((int)i->op) {
    case PTX_OP_BRA: return jump(t, i->operands[0].label);
    case PTX_OP_BRX: return branch_indexed(t, i);
    case PTX_OP_CALL: return call(t, i);
    case PTX_OP_RET: return ret(t);
    case PTX_OP_EXIT: return STEP_EXIT;
    case PTX_OP_TRAP:
    case PTX_OP_BRKPT: return oracle_fault(t, "%s", ptx_op_name(i->op));
    case PTX_OP_BAR:
    case PTX_OP_BARRIER: return oracle_bar(t, i);
    case PTX_OP_LD:
    case PTX_OP_LDU: return oracle_load(t, i);
    case PTX_OP_ST: return oracle_store(t, i);
    case PTX_OP_ATOM:
    case PTX_OP_RED: return oracle_atom(t, i);
    case PTX_OP_MBARRIER: return oracle_mbarrier(t, i);
    case PTX_OP_CP: return oracle_cp_async(t, i);
    case PTX_OP_TEX: return oracle_tex(t, i);
    case PTX_OP_TXQ: return oracle_txq(t, i);
    case PTX_OP_MOV: mov(t, i); return STEP_NEXT;
    case PTX_OP_CVT: oracle_convert(t, i); return STEP_NEXT;
    case PTX_OP_CVTA: cvta(t, i); return STEP_NEXT;
    case PTX_OP_ISSPACEP: isspacep(t, i); return STEP_NEXT;
    case PTX_OP_MEMBAR:
    case PTX_OP_FENCE:
    case PTX_OP_NANOSLEEP:
    case PTX_OP_PMEVENT:
    case PTX_OP_PREFETCH:
    case PTX_OP_PREFETCHU:
    case PTX_OP_APPLYPRIORITY: return STEP_NEXT;
    }
    if (oracle_compare(t, i) || oracle_integer(t, i) || oracle_real(t, i)) return STEP_NEXT;
    return oracle_fault(t, "the oracle does not know %s", ptx_op_name(i->op));
}

enum oracle_step oracle_step(struct oracle_thread *t)
{
    struct oracle_frame *f = top(t);
    if (f->pc >= f->f->inst_count) return ret(t); // the end of the text
    const struct ptx_inst *i = &f->f->insts[f->pc];
    bool runs = oracle_guard(t, i);
    if (t->block->failed) return STEP_FAULT;
    if (!runs) return STEP_NEXT;
    if (oracle_is_group(i)) return STEP_GROUP;
    enum oracle_step s = execute(t, i);
    return t->block->failed ? STEP_FAULT : s;
}
