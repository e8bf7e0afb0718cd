/* norn-test
 * cc: -O0 -pthread
 * cc: -O2 -pthread
 * exit: 5
 * stdout: alive
 * dump: write.*shared
 * verify: yes
 */
/* Strict seccomp: from then on the thread may read, write and exit, and whatever else it asks the kernel for kills it. */
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
	shared++;
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, add, NULL);
	pthread_join(thread, NULL);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		return 3;
	for (int i = 0; i < 300000; i++) { /* more than a buffer holds */
		pthread_mutex_lock(&lock);
		shared++;
		pthread_mutex_unlock(&lock);
	}
	if (write(STDOUT_FILENO, "alive\n", 6) != 6)
		return 4;
	syscall(SYS_exit, 5);
}
