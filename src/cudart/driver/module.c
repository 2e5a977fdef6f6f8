// Modules of the driver API: PTX, fat binaries, files; kernels, variables; the linker.
#include "base/file.h"
#include "base/str.h"
#include "cudart/device.h"
#include "cudart/driver/driver.h"
#include "cudart/runtime.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

// -- loading ------------------------------------------------------------------------------------------------

static bool is_module(const struct cudart *r, const void *module)
{
    return module && cudart_is(r, module, CUDART_MODULE);
}

// The handle of a module is its image.
static struct cudart_image *add(struct cudart *r)
{
    struct cudart_image *image = heap_alloc(sizeof *image);
    vec_push(&r->images, image);
    cudart_add(r, image, CUDART_MODULE);
    return image;
}

static enum cuda_error load_text(struct cudart *r, struct cudart_image *image, const char *name,
                                 const char *ptx, size_t length)
{
    image->module = wf_module_load(r->context, name, ptx, length);
    return image->module ? cudaSuccess : cudaErrorInvalidPtx;
}

// "75" of ".target sm_75"; 0: none.
static unsigned target_of(const char *ptx)
{
    const char *at = strstr(ptx, ".target sm_");
    return at ? (unsigned)strtoul(at + strlen(".target sm_"), NULL, 10) : 0;
}

static enum cuda_error load_ptx(struct cudart *r, struct cudart_image *image, const char *ptx)
{
    image->architecture = target_of(ptx);
    if (image->architecture > device_architecture(r)) device_say_newer(r, image->architecture);
    return load_text(r, image, "the module's PTX", ptx, strlen(ptx));
}

static enum cuda_error load(struct cudart *r, struct cudart_image *image, const void *bytes)
{
    enum cuda_error error;
    if (memcmp(bytes, ELFMAG, SELFMAG) == 0) {
        cudart_say(
            "a module is machine code without PTX; give cuModuleLoad the PTX (nvcc -ptx), or a fat binary "
            "with PTX");
        return cudaErrorNoKernelImageForDevice;
    }
    image->is_good = fatbin_open(bytes, &image->parts);
    if (!image->is_good && fatbin_is_container(bytes)) {
        image->parts = (struct fatbin_parts){bytes, NULL};
        image->is_good = true;
    }
    if (!image->is_good) return load_ptx(r, image, bytes);
    image_module(r, image, &error);
    return error;
}

// The logs among options of the just-in-time compiler: buffers with their sizes, which become the lengths used.
static void fill_logs(const char *errors, unsigned count, const int *options, void **values)
{
    enum { INFO = 3, INFO_BYTES, ERRORS, ERRORS_BYTES };
    char *buffers[2] = {0};
    for (unsigned i = 0; i < count; i++)
        if (options[i] == INFO || options[i] == ERRORS) buffers[options[i] == ERRORS] = values[i];
    for (unsigned i = 0; i < count; i++) {
        if (options[i] != INFO_BYTES && options[i] != ERRORS_BYTES) continue;
        bool is_errors = options[i] == ERRORS_BYTES;
        size_t room = (uintptr_t)values[i] & UINT32_MAX, length = is_errors ? strlen(errors) : 0;
        char *to = buffers[is_errors];
        if (length >= room) length = room ? room - 1 : 0;
        if (to && room) {
            memcpy(to, errors, length);
            to[length] = 0;
        }
        values[i] = driver_at(length);
    }
}

enum cuda_error driver_module_load(struct cudart *r, void **module, const void *image, unsigned option_count,
                                   const int *options, void **values)
{
    if (!module || !image || (option_count && (!options || !values))) return cudaErrorInvalidValue;
    struct cudart_image *new = add(r);
    enum cuda_error error = load(r, new, image);
    if (option_count) fill_logs(wf_errors(r->context), option_count, options, values);
    if (error) {
        cudart_remove(r, new);
        return cudart_told(r, error);
    }
    *module = new;
    return cudaSuccess;
}

enum cuda_error driver_module_open(struct cudart *r, void **module, const char *path)
{
    char *bytes;
    size_t length;
    const char *why;
    if (!module || !path) return cudaErrorInvalidValue;
    if (!file_read(path, &bytes, &length, &why)) return cudaErrorFileNotFound;
    enum cuda_error error =
        length < SELFMAG ? cudaErrorInvalidKernelImage : driver_module_load(r, module, bytes, 0, NULL, NULL);
    free(bytes);
    return error;
}

// The module of a text is loaded once, and anew after cudaDeviceReset.
enum cuda_error driver_module_own(struct cudart *r, void **module, const char *name, const char *ptx,
                                  size_t length)
{
    struct cudart_image *image = NULL;
    for (size_t i = 0; i < r->images.count && !image; i++)
        if (r->images.data[i]->own == ptx) image = r->images.data[i];
    if (!image) {
        image = add(r);
        image->own = ptx;
    }
    *module = image;
    enum cuda_error error = image->module ? cudaSuccess : load_text(r, image, name, ptx, length);
    image->error = cudaSuccess;
    return error ? cudart_told(r, error) : cudaSuccess;
}

// The library keeps modules as long as the context; the handle ends.
enum cuda_error driver_module_unload(struct cudart *r, void *module)
{
    if (!is_module(r, module)) return cudaErrorInvalidResourceHandle;
    cudart_remove(r, module);
    return cudart_wait(r);
}

// -- kernels and variables ------------------------------------------------------------------------------------

static bool has_entry(struct wf_module *m, const char *name)
{
    const char *entry;
    for (size_t i = 0; (entry = wf_kernel_name(m, i)) != NULL; i++)
        if (str_equal(entry, name)) return true;
    return false;
}

static struct cudart_kernel *kernel_of(struct cudart *r, struct cudart_image *image, const char *name)
{
    for (size_t i = 0; i < r->kernels.count; i++) {
        struct cudart_kernel *k = r->kernels.data[i];
        if (k->image == image && str_equal(k->name, name)) return k;
    }
    return image_add_kernel(r, image, name);
}

enum cuda_error driver_module_kernel(struct cudart *r, void **kernel, void *module, const char *name)
{
    enum cuda_error error;
    if (!kernel || !name) return cudaErrorInvalidValue;
    if (!is_module(r, module)) return cudaErrorInvalidResourceHandle;
    struct wf_module *m = image_module(r, module, &error);
    if (!m) return error;
    if (!has_entry(m, name)) return cudaErrorSymbolNotFound;
    struct cudart_kernel *k = kernel_of(r, module, name);
    if (!image_compiled(r, k, &error)) return error;
    *kernel = k;
    return cudaSuccess;
}

enum cuda_error driver_module_variable(struct cudart *r, uint64_t *address, size_t *bytes, void *module,
                                       const char *name)
{
    enum cuda_error error;
    uint64_t at, size;
    if (!name) return cudaErrorInvalidValue;
    if (!is_module(r, module)) return cudaErrorInvalidResourceHandle;
    struct wf_module *m = image_module(r, module, &error);
    if (!m) return error;
    if (wf_symbol(m, name, &at, &size) != WF_OK) {
        wf_clear_errors(r->context);
        return cudaErrorSymbolNotFound;
    }
    if (address) *address = at;
    if (bytes) *bytes = size;
    return cudaSuccess;
}

enum cuda_error driver_module_count(struct cudart *r, unsigned *count, void *module)
{
    enum cuda_error error;
    if (!count) return cudaErrorInvalidValue;
    if (!is_module(r, module)) return cudaErrorInvalidResourceHandle;
    struct wf_module *m = image_module(r, module, &error);
    for (*count = 0; m && wf_kernel_name(m, *count);) ++*count;
    return m ? cudaSuccess : error;
}

enum cuda_error driver_module_list(struct cudart *r, void **kernels, unsigned count, void *module)
{
    unsigned all;
    enum cuda_error error = kernels ? driver_module_count(r, &all, module) : cudaErrorInvalidValue;
    if (error) return error;
    struct wf_module *m = image_module(r, module, &error);
    for (unsigned i = 0; m && i < count && i < all; i++)
        kernels[i] = kernel_of(r, module, wf_kernel_name(m, i));
    return error;
}

enum cuda_error driver_kernel_module(struct cudart *r, void **module, const void *kernel)
{
    const struct cudart_kernel *k = image_kernel(r, kernel);
    if (!module || !k) return module ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    *module = k->image;
    return cudaSuccess;
}

enum cuda_error driver_kernel_attribute(int *out, int attribute, const void *kernel)
{
    struct cuda_function f;
    enum cuda_error error = cudaFuncGetAttributes(&f, kernel);
    const int values[] = {
        f.max_threads, (int)f.shared_bytes, (int)f.constant_bytes, (int)f.local_bytes,   f.registers,
        f.ptx_version, f.binary_version,    f.cache_mode,          f.max_dynamic_shared, f.carve_out};
    if (error) return error;
    if (attribute < 0) return cudaErrorInvalidValue;
    return driver_number(out, (size_t)attribute < sizeof values / sizeof *values ? values[attribute] : 0);
}

// -- the linker ----------------------------------------------------------------------------------------------

struct linker {
    struct strbuf ptx; // of all inputs
};

static bool is_linker(const struct cudart *r, const void *linker)
{
    return linker && cudart_is(r, linker, CUDART_LINKER);
}

enum cuda_error driver_link_create(struct cudart *r, void **linker)
{
    if (!linker) return cudaErrorInvalidValue;
    struct linker *l = heap_alloc(sizeof *l);
    cudart_add(r, l, CUDART_LINKER);
    *linker = l;
    return cudaSuccess;
}

enum cuda_error driver_link_add(struct cudart *r, void *linker, int kind, const void *data, size_t bytes)
{
    enum { CUBIN, PTX, FAT_BINARY };
    struct linker *l = linker;
    struct fatbin_parts parts = {data, NULL};
    struct fatbin_text text;
    if (!is_linker(r, l)) return cudaErrorInvalidResourceHandle;
    if (!data) return cudaErrorInvalidValue;
    if (kind == PTX) {
        fatbin_join(&l->ptx, data, strnlen(data, bytes));
        return cudaSuccess;
    }
    if (kind != FAT_BINARY) {
        cudart_say("cuLinkAdd... takes PTX and fat binaries with PTX; machine code, objects and archives are "
                   "not read");
        return cudaErrorNoKernelImageForDevice;
    }
    fatbin_open(data, &parts);
    if (fatbin_text_of(&parts, device_architecture(r), &text) != FATBIN_FOUND)
        return cudaErrorNoKernelImageForDevice;
    fatbin_join(&l->ptx, text.ptx, text.length);
    free(text.ptx);
    return cudaSuccess;
}

enum cuda_error driver_link_file(struct cudart *r, void *linker, int kind, const char *path)
{
    char *bytes;
    size_t length;
    const char *why;
    if (!path) return cudaErrorInvalidValue;
    if (!file_read(path, &bytes, &length, &why)) return cudaErrorFileNotFound;
    enum cuda_error error = driver_link_add(r, linker, kind, bytes, length);
    free(bytes);
    return error;
}

// The result is the joined PTX, which cuModuleLoadData takes as it takes a cubin.
enum cuda_error driver_link_complete(struct cudart *r, void *linker, void **image, size_t *bytes)
{
    struct linker *l = linker;
    if (!is_linker(r, l)) return cudaErrorInvalidResourceHandle;
    if (!image || !l->ptx.length) return cudaErrorInvalidValue;
    *image = l->ptx.text;
    if (bytes) *bytes = l->ptx.length + 1;
    return cudaSuccess;
}

enum cuda_error driver_link_destroy(struct cudart *r, void *linker)
{
    struct linker *l = linker;
    if (!is_linker(r, l)) return cudaErrorInvalidResourceHandle;
    cudart_remove(r, l);
    strbuf_fini(&l->ptx);
    free(l);
    return cudaSuccess;
}
