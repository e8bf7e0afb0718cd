#include "errors/builtin_property.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/function_name.h"
#include "base/must.h"

struct norn_builtin_property {
	struct norn_builtin_property *next;
	const char *property;
	enum norn_logic_kind logic;
	const char **on, **except; /* variables; ATOMIC: on has functions and blocks */
	uint32_t on_count, except_count;
	uint32_t first_variable, variable_count; /* RACE: those of on that have memory */
	bool through_pointer; /* RACE: one of on has memory that is not known */
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
	norn_vector_done(&m->variables);
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

static struct norn_named_memory memory_of(const struct norn_place *p, norn_variable_address *address, const void *context)
{
	uint64_t variable = p->kind == NORN_PLACE_OBJECT && p->hops == 1 ? address(context, p) : 0;
	if (!variable || !p->size)
		return (struct norn_named_memory){0};
	uint64_t part = p->offsets[0] + p->bit_offset / 8, size = p->bit_size ? (p->bit_offset % 8 + p->bit_size + 7) / 8 : p->size;
	uint64_t count = p->cell_step ? p->count : 1;
	if (!count) /* as many as the variable has */
		count = p->base->size > part + size ? (p->base->size - part - size) / p->cell_step + 1 : 1;
	return (struct norn_named_memory){.addr = variable + part, .size = size, .step = p->cell_step, .count = count};
}

static void keep_memory(struct norn_builtin_properties *m, const struct norn_spec *spec, const struct norn_property *p,
        norn_variable_address *address, const void *context, struct norn_builtin_property *builtin_property)
{
	struct norn_named_memory *except = norn_must_arena_alloc(&m->arena, (p->except_count + 1ul) * sizeof *except);
	uint32_t except_count = 0;
	for (uint32_t i = 0; i < p->except_count; i++) {
		except[except_count] = memory_of(&spec->places[p->except[i]], address, context);
		except_count += except[except_count].size != 0;
	}
	builtin_property->first_variable = m->variables.count;
	for (uint32_t i = 0; i < p->on_count; i++) {
		const struct norn_place *place = &spec->places[p->on[i]];
		struct norn_named_memory memory = memory_of(place, address, context);
		memory.except = except;
		memory.except_count = except_count;
		if (memory.size)
			norn_must_push(&m->variables, memory);
		else
			builtin_property->through_pointer |= place->kind == NORN_PLACE_OBJECT && place->hops > 1;
	}
	builtin_property->variable_count = m->variables.count - builtin_property->first_variable;
}

static void add(struct norn_builtin_properties *m, const struct norn_spec *spec, const struct norn_property *p,
        norn_variable_address *address, const void *context)
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
	if (p->logic == NORN_LOGIC_RACE)
		keep_memory(m, spec, p, address, context, builtin_property);
	*m->end = builtin_property;
	m->end = &builtin_property->next;
	m->count++;
}

void norn_builtin_properties_add(
        struct norn_builtin_properties *m, const struct norn_spec *spec, norn_variable_address *address, const void *context)
{
	for (uint32_t i = 0; i < spec->property_count; i++)
		if (norn_builtin_property_is(&spec->properties[i]))
			add(m, spec, &spec->properties[i], address, context);
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

static bool is_on_memory(const struct norn_builtin_property *m, const struct norn_finding *f)
{
	for (uint32_t i = 0; i < f->variable_count; i++)
		if (f->variables[i] - m->first_variable < m->variable_count)
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
		       (!m->on_count || is_on_memory(m, f) || is_among(f->variable, m->on, m->on_count)) &&
		       !is_among(f->variable, m->except, m->except_count);
	default:
		return false;
	}
}

static bool is_of_job(const struct norn_finding *f)
{
	for (uint32_t i = 0; i < f->assumption_count; i++)
		if (f->assumptions[i].job)
			return true;
	return false;
}

/* A race that is named otherwise, by a pointer, may be on the memory of a variable that was not looked at by itself: so are jobs
 * that another thread may run (errors/jobs.h). */
static bool may_be_on(const struct norn_builtin_property *m, const struct norn_finding *f, bool searched)
{
	if (m->logic != NORN_LOGIC_RACE || f->kind != NORN_FINDING_RACE || is_among(f->variable, m->except, m->except_count))
		return false;
	return m->through_pointer || (m->variable_count && (!searched || is_of_job(f)));
}

static void say_open(const struct norn_builtin_property *m, bool searched, struct norn_findings *findings)
{
	uint32_t open = 0;
	for (uint32_t i = 0; i < findings->count; i++)
		open += !is_for(m, &findings->list[i]) && may_be_on(m, &findings->list[i], searched);
	if (open)
		norn_findings_partial(findings, NORN_REASON_PROPERTY, open,
		        searched ? "name the field of all objects (struct TAG.FIELD)" : "check it under sliced causality",
		        "property %s asks for races on memory by name, and %u other race%s may be on that memory", m->property,
		        open, open == 1 ? "" : "s");
}

void norn_builtin_properties_assign(
        const struct norn_builtin_properties *builtin_properties, bool others, bool searched, struct norn_findings *findings)
{
	for (const struct norn_builtin_property *m = builtin_properties->first; m; m = m->next)
		say_open(m, searched, findings);
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
