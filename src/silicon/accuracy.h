// Accuracy of simulated values against measured values.
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

// Accuracy over `count` pairs of positive values. Errors and ratio are NAN without pairs. Correlations are
// NAN with fewer than three pairs, or if the values of one side are all equal.
struct accuracy accuracy_of(const double *ours, const double *theirs, size_t count);
