// The variants that every generated kernel is compiled and executed in.
#include "differential/differential.h"

#include "harness/settings.h"

const struct variant variants[] = {
    {"sass", {NULL}, false, 0},
    {"plain", {"compile.optimise=0"}, false, 0},
    {"ptxplus-stack", {"compile.profile=ptxplus", "simt=stack"}, false, 0},
    {"pascal", {"compile.profile=pascal", "compile.check=1"}, false, 0},
    {"pascal-plain-stack", {"compile.profile=pascal", "compile.optimise=0", "simt=stack"}, false, 2},
    {"pascal-few-registers", {"compile.profile=pascal", "compile.max_registers=16"}, false, 4},
    {"sass-stack-portable", {"simt=stack", "exec.isa=portable"}, false, 2},
    {"sass-avx2", {"exec.isa=avx2", "compile.check=1"}, false, 2},
    {"sass-avx512", {"exec.isa=avx512"}, false, 2},
    {"sass-general", {"exec.isa=general"}, false, 4},
    {"few-registers", {"compile.max_registers=24", "compile.check=1"}, false, 2},
    {"ptxplus-plain-portable",
     {"compile.profile=ptxplus", "compile.optimise=0", "exec.isa=portable"},
     false,
     4},
    {"fewest-registers-stack", {"compile.max_registers=16", "simt=stack"}, false, 4},
    {"timed", {"gpu=gtx1080ti-paper"}, false, 2},
    {"timed-tiny-stack", {"gpu=tiny", "simt=stack", "compile.profile=ptxplus"}, false, 2},
    {"darsie", {"gpu=tiny", "tech=darsie"}, false, 2},
    {"darsie-scarce",
     {"gpu=tiny", "tech=darsie:registers=2,entries=1,write-ports=1", "compile.profile=ptxplus", "simt=stack"},
     false,
     2},
    {"darsie-wide",
     {"gpu=gtx1080ti", "tech=darsie:watchdog=200", "fetch.refill=space", "fetch.ibuffer=16", "sim.check=1"},
     false,
     4},
    {"uv", {"gpu=tiny", "tech=uv", "sim.check=1"}, false, 2},
    {"uv-scarce",
     {"gpu=gtx1080ti", "tech=uv:entries=3,words=2,tag=2,latency=1", "compile.profile=ptxplus", "simt=stack",
      "issue.dependences=encoded"},
     false,
     4},
    {"uv-token", {"gpu=gtx285", "tech=uv:variant=token", "sm.registers=65536", "sim.check=1"}, false, 2},
    {"uv-token-present",
     {"gpu=gtx1080ti", "tech=uv:variant=token,lanes=present,protect=on,parity=on",
      "issue.dependences=encoded", "issue.interval=2", "sim.check=1"},
     false,
     4},
    {"uv-srf",
     {"gpu=gtx285-16", "tech=uv:variant=srf", "sm.registers=65536", "simt=splits", "sim.check=1"},
     false,
     2},
    {"uv-srf-scarce",
     {"gpu=tiny", "tech=uv:variant=srf,registers=5,lanes=present,entries=2", "compile.profile=ptxplus",
      "issue.dependences=encoded", "sim.check=1", "simt=stack"},
     false,
     4},
    {"dac", {"gpu=tiny", "tech=dac", "sim.check=1"}, false, 2},
    {"dac-scarce",
     {"gpu=gtx1080ti", "tech=dac:instances=1,predicates=uniform", "compile.profile=ptxplus",
      "issue.dependences=encoded", "sim.check=1", "simt=stack"},
     false,
     4},
    {"darsie-extended",
     {"gpu=tiny",
      "tech=darsie:branch-sync=parting,ahead=2,early=on,full=wait,evict=on,on-store=overlap,predicates=on,"
      "partial=on,registers=6,entries=4",
      "mark.tid_y=1", "mark.laneid=1", "mark.tid_x_mod=1", "mark.warp_classes=1", "sim.check=1"},
     false,
     2},
    {"darsie-ideal",
     {"gpu=tiny", "tech=darsie:branch-sync=off,bank-conflicts=off,on-store=keep", "compile.profile=ptxplus"},
     false,
     2},
    {"darsie-encoded",
     {"gpu=tiny", "tech=darsie:order=sync-on-write,registers=5,evict=on", "issue.dependences=encoded",
      "sim.check=1"},
     false,
     2},
    {"mta", {"gpu=tiny", "tech=mta:throttle=off,train=1,lines=all", "l1.global=1", "sim.check=1"}, false, 4},
    {"rfcache", {"gpu=tiny", "tech=rfcache:stale=1", "sim.check=1"}, false, 2},
    {"rfcache-scarce",
     {"gpu=gtx1080ti",
      "tech=rfcache:stale=1,entries=1,warps=1,read-ports=1,allocate=all,loads=all,replacement=lru",
      "compile.profile=ptxplus", "issue.dependences=encoded", "sim.check=1", "simt=stack"},
     false,
     4},
    {"scalarise", {"gpu=tiny", "tech=scalarise:spoil=1", "sim.check=1"}, false, 2},
    {"scalarise-pipe", {"gpu=tiny", "tech=scalarise:spoil=1,scalar=on,warps=all", "sim.check=1"}, false, 2},
    {"scalarise-scarce",
     {"gpu=gtx1080ti", "tech=scalarise:spoil=1,vectors=32,spill=rr,partial=keep,detect=any-base,scalar=on",
      "compile.profile=ptxplus", "issue.dependences=encoded", "sim.check=1", "simt=stack"},
     false,
     4},
    {"silicon-sync", {"gpu=tiny", "tech=silicon-sync", "sim.check=1"}, false, 4},
    {"warpman", {"gpu=tiny", "tech=warpman:variant=spatial", "sm.registers=32768", "sim.check=1"}, false, 2},
    {"warpman-uv",
     {"gpu=gtx480-warpman", "tech=warpman:variant=temporal+uv:intra=on", "gpu.sm_count=1", "sim.check=1"},
     false,
     4},
    {"silicon-sync-dac",
     {"gpu=tiny", "tech=silicon-sync+dac", "compile.profile=ptxplus", "simt=stack"},
     false,
     4},
    {"pascal-encoded",
     {"gpu=gtx1080ti-subcore", "compile.profile=pascal", "issue.dependences=encoded", "sim.check=1"},
     false,
     4},
    {"pascal-darsie", {"gpu=tiny", "tech=darsie", "compile.profile=pascal", "sim.check=1"}, false, 4},
    {"encoded", {"gpu=tiny", "issue.dependences=encoded", "sim.check=1"}, false, 4},
    {"studied", {"study=operands"}, false, 2},
    {"studied-stack", {"study=operands", "simt=stack", "compile.profile=ptxplus"}, false, 4},
    {"warp-64", {"warp.size=64"}, true, 0},
    {"timed-warp-64", {"gpu=titanv", "warp.size=64"}, true, 4},
    {"warp-64-stack-portable", {"warp.size=64", "simt=stack", "exec.isa=portable"}, true, 2},
    {"warp-8", {"warp.size=8", "compile.profile=ptxplus", "compile.check=1"}, true, 2},
    {"darsie-warp-8", {"gpu=tiny", "tech=darsie", "warp.size=8", "sim.check=1"}, true, 4},
    {"warp-1", {"warp.size=1"}, true, 4},
};
const unsigned variant_count = sizeof variants / sizeof variants[0];

bool variant_available(unsigned index)
{
    struct wf_context *c = wf_context_create();
    bool available = true;
    for (unsigned k = 0; variants[index].settings[k]; k++)
        if (str_starts_with(variants[index].settings[k], "exec.isa"))
            available = settings_pair(c, variants[index].settings[k]);
    wf_context_destroy(c);
    return available;
}

// Every fourth seed makes a kernel that any warp size runs alike; one in 32 a long one.
struct generator_options options_of(uint64_t seed)
{
    return (struct generator_options){.no_lanes = seed % 4 == 0, .statements = seed % 32 == 7 ? 250 : 0};
}
