/* norn-test
 * build: clang-19 -O1 -DUNSEEN -c $SRC/unseen.c -o unseen.o
 * unjudged:
 * silent: unseen.o
 * silent: -DBACK unseen.o
 * silent: -DBACK -DPOINTER unseen.o
 * silent: -DBACK -DPOINTER -DNESTED unseen.o
 */
/* Code without hooks waits for what another thread does, and comes back, or calls back. */
#include <stdatomic.h>

void await(atomic_int *flag);
void await_and_call(atomic_int *flag, void (*then)(void));

#ifdef UNSEEN
void await(atomic_int *flag)
{
	while (!atomic_load(flag))
		;
}

void await_and_call(atomic_int *flag, void (*then)(void))
{
	await(flag);
	then();
	then();
	then();
}
#else
#include <unistd.h>

#include "crew.h"

static atomic_int flag;
static int own, shared;

#ifdef BACK
static void count(void)
{
	own++;
}

/* Its own call is the last that is known when unseen code calls back the next time. */
void (*volatile counter)(void) = count;

static void then(void)
{
#ifdef NESTED
	counter();
#endif
	own++;
	shared++;
}
#endif

#ifdef POINTER
void (*volatile pointer)(atomic_int *, void (*)(void)) = await_and_call;
#else
#define pointer await_and_call
#endif

static void *work(void *argument)
{
	if (number_of(argument) == 0) {
		usleep(2000);
		shared = 4;
		atomic_store(&flag, 1);
	} else {
#ifdef BACK
		pointer(&flag, then);
#else
		await(&flag);
		own = 1;
		own = 2;
		shared++;
#endif
	}
	return NULL;
}

int main(void)
{
	crew(2, work);
	return shared > 4 ? 0 : 1;
}
#endif
