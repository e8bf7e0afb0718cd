/* What the scripts of tests/agree/run are made of: everything that a property can speak of, done by threads in the order of the script.
 * usage: acts SCRIPT. Each act writes the baton first and last, so that what they do orders them, too; with -DFREE nothing does. */
#include <norn.h>
#include <pthread.h>
#include <stdlib.h>

#include "player.h"

#define HOOKED __attribute__((noinline))
#define OBJECTS 3

struct object {
	volatile int count, v;
};

volatile int x, y, table[4], baton;
volatile struct {
	unsigned low : 3, high : 5;
} flags;
struct object *volatile head;
volatile double speed;
volatile float ratio;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct object *objects[OBJECTS];

HOOKED void object_open(struct object *o)
{
	o->count = 0;
}

HOOKED void object_use(struct object *o, int n)
{
	o->count = n;
}

HOOKED int object_close(struct object *o)
{
	return o->v;
}

static struct object *object(int value)
{
	return objects[value % OBJECTS];
}

static void take(void)
{
#ifndef FREE
	baton = baton + 1;
#endif
}

#define ACT(name, body)                                                                                                            \
	static void name(int value)                                                                                                \
	{                                                                                                                          \
		take();                                                                                                            \
		body;                                                                                                              \
		take();                                                                                                            \
	}

ACT(write_x, x = value)
ACT(write_y, y = value)
ACT(read_x, (void)(x + value))
ACT(read_y, (void)(y + value))
ACT(write_low, flags.low = (unsigned)value & 7)
ACT(write_high, flags.high = (unsigned)value & 7)
ACT(write_element, table[value % 4] = value)
ACT(write_speed, speed = value + 0.4)
ACT(write_ratio, ratio = value + 0.1f)
ACT(open_it, object_open(object(value)))
ACT(use_it, object_use(object(value), value))
ACT(close_it, object_close(object(value)))
ACT(write_v, object(value)->v = value)
ACT(point, head = object(value))
ACT(note_a, norn_event("a", value))
ACT(note_b, norn_event("b", value))
ACT(set_level, norn_set("level", value))
ACT(both, pthread_mutex_lock(&mutex); x = value; y = value; pthread_mutex_unlock(&mutex))

static void renew(int value)
{
	take();
	free(objects[value % OBJECTS]);
	objects[value % OBJECTS] = calloc(1, sizeof(struct object));
	take();
}

static const struct act acts[] = {{"wx", write_x}, {"wy", write_y}, {"rx", read_x}, {"ry", read_y}, {"wl", write_low},
        {"wh", write_high}, {"we", write_element}, {"wd", write_speed}, {"wf", write_ratio}, {"op", open_it}, {"us", use_it},
        {"cl", close_it}, {"wv", write_v}, {"pt", point}, {"na", note_a}, {"nb", note_b}, {"se", set_level}, {"lk", both},
        {"fr", renew}, {0, 0}};

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	for (int i = 0; i < OBJECTS; i++)
		objects[i] = calloc(1, sizeof(struct object));
	return play(argv[1], 3, acts);
}
