/* Valid traces to begin with, made anew each time, so that they keep up with the format. usage: seeds DIRECTORY */
#include <stdio.h>

#include "trace_builder.h"

static int make(const char *directory, const char *name, const struct run_options *options, unsigned block_units)
{
	struct run run;
	char path[4096];
	run_simulate(options, &run);
	snprintf(path, sizeof path, "%s/%s", directory, name);
	int r = run_write(&run, path, block_units);
	run_done(&run);
	return r;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	int r = make(argv[1], "blocks", &(struct run_options){.seed = 1, .threads = 2, .steps = 60, .words = 3}, 100);
	r |= make(argv[1], "stamps", &(struct run_options){.seed = 2, .threads = 3, .steps = 80, .words = 3, .stamps = true}, 0);
	r |= make(argv[1], "long", &(struct run_options){.seed = 3, .threads = 4, .steps = 800, .words = 4, .stamps = true}, 0);
	return r ? 1 : 0;
}
