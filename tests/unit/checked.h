/* Property files that are checked, for tests: text in, spec and diagnostics out. And a program to check them against. */
#ifndef CHECKED_H
#define CHECKED_H

#include "property/property.h"

struct checked {
	struct norn_sources *sources;
	struct norn_tree *tree;
	struct norn_spec *spec;
	char *diagnostics; /* "line:column severity: message; help\n" … */
};

struct checked check_text(const char *text, const struct norn_program *program);
void check_done(struct checked *checked);

/* A program that no compiler made; hand_program.c takes the place of program/program.c.
 *
 * int landing; _Bool radio; unsigned tries; double speed; float quota; long double exact; stripped (no type); struct acct
 * bank[10], *first; _Thread_local int own; pthread_mutex_t mutex, *mutex_pointer; static int hidden (src/one.c), count
 * (src/one.c, src/two.c, in transfer); int transfer(struct acct *from, unsigned amount); void worker(void); void foreign(void),
 * which is not compiled by norn cc. struct acct { long balance; struct acct *next; struct limits { int min, max; } limits;
 * unsigned open : 2; int history[4]; } norn_set gives a value to `phase`. */
const struct norn_program *hand_program(void);

#endif
