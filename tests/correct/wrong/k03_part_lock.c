/* norn-test
 * errors: yes
 * build: clang-19 -O2 -pthread -c $SRC/../k-spin-part.c -o part.o
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: -O1 part.o settle.o
 * check: --model $SRC/../settle.model
 * misses: ^race d
 * unjudged:
 */
/* Wrong: the second thread works without the lock in its last round */
#define LAX
#include "../k03_part_lock.c"
