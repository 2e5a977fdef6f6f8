// convolution.cu as block_size_x=16;block_size_y=8;read_only=0;tile_size_x=6;tile_size_y=2;use_padding=0.
#define BLOCK_X   16
#define BLOCK_Y   8
#define TILE_X    6
#define TILE_Y    2
#define PADDING   0
#define READ_ONLY 0
#include "convolution.cu"
