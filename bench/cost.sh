#!/bin/sh
# What mechanisms cost whoever simulates them: host instructions of the launches (callgrind, below chip_run) an
# active SM-cycle, over those of the unmodified GPU, as a Markdown table of the workloads of DARSIE's Table 1.
#
#     bench/cost.sh build/warpfold TECH...
set -eu
program=$1
shift

per_cycle() # KERNEL TECH
{
    arguments="bench $1 --tech $2 --size small --gpu gtx1080ti-paper --threads 1 --set exec.isa=avx2 --quiet"
    instructions=$(valgrind --tool=callgrind --toggle-collect=chip_run --callgrind-out-file=/dev/null \
        "$program" $arguments 2>&1 | sed -n 's/.*Collected : //p')
    cycles=$("$program" $arguments --json - | sed -n 's/.*"sm.sm.active_cycles": \([0-9]*\).*/\1/p' | head -n 1)
    echo "$instructions $cycles" | awk '{ print $1 / $2 }'
}

printf '| | base, instructions a cycle |'
printf ' %s |' "$@"
printf '\n|---|---|'
for tech; do printf '%s' '---|'; done
echo
for kernel in binomialOptions pathfinder fastWalshTransform SRADv1 LIB imageDenoisingNLM backprop DCT8x8 \
    floydWarshall hotspot CP convolutionTexture matrixMul; do
    base=$(per_cycle $kernel base)
    printf '| %s | %.0f |' $kernel "$base"
    for tech; do
        per_cycle $kernel "$tech" | awk -v base="$base" '{ printf " %.2f |", $1 / base }'
    done
    echo
done
