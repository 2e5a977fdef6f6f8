// convolution.cu as block_size_x=64;block_size_y=16;tile_size_x=4;tile_size_y=4;read_only=0;use_padding=0;use_shmem=0.
#define BLOCK_X   64
#define BLOCK_Y   16
#define TILE_X    4
#define TILE_Y    4
#define PADDING   0
#define READ_ONLY 0
#define SHARED    0
#include "convolution.cu"
