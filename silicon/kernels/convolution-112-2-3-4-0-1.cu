// convolution.cu as block_size_x=112;block_size_y=2;tile_size_x=3;tile_size_y=4;read_only=1;use_padding=0;use_shmem=1.
#define BLOCK_X   112
#define BLOCK_Y   2
#define TILE_X    3
#define TILE_Y    4
#define PADDING   0
#define READ_ONLY 1
#include "convolution.cu"
