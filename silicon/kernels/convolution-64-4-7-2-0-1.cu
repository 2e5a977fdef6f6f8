// convolution.cu as block_size_x=64;block_size_y=4;read_only=1;tile_size_x=7;tile_size_y=2;use_padding=0.
#define BLOCK_X   64
#define BLOCK_Y   4
#define TILE_X    7
#define TILE_Y    2
#define PADDING   0
#define READ_ONLY 1
#include "convolution.cu"
