/* Memory that is used, or freed again, after it was freed: in the recorded run itself; and, where that allocated the memory once
 * more in between, by a pointer from before (S15). The latter is shown by a schedule with the free and the use, but without that
 * allocation: there is one only if nothing of the pointer comes from it. */
#ifndef NORN_ERRORS_FREED_H
#define NORN_ERRORS_FREED_H

#include "sliced/attempts.h"

void norn_freed_find(struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph);

#endif
