/* norn-test
 * cc: -g -O0 -pthread
 * prop: prop_external.prop
 * no-finding: yes
 * note: property ready_first may be violated at .*prop_external.c:30
 * check-exit: 3
 */
/* go is set between the kernel's write and its being noticed: the value of ready at that time is not known. */
#define UNNOTICED
#include "prop_external.c"
