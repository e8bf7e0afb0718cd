/* norn-test
 * cc: -g -O0 -pthread
 * prop: prop_shapes.prop
 * finding: property a_static .* at prop_shapes.c:82
 * finding: property in_function .* at prop_shapes.c:46 count
 * finding: property array .* at prop_shapes.c:84 .*: 0 1$
 * finding: property field .* at prop_shapes.c:85
 * finding: property bits .* at prop_shapes.c:86
 * finding: property signed_bits .* at prop_shapes.c:87
 * finding: property pointer .* at prop_shapes.c:88 .*: value -1$
 * finding: property chain .* at prop_shapes.c:89
 * finding: property narrow .* at prop_shapes.c:90
 * finding: property in_union .* at prop_shapes.c:91
 * finding: property no_debt .* at prop_shapes.c:92 .* x1: debt$
 * finding: property no_99 .* at prop_shapes.c:93
 * finding-count: 12
 */
#define BAD
#include "prop_shapes.c"
