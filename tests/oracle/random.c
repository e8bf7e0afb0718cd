#include "random.h"

#include <string.h>

#include "trace/site.h"

uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

unsigned random_below(struct random *random, unsigned n)
{
	return (unsigned)(random_next(random) >> 33) % n;
}

/* What a program is made of; each one has a few of these. */
enum feature {
	HAS_LOCKS = 1,
	HAS_RWLOCKS = 2,
	HAS_CONDITIONS = 4,
	HAS_BLOCKS = 8,
	HAS_ATOMICS = 16,
	HAS_FUNCTIONS = 32,
	HAS_LOOPS = 64,
	HAS_SPINS = 128,
	HAS_ARRAYS = 256,
	HAS_TRY = 512,
	HAS_EXIT = 1024,
	HAS_BEGIN = 2048,
	HAS_SEMAPHORE = 4096,
	HAS_BARRIER = 8192,
	HAS_RAND = 16384,
	HAS_PARTS = 1 << 15,
	HAS_LOCK_ARRAY = 1 << 16,
	HAS_ONCE = 1 << 17,
	HAS_OPAQUE = 1 << 18,
	HAS_NESTING = 1 << 19,
	HAS_RANGES = 1 << 20,
	HAS_TIMED = 1 << 21,
	HAS_OBJECTS = 1 << 22,
	HAS_DOUBLES = 1 << 23,
	HAS_MARKS = 1 << 24,
	HAS_RESOURCES = 1 << 25,
	HAS_WAITING = 1 << 26, /* much of it waits, or lets others go on */
	HAS_ASSERTS = 1 << 27, /* of what was just read */
	FEATURES = 27, /* that are drawn one after the other */
};

struct maker {
	struct random *random;
	struct program *program;
	unsigned features, variables, locks, body;
	bool loop, full;
};

static unsigned below(struct maker *m, unsigned n)
{
	return random_below(m->random, n);
}

static bool with(struct maker *m, unsigned feature)
{
	return m->features & feature;
}

/* r … v and q; i and j only count. */
static int8_t some_local(struct maker *m)
{
	return (int8_t)(2 + (below(m, 3) ? 1 + below(m, 2) : below(m, LOCALS - 2)));
}

static struct expression constant(unsigned c)
{
	return (struct expression){.op = E_CONST, .b = -1, .c = (uint8_t)c};
}

static struct expression some_expression(struct maker *m)
{
	struct expression e = constant(below(m, 3));
	unsigned kind = below(m, 10);
	if (kind < 5)
		return e;
	e.a = some_local(m);
	e.op = kind < 8 ? E_LOCAL : (uint8_t)(E_ADD + below(m, 8));
	if (e.op != E_LOCAL && e.op != E_NOT && below(m, 3) == 0)
		e.b = some_local(m);
	return e;
}

static struct expression some_condition(struct maker *m)
{
	static const uint8_t ops[] = {E_LOCAL, E_NOT, E_EQ, E_NE, E_LOCAL, E_EQ};
	return (struct expression){.op = ops[below(m, 6)], .a = some_local(m), .b = -1, .c = (uint8_t)below(m, 3)};
}

static struct place some_place(struct maker *m)
{
	struct place place = {.variable = (uint8_t)(VAR_P + below(m, m->variables)), .index = constant(0)};
	if (with(m, HAS_OPAQUE) && below(m, 2))
		place.variable = below(m, 3) ? VAR_W : VAR_X;
	if (with(m, HAS_ATOMICS) && below(m, 3) == 0)
		place.atomic = true;
	if (with(m, HAS_PARTS) && below(m, 3) == 0)
		place.part = (uint8_t)(PART_LOW + below(m, 2));
	if (with(m, HAS_ARRAYS) && below(m, 3) == 0) {
		place.kind = PLACE_ARRAY;
		place.variable = VAR_A;
		place.part = PART_WHOLE;
		place.index = below(m, 3) ? (struct expression){.op = E_LOCAL, .a = some_local(m), .b = -1} : constant(below(m, 2));
		place.masked = place.index.op == E_LOCAL && below(m, 2);
	} else if (with(m, HAS_BLOCKS) && below(m, 3) == 0) {
		place.kind = PLACE_BLOCK;
		place.index = (struct expression){.op = E_LOCAL, .a = some_local(m), .b = -1};
	}
	return place;
}

/* Appends to the list that *last ends (0: it is empty, and *first is where it begins). NULL when the program is full. */
static struct statement *append(struct maker *m, uint8_t *first, uint8_t *last, unsigned kind)
{
	struct program *p = m->program;
	if (p->count + 1 >= STATEMENTS) {
		m->full = true;
		return NULL;
	}
	uint8_t i = ++p->count;
	p->statements[i] = (struct statement){.kind = (uint8_t)kind, .dst = -1, .e = constant(0), .e2 = constant(0)};
	*(*last ? &p->statements[*last].next : first) = i;
	*last = i;
	return &p->statements[i];
}

static uint8_t some_list(struct maker *m, unsigned length, unsigned depth);
static void some_statement(struct maker *m, uint8_t *first, uint8_t *last, unsigned depth);

static void access_statement(struct maker *m, struct statement *s)
{
	unsigned kind = below(m, 10);
	if (with(m, HAS_MARKS) && below(m, 5) < 2) {
		s->kind = S_MARK;
		s->number = (uint8_t)below(m, 3);
		return;
	}
	s->place = some_place(m);
	s->kind = kind < 5 ? S_READ : S_WRITE;
	if (with(m, HAS_ATOMICS) && kind >= 8) {
		s->kind = (uint8_t)(S_ADD + below(m, 3));
		s->place.atomic = true;
	}
	bool expects = s->kind == S_CAS && below(m, 2);
	if (s->kind != S_WRITE)
		s->dst = some_local(m);
	s->e = some_expression(m);
	s->e2 = some_expression(m);
	if (expects)
		s->e = (struct expression){.op = E_LOCAL, .a = some_local(m), .b = -1};
	if (with(m, HAS_RANGES) && below(m, 4) == 0) {
		s->kind = below(m, 3) ? S_COPY : S_SET;
		s->dst = -1;
		s->place = (struct place){.variable = (uint8_t)(VAR_P + below(m, m->variables)), .index = constant(0)};
		s->place2 = (struct place){.variable = (uint8_t)(VAR_P + below(m, m->variables)), .index = constant(0)};
		if (with(m, HAS_DOUBLES) && s->place.variable < VAR_Z && s->place2.variable < VAR_Z)
			s->place.part = s->place2.part = PART_DOUBLE;
	}
}

static void lock_region(struct maker *m, uint8_t *first, uint8_t *last, unsigned depth)
{
	bool rw = with(m, HAS_RWLOCKS) && (!with(m, HAS_LOCKS) || below(m, 2)),
	     array = !rw && with(m, HAS_LOCK_ARRAY) && below(m, 2);
	unsigned kind = rw && below(m, 2) ? S_RDLOCK : S_LOCK, number = rw ? RWLOCK_R : MUTEX_L + below(m, m->locks);
	bool conditional = below(m, 6) == 0, try = with(m, HAS_TRY) && below(m, 2);
	struct expression condition = some_condition(m), index = {.op = E_LOCAL, .a = some_local(m), .b = -1};
	struct statement lock = {.kind = (uint8_t)kind, .dst = -1, .number = (uint8_t)number, .masked = array, .e = index};
	struct statement unlock = lock;
	unlock.kind = S_UNLOCK;
	if (try) {
		lock.kind = kind == S_LOCK ? S_TRYLOCK : S_TRYRDLOCK;
		lock.dst = some_local(m);
	}
	for (unsigned part = 0; part < 3; part++) {
		uint8_t inner_first = 0, inner_last = 0;
		if (part == 1) {
			uint8_t list = some_list(m, 1 + below(m, 3), depth + 1);
			if (!list)
				continue;
			*(*last ? &m->program->statements[*last].next : first) = list;
			for (*last = list; m->program->statements[*last].next; *last = m->program->statements[*last].next)
				;
			continue;
		}
		if (part == 2 && below(m, 12) == 0) /* forgotten */
			continue;
		struct statement *s = append(m, conditional ? &inner_first : first, conditional ? &inner_last : last, S_LOCK);
		if (!s)
			return;
		uint8_t next = s->next;
		*s = part ? unlock : lock;
		s->next = next;
		if (conditional && (s = append(m, first, last, S_IF))) {
			s->e = condition;
			s->body = inner_first;
		}
	}
}

static void control_statement(struct maker *m, struct statement *s, unsigned depth)
{
	bool loop = m->loop;
	if (with(m, HAS_SPINS) && below(m, 4) == 0) {
		s->kind = S_WHILE;
		s->place = some_place(m);
		s->e = (struct expression){.op = below(m, 2) ? E_EQ : E_NE, .b = -1, .c = (uint8_t)below(m, 2)};
		m->loop = true;
		s->body = below(m, 4) ? 0 : some_list(m, 1, depth + 1);
	} else if (with(m, HAS_LOOPS) && below(m, 3) == 0 && depth < 2) {
		s->kind = S_FOR;
		s->dst = (int8_t)depth; /* i outside, j inside */
		s->e = below(m, 3) ? constant(1 + below(m, 2)) : (struct expression){.op = E_LOCAL, .a = some_local(m), .b = -1};
		m->loop = true;
		s->body = some_list(m, 1 + below(m, 2), depth + 1);
	} else {
		s->kind = S_IF;
		s->e = some_condition(m);
		s->body = some_list(m, 1 + below(m, 2), depth + 1);
		s->other = below(m, 4) ? 0 : some_list(m, 1, depth + 1);
	}
	m->loop = loop;
}

static void call_statement(struct maker *m, struct statement *s)
{
	unsigned lowest = m->body < THREADS ? 0 : m->body - THREADS + 1;
	if (lowest >= FUNCTIONS) {
		s->kind = S_MARK;
		return;
	}
	s->number = (uint8_t)(THREADS + lowest + below(m, FUNCTIONS - lowest));
	s->kind = with(m, HAS_ONCE) && below(m, 3) == 0 ? S_ONCE : S_CALL;
	if (s->kind == S_ONCE)
		return;
	s->dst = below(m, 4) ? some_local(m) : -1;
	s->e = some_expression(m);
	s->e2 = some_expression(m);
}

static void memory_statement(struct maker *m, struct statement *s)
{
	switch (below(m, 5)) {
	case 0:
		s->kind = S_MALLOC;
		s->dst = some_local(m);
		break;
	case 1:
		s->kind = S_FREE;
		s->e = (struct expression){.op = E_LOCAL, .a = some_local(m), .b = -1};
		break;
	case 2: /* publish, or take what is published */
	case 3:
		s->kind = below(m, 2) ? S_WRITE : S_READ;
		s->place = (struct place){.variable = VAR_P};
		s->dst = s->kind == S_READ ? some_local(m) : -1;
		s->e = (struct expression){.op = E_LOCAL, .a = some_local(m), .b = -1};
		break;
	default:
		s->kind = below(m, 2) ? S_WRITE : S_READ;
		s->place = (struct place){.kind = PLACE_BLOCK, .index = {.op = E_LOCAL, .a = some_local(m), .b = -1}};
		s->dst = s->kind == S_READ ? some_local(m) : -1;
		s->e = some_expression(m);
	}
}

static void sync_statement(struct maker *m, struct statement *s)
{
	unsigned kinds[10], count = 0;
	if (with(m, HAS_CONDITIONS))
		kinds[count++] = S_WAIT, kinds[count++] = S_SIGNAL, kinds[count++] = S_BROADCAST;
	if (with(m, HAS_SEMAPHORE))
		kinds[count++] = S_POST, kinds[count++] = with(m, HAS_TRY) && below(m, 2) ? S_TRYTAKE : S_TAKE;
	if (with(m, HAS_TIMED))
		kinds[count++] = S_TIMEDWAIT, kinds[count++] = S_SIGNAL;
	if (with(m, HAS_BARRIER))
		kinds[count++] = S_ARRIVE;
	s->kind = count ? (uint8_t)kinds[below(m, count)] : S_MARK;
	s->lock = MUTEX_L;
	if (s->kind == S_TRYTAKE || s->kind == S_TIMEDWAIT)
		s->dst = some_local(m);
}

static void rare_statement(struct maker *m, struct statement *s)
{
	s->kind = S_LOCAL;
	s->e = some_expression(m);
	if (with(m, HAS_OBJECTS) && below(m, 2)) {
		s->kind = below(m, 2) ? S_CREATE : S_DESTROY;
		s->number = (uint8_t)(MUTEX_L + below(m, m->locks));
	} else if (with(m, HAS_EXIT) && below(m, 2)) {
		s->kind = below(m, 2) ? S_ASSERT : S_DIV;
		s->e = some_condition(m);
		s->e2 = (struct expression){.op = below(m, 2) ? E_LOCAL : E_ADD, .a = some_local(m), .b = -1, .c = 1};
	} else if (with(m, HAS_RESOURCES) && below(m, 4)) {
		s->kind = S_RESOURCE;
		s->number = (uint8_t)below(m, RESOURCE_CARRY + 1);
		s->masked = s->number >= RESOURCE_SWAP && below(m, 2);
		s->dst = s->number == RESOURCE_PUT ? -1 : some_local(m);
	} else if (with(m, HAS_RAND) && below(m, 2)) {
		s->kind = S_RAND;
	} else if (with(m, HAS_OPAQUE) && below(m, 2)) {
		s->kind = S_OPAQUE;
	} else if (with(m, HAS_BEGIN) && below(m, 2)) {
		s->kind = below(m, 2) ? S_BEGIN : S_END;
	}
	if (s->kind == S_LOCAL || s->kind == S_RAND || s->kind == S_DIV)
		s->dst = some_local(m);
}

static struct expression of_local(int8_t local)
{
	return (struct expression){.op = E_LOCAL, .a = local, .b = -1};
}

/* A block that another thread may know, used or freed; or one that becomes known. */
static void block_fragment(struct maker *m, uint8_t *first, uint8_t *last, unsigned depth)
{
	int8_t local = some_local(m);
	struct statement *s = append(m, first, last, below(m, 4) ? S_READ : S_MALLOC);
	if (!s)
		return;
	s->dst = local;
	s->place = (struct place){.variable = VAR_P};
	bool publish = s->kind == S_MALLOC;
	if (below(m, 2) && !publish) {
		uint8_t inner_first = 0, inner_last = 0;
		struct statement *use = append(m, &inner_first, &inner_last, below(m, 3) ? S_READ : S_FREE);
		if (!use)
			return;
		use->e = of_local(local);
		use->place = (struct place){.kind = PLACE_BLOCK, .index = of_local(local)};
		use->dst = use->kind == S_READ ? some_local(m) : -1;
		if (below(m, 2))
			some_statement(m, &inner_first, &inner_last, depth + 1);
		if ((s = append(m, first, last, S_IF))) {
			s->e = (struct expression){.op = E_NE, .a = local, .b = -1};
			s->body = inner_first;
		}
	} else if ((s = append(m, first, last, publish || below(m, 2) ? S_WRITE : S_FREE))) {
		s->e = of_local(local);
		s->place =
		        publish ? (struct place){.variable = VAR_P} : (struct place){.kind = PLACE_BLOCK, .index = of_local(local)};
	}
}

/* begin … end around two accesses of a variable. */
static void atomic_fragment(struct maker *m, uint8_t *first, uint8_t *last, unsigned depth)
{
	struct place place = some_place(m);
	append(m, first, last, S_BEGIN);
	for (unsigned i = 0; i < 2; i++) {
		struct statement *s = append(m, first, last, S_MARK);
		if (!s)
			return;
		access_statement(m, s);
		if (s->kind == S_MARK)
			continue;
		s->place = place;
		s->place.atomic |= s->kind >= S_ADD && s->kind <= S_CAS;
		if (i == 0 && below(m, 3) == 0)
			some_statement(m, first, last, depth + 1);
	}
	append(m, first, last, S_END);
}

/* One lock inside another. */
static void nested_fragment(struct maker *m, uint8_t *first, uint8_t *last, unsigned depth)
{
	unsigned outer = MUTEX_L + below(m, 2), inner = outer ^ MUTEX_L ^ MUTEX_M;
	static const uint8_t kinds[] = {S_LOCK, S_LOCK, S_UNLOCK, S_UNLOCK};
	unsigned numbers[] = {outer, inner, below(m, 2) ? outer : inner, 0};
	numbers[3] = numbers[2] ^ MUTEX_L ^ MUTEX_M;
	for (unsigned i = 0; i < 4; i++) {
		struct statement *s = append(m, first, last, kinds[i]);
		if (!s)
			return;
		s->number = (uint8_t)numbers[i];
		if (i < 3 && below(m, 3) == 0)
			some_statement(m, first, last, depth + 2);
	}
}

/* A wait or notify in a region of its lock, or a semaphore, a barrier or a once. */
static void waiting_fragment(struct maker *m, uint8_t *first, uint8_t *last, unsigned depth)
{
	struct statement *s = append(m, first, last, S_LOCK);
	if (!s)
		return;
	s->number = MUTEX_L;
	if (below(m, 3)) {
		if (below(m, 3) == 0)
			some_statement(m, first, last, depth + 2);
		if ((s = append(m, first, last, S_MARK)))
			sync_statement(m, s);
		if (s && s->kind == S_MARK)
			access_statement(m, s);
		if ((s = append(m, first, last, S_UNLOCK)))
			s->number = MUTEX_L;
		return;
	}
	sync_statement(m, s);
	if (s->kind == S_MARK)
		access_statement(m, s);
}

/* One or two reads, perhaps under a lock, and an assertion about them that mostly passes. */
static void assert_fragment(struct maker *m, uint8_t *first, uint8_t *last)
{
	static const uint8_t ops[] = {E_NE, E_NE, E_LT, E_EQ, E_XOR, E_ADD, E_LOCAL, E_NOT};
	bool two = below(m, 2), locked = with(m, HAS_LOCKS) && below(m, 2);
	struct statement *s;
	if (locked && (s = append(m, first, last, S_LOCK)))
		s->number = MUTEX_L;
	for (unsigned i = 0; i <= two; i++)
		if ((s = append(m, first, last, S_READ))) {
			s->place = some_place(m);
			s->dst = (int8_t)(3 + i);
		}
	if (locked && (s = append(m, first, last, S_UNLOCK)))
		s->number = MUTEX_L;
	if ((s = append(m, first, last, S_ASSERT)))
		s->e = (struct expression){.op = ops[below(m, two ? 6 : 8)], .a = 3, .b = two ? 4 : -1, .c = (uint8_t)below(m, 4)};
}

static bool fragment(struct maker *m, uint8_t *first, uint8_t *last, unsigned depth)
{
	if (with(m, HAS_ASSERTS) && below(m, 3) == 0) {
		assert_fragment(m, first, last);
		return true;
	}
	if (depth > 1 || below(m, 3))
		return false;
	if (with(m, HAS_BLOCKS) && below(m, 2))
		block_fragment(m, first, last, depth);
	else if (with(m, HAS_BEGIN) && below(m, 2))
		atomic_fragment(m, first, last, depth);
	else if (with(m, HAS_NESTING) && below(m, 2))
		nested_fragment(m, first, last, depth);
	else
		return false;
	return true;
}

static void some_statement(struct maker *m, uint8_t *first, uint8_t *last, unsigned depth)
{
	unsigned kind = below(m, 100);
	if (fragment(m, first, last, depth))
		return;
	if (with(m, HAS_WAITING) && below(m, 3) == 0) {
		waiting_fragment(m, first, last, depth);
		return;
	}
	if (kind < 20 && m->features & (HAS_LOCKS | HAS_RWLOCKS) && depth < 3) {
		lock_region(m, first, last, depth);
		return;
	}
	struct statement *s = append(m, first, last, S_MARK);
	if (!s)
		return;
	if (kind < 62 && m->features & (HAS_RAND | HAS_OPAQUE | HAS_EXIT | HAS_OBJECTS | HAS_RESOURCES) &&
	        below(m, m->features & HAS_RESOURCES ? 2 : 4) == 0)
		rare_statement(m, s);
	else if (kind < 62)
		access_statement(m, s);
	else if (kind < 76 && depth < 3)
		control_statement(m, s, depth);
	else if (kind < 84 && with(m, HAS_FUNCTIONS))
		call_statement(m, s);
	else if (kind < 90 && with(m, HAS_BLOCKS))
		memory_statement(m, s);
	else if (kind < 94)
		sync_statement(m, s);
	else if (kind < 96 && depth && (m->loop || m->body >= THREADS))
		s->kind = m->loop && below(m, 2) ? S_BREAK : S_RETURN;
	else
		rare_statement(m, s);
	if (s->kind == S_RETURN)
		s->e = some_expression(m);
	if (s->kind == S_MARK)
		access_statement(m, s);
}

static uint8_t some_list(struct maker *m, unsigned length, unsigned depth)
{
	uint8_t first = 0, last = 0;
	for (unsigned i = 0; i < length && !m->full; i++)
		some_statement(m, &first, &last, depth);
	return first;
}

/* Another thread starts thread 3. */
static void fork_elsewhere(struct maker *m)
{
	uint8_t first = 0, last = 0, body = (uint8_t)(1 + below(m, 2));
	struct statement *s = append(m, &first, &last, S_FORK);
	if (!s)
		return;
	s->number = 3;
	if (below(m, 2) && (s = append(m, &first, &last, S_JOIN)))
		s->number = 3;
	m->program->statements[last].next = m->program->first[body];
	m->program->first[body] = first;
}

/* T0 starts the others, and may do something of its own. */
static void main_thread(struct maker *m, unsigned others)
{
	uint8_t *first = &m->program->first[0], last = 0;
	struct statement *s;
	unsigned joins = below(m, 4), work = below(m, 4);
	if (with(m, HAS_BLOCKS) && below(m, 2) && (s = append(m, first, &last, S_MALLOC))) {
		s->dst = PARAMETER_LOCAL;
		if ((s = append(m, first, &last, S_WRITE))) {
			s->place = (struct place){.variable = VAR_P};
			s->e = of_local(PARAMETER_LOCAL);
		}
	}
	if (with(m, HAS_SEMAPHORE) && below(m, 4) && (s = append(m, first, &last, S_INIT)))
		s->number = (uint8_t)below(m, 3);
	if (with(m, HAS_BARRIER) && below(m, 4) && (s = append(m, first, &last, S_INIT)))
		s->masked = true;
	bool elsewhere = others == 3 && below(m, 4) == 0;
	if (elsewhere)
		fork_elsewhere(m);
	for (unsigned t = 1; t <= others - elsewhere; t++) {
		if (below(m, 8) == 0)
			some_statement(m, first, &last, 0);
		if ((s = append(m, first, &last, S_FORK))) {
			s->number = (uint8_t)t;
			s->e = m->program->parameters[t] ? some_expression(m) : constant(0);
		}
	}
	for (unsigned i = 0; i < work && others < 3; i++)
		some_statement(m, first, &last, 0);
	for (unsigned t = 1; t <= others && joins; t++)
		if (below(m, 3) && (s = append(m, first, &last, S_JOIN))) {
			s->number = (uint8_t)t;
			if (below(m, 2))
				some_statement(m, first, &last, 0);
		}
	m->program->returns = below(m, 6) == 0;
	m->program->announces = below(m, 4) == 0;
	m->program->dirty = below(m, 2);
	m->program->atomic = with(m, HAS_FUNCTIONS) && below(m, 2);
}

/* At the end of this function: often what was passed to it. */
static void return_something(struct maker *m)
{
	uint8_t last = m->program->first[m->body];
	while (last && m->program->statements[last].next)
		last = m->program->statements[last].next;
	struct statement *s = append(m, &m->program->first[m->body], &last, S_RETURN);
	if (s)
		s->e = below(m, 2) ? of_local((int8_t)(PARAMETER_LOCAL + below(m, 2))) : some_expression(m);
}

/* What one thread reads passes through a function into memory, and decides in another. */
static void pass_on(struct maker *m)
{
	uint8_t last = 0, first = 0, other_first = 0, other_last = 0, inner_first = 0, inner_last = 0;
	struct statement *s;
	if ((s = append(m, &first, &last, S_READ))) {
		s->dst = PARAMETER_LOCAL;
		s->place.variable = VAR_X;
	}
	if ((s = append(m, &first, &last, S_CALL))) {
		s->number = (uint8_t)(THREADS + below(m, FUNCTIONS));
		s->dst = PARAMETER_LOCAL + 1;
		s->e = s->e2 = of_local(PARAMETER_LOCAL);
	}
	if ((s = append(m, &first, &last, S_WRITE))) {
		s->place.variable = VAR_W;
		s->e = of_local(PARAMETER_LOCAL + 1);
	}
	if ((s = append(m, &other_first, &other_last, S_READ))) {
		s->dst = PARAMETER_LOCAL;
		s->place.variable = VAR_W;
	}
	some_statement(m, &inner_first, &inner_last, 2);
	if ((s = append(m, &other_first, &other_last, S_IF))) {
		s->e = some_condition(m);
		s->e.a = PARAMETER_LOCAL;
		s->body = inner_first;
	}
	if (m->full)
		return;
	m->program->statements[last].next = m->program->first[1];
	m->program->first[1] = first;
	m->program->statements[other_last].next = m->program->first[2];
	m->program->first[2] = other_first;
}

static unsigned some_features(struct random *random)
{
	unsigned features = random_below(random, 4) ? HAS_LOCKS : 0;
	for (unsigned f = 1; f < FEATURES; f++)
		if (random_below(random, 5) == 0)
			features |= 1u << f;
	if (features & HAS_WAITING)
		features |= HAS_LOCKS | (random_below(random, 2)          ? HAS_CONDITIONS
		                                : random_below(random, 2) ? HAS_SEMAPHORE
		                                                          : HAS_BARRIER);
	if (random_below(random, 4) == 0)
		features |= HAS_MARKS;
	if (features & HAS_DOUBLES)
		features |= HAS_RANGES;
	struct random aside = *random; /* programs without this one are what they were before there was it */
	random_below(&aside, 2);
	return random_below(&aside, 5) == 0 ? features | HAS_ASSERTS : features;
}

void random_schedule(struct random *random, struct program *program)
{
	unsigned style = random_below(random, 3), last = 0, threads = THREADS;
	while (threads > 1 && !program->first[threads - 1])
		threads--;
	program->steps = style ? 20 + random_below(random, 40) : 4 + random_below(random, 6);
	for (unsigned i = 0; i < program->steps; i++) {
		if (random_below(random, 2))
			last = random_below(random, threads);
		program->schedule[i] = (uint8_t)(last | (style == 1 || (style == 2 && random_below(random, 3)) ? 0x80 : 0));
	}
	if (random_below(random, 3)) {
		program->schedule[0] = 0;
	}
}

void random_program(struct random *random, struct program *ret_program)
{
	do {
		struct maker m = {.random = random, .program = ret_program, .features = some_features(random)};
		memset(ret_program, 0, sizeof(*ret_program));
		m.variables = 2 + below(&m, 4);
		m.locks = 1 + below(&m, 2);
		unsigned others = 2 + (below(&m, 3) == 0), length = others == 2 ? 5 : 3;
		for (unsigned v = 0; v < VARIABLES; v++)
			ret_program->initial[v] = (uint8_t)(below(&m, 3) ? 0 : 1 + below(&m, 2));
		for (m.body = THREADS; m.body < BODIES && with(&m, HAS_FUNCTIONS); m.body++) {
			ret_program->parameters[m.body] = (uint8_t)below(&m, 3);
			ret_program->first[m.body] = some_list(&m, 1 + below(&m, 3), 1);
			if (below(&m, 3))
				return_something(&m);
		}
		for (m.body = 1; m.body <= others; m.body++) {
			ret_program->parameters[m.body] = below(&m, 4) == 0;
			ret_program->first[m.body] = some_list(&m, 1 + below(&m, length), 0);
		}
		m.body = 2;
		if (with(&m, HAS_FUNCTIONS) && below(&m, 3) == 0)
			pass_on(&m);
		m.body = 0;
		main_thread(&m, others);
	} while (!program_valid(ret_program));
	random_schedule(random, ret_program);
}

/* Memory orders. */

static struct place of_variable(unsigned variable, struct maker *m, const char *orders)
{
	struct place place = {.variable = (uint8_t)variable, .index = constant(0), .atomic = orders != NULL};
	if (orders)
		place.order = (uint8_t)(orders[below(m, (unsigned)strlen(orders))] - '0');
	return place;
}

/* What one of orders does. Their letters: 0 seq_cst, 1 relaxed, 2 acquire, 3 release, 4 acq_rel. */
static void order_access(struct maker *m, struct statement *s)
{
	unsigned kind = below(m, 11), atomic = below(m, 3) ? VAR_F : VAR_G, plain = below(m, 4) ? VAR_X : VAR_Y;
	s->kind = kind < 1   ? S_FENCE
	          : kind < 4 ? S_READ + below(m, 2)
	          : kind < 7 ? S_WRITE
	          : kind < 8 ? S_ADD + below(m, 3)
	                     : S_READ;
	if (s->kind == S_FENCE)
		s->number = (uint8_t)(NORN_ORDER_ACQUIRE + below(m, 4));
	else
		s->place = kind < 4   ? of_variable(plain, m, NULL)
		           : kind < 7 ? of_variable(atomic, m, "0113")
		           : kind < 8 ? of_variable(atomic, m, "011234")
		                      : of_variable(atomic, m, "0112");
	s->e = constant(s->kind == S_CAS ? below(m, 2) : 1 + !below(m, 4));
	s->e2 = constant(1 + below(m, 2));
	s->dst = s->kind == S_WRITE || s->kind == S_FENCE ? -1 : some_local(m);
}

static void order_statement(struct maker *m, uint8_t *first, uint8_t *last, unsigned depth)
{
	bool locked = depth == 0 && below(m, 12) == 0;
	if (locked)
		append(m, first, last, S_LOCK);
	struct statement *s = append(m, first, last, S_FENCE);
	if (!s)
		return;
	order_access(m, s);
	if (locked)
		append(m, first, last, S_UNLOCK);
	if (locked || s->kind != S_READ || !s->place.atomic || depth > 1 || below(m, 4) == 0)
		return;
	/* The value is looked at: what comes then must come after. */
	struct expression condition = {.op = below(m, 3) ? E_EQ : E_LOCAL, .a = s->dst, .b = -1, .c = s->e.c};
	uint8_t inner = 0, end = 0;
	for (unsigned i = 1 + below(m, 3); i; i--)
		order_statement(m, &inner, &end, depth + 1);
	if ((s = append(m, first, last, S_IF))) {
		s->e = condition;
		s->body = inner;
	}
}

void random_orders(struct random *random, struct program *ret_program)
{
	do {
		struct maker m = {.random = random, .program = ret_program};
		memset(ret_program, 0, sizeof(*ret_program));
		unsigned others = 2 + below(&m, 2);
		uint8_t last = 0;
		for (m.body = 1; m.body <= others; m.body++, last = 0)
			for (unsigned i = 2 + below(&m, others == 2 ? 4 : 2); i; i--)
				order_statement(&m, &ret_program->first[m.body], &last, 0);
		for (unsigned t = 1; t <= others; t++) {
			struct statement *s = append(&m, &ret_program->first[0], &last, S_FORK);
			if (s)
				s->number = (uint8_t)t;
		}
	} while (!program_valid(ret_program));
	random_schedule(random, ret_program);
}

/* Marks. */

/* A read, and whether something is written depends on it: now, or when something else has been done. */
static void scope_statement(struct maker *m, uint8_t *first, uint8_t *last)
{
	struct statement *s = append(m, first, last, S_READ);
	if (!s)
		return;
	int8_t local = s->dst = some_local(m);
	s->place = of_variable(VAR_P + below(m, 4), m, NULL);
	if (below(m, 3) == 0 && (s = append(m, first, last, S_MARK)))
		s->number = (uint8_t)below(m, 3);
	uint8_t inner = 0, other = 0, end = 0;
	if ((s = append(m, &inner, &end, below(m, 5) ? S_WRITE : S_MARK))) {
		s->number = (uint8_t)below(m, 3);
		s->place = of_variable(below(m, 8) ? VAR_P + below(m, 4) : VAR_Z, m, NULL);
		s->e = constant(below(m, 3));
	}
	end = 0;
	if (below(m, 4) == 0 && (s = append(m, &other, &end, S_WRITE))) {
		s->place = of_variable(VAR_P + below(m, 4), m, NULL);
		s->e = constant(below(m, 3));
	}
	if ((s = append(m, first, last, S_IF))) {
		s->e = (struct expression){.op = below(m, 2)   ? E_EQ
		                                 : below(m, 2) ? E_LT
		                                               : E_LOCAL,
		        .a = local,
		        .b = -1,
		        .c = (uint8_t)below(m, 3)};
		s->body = inner;
		s->other = other;
	}
}

static void mark_statement(struct maker *m, uint8_t *first, uint8_t *last)
{
	unsigned kind = below(m, 13);
	if (kind < 3) {
		scope_statement(m, first, last);
		return;
	}
	struct statement *s = append(m, first, last, kind < 7 ? S_MARK : kind < 9 ? S_READ : kind < 12 ? S_WRITE : S_ADD);
	if (!s)
		return;
	s->number = (uint8_t)below(m, 3);
	s->place = of_variable(s->kind == S_WRITE && below(m, 4) == 0 ? VAR_Z : VAR_P + below(m, 4), m, NULL);
	s->place.atomic = s->kind == S_ADD;
	s->dst = s->kind == S_READ ? some_local(m) : -1;
	s->e = below(m, 2) && s->kind == S_WRITE
	               ? (struct expression){.op = below(m, 2) ? E_LOCAL : E_ADD, .a = some_local(m), .b = -1, .c = 1}
	               : constant(s->kind == S_ADD ? 1 : below(m, 3));
}

static void marked_thread(struct maker *m, unsigned length)
{
	uint8_t last = 0, *first = &m->program->first[m->body];
	for (; length; length--) {
		bool locked = below(m, 5) == 0;
		if (locked)
			append(m, first, &last, S_LOCK);
		mark_statement(m, first, &last);
		if (locked && length > 1 && below(m, 2)) {
			mark_statement(m, first, &last);
			length--;
		}
		if (locked)
			append(m, first, &last, S_UNLOCK);
	}
}

void random_marks(struct random *random, struct program *ret_program)
{
	do {
		struct maker m = {.random = random, .program = ret_program};
		memset(ret_program, 0, sizeof(*ret_program));
		unsigned others = 2 + (below(&m, 3) == 0);
		uint8_t last = 0;
		for (unsigned v = 0; v < VARIABLES; v++)
			ret_program->initial[v] = (uint8_t)(below(&m, 3) ? 0 : 1 + below(&m, 2));
		for (m.body = 1; m.body <= others; m.body++)
			marked_thread(&m, 2 + below(&m, others == 2 ? 5 : 3));
		for (unsigned t = 1; t <= others; t++) {
			struct statement *s = append(&m, &ret_program->first[0], &last, S_FORK);
			if (s)
				s->number = (uint8_t)t;
		}
	} while (!program_valid(ret_program));
	random_schedule(random, ret_program);
}

/* Atomic blocks. */

static void block_access(struct maker *m, uint8_t *first, uint8_t *last, unsigned depth)
{
	unsigned lock = below(m, 3) ? 0 : 1 + below(m, 2), kind = below(m, 12);
	struct statement *s;
	if (lock && (s = append(m, first, last, S_LOCK)))
		s->number = (uint8_t)(MUTEX_K + lock);
	if (!(s = append(m, first, last, S_READ)))
		return;
	s->kind = kind < 5 ? S_READ : kind < 11 ? S_WRITE : S_ADD + below(m, 3);
	s->place = of_variable(VAR_X + below(m, m->variables), m, NULL);
	s->place.part = (uint8_t)(below(m, 6) ? PART_WHOLE : PART_LOW + below(m, 2));
	s->place.atomic = kind == 11 || below(m, 12) == 0;
	s->e = below(m, 4) ? constant(1 + below(m, 2)) : of_local(some_local(m));
	s->e2 = constant(1 + below(m, 2));
	s->dst = s->kind == S_WRITE ? -1 : some_local(m);
	struct expression condition = {.op = E_EQ, .a = s->dst, .b = -1, .c = (uint8_t)below(m, 2)};
	bool decides = s->kind == S_READ && depth < 2 && below(m, 5) == 0;
	if (lock && (s = append(m, first, last, S_UNLOCK)))
		s->number = (uint8_t)(MUTEX_K + lock);
	uint8_t inner = 0, end = 0;
	if (!decides)
		return;
	block_access(m, &inner, &end, depth + 1);
	if ((s = append(m, first, last, S_IF))) {
		s->e = condition;
		s->body = inner;
	}
}

/* A block, with a lock of its own or not; or accesses alone. */
static void block_part(struct maker *m, uint8_t *first, uint8_t *last)
{
	bool block = below(m, 3), locked = below(m, 5) == 0;
	struct statement *s;
	if (locked && (s = append(m, first, last, S_LOCK)))
		s->number = MUTEX_K;
	if (block)
		append(m, first, last, S_BEGIN);
	for (unsigned i = 1 + below(m, 3); i; i--)
		block_access(m, first, last, 0);
	if (block && below(m, 8))
		append(m, first, last, S_END);
	if (locked && (s = append(m, first, last, S_UNLOCK)))
		s->number = MUTEX_K;
}

void random_blocks(struct random *random, struct program *ret_program)
{
	do {
		struct maker m = {.random = random, .program = ret_program};
		memset(ret_program, 0, sizeof(*ret_program));
		m.variables = 1 + below(&m, 3);
		unsigned others = 2 + (below(&m, 3) == 0);
		uint8_t last = 0;
		for (m.body = 1; m.body <= others; m.body++, last = 0)
			for (unsigned i = 1 + (others == 2 && below(&m, 2)); i; i--)
				block_part(&m, &ret_program->first[m.body], &last);
		for (unsigned t = 1; t <= others; t++) {
			struct statement *s = append(&m, &ret_program->first[0], &last, S_FORK);
			if (s)
				s->number = (uint8_t)t;
		}
	} while (!program_valid(ret_program));
	random_schedule(random, ret_program);
}

/* Changes. */

static unsigned statements_of(const struct program *p, uint8_t first, uint8_t *ret_list, unsigned count)
{
	for (uint8_t i = first; i; i = p->statements[i].next) {
		ret_list[count++] = i;
		count = statements_of(p, p->statements[i].body, ret_list, count);
		count = statements_of(p, p->statements[i].other, ret_list, count);
	}
	return count;
}

static bool unlink_from(struct program *p, uint8_t *first, unsigned i)
{
	for (uint8_t *at = first; *at; at = &p->statements[*at].next) {
		if (*at == i) {
			*at = p->statements[i].next;
			return true;
		}
		if (unlink_from(p, &p->statements[*at].body, i) || unlink_from(p, &p->statements[*at].other, i))
			return true;
	}
	return false;
}

bool program_remove(struct program *program, unsigned i)
{
	for (unsigned body = 0; body < BODIES; body++)
		if (unlink_from(program, &program->first[body], i))
			return true;
	return false;
}

static void change_details(struct maker *m, struct statement *s)
{
	switch (below(m, 6)) {
	case 0:
		if (s->kind != S_FOR)
			s->e.c = (uint8_t)below(m, 3);
		break;
	case 1:
		if (s->place.kind == PLACE_SCALAR)
			s->place.variable = (uint8_t)below(m, VAR_A);
		break;
	case 2:
		if (s->kind >= S_LOCK && s->kind <= S_TRYRDLOCK)
			s->number = (uint8_t)below(m, LOCKS);
		break;
	case 3:
		if (s->dst >= 2)
			s->dst = some_local(m);
		break;
	case 4:
		if (s->kind == S_READ || s->kind == S_WRITE)
			s->place.atomic = !s->place.atomic;
		else if (s->kind == S_IF)
			s->e = some_condition(m);
		break;
	default:
		if (s->kind == S_IF) {
			uint8_t body = s->body;
			s->body = s->other;
			s->other = body;
		} else if (s->kind == S_LOCK) {
			s->kind = S_RDLOCK;
		}
	}
}

/* Something new behind statement i, or in its place. */
static void insert(struct maker *m, uint8_t i)
{
	uint8_t first = 0, last = 0;
	some_statement(m, &first, &last, 1);
	if (!first)
		return;
	m->program->statements[last].next = m->program->statements[i].next;
	m->program->statements[i].next = first;
}

void random_change(struct random *random, struct program *program)
{
	for (unsigned tries = 0; tries < 20; tries++) {
		struct program before = *program;
		struct maker m = {
		        .random = random, .program = program, .features = some_features(random), .variables = 4, .locks = 2};
		uint8_t list[STATEMENTS];
		for (unsigned changes = 1 + below(&m, 3); changes; changes--) {
			m.body = below(&m, BODIES);
			unsigned count = statements_of(program, program->first[m.body], list, 0);
			if (!count)
				continue;
			uint8_t i = list[below(&m, count)];
			unsigned what = below(&m, 8);
			if (what < 4)
				change_details(&m, &program->statements[i]);
			else if (what < 7)
				insert(&m, i);
			else
				program_remove(program, i);
		}
		if (program_valid(program)) {
			if (below(&m, 3) == 0)
				random_schedule(random, program);
			return;
		}
		*program = before;
	}
}

/* Validity. */

struct inspection {
	const struct program *program;
	unsigned body, forked; /* a bit per thread that was seen to be forked */
	bool bad;
};

static void inspect(struct inspection *in, uint8_t first, unsigned counters)
{
	for (uint8_t i = first; i; i = in->program->statements[i].next) {
		const struct statement *s = &in->program->statements[i];
		if (s->dst >= 0 && (counters >> s->dst & 1))
			in->bad = true;
		if (s->kind == S_FORK && (in->body >= THREADS || s->number <= in->body || (in->forked >> s->number & 1)))
			in->bad = true;
		if (s->kind == S_FORK)
			in->forked |= 1u << s->number;
		if (s->kind == S_JOIN && in->body >= THREADS)
			in->bad = true;
		if ((s->kind == S_CALL || s->kind == S_ONCE) && in->body >= THREADS && s->number <= in->body)
			in->bad = true;
		if (s->kind == S_ONCE && in->program->parameters[s->number])
			in->bad = true;
		unsigned inner = counters | (s->kind == S_FOR ? 1u << s->dst : 0);
		inspect(in, s->body, inner);
		inspect(in, s->other, inner);
	}
}

bool program_valid(const struct program *program)
{
	struct inspection in = {.program = program};
	for (in.body = 0; in.body < BODIES; in.body++)
		inspect(&in, program->first[in.body], 0);
	return !in.bad && program->first[0];
}
