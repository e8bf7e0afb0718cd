#include "mttl/mttl_offline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "judge/finding_id.h"
#include "mttl/mttl_engine.h"
#include "judge/verdict_queue.h"
#include "mttl/knowledge_cell.h"
#include "judge/recorded/recent_positions.h"
#include "judge/recorded/report_message.h"
#include "trace/record.h"

struct norn_mttl_offline {
	const struct norn_sources *sources;
	const struct norn_binding *binding;
	struct norn_pack pack; /* the engine's texts lie there */
	void *engine;
	struct norn_online_thread **threads; /* by number; NULL: has not begun */
	bool *ended;
	uint32_t thread_room;
	struct norn_map words; /* address / 8 -> struct norn_knowledge_cell */
	struct norn_verdict_queue *queue;
	uint64_t number; /* of the event */
	struct norn_online_hit *hits;
	bool blind; /* events are missing: what threads know is not known any more */
};

/* ---- life ---- */

static void bind_places(struct norn_mttl_offline *k)
{
	const struct norn_binding *b = k->binding;
	for (uint32_t i = 0; i < b->place_index->count; i++) {
		const struct norn_place_range *z = &b->place_index->list[i];
		struct norn_spot_bytes first = {0};
		if (b->spec->places[z->place].kind != NORN_PLACE_OBJECT || b->spec->places[z->place].hops != 1)
			continue;
		if (z->spot != NORN_NO_SPOT)
			first = norn_binding_initial(b, z->spot);
		norn_mttl_bind(k->engine, z->place, z->address, first.bytes, (uint8_t)first.known);
	}
}

int norn_mttl_offline_new(const struct norn_sources *sources, const struct norn_binding *binding,
        struct norn_mttl_offline **ret_knowing, struct norn_error *err)
{
	*ret_knowing = NULL;
	if (!norn_spec_has(binding->spec, NORN_LOGIC_MTTL))
		return 0;
	struct norn_mttl_offline *k = norn_must_calloc(1, sizeof *k);
	k->sources = sources;
	k->binding = binding;
	norn_map_init(&k->words, sizeof(struct norn_knowledge_cell));
	k->queue = norn_must(aligned_alloc(_Alignof(struct norn_verdict_queue), sizeof *k->queue));
	k->hits = norn_must(aligned_alloc(_Alignof(struct norn_online_hit), NORN_HITS_MAX * sizeof *k->hits));
	int r = norn_mttl_plan(sources, binding->spec, &k->pack, err);
	if (r == 0) {
		struct norn_unpack in = {.at = k->pack.bytes, .end = k->pack.bytes + k->pack.length};
		r = norn_mttl_engine.open(binding->spec, &in, &k->engine, err);
	}
	if (r < 0) {
		norn_mttl_offline_free(k);
		return r;
	}
	memset(k->queue, 0, sizeof *k->queue);
	bind_places(k);
	*ret_knowing = k;
	return 0;
}

void norn_mttl_offline_free(struct norn_mttl_offline *k)
{
	size_t cursor = 0;
	uint64_t key;
	if (!k)
		return;
	for (uint32_t i = 0; i < k->thread_room; i++) {
		if (k->threads[i])
			norn_mttl_engine.end(k->engine, k->threads[i]);
		free(k->threads[i]);
	}
	for (struct norn_knowledge_cell *word; (word = norn_map_next(&k->words, &cursor, &key));)
		norn_mttl_engine.drop(k->engine, NULL, word, NORN_WORD_ALL);
	norn_map_done(&k->words);
	norn_mttl_close(k->engine);
	norn_pack_done(&k->pack);
	free(k->threads);
	free(k->ended);
	free(k->queue);
	free(k->hits);
	free(k);
}

/* ---- threads ---- */

static void reserve_threads(struct norn_mttl_offline *k, uint32_t thread)
{
	if (thread < k->thread_room)
		return;
	uint32_t room = thread + thread / 2 + 8;
	k->threads = norn_must_realloc(k->threads, room, sizeof(struct norn_online_thread *));
	k->ended = norn_must_realloc(k->ended, room, sizeof *k->ended);
	memset(k->threads + k->thread_room, 0, (room - k->thread_room) * sizeof *k->threads);
	memset(k->ended + k->thread_room, 0, (room - k->thread_room) * sizeof *k->ended);
	k->thread_room = room;
}

static uint64_t types_of(const struct norn_binding *b, uint32_t thread)
{
	return thread < b->threads ? b->types[thread] : 0;
}

/* The thread of an event, which may begin with it. */
static struct norn_online_thread *thread_of(struct norn_mttl_offline *k, uint32_t number)
{
	reserve_threads(k, number);
	if (k->threads[number])
		return k->threads[number];
	struct norn_online_thread *t = norn_must_calloc(1, sizeof *t);
	const struct norn_thread_info *info = norn_trace_thread(k->binding->trace, number);
	t->number = number;
	t->types = types_of(k->binding, number);
	t->path = info ? info->path : "?";
	t->name = info && info->name ? info->name : "";
	t->verdicts = k->queue;
	k->threads[number] = t;
	norn_mttl_engine.begin(k->engine, t);
	norn_must(t->own[NORN_ENGINE_MTTL]);
	return t;
}

/* ---- what is said ---- */

/* {site:N} becomes a place in the source. */
static const char *with_places(struct norn_mttl_offline *k, const char *from, size_t length, struct norn_findings *f)
{
	const char *text = "", *end = from + length;
	while (from < end) {
		const char *mark = memmem(from, (size_t)(end - from), "{site:", 6);
		if (!mark)
			break;
		struct norn_site_info site;
		char *after;
		norn_trace_site(k->binding->trace, (uint32_t)strtoul(mark + 6, &after, 10), &site);
		text = norn_findings_text(f, "%s%.*s%s:%u (%s)", text, (int)(mark - from), from, *site.file ? site.file : "?",
		        site.line, *site.function ? site.function : "?");
		from = after + 1;
	}
	return norn_findings_text(f, "%s%.*s", text, (int)(end - from), from);
}

static void tell_knowledge(
        struct norn_mttl_offline *k, const struct norn_queued_verdict *v, struct norn_finding *finding, struct norn_findings *f)
{
	const char **list = norn_must_arena_alloc(&f->arena, NORN_EVIDENCE_MAX * sizeof *list);
	uint32_t count = 0;
	for (const char *at = v->details; *at && count < NORN_EVIDENCE_MAX;) {
		size_t length = strcspn(at, "\n");
		list[count++] = with_places(k, at, length, f);
		at += length + (at[length] == '\n');
	}
	finding->knowledge = list;
	finding->knowledge_count = count;
}

static void report(
        struct norn_mttl_offline *k, const struct norn_event *e, const struct norn_queued_verdict *v, struct norn_findings *f)
{
	const struct norn_property *p = &k->binding->spec->properties[v->index];
	const struct norn_past past = {.number = k->number,
	        .thread = e->thread,
	        .site = e->site,
	        .kind = e->kind,
	        .op = e->op,
	        .place = NORN_SLOT_NONE,
	        .event = NORN_SLOT_NONE};
	struct norn_step_text *where = norn_must_arena_alloc(&f->arena, sizeof *where);
	char id[NORN_FINDING_ID_BYTES];
	norn_past_text(k->binding, &past, f, where);
	struct norn_site_info site;
	norn_trace_site(k->binding->trace, e->site, &site);
	where->what = norn_findings_text(f, "%s", site.name);
	norn_finding_id_text(&(struct norn_finding_id){.by = NORN_BY_KNOWLEDGE,
	                             .property = p->name,
	                             .file = site.file,
	                             .function = site.function,
	                             .line = site.line,
	                             .event_kind = e->kind,
	                             .event_op = e->op},
	        id);
	struct norn_finding *known = norn_findings_get(f, id);
	if (known) {
		known->count++;
		return;
	}
	struct norn_finding finding = norn_finding_of_property(f, id, p->name);
	finding.variable = where->what;
	finding.causality = "mvc";
	finding.outcome = "violated";
	finding.where = finding.witness = where;
	finding.where_count = finding.witness_count = 1;
	norn_finding_define(&finding, k->sources, p->decl, f);
	norn_finding_respond(&finding, v->actions, v->action_count, f);
	tell_knowledge(k, v, &finding, f);
	norn_findings_add(f, &finding);
}

static void take_verdicts(struct norn_mttl_offline *k, const struct norn_event *e, struct norn_findings *f)
{
	for (uint32_t i = 0; i < k->queue->count; i++)
		report(k, e, &k->queue->list[i], f);
	k->queue->count = 0;
}

/* ---- events ---- */

static uint32_t hits_of(struct norn_mttl_offline *k, const struct norn_moment *moment)
{
	uint32_t count = 0;
	for (uint32_t i = 0; moment && i < moment->hit_count && count < NORN_HITS_MAX; i++)
		if (moment->hits[i].holds != NORN_TRUTH_NO)
			k->hits[count++] = moment->hits[i];
	return count;
}

static uint32_t add_setting(struct norn_mttl_offline *k, const struct norn_event *e, uint32_t count)
{
	const struct norn_spec *spec = k->binding->spec;
	if (e->kind != NORN_EVENT_MARK || e->op != NORN_MARK_SET)
		return count;
	const char *name = norn_trace_name(k->binding->trace, (uint32_t)e->argument);
	for (uint32_t i = 0; i < spec->place_count && count < NORN_HITS_MAX; i++) {
		if (spec->places[i].kind != NORN_PLACE_SET || strcmp(spec->places[i].text, name) != 0)
			continue;
		struct norn_online_hit *to = &k->hits[count++];
		memset(to, 0, sizeof *to);
		to->event = NORN_SLOT_NONE;
		to->place = i;
		to->value = norn_value_integer((int64_t)e->value);
	}
	return count;
}

/* Word by word, as inside the program: a range is not indivisible. */
static void access_words(struct norn_mttl_offline *k, struct norn_online_thread *t, const struct norn_event *e, uint32_t hits)
{
	for (uint64_t done = 0, n; done < e->size; done += n) {
		struct norn_event piece = *e;
		piece.addr = e->addr + done;
		n = 8 - (piece.addr & 7) < e->size - done ? 8 - (piece.addr & 7) : e->size - done;
		piece.size = n;
		piece.known = e->known && (e->data || e->size <= 8);
		if (piece.known)
			memcpy(&piece.value, (e->data ? e->data : (const uint8_t *)&e->value) + done, n);
		piece.data = NULL;
		norn_mttl_engine.access(
		        k->engine, t, norn_must_map_put(&k->words, piece.addr / 8), &piece, 0, k->hits, done ? 0 : hits);
	}
}

static void free_block(struct norn_mttl_offline *k, const struct norn_event *e)
{
	uint64_t first = e->addr / 8, last = (e->addr + e->size + 7) / 8;
	if (e->pieces == 2)
		return;
	for (uint64_t word = first; word < last; word++) {
		struct norn_knowledge_cell *at = norn_map_get(&k->words, word);
		if (at) {
			norn_mttl_engine.drop(k->engine, NULL, at, NORN_WORD_ALL);
			norn_map_remove(&k->words, word);
		}
	}
}

static void thread_event(struct norn_mttl_offline *k, struct norn_online_thread *t, const struct norn_event *e)
{
	static const unsigned ops[NORN_THREAD_OPS] = {[NORN_THREAD_FORK] = NORN_ONLINE_FORK,
	        [NORN_THREAD_BEGIN] = NORN_ONLINE_BEGIN,
	        [NORN_THREAD_END] = NORN_ONLINE_END,
	        [NORN_THREAD_JOIN] = NORN_ONLINE_JOIN};
	bool other = e->op == NORN_THREAD_FORK || e->op == NORN_THREAD_JOIN;
	uint64_t key = NORN_KEY_THREAD + (other ? e->value : t->number);
	if (e->op >= NORN_THREAD_OPS || !ops[e->op] || (e->op == NORN_THREAD_END && k->ended[t->number]))
		return;
	k->ended[t->number] |= e->op == NORN_THREAD_END;
	norn_mttl_engine.sync(k->engine, t, key, ops[e->op]);
	if (e->op == NORN_THREAD_JOIN)
		norn_mttl_engine.forget(k->engine, t, key);
}

static void dispatch(struct norn_mttl_offline *k, const struct norn_event *e, uint32_t hits)
{
	struct norn_online_thread *t = thread_of(k, e->thread);
	t->site = e->site;
	switch (e->kind) {
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
	case NORN_EVENT_EXTERNAL:
		access_words(k, t, e, hits);
		return;
	case NORN_EVENT_SYNC:
		if (e->op == NORN_SYNC_DESTROY)
			norn_mttl_engine.forget(k->engine, t, e->addr);
		else if (e->op != NORN_SYNC_CREATE && e->op != NORN_SYNC_TRY_FAILED)
			norn_mttl_engine.sync(k->engine, t, e->addr, e->op);
		break;
	case NORN_EVENT_THREAD:
		thread_event(k, t, e);
		break;
	case NORN_EVENT_FREE:
		free_block(k, e);
		return;
	default:
		break;
	}
	if (hits)
		norn_mttl_engine.event(k->engine, t, e, k->hits, hits);
}

void norn_mttl_offline_event(struct norn_mttl_offline *k, const struct norn_event *e, const struct norn_moment *moment,
        struct norn_findings *f, uint64_t *relevant)
{
	k->number++;
	if (e->kind == NORN_EVENT_LOST && !k->blind) {
		k->blind = true;
		norn_findings_partial(f, NORN_REASON_LOST, 1, NORN_REMEDY_LOST,
		        "events are missing: what threads know is not known from there on, and mttl is not judged");
	}
	if (k->blind)
		return;
	uint32_t hits = add_setting(k, e, hits_of(k, moment));
	*relevant += hits > 0;
	dispatch(k, e, hits);
	take_verdicts(k, e, f);
}

void norn_mttl_offline_end(struct norn_mttl_offline *k, struct norn_findings *f)
{
	if (norn_mttl_engine.lost(k->engine))
		norn_findings_partial(f, NORN_REASON_PROPERTY, 1, "", NORN_ONLINE_LOST, norn_mttl_engine.name);
}
