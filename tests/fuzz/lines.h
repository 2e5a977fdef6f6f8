// Mutation of texts line by line: most results still parse, so a fuzzer gets past the first error.
#pragma once
#include <stddef.h>
#include <stdint.h>

// The body of an LLVMFuzzerCustomMutator, with the same parameters and result. Drops, repeats and copies
// lines and words of the text, and changes digits; one time in eight changes arbitrary bytes.
size_t lines_mutate(uint8_t *data, size_t size, size_t max_size, unsigned seed);
