/* Function entry and exit. */
#include "runtime/replay/replay.h"
#include "runtime/hooks.h"
#include "runtime/interpose/known_calls.h"
#include "runtime/self.h"
#include "runtime/sys.h"
#include "runtime/watch/watch.h"

#include <link.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <x86intrin.h>

#include "trace/site.h"

__thread uint32_t __norn_call_site __attribute__((tls_model("initial-exec")));

#define SITE_MASK ((1ull << NORN_SITE_BITS) - 1)

/* Appends up to three units, the careful way. */
static NORN_COLD void log_slow(uint64_t first, uint64_t second, uint64_t third, unsigned units)
{
	if (norn_watching) {
		norn_watch_unit(first, second);
		return;
	}
	struct norn_slot *self = norn_busy_or_attach();
	if (self && norn_room(self, NORN_ROOM)) {
		self->pos[0] = first;
		self->pos[1] = second;
		self->pos[2] = third;
		norn_append(self, units);
	}
	norn_idle(self);
}

static inline __attribute__((always_inline)) void log_units(
        struct norn_slot *self, uint64_t first, uint64_t second, uint64_t third, unsigned units)
{
	self->busy = 1;
	__asm__ volatile("" ::: "memory");
	uint64_t *pos = self->pos;
	if (__builtin_expect(pos >= atomic_load_explicit(&self->limit, memory_order_relaxed), 0)) {
		self->busy = 0;
		log_slow(first, second, third, units);
		return;
	}
	pos[0] = first;
	if (units >= 2)
		pos[1] = second;
	if (units == 3)
		pos[2] = third;
	norn_append(self, units);
	self->busy = 0;
	if (__builtin_expect(self->pending.any, 0))
		norn_deliver_from_hook();
}

/* Depth of uninstrumented code on the stack: 1 + the depth of its caller, 0 if there is none. */
static __thread uint32_t outside __attribute__((tls_model("initial-exec")));

/* The same for an entry or exit: if there is room; or the process is watched, and it is known what the site is to monitors. False:
 * it takes log_slow. */
static inline __attribute__((always_inline)) bool log_call(
        struct norn_slot *self, uint64_t unit, uint32_t site, enum norn_quick_side side)
{
	self->busy = 1;
	__asm__ volatile("" ::: "memory");
	uint64_t *pos = self->pos;
	bool done = true;
	if (__builtin_expect(pos < atomic_load_explicit(&self->limit, memory_order_relaxed), 1)) {
		pos[0] = unit;
		norn_append(self, 1);
	} else if (!norn_quick_passes(site, side)) {
		done = side == NORN_QUICK_ENTER ? norn_quick_enter(site) : norn_quick_leave(site);
	}
	__asm__ volatile("" ::: "memory");
	self->busy = 0;
	return done;
}

static NORN_COLD struct norn_slot *self_slow(void)
{
	struct norn_slot *self = norn_busy_or_attach();
	norn_idle(self);
	return self;
}

/* The thread has just come back from uninstrumented code, which may have blocked on any event of another thread (X10): the stamp
 * of this record orders it, and the fence keeps the stamp from being read before what the code waited for. */
void norn_log_back(enum norn_back how, uint32_t site)
{
	if (norn_watching)
		return;
	_mm_lfence();
	norn_log_thread(NORN_THREAD_BACK, norn_thread_number(), how, site);
}

static void log_away(struct norn_slot *self, enum norn_call does, uint32_t site)
{
	if (!norn_watching)
		log_units(self, NORN_THREAD_CALL << 4 | NORN_TAG_THREAD, site, does, 3);
}

void norn_self_begins_outside(void)
{
	outside = 1;
}

/* ---- functions that other threads run (effects/job_functions.h) ---- */

#define JOBS 256u
#define PROLOGUE 1024u /* bytes of a function that may lie before its call of __norn_enter */

/* Each is written once, by the first thread that finds the place empty; one_by_one is set, and stays. */
static struct {
	const void *_Atomic function;
	atomic_bool one_by_one;
} jobs[JOBS];
static atomic_bool all_one_by_one;
static __thread uint32_t handing_over, beginning __attribute__((tls_model("initial-exec"))); /* sites of calls */

static uint64_t mark_before(const char *function)
{
	uint64_t mark;
	__builtin_memcpy(&mark, function - sizeof mark, sizeof mark);
	return mark;
}

/* Is this a function whose jobs run at once? where: in it, after its first call. Functions that have hooks begin after their
 * mark. */
static bool is_job(const char *where)
{
	const char *function = where, *low = where - PROLOGUE;
	if (((uintptr_t)low ^ (uintptr_t)where) & ~UINT64_C(4095) && !norn_sys_readable(low, PROLOGUE))
		low = (const char *)((uintptr_t)where & ~UINT64_C(4095));
	do
		if (--function - low < (ptrdiff_t)sizeof(uint64_t))
			return false;
	while (mark_before(function) != NORN_HOOKED && mark_before(function) != NORN_HALF_HOOKED);
	for (unsigned i = 0; i < JOBS; i++) {
		const void *known = atomic_load_explicit(&jobs[i].function, memory_order_acquire);
		if (!known || known == function)
			return known && !atomic_load(&jobs[i].one_by_one) && !atomic_load(&all_one_by_one);
	}
	return false;
}

static void note_job(const void *function, uint64_t limit)
{
	for (unsigned i = 0; i < JOBS; i++) {
		const void *known = NULL;
		if (atomic_compare_exchange_strong(&jobs[i].function, &known, function) || known == function) {
			if (limit == 1)
				atomic_store(&jobs[i].one_by_one, true);
			return;
		}
	}
}

void __norn_jobs(const void *function, uint64_t limit, uint32_t site)
{
	if (function)
		note_job(function, limit);
	else if (limit == 1)
		atomic_store(&all_one_by_one, true);
	handing_over = site & NORN_CALL_HANDS_OVER ? site & SITE_MASK : 0;
	beginning = site & NORN_CALL_BEGINS ? site & SITE_MASK : 0;
}

/* ---- functions with hooks ---- */

static uint64_t entry_of(uint32_t site)
{
	return (uint64_t)__norn_call_site << 36 | (site & SITE_MASK) << 8 | NORN_TAG_ENTER;
}

static uint64_t exit_of(uint32_t site)
{
	return (site & SITE_MASK) << 8 | NORN_TAG_LEAVE;
}

/* Rare paths of hooks are functions of their own with the same parameter, so that hooks save no registers of the program. */
static NORN_COLD uint32_t enter_slowly(uint32_t site, const void *where)
{
	struct norn_slot *self = norn_self;
	if (!self && (!norn_session || !(self = self_slow())))
		return 0;
	uint32_t step = norn_replaying ? norn_replay_step(NORN_OPERATION_IN, site, NULL, 0) : 0;
	if (outside == self->depth + 1)
		norn_log_back(self->depth == 0 && is_job(where) ? NORN_BACK_JOB : NORN_BACK_ENTERED, 0);
	log_units(self, entry_of(site), 0, 0, 1);
	if (norn_replaying)
		norn_replay_enter(self, __norn_call_site, site);
	norn_step_end(step);
	return ++self->depth;
}

static NORN_COLD uint32_t enter_unit(uint32_t site)
{
	struct norn_slot *self = norn_self;
	log_slow(entry_of(site), 0, 0, 1);
	return ++self->depth;
}

static NORN_COLD uint32_t enter_kept(uint32_t site)
{
	struct norn_slot *self = norn_self;
	norn_deliver_from_hook();
	(void)site;
	return ++self->depth;
}

uint32_t __norn_enter(uint32_t site)
{
	struct norn_slot *self = norn_self;
	if (__builtin_expect(!self || norn_replaying || outside == self->depth + 1, 0))
		return enter_slowly(site, __builtin_return_address(0));
	if (!log_call(self, entry_of(site), site, NORN_QUICK_ENTER))
		return enter_unit(site);
	if (__builtin_expect(self->pending.any, 0))
		return enter_kept(site);
	return ++self->depth;
}

void __norn_argument(uint32_t index, uint64_t value)
{
	struct norn_slot *self = norn_self;
	if (self)
		log_units(self, (uint64_t)index << 4 | NORN_TAG_VALUE, value, 0, 2);
}

void __norn_result(uint64_t value)
{
	struct norn_slot *self = norn_self;
	if (self && self->depth)
		log_units(self, (uint64_t)NORN_VALUE_RESULT << 4 | NORN_TAG_VALUE, value, 0, 2);
}

static NORN_COLD void leave_slowly(uint32_t site)
{
	struct norn_slot *self = norn_self;
	uint32_t step = norn_replay_step(NORN_OPERATION_OUT, site, NULL, 0);
	self->depth--;
	log_units(self, exit_of(site), 0, 0, 1);
	if (norn_replaying)
		norn_replay_leave(self);
	norn_step_end(step);
}

static NORN_COLD void leave_unit(uint32_t site)
{
	log_slow(exit_of(site), 0, 0, 1);
}

void __norn_leave(uint32_t site)
{
	struct norn_slot *self = norn_self;
	if (!self || !self->depth) /* recorded only since after the entry */
		return;
	if (__builtin_expect(norn_replaying, 0)) {
		leave_slowly(site);
		return;
	}
	self->depth--;
	if (!log_call(self, exit_of(site), site, NORN_QUICK_LEAVE))
		leave_unit(site);
	else if (__builtin_expect(self->pending.any, 0))
		norn_deliver_from_hook();
}

/* This thread has called pthread_exit itself: what unwinds it is known. */
static __thread bool exits __attribute__((tls_model("initial-exec")));

void norn_self_exits(void)
{
	exits = norn_call_is_seen();
	outside = 0;
}

/* It has called longjmp itself. */
static __thread bool jumps __attribute__((tls_model("initial-exec")));

void norn_self_jumps(void)
{
	jumps = norn_call_is_seen();
}

static void leave_above(struct norn_slot *self, uint32_t depth)
{
	uint64_t how = NORN_LEAVE_UNWOUND | (exits || jumps ? NORN_LEAVE_EXITED : 0);
	while (self && self->depth > depth) {
		self->depth--;
		log_units(self, how << 36 | NORN_TAG_LEAVE, 0, 0, 1);
	}
	if (self && norn_replaying)
		norn_replay_leave(self);
}

void norn_self_leave(void)
{
	leave_above(norn_self, 0);
}

/* Contexts are switched in this process: depths that a function of one of them has kept mean nothing. */
static atomic_bool switches;

/* All frames are left, without those of the other context being entered: the functions that are active there end without an event,
 * as those of a thread do that is recorded since later (__norn_leave). So callers may be missing, but are not wrong. */
void norn_self_switches(void)
{
	struct norn_slot *self = norn_self;
	atomic_store_explicit(&switches, true, memory_order_relaxed);
	leave_above(self, 0);
	if (norn_watching)
		norn_watch_unwound(0);
	outside = self ? 1 : 0; /* what the other context does next comes from code without hooks */
}

void __norn_unwind(uint32_t depth)
{
	struct norn_slot *self = norn_self;
	if (depth == UINT32_MAX)
		return;
	if (atomic_load_explicit(&switches, memory_order_relaxed))
		depth = 0;
	leave_above(self, depth);
	if (norn_watching)
		norn_watch_unwound(depth);
	/* Else the jump or throw may have come from uninstrumented code; a cancelled thread comes here, too. */
	bool known = exits || jumps;
	jumps = false;
	if (self)
		outside = 0;
	if (!known)
		norn_call_unknown();
}

/* ---- calls of code without hooks ---- */

/* Bytes before a function are readable if they are on the same page. */
static bool bears(const void *target, uint64_t mark)
{
	return target && ((uintptr_t)target & 4095) >= sizeof mark && mark_before(target) == mark;
}

bool norn_call_begins_hooked(uintptr_t routine, uint32_t site)
{
	const void *target = (const void *)routine;
	return bears(target, NORN_HOOKED) || bears(target, NORN_HALF_HOOKED) || (site && (site & SITE_MASK) == beginning);
}

/* Of a token; the rest is 1 + `outside` as it was, or of a KNOWN call its row. */
#define HANDED_OVER 0x80000000u
#define KNOWN 0x40000000u

uint32_t __norn_call(void)
{
	return 0;
}

void norn_call_recorded(uint32_t site)
{
	if (norn_self)
		log_units(norn_self, NORN_THREAD_CALL << 4 | NORN_TAG_THREAD, (uint64_t)NORN_CALL_RECORDED << 32 | site, 0, 3);
}

/* Leaves instrumented code for code that may do anything. */
static uint32_t leave_for_unknown(struct norn_slot *self, uint32_t site)
{
	if (__builtin_expect(norn_replaying, 0))
		norn_replay_step_done(norn_replay_step(NORN_OPERATION_CALL, site, NULL, 0));
	bool hands_over = handing_over == site;
	log_away(self, hands_over ? NORN_CALL_SUBMITS : NORN_CALL_ANY, site);
	uint32_t before = outside;
	outside = self->depth + 1;
	return (before + 1) | (hands_over ? HANDED_OVER : 0);
}

uint32_t __norn_calls(const void *target, uint32_t site)
{
	struct norn_slot *self = norn_self;
	if (!self || bears(target, NORN_HOOKED))
		return 0;
	return leave_for_unknown(self, site);
}

static NORN_COLD uint32_t calls_without_hooks(const void *target, uint32_t site, const char *types, uint64_t *arguments)
{
	struct norn_slot *self = norn_self;
	struct norn_known_call call = {target, types, arguments, site};
	uint32_t row = norn_known_call_begin(&call);
	if (!row)
		return leave_for_unknown(self, site);
	*norn_known_call_room(&call) = outside;
	if (norn_known_call_is_modelled(row))
		outside = self->depth + 1;
	return KNOWN | row;
}

uint32_t __norn_calls_with(const void *target, uint32_t site, const char *types, uint64_t *arguments)
{
	if (!norn_self || bears(target, NORN_HOOKED))
		return 0;
	return calls_without_hooks(target, site, types, arguments);
}

static NORN_COLD void returns_known(uint32_t row, uint32_t site, const char *types, uint64_t *arguments, uint64_t result)
{
	struct norn_known_call call = {NULL, types, arguments, site};
	outside = (uint32_t)*norn_known_call_room(&call);
	norn_known_call_end(&call, row, result);
}

void __norn_returned_with(uint32_t token, uint32_t site, const char *types, uint64_t *arguments, uint64_t result)
{
	if (norn_self && (token & (KNOWN | HANDED_OVER)) == KNOWN)
		returns_known(token & ~KNOWN, site, types, arguments, result);
	else
		__norn_returned(token, site);
}

bool norn_call_is_seen(void)
{
	const struct norn_slot *self = norn_self;
	/* Inside a hook it is Norn itself that calls: monitors format what they say. */
	return self && !self->busy && self->depth && outside != self->depth + 1;
}

uint32_t norn_call_hide(void)
{
	uint32_t before = outside;
	if (norn_self)
		outside = norn_self->depth + 1;
	return before;
}

void norn_call_show(uint32_t before)
{
	outside = before;
}

void norn_call_unknown(void)
{
	struct norn_slot *self = norn_self;
	if (self) {
		log_away(self, NORN_CALL_ANY, 0);
		norn_log_back(NORN_BACK_RETURNED, 0);
	}
}

/* The program itself, where it is loaded. One that is linked to fixed addresses, or without libraries, has functions of libraries
 * there, too: nothing is said of it. */
static uintptr_t own_begin, own_end;

__attribute__((constructor(102))) static void find_own(void)
{
	const ElfW(Phdr) *headers = (const void *)getauxval(AT_PHDR);
	unsigned long count = headers ? getauxval(AT_PHNUM) : 0;
	uintptr_t base = 0, first = UINTPTR_MAX, last = 0;
	bool libraries = false;
	for (unsigned long i = 0; i < count; i++) {
		const ElfW(Phdr) *h = headers + i;
		if (h->p_type == PT_PHDR)
			base = (uintptr_t)headers - h->p_vaddr;
		libraries |= h->p_type == PT_INTERP;
		if (h->p_type == PT_LOAD) {
			first = h->p_vaddr < first ? h->p_vaddr : first;
			last = h->p_vaddr + h->p_memsz > last ? h->p_vaddr + h->p_memsz : last;
		}
	}
	if (base && libraries && first < last) {
		own_begin = base + first;
		own_end = base + last;
	}
}

void __norn_named(const void *target)
{
	if ((uintptr_t)target - own_begin < own_end - own_begin && !bears(target, NORN_HOOKED))
		norn_call_unknown();
}

void __norn_returned(uint32_t token, uint32_t site)
{
	struct norn_slot *self = norn_self;
	if (!self || token == 0)
		return;
	outside = (token & ~HANDED_OVER) - 1;
	if (outside && atomic_load_explicit(&switches, memory_order_relaxed))
		outside = self->depth + 1; /* it was at another depth */
	if (!(token & HANDED_OVER))
		norn_log_back(NORN_BACK_RETURNED, site);
}

void __norn_return(uint32_t token)
{
	__norn_returned(token, 0);
}
