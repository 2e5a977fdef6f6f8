// Saves a program as bytes for a second process of the same build, to reuse the work of a front end. Arrays
// are stored in their memory layout: the bytes are valid for one build and machine only. A hash detects
// corruption.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct program;
struct strbuf;

// Maps keys of program symbols, pointers to variables of the front end, to numbers in the bytes, and back.
struct saved_keys {
    const void *context;
    uint32_t (*number)(const void *context, const void *key);
    const void *(*key)(const void *context, uint32_t number); // NULL: unknown number
};

void saved_write(const struct program *p, const struct saved_keys *keys, struct strbuf *out);
// NULL: the bytes are not a complete, valid program by saved_write of the same build, or `keys` has no key
// for a number.
struct program *saved_read(const char *bytes, size_t length, const struct saved_keys *keys);
