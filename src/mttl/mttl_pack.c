#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/wire/descriptor.h"
#include "mttl/mttl.h"

void norn_mttl_done(struct norn_mttl *program)
{
	if (program->arena.chunks) {
		norn_arena_done(&program->arena);
		*program = (struct norn_mttl){0};
		return;
	}
	free(program->lines);
	free(program->arguments);
	free(program->remotes);
	free(program->tables);
	free(program->locals);
	free(program->updates);
	free(program->places);
	free(program->properties);
	free(program->variables);
	free(program->event_properties);
	free(program->texts);
	*program = (struct norn_mttl){0};
}

/* Those with few dimensions first: where they are does not depend on how many threads there are. */
void norn_mttl_lay_out(struct norn_mttl *p)
{
	memset(p->remotes_of, 0, sizeof p->remotes_of);
	memset(p->tables_of, 0, sizeof p->tables_of);
	for (uint32_t dimensions = 0; dimensions <= NORN_MTTL_DIMENSIONS; dimensions++) {
		for (uint32_t i = 0; i < p->remote_count; i++)
			if (p->remotes[i].dimensions == dimensions) {
				memcpy(p->remotes[i].before, p->remotes_of, sizeof p->remotes_of);
				p->remotes_of[dimensions]++;
			}
		for (uint32_t i = 0; i < p->table_count; i++)
			if (p->tables[i].dimensions == dimensions) {
				memcpy(p->tables[i].before, p->tables_of, sizeof p->tables_of);
				p->tables_of[dimensions]++;
			}
	}
}

/* ---- as a table ---- */

/* The bounds of indices. */
struct root {
	const struct norn_spec *spec;
	const struct norn_mttl *program;
};

static const struct norn_mttl *program_of(const void *root)
{
	return ((const struct root *)root)->program;
}

static const struct norn_spec *spec_of(const void *root)
{
	return ((const struct root *)root)->spec;
}

static uint64_t variables(const void *root, const void *object)
{
	(void)object;
	return program_of(root)->variable_count;
}

static uint64_t lines(const void *root, const void *object)
{
	(void)object;
	return program_of(root)->line_count;
}

static uint64_t locals(const void *root, const void *object)
{
	(void)object;
	return program_of(root)->local_count;
}

static uint64_t events(const void *root, const void *object)
{
	(void)object;
	return program_of(root)->event_count;
}

static uint64_t properties(const void *root, const void *object)
{
	(void)object;
	return program_of(root)->property_count;
}

static uint64_t types_of_spec(const void *root, const void *object)
{
	(void)object;
	return spec_of(root)->type_count;
}

static uint64_t places_of_spec(const void *root, const void *object)
{
	(void)object;
	return spec_of(root)->place_count;
}

static uint64_t properties_of_spec(const void *root, const void *object)
{
	(void)object;
	return spec_of(root)->property_count;
}

static uint64_t events_of_spec(const void *root, const void *object)
{
	(void)object;
	return spec_of(root)->event_count + 1ull;
}

static uint64_t named_by_local(const void *root, const void *object)
{
	return ((const struct norn_mttl_local *)object)->ghost ? spec_of(root)->ghost_count : spec_of(root)->place_count;
}

static const struct norn_field variable_fields[] = {
        NORN_TEXT(struct norn_thread_name, name),
        NORN_INDEX(struct norn_thread_name, type, .below = types_of_spec),
        NORN_INDEX(struct norn_thread_name, other, .below = variables),
};
static const struct norn_descriptor variable = NORN_DESCRIPTOR(struct norn_thread_name, variable_fields);

static const struct norn_field line_fields[] = {
        NORN_NUMBER(struct norn_mttl_line, op),
        NORN_NUMBER(struct norn_mttl_line, a),
        NORN_NUMBER(struct norn_mttl_line, b),
        NORN_NUMBER(struct norn_mttl_line, index),
        NORN_INDEX(struct norn_mttl_line, property, .below = properties),
        NORN_NUMBER(struct norn_mttl_line, free),
        NORN_WIDE(struct norn_mttl_line, number),
};
static const struct norn_descriptor line = NORN_DESCRIPTOR(struct norn_mttl_line, line_fields);

static const struct norn_field remote_fields[] = {
        NORN_NUMBER(struct norn_mttl_remote, line, .below = lines),
        NORN_NUMBER(struct norn_mttl_remote, variable, .below = variables),
        NORN_NUMBER(struct norn_mttl_remote, dimensions, .limit = NORN_MTTL_DIMENSIONS + 1),
        NORN_INLINE(struct norn_mttl_remote, dimension, dimensions, .below = variables),
        NORN_TEXT(struct norn_mttl_remote, text),
};
static const struct norn_descriptor remote = NORN_DESCRIPTOR(struct norn_mttl_remote, remote_fields);

static const struct norn_field table_fields[] = {
        NORN_NUMBER(struct norn_mttl_table, line, .below = lines),
        NORN_NUMBER(struct norn_mttl_table, dimensions, .limit = NORN_MTTL_DIMENSIONS + 1),
        NORN_INLINE(struct norn_mttl_table, dimension, dimensions, .below = variables),
};
static const struct norn_descriptor table = NORN_DESCRIPTOR(struct norn_mttl_table, table_fields);

static const struct norn_field local_fields[] = {
        NORN_FLAG(struct norn_mttl_local, ghost),
        NORN_NUMBER(struct norn_mttl_local, index, .below = named_by_local),
        NORN_NUMBER(struct norn_mttl_local, properties),
        NORN_WIDE(struct norn_mttl_local, initial),
};
static const struct norn_descriptor local = NORN_DESCRIPTOR(struct norn_mttl_local, local_fields);

static bool has_line(const void *object)
{
	return !((const struct norn_mttl_update *)object)->fresh;
}

static const struct norn_field update_fields[] = {
        NORN_NUMBER(struct norn_mttl_update, local, .below = locals),
        NORN_NUMBER(struct norn_mttl_update, event, .below = events),
        NORN_FLAG(struct norn_mttl_update, fresh),
        NORN_NUMBER(struct norn_mttl_update, line, .when = has_line, .below = lines),
};
static const struct norn_descriptor update = NORN_DESCRIPTOR(struct norn_mttl_update, update_fields);

static const struct norn_field place_fields[] = {
        NORN_NUMBER(struct norn_mttl_place, place, .below = places_of_spec),
        NORN_FLAG(struct norn_mttl_place, valued),
};
static const struct norn_descriptor place = NORN_DESCRIPTOR(struct norn_mttl_place, place_fields);

static const struct norn_field property_fields[] = {
        NORN_NUMBER(struct norn_mttl_property, index, .below = properties_of_spec),
        NORN_NUMBER(struct norn_mttl_property, root, .below = lines),
        NORN_NUMBER(struct norn_mttl_property, variable, .below = variables),
};
static const struct norn_descriptor property = NORN_DESCRIPTOR(struct norn_mttl_property, property_fields);

/* The operands of line i lie before it; everything that it names is there. */
static bool line_fits(const struct norn_mttl *p, uint32_t i)
{
	const struct norn_mttl_line *l = &p->lines[i];
	switch (l->op) {
	case NORN_MTTL_CONST:
	case NORN_MTTL_SLOT:
		return true;
	case NORN_MTTL_PLACE:
		return l->index < p->valued;
	case NORN_MTTL_LOCAL:
		return l->index < p->local_count;
	case NORN_MTTL_EVENT:
		if (l->index >= p->event_count || l->a > p->argument_count || l->b > p->argument_count - l->a)
			return false;
		for (uint32_t k = 0; k < l->b; k++)
			if (p->arguments[l->a + k] >= i && p->arguments[l->a + k] != NORN_SLOT_NONE)
				return false;
		return true;
	case NORN_MTTL_ACCESS:
		return l->index < p->place_count;
	case NORN_MTTL_AT:
		return l->a < i && l->b < p->variable_count && l->index < p->remote_count;
	case NORN_MTTL_FORALL:
	case NORN_MTTL_EXISTS:
		return l->a < i && l->b < p->variable_count;
	default:
		if (l->a >= i || l->b >= i || l->op > NORN_MTTL_VALUE + (uint32_t)NORN_EXPR_BITAND)
			return false;
		return l->op < NORN_MTTL_PREV || l->op > NORN_MTTL_WEAK_INTERVAL || l->index < p->table_count;
	}
}

static int finish(struct norn_decoding *d, void *object)
{
	struct norn_mttl *p = object;
	(void)d;
	bool good = p->valued <= p->place_count;
	for (uint32_t i = 0; good && i < p->line_count; i++)
		good = line_fits(p, i);
	for (uint32_t i = 0; good && i < p->table_count; i++)
		good = p->lines[p->tables[i].line].index == i;
	if (!good)
		return -EINVAL;
	norn_mttl_lay_out(p);
	return 0;
}

static const struct norn_field fields[] = {
        NORN_NUMBER(struct norn_mttl, variable_count, .limit = NORN_MTTL_VARIABLES_MAX + 1),
        NORN_NUMBER(struct norn_mttl, line_count, .limit = NORN_MTTL_LINES_MAX + 1),
        NORN_NUMBER(struct norn_mttl, argument_count),
        NORN_NUMBER(struct norn_mttl, remote_count),
        NORN_NUMBER(struct norn_mttl, table_count),
        NORN_NUMBER(struct norn_mttl, local_count),
        NORN_NUMBER(struct norn_mttl, update_count),
        NORN_NUMBER(struct norn_mttl, place_count),
        NORN_NUMBER(struct norn_mttl, property_count, .limit = NORN_MTTL_PROPERTIES_MAX + 1),
        NORN_NUMBER(struct norn_mttl, event_count, .below = events_of_spec),
        NORN_NUMBER(struct norn_mttl, valued),
        NORN_ARRAY(struct norn_mttl, variables, variable_count, .of = &variable),
        NORN_ARRAY(struct norn_mttl, lines, line_count, .of = &line),
        NORN_NUMBERS(struct norn_mttl, arguments, argument_count),
        NORN_ARRAY(struct norn_mttl, remotes, remote_count, .of = &remote),
        NORN_ARRAY(struct norn_mttl, tables, table_count, .of = &table),
        NORN_ARRAY(struct norn_mttl, locals, local_count, .of = &local),
        NORN_ARRAY(struct norn_mttl, updates, update_count, .of = &update),
        NORN_ARRAY(struct norn_mttl, places, place_count, .of = &place),
        NORN_ARRAY(struct norn_mttl, properties, property_count, .of = &property),
        NORN_NUMBERS(struct norn_mttl, event_properties, event_count),
};
static const struct norn_descriptor descriptor = NORN_DESCRIPTOR(struct norn_mttl, fields, .finish = finish);

void norn_mttl_pack(const struct norn_spec *spec, const struct norn_mttl *program, struct norn_pack *pack)
{
	const struct root root = {spec, program};
	norn_encode(pack, &descriptor, &root, program);
}

int norn_mttl_unpack(const struct norn_spec *spec, struct norn_unpack *in, struct norn_mttl *ret_program)
{
	const struct root root = {spec, ret_program};
	*ret_program = (struct norn_mttl){0};
	int r = norn_decode(in, &ret_program->arena, &descriptor, &root, ret_program);
	if (r < 0)
		norn_arena_done(&ret_program->arena);
	return r;
}
