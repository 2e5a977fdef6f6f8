// Modules: loads ELF files of RISC-V code; parses PTX text, lays out the variables in device memory, and
// fills in pointers inside initialised data.
//
//   .global variables   an allocation per variable, named after the variable
//   .const variables    an allocation per module in the compiler's layout: BANK_USER, and the target of
//                       generic addresses of constants
//   .texref variables   no memory: a binding to a texture
#include "api/host_modes.h"
#include "api/impl.h"
#include "base/packed.h"
#include "base/str.h"
#include "exec/memory.h"
#include "riscv/elf.h"

#include <string.h>

static bool add_variable(struct wf_module *m, const struct ptx_variable *v, uint64_t address)
{
    u64map_set(&m->variables, (uintptr_t)v, (uint32_t)m->addresses.count);
    vec_push(&m->addresses, address);
    return true;
}

// False for an extern variable, which has no bytes. wf_kernel_find refuses kernels that use an extern .global
// or .const variable.
static bool has_storage(const struct ptx_variable *v) { return !v->is_extern; }

static bool place_variable(struct wf_module *m, const struct ptx_variable *v)
{
    struct wf_context *c = m->context;
    if (!has_storage(v)) return true;
    if (v->space == PTX_SPACE_CONST)
        return add_variable(m, v, m->const_address + compile_const_layout(m->ptx, v));
    if (v->space != PTX_SPACE_GLOBAL || v->type == PTX_TEXREF || v->type == PTX_SAMPLERREF ||
        v->type == PTX_SURFREF)
        return true;
    const char *label = arena_printf(&m->arena, "variable %s", v->name);
    uint64_t address = memory_alloc(c->memory, v->size_bytes, v->align_bytes, label);
    if (!address)
        return diag_error(
            &c->diag, v->loc, "out of device memory: variable %s has %llu bytes, %llu of %llu are in use",
            v->name, (unsigned long long)v->size_bytes, (unsigned long long)memory_in_use(c->memory),
            (unsigned long long)c->settings.memory_bytes);
    api_check_written(c, address, v->size_bytes); // without an initialiser: zeros (PTX ISA 5.4.4)
    return add_variable(m, v, address);
}

// Calls `each` for every variable of the module, including variables inside functions. Stops at the
// first false, and returns false.
static bool for_each_variable(struct wf_module *m,
                              bool (*each)(struct wf_module *, const struct ptx_variable *))
{
    const struct ptx_module *p = m->ptx;
    for (uint32_t i = 0; i < p->variable_count; i++)
        if (!each(m, p->variables[i])) return false;
    for (uint32_t f = 0; f < p->function_count; f++)
        for (uint32_t i = 0; i < p->functions[f]->variable_count; i++)
            if (!each(m, p->functions[f]->variables[i])) return false;
    return true;
}

// The value of a pointer to a variable in initialised data: an offset in the bank for a plain .const address,
// else the device address. False: a variable without device memory, such as extern.
static bool pointer_value(const struct wf_module *m, const struct ptx_relocation *r, uint64_t *value)
{
    if (!api_variable_address(m, r->variable, value)) return false;
    if (r->variable->space == PTX_SPACE_CONST && !r->generic) *value -= m->const_address;
    *value += (uint64_t)r->addend;
    return true;
}

static bool initialise_variable(struct wf_module *m, const struct ptx_variable *v)
{
    uint64_t address;
    if (!v->init || !api_variable_address(m, v, &address)) return true;
    uint8_t *bytes = memory_host(m->context->memory, address, v->size_bytes);
    memcpy(bytes, v->init, v->size_bytes);
    for (uint32_t i = 0; i < v->relocation_count; i++) {
        const struct ptx_relocation *r = &v->relocations[i];
        uint64_t value = r->function ? api_function_address(m, r->function) + (uint64_t)r->addend : 0;
        if (!r->function && !pointer_value(m, r, &value))
            return diag_error(&m->context->diag, v->loc,
                              "variable %s holds the address of extern %s, not defined in any module",
                              v->name, r->variable->name);
        value >>= r->shift;
        memcpy(bytes + r->offset, &value, r->size);
    }
    return true;
}

static bool place_constants(struct wf_module *m)
{
    struct wf_context *c = m->context;
    m->const_bytes = compile_const_bytes(m->ptx);
    if (!m->const_bytes) return true;
    m->const_address = memory_alloc(c->memory, m->const_bytes, 256, "constant bank");
    if (m->const_address) {
        api_check_written(c, m->const_address, m->const_bytes);
        return true;
    }
    return diag_error(&c->diag, (struct loc){.source = m->source},
                      "out of device memory: the constant bank has %u bytes", m->const_bytes);
}

static bool load(struct wf_module *m)
{
    api_memory(m->context);
    return place_constants(m) && for_each_variable(m, place_variable) &&
           for_each_variable(m, initialise_variable);
}

static bool has_text(const char *text, size_t length, const char *part)
{
    return memmem(text, length, part, strlen(part));
}

// Whether the text is CUDA source: no .version line, and a name that ends in .cu or the word __global__.
static bool is_cuda(const char *name, const char *text, size_t length)
{
    static const char version[] = "\n.version";
    bool begins = length >= strlen(version + 1) && memcmp(text, version + 1, strlen(version + 1)) == 0;
    if (begins || has_text(text, length, version)) return false;
    return str_ends_with(name, ".cu") || has_text(text, length, "__global__");
}

// Detects binary files and CUDA source given as PTX, common mistakes. False and an error for such files,
// clearer than a syntax error at the first byte.
static bool check_text(struct wf_context *c, uint32_t source, const char *name, const char *ptx,
                       size_t length)
{
    struct loc file = {.source = source};
    if (memchr(ptx, 0, length < 4096 ? length : 4096))
        return diag_error(&c->diag, file, "is binary, not PTX text");
    if (!is_cuda(name, ptx, length)) return true;
    const char *from = str_ends_with(name, ".cu") ? name : "k.cu";
    int stem = (int)(strlen(from) - strlen(".cu"));
    return diag_error(
        &c->diag, file,
        "is CUDA source, not PTX; make PTX with `nvcc -ptx -lineinfo %s -o %.*s.ptx`, or without CUDA "
        "with `kernels/make-ptx clang %s %.*s.ptx` in warpfold's folder",
        from, stem, from, from, stem, from);
}

static struct wf_module *create(struct wf_context *c, uint32_t source)
{
    struct wf_module *m = heap_alloc(sizeof *m);
    m->context = c;
    m->source = source;
    arena_init(&m->arena);
    vec_push(&c->modules, m);
    return m;
}

static struct wf_module *load_image(struct wf_context *c, const char *name, const void *bytes, size_t length)
{
    uint32_t source = diag_add_source(&c->diag, name, "", 0);
    struct image *i = elf_load(bytes, length, source, &c->diag);
    if (!i) return NULL;
    struct wf_module *m = create(c, source);
    m->image = i;
    return m;
}

// The module read anew together with malloc and free. Frees `plain`.
static struct ptx_module *with_heap(struct wf_context *c, const char *name, const char *ptx, size_t length,
                                    struct ptx_module *plain, uint32_t *source)
{
    struct strbuf joined = {0};
    api_heap_join(plain, ptx, length, &joined);
    ptx_module_free(plain);
    *source = diag_add_source(&c->diag, name, joined.text, joined.length);
    struct ptx_module *m = ptx_parse(joined.text, joined.length, *source, &c->diag);
    strbuf_fini(&joined);
    return m;
}

struct wf_module *wf_module_load(struct wf_context *c, const char *name, const char *ptx, size_t length)
{
    if (length >= 4 && memcmp(ptx, "\177ELF", 4) == 0) return load_image(c, name, ptx, length);
    uint32_t source = diag_add_source(&c->diag, name, ptx, length);
    if (!check_text(c, source, name, ptx, length)) return NULL;
    fenv_t modes = host_modes_begin();
    struct ptx_module *parsed = ptx_parse(ptx, length, source, &c->diag);
    bool calls_heap = parsed && api_heap_is_called(parsed);
    if (calls_heap) parsed = with_heap(c, name, ptx, length, parsed, &source);
    host_modes_end(&modes);
    if (!parsed) return NULL;
    ptx_number_lines(parsed, name);
    if (c->check) ptx_number_places(parsed);
    struct wf_module *m = create(c, source);
    m->ptx = parsed;
    if (c->kept) m->text_hash = hash_bytes(ptx, length, hash_bytes(name, strlen(name), 0));
    return load(m) && (!calls_heap || api_heap_attach(m))
               ? m
               : NULL; // the context owns a half-loaded module until wf_context_destroy
}

struct wf_module *wf_module_load_file(struct wf_context *c, const char *path)
{
    char *text;
    size_t length;
    const char *why;
    if (!packed_read_file(path, &text, &length, &why)) {
        diag_error(&c->diag, loc_none(), "cannot read %s: %s", path, why);
        return NULL;
    }
    struct wf_module *m = wf_module_load(c, path, text, length);
    free(text);
    return m;
}

void api_module_destroy(struct wf_module *m)
{
    for (size_t i = 0; i < m->kernels.count; i++) api_kernel_destroy(m->kernels.data[i]);
    vec_fini(&m->kernels);
    vec_fini(&m->addresses);
    vec_fini(&m->bound);
    vec_fini(&m->bound_textures);
    u64map_fini(&m->variables);
    ptx_module_free(m->ptx);
    image_free(m->image);
    memory_destroy(m->flat);
    arena_fini(&m->arena);
    free(m);
}

bool api_variable_address(const struct wf_module *m, const struct ptx_variable *v, uint64_t *address)
{
    uint32_t index;
    if (!u64map_get(&m->variables, (uintptr_t)v, &index)) return false;
    *address = m->addresses.data[index];
    return true;
}

static bool is_symbol(const struct ptx_variable *v)
{
    return (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST) && v->type != PTX_TEXREF;
}

// Name of the module's variable i, for spelling suggestions; "" if wf_symbol does not accept the variable,
// NULL past the last.
static const char *next_symbol(const void *context, size_t i)
{
    const struct ptx_module *p = context;
    if (i >= p->variable_count) return NULL;
    return is_symbol(p->variables[i]) ? p->variables[i]->name : "";
}

static const char *next_texture(const void *context, size_t i)
{
    const struct ptx_module *p = context;
    if (i >= p->variable_count) return NULL;
    bool is_bound = p->variables[i]->type == PTX_TEXREF || p->variables[i]->type == PTX_SURFREF;
    return is_bound ? p->variables[i]->name : "";
}

static enum wf_status unknown(struct wf_module *m, const char *what, const char *name,
                              const char *(*next)(const void *, size_t))
{
    const char *near = str_nearest(name, next, m->ptx),
               *file = m->context->diag.sources.data[m->source - 1].name;
    if (near && *near)
        diag_error(&m->context->diag, loc_none(), "no %s \"%s\" in %s; did you mean \"%s\"?", what, name,
                   file, near);
    else
        diag_error(&m->context->diag, loc_none(), "no %s \"%s\" in %s", what, name, file);
    return WF_BAD_INPUT;
}

enum wf_status wf_symbol(struct wf_module *m, const char *name, uint64_t *address, uint64_t *bytes)
{
    if (m->image) return api_image_symbol(m, name, address, bytes);
    const struct ptx_variable *v = ptx_find_variable(m->ptx, name);
    if (!v || !is_symbol(v) || !api_variable_address(m, v, address))
        return unknown(m, "variable", name, next_symbol);
    if (bytes) *bytes = v->size_bytes;
    return WF_OK;
}

enum wf_status wf_bind_texture(struct wf_module *m, const char *name, uint64_t texture)
{
    struct wf_context *c = m->context;
    const struct ptx_variable *v = m->ptx ? ptx_find_variable(m->ptx, name) : NULL;
    if (!v || (v->type != PTX_TEXREF && v->type != PTX_SURFREF))
        return unknown(m, "texture reference", name, next_texture);
    if (!texture || texture > c->textures.count) {
        diag_error(&c->diag, loc_none(), "0x%llx is no texture", (unsigned long long)texture);
        return WF_BAD_INPUT;
    }
    for (size_t i = 0; i < m->bound.count; i++)
        if (m->bound.data[i] == v) {
            m->bound_textures.data[i] = texture;
            return WF_OK;
        }
    vec_push(&m->bound, v);
    vec_push(&m->bound_textures, texture);
    return WF_OK;
}

uint64_t api_bound_texture(const struct wf_module *m, const struct ptx_variable *v)
{
    for (size_t i = 0; i < m->bound.count; i++)
        if (m->bound.data[i] == v) return m->bound_textures.data[i];
    return 0;
}
