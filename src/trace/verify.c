#include "trace/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/record.h"

/* A lock, semaphore, barrier or once, by address. */
struct verified_object {
	bool known; /* made or acquired in this trace; else it may be held since before the fork that began this process */
	uint32_t holder; /* 1 + thread that holds it exclusively */
	uint32_t shared; /* holds in shared mode */
	uint64_t semaphore; /* its value, and */
	bool counted; /* whether that is known */
	bool once_running;
	uint64_t barrier; /* its count; 0: unknown */
	uint64_t arrived, left; /* over all rounds */
};

/* The number of times that a thread holds a lock in shared mode. */
struct hold {
	uint32_t times;
};

struct verified_block {
	bool live;
	uint64_t size;
};

struct life {
	bool forked, begun, ended, joined, failed;
	bool lost; /* records of it are missing */
	bool odd; /* its calls do not balance: said once */
	struct norn_numbers frames; /* sites of the functions that it is in */
	uint32_t atomics; /* open atomic blocks */
	uint32_t copying; /* bytes of a COPY_FROM that has no COPY_TO yet */
	uint32_t last_size; /* of its last access, 0 if its value is not known as one */
	uint64_t last_value;
};

struct verifier {
	struct norn_trace *trace;
	uint64_t limit;
	void (*problem)(void *arg, const char *sentence);
	void *arg;
	struct norn_verify_result *verdict;
	struct norn_map objects, holds, blocks, sites;
	struct life *lives;
	uint32_t threads;
	bool lossy;
};

static void complain(struct verifier *v, const struct norn_event *e, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void complain(struct verifier *v, const struct norn_event *e, const char *format, ...)
{
	if (v->verdict->problems++ >= v->limit)
		return;
	char sentence[640];
	int n = 0;
	if (e)
		n = snprintf(sentence, sizeof sentence, "thread %s, event %" PRIu64 ": ",
		        norn_trace_thread(v->trace, e->thread)->path, e->index);
	va_list list;
	va_start(list, format);
	vsnprintf(sentence + n, sizeof sentence - (size_t)n, format, list);
	va_end(list);
	v->problem(v->arg, sentence);
}

static const char *path_of(const struct verifier *v, uint32_t thread)
{
	return thread < v->threads ? norn_trace_thread(v->trace, thread)->path : "?";
}

static uint64_t hold_key(uint32_t thread, uint64_t object)
{
	return object << 17 ^ thread; /* user addresses have 47 bits, threads 17 */
}

/* ---- locks ---- */

static void acquire(struct verifier *v, const struct norn_event *e, struct verified_object *o)
{
	if (v->lossy)
		return;
	/* A robust mutex whose owner has ended may be taken. */
	if (o->holder && !v->lives[o->holder - 1].ended)
		complain(v, e, "acquires lock 0x%" PRIx64 ", which thread %s holds", e->addr, path_of(v, o->holder - 1));
	else if (o->shared)
		complain(v, e, "acquires lock 0x%" PRIx64 ", which is held in shared mode", e->addr);
	o->holder = e->thread + 1;
	o->known = true;
}

static void release(struct verifier *v, const struct norn_event *e, struct verified_object *o)
{
	if (v->lossy)
		return;
	if (!o->holder && o->known)
		complain(v, e, "releases lock 0x%" PRIx64 ", which is free", e->addr);
	else if (o->holder && o->holder != e->thread + 1)
		complain(v, e, "releases lock 0x%" PRIx64 ", which thread %s holds", e->addr, path_of(v, o->holder - 1));
	o->holder = 0;
	o->known = true;
}

static void share(struct verifier *v, const struct norn_event *e, struct verified_object *o, bool acquires)
{
	struct hold *hold = norn_must_map_put(&v->holds, hold_key(e->thread, e->addr));
	if (v->lossy)
		return;
	if (acquires) {
		if (o->holder)
			complain(v, e, "acquires lock 0x%" PRIx64 " in shared mode, but thread %s holds it", e->addr,
			        path_of(v, o->holder - 1));
		o->shared++;
		o->known = true;
		hold->times++;
	} else if (!hold->times && !o->known) {
		return; /* as a reader may hold it more than once, it stays unknown */
	} else if (!hold->times) {
		complain(v, e, "releases lock 0x%" PRIx64 ", which it does not hold in shared mode", e->addr);
	} else {
		o->shared--;
		hold->times--;
	}
}

static void semaphore(struct verifier *v, const struct norn_event *e, struct verified_object *o)
{
	switch (e->op) {
	case NORN_SYNC_SEM_INIT:
		o->semaphore = e->argument;
		o->counted = true;
		return;
	case NORN_SYNC_SEM_POST:
		o->semaphore++;
		return;
	default:
		if (!o->counted || v->lossy)
			return;
		if (o->semaphore == 0)
			complain(v, e, "passes semaphore 0x%" PRIx64 ", which is at zero", e->addr);
		else
			o->semaphore--;
	}
}

static void barrier(struct verifier *v, const struct norn_event *e, struct verified_object *o)
{
	switch (e->op) {
	case NORN_SYNC_BARRIER_INIT:
		o->barrier = e->argument;
		o->arrived = o->left = 0;
		return;
	case NORN_SYNC_BARRIER_ARRIVE:
		o->arrived++;
		return;
	default:
		o->left++;
		/* Those of round n may leave once n * count have arrived. */
		if (o->barrier && !v->lossy && o->arrived / o->barrier * o->barrier < o->left)
			complain(v, e, "leaves barrier 0x%" PRIx64 " before %" PRIu64 " threads have arrived", e->addr, o->barrier);
	}
}

static void once(struct verifier *v, const struct norn_event *e, struct verified_object *o)
{
	if (v->lossy)
		return;
	switch (e->op) {
	case NORN_SYNC_ONCE_BEGIN:
		if (o->once_running)
			complain(v, e, "runs the routine of once 0x%" PRIx64 ", which is running", e->addr);
		o->once_running = true;
		return;
	case NORN_SYNC_ONCE_END:
		if (!o->once_running)
			complain(v, e, "ends the routine of once 0x%" PRIx64 ", which is not running", e->addr);
		o->once_running = false;
		return;
	default:
		if (o->once_running)
			complain(v, e, "passes once 0x%" PRIx64 ", whose routine is still running", e->addr);
	}
}

static void sync(struct verifier *v, const struct norn_event *e)
{
	struct verified_object *o = norn_must_map_put(&v->objects, e->addr);
	switch (e->op) {
	case NORN_SYNC_ACQUIRE:
		acquire(v, e, o);
		break;
	case NORN_SYNC_RELEASE:
		release(v, e, o);
		break;
	case NORN_SYNC_ACQUIRE_SHARED:
	case NORN_SYNC_RELEASE_SHARED:
		share(v, e, o, e->op == NORN_SYNC_ACQUIRE_SHARED);
		break;
	case NORN_SYNC_SEM_INIT:
	case NORN_SYNC_SEM_POST:
	case NORN_SYNC_SEM_WAIT:
		semaphore(v, e, o);
		break;
	case NORN_SYNC_BARRIER_INIT:
	case NORN_SYNC_BARRIER_ARRIVE:
	case NORN_SYNC_BARRIER_LEAVE:
		barrier(v, e, o);
		break;
	case NORN_SYNC_ONCE_BEGIN:
	case NORN_SYNC_ONCE_END:
	case NORN_SYNC_ONCE_PASS:
		once(v, e, o);
		break;
	case NORN_SYNC_WAIT_BEGIN: {
		/* WAIT_BEGIN, then the release: the mutex is still held. */
		const struct verified_object *mutex = norn_map_get(&v->objects, e->argument);
		if (!v->lossy && (!mutex || mutex->holder != e->thread + 1))
			complain(v, e, "waits for condition 0x%" PRIx64 " without holding mutex 0x%" PRIx64, e->addr, e->argument);
		break;
	}
	case NORN_SYNC_CREATE:
	case NORN_SYNC_DESTROY:
		*o = (struct verified_object){.known = true};
		break;
	case NORN_SYNC_SEND: /* its receiver, if there is one, only the kernel knows */
	case NORN_SYNC_RECEIVE:
		break;
	}
}

/* ---- threads and calls ---- */

static void other_thread(struct verifier *v, const struct norn_event *e, struct life *other)
{
	const char *path = path_of(v, (uint32_t)e->value);
	switch (e->op) {
	case NORN_THREAD_FORK:
		if (other->begun || (other->forked && !other->failed))
			complain(v, e, "creates thread %s, which was created before", path);
		other->forked = true;
		other->failed = false;
		break;
	case NORN_THREAD_FORK_FAILED:
		if (!other->forked || other->begun)
			complain(v, e, "says that thread %s was not created", path);
		other->failed = true;
		break;
	case NORN_THREAD_JOIN:
		if (!v->lossy && !other->ended && norn_trace_thread(v->trace, (uint32_t)e->value)->records)
			complain(v, e, "joins thread %s, which has not ended", path);
		if (other->joined)
			complain(v, e, "joins thread %s for the second time", path);
		other->joined = true;
		break;
	}
}

static void thread(struct verifier *v, const struct norn_event *e)
{
	struct life *own = &v->lives[e->thread];
	switch (e->op) {
	case NORN_THREAD_FORK:
	case NORN_THREAD_FORK_FAILED:
	case NORN_THREAD_JOIN:
		if (e->value < v->threads)
			other_thread(v, e, &v->lives[e->value]);
		break;
	case NORN_THREAD_BEGIN:
		if (e->value != e->thread)
			complain(v, e, "begins as thread %s", path_of(v, (uint32_t)e->value));
		if (own->begun)
			complain(v, e, "begins for the second time");
		if (e->argument != NORN_NO_THREAD && e->argument != e->thread && !own->forked && !v->lossy)
			complain(v, e, "begins, but no thread created it");
		own->begun = true;
		break;
	case NORN_THREAD_END:
		if (e->value != e->thread)
			complain(v, e, "ends as thread %s", path_of(v, (uint32_t)e->value));
		if (own->ended)
			complain(v, e, "ends for the second time");
		own->ended = true;
		break;
	}
}

static void leave(struct verifier *v, const struct norn_event *e, struct life *own)
{
	/* The runtime does not know which functions longjmp and exceptions leave, only how many. */
	bool unnamed = e->argument & NORN_LEAVE_UNWOUND && !e->site;
	bool fits = own->frames.count && (unnamed || own->frames.items[own->frames.count - 1] == e->site);
	if (own->frames.count)
		own->frames.count--;
	if (fits || own->odd || own->lost || v->lossy)
		return;
	struct norn_site_info info;
	norn_trace_site(v->trace, e->site, &info);
	complain(v, e, "leaves function %s, which is not the one that it entered last", info.name);
	own->odd = true;
}

/* ---- memory ---- */

static void allocation(struct verifier *v, const struct norn_event *e)
{
	/* A live block is no contradiction: it was resized in place, or code that is not recorded freed it, such as libc's own
	 * after the end of a thread. */
	if (e->op < NORN_ALLOC_MAP)
		*(struct verified_block *)norn_must_map_put(&v->blocks, e->addr) = (struct verified_block){true, e->size};
}

static void deallocation(struct verifier *v, const struct norn_event *e)
{
	if (e->pieces & 2)
		return;
	/* A block from before the recording, or from a library that has its own way to memory, was never seen. */
	struct verified_block *b = norn_map_get(&v->blocks, e->addr);
	if (!b)
		return;
	if (!b->live && !v->lossy)
		complain(v, e, "frees the block at 0x%" PRIx64 ", which was freed before", e->addr);
	b->live = false;
}

/* The two halves of a copy stand side by side. */
static void copies(struct verifier *v, const struct norn_event *e, struct life *own)
{
	bool range = e->versions && (e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE);
	bool to = range && e->op == NORN_RANGE_COPY_TO && e->kind == NORN_EVENT_WRITE;
	bool from = range && e->op == NORN_RANGE_COPY_FROM && e->kind == NORN_EVENT_READ;
	if (to && !v->lossy && own->copying < e->size)
		complain(v, e, "writes a copy of what it did not read");
	if (from)
		own->copying = (e->pieces & 2 ? own->copying : 0) + (uint32_t)e->size;
	else if (to)
		own->copying = own->copying < e->size ? 0 : own->copying - (uint32_t)e->size;
	else if (e->kind != NORN_EVENT_EXTERNAL && e->kind != NORN_EVENT_LOST)
		own->copying = 0;
}

/* ---- values ---- */

static void access_value(const struct norn_event *e, struct life *own)
{
	bool one = e->known && e->size <= 8 && !e->pieces;
	own->last_size = one ? (uint32_t)e->size : 0;
	own->last_value = one ? e->value : 0;
}

/* A program that tests its own recording says what its last access read or left, as a mark of this name (tests/stress). */
static void saw(struct verifier *v, const struct norn_event *e, const struct life *own)
{
	if (!own->last_size || own->lost || v->lossy || strcmp(norn_trace_name(v->trace, (uint32_t)e->argument), "norn.saw") != 0)
		return;
	uint64_t mask = own->last_size == 8 ? UINT64_MAX : (UINT64_C(1) << own->last_size * 8) - 1;
	if ((own->last_value ^ e->value) & mask)
		complain(v, e, "saw the value 0x%" PRIx64 ", but by the recorded order it is 0x%" PRIx64, e->value & mask,
		        own->last_value);
}

static void known_site(struct verifier *v, const struct norn_event *e, uint32_t site)
{
	if (site < NORN_SITE_FIRST)
		return;
	uint32_t *seen = norn_must_map_put(&v->sites, site);
	if (*seen)
		return;
	*seen = 1;
	struct norn_site_info info;
	norn_trace_site(v->trace, site, &info);
	if (!info.site)
		complain(v, e, "its site %u belongs to no module", site);
}

static void check(struct verifier *v, const struct norn_event *e)
{
	struct life *own = &v->lives[e->thread];
	if (own->ended && !v->lossy)
		complain(v, e, "acts after its end");
	if (!own->begun && !v->lossy && (e->kind != NORN_EVENT_THREAD || e->op != NORN_THREAD_BEGIN)) {
		complain(v, e, "acts before it begins");
		own->begun = true;
	}
	known_site(v, e, e->site);
	copies(v, e, own);
	switch (e->kind) {
	case NORN_EVENT_SYNC:
		sync(v, e);
		break;
	case NORN_EVENT_THREAD:
		thread(v, e);
		break;
	case NORN_EVENT_ENTER:
		known_site(v, e, e->call_site);
		norn_must_push(&own->frames, e->site);
		break;
	case NORN_EVENT_LEAVE:
		leave(v, e, own);
		break;
	case NORN_EVENT_ALLOC:
		allocation(v, e);
		break;
	case NORN_EVENT_FREE:
		deallocation(v, e);
		break;
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
		access_value(e, own);
		break;
	case NORN_EVENT_MARK:
		if (e->op == NORN_MARK_EVENT)
			saw(v, e, own);
		else if (e->op == NORN_MARK_ATOMIC_BEGIN)
			own->atomics++;
		else if (e->op == NORN_MARK_ATOMIC_END && own->atomics)
			own->atomics--;
		break;
	case NORN_EVENT_LOST:
		own->lost = true;
		v->lossy = true;
		break;
	}
}

/* Checks that only the end of the trace allows. Frames that are open when a thread ends normally were never left. */
static void at_end(struct verifier *v)
{
	for (uint32_t i = 0; i < v->threads && !v->lossy; i++) {
		const struct life *life = &v->lives[i];
		if (life->ended && life->frames.count && !life->odd)
			complain(v, NULL, "thread %s ended within %u function%s that it never left", path_of(v, i),
			        life->frames.count, life->frames.count == 1 ? "" : "s");
	}
	const struct norn_file_header *header = norn_trace_header(v->trace);
	if (header->state == NORN_STATE_COMPLETE && header->lost_events < v->verdict->losses.lost)
		complain(v, NULL, "%" PRIu64 " records were lost, but the header tells of %" PRIu64, v->verdict->losses.lost,
		        header->lost_events);
}

static int run(struct verifier *v, unsigned patience, struct norn_error *err)
{
	struct norn_merge *merge = norn_merge_new(v->trace, patience);
	struct norn_event event;
	int r = 0;
	while (r == 0 && (r = norn_merge_next(merge, &event, err)) == 1) {
		v->verdict->events += !(event.pieces & 2);
		check(v, &event);
		r = 0;
	}
	norn_merge_losses(merge, &v->verdict->losses);
	norn_merge_free(merge);
	return r;
}

static void begin(struct verifier *v)
{
	const struct norn_file_header *header = norn_trace_header(v->trace);
	*v->verdict = (struct norn_verify_result){0};
	v->lossy = header->state != NORN_STATE_COMPLETE || header->lost_events || header->lost_threads;
	norn_map_init(&v->objects, sizeof(struct verified_object));
	norn_map_init(&v->holds, sizeof(struct hold));
	norn_map_init(&v->blocks, sizeof(struct verified_block));
	norn_map_init(&v->sites, sizeof(uint32_t));
	v->lives = norn_must_calloc(v->threads + 1, sizeof *v->lives);
}

static void done(struct verifier *v)
{
	norn_map_done(&v->objects);
	norn_map_done(&v->holds);
	norn_map_done(&v->blocks);
	norn_map_done(&v->sites);
	for (uint32_t i = 0; i < v->threads; i++)
		norn_vector_done(&v->lives[i].frames);
	free(v->lives);
}

int norn_verify(struct norn_trace *trace, uint64_t limit, void (*problem)(void *arg, const char *sentence), void *arg,
        struct norn_verify_result *ret_verdict, struct norn_error *err)
{
	struct verifier v = {.trace = trace,
	        .limit = limit,
	        .problem = problem,
	        .arg = arg,
	        .verdict = ret_verdict,
	        .threads = norn_trace_threads(trace)};
	struct norn_error damage = {0};
	begin(&v);
	int r = run(&v, NORN_MERGE_PATIENCE, &damage);
	if (r == -ESTALE) {
		/* Perhaps the recorder was starved: once more, however much memory it takes. */
		done(&v);
		begin(&v);
		r = run(&v, 0, &damage);
	}
	if (r == -EBADMSG || r == -ESTALE) {
		complain(&v, NULL, "%s", damage.message);
		r = 0;
	} else if (r == 0) {
		at_end(&v);
	} else {
		r = norn_error_set(err, r, "%s", damage.message);
	}
	done(&v);
	return r;
}
