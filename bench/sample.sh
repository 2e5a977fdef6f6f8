#!/usr/bin/env bash
# Sampled timing against whole timing: bench/sample.sh build/warpfold [-f FILTER] [-g GPU] [-k FOLDER] [-s OPTION]
#
# Bundled kernels (large), points of silicon with many blocks, and programs of many launches run whole and
# sampled, one host thread each. A line a target: cycles, error in per cent, printed half-width in per cent, whether
# the true cycles are inside, processor seconds of the whole process, whole and sampled, speed-up, launches and blocks timed.
#
#   -f FILTER   only targets whose name matches this regular expression
#   -g GPU      the GPU (gtx1080ti)
#   -k FOLDER   keep the JSON of whole runs in this folder, and use whole runs found there
#   -s OPTION   the option of the sampled run (--sample)
#   -z SIZE     size of bundled kernels (large)
#   -o OPTIONS  further options of both runs, such as "--set gpu.sm_count=7"
set -u
program=$(realpath "$1"); shift
filter=. gpu=gtx1080ti keep="" option=--sample size=large more=""
while getopts f:g:k:s:z:o: letter; do
    case $letter in
    f) filter=$OPTARG ;; g) gpu=$OPTARG ;; k) keep=$OPTARG ;; s) option=$OPTARG ;; z) size=$OPTARG ;; o) more=$OPTARG ;;
    *) exit 2 ;;
    esac
done
cd "$(dirname "$0")/.." || exit 2
folder=${keep:-$(mktemp -d "${TMPDIR:-/tmp}/warpfold-sample-XXXXXX")}
mkdir -p "$folder"
[ -n "$keep" ] || trap 'rm -rf "$folder"' EXIT

# name, class (blocks: a launch of many waves; launches: many launches), arguments
targets() {
    for kernel in DCT8x8 reduction scan transpose stencil2d spmv backprop convolutionTexture vecadd stencil3d blackScholes \
        convolutionSeparable histogram mriQ blockMatching rayTrace matrixMul matrixMul16 dxtc; do
        echo "$kernel blocks bench $kernel --size $size"
    done
    for point in poly-2dconv poly-gemm blackscholes matrixmul convseparable-rows fwt-batch2 hotspot mergesort-ranks \
        parboil-stencil qv-convseparable-3072 convtexture-rows; do
        echo "point:$point blocks run --script silicon/points/$point.wf"
    done
    for kernel in hotspot bitonicSort floydWarshall bfs gaussian SRADv1 pathfinder nw fastWalshTransform kmeans; do
        echo "launches:$kernel launches bench $kernel --size $size"
    done
}

# The value of a member at the top of a run's JSON, or of its only workload.
member() { grep -m 1 "\"$2\": " "$1" | sed 's/.*: //; s/,$//'; }
# The half-width of the cycles.
half() { sed -n '/"errors": {/,/}/s/.*"cycles": \([0-9.e+-]*\).*/\1/p' "$1" | head -n 1; }
# Runs warpfold, and writes its processor seconds to a file.
run() { # FILE ARGUMENTS
    local to=$1; shift
    TIMEFORMAT='%U'; { time "$program" "$@" 2>&3; } 3>&2 2>"$to"
}

format='%-28s %-8s %12s %7s %6s %3s %8s %8s %6s %9s %13s\n'
printf "$format" target class cycles error half in whole sampled times launches blocks
rows=$(mktemp)
while read -r name class arguments; do
    whole=$folder/$name.json part=$folder/$name.sampled.json
    [ -s "$whole" ] || run "$whole.s" $arguments --gpu "$gpu" $more --threads 1 --quiet --json "$whole" || continue
    run "$part.s" $arguments --gpu "$gpu" $more --threads 1 --quiet --json "$part" $option || continue
    echo "$name $class $(member "$whole" cycles) $(member "$part" cycles) $(half "$part") $(cat "$whole.s") $(cat "$part.s")" \
        "$(member "$part" timed_launches)/$(sed -n '/"sample": {/,/}/s/.*"launches": \([0-9]*\).*/\1/p' "$part" | head -n 1)" \
        "$(sed -n '/"confidence"/,/}/s/.*"timed_blocks": \([0-9]*\).*/\1/p' "$part" | head -n 1)/$(member "$part" blocks)" >>"$rows"
    tail -n 1 "$rows" | awk -v format="$format" '{
        error = 100 * ($4 / $3 - 1); half = 100 * $5 / $4; off = error < 0 ? -error : error
        printf format, $1, $2, $3, sprintf("%+.2f%%", error), sprintf("%.2f%%", half), off <= half || off == 0 ? "yes" : "NO",
            sprintf("%.2f", $6), sprintf("%.2f", $7), sprintf("%.1f", $6 / $7), $8, $9
    }'
done < <(targets | grep -E -- "$filter")
awk '{
    off = 100 * ($4 / $3 - 1); off = off < 0 ? -off : off
    n++; sum += off; inside += off <= 100 * $5 / $4 || off == 0; if (off > worst) worst = off
    logs[$2] += log($6 / $7); count[$2]++
} END {
    if (!n) exit
    printf "%d targets: error %.2f %% in the mean, %.2f %% at worst; inside %.0f %%", n, sum / n, worst, 100 * inside / n
    for (c in count) printf "; %s %.1f times faster (%d)", c, exp(logs[c] / count[c]), count[c]
    print ""
}' "$rows"
rm -f "$rows"
