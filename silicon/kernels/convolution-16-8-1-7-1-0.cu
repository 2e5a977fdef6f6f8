// convolution.cu as block_size_x=16;block_size_y=8;read_only=0;tile_size_x=1;tile_size_y=7;use_padding=1.
#define BLOCK_X   16
#define BLOCK_Y   8
#define TILE_X    1
#define TILE_Y    7
#define PADDING   1
#define READ_ONLY 0
#include "convolution.cu"
