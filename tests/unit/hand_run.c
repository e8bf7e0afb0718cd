#include "hand_run.h"

#undef NDEBUG /* a test that does not check is none */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/record.h"
#include "trace/site.h"

#define WORDS 400
#define FIRST_SITE 1000u
#define ENTRIES 500u /* + thread: the function that it runs */

struct word {
	unsigned thread;
	char op, what;
	unsigned offset, size;
	uint64_t value;
	char name[24];
	uint32_t event;
	uint8_t facts[512];
	unsigned facts_length;
};

struct hand_run {
	struct word words[WORDS];
	unsigned count;
	bool facts;
	bool begun[10];
	uint64_t values[26];
	struct norn_graph_builder *builder;
	uint32_t events;
};

uint64_t hand_variable(char name)
{
	return HAND_VARIABLES + (uint64_t)(name - 'a') * 8;
}

uint32_t hand_event(const struct hand_run *run, unsigned word)
{
	assert(word >= 1 && word <= run->count);
	return run->words[word - 1].event;
}

void hand_free(struct hand_run *run)
{
	free(run);
}

/* ---- words ---- */

static void parse_word(struct word *w, const char *text, unsigned length)
{
	*w = (struct word){.thread = (unsigned)(text[0] - '0'), .op = text[1], .size = 8};
	unsigned i = 2;
	if (i < length && !strchr("/:=", text[i]))
		w->what = text[i++];
	while (i < length) {
		char mark = text[i++];
		unsigned end = i;
		while (end < length && !strchr("/:=", text[end]))
			end++;
		if (mark == '/') {
			w->offset = text[i] == 'h' ? 4 : 0;
			w->size = text[i] == 'b' ? 1 : 4;
		} else if (mark == ':') {
			w->value = strtoull(text + i, NULL, 10);
		} else {
			snprintf(w->name, sizeof w->name, "%.*s", (int)(end - i), text + i);
		}
		i = end;
	}
}

static void parse(struct hand_run *run, const char *text)
{
	while (*text) {
		unsigned length = (unsigned)strcspn(text, " ");
		if (length) {
			assert(run->count < WORDS);
			parse_word(&run->words[run->count++], text, length);
		}
		text += length + (text[length] == ' ');
	}
}

/* ---- facts ---- */

static void put_number(struct word *w, uint32_t n)
{
	while (n >= 128) {
		w->facts[w->facts_length++] = (uint8_t)(n | 128);
		n >>= 7;
	}
	w->facts[w->facts_length++] = (uint8_t)n;
}

static void put_sources(struct hand_run *run, unsigned index, unsigned kind)
{
	struct word *w = &run->words[index];
	unsigned count = 0;
	for (unsigned i = 0; i < index; i++)
		count += run->words[i].thread == w->thread && strchr("FN", run->words[i].op) != NULL;
	put_number(w, NORN_FACT_VALUE);
	put_number(w, count);
	for (unsigned i = 0; i < index; i++)
		if (run->words[i].thread == w->thread && strchr("FN", run->words[i].op))
			put_number(w, i << 2 | kind);
}

static bool is_brought_about(const struct hand_run *run, unsigned index, unsigned read)
{
	return index > read && run->words[index].op == 'Y' && run->words[index].thread == run->words[read].thread;
}

static void put_masks(struct hand_run *run, unsigned index)
{
	struct word *w = &run->words[index];
	unsigned count = 0;
	for (unsigned i = 0; i < run->count; i++)
		count += is_brought_about(run, i, index);
	put_number(w, NORN_FACT_MASKS);
	put_number(w, 4 * count);
	for (unsigned i = 0; i < run->count; i++)
		if (is_brought_about(run, i, index)) {
			put_number(w, (unsigned)(run->words[i].what - 'a'));
			put_number(w, run->words[i].offset);
			put_number(w, run->words[i].size);
			put_number(w, i);
		}
}

static void make_facts(struct hand_run *run)
{
	for (unsigned i = 0; i < run->count; i++) {
		struct word *w = &run->words[i];
		if (strchr("RJG", w->op)) {
			put_number(w, NORN_FACT_DECIDES);
			put_number(w, 0);
		}
		if (w->op == 'G') {
			put_masks(run, i);
		} else if (w->op == 'Y') {
			put_number(w, NORN_FACT_CONTROL);
			put_number(w, 1);
			put_number(w, NORN_SOURCE_ANYTHING);
		} else if (w->op == 'V' || w->op == 'Q') {
			put_sources(run, i, w->op == 'V' ? NORN_SOURCE_LATEST : NORN_SOURCE_ALL);
		}
		put_number(w, NORN_FACT_END);
	}
}

static const uint8_t no_facts[] = {NORN_FACT_END};

static void lookup(void *context, uint32_t site, struct norn_graph_site *ret_site)
{
	static uint64_t variables[26];
	struct hand_run *run = context;
	for (unsigned i = 0; i < 26; i++)
		variables[i] = hand_variable((char)('a' + i));
	if (site >= ENTRIES && site < ENTRIES + 10) {
		ret_site->kind = NORN_SITE_ENTER;
		ret_site->name = "function";
		ret_site->entry = site;
		if (run->facts)
			ret_site->facts = (struct norn_facts){no_facts, no_facts + sizeof no_facts};
		return;
	}
	if (site < FIRST_SITE || site >= FIRST_SITE + run->count)
		return;
	const struct word *w = &run->words[site - FIRST_SITE];
	static const char kinds[] = "WVQKYRFJGN";
	static const uint8_t site_kinds[] = {NORN_SITE_WRITE, NORN_SITE_WRITE, NORN_SITE_WRITE, NORN_SITE_WRITE, NORN_SITE_WRITE,
	        NORN_SITE_READ, NORN_SITE_READ, NORN_SITE_READ, NORN_SITE_READ, NORN_SITE_RMW};
	const char *kind = strchr(kinds, w->op);
	ret_site->kind = kind ? site_kinds[kind - kinds] : NORN_SITE_CALL;
	ret_site->order = strchr("KJN", w->op) ? NORN_ORDER_SEQ_CST : NORN_ORDER_NONE;
	ret_site->call = w->op == 'O' ? NORN_CALL_ORDERED : w->op == 'H' ? NORN_CALL_HARMLESS : NORN_CALL_OPAQUE;
	ret_site->waits = w->op == 'a' || w->op == 'A' || w->op == 'j';
	ret_site->entry = ENTRIES + w->thread;
	ret_site->base = FIRST_SITE;
	ret_site->variables = variables;
	ret_site->variable_count = 26;
	if (run->facts)
		ret_site->facts = (struct norn_facts){w->facts, w->facts + w->facts_length};
	if (w->name[0])
		for (unsigned i = 0; i < run->count; i++)
			if (strcmp(run->words[i].name, w->name) == 0) {
				ret_site->place = FIRST_SITE + i;
				return;
			}
}

/* ---- events ---- */

static uint32_t emit(struct hand_run *run, struct norn_event *e)
{
	int r = norn_graph_add(run->builder, e);
	assert(r == 0);
	(void)r;
	return ++run->events;
}

static void enter(struct hand_run *run, unsigned thread)
{
	if (run->begun[thread])
		return;
	run->begun[thread] = true;
	emit(run, &(struct norn_event){.kind = NORN_EVENT_ENTER, .thread = thread, .site = ENTRIES + thread});
}

static void emit_access(struct hand_run *run, struct word *w, struct norn_event *e)
{
	uint64_t *value = &run->values[w->what - 'a'];
	e->kind = strchr("RFJG", w->op) ? NORN_EVENT_READ : w->op == 'N' ? NORN_EVENT_RMW : NORN_EVENT_WRITE;
	e->addr = hand_variable(w->what) + w->offset;
	e->size = w->size;
	e->known = true;
	if (w->op == 'N')
		++*value;
	else if (e->kind == NORN_EVENT_WRITE)
		*value = w->value ? w->value : run->events + 1000;
	e->value = *value;
	w->event = emit(run, e);
}

static bool emit_sync(struct hand_run *run, struct word *w, struct norn_event *e)
{
	static const struct {
		char op;
		uint8_t sync, kind;
	} syncs[] = {{'a', NORN_SYNC_ACQUIRE, NORN_LOCK_MUTEX}, {'y', NORN_SYNC_ACQUIRE, NORN_LOCK_MUTEX},
	        {'u', NORN_SYNC_RELEASE, NORN_LOCK_MUTEX}, {'A', NORN_SYNC_ACQUIRE_SHARED, NORN_LOCK_RWLOCK},
	        {'U', NORN_SYNC_RELEASE_SHARED, NORN_LOCK_RWLOCK}, {'t', NORN_SYNC_TRY_FAILED, NORN_LOCK_MUTEX},
	        {'w', NORN_SYNC_WAIT_BEGIN, 0}, {'k', NORN_SYNC_WAIT_END, 0}, {'s', NORN_SYNC_SIGNAL, 0},
	        {'B', NORN_SYNC_BROADCAST, 0}, {'p', NORN_SYNC_SEM_POST, 0}, {'q', NORN_SYNC_SEM_WAIT, 0},
	        {'i', NORN_SYNC_CREATE, NORN_LOCK_MUTEX}, {'d', NORN_SYNC_DESTROY, NORN_LOCK_MUTEX}, {'I', NORN_SYNC_RECEIVE, 0},
	        {'T', NORN_SYNC_SEND, 0}};
	for (unsigned i = 0; i < sizeof syncs / sizeof *syncs; i++)
		if (syncs[i].op == w->op) {
			e->kind = NORN_EVENT_SYNC;
			e->op = syncs[i].sync;
			e->argument = syncs[i].kind;
			if (w->op == 'w' || w->op == 'k')
				e->argument = HAND_LOCKS + ('L' - 'A') * 64;
			e->addr = HAND_LOCKS + (w->what ? (uint64_t)(w->what - 'A') * 64 : 4096);
			w->event = emit(run, e);
			return true;
		}
	return false;
}

static bool emit_thread(struct hand_run *run, struct word *w, struct norn_event *e)
{
	static const struct {
		char op;
		uint8_t thread, argument;
	} ops[] = {{'f', NORN_THREAD_FORK, 0}, {'b', NORN_THREAD_BEGIN, 0}, {'e', NORN_THREAD_END, 0}, {'j', NORN_THREAD_JOIN, 0},
	        {'z', NORN_THREAD_FORK_FAILED, 0}, {'x', NORN_THREAD_EXIT, 0}, {'S', NORN_THREAD_SIGNAL, 0},
	        {'C', NORN_THREAD_CALL, 0}, {'O', NORN_THREAD_CALL, 0}, {'H', NORN_THREAD_CALL, 0},
	        {'+', NORN_THREAD_CALL, NORN_CALL_SUBMITS}, {'<', NORN_THREAD_BACK, NORN_BACK_RETURNED},
	        {'>', NORN_THREAD_BACK, NORN_BACK_ENTERED}, {'-', NORN_THREAD_BACK, NORN_BACK_JOB}};
	for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
		if (ops[i].op == w->op) {
			e->kind = NORN_EVENT_THREAD;
			e->op = ops[i].thread;
			e->argument = ops[i].argument;
			e->value = strchr("fjz", w->op) ? (uint64_t)(w->what - '0') : e->op == NORN_THREAD_CALL ? 0 : w->thread;
			w->event = emit(run, e);
			return true;
		}
	return false;
}

static void emit_word(struct hand_run *run, struct word *w)
{
	struct norn_event e = {.thread = w->thread, .site = FIRST_SITE + (uint32_t)(w - run->words)};
	if (w->op != 'b' && w->op != 'e')
		enter(run, w->thread);
	if (strchr("WRFVQNKJGY", w->op)) {
		emit_access(run, w, &e);
	} else if (w->op == 'M' || w->op == 'm') {
		e.kind = w->op == 'M' ? NORN_EVENT_ALLOC : NORN_EVENT_FREE;
		e.op = w->op == 'M' ? NORN_ALLOC_MALLOC : NORN_RANGE_FREE;
		e.addr = hand_variable(w->what);
		e.size = 64;
		w->event = emit(run, &e);
	} else if (w->op == 'X') {
		e.kind = NORN_EVENT_EXTERNAL;
		e.addr = hand_variable(w->what);
		e.size = 8;
		w->event = emit(run, &e);
	} else if (w->op == 'g') {
		e = (struct norn_event){
		        .kind = NORN_EVENT_THREAD, .op = NORN_THREAD_STACK, .thread = w->thread, .value = w->thread};
		e.argument = UINT64_C(0x7f0000000000) + ((uint64_t)w->thread << 24);
		emit(run, &e);
		e.argument = UINT64_C(1) << 20;
		w->event = emit(run, &e);
	} else if (w->op == 'l') {
		e.kind = NORN_EVENT_LEAVE;
		e.argument = NORN_LEAVE_UNWOUND;
		w->event = emit(run, &e);
	} else if (w->op == '(' || w->op == ')') {
		e.kind = NORN_EVENT_MARK;
		e.op = w->op == '(' ? NORN_MARK_ATOMIC_BEGIN : NORN_MARK_ATOMIC_END;
		w->event = emit(run, &e);
	} else {
		bool known = emit_sync(run, w, &e) || emit_thread(run, w, &e);
		assert(known);
		(void)known;
	}
}

struct norn_graph *hand_slice(const char *text, bool facts, struct hand_run **ret_run)
{
	struct hand_run *run = calloc(1, sizeof *run);
	assert(run);
	run->facts = facts;
	parse(run, text);
	make_facts(run);
	run->builder = norn_graph_builder_new(lookup, run, NULL);
	for (unsigned i = 0; i < run->count; i++)
		emit_word(run, &run->words[i]);
	struct norn_graph *graph = norn_graph_finish(run->builder);
	norn_graph_builder_free(run->builder);
	run->builder = NULL;
	*ret_run = run;
	return graph;
}
