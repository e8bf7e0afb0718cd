#include "judge/modules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/function_name.h"

int norn_modules_init(struct norn_modules *m)
{
	m->list = calloc(NORN_MODULES_MAX, sizeof *m->list);
	atomic_store(&m->count, 0);
	return m->list ? 0 : -ENOMEM;
}

void norn_modules_done(struct norn_modules *m)
{
	free(m->list);
	m->list = NULL;
}

const struct norn_loaded *norn_modules_add(struct norn_modules *m, const struct norn_loaded *module)
{
	uint32_t count = atomic_load_explicit(&m->count, memory_order_relaxed);
	if (count == NORN_MODULES_MAX)
		return NULL;
	m->list[count] = *module;
	atomic_store_explicit(&m->count, count + 1, memory_order_release); /* pairs with find's acquire */
	return &m->list[count];
}

bool norn_module_is(const char *a, const char *b)
{
	const char *x = strrchr(a, '/'), *y = strrchr(b, '/');
	return strcmp(a, b) == 0 || strcmp(x ? x + 1 : a, y ? y + 1 : b) == 0;
}

static const struct norn_loaded *find(const struct norn_modules *m, uint32_t site)
{
	for (uint32_t i = atomic_load_explicit(&m->count, memory_order_acquire); i; i--)
		if (site - m->list[i - 1].base < m->list[i - 1].sites)
			return &m->list[i - 1];
	return NULL;
}

static const char *text_at(const struct norn_site_table *t, uint32_t offset)
{
	const char *strings = (const char *)(t + 1) + (size_t)t->sites * sizeof(struct norn_site) +
	                      (size_t)t->frames * sizeof(struct norn_frame) + t->facts;
	return offset < t->strings ? strings + offset : "";
}

void norn_modules_site(const struct norn_modules *m, uint32_t number, struct norn_site_words *ret_words)
{
	const struct norn_loaded *module = find(m, number);
	*ret_words = (struct norn_site_words){NULL, "", "", "", ""};
	if (!module)
		return;
	const struct norn_site_table *t = module->table;
	const struct norn_site *site = (const struct norn_site *)(t + 1) + (number - module->base);
	*ret_words = (struct norn_site_words){
	        site, text_at(t, site->function), text_at(t, site->file), text_at(t, site->name), text_at(t, site->field)};
}

bool norn_path_ends(const char *path, const char *file)
{
	size_t a = strlen(path), b = strlen(file);
	return a >= b && strcmp(path + a - b, file) == 0 && (a == b || path[a - b - 1] == '/' || file[0] == '/');
}

bool norn_modules_inlined(const struct norn_modules *m, uint32_t number, const char *function, const char *file)
{
	const struct norn_loaded *module = find(m, number);
	if (!module)
		return false;
	const struct norn_site_table *t = module->table;
	const struct norn_site *site = (const struct norn_site *)(t + 1) + (number - module->base);
	const struct norn_frame *frames = (const struct norn_frame *)(const void *)((const struct norn_site *)(t + 1) + t->sites);
	uint32_t own_function = site->function, own_file = site->file;
	for (uint32_t outer = site->inlined_at, depth = 0; outer && outer <= t->frames && depth < 64; depth++) {
		if (norn_function_is_named(text_at(t, own_function), function) &&
		        (!file || norn_path_ends(text_at(t, own_file), file)))
			return true;
		own_function = frames[outer - 1].function;
		own_file = frames[outer - 1].file;
		outer = frames[outer - 1].inlined_at;
	}
	return false;
}
