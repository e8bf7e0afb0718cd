/* std::string, with hooks. libstdc++ has its members compiled, without: in C++17 and before its header declares them extern. */
#include <string>

template class __attribute__((visibility("hidden"))) std::basic_string<char>;
template class __attribute__((visibility("hidden"))) std::allocator<char>;
