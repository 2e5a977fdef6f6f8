// Prints a typed module as PTX text: parsing the text gives an equivalent module, and printing that module
// gives the same text.
//
// Order: directives, declarations of all functions, variables, bodies, names of inlined functions.
// Registers are declared one by one at the head of a body; blocks, comments and unused registers of ranges
// are lost.
#include "ptx/names.h"
#include "ptx/print_impl.h"

#include <string.h>

// ---- names

static bool is_plain(const char *name)
{
    for (const char *c = name; *c; c++)
        if (*c == '.') return false;
    return true;
}

static bool is_taken(const struct printer *p, const char *name)
{
    uint32_t ignored;
    size_t length = strlen(name);
    return strmap_get(&p->names, name, length, &ignored) ||
           strmap_get(&p->module_names, name, length, &ignored);
}

// Returns the name, with '_' for dots, if unused in function and module; else the name with a distinguishing
// number.
static const char *unique_name(struct printer *p, const char *name)
{
    const char *unique = name;
    char *plain = arena_strndup(&p->scratch, name, strlen(name));
    for (char *c = plain; *c; c++)
        if (*c == '.') *c = '_';
    if (!is_plain(name)) unique = plain;
    for (uint32_t n = 1; is_taken(p, unique); n++) unique = arena_printf(&p->scratch, "%s_%u", plain, n);
    strmap_set(&p->names, unique, strlen(unique), 1);
    return unique;
}

static void take_names(struct printer *p, struct ptx_variable **list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) strmap_set(&p->names, list[i]->name, strlen(list[i]->name), 1);
}

static bool is_register_parameter(const struct ptx_function *f, uint32_t reg)
{
    for (uint32_t i = 0; i < f->prototype.param_count; i++)
        if (f->prototype.params[i]->reg == (int32_t)reg) return true;
    for (uint32_t i = 0; i < f->prototype.return_count; i++)
        if (f->prototype.returns[i]->reg == (int32_t)reg) return true;
    return false;
}

static void name_everything(struct printer *p, const struct ptx_function *f)
{
    p->f = f;
    strmap_fini(&p->names);
    u64map_fini(&p->variables);
    take_names(p, f->prototype.returns, f->prototype.return_count);
    take_names(p, f->prototype.params, f->prototype.param_count);
    p->regs = ARENA_ARRAY(&p->scratch, const char *, f->reg_count);
    p->labels = ARENA_ARRAY(&p->scratch, const char *, f->label_count);
    p->tables = ARENA_ARRAY(&p->scratch, const char *, f->table_count);
    p->locals = ARENA_ARRAY(&p->scratch, const char *, f->variable_count);
    for (uint32_t i = 0; i < f->reg_count; i++)
        p->regs[i] = is_register_parameter(f, i) ? f->regs[i].name : unique_name(p, f->regs[i].name);
    for (uint32_t i = 0; i < f->variable_count; i++) {
        p->locals[i] = unique_name(p, f->variables[i]->name);
        u64map_set(&p->variables, (uintptr_t)f->variables[i], i);
    }
    for (uint32_t i = 0; i < f->label_count; i++) p->labels[i] = unique_name(p, f->labels[i].name);
    for (uint32_t i = 0; i < f->table_count; i++) p->tables[i] = unique_name(p, f->tables[i].name);
}

const char *print_variable_name(const struct printer *p, const struct ptx_variable *v)
{
    uint32_t local;
    return u64map_get(&p->variables, (uintptr_t)v, &local) ? p->locals[local] : v->name;
}

// ---- variables

static void print_linkage(const struct printer *p, bool is_extern, bool is_visible, bool is_weak,
                          bool is_common)
{
    if (is_extern) strbuf_puts(p->out, ".extern ");
    if (is_visible) strbuf_puts(p->out, ".visible ");
    if (is_weak) strbuf_puts(p->out, ".weak ");
    if (is_common) strbuf_puts(p->out, ".common ");
}

static unsigned element_bytes(const struct ptx_variable *v)
{
    unsigned bytes = ptx_type_bits(v->type) / 8;
    return bytes ? bytes : 1;
}

// ".global .align 4 .v2 .f32 x[8]"
static void print_declarator(const struct printer *p, const struct ptx_variable *v, const char *name)
{
    strbuf_printf(p->out, ".%s ", ptx_space_name(v->space));
    if (v->is_managed) strbuf_puts(p->out, ".attribute(.managed) ");
    if (v->space != PTX_SPACE_REG) strbuf_printf(p->out, ".align %u ", v->align_bytes);
    if (v->vector > 1) strbuf_printf(p->out, ".v%u ", v->vector);
    strbuf_printf(p->out, ".%s %s", ptx_type_name(v->type), name);
    if (v->is_array && !v->size_bytes)
        strbuf_puts(p->out, "[]");
    else if (v->is_array)
        strbuf_printf(p->out, "[%llu]", (unsigned long long)(v->size_bytes / (element_bytes(v) * v->vector)));
}

static void print_offset(const struct printer *p, int64_t offset)
{
    if (offset) strbuf_printf(p->out, "+%lld", (long long)offset);
}

static void print_relocation(const struct printer *p, const struct ptx_relocation *r)
{
    const char *name = r->variable ? print_variable_name(p, r->variable) : r->function->name;
    if (r->size == 1) strbuf_printf(p->out, "0x%llx(", 0xffull << r->shift);
    strbuf_printf(p->out, r->generic ? "generic(%s)" : "%s", name);
    print_offset(p, r->addend);
    if (r->size == 1) strbuf_puts(p->out, ")");
}

static void print_element(const struct printer *p, const struct ptx_variable *v, uint64_t offset,
                          uint32_t *next)
{
    uint64_t bits = 0;
    unsigned bytes = element_bytes(v);
    if (*next < v->relocation_count && v->relocations[*next].offset == offset) {
        print_relocation(p, &v->relocations[(*next)++]);
        return;
    }
    memcpy(&bits, v->init + offset, bytes < 8 ? bytes : 8);
    if (v->type == PTX_F32)
        strbuf_printf(p->out, "0f%08llx", (unsigned long long)bits);
    else if (v->type == PTX_F64)
        strbuf_printf(p->out, "0d%016llx", (unsigned long long)bits);
    else
        strbuf_printf(p->out, "%llu", (unsigned long long)bits);
}

// Number of bytes of a variable's initial value, up to the last nonzero byte or relocation.
static uint64_t used_bytes(const struct ptx_variable *v)
{
    uint64_t used = v->size_bytes;
    uint64_t least =
        v->relocation_count ? v->relocations[v->relocation_count - 1].offset + element_bytes(v) : 1;
    while (used > least && !v->init[used - 1]) used--;
    return used;
}

static void print_initialiser(const struct printer *p, const struct ptx_variable *v)
{
    uint64_t used = used_bytes(v), stride = element_bytes(v) * v->vector;
    uint32_t next = 0;
    if (v->is_array) strbuf_puts(p->out, "{");
    for (uint64_t at = 0; at < used; at += stride) {
        if (at) strbuf_puts(p->out, at / stride % 16 ? ", " : ",\n    ");
        if (v->vector > 1) strbuf_puts(p->out, "{");
        for (unsigned e = 0; e < v->vector; e++) {
            if (e) strbuf_puts(p->out, ", ");
            print_element(p, v, at + e * element_bytes(v), &next);
        }
        if (v->vector > 1) strbuf_puts(p->out, "}");
    }
    if (v->is_array) strbuf_puts(p->out, "}");
}

static void print_variable(const struct printer *p, const struct ptx_variable *v)
{
    print_linkage(p, v->is_extern, v->is_visible, v->is_weak, v->is_common);
    print_declarator(p, v, print_variable_name(p, v));
    if (v->unsupported) strbuf_puts(p->out, " = {}");
    if (v->init) {
        strbuf_puts(p->out, " = ");
        print_initialiser(p, v);
    }
    strbuf_puts(p->out, ";\n");
}

// Initial values of two variables may hold each other's addresses. A variable with an address in the initial
// value is therefore declared .extern first.
static void print_variables(struct printer *p)
{
    const struct ptx_module *m = p->m;
    for (uint32_t v = 0; v < m->variable_count; v++)
        if (!m->variables[v]->relocation_count) print_variable(p, m->variables[v]);
    for (uint32_t v = 0; v < m->variable_count; v++) {
        if (!m->variables[v]->relocation_count) continue;
        strbuf_puts(p->out, ".extern ");
        print_declarator(p, m->variables[v], m->variables[v]->name);
        strbuf_puts(p->out, ";\n");
    }
    for (uint32_t v = 0; v < m->variable_count; v++)
        if (m->variables[v]->relocation_count) print_variable(p, m->variables[v]);
}

// ---- functions

void print_parameters(const struct printer *p, struct ptx_variable **list, uint32_t count, bool named)
{
    strbuf_puts(p->out, "(");
    for (uint32_t i = 0; i < count; i++) {
        if (i) strbuf_puts(p->out, ", ");
        print_declarator(p, list[i], named ? list[i]->name : "_");
    }
    strbuf_puts(p->out, ")");
}

static void print_dimensions(const struct printer *p, const char *directive, const uint32_t d[3])
{
    if (d[0]) strbuf_printf(p->out, "\n.%s %u, %u, %u", directive, d[0], d[1], d[2]);
}

static void print_header(const struct printer *p, const struct ptx_function *f)
{
    print_linkage(p, f->is_extern, f->is_visible, f->is_weak, false);
    strbuf_puts(p->out, f->is_entry ? ".entry " : ".func ");
    if (f->prototype.return_count) {
        print_parameters(p, f->prototype.returns, f->prototype.return_count, true);
        strbuf_puts(p->out, " ");
    }
    strbuf_puts(p->out, f->name);
    print_parameters(p, f->prototype.params, f->prototype.param_count, true);
    if (f->prototype.noreturn) strbuf_puts(p->out, "\n.noreturn");
    if (f->max_registers) strbuf_printf(p->out, "\n.maxnreg %u", f->max_registers);
    print_dimensions(p, "maxntid", f->max_threads);
    print_dimensions(p, "reqntid", f->required_threads);
    if (f->min_blocks) strbuf_printf(p->out, "\n.minnctapersm %u", f->min_blocks);
    if (f->is_explicit_cluster) strbuf_puts(p->out, "\n.explicitcluster");
    print_dimensions(p, "reqnctapercluster", f->cluster);
    if (f->max_cluster) strbuf_printf(p->out, "\n.maxclusterrank %u", f->max_cluster);
    if (f->unsupported) strbuf_printf(p->out, "\n%s", f->unsupported);
}

static void print_tables(const struct printer *p, const struct ptx_function *f)
{
    for (uint32_t t = 0; t < f->table_count; t++) {
        const struct ptx_table *table = &f->tables[t];
        strbuf_printf(p->out, "    %s: .%s ", p->tables[t], table->labels ? "branchtargets" : "calltargets");
        for (uint32_t e = 0; e < table->count; e++)
            strbuf_printf(p->out, "%s%s", e ? ", " : "",
                          table->labels ? p->labels[table->labels[e]] : table->functions[e]->name);
        strbuf_puts(p->out, ";\n");
    }
}

// Number of the .debug_str label with the name of an inlined function.
static uint32_t inlined_name(struct printer *p, const char *name)
{
    uint32_t number = (uint32_t)p->inlined.entries.count;
    if (strmap_get(&p->inlined, name, strlen(name), &number)) return number;
    strmap_set(&p->inlined, name, strlen(name), number);
    return number;
}

// Prints the inlining chain of a place, call sites first, so each inlined_at finds its site.
static void print_loc(struct printer *p, uint32_t info, unsigned depth)
{
    const struct ptx_line_info *l = &p->m->line_infos[info];
    enum { DEEPEST = 100 };
    if (l->inlined_at && depth < DEEPEST) print_loc(p, l->inlined_at, depth + 1);
    strbuf_printf(p->out, "    .loc %u %u %u", l->file, l->line, l->column);
    if (l->inlined_at && l->function_name) {
        const struct ptx_line_info *site = &p->m->line_infos[l->inlined_at];
        strbuf_printf(p->out, ", function_name $L__name%u, inlined_at %u %u %u",
                      inlined_name(p, l->function_name), site->file, site->line, site->column);
    }
    strbuf_puts(p->out, "\n");
}

static void print_body(struct printer *p, const struct ptx_function *f)
{
    uint32_t label = 0, line_info = 0;
    name_everything(p, f);
    strbuf_puts(p->out, "\n{\n");
    for (uint32_t r = 0; r < f->reg_count; r++)
        if (!is_register_parameter(f, r))
            strbuf_printf(p->out, "    .reg .%s %s;\n", ptx_type_name(f->regs[r].type), p->regs[r]);
    for (uint32_t v = 0; v < f->variable_count; v++) {
        strbuf_puts(p->out, "    ");
        print_variable(p, f->variables[v]);
    }
    print_tables(p, f);
    for (uint32_t i = 0; i <= f->inst_count; i++) {
        for (; label < f->label_count && f->labels[label].inst == i; label++)
            strbuf_printf(p->out, "%s:\n", p->labels[label]);
        if (i == f->inst_count) break;
        if (f->insts[i].line_info != line_info) print_loc(p, line_info = f->insts[i].line_info, 0);
        print_instruction(p, i);
    }
    strbuf_puts(p->out, "}\n");
    p->f = NULL;
}

static void print_functions(struct printer *p)
{
    for (uint32_t f = 0; f < p->m->function_count; f++) {
        print_header(p, p->m->functions[f]);
        strbuf_puts(p->out, ";\n");
    }
}

static void print_inlined_names(const struct printer *p)
{
    if (!p->inlined.entries.count) return;
    strbuf_puts(p->out, ".section .debug_str\n{\n");
    for (size_t n = 0; n < p->inlined.entries.count; n++) {
        const struct strmap_entry *e = &p->inlined.entries.data[n];
        strbuf_printf(p->out, "$L__name%zu:\n.b8 ", n);
        for (size_t c = 0; c < e->length; c++) strbuf_printf(p->out, "%u,", (unsigned char)e->key[c]);
        strbuf_puts(p->out, "0\n");
    }
    strbuf_puts(p->out, "}\n");
}

static void print_directives(const struct printer *p)
{
    const struct ptx_module *m = p->m;
    strbuf_printf(p->out, ".version %u.%u\n.target %s\n.address_size %u\n", m->version_major,
                  m->version_minor, m->target, m->address_bits);
    for (uint32_t f = 0; f < m->file_count; f++)
        strbuf_printf(p->out, ".file %u \"%s\"\n", m->files[f].number, m->files[f].name);
}

void ptx_print_module(const struct ptx_module *m, struct strbuf *out)
{
    struct printer p = {.m = m, .out = out, .signatures = signature_index_create()};
    arena_init(&p.scratch);
    for (uint32_t v = 0; v < m->variable_count; v++)
        strmap_set(&p.module_names, m->variables[v]->name, strlen(m->variables[v]->name), 1);
    for (uint32_t f = 0; f < m->function_count; f++)
        strmap_set(&p.module_names, m->functions[f]->name, strlen(m->functions[f]->name), 1);
    print_directives(&p);
    print_functions(&p);
    print_variables(&p);
    for (uint32_t f = 0; f < m->function_count; f++) {
        if (!m->functions[f]->has_body) continue;
        print_header(&p, m->functions[f]);
        print_body(&p, m->functions[f]);
    }
    print_inlined_names(&p);
    strmap_fini(&p.module_names);
    strmap_fini(&p.names);
    strmap_fini(&p.inlined);
    u64map_fini(&p.variables);
    signature_index_destroy(p.signatures);
    arena_fini(&p.scratch);
}
