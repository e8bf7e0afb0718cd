/* norn-test
 * cc: -g -O0 -pthread
 * prop: prop_xyz.prop
 * finding: property xyz \(violated\) observed at prop_xyz.c:17 other by main/1
 * finding-count: 1
 */
#define BAD
#include "prop_xyz.c"
