// convolution.cu as block_size_x=32;block_size_y=16;tile_size_x=1;tile_size_y=4;read_only=1;use_padding=0;use_shmem=0.
#define BLOCK_X   32
#define BLOCK_Y   16
#define TILE_X    1
#define TILE_Y    4
#define PADDING   0
#define READ_ONLY 1
#define SHARED    0
#include "convolution.cu"
