/* Futexes that a program waits at, and wakes others by, through syscall() (X12): a receive after a wait, a send before a wake, of a
 * channel that the address of the word stands for. Futex calls of code without hooks are not logged: whatever it waited for is
 * assumed when it is done (X10). */
#include "runtime/interpose/interpose.h"

#include <linux/futex.h>

#include "runtime/replay/replay.h"

#define WORDS 256u

static uint64_t words[WORDS]; /* only their addresses are used */

static const void *channel_of(long word)
{
	return &words[((uint64_t)word * UINT64_C(0x9e3779b97f4a7c15) >> 32) % WORDS];
}

static bool wakes(int op)
{
	return op == FUTEX_WAKE || op == FUTEX_WAKE_BITSET || op == FUTEX_WAKE_OP || op == FUTEX_REQUEUE ||
	       op == FUTEX_CMP_REQUEUE || op == FUTEX_CMP_REQUEUE_PI || op == FUTEX_UNLOCK_PI;
}

void norn_futex_before(long word, long op, uint32_t site)
{
	if (!wakes((int)op & FUTEX_CMD_MASK) || !norn_call_is_seen())
		return;
	norn_step_end(norn_step_begin(NORN_OPERATION_SEND, site, NULL));
	norn_log_sync(NORN_SYNC_SEND, channel_of(word), NORN_SEND_KNOWN, site);
}

void norn_futex_after(long word, long op, uint32_t site)
{
	if (wakes((int)op & FUTEX_CMD_MASK) || !norn_call_is_seen())
		return;
	norn_step_end(norn_step_begin(NORN_OPERATION_RECEIVE, site, NULL));
	norn_log_sync(NORN_SYNC_RECEIVE, channel_of(word), NORN_RECEIVE_ROOM, site);
}
