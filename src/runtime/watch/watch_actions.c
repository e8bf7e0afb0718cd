/* Watch mode: verdicts are told, and their actions run. In the thread that raised them, after its hook. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define __NORN__ 1 /* the declarations, not the empty ones */
#include "monitor/report_format.h"
#include "norn.h"
#include "runtime/hooks.h"
#include "runtime/sys.h"
#include "runtime/watch/watch_state.h"

#define PATIENCE 20000u /* waits, in all, for a command that does not read */
#define CALLBACKS 64u

/* ---- the way out ---- */

/* A file that is there already must be the user's own, or root's; a device or a pipe is what it is. */
static int open_json(const char *path)
{
	struct stat st;
	int fd = norn_sys_open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
	if (fd < 0 || norn_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) < 0 || !S_ISREG(st.st_mode) || norn_sys_is_own(fd, true))
		return fd;
	norn_sys_close(fd);
	return -EPERM;
}

int norn_watch_connect(int ring, const char *json)
{
	if (ring >= 0) {
		struct norn_watch_ring *mapped = norn_sys_map(ring, sizeof *mapped);
		norn_sys_close(ring);
		if (!mapped || mapped->magic != NORN_WATCH_MAGIC || mapped->bytes != sizeof *mapped)
			return -EBADF;
		norn_watch.ring = mapped;
	}
	if (json)
		norn_watch.json = norn_sys_high(open_json(json));
	return json && norn_watch.json < 0 ? norn_watch.json : 0;
}

/* A command that does not read is waited for, but not for long. */
static void transmit(const struct norn_watch_message *m)
{
	static _Atomic uint32_t waited;
	for (unsigned waits = 0; !norn_watch_ring_put(norn_watch.ring, m); waits++) {
		if (atomic_fetch_add(&waited, 1) > PATIENCE) {
			atomic_fetch_add(&norn_watch.ring->lost, 1);
			return;
		}
		norn_sys_yield(waits);
	}
}

static void write_all(int fd, const char *text, size_t length)
{
	while (length) {
		long n = norn_syscall(SYS_write, fd, (long)text, (long)length, 0, 0, 0);
		if (n == -EINTR)
			continue;
		if (n <= 0)
			return;
		text += n;
		length -= (size_t)n;
	}
}

static void add(struct norn_watch_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct norn_watch_text *t, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(t->at + t->length, sizeof t->at - t->length, format, arguments);
	va_end(arguments);
	if (n > 0)
		t->length = t->length + (size_t)n < sizeof t->at ? t->length + (size_t)n : sizeof t->at - 1;
}

static void add_quoted(struct norn_watch_text *t, const char *name, const char *value)
{
	add(t, "\"%s\":\"", name);
	for (; *value; value++) {
		unsigned char c = (unsigned char)*value;
		if (c == '"' || c == '\\')
			add(t, "\\%c", c);
		else if (c < 32)
			add(t, "\\u%04x", c);
		else
			add(t, "%c", c);
	}
	add(t, "\"");
}

static const char *const outcomes[] = {"violated", "satisfied", "matched", "failed", "inconclusive", "in a state"};

/* Without a command: a line on standard error. */
static void say_line(const struct norn_watch_message *m, struct norn_watch_text *t)
{
	t->length = 0;
	if (m->kind == NORN_WATCH_VERDICT) {
		add(t, "norn: property %s%s%s %s", m->property, *m->key ? " of " : "", m->key,
		        *m->what ? m->what : outcomes[m->outcome]);
		if (*m->file)
			add(t, " at %s:%u (%s)", m->file, m->line, m->function);
		add(t, " in thread %s%s%s", m->path, *m->message ? ": " : "", m->message);
		for (const char *at = m->values; *at;) {
			size_t n = strcspn(at, "\n");
			add(t, "%s%.*s", at == m->values ? "; " : ", ", (int)n, at);
			at += n + (at[n] == '\n');
		}
	} else if (m->kind == NORN_WATCH_DOUBT) {
		add(t, "norn: property %s may be violated at %s:%u: %s", m->property, *m->file ? m->file : "the start of the run",
		        m->line, m->details);
	} else if (m->kind == NORN_WATCH_WITHDRAW) {
		add(t, "norn: what was said of %s is withdrawn: %s", m->property, m->details);
	} else if (m->kind == NORN_WATCH_NOTE) {
		add(t, "norn: %s", m->details);
	}
	if (!t->length)
		return;
	add(t, "\n");
	write_all(STDERR_FILENO, t->at, t->length);
}

/* Appends a finding, on a line of its own, in one write. */
static void say_json(const struct norn_watch_message *m, struct norn_watch_text *t)
{
	t->length = 0;
	if (norn_watch.json < 0 || m->kind != NORN_WATCH_VERDICT || m->outcome != NORN_OUTCOME_VIOLATION)
		return;
	add(t, "{\"kind\":\"property\",\"id\":\"%s\",", m->id);
	add_quoted(t, "property", m->property);
	add(t, ",\"variable\":\"%s\",\"status\":\"observed\",\"causality\":\"observed\",", m->variable);
	add_quoted(t, "message", m->message);
	add(t, ",");
	add_quoted(t, "instance", m->key);
	add(t, ",\"where\":[{");
	add_quoted(t, "thread", m->path);
	add(t, ",");
	add_quoted(t, "file", m->file);
	add(t, ",\"line\":%u,", m->line);
	add_quoted(t, "function", m->function);
	add(t, ",");
	add_quoted(t, "access", m->event_kind ? norn_event_word(m->event_kind, m->event_op) : "");
	add(t, "}],\"witness\":[]}\n");
	write_all(norn_watch.json, t->at, t->length);
}

static void tell(struct norn_verdict_message *p)
{
	if (norn_watch.ring) {
		transmit(&p->message);
		return;
	}
	say_line(&p->message, &p->text);
	say_json(&p->message, &p->text);
}

void norn_watch_hello(void)
{
	static const struct norn_watch_message m = {.magic = NORN_WATCH_MAGIC, .kind = NORN_WATCH_HELLO};
	if (norn_watch.ring)
		transmit(&m);
}

void norn_watch_bye(bool complete, const struct norn_watch_counts *counts)
{
	static struct norn_watch_message m = {
	        .magic = NORN_WATCH_MAGIC, .kind = NORN_WATCH_BYE}; /* said once, by whatever thread */
	m.complete = complete;
	m.events = counts->events;
	m.relevant = counts->relevant;
	m.lost = atomic_load(&norn_watch.lost);
	m.threads = atomic_load(&norn_watch.threads);
	if (norn_watch.ring)
		transmit(&m);
}

/* ---- callbacks of the program ---- */

static struct callback {
	_Atomic(norn_violation_callback *) function; /* written last */
	const char *property; /* NULL: any */
	void *context;
} callbacks[CALLBACKS];
static _Atomic uint32_t callback_count;

__attribute__((visibility("default"))) int norn_on_violation(const char *property, norn_violation_callback *callback, void *context)
{
	uint32_t i = atomic_load(&callback_count);
	if (!callback)
		return -EINVAL;
	do {
		if (i >= CALLBACKS)
			return -ENOSPC;
	} while (!atomic_compare_exchange_weak(&callback_count, &i, i + 1));
	callbacks[i].property = property;
	callbacks[i].context = context;
	atomic_store_explicit(&callbacks[i].function, callback, memory_order_release);
	return 0;
}

static void run_callbacks(const char *property, const char *message)
{
	uint32_t count = atomic_load(&callback_count);
	for (uint32_t i = 0; i < count && i < CALLBACKS; i++) {
		norn_violation_callback *f = atomic_load_explicit(&callbacks[i].function, memory_order_acquire);
		if (f && (!callbacks[i].property || strcmp(callbacks[i].property, property) == 0))
			f(property, message, callbacks[i].context);
	}
}

/* ---- actions ---- */

static const struct norn_plan_function *find_function(const char *name, void **ret_address)
{
	static const struct norn_plan_function unknown;
	uint32_t count = atomic_load_explicit(&norn_watch.modules.count, memory_order_acquire);
	for (uint32_t i = 0; i < norn_watch.plan.function_count; i++) {
		const struct norn_plan_function *f = &norn_watch.plan.functions[i];
		if (strcmp(f->name, name) != 0)
			continue;
		const struct norn_plan_module *m = &norn_watch.plan.modules[f->module];
		for (uint32_t k = 0; k < count; k++)
			if (norn_module_is(m->path, norn_watch.modules.list[k].path)) {
				*ret_address = (void *)(uintptr_t)(f->address + norn_watch.modules.list[k].load - m->base);
				return f;
			}
	}
	*ret_address = dlsym(RTLD_DEFAULT, name);
	return &unknown;
}

static double as_register(struct norn_value v, bool narrow)
{
	double real = !v.known ? 0 : v.is_float ? v.real : (double)v.integer;
	float half = (float)real;
	if (narrow) {
		real = 0;
		memcpy(&real, &half, sizeof half);
	}
	return real;
}

typedef void action_function(long, long, long, long, long, long, double, double, double, double, double, double, double, double);

/* Whole numbers go where the calling convention has its first six, doubles where it has its first eight, whatever their order among
 * each other. */
static void call(const struct norn_queued_action *action)
{
	void *address;
	const struct norn_plan_function *f = find_function(action->function, &address);
	long w[6] = {0};
	double r[8] = {0};
	unsigned wholes = 0, reals = 0;
	if (!address)
		return;
	for (uint32_t i = 0; i < action->argument_count; i++) {
		struct norn_value v = action->arguments[i];
		if ((f->doubles | f->floats) >> i & 1 && reals < 8)
			r[reals++] = as_register(v, f->floats >> i & 1);
		else if (wholes < 6)
			w[wholes++] = !v.known ? 0 : v.is_float ? (long)v.real : (long)v.integer;
	}
	((action_function *)(uintptr_t)address)(w[0], w[1], w[2], w[3], w[4], w[5], r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]);
}

static void copy(char *to, size_t room, const char *from)
{
	snprintf(to, room, "%s", from ? from : "");
}

/* The facts about a site, unless its library is gone by now. */
static void look_up(uint32_t site, struct norn_site_words *ret_words)
{
	uint32_t count = atomic_load_explicit(&norn_watch.modules.count, memory_order_acquire);
	for (uint32_t i = count; i; i--) {
		const struct norn_loaded *m = &norn_watch.modules.list[i - 1];
		if (site - m->base < m->sites &&
		        !(norn_sys_readable(m->table, sizeof *m->table) && m->table->magic == NORN_SITE_MAGIC))
			site = 0;
	}
	norn_modules_site(&norn_watch.modules, site, ret_words);
}

/* Engines say {site:N} where they mean a place in the source. */
static void copy_details(char *to, size_t room, const char *from)
{
	size_t used = 0;
	while (*from && used + 1 < room) {
		unsigned site;
		int length = 0;
		if (*from != '{' || sscanf(from, "{site:%u}%n", &site, &length) != 1 || !length) {
			to[used++] = *from++;
			continue;
		}
		struct norn_site_words words;
		look_up(site, &words);
		const char *slash = strrchr(words.file, '/');
		int n = words.site ? snprintf(to + used, room - used, "%s:%u in %s", slash ? slash + 1 : words.file,
		                             words.site->line, words.function)
		                   : snprintf(to + used, room - used, "an unknown place");
		used = used + (size_t)n < room ? used + (size_t)n : room - 1;
		from += length;
	}
	to[used] = 0;
}

/* A call is where it is called from. The hook's site may be that of an older call, if code without hooks has called: then the names
 * differ. */
static void place_of(uint32_t site, uint32_t call_site, struct norn_site_words *ret_words)
{
	struct norn_site_words call;
	look_up(site, ret_words);
	look_up(call_site, &call);
	if (call.site && call.site->kind == NORN_SITE_CALL && (!*call.name || strcmp(call.name, ret_words->name) == 0))
		*ret_words = call;
}

static bool is_call(unsigned kind)
{
	return kind == NORN_EVENT_ENTER || kind == NORN_EVENT_LEAVE;
}

static void add_steps(const struct norn_queued_verdict *v, struct norn_watch_message *m)
{
	size_t used = 0;
	for (uint32_t i = 0; i < v->step_count; i++) {
		const struct norn_verdict_step *s = &v->steps[i];
		struct norn_site_words words;
		char number[16];
		place_of(s->print.site, s->print.call_site, &words);
		snprintf(number, sizeof number, "#%u", s->thread);
		int n = snprintf(m->witness + used, sizeof m->witness - used, "%u%c%u%c%u%c%s%c%s%c%s%c%s%c%s\n", s->print.kind,
		        NORN_WATCH_BETWEEN, s->print.op, NORN_WATCH_BETWEEN, words.site ? words.site->line : 0, NORN_WATCH_BETWEEN,
		        s->path ? s->path : number, NORN_WATCH_BETWEEN, s->what, NORN_WATCH_BETWEEN, words.function,
		        NORN_WATCH_BETWEEN, words.file, NORN_WATCH_BETWEEN, is_call(s->print.kind) ? words.name : "");
		if (n < 0 || used + (size_t)n >= sizeof m->witness) {
			m->witness[used] = 0;
			m->witness_cut++;
			continue;
		}
		used += (size_t)n;
	}
}

static void identify(const struct norn_queued_verdict *v, char ret_id[NORN_FINDING_ID_BYTES])
{
	struct norn_site_words words;
	place_of(v->site, v->call_site, &words);
	norn_finding_id_text(&(struct norn_finding_id){.by = v->by,
	                             .property = v->property,
	                             .source = v->source,
	                             .file = words.file,
	                             .function = words.function,
	                             .line = words.site ? words.site->line : 0,
	                             .event_kind = v->event_kind,
	                             .event_op = v->event_op,
	                             .at_end = v->at_end},
	        ret_id);
}

static void describe(const struct norn_watcher *w, const struct norn_queued_verdict *v, struct norn_watch_message *m)
{
	static const uint32_t kinds[] = {[NORN_QUEUED_VERDICT] = NORN_WATCH_VERDICT,
	        [NORN_QUEUED_NOTE] = NORN_WATCH_NOTE,
	        [NORN_QUEUED_DOUBT] = NORN_WATCH_DOUBT,
	        [NORN_QUEUED_WITHDRAW] = NORN_WATCH_WITHDRAW};
	struct norn_site_words words;
	memset(m, 0, sizeof *m);
	m->magic = NORN_WATCH_MAGIC;
	m->kind = kinds[v->kind];
	m->props = v->index;
	m->outcome = v->outcome;
	m->state = v->state;
	m->thread = w->number;
	place_of(v->site, v->call_site, &words);
	copy(m->property, sizeof m->property, v->property);
	copy(m->path, sizeof m->path, w->path);
	copy(m->name, sizeof m->name, w->name);
	copy(m->file, sizeof m->file, words.file);
	copy(m->function, sizeof m->function, words.function);
	m->event_kind = v->event_kind;
	m->event_op = v->event_op;
	if (words.site && words.site->kind >= NORN_SITE_READ && words.site->kind <= NORN_SITE_SET)
		copy(m->variable, sizeof m->variable, words.name);
	if (is_call(v->event_kind))
		copy(m->called, sizeof m->called, words.name);
	m->line = words.site ? words.site->line : 0;
	if (v->kind == NORN_QUEUED_VERDICT)
		identify(v, m->id);
	copy(m->what, sizeof m->what, v->what);
	copy(m->key, sizeof m->key, v->key);
	copy(m->values, sizeof m->values, v->values);
	copy_details(m->details, sizeof m->details, v->details);
	add_steps(v, m);
	for (uint32_t i = 0; i < v->action_count; i++) {
		const struct norn_queued_action *a = &v->actions[i];
		size_t used = strlen(m->actions);
		const char *between = used ? ", " : "";
		if (a->kind == NORN_ACTION_REPORT && a->format && !*m->message)
			norn_message_put(m->message, sizeof m->message, a->format, a->arguments, a->argument_count);
		else if (a->kind == NORN_ACTION_CALL)
			snprintf(m->actions + used, sizeof m->actions - used, "%scall %s()", between, a->function);
		else if (a->kind == NORN_ACTION_ABORT)
			snprintf(m->actions + used, sizeof m->actions - used, "%sabort", between);
	}
}

/* The program's own code runs here: nothing of Norn's is held, and hooks work as usual. */
static void step(const struct norn_queued_verdict *v, const char *message)
{
	bool aborts = false;
	if (v->outcome == NORN_OUTCOME_VIOLATION)
		run_callbacks(v->property, message);
	for (uint32_t i = 0; i < v->action_count; i++) {
		if (v->actions[i].kind == NORN_ACTION_CALL)
			call(&v->actions[i]);
		aborts |= v->actions[i].kind == NORN_ACTION_ABORT;
	}
	if (aborts)
		abort();
}

/* An action may leave by a jump out of it. */
void norn_watch_unwound(uint32_t depth)
{
	if (norn_watcher && norn_watcher->acting > depth)
		norn_watcher->acting = 0;
}

static void deliver_first(struct norn_slot *self, struct norn_watcher *w)
{
	bool acts = !w->acting;
	struct norn_verdict_message *p = &w->messages[acts];
	self->busy++;
	__asm__ volatile("" ::: "memory");
	p->verdict = w->queue.list[0];
	w->queue.count--;
	memmove(&w->queue.list[0], &w->queue.list[1], w->queue.count * sizeof w->queue.list[0]);
	describe(w, &p->verdict, &p->message);
	tell(p);
	if (acts)
		w->acting = 1 + self->depth; /* the message is taken from here on, by handlers of signals as well */
	norn_idle(self);
	if (!acts)
		return;
	if (p->verdict.kind == NORN_QUEUED_VERDICT)
		step(&p->verdict, p->message.message);
	w->acting = 0;
}

void norn_watch_deliver(struct norn_slot *self)
{
	struct norn_watcher *w = norn_watcher;
	self->pending.watch = 0;
	if (!w)
		return;
	int error = errno;
	uint32_t site = __norn_call_site;
	/* One by one: an action may raise more, which are told but not acted upon. */
	while (w->queue.count)
		deliver_first(self, w);
	atomic_fetch_add(&norn_watch.lost, w->queue.lost);
	w->queue.lost = 0;
	__norn_call_site = site;
	errno = error;
}
