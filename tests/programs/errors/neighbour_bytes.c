/* norn-test
 * errors: yes
 * cc:
 * schedule: 12
 * finding: ^race y predicted
 * silent: -DRIGHT
 */
/* Half a word is passed to libc. The other half is none of the call's matter, though it has changed since somebody last looked (by
 * locals of another function, which are private): the second thread depends on nothing that the first has called.
 * Right: both write y with a lock. */
#include <arpa/inet.h>
#include <unistd.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int y, ends[2];

static void set(int value)
{
#ifdef RIGHT
	pthread_mutex_lock(&lock);
	y = value;
	pthread_mutex_unlock(&lock);
#else
	y = value;
#endif
}

static __attribute__((noinline)) void fill(void)
{
	volatile char there[512];
	for (unsigned i = 0; i < sizeof there; i++)
		there[i] = (char)(i + 1);
}

static __attribute__((noinline)) void ask(void)
{
	char text[16];
	struct in_addr half = {0x0100007f};
	inet_ntop(AF_INET, &half, text, sizeof text);
}

static void *first(void *unused)
{
	gate('1');
	set(1);
	write(ends[1], "", 1);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('2');
	fill();
	ask();
	fill();
	ask();
	set(2);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || pipe(ends) != 0 || play(argv, first, second, 0);
}
