/* norn-test
 * cc: -g -O1 -pthread
 * prop: prop_life.prop
 * finding: property life \(violated\) observed at prop_life.c:47 work by main/[12] for q = 0x[0-9a-f]+ x2: $
 * finding-count: 1
 */
#define BAD
#include "prop_life.c"
