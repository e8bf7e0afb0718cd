/* norn-test
 * errors: yes
 * build: clang-19 -O2 -DUNSEEN -c $SRC/modelled_memory.c -o boxes.o
 * cc: boxes.o
 * record: --model $SRC/memory.model
 * schedule: 12121212121212121212
 * finding: ^race memory given to box_put\(\) predicted .* one_put .* x1$
 * finding: ^race after_put predicted .* x4$
 * never-finding: ^race seen_\w+ (predicted|observed)
 * never-finding: ^race (box|state|kept|old|name|word)\b
 * unjudged:
 */
/* Functions without hooks that a model describes, memory and all: what they read and write is recorded when the program runs with the model (sites of the calls),
 * what comes after them is predicted, and what depends on what they read is not. The four after_ variables are written on one line. */
#ifdef UNSEEN
int box_get(const int *box);
void box_put(int *box, int value);
int box_swap(int *box, int value, int *old);
void box_name(char *to, const char *name);
int state_get(void);
void state_put(int value);
int box_strange(int *box);
static int state;
int box_get(const int *box)
{
	return *box;
}
void box_put(int *box, int value)
{
	*box = value;
}
int box_swap(int *box, int value, int *old)
{
	if (value == 0)
		return 1;
	*old = *box;
	*box = value;
	return 0;
}
void box_name(char *to, const char *name)
{
	while ((*to++ = *name++))
		;
}
int state_get(void)
{
	return state;
}
void state_put(int value)
{
	state = value;
}
int box_strange(int *box)
{
	return *box;
}
#else
#include <string.h>

#include "cast.h"

int box_get(const int *box);
void box_put(int *box, int value);
int box_swap(int *box, int value, int *old);
void box_name(char *to, const char *name);
int state_get(void);
void state_put(int value);
int box_strange(int *box);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int put, box, kept, old, seen_get, seen_swap, seen_name, seen_state, seen_strange, after_put, after_swap, after_name, after_state;
char name[8] = "off", word[8];
#define locked(...) (pthread_mutex_lock(&lock), (void)(__VA_ARGS__), pthread_mutex_unlock(&lock))

#define SECTION(name, first, second)                                                                                               \
	static void *one_##name(void *unused)                                                                                      \
	{                                                                                                                          \
		gate('1');                                                                                                         \
		first;                                                                                                             \
		gate_leave();                                                                                                      \
		return unused;                                                                                                     \
	}                                                                                                                          \
	static void *two_##name(void *unused)                                                                                      \
	{                                                                                                                          \
		gate('2');                                                                                                         \
		second;                                                                                                            \
		gate_leave();                                                                                                      \
		return unused;                                                                                                     \
	}

/* clang-format off */
#define DOES_put int own = 0; box_put(&own, 1); box_put(&put, own); locked(0);
#define THEN_put locked(0); box_put(&put, 2);
SECTION(put, DOES_put, THEN_put)
#define DOES_after int own = 1, was; locked(box_put(&kept, 1)); box_swap(&own, 2, &was); after_put = was; after_swap = own; char t[8]; box_name(t, "t"); after_name = t[0]; locked(state_put(0)); after_state = 1; locked(0);
#define THEN_after int own = 1, was; locked(box_put(&kept, 2)); after_put = 2; box_swap(&own, 2, &was); after_swap = 2; char t[8]; box_name(t, "t"); after_name = 2; locked(state_put(0)); after_state = 2;
SECTION(after, DOES_after, THEN_after)
#define DOES_get seen_get = 1; locked(box_put(&box, 1));
#define THEN_get int v; locked(v = box_get(&box)); if (v) seen_get = 2;
SECTION(get, DOES_get, THEN_get)
#define DOES_swap seen_swap = 1; locked(box = 5);
#define THEN_swap int v, o; locked(v = box_swap(&box, 3, &o)); if (v == 0 && o == 5) seen_swap = 2;
SECTION(swap, DOES_swap, THEN_swap)
#define DOES_name seen_name = 1; locked(box_name(name, "on"));
#define THEN_name locked(box_name(word, name)); if (strcmp(word, "on") == 0) seen_name = 2;
SECTION(name, DOES_name, THEN_name)
#define DOES_state seen_state = 1; state_put(1);
#define THEN_state if (state_get()) seen_state = 2;
SECTION(state, DOES_state, THEN_state)
#define DOES_strange seen_strange = 1; locked(box = 9);
#define THEN_strange int v; locked(v = box_strange(&box)); if (v == 9) seen_strange = 2;
SECTION(strange, DOES_strange, THEN_strange)
/* clang-format on */

static part *const parts[][2] = {{one_put, two_put}, {one_after, two_after}, {one_get, two_get}, {one_swap, two_swap},
        {one_name, two_name}, {one_state, two_state}, {one_strange, two_strange}};

int main(int argc, char **argv)
{
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
		pthread_t threads[2];
		for (unsigned k = 0; k < 2; k++)
			if (pthread_create(&threads[k], NULL, parts[i][k], NULL) != 0)
				return 1;
		gate_gather(2 * (i + 1));
		gate_open(argv[1]);
		for (unsigned k = 0; k < 2; k++)
			pthread_join(threads[k], NULL);
	}
	return argc < 2;
}
#endif
