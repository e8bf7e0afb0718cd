/* norn-test
 * cc: -g -O0 -pthread
 * cc: -g -O2 -pthread
 * prop: prop_alternate.prop
 * finding: property alternate \(violated\) observed at prop_alternate.c:34 work by main/[12] for c = 0x[0-9a-f]+ x20: client 0x
 * finding-count: 1
 */
#define BAD
#include "prop_alternate.c"
