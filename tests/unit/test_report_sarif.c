/* SARIF's addresses of the documents: none if they are not known, as a file's name holds on one machine only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/sarif.h"

static char *sarif_with(const char *docs)
{
	struct norn_findings findings;
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);
	norn_findings_init(&findings);
	norn_report_sarif(&findings, &(struct norn_sarif_about){"/src", "1.2.3", docs}, to);
	norn_findings_done(&findings);
	fclose(to);
	return text;
}

static void test_addresses(void **unused)
{
	char *none = sarif_with(""), *some = sarif_with("https://example.org/norn");
	assert_null(strstr(none, "helpUri"));
	assert_null(strstr(none, "informationUri"));
	assert_non_null(strstr(some, "\"helpUri\":\"https://example.org/norn/findings.md"));
	assert_non_null(strstr(some, "\"informationUri\":\"https://example.org/norn/README.md\""));
	free(none);
	free(some);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_addresses)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
