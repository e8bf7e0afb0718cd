/* Long names of C++ are folded; names that only have brackets in them are left as they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/layout.h"

static void folds_to(const char *name, const char *wanted)
{
	char to[NORN_FOLDED];
	assert_string_equal(norn_folded(name, to), wanted);
}

static void test_folded(void **unused)
{
	folds_to("std::deque<std::function<void ()>, std::allocator<std::function<void ()> > >::pop_front",
	        "std::deque<…>::pop_front");
	folds_to("std::pair<std::map<int, int>, std::map<int, int> >::swap<std::vector<int> >", "std::pair<…>::swap<…>");
	folds_to("std::vector<int>::push_back", "std::vector<int>::push_back");
	folds_to("a_name_without_any_brackets_that_is_longer_than_all_names",
	        "a_name_without_any_brackets_that_is_longer_than_all_names");
	folds_to("std::chrono::operator<<std::ratio<1L, 1000L>, std::ratio<1L, 1000L> >",
	        "std::chrono::operator<<std::ratio<1L, 1000L>, std::ratio<1L, 1000L> >");
	folds_to("one bracket is open std::vector<std::vector<std::vector<int>", "one bracket is open std::vector<…>");
	folds_to("first < second && second > third && the_last_one_of_them > 0",
	        "first < second && second > third && the_last_one_of_them > 0");
	folds_to("first<=second && second > third && the_last_one_of_them > 0",
	        "first<=second && second > third && the_last_one_of_them > 0");
	folds_to("one is closed too often std::vector<std::vector<int> > >::end",
	        "one is closed too often std::vector<std::vector<int> > >::end");
}

/* A name that would not fit is left as it is. */
static void test_long(void **unused)
{
	char name[2 * NORN_FOLDED];
	memset(name, 'x', sizeof name - 1);
	memcpy(name + 20, "<int>", 5);
	name[sizeof name - 1] = 0;
	folds_to(name, name);
	name[NORN_FOLDED - 1] = 0;
	char to[NORN_FOLDED];
	assert_true(strlen(norn_folded(name, to)) < NORN_FOLDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_folded), cmocka_unit_test(test_long)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
