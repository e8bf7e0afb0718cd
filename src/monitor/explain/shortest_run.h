/* Shortest runs that a property judges in a certain way, as steps for `norn prop try`.
 *
 * Values for variables are tried from the constants that they are compared with, and their neighbours. Variables of a program
 * change one at a time, as its events do; free names all at once. A run that is found was played by try.h before it is handed
 * out. */
#ifndef NORN_MONITOR_EXPLAIN_SHORTEST_RUN_H
#define NORN_MONITOR_EXPLAIN_SHORTEST_RUN_H

#include "monitor/monitor.h"

struct norn_shortest_run {
	char *steps; /* malloc'ed; NULL: none was found */
	uint32_t length; /* positions */
};

struct norn_shortest_run norn_shortest_run_find(const struct norn_spec *spec, const struct norn_property *property,
        const struct norn_monitor *monitor, enum norn_verdict wanted);

#endif
