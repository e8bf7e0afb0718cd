/* norn-test
 * cc: -g -O0 -std=c++20 -pthread -lstdc++
 * prop: prop_text_cxx.prop
 * finding: property working .* at prop_text_cxx.cc:26 main::operator\(\)
 * finding-count: 1
 */
#define BAD
#include "prop_text_cxx.cc"
