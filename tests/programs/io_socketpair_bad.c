/* norn-test
 * cc: -g -O1 -pthread
 * prop: io_order.prop
 * finding: property in_turn \(violated\) (observed|predicted)
 * finding-count: 1
 */
/* The message is away before ping counts it. */
#define BAD
#include "io_socketpair.c"
