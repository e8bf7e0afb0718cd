/* norn-test
 * errors: yes
 * cc: -DTOKEN
 * cc: -DSTATIC
 * cc: -DSEPARATE
 * cc: -DSCAN
 * cc: -DSCANNED
 * cc: -DPRINT
 * cc: -DPRINTED
 * cc: -DBLOCK
 * schedule: 12
 * finding: ^race .*tokens.c:43 one write.* (predicted|observed)?
 * finding: ^race late\b
 * never-finding: ^race (tail|word|number)\b
 * silent: -DRIGHT -DTOKEN
 * silent: -DRIGHT -DSTATIC
 * silent: -DRIGHT -DSEPARATE
 * silent: -DRIGHT -DSCAN
 * silent: -DRIGHT -DSCANNED
 * silent: -DRIGHT -DPRINT
 * silent: -DRIGHT -DPRINTED
 * silent: -DRIGHT -DBLOCK
 */
/* Functions whose use of memory shows only while they run: what they touch is seen, nothing else is, and what comes after them is foreseen. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
char text[32], tail[8], word[16];
int number = 3, late;

static void *one(void *unused)
{
	gate('1');
#ifdef RIGHT
	pthread_mutex_lock(&lock);
#endif
	text[1] = 'B';
	late = 1;
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	tail[5] = 'W';
	gate_leave();
	return unused;
}

__attribute__((format(printf, 2, 3))) static int print(char *to, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int result = vsnprintf(to, 16, format, list);
	va_end(list);
	return result;
}

static void use(void)
{
	char own[32] = "12 some";
	char *rest = own;
#if defined(TOKEN)
	strtok_r(text, " ", &rest);
#elif defined(STATIC)
	strtok(text, "x ");
#elif defined(SEPARATE)
	rest = text;
	strsep(&rest, " ");
#elif defined(SCAN)
	sscanf(text, "%15s", own);
#elif defined(SCANNED)
	sscanf(own, "%d %15s %7s", &number, text, tail); /* not the third */
#elif defined(PRINT)
	print(own, "%d %.3s %s", number, tail, text);
#elif defined(PRINTED)
	print(text, "%s%5d", tail, number);
#else
	if (asprintf(&rest, "%d %s", number, text) > 0)
		free(rest);
#endif
	(void)rest;
}

static void *two(void *unused)
{
	gate('2');
#ifdef RIGHT
	pthread_mutex_lock(&lock);
#endif
	use();
	late = 2;
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	strcpy(text, "abc def");
	strcpy(tail, "xyz");
	return argc < 2 || play(argv, one, two, NULL);
}
