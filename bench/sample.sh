#!/usr/bin/env bash
# Sampled timing against whole timing: bench/sample.sh build/warpfold [-f FILTER] [-g GPU] [-k FOLDER] [-s OPTION]
#
# Forty targets run whole, sampled and functionally, one host thread each: fifteen bundled kernels (large) and fifteen
# points of silicon on a GPU cut to seven SMs and three memory partitions, all but five with launches of ten waves and
# more, and ten runs of many launches on the whole GPU. A line a target: cycles, error in per cent, printed half-width in per cent,
# whether the true cycles are inside, processor seconds of the whole process, whole, functional and sampled, times faster
# than whole, the bound (whole over functional), launches and blocks timed.
#
#   -f FILTER   only targets whose name matches this regular expression
#   -g GPU      the GPU (gtx1080ti)
#   -k FOLDER   keep the JSON of whole and functional runs in this folder, and use runs found there
#   -s OPTION   the option of the sampled run (--sample)
#   -o OPTIONS  further options of whole and sampled runs, such as "--set sample.error=2"
set -u
program=$(realpath "$1"); shift
filter=. gpu=gtx1080ti keep="" option=--sample more=""
while getopts f:g:k:s:o: letter; do
    case $letter in
    f) filter=$OPTARG ;; g) gpu=$OPTARG ;; k) keep=$OPTARG ;; s) option=$OPTARG ;; o) more=$OPTARG ;;
    *) exit 2 ;;
    esac
done
cd "$(dirname "$0")/.." || exit 2
folder=${keep:-$(mktemp -d "${TMPDIR:-/tmp}/warpfold-sample-XXXXXX")}
mkdir -p "$folder"
[ -n "$keep" ] || trap 'rm -rf "$folder"' EXIT

# name, class (blocks: launches of ten waves and more; few: fewer waves; launches: many launches), arguments
targets() {
    for kernel in vecadd scan DCT8x8 reduction backprop transpose stencil3d spmv convolutionSeparable \
        nearestNeighbour; do
        echo "$kernel blocks bench $kernel --size large"
    done
    for kernel in blackScholes histogram mersenneTwister scalarProd fft512; do
        echo "$kernel few bench $kernel --size large"
    done
    for point in poly-2dconv blackscholes convseparable-rows fwt-batch2 hotspot mergesort-ranks convtexture-rows dct8x8-1 \
        poly-fdtd2 qv-vectoradd-4m backprop-forward transpose-diagonal bitonic-merge-global matrixmul transpose-naive; do
        echo "point:$point blocks run --script silicon/points/$point.wf"
    done
    for kernel in floydWarshall gaussian nw lud SRADv1 bitonicSort; do
        echo "launches:$kernel launches bench $kernel --size large"
    done
    for script in heat chip flow waves; do
        echo "launches:$script launches run --script bench/sample/$script.wf"
    done
}

# The value of a member at the top of a run's JSON, or of its only workload.
member() { grep -m 1 "\"$2\": " "$1" | sed 's/.*: //; s/,$//'; }
# The half-width of the cycles; 0: exact.
half() {
    local width
    width=$(sed -n '/"errors": {/,/}/s/.*"cycles": \([0-9.e+-]*\).*/\1/p' "$1" | head -n 1)
    echo "${width:-0}"
}
# Runs warpfold, and writes the processor seconds to a file.
run() { # FILE ARGUMENTS
    local to=$1; shift
    TIMEFORMAT='%U %S'; { time "$program" "$@" 2>&3; } 3>&2 2>"$to.parts"
    awk '{print $1 + $2}' "$to.parts" >"$to"
}

format='%-28s %-8s %12s %7s %6s %3s %8s %8s %8s %6s %6s %9s %15s\n'
printf "$format" target class cycles error half in whole functional sampled times bound launches blocks
rows=$(mktemp)
while read -r name class arguments; do
    whole=$folder/$name.json part=$folder/$name.sampled.json plain=$folder/$name.functional.json
    cut=""
    [ "$class" = launches ] || cut="--set gpu.sm_count=7 --set memory.partitions=3"
    timed="--gpu $gpu $cut $more"
    [ -s "$whole" ] || run "$whole.s" $arguments $timed --threads 1 --quiet --json "$whole" || continue
    [ -s "$plain" ] || run "$plain.s" $arguments --functional --threads 1 --quiet --json "$plain" || continue
    run "$part.s" $arguments $timed --threads 1 --quiet --json "$part" $option || continue
    echo "$name $class $(member "$whole" cycles) $(member "$part" cycles) $(half "$part") $(cat "$whole.s") $(cat "$part.s")" \
        "$(member "$part" timed_launches)/$(sed -n '/"sample": {/,/}/s/.*"launches": \([0-9]*\).*/\1/p' "$part" | head -n 1)" \
        "$(sed -n '/"confidence"/,/}/s/.*"timed_blocks": \([0-9]*\).*/\1/p' "$part" | head -n 1)/$(member "$part" blocks)" \
        "$(cat "$plain.s")" >>"$rows"
    tail -n 1 "$rows" | awk -v format="$format" '{
        error = 100 * ($4 / $3 - 1); half = 100 * $5 / $4; off = error < 0 ? -error : error
        printf format, $1, $2, $3, sprintf("%+.2f%%", error), sprintf("%.2f%%", half), off <= half || off == 0 ? "yes" : "NO",
            sprintf("%.2f", $6), sprintf("%.2f", $10), sprintf("%.2f", $7), sprintf("%.1f", $6 / $7), sprintf("%.1f", $6 / $10),
            $8, $9
    }'
done < <(targets | grep -E -- "$filter")
awk '{
    off = 100 * ($4 / $3 - 1); off = off < 0 ? -off : off
    n++; sum += off; inside += off <= 100 * $5 / $4 || off == 0; if (off > worst) worst = off
    logs[$2] += log($6 / $7); bounds[$2] += log($6 / $10); count[$2]++
} END {
    if (!n) exit
    printf "%d targets: error %.2f %% in the mean, %.2f %% at worst; inside %.0f %%", n, sum / n, worst, 100 * inside / n
    for (c in count)
        printf "; %s %.1f times faster, bound %.1f (%d)", c, exp(logs[c] / count[c]), exp(bounds[c] / count[c]), count[c]
    print ""
}' "$rows"
rm -f "$rows"
