/* norn-test
 * build: clang-19 -O2 -c $SRC/../causality/gate.c -o gate.o
 * cc: -g -O1 -pthread gate.o
 * run: abc
 * prop: mvc_connection.prop
 * no-finding: yes
 */
/* The same, with an owner that waits for the last use. */
#define WAITS
#include "mvc_connection.c"
