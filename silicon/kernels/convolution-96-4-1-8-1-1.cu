// convolution.cu as block_size_x=96;block_size_y=4;read_only=1;tile_size_x=1;tile_size_y=8;use_padding=1.
#define BLOCK_X   96
#define BLOCK_Y   4
#define TILE_X    1
#define TILE_Y    8
#define PADDING   1
#define READ_ONLY 1
#include "convolution.cu"
