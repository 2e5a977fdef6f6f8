// Unpacking. Every length, distance and code is checked before use, so any bytes are safe input; the hash
// finds whatever else is wrong.
#include "base/packed.h"
#include "base/arena.h"
#include "base/bits.h"
#include "base/file.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A reader of the input's bits. Past the end zeros are read; `beyond` counts bytes read past the end.
struct bits {
    const uint8_t *next, *end;
    uint64_t buffer;
    unsigned count, beyond;
};

// Refills the buffer to at least 56 bits.
static void fill(struct bits *b)
{
    if (b->end - b->next >= 8) {
        uint64_t word;
        memcpy(&word, b->next, 8);
        b->buffer |= word << b->count;
        b->next += (63 - b->count) / 8;
        b->count |= 56;
        return;
    }
    for (; b->count < 56; b->count += 8) {
        if (b->next < b->end)
            b->buffer |= (uint64_t)*b->next++ << b->count;
        else
            b->beyond++;
    }
}

static uint32_t take(struct bits *b, unsigned count)
{
    uint32_t value = (uint32_t)(b->buffer & bit_mask(count));
    b->buffer >>= count;
    b->count -= count;
    return value;
}

// A code as a table: the next PACKED_CODE_MOST bits of the stream give a symbol and its length. Length 0: the
// bits are no code.
struct code {
    struct {
        uint16_t symbol;
        uint8_t length;
    } of[1 << PACKED_CODE_MOST];
};

static unsigned reversed(unsigned code, unsigned length)
{
    unsigned r = 0;
    for (; length; length--, code >>= 1) r = r << 1 | (code & 1);
    return r;
}

static bool read_lengths(struct bits *b, uint8_t *lengths, unsigned count)
{
    for (unsigned s = 0; s < count;) {
        fill(b);
        lengths[s] = (uint8_t)take(b, 4);
        if (lengths[s] > PACKED_CODE_MOST) return false;
        s += lengths[s] ? 1 : 1 + take(b, 4);
        if (s > count) return false;
    }
    return true;
}

// Reads a code of `count` symbols. False: the lengths give no valid code.
static bool read_code(struct bits *b, struct code *c, unsigned count)
{
    uint8_t lengths[PACKED_WORDS] = {0};
    if (!read_lengths(b, lengths, count)) return false;
    memset(c, 0, sizeof *c);
    unsigned next = 0, used = 0; // the next code of a length
    for (unsigned length = 1; length <= PACKED_CODE_MOST; length++, next <<= 1)
        for (unsigned s = 0; s < count; s++) {
            if (lengths[s] != length) continue;
            if (next >> length) return false;
            for (unsigned at = reversed(next, length); at < 1 << PACKED_CODE_MOST; at += 1u << length) {
                c->of[at].symbol = (uint16_t)s;
                c->of[at].length = (uint8_t)length;
            }
            next++;
            used++;
        }
    return next == (used < 2 ? used : 2u) << PACKED_CODE_MOST;
}

static bool read_symbol(struct bits *b, const struct code *c, uint32_t *symbol)
{
    unsigned at = (unsigned)(b->buffer & bit_mask(PACKED_CODE_MOST)), length = c->of[at].length;
    *symbol = c->of[at].symbol;
    take(b, length);
    return length != 0;
}

static uint32_t read_number(struct bits *b, uint32_t class)
{
    unsigned more = class / 4 - 1;
    return class < 4 ? class : ((4 + class % 4) << more) + take(b, more);
}

static void copy(char *to, size_t distance, size_t length)
{
    const char *from = to - distance;
    if (distance >= length)
        memcpy(to, from, length);
    else
        for (size_t i = 0; i < length; i++) to[i] = from[i];
}

static bool read_stream(struct bits *b, const struct code *words, const struct code *places, char *text,
                        size_t length)
{
    uint32_t recent[PACKED_RECENT] = {1, 2, 3, 4}, symbol;
    for (size_t at = 0; at < length;) {
        fill(b);
        if (b->beyond > 8 || !read_symbol(b, words, &symbol)) return false;
        if (symbol < 256) {
            text[at++] = (char)symbol;
            continue;
        }
        size_t many = (size_t)read_number(b, symbol - 256) + PACKED_SHORTEST;
        fill(b);
        if (!read_symbol(b, places, &symbol)) return false;
        size_t distance = packed_distance(recent, read_number(b, symbol));
        if (distance > at || many > length - at) return false;
        copy(text + at, distance, many);
        at += many;
    }
    return b->next == b->end && b->count / 8 == b->beyond && !b->buffer;
}

static bool read_text(struct bits *b, char *text, size_t length)
{
    struct code words, places;
    return read_code(b, &words, PACKED_WORDS) && read_code(b, &places, PACKED_CLASSES) &&
           read_stream(b, &words, &places, text, length);
}

bool packed_is(const void *bytes, size_t length)
{
    return length >= sizeof PACKED_MAGIC && memcmp(bytes, PACKED_MAGIC, sizeof PACKED_MAGIC) == 0;
}

bool packed_read(const void *bytes, size_t length, char **text, size_t *text_length, const char **why)
{
    const uint8_t *p = bytes;
    uint32_t announced;
    uint64_t hash;
    *why = "is no packed text";
    if (!packed_is(p, length) || length < PACKED_HEADER) return false;
    memcpy(&announced, p + sizeof PACKED_MAGIC, sizeof announced);
    memcpy(&hash, p + sizeof PACKED_MAGIC + sizeof announced, sizeof hash);
    *why = "is a damaged packed text";
    if (announced > FILE_TEXT_MOST) return false;
    *text = heap_try((size_t)announced + 1);
    *text_length = announced;
    if (!*text) *why = "there is not enough memory for it";
    struct bits b = {p + PACKED_HEADER, p + length, 0, 0, 0};
    if (*text && read_text(&b, *text, announced) && hash_bytes(*text, announced, 0) == hash) return true;
    free(*text);
    *text = NULL;
    return false;
}

static bool exists(const char *path) { return access(path, F_OK) == 0; }

bool packed_read_file(const char *path, char **text, size_t *length, const char **why)
{
    struct strbuf packed = {0};
    strbuf_printf(&packed, "%s" PACKED_ENDING, path);
    bool is_beside = !exists(path) && exists(packed.text);
    bool good = file_read(is_beside ? packed.text : path, text, length, why);
    strbuf_fini(&packed);
    if (!good || !packed_is(*text, *length)) return good;
    char *bytes = *text;
    good = packed_read(bytes, *length, text, length, why);
    free(bytes);
    return good;
}
