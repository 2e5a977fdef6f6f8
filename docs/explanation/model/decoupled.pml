// Decoupled streams (src/tech/decoupled), for SPIN: an affine stream that runs ahead of the warps, and what is between them. What is
// modelled, what is left out and what was found: README.md.
//
// A step is atomic:
//
//     step w     warp w executes its next instruction, if it is not held and waits for nothing; a branch on data goes either way
//     guest      the affine stream takes its step, for all warps that it is there for
//     units      the expansion units look at the ATQ: a predicate, a request that had no place, an address
//     access     the access at the head of the LSU sends a line to L1
//     look_up r  an early request does
//     fill k     a line that L1 waits for is there
//     evict k    with EVICTIONS, a line goes for one that is nobody's here
//     start w    a warp of another block begins where one has ended: all of the block, or with LATE the first, and the others later
//
// Who sleeps in the code sleeps here, until somebody wakes him: warps that are held, the units, the guest. All warps run one program, any
// sequence of LENGTH instructions. L1 is one set. WITHOUT_… leaves a rule out.

#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef WARPS
#define WARPS 2 // of a block
#endif
#ifndef BLOCKS
#define BLOCKS (SLOTS / WARPS)
#endif
#ifndef LENGTH
#define LENGTH 3
#endif
#ifndef OPS
#define OPS 1023 // all
#endif
#ifndef FIRST
#define FIRST OPS // of those, what a program may begin with
#endif
#ifndef ATQ
#define ATQ 2
#endif
#ifndef PWAQ
#define PWAQ 2
#endif
#ifndef PWPQ
#define PWPQ 1
#endif
#ifndef TOLD
#define TOLD 1
#endif
#ifndef WAYS
#define WAYS 2
#endif
#ifndef REQUESTS
#define REQUESTS 2 // early ones under way
#endif
#ifndef MEETS_AHEAD
#define MEETS_AHEAD 1 // 0: the program has barriers that the stream cannot know
#endif
#ifdef WITHOUT_AT_ISSUE
#define EARLY_DATA // data are taken when a line comes; what is asserted of them is what barriers promise
#endif
#define bit(k)   (1 << (k))
#define PARTS    PWAQ // of a warp's queue of addresses
#define RESIDENT (SLOTS / WARPS)

// Instructions. Line 0 is the one that is stored to.
#define LOAD      0 // of line 0: asked for early
#define LOAD_BOTH 1 // of lines 0 and 1
#define STORE     2 // to line 0, its address from the queue
#define KNOWN     3 // a predicate from the queue: every second warp goes over the next instruction
#define ASKED     4 // a branch on data, over the next instruction, that the affine stream is told
#define LEAVE     5 // an exit on data, likewise
#define BARRIER   6
#define SPIN      7 // a loop that ends when the block's last warp has come here; of blocks of one warp: when those
               // before have ended, or with LATER the last one, which is there, has come here
#define OWN       8 // a load of line 2 by an address that lanes compute
#define FENCE     9 // orders memory, of one warp
#define EXIT      10 // behind the last

#define is_load(o)    ((o) <= LOAD_BOTH)
#define is_address(o) ((o) <= STORE)
#define is_site(o)    ((o) <= KNOWN)
#ifdef WITHOUT_MAY_WAIT
#define is_told(o) ((o) == ASKED || (o) == LEAVE)
#else
#define is_told(o) ((o) == ASKED || (o) == LEAVE || (o) == SPIN)
#endif
#define is_passed(o) ((o) == OWN || ((o) == SPIN && !is_told(SPIN))) // not in the affine stream
#define lines_of(o)  ((o) == LOAD -> 1 : ((o) == LOAD_BOTH -> 3 : 0))
#define records(o)   ((o) == LOAD_BOTH -> 2 : 1)

// Warps
#define GONE       0
#define READY      1
#define AT_BARRIER 2
#define UNSTARTED  3 // of a block that has begun
#define is_there(w) (warp[w].state == READY || warp[w].state == AT_BARRIER)

// What the affine stream does for a warp
#define FOLLOWS_NOT      0
#define FOLLOWS          1
#define WAITS_TO_BE_TOLD 2
#define WAITS_FOR_ORDER  3
#define WAITS_FOR_OTHERS 4
#define FOLLOWED         5

typedef of_warp {
    byte pc;
    byte state;
    byte block;
    bool hold;
#ifdef ASTRAY
    bool astray; // it goes on alone
#endif
    bool pending; // an order that it is about to pass
    byte passed;
    byte dequeued;
    // the affine stream's
    byte step;
    byte follow;
    byte seen; // orders
    byte barriers;
    byte enqueued;
    byte expanding;
    byte told_count;
    byte told; // a bit each, the oldest the lowest
    byte addresses;
    byte predicates
}

typedef of_address { // in a warp's queue
    byte inst;
    byte sequence;
    byte asked; // lines
    byte there;
    byte locked
#ifdef EARLY_DATA
    ;
    byte taken; // lines whose data have been taken
    byte stale; // since stored to
    byte wrong  // and that is ordered before
#endif
}

typedef of_predicate {
    byte inst;
    byte sequence
}

typedef of_entry { // of the ATQ
    byte inst;
    byte left;
    byte sequence[SLOTS];
    byte order[SLOTS]
}

typedef of_request {
    byte state;
    byte line;
    byte slot;
    byte sequence
}
#define NONE   0
#define QUEUED 1
#define WAITS  2

typedef of_way {
    byte line; // + 1; none: 0
    bool valid;
    bool pending;
    bool stale; // valid, and not what memory has
    byte locks
}

byte program[LENGTH + 1];
of_warp warp[SLOTS];
of_address address[SLOTS * PARTS];
of_predicate predicate[SLOTS * PWPQ];
of_entry entry[ATQ];
byte entries;
of_request request[REQUESTS];
of_way way[WAYS];
bool guest; // runs
byte at;    // its step
bool chooses;
bool awake;  // the units
byte asking; // warp + 1, whose last address has lines to be asked for
byte lsu;    // warp + 1
byte lsu_left;
byte lsu_held;
byte next_block;

byte act;
int can;
byte looks, passes, tells, meets; // who is woken at the end of a step, slots
// Of a step alone
hidden byte a, b, c, e, f, g, h, i, j, k, l, m, n, p, q, r, s, u, v, w, x, y, z;
hidden byte unit_at, unit_slot, behind, ok, found, waits;

#ifdef ASTRAY
#define is_astray(w) warp[w].astray
#else
#define is_astray(w) false
#endif
#define first_of(w) ((w) / WARPS * WARPS) // slot of its block

// -- L1 -------------------------------------------------------------------------------------------------------------

inline find_way(it) // y
{
    y = 0;
    do
    :: y < WAYS && way[y].line != it + 1 -> y++
    :: else -> break
    od
}

inline find_victim() // z
{
    z = 0;
    do
    :: z < WAYS && (way[z].pending || way[z].locks) -> z++
    :: else -> break
    od;
    for (v : 0 .. WAYS - 1) {
        if
        :: !way[v].line -> z = v
        :: else
        fi
    }
}

// Whether the address unit waits for a way that can be locked: for no lock of the access itself, since it lets none go
// before it has all. Beside a mechanism with waits of its own (YIELDS) it never does.
#ifdef YIELDS
#define waits_for_lock(c) false
#else
#define waits_for_lock(c) (!address[c].locked && !(address[c].asked & ~address[c].there))
#endif

inline may_lock(it) // ok
{
    find_way(it);
    z = 0;
    for (v : 0 .. WAYS - 1) { z = z + (way[v].locks > 0) }
#ifdef WITHOUT_ONE_WAY
    ok = (y < WAYS && way[y].locks) || z < WAYS
#else
    ok = (y < WAYS && way[y].locks) || z + 1 < WAYS
#endif
}

// Whether L1 has a place for it: there, or a way that may go.
inline has_place(it) // ok
{
    find_way(it);
    find_victim();
    ok = y < WAYS || z < WAYS
}

// ok: it is there
inline bring(it)
{
    find_way(it);
    find_victim();
    if
    :: y == WAYS ->
        assert(z < WAYS);
        y = z;
        way[y].line = it + 1;
        way[y].valid = false;
        way[y].stale = false;
        way[y].pending = true
    :: y < WAYS && !way[y].valid -> way[y].pending = true
    :: else
    fi;
    ok = way[y].valid
}

inline unlock(it)
{
    find_way(it);
    assert(y < WAYS && way[y].locks);
    way[y].locks--
}

inline store()
{
    find_way(0);
    if
    :: y < WAYS ->
#ifdef WITHOUT_INVALIDATION
        way[y].stale = way[y].valid;
        if
        :: !way[y].locks -> way[y].valid = false; way[y].stale = false
        :: else
        fi;
#else
        way[y].valid = false;
#endif
        if
        :: !way[y].pending && !way[y].locks -> way[y].line = 0
        :: else
        fi
    :: else
    fi
#ifdef EARLY_DATA
    ;
    for (v : 0 .. SLOTS * PARTS - 1) { address[v].stale = address[v].stale | (address[v].taken & 1) }
#endif
}

// -- what is before a warp (others.c) -------------------------------------------------------------------------------

inline look(w)
{
    if
    :: is_astray(w) -> warp[w].hold = false
    :: !is_astray(w) && warp[w].state == READY && is_site(program[warp[w].pc]) ->
        // is_on_its_way: the protocol never loses a warp that goes where the stream goes
        x = warp[w].pc;
        ok = warp[w].expanding || warp[w].follow == FOLLOWS || warp[w].follow == WAITS_FOR_OTHERS;
#ifndef WITHOUT_BATCHES
        ok = ok || warp[w].follow == FOLLOWS_NOT;
#endif
        if
        :: is_address(program[x]) ->
            found = warp[w].addresses > 0;
            assert(!warp[w].predicates || predicate[w * PWPQ].sequence != warp[w].dequeued);
            assert(found || ok);
            assert(!found || (address[w * PARTS].inst == x && address[w * PARTS].sequence == warp[w].dequeued));
            y = lines_of(program[x]);
#ifdef JOIN
            waits = false;
#else
            waits = address[w * PARTS].there != y;
#endif
            warp[w].hold = !(found && address[w * PARTS].asked == y && !waits)
        :: else ->
            found = warp[w].predicates > 0;
            assert(!warp[w].addresses || address[w * PARTS].sequence != warp[w].dequeued);
            assert(found || ok);
            assert(!found || (predicate[w * PWPQ].inst == x && predicate[w * PWPQ].sequence == warp[w].dequeued));
            warp[w].hold = !found
        fi
    :: !is_astray(w) && warp[w].state == READY && !is_site(program[warp[w].pc]) ->
#ifdef WITHOUT_TOLD_ROOM
        warp[w].hold = false
#else
        warp[w].hold = is_told(program[warp[w].pc]) && warp[w].told_count == TOLD
#endif
    :: else
    fi
}

// -- the affine stream (affine.c) -----------------------------------------------------------------------------------

inline wait_or_follow(w)
{
    warp[w].follow = (is_told(program[warp[w].step]) && !warp[w].told_count -> WAITS_TO_BE_TOLD : FOLLOWS)
}

inline advance(w, to)
{
    warp[w].step = (to > LENGTH -> LENGTH : to);
    do
    :: is_passed(program[warp[w].step]) -> warp[w].step++
    :: else -> break
    od;
    wait_or_follow(w)
}

inline enqueue(w)
{
#ifdef WITHOUT_PLACE
    assert(entries < ATQ);
#endif
    entry[entries].inst = at;
    entry[entries].left = entry[entries].left | bit(w);
    entry[entries].sequence[w] = warp[w].enqueued;
    entry[entries].order[w] = warp[w].seen;
    warp[w].enqueued++;
    warp[w].expanding++
}

inline do_step(w)
{
    x = at + 1;
    if
    :: is_site(program[at]) ->
        enqueue(w);
        x = x + (program[at] == KNOWN && w % 2)
    :: is_told(program[at]) ->
        j = warp[w].told & 1;
#ifndef WITHOUT_TOLD_ONCE
        warp[w].told = warp[w].told >> 1;
#endif
        warp[w].told_count--;
        x = x + (program[at] == ASKED && j)
    :: program[at] == BARRIER ->
        warp[w].seen++;
        warp[w].barriers = warp[w].barriers + MEETS_AHEAD
    :: program[at] == FENCE -> warp[w].seen++
    :: program[at] == EXIT -> j = 1
    fi;
    if
    :: program[at] == EXIT || (program[at] == LEAVE && j) -> warp[w].follow = FOLLOWED
    :: else ->
        advance(w, x);
        if
#ifndef WITHOUT_MEETING
        :: program[at] == BARRIER && warp[w].passed < warp[w].seen ->
            warp[w].follow = (MEETS_AHEAD -> WAITS_FOR_OTHERS : WAITS_FOR_ORDER)
#endif
#ifndef WITHOUT_FENCES
        :: program[at] == FENCE && warp[w].passed < warp[w].seen -> warp[w].follow = WAITS_FOR_ORDER
#endif
        :: else
        fi
    fi
}

// Whether it has room for what it enqueues.
inline guest_may() // ok
{
    ok = true;
    if
    :: is_site(program[at]) ->
#ifndef WITHOUT_PLACE
        ok = entries < ATQ;
#endif
        for (w : 0 .. SLOTS - 1) {
            ok = ok && !(program[at] == KNOWN && warp[w].follow == FOLLOWS && warp[w].step == at &&
                         warp[w].predicates == PWPQ)
        }
    :: else
    fi
}

inline step_guest()
{
    g = 0;
    for (w : 0 .. SLOTS - 1) {
        if
        :: warp[w].follow == FOLLOWS && warp[w].step == at ->
            do_step(w);
            looks = looks | (warp[w].hold << w);
            g = 1
        :: else
        fi
    }
    if
    :: g && is_site(program[at]) -> entries++; awake = true
    :: else
    fi;
    meets = (program[at] == BARRIER || program[at] == FENCE || program[at] == LEAVE || program[at] == EXIT -> 255 : 0);
    chooses = true
}

// Those that the stream could go on for; if there are none, those that have come since (batch=wait).
inline choose_among()
{
    g = 0;
    for (w : 0 .. SLOTS - 1) { g = g + (warp[w].follow == FOLLOWS) }
    for (w : 0 .. SLOTS - 1) {
        if
        :: !g && is_there(w) && warp[w].follow == FOLLOWS_NOT -> advance(w, 0)
        :: else
        fi
    }
    chooses = false;
    for (w : 0 .. SLOTS - 1) { chooses = chooses || warp[w].follow == FOLLOWS }
    guest = chooses;
    at = 0
}

// -- the units (units.c) --------------------------------------------------------------------------------------------

inline drop_front()
{
    do
    :: entries && !entry[0].left ->
        for (v : 1 .. ATQ - 1) {
            entry[v - 1].inst = entry[v].inst;
            entry[v - 1].left = entry[v].left;
            for (z : 0 .. SLOTS - 1) {
                entry[v - 1].sequence[z] = entry[v].sequence[z];
                entry[v - 1].order[z] = entry[v].order[z]
            }
        }
        entries--;
        entry[ATQ - 1].inst = 0;
        entry[ATQ - 1].left = 0;
        for (z : 0 .. SLOTS - 1) {
            entry[ATQ - 1].sequence[z] = 0;
            entry[ATQ - 1].order[z] = 0
        }
    :: else -> break
    od
}

inline room_of(w, it) // ok
{
#ifdef WITHOUT_ROOM
    ok = true
#else
    if
    :: is_address(program[it]) ->
        m = 0;
        for (v : 0 .. PARTS - 1) { m = m + (v < warp[w].addresses -> records(program[address[w * PARTS + v].inst]) : 0) }
        ok = !m || m + records(program[it]) <= PWAQ
    :: else -> ok = warp[w].predicates < PWPQ
    fi
#endif
}

inline find_turn(of_addresses) // found: unit_at, unit_slot
{
    found = false;
    behind = 0;
    for (n : 0 .. ATQ - 1) {
        if
        :: n < entries && is_address(program[entry[n].inst]) == of_addresses ->
            for (s : 0 .. SLOTS - 1) {
                if
                :: !found && ((entry[n].left & ~behind) & bit(s)) ->
                    room_of(s, entry[n].inst);
#ifdef WITHOUT_PASSED
                    waits = false;
#else
                    waits = is_load(program[entry[n].inst]) && entry[n].order[s] > warp[s].passed;
#endif
                    if
                    :: ok && !waits -> found = true; unit_at = n; unit_slot = s
                    :: else
                    fi
                :: else
                fi
            }
#ifdef WITHOUT_PASSING_BY
            behind = (entry[n].left -> 255 : behind);
#endif
#ifndef WITHOUT_IN_ORDER
            behind = behind | entry[n].left
#endif
        :: else
        fi
    }
}

// ok: all that can be asked for has been.
inline ask_for_lines(w)
{
    c = w * PARTS + warp[w].addresses - 1;
    ok = true;
    for (l : 0 .. 1) {
        if
        :: ok && (lines_of(program[address[c].inst]) & ~address[c].asked & bit(l)) ->
            p = 0;
            do
            :: p < REQUESTS && request[p].state -> p++
            :: else -> break
            od;
            may_lock(l);
            if
#ifndef WITHOUT_UNLOCKABLE
            :: !ok && waits_for_lock(c)
            :: !ok && !waits_for_lock(c) ->
                address[c].asked = address[c].asked | bit(l);
                address[c].there = address[c].there | bit(l);
                ok = true
#else
            :: !ok
#endif
            :: ok && p < REQUESTS ->
                request[p].state = QUEUED;
                request[p].line = l;
                request[p].slot = w;
                request[p].sequence = address[c].sequence;
                address[c].asked = address[c].asked | bit(l)
            :: ok && p == REQUESTS -> ok = false
            fi
        :: else
        fi
    }
}

inline deliver()
{
    w = unit_slot;
    entry[unit_at].left = entry[unit_at].left & ~bit(w);
    warp[w].expanding--;
    assert(warp[w].state != GONE);
    if
    :: is_address(program[entry[unit_at].inst]) ->
        assert(warp[w].addresses < PARTS);
        c = w * PARTS + warp[w].addresses;
        address[c].inst = entry[unit_at].inst;
        address[c].sequence = entry[unit_at].sequence[w];
        warp[w].addresses++;
        asking = w + 1
    :: else ->
        assert(warp[w].predicates < PWPQ);
        c = w * PWPQ + warp[w].predicates;
        predicate[c].inst = entry[unit_at].inst;
        predicate[c].sequence = entry[unit_at].sequence[w];
        warp[w].predicates++
    fi;
    entry[unit_at].sequence[w] = 0;
    entry[unit_at].order[w] = 0;
    looks = looks | bit(w)
}

inline step_units()
{
    awake = false;
    for (i : 0 .. 3) {
        if
        :: i == 0 || (i == 2 && !asking) ->
            find_turn((i == 2));
            if
            :: found -> awake = true; deliver(); drop_front()
            :: else
            fi
        :: (i == 1 || i == 3) && asking ->
            w = asking - 1;
            ask_for_lines(w);
            if
            :: ok ->
                asking = 0;
#ifndef WITHOUT_LOOK_WHEN_ASKED
                looks = looks | bit(w)
#endif
            :: else
            fi
        :: else
        fi
    }
}

inline clear_address(k)
{
    address[k].inst = 0;
    address[k].sequence = 0;
    address[k].asked = 0;
    address[k].there = 0;
    address[k].locked = 0
#ifdef EARLY_DATA
    ;
    address[k].taken = 0;
    address[k].stale = 0;
    address[k].wrong = 0
#endif
}

inline forget(w)
{
#ifndef WITHOUT_FORGOTTEN_TUPLES
    for (n : 0 .. ATQ - 1) {
        entry[n].left = entry[n].left & ~bit(w);
        entry[n].sequence[w] = 0;
        entry[n].order[w] = 0
    }
    warp[w].expanding = 0;
    drop_front();
#endif
    if
    :: asking == w + 1 -> asking = 0
    :: else
    fi;
#ifndef WITHOUT_FORGOTTEN_RECORDS
    for (n : w * PARTS .. w * PARTS + PARTS - 1) {
        for (l : 0 .. 1) {
            if
            :: address[n].locked & bit(l) -> unlock(l)
            :: else
            fi
        }
        clear_address(n)
    }
    for (n : w * PWPQ .. w * PWPQ + PWPQ - 1) {
        predicate[n].inst = 0;
        predicate[n].sequence = 0
    }
    warp[w].addresses = 0;
    warp[w].predicates = 0;
#endif
    awake = true
}

// w, l, n: warp, line and record of the request. n is warp[w].addresses: the record is gone.
inline find_record(r)
{
    w = request[r].slot;
    l = request[r].line;
    n = 0;
    do
#ifndef WITHOUT_TOKENS
    :: n < warp[w].addresses && address[w * PARTS + n].sequence != request[r].sequence -> n++
#endif
    :: else -> break
    od
}

inline lock_line(it) // for record n
{
    may_lock(it);
    if
    :: ok && y < WAYS && !(address[n].locked & bit(it)) ->
        way[y].locks++;
        address[n].locked = address[n].locked | bit(it)
    :: else
    fi
}

// A line that was asked for is under way, in its way: locked for the record that asked, if it is there still.
inline set_out(r)
{
    find_record(r);
    if
    :: n < warp[w].addresses ->
        n = w * PARTS + n;
        if
        :: lines_of(program[address[n].inst]) & ~address[n].there & bit(l) -> lock_line(l)
        :: else
        fi
    :: else
    fi
}

// A line that was asked for has come: for the record that asked, if it is there still.
inline came(r)
{
    find_record(r);
    request[r].state = NONE;
    request[r].line = 0;
    request[r].slot = 0;
    request[r].sequence = 0;
    awake = true;
    if
    :: n < warp[w].addresses ->
        n = w * PARTS + n;
        if
        :: lines_of(program[address[n].inst]) & ~address[n].there & bit(l) ->
            address[n].there = address[n].there | bit(l);
            lock_line(l);
#ifdef EARLY_DATA
            address[n].taken = address[n].taken | bit(l);
#endif
            looks = looks | bit(w)
        :: else
        fi
    :: else
    fi
}

// -- warps ----------------------------------------------------------------------------------------------------------

inline take_no_data_from_before(w)
{
#ifdef EARLY_DATA
    for (v : w * PARTS .. w * PARTS + PARTS - 1) { address[v].wrong = address[v].stale }
#endif
    skip
}

inline release_barrier(w)
{
    a = 0;
    b = 0;
    for (e : first_of(w) .. first_of(w) + WARPS - 1) {
        a = a + (warp[e].state == AT_BARRIER);
        b = b + (warp[e].state != GONE)
    }
    if
    :: a && a == b ->
        for (e : first_of(w) .. first_of(w) + WARPS - 1) {
            if
            :: warp[e].state == AT_BARRIER ->
                warp[e].state = READY;
                warp[e].pc++
            :: else
            fi;
            take_no_data_from_before(e)
        }
    :: else
    fi
}

inline end_warp(w)
{
    forget(w);
    warp[w].state = GONE;
    warp[w].pc = 0;
    warp[w].block = 0;
#ifdef ASTRAY
    warp[w].astray = false;
#endif
    warp[w].hold = false;
    warp[w].passed = 0;
    warp[w].dequeued = 0;
    warp[w].step = 0;
    warp[w].follow = FOLLOWS_NOT;
    warp[w].seen = 0;
    warp[w].barriers = 0;
    warp[w].enqueued = 0;
    warp[w].told_count = 0;
    warp[w].told = 0;
    meets = bit(first_of(w))
}

inline take_address(w)
{
    k = w * PARTS;
    assert(warp[w].addresses && address[k].inst == warp[w].pc && address[k].sequence == warp[w].dequeued);
#ifdef WITHOUT_AT_ISSUE
    assert(!address[k].stale);
#endif
#ifdef EARLY_DATA
    assert(!address[k].wrong);
#endif
    lsu_left = lines_of(program[warp[w].pc]);
    lsu_held = address[k].locked;
    for (v : k + 1 .. k + PARTS - 1) {
        address[v - 1].inst = address[v].inst;
        address[v - 1].sequence = address[v].sequence;
        address[v - 1].asked = address[v].asked;
        address[v - 1].there = address[v].there;
        address[v - 1].locked = address[v].locked;
#ifdef EARLY_DATA
        address[v - 1].taken = address[v].taken;
        address[v - 1].stale = address[v].stale;
        address[v - 1].wrong = address[v].wrong;
#endif
        skip
    }
    k = k + PARTS - 1;
    clear_address(k);
    warp[w].addresses--;
    warp[w].dequeued++;
#ifndef WITHOUT_WAKING
    awake = true;
#endif
    lsu = (lsu_left -> w + 1 : 0)
}

inline take_predicate(w)
{
    k = w * PWPQ;
    assert(warp[w].predicates && predicate[k].inst == warp[w].pc && predicate[k].sequence == warp[w].dequeued);
    for (v : k + 1 .. k + PWPQ - 1) {
        predicate[v - 1].inst = predicate[v].inst;
        predicate[v - 1].sequence = predicate[v].sequence
    }
    predicate[k + PWPQ - 1].inst = 0;
    predicate[k + PWPQ - 1].sequence = 0;
    warp[w].predicates--;
    warp[w].dequeued++;
#ifndef WITHOUT_WAKING
    awake = true
#endif
}

inline step_warp(w) // j: the branch is taken
{
    x = program[warp[w].pc];
    if
    :: x == STORE -> store()
    :: else
    fi;
    if
    :: is_astray(w) && is_address(x) -> lsu_left = lines_of(x); lsu = (lsu_left -> w + 1 : 0)
    :: !is_astray(w) && is_address(x) -> take_address(w)
    :: !is_astray(w) && x == KNOWN -> take_predicate(w)
    :: !is_astray(w) && is_told(x) ->
        assert(warp[w].told_count < TOLD);
        warp[w].told = warp[w].told | (j << warp[w].told_count);
        warp[w].told_count++;
        tells = bit(w)
    :: x == BARRIER -> warp[w].state = AT_BARRIER; warp[w].pending = true
    :: x == OWN -> lsu = w + 1; lsu_left = bit(2)
    :: x == FENCE ->
        warp[w].pending = true;
        passes = bit(w);
        take_no_data_from_before(w)
    :: else
    fi;
    looks = bit(w);
    ok = x == EXIT || (x == LEAVE && j);
    if
    :: ok -> end_warp(w)
    :: !ok && x != BARRIER ->
        warp[w].pc = warp[w].pc + 1 + (x == ASKED && j) + (x == KNOWN && w % 2);
        warp[w].pc = (warp[w].pc > LENGTH -> LENGTH : warp[w].pc)
    :: else
    fi;
    if
    :: ok || x == BARRIER ->
        release_barrier(w);
        looks = ((1 << WARPS) - 1) << first_of(w);
        passes = looks
    :: else
    fi
}

// It comes where the stream did not, since its lanes have met in another order.
#ifdef ASTRAY
inline leave(w)
{
    forget(w);
    warp[w].astray = true;
    warp[w].follow = FOLLOWED;
    warp[w].told = 0;
    warp[w].told_count = 0;
    meets = bit(first_of(w));
    looks = bit(w)
}
#endif

// -- who is woken ---------------------------------------------------------------------------------------------------

// A barrier that the stream is at for all warps of the block, as far as it goes there.
inline meet(b)
{
    q = 255;
    for (u : b .. b + WARPS - 1) {
        if
#ifndef WITHOUT_STARTED
        :: warp[u].state == UNSTARTED -> q = 0
#endif
        :: is_there(u) && warp[u].follow != FOLLOWED && warp[u].barriers < q -> q = warp[u].barriers
        :: else
        fi
    }
    for (u : b .. b + WARPS - 1) {
        if
        :: is_there(u) && warp[u].follow == WAITS_FOR_OTHERS && warp[u].barriers <= q -> wait_or_follow(u)
        :: else
        fi
    }
}

inline settle()
{
    for (k : 0 .. RESIDENT - 1) {
        if
        :: meets & bit(k * WARPS) -> meet(k * WARPS)
        :: else
        fi
    }
    for (w : 0 .. SLOTS - 1) {
        if
        :: warp[w].pending && warp[w].state == READY && (passes & bit(w)) ->
            warp[w].pending = false;
            warp[w].passed++;
#ifndef WITHOUT_WAKING_BY_ORDER
            awake = awake || warp[w].expanding;
#endif
            tells = tells | bit(w)
        :: else
        fi;
        f = warp[w].follow;
        if
        :: (tells & bit(w)) &&
           (f == WAITS_TO_BE_TOLD ||
            ((f == WAITS_FOR_ORDER || f == WAITS_FOR_OTHERS) && warp[w].passed >= warp[w].seen)) ->
            wait_or_follow(w)
        :: else
        fi
    }
    g = !guest;
    for (w : 0 .. SLOTS - 1) {
        if
        :: g && warp[w].follow == FOLLOWS && (!guest || warp[w].step < at) -> guest = true; at = warp[w].step
        :: else
        fi
    }
    for (w : 0 .. SLOTS - 1) {
        if
        :: looks & bit(w) -> look(w)
        :: else
        fi
    }
    looks = 0;
    passes = 0;
    tells = 0;
    meets = 0
}

// Whether w waits for nothing.
inline look_at(w) // ok
{
    ok = warp[w].state == READY && !warp[w].hold;
    x = program[warp[w].pc];
    if
    :: ok && (is_address(x) || x == OWN) -> ok = !lsu
    :: ok && (x == EXIT || x == LEAVE) -> ok = lsu != w + 1
    :: ok && x == SPIN ->
#if WARPS > 1 || defined(LATER)
#ifdef LATER
        v = SLOTS - 1;
#else
        v = first_of(w) + WARPS - 1;
#endif
        ok = warp[v].state == GONE || (warp[v].state != UNSTARTED && warp[v].pc >= warp[w].pc)
#else
        for (v : 0 .. SLOTS - 1) { ok = ok && (warp[v].state == GONE || warp[v].block >= warp[w].block) }
#endif
    :: else
    fi
}

inline access()
{
    l = 0;
    do
    :: !(lsu_left & bit(l)) -> l++
    :: else -> break
    od;
    bring(l);
    assert(!way[y].stale);
#ifndef WITHOUT_LETTING_GO
    if
    :: lsu_held & bit(l) -> unlock(l)
    :: else
    fi;
#endif
    lsu_held = lsu_held & ~bit(l);
    lsu_left = lsu_left & ~bit(l);
    lsu = (lsu_left -> lsu : 0)
}

inline start_warp(it)
{
    warp[it].state = READY;
#ifdef BATCH_WAIT
    if
    :: guest -> warp[it].follow = FOLLOWS_NOT
    :: else -> advance(it, 0); guest = true; at = warp[it].step
    fi;
#else
    advance(it, 0);
#endif
    looks = looks | bit(it)
}

inline start(it) // the block in whose first slot it is, or a warp of it that comes late
{
    if
    :: warp[it].state == GONE ->
        for (h : it .. it + WARPS - 1) {
            warp[h].state = UNSTARTED;
            warp[h].block = next_block
        }
        next_block++
    :: else
    fi;
#ifdef LATE
    start_warp(it)
#else
    for (h : it .. it + WARPS - 1) { start_warp(h) }
#endif
}

// -- the run --------------------------------------------------------------------------------------------------------

// Who goes over a barrier and then spins on who waits there does so without the mechanism, too.
#define goes_over (d && (program[d - 1] == KNOWN || program[d - 1] == ASKED))
#define choice(o) (((d -> OPS : FIRST) >> (o)) & 1)
inline choose()
{
    do
    :: d == LENGTH -> break
    :: d < LENGTH ->
        if
        :: choice(LOAD) -> program[d] = LOAD
        :: choice(LOAD_BOTH) -> program[d] = LOAD_BOTH
        :: choice(STORE) -> program[d] = STORE
        :: choice(KNOWN) -> program[d] = KNOWN
        :: choice(ASKED) -> program[d] = ASKED
        :: choice(LEAVE) -> program[d] = LEAVE
        :: choice(BARRIER) && !(((OPS >> SPIN) & 1) && goes_over) -> program[d] = BARRIER
        :: choice(SPIN) -> program[d] = SPIN
        :: choice(OWN) -> program[d] = OWN
        :: choice(FENCE) -> program[d] = FENCE
        fi;
        printf("program %d op=%d\n", d, program[d]);
        d++
    od;
    program[LENGTH] = EXIT
}

// Steps that are possible, a bit each.
#define TAKEN   SLOTS // the branch goes the other way
#define GUEST   (2 * SLOTS)
#define UNITS   (GUEST + 1)
#define ACCESS  (GUEST + 2)
#define LOOK_UP (GUEST + 3)
#define FILL    (LOOK_UP + REQUESTS)
#define START   (FILL + WAYS)
#define ASTRAYS (START + SLOTS)
#define EVICT   (ASTRAYS + SLOTS)

inline look_for_steps()
{
    can = 0;
    for (w : 0 .. SLOTS - 1) {
        look_at(w);
        can = can | (ok << w) | ((ok && (x == ASKED || x == LEAVE)) << (TAKEN + w));
#ifdef ASTRAY
        can = can | ((warp[w].state == READY && is_site(x) && !warp[w].astray) << (ASTRAYS + w))
#endif
    }
    if
    :: guest -> guest_may(); can = can | (ok << GUEST)
    :: else
    fi;
    if
    :: awake -> can = can | bit(UNITS)
    :: !awake && asking -> // it looks again every few cycles
        found = false;
        for (r : 0 .. REQUESTS - 1) { found = found || !request[r].state }
        c = (asking - 1) * PARTS + warp[asking - 1].addresses - 1;
        l = !(lines_of(program[address[c].inst]) & ~address[c].asked & 1);
        may_lock(l);
#ifdef WITHOUT_UNLOCKABLE
        found = found && ok;
#else
        found = (ok -> found : !waits_for_lock(c));
#endif
        can = can | (found << UNITS)
    :: else
    fi;
    if
    :: lsu ->
        l = 0;
        do
        :: !(lsu_left & bit(l)) -> l++
        :: else -> break
        od;
        has_place(l);
        can = can | (ok << ACCESS)
    :: else
    fi;
    for (r : 0 .. REQUESTS - 1) {
        if
        :: request[r].state == QUEUED -> l = request[r].line; has_place(l); can = can | (ok << (LOOK_UP + r))
        :: else
        fi
    }
    for (k : 0 .. WAYS - 1) {
        can = can | (way[k].pending << (FILL + k));
#ifdef EVICTIONS
        can = can | ((way[k].valid && !way[k].pending && !way[k].locks) << (EVICT + k))
#endif
    }
    for (k : 0 .. SLOTS - 1) {
        ok = next_block < BLOCKS && k % WARPS == 0;
        for (w : first_of(k) .. first_of(k) + WARPS - 1) { ok = ok && warp[w].state == GONE }
        ok = ok || warp[k].state == UNSTARTED;
        can = can | (ok << (START + k))
    }
}

// What must hold after every step: each lock is a record's or an access's.
inline check_books()
{
    for (l : 0 .. 1) {
        m = (lsu_held >> l) & 1;
        for (v : 0 .. SLOTS * PARTS - 1) { m = m + ((address[v].locked >> l) & 1) }
        find_way(l);
        assert(m == (y < WAYS -> way[y].locks : 0))
    }
}

inline do_look_up(it)
{
    l = request[it].line;
    bring(l);
    if
    :: ok -> came(it)
    :: else -> request[it].state = WAITS; set_out(it)
    fi
}

inline do_fill(it)
{
    way[it].pending = false;
    way[it].valid = true;
    for (r : 0 .. REQUESTS - 1) {
        if
        :: request[r].state == WAITS && request[r].line == way[it].line - 1 -> came(r)
        :: else
        fi
    }
}

active proctype sm()
{
    byte d = 0;
    atomic {
        choose();
        d = 0;
        d_step {
            for (s : 0 .. RESIDENT - 1) { start(s * WARPS) }
            settle();
            look_for_steps();
            s = 0
        }
    }
    do
    :: atomic {
        can ->
        act = 0;
        do
        :: (can >> act) > 1 -> act++
        :: (can >> act) & 1 -> break
        od;
        printf("step act=%d\n", act);
        can = 0;
        if
        :: act < GUEST -> d_step { h = act % SLOTS; j = act / SLOTS; step_warp(h) }
        :: act == GUEST -> d_step { step_guest() }
        :: act == UNITS -> d_step { step_units(); i = 0 }
        :: act == ACCESS -> d_step { access() }
        :: act >= LOOK_UP && act < FILL -> d_step { i = act - LOOK_UP; do_look_up(i) }
        :: act >= FILL && act < START -> d_step { i = act - FILL; do_fill(i); i = 0 }
        :: act >= START && act < ASTRAYS -> d_step { s = act - START; start(s); s = 0 }
#ifdef ASTRAY
        :: act >= ASTRAYS && act < EVICT -> d_step { h = act - ASTRAYS; leave(h) }
#endif
#ifdef EVICTIONS
        :: act >= EVICT -> d_step { k = act - EVICT; way[k].line = 0; way[k].valid = false }
#endif
        fi;
        act = 0;
        d_step {
            settle();
            if
            :: chooses -> choose_among()
            :: else
            fi
        }
        if // the lowest step as a rule, but every eighth goes round
        :: chooses && warp[0].follow == FOLLOWS -> at = warp[0].step
        :: chooses && SLOTS > 1 && warp[SLOTS > 1].follow == FOLLOWS -> at = warp[SLOTS > 1].step
        :: chooses && SLOTS > 2 && warp[2 * (SLOTS > 2)].follow == FOLLOWS -> at = warp[2 * (SLOTS > 2)].step
        :: !chooses
        fi;
        d_step { chooses = false; check_books(); look_for_steps(); s = 0 }
    }
    :: !can -> break
    od;
    for (d : 0 .. SLOTS - 1) { warp[d].state == GONE } // if not, it waits for ever
    assert(next_block == BLOCKS && !entries && !asking && !lsu);
    for (d : 0 .. SLOTS - 1) { assert(!warp[d].addresses && !warp[d].predicates) }
    for (d : 0 .. WAYS - 1) { assert(!way[d].locks) }
}
