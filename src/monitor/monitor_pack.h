/* Monitors as bytes: made in one process, stepped in another that trusts nothing (base/pack.h). */
#ifndef NORN_MONITOR_MONITOR_PACK_H
#define NORN_MONITOR_MONITOR_PACK_H

#include "base/pack.h"
#include "monitor/monitor.h"

void norn_monitor_pack(const struct norn_monitor *monitor, struct norn_pack *pack);
/* Every state that a step can lead to is one of the machine's, whatever the bytes are. -EINVAL: they are no monitor. */
int norn_monitor_unpack(struct norn_unpack *in, struct norn_monitor **ret_monitor);
void norn_monitor_drop(struct norn_monitor *monitor); /* one that was unpacked; NULL is fine */

#endif
