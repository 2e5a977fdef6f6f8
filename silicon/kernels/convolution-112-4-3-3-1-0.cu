// convolution.cu as block_size_x=112;block_size_y=4;read_only=0;tile_size_x=3;tile_size_y=3;use_padding=1.
#define BLOCK_X   112
#define BLOCK_Y   4
#define TILE_X    3
#define TILE_Y    3
#define PADDING   1
#define READ_ONLY 0
#include "convolution.cu"
