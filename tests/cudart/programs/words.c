// A CUDA program without nvcc: does what its words say, over the kernels of kernels.ptx.
//
//     launch     counts with a kernel, and prints the count     fault   a kernel that stores to address 0, unnoticed
//     notice     the error of the device, printed                lots    three launches of count and two of next_word
//     time       prints whether events see time                  wait    exits from a kernel's launch under way, by a callback
//     exit=N     ends with status N                              signal  ends by SIGKILL
//     absent     calls a function that is not there              fork    a child process launches, too
//     copies     reads memory that copies wrote                  unset   reads memory that nothing wrote
#include "cudart/cuda.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char count, next_word, store_at, say, add_byte;
static char counter;
static int *shared_word;
static const struct cuda_dim3 one = {1, 1, 1};

static __attribute__((constructor)) void register_program(void)
{
    static char ptx[1 << 16];
    FILE *f = fopen(getenv("KERNELS") ? getenv("KERNELS") : "tests/cudart/kernels.ptx", "r");
    size_t length = f ? fread(ptx, 1, sizeof ptx, f) : 0;
    void **handle =
        __cudaRegisterFatBinary(fat_make(ptx, length, getenv("NO_PTX") ? FAT_MACHINE_CODE : FAT_PLAIN));
    __cudaRegisterFunction(handle, &count, NULL, "count", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &next_word, NULL, "next_word", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &store_at, NULL, "store_at", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &say, NULL, "say", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &add_byte, NULL, "add_byte", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, &counter, &counter, "counter", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle, (void **)&shared_word, NULL, "shared_word", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    if (f) fclose(f);
}

static enum cuda_error launch(char *kernel, void **args)
{
    return cudaLaunchKernel(kernel, one, one, args, 0, NULL);
}

static void add_five(void)
{
    int step = 5, now = -1;
    enum cuda_error error = launch(&count, (void *[]){&step});
    if (error == cudaSuccess) error = cudaMemcpyFromSymbol(&now, &counter, 4, 0, COPY_FROM_DEVICE);
    printf("count %d, %s\n", now, cudaGetErrorName(error));
}

static void time_launch(void)
{
    struct cuda_event *from, *to;
    int step = 1;
    float ms = 0;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    cudaEventRecord(from, NULL);
    launch(&count, (void *[]){&step});
    cudaEventRecord(to, NULL);
    cudaEventSynchronize(to);
    enum cuda_error error = cudaEventElapsedTime(&ms, from, to);
    printf("time %s, %s\n", ms > 0 ? "passes" : "stands still", cudaGetErrorName(error));
}

static void launch_lots(void)
{
    int step = 1;
    for (int i = 0; i < 3; i++) launch(&count, (void *[]){&step});
    for (int i = 0; i < 2; i++) launch(&next_word, NULL);
    cudaDeviceSynchronize();
}

static void fork_and_launch(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        add_five();
        exit(0);
    }
    waitpid(child, NULL, 0);
    add_five();
}

static void leave(void *status) { exit(*(int *)status); }

// add_byte reads a word of device memory: written by copies and a fill, or never.
static void read_word(int is_written)
{
    int *words = NULL, by = 1, value = 41;
    signed char last = 0;
    cudaMalloc((void **)&words, 12);
    if (is_written) {
        cudaMemset(words, 0, 4);
        cudaMemcpy(words + 1, &value, 4, COPY_TO_DEVICE);
        cudaMemcpy(words + 2, words + 1, 4, COPY_ON_DEVICE);
    }
    for (int i = 0; i < 3; i++) launch(&add_byte, (void *[]){&(int *){words + i}, &by, &last});
    cudaMemcpy(&value, words + 2, 4, COPY_FROM_DEVICE);
    printf("word %d\n", value);
    cudaFree(words);
}

// cudaDevAttrMaxSharedMemoryPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerBlockOptin.
static void print_shared(void)
{
    int all = -1, block = -1;
    cudaDeviceGetAttribute(&all, 81, 0);
    cudaDeviceGetAttribute(&block, 97, 0);
    printf("shared %d, a block %d\n", all, block);
}

// cudaDevAttrSingleToDoublePrecisionPerfRatio.
static void print_rates(void)
{
    int ratio = -1;
    cudaDeviceGetAttribute(&ratio, 87, 0);
    printf("single over double %d\n", ratio);
}

static void do_word(const char *word)
{
    int *null = NULL, x = 12, status = 9;
    if (!strcmp(word, "launch")) add_five();
    if (!strcmp(word, "fault")) launch(&store_at, (void *[]){&null});
    if (!strcmp(word, "notice")) printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    if (!strcmp(word, "say")) launch(&say, (void *[]){&x});
    if (!strcmp(word, "lots")) launch_lots();
    if (!strcmp(word, "time")) time_launch();
    if (!strcmp(word, "rates")) print_rates();
    if (!strcmp(word, "shared")) print_shared();
    if (!strcmp(word, "copies")) read_word(1);
    if (!strcmp(word, "unset")) read_word(0);
    if (!strcmp(word, "absent")) printf("%s\n", cudaGetErrorName(cudaGraphicsMapResources()));
    if (!strcmp(word, "fork")) fork_and_launch();
    if (!strcmp(word, "leave")) cudaLaunchHostFunc(NULL, leave, &status);
    if (!strcmp(word, "signal")) kill(getpid(), SIGKILL);
    if (!strncmp(word, "exit=", 5)) exit(atoi(word + 5));
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) do_word(argv[i]);
    return 0;
}
