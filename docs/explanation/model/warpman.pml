// Dispatch by warp (src/chip/dispatch.c with src/tech/warpman), for SPIN: blocks whose warps start late. What is modelled, what is
// left out and what was found: README.md.
//
// A step is atomic:
//
//     step w    warp w executes its next instruction, if that waits for nothing
//     reply w   the load of warp w is there; if the warp has exited it gives back what it had
//     hand      the hand takes back what has ended since, and gives it out: to the partial block, whole blocks, one in part
//
// A place is a warp's slot with its registers, a context a block's with its shared memory. All warps run one program, any sequence
// of LENGTH instructions. How many warps may start is any number that there is room for: what a variant allows is one of these.
// WITHOUT_… leaves a rule out.

#ifndef WARPS
#define WARPS 2 // of a block
#endif
#ifndef BLOCKS
#define BLOCKS 3
#endif
#ifndef PLACES
#define PLACES 3 // of SM 0
#endif
#ifndef PLACES_1
#define PLACES_1 0 // of SM 1
#endif
#ifndef CONTEXTS
#define CONTEXTS 3 // of an SM
#endif
#ifndef LENGTH
#define LENGTH 2
#endif
#ifndef OPS
#define OPS 31 // all but MEET
#endif
#if PLACES_1
#define SMS 2
#else
#define SMS 1
#endif
#ifdef WITHOUT_ONE_PARTIAL
#define PARTIALS 2 // of an SM
#else
#define PARTIALS 1
#endif
#define ALL_WARPS  (BLOCKS * WARPS)
#define MAX_PLACES 8
#define bit(k)     (1 << (k))

// Instructions. Who waits on a word that another writes spins; the scheduler is fair, so that this is to wait.
#define BARRIER 0 // writes a word before, reads those of the block's others behind it
#define SPIN    1 // until the block's last warp has come here
#define LOAD    2 // its reply comes at some time; nobody waits for it
#define LEAVE   3 // all but the block's last warp exit
#define EARLIER 4 // until the block before has ended: a lock, handed on in order
#define MEET    5 // until all warps of the grid are here. Only where all blocks have room together by block
#define EXIT    6 // behind the last
#define allowed(o) ((OPS >> (o)) & 1)

#define UNSTARTED  0
#define READY      1
#define AT_BARRIER 2
#define EXITED     3 // has its place, while a load is outstanding
#define GONE       4

typedef of_warp {
    byte pc;
    byte state;
    byte place;
    bool load
}

typedef of_buffer { // WarpMan's, an SM's one
    bool valid;
    byte block;
    byte start;
    byte end
}

byte program[LENGTH + 1];
of_warp warp[ALL_WARPS];
of_buffer buffer[SMS * PARTIALS];
byte owner[SMS * MAX_PLACES]; // warp + 1; none: 0
byte left[SMS];               // places, as the hand keeps it
byte contexts[SMS];
byte back[SMS];         // places that ended warps had, which the hand does not know of yet
byte back_contexts[SMS];
bool wants[SMS];
byte next_block;
byte sm_of[BLOCKS];
byte written[BLOCKS]; // words, by warp

byte act, s, b, w, p, k, n, room, count, live;
int can;
bool ok, got, is_new;

#define places(s)    ((s) == 0 -> PLACES : PLACES_1)
#define block_of(w)  ((w) / WARPS)
#define is_last(w)   ((w) % WARPS == WARPS - 1)
#define has_ended(w) (warp[w].state == EXITED || warp[w].state == GONE)

// -- a warp ---------------------------------------------------------------------------------------------------------

inline release_barrier(it)
{
    live = 0;
    count = 0;
    for (k : it * WARPS .. it * WARPS + WARPS - 1) {
        count = count + (warp[k].state == AT_BARRIER);
#ifdef WITHOUT_UNSTARTED
        live = live + (warp[k].state != UNSTARTED && !has_ended(k))
#else
        live = live + !has_ended(k)
#endif
    }
    if
    :: count && count == live ->
        for (k : it * WARPS .. it * WARPS + WARPS - 1) {
            if
            :: warp[k].state == AT_BARRIER ->
                warp[k].state = READY;
                warp[k].pc++
            :: else
            fi;
            // what they read now is there, from all that have not exited before
            assert(has_ended(k) || (written[it] & bit(k % WARPS)))
        }
        written[it] = 0
    :: else
    fi
}

inline give_back(w)
{
    warp[w].state = GONE;
    s = sm_of[block_of(w)];
    assert(owner[s * MAX_PLACES + warp[w].place] == w + 1);
    owner[s * MAX_PLACES + warp[w].place] = 0;
    if
    :: !warp[w].load -> warp[w].place = 0
    :: else
    fi;
    back[s]++;
    wants[s] = true;
    ok = true;
    for (k : block_of(w) * WARPS .. block_of(w) * WARPS + WARPS - 1) { ok = ok && warp[k].state == GONE }
    if
    :: ok ->
        back_contexts[s]++;
#ifdef WITHOUT_ONCE
        back[s] = back[s] + WARPS;
#endif
        written[block_of(w)] = 0
    :: else
    fi
}

inline finish(w)
{
    warp[w].state = EXITED;
    warp[w].pc = LENGTH;
    release_barrier(block_of(w));
    if
#ifndef WITHOUT_OUTSTANDING
    :: !warp[w].load -> give_back(w)
    :: else
#else
    :: true -> give_back(w)
#endif
    fi
}

inline reply(w)
{
    warp[w].load = false;
    // the register that it writes is its warp's
    assert(owner[sm_of[block_of(w)] * MAX_PLACES + warp[w].place] == w + 1);
    if
    :: warp[w].state == EXITED -> give_back(w)
    :: else
    fi
}

inline step(w)
{
    if
    :: program[warp[w].pc] == LOAD -> warp[w].load = true; warp[w].pc++
    :: program[warp[w].pc] == EXIT || (program[warp[w].pc] == LEAVE && !is_last(w)) -> finish(w)
    :: program[warp[w].pc] == BARRIER ->
        warp[w].state = AT_BARRIER;
        written[block_of(w)] = written[block_of(w)] | bit(w % WARPS);
        release_barrier(block_of(w))
    :: else -> warp[w].pc++
    fi
}

// Whether the next instruction of w waits for nothing.
inline look_at(w)
{
    ok = warp[w].state == READY && !(program[warp[w].pc] == LOAD && warp[w].load);
    if
    :: ok && program[warp[w].pc] == SPIN ->
        k = block_of(w) * WARPS + WARPS - 1;
        ok = k == w || (warp[k].state != UNSTARTED && warp[k].pc >= warp[w].pc)
    :: ok && program[warp[w].pc] == EARLIER && block_of(w) > 0 ->
        for (k : (block_of(w) - 1) * WARPS .. block_of(w) * WARPS - 1) { ok = ok && has_ended(k) }
    :: ok && program[warp[w].pc] == MEET ->
        for (k : 0 .. ALL_WARPS - 1) { ok = ok && warp[k].state != UNSTARTED && warp[k].pc >= warp[w].pc }
    :: else
    fi
}

// -- the hand -------------------------------------------------------------------------------------------------------

inline start_warp(w)
{
    assert(warp[w].state == UNSTARTED);
    n = 0;
    do
    :: owner[s * MAX_PLACES + n] -> n++
    :: else -> break
    od;
    assert(n < places(s)); // the books of the hand and of the SM say the same
    owner[s * MAX_PLACES + n] = w + 1;
    warp[w].place = n;
    warp[w].state = READY;
    left[s]--
}

// How many warps may start, of to_come: `room`.
inline admit(to_come)
{
    room = (left[s] < to_come -> left[s] : to_come);
#ifndef WITHOUT_ALONE
    ok = contexts[s] + !is_new == CONTEXTS;
#else
    ok = is_new && contexts[s] == CONTEXTS;
#endif
    if
    :: ok || !room || (allowed(MEET) && is_new && room == to_come)
    :: else ->
        do
        :: room -> room--
        :: true -> break
        od
    fi
}

inline give_to_partial()
{
    for (p : s * PARTIALS .. s * PARTIALS + PARTIALS - 1) {
        if
        :: buffer[p].valid ->
            is_new = false;
            admit(buffer[p].end - buffer[p].start + 1);
            do
            :: room && buffer[p].valid ->
                start_warp(buffer[p].block * WARPS + buffer[p].start);
#ifdef WITHOUT_INCLUSIVE
                buffer[p].start++;
#endif
                if
                :: buffer[p].start == buffer[p].end ->
                    buffer[p].valid = false;
                    buffer[p].block = 0;
                    buffer[p].start = 0;
                    buffer[p].end = 0
                :: else
#ifndef WITHOUT_INCLUSIVE
                    -> buffer[p].start++
#endif
                fi;
                room--
            :: else -> break
            od
        :: else
        fi
    }
}

// The entry for another partial block of the SM: p, and ok.
inline find_entry()
{
    ok = false;
    p = s * PARTIALS;
    do
    :: p < (s + 1) * PARTIALS && buffer[p].valid -> p++
    :: p < (s + 1) * PARTIALS && !buffer[p].valid -> ok = true; break
    :: p == (s + 1) * PARTIALS -> break
    od
}

inline give_block(in_part)
{
    room = 0;
    find_entry();
    if
#ifndef WITHOUT_NO_OVERTAKING
    :: ok && next_block < BLOCKS && contexts[s] ->
#else
    :: (ok || !in_part) && next_block < BLOCKS && contexts[s] ->
#endif
        is_new = true;
        admit(WARPS);
        if
        :: room == WARPS || (in_part && room) ->
            b = next_block;
            next_block++;
            sm_of[b] = s;
            contexts[s]--;
            got = true;
            for (k : 0 .. room - 1) { start_warp(b * WARPS + k) }
            if
            :: room < WARPS ->
                buffer[p].valid = true;
                buffer[p].block = b;
                buffer[p].start = room;
                buffer[p].end = WARPS - 1
            :: else
            fi
        :: else
        fi
    :: else
    fi
}

inline give_in_turn(in_part)
{
    do
    :: got = false;
       for (w : 0 .. SMS - 1) {
           s = w;
           if
           :: wants[s] -> give_block(in_part)
           :: else
           fi
       }
       if
       :: !got -> break
       :: else
       fi
    od
}

inline hand()
{
    for (w : 0 .. SMS - 1) {
        s = w;
        left[s] = left[s] + back[s];
        contexts[s] = contexts[s] + back_contexts[s];
        back[s] = 0;
        back_contexts[s] = 0;
        if
        :: wants[s] -> give_to_partial()
        :: else
        fi
    }
#ifndef WITHOUT_WHOLE_FIRST
    give_in_turn(false);
#endif
    give_in_turn(true);
    for (w : 0 .. SMS - 1) { wants[w] = false }
}

// What is of this step alone is no part of a state.
inline forget()
{
    s = 0; k = 0; n = 0; p = 0; b = 0; w = 0; room = 0; count = 0; live = 0;
    ok = false; got = false; is_new = false
}

// What must hold after every step. Of each SM: places left, those on their way back and those of its warps are all there are,
// contexts, too; of a partial block those that have started come before those in the buffer.
inline check_books()
{
    for (s : 0 .. SMS - 1) {
        count = left[s] + back[s];
        for (k : 0 .. places(s) - 1) { count = count + (owner[s * MAX_PLACES + k] > 0) }
        assert(count == places(s));
        count = contexts[s] + back_contexts[s];
        for (k : 0 .. BLOCKS - 1) {
            ok = true;
            for (n : k * WARPS .. k * WARPS + WARPS - 1) { ok = ok && warp[n].state == GONE }
            count = count + (k < next_block && sm_of[k] == s && !ok);
            if
            :: k < next_block && sm_of[k] == s ->
                live = 0; // warps that have not started, and that the buffer has
                for (n : k * WARPS .. k * WARPS + WARPS - 1) { live = live + (warp[n].state == UNSTARTED) }
                for (n : s * PARTIALS .. s * PARTIALS + PARTIALS - 1) {
                    live = live - (buffer[n].valid && buffer[n].block == k -> WARPS - buffer[n].start : 0)
                }
#ifndef WITHOUT_INCLUSIVE
                assert(live == 0)
#endif
            :: else
            fi
        }
        assert(count == CONTEXTS)
    }
    forget()
}

// -- the run --------------------------------------------------------------------------------------------------------

inline choose()
{
    do
    :: n == LENGTH -> break
    :: n < LENGTH ->
        if
        :: allowed(BARRIER) -> program[n] = BARRIER
        :: allowed(SPIN) -> program[n] = SPIN
        :: allowed(LOAD) -> program[n] = LOAD
        :: allowed(LEAVE) -> program[n] = LEAVE
        :: allowed(EARLIER) -> program[n] = EARLIER
        :: allowed(MEET) -> program[n] = MEET
        fi;
        printf("program %d op=%d\n", n, program[n]);
        n++
    od;
    program[LENGTH] = EXIT;
    n = 0
}

// Steps that are possible, a bit each: those of the warps, their replies, the hand's.
#define REPLY(w) (ALL_WARPS + (w))
#define HAND     (2 * ALL_WARPS)

inline look()
{
    can = 0;
    for (w : 0 .. ALL_WARPS - 1) {
        look_at(w);
        can = can | (ok << w) | (warp[w].load << REPLY(w))
    }
    for (s : 0 .. SMS - 1) { can = can | (wants[s] << HAND) }
    forget()
}

active proctype chip()
{
    atomic {
        choose();
        for (s : 0 .. SMS - 1) {
            left[s] = places(s);
            contexts[s] = CONTEXTS;
            wants[s] = true
        }
        d_step { look() }
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
        :: act < ALL_WARPS -> d_step { step(act) }
        :: act >= ALL_WARPS && act < HAND -> d_step { reply(act - ALL_WARPS) }
        :: act == HAND -> hand()
        fi;
        d_step { check_books(); look(); act = 0 }
    }
    :: !can -> break
    od;
    for (w : 0 .. ALL_WARPS - 1) { warp[w].state == GONE } // if not, it waits for ever
}
