/* norn-test
 * cc: -g -O1 -pthread
 * prop: io_order.prop
 * finding: property in_turn \(violated\) observed
 * finding-count: 1
 */
/* The answer is there before ping counts. */
#define BAD
#include "io_eventfd.c"
