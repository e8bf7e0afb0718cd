/* norn-test
 * cc: -g -O0 -pthread
 * prop: prop_external.prop
 * finding: property ready_first .* at prop_external.c:25 main .*: ready is 0$
 * finding-count: 1
 */
#define BAD
#include "prop_external.c"
