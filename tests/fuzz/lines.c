#include "fuzz/lines.h"
#include "base/rng.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

enum { COPY_MAX = 4096 };

struct span {
    size_t at, length;
};

static struct span pick_line(const uint8_t *data, size_t size, struct rng *r)
{
    size_t at = rng_below(r, (uint32_t)size), end = at;
    while (at && data[at - 1] != '\n') at--;
    while (end < size && data[end] != '\n') end++;
    return (struct span){at, end - at + (end < size)};
}

static bool is_of_word(uint8_t c) { return isalnum(c) || (c && strchr("_.%$", c)); }

// The word at or behind a random position; length 0: no word.
static struct span pick_word(const uint8_t *data, size_t size, struct rng *r)
{
    size_t at = rng_below(r, (uint32_t)size), end;
    while (at < size && !is_of_word(data[at])) at++;
    while (at && at < size && is_of_word(data[at - 1])) at--;
    for (end = at; end < size && is_of_word(data[end]);) end++;
    return (struct span){at, end - at};
}

static size_t change_digit(uint8_t *data, size_t size, struct rng *r)
{
    size_t at = rng_below(r, (uint32_t)size);
    for (size_t k = 0; k < size; k++, at = (at + 1) % size)
        if (isdigit(data[at])) {
            data[at] = (uint8_t)('0' + rng_below(r, 10));
            break;
        }
    return size;
}

// Replaces `to` by a copy of `from`.
static size_t put(uint8_t *data, size_t size, size_t max_size, struct span from, struct span to)
{
    uint8_t copy[COPY_MAX];
    if (from.length > sizeof copy || size - to.length + from.length > max_size) return size;
    memcpy(copy, data + from.at, from.length);
    memmove(data + to.at + from.length, data + to.at + to.length, size - to.at - to.length);
    memcpy(data + to.at, copy, from.length);
    return size - to.length + from.length;
}

size_t lines_mutate(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct rng r;
    rng_init(&r, seed);
    if (!size || rng_below(&r, 8) == 0) return LLVMFuzzerMutate(data, size, max_size);
    for (uint32_t n = 1 + rng_below(&r, 4); n && size; n--) {
        struct span line = pick_line(data, size, &r), other = pick_line(data, size, &r);
        switch (rng_below(&r, 6)) {
        case 0: size = put(data, size, max_size, (struct span){0, 0}, line); break;
        case 1: size = put(data, size, max_size, line, (struct span){other.at, 0}); break;
        case 2: size = put(data, size, max_size, line, other); break;
        case 3: size = put(data, size, max_size, pick_word(data, size, &r), pick_word(data, size, &r)); break;
        default: size = change_digit(data, size, &r);
        }
    }
    return size;
}
