/* norn-test
 * cc: -g -O1 -pthread
 * prop: prop_marks.prop
 * finding: property pingpong .* at prop_marks.c:20 main
 * finding: property few .* at prop_marks.c:19 .* x1: ping 4$
 * finding: property pairs .* at prop_marks.c:20 .*: bad$
 * finding-count: 3
 */
#define BAD
#include "prop_marks.c"
