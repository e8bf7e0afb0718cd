/* norn-test
 * errors: yes
 * cc: -DCOPY
 * cc: -DAPPEND
 * cc: -DFORMAT
 * cc: -DLENGTH
 * cc: -DCOMPARE
 * cc: -DSEND
 * cc: -DGET
 * schedule: 12
 * finding: ^race (text|number)\b.* (predicted|observed)
 * never-finding: ^race (other|tail)\b
 * silent: -DRIGHT -DCOPY
 * silent: -DRIGHT -DAPPEND
 * silent: -DRIGHT -DFORMAT
 * silent: -DRIGHT -DLENGTH
 * silent: -DRIGHT -DCOMPARE
 * silent: -DRIGHT -DSEND
 * silent: -DRIGHT -DGET
 */
/* Functions of libc touch what they are lent, and nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
char text[32] = "abc", other[32] = "xyz", tail[64] = "one two";
int number, ends[2];

static void *one(void *unused)
{
	gate('1');
#ifdef RIGHT
	pthread_mutex_lock(&lock);
#endif
	text[1] = 'B';
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	tail[5] = 'W';
	gate_leave();
	return unused;
}

static void use(void)
{
#if defined(COPY)
	strcpy(text, other);
#elif defined(APPEND)
	strcat(text, other);
#elif defined(FORMAT)
	number = snprintf(other, sizeof other, "%d %.2s", number, text);
#elif defined(LENGTH)
	number = (int)strlen(text);
#elif defined(COMPARE)
	number = strcmp(text, "aBd") < 0 && strchr(tail, ' ') != NULL && atoi("7 apples") == 7;
#elif defined(SEND)
	number = (int)write(ends[1], text, sizeof text);
#else
	number = (int)read(ends[0], text, 3);
#endif
}

static void *two(void *unused)
{
	gate('2');
#ifdef RIGHT
	pthread_mutex_lock(&lock);
#endif
	use();
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	/* What they hold from the start is known then. */
	if (pipe(ends) != 0 || write(ends[1], text, sizeof text) + write(ends[1], tail, sizeof tail) != sizeof text + sizeof tail)
		return 1;
	return argc < 2 || play(argv, one, two, NULL);
}
