/* norn-test
 * silent: -DFIELDS
 * silent: -DCOPIES
 * silent: -DWIDTHS
 */
/* Bit-fields that share a word, structures that are copied, parts of a word in several widths: all under one lock, or each its own bytes. */
#include <string.h>

#include "crew.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	unsigned a : 3, b : 5, c : 8;
} fields;
struct wide {
	long cells[6];
};
static struct wide shared;
static union {
	unsigned char bytes[8];
	unsigned short halves[4];
	unsigned words[2];
} parts;

static void *work(void *argument)
{
	int me = number_of(argument);
#if defined(FIELDS)
	pthread_mutex_lock(&lock);
	if (me)
		fields.b++;
	else
		fields.a = 5;
	pthread_mutex_unlock(&lock);
#elif defined(COPIES)
	struct wide own;
	pthread_mutex_lock(&lock);
	own = shared;
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 6; i++)
		own.cells[i] += me;
	pthread_mutex_lock(&lock);
	memcpy(&shared, &own, sizeof own);
	pthread_mutex_unlock(&lock);
#else
	if (me == 0)
		parts.words[0] = 0x01020304;
	else if (me == 1)
		parts.halves[2] = 0x0506;
	else
		parts.bytes[7] = parts.bytes[6] = 9;
#endif
	return NULL;
}

int main(void)
{
	crew(3, work);
	pthread_mutex_lock(&lock);
	int good = fields.c == 0 && shared.cells[0] == shared.cells[5] && (parts.bytes[6] == 0 || parts.bytes[6] == 9);
	pthread_mutex_unlock(&lock);
	return good ? 0 : 1;
}
