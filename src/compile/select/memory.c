// Selection of memory accesses, atomics and texture fetches.
//
// An address is [register + offset]; constant addends move into the offset, up to its 24 bits. An access to
// several values of 4 or 8 bytes becomes one access of 8 or 16 bytes with an aligned register group. Several
// smaller values are loaded by one access and unpacked, or packed before one store.
#include "base/bits.h"
#include "compile/select/select.h"
#include "isa/modes.h"
#include "isa/profile.h"
#include "isa/space.h"

enum { OFFSET_LIMIT = 1 << 23 };

static bool fits_offset(int64_t offset) { return offset >= -OFFSET_LIMIT && offset < OFFSET_LIMIT; }

// Moves constant addends of a 64-bit address into *offset and returns the remaining base.
static struct ir_value *strip_offset(struct select *s, struct ir_value *v, int64_t *offset)
{
    for (;;) {
        struct ir_inst *add = def_of(v, IR_ADD);
        uint64_t bits;
        if (!add || s->units[strip(v)->id] != MACH_NONE || !constant_of(ir_operand(add, 1), &bits)) return v;
        bool wide = isa_type_bytes((enum isa_type)add->type) == 8;
        int64_t addend = wide ? (int64_t)bits : (int32_t)bits;
        if (!wide || !fits_offset(addend) || !fits_offset(*offset + addend)) return v;
        *offset += addend;
        folded(s, add);
        v = ir_operand(add, 0);
    }
}

static struct source memory_operand(uint32_t unit, unsigned width, int64_t offset)
{
    struct operand o = {.kind = OPERAND_MEM, .width = (uint8_t)width, .value = (uint32_t)offset};
    return (struct source){o, unit};
}

// A 32-bit address; constant addends move into the offset. In shared and local memory the sum cannot wrap:
// both are much smaller than the range of offsets.
static struct source narrow_address(struct select *s, struct ir_value *v, int64_t offset)
{
    uint64_t bits;
    struct ir_inst *frame = def_of(v, IR_FRAME);
    if (constant_of(v, &bits))
        return memory_operand(MACH_NONE, 1, (int64_t)(uint32_t)(bits + (uint64_t)offset));
    if (frame && s->ir->is_kernel) return memory_operand(MACH_NONE, 1, frame->offset + offset);
    if (frame) {
        struct source o = memory_operand(mach_stack_pointer(s->f), 1, frame->offset + offset);
        o.o.bank = MACH_FRAME;
        return o;
    }
    struct ir_inst *add = def_of(v, IR_ADD);
    if (add && constant_of(ir_operand(add, 1), &bits) && fits_offset(offset + (int32_t)bits) &&
        s->units[strip(v)->id] == MACH_NONE) {
        folded(s, add);
        return narrow_address(s, ir_operand(add, 0), offset + (int32_t)bits);
    }
    return memory_operand(source_reg(s, v).unit, 1, offset);
}

static struct source address_of(struct select *s, struct ir_value *v, int64_t offset)
{
    if (v->class != IR_CLASS_64) return narrow_address(s, v, offset);
    v = strip_offset(s, v, &offset);
    struct source base = source_pair(s, v);
    if (!fits_offset(offset)) { // rare: add in registers
        uint32_t sum = mach_reg(s->f, 2), carry = mach_pred(s->f);
        struct source p = source_true();
        p.unit = carry;
        struct source low = source_unit(base.unit, 1),
                      high = source_unit(base.unit == MACH_NONE ? MACH_NONE : base.unit + 1, 1);
        emit_add(s, sum, low, source_imm((uint32_t)offset), carry);
        emit_addx(s, sum + 1, high, source_imm((uint32_t)(offset >> 32)), p, MACH_NONE);
        base = source_unit(sum, 2);
        offset = 0;
    }
    if (base.unit == MACH_NONE) { // null: still a 64-bit address
        uint32_t zero = mach_reg(s->f, 2);
        move_to(s, zero, source_zero());
        move_to(s, zero + 1, source_zero());
        base = source_unit(zero, 2);
    }
    return memory_operand(base.unit, 2, offset);
}

// -- profile ptxplus ----------------------------------------------------------------------------------------

enum { SHARED_OFFSET_LIMIT = 0x80, SCAN_MAX = 64 };

// Profile ptxplus: a shared access takes an offset of 0 to 127 bytes, a local access any offset, any other
// access none. For other offsets an ADD computes the 32-bit address.
static struct source plus_address(struct select *s, struct source a, unsigned space)
{
    int32_t offset = (int32_t)a.o.value;
    bool near =
        space == SPACE_SHARED ? offset >= 0 && offset < SHARED_OFFSET_LIMIT : space == SPACE_LOCAL || !offset;
    if (s->profile != PROFILE_PTXPLUS || near || a.unit == MACH_NONE || a.o.width != 1) return a;
    struct source sum = source_unit(mach_reg(s->f, 1), 1);
    emit_add(s, sum.unit, source_unit(a.unit, 1), source_imm(a.o.value), MACH_NONE);
    a.unit = sum.unit;
    a.o.value = 0;
    return a;
}

static bool is_shared_word(const struct ir_inst *i)
{
    return i->op == IR_LOAD && i->space == SPACE_SHARED && isa_type_bytes((enum isa_type)i->type) == 4 &&
           i->sem == SEM_WEAK;
}

// True if `user` is one of the SCAN_MAX instructions after the load in the same block, and no instruction
// between changes memory, synchronises or branches.
static bool can_wait(const struct ir_inst *load, const struct ir_inst *user)
{
    unsigned scanned = 0;
    for (const struct ir_inst *i = load->next; i && scanned < SCAN_MAX; i = i->next, scanned++) {
        if (i == user) return true;
        if (ir_table[i->op].flags & (IR_WRITE | IR_EFFECT | IR_END)) return false;
    }
    return false;
}

bool select_shared_operand(struct select *s, struct ir_value *v, struct source *o)
{
    struct ir_inst *i = s->inst ? fold_of(s, v, IR_LOAD) : NULL; // phis take no shared operands
    if (!i || !is_shared_word(i) || i->def_count != 1 || i->guard.value || !can_wait(i, s->inst))
        return false;
    folded(s, i);
    *o = plus_address(s, address_of(s, ir_operand(i, 0), i->offset), SPACE_SHARED);
    o->o.kind = OPERAND_SHARED;
    return true;
}

// Loads from shared memory as one MOV per word.
static void move_shared_words(struct select *s, struct ir_inst *i)
{
    for (uint32_t k = 0; k < i->def_count; k++) {
        uint32_t unit = wanted(s, i, k);
        if (unit == MACH_NONE) continue;
        struct source o = plus_address(s, address_of(s, ir_operand(i, 0), i->offset + 4 * k), SPACE_SHARED);
        o.o.kind = OPERAND_SHARED;
        move_to(s, unit, o);
    }
}

static unsigned load_op(unsigned space)
{
    switch (space) {
    case SPACE_GLOBAL: return OP_LDG;
    case SPACE_SHARED: return OP_LDS;
    case SPACE_LOCAL: return OP_LDL;
    case SPACE_CONST: return OP_LDC;
    }
    return OP_LD;
}

static unsigned store_op(unsigned space)
{
    switch (space) {
    case SPACE_GLOBAL: return OP_STG;
    case SPACE_SHARED: return OP_STS;
    case SPACE_LOCAL: return OP_STL;
    }
    return OP_ST;
}

static unsigned access_type(unsigned type)
{
    switch (isa_type_bytes((enum isa_type)type)) {
    case 1: return type == TYPE_S8 ? TYPE_S8 : TYPE_U8;
    case 2: return type == TYPE_S16 ? TYPE_S16 : TYPE_U16;
    case 4: return TYPE_B32;
    case 8: return TYPE_B64;
    }
    return TYPE_B128;
}

static unsigned type_of_bytes(unsigned bytes)
{
    return bytes == 1   ? TYPE_U8
           : bytes == 2 ? TYPE_U16
           : bytes == 4 ? TYPE_B32
           : bytes == 8 ? TYPE_B64
                        : TYPE_B128;
}

static void set_order(struct mach_inst *m, const struct ir_inst *i)
{
    m->i.cache = i->cache;
    m->i.sem = i->sem;
    m->i.scope = i->scope;
    if (m->i.op == OP_LDG) m->i.flags |= i->flags & INST_NC;
    if (m->i.op == OP_LDC) m->i.bank = i->bank;
}

static void set_guard(struct select *s, struct mach_inst *m, struct ir_inst *i)
{
    if (!i->guard.value) return;
    struct source p = source_pred(s, i->guard.value);
    m->guard = p.unit;
    m->i.guard_not = i->guard_not ^ ((p.o.flags & OPERAND_NOT) != 0);
}

static unsigned width_of(const struct ir_value *v)
{
    return v->class == IR_CLASS_64 ? 2 : v->class == IR_CLASS_128 ? 4 : 1;
}

// Guarded load, atomic or texture fetch: register group with copies of the destination's old values, kept by
// lanes with a false guard. MACH_NONE: no guard, or no old values.
static uint32_t old_group(struct select *s, struct ir_inst *i)
{
    if (!i->guard.value || !i->old) return MACH_NONE;
    unsigned total = 0;
    bool any = false;
    for (uint32_t k = 0; k < i->def_count; k++) {
        total += width_of(i->defs[k]);
        any |= i->old[k].value != NULL;
    }
    if (!any) return MACH_NONE;
    uint32_t unit = mach_reg(s->f, total), at = unit;
    for (uint32_t k = 0; k < i->def_count; k++) {
        struct ir_value *old = i->old[k].value;
        for (unsigned h = 0; h < width_of(i->defs[k]); h++, at++) {
            struct source o = source_zero();
            if (old) o = width_of(i->defs[k]) == 2 ? source_half(s, old, (enum half)h) : source_any(s, old);
            move_to(s, at, o);
        }
    }
    return unit;
}

// Guard and kept old values of an instruction whose results lie in the group `unit`; MACH_NONE: no result is wanted.
void select_guard(struct select *s, struct mach_inst *m, struct ir_inst *i, uint32_t unit)
{
    if (unit != MACH_NONE) m->old[0] = old_group(s, i);
    set_guard(s, m, i);
}

// The address operand of an access with its address in use 0.
struct source select_address(struct select *s, struct ir_inst *i)
{
    return plus_address(s, address_of(s, ir_operand(i, 0), i->offset), i->space);
}

// -- loads --------------------------------------------------------------------------------------------------

// Unpacks vectors (v2, v4) of bytes or half words from the wide load in register group `group`. The upper
// bits of a byte or half word in a register are unspecified, so a part in a word's low bits needs no shift.
static void unpack_small(struct select *s, struct ir_inst *i, uint32_t group)
{
    unsigned size = isa_type_bytes((enum isa_type)i->type);
    for (uint32_t k = 0; k < i->def_count; k++) {
        uint32_t dst = wanted(s, i, k), word = group + k * size / 4, shift = 8 * (k * size % 4);
        if (dst == MACH_NONE) continue;
        if (!shift)
            copy_to(s, dst, source_unit(word, 1));
        else {
            struct mach_inst *m = begin(s, OP_SHR);
            m->i.type = TYPE_U32;
            set_dst(m, 0, dst, 1);
            set_src(m, 0, source_unit(word, 1));
            set_src(m, 1, source_imm(shift));
            finish(s, m);
        }
    }
}

static void select_small_vector(struct select *s, struct ir_inst *i)
{
    unsigned bytes = i->def_count * isa_type_bytes((enum isa_type)i->type), words = bytes > 4 ? bytes / 4 : 1;
    struct mach_inst *m = begin(s, load_op(i->space));
    uint32_t group = mach_reg(s->f, words);
    m->i.type = (uint8_t)type_of_bytes(bytes);
    set_order(m, i);
    set_dst(m, 0, group, words);
    set_src(m, 0, plus_address(s, address_of(s, ir_operand(i, 0), i->offset), i->space));
    uint32_t old = MACH_NONE;
    if (i->guard.value && i->old) { // pack the old values like the parts of a store
        struct ir_value *parts[8];
        bool any = false;
        for (uint32_t k = 0; k < i->def_count; k++) any |= (parts[k] = i->old[k].value) != NULL;
        if (any) old = select_pack_small(s, parts, i->def_count, isa_type_bytes((enum isa_type)i->type));
    }
    m->old[0] = old;
    set_guard(s, m, i);
    insert(s, m);
    unpack_small(s, i, group);
}

void select_load(struct select *s, struct ir_inst *i)
{
    unsigned size = isa_type_bytes((enum isa_type)i->type);
    if (i->def_count > 1 && size < 4) {
        select_small_vector(s, i);
        return;
    }
    if (s->profile == PROFILE_PTXPLUS && is_shared_word(i) && !i->guard.value) {
        move_shared_words(s, i);
        return;
    }
    unsigned width = size * i->def_count > 4 ? size * i->def_count / 4 : 1;
    struct mach_inst *m = begin(s, load_op(i->space));
    uint32_t unit = MACH_NONE;
    for (uint32_t k = i->def_count; k-- > 0;)
        if (wanted(s, i, k) != MACH_NONE) unit = wanted(s, i, k);
    // If any result of a vector load is requested, the whole register group is, from the first result on.
    if (i->def_count > 1 && unit != MACH_NONE) unit = wanted(s, i, 0);
    m->i.type = (uint8_t)(i->def_count > 1 ? type_of_bytes(size * i->def_count) : access_type(i->type));
    set_order(m, i);
    set_dst(m, 0, unit, width);
    set_src(m, 0, plus_address(s, address_of(s, ir_operand(i, 0), i->offset), i->space));
    if (unit != MACH_NONE) m->old[0] = old_group(s, i);
    set_guard(s, m, i);
    insert(s, m);
}

// -- stores -------------------------------------------------------------------------------------------------

// Packs bytes or half words into fresh registers; returns the first unit.
uint32_t select_pack_small(struct select *s, struct ir_value **parts, unsigned count, unsigned size)
{
    unsigned bytes = count * size, words = bytes > 4 ? bytes / 4 : 1, per_word = size == 1 ? 4 : 2;
    uint32_t group = mach_reg(s->f, words);
    for (unsigned w = 0; w < words; w++) {
        struct source sum = source_zero();
        unsigned end = count < (w + 1) * per_word ? count : (w + 1) * per_word;
        for (unsigned k = w * per_word; k < end; k++) {
            unsigned at = k - w * per_word;
            // PRMT selector: bytes packed earlier stay; the bytes of part k come from the second register,
            // where byte numbers start at 4.
            unsigned selector = size == 1 ? (at == 1 ? 0x0040 : at == 2 ? 0x0410 : 0x4210) : 0x5410;
            struct source part = parts[k] ? source_reg(s, parts[k]) : source_zero();
            bool last = k + 1 == end;
            if (!at && !last) {
                sum = part;
                continue;
            }
            uint32_t unit = last ? group + w : mach_reg(s->f, 1);
            if (!at)
                copy_to(s, unit, part);
            else
                emit3(s, OP_PRMT, unit, sum, source_imm(selector), part);
            sum = source_unit(unit, 1);
        }
    }
    return group;
}

// The values of a store in a register or register group.
static struct source stored_values(struct select *s, struct ir_inst *i)
{
    unsigned size = isa_type_bytes((enum isa_type)i->type), count = i->use_count - 1;
    struct ir_value *parts[8];
    for (unsigned k = 0; k < count; k++) parts[k] = ir_operand(i, k + 1);
    if (count == 1) return size == 8 ? source_pair(s, parts[0]) : source_reg(s, parts[0]);
    if (size < 4) {
        unsigned words = size * count > 4 ? size * count / 4 : 1;
        return source_unit(select_pack_small(s, parts, count, size), words);
    }
    uint32_t group = mach_reg(s->f, size / 4 * count), at = group;
    for (unsigned k = 0; k < count; k++)
        for (unsigned h = 0; h < size / 4; h++)
            move_to(s, at++, size == 8 ? source_half(s, parts[k], (enum half)h) : source_any(s, parts[k]));
    return source_unit(group, size / 4 * count);
}

void select_store(struct select *s, struct ir_inst *i)
{
    unsigned bytes = isa_type_bytes((enum isa_type)i->type) * (i->use_count - 1);
    struct mach_inst *m = begin(s, store_op(i->space));
    m->i.type = (uint8_t)type_of_bytes(bytes);
    set_order(m, i);
    set_src(m, 1, stored_values(s, i));
    set_src(m, 0, plus_address(s, address_of(s, ir_operand(i, 0), i->offset), i->space));
    set_guard(s, m, i);
    insert(s, m);
}

// -- atomics and the rest -----------------------------------------------------------------------------------

static struct source atomic_operand(struct select *s, struct ir_inst *i, uint32_t k)
{
    return isa_type_bytes((enum isa_type)i->type) == 8 ? source_pair(s, ir_operand(i, k))
                                                       : source_reg(s, ir_operand(i, k));
}

void select_atomic(struct select *s, struct ir_inst *i)
{
    bool reduces = i->op == IR_RED && i->space != SPACE_SHARED;
    unsigned op = reduces                    ? OP_RED
                  : i->space == SPACE_GLOBAL ? OP_ATOMG
                  : i->space == SPACE_SHARED ? OP_ATOMS
                                             : OP_ATOM;
    struct mach_inst *m = begin(s, op);
    m->i.type = i->type;
    m->i.mode = i->mode;
    m->i.flags = i->flags & INST_FTZ;
    m->i.space = reduces ? i->space : SPACE_GENERIC;
    set_order(m, i);
    unsigned width = isa_type_bytes((enum isa_type)i->type) == 8 ? 2 : 1;
    if (!reduces) set_dst(m, 0, wanted(s, i, 0), width);
    set_src(m, 0, plus_address(s, address_of(s, ir_operand(i, 0), i->offset), i->space));
    set_src(m, 1, atomic_operand(s, i, 1));
    if (i->mode == MODE_ATOM_CAS) set_src(m, 2, atomic_operand(s, i, 2));
    if (!reduces && wanted(s, i, 0) != MACH_NONE) m->old[0] = old_group(s, i);
    set_guard(s, m, i);
    insert(s, m);
}

void select_copy_async(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, OP_LDGSTS);
    m->i.type = (uint8_t)type_of_bytes(isa_type_bytes((enum isa_type)i->type));
    m->i.cache = i->cache;
    set_src(m, 0, plus_address(s, address_of(s, ir_operand(i, 0), i->offset), i->space));
    set_src(m, 1, address_of(s, ir_operand(i, 1), i->offset2));
    if (i->use_count > 2) set_src(m, 2, source_reg(s, ir_operand(i, 2)));
    set_guard(s, m, i);
    insert(s, m);
}

void select_copy_arrive(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, OP_ARRIVES);
    m->i.type = TYPE_B64;
    set_src(m, 0, plus_address(s, address_of(s, ir_operand(i, 0), i->offset), i->space));
    set_guard(s, m, i);
    insert(s, m);
}

void select_prefetch(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, OP_CCTL);
    m->i.space = i->space;
    m->i.cache = i->cache;
    set_src(m, 0, plus_address(s, address_of(s, ir_operand(i, 0), i->offset), i->space));
    set_guard(s, m, i);
    insert(s, m);
}

// Copies of `count` values from use `first` on in a group of `width` registers, the rest zero.
static struct source coordinate_group(struct select *s, struct ir_inst *i, unsigned first, unsigned count,
                                      unsigned width)
{
    if (width == 1) return source_reg(s, ir_operand(i, first));
    uint32_t group = mach_reg(s->f, width);
    for (unsigned k = 0; k < width; k++)
        move_to(s, group + k, k < count ? source_any(s, ir_operand(i, first + k)) : source_zero());
    return source_unit(group, width);
}

void select_texture(struct select *s, struct ir_inst *i)
{
    static const uint16_t ops[] = {[FETCH_PLAIN] = OP_TEX,
                                   [FETCH_LEVEL] = OP_TEXLL,
                                   [FETCH_GRADIENT] = OP_TXD,
                                   [FETCH_GATHER] = OP_TLD4};
    enum ir_fetch kind = (enum ir_fetch)i->offset;
    struct mach_inst *m = begin(s, ops[kind]);
    // Registers of the coordinates and of each gradient; three take four. A cube's layer is a fourth coordinate.
    unsigned dimensions = (unsigned)(i->mode - MODE_TEX_1D) + 1, width = dimensions == 3 ? 4 : dimensions,
             more = kind == FETCH_LEVEL      ? 1
                    : kind == FETCH_GRADIENT ? 2 * dimensions
                                             : 0,
             count = i->use_count - 1 - more, next = 1 + count;
    uint32_t unit = MACH_NONE;
    for (uint32_t k = 0; k < i->def_count; k++)
        if (unit == MACH_NONE && wanted(s, i, k) != MACH_NONE) unit = wanted(s, i, k) - k;
    m->i.type = i->type;
    m->i.type2 = i->type2;
    m->i.mode = i->mode;
    if (kind == FETCH_GATHER) m->i.shift = i->bank;
    set_dst(m, 0, unit, 4);
    struct source coordinates = coordinate_group(s, i, 1, count, width);
    set_src(m, 0, source_pair(s, ir_operand(i, 0)));
    set_src(m, 1, coordinates);
    if (kind == FETCH_LEVEL) set_src(m, 2, source_reg(s, ir_operand(i, next)));
    for (unsigned k = 0; kind == FETCH_GRADIENT && k < 2; k++)
        set_src(m, 2 + k, coordinate_group(s, i, next + k * dimensions, dimensions, width));
    select_guard(s, m, i, unit);
    insert(s, m);
}

void select_surface(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, i->bank ? OP_SUEAUC : OP_SUEAU);
    unsigned count = i->use_count - 1, width = count == 3 ? 4 : count;
    m->i.mode = i->mode;
    m->i.shift = (uint8_t)i->offset;
    set_dst(m, 0, wanted(s, i, 0), 2);
    set_dst_pred(m, 1, wanted(s, i, 1));
    struct source coordinates = coordinate_group(s, i, 1, count, width);
    set_src(m, 0, source_pair(s, ir_operand(i, 0)));
    set_src(m, 1, coordinates);
    finish(s, m);
}
