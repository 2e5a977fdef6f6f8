// convolution.cu as block_size_x=160;block_size_y=2;tile_size_x=3;tile_size_y=2;read_only=1;use_padding=0;use_shmem=0.
#define BLOCK_X   160
#define BLOCK_Y   2
#define TILE_X    3
#define TILE_Y    2
#define PADDING   0
#define READ_ONLY 1
#define SHARED    0
#include "convolution.cu"
