/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the flag */
#define LATE
#include "../n14_qsort_order.c"
