// convolution.cu as block_size_x=32;block_size_y=16;read_only=0;tile_size_x=2;tile_size_y=7;use_padding=1.
#define BLOCK_X   32
#define BLOCK_Y   16
#define TILE_X    2
#define TILE_Y    7
#define PADDING   1
#define READ_ONLY 0
#include "convolution.cu"
