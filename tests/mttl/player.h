#ifndef PLAYER_H
#define PLAYER_H

struct act {
	const char *name;
	void (*run)(int value);
};

/* "1rx 2wx5": thread 1 does rx, then thread 2 wx with 5. Threads are numbered from 1. */
int play(char *script, int threads, const struct act *acts);

#endif
