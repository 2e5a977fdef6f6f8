// convolution.cu as block_size_x=128;block_size_y=1;read_only=1;tile_size_x=2;tile_size_y=3;use_padding=1.
#define BLOCK_X   128
#define BLOCK_Y   1
#define TILE_X    2
#define TILE_Y    3
#define PADDING   1
#define READ_ONLY 1
#include "convolution.cu"
