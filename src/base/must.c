#include "base/must.h"

#include <stdarg.h>
#include <unistd.h>

static void (*last_act)(void);

void norn_at_out_of_memory(void (*act)(void))
{
	last_act = act;
}

void norn_out_of_memory(void)
{
	static const char message[] = "norn: there is not enough memory\n";
	ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
	(void)written;
	void (*act)(void) = last_act;
	last_act = NULL; /* it may come here, too */
	if (act)
		act();
	_exit(2);
}

void *norn_must_have(const void *pointer)
{
	if (!pointer)
		norn_out_of_memory();
	return (void *)(uintptr_t)pointer;
}

void *norn_must_alloc(size_t count, size_t bytes)
{
	return norn_must_realloc(NULL, count, bytes);
}

void *norn_must_calloc(size_t count, size_t bytes)
{
	return norn_must(calloc(count ? count : 1, bytes ? bytes : 1));
}

void *norn_must_realloc(void *array, size_t count, size_t bytes)
{
	return norn_must(reallocarray(array, count ? count : 1, bytes ? bytes : 1));
}

void *norn_must_copy(const void *array, size_t count, size_t bytes)
{
	void *copy = norn_must_alloc(count, bytes);
	if (count)
		memcpy(copy, array, count * bytes);
	return copy;
}

char *norn_must_text(const char *text)
{
	return text ? norn_must(strdup(text)) : NULL;
}

char *norn_must_text_n(const char *text, size_t length)
{
	char *copy = norn_must_alloc(length + 1, 1);
	if (length)
		memcpy(copy, text, length);
	copy[length] = 0;
	return copy;
}

char *norn_must_format(const char *format, ...)
{
	char *text;
	va_list arguments;
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		norn_out_of_memory();
	va_end(arguments);
	return text;
}

void norn_must_close(FILE *file)
{
	bool failed = ferror(file);
	if (fclose(file) != 0 || failed)
		norn_out_of_memory();
}

void *norn_must_arena_alloc(struct norn_arena *arena, size_t bytes)
{
	return norn_must(norn_arena_alloc(arena, bytes));
}

void *norn_must_arena_copy(struct norn_arena *arena, const void *array, size_t count, size_t bytes)
{
	size_t size;
	if (__builtin_mul_overflow(count, bytes, &size))
		norn_out_of_memory();
	return norn_must_arena_text(arena, array, size);
}

char *norn_must_arena_text(struct norn_arena *arena, const char *text, size_t length)
{
	return norn_must(norn_arena_text(arena, text, length));
}

void *norn_must_map_put(struct norn_map *map, uint64_t key)
{
	void *value;
	if (norn_map_put(map, key, &value) < 0)
		norn_out_of_memory();
	return value;
}

uint32_t norn_must_table_put(struct norn_table *table, const void *key, size_t bytes, bool *ret_new)
{
	uint32_t number;
	int r = norn_table_put(table, key, bytes, &number);
	if (r < 0)
		norn_out_of_memory();
	if (ret_new)
		*ret_new = r;
	return number;
}
