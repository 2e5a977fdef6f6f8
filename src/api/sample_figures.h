// Figures of a launch as a list of words of struct chip_result, for estimates.
#pragma once
#include "chip/chip.h"

// Number of words, and the words as numbers. Word 0: cycles.
size_t figures_count(void);
void figures_read(const struct chip_result *r, double *words);
void figures_read_sums(const struct chip_sums *s, double *words);   // words not in the sums: 0
void figures_add(struct chip_result *r, size_t word, double value); // rounded
bool figures_is_executed(size_t word); // a count of executed instructions, known without time
bool figures_is_event(size_t word);    // a count other than cycles of the chip
