/* norn-test
 * build: $CC -g -O1 -shared -fPIC $SRC/prop_library-part.c -o liblibrary.so
 * cc: -g -O1 -pthread -L. -llibrary -Wl,-rpath,.
 * prop: prop_library.prop
 * finding: property states \(violated\) observed at prop_library-part.c:8 library_set by main for - x1: state 0$
 * finding-count: 1
 */
#define BAD
#include "prop_library.c"
