/* norn-test
 * build: clang-19 -O2 -c $SRC/settle-part.c -o settle.o
 * silent: -DTRY -DFIXED settle.o
 * silent: -DTIMED -DFIXED settle.o
 * unjudged: -DTIMED
 */
/* The right twins of wrong/w04: what a try or a timed wait has got is looked at. */
#include "wrong/w04_ignored_results.c"
