// bitonicSort in blocks of 512: 8 KB of shared memory.
#define THREADS              512
#define bitonic_sort_tiles   bitonic_sort_tiles512
#define bitonic_merge_global bitonic_merge_global512
#define bitonic_merge_tiles  bitonic_merge_tiles512
#include "bitonicSort.cu"
