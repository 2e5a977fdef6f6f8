// convolution.cu as block_size_x=16;block_size_y=8;read_only=1;tile_size_x=1;tile_size_y=3;use_padding=0.
#define BLOCK_X   16
#define BLOCK_Y   8
#define TILE_X    1
#define TILE_Y    3
#define PADDING   0
#define READ_ONLY 1
#include "convolution.cu"
