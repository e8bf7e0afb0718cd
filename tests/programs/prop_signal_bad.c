/* norn-test
 * cc: -g -O1 -pthread
 * prop: prop_signal.prop
 * finding: property stops \(violated\) observed at prop_signal.c:32 main by main for - x1
 * finding-count: 1
 */
#define BAD
#include "prop_signal.c"
