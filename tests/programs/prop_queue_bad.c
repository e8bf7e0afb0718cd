/* norn-test
 * cc: -g -O1 -pthread
 * prop: prop_queue.prop
 * finding: property precedence \(violated\) observed at prop_queue.c:50 main by main for - x1
 * finding: property some \(violated at the end of the run\) observed
 * finding-count: 2
 */
#define BAD
#include "prop_queue.c"
