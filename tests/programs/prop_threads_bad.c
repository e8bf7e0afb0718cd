/* norn-test
 * cc: -g -O1 -pthread
 * prop: prop_threads.prop
 * finding: property readers_read \(violated\) observed at prop_threads.c:16 reader_main by main/1 for - x1: value 17 in thread 1$
 * finding-count: 1
 */
#define BAD
#include "prop_threads.c"
