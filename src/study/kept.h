// Corresponding executions of a block (identity.h), in the order of first occurrence. Warps with equal
// histories execute the same instructions in the same order, so every warp walks along the list. On a
// mismatch, the entry is searched in a hash table, brought up to date before each search. A full list accepts
// no more entries.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct kept { // one group of corresponding executions
    uint64_t key, names, results, operands;
    uint32_t index, count, warp;
    bool same_names, same_results, same_operands;
};

struct kept_list {
    struct kept *at;
    uint32_t count, room;
    uint32_t *table; // hash table by key: entry index + 1; `indexed`: number of list entries in the table
    uint32_t table_room, indexed;
};

void kept_init(struct kept_list *l);
void kept_fini(struct kept_list *l);
void kept_clear(struct kept_list *l);
// Finds or adds the entry of `key`. New entries have count 0; NULL: no room. *next: expected entry of the
// warp's next execution, updated. leads: a warp at the end of the list is the first with its history, so a
// new entry needs no search.
struct kept *kept_look_for(struct kept_list *l, uint64_t key, uint32_t *next, bool leads);
static inline struct kept *kept_find(struct kept_list *l, uint64_t key, uint32_t *next, bool leads)
{
    bool there = *next < l->count && l->at[*next].key == key;
    return there ? &l->at[(*next)++] : kept_look_for(l, key, next, leads);
}
