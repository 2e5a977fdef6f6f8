// DARSIE's protocol for one block of three warps, for SPIN. What is modelled, what is left out, how to run it and
// what was found: README.md. The names are those of src/tech/darsie: lead, follow, leave, arrive, rejoin, gather …
//
// A step is what one call of the C hooks does, and is atomic:
//
//     fetch w   the next instruction of w is looked up: skipped, waited for, or put into the I-buffer and renamed
//     issue w   the instruction at the head of w's I-buffer executes, and has its effect on who is on the path
//     reply r   the result of renamed register r is written back; who waited for it goes on
//     memory    another block writes the word that loads read
//
// The program is any sequence of LENGTH - 1 instructions out of OPS, and an exit. There is one register, R. Every warp
// keeps what R would be without sharing (`alone`), and each value that it reads or takes is compared with that.
//
// WITHOUT_… leaves a rule out. BRANCH_FIRST is the option branch-sync=first: nobody waits at branches, who comes first says where
// the path goes. DIVERGED is diverged=on: warps whose lanes part alike (HALF) stay on the path, lead and follow, and a value is
// two numbers, what half of the lanes have and what the others do. PENDING_PRIVATE is pending=private. PARTING is the option branch-sync=parting: at branches that all take, warps do not wait for each
// other but are counted, and may be AHEAD ones ahead of the last. EARLY, EVICT, FULL_WAIT and FULL_REPLACE are early=on, evict=on,
// full=wait and full=replace. With GIVE_UP the block stops sharing at any time (give-up, watchdog).

#ifndef LENGTH
#define LENGTH 4
#endif
#ifndef ENTRIES
#define ENTRIES 2
#endif
#ifndef POOL
#define POOL 2
#endif
#ifndef ODD
#define ODD 0 // the warp that goes its own way where one does
#endif
#if defined(PARTING) || defined(BRANCH_FIRST)
#define COUNTS // branches passed
#endif
#ifndef CONTROLS
#define CONTROLS 2 // instructions of a program that are no arithmetic, at most
#endif
#define WARPS 3

// Instructions. R is set, increased; increased by an instruction that cannot be skipped; the word is loaded; loaded by an
// instruction that cannot be skipped; R becomes the warp's own; the word is stored; …
#define SET         0
#define INC         1
#define KEPT_INC    2
#define LOAD        3
#define KEPT_LOAD   4
#define OWN         5
#define STORE       6
#define BARRIER     7
#define BRANCH_ALL  8  // all warps take it; back: once
#define BRANCH_ODD  9  // one does
#define JUMP        10 // back, asking nothing; behind an EXIT_LATE
#define EXIT_ODD    11 // one warp ends
#define EXIT_LATE   12 // all do, the third time round
#define SPLIT       13 // a branch: one warp's lanes part, and meet again at once
#define SHED        14 // some lanes of one warp end
#define EXIT        15
#define HALF        16 // a branch: in all warps half of the lanes go on, and meet the others again at its target
#define CLASS       17 // R is set to what warps of one class have alike (mark.warp_classes)
#ifndef OPS
#define OPS 65535
#endif
#define allowed(o)   ((OPS >> (o)) & 1)
#define writes(o)    ((o) <= OWN || (o) == CLASS)
#define reads(o)     ((o) == INC || (o) == KEPT_INC || (o) == OWN)
#define is_control(o) ((o) >= STORE && (o) != CLASS)
#define holds_up(o)  is_control(o)
#define is_branch(o) ((o) == BRANCH_ALL || (o) == BRANCH_ODD || (o) == JUMP || (o) == HALF)
#define is_load(o)   ((o) == LOAD || (o) == KEPT_LOAD)

byte program[LENGTH], target[LENGTH];
byte marked[LENGTH]; // 1: all warps do it alike; 2: those of a class, which are every second
bool followed[LENGTH]; // the block may have its result in common

// Of a line, an instruction between fetch and issue: role, 4 * register, 16: a load taken too late.
#define UNKNOWN 0
#define PRIVATE 1
#define LEADER  2
#define SKIPPED 3
#define role_of(l)     ((l) & 3)
#define register_of(l) (((l) >> 2) & 3)
#define TOO_LATE 16

#define READY      0
#define AT_BARRIER 1
#define DONE       2

#define WAITS_NOT          0
#define WAITS_LEADER       1 // for the result, with the instruction in the I-buffer
#define WAITS_FETCH_LEADER 2 // without
#define WAITS_GATHER       3 // for want of registers

#define NONE 15
#define OWNED 0 // map: the warp's own R; else pool register + 1

typedef Warp {
    unsigned pc : 3, fetched : 3, renamed : 3, slots : 2; // next to issue, to be fetched, renamed; I-buffer entries
    unsigned state : 2, waits : 2, map : 3, own : 6, alone : 6, way : 4, round : 2;
    byte line[LENGTH];
    bool poison, at_branch, leaving, whole;
#ifdef DIVERGED
    unsigned join : 3; // not 0: half of the lanes are here, the others wait there
#endif
#ifdef COUNTS
    unsigned tag : 4; // branches passed since the block last met
    bool too_far;
#endif
#ifdef WITHOUT_READERS
    bool early;
#endif
}
typedef Entry {
    bool used, dropped, written_back, executed;
    byte pc, reg, leader, passed, ordered;
#ifdef DIVERGED
    bool half; // led by half of the lanes; the others are of what was in
    byte old;  // pool register + 1; 0: it has been given away
#endif
#ifdef COUNTS
    byte tag;
#endif
}
Warp warp[WARPS];
Entry entry[ENTRIES];
byte majority, live, arrived, gathered, gather_over, gather_pc = NONE, gather_tag;
byte references[POOL], value[POOL];
bool pending[POOL];
byte word;
bool written; // by the other block
#ifdef GIVE_UP
bool off; // the block shares nothing any more
#define is_off off
#else
#define is_off false
#endif
#ifdef BRANCH_FIRST
#ifndef AHEAD
#define AHEAD 1
#endif
byte ways[AHEAD + 1], decided; // where the first warp went at the last branches; how many have been come to
#endif
#ifdef WITHOUT_REPLIES
byte replying[POOL]; // the instruction whose result a register waits for
#endif
#ifdef EARLY
bool event_due; // who waits for a leader may look again
#endif
#ifdef EVICT
byte age[POOL]; // the youngest has POOL
#endif
#ifdef FULL_REPLACE
byte birth[ENTRIES]; // rank of an entry by age; the youngest has ENTRIES
#endif

byte place, controls, late; // while the program is chosen
#ifdef DIVERGED
byte late_half; // lanes meet there
#endif

// Within a step.
hidden byte i, act, who, x, y, n, j, k, r, e, f, count, best, votes, same, way, renewed, resolved, mine, self, met, o, v;
hidden byte resolving, looking, awake, ok, held, on, seen, short_of, frees, uneven, loops, taken, barriers, impossible, rechecking;
hidden byte vec[LENGTH];

#ifdef COUNTS
#ifndef AHEAD
#define AHEAD 1
#endif
#define tag_of(w)   warp[w].tag
#define too_far(w)  warp[w].too_far
#ifndef WITHOUT_TAG
#define is_tag(i, w) (entry[i].tag == warp[w].tag)
#else
#define is_tag(i, w) true
#endif
#ifdef BRANCH_FIRST
#define meets(o)    false
#define counts(o)   (is_branch(o) || (o) == SPLIT)
#else
#define meets(o)    ((o) == BRANCH_ODD || (o) == SPLIT || (o) == HALF)
#define counts(o)   ((o) == BRANCH_ALL || (o) == JUMP)
#endif
#else
#define tag_of(w)   0
#define too_far(w)  false
#define is_tag(i, w) true
#ifndef WITHOUT_JUMPS_AS_BRANCHES
#define meets(o)    (is_branch(o) || (o) == SPLIT)
#else
#define meets(o)    ((is_branch(o) && (o) != JUMP) || (o) == SPLIT)
#endif
#define counts(o)   false
#endif
#define bit(w) (1 << (w))
#define is_on(w) ((majority >> (w)) & 1)
#define population(m) (((m) & 1) + (((m) >> 1) & 1) + (((m) >> 2) & 1))
#define whom(i) (marked[entry[i].pc] == 2 -> (entry[i].leader == 1 -> 2 : 5) : 7)
// A value is what half of the lanes have, and, with DIVERGED, 8 * what the others have.
#ifdef DIVERGED
#define gap 0 // SHED is no instruction then
#define seen_by(w, x) (x)
#define is_half(w) (warp[w].join != 0)
#define is_lanes(i, w) (entry[i].half == is_half(w))
#ifndef WITHOUT_VERSIONS
#define has_old(w) (entry[e].old && entry[e].old == warp[w].map)
#else
#define has_old(w) (entry[e].old == warp[w].map)
#endif
#define fits(w) (!entry[e].half || has_old(w))
#define may_lead(w) (!is_half(w) || warp[w].map != OWNED)
#ifndef WITHOUT_POISON_OF_PARTS
#define keeps_lanes(w) is_half(w)
#else
#define keeps_lanes(w) false
#endif
#define alike(x) (9 * (x)) // in both
#define half_of(i) entry[i].half
#define old_of(i) entry[i].old
#else
#define gap 16 // in a value: of a warp that lacks lanes
#define seen_by(w, x) ((x) & (warp[w].whole -> 31 : 15))
#define is_half(w) false
#define is_lanes(i, w) true
#define fits(w) true
#define may_lead(w) true
#define keeps_lanes(w) false
#define alike(x) (x)
#define half_of(i) false
#define old_of(i) 0
#endif
#ifdef PENDING_PRIVATE
#define waits_for_result(p) (program[p] == LOAD)
#else
#define waits_for_result(p) true
#endif
#define view(w)       seen_by(w, (warp[w].map == OWNED -> warp[w].own : value[(warp[w].map == OWNED -> 0 : warp[w].map - 1)]))
#ifndef WITHOUT_PASSED_MASK
#define has_passed(w) ((entry[e].passed >> (w)) & 1)
#else
#define has_passed(w) false
#endif
#ifndef WITHOUT_LOADS_KEPT
#define may_replace(i) (program[entry[i].pc] != LOAD)
#else
#define may_replace(i) true
#endif
#ifndef WITHOUT_REPLIES
#define is_used(q) (references[q] || pending[q]) // the reply under way has it, too
#else
#define is_used(q) references[q]
#endif
#define is_poisoned(w, p) (reads(program[p]) && warp[w].poison)

// -- registers ------------------------------------------------------------------------------------------------------

inline release(q)
{
    assert(references[q] > 0);
    references[q]--
}

// The register is given away: nobody has the version any more that entries led by half of a warp may name.
inline forget(q)
{
#if defined(DIVERGED) && !defined(WITHOUT_VERSIONS)
    for (i : 0 .. ENTRIES - 1) {
        if
        :: entry[i].old == q + 1 -> entry[i].old = 0
        :: else
        fi
    }
#else
    skip
#endif
}

inline unmap(w)
{
    if
#ifdef WITHOUT_READERS
    :: warp[w].early -> warp[w].early = false; warp[w].map = OWNED
    :: !warp[w].early && warp[w].map != OWNED -> release(warp[w].map - 1); warp[w].map = OWNED
#else
    :: warp[w].map != OWNED -> release(warp[w].map - 1); warp[w].map = OWNED
#endif
    :: else
    fi
}

// Without the rule that a register is R's old version until all who read that have: as soon as R is renamed.
inline release_early(w)
{
#ifdef WITHOUT_READERS
    if
    :: warp[w].map != OWNED && !warp[w].early -> release(warp[w].map - 1); warp[w].early = true
    :: else
    fi
#else
    skip
#endif
}

inline copy_out(w)
{
    if
    :: warp[w].map == OWNED -> warp[w].leaving = false
    :: warp[w].map != OWNED && pending[warp[w].map - 1] -> warp[w].leaving = true
    :: else ->
#ifndef WITHOUT_COPY_OUT
        warp[w].own = view(w);
#endif
        unmap(w);
        warp[w].leaving = false
    fi
}

// -- the skip table -------------------------------------------------------------------------------------------------

inline set_tag(i, how)
{
#ifdef COUNTS
    entry[i].tag = how
#else
    skip
#endif
}

inline release_entry(i)
{
    release(entry[i].reg);
    entry[i].used = false; entry[i].dropped = false; entry[i].written_back = false; entry[i].executed = false;
    entry[i].pc = 0; entry[i].reg = 0; entry[i].leader = 0; entry[i].passed = 0; entry[i].ordered = 0;
#ifdef DIVERGED
    entry[i].half = false; entry[i].old = 0;
#endif
    set_tag(i, 0)
}

inline recheck()
{
    for (j : 0 .. ENTRIES - 1) {
        if
#ifndef WITHOUT_PASSED_MASK
        :: entry[j].used && !(majority & whom(j) & ~entry[j].passed) -> release_entry(j)
#else
        :: entry[j].used && entry[j].passed + 1 >= population(majority) -> release_entry(j)
#endif
        :: else
        fi
    }
}

inline clear()
{
    for (j : 0 .. ENTRIES - 1) {
        if
        :: entry[j].used -> release_entry(j)
        :: else
        fi
    }
}

inline find(w, p)
{
    e = 0;
    do
    :: e == ENTRIES -> break
    :: e < ENTRIES && entry[e].used && entry[e].pc == p && is_tag(e, w) && is_lanes(e, w) &&
       ((whom(e) >> (w)) & 1) -> break
    :: else -> e++
    od;
    if
    :: e == ENTRIES -> e = NONE
    :: else
    fi
}

inline set_poison(w, p, how)
{
#ifndef WITHOUT_POISON
    if
    :: writes(program[p]) && ((how) || !keeps_lanes(w)) -> warp[w].poison = how
    :: else
    fi
#else
    skip
#endif
}

inline follow(w, p)
{
    references[entry[e].reg]++;
    warp[w].line[p] = SKIPPED + 4 * entry[e].reg +
                      ((program[p] == LOAD && (((entry[e].ordered >> (w)) & 1) || !entry[e].executed)) -> TOO_LATE : 0);
    release_early(w);
#ifndef WITHOUT_PASSED_MASK
    entry[e].passed = entry[e].passed | bit(w);
#else
    entry[e].passed++; // how many have
#endif
    set_poison(w, p, false);
    recheck()
}

// -- renaming -------------------------------------------------------------------------------------------------------

inline ungather(mask)
{
    gathered = gathered & ~(mask);
    gather_over = gather_over & ~(mask);
    if
    :: !gathered && !gather_over -> gather_pc = NONE; gather_tag = 0
    :: else
    fi
}

inline go_private(w, p, poisoned)
{
    warp[w].line[p] = PRIVATE;
    set_poison(w, p, (poisoned) || program[p] == LOAD);
    ok = true
}

inline lead(w, p)
{
    entry[f].used = true;
    entry[f].pc = p;
    entry[f].reg = r;
    entry[f].leader = w;
    set_tag(f, tag_of(w));
#ifdef DIVERGED
    entry[f].half = is_half(w);
    entry[f].old = (is_half(w) -> warp[w].map : 0);
#endif
#ifndef WITHOUT_PASSED_MASK
    entry[f].passed = bit(w);
#endif
    release_early(w);
    references[r] = 2; // the entry's and the line's
    forget(r);
    grow_old(r);
    is_born(f);
    warp[w].line[p] = LEADER + 4 * r;
    set_poison(w, p, false);
    ok = true
}

inline grow_old(q)
{
#ifdef EVICT
    for (j : 0 .. POOL - 1) {
        if
        :: age[j] > age[q] -> age[j]--
        :: else
        fi
    }
    age[q] = POOL
#else
    skip
#endif
}

inline is_born(i)
{
#ifdef FULL_REPLACE
    for (j : 0 .. ENTRIES - 1) {
        if
        :: birth[j] > birth[i] -> birth[j]--
        :: else
        fi
    }
    birth[i] = ENTRIES
#else
    skip
#endif
}

// Frees the oldest entry with a result, except loads; f and r are found anew. f stays ENTRIES: no entry was freed.
inline replace_oldest()
{
#ifdef FULL_REPLACE
    best = NONE;
    for (j : 0 .. ENTRIES - 1) {
        if
        :: entry[j].used && entry[j].written_back && may_replace(j) &&
           (best == NONE || birth[j] < birth[(best == NONE -> 0 : best)]) -> best = j
        :: else
        fi
    }
    if
    :: best != NONE -> release_entry(best); find_free()
    :: else
    fi
#else
    skip
#endif
}

// Whether a version that some have left behind would be free once the others have, too.
inline meeting_frees()
{
    frees = false;
    for (k : 0 .. POOL - 1) {
        seen = false;
        for (j : 0 .. ENTRIES - 1) { seen = seen || (entry[j].used && entry[j].reg == k) }
        frees = frees || (references[k] && references[k] < population(majority) && !seen)
    }
}

inline find_free()
{
    r = 0;
    do
    :: r < POOL && is_used(r) -> r++
    :: else -> break
    od;
    f = 0;
    do
    :: f < ENTRIES && entry[f].used -> f++
    :: else -> break
    od
}

inline gather(w, p)
{
    if
    :: (gather_pc != NONE && (gather_pc != p || gather_tag != tag_of(w))) || ((gather_over >> (w)) & 1) ->
        go_private(w, p, false)
    :: else ->
        gather_pc = p;
        gather_tag = tag_of(w);
        gathered = gathered | bit(w);
        warp[w].waits = WAITS_GATHER;
        ok = false
    fi
}

// The oldest registers are copied out to their readers.
inline evict()
{
#ifdef EVICT
    votes = 0; // those that have been tried
    do
    :: votes < POOL ->
        best = NONE;
        for (j : 0 .. POOL - 1) {
            if
            :: references[j] && age[j] > votes && (best == NONE || age[j] < age[(best == NONE -> 0 : best)]) -> best = j
            :: else
            fi
        }
        if
        :: r < POOL || best == NONE -> votes = POOL
        :: else ->
            votes = age[best];
            same = 0;
            for (j : 0 .. WARPS - 1) { same = same + (((live >> j) & 1) && warp[j].map == best + 1) }
            if
            :: same == references[best] && !pending[best] ->
                for (j : 0 .. WARPS - 1) {
                    if
                    :: ((live >> j) & 1) && warp[j].map == best + 1 -> copy_out(j)
                    :: else
                    fi
                }
                r = best
            :: else
            fi
        fi
    :: else -> break
    od
#else
    skip
#endif
}

inline rename_redundant(w, p)
{
    find(w, p);
    seen = e != NONE && has_passed(w); // an entry of another time round
    find_free();
    if
    :: is_on(w) && !is_poisoned(w, p) && e == NONE && r == POOL && may_lead(w) -> evict()
    :: else
    fi;
    if
    :: !is_on(w) ->
#ifndef WITHOUT_POISON_OFF_PATH
        go_private(w, p, is_poisoned(w, p))
#else
        go_private(w, p, false)
#endif
    :: is_on(w) && is_poisoned(w, p) -> go_private(w, p, true)
    :: else ->
        if
        :: e != NONE && !seen && entry[e].dropped ->
#ifndef WITHOUT_PASSED_MASK
            entry[e].passed = entry[e].passed | bit(w);
#else
            entry[e].passed++;
#endif
            recheck();
            go_private(w, p, true)
        :: e != NONE && !seen && !entry[e].dropped && !fits(w) -> go_private(w, p, true)
#ifndef WITHOUT_WRITTEN_BACK
        :: e != NONE && !seen && !entry[e].dropped && fits(w) && !entry[e].written_back ->
            if
            :: waits_for_result(p) -> warp[w].waits = WAITS_LEADER; ok = false
            :: else ->
                entry[e].passed = entry[e].passed | bit(w);
                recheck();
                go_private(w, p, false)
            fi
        :: e != NONE && !seen && !entry[e].dropped && fits(w) && entry[e].written_back ->
#else
        :: e != NONE && !seen && !entry[e].dropped && fits(w) ->
#endif
            follow(w, p);
            warp[w].slots--;
            ok = true
        :: seen -> go_private(w, p, false)
        :: e == NONE && !may_lead(w) -> go_private(w, p, false)
        :: e == NONE && r == POOL && may_lead(w) ->
            meeting_frees();
            if
            :: frees -> gather(w, p)
            :: else -> go_private(w, p, false)
            fi
#ifdef WITHOUT_KEEPING_ENTRIES
        :: e == NONE && may_lead(w) && r < POOL ->
            if
            :: f == ENTRIES -> f = 0; release_entry(0)
            :: else
            fi;
            lead(w, p)
#else
#ifndef FULL_WAIT
        :: e == NONE && may_lead(w) && r < POOL && f == ENTRIES ->
            replace_oldest();
            if
            :: f == ENTRIES -> go_private(w, p, false)
            :: else -> lead(w, p)
            fi
#else
        :: e == NONE && may_lead(w) && r < POOL && f == ENTRIES -> gather(w, p)
#endif
        :: e == NONE && may_lead(w) && r < POOL && f < ENTRIES -> lead(w, p)
#endif
        fi
    fi
}

inline rename_line(w, p)
{
    if
    :: marked[p] -> rename_redundant(w, p)
    :: else ->
        warp[w].line[p] = PRIVATE;
        if
#ifndef WITHOUT_POISON_OF_KEPT
        :: followed[p] -> set_poison(w, p, is_poisoned(w, p) || is_load(program[p]))
#else
        :: followed[p] -> set_poison(w, p, false)
#endif
        :: else
        fi;
        ok = true
    fi
}

#ifdef DIVERGED
#define more_by(old, n) ((((old) + (n)) & 7) | (((old) + 8 * (n)) & 56))
#else
#define more_by(old, n) (((old) + (n)) & 7)
#endif
// What the instruction at p makes of what R is without sharing.
inline compute(w, p, old)
{
    if
    :: program[p] == SET -> v = alike(5)
    :: program[p] == CLASS -> v = alike(w & 1)
    :: program[p] == INC || program[p] == KEPT_INC -> v = more_by(old, 1)
    :: program[p] == OWN -> v = more_by(old, (w) + 1)
    :: is_load(program[p]) -> v = alike(word)
    :: else -> v = old
    fi;
    if
    :: is_half(w) -> v = (v & 7) | ((old) & 56)
    :: else
    fi
}

#ifdef DIVERGED
#define shared_load(w, y) (is_half(w) -> (value[y] & 7) | (warp[w].alone & 56) : value[y])
#else
#define shared_load(w, y) (value[y] & 15)
#endif
// Who comes to where its other lanes wait has them again.
inline meet_lanes(w)
{
#ifdef DIVERGED
    if
    :: warp[w].pc == warp[w].join -> warp[w].join = 0
    :: else
    fi
#else
    skip
#endif
}

// Skipped instructions at the head are passed: their register is R's now.
inline pass(w)
{
    do
    :: warp[w].pc < warp[w].renamed && role_of(warp[w].line[warp[w].pc]) == SKIPPED ->
        n = warp[w].pc;
        y = register_of(warp[w].line[n]);
        compute(w, n, warp[w].alone);
        if
        :: program[n] == LOAD && !(warp[w].line[n] & TOO_LATE) -> v = shared_load(w, y)
        :: else
        fi;
        warp[w].alone = v;
        assert(seen_by(w, value[y]) == v); // what is taken is what the warp would have computed
        unmap(w);
        warp[w].map = y + 1;
        warp[w].line[n] = UNKNOWN;
        warp[w].pc++;
        meet_lanes(w)
    :: else -> break
    od
}

// Those on the path that wait somewhere behind every instruction that the others have still to come to.
#define waits_beyond(w) (is_on(w) && (warp[w].state == AT_BARRIER || too_far(w)) -> bit(w) : 0)

inline resolve_gathering()
{
    count = gathered | arrived | waits_beyond(0) | waits_beyond(1) | waits_beyond(2);
#ifdef WITHOUT_BEYOND
    count = gathered;
#endif
    if
    :: gathered && !(majority & ~count) ->
        for (j : 0 .. ENTRIES - 1) {
            if
            :: entry[j].used && ((gathered >> entry[j].leader & 1) || (gathered & entry[j].passed)) -> release_entry(j)
            :: else
            fi
        }
        recheck();
        gather_over = gathered;
        met = met | gathered;
        gathered = 0
    :: else
    fi
}

inline rename_more(w)
{
    do
    :: count = warp[w].pc; taken = is_half(w);
       rename_lines(w);
       pass(w);
       if
       :: taken && warp[w].pc != count && warp[w].pc < warp[w].fetched
       :: else -> break
       fi
    od;
    resolving = resolving || warp[w].waits == WAITS_GATHER
}

inline rename_lines(w)
{
    held = warp[w].at_branch || too_far(w) || warp[w].state != READY;
#ifdef WITHOUT_HOLDING
    held = warp[w].state == DONE;
#endif
    n = warp[w].pc;
    do
    :: n < warp[w].fetched && !held && !(is_half(w) && n > warp[w].pc && n == warp[w].renamed) ->
        if
        :: n == warp[w].renamed ->
            rename_line(w, n);
            if
            :: !ok -> break
            :: else
            fi;
            warp[w].waits = WAITS_NOT;
            warp[w].renamed++;
            ungather(bit(w))
        :: else
        fi;
#ifndef WITHOUT_HOLDING
        held = role_of(warp[w].line[n]) != SKIPPED && holds_up(program[n]);
#endif
        n++
    :: else -> break
    od
}

// -- the path -------------------------------------------------------------------------------------------------------

inline leave(w)
{
    if
    :: is_on(w) ->
        majority = majority & ~bit(w);
        arrived = arrived & ~bit(w);
        ungather(bit(w));
        warp[w].at_branch = false;
#ifdef COUNTS
        warp[w].too_far = false;
#endif
        copy_out(w)
    :: else
    fi
}

// Most of the waiting warps, of as many the way of the lowest-numbered.
inline resolve_branch()
{
#ifdef WITHOUT_MAJORITY
    if
    :: arrived && arrived == live ->
#else
    if
    :: arrived && arrived == majority ->
#endif
        best = NONE;
        votes = 0;
        for (j : 0 .. WARPS - 1) {
            same = 0;
            for (k : 0 .. WARPS - 1) {
                same = same + (((arrived >> k) & 1) && warp[k].way == warp[j].way)
            }
            if
            :: ((arrived >> j) & 1) && same > votes -> votes = same; best = warp[j].way
            :: else
            fi
        }
#ifndef WITHOUT_CLEARING
        clear();
#endif
        resolved = arrived;
        way = best;
        arrived = 0
    :: else
    fi
}

inline drop_loads(w)
{
    for (j : 0 .. ENTRIES - 1) {
        if
        :: entry[j].used && entry[j].executed && program[entry[j].pc] == LOAD ->
            entry[j].ordered = entry[j].ordered | bit(w);
#ifdef WITHOUT_DROPPED_STATE
            if
            :: program[mine] == STORE || program[mine] == BARRIER -> release_entry(j)
            :: else
            fi
#else
#ifdef WITHOUT_DROPS_AT_STORES
            entry[j].dropped = entry[j].dropped || program[mine] == BARRIER
#else
            entry[j].dropped = true
#endif
#endif
        :: else
        fi
    }
    for (j : 0 .. LENGTH - 1) {
        if
        :: j > mine && j < warp[w].renamed && role_of(warp[w].line[j]) == SKIPPED && program[j] == LOAD ->
            warp[w].line[j] = warp[w].line[j] | TOO_LATE
        :: else
        fi
    }
    recheck()
}

// A barrier of the whole block is over when everybody stands behind it.
inline rejoin(w)
{
    ok = true;
    best = 0;
    for (j : 0 .. WARPS - 1) {
#ifndef WITHOUT_SAME_PLACE
        ok = ok && (!((live >> j) & 1) || (warp[j].state == READY && warp[j].pc == warp[w].pc));
#else
        ok = ok && (!((live >> j) & 1) || warp[j].state == READY);
#endif
#ifndef WITHOUT_WHOLE
        best = best | (((live >> j) & 1) && warp[j].whole -> bit(j) : 0);
#else
        best = best | (((live >> j) & 1) -> bit(j) : 0);
#endif
    }
    if
    :: ok ->
        clear();
        majority = best;
#ifdef BRANCH_FIRST
        decided = 0;
        for (j : 0 .. AHEAD) { ways[j] = 0 }
#endif
#ifdef COUNTS
        for (j : 0 .. WARPS - 1) {
            if
            :: (best >> j) & 1 -> warp[j].tag = 0; warp[j].too_far = false
            :: else
            fi
        }
#endif
    :: else
    fi
}

inline flush(w, to)
{
    for (j : 0 .. LENGTH - 1) {
        if
        :: role_of(warp[w].line[j]) >= LEADER && j >= warp[w].pc -> release(register_of(warp[w].line[j]))
        :: else
        fi;
        warp[w].line[j] = UNKNOWN
    }
    warp[w].pc = to; warp[w].fetched = to; warp[w].renamed = to;
    warp[w].slots = 0;
    if
    :: warp[w].waits != WAITS_NOT -> warp[w].waits = WAITS_NOT; ungather(bit(w))
    :: else
    fi
}

// -- execution ------------------------------------------------------------------------------------------------------

// The values of the instruction that issues.
inline execute(w, p)
{
    o = warp[w].line[p];
    // What is read, or kept in lanes that are not written, is what the warp would have.
    assert(!(reads(program[p]) || (writes(program[p]) && is_half(w))) || view(w) == warp[w].alone);
    compute(w, p, warp[w].alone);
    warp[w].alone = v;
    warp[w].line[p] = UNKNOWN;
    if
    :: role_of(o) == LEADER ->
        r = register_of(o);
        find(w, p);
        if
        :: e != NONE && entry[e].leader == w && entry[e].reg == r ->
            entry[e].executed = true;
#ifdef EARLY
            entry[e].written_back = true;
            event_due = true
#endif
        :: else
        fi;
        value[r] = v | (warp[w].whole -> 0 : gap);
        pending[r] = true;
#ifdef WITHOUT_REPLIES
        replying[r] = p;
#endif
        unmap(w);
        warp[w].map = r + 1
    :: role_of(o) != LEADER && writes(program[p]) -> unmap(w); warp[w].own = v
    :: else
    fi;
#ifdef WITH_ORDERED_READS
    if
    :: is_load(program[p]) ->
        for (j : 0 .. ENTRIES - 1) {
            if
            :: entry[j].used && entry[j].executed && entry[j].pc != p -> entry[j].ordered = entry[j].ordered | bit(w)
            :: else
            fi
        }
    :: else
    fi;
#endif
    warp[w].slots--;
    warp[w].pc++;
    meet_lanes(w)
}

#define round_up(n) ((n) < 2 -> (n) + 1 : 2)

inline transfer(w, p)
{
    o = program[p];
    taken = o == JUMP || (target[p] > p && (o == BRANCH_ALL || (o == BRANCH_ODD && w == ODD))) ||
            (target[p] <= p && warp[w].round == 0 && (o == BRANCH_ALL || (o == BRANCH_ODD && w == ODD)));
    if
    :: taken && target[p] <= p -> warp[w].round = round_up(warp[w].round)
    :: else
    fi;
    if
    :: taken -> flush(w, target[p])
    :: else
    fi
}

inline finish(w)
{
    flush(w, warp[w].pc);
    warp[w].state = DONE;
    unmap(w);
    live = live & ~bit(w);
    majority = majority & ~bit(w);
    arrived = arrived & ~bit(w);
    ungather(bit(w));
    warp[w].at_branch = false;
#ifdef COUNTS
    warp[w].tag = 0; warp[w].too_far = false;
#endif
    warp[w].way = 0; warp[w].own = 0; warp[w].alone = 0; warp[w].poison = false; warp[w].round = 0;
    warp[w].pc = 0; warp[w].fetched = 0; warp[w].renamed = 0;
#ifndef WITHOUT_RECHECK
    recheck();
    resolving = true;
    looking = true;
#endif
    renewed = live
}

inline release_barrier()
{
    ok = true;
    for (j : 0 .. WARPS - 1) { ok = ok && (!((live >> j) & 1) || warp[j].state == AT_BARRIER) }
    if
    :: ok ->
        for (j : 0 .. WARPS - 1) {
            if
            :: (live >> j) & 1 -> warp[j].state = READY
            :: else
            fi
        }
    :: else
    fi
}

inline arrive(w)
{
    arrived = arrived | bit(w);
    warp[w].at_branch = true;
    warp[w].way = warp[w].pc
}

// Who is no longer too many branches ahead goes on.
inline look_back()
{
#ifdef COUNTS
    same = 15;
    for (j : 0 .. WARPS - 1) {
        if
        :: is_on(j) && warp[j].tag < same -> same = warp[j].tag
        :: else
        fi
    }
    for (j : 0 .. ENTRIES - 1) { // between branches that all have passed
        if
        :: entry[j].used && entry[j].tag < same -> release_entry(j)
        :: else
        fi
    }
#ifdef BRANCH_FIRST
    for (j : 0 .. AHEAD) { // those that nobody comes to any more
        if
        :: same + j >= decided -> ways[(same + j) % (AHEAD + 1)] = 0
        :: else
        fi
    }
#endif
    for (j : 0 .. WARPS - 1) {
        if
        :: is_on(j) && warp[j].too_far && warp[j].tag - same <= AHEAD -> warp[j].too_far = false; awake = awake | bit(j)
        :: else
        fi
    }
#else
    skip
#endif
}

// Who comes first says where the path goes on.
inline choose_way(w)
{
#ifdef BRANCH_FIRST
    if
    :: warp[w].tag >= decided -> ways[warp[w].tag % (AHEAD + 1)] = warp[w].pc; decided = warp[w].tag + 1
    :: else
    fi;
#ifndef WITHOUT_WAYS
    ok = ways[warp[w].tag % (AHEAD + 1)] == warp[w].pc
#else
    ok = true
#endif
#else
    ok = true
#endif
}

inline count_branch(w)
{
#ifdef COUNTS
    warp[w].tag++;
    warp[w].too_far = true;
    look_back();
    awake = awake & ~bit(w)
#else
    skip
#endif
}

inline issue(w)
{
    mine = warp[w].pc;
    on = is_on(w);
    execute(w, mine);
    o = program[mine];
    if
    :: o == STORE -> word = (word + 1) & 3
    :: o == BARRIER -> warp[w].state = AT_BARRIER; release_barrier()
    :: o == SHED && w == ODD -> warp[w].whole = false
#ifdef DIVERGED
    :: o == HALF -> warp[w].join = target[mine]
#endif
    :: o != HALF && is_branch(o) -> transfer(w, mine)
    :: else
    fi;
    o = program[mine];
    if
    :: o == EXIT || (o == EXIT_ODD && w == ODD) || (o == EXIT_LATE && warp[w].round == 2) ->
        live = live & ~bit(w);
        warp[w].state = DONE;
        release_barrier();
        finish(w)
    :: else ->
        if
        :: o == STORE || o == BARRIER -> drop_loads(w)
        :: else
        fi;
        if
        :: on && ((o == SPLIT && w == ODD) || (o == SHED && !warp[w].whole)) ->
#ifndef WITHOUT_WHOLE
            leave(w)
#else
            skip
#endif
        :: on && meets(o) && !(o == SPLIT && w == ODD) -> arrive(w)
        :: on && counts(o) && !(o == SPLIT && w == ODD) ->
            choose_way(w);
            if
            :: ok -> count_branch(w)
            :: else -> leave(w)
            fi
        :: o == BARRIER && warp[w].state == READY && !is_off -> rejoin(w)
        :: else
        fi;
        if
#ifndef WITHOUT_RECHECK
        :: holds_up(o) -> rechecking = true; resolving = true; looking = true
#endif
        :: else -> resolving = warp[w].at_branch
        fi;
        self = bit(w);
        renewed = (o == BARRIER -> live : 0)
    fi
}

#define lowest(m) (((m) & 1) -> 0 : (((m) & 2) -> 1 : 2))

// Who can be renamed: first those that have met, then those from a branch, then w itself, then the others.
inline settle()
{
    do
    :: rechecking && !awake -> recheck(); rechecking = false
    :: resolving && !rechecking && !awake -> resolve_branch(); resolve_gathering(); resolving = false
    :: looking && !resolving && !(awake | met | resolved) -> look_back(); looking = false
    :: (awake && resolving) || (!resolving && (awake | met | resolved)) ||
       (!resolving && !looking && (self | renewed)) ->
        if
        :: awake -> x = lowest(awake); awake = awake & ~bit(x)
        :: !awake && met -> x = lowest(met); met = met & ~bit(x); warp[x].waits = WAITS_NOT
        :: !awake && !met && resolved ->
            x = lowest(resolved);
            resolved = resolved & ~bit(x);
            warp[x].at_branch = false;
#ifdef COUNTS
            warp[x].tag = 0;
#endif
            if
            :: warp[x].way != way -> leave(x)
            :: else
            fi;
            warp[x].way = 0
        :: !awake && !met && !resolved && self -> x = lowest(self); self = 0
        :: else -> x = lowest(renewed); renewed = renewed & ~bit(x)
        fi;
        rename_more(x)
    :: else -> break
    od
}

inline fetch(w)
{
    n = warp[w].fetched;
    find(w, n);
    ok = marked[n] && is_on(w) && !is_half(w) && warp[w].renamed == n && !is_poisoned(w, n) && e != NONE;
#ifndef WITHOUT_HOLDING
    for (j : 0 .. LENGTH - 1) {
        ok = ok && !(j >= warp[w].pc && j < n && role_of(warp[w].line[j]) != SKIPPED && holds_up(program[j]))
    }
#endif
    if
    :: ok -> ok = !has_passed(w) && !entry[e].dropped
    :: else
    fi;
    if
#ifndef WITHOUT_WRITTEN_BACK
    :: ok && !entry[e].written_back && waits_for_result(n) -> warp[w].waits = WAITS_FETCH_LEADER
    :: ok && !entry[e].written_back && !waits_for_result(n) -> warp[w].fetched++; warp[w].slots++; self = bit(w)
    :: ok && entry[e].written_back ->
#else
    :: ok ->
#endif
        warp[w].fetched++; warp[w].renamed++; follow(w, n); pass(w)
    :: !ok -> warp[w].fetched++; warp[w].slots++; self = bit(w)
    fi
}

inline reply(q)
{
    pending[q] = false;
    for (j : 0 .. ENTRIES - 1) {
        if
#ifndef WITHOUT_REPLIES
        :: entry[j].used && entry[j].reg == q && entry[j].executed -> entry[j].written_back = true
#else
        :: entry[j].used && entry[j].reg == q && entry[j].pc == replying[q] -> entry[j].written_back = true
#endif
        :: else
        fi
    }
    event()
}

// Who waits looks again.
inline event()
{
    for (j : 0 .. WARPS - 1) {
        if
        :: ((live >> j) & 1) && warp[j].waits == WAITS_FETCH_LEADER -> warp[j].waits = WAITS_NOT
        :: else
        fi;
        if
        :: ((live >> j) & 1) && warp[j].leaving -> copy_out(j)
        :: else
        fi
    }
    renewed = live
}

// The block stops sharing: every warp leaves the path with its own copy of R.
inline stop()
{
#ifdef GIVE_UP
    off = true;
    for (x : 0 .. WARPS - 1) {
        if
        :: (live >> x) & 1 -> leave(x)
        :: else
        fi
    }
    clear();
    arrived = 0;
    ungather(7);
    for (j : 0 .. WARPS - 1) {
        if
        :: (live >> j) & 1 ->
            warp[j].at_branch = false; warp[j].way = 0; warp[j].waits = WAITS_NOT
        :: else
        fi
    }
    renewed = live
#else
    skip
#endif
}

#define may_fetch(w) (warp[w].state != DONE && warp[w].slots < 2 && warp[w].fetched < LENGTH && \
                      !warp[w].at_branch && !warp[w].leaving && !too_far(w) && \
                      warp[w].waits != WAITS_FETCH_LEADER)
#define is_there(w) (warp[w].map == OWNED || !pending[(warp[w].map == OWNED -> 0 : warp[w].map - 1)])
#define may_issue(w) (warp[w].state == READY && warp[w].pc < warp[w].renamed && !warp[w].at_branch && \
                      !warp[w].leaving && !too_far(w) && (!writes(program[warp[w].pc]) || is_there(w)))

// -- the program ----------------------------------------------------------------------------------------------------

inline choose_target(low, high)
{
    if
    :: low <= 0 && 0 <= high -> target[place] = 0
    :: low <= 1 && 1 <= high -> target[place] = 1
    :: low <= 2 && 2 <= high -> target[place] = 2
    :: low <= 3 && 3 <= high -> target[place] = 3
    :: low <= 4 && 4 <= high -> target[place] = 4
    :: low <= 5 && 5 <= high -> target[place] = 5
    :: low <= 6 && 6 <= high -> target[place] = 6
    fi
}

#ifdef FIRST
#define may_be(o) (place > 0 -> allowed(o) : (o) == FIRST)
#else
#define may_be(o) allowed(o)
#endif
#ifdef DIVERGED
#define may(o) (may_be(o) && (!is_control(o) || (controls < CONTROLS && place >= late_half && (o) != SPLIT && (o) != SHED)))
#else
#define may(o) (may_be(o) && (!is_control(o) || controls < CONTROLS))
#endif

inline choose()
{
    do
    :: place == LENGTH - 1 -> break
    :: place < LENGTH - 1 ->
        if
        :: may(SET) -> program[place] = SET
        :: may(INC) -> program[place] = INC
        :: may(KEPT_INC) -> program[place] = KEPT_INC
        :: may(LOAD) -> program[place] = LOAD
        :: may(KEPT_LOAD) -> program[place] = KEPT_LOAD
        :: may(OWN) -> program[place] = OWN
        :: may(STORE) -> program[place] = STORE
        :: may(BARRIER) -> program[place] = BARRIER
        :: may(BRANCH_ALL) && place > 0 -> program[place] = BRANCH_ALL; choose_target(0, place - 1)
        :: may(BRANCH_ODD) && place > 0 -> program[place] = BRANCH_ODD; choose_target(0, place - 1)
        :: may(BRANCH_ODD) && place + 2 < LENGTH -> program[place] = BRANCH_ODD; choose_target(place + 2, LENGTH - 1)
        :: may(JUMP) && late -> program[place] = JUMP; choose_target(0, late - 1)
        :: may(EXIT_ODD) -> program[place] = EXIT_ODD
        :: may(EXIT_LATE) && place > 0 -> program[place] = EXIT_LATE; late = place + 1
        :: may(SPLIT) -> program[place] = SPLIT
        :: may(SHED) -> program[place] = SHED
        :: may(CLASS) -> program[place] = CLASS
#ifdef DIVERGED
        :: may(HALF) && place + 2 < LENGTH -> program[place] = HALF; target[place] = place + 2; late_half = place + 2
        :: may(HALF) && place + 3 < LENGTH -> program[place] = HALF; target[place] = place + 3; late_half = place + 3
#endif
        fi;
        controls = controls + is_control(program[place]);
        place++
    od;
    program[LENGTH - 1] = EXIT;
#ifdef DIVERGED
    late_half = 0;
#endif
    place = 0; controls = 0; late = 0
}

// Which instructions all warps of one history do alike: docs/explanation/soundness.md, for this machine. What R is before an
// instruction: 0 the same in all warps, 1 in those of a class, 2 a warp's own.
#define weaker(a, b) ((a) > (b) -> (a) : (b))

inline writes_between(a, b)
{
    seen = false;
    for (k : 0 .. LENGTH - 1) { seen = seen || (k >= (a) && k < (b) && writes(program[k])) }
}

inline mark()
{
    uneven = false;
    loops = false;
    barriers = false;
    impossible = false; // a way to where half of the lanes are, for all of them
    for (j : 0 .. LENGTH - 1) {
        barriers = barriers || program[j] == BARRIER;
        loops = loops || (is_branch(program[j]) && target[j] <= j);
        for (k : 0 .. LENGTH - 1) {
            impossible = impossible || (program[j] == HALF && is_branch(program[k]) && k != j && target[k] > j && target[k] < target[j]);
            uneven = uneven || (program[j] == BRANCH_ODD && program[k] == BARRIER &&
                                ((k > j && k < target[j]) || (k < j && k >= target[j])))
        }
    }
#ifdef WITHOUT_SOUND_MARKS
    uneven = false;
    barriers = false;
#endif
    for (j : 0 .. LENGTH - 1) { vec[j] = 2 * (uneven && loops) }
    for (y : 0 .. LENGTH) {
        for (j : 0 .. LENGTH - 2) {
            o = program[j];
            ok = (o == SET -> 0 : (o == CLASS -> 1 : (is_load(o) -> 2 * uneven : (o == OWN -> 2 : vec[j]))));
            vec[j + 1] = weaker(vec[j + 1], ok);
            if
            :: is_branch(o) -> vec[target[j]] = weaker(vec[target[j]], ok)
            :: else
            fi;
            if
            :: o == BRANCH_ODD && barriers && target[j] > j ->
                writes_between(j + 1, target[j]);
                vec[target[j]] = weaker(vec[target[j]], 2 * seen)
            :: o == BRANCH_ODD && barriers && target[j] <= j ->
                writes_between(target[j], j);
                vec[j + 1] = weaker(vec[j + 1], 2 * seen)
            :: else
            fi
        }
    }
    for (j : 0 .. LENGTH - 1) {
        o = program[j];
        marked[j] = (o == SET -> 1 : (o == CLASS -> 2 : (o == INC && vec[j] < 2 -> vec[j] + 1 : (o == LOAD && !uneven))));
        followed[j] = marked[j] || (o == KEPT_INC && vec[j] < 2) || (o == KEPT_LOAD && !uneven);
        vec[j] = false
    }
}

// -- the block ------------------------------------------------------------------------------------------------------

inline print_state()
{
    printf("state majority=%d arrived=%d gathered=%d over=%d free=%d%d%d%d\n", majority, arrived, gathered,
           gather_over, !is_used(0), POOL > 1 && !is_used(1 % POOL), POOL > 2 && !is_used(2 % POOL),
           POOL > 3 && !is_used(3 % POOL));
    for (j : 0 .. WARPS - 1) {
        printf("warp %d pc=%d fetched=%d renamed=%d state=%d waits=%d map=%d poison=%d at_branch=%d leaving=%d tag=%d too_far=%d\n", j,
               warp[j].pc, warp[j].fetched, warp[j].renamed, warp[j].state, warp[j].waits, warp[j].map,
               warp[j].poison, warp[j].at_branch, warp[j].leaving, tag_of(j), too_far(j))
    }
    for (j : 0 .. ENTRIES - 1) {
        printf("entry %d used=%d pc=%d reg=%d passed=%d dropped=%d written_back=%d half=%d old=%d\n", j, entry[j].used,
               entry[j].pc, entry[j].reg, entry[j].passed, entry[j].dropped, entry[j].written_back, half_of(j), old_of(j))
    }
}

#define FETCH  0
#define ISSUE  1
#define REPLY  2
#define MEMORY 3
#define EVENT  4
#define STOP   5

active proctype block()
{
    atomic {
        choose();
        d_step {
            mark();
            for (j : 0 .. LENGTH - 1) {
                printf("program %d op=%d target=%d marked=%d followed=%d\n", j, program[j], target[j], marked[j], followed[j])
            }
            for (j : 0 .. WARPS - 1) { warp[j].whole = true }
            majority = bit(WARPS) - 1;
            live = majority
        };
        if
        :: impossible -> goto done
        :: else
        fi
    }
    do
    :: atomic {
        if
        :: may_fetch(0) -> act = FETCH; who = 0
        :: may_fetch(1) -> act = FETCH; who = 1
        :: may_fetch(2) -> act = FETCH; who = 2
        :: may_issue(0) -> act = ISSUE; who = 0
        :: may_issue(1) -> act = ISSUE; who = 1
        :: may_issue(2) -> act = ISSUE; who = 2
        :: pending[0] -> act = REPLY; who = 0
#if POOL > 1
        :: pending[1] -> act = REPLY; who = 1
#endif
#if POOL > 2
        :: pending[2] -> act = REPLY; who = 2
#endif
#if POOL > 3
        :: pending[3] -> act = REPLY; who = 3
#endif
#ifdef EARLY
        :: event_due && live -> act = EVENT; who = 0
#endif
#ifdef ENVIRONMENT
        :: !written && live -> act = MEMORY; who = 0
#endif
#ifdef GIVE_UP
        :: !off && live -> act = STOP; who = 0
#endif
        :: !live && !pending[0] && !pending[POOL / 3] && !pending[POOL / 2] && !pending[POOL - 1] -> break
        fi;
        d_step {
            printf("step act=%d who=%d\n", act, who);
            met = 0; resolved = 0; self = 0; renewed = 0; resolving = false; rechecking = false; awake = 0; looking = false;
            if
            :: act == FETCH -> fetch(who)
            :: act == ISSUE -> issue(who)
            :: act == REPLY -> reply(who)
#ifdef EARLY
            :: act == EVENT -> event_due = false; event()
#endif
            :: act == STOP -> stop()
            :: else -> written = true; word = (word + 1) & 3
            fi;
            settle();
#ifndef WITHOUT_RECHECK
            if
            :: act == ISSUE && warp[who].state == DONE -> recheck() // the code looks once more when a warp has ended
            :: else
            fi;
#endif
            print_state();
            act = FETCH
        }
    }
    od;
done:
    printf("end\n");
#if !defined(WITHOUT_RECHECK) && !defined(WITHOUT_READERS)
    for (j : 0 .. POOL - 1) { assert(!references[j]) } // none is lost
#endif
    skip
}
