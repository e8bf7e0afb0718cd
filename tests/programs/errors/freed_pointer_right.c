/* norn-test
 * errors: yes
 * schedule: ab
 * silent: -DTAKE
 * silent: -DTAKE -DFRESH
 * silent: -DHELD
 * silent: -DHELD -DFRESH
 * silent: -DOWNER -DFRESH
 */
/* Correct: taken and set in one region (TAKE); freed within it (HELD); freed by its owner after no other thread, which uses it within its region, can see it (OWNER). */
#include "freed_pointer.c"
