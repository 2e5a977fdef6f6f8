// Addresses, loads, stores and atomics (PTX ISA 9.7.9.8 and on, 9.7.13.5).
#include "oracle/number.h"
#include "oracle/oracle_impl.h"

#include <string.h>

// A parameter of the kernel itself lies in the launch's parameter block; any other .param variable in the
// thread's local memory.
static bool is_kernel_param(const struct oracle_thread *t, const struct ptx_variable *v)
{
    const struct ptx_prototype *p = &t->block->l->kernel->prototype;
    for (uint32_t k = 0; k < p->param_count; k++)
        if (p->params[k] == v) return true;
    return false;
}

uint64_t oracle_address_of(struct oracle_thread *t, const struct ptx_variable *v)
{
    struct oracle *o = t->block->o;
    if (v->space == PTX_SPACE_SHARED) return oracle_offset_of(o, v);
    if (v->space == PTX_SPACE_LOCAL) return top(t)->base + oracle_offset_of(o, v);
    if (v->space == PTX_SPACE_PARAM)
        return is_kernel_param(t, v) ? v->offset : top(t)->base + oracle_offset_of(o, v);
    for (size_t k = 0; k < o->regions.count; k++)
        if (o->regions.data[k].variable == v) return o->regions.data[k].address;
    return 0;
}

uint64_t oracle_to_generic(enum ptx_space space, uint64_t address)
{
    if (space == PTX_SPACE_SHARED) return address + WINDOW_SHARED;
    if (space == PTX_SPACE_LOCAL) return address + WINDOW_LOCAL;
    if (space == PTX_SPACE_PARAM) return address + ADDRESS_PARAM;
    return address;
}

static uint8_t *find_region(struct oracle_thread *t, uint64_t address, uint64_t size, unsigned access)
{
    struct oracle *o = t->block->o;
    for (size_t k = 0; k < o->regions.count; k++) {
        const struct oracle_region *r = &o->regions.data[k];
        if (address < r->address || address - r->address > r->size || r->size - (address - r->address) < size)
            continue;
        if (access != ACCESS_READ && r->read_only) return NULL;
        if (r->cells) oracle_check_access(t, r->cells + (address - r->address), size, access);
        return r->bytes + (address - r->address);
    }
    return NULL;
}

uint8_t *oracle_host(struct oracle_thread *t, enum ptx_space space, uint64_t address, uint64_t size,
                     unsigned access)
{
    struct oracle_block *b = t->block;
    uint8_t *found = NULL;
    uint64_t a = address;
    if (is_power_of_two(size) && size <= 16 && address % size) {
        oracle_fault(t, "address 0x%llx is not a multiple of %llu", (unsigned long long)address,
                     (unsigned long long)size);
        return NULL;
    }
    if (space == PTX_SPACE_GENERIC) {
        if (a >= WINDOW_LOCAL && a < WINDOWS_END) {
            space = PTX_SPACE_LOCAL;
            a -= WINDOW_LOCAL;
        } else if (a >= WINDOW_SHARED && a < WINDOW_LOCAL) {
            space = PTX_SPACE_SHARED;
            a -= WINDOW_SHARED;
        } else if (a >= ADDRESS_PARAM && a < ADDRESS_CODE) {
            space = PTX_SPACE_PARAM;
            a -= ADDRESS_PARAM;
        }
    }
    if (space == PTX_SPACE_SHARED) {
        if (a <= b->shared_bytes && size <= b->shared_bytes - a) found = b->shared + a;
        if (found && b->cells) oracle_check_access(t, b->cells + a, size, access);
    } else if (space == PTX_SPACE_LOCAL) {
        if (a <= t->local.count && size <= t->local.count - a) found = t->local.data + a;
        if (found) oracle_check_local(t, a, size, access);
    } else if (space == PTX_SPACE_PARAM) {
        uint64_t bytes = b->l->kernel->prototype.param_bytes;
        if (access == ACCESS_READ && a <= bytes && size <= bytes - a)
            found = (uint8_t *)(uintptr_t)b->l->params + a;
    } else {
        found = find_region(t, a, size, access);
    }
    if (!found)
        oracle_fault(t, "%s of %llu bytes at 0x%llx is in no memory",
                     access == ACCESS_READ ? "read" : "write", (unsigned long long)size,
                     (unsigned long long)address);
    return b->failed ? NULL : found;
}

uint64_t oracle_memory_address(struct oracle_thread *t, const struct ptx_operand *op, enum ptx_space *space)
{
    uint64_t a = op->imm;
    if (op->kind != PTX_OPERAND_MEMORY) return oracle_read(t, op, PTX_NONE);
    if (op->reg >= 0) {
        a = oracle_get_register(t, op->reg);
    } else if (op->variable) {
        a = oracle_address_of(t, op->variable);
        if (op->variable->space == PTX_SPACE_PARAM && !is_kernel_param(t, op->variable))
            *space = PTX_SPACE_LOCAL;
        else if (*space == PTX_SPACE_GENERIC)
            *space = op->variable->space;
    } else {
        return a;
    }
    bool narrow = op->reg >= 0 && ptx_type_bits(top(t)->f->regs[op->reg].type) == 32;
    a += (uint64_t)op->offset;
    return narrow ? a & 0xffffffff : a;
}

// A register base in .param: the kernel's parameters in the kernel, the caller's stack in a function.
static enum ptx_space param_space(const struct oracle_thread *t, enum ptx_space space,
                                  const struct ptx_operand *op)
{
    if (space == PTX_SPACE_PARAM && op->reg >= 0 && t->frames.count > 1) return PTX_SPACE_LOCAL;
    return space;
}

enum oracle_step oracle_load(struct oracle_thread *t, const struct ptx_inst *i)
{
    enum ptx_type type = i->types[0];
    unsigned bytes = ptx_type_bits(type) / 8, count = i->vector ? i->vector : 1;
    enum ptx_space space = param_space(t, i->space, &i->operands[1]);
    uint64_t address = oracle_memory_address(t, &i->operands[1], &space);
    if (count > 1 && address % (bytes * count))
        return oracle_fault(t, "vector address 0x%llx", (unsigned long long)address);
    for (unsigned k = 0; k < count; k++) {
        const struct ptx_operand *d = count > 1 ? &i->operands[0].elements[k] : &i->operands[0];
        const uint8_t *from = oracle_host(t, space, address + k * bytes, bytes, ACCESS_READ);
        uint64_t v[2] = {0};
        if (!from) return STEP_FAULT;
        memcpy(v, from, bytes);
        if (d->kind != PTX_OPERAND_REG) continue;
        if (type == PTX_B128) {
            oracle_set_register(t, d->reg, v[0]);
            top(t)->high[d->reg] = v[1];
        } else {
            oracle_write(t, d, type, v[0]);
        }
    }
    return STEP_NEXT;
}

enum oracle_step oracle_store(struct oracle_thread *t, const struct ptx_inst *i)
{
    enum ptx_type type = i->types[0];
    unsigned bytes = ptx_type_bits(type) / 8, count = i->vector ? i->vector : 1;
    enum ptx_space space = param_space(t, i->space, &i->operands[0]);
    uint64_t address = oracle_memory_address(t, &i->operands[0], &space);
    if (count > 1 && address % (bytes * count))
        return oracle_fault(t, "vector address 0x%llx", (unsigned long long)address);
    for (unsigned k = 0; k < count; k++) {
        const struct ptx_operand *s = count > 1 ? &i->operands[1].elements[k] : &i->operands[1];
        uint8_t *to = oracle_host(t, space, address + k * bytes, bytes, ACCESS_WRITE);
        if (!to) return STEP_FAULT;
        uint64_t v[2] = {oracle_read(t, s, type == PTX_B128 ? PTX_B64 : type), 0};
        if (type == PTX_B128 && s->kind == PTX_OPERAND_REG) v[1] = top(t)->high[s->reg];
        memcpy(to, v, bytes);
    }
    return STEP_NEXT;
}

// atom.add on floats: rounds to nearest even. On .global f32 it flushes subnormals ("Current implementation
// of atom.add.f32 on global memory flushes subnormal inputs and results"); in other spaces and with .noftz,
// subnormals are kept.
static uint64_t add_float(enum ptx_type type, uint64_t a, uint64_t b, bool flush)
{
    const struct number_format *f = number_format(type);
    unsigned bits = f->storage_bits, halves = ptx_type_bits(type) / bits;
    uint64_t d = 0;
    for (unsigned k = 0; k < halves; k++) {
        uint64_t x = a >> k * bits & bit_mask(bits), y = b >> k * bits & bit_mask(bits);
        if (flush) {
            x = number_flush(f, x);
            y = number_flush(f, y);
        }
        struct number n = number_add(number_decode(f, x), number_decode(f, y), PTX_ROUND_RN);
        uint64_t sum = number_encode(f, n, PTX_ROUND_RN);
        if (n.class == NUMBER_NAN && type == PTX_F64) {
            uint64_t quiet_x = x | 0xfff8ull << 48, quiet_y = y | 0xfff8ull << 48;
            if (number_decode(f, x).class == NUMBER_NAN && quiet_x > sum) sum = quiet_x;
            if (number_decode(f, y).class == NUMBER_NAN && quiet_y > sum) sum = quiet_y;
        }
        if (flush) sum = number_flush(f, sum);
        d |= sum << k * bits;
    }
    return d;
}

static uint64_t combine(const struct ptx_inst *i, uint64_t old, uint64_t b, uint64_t c, bool flush)
{
    enum ptx_type type = i->types[0];
    unsigned bits = ptx_type_bits(type);
    bool lower = ptx_type_is_signed(type) ? oracle_extend(b, bits) < oracle_extend(old, bits) : b < old;
    switch (i->atom) {
    case PTX_ATOM_ADD: return ptx_type_is_float(type) ? add_float(type, old, b, flush) : old + b;
    case PTX_ATOM_MIN: return lower ? b : old;
    case PTX_ATOM_MAX: return lower ? old : b;
    case PTX_ATOM_AND: return old & b;
    case PTX_ATOM_OR: return old | b;
    case PTX_ATOM_XOR: return old ^ b;
    case PTX_ATOM_INC: return old >= b ? 0 : old + 1;
    case PTX_ATOM_DEC: return old == 0 || old > b ? b : old - 1;
    case PTX_ATOM_EXCH: return b;
    case PTX_ATOM_CAS: return old == b ? c : old;
    case PTX_ATOM_NONE: break;
    }
    return old;
}

// Key of an atomic for race checks. Two atomics of one operation commute while no thread reads the old
// value.
static unsigned atomic_access(const struct ptx_inst *i)
{
    bool seen = i->op == PTX_OP_ATOM && i->operands[0].kind != PTX_OPERAND_SINK;
    if (seen || i->atom == PTX_ATOM_EXCH || i->atom == PTX_ATOM_CAS) return ACCESS_WRITE;
    return ACCESS_ATOMIC + (unsigned)i->atom * PTX_TYPE_COUNT + (unsigned)i->types[0];
}

static bool in_window(uint64_t a) { return a >= WINDOW_SHARED && a < WINDOWS_END; }

enum oracle_step oracle_atom(struct oracle_thread *t, const struct ptx_inst *i)
{
    enum ptx_type type = i->types[0];
    unsigned bytes = ptx_type_bits(type) / 8, first = i->op == PTX_OP_ATOM ? 1 : 0;
    enum ptx_space space = i->space;
    uint64_t address = oracle_memory_address(t, &i->operands[first], &space);
    uint8_t *at = oracle_host(t, space, address, bytes, atomic_access(i));
    if (!at) return STEP_FAULT;
    if (type == PTX_B128) return oracle_fault(t, "atom.b128");
    uint64_t b = oracle_read(t, &i->operands[first + 1], type), c = 0, old = 0;
    if (i->atom == PTX_ATOM_CAS) c = oracle_read(t, &i->operands[first + 2], type);
    memcpy(&old, at, bytes);
    bool global = space == PTX_SPACE_GLOBAL || (space == PTX_SPACE_GENERIC && !in_window(address));
    uint64_t fresh = oracle_truncate(combine(i, old, b, c, type == PTX_F32 && global), 8 * bytes);
    memcpy(at, &fresh, bytes);
    if (first) oracle_write(t, &i->operands[0], type, old);
    return STEP_NEXT;
}

// cp.async copies at once, so groups and waits have no effect. Bytes past the source size are zero.
enum oracle_step oracle_cp_async(struct oracle_thread *t, const struct ptx_inst *i)
{
    if (i->mode == PTX_MODE_CP_ARRIVE) return oracle_copy_arrive(t, i);
    if (i->mode != PTX_MODE_CP_ASYNC) return STEP_NEXT;
    enum ptx_space to_space = PTX_SPACE_SHARED, from_space = PTX_SPACE_GLOBAL;
    uint64_t to = oracle_memory_address(t, &i->operands[0], &to_space);
    uint64_t from = oracle_memory_address(t, &i->operands[1], &from_space);
    uint64_t size = oracle_read(t, &i->operands[2], PTX_U32), real = size;
    bool ignores = i->operand_count > 3 && i->operands[3].kind == PTX_OPERAND_REG &&
                   top(t)->f->regs[i->operands[3].reg].type == PTX_PRED;
    if (ignores)
        real = oracle_read_pred(t, &i->operands[3]) ? 0 : size;
    else if (i->operand_count > 3)
        real = oracle_read(t, &i->operands[3], PTX_U32);
    if (real > size) real = size;
    uint8_t *d = oracle_host(t, to_space, to, size, ACCESS_WRITE);
    if (!d) return STEP_FAULT;
    memset(d, 0, size);
    if (from % size)
        return oracle_fault(t, "cp.async of %llu bytes from 0x%llx", (unsigned long long)size,
                            (unsigned long long)from);
    if (!real) return STEP_NEXT;
    const uint8_t *s = oracle_host(t, from_space, from, real, ACCESS_READ);
    if (!s) return STEP_FAULT;
    memcpy(d, s, real);
    return STEP_NEXT;
}
