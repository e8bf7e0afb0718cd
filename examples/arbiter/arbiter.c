/* A bus with two clients and an arbiter. Client 0 is greedy: as it gives the bus back, it asks for it again. Client 1 asks once, and polls until the bus is its own.
 *
 * The arbiter prefers client 0. In every run of this program client 1 is served at last, since client 0 gives up after a few rounds. But nothing in
 * the arbiter sees to it: as long as client 0 asks, client 1 waits, and that could go on for ever. FIXED: who was served last comes last. */
#include <pthread.h>
#include <unistd.h>

#define ROUNDS 16

int asks[2] = {1, 1}, owns[2]; /* by client, under the lock */
static int last = 1, finished;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void grant(int client)
{
	asks[client] = 0;
	owns[client] = 1;
	last = client;
}

static int prefer(void)
{
#ifdef FIXED
	return 1 - last;
#else
	return 0;
#endif
}

static void *arbiter(void *unused)
{
	for (int running = 1; running; usleep(2000)) {
		pthread_mutex_lock(&lock);
		int first = prefer();
		if (!owns[0] && !owns[1] && asks[first])
			grant(first);
		else if (!owns[0] && !owns[1] && asks[1 - first])
			grant(1 - first);
		running = finished < 2;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

/* Waits for the bus, and gives it back; to ask again at once. */
static void use_bus(int client, int again)
{
	for (int waits = 1; waits; usleep(500)) {
		pthread_mutex_lock(&lock);
		waits = !owns[client];
		if (!waits) {
			owns[client] = 0;
			asks[client] = again;
		}
		pthread_mutex_unlock(&lock);
	}
}

static void finish(void)
{
	pthread_mutex_lock(&lock);
	finished++;
	pthread_mutex_unlock(&lock);
}

static void *greedy(void *unused)
{
	for (int i = 1; i <= ROUNDS; i++)
		use_bus(0, i < ROUNDS);
	finish();
	return unused;
}

static void *modest(void *unused)
{
	use_bus(1, 0);
	finish();
	return unused;
}

int main(void)
{
	void *(*const work[])(void *) = {modest, greedy, arbiter};
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, work[i], NULL))
			return 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
