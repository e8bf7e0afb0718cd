/* norn-test
 * silent:
 */
/* Whole structs are copied in and out under a lock; relations between their fields are asserted on the copies, in other functions and threads. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct inner {
	short a;
	unsigned char b[3];
	float f;
};
struct state {
	int n;
	struct inner i[2];
	union {
		int word;
		char byte[4];
	} u;
	struct {
		unsigned lo : 12, hi : 20;
	} bits;
	const char *name;
};
static const char *const names[] = {"zero", "one", "two", "three", "four"};
static struct state current;
static pthread_spinlock_t lock;
static struct state make(int n)
{
	struct state s;
	memset(&s, 0, sizeof s);
	s.n = n;
	for (int k = 0; k < 2; k++) {
		s.i[k].a = (short)(n * (k + 1));
		for (int j = 0; j < 3; j++)
			s.i[k].b[j] = (unsigned char)(n + j + k);
		s.i[k].f = (float)n / 2;
	}
	s.u.word = n * 0x01010101;
	s.bits.lo = (unsigned)n & 0xfff;
	s.bits.hi = (unsigned)n * 3;
	s.name = names[n % 5];
	return s;
}
static struct state get(void)
{
	pthread_spin_lock(&lock);
	struct state s = current;
	pthread_spin_unlock(&lock);
	return s;
}
static void set(struct state s)
{
	pthread_spin_lock(&lock);
	current = s;
	pthread_spin_unlock(&lock);
}
static int valid(const struct state *s)
{
	for (int k = 0; k < 2; k++) {
		if (s->i[k].a != s->n * (k + 1))
			return 0;
		for (int j = 0; j < 3; j++)
			if (s->i[k].b[j] != (unsigned char)(s->n + j + k))
				return 0;
		if (s->i[k].f * 2 != (float)s->n)
			return 0;
	}
	return s->u.byte[0] == s->u.byte[3] && s->bits.hi == 3 * s->bits.lo && s->name && s->name == names[s->n % 5];
}
static void *writer(void *arg)
{
	for (int i = 0; i < 5; i++) {
		set(make((int)(size_t)arg + i));
		struct state s = get();
		assert(valid(&s));
	}
	return NULL;
}
static void *reader(void *arg)
{
	for (int i = 0; i < 5; i++) {
		struct state s = get(), *copy = malloc(sizeof s);
		*copy = s;
		assert(valid(copy) && strlen(copy->name) >= 3);
		free(copy);
	}
	return arg;
}
int main(void)
{
	pthread_t t[4];
	pthread_spin_init(&lock, 0);
	current = make(0);
	for (size_t i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, i % 2 ? reader : writer, (void *)(i * 10));
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	assert(valid(&current));
	puts("valid");
	return 0;
}
