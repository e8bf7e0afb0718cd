#include "run/rapid_text.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/huge_pages.h"
#include "base/must.h"
#include "run/rapid_names.h"
#include "trace/record.h"
#include "trace/site.h"

#define VARIABLES UINT64_C(0x100000000) /* addresses of variables, and */
#define LOCKS UINT64_C(0x200000000) /* of locks; they have names of their own */
#define PAD 4096u /* bytes behind the text that can be read */
#define AHEAD 32u /* lines that are looked at before their turn, so that memory has time to bring what they name */
#define NEAR 16u /* lines whose variables have their numbers */
#define NO_NUMBER UINT32_MAX
#define GIVE_BACK (UINT64_C(16) << 20) /* text is given back in pieces of this size */

const char *const norn_rapid_op_names[NORN_RAPID_OPS] = {"r", "w", "acq", "rel", "fork", "join", "begin", "end"};

/* The sites of a name's latest two kinds of use, which mostly are those of the next: read and write, acquire and release. */
struct text_places {
	uint16_t location[2]; /* numbers beyond that are not kept */
	uint32_t site[2];
};

struct lock {
	uint32_t version;
	uint32_t holder, depth; /* 1 + thread */
	unsigned line; /* of its acquire */
	struct text_places places;
};

struct rapid_thread {
	uint32_t parent, ordinal, children; /* parent: NORN_NO_THREAD if none */
	uint64_t index; /* events so far */
	uint32_t transactions; /* that are open */
	bool acted, forked, joined, ended;
};

struct variable {
	uint32_t version;
	struct text_places places;
};

struct text_key {
	uint32_t op, name, location;
};

/* Part of a line; the ends have no white space. */
struct token {
	const char *at;
	size_t length;
};

/* A line that is yet to come. */
struct text_ahead {
	const char *begin, *first, *second, *end; /* first and second bar, or the end */
	struct token what, target; /* if it accesses a variable, and is written in the plain form; else empty */
	uint32_t variable; /* NO_NUMBER: not known yet, or none */
};

struct norn_rapid_text {
	char *name;
	const char *begin, *end, *at;
	const char *given; /* text before this was given back */
	bool mapped;
	struct text_ahead ahead[AHEAD]; /* lines from at on: a ring */
	unsigned head, count; /* the next of them, and how many there are */
	const char *seen; /* the end of the last one */
	unsigned line;
	struct norn_error *err;
	struct norn_rapid_names threads, variables, locks, locations;
	struct rapid_thread *thread;
	uint32_t thread_room;
	uint64_t last_token; /* of a thread, and its number */
	size_t last_length;
	uint32_t last_thread;
	struct variable *variable;
	uint32_t variable_room;
	struct lock *lock;
	uint32_t lock_room;
	struct norn_map sites; /* key to uint32_t: 1 + number */
	struct text_key *keys;
	uint32_t key_room, key_count;
	uint64_t events, reentrant, forked_again;
	bool over; /* the text is at its end, and */
	uint32_t ending; /* threads before this one have ended */
	struct norn_event queue[2]; /* events before the last one of a line */
	unsigned queued, taken;
	struct norn_event last; /* and that */
	bool has_last;
};

/* ---- the text ---- */

/* The file, with PAD bytes behind it. */
static int map_file(struct norn_rapid_text *t, FILE *from)
{
	struct stat st;
	int file = fileno(from);
	if (file < 0 || fstat(file, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0 || ftello(from) != 0)
		return -EINVAL;
	size_t bytes = (size_t)st.st_size;
	char *place = mmap(NULL, bytes + PAD, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (place == MAP_FAILED)
		return -ENOMEM;
	if (mmap(place, bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED) {
		munmap(place, bytes + PAD);
		return -EINVAL;
	}
	madvise(place, bytes, MADV_SEQUENTIAL);
	t->mapped = true;
	t->begin = place;
	t->end = place + bytes;
	return 0;
}

/* Input from a pipe is a text if its beginning is one: other files (/dev/zero) may have no end. */
static int read_file(struct norn_rapid_text *t, FILE *from)
{
	char *bytes = NULL;
	size_t count = 0, room = 0;
	do {
		if (count && (memchr(bytes, 0, count) || !memchr(bytes, '\n', count))) {
			free(bytes);
			return norn_error_set(t->err, -EINVAL, "%s is neither a trace nor a text", t->name);
		}
		size_t more = room ? room * 2 : 65536;
		bytes = norn_must_realloc(bytes, more + PAD, 1);
		room = more;
		count += fread(bytes + count, 1, room - count, from);
	} while (count == room);
	memset(bytes + count, 0, PAD);
	t->begin = bytes;
	t->end = bytes + count;
	return ferror(from) ? norn_error_set(t->err, -EIO, "%s cannot be read", t->name) : 0;
}

int norn_rapid_text_new(FILE *from, const char *name, struct norn_rapid_text **ret_text, struct norn_error *err)
{
	struct norn_rapid_text *t = norn_must_calloc(1, sizeof *t);
	t->err = err;
	norn_map_init(&t->sites, sizeof(uint32_t));
	t->name = norn_must_text(name);
	int r = map_file(t, from) < 0 ? read_file(t, from) : 0;
	if (r < 0) {
		norn_rapid_text_free(t);
		return r;
	}
	norn_rapid_text_rewind(t);
	*ret_text = t;
	return 0;
}

void norn_rapid_text_free(struct norn_rapid_text *text)
{
	if (!text)
		return;
	if (text->mapped)
		munmap((void *)(uintptr_t)text->begin, (size_t)(text->end - text->begin) + PAD);
	else
		free((void *)(uintptr_t)text->begin);
	struct norn_rapid_names *all[] = {&text->threads, &text->variables, &text->locks, &text->locations};
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		norn_rapid_names_done(all[i]);
	norn_map_done(&text->sites);
	free(text->thread);
	free(text->variable);
	free(text->lock);
	free(text->keys);
	free(text->name);
	free(text);
}

void norn_rapid_text_rest(struct norn_rapid_text *text)
{
	norn_map_done(&text->sites);
}

void norn_rapid_text_rewind(struct norn_rapid_text *text)
{
	text->at = text->given = text->seen = text->begin;
	text->head = text->count = 0;
	text->line = 0;
	text->events = text->reentrant = text->forked_again = 0;
	text->over = false;
	text->ending = 0;
	text->queued = text->taken = 0;
	text->has_last = false;
	if (text->thread)
		memset(text->thread, 0, text->thread_room * sizeof *text->thread);
	for (uint32_t i = 0; i < text->lock_room; i++)
		text->lock[i].version = text->lock[i].holder = text->lock[i].depth = 0;
	for (uint32_t i = 0; i < text->variable_room; i++)
		text->variable[i].version = 0;
}

/* ---- numbers ---- */

/* Makes *array, of elements of size bytes, long enough for index; new elements are zeroed. */
static void reserve(void *array, uint32_t *room, uint32_t index, size_t size)
{
	if (index < *room)
		return;
	uint32_t wanted = *room ? *room : 64;
	while (wanted <= index)
		wanted *= 2;
	*(void **)array = norn_huge_grow(*(void **)array, *room * size, wanted * size);
	*room = wanted;
}

#define BAD(t, ...) norn_error_set((t)->err, -EINVAL, __VA_ARGS__)

static bool all_digits(const char *at, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (at[i] < '0' || at[i] > '9')
			return false;
	return true;
}

/* T7 and 7 are the same thread. */
static uint32_t thread_number(struct norn_rapid_text *t, struct token token)
{
	/* Mostly it is the one of the line before. */
	uint64_t head = 0;
	if (token.length <= sizeof head) {
		memcpy(&head, token.at, sizeof head); /* there is always more that can be read */
		head &= token.length == sizeof head ? UINT64_MAX : (UINT64_C(1) << token.length * 8) - 1;
		if (head == t->last_token && token.length == t->last_length)
			return t->last_thread;
	}
	size_t length = token.length;
	if (token.at[0] == 'T' && token.length > 1 && all_digits(token.at + 1, token.length - 1)) {
		token.at++;
		token.length--;
	}
	uint32_t thread = norn_rapid_names_get(&t->threads, token.at, token.length);
	reserve(&t->thread, &t->thread_room, thread, sizeof *t->thread);
	if (length <= sizeof head) {
		t->last_token = head;
		t->last_length = length;
		t->last_thread = thread;
	}
	return thread;
}

static uint64_t site_key(uint32_t op, uint32_t name, uint32_t location)
{
	return (uint64_t)location << 32 | (uint64_t)name << 3 | op;
}

/* After a rest. */
static void remember_sites(struct norn_rapid_text *t)
{
	for (uint32_t i = 0; i < t->key_count; i++) {
		uint32_t *number = norn_must_map_put(&t->sites, site_key(t->keys[i].op, t->keys[i].name, t->keys[i].location));
		*number = i + 1;
	}
}

static int new_site(struct norn_rapid_text *t, enum norn_rapid_op op, uint32_t name, uint32_t location, uint32_t *ret_site)
{
	if (t->sites.count != t->key_count)
		remember_sites(t);
	assert(name < 1u << 29); /* a site table has fewer sites, and each name has one */
	uint32_t *site = norn_must_map_put(&t->sites, site_key(op, name, location));
	if (*site == 0) {
		if (t->key_count >= NORN_SITE_FIRST - 1)
			return BAD(t, "there are more than %u different events", NORN_SITE_FIRST - 1);
		reserve(&t->keys, &t->key_room, t->key_count, sizeof *t->keys);
		t->keys[t->key_count++] = (struct text_key){op, name, location};
		*site = t->key_count;
	}
	*ret_site = NORN_SITE_FIRST - 1 + *site;
	return 0;
}

static int site_of(struct norn_rapid_text *t, enum norn_rapid_op op, uint32_t name, struct token location, uint32_t *ret_site)
{
	uint32_t where = norn_rapid_names_get(&t->locations, location.at, location.length);
	if (op > NORN_RAPID_RELEASE)
		return new_site(t, op, name, where, ret_site);
	struct text_places *p = op <= NORN_RAPID_WRITE ? &t->variable[name].places : &t->lock[name].places;
	if (where > UINT16_MAX)
		return new_site(t, op, name, where, ret_site);
	if (p->site[op % 2] == 0 || p->location[op % 2] != where) {
		int r = new_site(t, op, name, where, &p->site[op % 2]);
		if (r != 0)
			return r;
		p->location[op % 2] = (uint16_t)where;
	}
	*ret_site = p->site[op % 2];
	return 0;
}

static uint32_t variable_number(struct norn_rapid_text *t, struct token target)
{
	uint32_t number = norn_rapid_names_get(&t->variables, target.at, target.length);
	reserve(&t->variable, &t->variable_room, number, sizeof *t->variable);
	return number;
}

static uint32_t lock_number(struct norn_rapid_text *t, struct token target)
{
	uint32_t number = norn_rapid_names_get(&t->locks, target.at, target.length);
	reserve(&t->lock, &t->lock_room, number, sizeof *t->lock);
	return number;
}

static uint32_t target_of(struct norn_rapid_text *t, enum norn_rapid_op op, uint32_t thread, struct token target)
{
	switch (op) {
	case NORN_RAPID_READ:
	case NORN_RAPID_WRITE:
		return variable_number(t, target);
	case NORN_RAPID_ACQUIRE:
	case NORN_RAPID_RELEASE:
		return lock_number(t, target);
	case NORN_RAPID_FORK:
	case NORN_RAPID_JOIN:
		return thread_number(t, target);
	default:
		return thread;
	}
}

/* ---- events ---- */

static struct norn_event thread_event(
        struct norn_rapid_text *t, uint32_t thread, enum norn_thread_op op, uint32_t other, uint64_t argument, uint32_t site)
{
	return (struct norn_event){.kind = NORN_EVENT_THREAD,
	        .op = (uint8_t)op,
	        .known = true,
	        .thread = thread,
	        .site = site,
	        .value = other,
	        .argument = argument,
	        .time = t->events + t->over,
	        .index = t->thread[thread].index++};
}

/* The first event of a thread: it begins, at a site that is not known unless the text has one. */
static struct norn_event begin(struct norn_rapid_text *t, uint32_t thread, uint32_t site)
{
	struct rapid_thread *own = &t->thread[thread];
	own->acted = true;
	/* A thread that no line forks is there from the start: its own parent. */
	return thread_event(t, thread, NORN_THREAD_BEGIN, thread, own->forked ? own->parent : thread, site);
}

static struct norn_event end(struct norn_rapid_text *t, uint32_t thread, uint32_t site)
{
	t->thread[thread].ended = true;
	return thread_event(t, thread, NORN_THREAD_END, thread, 0, site);
}

static int fork_thread(struct norn_rapid_text *t, uint32_t thread, uint32_t child, uint32_t site, struct norn_event *e)
{
	struct rapid_thread *other = &t->thread[child];
	if (other->forked && child != thread) { /* it is the same thread, which does not begin anew */
		t->forked_again++;
		return 0;
	}
	if (other->acted)
		return BAD(t, "thread %s is forked after it began", t->threads.strings[child]);
	other->forked = true;
	other->parent = thread;
	other->ordinal = ++t->thread[thread].children;
	*e = thread_event(t, thread, NORN_THREAD_FORK, child, 0, site);
	return 1;
}

static int join_thread(struct norn_rapid_text *t, uint32_t thread, uint32_t child, uint32_t site, struct norn_event *e)
{
	struct rapid_thread *other = &t->thread[child];
	if (child == thread)
		return BAD(t, "thread %s joins itself", t->threads.strings[child]);
	if (other->joined)
		return BAD(t, "thread %s is joined for the second time", t->threads.strings[child]);
	other->joined = true;
	if (other->acted && !other->ended)
		t->queue[t->queued++] = end(t, child, 0);
	other->ended = true;
	*e = thread_event(t, thread, NORN_THREAD_JOIN, child, 0, site);
	return 1;
}

static int access_variable(
        struct norn_rapid_text *t, enum norn_rapid_op op, uint32_t thread, uint32_t variable, uint32_t site, struct norn_event *e)
{
	/* The value written is the version: no two writes of a variable are alike. */
	uint32_t version = t->variable[variable].version += op == NORN_RAPID_WRITE;
	*e = (struct norn_event){.kind = op == NORN_RAPID_WRITE ? NORN_EVENT_WRITE : NORN_EVENT_READ,
	        .known = version != 0,
	        .thread = thread,
	        .site = site,
	        .addr = VARIABLES + variable * 8ull,
	        .size = 8,
	        .version = version,
	        .value = version,
	        .time = t->events,
	        .index = t->thread[thread].index++};
	return 1;
}

static int use_lock(
        struct norn_rapid_text *t, enum norn_rapid_op op, uint32_t thread, uint32_t number, uint32_t site, struct norn_event *e)
{
	struct lock *lock = &t->lock[number];
	const char *name = t->locks.strings[number];
	bool inner = lock->holder == thread + 1 && lock->depth > (op == NORN_RAPID_RELEASE);
	if (op == NORN_RAPID_ACQUIRE && lock->holder && !inner)
		return BAD(t, "lock %s is acquired while thread %s holds it, since line %u", name,
		        t->threads.strings[lock->holder - 1], lock->line);
	if (op == NORN_RAPID_RELEASE && lock->holder != thread + 1)
		return BAD(t, "lock %s is released by a thread that does not hold it", name);
	if (op == NORN_RAPID_ACQUIRE && !inner)
		lock->line = t->line;
	lock->depth += op == NORN_RAPID_ACQUIRE ? 1 : -1u;
	lock->holder = lock->depth ? thread + 1 : 0;
	if (inner) {
		t->reentrant++;
		return 0;
	}
	*e = (struct norn_event){.kind = NORN_EVENT_SYNC,
	        .op = op == NORN_RAPID_ACQUIRE ? NORN_SYNC_ACQUIRE : NORN_SYNC_RELEASE,
	        .known = true,
	        .thread = thread,
	        .site = site,
	        .addr = LOCKS + number * 64ull,
	        .version = ++lock->version,
	        .argument = NORN_LOCK_MUTEX,
	        .time = t->events,
	        .index = t->thread[thread].index++};
	return 1;
}

/* A transaction begins or ends. */
static int mark_transaction(struct norn_rapid_text *t, uint32_t thread, enum norn_mark_op op, uint32_t site, struct norn_event *e)
{
	struct rapid_thread *own = &t->thread[thread];
	if (op == NORN_MARK_ATOMIC_END && own->transactions == 0)
		return BAD(t, "thread %s ends a transaction that it has not begun", t->threads.strings[thread]);
	own->transactions += op == NORN_MARK_ATOMIC_BEGIN ? 1 : -1u;
	*e = (struct norn_event){.kind = NORN_EVENT_MARK,
	        .op = (uint8_t)op,
	        .known = true,
	        .thread = thread,
	        .site = site,
	        .argument = op == NORN_MARK_ATOMIC_BEGIN ? NORN_RAPID_TRANSACTION : 0,
	        .time = t->events,
	        .index = own->index++};
	return 1;
}

/* 1 and the event; 0: it is none of its own. Earlier lines are in the queue. self: begin or end names the thread itself. */
static int make_event(struct norn_rapid_text *t, uint32_t thread, enum norn_rapid_op op, struct token target, bool self,
        uint32_t variable, struct token location, struct norn_event *e)
{
	uint32_t number = variable == NO_NUMBER ? target_of(t, op, thread, target) : variable, site;
	int r = site_of(t, op, number, location, &site);
	if (r != 0)
		return r;
	t->events++;
	struct rapid_thread *own = &t->thread[thread];
	if (own->ended)
		return BAD(t, "thread %s acts after its end", t->threads.strings[thread]);
	if (op == NORN_RAPID_BEGIN && self && !own->acted) {
		*e = begin(t, thread, site);
		return 1;
	}
	if (!own->acted)
		t->queue[t->queued++] = begin(t, thread, 0);
	switch (op) {
	case NORN_RAPID_READ:
	case NORN_RAPID_WRITE:
		return access_variable(t, op, thread, number, site, e);
	case NORN_RAPID_ACQUIRE:
	case NORN_RAPID_RELEASE:
		return use_lock(t, op, thread, number, site, e);
	case NORN_RAPID_FORK:
		return fork_thread(t, thread, number, site, e);
	case NORN_RAPID_JOIN:
		return join_thread(t, thread, number, site, e);
	case NORN_RAPID_BEGIN:
		return mark_transaction(t, thread, NORN_MARK_ATOMIC_BEGIN, site, e);
	default:
		if (!self || own->transactions)
			return mark_transaction(t, thread, NORN_MARK_ATOMIC_END, site, e);
		*e = end(t, thread, site);
		return 1;
	}
}

/* ---- lines ---- */

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Without white space at both ends. */
static struct token trim(const char *at, const char *end)
{
	while (at < end && is_space(*at))
		at++;
	while (end > at && is_space(end[-1]))
		end--;
	return (struct token){at, (size_t)(end - at)};
}

/* The end of the text that begins at this place: at a bar, the end of the line, or a NUL character (which the end of the text has
 * behind it). */
static const char *part_end(const char *at)
{
#ifdef __SSE2__
	for (;; at += 16) {
		__m128i text = _mm_loadu_si128((const __m128i *)(const void *)at);
		__m128i ends = _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('|')), _mm_cmpeq_epi8(text, _mm_set1_epi8('\n')));
		unsigned found = (unsigned)_mm_movemask_epi8(_mm_or_si128(ends, _mm_cmpeq_epi8(text, _mm_setzero_si128())));
		if (found)
			return at + __builtin_ctz(found);
	}
#else
	while (*at != '|' && *at != '\n' && *at)
		at++;
	return at;
#endif
}

static enum norn_rapid_op op_of(struct token what)
{
	static const unsigned char lengths[NORN_RAPID_OPS] = {1, 1, 3, 3, 4, 4, 5, 3};
	for (unsigned op = 0; op < NORN_RAPID_OPS; op++)
		if (what.length == lengths[op] && memcmp(what.at, norn_rapid_op_names[op], lengths[op]) == 0)
			return op;
	return NORN_RAPID_OPS;
}

/* what(target): cuts the target off. */
static int cut_target(struct norn_rapid_text *t, struct token *what, struct token *ret_target)
{
	const char *end = what->at + what->length, *open = memchr(what->at, '(', what->length);
	*ret_target = (struct token){end, 0};
	if (!open)
		return 0;
	if (end[-1] != ')')
		return BAD(t, "the target of %.*s has no closing parenthesis", (int)(open - what->at), what->at);
	*ret_target = trim(open + 1, end - 1);
	*what = trim(what->at, open);
	return 0;
}

static int parse(struct norn_rapid_text *t, const struct text_ahead *a, struct token who, struct token where, struct norn_event *e)
{
	struct token what = trim(a->first + 1, a->second), target;
	int r = cut_target(t, &what, &target);
	if (r != 0)
		return r;
	if (who.length == 0)
		return BAD(t, "the thread is missing");
	enum norn_rapid_op op = op_of(what);
	if (op == NORN_RAPID_OPS)
		return BAD(t, "there is no operation %.*s: it is one of r, w, acq, rel, fork, join, begin, end",
		        (int)(what.length > 40 ? 40 : what.length), what.at);
	if (target.length == 0 && op < NORN_RAPID_BEGIN)
		return BAD(t, "%s needs a target, as in %s(x)", norn_rapid_op_names[op], norn_rapid_op_names[op]);
	bool self = target.length == who.length && memcmp(target.at, who.at, who.length) == 0;
	return make_event(t, thread_number(t, who), op, target, self, NO_NUMBER, where, e);
}

/* The next line, as make_event. */
static int line(struct norn_rapid_text *t, const struct text_ahead *a, struct norn_event *e)
{
	t->line++;
	if (*a->end == 0 && a->end < t->end)
		return BAD(t, "there is a NUL character in this line");
	t->at = a->end < t->end ? a->end + 1 : a->end;
	if (*a->first != '|')
		return trim(a->begin, a->end).length ? BAD(t, "this is not of the form thread|op(target)|location") : 0;
	struct token where = *a->second == '|' ? trim(a->second + 1, a->end) : (struct token){a->end, 0};
	struct token who = trim(a->begin, a->first);
	if (a->variable == NO_NUMBER || who.length == 0)
		return parse(t, a, who, where, e);
	enum norn_rapid_op op = *a->what.at == 'r' ? NORN_RAPID_READ : NORN_RAPID_WRITE;
	return make_event(t, thread_number(t, who), op, a->target, false, a->variable, where, e);
}

/* ---- looking ahead ---- */

/* r(target) or w(target), and nothing else: most lines are such. */
static void expect(struct norn_rapid_text *t, struct text_ahead *a)
{
	const char *what = a->first + 1, *end = a->second;
	if (*a->first != '|' || end - what < 4 || (*what != 'r' && *what != 'w') || what[1] != '(' || end[-1] != ')')
		return;
	if (is_space(what[2]) || is_space(end[-2]))
		return;
	a->what = (struct token){what, 1};
	a->target = (struct token){what + 2, (size_t)(end - what) - 3};
	norn_rapid_names_expect(&t->variables, a->target.at, a->target.length);
}

static void look_at(struct norn_rapid_text *t, struct text_ahead *a)
{
	*a = (struct text_ahead){.begin = t->seen, .variable = NO_NUMBER};
	a->first = part_end(a->begin);
	a->second = *a->first == '|' ? part_end(a->first + 1) : a->first;
	a->end = a->second;
	while (*a->end == '|')
		a->end = part_end(a->end + 1);
	t->seen = a->end < t->end ? a->end + 1 : a->end;
	expect(t, a);
}

/* Variables get their numbers in the order of the lines, as all names do. */
static void number(struct norn_rapid_text *t, struct text_ahead *a)
{
	if (!a->target.length)
		return;
	a->variable = variable_number(t, a->target);
	__builtin_prefetch(t->variable + a->variable);
}

/* The next line; NULL: there is none. A line with a NUL character is the last one that is looked at. */
static const struct text_ahead *next_line(struct norn_rapid_text *t)
{
	while (t->count < AHEAD && t->seen < t->end && (t->seen == t->begin || t->seen[-1] == '\n')) {
		look_at(t, &t->ahead[(t->head + t->count++) % AHEAD]);
		if (t->count > NEAR)
			number(t, &t->ahead[(t->head + t->count - 1 - NEAR) % AHEAD]);
	}
	if (t->count == 0)
		return NULL;
	struct text_ahead *a = &t->ahead[t->head];
	t->head = (t->head + 1) % AHEAD;
	t->count--;
	return a;
}

static void give_back(struct norn_rapid_text *t)
{
	if (t->mapped && (uint64_t)(t->at - t->given) >= 2 * GIVE_BACK) {
		madvise((void *)(uintptr_t)t->given, GIVE_BACK, MADV_DONTNEED);
		t->given += GIVE_BACK;
	}
}

/* Threads that the text leaves running end with it. */
static int finish(struct norn_rapid_text *t, struct norn_event *e)
{
	t->over = true;
	for (; t->ending < t->threads.count; t->ending++)
		if (t->thread[t->ending].acted && !t->thread[t->ending].ended) {
			*e = end(t, t->ending++, 0);
			return 1;
		}
	return 0;
}

static int refuse(struct norn_rapid_text *t, int r)
{
	if (r == -EINVAL && t->err) {
		snprintf(t->err->file, sizeof t->err->file, "%s", t->name);
		t->err->line = t->line;
	}
	return r;
}

int norn_rapid_text_next(struct norn_rapid_text *t, struct norn_event *ret_event, struct norn_error *err)
{
	t->err = err;
	for (;;) {
		if (t->taken < t->queued) {
			*ret_event = t->queue[t->taken++];
			return 1;
		}
		t->queued = t->taken = 0;
		if (t->has_last) {
			*ret_event = t->last;
			t->has_last = false;
			return 1;
		}
		const struct text_ahead *a = next_line(t);
		if (!a)
			return finish(t, ret_event);
		int r = line(t, a, ret_event);
		if (r < 0)
			return refuse(t, r);
		give_back(t);
		if (r == 1 && t->queued == 0)
			return 1;
		t->has_last = r == 1;
		if (r == 1)
			t->last = *ret_event;
	}
}

/* ---- looking ---- */

const char *norn_rapid_text_name(const struct norn_rapid_text *text)
{
	return text->name;
}

uint64_t norn_rapid_text_bytes(const struct norn_rapid_text *text)
{
	return (uint64_t)(text->end - text->begin);
}

uint64_t norn_rapid_text_read(const struct norn_rapid_text *text)
{
	return (uint64_t)(text->at - text->begin);
}

uint64_t norn_rapid_text_events(const struct norn_rapid_text *text)
{
	return text->events;
}

uint64_t norn_rapid_text_reentrant(const struct norn_rapid_text *text)
{
	return text->reentrant;
}

uint64_t norn_rapid_text_forked_again(const struct norn_rapid_text *text)
{
	return text->forked_again;
}

uint32_t norn_rapid_text_threads(const struct norn_rapid_text *text)
{
	return text->threads.count;
}

void norn_rapid_text_thread(const struct norn_rapid_text *text, uint32_t thread, struct norn_rapid_thread *ret_thread)
{
	const struct rapid_thread *t = &text->thread[thread];
	*ret_thread = (struct norn_rapid_thread){.name = text->threads.strings[thread],
	        .parent = t->forked ? t->parent : NORN_NO_THREAD,
	        .ordinal = t->forked ? t->ordinal : 0};
}

uint32_t norn_rapid_text_sites(const struct norn_rapid_text *text)
{
	return text->key_count;
}

void norn_rapid_text_site(const struct norn_rapid_text *text, uint32_t site, struct norn_rapid_site *ret_site)
{
	const struct text_key *key = &text->keys[site - NORN_SITE_FIRST];
	const struct norn_rapid_names *of = key->op <= NORN_RAPID_WRITE     ? &text->variables
	                                    : key->op <= NORN_RAPID_RELEASE ? &text->locks
	                                                                    : &text->threads;
	*ret_site = (struct norn_rapid_site){.op = key->op,
	        .name = of->strings[key->name],
	        .location = text->locations.strings[key->location],
	        .name_number = key->name,
	        .location_number = key->location};
}

bool norn_rapid_text_is_line(const char *location)
{
	size_t length = strlen(location);
	return length && length < 10 && all_digits(location, length) && (location[0] != '0' || length == 1);
}
