#!/bin/sh
# How much faster launches are with more host threads, beside the bound, as a Markdown table.
#
#     bench/threads.sh build/warpfold build/bench/pieces [ROUNDS [GPU]]     (make bench-threads)
#
# Runs of 1, 2, 4 and 8 threads take turns; a cell is the median of ROUNDS (5) runs: seconds of the launches, or times as fast as
# one thread. In parentheses: the bound by measured pieces of one thread's windows (bench/pieces.c). For a machine without
# other work; about a minute.
set -eu
program=$1
pieces=$2
rounds=${3:-5}
gpu=${4:-gtx1080ti}
kernels='hotspot matrixMul stencil3d reduction LIB spmv'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Column "host seconds" of the table's only row.
seconds() # PROGRAM KERNEL THREADS
{
    "$1" bench "$2" --size medium --gpu "$gpu" --threads "$3" | tail -n 1 | awk '{ print $4 }'
}

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

for round in $(seq "$rounds"); do
    for kernel in $kernels; do
        for threads in 1 2 4 8; do
            seconds "$program" "$kernel" "$threads" >> "$folder/$kernel.$threads"
        done
    done
done

echo "$gpu, $rounds rounds, $(nproc) cores"
echo
echo '| | 1 thread, s | 2 threads (bound) | 4 | 8 | between windows, % | windows, us |'
echo '|---|---|---|---|---|---|---|'
for kernel in $kernels; do
    "$pieces" bench "$kernel" --size medium --gpu "$gpu" --threads 1 2> "$folder/bound" > /dev/null
    for threads in 1 2 4 8; do median < "$folder/$kernel.$threads"; done | cat - "$folder/bound" | awk -v kernel="$kernel" '
        NR < 5 { time[NR] = $1 }
        NR == 5 { printf "| %s | %.3f | %.2f (%.2f) | %.2f (%.2f) | %.2f (%.2f) | %.1f | %.1f |\n", kernel, time[1],
            time[1] / time[2], $5, time[1] / time[3], $6, time[1] / time[4], $7, $4, 1e6 * $1 / $2 }'
done
