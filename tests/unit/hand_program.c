/* A program for the checker that no compiler made: see checked.h. */
#include "checked.h"

#include <errno.h>
#include <string.h>

#include "base/text/nearest_word.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct norn_type type_int = {.kind = NORN_TYPE_SIGNED, .name = "int", .size = 4};
static const struct norn_type type_unsigned = {.kind = NORN_TYPE_UNSIGNED, .name = "unsigned int", .size = 4};
static const struct norn_type type_long = {.kind = NORN_TYPE_SIGNED, .name = "long", .size = 8};
static const struct norn_type type_bool = {.kind = NORN_TYPE_BOOL, .name = "_Bool", .size = 1};
static const struct norn_type type_float = {.kind = NORN_TYPE_FLOAT, .name = "float", .size = 4};
static const struct norn_type type_double = {.kind = NORN_TYPE_FLOAT, .name = "double", .size = 8};
static const struct norn_type type_long_double = {.kind = NORN_TYPE_FLOAT, .name = "long double", .size = 16};
static const struct norn_type type_unknown = {.kind = NORN_TYPE_UNKNOWN, .name = "", .size = 4};
static const struct norn_type type_mutex = {.kind = NORN_TYPE_UNION, .name = "pthread_mutex_t", .size = 40};
static const struct norn_type type_mutex_pointer = {.kind = NORN_TYPE_POINTER, .name = "", .size = 8, .target = &type_mutex};

static const struct norn_member limits_members[] = {
        {.name = "min", .type = &type_int}, {.name = "max", .type = &type_int, .offset = 4}};
static const struct norn_type type_limits = {
        .kind = NORN_TYPE_STRUCT, .name = "limits", .size = 8, .members = limits_members, .member_count = 2};
static const struct norn_type type_ints = {.kind = NORN_TYPE_ARRAY, .name = "", .size = 16, .target = &type_int, .count = 4};

static const struct norn_type type_acct;
static const struct norn_type type_acct_pointer = {.kind = NORN_TYPE_POINTER, .name = "", .size = 8, .target = &type_acct};
static const struct norn_member acct_members[] = {
        {.name = "balance", .type = &type_long},
        {.name = "next", .type = &type_acct_pointer, .offset = 8},
        {.name = "limits", .type = &type_limits, .offset = 16},
        {.name = "open", .type = &type_unsigned, .offset = 24, .bit_offset = 3, .bit_size = 2},
        {.name = "history", .type = &type_ints, .offset = 28},
};
static const struct norn_type type_acct = {
        .kind = NORN_TYPE_STRUCT, .name = "acct", .size = 48, .members = acct_members, .member_count = COUNT(acct_members)};
static const struct norn_type type_accts = {.kind = NORN_TYPE_ARRAY, .name = "", .size = 480, .target = &type_acct, .count = 10};

static const struct norn_member transfer_parameters[] = {
        {.name = "from", .type = &type_acct_pointer}, {.name = "amount", .type = &type_unsigned}};
static const struct norn_type type_transfer = {
        .kind = NORN_TYPE_FUNCTION, .name = "", .target = &type_int, .members = transfer_parameters, .member_count = 2};
static const struct norn_type type_procedure = {.kind = NORN_TYPE_FUNCTION, .name = ""};

static const struct norn_symbol symbols[] = {
        {.name = "landing", .file = "main.c", .function = "", .type = &type_int, .size = 4},
        {.name = "radio", .file = "main.c", .function = "", .type = &type_bool, .size = 1},
        {.name = "tries", .file = "main.c", .function = "", .type = &type_unsigned, .size = 4},
        {.name = "quota", .file = "main.c", .function = "", .type = &type_float, .size = 4},
        {.name = "speed", .file = "main.c", .function = "", .type = &type_double, .size = 8},
        {.name = "exact", .file = "main.c", .function = "", .type = &type_long_double, .size = 16},
        {.name = "stripped", .file = "", .function = "", .type = &type_unknown, .size = 4},
        {.name = "bank", .file = "main.c", .function = "", .type = &type_accts, .size = 480},
        {.name = "first", .file = "main.c", .function = "", .type = &type_acct_pointer, .size = 8},
        {.name = "own", .file = "main.c", .function = "", .type = &type_int, .size = 4, .is_thread_local = true},
        {.name = "mutex", .file = "main.c", .function = "", .type = &type_mutex, .size = 40},
        {.name = "mutex_pointer", .file = "main.c", .function = "", .type = &type_mutex_pointer, .size = 8},
        {.name = "hidden", .file = "src/one.c", .function = "", .type = &type_int, .size = 4, .is_static = true},
        {.name = "count", .file = "src/one.c", .function = "", .type = &type_int, .size = 4, .is_static = true},
        {.name = "count", .file = "src/two.c", .function = "", .type = &type_int, .size = 4, .is_static = true},
        {.name = "count", .file = "src/two.c", .function = "transfer", .type = &type_int, .size = 4, .is_static = true},
        {.name = "transfer",
                .file = "main.c",
                .function = "",
                .type = &type_transfer,
                .address = 16,
                .is_function = true,
                .instrumented = true},
        {.name = "worker",
                .file = "main.c",
                .function = "",
                .type = &type_procedure,
                .address = 32,
                .is_function = true,
                .instrumented = true},
        {.name = "foreign", .file = "main.c", .function = "", .type = &type_procedure, .address = 48, .is_function = true},
};

/* There is one program; its address is all that is needed. */
struct norn_program {
	char unused;
};

const struct norn_program *hand_program(void)
{
	static const struct norn_program program;
	return &program;
}

static bool is_file(const char *path, const char *part)
{
	size_t length = strlen(path), tail = strlen(part);
	return length >= tail && strcmp(path + length - tail, part) == 0;
}

const struct norn_symbol *norn_program_symbol(const struct norn_program *program, bool is_function, const char *name,
        const char *file, const char *function, size_t *cursor)
{
	while (*cursor < COUNT(symbols)) {
		const struct norn_symbol *symbol = &symbols[(*cursor)++];
		if (symbol->is_function == is_function && strcmp(symbol->name, name) == 0 &&
		        (!file || is_file(symbol->file, file)) && (!function || strcmp(symbol->function, function) == 0))
			return symbol;
	}
	return NULL;
}

/* Of no file; a test may have modules of its own. */
__attribute__((weak)) uint32_t norn_program_modules(const struct norn_program *program)
{
	return 0;
}

__attribute__((weak)) const char *norn_program_path(const struct norn_program *program, uint32_t module)
{
	return "";
}

__attribute__((weak)) bool norn_program_has_types(const struct norn_program *program, uint32_t module)
{
	return true;
}

int norn_program_enumerator(const struct norn_program *program, const char *name, int64_t *ret_value)
{
	*ret_value = 5;
	return strcmp(name, "BUSY") == 0 ? 0 : strcmp(name, "IDLE") == 0 ? -EEXIST : -ENOENT;
}

bool norn_program_has_set(const struct norn_program *program, const char *name)
{
	return strcmp(name, "phase") == 0;
}

const struct norn_type *norn_program_tag(const struct norn_program *program, bool is_union, const char *tag)
{
	return is_union ? NULL : strcmp(tag, "acct") == 0 ? &type_acct : strcmp(tag, "limits") == 0 ? &type_limits : NULL;
}

const struct norn_member *norn_type_member(const struct norn_type *type, const char *name, uint64_t *ret_offset)
{
	for (uint32_t i = 0; i < type->member_count; i++)
		if (strcmp(type->members[i].name, name) == 0) {
			*ret_offset = type->members[i].offset;
			return &type->members[i];
		}
	return NULL;
}

const struct norn_type *norn_type_member_owner(const struct norn_type *type, const char *name)
{
	return type;
}

const struct norn_symbol *norn_program_function(const struct norn_program *program, const char *name, size_t *cursor)
{
	return norn_program_symbol(program, true, name, NULL, NULL, cursor);
}

static const char *symbol_name(const void *is_function, unsigned i)
{
	return symbols[i].is_function == *(const bool *)is_function ? symbols[i].name : "";
}

const char *norn_program_nearest(const struct norn_program *program, bool is_function, const char *name)
{
	const char *near = norn_nearest(name, COUNT(symbols), symbol_name, &is_function);
	return near && *near ? near : NULL;
}

const char *norn_program_nearest_tag(const struct norn_program *program, const char *tag)
{
	return strncmp(tag, "acc", 3) == 0 ? "acct" : NULL;
}

static const char *member_name(const void *type, unsigned i)
{
	return ((const struct norn_type *)type)->members[i].name;
}

const char *norn_type_nearest_member(const struct norn_type *type, const char *name)
{
	return norn_nearest(name, type->member_count, member_name, type);
}
