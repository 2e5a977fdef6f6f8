// convolution.cu as block_size_x=192;block_size_y=1;tile_size_x=1;tile_size_y=1;read_only=1;use_padding=0;use_shmem=0.
#define BLOCK_X   192
#define BLOCK_Y   1
#define TILE_X    1
#define TILE_Y    1
#define PADDING   0
#define READ_ONLY 1
#define SHARED    0
#include "convolution.cu"
