/* norn-test
 * cc: -g -O0 -pthread
 * cc: -g -O1 -pthread -D_FORTIFY_SOURCE=2
 * prop: io_order.prop
 * no-finding: yes
 */
/* Turns through pipes with streams on them, by each call that reads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WAYS = 6 };
int ping, pong;
static FILE *there[2], *back[2];

static int put(FILE *to)
{
	return fputs("o\n", to) < 0 || fflush(to) != 0;
}

static int get(FILE *from, int way, size_t bytes)
{
	static _Thread_local char *line, text[8];
	static _Thread_local size_t room;
	switch (way) {
	case 0:
		return fread(text, 1, bytes, from) != 2;
	case 1:
		return !fgets(text, (int)bytes + 1, from);
	case 2:
		return getline(&line, &room, from) != 2;
	case 3:
		return getdelim(&line, &room, '\n', from) != 2;
	case 4:
		return fgetc(from) != 'o' || fgetc(from) != '\n';
	default:
		return getc(from) != 'o' || getc(from) != '\n';
	}
}

static void *serve(void *unused)
{
	for (int i = 0; i < WAYS; i++) {
		if (get(there[0], i, 2))
			return &ping;
		pong = i + 1;
		if (put(back[1]))
			return &ping;
	}
	return unused;
}

static int open_pipe(FILE **streams)
{
	int ends[2];
	if (pipe(ends))
		return 1;
	streams[0] = fdopen(ends[0], "r");
	streams[1] = fdopen(ends[1], "w");
	return !streams[0] || !streams[1];
}

int main(int argc, char **argv)
{
	pthread_t t;
	void *failed;
	(void)argv;
	if (open_pipe(there) || open_pipe(back))
		return 1;
	pthread_create(&t, NULL, serve, NULL);
	for (int i = 0; i < WAYS; i++) {
#ifdef BAD
		if (put(there[1]))
			return 1;
		ping = i + 1;
#else
		ping = i + 1;
		if (put(there[1]))
			return 1;
#endif
		if (get(back[0], i, (size_t)argc + 1))
			return 1;
	}
	pthread_join(t, &failed);
	return failed != NULL;
}
