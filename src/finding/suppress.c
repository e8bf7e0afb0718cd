#include "finding/suppress.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

enum key { KEY_VARIABLE, KEY_FUNCTION, KEY_FILE, KEY_PROPERTY, KEY_ID, KEYS };
static const char *const key_names[KEYS] = {"variable", "function", "file", "property", "id"};

struct norn_suppression_condition {
	enum key key;
	const char *glob;
	struct norn_suppression_condition *next;
};

void norn_suppressions_done(struct norn_suppressions *s)
{
	norn_arena_done(&s->arena);
	free(s->list);
	*s = (struct norn_suppressions){0};
}

/* ---- reading ---- */

struct line {
	const char *name; /* of the file */
	unsigned number;
	const char *text, *at;
	struct norn_error *err;
};

/* Says where the mistake is; code is what norn_error_set returned. */
static int locate(const struct line *l, const char *at, int code)
{
	if (l->err) {
		snprintf(l->err->file, sizeof l->err->file, "%s", l->name);
		l->err->line = l->number;
		l->err->column = (unsigned)(at - l->text) + 1;
	}
	return code;
}

static void skip_space(struct line *l)
{
	l->at += strspn(l->at, " \t\r\n");
	if (*l->at == '#')
		l->at += strlen(l->at);
}

static int read_kind(struct line *l, int *ret_kind)
{
	size_t length = strcspn(l->at, " \t\r\n#");
	if (length == 1 && *l->at == '*') {
		*ret_kind = -1;
		l->at++;
		return 0;
	}
	for (int kind = 0; kind < NORN_FINDING_KINDS; kind++) {
		const char *name = norn_finding_kind_name((enum norn_finding_kind)kind);
		if (strlen(name) == length && strncmp(name, l->at, length) == 0) {
			*ret_kind = kind;
			l->at += length;
			return 0;
		}
	}
	return locate(l, l->at,
	        norn_error_set(l->err, -EINVAL,
	                "there is no kind of finding %.*s: it is race, deadlock, atomicity, use-after-free, double-free, "
	                "use-after-return, assertion, null-dereference, property, liveness, or * for any",
	                (int)length, l->at));
}

static int read_key(struct line *l, enum key *ret_key)
{
	size_t length = strcspn(l->at, "= \t\r\n#");
	if (l->at[length] != '=')
		return locate(l, l->at,
		        norn_error_set(l->err, -EINVAL, "%.*s is not a condition: write KEY=GLOB, for example function=main",
		                (int)length, l->at));
	for (unsigned key = 0; key < KEYS; key++)
		if (strlen(key_names[key]) == length && strncmp(key_names[key], l->at, length) == 0) {
			*ret_key = (enum key)key;
			l->at += length + 1;
			return 0;
		}
	return locate(l, l->at,
	        norn_error_set(l->err, -EINVAL, "there is no condition %.*s: it is variable, function, file, property or id",
	                (int)length, l->at));
}

static int read_glob(struct line *l, const char **ret_start, size_t *ret_length)
{
	bool quoted = *l->at == '"';
	*ret_start = l->at + quoted;
	*ret_length = strcspn(*ret_start, quoted ? "\"\r\n" : " \t\r\n");
	if (quoted && (*ret_start)[*ret_length] != '"')
		return locate(l, l->at, norn_error_set(l->err, -EINVAL, "the quotation mark is not closed"));
	if (*ret_length == 0)
		return locate(l, l->at, norn_error_set(l->err, -EINVAL, "there is nothing to compare with: write KEY=GLOB"));
	l->at = *ret_start + *ret_length + quoted;
	return 0;
}

static int read_conditions(struct norn_suppressions *s, struct line *l, struct norn_suppression_condition **end)
{
	for (skip_space(l); *l->at; skip_space(l)) {
		const char *start;
		size_t length;
		struct norn_suppression_condition *c = norn_must_arena_alloc(&s->arena, sizeof *c);
		int r = read_key(l, &c->key);
		if (r == 0)
			r = read_glob(l, &start, &length);
		if (r != 0)
			return r;
		c->glob = norn_must_arena_text(&s->arena, start, length);
		*end = c;
		end = &c->next;
	}
	return 0;
}

static int read_line(struct norn_suppressions *s, struct line *l)
{
	struct norn_suppression new = {.line = l->number};
	const char *start;
	skip_space(l);
	if (!*(start = l->at))
		return 0;
	int r = read_kind(l, &new.kind);
	if (r == 0)
		r = read_conditions(s, l, &new.conditions);
	if (r != 0)
		return r;
	if (!new.conditions)
		return locate(l, start,
		        norn_error_set(
		                l->err, -EINVAL, "this would suppress all of them: add a condition, variable=* if that is meant"));
	new.text = norn_must_arena_text(&s->arena, start, strcspn(start, "\r\n"));
	new.file = norn_must_arena_text(&s->arena, l->name, strlen(l->name));
	norn_must_grow(&s->list, s->count + UINT64_C(1), &s->room, sizeof *s->list);
	s->list[s->count++] = new;
	return 0;
}

int norn_suppressions_read(struct norn_suppressions *s, FILE *from, const char *name, struct norn_error *err)
{
	char *text = NULL;
	size_t room = 0;
	int r = 0;
	struct line l = {.name = name, .err = err};
	while (r == 0 && getline(&text, &room, from) >= 0) {
		l.number++;
		l.text = l.at = text;
		r = read_line(s, &l);
	}
	if (r == 0 && ferror(from))
		r = norn_error_set(err, -EIO, "%s cannot be read", name);
	free(text);
	return r;
}

/* ---- matching ---- */

static bool file_matches(const char *glob, const char *file)
{
	return fnmatch(glob, strchr(glob, '/') ? file : basename(file), 0) == 0;
}

static bool place_matches(const struct norn_suppression_condition *c, const struct norn_step_text *w)
{
	return c->key == KEY_FUNCTION ? fnmatch(c->glob, w->function, 0) == 0 : file_matches(c->glob, w->file);
}

static bool somewhere(const struct norn_suppression_condition *c, const struct norn_finding *f)
{
	for (uint32_t i = 0; i < f->where_count; i++) {
		if (place_matches(c, &f->where[i]))
			return true;
		for (uint32_t k = 0; f->sides && k < f->sides[i].frame_count; k++)
			if (place_matches(c, &f->sides[i].frames[k]))
				return true;
	}
	return false;
}

static bool holds(const struct norn_suppression_condition *c, const struct norn_finding *f)
{
	switch (c->key) {
	case KEY_VARIABLE:
		return fnmatch(c->glob, f->variable, 0) == 0;
	case KEY_PROPERTY:
		return fnmatch(c->glob, f->property, 0) == 0;
	case KEY_ID:
		return fnmatch(c->glob, f->id, 0) == 0;
	default:
		return somewhere(c, f);
	}
}

static bool matches(const struct norn_suppression *s, const struct norn_finding *f)
{
	if (s->kind >= 0 && s->kind != (int)f->kind)
		return false;
	for (const struct norn_suppression_condition *c = s->conditions; c; c = c->next)
		if (!holds(c, f))
			return false;
	return true;
}

uint32_t norn_suppress(struct norn_suppressions *s, struct norn_findings *findings)
{
	uint32_t left = 0, all = findings->count;
	for (uint32_t i = 0; i < all; i++) {
		bool suppressed = false;
		for (uint32_t k = 0; k < s->count; k++)
			if (matches(&s->list[k], &findings->list[i])) {
				s->list[k].matched++;
				suppressed = true;
			}
		if (!suppressed)
			findings->list[left++] = findings->list[i];
	}
	findings->count = left;
	return all - left;
}
