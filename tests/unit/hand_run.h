/* Runs for tests of slicing, written down as text: the observed order, an event a word.
 *
 * A word is the thread's digit, a letter for what it does, and a letter for what it does it to:
 *
 *   f1 z1 b e j1         fork of thread 1, one that failed, begin, end, join
 *   l                    the thread leaves its function, unwound by code without hooks
 *   Wx Rx Fx             write of a constant; read that decides; read that does not (free)
 *   Vx Qx                write of what this thread's free reads saw last; of all that they ever saw
 *   Nx                   atomic increment that does not decide (its old value is a free read)
 *   Gx Yx                read that decides only whether this thread's later Y happen; write of a constant that happens or not,
 *                        depending on all that the thread has read before
 *   Kx Jx                atomic write, atomic read that decides
 *   aL uL AL UL          acquire and release, exclusive; shared
 *   yL tL                try that succeeds, try that fails
 *   wC kC sC BC          wait (with mutex L) begins, ends, signal, broadcast
 *   pC qC                semaphore: post, wait
 *   iZ dZ                create, destroy
 *   C O H                opaque, ordered, harmless call; I and T: input, output
 *   < >                  back from a call, back by a callback; + and -: call that hands over a job, back for a job
 *   Mp mp                malloc and free of the 64 bytes at p (variable p and those after it)
 *   Xx                   external write
 *   g                    the thread's stack, 1 MiB of its own
 *   x S                  process exit, signal handler
 *   ( )                  atomic block begins, ends
 *
 * Variables are small letters, 8 bytes each; an access of its lower or upper 4 bytes, or its first byte: Wx/lo, Wx/hi, Wx/b. Locks
 * and conditions are capital letters. Every word is a code position of its own, unless it ends with =name: those with the same name
 * are one. Values: Wx:5. */
#ifndef NORN_TESTS_HAND_RUN_H
#define NORN_TESTS_HAND_RUN_H

#include "causality/dependence_graph.h"

#define HAND_VARIABLES UINT64_C(0x10000)
#define HAND_LOCKS UINT64_C(0x20000)

struct hand_run;

/* facts: sites have facts; else every read decides. */
struct norn_graph *hand_slice(const char *text, bool facts, struct hand_run **ret_run);
void hand_free(struct hand_run *run);
/* The number of the event that word i (from 1) made. */
uint32_t hand_event(const struct hand_run *run, unsigned word);
uint64_t hand_variable(char name);

#endif
