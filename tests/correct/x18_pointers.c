/* norn-test
 * build: clang-19 -O2 -c $SRC/settle-part.c -o settle.o
 * silent: -DSTACK -DFIXED settle.o
 * silent: -DSWAP -DFIXED settle.o
 * silent: -DQUEUE -DFIXED settle.o
 */
/* The right twins of wrong/w05: a pointer is taken and replaced in one region. */
#include "wrong/w05_freed_pointers.c"
