/* Fuzzing property files: any text is complained about or understood. What is understood is formatted to a text with the same tree,
 * which formatting leaves alone; its formulas come back from their text; and the checker takes whatever the parser made. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "property/parse.h"
#include "property/property.h"
#include "property_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void object(const char *sentence, const char *text)
{
	fprintf(stderr, "%s\n%s\n", sentence, text);
	abort();
}

/* Never follows includes: what is on this machine is not the fuzzer's business. */
static struct norn_tree *parse(const char *text, size_t bytes, struct norn_sources **ret_sources)
{
	struct norn_tree *tree;
	uint32_t file;
	*ret_sources = norn_sources_new();
	file = norn_sources_add(*ret_sources, "input.prop", text, bytes);
	tree = norn_tree_parse_alone(*ret_sources, file);
	return tree;
}

static char *dump(const char *text, bool must)
{
	struct norn_sources *sources;
	struct norn_tree *tree = parse(text, strlen(text), &sources);
	if (must && norn_diagnostics_errors(sources))
		object("mistakes in what Norn wrote", text);
	char *result = prop_tree_dump(tree);
	norn_tree_free(tree);
	norn_sources_free(sources);
	return result;
}

static char *format(const char *text)
{
	struct norn_sources *sources;
	struct norn_error err = {0};
	char *result;
	norn_tree_free(parse(text, strlen(text), &sources));
	if (norn_tree_format(sources, 0, &result, &err) < 0)
		object(err.message, text);
	norn_sources_free(sources);
	return result;
}

static void formats_well(const struct norn_tree *tree, const char *text)
{
	char *once = format(text), *twice = format(once), *before = prop_tree_dump(tree), *after = dump(once, true);
	if (strcmp(once, twice) != 0)
		object("formatting again changes the text", once);
	if (strcmp(before, after) != 0)
		object("formatting changes the tree", once);
	free(once);
	free(twice);
	free(before);
	free(after);
}

static void comes_back(const struct norn_form *form)
{
	char *text = norn_form_text(form), *file, *expected = prop_tree_dump_form(form);
	if (!text || asprintf(&file, "pred p = %s;", text) < 0)
		abort();
	char *found = dump(file, true);
	if (!strstr(found, expected))
		object("a formula does not come back", file);
	free(text);
	free(file);
	free(expected);
	free(found);
}

static void rex_comes_back(const struct norn_rex *rex)
{
	char *text = norn_rex_text(rex), *file, *expected = prop_tree_dump_rex(rex);
	if (!text || asprintf(&file, "property p { ere: %s; }", text) < 0)
		abort();
	char *found = dump(file, true);
	if (!strstr(found, expected))
		object("an expression does not come back", file);
	free(text);
	free(file);
	free(expected);
	free(found);
}

static void show_complaints(const struct norn_sources *sources)
{
	static FILE *nowhere;
	const struct norn_diagnostic *complaints;
	uint32_t count = norn_diagnostics(sources, &complaints);
	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	for (uint32_t i = 0; i < count; i++)
		norn_diagnostic_show(sources, &complaints[i], i % 2, nowhere);
	if (norn_diagnostics_errors(sources) && !count)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct norn_sources *sources;
	struct norn_spec *spec = NULL;
	struct norn_tree *tree = parse((const char *)data, size, &sources);
	if (norn_diagnostics_errors(sources) == 0) {
		formats_well(tree, norn_sources_text(sources, 0, NULL));
		for (const struct norn_decl *decl = norn_tree_decls(tree); decl; decl = decl->next) {
			if (decl->form)
				comes_back(decl->form);
			if (decl->logic.form)
				comes_back(decl->logic.form);
			if (decl->logic.rex)
				rex_comes_back(decl->logic.rex);
		}
	}
	spec = norn_spec_check(sources, tree, NULL);
	show_complaints(sources);
	norn_spec_free(spec);
	norn_tree_free(tree);
	norn_sources_free(sources);
	return 0;
}
