// One instruction as text: modifiers in the order of the PTX ISA's syntax lines, operands in source order.
#include "ptx/names.h"
#include "ptx/print_impl.h"

#include <string.h>

// ---- modifiers

static void put(const struct printer *p, const char *word) { strbuf_printf(p->out, ".%s", word); }

static void put_field(const struct printer *p, enum ptx_field field, unsigned value)
{
    const char *text = value ? suffix_text(field, value) : NULL;
    if (text) put(p, text);
}

static void put_flag(const struct printer *p, bool flag, const char *word)
{
    if (flag) put(p, word);
}

static void print_mode(const struct printer *p, const struct ptx_inst *i)
{
    static const enum ptx_field fields[] = {FIELD_SHFL,     FIELD_VOTE, FIELD_BAR, FIELD_SHF,   FIELD_TESTP,
                                            FIELD_GEOMETRY, FIELD_TXQ,  FIELD_CP,  FIELD_POLICY};
    if (i->op == PTX_OP_CP) put(p, "async");
    if (i->mode == PTX_MODE_MEMBAR_PROXY) put(p, "proxy.alias");
    if (i->mode == PTX_MODE_MEMBAR_INIT) put(p, "mbarrier_init");
    put_flag(p, i->op == PTX_OP_BARRIER && i->of_cluster, "cluster");
    if (i->mode == PTX_MODE_BAR_WARP_SYNC) put(p, "warp.sync");
    if (i->mode == PTX_MODE_CP_ARRIVE) put(p, "mbarrier.arrive");
    if (i->mode == PTX_MODE_NONE) return;
    for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++) put_field(p, fields[f], (unsigned)i->mode);
    put_field(p, FIELD_PHASE, (unsigned)i->phase);
    put_flag(p, i->phase == PTX_PHASE_EXPECT, "expect_tx");
}

// Words of a fetch or a surface access before its geometry.
static void print_access(const struct printer *p, const struct ptx_inst *i)
{
    put_field(p, FIELD_LEVEL, (unsigned)i->level);
    if (i->fragment) strbuf_printf(p->out, ".%c", i->fragment);
    put_field(p, FIELD_ATOM, (unsigned)i->atom);
}

static void print_memory_order(const struct printer *p, const struct ptx_inst *i)
{
    if (i->sem == PTX_SEM_MMIO)
        put(p, "mmio.relaxed");
    else
        put_field(p, FIELD_SEM, (unsigned)i->sem);
    if (i->op == PTX_OP_MEMBAR && i->scope == PTX_SCOPE_GPU)
        put(p, "gl");
    else
        put_field(p, FIELD_SCOPE, (unsigned)i->scope);
}

static void print_spaces(const struct printer *p, const struct ptx_inst *i)
{
    if (i->op == PTX_OP_PREFETCHU) return; // no space of its own; `space` comes from a named variable
    put_flag(p, i->to, "to");
    if (i->space != PTX_SPACE_GENERIC)
        put(p, i->space == PTX_SPACE_SHARED && i->of_cluster ? "shared::cluster" : ptx_space_name(i->space));
    if (i->space_to != PTX_SPACE_GENERIC && !i->to) put(p, ptx_space_name(i->space_to));
}

static void print_arithmetic(const struct printer *p, const struct ptx_inst *i)
{
    put_field(p, FIELD_CMP, (unsigned)i->cmp);
    put_field(p, FIELD_BOOL, (unsigned)i->boolean);
    put_field(p, FIELD_HALF, (unsigned)i->half);
    put_flag(p, i->approx, "approx");
    put_flag(p, i->full, "full");
    put_field(p, FIELD_ROUND, (unsigned)i->round);
    put_field(p, FIELD_ROUND_INT, (unsigned)i->round);
    put_field(p, FIELD_ROUND_TIES, (unsigned)i->round);
    put_flag(p, i->ftz, "ftz");
    put_flag(p, i->sat, "sat");
    put_flag(p, i->clamps, "satfinite");
    put_flag(p, i->nan, "NaN");
    put_flag(p, i->xorsign, "xorsign.abs");
    put_flag(p, i->relu, "relu");
    put_flag(p, i->carry_out, "cc");
    put_flag(p, i->shift_amount, "shiftamt");
    bool clamps = i->op == PTX_OP_SHF || i->op == PTX_OP_SZEXT || i->op == PTX_OP_BMSK;
    if (clamps) put(p, i->wrap ? "wrap" : "clamp");
}

// Modifiers required by the syntax and not kept in the module, as no result depends on them.
static void print_required(const struct printer *p, const struct ptx_inst *i)
{
    bool prefetches = i->op == PTX_OP_PREFETCH || i->op == PTX_OP_PREFETCHU;
    put_flag(p, prefetches, i->bulk ? "tensormap" : "L1");
    put_flag(p, i->op == PTX_OP_APPLYPRIORITY, "L2::evict_normal");
    put_flag(p, i->op == PTX_OP_DISCARD, "L2");
    if (i->op == PTX_OP_CREATEPOLICY) put(p, i->mode == PTX_MODE_POLICY_CVT ? "L2" : "L2::evict_last");
    put_flag(p, i->op == PTX_OP_BRX, "idx");
    put_flag(p, i->op == PTX_OP_SETMAXNREG, "aligned");
    put_flag(p, i->op == PTX_OP_PMEVENT && i->operands[0].imm > 15, "mask");
}

static bool half_atomic(const struct ptx_inst *i)
{
    enum ptx_type t = i->types[0];
    bool atomic = i->op == PTX_OP_ATOM || i->op == PTX_OP_RED;
    return atomic && (t == PTX_F16 || t == PTX_F16X2 || t == PTX_BF16 || t == PTX_BF16X2);
}

// Modifiers of matrix instructions but types, in the order of the PTX ISA. The f64 rounding stands before the types.
static void print_matrix_name(const struct printer *p, const struct ptx_inst *i)
{
    if (i->op == PTX_OP_MMA && i->sparse) put_field(p, FIELD_SPARSE, i->sparse);
    if (i->op == PTX_OP_WMMA) put_field(p, FIELD_WMMA, (unsigned)i->mode);
    put_field(p, FIELD_FRAGMENT, i->fragment);
    put(p, "sync.aligned");
    put_field(p, FIELD_SHAPE, (unsigned)i->shape);
    for (unsigned k = 0; k < 2; k++) put_field(p, FIELD_LAYOUT, (unsigned)i->layouts[k]);
    put_field(p, FIELD_MATRICES, i->matrices);
    put_flag(p, i->transposed, "trans");
    put_field(p, FIELD_ROUND, (unsigned)i->round);
    put_flag(p, i->clamps, "satfinite");
    print_spaces(p, i);
    for (unsigned t = 0; t < i->type_count; t++) put(p, ptx_type_name(i->types[t]));
    if (i->boolean) put_field(p, FIELD_BITS, (unsigned)i->boolean);
    put_flag(p, i->boolean != PTX_BOOL_NONE, "popc");
}

static void print_words(const struct printer *p, const struct ptx_inst *i, unsigned words)
{
    for (unsigned bit = 1; bit <= PTX_WORD_TENSORMAP; bit <<= 1)
        if (i->bulk & words & bit) put_field(p, FIELD_BULK, bit);
}

// st.async and red.async.
static void print_async(const struct printer *p, const struct ptx_inst *i)
{
    put(p, "async");
    print_memory_order(p, i);
    print_spaces(p, i);
    print_words(p, i, PTX_WORD_MBARRIER);
    put_field(p, FIELD_ATOM, (unsigned)i->atom);
    if (i->vector > 1) strbuf_printf(p->out, ".v%u", i->vector);
}

// The words of a bulk copy, in the order of the PTX ISA.
static void print_bulk(const struct printer *p, const struct ptx_inst *i)
{
    const unsigned dimensions =
        PTX_WORD_TENSOR | PTX_WORD_1D | PTX_WORD_2D | PTX_WORD_3D | PTX_WORD_4D | PTX_WORD_5D;
    bool is_tensor = i->bulk & PTX_WORD_TENSOR, is_half = i->types[0] == PTX_F16 || i->types[0] == PTX_BF16;
    print_words(p, i, PTX_WORD_REDUCE);
    put(p, "async.bulk");
    put_field(p, FIELD_CP, (unsigned)i->mode);
    print_words(p, i, PTX_WORD_READ | PTX_WORD_PREFETCH);
    print_words(p, i, dimensions);
    put_flag(p, i->bulk & PTX_WORD_PREFETCH, "L2");
    print_spaces(p, i);
    if (is_tensor) put_field(p, FIELD_ATOM, (unsigned)i->atom);
    print_words(p, i, PTX_WORD_TILE | PTX_WORD_IM2COL);
    print_words(p, i, PTX_WORD_MBARRIER | PTX_WORD_GROUP | PTX_WORD_MULTICAST);
    if (!is_tensor) put_field(p, FIELD_ATOM, (unsigned)i->atom);
    put_flag(p, i->type_count && is_half && i->atom == PTX_ATOM_ADD, "noftz");
}

static void print_warpgroup(const struct printer *p, const struct ptx_inst *i)
{
    put_field(p, FIELD_CP, (unsigned)i->mode);
    if (i->sparse) put_field(p, FIELD_SPARSE, i->sparse);
    put(p, "sync.aligned");
    if (!i->shape) return;
    strbuf_printf(p->out, ".m64n%uk%u", i->columns, i->depth);
    put_flag(p, i->clamps, "satfinite");
    for (unsigned t = 0; t < i->type_count; t++) put(p, ptx_type_name(i->types[t]));
    put_flag(p, i->boolean != PTX_BOOL_NONE, "and.popc");
}

static void print_name(const struct printer *p, const struct ptx_inst *i)
{
    strbuf_puts(p->out, ptx_op_name(i->op));
    if (i->op == PTX_OP_WGMMA) {
        print_warpgroup(p, i);
        return;
    }
    if (i->shape) {
        print_matrix_name(p, i);
        return;
    }
    if (i->bulk && i->op != PTX_OP_PREFETCH) {
        (i->op == PTX_OP_CP ? print_bulk : print_async)(p, i);
        for (unsigned t = 0; t < i->type_count; t++) put(p, ptx_type_name(i->types[t]));
        return;
    }
    put_flag(p, i->sync, "sync");
    if (ptx_op_names_texture(i->op)) print_access(p, i);
    print_mode(p, i);
    put_flag(p, i->op == PTX_OP_BARRIER && i->aligned, "aligned");
    print_memory_order(p, i);
    put_field(p, FIELD_CACHE, (unsigned)i->cache);
    print_spaces(p, i);
    put_flag(p, i->non_coherent, "nc");
    if (i->op != PTX_OP_SURED) put_field(p, FIELD_ATOM, (unsigned)i->atom);
    put_flag(p, half_atomic(i), "noftz");
    print_arithmetic(p, i);
    print_required(p, i);
    put_flag(p, i->uniform, "uni");
    if (i->vector > 1) strbuf_printf(p->out, ".v%u", i->vector);
    for (unsigned t = 0; t < i->type_count; t++) put(p, ptx_type_name(i->types[t]));
    put_field(p, FIELD_BOUNDARY, (unsigned)i->boundary);
    put_field(p, FIELD_PRMT, i->op == PTX_OP_PRMT ? (unsigned)i->mode : 0);
}

// ---- operands

static void print_immediate(const struct printer *p, uint64_t bits, enum ptx_type type)
{
    if (type == PTX_F32)
        strbuf_printf(p->out, "0f%08X", (unsigned)bits);
    else if (type == PTX_F64)
        strbuf_printf(p->out, "0d%016llX", (unsigned long long)bits);
    else
        strbuf_printf(p->out, "%lld", (long long)bits);
}

static void print_special(const struct printer *p, const struct ptx_operand *o)
{
    static const char *const reserved[] = {"begin", "end", "cap", "0", "1"};
    unsigned n = o->component;
    switch ((int)o->sreg) {
    case PTX_SREG_PM: strbuf_printf(p->out, "%%pm%u", n); return;
    case PTX_SREG_PM64: strbuf_printf(p->out, "%%pm%u_64", n); return;
    case PTX_SREG_ENVREG: strbuf_printf(p->out, "%%envreg%u", n); return;
    case PTX_SREG_RESERVED_SMEM: strbuf_printf(p->out, "%%reserved_smem_offset_%s", reserved[n]); return;
    default: break;
    }
    strbuf_puts(p->out, ptx_sreg_name(o->sreg));
    if (ptx_sreg_components(o->sreg) == 3) strbuf_printf(p->out, ".%c", "xyz"[n]);
}

static void print_offset(const struct printer *p, int64_t offset)
{
    if (offset) strbuf_printf(p->out, "+%lld", (long long)offset);
}

static void print_operand(const struct printer *p, const struct ptx_operand *o, enum ptx_type type);

static void print_elements(const struct printer *p, const struct ptx_operand *o, enum ptx_type type)
{
    strbuf_putc(p->out, '{');
    for (unsigned e = 0; e < o->count; e++) {
        if (e) strbuf_puts(p->out, ", ");
        print_operand(p, &o->elements[e], type);
    }
    strbuf_putc(p->out, '}');
}

static void print_memory(const struct printer *p, const struct ptx_operand *o)
{
    strbuf_putc(p->out, '[');
    if (o->variable)
        strbuf_puts(p->out, print_variable_name(p, o->variable));
    else if (o->reg >= 0)
        strbuf_puts(p->out, p->regs[o->reg]);
    else
        strbuf_printf(p->out, "%llu", (unsigned long long)o->imm);
    print_offset(p, o->offset);
    if (o->count) {
        strbuf_puts(p->out, ", ");
        print_elements(p, o, PTX_NONE);
    }
    strbuf_putc(p->out, ']');
}

static void print_operand(const struct printer *p, const struct ptx_operand *o, enum ptx_type type)
{
    switch (o->kind) {
    case PTX_OPERAND_REG: strbuf_printf(p->out, "%s%s", o->negated ? "!" : "", p->regs[o->reg]); return;
    case PTX_OPERAND_IMM: print_immediate(p, o->imm, type); return;
    case PTX_OPERAND_SREG: print_special(p, o); return;
    case PTX_OPERAND_SYMBOL:
        strbuf_puts(p->out, print_variable_name(p, o->variable));
        print_offset(p, o->offset);
        return;
    case PTX_OPERAND_FUNCTION: strbuf_puts(p->out, o->function->name); return;
    case PTX_OPERAND_MEMORY: print_memory(p, o); return;
    case PTX_OPERAND_LABEL: strbuf_puts(p->out, p->labels[o->label]); return;
    case PTX_OPERAND_LABELS: strbuf_puts(p->out, p->tables[o->label]); return;
    case PTX_OPERAND_SINK: strbuf_putc(p->out, '_'); return;
    case PTX_OPERAND_VECTOR: print_elements(p, o, type); return;
    case PTX_OPERAND_PAIR:
        print_operand(p, &o->elements[0], type);
        strbuf_putc(p->out, '|');
        print_operand(p, &o->elements[1], type);
        return;
    case PTX_OPERAND_NONE: return;
    }
}

// Type of an immediate at an operand's position; PTX_NONE: printed as an integer.
static enum ptx_type operand_type(const struct printer *p, const struct ptx_inst *i, unsigned operand)
{
    if (i->shape || i->bulk) return PTX_NONE; // matrix instructions, bulk copies
    switch (signature_letter(p->signatures, i, operand)) {
    case 'd':
    case 's':
    case 'w':
    case 'L':
    case 'S': return i->types[0];
    case 't':
    case 'y': return i->types[1];
    case 0:
        if (i->mode == PTX_MODE_POLICY_FRACTIONAL) return PTX_F32;
        if (ptx_op_names_texture(i->op) && operand == ptx_coordinates_place(i))
            return i->type_count == 2 ? i->types[1] : PTX_NONE;
        if (i->level == PTX_LEVEL_GRADIENT) return PTX_F32;
        return i->op == PTX_OP_TEX ? i->types[1] : i->types[0];
    default: return PTX_NONE;
    }
}

// A layer, the first coordinate, is an integer whatever the others are.
static void print_coordinates(const struct printer *p, const struct ptx_operand *o, enum ptx_type type,
                              bool layered)
{
    strbuf_putc(p->out, '{');
    for (unsigned e = 0; e < o->count; e++) {
        if (e) strbuf_puts(p->out, ", ");
        print_operand(p, &o->elements[e], layered && !e ? PTX_U32 : type);
    }
    strbuf_putc(p->out, '}');
}

static void print_operands(const struct printer *p, const struct ptx_inst *i)
{
    bool texture = ptx_op_names_texture(i->op);
    for (unsigned o = 0; o < i->operand_count; o++) {
        strbuf_puts(p->out, o ? ", " : " ");
        if (texture && o == ptx_texture_place(i->op)) strbuf_putc(p->out, '[');
        if (texture && o == ptx_coordinates_place(i) && i->operands[o].kind == PTX_OPERAND_VECTOR)
            print_coordinates(p, &i->operands[o], operand_type(p, i, o), ptx_is_layered(i->mode));
        else
            print_operand(p, &i->operands[o], operand_type(p, i, o));
        if (texture && o == ptx_coordinates_place(i)) strbuf_putc(p->out, ']');
        if (i->op != PTX_OP_WGMMA || i->operands[o].kind == PTX_OPERAND_VECTOR) continue;
        for (unsigned k = 0; k < i->operands[o].count; k++) {
            strbuf_puts(p->out, ", ");
            print_operand(p, &i->operands[o].elements[k], PTX_NONE);
        }
    }
}

// ---- calls

static void print_list(const struct printer *p, const struct ptx_operand *list, unsigned count,
                       struct ptx_variable **formals)
{
    strbuf_putc(p->out, '(');
    for (unsigned o = 0; o < count; o++) {
        if (o) strbuf_puts(p->out, ", ");
        print_operand(p, &list[o], formals[o]->type);
    }
    strbuf_putc(p->out, ')');
}

static const struct ptx_prototype *called_prototype(const struct ptx_inst *i)
{
    return i->call_target.kind == PTX_OPERAND_FUNCTION ? &i->call_target.function->prototype
                                                       : i->call_prototype;
}

static void print_call(const struct printer *p, const struct ptx_inst *i, uint32_t index)
{
    const struct ptx_prototype *t = called_prototype(i);
    strbuf_putc(p->out, ' ');
    if (i->call_return_count) {
        print_list(p, i->call_returns, i->call_return_count, t->returns);
        strbuf_puts(p->out, ", ");
    }
    print_operand(p, &i->call_target, PTX_NONE);
    if (i->call_argument_count) {
        strbuf_puts(p->out, ", ");
        print_list(p, i->call_arguments, i->call_argument_count, t->params);
    }
    if (i->call_target.kind != PTX_OPERAND_FUNCTION) strbuf_printf(p->out, ", prototype$%u", index);
}

static void print_call_prototype(const struct printer *p, const struct ptx_inst *i, uint32_t index)
{
    const struct ptx_prototype *t = i->call_prototype;
    strbuf_printf(p->out, "    prototype$%u: .callprototype ", index);
    if (t->return_count) print_parameters(p, t->returns, t->return_count, false);
    strbuf_puts(p->out, " _ ");
    print_parameters(p, t->params, t->param_count, false);
    strbuf_puts(p->out, t->noreturn ? " .noreturn;\n" : ";\n");
}

// Whether the instruction was kept unread: only its name is known, enough to keep it refused.
static bool is_unread(const struct ptx_inst *i)
{
    if (!i->unsupported || i->operand_count || i->op == PTX_OP_CALL) return false;
    const char *name = ptx_op_name(i->op);
    return strncmp(i->unsupported, name, strlen(name)) == 0;
}

void print_instruction(const struct printer *p, uint32_t index)
{
    const struct ptx_inst *i = &p->f->insts[index];
    if (i->op == PTX_OP_CALL && i->call_target.kind != PTX_OPERAND_FUNCTION)
        print_call_prototype(p, i, index);
    strbuf_puts(p->out, "    ");
    if (i->guard >= 0) strbuf_printf(p->out, "@%s%s ", i->guard_negated ? "!" : "", p->regs[i->guard]);
    if (is_unread(i)) {
        strbuf_puts(p->out, i->unsupported);
    } else {
        print_name(p, i);
        if (i->op == PTX_OP_CALL)
            print_call(p, i, index);
        else
            print_operands(p, i);
    }
    strbuf_puts(p->out, ";\n");
}
