/* See user_model.h. */
#include "effects/user_model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/must.h"
#include "effects/effects_image.h"
#include "effects/effects_parse.h"

#define FILE_BYTES_MAX (64u << 20)

struct norn_effects_model {
	struct norn_effects_list list;
};

void norn_effects_model_free(struct norn_effects_model *model)
{
	if (!model)
		return;
	norn_effects_list_done(&model->list);
	free(model);
}

int norn_effects_model_parse(const char *text, const char *path, struct norn_effects_model **ret_model, struct norn_error *err)
{
	struct norn_effects_model *model = norn_must_calloc(1, sizeof *model);
	int r = norn_effects_parse(text, path, &model->list, err);
	if (r < 0)
		norn_effects_model_free(model);
	else
		*ret_model = model;
	return r;
}

int norn_effects_model_read(const char *path, struct norn_effects_model **ret_model, struct norn_error *err)
{
	char *text;
	size_t bytes;
	int r = norn_read_input(path, "model", FILE_BYTES_MAX, &text, &bytes, err);
	if (r != 0)
		return r;
	if (memchr(text, 0, bytes))
		r = norn_error_set(err, -EINVAL, "%s is no text", path);
	else
		r = norn_effects_model_parse(text, path, ret_model, err);
	free(text);
	return r;
}

const struct norn_effects *norn_effects_model_find(const struct norn_effects_model *model, const char *name)
{
	for (size_t i = model ? model->list.entries.count : 0; i-- > 0;) {
		const struct norn_effects *e = model->list.entries.items + i;
		if (e->flags & NORN_EFFECTS_PREFIX ? strncmp(name, e->name, strlen(e->name)) == 0 : strcmp(name, e->name) == 0)
			return e;
	}
	return NULL;
}

bool norn_effects_model_names_memory(const struct norn_effects_model *model)
{
	for (uint32_t i = 0; i < model->list.entries.count; i++)
		if (model->list.entries.items[i].part_count)
			return true;
	return false;
}

static char *as_text(const struct norn_effects_image *image)
{
	char *text = norn_must_alloc((size_t)image->bytes * 2 + 1, 1), *at = text;
	const unsigned char *bytes = (const unsigned char *)image;
	for (uint32_t i = 0; i < image->bytes; i++)
		at += sprintf(at, "%02x", bytes[i]);
	return text;
}

int norn_effects_models_as_text(const char *const *paths, unsigned count, char **ret_text, struct norn_error *err)
{
	struct norn_effects_model **models = norn_must_calloc(count, sizeof *models);
	NORN_VECTOR(struct norn_effects) entries = {0};
	int r = 0;
	for (unsigned i = 0; i < count && r == 0; i++) {
		r = norn_effects_model_read(paths[i], &models[i], err);
		for (uint32_t k = 0; r == 0 && k < models[i]->list.entries.count; k++)
			norn_must_push(&entries, models[i]->list.entries.items[k]);
	}
	if (r == 0) {
		struct norn_effects_image *image = norn_effects_image_make(entries.items, entries.count, false);
		*ret_text = entries.count ? as_text(image) : NULL;
		free(image);
	}
	for (unsigned i = 0; i < count; i++)
		norn_effects_model_free(models[i]);
	free(models);
	norn_vector_done(&entries);
	return r;
}

enum norn_effects_call norn_effects_model_call(const struct norn_effects *e)
{
	if (e->flags & NORN_EFFECTS_OPAQUE)
		return NORN_EFFECTS_CALL_OPAQUE;
	if (e->flags & (NORN_EFFECTS_ENDS | NORN_EFFECTS_HOOKED))
		return NORN_EFFECTS_CALL_HARMLESS;
	if (e->part_count || e->calls || e->keeps || e->frees || e->waits & ~(unsigned)NORN_EFFECTS_WAITS_TIME)
		return NORN_EFFECTS_CALL_OPAQUE;
	return e->reads || e->writes ? NORN_EFFECTS_CALL_ORDERED : NORN_EFFECTS_CALL_HARMLESS;
}
