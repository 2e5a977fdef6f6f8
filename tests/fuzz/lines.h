// Mutation of texts line by line: most of what comes out still reads, so that a fuzzer gets behind the first error.
#pragma once
#include <stddef.h>
#include <stdint.h>

// For LLVMFuzzerCustomMutator, with its parameters and its result: lines dropped, repeated elsewhere and swapped in their
// parts, digits changed, words of the text put in the place of others; one time in eight any bytes.
size_t lines_mutate(uint8_t *data, size_t size, size_t max_size, unsigned seed);
