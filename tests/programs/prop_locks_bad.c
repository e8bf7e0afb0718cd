/* norn-test
 * cc: -g -O1 -pthread
 * prop: prop_locks.prop
 * finding: property guarded \(violated\) observed at prop_locks.c:61 main by main for - x1: by thread 0$
 * finding-count: 1
 */
#define BAD
#include "prop_locks.c"
