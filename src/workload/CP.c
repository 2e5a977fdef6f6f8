// Host side of kernels/CP.cu: atoms go to constant memory in batches; every batch adds its potential to the
// plane.
#include "base/clones.h"
#include "workload/host.h"

#include <math.h>

enum { COLUMNS = 16 * 8, ROWS = 8 }; // grid points of a block

struct atom {
    float x, y, z, charge;
};

// Adds an atom's potential to the points of a row of the plane, at height y.
CLONES static void add_potential(const struct atom *atom, double y, const double *restrict column,
                                 double *restrict row, int width)
{
    const double dy = y - (double)atom->y, z = (double)atom->z, charge = (double)atom->charge;
    const double atom_x = (double)atom->x;
    for (int x = 0; x < width; x++) {
        double dx = column[x] - atom_x;
        row[x] += charge / sqrt(dx * dx + dy * dy + z);
    }
}

void workload_run_CP(struct host *h)
{
    static const struct {
        int width, height, batch, batches; // grid points: multiples of COLUMNS, ROWS
    } sizes[] = {
        {256, 16, 20, 2}, {256, 128, 200, 2}, {512, 256, 500, 2}, {1024, 256, 200, 1}, {4736, 8, 200, 1}};
    const int width = sizes[h->size].width, height = sizes[h->size].height, batch = sizes[h->size].batch;
    const int atom_count = batch * sizes[h->size].batches;
    const size_t points = (size_t)(width * height);
    const float spacing = 0.1f, plane = 0.5f;

    struct atom *atoms = HOST_ARRAY(h, struct atom, atom_count);
    for (int i = 0; i < atom_count; i++) {
        atoms[i].x = rng_f32(rng_next(&h->rng)) * (float)width * spacing;
        atoms[i].y = rng_f32(rng_next(&h->rng)) * (float)height * spacing;
        float dz = 1 + rng_f32(rng_next(&h->rng)) * 5 - plane;
        atoms[i].z = dz * dz;
        atoms[i].charge = rng_f32(rng_next(&h->rng)) * 2 - 1;
    }

    uint64_t energy = host_zero(h, points * sizeof(float));
    for (int first = 0; first < atom_count; first += batch) {
        host_set_symbol(h, "atoms", &atoms[first], (size_t)batch * sizeof(struct atom));
        host_launch(h, "coulombic_potential", DIM((unsigned)width / COLUMNS, (unsigned)height / ROWS),
                    DIM(16, 8), 0, ARG(batch), ARG(spacing), ARG(energy));
    }
    const float *got = host_output(h, energy, points * sizeof(float));
    if (h->failed) return;

    double *want = HOST_ARRAY(h, double, points), *column = HOST_ARRAY(h, double, width);
    for (int x = 0; x < width; x++) column[x] = (double)spacing * x;
    for (int y = 0; y < height; y++)
        for (int i = 0; i < atom_count; i++)
            add_potential(&atoms[i], (double)spacing * y, column, want + y * width, width);
    host_compare_f32(h, "grid point", got, want, points, 1);
}
