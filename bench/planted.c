/* planted EVENTS THREADS SEED: a run in RAPID's text format, on standard output, of pairs of threads that write a variable in turn. An
 * order is handed over under a lock after each write, thousands of times, so that the two places meet again and again without an
 * error; in most pairs it is once not handed over: early, in the middle or at the very end. Other threads count under a lock.
 *
 * planted - FILE: the pairs of locations of a text (of numbers, as it makes them) whose accesses happens-before leaves unordered,
 * reads coming after what they saw, one pair in a line: found by comparing each access with the latest one of each thread and
 * location. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

#define ROUND 16u /* lines of a round */

struct pair {
	unsigned long round, raced; /* raced: in which the order is not handed over; ULONG_MAX: in none */
	unsigned step;
};

static uint64_t seed;

static unsigned long below(unsigned long limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return limit ? (unsigned long)(seed >> 16) % limit : 0;
}

static void line(unsigned thread, const char *op, char kind, unsigned number, unsigned location)
{
	printf("T%u|%s(%c%u)|%u\n", thread, op, kind, number, location);
}

/* Thread 2k+1 writes x and tells thread 2k+2, which writes x, too, and tells the first. */
static void step_pair(struct pair *p, unsigned k)
{
	static const struct {
		unsigned thread; /* 0: the first */
		const char *op;
		char kind;
	} steps[2][ROUND] = {{{0, "w", 'x'}, {0, "acq", 'l'}, {0, "w", 'f'}, {0, "rel", 'l'}, {1, "acq", 'l'}, {1, "r", 'f'},
	                             {1, "rel", 'l'}, {1, "w", 'x'}, {1, "acq", 'l'}, {1, "w", 'g'}, {1, "rel", 'l'},
	                             {0, "acq", 'l'}, {0, "r", 'g'}, {0, "rel", 'l'}, {0, "r", 'x'}, {0, "r", 'x'}},
	        {{0, "w", 'x'}, {1, "w", 'x'}, {0, "acq", 'l'}, {0, "w", 'f'}, {0, "rel", 'l'}, {1, "acq", 'l'}, {1, "r", 'f'},
	                {1, "rel", 'l'}, {1, "acq", 'l'}, {1, "w", 'g'}, {1, "rel", 'l'}, {0, "acq", 'l'}, {0, "r", 'g'},
	                {0, "rel", 'l'}, {0, "r", 'x'}, {0, "r", 'x'}}};
	bool raced = p->round == p->raced;
	unsigned thread = 2 * k + 1 + steps[raced][p->step].thread, kind = (unsigned)steps[raced][p->step].kind;
	/* A location for each thread, operation and variable: the same in both kinds of rounds. */
	unsigned location =
	        1000 + k * 100 + (unsigned)(strchr("xfgl", (int)kind) - "xfgl") * 10 + steps[raced][p->step].thread * 5 +
	        (steps[raced][p->step].op[1] ? steps[raced][p->step].op[0] == 'r' : 2 + (steps[raced][p->step].op[0] == 'r'));
	line(thread, steps[raced][p->step].op, (char)kind, k, location);
	p->step = (p->step + 1) % ROUND;
	p->round += p->step == 0;
}

static void count(unsigned thread)
{
	unsigned number = (unsigned)below(8);
	line(thread, "acq", 'm', number, 1);
	line(thread, "r", 'c', number, 2);
	line(thread, "w", 'c', number, 3);
	line(thread, "rel", 'm', number, 4);
}

static int make(unsigned long events, unsigned threads)
{
	unsigned pairs = threads / 3 ? threads / 3 : 1, others = threads > 2 * pairs ? threads - 2 * pairs : 0;
	unsigned long rounds = events / 2 / pairs / ROUND + 1;
	struct pair *list = calloc(pairs, sizeof *list);
	if (!list)
		return 1;
	for (unsigned t = 1; t <= 2 * pairs + others; t++)
		line(0, "fork", 'T', t, 0);
	for (unsigned k = 0; k < pairs; k++)
		list[k].raced = k % 4 == 0 ? rounds - 1 : k % 4 == 1 ? below(4) : k % 4 == 2 ? below(rounds) : UINT64_MAX;
	unsigned left = pairs;
	while (left) {
		unsigned k = (unsigned)below(pairs);
		if (list[k].round < rounds) {
			step_pair(list + k, k);
			left -= list[k].round == rounds;
		}
		if (others && below(4) == 0)
			count(2 * pairs + 1 + (unsigned)below(others));
	}
	free(list);
	return fflush(stdout) != 0;
}

/* ---- listing ---- */

#define THREADS 128u
#define LOCATIONS 16384u
#define VARIABLES 65536u

struct access {
	struct access *next;
	unsigned location;
	bool writes;
	unsigned long at[THREADS]; /* per thread: the number of its latest access here, in its thread; 0: none */
};

static unsigned long clocks[THREADS][THREADS], (*locks)[THREADS], (*writers)[THREADS], events_of[THREADS];
static struct access *accesses[VARIABLES];
static bool (*unordered)[LOCATIONS];

static void join(unsigned long *to, const unsigned long *from)
{
	for (unsigned i = 0; i < THREADS; i++)
		to[i] = from[i] > to[i] ? from[i] : to[i];
}

static void access_variable(unsigned thread, unsigned variable, bool writes, unsigned location)
{
	struct access *mine = NULL;
	for (struct access *a = accesses[variable]; a; a = a->next) {
		mine = a->location == location && a->writes == writes ? a : mine;
		for (unsigned t = 0; t < THREADS && (a->writes || writes); t++)
			if (t != thread && a->at[t] > clocks[thread][t])
				unordered[a->location < location ? a->location : location]
				         [a->location < location ? location : a->location] = true;
	}
	if (!mine) {
		mine = calloc(1, sizeof *mine);
		if (!mine)
			exit(1);
		*mine = (struct access){.next = accesses[variable], .location = location, .writes = writes};
		accesses[variable] = mine;
	}
	mine->at[thread] = events_of[thread];
	if (writes)
		memcpy(writers[variable], clocks[thread], sizeof *writers);
	else
		join(clocks[thread], writers[variable]);
}

static int list_unordered(FILE *from)
{
	unsigned thread, number, location;
	char op[8], kind;
	locks = calloc(VARIABLES, sizeof *locks);
	writers = calloc(VARIABLES, sizeof *writers);
	unordered = calloc(LOCATIONS, sizeof *unordered);
	if (!locks || !writers || !unordered)
		return 1;
	while (fscanf(from, " T%u|%7[a-z](%c%u)|%u", &thread, op, &kind, &number, &location) == 5) {
		unsigned thing = (unsigned)kind << 8 | number;
		if (thread >= THREADS || location >= LOCATIONS || thing >= VARIABLES || number > 255)
			return 1;
		clocks[thread][thread] = ++events_of[thread];
		if (strcmp(op, "fork") == 0)
			join(clocks[number], clocks[thread]);
		else if (strcmp(op, "join") == 0)
			join(clocks[thread], clocks[number]);
		else if (strcmp(op, "acq") == 0)
			join(clocks[thread], locks[thing]);
		else if (strcmp(op, "rel") == 0)
			join(locks[thing], clocks[thread]);
		else
			access_variable(thread, thing, op[0] == 'w', location);
	}
	for (unsigned i = 0; i < LOCATIONS; i++)
		for (unsigned k = i; k < LOCATIONS; k++)
			if (unordered[i][k])
				printf("%u %u\n", i, k);
	return feof(from) ? fflush(stdout) != 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "-") == 0) {
		FILE *from = fopen(argv[2], "r");
		return from ? list_unordered(from) : 1;
	}
	if (argc != 4) {
		fprintf(stderr, "planted EVENTS THREADS SEED | planted - FILE\n");
		return 2;
	}
	seed = strtoull(argv[3], NULL, 10) * 2654435761u + 88172645463325252u;
	return make(strtoul(argv[1], NULL, 10), (unsigned)strtoul(argv[2], NULL, 10));
}
