#include "mttl/mttl_engine.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "causality/sync_rules.h"
#include "judge/event_match.h"
#include "engine/lock.h"
#include "judge/event_values.h"
#include "judge/verdict_queue.h"
#include "mttl/knowledge_cell.h"

#define STRIPES 512u
#define DETAIL_BYTES 900u

/* An object of synchronization. */
struct mttl_object {
	uint64_t key;
	struct mttl_object *next;
	struct norn_knowledge *write, *access;
	struct norn_knowledge *full; /* barrier: what was known when the last round was full */
	uint32_t arrived, leaving; /* barrier: of this round; of the full one, still inside */
};

struct stripe {
	struct norn_online_lock lock;
	struct mttl_object *first;
	char apart[48]; /* from the next one */
};

/* A variable that formulas name. */
struct spot {
	uint64_t address; /* 0: not there */
	uint32_t size; /* bytes of it that matter, at most 8 */
	_Atomic uint64_t bytes, known; /* its contents; a mask of bytes */
};

#define TOUCHES_MAX 16u

/* The input of an event to its thread's local monitor. Not on the stack, since the thread's may be small. */
struct event_buffer {
	struct norn_touch touches[TOUCHES_MAX];
	struct norn_occurrence occurrences[NORN_HITS_MAX];
	struct norn_setting settings[NORN_HITS_MAX];
};

struct mttl_engine {
	struct norn_local_monitors local_monitors;
	const struct norn_spec *spec;
	struct spot *spots; /* per place of the program */
	uint64_t low, high; /* all of them lie in between */
	_Atomic uint32_t state; /* 0: places are not bound yet, 1: a thread does it, 2: done */
	struct stripe stripes[STRIPES];
};

static int open_engine(const struct norn_spec *spec, struct norn_unpack *in, void **ret_engine, struct norn_error *err)
{
	struct norn_mttl program;
	int r = norn_mttl_unpack(spec, in, &program);
	if (r < 0)
		return norn_error_set(err, r, "the formulas of mttl cannot be read");
	struct mttl_engine *e = calloc(1, sizeof *e);
	uint32_t places = program.place_count;
	if (!e) {
		norn_mttl_done(&program);
		return norn_error_no_memory(err);
	}
	e->spec = spec;
	e->spots = calloc(places + 1ul, sizeof *e->spots);
	r = e->spots ? norn_local_monitors_init(&e->local_monitors, spec, &program) : -ENOMEM;
	if (r < 0) {
		free(e->spots);
		norn_mttl_done(&program);
		free(e);
		return norn_error_no_memory(err);
	}
	*ret_engine = e;
	return 0;
}

/* ---- variables ---- */

static void bind(struct mttl_engine *e, uint32_t i, uint64_t address, uint64_t bytes, uint8_t known)
{
	struct spot *s = &e->spots[i];
	const struct norn_place *place = &e->spec->places[e->local_monitors.program.places[i].place];
	unsigned size = norn_place_bytes(place, &address);
	s->address = address;
	s->size = size ? size : (uint32_t)(place->size > 8 ? 8 : place->size);
	atomic_init(&s->bytes, bytes);
	atomic_init(&s->known, known);
	e->low = !e->low || address < e->low ? address : e->low;
	e->high = address + place->size > e->high ? address + place->size : e->high;
	if (i < e->local_monitors.program.valued)
		norn_local_monitors_first(&e->local_monitors, i,
		        (known & ((1u << s->size) - 1)) == (1u << s->size) - 1 ? norn_event_value_place(place, bytes)
		                                                               : norn_value_unknown());
}

void norn_mttl_bind(void *engine, uint32_t place, uint64_t address, uint64_t bytes, uint8_t known)
{
	struct mttl_engine *e = engine;
	for (uint32_t i = 0; i < e->local_monitors.program.place_count; i++)
		if (e->local_monitors.program.places[i].place == place)
			bind(e, i, address, bytes, known);
}

static uint64_t count_lost(const void *engine)
{
	return atomic_load(&((struct mttl_engine *)(uintptr_t)engine)->local_monitors.dropped);
}

/* Inside the program variables are where their modules were loaded, and hold what they hold when the first thread begins. */
static void bind_all(struct mttl_engine *e, const struct norn_event_match *event_match)
{
	for (uint32_t i = 0; event_match && i < e->local_monitors.program.place_count; i++) {
		uint32_t number = e->local_monitors.program.places[i].place;
		const struct norn_place *place = &e->spec->places[number];
		uint64_t address = norn_event_match_address(event_match, number), from = address, bytes = 0;
		if (!address)
			continue;
		unsigned size = norn_place_bytes(place, &from);
		memcpy(&bytes, (const void *)(uintptr_t)from, size);
		bind(e, i, address, bytes, (uint8_t)((1u << size) - 1));
	}
}

static void be_ready(struct mttl_engine *e, const struct norn_event_match *event_match)
{
	uint32_t none = 0;
	if (atomic_load_explicit(&e->state, memory_order_acquire) == 2)
		return;
	if (atomic_compare_exchange_strong(&e->state, &none, 1)) {
		bind_all(e, event_match);
		norn_local_monitors_ready(&e->local_monitors);
		atomic_store_explicit(&e->state, 2, memory_order_release);
	}
	while (atomic_load_explicit(&e->state, memory_order_acquire) != 2)
		__builtin_ia32_pause();
}

/* The bytes of an access that a variable got, and the value that it has then. */
static struct norn_value value_after(struct mttl_engine *e, uint32_t i, const struct norn_event *event)
{
	struct spot *s = &e->spots[i];
	const uint8_t *data = event->data ? event->data : (const uint8_t *)&event->value;
	uint64_t bytes = atomic_load_explicit(&s->bytes, memory_order_relaxed);
	uint64_t known = atomic_load_explicit(&s->known, memory_order_relaxed);
	for (uint32_t k = 0; k < s->size; k++) {
		uint64_t at = s->address + k - event->addr;
		if (s->address + k < event->addr || at >= event->size)
			continue;
		bool carried = event->known && (event->data || event->size <= 8);
		((uint8_t *)&bytes)[k] = carried ? data[at] : 0;
		known = carried ? known | 1u << k : known & ~(1u << k);
	}
	atomic_store_explicit(&s->bytes, bytes, memory_order_relaxed);
	atomic_store_explicit(&s->known, known, memory_order_relaxed);
	if (known != (1u << s->size) - 1)
		return norn_value_unknown();
	return norn_event_value_place(&e->spec->places[e->local_monitors.program.places[i].place], bytes);
}

static uint32_t touches_of(struct mttl_engine *e, const struct norn_event *event, struct norn_touch *ret_touches)
{
	uint32_t count = 0;
	bool reads = event->kind == NORN_EVENT_READ || event->kind == NORN_EVENT_RMW, changes = event->kind != NORN_EVENT_READ;
	if (event->addr >= e->high || event->addr + event->size <= e->low)
		return 0;
	for (uint32_t i = 0; i < e->local_monitors.program.place_count; i++) {
		const struct spot *s = &e->spots[i];
		if (!s->address || event->addr >= s->address + s->size || event->addr + event->size <= s->address)
			continue;
		if (count == TOUCHES_MAX) {
			norn_local_monitors_drop(&e->local_monitors);
			break;
		}
		ret_touches[count].place = i;
		ret_touches[count].reads = reads;
		ret_touches[count].writes = changes && event->kind != NORN_EVENT_EXTERNAL;
		ret_touches[count].changes = changes;
		if (changes)
			ret_touches[count].value = value_after(e, i, event);
		count++;
	}
	return count;
}

static bool is_named(const struct mttl_engine *e, uint64_t address, uint32_t size)
{
	if (address >= e->high || address + size <= e->low)
		return false;
	for (uint32_t i = 0; i < e->local_monitors.program.place_count; i++)
		if (address < e->spots[i].address + e->spots[i].size && address + size > e->spots[i].address)
			return true;
	return false;
}

/* ---- verdicts ---- */

static struct norn_value leaf_of(void *context, const struct norn_expr *leaf)
{
	const struct norn_local_monitor *m = context;
	switch (leaf->op) {
	case NORN_EXPR_PLACE:
		return norn_local_monitor_place(m, leaf->index);
	case NORN_EXPR_GHOST:
		return norn_local_monitor_ghost(m, leaf->index);
	case NORN_EXPR_TID:
		return norn_value_integer(m->number);
	default:
		return norn_value_unknown();
	}
}

static void append(char *text, size_t *length, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t *length, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int n = vsnprintf(text + *length, DETAIL_BYTES - *length, format, list);
	va_end(list);
	if (n > 0)
		*length = *length + (size_t)n < DETAIL_BYTES ? *length + (size_t)n : DETAIL_BYTES - 1;
}

/* A place in the source; by its number if no modules are at hand. */
static void append_site(const struct norn_event_match *event_match, uint32_t site, char *text, size_t *length)
{
	struct norn_site_words words;
	if (!event_match) {
		append(text, length, "{site:%u}", site);
		return;
	}
	norn_modules_site(event_match->modules, site, &words);
	append(text, length, "%s:%u (%s)", words.file, words.site ? words.site->line : 0, words.function);
}

/* The knowledge that led to a finding: which thread knew what, and how that came here. */
static void describe(const struct norn_local_monitor *m, const struct norn_evidence *evidence,
        const struct norn_event_match *event_match, char *text)
{
	const struct norn_mttl *p = &m->world->program;
	size_t length = 0;
	text[0] = 0;
	for (uint32_t i = 0; i < evidence->count; i++) {
		const struct norn_evidence_item *item = &evidence->items[i];
		const struct norn_mttl_remote *r = &p->remotes[item->remote];
		char value[48];
		norn_value_text(item->value, value, sizeof value);
		append(text, &length, "%s`%s` is %s with %s = %s", i ? "\n" : "", r->text, value, p->variables[r->variable].name,
		        item->name);
		if (item->site) {
			append(text, &length, ", as of ");
			append_site(event_match, item->site, text, &length);
		}
		if (item->origin.site) {
			append(text, &length, "; learned at ");
			append_site(event_match, item->origin.site, text, &length);
		}
	}
}

/* kind, op: of the event that it happened at. */
static void raise(struct mttl_engine *e, struct norn_online_thread *self, uint64_t violated, const struct norn_monitor_input *input,
        unsigned kind, unsigned op)
{
	struct norn_local_monitor *m = self->own[NORN_ENGINE_MTTL];
	struct mttl_account {
		struct norn_evidence evidence;
		char details[DETAIL_BYTES];
	} *account = calloc(1, sizeof *account);
	const struct norn_eval_env env = {leaf_of, m};
	for (; violated; violated &= violated - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(violated), index = e->local_monitors.program.properties[i].index;
		const struct norn_property *property = &e->spec->properties[index];
		if (account) {
			norn_local_monitor_explain(m, input, i, &account->evidence);
			describe(m, &account->evidence, self->event_match, account->details);
		}
		norn_online_raise(self, &(struct norn_raise){.property = property,
		                                .index = index,
		                                .outcome = NORN_OUTCOME_VIOLATION,
		                                .env = &env,
		                                .key = "",
		                                .details = account ? account->details : NULL,
		                                .site = input->site,
		                                .event_kind = (uint8_t)kind,
		                                .event_op = (uint8_t)op});
	}
	free(account);
}

/* ---- objects of synchronization ---- */

static struct stripe *lock_stripe(struct mttl_engine *e, uint64_t key)
{
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
	struct stripe *s = &e->stripes[hash >> 32 & (STRIPES - 1)];
	norn_online_lock(&s->lock);
	return s;
}

static void unlock_stripe(struct stripe *s)
{
	norn_online_unlock(&s->lock);
}

static struct mttl_object **find(struct stripe *s, uint64_t key)
{
	struct mttl_object **at = &s->first;
	while (*at && (*at)->key != key)
		at = &(*at)->next;
	return at;
}

static void replace(struct norn_knowledge **at, struct norn_knowledge *by)
{
	norn_knowledge_drop(*at);
	*at = by;
}

static void free_object(struct mttl_object *o)
{
	replace(&o->write, NULL);
	replace(&o->access, NULL);
	replace(&o->full, NULL);
	free(o);
}

/* The effect of an operation on clocks; a thread's fork and end write what stands for it, its begin and join read that. */
static enum norn_clock_rule clock_of(unsigned op)
{
	if (op >= NORN_SYNC_OPS)
		return op == NORN_ONLINE_BEGIN || op == NORN_ONLINE_JOIN ? NORN_CLOCK_RULE_READ : NORN_CLOCK_RULE_WRITE;
	enum norn_clock_rule clock = norn_rule_clock(NORN_EVENT_SYNC, op, 0);
	return clock == NORN_CLOCK_RULE_BARRIER || clock == NORN_CLOCK_RULE_ARRIVE ? NORN_CLOCK_RULE_WRITE : clock;
}

/* The first thread to leave finds exactly the arrivals of its round: none arrives for the next one without having left this one. */
static void begin_leave(struct mttl_object *o)
{
	if (o->leaving == 0 && o->arrived) {
		o->leaving = o->arrived;
		o->arrived = 0;
		replace(&o->full, norn_knowledge_keep(o->write));
	}
	o->leaving -= o->leaving > 0;
}

/* As replace, but references are counted by the way (local_monitor.h). */
static void exchange(struct norn_local_monitor *m, struct norn_knowledge **at, struct norn_knowledge *by)
{
	if (*at && !(*at)->id)
		norn_knowledge_drop(*at);
	else
		norn_local_monitor_take_back(m, *at);
	*at = by;
}

static uint64_t pass(struct mttl_engine *e, struct norn_local_monitor *m, struct mttl_object *o, unsigned op,
        const struct norn_monitor_input *input)
{
	enum norn_clock_rule clock = clock_of(op);
	struct norn_knowledge_origin origin = {.site = input->site, .place = o->key};
	if (clock == NORN_CLOCK_RULE_LEAVE)
		begin_leave(o);
	if (clock == NORN_CLOCK_RULE_LEAVE)
		norn_local_monitor_learn(m, o->full, origin);
	else if (clock != NORN_CLOCK_RULE_SEND)
		norn_local_monitor_learn(m, clock == NORN_CLOCK_RULE_WRITE ? o->access : o->write, origin);
	uint64_t violated = op == NORN_ONLINE_END ? norn_local_monitor_end(m) : norn_local_monitor_think(m, input);
	if (clock != NORN_CLOCK_RULE_RECEIVE && o->access != m->now) {
		struct norn_knowledge *joined = norn_local_monitor_join(m, o->access);
		if (joined)
			exchange(m, &o->access, joined);
	}
	if (clock == NORN_CLOCK_RULE_WRITE && o->write != m->now)
		exchange(m, &o->write, norn_local_monitor_share(m));
	if (clock == NORN_CLOCK_RULE_SEND)
		replace(&o->write, norn_knowledge_keep(o->access));
	o->arrived += op == NORN_SYNC_BARRIER_ARRIVE;
	(void)e;
	return violated;
}

static const uint8_t thread_ops[] = {[NORN_ONLINE_FORK - NORN_SYNC_OPS] = NORN_THREAD_FORK,
        [NORN_ONLINE_BEGIN - NORN_SYNC_OPS] = NORN_THREAD_BEGIN,
        [NORN_ONLINE_END - NORN_SYNC_OPS] = NORN_THREAD_END,
        [NORN_ONLINE_JOIN - NORN_SYNC_OPS] = NORN_THREAD_JOIN};

static void sync_object(void *engine, struct norn_online_thread *self, uint64_t key, unsigned op)
{
	struct mttl_engine *e = engine;
	struct norn_local_monitor *m = self->own[NORN_ENGINE_MTTL];
	const struct norn_monitor_input input = {.site = self->site};
	if (!m)
		return;
	self->told++;
	norn_local_monitor_retype(m, self->types);
	struct stripe *stripe = lock_stripe(e, key);
	struct mttl_object **at = find(stripe, key);
	if (!*at && (*at = calloc(1, sizeof **at)))
		(*at)->key = key;
	uint64_t violated = *at ? pass(e, m, *at, op, &input) : 0;
	unlock_stripe(stripe);
	if (violated && op < NORN_SYNC_OPS)
		raise(e, self, violated, &input, NORN_EVENT_SYNC, op);
	else if (violated)
		raise(e, self, violated, &input, NORN_EVENT_THREAD, thread_ops[op - NORN_SYNC_OPS]);
}

static void forget_object(void *engine, struct norn_online_thread *self, uint64_t key)
{
	struct stripe *stripe = lock_stripe(engine, key);
	struct mttl_object **at = find(stripe, key), *o = *at;
	if (o)
		*at = o->next;
	unlock_stripe(stripe);
	if (o)
		free_object(o);
	(void)self;
}

void norn_mttl_close(void *engine)
{
	struct mttl_engine *e = engine;
	if (!e)
		return;
	for (uint32_t i = 0; i < STRIPES; i++)
		for (struct mttl_object *o = e->stripes[i].first, *next; o; o = next) {
			next = o->next;
			free_object(o);
		}
	free(e->spots);
	norn_local_monitors_done(&e->local_monitors);
	free(e);
	norn_knowledge_relax();
}

/* ---- threads ---- */

static void end_thread(void *engine, struct norn_online_thread *self)
{
	struct norn_local_monitor *m = self->own[NORN_ENGINE_MTTL];
	if (m)
		free(m->event_buffer);
	norn_local_monitor_free(m);
	self->own[NORN_ENGINE_MTTL] = NULL;
	(void)engine;
}

static void begin_thread(void *engine, struct norn_online_thread *self)
{
	struct mttl_engine *e = engine;
	be_ready(e, self->event_match);
	struct stripe *stripe = lock_stripe(e, NORN_KEY_THREAD + self->number);
	struct mttl_object *o = *find(stripe, NORN_KEY_THREAD + self->number);
	struct norn_knowledge *parent = o ? norn_knowledge_keep(o->write) : NULL;
	unlock_stripe(stripe);
	self->own[NORN_ENGINE_MTTL] =
	        norn_local_monitor_new(&e->local_monitors, self->number, self->path ? self->path : "", self->types, parent);
	norn_knowledge_drop(parent);
	struct norn_local_monitor *m = self->own[NORN_ENGINE_MTTL];
	if (!m)
		return;
	m->event_buffer = calloc(1, sizeof(struct event_buffer));
	if (!m->event_buffer) {
		norn_local_monitors_drop(&e->local_monitors);
		end_thread(e, self);
		return;
	}
	m->knowledge_cache->low = e->low;
	m->knowledge_cache->span = e->high - e->low;
	if (self->knowledge_cache)
		norn_local_monitor_show(m, self->knowledge_cache);
}

/* ---- events ---- */

static uint32_t occurrences_of(const struct norn_online_hit *hits, uint32_t count, struct norn_occurrence *ret_occurrences,
        struct norn_setting *ret_settings, uint32_t *ret_setting_count)
{
	uint32_t found = 0;
	*ret_setting_count = 0;
	for (uint32_t i = 0; i < count && i < NORN_HITS_MAX; i++) {
		const struct norn_online_hit *h = &hits[i];
		if (h->event == NORN_SLOT_NONE)
			ret_settings[(*ret_setting_count)++] = (struct norn_setting){.place = h->place, .value = h->value};
		else
			ret_occurrences[found++] = (struct norn_occurrence){
			        .event = h->event, .holds = h->holds, .slots = h->slots, .slot_count = NORN_HIT_SLOTS};
	}
	return found;
}

/* kind, op: of the event. */
static void consider(
        struct mttl_engine *e, struct norn_online_thread *self, const struct norn_monitor_input *input, unsigned kind, unsigned op)
{
	struct norn_local_monitor *m = self->own[NORN_ENGINE_MTTL];
	if (!m)
		return;
	norn_local_monitor_retype(m, self->types);
	uint64_t violated = norn_local_monitor_think(m, input);
	if (violated)
		raise(e, self, violated, input, kind, op);
}

static void happen(
        void *engine, struct norn_online_thread *self, const struct norn_event *event, struct norn_online_hit *hits, uint32_t count)
{
	struct norn_local_monitor *m = self->own[NORN_ENGINE_MTTL];
	if (!m)
		return;
	struct event_buffer *event_buffer = m->event_buffer;
	struct norn_monitor_input input = {
	        .occurrences = event_buffer->occurrences, .settings = event_buffer->settings, .site = event->site, .call = true};
	input.occurrence_count =
	        occurrences_of(hits, count, event_buffer->occurrences, event_buffer->settings, &input.setting_count);
	consider(engine, self, &input, event->kind, event->op);
}

/* Of struct norn_prepared_event: all but the site is the same each time. */
struct mttl_prepared {
	struct norn_monitor_input input;
	struct norn_occurrence occurrences[NORN_PREPARED_STEPS];
};
static_assert(sizeof(struct mttl_prepared) <= sizeof((struct norn_prepared_event){0}.own), "a prepared event has room");

static bool prepare(
        const void *engine, uint64_t types, const uint32_t *events, uint32_t count, struct norn_prepared_event *ret_prepared)
{
	const struct mttl_engine *e = engine;
	struct mttl_prepared *r = (struct mttl_prepared *)(void *)ret_prepared->own;
	*r = (struct mttl_prepared){.input = {.occurrences = r->occurrences, .occurrence_count = count, .call = true}};
	for (uint32_t i = 0; i < count; i++) {
		if (i == NORN_PREPARED_STEPS || events[i] >= e->local_monitors.program.event_count ||
		        e->spec->events[events[i]].parameter_count)
			return false;
		r->occurrences[i] = (struct norn_occurrence){.event = events[i], .holds = NORN_TRUTH_YES};
		r->input.positions |= e->local_monitors.program.event_properties[events[i]];
	}
	ret_prepared->means = count > 0;
	ret_prepared->acts = false;
	(void)types;
	return true;
}

static void follow(void *engine, struct norn_online_thread *self, struct norn_prepared_event *prepared,
        const struct norn_footprint *print, uint64_t lock)
{
	struct mttl_prepared *r = (struct mttl_prepared *)(void *)prepared->own;
	r->input.site = print->site;
	consider(engine, self, &r->input, print->kind, print->op);
	(void)lock;
}

static void access_word(void *engine, struct norn_online_thread *self, struct norn_knowledge_cell *word,
        const struct norn_event *event, uint64_t old, const struct norn_online_hit *hits, uint32_t count)
{
	struct mttl_engine *e = engine;
	struct norn_local_monitor *m = self->own[NORN_ENGINE_MTTL];
	/* The writer is unknown, as it has no hook: the value is news to the thread that notices, and nothing else. */
	bool external = event->kind == NORN_EVENT_EXTERNAL, locks = event->kind == NORN_EVENT_SYNC;
	bool writes = locks ? clock_of(event->op) == NORN_CLOCK_RULE_WRITE : event->kind != NORN_EVENT_READ;
	bool named = !locks && is_named(e, event->addr & ~UINT64_C(7),
	                               8); /* the word, lest a neighbour's access be the first and not say so */
	uint32_t mask = locks ? norn_word_lock(event->addr) : norn_word_mask(event->addr & ~UINT64_C(7), event->addr, event->size);
	if (!m)
		return;
	self->told++;
	self->named += named;
	norn_local_monitor_retype(m, self->types);
	/* Code that uses the cache has tried that with reads and writes. */
	bool tried = self->knowledge_cache && (event->kind == NORN_EVENT_READ || event->kind == NORN_EVENT_WRITE);
	if (!named && !count && !external && !tried && norn_word_pass(m, word, mask, writes))
		return;
	struct event_buffer *event_buffer = m->event_buffer;
	struct norn_monitor_input input = {.touches = event_buffer->touches,
	        .occurrences = event_buffer->occurrences,
	        .settings = event_buffer->settings,
	        .site = event->site};
	if (named)
		input.touch_count = touches_of(e, event, event_buffer->touches);
	if (count)
		input.occurrence_count =
		        occurrences_of(hits, count, event_buffer->occurrences, event_buffer->settings, &input.setting_count);
	if (!external)
		norn_word_learn(m, word, mask, writes, (struct norn_knowledge_origin){.site = event->site, .place = event->addr});
	uint64_t violated = norn_local_monitor_think(m, &input);
	if (!external)
		norn_word_teach(m, word, mask, writes);
	if (named)
		norn_word_name(word);
	if (violated)
		raise(e, self, violated, &input, event->kind, event->op);
	(void)old;
}

static void drop_word(void *engine, struct norn_online_thread *self, struct norn_knowledge_cell *word, uint32_t bytes)
{
	if (bytes == NORN_WORD_ALL)
		norn_word_clear(word);
	else if (self && self->own[NORN_ENGINE_MTTL])
		norn_word_cut(self->own[NORN_ENGINE_MTTL], word, bytes);
	(void)engine;
}

/* Variables of libraries that were loaded later have no spot: what happened to them was not seen. */
static void finish(void *engine, struct norn_online_thread *self)
{
	struct mttl_engine *e = engine;
	for (uint32_t i = 0; self && self->event_match && i < e->local_monitors.program.place_count; i++)
		if (!e->spots[i].address && norn_event_match_address(self->event_match, e->local_monitors.program.places[i].place))
			norn_local_monitors_drop(&e->local_monitors);
}

const struct norn_online_engine norn_mttl_engine = {.name = "mttl",
        .open = open_engine,
        .begin = begin_thread,
        .end = end_thread,
        .event = happen,
        .prepare = prepare,
        .follow = follow,
        .sync = sync_object,
        .forget = forget_object,
        .access = access_word,
        .finish = finish,
        .drop = drop_word,
        .lost = count_lost};
