// convolution.cu as block_size_x=96;block_size_y=2;tile_size_x=2;tile_size_y=2;read_only=1;use_padding=0;use_shmem=1.
#define BLOCK_X   96
#define BLOCK_Y   2
#define TILE_X    2
#define TILE_Y    2
#define PADDING   0
#define READ_ONLY 1
#include "convolution.cu"
