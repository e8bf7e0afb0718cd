/* norn-test
 * build: clang-19 -O2 -c $SRC/../causality/gate.c -o gate.o
 * cc: -g -O1 -pthread gate.o
 * run: ab
 * prop: mvc_once.prop
 * no-finding: yes
 */
/* The same with pthread_once. */
#define ONCE
#include "mvc_once.c"
