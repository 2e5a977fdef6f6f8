// Races between launches: at the end of a launch, its book is compared with the book of every unordered
// launch already over.
#include "exec/checker.h"
#include "exec/exec_impl.h"
#include "exec/memory.h"
#include "exec/race_book.h"
#include "isa/program.h"

// -- reports ------------------------------------------------------------------------------------------------

static const char *verb(bool is_write, bool strong)
{
    return strong ? "strong access" : is_write ? "write" : "read";
}

void race_describe(const struct launch *l, const struct race_record *r, bool is_write, struct strbuf *out)
{
    const uint32_t *n = l->block, *grid = l->grid;
    const struct exec program = {.program = l->program};
    strbuf_printf(out, "    %s by thread (%u,%u,%u) of block (%u,%u,%u) at ", verb(is_write, r->strong),
                  r->thread % n[0], r->thread / n[0] % n[1], r->thread / n[0] / n[1], r->block % grid[0],
                  r->block / grid[0] % grid[1], r->block / grid[0] / grid[1]);
    exec_describe_inst(&program, r->inst, out);
}

struct meeting { // of two launches, at one place
    const struct launch *before, *now;
    const struct race_book *before_book, *now_book;
    uint32_t before_since, now_since; // of the pages
    uint64_t address;
    struct launch_race *found;
};

static void meet(const struct meeting *m, uint32_t before_access, bool before_writes, uint32_t now_access,
                 bool now_writes)
{
    if (before_access <= m->before_since || now_access <= m->now_since) return;
    const struct race_record first = race_book_access(m->before_book, before_access),
                             second = race_book_access(m->now_book, now_access), *before = &first,
                             *now = &second;
    if (before->strong && now->strong) return;
    if (m->found->count < RACES_COUNTED_MAX) m->found->count++;
    if (m->now->check)
        checker_race(m->before, false, m->address, before, before_writes, m->now, now, now_writes);
    if (m->found->text) return;
    struct strbuf text = {0};
    strbuf_printf(
        &text, "race between kernels %s and %s, unordered by streams or events, on global address 0x%llx: ",
        m->before->program->name, m->now->program->name, (unsigned long long)m->address);
    memory_describe(m->now->memory, m->address, &text);
    strbuf_putc(&text, '\n');
    race_describe(m->before, before, before_writes, &text);
    strbuf_putc(&text, '\n');
    race_describe(m->now, now, now_writes, &text);
    m->found->text = text.text;
}

// -- places -------------------------------------------------------------------------------------------------

static void compare_cells(const struct meeting *m, const struct race_page *before,
                          const struct race_page *now, size_t byte)
{
    const struct race_cells *x = &before->cells, *y = &now->cells;
    size_t k = race_page_index(before, byte), n = race_page_index(now, byte);
    meet(m, x->write[k], true, y->write[n], true);
    for (unsigned r = 0; r < 2; r++) {
        meet(m, x->write[k], true, y->read[r][n], false);
        meet(m, x->read[r][k], false, y->write[n], true);
    }
}

static void compare_pages(struct meeting *m, const struct race_page *before, const struct race_page *now)
{
    m->before_since = before->since;
    m->now_since = now->since;
    unsigned step = before->by_byte || now->by_byte ? 1 : 4;
    for (size_t byte = 0; byte < 4 * now->words; byte += step) {
        m->address = 4 * now->number * RACE_PAGE_WORDS + byte;
        compare_cells(m, before, now, byte);
    }
}

void race_between(const struct launch *l, const struct race_book *book, struct launch_race *found)
{
    for (uint32_t n = 0; n < l->rival_count; n++) {
        const struct race_book *other = l->rivals[n].book;
        struct meeting m = {
            .before = l->rivals[n].launch, .now = l, .before_book = other, .now_book = book, .found = found};
        for (size_t k = 0; other && k < book->list.count; k++) {
            const struct race_page *now = book->list.data[k];
            uint32_t index;
            if (!race_page_is_of(now, book) || !u64map_get(&other->pages, now->number, &index)) continue;
            const struct race_page *before = other->list.data[index];
            if (race_page_is_of(before, other)) compare_pages(&m, before, now);
        }
    }
}
