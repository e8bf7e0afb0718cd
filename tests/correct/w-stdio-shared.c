/* norn-test
 * silent:
 * unjudged:
 */
/* Threads share a FILE with flockfile and getc_unlocked, write to one with fprintf, read lines with getline; rewind and fgets afterwards. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static FILE *out, *in;
static int lines_read, sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *writer(void *arg)
{
	for (int i = 0; i < 5; i++) {
		if (i % 2)
			fprintf(out, "%d %d\n", (int)(size_t)arg, i);
		else {
			flockfile(out);
			fprintf(out, "%d ", (int)(size_t)arg);
			putc_unlocked('0' + i, out);
			putc_unlocked('\n', out);
			funlockfile(out);
		}
	}
	return NULL;
}
static void *reader(void *arg)
{
	char *line = NULL;
	size_t n = 0;
	while (getline(&line, &n, in) > 0) {
		int a, b;
		char *save, *first = strtok_r(line, " \n", &save), *second = strtok_r(NULL, " \n", &save);
		assert(first && second);
		a = atoi(first);
		b = atoi(second);
		assert(a >= 1 && a <= 3 && b >= 0 && b < 5);
		pthread_mutex_lock(&lock);
		lines_read++;
		sum += a * b;
		pthread_mutex_unlock(&lock);
	}
	free(line);
	return arg;
}
int main(void)
{
	pthread_t t[3];
	out = tmpfile();
	for (size_t i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, writer, (void *)(i + 1));
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	fflush(out);
	rewind(out);
	in = out;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, reader, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	fclose(in);
	assert(lines_read == 15 && sum == 60);
	printf("%d\n", sum);
	return 0;
}
