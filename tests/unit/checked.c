#include "checked.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct checked check_text(const char *text, const struct norn_program *program)
{
	struct checked checked = {0};
	const struct norn_diagnostic *list;
	uint32_t file;
	size_t size;
	checked.sources = norn_sources_new();
	file = norn_sources_add(checked.sources, "t.prop", text, strlen(text));
	checked.tree = norn_tree_parse(checked.sources, file);
	checked.spec = norn_spec_check(checked.sources, checked.tree, program);
	FILE *f = open_memstream(&checked.diagnostics, &size);
	for (uint32_t i = 0, n = norn_diagnostics(checked.sources, &list); i < n; i++) {
		unsigned line, column;
		norn_sources_position(checked.sources, list[i].span, &line, &column);
		fprintf(f, "%u:%u %s: %s%s%s\n", line, column, list[i].severity == NORN_SEVERITY_ERROR ? "error" : "warning",
		        list[i].message, list[i].help ? "; " : "", list[i].help ? list[i].help : "");
	}
	fclose(f);
	return checked;
}

void check_done(struct checked *checked)
{
	norn_spec_free(checked->spec);
	norn_tree_free(checked->tree);
	norn_sources_free(checked->sources);
	free(checked->diagnostics);
}
