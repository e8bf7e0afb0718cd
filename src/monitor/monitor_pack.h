/* Monitors as bytes: made in one process, stepped in another that trusts nothing (base/wire/descriptor.h). */
#ifndef NORN_MONITOR_MONITOR_PACK_H
#define NORN_MONITOR_MONITOR_PACK_H

#include "base/wire/descriptor.h"
#include "monitor/monitor.h"

/* Of struct norn_monitor; the root is not used. Of a monitor that was read, every state that a step can lead to is one of its own,
 * whatever the bytes were. */
extern const struct norn_descriptor norn_monitor_descriptor;
/* Frees what a monitor that was read has beyond the arena's memory, even if reading it failed midway. NULL is allowed. */
void norn_monitor_drop(struct norn_monitor *monitor);

#endif
