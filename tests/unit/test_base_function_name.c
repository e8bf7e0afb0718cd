#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text/function_name.h"

static void names_stand_for_functions(void **state)
{
	static const struct {
		const char *function, *name;
		bool is;
	} cases[] = {
	        {"main", "main", true},
	        {"main", "::main", true},
	        {"main", "ma", false},
	        {"ns::Buffer::append", "append", true},
	        {"ns::Buffer::append", "Buffer::append", true},
	        {"ns::Buffer::append", "ns::Buffer::append", true},
	        {"ns::Buffer::append", "::ns::Buffer::append", true},
	        {"ns::Buffer::append", "::Buffer::append", false},
	        {"ns::Buffer::append", "ns::append", false},
	        {"ns::Buffer::append", "uffer::append", false},
	        {"ns::Buffer::append", "x::ns::Buffer::append", false},
	        {"ns::Buffer::append", "Buffer", false},
	        {"ns::List<int>::push<char, long>", "push", true},
	        {"ns::List<int>::push<char, long>", "List::push", true},
	        {"ns::List<int>::push<char, long>", "List<int>::push", true},
	        {"ns::List<int>::push<char, long>", "List<long>::push", false},
	        {"ns::List<int>::push<char, long>", "push<char,long>", true},
	        {"ns::List<int>::push<char, long>", "push<char>", false},
	        {"ns::List<a::B<int> >::pop", "List<a::B<int>>::pop", true},
	        {"ns::List<a::B<int> >::pop", "B::pop", false},
	        {"ns::S::~S", "S::~S", true},
	        {"ns::S::~S", "S::S", false},
	        {"ns::S::operator<", "S::operator<", true},
	        {"ns::S::operator<", "S::operator", false},
	        {"ns::S::operator<<<int>", "S::operator<<", true},
	        {"ns::S::operator()", "S::operator()", true},
	        {"main::(lambda at a.cc:3:4)::operator()", "operator()", true},
	        {"(anonymous namespace)::f", "f", true},
	        {"f<&ns::g>", "f", true},
	        {"f<&ns::g>", "g", false},
	        {"", "f", false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (norn_function_is_named(cases[i].function, cases[i].name) != cases[i].is)
			fail_msg("%s by %s", cases[i].function, cases[i].name);
}

static void last_parts(void **state)
{
	size_t bytes;
	assert_string_equal(norn_function_last_part("ns::List<a::B>::push<int>", &bytes), "push<int>");
	assert_int_equal(bytes, 4);
	assert_string_equal(norn_function_last_part("main", &bytes), "main");
	assert_int_equal(bytes, 4);
}

/* More parts than are looked at: the last ones count. */
static void deep_names(void **state)
{
	char function[512] = "a";
	for (int i = 0; i < 60; i++)
		strcat(function, "::b");
	strcat(function, "::c");
	assert_true(norn_function_is_named(function, "b::c"));
	assert_false(norn_function_is_named(function, "a::c"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(names_stand_for_functions),
	        cmocka_unit_test(last_parts),
	        cmocka_unit_test(deep_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
