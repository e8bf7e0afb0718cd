/* The flight controller of the JMPaX paper (Roşu and Sen, "Instrumentation technique for runtime analysis of multithreaded
 * programs", figure 1): a plane may start to land only if landing was approved and the radio has not been down since.
 *
 * The program is wrong: the radio may go down between the approval and the landing. Nearly every run looks well all the same, as
 * the radio here fails only after a while. A trace of such a run holds what it takes to see the error in it.
 * FIXED: approval and landing are one step, under a lock that the radio's failure takes, too. */
#include <norn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int landing = 0, approved = 0, radio = 1;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() (void)0
#define UNLOCK() (void)0
#endif

static void ask_landing_approval(void)
{
	if (radio == 0)
		approved = 0;
	else
		approved = 1;
}

static void *controller(void *unused)
{
	norn_thread_name("controller");
	LOCK();
	ask_landing_approval();
	if (approved == 1) {
		puts("Landing approved");
		landing = 1;
		puts("Landing started");
	} else {
		puts("Landing not approved");
	}
	UNLOCK();
	return unused;
}

static void check_radio(int checks)
{
	usleep(20 * 1000);
	if (checks == 2) {
		LOCK();
		radio = 0; /* there is always a last message */
		UNLOCK();
	}
}

static void *watch(void *unused)
{
	norn_thread_name("radio");
	for (int checks = 0; radio; checks++)
		check_radio(checks);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	if (pthread_create(&threads[0], NULL, controller, NULL) || pthread_create(&threads[1], NULL, watch, NULL))
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
