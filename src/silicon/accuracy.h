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

// Accuracy over pairs of positive values. NAN without pairs; correlations need three pairs with different
// values.
struct accuracy accuracy_of(const double *ours, const double *theirs, size_t count);
