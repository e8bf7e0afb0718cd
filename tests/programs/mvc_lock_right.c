/* norn-test
 * build: clang-19 -O2 -c $SRC/../causality/gate.c -o gate.o
 * cc: -g -O1 -pthread gate.o
 * run: ab
 * prop: mvc_lock.prop
 * no-finding: yes
 */
/* The same, with an audit that takes the lock. */
#define LOCKS
#include "mvc_lock.c"
