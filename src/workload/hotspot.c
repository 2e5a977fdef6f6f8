// Host side of kernels/hotspot.cu: the chip's physics, and launches of up to two steps.
#include "base/clones.h"
#include "workload/host.h"

enum { SIDE = 16, STEPS = 2 };

struct chip {
    int cols, rows;
    float capacitance, rx, ry, rz, time_step;
};

// A silicon chip of 16 mm by 16 mm by half a millimetre, cut into cells.
static struct chip make_chip(int cols, int rows)
{
    const double side = 0.016, thickness = 0.0005, heat_capacity = 1.75e6, conductivity = 100, fitting = 0.5;
    const double most_power_density = 3e6, precision = 0.001;
    double width = side / cols, height = side / rows;
    double fastest_rise = most_power_density / (fitting * thickness * heat_capacity);
    return (struct chip){.cols = cols,
                         .rows = rows,
                         .capacitance = (float)(fitting * heat_capacity * thickness * width * height),
                         .rx = (float)(width / (2 * conductivity * thickness * height)),
                         .ry = (float)(height / (2 * conductivity * thickness * width)),
                         .rz = (float)(thickness / (conductivity * width * height)),
                         .time_step = (float)(precision / fastest_rise)};
}

// New temperatures of a row. north, south: rows beside it; the row itself at an edge of the chip.
CLONES static void step_row(const struct chip *c, const float *restrict power, const double *restrict in,
                            const double *restrict north, const double *restrict south, double *restrict out)
{
    const double rate = (double)c->time_step / (double)c->capacitance;
    const double rx = (double)c->rx, ry = (double)c->ry, rz = (double)c->rz;
    const int last = c->cols - 1;
#define CELL(x, west, east)                                                                                  \
    (in[x] + rate * ((double)power[x] + (north[x] + south[x] - 2 * in[x]) / ry +                             \
                     ((east) + (west)-2 * in[x]) / rx + (80 - in[x]) / rz))
    out[0] = CELL(0, in[0], in[last ? 1 : 0]);
    for (int x = 1; x < last; x++) out[x] = CELL(x, in[x - 1], in[x + 1]);
    if (last) out[last] = CELL(last, in[last - 1], in[last]);
#undef CELL
}

static void step(const struct chip *c, const float *power, const double *in, double *out)
{
    for (int y = 0; y < c->rows; y++) {
        const double *row = in + y * c->cols;
        step_row(c, power + y * c->cols, row, y ? row - c->cols : row, y < c->rows - 1 ? row + c->cols : row,
                 out + y * c->cols);
    }
}

void workload_run_hotspot(struct host *h)
{
    static const struct {
        int side, iterations;
    } sizes[] = {{40, 5}, {160, 16}, {400, 26}, {512, 2}, {192, 2}};
    const int side = sizes[h->size].side, iterations = sizes[h->size].iterations;
    const size_t count = (size_t)(side * side), bytes = count * sizeof(float);
    const struct chip c = make_chip(side, side);
    const float *start = host_random_f32(h, count, 320, 345), *power = host_random_f32(h, count, 0, 0.005f);

    uint64_t device_power = host_upload(h, power, bytes);
    uint64_t from = host_upload(h, start, bytes), to = host_alloc(h, bytes);
    for (int done = 0; done < iterations; done += STEPS) {
        int steps = iterations - done < STEPS ? iterations - done : STEPS;
        unsigned blocks = host_blocks((size_t)side, (unsigned)(SIDE - 2 * steps));
        host_launch(h, "hotspot", DIM(blocks, blocks), DIM(SIDE, SIDE), 0, ARG(steps), ARG(device_power),
                    ARG(from), ARG(to), ARG(c.cols), ARG(c.rows), ARG(c.capacitance), ARG(c.rx), ARG(c.ry),
                    ARG(c.rz), ARG(c.time_step));
        uint64_t swap = from;
        from = to;
        to = swap;
    }
    const float *got = host_output(h, from, bytes);

    double *want = HOST_ARRAY(h, double, count), *next = HOST_ARRAY(h, double, count);
    for (size_t i = 0; i < count; i++) want[i] = (double)start[i];
    for (int i = 0; i < iterations; i++) {
        step(&c, power, want, next);
        double *swap = want;
        want = next;
        next = swap;
    }
    host_compare_f32(h, "temperature of cell", got, want, count, 1);
}
