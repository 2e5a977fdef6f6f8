// Packed texts: LZ77 over the whole text, then two Huffman codes. Exact for any bytes; meant for PTX. The
// PTX of silicon/ became 11 times smaller. Packing is for tools at build time (pack.c), unpacking for
// programs (packed.c).
//
// A packed text, numbers little-endian:
//
//     bytes   8        4        8                              …            …
//           ┌──────────┬────────┬──────────────────────────────┬────────────┬──────────────────┐
//           │ "wfpack1"│ length │ hash_bytes(text, length, 0)  │ two codes  │ stream of symbols│
//           │ and NUL  │ bytes  │                              │            │                  │
//           └──────────┴────────┴──────────────────────────────┴────────────┴──────────────────┘
//
// Codes and stream are a sequence of bits, from the lowest bit of the first byte on; the last byte is filled
// up with zeros.
//
// A code is a list of lengths, 4 bits a symbol, for PACKED_WORDS symbols of the first code and PACKED_CLASSES
// of the second: 1 to 12 bits, 0 for an unused symbol. A 0 is followed by 4 bits, the number of further
// unused symbols. Symbols have canonical codes: shorter codes first, equal lengths in order of the symbols,
// the first bit of a code first in the stream. A code is complete, or has a single symbol of length 1, or
// no symbol.
//
// The stream: a symbol of the first code below 256 is a byte of the text. Symbol 256 + c begins a copy of
// earlier text: class c gives the length less PACKED_SHORTEST, a class of the second code gives the place.
// Places below PACKED_RECENT are the last distances, newest first. A higher place is a distance back in the
// text plus PACKED_RECENT - 1. The distance of a copy moves to the front of the last distances, at first 1,
// 2, 3, 4. A copy may overlap the copied text.
//
// A class c stands for a number: below 4 for c, otherwise for (4 + c % 4) << e plus e further bits, e being
// c / 4 - 1.
#pragma once
#include "base/str.h"

#include <string.h>

enum {
    PACKED_HEADER = 20, // bytes before the codes
    PACKED_CLASSES = 108,
    PACKED_WORDS = 256 + PACKED_CLASSES,
    PACKED_CODE_MOST = 12, // bits of a symbol
    PACKED_SHORTEST = 2,   // bytes of a copy
    PACKED_RECENT = 4,
};
#define PACKED_MAGIC  "wfpack1" // with its NUL
#define PACKED_ENDING ".packed"

// True: the bytes begin as a packed text.
bool packed_is(const void *bytes, size_t length);
// Unpacks into heap memory, followed by a NUL; the caller frees *text. False: *why is a static text, and
// nothing is left to free.
bool packed_read(const void *bytes, size_t length, char **text, size_t *text_length, const char **why);
// file_read, for files that may be packed. A packed file gives its text. Where PATH does not exist,
// PATH.packed is read.
bool packed_read_file(const char *path, char **text, size_t *length, const char **why);

// Returns the distance in bytes of a copy, given its place (the encoded distance), and moves the distance to
// the front of the recent distances.
static inline uint32_t packed_distance(uint32_t recent[PACKED_RECENT], uint32_t place)
{
    unsigned from = place < PACKED_RECENT ? place : PACKED_RECENT - 1;
    uint32_t distance = place < PACKED_RECENT ? recent[place] : place - (PACKED_RECENT - 1);
    memmove(recent + 1, recent, from * sizeof *recent);
    recent[0] = distance;
    return distance;
}

// Appends the packed text to `out`. Time: about 2 µs a byte. False: the text is longer than FILE_TEXT_MOST.
bool packed_write(const void *text, size_t length, struct strbuf *out);
