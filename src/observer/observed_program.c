#include "observer/observed_program.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/elapsed.h"
#include "base/must.h"
#include "observer/causal_delivery.h"
#include "observer/filter_request.h"
#include "trace/live_trace.h"
#include "trace/record.h"

/* Of the memory that a search may use, so much more is there for each program's messages that wait for others, and for its site
 * tables. */
#define WAITING_SHARE 8
#define MODULE_SHARE 4
#define LATE_MS 1900 /* after which the program may have gone on without its filter */
#define MODULES_MAX 65536u

struct norn_observed_program {
	const struct norn_host *host;
	uint32_t pid;
	uint64_t key;
	char *name;
	struct norn_trace *trace;
	uint32_t modules;
	uint64_t module_bytes;
	struct norn_observed_properties properties;
	bool opened, refused; /* it is judged; it will not be */
	bool types; /* properties tell threads apart by what they entered first */
	struct norn_binding **bindings;
	struct norn_live_search **searches; /* one for each props */
	struct norn_delivery *delivery;
	struct entered {
		uint32_t site;
		bool ended;
	} *entered; /* by thread */
	uint32_t entered_count;
	struct norn_findings findings;
	uint32_t shown;
	struct norn_wire_bye bye;
	bool goodbye;
	bool closing; /* no more messages will come */
	bool broken; /* nothing is judged any more */
	struct timespec start;
};

__attribute__((format(printf, 2, 3))) static void say(const struct norn_observed_program *s, const char *format, ...)
{
	char text[600];
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	s->host->say(s->host->context, s, text);
}

/* Verdicts so far stay true, but nothing more is judged. */
static void give_up(struct norn_observed_program *s, const char *why)
{
	if (!s->broken)
		norn_findings_partial(&s->findings, NORN_REASON_TRACE, 1, "", "nothing is judged from here on: %s", why);
	s->broken = true;
}

/* ---- delivered ---- */

static uint32_t props(const struct norn_observed_program *s)
{
	return s->opened ? s->properties.props_count : 0;
}

/* A thread is there; its parent comes after clock. */
static int meet_thread(struct norn_observed_program *s, uint32_t thread, const uint32_t *clock, uint32_t width)
{
	struct norn_site_info site = {.name = ""};
	int r = norn_live_thread(s->trace, thread, 0, 0, "", 0);
	if (thread < s->entered_count && s->entered[thread].site)
		norn_trace_site(s->trace, s->entered[thread].site, &site);
	for (uint32_t i = 0; r == 0 && i < props(s); i++) {
		norn_binding_add_thread(s->bindings[i], thread, site.name);
		r = norn_live_search_thread(s->searches[i], thread, clock, width);
	}
	return r;
}

static int take_event(void *context, const struct norn_wire_event *e, const uint32_t *clock, uint32_t width)
{
	struct norn_observed_program *s = context;
	int r = meet_thread(s, e->event.thread, NULL, 0);
	if (r == 0 && e->name.length)
		norn_live_name(s->trace, (uint32_t)e->event.argument, e->name.bytes, e->name.length);
	for (uint32_t i = 0; r == 0 && i < props(s); i++)
		r = norn_live_search_event(s->searches[i], &e->event, clock, width, e->number);
	if (r != 0 || e->event.kind != NORN_EVENT_THREAD)
		return r;
	if (e->event.op == NORN_THREAD_FORK && e->event.value < NORN_LIVE_THREADS)
		r = meet_thread(s, (uint32_t)e->event.value, clock, width);
	if (e->event.op == NORN_THREAD_FORK_FAILED && e->event.value < NORN_LIVE_THREADS)
		for (uint32_t i = 0; i < props(s); i++)
			norn_live_search_end(s->searches[i], (uint32_t)e->event.value);
	return r;
}

static int take_wait(void *context, uint32_t thread, uint32_t joined)
{
	struct norn_observed_program *s = context;
	for (uint32_t i = 0; i < props(s); i++)
		norn_live_search_wait(s->searches[i], thread, joined);
	return 0;
}

static int take_end(void *context, uint32_t thread)
{
	struct norn_observed_program *s = context;
	for (uint32_t i = 0; i < props(s); i++)
		norn_live_search_end(s->searches[i], thread);
	return 0;
}

/* The type of a thread must be known before its first event. */
static bool is_ready(void *context, uint32_t thread)
{
	const struct norn_observed_program *s = context;
	return !s->types || s->closing || (thread < s->entered_count && (s->entered[thread].site || s->entered[thread].ended));
}

/* ---- life ---- */

int norn_observed_program_new(
        const struct norn_host *host, const struct norn_wire_hello *hello, struct norn_observed_program **ret_session)
{
	struct norn_observed_program *s = norn_must_calloc(1, sizeof *s);
	*s = (struct norn_observed_program){.host = host, .pid = hello->pid, .key = hello->session};
	clock_gettime(CLOCK_MONOTONIC, &s->start);
	norn_findings_init(&s->findings);
	size_t length = hello->program.length < 4096 ? hello->program.length : 4096;
	s->name = length ? norn_must(strndup(hello->program.bytes, length)) : norn_must_text("a program");
	struct norn_delivery_sink sink = {s, take_event, take_wait, take_end, is_ready};
	s->trace = norn_live_new(s->name);
	norn_live_info(s->trace, "directory", hello->directory.bytes, hello->directory.length);
	norn_live_info(s->trace, "command", s->name, length);
	assert(host->options.max_memory);
	s->delivery = norn_delivery_new(&sink, host->options.max_memory / WAITING_SHARE);
	int r = norn_live_thread(s->trace, 0, 0, 0, "", 0);
	if (r == 0)
		*ret_session = s;
	else
		norn_observed_program_free(s);
	return r;
}

void norn_observed_program_free(struct norn_observed_program *s)
{
	if (!s)
		return;
	norn_delivery_free(s->delivery);
	for (uint32_t i = 0; i < s->properties.props_count; i++) {
		if (s->searches)
			norn_live_search_free(s->searches[i]);
		if (s->bindings)
			norn_binding_free(s->bindings[i]);
	}
	free(s->searches);
	free(s->bindings);
	if (s->properties.props)
		s->host->close(s->host->context, &s->properties);
	norn_findings_done(&s->findings);
	norn_trace_close(s->trace);
	free(s->entered);
	free(s->name);
	free(s);
}

uint32_t norn_observed_program_pid(const struct norn_observed_program *s)
{
	return s->pid;
}

uint64_t norn_observed_program_key(const struct norn_observed_program *s)
{
	return s->key;
}

const char *norn_observed_program_name(const struct norn_observed_program *s)
{
	return s->name;
}

const struct norn_findings *norn_observed_program_findings(const struct norn_observed_program *s)
{
	return &s->findings;
}

bool norn_observed_program_is_judged(const struct norn_observed_program *s)
{
	return s->opened;
}

/* ---- the beginning ---- */

static int add_props(struct norn_observed_program *s, uint32_t i, struct norn_error *err)
{
	const struct norn_observed_props *props = &s->properties.props[i];
	int r = norn_binding_new(props->spec, s->properties.program, s->trace, &s->bindings[i], err);
	for (uint32_t t = 0; r == 0 && t < norn_trace_threads(s->trace); t++)
		norn_binding_add_thread(s->bindings[i], t, "");
	if (r == 0)
		r = norn_live_search_new(props->sources, s->bindings[i], &s->host->options, &s->findings, &s->searches[i], err);
	s->types |= props->spec->type_count > 0 ||
	            (r == 0 && (s->bindings[i]->event_match->starts.count || s->bindings[i]->event_match->joins.count));
	return r;
}

static int open_case(struct norn_observed_program *s, struct norn_error *err)
{
	int r = s->host->open(s->host->context, s->trace, &s->properties, err);
	if (r != 0)
		return r;
	s->bindings = norn_must_calloc(s->properties.props_count, sizeof(struct norn_binding *));
	s->searches = norn_must_calloc(s->properties.props_count, sizeof(struct norn_live_search *));
	for (uint32_t i = 0; r == 0 && i < s->properties.props_count; i++)
		r = add_props(s, i, err);
	s->opened = r == 0;
	if (r == 0 && meet_thread(s, 0, NULL, 0) != 0)
		r = norn_error_set(err, -EOVERFLOW, "its main thread cannot be followed");
	return r;
}

static int refuse(struct norn_observed_program *s, const char *why, norn_observed_program_send *send, void *connection)
{
	size_t room = strlen(why) + 64 + NORN_WIRE_OVERHEAD;
	void *frame = norn_must_alloc(room, 1);
	struct norn_wire_refused refused = {{why, strlen(why)}};
	s->refused = true;
	say(s, "%s is not judged: %s", s->name, why);
	size_t length = norn_wire_put_refused(frame, room, &refused);
	if (length)
		return send(connection, frame, length);
	free(frame);
	return 0;
}

static int take_ready(struct norn_observed_program *s, const struct norn_wire_ready *ready, norn_observed_program_send *send,
        void *connection, struct norn_error *err)
{
	struct norn_error why = {0};
	void *frame;
	size_t length;
	int r = 0;
	if (s->refused)
		return 0;
	if (!s->opened) {
		struct timespec before;
		clock_gettime(CLOCK_MONOTONIC, &before);
		r = open_case(s, &why);
		if (r != 0)
			return refuse(s, why.message, send, connection);
		if (norn_seconds_since(&before) * 1000 > LATE_MS)
			give_up(s, "it took so long to read the program's symbols that it did not wait for the properties");
	} else {
		for (uint32_t i = 0; i < props(s); i++)
			norn_binding_add_sites(s->bindings[i]);
	}
	if (norn_filter_make(s->bindings, props(s), ready->modules, &frame, &length) != 0)
		return norn_error_set(err, -EMSGSIZE, "its properties watch more than one message can say");
	return send(connection, frame, length);
}

static int take_module(struct norn_observed_program *s, const struct norn_wire_module *m, struct norn_error *err)
{
	s->module_bytes += m->table.length;
	if (++s->modules > MODULES_MAX || s->module_bytes > s->host->options.max_memory / MODULE_SHARE)
		return norn_error_set(err, -E2BIG, "its modules are too many, or take too much memory (--max-memory)");
	return norn_live_module(s->trace, m->base, m->load, m->path.bytes, m->path.length, m->table.bytes, m->table.length, err);
}

/* The function that a thread entered first; 0: not known (yet). */
static void know_entered(struct norn_observed_program *s, uint32_t thread, uint32_t entered_site)
{
	if (thread >= s->entered_count) {
		uint32_t count = 2 * (thread + 1);
		s->entered = norn_must_realloc(s->entered, count, sizeof *s->entered);
		memset(s->entered + s->entered_count, 0, (count - s->entered_count) * sizeof *s->entered);
		s->entered_count = count;
	}
	if (entered_site)
		s->entered[thread].site = entered_site;
	struct norn_site_info site = {.name = ""};
	if (s->entered[thread].site)
		norn_trace_site(s->trace, s->entered[thread].site, &site);
	for (uint32_t i = 0; i < props(s); i++)
		norn_binding_add_thread(s->bindings[i], thread, site.name);
}

static int take_thread(struct norn_observed_program *s, const struct norn_wire_thread *m)
{
	int r = norn_live_thread(s->trace, m->number, m->parent, m->ordinal, m->name.bytes, m->name.length);
	if (r != 0)
		return r;
	know_entered(s, m->number, m->entered);
	return s->opened ? norn_delivery_retry(s->delivery, m->number) : 0;
}

static int take_last(struct norn_observed_program *s, const struct norn_wire_end *m)
{
	if (m->thread >= NORN_LIVE_THREADS)
		return -EOVERFLOW;
	know_entered(s, m->thread, m->entered);
	s->entered[m->thread].ended = true;
	int r = s->opened ? norn_delivery_retry(s->delivery, m->thread) : 0;
	return r == 0 ? norn_delivery_end(s->delivery, m) : r;
}

/* ---- messages ---- */

static int control(struct norn_observed_program *s, enum norn_wire_type type, struct norn_wire_text payload,
        norn_observed_program_send *send, void *connection, struct norn_error *err)
{
	union {
		struct norn_wire_module module;
		struct norn_wire_ready ready;
		struct norn_wire_bye bye;
	} m;
	if (s->goodbye)
		return -EBADMSG;
	switch (type) {
	case NORN_WIRE_MODULE:
		return norn_wire_get_module(payload, &m.module) == 0 ? take_module(s, &m.module, err) : -EBADMSG;
	case NORN_WIRE_READY:
		return norn_wire_get_ready(payload, &m.ready) == 0 ? take_ready(s, &m.ready, send, connection, err) : -EBADMSG;
	case NORN_WIRE_BYE:
		if (norn_wire_get_bye(payload, &m.bye) != 0)
			return -EBADMSG;
		s->bye = m.bye;
		s->goodbye = true;
		return 0;
	default:
		return -EBADMSG;
	}
}

static int events(struct norn_observed_program *s, enum norn_wire_type type, struct norn_wire_text payload)
{
	union {
		struct norn_wire_thread thread;
		struct norn_wire_lost lost;
		struct norn_wire_end end;
		struct norn_wire_wait wait;
	} m;
	if (type == NORN_WIRE_THREAD)
		return norn_wire_get_thread(payload, &m.thread) == 0 ? take_thread(s, &m.thread) : -EBADMSG;
	if (s->refused || s->broken)
		return 0;
	switch (type) {
	case NORN_WIRE_EVENT:
		return s->opened ? norn_delivery_event(s->delivery, payload) : -EBADMSG;
	case NORN_WIRE_LOST:
		return norn_wire_get_lost(payload, &m.lost) == 0 ? norn_delivery_lost(s->delivery, &m.lost) : -EBADMSG;
	case NORN_WIRE_END:
		return norn_wire_get_end(payload, &m.end) == 0 ? take_last(s, &m.end) : -EBADMSG;
	case NORN_WIRE_WAIT:
		return norn_wire_get_wait(payload, &m.wait) == 0
		               ? norn_delivery_wait(s->delivery, m.wait.thread, m.wait.joined, m.wait.count)
		               : -EBADMSG;
	default:
		return -EBADMSG;
	}
}

int norn_observed_program_message(struct norn_observed_program *s, enum norn_wire_role role, enum norn_wire_type type,
        struct norn_wire_text payload, norn_observed_program_send *send, void *connection, struct norn_error *err)
{
	err->message[0] = 0;
	int r = role == NORN_WIRE_CONTROL ? control(s, type, payload, send, connection, err) : events(s, type, payload);
	switch (r) {
	case -ENOBUFS:
		give_up(s, "too many messages wait for ones that do not come");
		return 0;
	case -EOVERFLOW:
		give_up(s, "there are too many threads, or events");
		return 0;
	case 0:
		return 0;
	default:
		return err->message[0] ? r : norn_error_set(err, r, "what it sent makes no sense");
	}
}

/* ---- judging ---- */

static void show_news(struct norn_observed_program *s)
{
	while (s->shown < s->findings.count)
		s->host->found(s->host->context, s, &s->findings.list[s->shown++]);
}

void norn_observed_program_judge(struct norn_observed_program *s)
{
	struct norn_error err = {0};
	for (uint32_t i = 0; i < props(s) && !s->broken; i++)
		if (norn_live_search_advance(s->searches[i], &err) != 0)
			give_up(s, err.message);
	show_news(s);
}

void norn_observed_program_probe(struct norn_observed_program *s)
{
	struct norn_error err = {0};
	for (uint32_t i = 0; i < props(s) && !s->broken; i++)
		if (norn_live_search_probe(s->searches[i], &err) != 0)
			give_up(s, err.message);
	show_news(s);
}

bool norn_observed_program_has_news(const struct norn_observed_program *s)
{
	bool news = false;
	for (uint32_t i = 0; i < props(s) && !s->broken; i++)
		news |= norn_live_search_has_news(s->searches[i]);
	return news;
}

static bool is_whole(const struct norn_observed_program *s, const struct norn_delivery_counts *c)
{
	return s->goodbye && !s->broken && c->waiting == 0 && c->lost == 0 && s->bye.lost == 0 && c->unfinished == 0 &&
	       c->delivered == s->bye.events;
}

bool norn_observed_program_is_complete(const struct norn_observed_program *s)
{
	struct norn_delivery_counts counts;
	if (!s->goodbye)
		return false;
	norn_delivery_count(s->delivery, &counts);
	return is_whole(s, &counts);
}

/* In sentences, what is missing. */
static void note_missing(struct norn_observed_program *s, const struct norn_delivery_counts *c)
{
	struct norn_findings *f = &s->findings;
	uint64_t missing = s->goodbye && s->bye.events > c->delivered ? s->bye.events - c->delivered : 0;
	f->stats.lost = s->bye.lost > c->lost ? s->bye.lost : c->lost;
	if (!s->goodbye)
		norn_findings_partial(f, NORN_REASON_TRACE, 1, "",
		        "the program did not say goodbye (was it killed?): it is judged as far as it came");
	if (f->stats.lost)
		norn_findings_partial(f, NORN_REASON_LOST, f->stats.lost, "judge it by norn record and norn check",
		        "%llu relevant events were lost: the observer, or the way to it, was too slow",
		        (unsigned long long)f->stats.lost);
	if (missing > f->stats.lost)
		norn_findings_partial(f, NORN_REASON_LOST, missing - f->stats.lost, "",
		        "%llu relevant events did not come, and what follows them is not judged",
		        (unsigned long long)(missing - f->stats.lost));
	else if (c->waiting)
		norn_findings_partial(f, NORN_REASON_LOST, c->waiting, "",
		        "%llu relevant events came, but not all that precede them; they are not judged",
		        (unsigned long long)c->waiting);
	if (s->bye.unrecorded)
		norn_findings_partial(f, NORN_REASON_LOST, s->bye.unrecorded, "",
		        "the runtime missed %llu events: causal order may be missing, and predictions with it may be wrong",
		        (unsigned long long)s->bye.unrecorded);
	if (s->bye.forked)
		norn_findings_partial(f, NORN_REASON_PROCESS, s->bye.forked, "judge them by norn run, which judges all processes",
		        "%llu process%s that the program forked %s not observed", (unsigned long long)s->bye.forked,
		        s->bye.forked == 1 ? "" : "es", s->bye.forked == 1 ? "was" : "were");
	if (s->bye.late)
		norn_findings_partial(f, NORN_REASON_TRACE, 1, "",
		        "the program did not wait for the properties long enough, and began unwatched");
	if (f->stats.complete && !is_whole(s, c))
		norn_findings_partial(
		        f, NORN_REASON_LOST, 1, "", "the ends of some threads did not come: what they did last is not judged");
}

void norn_observed_program_finish(struct norn_observed_program *s)
{
	struct norn_delivery_counts counts;
	struct norn_error err = {0};
	s->closing = true;
	for (uint32_t t = 0; s->types && s->opened && !s->broken && t < norn_trace_threads(s->trace); t++)
		if (norn_delivery_retry(s->delivery, t) != 0)
			give_up(s, "what it sent makes no sense");
	norn_delivery_count(s->delivery, &counts);
	bool whole = is_whole(s, &counts) && !s->bye.unrecorded && !s->bye.late;
	for (uint32_t i = 0; i < props(s) && !s->broken; i++)
		if (norn_live_search_finish(s->searches[i], whole, &err) != 0)
			give_up(s, err.message);
	if (s->opened)
		note_missing(s, &counts);
	else if (s->findings.stats.complete)
		norn_findings_partial(&s->findings, NORN_REASON_TRACE, 1, "", "the program said nothing that could be judged");
	struct norn_finding_stats *stats = &s->findings.stats;
	stats->events = s->bye.seen > counts.delivered ? s->bye.seen : counts.delivered;
	stats->threads = norn_trace_threads(s->trace);
	stats->seconds = norn_seconds_since(&s->start);
	show_news(s);
	s->host->over(s->host->context, s);
}
