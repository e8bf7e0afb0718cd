/* norn-test
 * prop: p.prop
 * errors: yes
 * schedule: 21
 * finding: property abc .* predicted
 * finding-count: 1
 */
/* What is read is only kept: the regions of p01.c change places. */
#define KEEP
#include "p01.c"
