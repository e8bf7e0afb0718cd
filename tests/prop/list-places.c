/* Lists what the checker made of a property file and a program: places, and where in memory they are.
 *   list-places PROGRAM FILE */
#include <stdio.h>

#include "property/property.h"

static void list(const struct norn_place *place)
{
	static const char *const kinds[] = {"object", "field", "set", "free"};
	printf("%s: %s", place->text, kinds[place->kind]);
	if (place->field)
		printf(" %s", place->field);
	if (place->base)
		printf(" %s", place->base->name);
	for (uint32_t i = 0; i < place->hops; i++)
		printf("%s%llu", i ? " -> +" : " +", (unsigned long long)place->offsets[i]);
	if (place->cell_step)
		printf(" every %llu, %llu times", (unsigned long long)place->cell_step, (unsigned long long)place->count);
	printf(", %llu bytes", (unsigned long long)place->size);
	if (place->bit_size)
		printf(", %u bits from %u", place->bit_size, place->bit_offset);
	printf("%s%s\n", place->type ? ", " : "", place->type ? place->type->name : "");
}

int main(int argc, char **argv)
{
	struct norn_program *program = norn_program_new();
	struct norn_sources *sources = norn_sources_new();
	struct norn_error err = {0};
	uint32_t file;
	if (argc != 3 || norn_program_add(program, argv[1], 0, &err) < 0 || norn_sources_read(sources, argv[2], &file, &err) < 0) {
		fprintf(stderr, "list-places: %s\n", argc == 3 ? err.message : "PROGRAM FILE");
		return 2;
	}
	struct norn_tree *tree = norn_tree_parse(sources, file);
	struct norn_spec *spec = norn_spec_check(sources, tree, program);
	for (uint32_t i = 0; i < spec->place_count; i++)
		list(&spec->places[i]);
	norn_spec_free(spec);
	norn_tree_free(tree);
	norn_sources_free(sources);
	norn_program_free(program);
	return 0;
}
