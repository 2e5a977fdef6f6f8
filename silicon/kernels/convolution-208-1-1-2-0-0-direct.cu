// convolution.cu as block_size_x=208;block_size_y=1;tile_size_x=1;tile_size_y=2;read_only=0;use_padding=0;use_shmem=0.
#define BLOCK_X   208
#define BLOCK_Y   1
#define TILE_X    1
#define TILE_Y    2
#define PADDING   0
#define READ_ONLY 0
#define SHARED    0
#include "convolution.cu"
