/* norn-test
 * cc: -g -O0 -pthread
 * cc: -g -O2 -pthread
 * prop: prop_landing.prop
 * finding: property landing \(violated\) observed at prop_landing.c:42 main by main for - x1: radio=0$
 * finding-count: 1
 */
#define BAD
#include "prop_landing.c"
