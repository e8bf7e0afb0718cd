/* norn-test
 * cc: -g -O0 -pthread
 * prop: prop_text.prop
 * finding: property greeted .* at prop_text.c:24
 * finding: property mode_set .* at prop_text.c:24
 * finding: property never_ghost .* at prop_text.c:54
 * finding: property boxed .* at prop_text.c:24
 * finding: property nobody .* at prop_text.c:24
 * finding: property high .* at prop_text.c:24
 * finding: property not_lost .* at prop_text.c:24
 * finding: property idle_first .* at prop_text.c:64
 */
/* Each property of prop_text.prop is broken once. */
#define BAD
#include "prop_text.c"
