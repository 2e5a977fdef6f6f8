// Doubles in vectors. A register pair is two rows of words: the low and the high words of all lanes. The
// doubles of a vector's lanes are processed as two vectors, for the even and the odd lanes, and written back
// as two rows. Shifts and masks do the conversion on any host. For fast/double*.c only.
#pragma once
#include "exec/fast.h"

#define LOW_WORDS  0xffffffffull
#define DOUBLE_BIT (1ull << 63) // the sign

static inline vd even_of(vu low, vu high) { return (vd)(((vu64)low & LOW_WORDS) | ((vu64)high << 32)); }
static inline vd odd_of(vu low, vu high) { return (vd)(((vu64)low >> 32) | ((vu64)high & ~LOW_WORDS)); }
static inline vu low_of(vd even, vd odd) { return (vu)(((vu64)even & LOW_WORDS) | ((vu64)odd << 32)); }
static inline vu high_of(vd even, vd odd) { return (vu)(((vu64)even >> 32) | ((vu64)odd & ~LOW_WORDS)); }

static inline vu64 splat_bits(uint64_t x) { return x - (vu64){0}; }
static inline vd splat_double(double x) { return x - (vd){0}; }
static inline vd choose_double(vi64 m, vd yes, vd no) { return (vd)(((vi64)yes & m) | ((vi64)no & ~m)); }
static inline vd magnitude(vd x) { return (vd)((vu64)x & ~DOUBLE_BIT); }
static inline vd sign(vd x) { return (vd)((vu64)x & DOUBLE_BIT); }

// Joins comparison results of even and odd lanes: into a word per lane (all ones: true), and into a lane
// mask.
static inline vu lane_words(vi64 even, vi64 odd) { return low_of((vd)even, (vd)odd); }
static inline vm lane_mask(vi64 even, vi64 odd) { return less_s(lane_words(even, odd), splat(0)); }
