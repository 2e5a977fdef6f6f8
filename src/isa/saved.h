// A program as bytes, for another process of the same build: what a front end made once, others need not make again. Arrays are
// as they are in memory, so the bytes mean nothing to another build or machine; a hash of them finds what is broken.
#pragma once
#include "isa/program.h"

// Program symbols point to variables of the front end, which a number stands for in the bytes.
struct saved_keys {
    const void *context;
    uint32_t (*number)(const void *context, const void *key);
    const void *(*key)(const void *context, uint32_t number); // NULL: there is none
};

void saved_write(const struct program *p, const struct saved_keys *keys, struct strbuf *out);
// NULL: these bytes are no program that saved_write made, or not all of one.
struct program *saved_read(const char *bytes, size_t length, const struct saved_keys *keys);
