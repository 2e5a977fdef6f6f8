// convolution.cu as block_size_x=64;block_size_y=16;read_only=0;tile_size_x=1;tile_size_y=3;use_padding=1.
#define BLOCK_X   64
#define BLOCK_Y   16
#define TILE_X    1
#define TILE_Y    3
#define PADDING   1
#define READ_ONLY 0
#include "convolution.cu"
