/* norn-test
 * cc: -g -O0 -std=c++17 -pthread -fstandalone-debug -lstdc++
 * prop: prop_text_cxx.prop
 * no-finding: yes
 * check-exit: 3
 */
/* Without `norn c++`, and before C++20, strings are made and written by code without hooks: what they are is not known. */
#include "prop_text_cxx.cc"
