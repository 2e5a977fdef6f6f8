// nqueens as chapter 4 of Xiang's dissertation runs it: 256 blocks, and every board is the first block's.
#define nqueens nqueens256
#include "nqueens.cu"
