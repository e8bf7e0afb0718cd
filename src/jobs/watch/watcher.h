/* The watcher: starts a program with its monitors inside it, and shows what they say. Behind `norn watch`. */
#ifndef NORN_JOBS_WATCHER_H
#define NORN_JOBS_WATCHER_H

#include <stdbool.h>

#include "engine/plan.h"

struct norn_watching_options {
	const char **props; /* files */
	unsigned prop_count;
	const char **modules; /* further libraries whose variables properties name: those that are loaded later */
	unsigned module_count;
	enum norn_watch_mode mode;
	const char *json; /* file, - for standard output, NULL: none */
};

/* Starts program (argv) and watches it. Returns the exit status. */
int norn_watcher_run(const struct norn_watching_options *options, char *const *program);
/* For a program that runs without us: writes its plan to fd. */
int norn_watcher_plan(const struct norn_watching_options *options, const char *program, int fd);

#endif
