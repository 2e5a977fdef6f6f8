// convolution.cu as block_size_x=208;block_size_y=1;tile_size_x=3;tile_size_y=2;read_only=0;use_padding=1;use_shmem=1.
#define BLOCK_X   208
#define BLOCK_Y   1
#define TILE_X    3
#define TILE_Y    2
#define PADDING   1
#define READ_ONLY 0
#include "convolution.cu"
