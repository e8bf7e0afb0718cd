/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race data
 * silent: -DRIGHT
 */
/* A seqlock: fences on both sides, and data that is atomic. Plain data is read while it may be written. */
#include "orders.h"

atomic_uint sequence;
#ifdef RIGHT
static atomic_int data[2];
#define PUT(i, v) STORE(data[i], v, RELAXED)
#define GET(i) LOAD(data[i], RELAXED)
#else
static int data[2];
#define PUT(i, v) (data[i] = v)
#define GET(i) data[i]
#endif
int got;

static void *put(void *unused)
{
	gate('a');
	unsigned s = LOAD(sequence, RELAXED);
	STORE(sequence, s + 1, RELAXED);
	atomic_thread_fence(RELEASE);
	PUT(0, 21);
	PUT(1, 21);
	STORE(sequence, s + 2, RELEASE);
	gate_leave();
	return unused;
}

static void *get(void *unused)
{
	gate('b');
	unsigned before = LOAD(sequence, ACQUIRE);
	int a = GET(0), b = GET(1);
	atomic_thread_fence(ACQUIRE);
	if (before == LOAD(sequence, RELAXED) && !(before & 1))
		got = a + b;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, put, get, NULL) || got != 42;
}
