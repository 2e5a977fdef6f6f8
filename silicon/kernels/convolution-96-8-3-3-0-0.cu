// convolution.cu as block_size_x=96;block_size_y=8;read_only=0;tile_size_x=3;tile_size_y=3;use_padding=0.
#define BLOCK_X   96
#define BLOCK_Y   8
#define TILE_X    3
#define TILE_Y    3
#define PADDING   0
#define READ_ONLY 0
#include "convolution.cu"
