/* Making the plan (engine/plan.h) for a watched program: property files are checked against it, their monitors made, and all is
 * packed. */
#ifndef NORN_JOBS_WATCH_PLAN_H
#define NORN_JOBS_WATCH_PLAN_H

#include "jobs/prop_load.h"
#include "jobs/watch/watcher.h"

struct norn_watch_props_file {
	const char *path;
	struct norn_prop_file file;
	struct norn_monitor **monitors; /* per property, NULL: none */
};

struct norn_watch_plan {
	struct norn_program *program;
	struct norn_watch_props_file *props;
	uint32_t props_count;
	struct norn_pack pack;
};

/* Says what is wrong, and returns the exit status. To be done with in any case. */
int norn_watch_plan_make(struct norn_watch_plan *plan, const struct norn_watching_options *options, const char *program);
void norn_watch_plan_done(struct norn_watch_plan *plan);
int norn_watch_plan_file(const struct norn_watch_plan *plan); /* a descriptor of it, at its beginning; negative errno */

#endif
