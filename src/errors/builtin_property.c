#include "errors/builtin_property.h"

#include <stdlib.h>
#include <string.h>

#include "base/function_name.h"
#include "base/must.h"

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
	norn_vector_done(&m->atomic);
}

static const char *keep(struct norn_builtin_properties *m, const char *text)
{
	return norn_must_arena_text(&m->arena, text, strlen(text));
}

/* Variables as findings name them. */
static const char **keep_places(
        struct norn_builtin_properties *m, const struct norn_spec *spec, const uint32_t *places, uint32_t count)
{
	const char **names = norn_must_arena_alloc(&m->arena, (count + 1ul) * sizeof(*names));
	for (uint32_t i = 0; i < count; i++) {
		const struct norn_place *p = &spec->places[places[i]];
		names[i] = keep(m, p->kind == NORN_PLACE_FIELD ? p->field : p->text);
	}
	return names;
}

static void keep_blocks(
        struct norn_builtin_properties *m, const struct norn_ablk *blocks, struct norn_builtin_property *builtin_property)
{
	uint32_t count = 0;
	for (const struct norn_ablk *b = blocks; b; b = b->next)
		count++;
	builtin_property->on = norn_must_arena_alloc(&m->arena, (count + 1ul) * sizeof(*builtin_property->on));
	for (const struct norn_ablk *b = blocks; b; b = b->next) {
		const char *name = keep(m, b->name.text);
		builtin_property->on[builtin_property->on_count++] = name;
		if (!b->block)
			norn_must_push(&m->atomic, name);
	}
}

static void add(struct norn_builtin_properties *m, const struct norn_spec *spec, const struct norn_property *p)
{
	struct norn_builtin_property *builtin_property = norn_must_arena_alloc(&m->arena, sizeof *builtin_property);
	builtin_property->property = keep(m, p->name);
	builtin_property->logic = p->logic;
	if (p->logic == NORN_LOGIC_ATOMIC) {
		keep_blocks(m, p->decl->logic.blocks, builtin_property);
	} else {
		builtin_property->on_count = p->on_count;
		builtin_property->except_count = p->except_count;
		builtin_property->on = keep_places(m, spec, p->on, p->on_count);
		builtin_property->except = keep_places(m, spec, p->except, p->except_count);
	}
	*m->end = builtin_property;
	m->end = &builtin_property->next;
	m->count++;
}

void norn_builtin_properties_add(struct norn_builtin_properties *m, const struct norn_spec *spec)
{
	for (uint32_t i = 0; i < spec->property_count; i++)
		if (norn_builtin_property_is(&spec->properties[i]))
			add(m, spec, &spec->properties[i]);
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
			if (norn_function_is_named(f->atomic, m->on[i]))
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
