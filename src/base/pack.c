// Packing (format: packed.h). Copies of earlier text are found once, by binary trees of earlier positions.
// Several passes choose the cheapest sequence of bytes and copies; a symbol's price is its code length in the
// previous pass.
#include "base/arena.h"
#include "base/bits.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/packed.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum {
    HASHED = 3,      // leading bytes hashed: equal at all positions in a tree, but for hash collisions
    HEADS = 1 << 16, // number of trees; the hash of a position's leading bytes selects its tree
    DEPTH = 96,      // most nodes visited on the way down a tree
    LONG = 256,      // bytes; a copy of this length or more is taken without a comparison of prices
    PASSES = 4,
    UNUSED_BITS = 14, // bits, the price of a symbol unused in the previous pass
};

struct copy {
    uint32_t length, distance;
};

// The last step of the cheapest encoding of the text up to a position: a byte or a copy. bits: price of the
// whole encoding.
struct way {
    uint32_t bits;
    uint32_t length, place; // length 1: a byte
    uint32_t recent[PACKED_RECENT];
};

struct pack {
    const uint8_t *text;
    uint32_t length;
    VEC(struct copy) copies; // by position, then by growing length
    uint32_t *first;         // index in `copies` of a position's first copy; length + 1 entries
    struct way *ways;        // length + 1 entries
    uint32_t word_counts[PACKED_WORDS], place_counts[PACKED_CLASSES];
    uint8_t word_bits[PACKED_WORDS], place_bits[PACKED_CLASSES];
};

// -- copies -------------------------------------------------------------------------------------------------

// Binary search trees of text positions. A position's two children are earlier positions whose text sorts
// lower and higher. An entry is position + 1; 0: no position.
struct trees {
    uint32_t *heads, *children;
};

static uint32_t same_bytes(const struct pack *p, uint32_t a, uint32_t b, uint32_t from, uint32_t most)
{
    while (from < most && p->text[a + from] == p->text[b + from]) from++;
    return from;
}

// Makes position `at` the root of its tree. Adds each copy of HASHED bytes or more from an earlier position,
// if longer than all copies from nearer positions. Lengths are cut off at LONG bytes.
static void find_copies(struct pack *p, const struct trees *t, uint32_t at)
{
    uint32_t left = p->length - at, most = left < LONG ? left : LONG, best = HASHED - 1, word = 0;
    if (left < HASHED) return;
    memcpy(&word, p->text + at, HASHED);
    uint32_t *head = &t->heads[hash_u64(word) % HEADS], node = *head, same[2] = {0, 0};
    uint32_t *hole[2] = {&t->children[2 * at], &t->children[2 * at + 1]}; // for lower and for higher texts
    *head = at + 1;
    for (unsigned depth = DEPTH; node && depth--;) {
        uint32_t earlier = node - 1, *children = &t->children[2 * earlier];
        uint32_t n = same_bytes(p, earlier, at, same[0] < same[1] ? same[0] : same[1], most);
        if (n > best) {
            best = n;
            vec_push(&p->copies, (struct copy){n, at - earlier});
        }
        if (n == most) {
            *hole[0] = children[0];
            *hole[1] = children[1];
            return;
        }
        unsigned side = p->text[earlier + n] > p->text[at + n];
        *hole[side] = node;
        hole[side] = &children[!side];
        same[side] = n;
        node = children[!side];
    }
    *hole[0] = *hole[1] = 0;
}

static void find_all_copies(struct pack *p)
{
    struct trees t = {heap_alloc(HEADS * sizeof *t.heads),
                      heap_alloc(2 * ((size_t)p->length + 1) * sizeof *t.children)};
    for (uint32_t at = 0; at < p->length; at++) {
        p->first[at] = (uint32_t)p->copies.count;
        find_copies(p, &t, at);
    }
    p->first[p->length] = (uint32_t)p->copies.count;
    free(t.heads);
    free(t.children);
}

// -- the cheapest way ---------------------------------------------------------------------------------------

static uint32_t further_bits(uint32_t number) { return number < 4 ? 0 : bit_highest(number) - 2; }
static uint32_t class_of(uint32_t number)
{
    return number < 4 ? number : 4 * (further_bits(number) + 1) + (number >> further_bits(number) & 3);
}

static uint32_t copy_bits(const struct pack *p, uint32_t length)
{
    uint32_t number = length - PACKED_SHORTEST;
    return p->word_bits[256 + class_of(number)] + further_bits(number);
}
static uint32_t place_bits(const struct pack *p, uint32_t place)
{
    return p->place_bits[class_of(place)] + further_bits(place);
}

static void reach(struct pack *p, uint32_t from, uint32_t bits, uint32_t length, uint32_t place)
{
    struct way *w = &p->ways[from + length];
    bits += p->ways[from].bits;
    if (bits < w->bits) *w = (struct way){.bits = bits, .length = length, .place = place};
}

// Tries copies of `least` to `most` bytes as the next step from position `from`; if `most` is LONG or more,
// only a copy of `most` bytes. place: the number for the copy's distance (packed.h).
static void reach_by_copy(struct pack *p, uint32_t from, uint32_t least, uint32_t most, uint32_t place)
{
    uint32_t bits = place_bits(p, place);
    for (uint32_t n = most < LONG ? least : most; n <= most; n++)
        reach(p, from, bits + copy_bits(p, n), n, place);
}

// Fills the distances of the latest copies before position `at`, from the distances known before the last
// step to `at`.
static void remember(struct pack *p, uint32_t at)
{
    struct way *w = &p->ways[at];
    if (!at) return;
    memcpy(w->recent, p->ways[at - w->length].recent, sizeof w->recent);
    if (w->length > 1) packed_distance(w->recent, w->place);
}

// Tries a byte, copies at the latest distances, and all copies found as the next step from position `at`.
// Returns the length of the longest copy; 1 if no copy.
static uint32_t reach_from(struct pack *p, uint32_t at)
{
    const struct way *w = &p->ways[at];
    uint32_t longest = 1, left = p->length - at, least = PACKED_SHORTEST;
    reach(p, at, p->word_bits[p->text[at]], 1, 0);
    for (uint32_t r = 0; r < PACKED_RECENT; r++) {
        if (w->recent[r] > at) continue;
        uint32_t n = same_bytes(p, at - w->recent[r], at, 0, left);
        reach_by_copy(p, at, PACKED_SHORTEST, n, r);
        if (n > longest) longest = n;
    }
    for (uint32_t i = p->first[at]; i < p->first[at + 1]; i++) {
        struct copy c = p->copies.data[i];
        if (c.length == LONG) c.length = same_bytes(p, at - c.distance, at, LONG, left);
        reach_by_copy(p, at, least, c.length, c.distance + PACKED_RECENT - 1);
        least = c.length + 1;
        if (c.length > longest) longest = c.length;
    }
    return longest;
}

// Fills p->ways with the cheapest encoding found up to each position. Positions inside a copy of LONG bytes
// or more are passed over.
static void find_ways(struct pack *p)
{
    for (uint32_t at = 0; at <= p->length; at++) p->ways[at].bits = UINT32_MAX;
    p->ways[0] = (struct way){.recent = {1, 2, 3, 4}};
    for (uint32_t at = 0; at < p->length;) {
        remember(p, at);
        uint32_t longest = reach_from(p, at);
        at += longest < LONG ? 1 : longest;
    }
}

// Reverses the links of the cheapest encoding. Afterwards `length` and `place` of a position describe the
// step from the position on, not the step to the position.
static void turn_round(struct pack *p)
{
    uint32_t length = 0, place = 0;
    for (uint32_t at = p->length;;) {
        struct way *w = &p->ways[at], step = *w;
        w->length = length;
        w->place = place;
        if (!at) return;
        length = step.length;
        place = step.place;
        at -= step.length;
    }
}

// -- codes --------------------------------------------------------------------------------------------------

// A Huffman tree. Leaves are the symbols; a parent has a higher number than the children.
struct tree {
    uint64_t weight[2 * PACKED_WORDS]; // 0: an unused symbol
    uint16_t parent[2 * PACKED_WORDS]; // 0: no parent
    unsigned nodes;
};

// Number of the used node (weight above 0) with the least weight, without parent and other than `except`.
// t->nodes: no such node.
static unsigned lightest(const struct tree *t, unsigned except)
{
    unsigned best = t->nodes;
    for (unsigned n = 0; n < t->nodes; n++)
        if (t->weight[n] && !t->parent[n] && n != except &&
            (best == t->nodes || t->weight[n] < t->weight[best]))
            best = n;
    return best;
}

static void build_tree(struct tree *t, const uint32_t *counts, unsigned count)
{
    *t = (struct tree){.nodes = count};
    for (unsigned s = 0; s < count; s++) t->weight[s] = counts[s];
    for (;;) {
        unsigned a = lightest(t, t->nodes), b = lightest(t, a);
        if (b == t->nodes) return;
        t->weight[t->nodes] = t->weight[a] + t->weight[b];
        t->parent[a] = t->parent[b] = (uint16_t)t->nodes++;
    }
}

// Fills the code lengths, in bits, of all symbols of a Huffman code (0: unused); returns the longest length.
static unsigned huffman(const uint32_t *counts, unsigned count, uint8_t *lengths)
{
    struct tree t;
    unsigned longest = 0;
    build_tree(&t, counts, count);
    for (unsigned s = 0; s < count; s++) {
        lengths[s] = t.weight[s] && t.nodes == count; // a single symbol
        for (unsigned n = s; t.parent[n]; n = t.parent[n]) lengths[s]++;
        if (lengths[s] > longest) longest = lengths[s];
    }
    return longest;
}

// Makes a Huffman code from counts of symbols. Counts are halved until no symbol's code is longer than
// PACKED_CODE_MOST bits.
static void make_code(uint32_t *counts, unsigned count, uint8_t *lengths)
{
    while (huffman(counts, count, lengths) > PACKED_CODE_MOST)
        for (unsigned s = 0; s < count; s++) counts[s] = (counts[s] + 1) / 2;
}

static void count_symbols(struct pack *p)
{
    memset(p->word_counts, 0, sizeof p->word_counts);
    memset(p->place_counts, 0, sizeof p->place_counts);
    for (uint32_t at = 0; at < p->length; at += p->ways[at].length) {
        const struct way *w = &p->ways[at];
        if (w->length == 1) {
            p->word_counts[p->text[at]]++;
            continue;
        }
        p->word_counts[256 + class_of(w->length - PACKED_SHORTEST)]++;
        p->place_counts[class_of(w->place)]++;
    }
    make_code(p->word_counts, PACKED_WORDS, p->word_bits);
    make_code(p->place_counts, PACKED_CLASSES, p->place_bits);
}

static void price_unused(uint8_t *bits, unsigned count)
{
    for (unsigned s = 0; s < count; s++)
        if (!bits[s]) bits[s] = UNUSED_BITS;
}

static void choose(struct pack *p)
{
    memset(p->word_bits, 7, sizeof p->word_bits);
    memset(p->place_bits, 5, sizeof p->place_bits);
    for (unsigned pass = 0; pass < PASSES; pass++) {
        price_unused(p->word_bits, PACKED_WORDS);
        price_unused(p->place_bits, PACKED_CLASSES);
        find_ways(p);
        turn_round(p);
        count_symbols(p);
    }
}

// -- output -------------------------------------------------------------------------------------------------

struct writer {
    struct strbuf *out;
    uint64_t buffer;
    unsigned count;
};

static void put(struct writer *w, uint32_t value, unsigned count)
{
    w->buffer |= (uint64_t)value << w->count;
    for (w->count += count; w->count >= 8; w->count -= 8, w->buffer >>= 8)
        strbuf_putc(w->out, (char)(w->buffer & 0xff));
}

struct code {
    uint8_t lengths[PACKED_WORDS];
    uint16_t bits[PACKED_WORDS];
};

static void put_lengths(struct writer *w, const uint8_t *lengths, unsigned count)
{
    enum { UNUSED_MOST = 15 };
    for (unsigned s = 0; s < count; s++) {
        put(w, lengths[s], 4);
        if (lengths[s]) continue;
        unsigned more = 0;
        while (more < UNUSED_MOST && s + 1 + more < count && !lengths[s + 1 + more]) more++;
        put(w, more, 4);
        s += more;
    }
}

static void put_code(struct writer *w, struct code *c, const uint8_t *lengths, unsigned count)
{
    unsigned next = 0;
    for (unsigned length = 1; length <= PACKED_CODE_MOST; length++, next <<= 1)
        for (unsigned s = 0; s < count; s++)
            if (lengths[s] == length) c->bits[s] = (uint16_t)next++;
    memcpy(c->lengths, lengths, count);
    put_lengths(w, lengths, count);
}

static void put_symbol(struct writer *w, const struct code *c, uint32_t symbol)
{
    for (unsigned bit = c->lengths[symbol]; bit--;) put(w, c->bits[symbol] >> bit & 1, 1);
}

static void put_number(struct writer *w, const struct code *c, uint32_t base, uint32_t number)
{
    put_symbol(w, c, base + class_of(number));
    put(w, number & (uint32_t)bit_mask(further_bits(number)), further_bits(number));
}

static void put_stream(struct pack *p, struct strbuf *out)
{
    struct writer w = {.out = out};
    struct code words, places;
    put_code(&w, &words, p->word_bits, PACKED_WORDS);
    put_code(&w, &places, p->place_bits, PACKED_CLASSES);
    for (uint32_t at = 0; at < p->length; at += p->ways[at].length) {
        const struct way *way = &p->ways[at];
        if (way->length == 1) {
            put_symbol(&w, &words, p->text[at]);
            continue;
        }
        put_number(&w, &words, 256, way->length - PACKED_SHORTEST);
        put_number(&w, &places, 0, way->place);
    }
    put(&w, 0, -w.count & 7);
}

static void put_header(struct strbuf *out, const void *text, uint32_t length)
{
    uint64_t hash = hash_bytes(text, length, 0);
    strbuf_write(out, PACKED_MAGIC, sizeof PACKED_MAGIC);
    strbuf_write(out, (const char *)&length, sizeof length);
    strbuf_write(out, (const char *)&hash, sizeof hash);
}

bool packed_write(const void *text, size_t length, struct strbuf *out)
{
    if (length > FILE_TEXT_MOST) return false;
    struct pack p = {.text = text,
                     .length = (uint32_t)length,
                     .first = heap_alloc((length + 1) * sizeof *p.first),
                     .ways = heap_alloc((length + 1) * sizeof *p.ways)};
    find_all_copies(&p);
    choose(&p);
    put_header(out, text, p.length);
    put_stream(&p, out);
    vec_fini(&p.copies);
    free(p.first);
    free(p.ways);
    return true;
}
