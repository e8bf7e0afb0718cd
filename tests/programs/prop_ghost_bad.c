/* norn-test
 * cc: -g -O0 -pthread
 * prop: prop_ghost.prop
 * finding: property inside \(violated\) observed at prop_ghost.c:34 work by main/1 for - x1: depth 0 in thread 1$
 * finding-count: 1
 */
#define BAD
#include "prop_ghost.c"
