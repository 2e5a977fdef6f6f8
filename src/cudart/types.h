// Types of the CUDA runtime's interface, with the layout that compiled programs expect (x86-64, CUDA 11 to 13).
// Opaque handles are pointers to the room's own objects.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cuda_error {
#define CUDA_ERROR(name, number, text) cuda##name = (number),
#include "cudart/errors.def"
#undef CUDA_ERROR
};

// A name that programs import. Everything else in the libraries is hidden.
#define CUDART_EXPORT __attribute__((visibility("default")))

struct cuda_dim3 {
    uint32_t x, y, z;
};

struct cuda_stream;
struct cuda_event;
struct cuda_array;
struct cuda_mipmap;
struct cuda_pool;
struct cuda_graph;
struct cuda_graph_node;
struct cuda_graph_exec;

typedef void host_function(void *data);
typedef void stream_callback(struct cuda_stream *s, enum cuda_error status, void *data);

enum cuda_copy_kind { COPY_HOST_TO_HOST, COPY_TO_DEVICE, COPY_FROM_DEVICE, COPY_ON_DEVICE, COPY_DEFAULT };

struct cuda_location { // of memory: kind of place, number of device or NUMA node
    int kind, id;
};

struct cuda_pitched {
    void *data;
    size_t pitch, width, height; // pitch and width: bytes
};
struct cuda_extent {
    size_t width, height, depth; // width: elements of an array, else bytes
};
struct cuda_position {
    size_t x, y, z; // x: elements of an array, else bytes
};
struct cuda_copy_3d {
    struct cuda_array *from_array;
    struct cuda_position from_place;
    struct cuda_pitched from;
    struct cuda_array *to_array;
    struct cuda_position to_place;
    struct cuda_pitched to;
    struct cuda_extent extent;
    int kind;
};

enum cuda_channel_kind { CHANNEL_SIGNED, CHANNEL_UNSIGNED, CHANNEL_FLOAT, CHANNEL_NONE };
struct cuda_channels {
    int x, y, z, w; // bits of a component; 0: absent
    int kind;       // enum cuda_channel_kind
};

enum cuda_resource_kind { RESOURCE_ARRAY, RESOURCE_MIPMAPPED, RESOURCE_LINEAR, RESOURCE_PITCHED };
struct cuda_resource {
    int kind;
    union {
        struct cuda_array *array;
        struct cuda_mipmap *mipmap;
        struct {
            void *data;
            struct cuda_channels channels;
            size_t bytes;
        } linear;
        struct {
            void *data;
            struct cuda_channels channels;
            size_t width, height, pitch_bytes; // width: elements
        } pitched;
        int reserved[32];
    };
};
// Sampling of a texture object; the seams of cube maps and the border's colour are ignored.
struct cuda_sampling {
    int address[3]; // wrap, clamp, mirror, border
    int filter;     // point, linear
    int read;       // as the element type, as normalised floats
    int srgb;
    float border[4];
    int normalised_coordinates;
    unsigned max_anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_min, mipmap_max;
    int no_trilinear_optimisation, seamless;
};

// A texture reference of CUDA 11: the program's variable, read when something is bound to it.
struct cuda_texture_reference {
    int normalised_coordinates, filter, address[3];
    struct cuda_channels channels;
    int srgb;
    unsigned max_anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_min, mipmap_max;
    int no_trilinear_optimisation, reserved[14];
};
_Static_assert(sizeof(struct cuda_texture_reference) == 124, "layout of CUDA 11's header");

struct cuda_pointer {
    int kind; // 0 unregistered, 1 host, 2 device, 3 managed
    int device;
    void *device_pointer, *host_pointer;
    long reserved[8];
};

struct cuda_function {
    size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared, carve_out,
        cluster_must_be_set, cluster_width, cluster_height, cluster_depth, cluster_policy,
        non_portable_cluster;
    int reserved[16];
};

enum cuda_launch_attribute_kind { ATTRIBUTE_COOPERATIVE = 2, ATTRIBUTE_CLUSTER = 4 };
struct cuda_launch_attribute {
    int kind;
    char pad[4];
    union {
        char bytes[64];
        struct cuda_dim3 cluster;
        int cooperative;
    };
};
_Static_assert(sizeof(struct cuda_copy_3d) == 160 && sizeof(struct cuda_sampling) == 72 &&
                   sizeof(struct cuda_pointer) == 88 && sizeof(struct cuda_function) == 144 &&
                   sizeof(struct cuda_launch_attribute) == 72,
               "layouts of CUDA's headers");

struct cuda_launch_config {
    struct cuda_dim3 grid, block;
    size_t shared_bytes;
    struct cuda_stream *stream;
    struct cuda_launch_attribute *attributes;
    unsigned attribute_count;
};
