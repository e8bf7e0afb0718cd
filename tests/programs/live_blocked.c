/* norn-test
 * cc: -g -O0 -pthread -DCONDITION
 * cc: -g -O1 -pthread -DCONDITION
 * cc: -g -O0 -pthread -DSEMAPHORE
 * cc: -g -O1 -pthread -DSEMAPHORE
 * cc: -g -O0 -pthread -DMUTEX
 * cc: -g -O1 -pthread -DMUTEX
 * cc: -g -O0 -pthread -DWRITER
 * cc: -g -O1 -pthread -DWRITER
 * cc: -g -O0 -pthread -DATOMIC
 * cc: -g -O1 -pthread -DATOMIC
 * cc: -g -O0 -pthread -DONCE
 * cc: -g -O1 -pthread -DONCE
 * prop: live_polite.prop
 * finding: liveness enters .*for ever.*potential
 * finding-count: 1
 */
/* The two of live_polite.c, who give way to each other, and a third thread that waits for what comes only when they are through: it has no part in the loop, and does not end
 * it. The property's variable may be atomic, too. (A barrier, -DBARRIER, is tried by hand: whether the third thread has come there when the two begin is chance.) */
#include "live_blocked.h"
