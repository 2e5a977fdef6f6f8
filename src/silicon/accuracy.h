// How near simulated values are to measured ones.
#pragma once
#include <stddef.h>

struct accuracy {
    size_t count;
    double error;            // mean of |ours / theirs - 1|
    double bias;             // mean of ours / theirs - 1
    double log_correlation;  // Pearson's, of the logarithms
    double rank_correlation; // Spearman's; equal values share the mean of their ranks
    double ratio;            // geometric mean of ours / theirs
};

// Of pairs of positive values. NAN: none to say it of; correlations are said of three pairs or more that differ.
struct accuracy accuracy_of(const double *ours, const double *theirs, size_t count);
