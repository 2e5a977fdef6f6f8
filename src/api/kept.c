// Compiled kernels in a folder, shared by processes of one build (wf_keep_programs). A file's name is the
// hash of the compiler's whole input: PTX text, its name (part of line information), kernel and options.
// Files are written under another name and renamed, so readers see complete files only. An unreadable file,
// or a file whose contents contradict the hash in its header, is ignored and the kernel is compiled.
#include "api/impl.h"
#include "base/file.h"
#include "isa/saved.h"

#include <inttypes.h>
#include <string.h>

void wf_keep_programs(struct wf_context *c, const char *folder)
{
    free(c->kept);
    c->kept = folder ? heap_strdup(folder) : NULL;
}

// Number of a PTX variable: the module's variables in text order, then the variables inside functions.
// UINT32_MAX: not a variable of the module.
static uint32_t number_of(const void *context, const void *key)
{
    const struct ptx_module *m = context;
    uint32_t number = 0;
    for (uint32_t i = 0; i < m->variable_count; i++, number++)
        if (m->variables[i] == key) return number;
    for (uint32_t f = 0; f < m->function_count; f++)
        for (uint32_t i = 0; i < m->functions[f]->variable_count; i++, number++)
            if (m->functions[f]->variables[i] == key) return number;
    return UINT32_MAX;
}

static const void *key_of(const void *context, uint32_t number)
{
    const struct ptx_module *m = context;
    if (number < m->variable_count) return m->variables[number];
    number -= m->variable_count;
    for (uint32_t f = 0; f < m->function_count; f++) {
        if (number < m->functions[f]->variable_count) return m->functions[f]->variables[number];
        number -= m->functions[f]->variable_count;
    }
    return NULL;
}

// Hashes the options, except `check`, field by field; padding bytes are not options.
static uint64_t hash_options(const struct compile_options *o, uint64_t seed)
{
    const uint32_t words[] = {o->profile,     o->optimise,        o->max_registers, o->address_bits,
                              o->stack_bytes, o->disabled_passes, o->broken_passes};
    return hash_bytes(words, sizeof words, seed);
}

static char *path_of(const struct wf_module *m, const struct ptx_function *entry,
                     const struct compile_options *o)
{
    struct strbuf path = {0};
    uint64_t hash = hash_options(o, hash_bytes(entry->name, strlen(entry->name), m->text_hash));
    strbuf_printf(&path, "%s/%016" PRIx64, m->context->kept, hash);
    return path.text;
}

static struct saved_keys keys_of(const struct wf_module *m)
{
    return (struct saved_keys){m->ptx, number_of, key_of};
}

static struct program *take(const struct wf_module *m, const char *path)
{
    char *bytes;
    size_t length;
    const char *why;
    if (!file_read(path, &bytes, &length, &why)) return NULL;
    struct saved_keys keys = keys_of(m);
    struct program *p = saved_read(bytes, length, &keys);
    free(bytes);
    return p;
}

static void keep(const struct wf_module *m, const char *path, const struct program *p)
{
    struct strbuf bytes = {0};
    struct saved_keys keys = keys_of(m);
    const char *why;
    saved_write(p, &keys, &bytes);
    file_write(path, bytes.text, bytes.length, &why); // a full disk is no error: the next process tries again
    strbuf_fini(&bytes);
}

struct program *api_compile(struct wf_module *m, const struct ptx_function *entry,
                            const struct compile_options *o)
{
    struct diag *d = &m->context->diag;
    if (!m->context->kept || !m->text_hash || o->check) return compile_kernel(m->ptx, entry, o, d);
    char *path = path_of(m, entry, o);
    struct program *p = take(m, path);
    if (!p) {
        p = compile_kernel(m->ptx, entry, o, d);
        if (p) keep(m, path, p);
    }
    free(path);
    return p;
}
