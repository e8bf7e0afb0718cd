/* Does happens-before of a witness order two events of it (S20)? Written from C17 5.1.2.4 and docs/prediction.md section 11, apart
 * from causality/happens_before.h: not by clocks, but by asking, event after event, which ones come after the one in question.
 *
 *   event           comes after it if
 *   of a thread     an earlier event of this thread does, or it acquires, joins, begins …
 *   acquire         an event that released the object before does; of a lock that is shared, not by other readers
 *   allocation      the free of what had its memory does
 *   barrier         an arrival of its round, or of an earlier one, does
 *   atomic read     it acquires, and reads from a release sequence whose head does; or a later acquire fence makes it do so
 *   head            a store or read-modify-write of an atomic object that releases; or one that does not, but a release fence of
 *                   its thread before it comes after; the sequence goes on with stores of this thread and read-modify-writes of any
 *   back from code without hooks, a signal handler, a thread from nowhere, the end of the process; who notices that such code
 *                   wrote, or reads such a word by an atomic
 *                   always: what they waited for is not known */
#ifndef NORN_WITNESS_ORDER_WITNESS_H
#define NORN_WITNESS_ORDER_WITNESS_H

#include "causality/dependence_graph.h"

/* The witness: events 1 … base as recorded, then the list, then last, next of its thread. first is in it. */
bool norn_order_witness(
        const struct norn_graph *graph, uint32_t base, const uint32_t *events, uint32_t count, uint32_t first, uint32_t last);
/* Does it list every atomic access and every fence of its threads, those that no decision depends on, too (S21)? Returns the first
 * that it leaves out, 0: none. */
uint32_t norn_order_witness_misses(
        const struct norn_graph *graph, uint32_t base, const uint32_t *events, uint32_t count, uint32_t last);

#endif
