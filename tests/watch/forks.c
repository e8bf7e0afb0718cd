/* Forked children, execs, while other threads make events: only what the program itself does is judged. */
#include <norn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

volatile int x;

static void *work(void *unused)
{
	for (int i = 0; i < 3000; i++) {
		x = i % 100;
		norn_event("tick", i);
	}
	return unused;
}

static int child(int i)
{
	x = 1000;
	norn_event("never", i);
	if (i % 3 == 0)
		execl("/bin/true", "true", (char *)NULL);
	if (i % 3 == 1)
		_exit(0);
	return 0;
}

int main(void)
{
	pthread_t threads[3];
	int failed = 0;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 12; i++) {
		int status;
		pid_t pid = fork();
		if (pid == 0)
			return child(i);
		failed |= waitpid(pid, &status, 0) != pid || status != 0;
	}
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return failed;
}
