// convolution.cu as block_size_x=64;block_size_y=4;read_only=0;tile_size_x=3;tile_size_y=5;use_padding=0.
#define BLOCK_X   64
#define BLOCK_Y   4
#define TILE_X    3
#define TILE_Y    5
#define PADDING   0
#define READ_ONLY 0
#include "convolution.cu"
