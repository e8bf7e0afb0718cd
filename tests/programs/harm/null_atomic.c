/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^null-dereference box predicted at null_atomic.c:\d+ two write by main/2, null_atomic.c:\d+ two read by main/2 x1
 * finding-count: 1
 * silent: -DCHECKED
 * silent: -DWAITED
 * silent: -DTAGGED
 */
/* An atomic pointer, which is read and written as a number, is used by a thread that need not wait until it is set. CHECKED: unless
 * it is null. WAITED: until it is no longer null. TAGGED: what is read is not an address yet. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "../sliced/cast.h"

struct box {
	int value, other;
};
static struct box first;
#ifdef TAGGED
static _Atomic(uintptr_t) box; /* the lowest bit of what is no address: it is the first one */
#else
static _Atomic(struct box *) box;
#endif

static void *one(void *unused)
{
	gate('a');
#ifdef TAGGED
	atomic_store(&box, (uintptr_t)calloc(1, sizeof(struct box)) | 1);
#else
	atomic_store(&box, calloc(1, sizeof(struct box)));
#endif
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
#ifdef TAGGED
	uintptr_t bits = atomic_load(&box);
	struct box *it = bits & 1 ? (struct box *)(bits & ~(uintptr_t)1) : &first;
#else
	struct box *it = atomic_load(&box);
#endif
#ifdef WAITED
	while (!it)
		it = atomic_load(&box);
#endif
#ifdef CHECKED
	if (!it)
		it = &first;
#endif
	it->other = 3;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
