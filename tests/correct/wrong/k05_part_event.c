/* norn-test
 * errors: yes
 * build: clang-19 -O2 -pthread -c $SRC/../k-spin-part.c -o part.o
 * cc: -O1 part.o
 * misses: ^race d
 * unjudged:
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../k05_part_event.c"
