// Verdict of study `locality`: should L1 fetch lines singly, by twos or by fours? Judged by reuse in caches
// of equal capacity, with blocks of one, two and four lines.
#pragma once

enum locality_verdict { LOCALITY_FINE, LOCALITY_COARSE2, LOCALITY_COARSE4 };
// Arguments: probabilities of reuse in caches of w lines. lines: within w blocks of one line; pairs: within
// w/2 blocks of two lines; fours: within w/4 blocks of four lines.
enum locality_verdict locality_verdict(double lines, double pairs, double fours);
extern const char *const locality_verdict_names[];
