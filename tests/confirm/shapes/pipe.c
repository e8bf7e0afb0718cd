/* Threads that wait for each other by a pipe; a structure is copied while a field of it changes. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>
static int fd[2];
struct conf {
	int a, b;
	char name[40];
} conf, copy;
int err;
static void *reader(void *u)
{
	char c;
	for (int i = 0; i < 4; i++) {
		if (read(fd[0], &c, 1) != 1)
			err = 1;
		memcpy(&copy, &conf, sizeof conf);
	}
	return u;
}
static void *writer(void *u)
{
	for (int i = 0; i < 4; i++) {
		conf.a = i;
		if (write(fd[1], "x", 1) != 1)
			err = 2;
		usleep(500);
		conf.b = i;
		strcpy(conf.name, "abc");
	}
	return u;
}
int main(void)
{
	if (pipe(fd))
		return 1;
	pthread_t a, b;
	pthread_create(&a, 0, reader, 0);
	pthread_create(&b, 0, writer, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
