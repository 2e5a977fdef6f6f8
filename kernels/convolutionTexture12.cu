// convolutionTexture in blocks of 16x12, as the suite has them: six warps.
#define convolve_rows    convolve_rows12
#define convolve_columns convolve_columns12
#include "convolutionTexture.cu"
