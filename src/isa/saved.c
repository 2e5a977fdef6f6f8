// A single function visits all saved fields of a program in order, both for writing and for reading, so the
// formats cannot differ.
#include "isa/saved.h"
#include "base/hash.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"

#include <assert.h>
#include <string.h>

static const char magic[] = "warpfold program 1";

struct header {
    char magic[24];
    uint32_t inst_bytes, op_count; // layout of the writer
    uint64_t length, hash;         // of the bytes after the header
};

struct stream {
    struct strbuf *out; // NULL: reading
    const char *at, *end;
    struct arena *arena; // of the program being read
    bool good;
};

static void visit_bytes(struct stream *s, void *bytes, size_t length)
{
    if (s->out) {
        if (length) strbuf_write(s->out, bytes, length);
        return;
    }
    s->good = s->good && length <= (size_t)(s->end - s->at);
    if (!s->good || !length) return;
    memcpy(bytes, s->at, length);
    s->at += length;
}

// Visits (writes or reads) an array of `count` elements. Data behind pointers in the elements is visited
// afterwards.
static void *visit_array(struct stream *s, const void *array, uint32_t count, size_t size)
{
    if (!s->out) {
        s->good = s->good && count <= (size_t)(s->end - s->at) / size;
        array = s->good ? arena_alloc(s->arena, count * size) : NULL;
    }
    visit_bytes(s, (void *)array, s->good ? count * size : 0);
    return (void *)array;
}

// Text as length + 1 and bytes; 0 for NULL.
static const char *visit_text(struct stream *s, const char *text)
{
    uint32_t length = text && s->out ? (uint32_t)strlen(text) + 1 : 0;
    visit_bytes(s, &length, sizeof length);
    return s->good && length ? visit_array(s, text, length, 1) : NULL;
}

// clang-format off
#define NUMBERS(X)                                                                                  \
    X(profile) X(inst_count) X(entry) X(code_base) X(reg_count) X(pred_count)                       \
    X(shared_bytes) X(dynamic_align) X(local_bytes) X(spill_bytes) X(spill_loads) X(spill_stores)   \
    X(stack_bytes) X(stack_unbounded) X(barrier_count) X(target_sm) X(mark_conditions)                           \
    X(uses_textures) X(uses_printf) X(uses_clock) X(uses_atomics)                                   \
    X(max_threads) X(required_threads) X(cluster) X(max_cluster) X(is_explicit_cluster) X(param_count) X(param_bytes) X(literal_bytes)               \
    X(symbol_count) X(function_count) X(table_count) X(file_count) X(line_count) X(line_set_count)
// clang-format on

static void visit_numbers(struct stream *s, struct program *p)
{
#define VISIT(field) visit_bytes(s, &p->field, sizeof p->field);
    NUMBERS(VISIT)
#undef VISIT
}

static void visit_symbols(struct stream *s, struct program *p, const struct saved_keys *keys)
{
    p->symbols = visit_array(s, p->symbols, p->symbol_count, sizeof *p->symbols);
    for (uint32_t i = 0; i < p->symbol_count && s->good; i++) {
        struct program_symbol *symbol = &p->symbols[i];
        const char *name = visit_text(s, symbol->name);
        uint32_t number = s->out && symbol->key ? keys->number(keys->context, symbol->key) : 0;
        visit_bytes(s, &number, sizeof number);
        if (s->out || !s->good) continue;
        symbol->name = name;
        if (symbol->kind == SYMBOL_FUNCTION) {
            symbol->key = NULL;
        } else {
            symbol->key = keys->key(keys->context, number);
            s->good = symbol->key != NULL;
        }
    }
}

// Visits the text or list behind a pointer field of each array element.
#define VISIT_EACH(s, array, count, field, visited)                                                          \
    for (uint32_t i = 0; i < (count) && (s)->good; i++) {                                                    \
        const void *there = visited;                                                                         \
        if (!(s)->out) (array)[i].field = there;                                                             \
    }

static void visit(struct stream *s, struct program *p, const struct saved_keys *keys)
{
    p->name = visit_text(s, p->name);
    visit_numbers(s, p);
    p->insts = visit_array(s, p->insts, p->inst_count, sizeof *p->insts);
    p->params = visit_array(s, p->params, p->param_count, sizeof *p->params);
    VISIT_EACH(s, p->params, p->param_count, name, visit_text(s, p->params[i].name))
    p->literals = visit_array(s, p->literals, p->literal_bytes, 1);
    visit_symbols(s, p, keys);
    p->functions = visit_array(s, p->functions, p->function_count, sizeof *p->functions);
    VISIT_EACH(s, p->functions, p->function_count, name, visit_text(s, p->functions[i].name))
    p->tables = visit_array(s, p->tables, p->table_count, sizeof *p->tables);
    VISIT_EACH(s, p->tables, p->table_count, targets,
               visit_array(s, p->tables[i].targets, p->tables[i].count, sizeof *p->tables[i].targets))
    p->files = visit_array(s, p->files, p->file_count, sizeof *p->files);
    for (uint32_t i = 0; i < p->file_count && s->good; i++) {
        const char *file = visit_text(s, p->files[i]);
        if (!s->out) p->files[i] = file;
    }
    p->line_table = visit_array(s, p->line_table, p->line_count, sizeof *p->line_table);
    VISIT_EACH(s, p->line_table, p->line_count, function, visit_text(s, p->line_table[i].function))
    p->line_sets = visit_array(s, p->line_sets, p->line_set_count, sizeof *p->line_sets);
    VISIT_EACH(s, p->line_sets, p->line_set_count, lines,
               visit_array(s, p->line_sets[i].lines, p->line_sets[i].count, sizeof *p->line_sets[i].lines))
}

void saved_write(const struct program *p, const struct saved_keys *keys, struct strbuf *out)
{
    assert(!p->words); // RISC-V programs are not saved: building them takes no time
    struct header h = {.inst_bytes = sizeof(struct inst), .op_count = OP_COUNT};
    struct strbuf body = {0};
    struct stream s = {.out = &body, .good = true};
    struct program copy = *p;
    visit(&s, &copy, keys);
    memcpy(h.magic, magic, sizeof magic);
    h.length = body.length;
    h.hash = hash_bytes(strbuf_text(&body), body.length, 0);
    strbuf_write(out, (const char *)&h, sizeof h);
    strbuf_write(out, strbuf_text(&body), body.length);
    strbuf_fini(&body);
}

struct program *saved_read(const char *bytes, size_t length, const struct saved_keys *keys)
{
    struct header h;
    if (length < sizeof h) return NULL;
    memcpy(&h, bytes, sizeof h);
    bytes += sizeof h;
    length -= sizeof h;
    if (memcmp(h.magic, magic, sizeof magic) != 0 || h.inst_bytes != sizeof(struct inst) ||
        h.op_count != OP_COUNT || h.length != length || h.hash != hash_bytes(bytes, length, 0))
        return NULL;
    struct program *p = program_create();
    struct stream s = {.at = bytes, .end = bytes + length, .arena = &p->arena, .good = true};
    visit(&s, p, keys);
    if (s.good && s.at == s.end && !program_check(p)) return p;
    program_free(p);
    return NULL;
}
