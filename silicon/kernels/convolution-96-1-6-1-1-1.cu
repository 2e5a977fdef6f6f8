// convolution.cu as block_size_x=96;block_size_y=1;read_only=1;tile_size_x=6;tile_size_y=1;use_padding=1.
#define BLOCK_X   96
#define BLOCK_Y   1
#define TILE_X    6
#define TILE_Y    1
#define PADDING   1
#define READ_ONLY 1
#include "convolution.cu"
