/* Built-in errors by what threads know: `race` and `atomic` with the attribute mttl become formulas of MTTL (DAME, section 3).
 *
 *   race, paper   forall j != i. (read(x) && once write(x) -> !@j write(x)) && (write(x) -> !@j (read(x) && once write(x)))
 *                              && (write(x) -> !@j write(x))
 *   race, full    forall j != i. (read(x) -> !@j write(x)) && (write(x) -> !@j access(x))
 *   atomic        depth > 0 -> !(exists j != i. (@j @i depth > 0 && @j @i number == number))
 *
 * depth and number are ghosts of the property's own: how many of its blocks the thread is in, one within the other, and how many
 * outermost ones there were. So a block within a block does not end the outer one, as the paper's single counter would. */
#include "property/check/check.h"

#include <string.h>

/* The property being made. */
struct builtin_builder {
	struct norn_checker *c;
	struct norn_span span;
};

static uint32_t node(struct builtin_builder *m, enum norn_op op, uint32_t a, uint32_t b)
{
	return norn_check_node(m->c, op, a, b, m->span);
}

static uint32_t implies_not(struct builtin_builder *m, uint32_t a, uint32_t b)
{
	return node(m, NORN_OP_OR, norn_check_not(m->c, a, m->span), norn_check_not(m->c, b, m->span));
}

/* ---- race ---- */

static uint32_t access_node(struct builtin_builder *m, enum norn_word word, uint32_t place)
{
	static const char *const words[] = {[NORN_WORD_READ] = "read", [NORN_WORD_WRITE] = "write", [NORN_WORD_ACCESS] = "access"};
	return norn_check_atom_node(m->c, (struct norn_atom){.kind = NORN_ATOM_ACCESS,
	                                          .word = word,
	                                          .place = place,
	                                          .text = norn_check_print(m->c, "%s(%s)", words[word], m->c->places[place].text),
	                                          .span = m->span});
}

static uint32_t race_node(struct builtin_builder *m, uint32_t place, uint32_t other, bool full)
{
	uint32_t read = access_node(m, NORN_WORD_READ, place), write = access_node(m, NORN_WORD_WRITE, place);
	if (full) {
		uint32_t any = access_node(m, NORN_WORD_ACCESS, place);
		return node(m, NORN_OP_AND, implies_not(m, read, node(m, NORN_OP_AT, write, other)),
		        implies_not(m, write, node(m, NORN_OP_AT, any, other)));
	}
	uint32_t update = node(m, NORN_OP_AND, read, node(m, NORN_OP_ONCE, write, 0));
	uint32_t writes = node(m, NORN_OP_AT, write, other), updates = node(m, NORN_OP_AT, update, other);
	return node(m, NORN_OP_AND, node(m, NORN_OP_AND, implies_not(m, update, writes), implies_not(m, write, updates)),
	        implies_not(m, write, writes));
}

static bool make_race(struct builtin_builder *m, const struct norn_property *property, bool full, uint32_t *ret_root)
{
	struct norn_checker *c = m->c;
	if (!property->on_count) {
		norn_check_error(c, m->span, "write `race on x;`", "by mttl only races on variables that are named can be found");
		return false;
	}
	uint32_t other = norn_check_thread_number(c, (struct norn_name){"j", m->span}, NORN_SLOT_NONE, 0);
	uint32_t all = node(m, NORN_OP_TRUE, 0, 0);
	for (uint32_t i = 0; i < property->on_count; i++) {
		if (!norn_check_single_place(c, property->on[i], m->span))
			return false;
		all = node(m, NORN_OP_AND, all, race_node(m, property->on[i], other, full));
	}
	*ret_root = node(m, NORN_OP_FORALL, all, other);
	return true;
}

/* ---- atomic ---- */

static uint32_t make_event(
        struct builtin_builder *m, const char *name, const struct norn_checked_selector *selectors, uint32_t selector_count)
{
	struct norn_checker *c = m->c;
	norn_check_grow(c, &c->events, &c->event_room, c->event_count, sizeof *c->events);
	c->events[c->event_count] = (struct norn_checked_event){.name = name,
	        .selectors = norn_check_copy(c, selectors, selector_count, sizeof *selectors),
	        .selector_count = selector_count};
	return c->event_count++;
}

static uint32_t make_ghost(
        struct builtin_builder *m, const char *name, const struct norn_checked_update *updates, uint32_t update_count)
{
	struct norn_checker *c = m->c;
	norn_check_grow(c, &c->ghosts, &c->ghost_room, c->ghost_count, sizeof *c->ghosts);
	c->ghosts[c->ghost_count] = (struct norn_ghost){.name = name,
	        .initial = norn_check_int(c, 0, m->span),
	        .updates = norn_check_copy(c, updates, update_count, sizeof *updates),
	        .update_count = update_count};
	return c->ghost_count++;
}

static const struct norn_expr *operate(
        struct builtin_builder *m, enum norn_expr_op op, const struct norn_expr *a, const struct norn_expr *b)
{
	return norn_check_operation(m->c, op, a, b, false, m->span);
}

static const struct norn_expr *leaf(struct builtin_builder *m, enum norn_expr_op op, uint32_t index)
{
	return norn_check_leaf(m->c, op, index, m->span);
}

/* The events of the property: its functions' calls and returns; marks of blocks. */
struct borders {
	struct norn_checked_selector calls[NORN_PARAMETERS_MAX], returns[NORN_PARAMETERS_MAX], blocks[NORN_PARAMETERS_MAX];
	uint32_t call_count, block_count;
};

static void find_borders(struct builtin_builder *m, const struct norn_logic *logic, struct borders *ret)
{
	struct norn_checked_selector none = {.place = NORN_SLOT_NONE,
	        .thread_type = NORN_SLOT_NONE,
	        .joined_type = NORN_SLOT_NONE,
	        .result = NORN_SLOT_NONE,
	        .more = true};
	ret->call_count = ret->block_count = 0;
	for (const struct norn_ablk *at = logic->blocks; at; at = at->next) {
		if (!at->name.text || ret->call_count == NORN_PARAMETERS_MAX || ret->block_count == NORN_PARAMETERS_MAX)
			continue;
		if (at->block) {
			none.kind = NORN_POINT_NOTE;
			none.mark = NORN_NOTE_BLOCK;
			none.note = at->name.text;
			ret->blocks[ret->block_count++] = none;
			continue;
		}
		none.function = at->name.text;
		none.kind = NORN_POINT_CALL;
		ret->calls[ret->call_count] = none;
		none.kind = NORN_POINT_RETURN;
		none.anyhow = true; /* the block is over then, too */
		ret->returns[ret->call_count++] = none;
		none.anyhow = false;
		none.function = NULL;
	}
}

/* depth and number, by calls and by marks. A mark's end does not say which block it ends: so all blocks within ours are counted. */
static void make_ghosts(
        struct builtin_builder *m, const char *name, const struct borders *b, uint32_t *ret_depth, uint32_t *ret_number)
{
	struct norn_checker *c = m->c;
	struct norn_checked_update depths[4], numbers[2];
	uint32_t depth_count = 0, number_count = 0;
	uint32_t depth = c->ghost_count, number = depth + 1;
	const struct norn_expr *d = leaf(m, NORN_EXPR_GHOST, depth), *n = leaf(m, NORN_EXPR_GHOST, number);
	const struct norn_expr *one = norn_check_int(c, 1, m->span), *zero = norn_check_int(c, 0, m->span);
	const struct norn_expr *inside = operate(m, NORN_EXPR_LT, zero, d), *outside = operate(m, NORN_EXPR_EQ, d, zero);
	if (b->call_count) {
		uint32_t enter = make_event(m, norn_check_print(c, "%s's call", name), b->calls, b->call_count);
		uint32_t leave = make_event(m, norn_check_print(c, "%s's return", name), b->returns, b->call_count);
		depths[depth_count++] = (struct norn_checked_update){.event = enter, .value = operate(m, NORN_EXPR_ADD, d, one)};
		depths[depth_count++] = (struct norn_checked_update){.event = leave, .value = operate(m, NORN_EXPR_SUB, d, inside)};
		numbers[number_count++] =
		        (struct norn_checked_update){.event = enter, .value = operate(m, NORN_EXPR_ADD, n, outside)};
	}
	if (b->block_count) {
		struct norn_checked_selector mark = b->blocks[0];
		uint32_t own = make_event(m, norn_check_print(c, "%s's block", name), b->blocks, b->block_count);
		mark.note = NULL;
		uint32_t any = make_event(m, norn_check_print(c, "%s: a block", name), &mark, 1);
		mark.mark = NORN_NOTE_BLOCK_END;
		uint32_t end = make_event(m, norn_check_print(c, "%s: the end of a block", name), &mark, 1);
		const struct norn_expr *ours = leaf(m, NORN_EXPR_EVENT, own);
		depths[depth_count++] = (struct norn_checked_update){
		        .event = any, .value = operate(m, NORN_EXPR_ADD, d, operate(m, NORN_EXPR_OR, inside, ours))};
		depths[depth_count++] = (struct norn_checked_update){.event = end, .value = operate(m, NORN_EXPR_SUB, d, inside)};
		numbers[number_count++] = (struct norn_checked_update){
		        .event = any, .value = operate(m, NORN_EXPR_ADD, n, operate(m, NORN_EXPR_AND, outside, ours))};
	}
	*ret_depth = make_ghost(m, norn_check_print(c, "%s's depth", name), depths, depth_count);
	*ret_number = make_ghost(m, norn_check_print(c, "%s's number", name), numbers, number_count);
}

static uint32_t predicate(struct builtin_builder *m, const struct norn_expr *expr)
{
	return norn_check_atom_node(m->c, (struct norn_atom){.kind = NORN_ATOM_PREDICATE,
	                                          .predicate = expr,
	                                          .text = norn_check_expr_text(m->c, expr, NULL),
	                                          .span = m->span});
}

static void make_atomic(struct builtin_builder *m, const struct norn_logic *logic, const char *name, uint32_t *ret_root)
{
	struct norn_checker *c = m->c;
	struct borders *borders = norn_check_alloc(c, sizeof *borders);
	uint32_t depth, number, other = norn_check_thread_number(c, (struct norn_name){"j", m->span}, NORN_SLOT_NONE, 0);
	find_borders(m, logic, borders);
	make_ghosts(m, name, borders, &depth, &number);
	const struct norn_expr *d = leaf(m, NORN_EXPR_GHOST, depth), *n = leaf(m, NORN_EXPR_GHOST, number);
	const struct norn_expr *zero = norn_check_int(c, 0, m->span);
	/* The knowledge of j about i. */
	const struct norn_expr *their_d = norn_check_known(c, norn_check_known(c, d, 0, m->span), other, m->span);
	const struct norn_expr *their_n = norn_check_known(c, norn_check_known(c, n, 0, m->span), other, m->span);
	uint32_t seen = node(m, NORN_OP_AND, predicate(m, operate(m, NORN_EXPR_LT, zero, their_d)),
	        predicate(m, operate(m, NORN_EXPR_EQ, their_n, n)));
	*ret_root = implies_not(m, predicate(m, operate(m, NORN_EXPR_LT, zero, d)), node(m, NORN_OP_EXISTS, seen, other));
}

void norn_check_builtin(
        struct norn_checker *c, const struct norn_logic *logic, enum norn_by_knowledge by, struct norn_property *property)
{
	struct builtin_builder m = {.c = c, .span = logic->span};
	bool atomic = logic->kind == NORN_LOGIC_ATOMIC;
	uint32_t root = 0;
	if ((logic->kind != NORN_LOGIC_RACE && !atomic) || (by == NORN_BY_COUNTER) != atomic) {
		norn_check_error(c, logic->span, "it is `mttl=paper` or `mttl=full` for `race`, `mttl=counter` for `atomic`",
		        "the attribute `mttl` does not fit here");
		return;
	}
	norn_check_begin(c, false);
	norn_check_thread_number(c, (struct norn_name){"i", logic->span}, NORN_SLOT_NONE, NORN_SLOT_NONE);
	if (atomic)
		make_atomic(&m, logic, property->name, &root);
	else if (!make_race(&m, property, by == NORN_BY_FULL, &root))
		return;
	norn_check_finish_nodes(c, root, property);
	property->threads = norn_check_copy(c, c->builder.threads, c->builder.thread_count, sizeof *c->builder.threads);
	property->thread_count = c->builder.thread_count;
	property->logic = NORN_LOGIC_MTTL;
}
