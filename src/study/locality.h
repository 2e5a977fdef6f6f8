// The verdict of study locality, from what a cache of as many bytes would have in blocks of one, two and four lines.
#pragma once

enum locality_verdict { LOCALITY_FINE, LOCALITY_COARSE2, LOCALITY_COARSE4 };
// Probabilities that an access comes back within w blocks of a line, w / 2 of two, w / 4 of four.
enum locality_verdict locality_verdict(double lines, double pairs, double fours);
extern const char *const locality_verdict_names[];
