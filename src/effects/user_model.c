/* See user_model.h. */
#include "effects/user_model.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

struct line {
	char *name; /* owned; without its * */
	enum norn_known_function known;
	bool prefix;
};

struct norn_effects_model {
	NORN_VECTOR(struct line) lines;
};

void norn_effects_model_free(struct norn_effects_model *model)
{
	if (!model)
		return;
	for (uint32_t i = 0; i < model->lines.count; i++)
		free(model->lines.items[i].name);
	norn_vector_done(&model->lines);
	free(model);
}

static int complain(struct norn_error *err, const char *path, unsigned line, const char *message, int length, const char *word)
{
	int r = norn_error_set(err, -EINVAL, message, length, word);
	if (err) {
		snprintf(err->file, sizeof err->file, "%s", path);
		err->line = line;
	}
	return r;
}

static void add(struct norn_effects_model *model, const char *name, int length, enum norn_known_function known)
{
	bool prefix = name[length - 1] == '*';
	norn_must_push(&model->lines,
	        (struct line){.name = norn_must_text_n(name, (size_t)(length - prefix)), .known = known, .prefix = prefix});
}

static bool find_class(const char *word, int length, enum norn_known_function *ret_known)
{
	for (unsigned i = 0; i < NORN_KNOWN_FUNCTION_CLASSES; i++) {
		const char *name = norn_known_function_name(i);
		if ((int)strlen(name) == length && memcmp(name, word, (size_t)length) == 0) {
			*ret_known = i;
			return true;
		}
	}
	return false;
}

/* A word of one line, and what comes after it. */
static const char *next_word(const char *text, const char **ret_word, int *ret_length)
{
	text += strspn(text, " \t\r");
	*ret_word = text;
	*ret_length = (int)strcspn(text, " \t\r\n#");
	return text + *ret_length;
}

static int parse_line(struct norn_effects_model *model, const char *text, const char *path, unsigned number, struct norn_error *err)
{
	const char *name, *class, *rest;
	int name_length, class_length, rest_length;
	text = next_word(text, &name, &name_length);
	if (name_length == 0)
		return 0;
	text = next_word(text, &class, &class_length);
	next_word(text, &rest, &rest_length);
	enum norn_known_function known;
	if (class_length == 0)
		return complain(err, path, number, "%.*s: say what it is, pure for instance", name_length, name);
	if (!find_class(class, class_length, &known))
		return complain(err, path, number, "%.*s is no class; there are pure, output, quiet, ordered, ends and opaque",
		        class_length, class);
	if (rest_length)
		return complain(err, path, number, "there is something after the class: %.*s", rest_length, rest);
	add(model, name, name_length, known);
	return 0;
}

int norn_effects_model_parse(const char *text, const char *path, struct norn_effects_model **ret_model, struct norn_error *err)
{
	struct norn_effects_model *model = norn_must_calloc(1, sizeof *model);
	int r = 0;
	for (unsigned number = 1; *text && r == 0; number++) {
		r = parse_line(model, text, path, number, err);
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	if (r < 0)
		norn_effects_model_free(model);
	else
		*ret_model = model;
	return r;
}

int norn_effects_model_read(const char *path, struct norn_effects_model **ret_model, struct norn_error *err)
{
	FILE *file = fopen(path, "re");
	if (!file)
		return norn_error_set(err, -errno, "cannot read %s: %s", path, strerror(errno));
	char *text = NULL;
	size_t room = 0;
	ssize_t bytes = getdelim(&text, &room, 0, file);
	int r;
	if (ferror(file))
		r = norn_error_set(err, -EIO, "cannot read %s", path);
	else if (bytes > 0 && text[bytes - 1] == 0 && !feof(file))
		r = norn_error_set(err, -EINVAL, "%s is no text", path);
	else
		r = norn_effects_model_parse(bytes > 0 ? text : "", path, ret_model, err);
	fclose(file);
	free(text);
	return r;
}

enum norn_known_function norn_effects_model_call(const struct norn_effects_model *model, const char *name)
{
	for (size_t i = model ? model->lines.count : 0; i-- > 0;) {
		const struct line *line = model->lines.items + i;
		if (line->prefix ? strncmp(name, line->name, strlen(line->name)) == 0 : strcmp(name, line->name) == 0)
			return line->known;
	}
	/* Functions of other classes make no record, unless the pass found a reason to. */
	return norn_known_function_find(name, NULL) == NORN_KNOWN_FUNCTION_ORDERED ? NORN_KNOWN_FUNCTION_ORDERED
	                                                                           : NORN_KNOWN_FUNCTION_OPAQUE;
}
