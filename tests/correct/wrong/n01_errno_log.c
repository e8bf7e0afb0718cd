/* norn-test
 * errors: yes
 * cc: -O1 -lm
 * finding: ^race d
 */
/* Wrong: the data are written after the flag */
#define LATE
#include "../n01_errno_log.c"
