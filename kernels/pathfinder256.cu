// pathfinder in blocks of 256 columns: 2 KB of shared memory.
#define THREADS    256
#define pathfinder pathfinder256
#include "pathfinder.cu"
