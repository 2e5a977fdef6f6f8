// Contents of the typed module: registers, operands, scopes, labels, calls, data, parameters, source lines.
#include "support.h"

#include "ptx/check.h"
#include "ptx/names.h"

#include <string.h>

static struct ptx_inst *inst(const struct ptx_module *m, uint32_t i) { return &support_kernel(m)->insts[i]; }

static const char *reg_name(const struct ptx_module *m, const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_REG ? support_kernel(m)->regs[o->reg].name : "not a register";
}

static void test_header(struct test *t)
{
    struct ptx_module *m =
        support_module(t, ".version 7.8\r\n.target sm_86, debug\r\n.address_size 64\r\n"
                          ".visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 8 b,\r\n"
                          " .param .align 16 .b8 c[20], .param .f32 d)\r\n"
                          ".maxntid 128,2 .minnctapersm 3 .maxnreg 40 .reqntid 32 { ret; }\r\n"
                          ".func (.param .b32 r) f(.reg .b32 x, .reg .f64 y) .noreturn { exit; }\r\n");
    if (!m) return;
    CHECK_EQ(t, m->version_major * 100 + m->version_minor, 708);
    CHECK_STR(t, m->target, "sm_86");
    CHECK_EQ(t, m->target_sm, 86);
    CHECK_EQ(t, m->address_bits, 64);
    const struct ptx_function *k = m->functions[0], *f = m->functions[1];
    CHECK(t, k->is_entry && k->is_visible && k->has_body && !k->is_extern);
    CHECK_EQ(t, k->prototype.param_count, 4);
    static const unsigned offsets[] = {0, 8, 16, 36}, sizes[] = {1, 8, 20, 4};
    for (unsigned i = 0; i < 4; i++) {
        CHECK_EQ(t, k->prototype.params[i]->offset, offsets[i]);
        CHECK_EQ(t, k->prototype.params[i]->size_bytes, sizes[i]);
        CHECK(t, k->prototype.params[i]->is_input && k->prototype.params[i]->function == k);
    }
    CHECK_EQ(t, k->prototype.param_bytes, 40);
    CHECK_EQ(t, k->max_threads[0] * 10000 + k->max_threads[1] * 100 + k->max_threads[2], 1280201);
    CHECK_EQ(t, k->required_threads[0], 32);
    CHECK_EQ(t, k->min_blocks * 100 + k->max_registers, 340);
    CHECK(t, !f->is_entry && f->prototype.noreturn && f->prototype.returns[0]->is_output);
    CHECK_EQ(t, f->prototype.params[1]->reg, 1);
    CHECK_EQ(t, f->regs[1].type, PTX_F64);
    CHECK_EQ(t, f->prototype.returns[0]->reg, -1);
    ptx_module_free(m);
}

static void test_operands(struct test *t)
{
    struct ptx_module *m = support_body(t, "ld.param.u64 %rd1, [pointer];\n"
                                           "@!%p1 add.s32 %r1, %r2, -5;\n"
                                           "mov.u32 %r1, %ctaid.y;\n"
                                           "st.shared.v4.f32 [s+16], {%f1, %f2, 0f40000000, %f3};\n"
                                           "setp.lt.and.f32 %p1|%p2, %f1, 1.5, !%p3;\n"
                                           "mov.b64 {%r1, _}, %rd1;\n"
                                           "ld.global.nc.u8 %r1, [%rd2+-3];\n"
                                           "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tx, {%f5,%f6}];\n"
                                           "cvta.to.global.u64 %rd1, %rd2;\n"
                                           "mov.u16 %h1, 65535;\n"
                                           "mov.s16 %h1, 65535;\n"
                                           "mov.f64 %d1, 0f3F800000;\n");
    if (!m) return;
    CHECK_EQ(t, support_kernel(m)->inst_count, 12);
    const struct ptx_inst *i = inst(m, 0);
    CHECK_EQ(t, i->operands[1].kind, PTX_OPERAND_MEMORY);
    CHECK_STR(t, i->operands[1].variable->name, "pointer");
    i = inst(m, 1);
    CHECK(t, i->guard >= 0 && i->guard_negated);
    CHECK_EQ(t, i->operands[2].imm, -5);
    CHECK_STR(t, reg_name(m, &i->operands[1]), "%r2");
    i = inst(m, 2);
    CHECK_EQ(t, i->operands[1].sreg * 10 + i->operands[1].component, PTX_SREG_CTAID * 10 + 1);
    i = inst(m, 3);
    CHECK_EQ(t, i->vector, 4);
    CHECK_EQ(t, i->operands[0].offset, 16);
    CHECK_EQ(t, i->operands[1].elements[2].imm, 0x40000000);
    i = inst(m, 4);
    CHECK_EQ(t, i->operands[0].kind, PTX_OPERAND_PAIR);
    CHECK_STR(t, reg_name(m, &i->operands[0].elements[1]), "%p2");
    CHECK_EQ(t, i->operands[2].imm, 0x3fc00000);
    CHECK(t, i->operands[3].negated && i->boolean == PTX_BOOL_AND && i->cmp == PTX_CMP_LT);
    i = inst(m, 5);
    CHECK_EQ(t, i->operands[0].elements[1].kind, PTX_OPERAND_SINK);
    i = inst(m, 6);
    CHECK(t, i->non_coherent && i->space == PTX_SPACE_GLOBAL && i->operands[1].offset == -3);
    i = inst(m, 7);
    CHECK_EQ(t, i->operand_count, 3);
    CHECK_STR(t, i->operands[1].variable->name, "tx");
    CHECK_EQ(t, i->operands[2].count, 2);
    CHECK_EQ(t, i->type_count * 100 + i->types[0], 200 + PTX_F32);
    i = inst(m, 8);
    CHECK(t, i->to && i->space == PTX_SPACE_GLOBAL && i->space_to == PTX_SPACE_GLOBAL);
    CHECK_EQ(t, inst(m, 9)->operands[1].imm, 65535);
    CHECK_EQ(t, inst(m, 10)->operands[1].imm, -1);
    CHECK_EQ(t, inst(m, 11)->operands[1].imm, 0x3ff0000000000000);
    ptx_module_free(m);
}

// An inner declaration hides an outer declaration to the end of the block, for names and for ranges.
static void test_scopes(struct test *t)
{
    struct ptx_module *m = support_body(
        t, "mov.b32 %r1, 1;\n"
           "{ .reg .b64 %r1; mov.b64 %r1, 2; { .reg .f32 %r<5>; mov.f32 %r1, 0.0; mov.f32 %r2, 0.0; } }\n"
           "{ mov.b32 %r3, 1; }\n"
           "mov.b32 %r1, 3; mov.b32 %r2, 4; mov.b32 %r3, 5;\n"
           ".reg .v4 .f32 v; ld.global.v4.f32 v, [g]; mov.f32 %f1, v.z;\n");
    if (!m) return;
    const struct ptx_function *k = support_kernel(m);
    static const enum ptx_type types[] = {PTX_B32, PTX_B64, PTX_F32, PTX_F32,
                                          PTX_B32, PTX_B32, PTX_B32, PTX_B32};
    for (uint32_t i = 0; i < 8; i++) CHECK_EQ(t, k->regs[k->insts[i].operands[0].reg].type, types[i]);
    CHECK_EQ(t, k->insts[0].operands[0].reg, k->insts[5].operands[0].reg);
    CHECK(t, k->insts[3].operands[0].reg != k->insts[6].operands[0].reg);
    CHECK_EQ(t, k->insts[4].operands[0].reg, k->insts[7].operands[0].reg);
    CHECK_EQ(t, k->insts[8].operands[0].kind, PTX_OPERAND_VECTOR);
    CHECK_STR(t, reg_name(m, &k->insts[9].operands[1]), "v.z");
    CHECK_EQ(t, k->insts[9].operands[1].reg, k->insts[8].operands[0].elements[2].reg);
    ptx_module_free(m);
}

// A branch finds a label of its own block first, before or behind the branch, then labels of enclosing
// blocks.
static void test_labels(struct test *t)
{
    struct ptx_module *m = support_body(t, "bra A;\n"               // 0 -> outer A (inst 5)
                                           "{ bra A; A: exit; }\n"  // 1 -> inner A (inst 2)
                                           "{ A: bra A; bra B; }\n" // 3 -> 3, 4 -> B
                                           "A: bra B;\n"            // 5
                                           "T: .branchtargets A, B;\n"
                                           "brx.idx %r1, T;\n" // 6
                                           "B:");
    if (!m) return;
    const struct ptx_function *k = support_kernel(m);
    static const uint32_t targets[] = {5, 2, 0, 3, 7, 7};
    for (uint32_t i = 0; i < 6; i++)
        if (i != 2) CHECK_EQ(t, k->labels[k->insts[i].operands[0].label].inst, targets[i]);
    CHECK_EQ(t, k->insts[6].operands[1].kind, PTX_OPERAND_LABELS);
    const struct ptx_table *table = &k->tables[k->insts[6].operands[1].label];
    CHECK_EQ(t, table->count, 2);
    CHECK_EQ(t, k->labels[table->labels[0]].inst, 5);
    CHECK_EQ(t, k->labels[table->labels[1]].inst, k->inst_count);
    ptx_module_free(m);
}

static void test_call_forms(struct test *t)
{
    struct ptx_module *m = support_module(
        t, ".version 7.0\n.target sm_70\n.address_size 64\n"
           ".func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 b[16]);\n"
           ".func (.param .b32 r) other(.param .b32 a, .param .align 8 .b8 b[16]);\n"
           ".func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 b[16]) { ret; }\n"
           ".alias other, f;\n"
           ".entry k() { .reg .b32 %x; .reg .b64 %p; .param .align 8 .b8 s[16]; .param .b32 v;\n"
           "st.param.b64 [s+8], 7; call.uni (v), f, (5, s); ld.param.b32 %x, [v];\n"
           "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
           "mov.u64 %p, f; call (%x), %p, (%x), proto; call (_), other, (%x, s); }\n");
    if (!m) return;
    CHECK_EQ(t, m->function_count, 3);
    const struct ptx_function *f = m->functions[0], *k = m->functions[2];
    CHECK(t, f->has_body && !m->functions[1]->has_body);
    const struct ptx_inst *i = &k->insts[1];
    CHECK(t, i->uniform && i->call_target.function == f);
    CHECK_EQ(t, i->call_return_count * 10 + i->call_argument_count, 12);
    CHECK_STR(t, i->call_returns[0].variable->name, "v");
    CHECK_EQ(t, i->call_arguments[0].imm, 5);
    CHECK(t, !i->call_arguments[1].variable->is_input &&
                 i->call_arguments[1].variable->space == PTX_SPACE_PARAM);
    CHECK(t, k->insts[3].operands[1].kind == PTX_OPERAND_FUNCTION && k->insts[3].operands[1].function == f);
    i = &k->insts[4];
    CHECK(t,
          i->call_target.kind == PTX_OPERAND_REG && i->call_prototype && i->call_prototype->param_count == 1);
    i = &k->insts[5];
    CHECK_EQ(t, i->call_returns[0].kind, PTX_OPERAND_SINK);
    CHECK(t, i->call_target.function == f); // through the alias
    ptx_module_free(m);
}

static void check_bytes(struct test *t, const struct ptx_module *m, const char *name, const void *bytes,
                        size_t size)
{
    const struct ptx_variable *v = ptx_find_variable(m, name);
    CHECK_MSG(t, v && v->init && v->size_bytes == size && memcmp(v->init, bytes, size) == 0,
              "%s has other bytes", name);
}

static void test_data(struct test *t)
{
    struct ptx_module *m = support_module(
        t, ".version 7.0\n.target sm_70\n.address_size 64\n.func f() { ret; }\n"
           ".global .u32 x[4];\n"
           ".global .u32 grid[2][3] = {{1, 2}, {3, 4, 5}};\n"
           ".global .s8 bytes[] = {-1, 0x7f, 3 * 4};\n"
           ".const .v2 .f32 pairs[2] = {{1.0, 0f40000000}, {-1.0}};\n"
           ".global .f64 d = 1.5;\n"
           ".global .u64 addresses[4] = {x, x+4, generic(x)+8, f};\n"
           ".global .u8 packed[3] = {0xff(x), 0xff00(x+4), 7};\n"
           ".extern .global .u32 later;\n.global .u32 later = 9;\n"
           ".common .global .align 16 .b8 area[100];\n.extern .shared .align 16 .b8 dynamic[];\n");
    if (!m) return;
    check_bytes(t, m, "grid", (const uint32_t[]){1, 2, 0, 3, 4, 5}, 24);
    check_bytes(t, m, "bytes", "\xff\x7f\x0c", 3);
    check_bytes(t, m, "pairs", (const float[]){1, 2, -1, 0}, 16);
    check_bytes(t, m, "d", &(const double){1.5}, 8);
    check_bytes(t, m, "later", &(const uint32_t){9}, 4);
    const struct ptx_variable *v = ptx_find_variable(m, "addresses"), *x = ptx_find_variable(m, "x");
    CHECK_EQ(t, v->relocation_count, 4);
    CHECK(t, v->relocations[1].variable == x && v->relocations[1].addend == 4 && !v->relocations[1].generic);
    CHECK(t, v->relocations[2].generic && v->relocations[2].addend == 8 && v->relocations[2].offset == 16);
    CHECK(t, v->relocations[3].function == m->functions[0] && !v->relocations[3].variable);
    v = ptx_find_variable(m, "packed");
    CHECK_EQ(t, v->relocations[1].shift * 100 + v->relocations[1].size, 801);
    CHECK_EQ(t, v->init[2], 7);
    v = ptx_find_variable(m, "area");
    CHECK(t, v->is_common && v->align_bytes == 16 && v->size_bytes == 100 && !v->init);
    v = ptx_find_variable(m, "dynamic");
    CHECK(t, v->is_extern && v->is_array && !v->size_bytes);
    CHECK(t, ptx_find_variable(m, "nothing") == NULL);
    ptx_module_free(m);
}

// Values of constant expressions, as in the data of a cubin made by ptxas 13.0.
static void test_constants(struct test *t)
{
    static const struct {
        const char *text;
        int64_t value;
    } expressions[] = {
        {"-5 % 3", 2},
        {"-5 / 3", -1},
        {"-8 >> 1", -4},
        {"-1 < 0", 1},
        {"-1 < 0U", 0},
        {"~0 / 2", INT64_MAX},
        {"(.s64)0xFFFFFFFFFFFFFFFF < 0", 1},
        {"(-4 | 0) / 2", -2},
        {"(-4 & -1) >> 1", -2},
        {"-4 * 1U / 2", 0x7ffffffffffffffe},
        {"!5", 0},
        {"1 ? -4 : 3", -4},
        {"(1 ? -4 : 3U)/2", -2},
        {"1 << 70", 64},
        {"2 + 3 * 4 << 1", 28},
        {"1 || 0 && 0", 1},
        {"-7 % 3U", 0},
        {"0xFFFFFFFFFFFFFFFF / 2", INT64_MAX},
        {"5 - 7 > 0", 0},
        {"(5U - 7) > 0", 1},
        {"-1 >> 70", -1},
        {"3 == 3", 1},
        {"-8U >> 1", 0x7ffffffffffffffc},
        {"-9223372036854775807 - 1", INT64_MIN},
        {"(!0) / -1", -1},
        {"4 / -2", -2},
        {"(4 > 2) / -1", -1},
        {"0b1011", 11},
        {"017", 15},
        {"0x1F", 31},
        {"WARP_SZ * 2", 64},
        {"1 ? 2 : 0 ? 3 : 4", 2},
        {"- - 5", 5},
        {"(.u64)-1 >> 63", 1},
        {"6 ^ 3 & 1", 7},
        {"1 <= 1 != 0", 1},
        {"(-9223372036854775807 - 1) / -1", INT64_MIN},
    };
    for (size_t i = 0; i < TEST_COUNT(expressions); i++) {
        struct strbuf text = {0};
        strbuf_printf(&text, ".version 7.0\n.target sm_70\n.address_size 64\n.global .s64 x = %s;\n",
                      expressions[i].text);
        struct ptx_module *m = support_module(t, strbuf_text(&text));
        int64_t value = 0;
        if (m) memcpy(&value, m->variables[0]->init, 8);
        CHECK_MSG(t, value == expressions[i].value, "%s is %lld", expressions[i].text, (long long)value);
        ptx_module_free(m);
        strbuf_fini(&text);
    }
}

static void test_lines(struct test *t)
{
    struct ptx_module *m = support_module(
        t, ".version 7.5\n.target sm_70\n.address_size 64\n"
           ".entry k() {\n .reg .b32 %r1;\n mov.b32 %r1, 0;\n.loc 1 10 5\n mov.b32 %r1, 1;\n"
           ".loc 2 30 7, function_name $L__info0, inlined_at 1 10 5\n mov.b32 %r1, 2;\n"
           ".loc 2 40 1, function_name $L__info1+0, inlined_at 2 30 7\n mov.b32 %r1, 3;\n mov.b32 %r1, 4; }\n"
           ".file 1 \"/a/k.cu\", 1234, 5678\n.file 2 \"/a\" \"h.h\"\n"
           ".section .debug_str\n{\n$L__info0:\n.b8 102,111,111\n.b8 0\n$L__info1: .b8 98, 97, 114, 0\n}\n"
           ".section .debug_info { .b32 12 .b8 1 }\n");
    if (!m) return;
    const struct ptx_inst *i = m->functions[0]->insts;
    CHECK_EQ(t, i[0].line_info, 0);
    CHECK_EQ(t, m->line_infos[i[1].line_info].line, 10);
    const struct ptx_line_info *l = &m->line_infos[i[3].line_info];
    CHECK_EQ(t, i[4].line_info, i[3].line_info);
    CHECK_STR(t, l->function_name, "bar");
    CHECK_EQ(t, l->inlined_at, i[2].line_info);
    CHECK_STR(t, m->line_infos[l->inlined_at].function_name, "foo");
    CHECK_EQ(t, m->line_infos[l->inlined_at].inlined_at, i[1].line_info);
    CHECK_EQ(t, m->file_count, 2);
    CHECK_STR(t, m->files[1].name, "/a/h.h");
    ptx_module_free(m);
}

// A function refused execution keeps its name, and the module is valid.
static void test_refused(struct test *t)
{
    struct ptx_module *m =
        support_body(t, "@%p1 tensormap.cp_fenceproxy;\n"
                        "fence.proxy.tensormap::generic.release.gpu;\n"
                        "cvt.rs.f16x2.f32 %r1, %f1, %f2, %r3;\natom.global.exch.b128 %q1, [%rd1], "
                        "%q2;\ntensormap.cp_fenceproxy;\n");
    if (!m) return;
    CHECK_STR(t, inst(m, 0)->unsupported, "tensormap.cp_fenceproxy");
    CHECK(t, inst(m, 0)->guard >= 0);
    CHECK_STR(t, inst(m, 1)->unsupported, "fence.proxy.tensormap::generic.release.gpu");
    CHECK_STR(t, inst(m, 2)->unsupported, "cvt.rs.f16x2.f32");
    CHECK_STR(t, inst(m, 3)->unsupported, "atom.global.exch.b128");
    CHECK_STR(t, inst(m, 4)->unsupported, "tensormap.cp_fenceproxy");
    ptx_module_free(m);
}

// Every executable instruction has forms, the forms of an instruction are adjacent rows, and no row
// repeats.
static void test_signatures(struct test *t)
{
    struct signature_index *index = signature_index_create();
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
        const char *name = ptx_op_name((enum ptx_op)op);
        CHECK_MSG(t, ptx_op_is_refused((enum ptx_op)op) == (index->count[op] == 0), "%s has %u forms", name,
                  index->count[op]);
        for (unsigned r = 0; r < index->count[op]; r++)
            CHECK_MSG(t, index->first[op][r].op == (enum ptx_op)op, "the forms of %s do not stand together",
                      name);
    }
    signature_index_destroy(index);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"header", test_header},         {"operands", test_operands},     {"scopes", test_scopes},
        {"labels", test_labels},         {"call_forms", test_call_forms}, {"data", test_data},
        {"constants", test_constants},   {"lines", test_lines},           {"refused", test_refused},
        {"signatures", test_signatures},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
