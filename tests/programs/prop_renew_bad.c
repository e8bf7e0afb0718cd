/* norn-test
 * cc: -g -O0 -pthread
 * prop: prop_renew.prop
 * finding: property three \(violated\) observed at prop_renew.c:28 main by main
 * finding-count: 1
 */
#define BAD
#include "prop_renew.c"
