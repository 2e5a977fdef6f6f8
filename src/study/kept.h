// Executions of a block that correspond (identity.h), in the order in which the first of each came. They are
// found by following: warps with equal histories execute the same instructions in the same order, so each
// walks along the list, and looks further only where the next entry is not its own. Then a hash table over
// the list is made, which grows from then on. A list that is full takes no more.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct kept { // corresponding executions so far
    uint64_t key, names, results, operands;
    uint32_t index, count, warp;
    bool same_names, same_results, same_operands;
};

struct kept_list {
    struct kept *at;
    uint32_t count, room;
    uint32_t *table; // of entries, + 1: hashed by key; `indexed` of them are in it
    uint32_t table_room, indexed;
};

void kept_init(struct kept_list *l);
void kept_fini(struct kept_list *l);
void kept_clear(struct kept_list *l);
// The entry of this key; count 0: new. NULL: no room. `next` is the entry that the warp will correspond with
// if it goes on as others did. `leads`: at the list's end, the warp has nobody before it with its history.
struct kept *kept_look_for(struct kept_list *l, uint64_t key, uint32_t *next, bool leads);
static inline struct kept *kept_find(struct kept_list *l, uint64_t key, uint32_t *next, bool leads)
{
    bool there = *next < l->count && l->at[*next].key == key;
    return there ? &l->at[(*next)++] : kept_look_for(l, key, next, leads);
}
