#include "errors/builtin_property.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct norn_builtin_property {
	struct norn_builtin_property *next;
	const char *property;
	enum norn_logic_kind logic;
	const char **on, **except; /* variables; ATOMIC: on has functions and blocks */
	uint32_t on_count, except_count;
};

void norn_builtin_properties_init(struct norn_builtin_properties *m)
{
	*m = (struct norn_builtin_properties){0};
	m->end = &m->first;
}

void norn_builtin_properties_done(struct norn_builtin_properties *m)
{
	norn_arena_done(&m->arena);
	free(m->atomic);
}

static const char *keep(struct norn_builtin_properties *m, const char *text)
{
	return norn_arena_text(&m->arena, text, strlen(text));
}

/* Variables as findings name them. */
static int keep_places(struct norn_builtin_properties *m, const struct norn_spec *spec, const uint32_t *places, uint32_t count,
        const char ***ret_names)
{
	const char **names = norn_arena_alloc(&m->arena, (count + 1ul) * sizeof(*names));
	for (uint32_t i = 0; names && i < count; i++) {
		const struct norn_place *p = &spec->places[places[i]];
		names[i] = keep(m, p->kind == NORN_PLACE_FIELD ? p->field : p->text);
		if (!names[i])
			return -ENOMEM;
	}
	*ret_names = names;
	return names ? 0 : -ENOMEM;
}

static int keep_atomic(struct norn_builtin_properties *m, const char *function)
{
	if (m->atomic_count == m->atomic_room) {
		uint32_t room = m->atomic_room ? 2 * m->atomic_room : 8;
		const char **atomic = realloc(m->atomic, room * sizeof(*atomic));
		if (!atomic)
			return -ENOMEM;
		m->atomic = atomic;
		m->atomic_room = room;
	}
	m->atomic[m->atomic_count++] = function;
	return 0;
}

static int keep_blocks(
        struct norn_builtin_properties *m, const struct norn_ablk *blocks, struct norn_builtin_property *builtin_property)
{
	uint32_t count = 0;
	for (const struct norn_ablk *b = blocks; b; b = b->next)
		count++;
	builtin_property->on = norn_arena_alloc(&m->arena, (count + 1ul) * sizeof(*builtin_property->on));
	int r = builtin_property->on ? 0 : -ENOMEM;
	for (const struct norn_ablk *b = blocks; r == 0 && b; b = b->next) {
		const char *name = keep(m, b->name.text);
		builtin_property->on[builtin_property->on_count++] = name;
		r = !name ? -ENOMEM : b->block ? 0 : keep_atomic(m, name);
	}
	return r;
}

static int add(struct norn_builtin_properties *m, const struct norn_spec *spec, const struct norn_property *p)
{
	struct norn_builtin_property *builtin_property = norn_arena_alloc(&m->arena, sizeof *builtin_property);
	if (!builtin_property)
		return -ENOMEM;
	builtin_property->property = keep(m, p->name);
	builtin_property->logic = p->logic;
	int r = builtin_property->property ? 0 : -ENOMEM;
	if (r == 0 && p->logic == NORN_LOGIC_ATOMIC)
		r = keep_blocks(m, p->decl->logic.blocks, builtin_property);
	else if (r == 0) {
		builtin_property->on_count = p->on_count;
		builtin_property->except_count = p->except_count;
		r = keep_places(m, spec, p->on, p->on_count, &builtin_property->on);
		if (r == 0)
			r = keep_places(m, spec, p->except, p->except_count, &builtin_property->except);
	}
	*m->end = builtin_property;
	m->end = &builtin_property->next;
	m->count++;
	return r;
}

int norn_builtin_properties_add(struct norn_builtin_properties *m, const struct norn_spec *spec)
{
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < spec->property_count; i++)
		if (norn_builtin_property_is(&spec->properties[i]))
			r = add(m, spec, &spec->properties[i]);
	return r;
}

/* ---- whose findings ---- */

/* Is the variable that place, or a part of it? Of several (locks of a deadlock), is one of them? */
static bool is_at(const char *variable, const char *place)
{
	size_t length = strlen(place);
	for (const char *v = variable; v; v = strchr(v, ',')) {
		v += strspn(v, ", ");
		if (strncmp(v, place, length) == 0 && (v[length] == 0 || strchr(".[, ", v[length])))
			return true;
	}
	return false;
}

static bool is_among(const char *variable, const char *const *places, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (is_at(variable, places[i]))
			return true;
	return false;
}

static bool is_for(const struct norn_builtin_property *m, const struct norn_finding *f)
{
	switch (m->logic) {
	case NORN_LOGIC_ATOMIC:
		for (uint32_t i = 0; f->kind == NORN_FINDING_ATOMICITY && i < m->on_count; i++)
			if (strcmp(f->atomic, m->on[i]) == 0)
				return true;
		return false;
	case NORN_LOGIC_RACE:
	case NORN_LOGIC_DEADLOCK:
		return f->kind == (m->logic == NORN_LOGIC_RACE ? NORN_FINDING_RACE : NORN_FINDING_DEADLOCK) &&
		       (!m->on_count || is_among(f->variable, m->on, m->on_count)) &&
		       !is_among(f->variable, m->except, m->except_count);
	default:
		return false;
	}
}

void norn_builtin_properties_assign(
        const struct norn_builtin_properties *builtin_properties, bool others, struct norn_findings *findings)
{
	uint32_t left = 0;
	for (uint32_t i = 0; i < findings->count; i++) {
		struct norn_finding *f = &findings->list[i];
		bool wanted = others || !f->sides;
		for (const struct norn_builtin_property *m = builtin_properties->first; m && f->sides && !*f->property; m = m->next)
			if (is_for(m, f)) {
				f->property = norn_findings_text(findings, "%s", m->property);
				wanted = true;
			}
		if (wanted)
			findings->list[left++] = *f;
	}
	findings->count = left;
}
