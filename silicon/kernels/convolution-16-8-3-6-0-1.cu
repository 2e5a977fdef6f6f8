// convolution.cu as block_size_x=16;block_size_y=8;read_only=1;tile_size_x=3;tile_size_y=6;use_padding=0.
#define BLOCK_X   16
#define BLOCK_Y   8
#define TILE_X    3
#define TILE_Y    6
#define PADDING   0
#define READ_ONLY 1
#include "convolution.cu"
