/* norn-test
 * cc: -g -O1 -pthread
 * prop: prop_fork.prop
 * finding: property never_two \(violated\) observed at prop_fork.c:24 main by main
 * finding: property never_two \(violated\) observed at prop_fork.c:18 main by main
 * finding-count: 2
 */
#define BAD
#include "prop_fork.c"
