#include "monitor/automata/ere.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/sort.h"

enum ere_kind { NOTHING, EMPTY_WORD, ANY, EVENT, NOT, REPEAT, CAT, AND, OR };

/* NOT, REPEAT: a; CAT: a, b, and a is no CAT; AND, OR: members, a of them, from b on in the pool, ascending, none an AND (OR). */
struct term {
	enum ere_kind kind;
	bool nullable; /* matches the empty word */
	uint32_t a, b, least, most;
	uint32_t same_hash; /* the next term with the same hash, 0: none */
};

#define TERM_NOTHING 0u
#define TERM_EMPTY 1u
#define TERM_ALL 2u /* every word: !NOTHING */
#define DEPTH_MAX 4000u /* of derivatives: twice what a property's expression can have */
#define TERM_WORK 32u /* a term and a derivative cost memory, too */

struct ere {
	struct term *terms;
	uint32_t count, room;
	struct norn_numbers pool; /* members of AND and OR */
	struct norn_map by_hash; /* to the first term with a hash; term 0 is never looked for */
	struct norn_map derivatives; /* by term and letter: 1 + the derivative */
	const struct norn_letters *letters;
	struct norn_limits *limits;
	bool too_deep, too_much;
};

/* ---- terms, each once ---- */

static bool failed(const struct ere *e)
{
	return e->too_deep || e->too_much;
}

static bool spend(struct ere *e, uint64_t work)
{
	if (!norn_limits_spend(e->limits, work))
		e->too_much = true;
	return !e->too_much;
}

static bool set_like(enum ere_kind kind)
{
	return kind == AND || kind == OR;
}

static uint64_t hash_term(const struct term *t, const uint32_t *members)
{
	uint64_t hash = norn_monitor_hash((uint64_t)t->kind << 32 | t->a);
	if (!set_like(t->kind))
		return norn_monitor_hash(norn_monitor_hash(hash + t->b) + ((uint64_t)t->least << 32 | t->most));
	for (uint32_t i = 0; i < t->a; i++)
		hash = norn_monitor_hash(hash + members[i] + 1);
	return hash;
}

static bool equal_term(const struct ere *e, const struct term *x, const struct term *y, const uint32_t *members)
{
	if (x->kind != y->kind || x->a != y->a)
		return false;
	if (set_like(x->kind))
		return memcmp(e->pool.items + x->b, members, x->a * sizeof *members) == 0;
	return x->b == y->b && x->least == y->least && x->most == y->most;
}

static bool nullable(const struct ere *e, const struct term *t, const uint32_t *members)
{
	const struct term *terms = e->terms;
	switch (t->kind) {
	case EMPTY_WORD:
		return true;
	case NOT:
		return !terms[t->a].nullable;
	case REPEAT:
		return t->least == 0 || terms[t->a].nullable;
	case CAT:
		return terms[t->a].nullable && terms[t->b].nullable;
	case AND:
	case OR:
		for (uint32_t i = 0; i < t->a; i++)
			if (terms[members[i]].nullable == (t->kind == OR))
				return t->kind == OR;
		return t->kind == AND;
	default:
		return false;
	}
}

/* The number of this term; members belongs to the caller and is copied for a new AND or OR. Past a failure, TERM_NOTHING. */
static uint32_t intern(struct ere *e, struct term t, const uint32_t *members)
{
	uint64_t hash = hash_term(&t, members);
	if (failed(e) || !spend(e, TERM_WORK))
		return TERM_NOTHING;
	uint32_t *head = norn_must_map_put(&e->by_hash, hash);
	for (uint32_t i = *head; i != 0; i = e->terms[i].same_hash)
		if (equal_term(e, &e->terms[i], &t, members))
			return i;
	t.nullable = nullable(e, &t, members);
	if (set_like(t.kind)) {
		norn_must_reserve(&e->pool, (uint64_t)e->pool.count + t.a);
		memcpy(e->pool.items + e->pool.count, members, t.a * sizeof *members);
		t.b = e->pool.count;
		e->pool.count += t.a;
	}
	t.same_hash = *head;
	norn_must_grow(&e->terms, e->count + UINT64_C(1), &e->room, sizeof *e->terms);
	e->terms[e->count] = t;
	return *head = e->count++;
}

static uint32_t make_not(struct ere *e, uint32_t a)
{
	return e->terms[a].kind == NOT ? e->terms[a].a : intern(e, (struct term){.kind = NOT, .a = a}, NULL);
}

static uint32_t make_cat(struct ere *e, uint32_t a, uint32_t b)
{
	if (a == TERM_NOTHING || b == TERM_NOTHING)
		return TERM_NOTHING;
	if (a == TERM_EMPTY)
		return b;
	if (b == TERM_EMPTY)
		return a;
	if (a == TERM_ALL && (b == TERM_ALL || (e->terms[b].kind == CAT && e->terms[b].a == TERM_ALL)))
		return b;
	if (e->terms[a].kind != CAT)
		return intern(e, (struct term){.kind = CAT, .a = a, .b = b}, NULL);
	/* (x1 (x2 (… xn))) b: collect the x, then build from the right; no recursion, since chains are long. */
	uint32_t length = 1;
	for (uint32_t i = a; e->terms[i].kind == CAT; i = e->terms[i].b)
		length++;
	uint32_t *parts = norn_must_alloc(length, sizeof *parts);
	uint32_t count = 0, i = a;
	for (; e->terms[i].kind == CAT; i = e->terms[i].b)
		parts[count++] = e->terms[i].a;
	parts[count++] = i;
	while (count > 0)
		b = intern(e, (struct term){.kind = CAT, .a = parts[--count], .b = b}, NULL);
	free(parts);
	return b;
}

static uint32_t make_repeat(struct ere *e, uint32_t a, uint32_t least, uint32_t most)
{
	if (most == 0 || a == TERM_EMPTY)
		return TERM_EMPTY;
	if (a == TERM_NOTHING)
		return least == 0 ? TERM_EMPTY : TERM_NOTHING;
	if (least == 1 && most == 1)
		return a;
	if (e->terms[a].nullable)
		least = 0; /* the same words, fewer terms */
	if (a == TERM_ALL || (e->terms[a].kind == ANY && least == 0 && most == NORN_REX_UNBOUNDED))
		return TERM_ALL;
	if (least == 0 && most == NORN_REX_UNBOUNDED && e->terms[a].kind == REPEAT && e->terms[a].most == most &&
	        e->terms[a].least <= 1)
		return make_repeat(e, e->terms[a].a, 0, most);
	return intern(e, (struct term){.kind = REPEAT, .a = a, .least = least, .most = most}, NULL);
}

/* The members of all that is listed, sets of the same kind dissolved, ascending. */
static uint32_t *join_members(struct ere *e, enum ere_kind kind, const uint32_t *list, uint32_t length, uint32_t *ret_count)
{
	uint32_t most = 1, count = 0;
	for (uint32_t i = 0; i < length; i++)
		most += e->terms[list[i]].kind == kind ? e->terms[list[i]].a : 1;
	uint32_t *members = norn_must_alloc(most, sizeof *members);
	for (uint32_t i = 0; i < length; i++) {
		const struct term *t = &e->terms[list[i]];
		const uint32_t *from = t->kind == kind ? e->pool.items + t->b : &list[i];
		uint32_t n = t->kind == kind ? t->a : 1;
		memcpy(members + count, from, n * sizeof *members);
		count += n;
	}
	norn_sort_numbers(members, count);
	spend(e, count);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++)
		if (kept == 0 || members[i] != members[kept - 1])
			members[kept++] = members[i];
	*ret_count = kept;
	return members;
}

/* Changes list: without what makes no difference. Returns its new length; one that decides all is left alone. */
static uint32_t simplify(enum ere_kind kind, uint32_t *list, uint32_t length)
{
	uint32_t strong = kind == AND ? TERM_NOTHING : TERM_ALL, neutral = kind == AND ? TERM_ALL : TERM_NOTHING, kept = 0;
	for (uint32_t i = 0; i < length; i++) {
		if (list[i] == strong) {
			list[0] = strong;
			return 1;
		}
		if (list[i] != neutral)
			list[kept++] = list[i];
	}
	return kept;
}

static uint32_t make_set(struct ere *e, enum ere_kind kind, uint32_t *list, uint32_t length)
{
	length = simplify(kind, list, length);
	if (length <= 1)
		return length == 1 ? list[0] : kind == AND ? TERM_ALL : TERM_NOTHING;
	uint32_t count, *members = join_members(e, kind, list, length, &count);
	uint32_t result = count == 1 ? members[0] : intern(e, (struct term){.kind = kind, .a = count}, members);
	free(members);
	return result;
}

/* ---- derivatives ---- */

static uint32_t derive(struct ere *e, uint32_t term, uint32_t letter, unsigned depth);

static uint32_t derive_set(struct ere *e, const struct term *t, uint32_t letter, unsigned depth)
{
	uint32_t *list = norn_must_alloc(t->a, sizeof *list);
	for (uint32_t i = 0; i < t->a; i++)
		list[i] = derive(e, e->pool.items[t->b + i], letter, depth);
	uint32_t result = make_set(e, t->kind, list, t->a);
	free(list);
	return result;
}

static uint32_t derive_new(struct ere *e, uint32_t term, uint32_t letter, unsigned depth)
{
	struct term t = e->terms[term]; /* a copy: terms move */
	switch (t.kind) {
	case ANY:
		return TERM_EMPTY;
	case EVENT:
		return e->letters->words[letter] >> t.a & 1 ? TERM_EMPTY : TERM_NOTHING;
	case NOT:
		return make_not(e, derive(e, t.a, letter, depth));
	case REPEAT: {
		uint32_t rest = make_repeat(e, t.a, t.least ? t.least - 1 : 0, t.most == NORN_REX_UNBOUNDED ? t.most : t.most - 1);
		return make_cat(e, derive(e, t.a, letter, depth), rest);
	}
	case CAT: {
		uint32_t head = make_cat(e, derive(e, t.a, letter, depth), t.b);
		if (!e->terms[t.a].nullable)
			return head;
		return make_set(e, OR, (uint32_t[]){head, derive(e, t.b, letter, depth)}, 2);
	}
	case AND:
	case OR:
		return derive_set(e, &t, letter, depth);
	default:
		return TERM_NOTHING;
	}
}

static uint32_t derive(struct ere *e, uint32_t term, uint32_t letter, unsigned depth)
{
	if (depth > DEPTH_MAX)
		e->too_deep = true;
	if (failed(e))
		return TERM_NOTHING;
	uint64_t key = (uint64_t)term << 32 | letter;
	const uint32_t *known = norn_map_get(&e->derivatives, key);
	if (known)
		return *known;
	spend(e, TERM_WORK);
	uint32_t result = derive_new(e, term, letter, depth + 1);
	*(uint32_t *)norn_must_map_put(&e->derivatives, key) = result;
	return result;
}

/* ---- from the property to states ---- */

static uint32_t make_node(struct ere *e, const struct norn_rnode *node, const uint32_t *terms)
{
	switch (node->kind) {
	case NORN_REX_EVENT:
		return intern(e, (struct term){.kind = EVENT, .a = node->a}, NULL);
	case NORN_REX_ANY:
		return intern(e, (struct term){.kind = ANY}, NULL);
	case NORN_REX_NOT:
		return make_not(e, terms[node->a]);
	case NORN_REX_REPEAT:
		return make_repeat(e, terms[node->a], node->least, node->most);
	case NORN_REX_CAT:
		return make_cat(e, terms[node->a], terms[node->b]);
	default:
		return make_set(e, node->kind == NORN_REX_AND ? AND : OR, (uint32_t[]){terms[node->a], terms[node->b]}, 2);
	}
}

static int say_why(const struct ere *e, const struct norn_dfa *dfa, struct norn_error *err)
{
	if (e->too_deep)
		return norn_error_set(err, -E2BIG, "the expression is nested too deeply (%u states so far)", dfa->states);
	return norn_error_set(err, -E2BIG, "its automaton is too much work: %u states so far, which are made of %u expressions",
	        dfa->states, e->count);
}

static uint32_t expression(struct ere *e, const struct norn_property *property)
{
	intern(e, (struct term){.kind = NOTHING}, NULL); /* term 0: its entry in by_hash says 0, none, which is never looked at */
	intern(e, (struct term){.kind = EMPTY_WORD}, NULL);
	make_not(e, TERM_NOTHING);
	uint32_t *terms = norn_must_calloc(property->rnode_count, sizeof *terms);
	for (uint32_t i = 0; i < property->rnode_count && !failed(e); i++)
		terms[i] = make_node(e, &property->rnodes[i], terms);
	uint32_t root = terms[property->rnode_count - 1];
	free(terms);
	return root;
}

/* States are numbered as they are found: state_terms[state] is its term, found[term] 1 + its state. */
static int explore(struct ere *e, uint32_t root, struct norn_dfa *dfa, struct norn_error *err)
{
	struct norn_map found;
	norn_map_init(&found, sizeof(uint32_t));
	uint32_t *state_terms = NULL, room = 0, to = root;
	int r = 0;
	for (uint64_t cell = 0, filled = 0; r == 0; filled++) {
		if (failed(e)) {
			r = say_why(e, dfa, err);
			break;
		}
		uint32_t *state = norn_must_map_put(&found, to);
		norn_must_grow(&state_terms, dfa->states + UINT64_C(1), &room, sizeof *state_terms);
		if (*state == 0) {
			r = norn_dfa_add(
			        dfa, e->terms[to].nullable ? NORN_VERDICT_MATCH : NORN_VERDICT_OPEN, e->limits, state, err);
			if (r != 0)
				break;
			state_terms[*state] = to;
			++*state;
		}
		if (filled > 0)
			dfa->next[cell++] = *state - 1;
		if (cell == (uint64_t)dfa->states * dfa->letters)
			break;
		to = derive(e, state_terms[cell / dfa->letters], (uint32_t)(cell % dfa->letters), 0);
	}
	free(state_terms);
	norn_map_done(&found);
	return r;
}

/* F: no word leads to a match any more. */
static void find_dead(struct norn_dfa *dfa)
{
	uint8_t *live = norn_must_calloc(dfa->states, 1);
	for (uint32_t s = 0; s < dfa->states; s++)
		live[s] = dfa->verdict[s] == NORN_VERDICT_MATCH;
	norn_dfa_close_backward(dfa, live);
	for (uint32_t s = 0; s < dfa->states; s++)
		if (!live[s])
			dfa->verdict[s] = dfa->final[s] = NORN_VERDICT_FALSE;
	free(live);
}

int norn_ere_make(const struct norn_property *property, const struct norn_letters *letters, struct norn_limits *limits,
        struct norn_dfa *ret_dfa, struct norn_error *err)
{
	struct ere e = {.letters = letters, .limits = limits};
	norn_map_init(&e.by_hash, sizeof(uint32_t));
	norn_map_init(&e.derivatives, sizeof(uint32_t));
	*ret_dfa = (struct norn_dfa){.letters = letters->count};
	uint32_t root = expression(&e, property);
	int r = failed(&e) ? say_why(&e, ret_dfa, err) : explore(&e, root, ret_dfa, err);
	if (r == 0)
		find_dead(ret_dfa);
	else
		norn_dfa_done(ret_dfa);
	free(e.terms);
	norn_vector_done(&e.pool);
	norn_map_done(&e.by_hash);
	norn_map_done(&e.derivatives);
	return r;
}
