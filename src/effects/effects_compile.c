/* A program of the build: makes the constant table (effects.h) of the files that it is given, and writes it to standard output.
 * With --json first: the same for tests, an object on a line for each entry. With --image: for the runtime (effects_image.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "effects/effects_image.h"
#include "effects/effects_parse.h"

/* The table that is about to be made. */
const struct norn_effects norn_effects_table[1];
const unsigned norn_effects_table_count;

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;
	if (!file || getdelim(&text, &room, 0, file) < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
	fclose(file);
	return text;
}

static void print_text(const char *text)
{
	if (!text) {
		printf("0"); /* both a null pointer, and no text in JSON */
		return;
	}
	putchar('"');
	for (; *text; text++)
		printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
	putchar('"');
}

static int compare(const void *a, const void *b)
{
	const struct norn_effects *x = a, *y = b;
	int order = strcmp(x->name, y->name);
	/* Any type comes last. */
	if (order == 0)
		order = !x->type - !y->type;
	return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

static void print_parts(const struct norn_effects *e, unsigned n)
{
	if (e->use_count)
		printf("static const struct norn_effects_use u%u[] = {", n);
	for (unsigned i = 0; i < e->use_count; i++) {
		printf("{%u,%u,%u,", e->uses[i].resource, e->uses[i].how, e->uses[i].key);
		print_text(e->uses[i].global);
		printf("},");
	}
	printf(e->use_count ? "};\n" : "");
	if (e->part_count)
		printf("static const struct norn_effects_part p%u[] = {", n);
	for (unsigned i = 0; i < e->part_count; i++) {
		const struct norn_effects_part *p = e->parts + i;
		printf("{%u,%u,%u,%u,%u,%u,%u,%u,%u,%d,%d,%d,%d,%d,%u,", p->how, p->pointer, p->extent, p->other, p->limit,
		        p->times, p->after, p->condition, p->subject, p->value, p->maybe, p->behind, p->limit_behind, p->list,
		        p->bytes);
		print_text(p->global);
		printf("},");
	}
	printf(e->part_count ? "};\n" : "");
}

static void print_entry(const struct norn_effects *e, unsigned n)
{
	const char *texts[] = {e->name, e->type, e->declaration, e->text, e->reason, e->file};
	printf("{");
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
		print_text(texts[i]);
		printf(",");
	}
	printf("%u,%uu,%uu,%uu,%u,%u,%u,%u,%u,%u,%u,", e->line, e->reads, e->writes, e->adds, e->flags, e->waits, e->calls,
	        e->keeps, e->frees, e->use_count, e->part_count);
	printf(e->use_count ? "u%u," : "0,", n);
	printf(e->part_count ? "p%u},\n" : "0},\n", n);
}

static void print_json(const struct norn_effects *e)
{
	static const char *const texts[] = {"name", "type", "declaration", "text", "reason", "file"};
	const char *values[] = {e->name, e->type, e->declaration, e->text, e->reason, e->file};
	printf("{");
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
		printf("\"%s\":", texts[i]);
		print_text(values[i]);
		printf(",");
	}
	printf("\"line\":%u,\"flags\":%u,\"waits\":%u,\"calls\":%u,\"keeps\":%u,\"frees\":%u,\"uses\":[", e->line, e->flags,
	        e->waits, e->calls, e->keeps, e->frees);
	for (unsigned i = 0; i < e->use_count; i++)
		printf("%s{\"resource\":\"%s\",\"how\":%u,\"key\":%u}", i ? "," : "",
		        norn_effects_resource_name(e->uses[i].resource), e->uses[i].how, e->uses[i].key);
	printf("],\"parts\":[");
	for (unsigned i = 0; i < e->part_count; i++) {
		const struct norn_effects_part *p = e->parts + i;
		printf("%s{\"how\":%u,\"pointer\":%u,\"extent\":%u,\"other\":%u,\"limit\":%u,\"times\":%u,\"after\":%u,"
		       "\"condition\":%u,"
		       "\"subject\":%u,\"value\":%d,\"maybe\":%d,\"behind\":%d,\"limit_behind\":%d,\"bytes\":%u,\"global\":",
		        i ? "," : "", p->how, p->pointer, p->extent, p->other, p->limit, p->times, p->after, p->condition,
		        p->subject, p->value, p->maybe, p->behind, p->limit_behind, p->bytes);
		print_text(p->global);
		printf("}");
	}
	printf("]}\n");
}

static void print_table(const struct norn_effects_list *list)
{
	printf("#include \"effects/effects.h\"\n");
	for (uint32_t i = 0; i < list->entries.count; i++)
		print_parts(list->entries.items + i, i);
	printf("const struct norn_effects norn_effects_table[] = {\n");
	for (uint32_t i = 0; i < list->entries.count; i++)
		print_entry(list->entries.items + i, i);
	printf("};\nconst unsigned norn_effects_table_count = %u;\n", list->entries.count);
}

static void print_image(const struct norn_effects_list *list)
{
	struct norn_effects_image *image = norn_effects_image_make(list->entries.items, list->entries.count, true);
	const unsigned char *bytes = (const unsigned char *)image;
	printf("#include \"effects/effects_image.h\"\n_Alignas(8) const unsigned char norn_effects_own_image[] = {");
	for (uint32_t i = 0; i < image->bytes; i++)
		printf(i % 32 ? "%u," : "\n%u,", bytes[i]);
	printf("};\n");
	free(image);
}

int main(int argc, char **argv)
{
	struct norn_effects_list list = {0};
	struct norn_error err;
	bool json = argc > 1 && strcmp(argv[1], "--json") == 0, image = argc > 1 && strcmp(argv[1], "--image") == 0;
	for (int i = 1 + (json || image); i < argc; i++) {
		const char *slash = strrchr(argv[i], '/');
		char *text = read_file(argv[i]);
		if (norn_effects_parse(text, slash ? slash + 1 : argv[i], &list, &err) < 0) {
			fprintf(stderr, "%s:%u: %s\n", argv[i], err.line, err.message);
			return 1;
		}
		free(text);
	}
	qsort(list.entries.items, list.entries.count, sizeof *list.entries.items, compare);
	for (uint32_t i = 1; i < list.entries.count; i++) {
		const struct norn_effects *a = list.entries.items + i - 1, *b = a + 1;
		if (strcmp(a->name, b->name) == 0 && (!a->type || (b->type && strcmp(a->type, b->type) == 0))) {
			fprintf(stderr, "%s:%u: %s has an entry already, %s:%u\n", b->file, b->line, b->name, a->file, a->line);
			return 1;
		}
	}
	if (json)
		for (uint32_t i = 0; i < list.entries.count; i++)
			print_json(list.entries.items + i);
	else if (image)
		print_image(&list);
	else
		print_table(&list);
	norn_effects_list_done(&list);
	return 0;
}
