/* Prints what a property can name of an ELF file, and what it starts as, for a test to compare:
 *
 *   list-program [-b BIAS] [-l LIBRARY] [-f FILE] PROGRAM [NAME…]
 *
 * Without names: all symbols that are declared in a source file whose path ends in FILE, and the structs and unions that they use.
 * With names: "x" or "fn::x" or "f.c:x" of a variable or function, "struct t", "near x", "near struct t", "near struct t.x"; each is
 * looked up. Addresses are left out: only pointers are shown, as what they point to. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program/name_index.h"

#define DEPTH_MAX 6

static struct norn_program *program;
static const struct norn_type *shown[256];
static unsigned shown_count;

/* ---- values ---- */

/* The symbol that an address as loaded is in. */
static void print_pointer(uint64_t value)
{
	for (int kind = 0; kind < 2; kind++) {
		const struct norn_entry *entry = NULL;
		for (uint32_t i = 0; entry || i < program->names[kind].names.count; entry = entry->next) {
			entry = entry ? entry : program->names[kind].newest.items[i++];
			const struct norn_symbol *s = &entry->symbol;
			uint64_t start = s->address + norn_program_bias(program, s->module);
			if (s->address && !s->is_thread_local && value >= start && value - start < (s->size ? s->size : 1)) {
				value == start ? printf("&%s", s->name) : printf("&%s+%d", s->name, (int)(value - start));
				return;
			}
		}
	}
	value ? printf("%#llx", (unsigned long long)value) : printf("NULL");
}

static void print_number(const struct norn_type *type, const unsigned char *bytes, unsigned bit, unsigned bits)
{
	unsigned __int128 wide = 0;
	unsigned width = bits ? bits : type->size * 8 < 128 ? type->size * 8 : 64;
	memcpy(&wide, bytes, bits ? (bit + bits + 7) / 8 : width / 8);
	uint64_t value = wide >> bit;
	if (width < 64)
		value &= (UINT64_C(1) << width) - 1;
	if (type->kind == NORN_TYPE_FLOAT && type->size == 4)
		printf("%g", *(const float *)(const void *)&value);
	else if (type->kind == NORN_TYPE_FLOAT && type->size == 8)
		printf("%g", *(const double *)(const void *)&value);
	else if (type->kind == NORN_TYPE_POINTER)
		print_pointer(value);
	else if (type->kind == NORN_TYPE_SIGNED && width < 64 && value >> (width - 1))
		printf("%lld", (long long)(value - (UINT64_C(1) << width)));
	else
		printf(type->kind == NORN_TYPE_SIGNED ? "%lld" : "%llu", (long long)value);
}

static void print_value(const struct norn_type *type, const unsigned char *bytes, size_t size, int depth)
{
	if (depth > DEPTH_MAX || (type->size && type->size > size)) {
		printf("...");
	} else if (type->kind == NORN_TYPE_ARRAY) {
		uint64_t element = type->target ? type->target->size : 0;
		printf("{");
		for (uint64_t i = 0; element && i < type->count && i < 8; i++) {
			printf(i ? ", " : "");
			print_value(type->target, bytes + i * element, element, depth + 1);
		}
		printf("}");
	} else if (type->kind == NORN_TYPE_STRUCT || type->kind == NORN_TYPE_UNION) {
		printf("{");
		for (uint32_t i = 0; i < type->member_count; i++) {
			const struct norn_member *m = &type->members[i];
			uint64_t end = m->offset + (m->bit_size ? (m->bit_offset + m->bit_size + 7) / 8 : m->type->size);
			printf(i ? ", %s%s" : "%s%s", m->name, *m->name ? "=" : "");
			if (end > size)
				printf("...");
			else if (m->bit_size)
				print_number(m->type, bytes + m->offset, m->bit_offset, m->bit_size);
			else
				print_value(m->type, bytes + m->offset, size - m->offset, depth + 1);
		}
		printf("}");
	} else if (type->size && type->size <= 16 && type->kind != NORN_TYPE_UNKNOWN) {
		print_number(type, bytes, 0, 0);
	} else {
		for (size_t i = 0; i < size && i < 16; i++)
			printf("%02x", bytes[i]);
	}
}

static void print_initial(const struct norn_symbol *symbol)
{
	size_t size = symbol->size ? symbol->size : symbol->type->size;
	unsigned char *bytes = size < 1u << 20 ? calloc(1, size + 16) : NULL;
	if (!bytes || !size) {
		free(bytes);
		return;
	}
	int r = symbol->is_thread_local ? norn_program_initial_tls(program, symbol->module, symbol->address, bytes, size)
	                                : norn_program_initial(program, symbol->module, symbol->address, bytes, size);
	printf(" = ");
	r < 0 ? printf("%s", strerrorname_np(-r)) : print_value(symbol->type, bytes, size, 0);
	free(bytes);
}

/* ---- names ---- */

static const char *kind_name(const struct norn_type *type)
{
	static const char *const names[] = {
	        "unknown", "void", "bool", "signed", "unsigned", "float", "pointer", "struct", "union", "array", "function"};
	return names[type->kind];
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Remembers the structs that are reachable from it, to be shown later. */
static void remember(const struct norn_type *type, int depth)
{
	if (!type || depth > DEPTH_MAX)
		return;
	for (unsigned i = 0; i < shown_count; i++)
		if (shown[i] == type)
			return;
	if ((type->kind == NORN_TYPE_STRUCT || type->kind == NORN_TYPE_UNION) && shown_count < 256)
		shown[shown_count++] = type;
	remember(type->target, depth + 1);
	for (uint32_t i = 0; i < type->member_count; i++)
		remember(type->members[i].type, depth + 1);
}

static void print_symbol(const struct norn_symbol *symbol)
{
	const struct norn_type *type = symbol->type;
	printf("%s%s%s%s", symbol->is_static ? "static " : "", symbol->function, *symbol->function ? "::" : "", symbol->name);
	printf(": %s", *type->name ? type->name : kind_name(type));
	if (!symbol->is_function)
		printf(" (%s %llu)", kind_name(type), (unsigned long long)symbol->size);
	printf(" in %s", *symbol->file ? last_part(symbol->file) : "?");
	printf("%s%s%s", symbol->is_thread_local ? " thread-local" : "", symbol->optimised_out ? " optimised-out" : "",
	        symbol->instrumented ? " instrumented" : "");
	if (!symbol->is_function && !symbol->optimised_out)
		print_initial(symbol);
	printf("\n");
	remember(type, 0);
}

static void print_struct(const struct norn_type *type)
{
	printf("%s %s %llu:", kind_name(type), *type->name ? type->name : "-", (unsigned long long)type->size);
	for (uint32_t i = 0; i < type->member_count; i++) {
		const struct norn_member *m = &type->members[i];
		printf("%s %s %s @%llu", i ? "," : "", *m->type->name ? m->type->name : kind_name(m->type),
		        *m->name ? m->name : "-", (unsigned long long)m->offset);
		if (m->bit_size)
			printf(".%u:%u", m->bit_offset, m->bit_size);
	}
	printf("\n");
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int compare_symbols(const void *a, const void *b)
{
	const struct norn_symbol *x = *(const struct norn_symbol *const *)a, *y = *(const struct norn_symbol *const *)b;
	int d = strcmp(x->function, y->function);
	return d ? d : strcmp(x->file, y->file);
}

static void print_all_named(bool is_function, const char *name, const char *file, const char *function)
{
	const struct norn_symbol *found[256];
	size_t count = 0, cursor = 0;
	while (count < 256 && (found[count] = norn_program_symbol(program, is_function, name, file, function, &cursor)))
		count++;
	if (count)
		qsort(found, count, sizeof *found, compare_symbols);
	for (size_t i = 0; i < count; i++)
		print_symbol(found[i]);
}

static void print_everything(const char *file)
{
	for (int kind = 0; kind < 2; kind++) {
		uint32_t count = program->names[kind].names.count;
		const char **names = calloc(count + 1, sizeof *names);
		if (!names)
			exit(2);
		for (uint32_t i = 0; i < count; i++)
			names[i] = norn_table_key(&program->names[kind].names, i);
		qsort(names, count, sizeof *names, compare_names);
		for (uint32_t i = 0; i < count; i++)
			print_all_named(kind, names[i], file, NULL);
		free(names);
	}
	for (unsigned i = 0; i < shown_count; i++)
		print_struct(shown[i]);
}

/* ---- looking up ---- */

static void print_nearest(char *name)
{
	const char *near = NULL;
	char *dot = strchr(name, '.');
	if (strncmp(name, "struct ", 7) == 0 && dot) {
		*dot = 0;
		const struct norn_type *type = norn_program_tag(program, false, name + 7);
		near = type ? norn_type_nearest_member(type, dot + 1) : NULL;
	} else if (strncmp(name, "struct ", 7) == 0) {
		near = norn_program_nearest_tag(program, name + 7);
	} else {
		near = norn_program_nearest(program, strstr(name, "()"), strtok(name, "()"));
	}
	printf("near: %s\n", near ? near : "none");
}

static void look_up(char *name)
{
	bool is_union = strncmp(name, "union ", 6) == 0;
	if (strncmp(name, "near ", 5) == 0) {
		print_nearest(name + 5);
		return;
	}
	if (is_union || strncmp(name, "struct ", 7) == 0) {
		const struct norn_type *type = norn_program_tag(program, is_union, strchr(name, ' ') + 1);
		type ? print_struct(type) : (void)printf("no %s\n", name);
		return;
	}
	char *colon = strstr(name, "::"), *file = NULL, *function = NULL;
	for (char *next; colon && (next = strstr(colon + 2, "::"));)
		colon = next;
	if (colon) {
		*colon = 0;
		function = name;
		name = colon + 2;
	} else if ((colon = strchr(name, ':'))) {
		*colon = 0;
		file = name;
		name = colon + 1;
	}
	size_t a = 0, b = 0;
	if (!norn_program_symbol(program, false, name, file, function, &a) &&
	        !norn_program_symbol(program, true, name, file, function, &b))
		printf("no %s\n", name);
	print_all_named(false, name, file, function);
	print_all_named(true, name, file, function);
}

static int add(const char *path, uint64_t bias)
{
	struct norn_error err = {0};
	int r = norn_program_add(program, path, bias, &err);
	if (r < 0)
		fprintf(stderr, "%s\n", err.message);
	return r;
}

int main(int argc, char **argv)
{
	const char *file = NULL, *library = NULL;
	uint64_t bias = 0;
	for (int option; (option = getopt(argc, argv, "b:f:l:")) != -1;) {
		if (option == 'b')
			bias = strtoull(optarg, NULL, 0);
		else if (option == 'f')
			file = optarg;
		else if (option == 'l')
			library = optarg;
		else
			return 2;
	}
	if (optind >= argc)
		return 2;
	program = norn_program_new();
	int r = add(argv[optind], bias);
	if (r == 0 && library)
		r = add(library, 0x10000000);
	if (r == 0 && optind + 1 == argc)
		print_everything(file);
	for (int i = optind + 1; r == 0 && i < argc; i++)
		look_up(argv[i]);
	norn_program_free(program);
	return r < 0 ? 1 : 0;
}
