/* norn-test
 * errors: yes
 * cc: -O1 -lm
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../s48_signgam.c"
