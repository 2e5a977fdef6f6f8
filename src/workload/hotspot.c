// Host side of kernels/hotspot.cu: the chip's physics, and launches of up to two steps.
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

static void step(const struct chip *c, const float *power, const double *in, double *out)
{
    double rate = (double)c->time_step / (double)c->capacitance;
    for (int y = 0; y < c->rows; y++)
        for (int x = 0; x < c->cols; x++) {
            int at = y * c->cols + x;
            double here = in[at];
            double north = y > 0 ? in[at - c->cols] : here, south = y < c->rows - 1 ? in[at + c->cols] : here;
            double west = x > 0 ? in[at - 1] : here, east = x < c->cols - 1 ? in[at + 1] : here;
            out[at] = here + rate * ((double)power[at] + (north + south - 2 * here) / (double)c->ry +
                                     (east + west - 2 * here) / (double)c->rx + (80 - here) / (double)c->rz);
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
