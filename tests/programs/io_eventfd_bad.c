/* norn-test
 * cc: -g -O1 -pthread
 * prop: io_order.prop
 * finding: property in_turn \(violated\) (observed|predicted)
 * finding-count: 1
 */
/* The event is there before ping counts it. */
#define BAD
#include "io_eventfd.c"
