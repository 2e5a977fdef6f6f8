#include "study/kept.h"
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 1 << 21, FIRST_ROOM = 1 << 9 };

void kept_init(struct kept_list *l)
{
    *l = (struct kept_list){.room = FIRST_ROOM, .at = heap_alloc(FIRST_ROOM * sizeof *l->at)};
}

void kept_fini(struct kept_list *l)
{
    free(l->at);
    free(l->table);
}

void kept_clear(struct kept_list *l)
{
    if (l->indexed) memset(l->table, 0, l->table_room * sizeof *l->table);
    l->count = l->indexed = 0;
}

static void put(struct kept_list *l, uint32_t entry)
{
    uint32_t at = (uint32_t)l->at[entry].key & (l->table_room - 1);
    while (l->table[at]) at = (at + 1) & (l->table_room - 1);
    l->table[at] = entry + 1;
}

// Puts all entries into the hash table.
static void index_all(struct kept_list *l)
{
    if (2 * l->room > l->table_room) {
        free(l->table);
        l->table_room = 2 * l->room;
        l->table = heap_alloc(l->table_room * sizeof *l->table);
        l->indexed = 0;
    }
    while (l->indexed < l->count) put(l, l->indexed++);
}

static uint32_t search(struct kept_list *l, uint64_t key)
{
    index_all(l);
    for (uint32_t at = (uint32_t)key & (l->table_room - 1); l->table[at]; at = (at + 1) & (l->table_room - 1))
        if (l->at[l->table[at] - 1].key == key) return l->table[at] - 1;
    return l->count;
}

static bool has_room(struct kept_list *l)
{
    if (l->count < l->room) return true;
    if (l->room == LIMIT) return false;
    struct kept *more = heap_alloc(2 * l->room * sizeof *more);
    memcpy(more, l->at, l->count * sizeof *more);
    free(l->at);
    l->at = more;
    l->room *= 2;
    return true;
}

struct kept *kept_look_for(struct kept_list *l, uint64_t key, uint32_t *next, bool leads)
{
    uint32_t at = leads && *next == l->count ? l->count : search(l, key);
    *next = at + 1;
    if (at < l->count) return &l->at[at];
    if (!has_room(l)) return NULL;
    l->at[l->count].count = 0;
    return &l->at[l->count++];
}
